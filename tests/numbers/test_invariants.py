"""What holds for every measure whatever the data, over all records.

``EXCEPTIONS`` is the one list of measures for which an invariant is false or says nothing.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from sklearn_rank import METRICS, Evaluation, Measure, evaluate, measure
from sklearn_rank.rankings import places as _ranks
from tests.oracles.exact import Ranking, orders
from tests.strategies import Problem, as_lists, problems, strict_rankings

MEASURES = tuple(
    map(
        measure,
        (
            "map",
            "map@3",
            "map(denominator=relevant)@3",
            "map(denominator=retrieved)",
            "map(denominator=retrieved)@3",
            "map(denominator=k)@3",
            "map(min_rel=2)@3",
            "mar",
            "mar@3",
            "mar(normalize=true)@3",
            "mrr",
            "mrr@3",
            "precision",
            "precision@3",
            "precision(denominator=retrieved)@3",
            "recall",
            "recall@3",
            "recall(denominator=min)@3",
            "fbeta",
            "fbeta(beta=0.5)@3",
            "fbeta(beta=2)@3",
            "hit_rate",
            "hit_rate@3",
            "dcg",
            "dcg(gain=linear)@3",
            "idcg@3",
            "ndcg",
            "ndcg@3",
            "ndcg(gain=linear)@3",
            "ndcg(gain=binary)@3",
            "err",
            "err@3",
            "err(max_grade=4)@3",
            "nerr",
            "nerr@3",
            "lag",
            "lag(average=pooled)",
            "lag(unretrieved=ignore)",
            "auc",
            "auc(average=macro)",
            "auc(average=impressions)",
            "auc(n_negatives=1000,average=macro)",
            "gauc",
            "gauc(unretrieved=ignore)",
            "gauc(smoothing=1)",
            "lauc",
            "lauc@3",
            "lauc(tail=linear)@3",
            "lauc(smoothing=1)@3",
            "hmean(ndcg,map)@3",
            "hmean(precision,recall,beta=0.5)@3",
        ),
    )
)
POOLED = measure("auc(average=pooled)")

NO_CUTOFF = "without a cutoff it divides by the length of the ranking"
BY_HITS = "the divisor is what was found, and finding less can be better"
FORGETS = "unretrieved items do not count, so that retrieving less can be better"
ALL_PAIRS = "it counts the irrelevant items, of which there are more then"

EXCEPTIONS: dict[str, dict[str, str]] = {
    "a better item moving up never hurts": {
        "map(denominator=retrieved)@3": BY_HITS,
    },
    "an irrelevant item on top never helps": {
        "map(denominator=retrieved)@3": BY_HITS,
        "lauc(tail=linear)@3": "the more unread irrelevant items, the longer the straight line",
    },
    "dropping a relevant item never helps": {
        "map(denominator=retrieved)": BY_HITS,
        "map(denominator=retrieved)@3": BY_HITS,
        "lag(unretrieved=ignore)": FORGETS,
        "gauc(unretrieved=ignore)": FORGETS,
    },
    "one more missed relevant item never helps": {
        "idcg@3": "it says what could be gained, which rises",
    },
    "irrelevant items at the end change nothing": {
        "precision": NO_CUTOFF,
        "precision(denominator=retrieved)@3": "it divides by the length of a short ranking",
        "fbeta": NO_CUTOFF,
        "lag": "missed items stand below the new ones",
        "lag(average=pooled)": "missed items stand below the new ones",
        **dict.fromkeys(
            (
                "auc",
                "auc(average=macro)",
                "auc(average=impressions)",
                "gauc",
                "gauc(unretrieved=ignore)",
                "gauc(smoothing=1)",
                "lauc",
                "lauc@3",
                "lauc(tail=linear)@3",
                "lauc(smoothing=1)@3",
            ),
            ALL_PAIRS,
        ),
    },
    "a cutoff beyond the end is none": {
        "precision": "it divides by k",
        "precision@3": "it divides by k",
        "fbeta": "it divides by k",
        "fbeta(beta=0.5)@3": "it divides by k",
        "fbeta(beta=2)@3": "it divides by k",
        "map(denominator=k)@3": "it divides by k, and there is no such measure without",
        "hmean(precision,recall,beta=0.5)@3": "one of its members divides by k",
    },
    "the mean weighs all queries alike": {
        "lag(average=pooled)": "queries weigh by their relevant items",
        "auc": "queries weigh by their relevant items",
        "auc(average=impressions)": "queries weigh by their lengths",
    },
}
NEVER_FALLS_WITH_K = (
    "map(denominator=relevant)",
    "mrr",
    "recall",
    "hit_rate",
    "dcg",
    "dcg(gain=linear)",
    "idcg",
    "err",
    "err(max_grade=4)",
)
"""All others may fall: their divisor grows with k, or their ideal does."""

SLACK = 1e-12


def all_but(invariant: str) -> pytest.MarkDecorator:
    """Parametrised by every measure for which the invariant is not excepted."""
    return pytest.mark.parametrize("chosen", not_excepted(invariant), ids=str)


def not_excepted(invariant: str) -> list[Measure]:
    excepted = [measure(name) for name in EXCEPTIONS[invariant]]
    return [chosen for chosen in MEASURES if chosen not in excepted]


# These run once for each measure, so that fewer examples each are enough.
per_measure = settings(max_examples=20)
every_measure = pytest.mark.parametrize("chosen", MEASURES, ids=str)


def evaluated(
    y_true: Any, y_score: Any, chosen: Any = (*MEASURES, POOLED), **options: Any
) -> Evaluation:
    return evaluate(y_true, y_score, chosen, **{"zero_division": math.nan, **options})


def bits(found: Evaluation) -> dict[str, Any]:
    """Everything computed, with each float as its bits."""
    ids = list(found.query_ids)
    return {
        "scores": {name: float(value).hex() for name, value in found.scores.items()},
        "per_query": {
            name: {query: value.hex() for query, value in zip(ids, values.tolist(), strict=True)}
            for name, values in found.per_query.items()
        },
    }


def values_in_order(found: Evaluation) -> dict[str, list[str]]:
    """Values of the queries by position, for layouts that name them differently."""
    values = {name: [v.hex() for v in given.tolist()] for name, given in found.per_query.items()}
    return values | {name: [value.hex()] for name, value in found.scores.items() if name == POOLED}


def one(ranking: Ranking, chosen: Measure) -> float:
    return float(evaluated(*as_lists([ranking]), chosen).per_query[chosen][0])


def several(rankings: list[Ranking], chosen: Measure) -> list[float]:
    return evaluated(*as_lists(rankings), chosen).per_query[chosen].tolist()


def assert_not_better(worse: float, better: float, chosen: Measure) -> None:
    """Both defined: ``worse`` is no better than ``better``."""
    if math.isnan(worse) or math.isnan(better):
        return
    if chosen.metric.greater_is_better:
        assert worse <= better + SLACK
    else:
        assert worse >= better - SLACK


# The tables -------------------------------------------------------------------------------------


def test_every_record_is_tested() -> None:
    assert {chosen.metric for chosen in MEASURES} == set(METRICS)


def test_the_exceptions_speak_of_tested_measures() -> None:
    excepted = {measure(name) for table in EXCEPTIONS.values() for name in table}
    assert excepted <= set(MEASURES)


# 1. Order and names -----------------------------------------------------------------------------


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


@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
@given(problem=problems())
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


# 2. Scores --------------------------------------------------------------------------------------

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
@settings(max_examples=15)
def test_the_dtype_of_scores_and_grades_changes_no_bit(problem: Problem, dtype: np.dtype) -> None:
    grades, scores = problem.matrix
    expected = bits(evaluated(grades, scores))
    assert bits(evaluated(grades, scores.astype(dtype))) == expected
    assert bits(evaluated(grades.astype(dtype), scores)) == expected
    _, _, groups = problem.rows
    by_rows = evaluated(grades.ravel(), scores.ravel().astype(dtype), groups=groups)
    assert values_in_order(by_rows) == values_in_order(evaluated(grades, scores))


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
@every_measure
def test_neighbouring_scores_of_a_dtype_are_not_tied(
    chosen: Measure, dtype: type, low: float, high: float
) -> None:
    grades = np.array([[0, 2, 0]])
    scores = np.array([[low, high, low]], dtype=dtype)
    found = evaluated(grades, scores, chosen).per_query[chosen]
    expected = evaluated(grades, np.array([[0, 1, 0]]), chosen).per_query[chosen]
    np.testing.assert_array_equal(found, expected)


# 3 and 4. Better and worse rankings -------------------------------------------------------------


@all_but("a better item moving up never hurts")
@given(ranking=strict_rankings(min_items=2))
@per_measure
def test_a_better_item_moving_up_never_hurts(ranking: Ranking, chosen: Measure) -> None:
    before, after = [], []
    for place in range(1, len(ranking.grades)):
        above, below = ranking.grades[place - 1 : place + 1]
        if below > above:
            swapped = list(ranking.grades)
            swapped[place - 1 : place + 1] = below, above
            before.append(ranking)
            after.append(Ranking(tuple(swapped), ranking.missed))
    assume(before)
    for worse, better in zip(several(before, chosen), several(after, chosen), strict=True):
        assert_not_better(worse, better, chosen)


@all_but("an irrelevant item on top never helps")
@given(ranking=strict_rankings())
@per_measure
def test_an_irrelevant_item_on_top_never_helps(ranking: Ranking, chosen: Measure) -> None:
    worse = Ranking((0, *ranking.grades), ranking.missed)
    assert_not_better(*several([worse, ranking], chosen), chosen)


# 5. Perfect rankings ----------------------------------------------------------------------------


def best_value(chosen: Measure, ranking: Ranking) -> Fraction | float:
    """Value of a perfect ranking of ``n`` items, ``r`` of them relevant."""
    options, k = chosen.options, chosen.k
    threshold = options.get("min_rel") or 1
    r, n = sum(grade >= threshold for grade in ranking.grades), len(ranking.grades)
    m = r if k is None else min(r, k)
    read = n if k is None else k
    match chosen.metric.name:
        case "precision" if options["denominator"] == "retrieved":
            return Fraction(m, min(read, n))
        case "precision":
            return Fraction(m, read)
        case "recall" if options["denominator"] == "relevant":
            return Fraction(m, r)
        case "map" if options["denominator"] in ("relevant", "k"):
            return Fraction(m, r if options["denominator"] == "relevant" else read)
        case "mar" if not options["normalize"]:
            return Fraction(m + 1, 2 * r)
        case "fbeta":
            weight = Fraction(options["beta"]) ** 2
            p, recall = Fraction(m, read), Fraction(m, r)
            return (1 + weight) * p * recall / (weight * p + recall)
        case "hmean" if "ndcg" not in str(chosen):
            p, recall, weight = Fraction(m, read), Fraction(m, r), Fraction(1, 4)
            return (1 + weight) * p * recall / (weight * p + recall)
        case "lag":
            return 0
        case "dcg":
            return one(ranking, measure("idcg", k, gain=options["gain"]))
        case "idcg":
            discounts = [math.log2(rank + 1) for rank in range(1, n + 1)]
            gains = [2**grade - 1 for grade in ranking.grades[:k]]
            return math.fsum(g / d for g, d in zip(gains, discounts, strict=False))
        case "err":
            top = ranking.grades[0] if options["max_grade"] == "query" else options["max_grade"]
            value, reading = Fraction(0), Fraction(1)
            for rank, grade in enumerate(ranking.grades[:k], start=1):
                stops = Fraction(2**grade - 1, 2**top)
                value, reading = value + reading * stops / rank, reading * (1 - stops)
            return value
        case "lauc" if options["tail"] == "linear":
            # What stands below the cutoff is taken to be in random order.
            unread = n - r - (min(read, n) - m)
            return Fraction(m, r) + Fraction((r - m) * unread, 2 * r * (n - r))
    return 1


@every_measure
@given(ranking=strict_rankings(min_items=2, max_missed=0))
@per_measure
def test_a_perfect_ranking_has_the_best_value(ranking: Ranking, chosen: Measure) -> None:
    perfect = Ranking(tuple(sorted(ranking.grades, reverse=True)))
    threshold = chosen.options.get("min_rel") or 1
    # Both classes, so that all measures are defined.
    assume(perfect.grades[0] >= threshold and perfect.grades[-1] == 0)
    best = one(perfect, chosen)
    assert best == pytest.approx(float(best_value(chosen, perfect)), rel=1e-12)
    assert_not_better(one(ranking, chosen), best, chosen)


def test_a_perfect_ranking_is_not_best_where_averages_hide_it() -> None:
    """MAR@5 of two relevant items is (1/2 + 2/2) / 2 at best, so it has no test against 1."""
    assert one(Ranking((1, 1, 0)), measure("mar@5")) == (1 / 2 + 2 / 2) / 2


# 6. Cutoffs, bounds, batches --------------------------------------------------------------------


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


@given(problem=problems())
def test_values_lie_in_the_range_of_the_record(problem: Problem) -> None:
    found = evaluated(*problem.mapping)
    for chosen in MEASURES:
        values = found.per_query[chosen]
        values = values[~np.isnan(values)]
        assert ((values >= 0) & (values <= chosen.metric.upper)).all(), chosen
    assert math.isnan(found[POOLED]) or 0 <= found[POOLED] <= 1


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


@all_but("the mean weighs all queries alike")
@given(first=problems(defined=True), second=problems(defined=True))
@per_measure
def test_the_mean_of_a_batch_is_the_weighted_mean_of_its_parts(
    first: Problem, second: Problem, chosen: Measure
) -> None:
    rows = [problem.rows for problem in (first, second)]
    values = [evaluated(grades, scores, chosen, groups=groups) for grades, scores, groups in rows]
    together = evaluated(
        rows[0][0] + rows[1][0],
        rows[0][1] + rows[1][1],
        chosen,
        groups=[("a", q) for q in rows[0][2]] + [("b", q) for q in rows[1][2]],
    )
    n, m = ((~np.isnan(one.per_query[chosen])).sum() for one in values)
    assume(n and m)
    expected = (n * values[0][chosen] + m * values[1][chosen]) / (n + m)
    assert together[chosen] == pytest.approx(expected, rel=1e-12)


@given(problem=problems(), data=st.data())
def test_dropping_a_query_leaves_the_others(problem: Problem, data: st.DataObject) -> None:
    queries = list(problem.y_true)
    kept = data.draw(st.lists(st.sampled_from(queries), min_size=1, unique=True))
    whole = bits(evaluated(*problem.mapping, MEASURES))["per_query"]
    part = bits(evaluated(*problem.with_queries(kept).mapping, MEASURES))["per_query"]
    for name, values in part.items():
        assert values == {query: whole[name][query] for query in kept}


# Hold for some ----------------------------------------------------------------------------------


@all_but("dropping a relevant item never helps")
@given(ranking=strict_rankings(min_items=2))
@per_measure
def test_not_returning_the_last_relevant_item_never_helps(
    ranking: Ranking, chosen: Measure
) -> None:
    threshold = chosen.options.get("min_rel") or 1
    places = [place for place, grade in enumerate(ranking.grades) if grade >= threshold]
    assume(places)
    left = list(ranking.grades)
    dropped = left.pop(places[-1])
    worse = Ranking(tuple(left), (*ranking.missed, dropped))
    assert_not_better(*several([worse, ranking], chosen), chosen)


@all_but("one more missed relevant item never helps")
@given(ranking=strict_rankings(), grade=st.integers(1, 3))
@per_measure
def test_one_more_missed_relevant_item_never_helps(
    ranking: Ranking, grade: int, chosen: Measure
) -> None:
    worse = Ranking(ranking.grades, (*ranking.missed, grade))
    assert_not_better(*several([worse, ranking], chosen), chosen)


@all_but("irrelevant items at the end change nothing")
@given(ranking=strict_rankings(), n_more=st.integers(1, 3))
@per_measure
def test_irrelevant_items_at_the_end_change_nothing(
    ranking: Ranking, n_more: int, chosen: Measure
) -> None:
    longer = Ranking(ranking.grades + (0,) * n_more, ranking.missed)
    short, long = several([ranking, longer], chosen)
    assert short == long or (math.isnan(short) and math.isnan(long))


@pytest.mark.parametrize("name", NEVER_FALLS_WITH_K)
@given(ranking=strict_rankings())
def test_it_never_falls_with_k(ranking: Ranking, name: str) -> None:
    cutoffs = [measure(name, k) for k in (*range(1, 12), None)]
    found = evaluated(*as_lists([ranking]), cutoffs)
    values = [float(found.per_query[one][0]) for one in cutoffs]
    assume(not math.isnan(values[0]))
    assert all(later >= earlier - SLACK for earlier, later in itertools.pairwise(values))


# 7. Identities ----------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 5, 9])
@given(problem=problems())
def test_k_times_precision_is_r_times_recall(problem: Problem, k: int) -> None:
    y_true, y_score = problem.mapping
    found = evaluated(y_true, y_score, (f"precision@{k}", f"recall@{k}"))
    n_relevant = [sum(grade > 0 for grade in truth.values()) for truth in y_true.values()]
    np.testing.assert_allclose(
        k * found.per_query[f"precision@{k}"],
        n_relevant * found.per_query[f"recall@{k}"],
        rtol=1e-12,
    )


@given(problem=problems())
def test_auc_is_1_minus_lag_over_the_irrelevant_items(problem: Problem) -> None:
    """Two code paths that check each other, with ties and missed items too."""
    y_true, y_score = problem.mapping
    found = evaluated(y_true, y_score, ("gauc", "lag"))
    n_irrelevant = np.array(
        [
            sum(y_true[query].get(item, 0) == 0 for item in scores)
            for query, scores in y_score.items()
        ]
    )
    both = n_irrelevant > 0
    np.testing.assert_allclose(
        found.per_query["gauc"][both],
        1 - found.per_query["lag"][both] / n_irrelevant[both],
        atol=1e-12,
    )


@given(problem=problems(missed=False))
def test_auc_of_the_reversed_ranking_is_1_minus_auc(problem: Problem) -> None:
    y_true, y_score = problem.mapping
    reverse = {q: {item: -score for item, score in items.items()} for q, items in y_score.items()}
    names = ("gauc", "auc", "auc(average=impressions)", POOLED)
    there, back = evaluated(y_true, y_score, names), evaluated(y_true, reverse, names)
    for name in names:
        assert there[name] == pytest.approx(1 - back[name], abs=1e-12, nan_ok=True)


@given(ranking=strict_rankings(max_missed=0))
def test_lag_is_the_mean_rank_of_the_relevant_less_that_of_a_perfect_ranking(
    ranking: Ranking,
) -> None:
    ranks = [rank for rank, grade in enumerate(ranking.grades, start=1) if grade > 0]
    assume(ranks)
    expected = Fraction(sum(ranks), len(ranks)) - Fraction(len(ranks) + 1, 2)
    assert one(ranking, measure("lag")) == pytest.approx(float(expected), abs=1e-12)


@given(problem=problems(), scale=st.sampled_from([0.001, 3.0, 1e200]))
def test_scaling_linear_gains_leaves_ndcg(problem: Problem, scale: float) -> None:
    y_true, y_score = problem.mapping
    for k in (2, None):
        scaled = measure("ndcg", k, gain=lambda grades: scale * grades)
        plain = measure("ndcg", k, gain="linear")
        found = evaluated(y_true, y_score, (scaled, plain))
        np.testing.assert_allclose(found.per_query[scaled], found.per_query[plain], rtol=1e-12)


@given(problem=problems())
def test_tail_of_lauc_without_a_cutoff_is_auc(problem: Problem) -> None:
    """A curve that was read to the end has no straight line left."""
    for smoothing in (0, 1):
        whole = measure("lauc", tail="linear", smoothing=smoothing)
        auc = measure("gauc", smoothing=smoothing)
        found = evaluated(*problem.mapping, (whole, auc))
        np.testing.assert_allclose(found.per_query[whole], found.per_query[auc], atol=1e-12)


# Weights ----------------------------------------------------------------------------------------

WEIGHTS = st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(lambda weights: weights[0])


@given(problem=problems())
def test_weights_of_one_are_no_weights(problem: Problem) -> None:
    y_true, y_score = problem.mapping
    weighted = evaluated(y_true, y_score, MEASURES, sample_weight=dict.fromkeys(y_true, 1))
    assert bits(weighted) == bits(evaluated(y_true, y_score, MEASURES))


@given(problem=problems(), weights=WEIGHTS)
def test_weights_count_in_proportion(problem: Problem, weights: list[int]) -> None:
    y_true, y_score = problem.mapping
    given = dict(zip(y_true, weights, strict=False))

    def scores(factor: float) -> Evaluation:
        scaled = {query: factor * weight for query, weight in given.items()}
        return evaluated(y_true, y_score, MEASURES, sample_weight=scaled)

    once, twice, less = scores(1), scores(2), scores(0.3)
    assert bits(once) == bits(twice)
    for chosen in MEASURES:
        assert less[chosen] == pytest.approx(once[chosen], rel=1e-12, nan_ok=True), chosen


@given(problem=problems(), weights=WEIGHTS)
def test_whole_weights_repeat_queries_and_0_removes_them(
    problem: Problem, weights: list[int]
) -> None:
    y_true, y_score = problem.mapping
    given = dict(zip(y_true, weights, strict=False))
    weighted = evaluated(y_true, y_score, MEASURES, sample_weight=given)
    copies = [(query, copy) for query, weight in given.items() for copy in range(weight)]
    repeated = evaluated(
        {(query, copy): y_true[query] for query, copy in copies},
        {(query, copy): y_score[query] for query, copy in copies},
        MEASURES,
    )
    for chosen in MEASURES:
        expected = pytest.approx(repeated[chosen], rel=1e-12, nan_ok=True)
        assert weighted[chosen] == expected, chosen
        if set(given.values()) <= {0, 1}:
            assert weighted[chosen].hex() == repeated[chosen].hex(), chosen


# Layouts ----------------------------------------------------------------------------------------


@given(problem=problems(equal_lengths=True, missed=False))
def test_all_layouts_give_the_same_bits(problem: Problem) -> None:
    """Rows, matrix dense and sparse, mapping, and lists of {item: score}; ties are averaged."""
    grades, scores, groups = problem.rows
    dense, matrix = problem.matrix
    y_true, y_score = problem.mapping
    expected = values_in_order(evaluated(y_true, y_score))
    assert values_in_order(evaluated(grades, scores, groups=groups)) == expected
    assert values_in_order(evaluated(dense, matrix)) == expected
    assert values_in_order(evaluated(sparse.csr_array(dense), matrix)) == expected
    by_lists = evaluated(list(y_true.values()), list(y_score.values()))
    assert values_in_order(by_lists) == expected


@given(problem=problems(equal_lengths=True, missed=False))
def test_ranked_lists_are_scores_whose_ties_stand_in_order(problem: Problem) -> None:
    """Lists carry an order alone, which is that of the stable tie policy."""
    expected = values_in_order(evaluated(*problem.matrix, MEASURES, ties="stable"))
    y_true, lists = problem.lists
    assert values_in_order(evaluated(y_true, lists, MEASURES)) == expected
    keyed = dict(zip(problem.y_true, lists, strict=True))
    assert values_in_order(evaluated(problem.y_true, keyed, MEASURES)) == expected


@given(problem=problems())
def test_binary_grades_may_come_as_sets_lists_or_mappings(problem: Problem) -> None:
    y_true, y_score = problem.mapping
    relevant = {q: [item for item, grade in truth.items() if grade] for q, truth in y_true.items()}
    expected = bits(
        evaluated({q: dict.fromkeys(items, 1) for q, items in relevant.items()}, y_score)
    )
    assert bits(evaluated({q: set(items) for q, items in relevant.items()}, y_score)) == expected
    assert bits(evaluated(relevant, y_score)) == expected


@given(problem=problems())
def test_the_arguments_are_left_as_they_were(problem: Problem) -> None:
    y_true, y_score = problem.mapping
    evaluated(y_true, y_score)
    assert (y_true, y_score) == problem.mapping
    assert [list(scores) for scores in y_score.values()] == [
        list(scores) for scores in problem.y_score.values()
    ]
    grades, scores, groups = (np.array(column) for column in problem.rows)
    for column in (grades, scores, groups):
        column.flags.writeable = False
    evaluated(grades, scores, groups=groups)


# Determinism ------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 7, 100])
@pytest.mark.parametrize("n_jobs", [None, 1, 2, 4, -1])
def test_blocks_and_threads_change_no_bit(
    monkeypatch: pytest.MonkeyPatch, block: int, n_jobs: int | None
) -> None:
    rng = np.random.default_rng(3)
    grades, scores = rng.integers(0, 4, (60, 9)), rng.integers(0, 5, (60, 9)).astype(np.float32)
    expected = bits(evaluated(grades, scores))
    monkeypatch.setattr(_ranks, "RANK_BLOCK", block)
    assert bits(evaluated(grades, scores, n_jobs=n_jobs)) == expected


def test_threads_change_no_bit_of_a_large_problem() -> None:
    rng = np.random.default_rng(4)
    grades = (rng.random((600, 500)) < 0.02) * rng.integers(1, 4, (600, 500))
    scores = rng.integers(0, 300, (600, 500)).astype(np.float64)
    expected = bits(evaluated(grades, scores))
    for n_jobs in (1, 2, 3):
        assert bits(evaluated(grades, scores, n_jobs=n_jobs)) == expected
    # The rows of the same queries, in an order of their own, go another way to the same places.
    order = rng.permutation(grades.size)
    groups = np.repeat(np.arange(600), 500)
    rows = evaluated(grades.ravel()[order], scores.ravel()[order], groups=groups[order])
    assert bits(rows)["per_query"] == expected["per_query"]
    assert bits(rows)["scores"] == expected["scores"]


_HASHED = """
import json, sys
from sklearn_rank import evaluate
problem = json.loads(sys.stdin.read())
truths = {query: set(items) for query, items in problem["y_true"].items()}
found = evaluate(truths, problem["y_score"], problem["measures"], zero_division=float("nan"))
shared = evaluate(
    set(problem["shared"]), problem["lists"], problem["measures"], zero_division=float("nan")
)
for evaluation in (found, shared):
    print(json.dumps({name: value.hex() for name, value in evaluation.scores.items()}))
    print(json.dumps({n: [v.hex() for v in vs] for n, vs in evaluation.per_query.items()}))
