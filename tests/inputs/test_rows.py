"""Rows: columns of grades, scores, weights and query ids in every form that holds them."""

import math
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import (
    InvalidParameterError,
    UndefinedMetricWarning,
    evaluate,
    mean_reciprocal_rank_score,
    ranking_auc_score,
)

# Two queries: relevant at rank 2 of 3, and at rank 1 of 2. Rows interleaved.
GRADES = [0, 1, 1, 0, 0]
SCORES = [3.0, 2.0, 5.0, 4.0, 1.0]


def interleaved(first, second):
    return [first, first, second, second, first]


COLUMNS = {
    "array": np.array,
    "pandas": pd.Series,
    "pandas index": pd.Index,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunked": lambda values: pa.chunked_array([values[:2], values[2:]]),
    "memoryview": lambda values: memoryview(np.array(values)),
}


@pytest.mark.parametrize("wrap", COLUMNS.values(), ids=COLUMNS)
def test_columns_of_grades_scores_and_weights(wrap):
    weights = interleaved(1.0, 3.0)
    value = mean_reciprocal_rank_score(
        wrap(GRADES), wrap(SCORES), groups=interleaved("a", "b"), sample_weight=wrap(weights)
    )
    assert value == (1 * 1 / 2 + 3 * 1) / 4


# Query ids in other forms ------------------------------------------------------------------------

WORDS = ["b", "a", "b", "c", "a", "c", "b"]
WORD_GRADES = np.array([1, 0, 0, 1, 1, 0, 1])
WORD_SCORES = np.array([0.1, 0.9, 0.5, 0.2, 0.3, 0.8, 0.05])
# b: 0.5 0, 0.1 1, 0.05 1; a: 0.9 0, 0.3 1; c: 0.8 0, 0.2 1.
AVERAGE = [(1 / 2 + 2 / 3) / 2, 1 / 2, 1 / 2]


def of(make, b, a, c):
    """A form of other values than words."""
    values = {"b": b, "a": a, "c": c}
    return lambda words: make([values[word] for word in words])


def array(dtype):
    return partial(np.array, dtype=dtype)


def chunks(make):
    return lambda words: pa.chunked_array([make(words[:2]), make(words[2:])])


def dictionary(words):
    return pa.array(words).dictionary_encode()


DAYS = pd.to_datetime(["2026-01-01", "2026-03-01", "2026-02-01"])
BERLIN = DAYS.tz_localize("Europe/Berlin")
FORMS = {
    "list": list, "tuple": tuple, "text": np.array, "objects": array(object),
    "Series": pd.Series, "Index": pd.Index, "polars": pl.Series, "arrow": pa.array,
    "bytes": array("S1"),
    "Series of objects": partial(pd.Series, dtype=object),
    "Series of strings": partial(pd.Series, dtype="string"),
    "categorical": lambda words: pd.Series(pd.Categorical(words, categories=list("xcabz"))),
    "polars categorical": partial(pl.Series, dtype=pl.Categorical),
    "arrow chunks": chunks(pa.array),
    "arrow dictionary": dictionary,
    **{f"times of {make.__name__}": of(make, *DAYS) for make in (pd.Series, pd.Index)},
    **{f"zones of {make.__name__}": of(make, *BERLIN) for make in (pd.Series, pd.Index)},
    **{
        dtype: of(array(dtype), -5, 3, 120)
        for dtype in ("int8", "int16", "int64", "float32", ">i4")
    },
    **{f"numbers of {make.__name__}": of(make, -5, 3, 120) for make in (list, pl.Series, pa.array)},
    "nullable integers": of(partial(pd.Series, dtype="Int16"), -5, 3, 120),
    **{f"top of {one}": of(array(one), *(np.iinfo(one).max - np.array([2, 1, 0], one))) for one in (
        "uint8", "uint64")},
    "wider integers": of(list, 2**70 - 5, 2**70 + 3, 2**70 + 120),
}  # fmt: skip


@pytest.mark.parametrize("order", ["scattered", "together"])
@pytest.mark.parametrize("form", FORMS)
def test_query_ids_in_every_form(form, order):
    rows = sorted(range(7), key=lambda row: "bac".index(WORDS[row]) if order == "together" else 0)
    words = [WORDS[row] for row in rows]
    groups = FORMS[form](words)
    found = evaluate(WORD_GRADES[rows], WORD_SCORES[rows], "map", groups=groups)
    assert found.per_query["map"] == pytest.approx(AVERAGE)
    if isinstance(groups, np.ndarray) and groups.dtype != object:
        assert found.query_ids.dtype == groups.dtype
    names = groups.to_pylist() if hasattr(groups, "to_pylist") else list(groups)
    assert list(found.query_ids) == [names[words.index(word)] for word in "bac"]


@pytest.mark.parametrize("kind", [list, tuple, pa.array])
def test_large_integers_of_mixed_sign_stay_different_queries(kind):
    # NumPy has no integer type for all three and would round them to two floats.
    first, second = 2**62, 2**62 + 1
    values = (
        [first, second, first, second, -5]
        if kind is pa.array
        else [2 * first, 2 * second, 2 * first, 2 * second, -5]
    )
    evaluation = evaluate([1, 0, 0, 1, 1], [1, 1, 2, 2, 0], "mrr", groups=kind(values))
    assert list(evaluation.query_ids) == [values[0], values[1], -5]
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0, 1.0]


