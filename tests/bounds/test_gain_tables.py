"""Gains of a table: an unjudged item has one of its gains, and no other."""

from __future__ import annotations

import itertools
import random
from math import log2

import pytest

from sklearn_rank import evaluate, measure

NDCG = measure("ndcg", k=3, gain={0: 0, 1: 3, 2: 1, 3: 2})


def test_the_gain_of_a_grade_out_of_reach_is_not_tried() -> None:
    """Grades of x up to 2 have the gains 0, 3 and 1; a gain of 2 would give the greatest value.

    Gains in the order of ranks: x, 1, 0, and below the cutoff 2.
    """
    truth = {"q": {"one": 2, "two": 3, "zero": 0}}
    ev = evaluate(truth, {"q": ["x", "one", "zero", "two"]}, NDCG)
    second, third = 1 / log2(3), 1 / 2
    none, least, most = (
        second / (2 + second),
        (1 + second) / (2 + second + third),
        (3 + second) / (3 + 2 * second + third),
    )
    bounds = ev.bounds(NDCG, max_grade=2)
    assert (bounds.low, bounds.high) == pytest.approx((none, max(least, most)), abs=1e-12)


@pytest.mark.parametrize("max_grade", [1, 2, 3])
def test_bounds_are_the_extremes_of_all_grades_of_the_table(max_grade: int) -> None:
    for seed in range(8):
        rng = random.Random(seed)
        truth = {item: rng.randint(0, 3) for item in "abcd"} | {"zero": 0}
        ranking = rng.sample(["x", "y", "a", "z", "b", "c", "d"], 6)
        unjudged = [item for item in ranking if item in "xyz"]
        truths = [
            truth | dict(zip(unjudged, grades, strict=True))
            for grades in itertools.product(range(max_grade + 1), repeat=len(unjudged))
        ]
        every = evaluate(truths, [ranking] * len(truths), NDCG, assume="complete").per_query[NDCG]
        bounds = evaluate([truth], [ranking], NDCG).bounds(NDCG, max_grade=max_grade)
        assert (bounds.low, bounds.high) == pytest.approx((every.min(), every.max()), abs=1e-12)
