"""Intervals of means over queries: by closed forms, by coverage, and where they must not close."""

import math

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import evaluate
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics import mean_confidence_interval
from tests.benchmarks.comparisons import CELLS, SAMPLES, coverage

UNIT = (0.0, 1.0)


# By hand ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(("hits", "n"), [(0, 3), (1, 2), (7, 9), (499, 500), (30, 30)])
def test_the_binomial_interval_is_scipys(hits: int, n: int, level: float) -> None:
    expected = stats.binomtest(hits, n).proportion_ci(level, "exact")
    interval = mean_confidence_interval([1] * hits + [0] * (n - hits), confidence_level=level)
    assert interval == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_a_bounded_mean_has_half_an_observation_more_at_each_bound() -> None:
    # 0.5, 0.7 and 0.9 with halves of 0 and 1: mean (2.1 + 0.5) / 4 = 0.65, and the squares of
    # the deviations are 0.0225, 0.0025, 0.0625 and half of 0.4225 and 0.1225.
    squares = 0.0225 + 0.0025 + 0.0625 + (0.4225 + 0.1225) / 2
    reach = stats.t.ppf(0.9, 3) * math.sqrt(squares / 3 / 4)
    interval = mean_confidence_interval([0.5, 0.7, 0.9], bounds=UNIT, confidence_level=0.8)
    assert interval == pytest.approx((0.65 - reach, 0.65 + reach))


def test_other_bounds_scale_the_interval() -> None:
    values = np.array([0.5, 0.7, 0.9])
    low, high = mean_confidence_interval(values, bounds=UNIT)
    scaled = mean_confidence_interval(4 * values - 3, bounds=(-3, 1))
    assert scaled == pytest.approx((4 * low - 3, 4 * high - 3))
    hits = mean_confidence_interval([1, -1, 1, 1], bounds=(-1, 1))
    low, high = mean_confidence_interval([1, 0, 1, 1])
    assert hits == pytest.approx((2 * low - 1, 2 * high - 1))


def test_an_unbounded_mean_has_students_interval() -> None:
    values = [1.0, 2.0, 6.0]
    expected = stats.t.interval(0.95, 2, loc=3, scale=math.sqrt(14 / 2 / 3))
    assert mean_confidence_interval(values) == pytest.approx(expected)
    assert mean_confidence_interval(values, method="t") == pytest.approx(expected)
    assert mean_confidence_interval(values, bounds=(0, math.inf)) == pytest.approx(
        (max(expected[0], 0), expected[1])
    )


def test_equal_weights_weigh_nothing() -> None:
    values = [0.1, 0.5, 0.6, 1.0]
    for bounds in (UNIT, None):
        alike = mean_confidence_interval(values, weights=[3] * 4, bounds=bounds)
        assert alike == mean_confidence_interval(values, bounds=bounds)
    assert mean_confidence_interval([1, 1], weights=[2, 2]) == mean_confidence_interval([1, 1])


