"""Bounds of the change between two systems: one grading of the unjudged items holds for both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from sklearn_rank.bounds.candidates import Candidates, extreme_choice, values_of_gradings
from sklearn_rank.bounds.families import (
    cannot_bound,
    checked_maker,
    reach,
    refuse_moving_ties,
)
from sklearn_rank.bounds.gain import ndcg_extremes
from sklearn_rank.bounds.holes import Holes
from sklearn_rank.bounds.pairs import shared_holes
from sklearn_rank.bounds.result import Bounds
from sklearn_rank.evaluation.averaging import average
from sklearn_rank.evaluation.bounding import Room, read_room
from sklearn_rank.evaluation.by_measure import find_measure
from sklearn_rank.evaluation.compute import Block, valuation
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError, UndefinedMetricError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import NoPool, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.unjudged_items import item_codes, unjudged_items
from sklearn_rank.support.text import listed, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

__all__ = ["bounds_of_change"]


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
            f"the evaluations have no query in common: {listed(new.listed_ids())} against "
            f"{listed(old.listed_ids())}"
        )
        raise QueryMismatchError(msg)
    of_new, of_old = zip(*common, strict=True)
    return list(of_new), list(of_old)


def _of_queries(judged: RankingData, queries: list[int]) -> tuple[JudgedRankings, list[list[Any]]]:
    """Rankings of some queries, and the ids of their unjudged items."""
    if judged.by_relevance is not None:
        msg = (
            "a change has no bounds where relevance= ranks items in a second way; pass "
            "{item: score} rankings"
        )
        raise UndefinedMetricError(msg)
    items = unjudged_items(judged)
    return judged.rankings.take(np.array(queries)), [
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

    ``new_codes`` and ``old_codes`` number the unjudged items of each, in the order of the waist;
    within a query one number is one item.
    """
    reason = cannot_bound(measure, change=True)
    if reason:
        msg = f"the change of {measure} has no bounds over all gradings: {reason}"
        raise UndefinedMetricError(msg)
    _refuse_other_judgements(new, old)
    room = read_room(measure, new, scope, max_grade, unretrieved)
    new, old = new.widened(), old.widened()
    holes = shared_holes((new, old), (new_codes, old_codes), reach(measure), room.unretrieved)
    refuse_moving_ties(measure, (new, old), holes)
    candidates = _candidates(measure, (new, old), holes, room, zero_division)
    if new.weights is not None:
        candidates = candidates._replace(weights=new.weights[candidates.query])
    least, greatest = (_mean(measure, new, candidates, greatest=end) for end in (False, True))
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


def _candidates(
    measure: Measure,
    sides: Sequence[JudgedRankings],
    holes: Holes,
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
    todo = np.flatnonzero((holes.sizes > 0) | (holes.absent > 0))
    if not len(todo):
        return given
    chosen, own = [side.take(todo) for side in sides], holes.take(todo)
    if measure.metric.name == "ndcg":
        systems = list(zip((1.0, -1.0), chosen, strict=True))
        least, greatest = ndcg_extremes(measure, systems, own, room.max_grade)
        return Candidates.join([given, Candidates.of(todo, least), Candidates.of(todo, greatest)])
    maker = checked_maker(measure, chosen[0], own, room.max_grade, change=True)
    extremes = values_of_gradings(
        chosen, own, maker, lambda filled, query: change(filled, todo[query])
    )
    return Candidates.join([given, extremes._replace(query=todo[extremes.query])])


def _mean(
    measure: Measure, new: JudgedRankings, candidates: Candidates, *, greatest: bool
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
