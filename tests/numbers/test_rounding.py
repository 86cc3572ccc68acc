"""Numbers that plain sums and plain powers would round away: expected stops, sums, tiny gains."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from sklearn_rank import evaluate
from sklearn_rank.kernels import graded
from sklearn_rank.kernels.expectation import PositionSums
from sklearn_rank.kernels.graded import rank_weights, tied_stop, weights_at


def stop_of(stops: np.ndarray, size: int, above: int, cut: int) -> float:
    """Expected stop / rank of one tie."""
    tie = (np.array([0]), np.array([len(stops)]), np.array([above]), np.array([size]))
    return float(tied_stop(stops, *tie, cut)[0])


@cache
def reading(kind: str, size: int) -> list[Fraction]:
    """Exact chance that t items drawn satisfy nobody: the mean product of 1 - s over all draws."""
    return chances_of_reading(TIES[kind], size)


def chances_of_reading(stops: np.ndarray, size: int) -> list[Fraction]:
    unit = max(Fraction(stop).denominator for stop in stops.tolist())
    sums = [1] + [0] * size
    for stop in [*stops.tolist(), *[0.0] * (size - len(stops))]:
        passing = int((1 - Fraction(stop)) * unit)
        for t in range(size, 0, -1):
            sums[t] += passing * sums[t - 1]
    return [Fraction(total, unit**t * math.comb(size, t)) for t, total in enumerate(sums)]


def exact_stop(chances: list[Fraction], above: int, cut: int) -> Fraction:
    """Expected stop / rank: the t-th item drawn stops whom those before it did not."""
    last = min(len(chances) - 1, cut - above)
    return sum(
        ((chances[t - 1] - chances[t]) / (above + t) for t in range(1, last + 1)), Fraction(0)
    )


def rounded(stops: np.ndarray) -> np.ndarray:
    """Falling stops of few bits, so that their fractions stay short."""
    mantissa, exponent = np.frexp(np.sort(stops)[::-1])
    return np.ldexp(np.maximum(np.round(mantissa * 16), 1) / 16, exponent)


SIZE = 260
RNG = np.random.default_rng(7)
TIES = {
    "all relevant": rounded(RNG.random(SIZE)),
    "a few relevant": rounded(RNG.random(9)),
    "one relevant": np.array([0.75]),
    "tiny": rounded(RNG.random(130) * 1e-30),
    "tiny and certain": rounded(np.concatenate(([1.0, 1.0], RNG.random(100) * 1e-7))),
    "steep": rounded(np.exp2(-np.arange(60.0) / 2)),
    "levels": np.repeat([0.9375, 0.4375, 0.1875, 0.0625], [5, 20, 40, 100]),
    "nearly nobody reads on": rounded(1 - RNG.random(SIZE) / 1e3),
}


@pytest.mark.parametrize("many", [graded.HUGE_TIES, -1], ids=["items join", "groups join"])
@pytest.mark.parametrize("kind", TIES)
@pytest.mark.parametrize(("above", "last"), [(0, SIZE), (0, 10), (3, 137), (1000, 250)])
def test_ties_are_exact_to_the_last_bits(
    kind: str, above: int, last: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graded, "HUGE_TIES", many)
    expected = exact_stop(reading(kind, SIZE), above, above + last)
    value = Fraction(stop_of(TIES[kind], SIZE, above, above + last))
    assert abs(value / expected - 1) < 2e-15


@pytest.mark.parametrize("size", [1, 2, 3, 17, 40])
def test_small_ties_are_exact_item_by_item(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(5):
        stops = rounded(rng.random(rng.integers(1, size + 1)))
        above, last = int(rng.integers(5)), int(rng.integers(1, size + 1))
        expected = exact_stop(chances_of_reading(stops, size), above, above + last)
        assert abs(Fraction(stop_of(stops, size, above, above + last)) / expected - 1) < 1e-15


def test_no_tie_changes_the_bits_of_another() -> None:
    rng = np.random.default_rng(4)
    sizes = rng.choice([1, 2, 9, 40, 160, 300, 700], 60)
    grades = [np.round(rng.random(size) * 4, rng.integers(0, 6)) for size in sizes]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    for measure in ("err(max_grade=5)", "err(max_grade=5)@20"):
        together = evaluate(
            np.concatenate(grades), np.zeros(len(groups)), measure, groups=groups, zero_division=0.0
        )
        alone = [
            evaluate(grade, np.zeros(len(grade)), measure, groups=np.zeros(len(grade)))[measure]
            for grade in grades
            if grade.any()
        ]
        values = together.per_query[measure]
        assert [value for value in values.tolist() if value > 0] == alone


# By arithmetic ----------------------------------------------------------------------------------


def one_query(grades, scores, measure: str) -> float:
    return evaluate(np.array(grades), np.array(scores), measure, groups=np.zeros(len(grades)))[
        measure
    ]


@pytest.mark.parametrize("max_grade", [1, 4, 30, 54, 60, 300])
def test_a_tie_of_relevant_items_has_the_best_order_whatever_the_scale(max_grade: int) -> None:
    # All orders of two items of grade 1 are alike, and the best; 1 - 2 ** -54 is 1 in float64.
    measure = f"nerr(max_grade={max_grade})"
    assert one_query([1, 1], [0, 0], measure) == pytest.approx(1.0, rel=1e-12)


def test_a_certain_hit_counts_1_exactly() -> None:
    # Three of five tied items are irrelevant: the fourth at the latest is relevant.
    assert one_query([1, 1, 0, 0, 0], [0] * 5, "hit_rate@4") == 1.0


def test_tiny_chances_of_a_tie_by_arithmetic() -> None:
    # One item of chance s = 2 ** -80 among four: s (1 + 1/2 + 1/3 + 1/4) / 4 at any place.
    expected = 2.0**-80 * (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
    assert one_query([1, 0, 0, 0], [0] * 4, "err(max_grade=80)") == pytest.approx(
        expected, rel=1e-14
    )
    # Below two others that nobody may choose, at rank 3 to 6.
    expected = 2.0**-80 * (1 / 3 + 1 / 4 + 1 / 5 + 1 / 6) / 4
    scores = [0, 0, 0, 0, 2, 1]
    assert one_query([1, 0, 0, 0, 0, 0], scores, "err(max_grade=80)") == pytest.approx(
        expected, rel=1e-14
    )


def test_what_nobody_reaches_is_not_looked_at() -> None:
    # After a hundred items of chance 1/2 nobody reads on: the large tie below changes nothing.
    grades, scores = [1] * 100, list(range(200, 100, -1))
    below = [1, 0] * 50
    assert one_query(grades + below, scores + [0] * 100, "err") == pytest.approx(
        one_query(grades, scores, "err"), rel=1e-15
    )


# Sums far down, tiny gains ----------------------------------------------------------------------


def test_a_tie_two_million_ranks_down_loses_no_digit() -> None:
    """The difference of two plain running sums is right to ten digits there."""
    by_rank = rank_weights(2_000_010, "log2")
    for first, size in ((2_000_000, 2), (1_234_567, 3), (1, 4)):
        ranks = range(first + 2, first + size + 2)
        expected = math.fsum(1 / math.log2(rank) for rank in ranks) / size
        (weight,) = weights_at(by_rank, np.array([first]), np.array([size]))
        assert weight == pytest.approx(expected, rel=1e-15)


def test_running_sums_of_any_values_keep_their_rounding() -> None:
    values = np.random.default_rng(0).lognormal(0, 8, 2000)
    for first, last in ((1990, 2000), (0, 2000), (700, 701)):
        found = PositionSums(values).over(np.array([first]), np.array([last]))
        assert found[0] == pytest.approx(math.fsum(values[first:last]), rel=1e-15)


@pytest.mark.parametrize("unit", [1e-3, 1e-17, 2.0**-500])
@pytest.mark.parametrize("spec", ["ndcg", "ndcg@2"])
def test_tiny_grades_gain_in_proportion(unit: float, spec: str) -> None:
    """2^g - 1 is g ln 2 + g^2 / 2 ..., of which nothing may be lost in 1 + g."""
    grades = {"a": 5 * unit, "b": 3 * unit, "c": 2 * unit}
    run = {"q": ["x", "b", "c", "a"]}
    gains = {item: math.expm1(grade * math.log(2)) / unit for item, grade in grades.items()}
    cut = 4 if spec == "ndcg" else 2
    found = sum(gains.get(i, 0) / math.log2(r + 2) for r, i in enumerate(run["q"][:cut]))
    best = sum(g / math.log2(r + 2) for r, g in enumerate(sorted(gains.values())[::-1][:cut]))
    assert evaluate({"q": grades}, run, spec)[spec] == pytest.approx(found / best, rel=4e-16)
