"""Query ids of rows in every form that holds them: the same queries, names and numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import evaluate

WORDS = ["b", "a", "b", "c", "a", "c", "b"]
GRADES = [1, 0, 0, 1, 1, 0, 1]
SCORES = [0.1, 0.9, 0.5, 0.2, 0.3, 0.8, 0.05]
# b: 0.5 0, 0.1 1, 0.05 1; a: 0.9 0, 0.3 1; c: 0.8 0, 0.2 1.
RECIPROCAL = {"b": 1 / 2, "a": 1 / 2, "c": 1 / 2}
AVERAGE = {"b": (1 / 2 + 2 / 3) / 2, "a": 1 / 2, "c": 1 / 2}

FORMS = {
    "list": list,
    "tuple": tuple,
    "text": np.array,
    "bytes": lambda words: np.array(words, dtype="S1"),
    "objects": lambda words: np.array(words, dtype=object),
    "Series": pd.Series,
    "Series of objects": lambda words: pd.Series(words, dtype=object),
    "Index": pd.Index,
    "categorical": lambda words: pd.Series(pd.Categorical(words, categories=list("xcabz"))),
    "CategoricalIndex": lambda words: pd.CategoricalIndex(words),
    "polars": pl.Series,
    "polars categorical": lambda words: pl.Series(words, dtype=pl.Categorical),
    "polars enum": lambda words: pl.Series(words, dtype=pl.Enum(list("cab"))),
    "arrow": pa.array,
    "arrow chunks": lambda words: pa.chunked_array([words[:2], words[2:]]),
    "arrow dictionary": lambda words: pa.array(words).dictionary_encode(),
    "arrow dictionary of doubles": lambda words: pa.DictionaryArray.from_arrays(
        pa.array(["abxca".index(word) if word != "a" else 4 for word in words]), list("abxca")
    ),
    "arrow dictionary chunks": lambda words: pa.chunked_array(
        [pa.array(words[:2]).dictionary_encode(), pa.array(words[2:]).dictionary_encode()]
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_text_in_every_form(form):
    found = evaluate(GRADES, SCORES, ["map", "mrr"], groups=FORMS[form](WORDS))
    names = [name.decode() if isinstance(name, bytes) else name for name in found.query_ids]
    assert names == ["b", "a", "c"]
    assert found.per_query["map"] == pytest.approx([AVERAGE[name] for name in names])
    assert found.per_query["mrr"] == pytest.approx([RECIPROCAL[name] for name in names])


NUMBERS = {"b": -5, "a": 3, "c": 120}


@pytest.mark.parametrize(
    "form",
    [
        *(
            lambda ids, dtype=dtype: np.array(ids, dtype=dtype)
            for dtype in ("int8", "int16", "int64", "float32", ">i4")
        ),
        list,
        pl.Series,
        pa.array,
        lambda ids: pa.array(ids, pa.int8()),
        lambda ids: pd.Series(ids, dtype="Int16"),
        lambda ids: [Decimal(number) for number in ids],
        lambda ids: [Fraction(number) for number in ids],
        lambda ids: [2**70 + number for number in ids],
        lambda ids: np.array(ids, dtype=np.int64) * 2**50,
    ],
)
@pytest.mark.parametrize("order", ["scattered", "sorted"])
def test_numbers_in_every_form(form, order):
    ids = np.array([NUMBERS[word] for word in WORDS])
    rows = np.argsort(ids, kind="stable") if order == "sorted" else np.arange(7)
    found = evaluate(
        np.array(GRADES)[rows], np.array(SCORES)[rows], "map", groups=form(ids[rows].tolist())
    )
    expected = ["b", "a", "c"]
    assert len(found.query_ids) == 3
    assert found.per_query["map"] == pytest.approx([AVERAGE[name] for name in expected])


@pytest.mark.parametrize("unsigned", [np.uint8, np.uint64])
def test_unsigned_numbers(unsigned):
    top = np.iinfo(unsigned).max
    ids = np.array([top - {"b": 2, "a": 1, "c": 0}[word] for word in WORDS], dtype=unsigned)
    found = evaluate(GRADES, SCORES, "map", groups=ids)
    assert found.query_ids.tolist() == [top - 2, top - 1, top]
    assert found.query_ids.dtype == unsigned
    assert found.per_query["map"] == pytest.approx([AVERAGE[name] for name in "bac"])


def test_datetimes_with_a_time_zone_keep_their_names():
    times = pd.to_datetime([f"2026-0{'abc'.index(word) + 1}-01" for word in WORDS])
    for groups in (times.tz_localize("Europe/Berlin"), times.tz_localize("UTC")):
        for form in (groups, pd.Series(groups)):
            found = evaluate(GRADES, SCORES, "map", groups=form)
            assert list(found.query_ids) == [groups[0], groups[1], groups[3]]
            assert found.per_query["map"] == pytest.approx([AVERAGE[name] for name in "bac"])


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
        evaluate(GRADES, SCORES, "map", groups=MISSING[form])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([1, 1.0, 2, 2, 2, 2, 2], r"int \(row 0\) and float \(row 1\)"),
        (["x", True, 2, 2, 2, 2, 2], r"str \(row 0\) and bool \(row 1\)"),
        ([2.5, 2.5, 1, 1, True, 1, 1], r"float \(row 0\) and int \(row 2\)"),
        ([Decimal(1), 1, 1, 1, 1, 1, 1], r"Decimal \(row 0\) and int \(row 1\)"),
        (np.array([1, np.float64(1), 2, 2, 2, 2, 2], dtype=object), r"int \(row 0\) and float"),
        ([1, "1", 2, 2, 2, 2, 2], r"int \(row 0\) and str \(row 1\)"),
        ([b"1", "1", "1", 2, 2, 2, 2], r"bytes \(row 0\) and str \(row 1\)"),
    ],
)
def test_ids_of_several_types_are_refused(ids, message):
    with pytest.raises(ValueError, match=f"groups mixes ids of several types, {message}.*: 1, 1.0"):
        evaluate(GRADES, SCORES, "map", groups=ids)