def test_many_scattered_queries():
    """More queries than 16 bits count: against a plain loop."""
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 90_000, 150_000)
    assert len(np.unique(ids)) > 1 << 16
    grades, scores = rng.integers(0, 2, 150_000), rng.random(150_000)
    best = {}
    for query, score, grade in zip(ids.tolist(), scores.tolist(), grades.tolist(), strict=True):
        best[query] = max(best.get(query, (-1.0, 0)), (score, grade))
    for groups in (ids, ids.astype(str), ids.astype(str).tolist(), ids * 10**9):
        found = evaluate(grades, scores, "hit_rate@1", groups=groups, zero_division=np.nan)
        assert found.query_ids[0] == groups[0]
        values = np.nan_to_num(found.per_query["hit_rate@1"])
        assert values.tolist() == [float(g) for _, g in best.values()]


MISSING = {
    "list": ["b", "a", None, "c", "a", "c", "b"],
    "number": [1, 2, float("nan"), 3, 2, 3, 1],
    "pandas": pd.Series(["b", "a", None, "c", "a", "c", "b"]),
    "categorical": pd.Series(["b", "a", None, "c", "a", "c", "b"], dtype="category"),
    "arrow": pa.array(["b", "a", None, "c", "a", "c", "b"]),
    "arrow integers": pa.array([1, 2, None, 3, 2, 3, 1]),
    "arrow dictionary": pa.array(["b", "a", None, "c", "a", "c", "b"]).dictionary_encode(),
    "null in a dictionary": pa.DictionaryArray.from_arrays([0, 1, 2, 0, 1, 0, 1], ["a", "b", None]),
    "NaN in Arrow": pa.array([1.0, 2.0, float("nan"), 3.0, 2.0, 3.0, 1.0]),
    "polars": pl.Series(["b", "a", None, "c", "a", "c", "b"]),
    "zone": pd.Series(pd.to_datetime(["2026-01-01"] * 2 + [None] + ["2026-01-02"] * 4, utc=True)),
    "datetimes": np.array(["2026-01-01"] * 2 + ["NaT"] + ["2026-01-02"] * 4, dtype="M8[D]"),
}


@pytest.mark.parametrize("form", MISSING)
def test_missing_ids_are_named_by_their_row(form):
    with pytest.raises(ValueError, match=r"groups contains missing values \(row 2\)"):
        evaluate(WORD_GRADES, WORD_SCORES, "map", groups=MISSING[form])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([1, 1.0, 2, 2, 2, 2, 2], r"int \(row 0\) and float \(row 1\)"),
        (["x", True, 2, 2, 2, 2, 2], r"str \(row 0\) and bool \(row 1\)"),
        ([2.5, 2.5, 1, 1, True, 1, 1], r"float \(row 0\) and int \(row 2\)"),
        ([Decimal(1), 1, 1, 1, 1, 1, 1], r"number \(row 0\) and int \(row 1\)"),
        (np.array([1, np.float64(1), 2, 2, 2, 2, 2], dtype=object), r"int \(row 0\) and float"),
        ([1, "1", 2, 2, 2, 2, 2], r"int \(row 0\) and str \(row 1\)"),
        ([b"1", "1", "1", 2, 2, 2, 2], r"bytes \(row 0\) and str \(row 1\)"),
    ],
)
def test_ids_of_several_types_are_refused(ids, message):
    with pytest.raises(ValueError, match=f"groups mixes ids of several types, {message}.*: 1, 1.0"):
        evaluate(WORD_GRADES, WORD_SCORES, "map", groups=ids)


@pytest.mark.skipif(np.__version__ < "2", reason="NumPy 2 brought strings of any length")
@pytest.mark.parametrize("missing", [None, math.nan])
def test_a_missing_query_id_among_strings_of_any_length_is_refused(missing):
    ids = np.array(["q", "q", missing], dtype=np.dtypes.StringDType(na_object=missing))
    with pytest.raises(ValueError, match=r"groups contains missing values \(row 2\)"):
        evaluate([1, 0, 1], [1.0, 2, 3], "mrr", groups=ids)
    assert evaluate([1, 0], [1.0, 2], "mrr", groups=ids[:2])["mrr"] == 0.5


# Weights of queries -------------------------------------------------------------------------------


def test_pooled_measures_take_no_weights():
    with pytest.raises(InvalidParameterError, match=r"sample_weight .* pooled measure"):
        ranking_auc_score([1, 0], [2, 1], groups=[7, 7], average="pooled", sample_weight=[1, 1])


def test_weight_on_undefined_queries_alone_leaves_nothing():
    with pytest.warns(UndefinedMetricWarning, match="undefined for 1 of 1 queries: 0; .* is NaN"):
        value = mean_reciprocal_rank_score([set(), {"a"}], [["a"], ["a"]], sample_weight=[1, 0])
    assert math.isnan(value)
