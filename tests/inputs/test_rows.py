"""Rows: columns of grades, scores, weights and groups in the forms that are taken."""

from __future__ import annotations

import datetime as dt
import math

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

# Query A: relevant at rank 2 of 3. Query B: relevant at rank 1 of 2. Rows interleaved.
GRADES = [0, 1, 1, 0, 0]
SCORES = [3.0, 2.0, 5.0, 4.0, 1.0]


def interleaved(first, second):
    return [first, first, second, second, first]


IDS = [
    ("q1", "q2"),
    (10, -3),
    (True, False),
    (0.5, 1.5),
    ("None", "nan"),
    (("a", 1), ("a", 2)),
    (("a",), ("a", 2)),
    (frozenset({1}), frozenset({2})),
    ("a", "a\0"),
    ("\u00e9", "e\u0301"),
    ("", " "),
    (2**53, 2**53 + 1),
    (10**30, 10**30 + 1),
    (2**63 + 1, -1),
    (b"a", b"b"),
    (dt.date(2020, 1, 1), dt.date(2021, 1, 1)),
    (pd.Timestamp("2020"), pd.Timestamp("2021")),
    ("a", ("a",)),
]


@pytest.mark.parametrize(("first", "second"), IDS)
@pytest.mark.parametrize("wrap", [list, tuple])
def test_any_hashable_is_a_group(wrap, first, second):
    groups = wrap(interleaved(first, second))
    evaluation = evaluate(GRADES, SCORES, "mrr", groups=groups)
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0]
    assert list(evaluation.query_ids) == [first, second]


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


WHEN = [dt.datetime(2020, 1, 1, 12), dt.datetime(2021, 1, 1)]
TYPED = {
    "pandas string": pd.Series(interleaved("x", "y"), dtype="string"),
    "pandas Int64": pd.Series(interleaved(1, 2), dtype="Int64"),
    "pandas boolean": pd.Series(interleaved(True, False), dtype="boolean"),
    "pandas datetimes": pd.Series(interleaved(*WHEN)),
    "pandas zoned datetimes": pd.Series(interleaved(*WHEN)).dt.tz_localize("UTC"),
    "pandas periods": pd.Series(pd.PeriodIndex(interleaved("2020", "2021"), freq="Y")),
    "pandas timedeltas": pd.Series(pd.to_timedelta(interleaved(1, 2), unit="D")),
    "polars dates": pl.Series(interleaved(*[when.date() for when in WHEN])),
    "pyarrow booleans": pa.array(interleaved(True, False)),
    "fixed width strings": np.array(interleaved("x", "yyy")),
    "fixed width bytes": np.array(interleaved(b"x", b"yyy")),
    "read-only": np.broadcast_to(np.array(interleaved(1, 2)), (5,)),
}


@pytest.mark.parametrize("groups", TYPED.values(), ids=TYPED)
def test_typed_columns_of_groups(groups):
    evaluation = evaluate(GRADES, SCORES, "mrr", groups=groups)
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0]
    assert len(set(evaluation.query_ids)) == 2


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


# Weights of queries -------------------------------------------------------------------------------


def test_pooled_measures_take_no_weights():
    with pytest.raises(InvalidParameterError, match=r"sample_weight .* pooled measure"):
        ranking_auc_score([1, 0], [2, 1], groups=[7, 7], average="pooled", sample_weight=[1, 1])


def test_weight_on_undefined_queries_alone_leaves_nothing():
    with pytest.warns(UndefinedMetricWarning, match="undefined for 1 of 1 queries: 0; .* is NaN"):
        value = mean_reciprocal_rank_score([set(), {"a"}], [["a"], ["a"]], sample_weight=[1, 0])
    assert math.isnan(value)
