"""Cutoffs, ranges, batches, what more or fewer items change, and identities between measures."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sklearn_rank import measure
from tests.numbers.invariants import (
    MEASURES,
    NEVER_FALLS_WITH_K,
    SLACK,
    assert_not_better,
    evaluated,
    not_excepted,
    several,
    values_in_order,
)
from tests.oracles.exact import Ranking
from tests.strategies import Problem, as_lists, examples, problems, strict_rankings

# Cutoffs, bounds, batches ------------------------------------------------------------------------


@given(problem=problems(), more=st.integers(0, 2**70))
def test_a_cutoff_beyond_the_end_is_none(problem: Problem, more: int) -> None:
    kept = not_excepted("a cutoff beyond the end is none")
    none = {chosen.with_cutoff(None): None for chosen in kept if chosen.metric.takes_k}
    y_true, y_score = problem.mapping
    # 7 ranked and 2 missed items at most: MAP divides by min(R, k), so k must not be below R.
    far = {chosen: chosen.with_cutoff(9 + more) for chosen in none}
    found = evaluated(y_true, y_score, (*far, *far.values())).per_query
    for chosen, cut in far.items():
        np.testing.assert_array_equal(found[cut], found[chosen], err_msg=str(chosen))


@given(first=problems(), second=problems())
def test_a_query_counts_the_same_in_any_batch(first: Problem, second: Problem) -> None:
    """Each query alone, two batches, both batches together: the same bits."""
    (y_true, y_score), (more_true, more_score) = first.mapping, second.mapping
    both_true = {("a", q): truth for q, truth in y_true.items()}
    both_true |= {("b", q): truth for q, truth in more_true.items()}
    both_score = {("a", q): scores for q, scores in y_score.items()}
    both_score |= {("b", q): scores for q, scores in more_score.items()}
    together = values_in_order(evaluated(both_true, both_score, MEASURES))
    parts = [
        values_in_order(evaluated(y_true, y_score, MEASURES)),
        values_in_order(evaluated(more_true, more_score, MEASURES)),
    ]
    single = [
        values_in_order(evaluated({q: both_true[q]}, {q: both_score[q]}, MEASURES))
        for q in both_true
    ]
    for name, values in together.items():
        assert parts[0][name] + parts[1][name] == values
        assert [value for alone in single for value in alone[name]] == values


@given(first=problems(defined=True), second=problems(defined=True))
@examples(40)
def test_the_mean_of_a_batch_is_the_weighted_mean_of_its_parts(
    first: Problem, second: Problem
) -> None:
    kept = not_excepted("the mean weighs all queries alike")
    rows = [problem.rows for problem in (first, second)]
    parts = [evaluated(grades, scores, kept, groups=groups) for grades, scores, groups in rows]
    together = evaluated(
        rows[0][0] + rows[1][0],
        rows[0][1] + rows[1][1],
        kept,
        groups=[("a", q) for q in rows[0][2]] + [("b", q) for q in rows[1][2]],
    )
    for chosen in kept:
        n, m = (int((~np.isnan(part.per_query[chosen])).sum()) for part in parts)
        if n and m:
            expected = (n * parts[0][chosen] + m * parts[1][chosen]) / (n + m)
            assert together[chosen] == pytest.approx(expected, rel=1e-12), chosen


# Hold for some -----------------------------------------------------------------------------------


@given(ranking=strict_rankings(min_items=2))
@examples(40)
def test_not_returning_the_last_relevant_item_never_helps(ranking: Ranking) -> None:
    kept = not_excepted("dropping a relevant item never helps")
    for threshold in (1, 2):
        places = [place for place, grade in enumerate(ranking.grades) if grade >= threshold]
        if not places:
            continue
        left = list(ranking.grades)
        dropped = left.pop(places[-1])
        worse = Ranking(tuple(left), (*ranking.missed, dropped))
        measures = [one for one in kept if (one.options.get("min_rel") or 1) == threshold]
        for chosen, values in several([worse, ranking], measures).items():
            assert_not_better(*values, chosen)


@given(ranking=strict_rankings(), grade=st.integers(1, 3))
@examples(40)
def test_one_more_missed_relevant_item_never_helps(ranking: Ranking, grade: int) -> None:
    worse = Ranking(ranking.grades, (*ranking.missed, grade))
    kept = not_excepted("one more missed relevant item never helps")
    for chosen, values in several([worse, ranking], kept).items():
        assert_not_better(*values, chosen)


@given(ranking=strict_rankings(), n_more=st.integers(1, 3))
@examples(40)
def test_irrelevant_items_at_the_end_change_nothing(ranking: Ranking, n_more: int) -> None:
    longer = Ranking(ranking.grades + (0,) * n_more, ranking.missed)
    kept = not_excepted("irrelevant items at the end change nothing")
    for chosen, (short, long) in several([ranking, longer], kept).items():
        assert short == long or (math.isnan(short) and math.isnan(long)), chosen


@pytest.mark.parametrize("name", NEVER_FALLS_WITH_K)
@given(ranking=strict_rankings())
def test_it_never_falls_with_k(ranking: Ranking, name: str) -> None:
    cutoffs = [measure(name, k) for k in (*range(1, 12), None)]
    found = evaluated(*as_lists([ranking]), cutoffs)
    values = [float(found.per_query[one][0]) for one in cutoffs]
    assume(not math.isnan(values[0]))
    assert all(later >= earlier - SLACK for earlier, later in itertools.pairwise(values))


# Identities --------------------------------------------------------------------------------------


@given(problem=problems(), scale=st.sampled_from([0.001, 3.0, 1e200]))
def test_scaling_linear_gains_leaves_ndcg(problem: Problem, scale: float) -> None:
    y_true, y_score = problem.mapping
    for k in (2, None):
        scaled = measure("ndcg", k, gain=lambda grades: scale * grades)
        plain = measure("ndcg", k, gain="linear")
        found = evaluated(y_true, y_score, (scaled, plain))
        np.testing.assert_allclose(found.per_query[scaled], found.per_query[plain], rtol=1e-12)
