"""What holds of measures whatever the data are: order, names, scores, batches, cutoffs, ranks."""

import contextlib
import itertools
import math
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sklearn_rank import Measure, evaluate, measure
from sklearn_rank.exceptions import UnknownMeasureError
from sklearn_rank.measures import METRICS
from sklearn_rank.measures.conventions import CONVENTIONS
from tests.numbers.invariants import (
    EXCEPTIONS,
    MEASURES,
    NEVER_FALLS_WITH_K,
    SLACK,
    STRICT_MEASURES,
    assert_not_better,
    bits,
    evaluated,
    not_excepted,
    places,
    several,
    values_in_order,
)
from tests.oracles.exact import Ranking
from tests.strategies import Problem, as_lists, examples, problems, strict_rankings

pytestmark = pytest.mark.filterwarnings("ignore:every ranked item is relevant")

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

    y_true, y_score = (
        {query: mixed(items) for query, items in mixed(side).items()} for side in problem.mapping
    )
    assert bits(evaluated(y_true, y_score)) == bits(evaluated(*problem.mapping))
    columns = np.array(problem.rows, dtype=object)
    grades, scores, groups = columns[:, rng.sample(range(columns.shape[1]), columns.shape[1])]
    expected = bits(evaluated(*problem.rows[:2], groups=problem.rows[2]))
    assert bits(evaluated([*grades], [*scores], groups=[*groups])) == expected


@given(problem=problems(), ties=st.sampled_from(["average", "stable", "optimistic", "pessimistic"]))
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


# Batches and cutoffs ----------------------------------------------------------------------------


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
@examples(10)
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


# Better and worse rankings ----------------------------------------------------------------


@given(ranking=strict_rankings(min_items=2))
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
def test_an_irrelevant_item_on_top_never_helps(ranking: Ranking) -> None:
    worse = Ranking((0, *ranking.grades), ranking.missed)
    kept = not_excepted("an irrelevant item on top never helps")
    for chosen, values in several([worse, ranking], kept).items():
        assert_not_better(*values, chosen)


@given(ranking=strict_rankings(min_items=2))
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


def measures_of(preset: Any) -> list[Measure]:
    """Every measure that a convention has, once."""
    found = {}
    for chosen in STRICT_MEASURES:
        with contextlib.suppress(UnknownMeasureError):
            found.setdefault(preset.apply(chosen), chosen)
    names = EXCEPTIONS["answering less never helps"]
    excepted = [measure(name) for name in names]
    # The irrelevant items of a query leave the pool with it.
    return [one for full, one in found.items() if full not in excepted and not full.is_pooled]


@st.composite
def answers(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Ground truth, rankings, and rankings of which one lacks a query or a relevant item."""
    truth: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query in ("p", "q", "r")[: draw(st.integers(1, 3))]:
        grade = draw(st.integers(1, 3))
        grades = draw(st.lists(st.sampled_from([0, grade]), min_size=1, max_size=7))
        truth[query] = {f"d{place}": value for place, value in enumerate(grades)}
        run[query] = {item: -float(place) for place, item in enumerate(truth[query])}
        missed = draw(st.integers(0 if grade in grades else 1, 2))
        truth[query] |= {f"m{number}": grade for number in range(missed)}
    query = draw(st.sampled_from(sorted(run)))
    left = {other: ranking for other, ranking in run.items() if other != query}
    lost = [item for item in run[query] if truth[query][item]]
    ways = [{**left, query: {}}, *([left] if left else [])]
    ways += [{**left, query: {o: s for o, s in run[query].items() if o != item}} for item in lost]
    return truth, run, draw(st.sampled_from(ways))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("preset", CONVENTIONS.values(), ids=lambda preset: preset.name)
@given(problem=answers())
@examples(8)
def test_answering_less_never_helps_without_a_word(preset: Any, problem: Any) -> None:
    """Of a query that is not answered, or a relevant item that is gone: a worse value, or a word.

    Items that are relevant have one grade: of two, the loss of the lower may let the better rise.
    """
    truth, run, less = problem
    kept = measures_of(preset)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            before = evaluate(truth, run, kept, convention=preset).scores.values()
            after = evaluate(truth, less, kept, convention=preset).scores.values()
            for chosen, better, worse in zip(kept, before, after, strict=True):
                told.clear()
                with contextlib.suppress(AssertionError):
                    assert_not_better(worse, better, chosen)
                    continue
                evaluate(truth, less, chosen, convention=preset)
                assert told, (chosen, worse, better)
        except ValueError:
            return


@given(ranking=strict_rankings(), grade=st.integers(1, 3))
def test_one_more_missed_relevant_item_never_helps(ranking: Ranking, grade: int) -> None:
    worse = Ranking(ranking.grades, (*ranking.missed, grade))
    kept = not_excepted("one more missed relevant item never helps")
    for chosen, values in several([worse, ranking], kept).items():
        assert_not_better(*values, chosen)


@given(ranking=strict_rankings(), n_more=st.integers(1, 3))
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


@given(ranking=strict_rankings(min_items=2, max_missed=0))
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
        for one in (best, value):
            assert math.isnan(one) or 0 <= one <= chosen.metric.upper + SLACK
