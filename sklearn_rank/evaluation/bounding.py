"""Bounds of a measure that was evaluated, over all ways to grade the items that nobody judged."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.bounds.candidates import (
    Candidates,
    Value,
    extreme_choice,
    values_of_gradings,
)
from sklearn_rank.bounds.families import (
    cannot_bound,
    checked_maker,
    needs_divided_ties_apart,
    reach,
    refuse_moving_ties,
)
from sklearn_rank.bounds.gain import ndcg_extremes
from sklearn_rank.bounds.holes import Holes, apart_from_cut, highest_grade, holes_of
from sklearn_rank.bounds.precision import average_precision_extremes, sums_by_formula
from sklearn_rank.bounds.result import Bounds
from sklearn_rank.evaluation.compute import (
    Block,
    Scored,
    averaged,
    logarithms,
    own_weights,
    relevant_alone,
    valuation,
)
from sklearn_rank.exceptions import InvalidParameterError, UndefinedMetricError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.checks import check_integer, check_number, check_option
from sklearn_rank.typing import FloatArray, IntArray


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
    scored: Scored, judged: RankingData, *, scope: Any, max_grade: Any, unretrieved: Any
) -> Bounds:
    """Bounds of the value of every query, and of their mean."""
    measure = scored.measure
    reason = cannot_bound(measure)
    if reason or scored.values is None:
        msg = f"{measure} has no bounds over all gradings: {reason}"
        raise UndefinedMetricError(msg)
    if judged.by_relevance is not None and measure.metric.combines:
        msg = f"{measure} has no bounds over all gradings where relevance= ranks in a second way"
        raise UndefinedMetricError(msg)
    rankings = judged.by_score if measure.metric.by_score else judged.rankings
    room = read_room(measure, rankings, scope, max_grade, unretrieved)
    candidates = Candidates.join(list(map(_candidates(scored, judged, room), rankings.blocks())))
    if judged.weights is not None:
        weights = candidates.weights * judged.weights[candidates.query]
        candidates = candidates._replace(weights=weights)
    low, high, undefined = candidates.extremes(len(rankings))
    least, greatest = (_mean(scored, judged, candidates, greatest=end) for end in (False, True))
    return Bounds(str(measure), least, greatest, low, high, judged.query_ids, undefined)


def _mean(scored: Scored, judged: RankingData, candidates: Candidates, *, greatest: bool) -> float:
    """The extreme mean, averaged as the value was."""
    settled = math.nan if isinstance(scored.zero_division, str) else scored.zero_division
    compared = np.where(np.isnan(candidates.values), settled, candidates.values)
    least = scored.measure.metric.geometric_from
    if least is not None:
        compared = logarithms(compared, least)
    chosen = extreme_choice(candidates._replace(values=compared), greatest=greatest)
    weights = None if scored.weights is None else candidates.weights[chosen]
    picked = candidates.values[chosen]
    mean = averaged(scored.measure, judged, picked, weights, settled).average.value
    value = scored.average.value
    if math.isnan(value):
        return mean
    # That nothing unjudged is relevant is one of the gradings, whatever rounding says.
    return max(mean, value) if greatest else min(mean, value)


def _candidates(scored: Scored, judged: RankingData, room: Room) -> Callable[[slice], Candidates]:
    """Function from a block of queries to the values that they may take."""
    measure, value_of = scored.measure, valuation(scored.measure, judged)
    ranked = judged.by_score if measure.metric.by_score else judged.rankings

    def candidates_of(block: slice) -> Candidates:
        rankings, numbers = ranked.part(block).widened(), np.arange(block.start, block.stop)
        assert scored.values is not None
        given = Candidates.of(numbers, scored.values[block], own_weights(measure, rankings))
        holes = holes_of(rankings, reach(measure), room.unretrieved)
        todo = np.flatnonzero((holes.sizes > 0) | (holes.absent > 0))
        if not len(todo):
            return given
        rankings, numbers, holes = rankings.take(todo), numbers[todo], holes.take(todo)
        refuse_moving_ties(measure, [rankings], holes)

        def value(filled: list[JudgedRankings], query: IntArray) -> FloatArray:
            return value_of(Block(numbers[query], filled[0], filled[0]))

        extremes = _extremes(measure, rankings, holes, room.max_grade, value)
        return Candidates.join([given, extremes._replace(query=numbers[extremes.query])])

    return candidates_of


def _extremes(
    measure: Measure, rankings: JudgedRankings, holes: Holes, max_grade: float, value: Value
) -> Candidates:
    """Values among which the extremes of queries with unjudged items are."""
    if measure.metric.name == "ndcg":
        both = ndcg_extremes(measure, [(1.0, rankings)], holes, max_grade)
        return Candidates.of(np.tile(np.arange(len(rankings)), 2), np.concatenate(both))
    if sums_by_formula(measure):
        known = value([rankings], np.arange(len(rankings)))
        if max_grade < (measure.options["min_rel"] or np.nextafter(0.0, 1.0)):
            return Candidates.of(np.arange(len(rankings)), known)
        relevant = relevant_alone(measure, rankings)
        return average_precision_extremes(measure, relevant, holes, known)
    if needs_divided_ties_apart(measure) and measure.k is not None:
        holes = apart_from_cut(holes, measure.k)

    def weigh(filled: list[JudgedRankings], _: IntArray) -> FloatArray:
        weights = own_weights(measure, filled[0])
        assert weights is not None
        return weights

    by_grading = own_weights(measure, rankings) is not None
    maker = checked_maker(measure, rankings, holes, max_grade)
    return values_of_gradings([rankings], holes, maker, value, weigh if by_grading else None)
