"""The expected stop within ties: both ways against exact arithmetic, their costs, their bits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from unittest import mock

import numpy as np
import pytest

from sklearn_rank import evaluate
from sklearn_rank.kernels import tied_stops
from sklearn_rank.kernels.tied_stops import tied_stop

WAYS = {
    "item by item": {"_CELLS": 1 << 60, "_STEPS": 1 << 60},
    "integral": {"_CELLS": -1, "_CELLS_OF_LARGE": 0, "_STEPS": -1},
}


@contextmanager
def forced(way: str) -> Iterator[None]:
    with mock.patch.multiple(tied_stops, **WAYS[way]):
        yield


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


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", TIES)
@pytest.mark.parametrize(("above", "last"), [(0, SIZE), (0, 10), (3, 137), (1000, 250)])
def test_ties_are_exact_to_the_last_bits(way: str, kind: str, above: int, last: int) -> None:
    expected = exact_stop(reading(kind, SIZE), above, above + last)
    with forced(way):
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


@pytest.mark.parametrize("n", [1, 5, 12, 13, 24, 1000, 10**6])
def test_few_nodes_sum_polynomials_over_all_places(n: int) -> None:
    nodes, weights = tied_stops._gauss(n)
    assert len(nodes) <= 12
    assert nodes.min() > -0.5
    assert nodes.max() < n - 0.5
    for power in (0, 1, 2, 23):
        # Over a polynomial of that degree that is positive, so that nothing cancels.
        expected = sum((Fraction(place + 1, n)) ** power for place in range(min(n, 1000)))
        if n <= 1000:
            total = float((weights * ((nodes + 1) / n) ** power).sum())
            assert total == pytest.approx(float(expected), rel=1e-13)
    assert float(weights.sum()) == pytest.approx(n, rel=1e-13)


def test_both_ways_agree_on_large_ties() -> None:
    rng = np.random.default_rng(3)
    for stops in (rng.random(3000) * 0.02, np.repeat([0.004, 0.001], [1000, 2000])):
        ordered = np.sort(stops)[::-1]
        values = []
        for way in WAYS:
            with forced(way):
                values.append(stop_of(ordered, 5000, 2, 10**9))
        assert values[0] == pytest.approx(values[1], rel=1e-13)


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


def test_a_million_rows_of_one_tie_finish() -> None:
    grades = np.random.default_rng(5).random(1_000_000) * 4
    zeros = np.zeros(len(grades))
    assert 0.0 < evaluate(grades, zeros, "err", groups=zeros)["err"] < 1.0
