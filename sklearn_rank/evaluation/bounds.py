"""Bounds over all gradings of unjudged items, of a value or a change, and what to judge next."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_rank.bounds.families import (
    cannot_bound,
    checked_maker,
    needs_divided_ties_apart,
    reach,
    refuse_moving_ties,
)
from sklearn_rank.bounds.formulas import average_precision_extremes, ndcg_extremes, sums_by_formula
from sklearn_rank.bounds.gradings import Candidates, Value, extreme_choice, values_of_gradings
from sklearn_rank.bounds.to_judge import System, ToJudge, to_judge
from sklearn_rank.bounds.unjudged import (
    Bounds,
    OpenItems,
    apart_from_cut,
    highest_grade,
    open_items_of,
    shared_open_items,
)
from sklearn_rank.evaluation.averaging import average, logarithms
from sklearn_rank.evaluation.compute import (
    Block,
    Scored,
    averaged,
    find_measure,
    own_weights,
    relevant_alone,
    valuation,
)
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError, UndefinedMetricError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import NoPool, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import item_codes, unjudged_items
from sklearn_rank.support.checks import check_integer, check_number, check_option
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

__all__ = ["bounds_of_change"]


class Room(NamedTuple):
    """What the unjudged items may be."""

    max_grade: float
    unretrieved: int
    """Items of a query that were not retrieved and may be relevant, at most."""


def read_room(
    measure: Measure, rankings: JudgedRankings, scope: Any, max_grade: Any, unretrieved: Any
) -> Room:
    """The checked arguments; InvalidParameterError says what is wrong with them."""
    check_option(scope, "scope", ("retrieved", "all"), "bounds")
    if max_grade is None:
        max_grade = highest_grade(rankings)
    check_number(max_grade, "max_grade", "bounds", at_least=0)
    if scope == "all":
        return Room(float(max_grade), _unretrieved(measure, unretrieved))
    if unretrieved is not None:
        msg = (
            "unretrieved says how many items that were not retrieved may be relevant; pass "
            "scope='all' as well"
        )
        raise InvalidParameterError(msg)
    return Room(float(max_grade), 0)


def _unretrieved(measure: Measure, given: Any) -> int:
    """How many, as many as the cutoff unless told."""
    if given is not None:
        return check_integer(given, "unretrieved", "bounds", at_least=0)
    number = reach(measure) or measure.k
    if number is None:
        msg = (
            f"{measure} has no cutoff, so any number of items that were not retrieved could be "
            "relevant; say how many of a query at most: unretrieved="
        )
        raise InvalidParameterError(msg)
    return number


def bounds_of(
    scored: Scored, data: RankingData, *, scope: Any, max_grade: Any, unretrieved: Any
) -> Bounds:
    """Bounds of the value of every query, and of their mean."""
    measure = scored.measure
    reason = cannot_bound(measure)
    if reason or scored.values is None:
        msg = f"{measure} has no bounds over all gradings: {reason}"
        raise UndefinedMetricError(msg)
    if data.by_relevance is not None and measure.metric.combines:
        msg = f"{measure} has no bounds over all gradings where relevance= ranks in a second way"
        raise UndefinedMetricError(msg)
    rankings = data.by_score if measure.metric.by_score else data.rankings
    room = read_room(measure, rankings, scope, max_grade, unretrieved)
    candidates = Candidates.join(list(map(_candidates(scored, data, room), rankings.blocks())))
    if data.weights is not None:
        weights = candidates.weights * data.weights[candidates.query]
        candidates = candidates._replace(weights=weights)
    low, high, undefined = candidates.extremes(len(rankings))
    least, greatest = (_mean(scored, data, candidates, greatest=end) for end in (False, True))
    return Bounds(str(measure), least, greatest, low, high, data.query_ids, undefined)


def _mean(scored: Scored, data: RankingData, candidates: Candidates, *, greatest: bool) -> float:
    """The extreme mean, averaged as the value was."""
    settled = math.nan if isinstance(scored.zero_division, str) else scored.zero_division
    compared = np.where(np.isnan(candidates.values), settled, candidates.values)
    least = scored.measure.metric.geometric_from
    if least is not None:
        compared = logarithms(compared, least)
    chosen = extreme_choice(candidates._replace(values=compared), greatest=greatest)
    weights = None if scored.weights is None else candidates.weights[chosen]
    picked = candidates.values[chosen]
    mean = averaged(scored.measure, data, picked, weights, settled).average.value
    value = scored.average.value
    if math.isnan(value):
        return mean
    # That nothing unjudged is relevant is one of the gradings, whatever rounding says.
    return max(mean, value) if greatest else min(mean, value)


def _candidates(scored: Scored, data: RankingData, room: Room) -> Callable[[slice], Candidates]:
    """Function from a block of queries to the values that they may take."""
    measure, value_of = scored.measure, valuation(scored.measure, data)
    ranked = data.by_score if measure.metric.by_score else data.rankings

    def candidates_of(block: slice) -> Candidates:
        rankings, numbers = ranked.part(block).widened(), np.arange(block.start, block.stop)
        assert scored.values is not None
        given = Candidates.of(numbers, scored.values[block], own_weights(measure, rankings))
        unjudged = open_items_of(rankings, reach(measure), room.unretrieved)
        todo = np.flatnonzero((unjudged.sizes > 0) | (unjudged.absent > 0))
        if not len(todo):
            return given
        rankings, numbers, unjudged = rankings.take(todo), numbers[todo], unjudged.take(todo)
        refuse_moving_ties(measure, [rankings], unjudged)

        def value(filled: list[JudgedRankings], query: IntArray) -> FloatArray:
            return value_of(Block(numbers[query], filled[0], filled[0]))

        extremes = _extremes(measure, rankings, unjudged, room.max_grade, value)
        return Candidates.join([given, extremes._replace(query=numbers[extremes.query])])

    return candidates_of


def _extremes(
    measure: Measure,
    rankings: JudgedRankings,
    unjudged: OpenItems,
    max_grade: float,
    value: Value,
) -> Candidates:
    """Values among which the extremes of queries with unjudged items are."""
    if measure.metric.name == "ndcg":
        both = ndcg_extremes(measure, [(1.0, rankings)], unjudged, max_grade)
        return Candidates.of(np.tile(np.arange(len(rankings)), 2), np.concatenate(both))
    if sums_by_formula(measure):
        known = value([rankings], np.arange(len(rankings)))
        if max_grade < (measure.options["min_rel"] or np.nextafter(0.0, 1.0)):
            return Candidates.of(np.arange(len(rankings)), known)
        relevant = relevant_alone(measure, rankings)
        return average_precision_extremes(measure, relevant, unjudged, known)
    if needs_divided_ties_apart(measure) and measure.k is not None:
        unjudged = apart_from_cut(unjudged, measure.k)

    def weigh(filled: list[JudgedRankings], _: IntArray) -> FloatArray:
        weights = own_weights(measure, filled[0])
        assert weights is not None
        return weights

    by_grading = own_weights(measure, rankings) is not None
    maker = checked_maker(measure, rankings, unjudged, max_grade)
    return values_of_gradings([rankings], unjudged, maker, value, weigh if by_grading else None)


# Of a change -------------------------------------------------------------------------------------


def bounds_of_change(
    new: Evaluation,
    old: Evaluation,
    measure: str | Measure,
    *,
    scope: Literal["retrieved", "all"] = "retrieved",
    max_grade: float | None = None,
    unretrieved: int | None = None,
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
    scope, max_grade, unretrieved
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
        the two have other judgements or count the measure in other ways.
    QueryMismatchError
        If they have no query in common.

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
    scored, other = (
        evaluation._scored[find_measure(measure, evaluation._scored)] for evaluation in (new, old)
    )
    if other.measure != scored.measure:
        msg = f"the evaluations count one measure in two ways: {scored.measure}, {other.measure}"
        raise InvalidParameterError(msg)
    of_new, of_old = _common_queries(new._judged, old._judged)
    rankings, items = _of_queries(new._judged, of_new)
    old_rankings, old_items = _of_queries(old._judged, of_old)
    codes, old_codes = item_codes(items, old_items)
    settled = scored.zero_division
    return bound_changes(
        scored.measure,
        rankings,
        old_rankings,
        codes,
        old_codes,
        scope=scope,
        max_grade=max_grade,
        unretrieved=unretrieved,
        zero_division=math.nan if isinstance(settled, str) else settled,
    )


def _common_queries(new: RankingData, old: RankingData) -> tuple[list[int], list[int]]:
    """Numbers of the queries that both have, in the order of the first."""
    place = {query: number for number, query in enumerate(old.listed_ids())}
    common = [
        (number, place[query]) for number, query in enumerate(new.listed_ids()) if query in place
    ]
    if not common:
        msg = (
            f"the evaluations have no query in common: {format_list(new.listed_ids())} against "
            f"{format_list(old.listed_ids())}"
        )
        raise QueryMismatchError(msg)
    of_new, of_old = zip(*common, strict=True)
    return list(of_new), list(of_old)


def _of_queries(data: RankingData, queries: list[int]) -> tuple[JudgedRankings, list[list[Any]]]:
    """Rankings of some queries, and the ids of their unjudged items."""
    if data.by_relevance is not None:
        msg = (
            "a change has no bounds where relevance= ranks items in a second way; pass "
            "{item: score} rankings"
        )
        raise UndefinedMetricError(msg)
    items = unjudged_items(data)
    return data.rankings.take(np.array(queries)), [
        [item.item for item in items[query]] for query in queries
    ]


def bound_changes(
    measure: Measure,
    new: JudgedRankings,
    old: JudgedRankings,
    new_codes: IntArray,
    old_codes: IntArray,
    *,
    scope: Any = "retrieved",
    max_grade: Any = None,
    unretrieved: Any = None,
    zero_division: float = math.nan,
) -> Bounds:
    """The same for two rankings of the same queries, in one order, weighed as ``new`` says.

    ``new_codes`` and ``old_codes`` number the unjudged items of each, in rank order;
    within a query one number is one item.
    """
    reason = cannot_bound(measure, change=True)
    if reason:
        msg = f"the change of {measure} has no bounds over all gradings: {reason}"
        raise UndefinedMetricError(msg)
    _refuse_other_judgements(new, old)
    room = read_room(measure, new, scope, max_grade, unretrieved)
    new, old = new.widened(), old.widened()
    unjudged = shared_open_items(
        (new, old), (new_codes, old_codes), reach(measure), room.unretrieved
    )
    refuse_moving_ties(measure, (new, old), unjudged)
    candidates = _change_candidates(measure, (new, old), unjudged, room, zero_division)
    if new.weights is not None:
        candidates = candidates._replace(weights=new.weights[candidates.query])
    least, greatest = (_mean_change(measure, new, candidates, end) for end in (False, True))
    low, high, undefined = candidates.extremes(len(new))
    return Bounds(str(measure), least, greatest, low, high, new.query_ids, undefined)


def _refuse_other_judgements(new: JudgedRankings, old: JudgedRankings) -> None:
    """InvalidParameterError unless the same grades are known of each query."""
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


def _change_candidates(
    measure: Measure,
    sides: Sequence[JudgedRankings],
    unjudged: OpenItems,
    room: Room,
    settled: float,
) -> Candidates:
    """Changes that queries may take: that of the evaluations, and the extremes."""
    value_of = [
        valuation(measure, RankingData(side, NoPool("only places of items are known")))
        for side in sides
    ]

    def change(filled: Sequence[JudgedRankings], query: IntArray) -> FloatArray:
        new, old = (
            function(Block(query, side, side))
            for function, side in zip(value_of, filled, strict=True)
        )
        if not math.isnan(settled):
            new, old = (np.where(np.isnan(values), settled, values) for values in (new, old))
        return np.asarray(new - old)

    every = np.arange(len(sides[0]))
    given = Candidates.of(every, change(sides, every))
    todo = np.flatnonzero((unjudged.sizes > 0) | (unjudged.absent > 0))
    if not len(todo):
        return given
    chosen, own = [side.take(todo) for side in sides], unjudged.take(todo)
    if measure.metric.name == "ndcg":
        systems = list(zip((1.0, -1.0), chosen, strict=True))
        least, greatest = ndcg_extremes(measure, systems, own, room.max_grade)
        return Candidates.join([given, Candidates.of(todo, least), Candidates.of(todo, greatest)])
    maker = checked_maker(measure, chosen[0], own, room.max_grade, change=True)
    extremes = values_of_gradings(
        chosen, own, maker, lambda filled, query: change(filled, todo[query])
    )
    return Candidates.join([given, extremes._replace(query=todo[extremes.query])])


def _mean_change(
    measure: Measure, new: JudgedRankings, candidates: Candidates, greatest: bool
) -> float:
    """The extreme mean of changes."""
    chosen = extreme_choice(candidates, greatest=greatest)
    return average(
        candidates.values[chosen],
        new.weights,
        present=None if new.weights is None else new.weights > 0,
        zero_division=math.nan,
        measure=measure,
        query_ids=new.query_ids,
    ).value


# What to judge next ------------------------------------------------------------------------------

Side = tuple[Mapping[str, Scored], RankingData]
"""What an evaluation knows."""


def next_to_judge(
    evaluations: Sequence[Side],
    measure: str | Measure | None,
    n: int | None,
    max_grade: float | None,
) -> list[ToJudge]:
    """Items of one evaluation, or of two over their common queries, the largest move first."""
    first, data = evaluations[0]
    name = next(iter(first)) if measure is None else find_measure(measure, first)
    scored = first[name]
    if scored.values is None:
        msg = f"{name} ranks all queries together; its items have no query to be judged for"
        raise InvalidParameterError(msg)
    ids = data.listed_ids()
    numbers = [_common(ids, own.listed_ids()) for _, own in evaluations]
    common = np.flatnonzero(np.logical_and.reduce([own >= 0 for own in numbers]))
    if not len(common):
        msg = "the two evaluations have no query in common"
        raise QueryMismatchError(msg)
    systems = [
        _system(own[find_measure(scored.measure, own)].measure, own_judged, places[common])
        for (own, own_judged), places in zip(evaluations, numbers, strict=True)
    ]
    undefined = scored.zero_division
    return to_judge(
        systems,
        [ids[number] for number in common.tolist()],
        n,
        max_grade=highest_grade(systems[0].rankings) if max_grade is None else max_grade,
        weights=None if scored.weights is None else scored.weights[common],
        undefined=np.nan if isinstance(undefined, str) else float(undefined),
    )


def _common(ids: Sequence[Any], other: Sequence[Any]) -> IntArray:
    """Number of each query in another evaluation; -1 where it has none."""
    known = {query: number for number, query in enumerate(other)}
    return np.array([known.get(query, -1) for query in ids], dtype=np.int64)


def _system(measure: Measure, data: RankingData, numbers: IntArray) -> System:
    """One side, of some queries."""
    rankings = data.by_score if measure.metric.by_score else data.rankings
    items = unjudged_items(data, measure.depth)
    value = valuation(measure, data)
    return System(
        rankings.take(numbers),
        [items[number] for number in numbers.tolist()],
        lambda own, queries: value(Block(numbers[queries], own, own)),
    )
