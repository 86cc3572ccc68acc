"""A constant scorer gets the expectation of a random order."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.numbers.invariants import MEASURES, bits, evaluated
from tests.oracles.exact import Ranking, orders
from tests.strategies import Problem, as_lists, examples, problems, strict_rankings


@given(ranking=strict_rankings(min_items=2, max_items=6))
@examples(20)
def test_a_constant_scorer_gets_the_expectation_of_a_random_order(ranking: Ranking) -> None:
    """Also where the rows come sorted best first, which others reward."""
    # An extended F is made of two expectations; see test_ties.
    chosen = [one for one in MEASURES if one.metric.name != "hmean"]
    shuffled = list(orders([ranking.grades]))
    random_orders = evaluated(*as_lists(shuffled), chosen)
    expected = {
        one: math.nan if np.isnan(values).any() else math.fsum(values) / len(values)
        for one, values in ((one, random_orders.per_query[one]) for one in chosen)
    }
    grades = np.array(ranking.grades)
    for order in (np.sort(grades)[::-1], np.sort(grades), grades):
        found = evaluated(order[None], np.full((1, len(grades)), 0.5), chosen)
        for one, value in expected.items():
            mean = pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)
            assert found.per_query[one][0] == mean, one


@given(problem=problems(missed=False), seed=st.integers(0, 2**32 - 1))
def test_a_constant_scorer_does_not_see_the_order_of_rows(problem: Problem, seed: int) -> None:
    grades, _, groups = problem.rows
    constant = [0.5] * len(grades)
    best_first = np.argsort(-np.array(grades), kind="stable")
    shuffled = np.random.default_rng(seed).permutation(len(grades))
    expected = None
    for order in (best_first, best_first[::-1], shuffled):
        found = bits(
            evaluated([grades[i] for i in order], constant, groups=[groups[i] for i in order])
        )
        expected = expected or found
        assert found == expected
