"""Bounds over all gradings of unjudged items, of a value or a change, and what to judge next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_rank.bounds.formulas import average_precision_extremes, ndcg_extremes
from sklearn_rank.bounds.gradings import (
    Candidates,
    Value,
    cannot_bound,
    checked_maker,
    extreme_choice,
    refuse_moving_ties,
    values_of_gradings,
)
from sklearn_rank.bounds.to_judge import System, ToJudge, to_judge
from sklearn_rank.bounds.unjudged import (
    Bounds,
    OpenItems,
    highest_grade,
    open_items_of,
    shared_open_items,
)
from sklearn_rank.evaluation.averaging import average, on_scale
from sklearn_rank.evaluation.compute import (
    Block,
    Scored,
    averaged,
    find_measure,
    relevant_alone,
    valuation,
)
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.slices import (
    common_queries,
    refuse_other_judgements,
    refuse_other_options,
)
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError, UndefinedMetricError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import RankingData, no_items
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import item_codes, unjudged_items
from sklearn_rank.support.checks import check_number
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

__all__ = ["bounds_of_change"]


def _highest(rankings: JudgedRankings, max_grade: Any) -> float:
    """Highest grade of unjudged items."""
    if max_grade is None:
        max_grade = highest_grade(rankings)
    check_number(max_grade, "max_grade", "bounds", at_least=0)
    return float(max_grade)


def bounds_of(scored: Scored, data: RankingData, *, max_grade: Any) -> Bounds:
    """Bounds of the value of every query, and of their mean."""
    measure = scored.measure
    reason = cannot_bound(measure)
    if reason or scored.values is None:
        msg = f"{measure} has no bounds over all gradings: {reason}"
        raise UndefinedMetricError(msg)
    ranked, value_of = _ranked(measure, data), valuation(measure, data)
    highest = _highest(ranked, max_grade)
    parts = []
    for block in ranked.blocks():
        rankings, numbers = ranked.take(block).widened(), np.arange(block.start, block.stop)

        def value(
            filled: list[JudgedRankings], query: IntArray, numbers: IntArray = numbers
        ) -> FloatArray:
            return value_of(Block(numbers[query], filled[0], filled[0]))

        given = Candidates(np.arange(len(rankings)), scored.values[block])
        unjudged = open_items_of(rankings, measure.k)
        part = _candidates(measure, [rankings], unjudged, highest, value, given)
        parts.append(part._replace(query=numbers[part.query]))
    candidates = Candidates.join(parts)
    low, high, undefined = candidates.extremes(len(ranked))
    least, greatest = (_mean(scored, data, candidates, greatest=end) for end in (False, True))
    return Bounds(str(measure), least, greatest, low, high, data.query_ids, undefined)


def _ranked(measure: Measure, data: RankingData) -> JudgedRankings:
    return data.by_score if measure.metric.by_score else data.rankings


def _mean(scored: Scored, data: RankingData, candidates: Candidates, *, greatest: bool) -> float:
    """The extreme mean, averaged as the value was."""
    compared = np.where(np.isnan(candidates.values), scored.undefined, candidates.values)
    compared = on_scale(compared, scored.measure.metric.geometric_from)
    compared_by_query = candidates._replace(values=compared)
    chosen = extreme_choice(compared_by_query, data.weights, greatest=greatest)
    picked = candidates.values[chosen]
    mean = averaged(scored.measure, data, picked, data.weights, scored.undefined).average.value
    value = scored.average.value
    if math.isnan(value):
        return mean
    # That nothing unjudged is relevant is one of the gradings, whatever rounding says.
    return max(mean, value) if greatest else min(mean, value)


def _candidates(
    measure: Measure,
    sides: Sequence[JudgedRankings],
    unjudged: OpenItems,
    max_grade: float,
    value: Value,
    given: Candidates,
) -> Candidates:
    """The given values, and those among which the extremes of queries with unjudged items are.

    There is one side, or two, whose values are subtracted.
    """
    todo = np.flatnonzero((unjudged.sizes > 0) | (unjudged.absent > 0))
    if not len(todo):
        return given
    sides, unjudged = [side.take(todo) for side in sides], unjudged.take(todo)
    every, of_one = np.arange(len(todo)), len(sides) == 1
    refuse_moving_ties(measure, sides, unjudged)

    def value_of(filled: list[JudgedRankings], query: IntArray) -> FloatArray:
        return value(filled, todo[query])

    if measure.metric.name == "ndcg":
        systems = list(zip((1.0, -1.0), sides, strict=False))
        both = ndcg_extremes(measure, systems, unjudged, max_grade)
        found = Candidates(np.tile(every, 2), np.concatenate(both))
    elif of_one and measure.metric.name in ("map", "gmap"):
        found = Candidates(every, value_of(list(sides), every))
        if max_grade >= (measure.options["min_rel"] or np.nextafter(0.0, 1.0)):
            relevant = relevant_alone(measure, sides[0])
            found = average_precision_extremes(measure, relevant, unjudged, found.values)
    else:
        maker = checked_maker(measure, sides[0], unjudged, max_grade, change=not of_one)
        found = values_of_gradings(sides, unjudged, maker, value_of)
    return Candidates.join([given, found._replace(query=todo[found.query])])


# Changes -----------------------------------------------------------------------------------------


def bounds_of_change(
    new: Evaluation,
    old: Evaluation,
    measure: str | Measure,
    *,
    max_grade: float | None = None,
) -> Bounds:
    """Least and greatest change of a measure over all ways to grade the unjudged items.

    Both systems may have retrieved the same unjudged item, whose grade is the same for both, and
    the ideal of a query is, too. So these bounds are much narrower than the difference between the
    bounds of each system alone.

    Parameters
    ----------
    new, old : Evaluation
        Of the same ground truth, with ``keep_items=True``. Queries are joined by id; those that
        only one of them has are left out.
    measure : str or Measure
        One of the measures that both have, in any spelling.
    max_grade
        As in :meth:`Evaluation.bounds`.

    Returns
    -------
    bounds : Bounds
        Of the value of ``new`` minus that of ``old``, in the order of the queries of ``new``.

    Raises
    ------
    UndefinedMetricError
        If the change has no exact bounds, or none that are found in time.
    InvalidParameterError
        If an argument has a value that its rule does not allow, ids of items were not kept, or
        the two were read or count the measure in other ways.
    QueryMismatchError
        If they have no query in common, or other judgements of one.

    Examples
    --------
    >>> from sklearn_rank import bounds_of_change, evaluate
    >>> truth = {"q": {"a": 2, "b": 1, "c": 0}}
    >>> old, new = (
    ...     evaluate(truth, {"q": ranking}, "ndcg@3", keep_items=True)
    ...     for ranking in (["a", "b", "c"], ["a", "x", "b"])
    ... )
    >>> bounds = bounds_of_change(new, old, "ndcg@3")
    >>> round(bounds.low, 4), round(bounds.high, 4)
    (-0.0361, 0.3267)
    """
    for evaluation in (new, old):
        if not isinstance(evaluation, Evaluation):
            msg = f"bounds_of_change takes results of evaluate, got {safe_repr(evaluation)}"
            raise TypeError(msg)
    scored, other = (one._scored[find_measure(measure, one._scored)] for one in (new, old))
    if other.measure != scored.measure:
        msg = f"the evaluations count one measure in two ways: {scored.measure}, {other.measure}"
        raise InvalidParameterError(msg)
    sides, items = [], []
    for evaluation, queries in zip((new, old), _common_queries([new, old]), strict=True):
        data = evaluation._judged
        if data.has_relevance:
            msg = (
                "a change has no bounds where relevance= ranks items in a second way; pass "
                "{item: score} rankings"
            )
            raise UndefinedMetricError(msg)
        unjudged = unjudged_items(data)
        sides.append(data.rankings.take(queries))
        items.append([[item.item for item in unjudged[query]] for query in queries.tolist()])
    return bound_changes(
        scored.measure,
        sides[0],
        sides[1],
        *item_codes(*items),
        max_grade=max_grade,
        zero_division=scored.undefined,
    )


def _common_queries(evaluations: Sequence[Evaluation]) -> list[IntArray]:
    ids = [evaluation._judged.listed_ids() for evaluation in evaluations]
    numbers = common_queries(ids)
    if not len(numbers[0]):
        msg = f"the evaluations have no query in common: {' against '.join(map(format_list, ids))}"
        raise QueryMismatchError(msg)
    named = dict(zip(("new", "old"), evaluations, strict=False))
    refuse_other_options({name: one.reading for name, one in named.items()})
    judged = {name: one._judged for name, one in named.items()}
    refuse_other_judgements(judged, dict(zip(named, numbers, strict=True)))
    return numbers


def bound_changes(
    measure: Measure,
    new: JudgedRankings,
    old: JudgedRankings,
    new_codes: IntArray,
    old_codes: IntArray,
    *,
    max_grade: Any = None,
    zero_division: float = math.nan,
) -> Bounds:
    """Bounds for two rankings of the same queries, in one order, weighed as ``new`` says.

    ``new_codes`` and ``old_codes`` number the unjudged items of each, in rank order;
    within a query one number is one item.
    """
    reason = cannot_bound(measure, change=True)
    if reason:
        msg = f"the change of {measure} has no bounds over all gradings: {reason}"
        raise UndefinedMetricError(msg)
    differ = np.flatnonzero(new.n_relevant != old.n_relevant)
    if not len(differ):
        query = np.repeat(np.arange(len(new)), new.n_relevant)
        known = [side.all_grades[np.lexsort((side.all_grades, query))] for side in (new, old)]
        differ = query[known[0] != known[1]]
    if len(differ):
        msg = (
            f"query {safe_repr(new.query_ids[differ[0]])} has other judgements in the two "
            "evaluations, and a change that comes of both has no bounds; evaluate both with one "
            "ground truth"
        )
        raise InvalidParameterError(msg)
    highest = _highest(new, max_grade)
    sides, every = [new.widened(), old.widened()], np.arange(len(new))
    unknown = no_items("only places of items are known")
    value_of = [valuation(measure, RankingData(side, unknown)) for side in sides]

    def change(filled: Sequence[JudgedRankings], query: IntArray) -> FloatArray:
        values = [one(Block(query, side, side)) for one, side in zip(value_of, filled, strict=True)]
        first, second = (np.where(np.isnan(one), zero_division, one) for one in values)
        return np.asarray(first - second)

    unjudged = shared_open_items(sides, (new_codes, old_codes), measure.k)
    given = Candidates(every, change(sides, every))
    candidates = _candidates(measure, sides, unjudged, highest, change, given)
    least, greatest = (
        average(
            candidates.values[extreme_choice(candidates, new.weights, greatest=end)],
            new.weights,
            present=None if new.weights is None else new.weights > 0,
            zero_division=math.nan,
            measure=measure,
            query_ids=new.query_ids,
        ).value
        for end in (False, True)
    )
    low, high, undefined = candidates.extremes(len(new))
    return Bounds(str(measure), least, greatest, low, high, new.query_ids, undefined)


# What to judge next ------------------------------------------------------------------------------


def next_to_judge(
    evaluations: Sequence[Evaluation],
    measure: str | Measure | None,
    n: int | None,
    max_grade: float | None,
) -> list[ToJudge]:
    """Items of one evaluation, or of two over their common queries, the largest move first."""
    first = evaluations[0]._scored
    name = next(iter(first)) if measure is None else find_measure(measure, first)
    scored = first[name]
    if scored.values is None:
        msg = f"{name} ranks all queries together; its items have no query to be judged for"
        raise InvalidParameterError(msg)
    numbers = _common_queries(evaluations)
    systems = [
        _system(evaluation, scored.measure, one)
        for evaluation, one in zip(evaluations, numbers, strict=True)
    ]
    ids = evaluations[0]._judged.listed_ids()
    return to_judge(
        systems,
        [ids[number] for number in numbers[0].tolist()],
        n,
        max_grade=highest_grade(systems[0].rankings) if max_grade is None else max_grade,
        weights=None if scored.weights is None else scored.weights[numbers[0]],
        undefined=scored.undefined,
    )


def _system(evaluation: Evaluation, measure: Measure, numbers: IntArray) -> System:
    """One side, of some queries."""
    data, scored = evaluation._judged, evaluation._scored
    record = scored[find_measure(measure, scored)].measure
    value, items = valuation(record, data), unjudged_items(data, record.depth)
    return System(
        _ranked(record, data).take(numbers),
        [items[number] for number in numbers.tolist()],
        lambda one, queries: value(Block(numbers[queries], one, one)),
    )
