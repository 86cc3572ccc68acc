"""What rows refuse in grades, scores, groups and weights."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import RankingConfigError, mean_average_precision_score, ndcg_at_k_score
from tests.inputs.cases import GRADES, GROUPS, SCORES

# Scores ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        (
            [1, np.nan, 2, np.nan],
            ValueError,
            r"y_score contains NaN at row 1 of query 'a', and 1 more$",
        ),
        (
            np.array([1, 2, 3, np.nan], dtype=np.float16),
            ValueError,
            r"y_score contains NaN at row 3 of query 'b'",
        ),
        (
            [Decimal(1)] * 4,
            ValueError,
            r"y_score has dtype object and holds Decimal \(position 0\); pass numbers",
        ),
        (
            [Fraction(1, 3)] * 4,
            ValueError,
            r"y_score has dtype object and holds Fraction \(position 0\); pass numbers",
        ),
        (["3", "2", "1", "0"], TypeError, r"y_score holds strings; pass numbers"),
        (np.array(["3", "2", "1", "0"]), TypeError, r"y_score holds strings; pass numbers"),
        (np.array([1, "2", 3, 4], dtype=object), TypeError, r"y_score holds strings; pass numbers"),
        ([1, None, 2, 3], ValueError, r"y_score contains missing values \(position 1\)"),
        ([1j, 1, 2, 3], TypeError, r"y_score has dtype complex128; pass real"),
        (
            np.array(["2020-01-01"] * 4, dtype="M8[D]"),
            TypeError,
            r"y_score has dtype datetime64\[D\]; pass real numbers",
        ),
        (
            np.array([object()] * 4),
            TypeError,
            r"y_score has dtype object and holds object \(position 0\); pass numbers",
        ),
        (
            [2**53 + 1, float(2**53), 0, 1],
            ValueError,
            r"y_score mixes integers that float64 cannot hold with other numbers",
        ),
        ([10**400, 1, 2, 3], ValueError, r"y_score .* integers that float64 cannot hold"),
        (None, TypeError, r"y_score must be a sequence; got NoneType"),
        (3.0, TypeError, r"y_score must be a sequence; got float"),
        ([1, 2, 3], ValueError, r"inconsistent numbers of samples: \[4, 3\] \(y_true, y_score\)"),
    ],
)
def test_scores_that_rows_refuse(scores, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score(GRADES, scores, groups=GROUPS)


# Queries and emptiness ---------------------------------------------------------------------------


def test_no_rows_are_an_error():
    with pytest.raises(ValueError, match="no queries to evaluate: y_true is empty"):
        mean_average_precision_score([], [], groups=[])


@pytest.mark.parametrize(
    "order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 3, 1]], ids=["sorted", "mixed", "interleaved"]
)
def test_rows_of_a_query_need_not_be_neighbours(order):
    columns = (np.array(GRADES)[order], np.array(SCORES)[order])
    value = mean_average_precision_score(*columns, groups=np.array(GROUPS)[order])
    assert value == (1 + 1 / 2) / 2


# Grades ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grades", "error", "message"),
    [
        ([1, 0, np.nan, 1], ValueError, r"y_true contains NaN at row 2 of query 'b'"),
        ([np.inf, 0, 0, 1], ValueError, r"y_true contains infinity at row 0 of query 'a'"),
        ([-np.inf, 0, 0, 1], ValueError, r"y_true contains infinity at row 0 of query 'a'"),
        (
            np.array([1, -128, 0, 1], "i1"),
            ValueError,
            r"negative grade \(-128\) at row 1 of query 'a'",
        ),
        (
            ["1", "0", "0", "1"],
            TypeError,
            r"y_true holds strings; pass a set, list or \{item: grade\} per query",
        ),
        ([1, None, 0, 1], ValueError, r"y_true contains missing values \(position 1\)"),
        ([Decimal(1)] * 4, ValueError, r"y_true has dtype object and holds Decimal \(position 0\)"),
        ([10**400, 1, 0, 1], ValueError, r"y_true .* integers that float64 cannot hold"),
        (None, TypeError, r"y_true must be a sequence; got NoneType"),
        (1, TypeError, r"y_true must be a sequence; got int"),
        ([1j, 1, 0, 1], TypeError, r"y_true has dtype complex128; pass real numbers"),
    ],
)
def test_grades_that_rows_refuse(grades, error, message):
    with pytest.raises(error, match=message):
        ndcg_at_k_score(grades, SCORES, groups=GROUPS)


# Structure ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        (
            None,
            RankingConfigError,
            r"the rows layout needs groups: the query id of each row\. Pass groups=qid",
        ),
        ([1.0, 1.0, math.nan, 2.0], ValueError, r"groups contains missing values \(row 2\)"),
        (["a", None, "b", "b"], ValueError, r"groups contains missing values \(row 1\)"),
        (
            pd.to_datetime(["2020", None, "2021", "2021"]),
            ValueError,
            r"groups contains missing values \(row 1\)",
        ),
        (
            pd.Series([1, None, 2, 2], dtype="Int64"),
            ValueError,
            r"groups contains missing values \(row 1\)",
        ),
        (pl.Series(["a", None, "b", "b"]), ValueError, r"groups contains missing values \(row 1\)"),
        (pa.array(["a", None, "b", "b"]), ValueError, r"groups contains missing values \(row 1\)"),
        (
            pd.Categorical(["a", "a", "b", None]),
            ValueError,
            r"groups contains missing values \(row 3\)",
        ),
        (
            [2, 2],
            ValueError,
            r"\[4, 2\] \(y_true, groups\) - groups must hold one id per row, not group sizes",
        ),
        (["a"], ValueError, r"inconsistent numbers of samples: \[4, 1\] \(y_true, groups\)$"),
        ((c for c in "aabb"), TypeError, r"groups must be a sequence; got generator\. Use list"),
        ("aabb", TypeError, r"groups is a str; did you mean \['aabb'\]\?"),
        ({"a"}, TypeError, r"groups is a set, which has no order; pass a list"),
        ({"a": 1}, TypeError, r"groups is a dict; pass"),
        (["a", ["b"], "c", "c"], TypeError, r"groups holds an unhashable list at row 1"),
        (
            np.array([["a"], ["b"], ["c"], ["d"]]),
            ValueError,
            r"groups should be a 1d array, got an array of shape \(4, 1\)",
        ),
        (np.ma.array([1, 1, 2, 2], mask=[1, 0, 0, 0]), TypeError, r"groups is a masked array"),
    ],
)
def test_groups_that_are_refused(groups, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score(GRADES, SCORES, groups=groups)


def test_groups_of_a_mapping_are_not_told_to_be_numbers():
    with pytest.raises(TypeError) as caught:
        mean_average_precision_score(GRADES, SCORES, groups={"a": 1})
    assert "array of numbers" not in str(caught.value)


@pytest.mark.parametrize(
    ("scores", "grades"),
    [
        (np.ones((1, 4)), GRADES),
        (np.ones((4, 1)), GRADES),
        ([[1], [2], [3], [4]], GRADES),
    ],
)
def test_rows_are_one_dimensional(scores, grades):
    with pytest.raises(ValueError, match=r"y_score should be a 1d array, got an array of shape"):
        mean_average_precision_score(grades, scores, groups=GROUPS)


def test_pandas_indexes_have_to_agree():
    grades, scores = pd.Series([1, 0], index=[1, 0]), pd.Series([1, 2])
    with pytest.raises(ValueError, match=r"y_true and y_score have different indexes; align them"):
        mean_average_precision_score(grades, scores, groups=["a", "a"])
    groups = pd.Series(["a", "a"], index=[3, 4])
    with pytest.raises(ValueError, match=r"y_true and groups have different indexes"):
        mean_average_precision_score(pd.Series([1, 0]), [1, 2], groups=groups)


def test_pandas_index_of_weights_has_to_agree():
    columns = pd.Series([1, 0]), pd.Series([1, 2])
    weights = pd.Series([1.0, 1.0], index=[5, 6])
    with pytest.raises(ValueError, match=r"sample_weight have different indexes; align them"):
        mean_average_precision_score(*columns, groups=["a", "a"], sample_weight=weights)


def test_pandas_equal_indexes_pair_by_position():
    index = [5, 5, 6, 6]
    value = mean_average_precision_score(
        pd.Series(GRADES, index=index),
        pd.Series(SCORES, index=index),
        groups=pd.Series(GROUPS, index=index),
    )
    assert value == (1 + 1 / 2) / 2


# Weights and classes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (
            [1, 1, -1, -1],
            ValueError,
            r"sample_weight contains a negative value \(-1\.0\) at position 2",
        ),
        ([0, 0, 0, 0], ValueError, r"sample_weight sums to zero"),
        (
            [1, 1, np.nan, np.nan],
            ValueError,
            r"sample_weight contains NaN at position 2, and 1 more",
        ),
        (
            [np.inf, np.inf, 1, 1],
            ValueError,
            r"sample_weight contains infinity at position 0, and 1 more",
        ),
        (
            [1, 2],
            ValueError,
            r"sample_weight has 2 weights, one per query; the rows layout takes one per row \(4\)",
        ),
        (
            [1, 2, 3],
            ValueError,
            r"sample_weight has 3 weights, the rows layout takes one per row \(4\)",
        ),
        ([1, 2, 1, 1], ValueError, r"must be the same for all its rows; query 'a' has 1 and 2"),
        (["a"] * 4, TypeError, r"sample_weight holds strings; pass numbers"),
        ([1, 1, None, 1], ValueError, r"sample_weight contains missing values \(position 2\)"),
        (
            [[1, 1, 1, 1]],
            ValueError,
            r"sample_weight should be a 1d array, got an array of shape \(1, 4\)",
        ),
        ({"a": 1, "b": 2}, TypeError, r"sample_weight is a dict"),
        ((1 for _ in range(4)), TypeError, r"sample_weight must be a sequence; got generator"),
    ],
)
def test_weights_that_rows_refuse(weights, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score(GRADES, SCORES, groups=GROUPS, sample_weight=weights)


def test_first_negative_weight_is_reported():
    with pytest.raises(ValueError, match=r"negative value \(-1\.0\) at position 1"):
        mean_average_precision_score([{"a"}] * 3, [["a"]] * 3, sample_weight=[1, -1, -5])
