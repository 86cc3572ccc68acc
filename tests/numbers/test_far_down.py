"""Numbers that plain sums and plain powers would round away."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sklearn_rank import evaluate
from sklearn_rank.kernels.expectation import PositionSums
from sklearn_rank.kernels.graded import place_weights, rank_weights


def test_a_tie_two_million_ranks_down_loses_no_digit() -> None:
    """The difference of two plain running sums is right to ten digits there."""
    by_rank = rank_weights(2_000_010, "log2")
    for first, size in ((2_000_000, 2), (1_234_567, 3), (1, 4)):
        ranks = range(first + 2, first + size + 2)
        expected = math.fsum(1 / math.log2(rank) for rank in ranks) / size
        (weight,) = place_weights(by_rank, np.array([first]), np.array([size]))
        assert weight == pytest.approx(expected, rel=1e-15)


def test_running_sums_of_any_values_keep_their_rounding() -> None:
    values = np.random.default_rng(0).lognormal(0, 8, 2000)
    for first, last in ((1990, 2000), (0, 2000), (700, 701)):
        found = PositionSums(values).over(np.array([first]), np.array([last]))
        assert found[0] == pytest.approx(math.fsum(values[first:last]), rel=1e-15)


@pytest.mark.parametrize("unit", [1e-3, 1e-17, 2.0**-500, 2.0**-1000, 2.0**-1073])
@pytest.mark.parametrize("spec", ["ndcg", "ndcg@2"])
def test_tiny_grades_gain_in_proportion(unit: float, spec: str) -> None:
    """2^g - 1 is g ln 2 + g^2 / 2 ..., of which nothing may be lost in 1 + g."""
    grades = {"a": 5 * unit, "b": 3 * unit, "c": 2 * unit}
    run = {"q": ["x", "b", "c", "a"]}
    gains = {item: math.expm1(grade * math.log(2)) / unit for item, grade in grades.items()}
    if unit < 2.0**-500:
        gains = {item: grade / unit for item, grade in grades.items()}
    cut = 4 if spec == "ndcg" else 2
    found = sum(gains.get(i, 0) / math.log2(r + 2) for r, i in enumerate(run["q"][:cut]))
    best = sum(g / math.log2(r + 2) for r, g in enumerate(sorted(gains.values())[::-1][:cut]))
    assert evaluate({"q": grades}, run, spec)[spec] == pytest.approx(found / best, rel=4e-16)
