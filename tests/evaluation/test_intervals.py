"""Intervals of means, weighted and settled, and means of extreme values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import InvalidParameterError, UnknownMeasureError, evaluate
from sklearn_rank.statistics import mean_confidence_interval
from tests.evaluation.cases import MRR, RUN, TRUTH


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0]])
def test_t_interval_of_a_weighted_mean(weights):
    evaluation = evaluate(TRUTH, RUN, "mrr", sample_weight=dict(zip(TRUTH, weights, strict=True)))
    mean = sum(w * v for w, v in zip(weights, MRR, strict=True)) / sum(weights)
    assert evaluation["mrr"] == pytest.approx(mean, rel=1e-15)
    # Variance of a ratio of means: n / (n - 1) * sum of (w (v - mean) / sum of w)^2.
    squares = sum((w * (v - mean) / sum(weights)) ** 2 for w, v in zip(weights, MRR, strict=True))
    for level in (0.5, 0.95):
        reach = stats.t.ppf((1 + level) / 2, 3) * math.sqrt(squares * 4 / 3)
        interval = evaluation.confidence_interval("RR", level, method="t")
        clipped = max(mean - reach, 0), min(mean + reach, 1)
        assert interval == pytest.approx(clipped, abs=1e-14)


def test_bootstrap_interval_is_seeded():
    values = [1 / (1 + number % 7) for number in range(30)]
    rankings = [[f"x{i}" for i in range(number % 7)] + ["a"] for number in range(30)]
    evaluation = evaluate([{"a"}] * 30, rankings, "mrr")
    options = {"method": "bootstrap", "n_resamples": 500}
    first = evaluation.confidence_interval("mrr", **options)
    assert first == mean_confidence_interval(values, bounds=(0, 1), **options)
    for seed in (0, np.int64(0), np.random.default_rng(0)):
        assert evaluation.confidence_interval("mrr", **options, random_state=seed) == first
    assert evaluation.confidence_interval("mrr", **options, random_state=1) != first


@pytest.mark.parametrize(
    ("settled", "mean", "error", "freedom"),
    # Of 1 and 1/2; of 0, 1 and 1/2.
    [(np.nan, 3 / 4, 1 / 4, 1), (0.0, 1 / 2, math.sqrt(1 / 4 / 3), 2)],
)
def test_intervals_leave_undefined_queries_out_or_settle_them(settled, mean, error, freedom):
    truth, rankings = [set(), {"a"}, {"a"}], [["a"], ["a"], ["x", "a"]]
    evaluation = evaluate(truth, rankings, "mrr", zero_division=settled)
    reach = stats.t.ppf(0.7, freedom) * error
    interval = evaluation.confidence_interval("mrr", 0.4, method="t")
    assert interval == pytest.approx((mean - reach, mean + reach), abs=1e-14)


def test_intervals_are_clipped_to_the_range():
    evaluation = evaluate([{"a"}] * 2, [["a"], ["x", "y", "z", "a"]], ("mrr", "lag"))
    assert evaluation.confidence_interval("mrr") == (0.0, 1.0)
    low, high = evaluation.confidence_interval("lag")
    assert low == 0.0
    assert high > 3.0


WRONG = {
    "level": ([0, 1, 95, -0.5, math.nan, True, "0.95", None], r"must be in \(0, 1\)"),
    "method": (["z", None], r"'auto', 't', 'bootstrap'"),
    # A single resample would make an interval without width.
    "n_resamples": ([1, 0, 2.0, True, "99", None], r"must be an int in the range \[2,"),
    "random_state": ([-1, 1.5, "0", None, True, [1, 2]], r"an int of at least 0 or a numpy"),
}


@pytest.mark.parametrize("method", ["t", "bootstrap"])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_options_of_intervals(evaluation, method, name):
    values, rule = WRONG[name]
    for value in values:
        with pytest.raises(InvalidParameterError, match=rf"The '{name}' parameter .*{rule}"):
            evaluation.confidence_interval("mrr", **{"method": method, name: value})
    with pytest.raises(UnknownMeasureError, match="'ndcg@10' was not evaluated"):
        evaluation.confidence_interval("ndcg@10")


# Extreme values ----------------------------------------------------------------------------------


def gains(*values):
    """One query for each value, whose DCG is the value, to the last digit at rank 1."""
    return [{"a": value} for value in values], [["a"]] * len(values)


@pytest.mark.parametrize("order", [1, -1])
def test_means_of_huge_and_tiny_values_and_weights(order):
    dcg = "dcg(gain=linear)"
    assert evaluate(*gains(*[1.5e308, 1.0e308, 1.7e308][::order]), dcg)[dcg] == 1.4e308
    assert evaluate(*gains(*[5e-324, 1.5e-323][::order]), dcg)[dcg] == 1e-323
    weighted = evaluate(*gains(1.5e308, 1.0e308), dcg, sample_weight=[1e300, 1e300])
    assert weighted[dcg] == 1.25e308
    # Of the pairs of the first 1 of 2, of the second 0 of 1.
    truth, rankings = [{"a", "c"}, {"b"}], [["a", "x", "c"], ["x", "b"]]
    auc = evaluate(truth, rankings, "auc", sample_weight=[1.5e308, 1.5e308])["auc"]
    assert auc == pytest.approx((2 * 1 / 2 + 1 * 0) / 3, rel=1e-15)
    truth, rankings = [{"a"}, {"b"}, {"c"}][::order], [["a"], ["x", "b"], ["x", "y", "c"]][::order]
    weights = [5e-324, 1e-323, 5e-324][::order]
    value = evaluate(truth, rankings, "mrr", sample_weight=weights)["mrr"]
    assert value == pytest.approx((1 * 1 + 2 * 1 / 2 + 1 * 1 / 3) / 4, rel=1e-15)
    # 5e-324 is lost beside 1, and no query weighs on another.
    mixed = evaluate(truth, rankings, "mrr", sample_weight=[5e-324, 1.0, 5e-324])["mrr"]
    assert mixed == 1 / 2


def test_intervals_of_huge_and_tiny_values():
    for unit in (1.0, 2.0**1000, 2.0**-1060):
        evaluation = evaluate(*gains(8 * unit, 16 * unit, 12 * unit), "dcg(gain=linear)")
        low, high = evaluation.confidence_interval("dcg(gain=linear)", 0.5)
        reach = stats.t.ppf(0.75, 2) * math.sqrt((16 + 16 + 0) / 2 / 3)
        assert (low / unit, high / unit) == pytest.approx((12 - reach, 12 + reach), rel=1e-3)
        low, high = evaluation.confidence_interval("dcg(gain=linear)", method="bootstrap")
        assert 8 <= low / unit < 12 < high / unit <= 16
    # The upper bound lies beyond float64.
    wide = evaluate(*gains(1.7e308, 1.7e308, 0.5e308), "dcg(gain=linear)")
    assert wide.confidence_interval("dcg(gain=linear)") == (0.0, math.inf)
