"""Intervals of means over queries: by closed forms, by coverage, and where they must not close."""

import math

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import evaluate
from sklearn_rank.statistics.means import mean_interval
from sklearn_rank.typing import FloatArray
from tests.benchmarks.comparisons import CELLS, SAMPLES, coverage

UNIT = (0.0, 1.0)
OPEN = (0.0, math.inf)


def interval_of(
    values: list[float] | FloatArray,
    bounds: tuple[float, float] = UNIT,
    level: float = 0.95,
    weights: list[float] | None = None,
) -> tuple[float, float]:
    shares = None if weights is None else np.array(weights, float)
    return mean_interval(np.array(values, float), shares, bounds, level)


# By hand ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(("hits", "n"), [(0, 3), (1, 2), (7, 9), (499, 500), (30, 30)])
def test_the_binomial_interval_is_scipys(hits: int, n: int, level: float) -> None:
    expected = stats.binomtest(hits, n).proportion_ci(level, "exact")
    interval = interval_of([1] * hits + [0] * (n - hits), level=level)
    assert interval == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_a_bounded_mean_has_half_an_observation_more_at_each_bound() -> None:
    # 0.5, 0.7 and 0.9 with halves of 0 and 1: mean (2.1 + 0.5) / 4 = 0.65, and the squares of
    # the deviations are 0.0225, 0.0025, 0.0625 and half of 0.4225 and 0.1225.
    squares = 0.0225 + 0.0025 + 0.0625 + (0.4225 + 0.1225) / 2
    reach = stats.t.ppf(0.9, 3) * math.sqrt(squares / 3 / 4)
    interval = interval_of([0.5, 0.7, 0.9], level=0.8)
    assert interval == pytest.approx((0.65 - reach, 0.65 + reach))


def test_other_bounds_scale_the_interval() -> None:
    for values in ([0.5, 0.7, 0.9], [1, 0, 1, 1]):
        low, high = interval_of(values)
        scaled = interval_of(4 * np.array(values) - 3, (-3, 1))
        assert scaled == pytest.approx((4 * low - 3, 4 * high - 3))


@pytest.mark.parametrize("values", [[1.0, 2.0, 6.0], [0.0, 1.0, 1.0]])
def test_an_unbounded_mean_has_students_interval(values: list[float]) -> None:
    low, high = stats.t.interval(0.95, 2, loc=np.mean(values), scale=stats.sem(values))
    assert interval_of(values, (-math.inf, math.inf)) == pytest.approx((low, high))
    assert interval_of(values, OPEN) == pytest.approx((max(low, 0), high))


def test_weights_of_an_unbounded_mean_are_those_of_clusters() -> None:
    values, weights = [1.0, 2.0, 6.0, 3.0], [1.0, 3.0, 2.0, 2.0]
    labels, each = np.repeat(range(4), [1, 3, 2, 2]), np.repeat(values, [1, 3, 2, 2])
    expected = mean_interval(each, None, OPEN, 0.9, labels)
    assert interval_of(values, OPEN, 0.9, weights) == pytest.approx(expected)
    assert sum(expected) / 2 == pytest.approx(np.average(values, weights=weights))


def test_equal_weights_weigh_nothing() -> None:
    for values in ([0.1, 0.5, 0.6, 1.0], [1, 1, 0, 1]):
        for bounds in (UNIT, OPEN):
            alike = interval_of([*values, 0.3], bounds, weights=[3] * 4 + [0])
            assert alike == interval_of(values, bounds)


def test_weights_of_values_0_and_1_count_as_those_of_any_others() -> None:
    weights = [1.0, 2.0, 5.0, 1.0]
    ends = [interval_of([0.0, 1.0, 1.0, least], weights=weights) for least in (0.0, 1e-12)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_one_query_of_nearly_all_the_weight_says_little() -> None:
    assert interval_of([0.5, 0.4, 0.6], weights=[1e6, 1, 1]) == UNIT


# Never closed ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("weights", [None, [1, 2, 1, 1, 5, 1, 1, 1]])
def test_no_sample_is_certain(value: float, weights: list[float] | None) -> None:
    low, high = interval_of([value] * 8, weights=weights)
    assert 0 <= low <= value <= high <= 1
    assert high - low > 0.05


def test_one_query_has_an_interval_between_bounds() -> None:
    assert interval_of([1.0]) == pytest.approx((0.025, 1.0))
    assert interval_of([0.5]) == interval_of([0.5], weights=[3]) == UNIT


@pytest.mark.parametrize(
    ("values", "bounds"),
    [
        ([1.0, 1.0, 1.0], OPEN),
        ([0.3, 0.1 * 3, 0.3], OPEN),  # they differ by rounding alone
        ([0.5], OPEN),
        ([], UNIT),
    ],
)
def test_without_a_spread_there_is_no_interval(
    values: list[float], bounds: tuple[float, float]
) -> None:
    assert all(map(math.isnan, interval_of([*values, math.nan], bounds)))


def test_the_printed_interval_of_ten_hits_is_not_closed() -> None:
    ten = evaluate([{"a"}] * 10, [["a"]] * 10, ["hit_rate@1", "lag"])
    assert "0.6915..1.0000" in repr(ten)
    assert ten.confidence_interval("hit_rate@1") == pytest.approx((0.025**0.1, 1))
    # Lags have no upper bound: ten times 0 says nothing of the eleventh.
    assert all(map(math.isnan, ten.confidence_interval("lag")))


@pytest.mark.parametrize("level", [0.01, 0.5, 0.95])
@pytest.mark.parametrize("seed", range(5))
def test_the_observed_mean_lies_inside(seed: int, level: float) -> None:
    values = np.random.default_rng(seed).beta(8, 1, 12)
    low, high = interval_of(values, level=level)
    assert low - 1e-12 <= values.mean() <= high + 1e-12


# Coverage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", CELLS, ids=[cell.name for cell in CELLS])
@pytest.mark.parametrize("n", SAMPLES)
def test_intervals_cover(cell, n: int) -> None:
    # 400 samples: a true coverage of 95% shows less than 92 % about once in 200 cells.
    share, width, closed = coverage(cell, n, samples=400, seed=7)
    assert share >= 0.92
    assert closed == 0
    assert width < 0.85