"""


def test_the_hash_seed_changes_no_bit() -> None:
    """Sets of strings come in another order in each process."""
    rng = np.random.default_rng(5)
    words = [f"word {number}" for number in range(40)]
    y_score = {
        f"q{query}": {word: int(rng.integers(0, 6)) for word in rng.choice(words, 15, False)}
        for query in range(20)
    }
    y_true = {query: rng.choice(words, 8, False).tolist() for query in y_score}
    lists = [[f"{query} {word}" for word in scores] for query, scores in y_score.items()]
    problem = {
        "y_true": y_true,
        "y_score": y_score,
        "measures": [str(chosen) for chosen in MEASURES],
        "lists": lists,
        "shared": [f"{query} {word}" for query, items in y_true.items() for word in items],
    }

    def run(seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", _HASHED],
            input=json.dumps(problem),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    first = run("0")
    assert len(first.splitlines()) == 4
    assert run("1") == run("12345") == first


# A constant scorer ------------------------------------------------------------------------------


@given(ranking=strict_rankings(min_items=2, max_items=6))
@settings(max_examples=30)
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


def test_numbers_per_query_reach_their_query_in_large_problems() -> None:
    """Kernels run on blocks of queries; what is given per query is cut in the same places."""
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 2, (3000, 40))
    scores = rng.normal(size=grades.shape)
    negatives = (grades == 0).sum(axis=1) + np.arange(3000)
    together = evaluate(grades, scores, measure("gauc", n_negatives=negatives.tolist()))
    for query in (0, 1, 1637, 1638, 1639, 2999):
        one = slice(query, query + 1)
        alone = evaluate(
            grades[one], scores[one], measure("gauc", n_negatives=int(negatives[query]))
        )
        (values,), (value,) = together.per_query.values(), alone.per_query.values()
        assert values[query] == value[0]
