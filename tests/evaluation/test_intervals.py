"""Intervals of means: t and bootstrap, weighted, clipped, seeded, of extreme values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import InvalidParameterError, UnknownMeasureError, evaluate
from tests.evaluation.cases import MRR, RUN, TRUTH

# Intervals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_t_interval(evaluation, level):
    mean = sum(MRR) / 4
    error = math.sqrt(sum((value - mean) ** 2 for value in MRR) / 3) / math.sqrt(4)
    reach = stats.t.ppf((1 + level) / 2, 3) * error
    low, high = evaluation.confidence_interval("RR", level, method="t")
    assert low == pytest.approx(max(mean - reach, 0), abs=1e-14)
    assert high == pytest.approx(min(mean + reach, 1), abs=1e-14)
    assert type(low) is type(high) is float


def test_t_interval_of_a_weighted_mean():
    weights = [1.0, 2.0, 3.0, 4.0]
    evaluation = evaluate(TRUTH, RUN, "mrr", sample_weight=dict(zip(TRUTH, weights, strict=True)))
    mean = sum(w * v for w, v in zip(weights, MRR, strict=True)) / 10
    assert evaluation["mrr"] == pytest.approx(mean, rel=1e-15)
    # Variance of a ratio of means: n / (n - 1) * sum of (w (v - mean) / sum of w)^2.
    squares = sum((w * (v - mean) / 10) ** 2 for w, v in zip(weights, MRR, strict=True))
    reach = stats.t.ppf(0.75, 3) * math.sqrt(squares * 4 / 3)
    interval = evaluation.confidence_interval("mrr", 0.5, method="t")
    assert interval == pytest.approx((mean - reach, mean + reach), abs=1e-14)


def test_bootstrap_interval_is_seeded_and_scipys():
    values = [1 / (1 + number % 7) for number in range(30)]
    truth = [{"a"}] * 30
    rankings = [["x"] * 0 + [f"x{i}" for i in range(number % 7)] + ["a"] for number in range(30)]
    evaluation = evaluate(truth, rankings, "mrr")
    assert evaluation.per_query["mrr"].tolist() == values
    options = {"method": "bootstrap", "n_resamples": 500}
    first = evaluation.confidence_interval("mrr", **options)
    assert evaluation.confidence_interval("mrr", **options) == first
    assert evaluation.confidence_interval("mrr", **options, random_state=1) != first
    assert first[0] < evaluation["mrr"] < first[1]
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, random_state=np.random.default_rng(7)
    ).confidence_interval
    wide = evaluation.confidence_interval("mrr", method="bootstrap", n_resamples=20_000)
    assert wide == pytest.approx((expected.low, expected.high), abs=0.01)


def test_intervals_leave_undefined_queries_out_or_settle_them():
    truth = [set(), {"a"}, {"a"}]
    rankings = [["a"], ["a"], ["x", "a"]]
    left_out = evaluate(truth, rankings, "mrr", zero_division=np.nan)
    # Two values, 1 and 1/2: mean 3/4, standard error 1/4.
    reach = stats.t.ppf(0.7, 1) / 4
    assert left_out.confidence_interval("mrr", 0.4, method="t") == pytest.approx(
        (3 / 4 - reach, 3 / 4 + reach), abs=1e-14
    )
    settled = evaluate(truth, rankings, "mrr", zero_division=0.0)
    error = math.sqrt((0.5**2 + 0.5**2 + 0**2) / 2 / 3)  # of 0, 1 and 1/2
    reach = stats.t.ppf(0.75, 2) * error
    assert settled.confidence_interval("mrr", 0.5, method="t") == pytest.approx(
        (1 / 2 - reach, 1 / 2 + reach), abs=1e-14
    )


def test_intervals_of_few_or_equal_values():
    one = evaluate([{"a"}], [["a"]], "mrr")
    assert one.confidence_interval("mrr") == pytest.approx((0.025, 1.0))
    assert all(math.isnan(bound) for bound in one.confidence_interval("mrr", method="t"))
    equal = evaluate([{"a"}] * 3, [["x", "a"]] * 3, "mrr")
    # Halves of a pseudo-observation at 0 and 1 leave the mean at 1/2.
    reach = stats.t.ppf(0.975, 3) * math.sqrt((1 / 4) / 3 / 4)
    assert equal.confidence_interval("mrr") == pytest.approx((1 / 2 - reach, 1 / 2 + reach))


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
    "random_state": (
        [-1, 1.5, "0", None, True, [1, 2]],
        r"an int of at least 0 or a numpy",
    ),
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


def test_random_state_may_be_a_generator_or_an_integer_of_numpy(evaluation):
    bounds = [
        evaluation.confidence_interval("mrr", method="bootstrap", n_resamples=99, random_state=seed)
        for seed in (7, np.int64(7), np.random.default_rng(7))
    ]
    assert bounds[0] == bounds[1] == bounds[2]


# Extreme values ----------------------------------------------------------------------------------


def gains(*values):
    """One query for each value, whose DCG is the value, to the last digit at rank 1."""
    return [{"a": value} for value in values], [["a"]] * len(values)


@pytest.mark.parametrize("order", [1, -1])
def test_means_of_huge_values(order):
    values = [1.5e308, 1.0e308, 1.7e308][::order]
    evaluation = evaluate(*gains(*values), "dcg(gain=linear)")
    assert evaluation["dcg(gain=linear)"] == 1.4e308
    truth, rankings = [{"a", "c"}, {"b"}], [["a", "x", "c"], ["x", "b"]]
    # Of the pairs of the first 1 of 2, of the second 0 of 1.
    auc = evaluate(truth, rankings, "auc", sample_weight=[1.5e308, 1.5e308])["auc"]
    assert auc == pytest.approx((2 * 1 / 2 + 1 * 0) / 3, rel=1e-15)
    weighted = evaluate(*gains(1.5e308, 1.0e308), "dcg(gain=linear)", sample_weight=[1e300, 1e300])
    assert weighted["dcg(gain=linear)"] == 1.25e308


@pytest.mark.parametrize("order", [1, -1])
def test_means_of_tiny_values_and_weights(order):
    values = [5e-324, 1.5e-323][::order]
    assert evaluate(*gains(*values), "dcg(gain=linear)")["dcg(gain=linear)"] == 1e-323
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
        assert low / unit == pytest.approx(12 - reach, rel=1e-3)
        assert high / unit == pytest.approx(12 + reach, rel=1e-3)
        low, high = evaluation.confidence_interval("dcg(gain=linear)", method="bootstrap")
        assert 8 <= low / unit < 12 < high / unit <= 16
    # The upper bound lies beyond float64.
    wide = evaluate(*gains(1.7e308, 1.7e308, 0.5e308), "dcg(gain=linear)")
    assert wide.confidence_interval("dcg(gain=linear)") == (0.0, math.inf)