def test_weights_of_values_0_and_1_count_as_those_of_any_others() -> None:
    weights = [1.0, 2.0, 5.0, 1.0]
    ends = [
        mean_confidence_interval([0.0, 1.0, 1.0, least], weights=weights, bounds=(0, 1))
        for least in (0.0, 1e-12)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_one_query_of_nearly_all_the_weight_says_little() -> None:
    low, high = mean_confidence_interval([0.5, 0.4, 0.6], weights=[1e6, 1, 1], bounds=UNIT)
    assert (low, high) == (0.0, 1.0)


# Never closed ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("weights", [None, [1, 2, 1, 1, 5, 1, 1, 1]])
def test_no_sample_is_certain(value: float, weights: list[int] | None) -> None:
    low, high = mean_confidence_interval([value] * 8, weights=weights, bounds=UNIT)
    assert 0 <= low <= value <= high <= 1
    assert high - low > 0.05


def test_one_query_has_an_interval_between_bounds() -> None:
    assert mean_confidence_interval([1.0]) == pytest.approx((0.025, 1.0))
    assert mean_confidence_interval([0.5], bounds=UNIT) == UNIT
    assert mean_confidence_interval([0.5], bounds=UNIT, weights=[3]) == UNIT


@pytest.mark.parametrize(
    ("method", "bounds"),
    [("auto", None), ("auto", (0, math.inf)), ("t", UNIT)],
)
def test_without_a_spread_students_t_says_nothing(
    method: str, bounds: tuple[float, float] | None
) -> None:
    # 0.1 * 3 and 0.3 differ by rounding alone.
    for values in ([1.0, 1.0, 1.0], [0.3, 0.1 * 3, 0.3], [0.5]):
        interval = mean_confidence_interval([*values, math.nan], bounds=bounds, method=method)
        assert all(map(math.isnan, interval)) or (bounds is None and values[0] == 1.0)


def test_few_whole_numbers_of_an_unbounded_measure_are_no_hits() -> None:
    low, high = mean_confidence_interval([0, 1, 1], bounds=(0, math.inf))
    assert (low, high) == pytest.approx((0, 2 / 3 + stats.t.ppf(0.975, 2) / 3))


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
    low, high = mean_confidence_interval(values, bounds=UNIT, confidence_level=level)
    assert low - 1e-12 <= values.mean() <= high + 1e-12


# Coverage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", CELLS, ids=[cell.name for cell in CELLS])
@pytest.mark.parametrize("n", SAMPLES)
def test_intervals_cover(cell, n: int) -> None:
    # 400 samples: a true coverage of 95% shows less than 92 % about once in 200 cells.
    share, width, closed = coverage(cell, n, "auto", samples=400, seed=7)
    assert share >= 0.92
    assert closed == 0
    assert width < 0.85


# Refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([1, -1, 1], r"weights contains a negative value \(-1\.0\) at position 1"),
        ([1, math.nan, 1], "weights contains NaN at position 1"),
        ([1, math.inf, 1], "weights contains infinity at position 1"),
        ([1, 1], "weights has 2 weights for 3 queries; pass one per query"),
        ([[1, 1, 1]], r"weights should be a 1d array, got an array of shape \(1, 3\)"),
    ],
)
def test_odd_weights_are_refused(weights: list, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        mean_confidence_interval([0.1, 0.2, 0.4], weights=weights)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ([[0.1, 0.2]], r"values has shape \(1, 2\); pass one value per query"),
        ([0.1, math.inf], "values contains infinity at position 1"),
        ([0.5, 1.5], r"values holds 1\.5, which is outside of bounds \(0, 1\)"),
    ],
)
def test_odd_values_are_refused(values: list, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        mean_confidence_interval(values, bounds=UNIT)


@pytest.mark.parametrize(
    ("bounds", "slack"), [(UNIT, 1e-9), ((0.0, 100.0), 1e-7), ((0.0, math.inf), 1e-9)]
)
def test_rounding_may_carry_a_value_beyond_its_bounds(
    bounds: tuple[float, float], slack: float
) -> None:
    for value in (bounds[0] - slack / 2, min(bounds[1], 1.0) + slack / 2):
        low, high = mean_confidence_interval([value, 0.5, 0.7], bounds=bounds)
        assert bounds[0] <= low < high <= bounds[1]
    with pytest.raises(ValueError, match="outside of bounds"):
        mean_confidence_interval([bounds[0] - 2 * slack, 0.5], bounds=bounds)


def test_text_is_no_number() -> None:
    with pytest.raises(TypeError, match="values holds strings; pass numbers"):
        mean_confidence_interval(["0.1", "0.2"])


@pytest.mark.parametrize("bounds", [(1, 0), (0, 0), (0, math.nan), 1, "01", (0, 1, 2), ("a", "b")])
def test_bounds_are_two_rising_numbers(bounds: object) -> None:
    with pytest.raises(InvalidParameterError, match=r"'bounds' parameter .* two numbers in rising"):
        mean_confidence_interval([0.1, 0.2], bounds=bounds)  # type: ignore[arg-type]


def test_nothing_and_none_are_left_out() -> None:
    values = [0.2, None, 0.4, math.nan, 0.9, 0.0]
    expected = mean_confidence_interval([0.2, 0.4, 0.9], bounds=UNIT)
    assert mean_confidence_interval(values, weights=[1] * 5 + [0], bounds=UNIT) == expected
    for few in ([], [math.nan]):
        assert all(map(math.isnan, mean_confidence_interval(few, bounds=UNIT)))
    assert all(map(math.isnan, mean_confidence_interval([1, 0], weights=[0, 0])))
