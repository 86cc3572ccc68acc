"""The tables cover every record; order, names, scores and better rankings; perfect ones."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sklearn_rank import measure
from sklearn_rank.measures import METRICS
from tests.numbers.invariants import (
    EXCEPTIONS,
    MEASURES,
    STRICT_MEASURES,
    assert_not_better,
    bits,
    evaluated,
    not_excepted,
    one,
    places,
    several,
    values_in_order,
)
from tests.oracles.exact import Ranking
from tests.strategies import Problem, examples, problems, strict_rankings

pytestmark = pytest.mark.filterwarnings("ignore:every judged item of every query")

# The tables --------------------------------------------------------------------------------------


def test_every_record_is_tested() -> None:
    assert {chosen.metric for chosen in STRICT_MEASURES} == set(METRICS)


def test_the_exceptions_speak_of_tested_measures() -> None:
    excepted = {measure(name) for table in EXCEPTIONS.values() for name in table}
    assert excepted <= set(STRICT_MEASURES)


# Order and names ---------------------------------------------------------------------------------


@given(problem=problems(), seed=st.integers(0, 2**32 - 1))
def test_order_of_queries_rows_and_judgements_changes_no_bit(problem: Problem, seed: int) -> None:
    rng = random.Random(seed)

    def mixed(given: dict[Any, Any]) -> dict[Any, Any]:
        return dict(rng.sample(list(given.items()), len(given)))

    y_true, y_score = problem.mapping
    expected = bits(evaluated(y_true, y_score))
    y_true = {query: mixed(truth) for query, truth in mixed(y_true).items()}
    y_score = {query: mixed(scores) for query, scores in mixed(y_score).items()}
    assert bits(evaluated(y_true, y_score)) == expected


@given(problem=problems(), seed=st.integers(0, 2**32 - 1))
def test_order_of_rows_changes_no_bit(problem: Problem, seed: int) -> None:
    grades, scores, groups = problem.rows
    expected = bits(evaluated(grades, scores, groups=groups))
    order = np.random.default_rng(seed).permutation(len(grades))
    grades, scores, groups = ([column[row] for row in order] for column in (grades, scores, groups))
    assert bits(evaluated(grades, scores, groups=groups)) == expected


@given(problem=problems(), ties=st.sampled_from(["average", "stable", "optimistic", "pessimistic"]))
@examples(40)
def test_names_of_items_and_queries_change_no_bit(problem: Problem, ties: str) -> None:
    y_true, y_score = problem.mapping
    numbers: dict[str, int] = {}

    def renamed(name: str) -> int:
        return 1000 - numbers.setdefault(name, len(numbers))

    def relabelled(given: dict[str, dict[str, float]]) -> dict[int, dict[int, float]]:
        return {
            renamed(query): {renamed(item): value for item, value in items.items()}
            for query, items in given.items()
        }

    expected = values_in_order(evaluated(y_true, y_score, ties=ties))
    assert (
        values_in_order(evaluated(relabelled(y_true), relabelled(y_score), ties=ties)) == expected
    )
    # Reversed text is one of many injections.
    provided = evaluated(y_true, y_score, ties=ties, string_provider=lambda item: item[::-1])
    assert values_in_order(provided) == expected


# Scores ------------------------------------------------------------------------------------------

TRANSFORMS: tuple[Callable[[float], float], ...] = (
    lambda score: score,
    lambda score: score - 100.0,
    lambda score: score / 8.0,
    lambda score: float(score**3),
    math.exp,
    lambda score: -1.0 / (1.0 + score),
    lambda score: -math.inf if score == 0 else score * 1e300,
)


@given(problem=problems(), chosen=st.lists(st.sampled_from(TRANSFORMS), min_size=4, max_size=4))
def test_increasing_transforms_per_query_change_no_bit(
    problem: Problem, chosen: list[Callable[[float], float]]
) -> None:
    y_true, y_score = problem.mapping
    expected = bits(evaluated(y_true, y_score, MEASURES))
    moved = {
        query: {item: float(transform(score)) for item, score in scores.items()}
        for (query, scores), transform in zip(y_score.items(), chosen, strict=False)
    }
    assert bits(evaluated(y_true, moved, MEASURES)) == expected


DTYPES = [
    *(f"{order}{kind}{size}" for order in "<>" for kind in "iu" for size in (2, 4, 8)),
    *(f"{order}f{size}" for order in "<>" for size in (2, 4, 8)),
    "i1",
    "u1",
]


@pytest.mark.parametrize("dtype", [np.dtype(name) for name in DTYPES], ids=str)
@given(problem=problems(equal_lengths=True, missed=False))
@examples(10)
def test_the_dtype_of_scores_and_grades_changes_no_place(problem: Problem, dtype: np.dtype) -> None:
    """Nor a value: kernels read the same numbers."""
    grades, scores = problem.matrix
    expected = places(grades, scores)
    assert places(grades, scores.astype(dtype)) == expected
    assert places(grades.astype(dtype), scores) == expected
    _, _, groups = problem.rows
    by_rows = places(grades.ravel(), scores.ravel().astype(dtype), groups=groups)
    assert by_rows[1:] == expected[1:]


@given(problem=problems(equal_lengths=True, missed=False, max_grade=1, max_score=1))
def test_bool_scores_and_grades_are_0_and_1(problem: Problem) -> None:
    grades, scores = problem.matrix
    expected = bits(evaluated(grades, scores))
    assert bits(evaluated(grades.astype(bool), scores.astype(bool))) == expected


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        (np.uint8, 0, 255),
        (np.int8, -128, 127),
        (np.uint64, 2**63, 2**63 + 1),
        (np.int64, 2**53, 2**53 + 1),
        (np.int64, -(2**63), -(2**63) + 1),
        (np.float64, 1.0, 1.0 + 2**-52),
        (np.float16, 0.0, 2**-24),
        (np.float64, -math.inf, -1e308),
        (np.float64, 1e308, math.inf),
    ],
)
@pytest.mark.filterwarnings("ignore:y_score holds -inf:sklearn_rank.RankingDataWarning")
def test_neighbouring_scores_of_a_dtype_are_not_tied(dtype: type, low: float, high: float) -> None:
    grades = np.array([[0, 2, 0]])
    scores = np.array([[low, high, low]], dtype=dtype)
    found = evaluated(grades, scores, STRICT_MEASURES)
    assert bits(found) == bits(evaluated(grades, np.array([[0, 1, 0]]), STRICT_MEASURES))


# Better and worse rankings ----------------------------------------------------------------


@given(ranking=strict_rankings(min_items=2))
@examples(40)
def test_a_better_item_moving_up_never_hurts(ranking: Ranking) -> None:
    after = []
    for place in range(1, len(ranking.grades)):
        above, below = ranking.grades[place - 1 : place + 1]
        if below > above:
            swapped = list(ranking.grades)
            swapped[place - 1 : place + 1] = below, above
            after.append(Ranking(tuple(swapped), ranking.missed))
    assume(after)
    kept = not_excepted("a better item moving up never hurts")
    for chosen, (worse, *better) in several([ranking, *after], kept).items():
        for value in better:
            assert_not_better(worse, value, chosen)


@given(ranking=strict_rankings())
@examples(40)
def test_an_irrelevant_item_on_top_never_helps(ranking: Ranking) -> None:
    worse = Ranking((0, *ranking.grades), ranking.missed)
    kept = not_excepted("an irrelevant item on top never helps")
    for chosen, values in several([worse, ranking], kept).items():
        assert_not_better(*values, chosen)


# Perfect rankings --------------------------------------------------------------------------------


@given(ranking=strict_rankings(min_items=2, max_missed=0))
@examples(40)
def test_a_perfect_ranking_has_the_best_value(ranking: Ranking) -> None:
    perfect = Ranking(tuple(sorted(ranking.grades, reverse=True)))
    # Both classes, so that all measures are defined.
    kept = [
        chosen
        for chosen in STRICT_MEASURES
        if perfect.grades[0] >= (chosen.options.get("min_rel") or 1) and perfect.grades[-1] == 0
    ]
    assume(kept)
    for chosen, (best, value) in several([perfect, ranking], kept).items():
        assert_not_better(value, best, chosen)


def test_a_perfect_ranking_is_not_best_where_averages_hide_it() -> None:
    """MAR@5 of two relevant items is (1/2 + 2/2) / 2 at best, so it has no test against 1."""
    assert one(Ranking((1, 1, 0)), measure("mar@5")) == (1 / 2 + 2 / 2) / 2
