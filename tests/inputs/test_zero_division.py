"""Queries for which a measure is undefined, under each zero_division."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sklearn_rank import (
    InvalidParameterError,
    UndefinedMetricError,
    UndefinedMetricWarning,
    group_auc_score,
    lag_error,
    limited_auc_score,
    mean_average_precision_score,
    ranking_auc_score,
)
from tests.inputs.cases import ALL


@pytest.mark.parametrize("metric", [ranking_auc_score, group_auc_score, limited_auc_score])
@pytest.mark.parametrize("grades", [[0, 0], [1, 1]], ids=["none relevant", "all relevant"])
def test_one_class_is_undefined(metric, grades):
    with pytest.warns(UndefinedMetricWarning, match=r"undefined for 1 of 1 queries"):
        assert math.isnan(metric(np.array([grades]), np.array([[2, 1]])))


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_undefined_queries_under_each_zero_division(metric):
    # The first query has nothing relevant, the second a perfect ranking.
    pair = [set(), {"a"}], [["x", "y"], ["a", "b"]]
    second = metric(*[side[1:] for side in pair])
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"undefined for 1 of 2 queries: 0; they are left out\. Use the zero_division",
    ):
        assert metric(*pair) == second
    assert metric(*pair, zero_division=np.nan) == second
    with pytest.raises(UndefinedMetricError, match=r"undefined for 1 of 2 queries: 0$"):
        metric(*pair, zero_division="raise")
    if metric is ranking_auc_score:
        # Weighed by relevant items, of which the first query has none.
        assert metric(*pair, zero_division=0.0) == second
        return
    assert metric(*pair, zero_division=0.0) == pytest.approx((0 + second) / 2)
    assert metric(*pair, zero_division=1.0) == pytest.approx((1 + second) / 2)


@pytest.mark.parametrize(
    ("average", "weights"),
    [("positives", [0, 1, 2]), ("impressions", [2, 3, 2]), ("macro", [1, 1, 1])],
)
@pytest.mark.parametrize("settled", [0.0, 1.0])
def test_settled_queries_keep_their_weight(average, weights, settled):
    # Undefined without a relevant item; 1/2 of the pairs; undefined without an irrelevant one.
    pair = [set(), {"b"}, {"a", "b"}], [["a", "b"], ["a", "b", "c"], ["a", "b"]]
    value = ranking_auc_score(*pair, average=average, zero_division=settled)
    wins = weights[0] * settled + weights[1] * 1 / 2 + weights[2] * settled
    assert value == pytest.approx(wins / sum(weights), rel=1e-15)
    alone = ranking_auc_score([set()], [["a", "b"]], average=average, zero_division=settled)
    assert alone == settled


def test_settled_queries_keep_their_weight_in_pooled_lag():
    # The first query has nothing relevant and weighs 0, the second lags 1, the third, which has
    # two missed items and an empty ranking, counts 0 twice.
    pair = [set(), {"b"}, {"y", "z"}], [["a"], ["a", "b"], []]
    assert lag_error(*pair, average="pooled", zero_division=0.0) == (1 * 1 + 2 * 0) / 3


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_all_queries_undefined(metric):
    with pytest.warns(
        UndefinedMetricWarning, match=r"undefined for 2 of 2 queries: 0, 1; the result is NaN"
    ):
        assert math.isnan(metric([set(), set()], [["x", "y"], ["x"]]))


@pytest.mark.parametrize(
    "value", [0.5, 2, -1, True, None, "nan", "skip", [0], math.inf, np.bool_(False)], ids=repr
)
def test_zero_division_has_five_values(value):
    with pytest.raises(
        InvalidParameterError,
        match=r"The 'zero_division' parameter of map must be one of 'warn', 'raise', nan, 0\.0, 1",
    ):
        mean_average_precision_score([{"a"}], [["a"]], zero_division=value)
