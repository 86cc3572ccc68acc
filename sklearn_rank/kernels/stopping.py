"""Measures of a user who reads down the list and stops where an item satisfies: ERR."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.expectation import depth, where_relevant
from sklearn_rank.kernels.gain import exponential
from sklearn_rank.rankings.grade_counts import best_of
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import (
    BLOCK,
    offsets_of,
    segment_index,
    segment_sum,
    similar_length_blocks,
)
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

_NOBODY = 1e-20
"""A probability this small of still reading adds nothing to an expectation."""
_DRAWS = 300
"""At most so many items of one group are expected among the draws: exp(-300) does not underflow."""


def err(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> FloatArray:
    """Expected one over the rank at which a user, satisfied by chance, stops."""
    cut = depth(rankings, k)
    read, top = rankings.within(cut), _top_grades(rankings, max_grade)
    stops = _stops(read.grades, np.repeat(top, read.n_hits))
    value = _expected_stop(stops, read.above, read.tied, read.offsets, cut)
    return where_relevant(rankings, value)


def nerr(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> FloatArray:
    """ERR over the ERR of the best order of all relevant items."""
    cut, top, levels = depth(rankings, k), _top_grades(rankings, max_grade), rankings.levels
    if levels is not None:
        grades, offsets = levels.best(levels.grades, cut)
    else:
        grades, offsets = best_of(rankings.judged_grades, rankings.judged_offsets, cut)
    stops = _stops(grades, np.repeat(top, np.diff(offsets)))
    place = np.arange(len(stops)) - np.repeat(offsets[:-1], np.diff(offsets))
    best = _expected_stop(stops, place, np.ones(len(stops), dtype=np.int64), offsets, cut)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(best > 0, err(rankings, k=k, max_grade=max_grade) / best, np.nan)


def _top_grades(rankings: JudgedRankings, max_grade: Any) -> FloatArray:
    if max_grade == "query":
        return rankings.max_grade
    if rankings.max_grade.max(initial=0.0) > max_grade:
        msg = (
            f"max_grade is {max_grade:g}, but a grade of {rankings.max_grade.max():g} is in y_true"
        )
        raise InvalidParameterError(msg)
    return np.full(len(rankings), float(max_grade))


def _stops(grades: FloatArray, top: FloatArray) -> FloatArray:
    """Probability (2^grade - 1) / 2^top that an item satisfies."""
    return exponential(grades, top)


def _expected_stop(
    stops: FloatArray, above: IntArray, tied: IntArray, offsets: IntArray, cut: int
) -> FloatArray:
    """Sum over relevant items of P(nobody stopped before) * P(stops here) / rank."""
    reading = _still_reading(stops, offsets)
    shares = np.where(above < cut, stops / (above + 1), 0.0)
    in_tie = np.flatnonzero((tied > 1) & (above < cut))
    if len(in_tie):
        query = segment_index(offsets)[in_tie]
        new = np.ones(len(in_tie), dtype=bool)
        new[1:] = (above[in_tie][1:] != above[in_tie][:-1]) | (query[1:] != query[:-1])
        first = in_tie[new]
        relevant = np.diff(np.flatnonzero(new), append=len(in_tie))
        shares[in_tie] = 0.0
        read = reading[first] > _NOBODY
        first, relevant = first[read], relevant[read]
        shares[first] = _tied_stop(stops, first, relevant, above[first], tied[first], cut)
    return segment_sum(shares * reading, offsets)


def _still_reading(stops: FloatArray, offsets: IntArray) -> FloatArray:
    """(H,) probability that nobody stopped at an earlier relevant item of the query."""
    lengths = np.diff(offsets)
    reading = np.empty(len(stops))
    for block in similar_length_blocks(lengths):
        width = int(lengths[block].max())
        places = offsets[:-1][block][:, None] + np.arange(width)
        valid = np.arange(width) < lengths[block][:, None]
        passing = np.where(valid, 1.0 - stops[np.where(valid, places, 0)], 1.0)
        before = np.ones_like(passing)
        np.cumprod(passing[:, :-1], axis=1, out=before[:, 1:])
        reading[places[valid]] = before[valid]
    return reading


class _Alike(NamedTuple):
    """Items of a tie that satisfy with the same probability; the largest such group first."""

    offsets: IntArray
    """Of the groups of each tie."""
    stops: FloatArray
    counts: IntArray


def _tied_stop(
    stops: FloatArray,
    first: IntArray,
    relevant: IntArray,
    above: IntArray,
    size: IntArray,
    cut: int,
) -> FloatArray:
    """Expected stop / rank within tie groups, for a reader who arrives at the group.

    Let G(t) be the expected probability that one of t items drawn from the group satisfies. By
    summation by parts the expectation is the sum of G(t) / ((a + t) (a + t + 1)) below the last
    place m, and G(m) / (a + m). All terms are positive, so nothing cancels.
    """
    inside = np.minimum(size, cut - above)
    groups = _alike(stops, first, relevant, size)
    # After Maclaurin, t draws satisfy nobody with a probability of at most (1 - mean)^t.
    mean = np.minimum(segment_sum(groups.stops * groups.counts, groups.offsets) / size, 1.0)
    with np.errstate(divide="ignore"):
        enough = np.ceil(math.log(_NOBODY) / np.log1p(-mean))
    drawn = np.minimum(inside, np.maximum(enough, 1.0)).astype(np.int64)
    result = np.empty(len(first))
    widths = _rounded_up(drawn)
    for width in np.unique(widths).tolist():
        of_width = np.flatnonzero(widths == width)
        for first_row in range(0, len(of_width), max(BLOCK // width, 1)):
            chosen = of_width[first_row : first_row + max(BLOCK // width, 1)]
            result[chosen] = _of_satisfied(
                _satisfied(groups, chosen, width),
                drawn[chosen],
                above[chosen].astype(np.float64),
                drawn[chosen] < inside[chosen],
            )
    return result


def _rounded_up(drawn: IntArray) -> IntArray:
    """Up to three leading bits, so that few widths serve all.

    A width follows from its own tie alone: sums over padded rows have other bits in other widths.
    """
    step = np.left_shift(1, np.maximum(np.frexp(drawn.astype(np.float64))[1] - 3, 0))
    rounded: IntArray = (drawn + step - 1) // step * step
    return rounded


def _of_satisfied(
    satisfied: FloatArray, drawn: IntArray, above: FloatArray, is_cut: BoolArray
) -> FloatArray:
    """Expected 1 / rank of the stop from G; where ``is_cut``, G is 1 after the places drawn."""
    places = np.arange(1.0, satisfied.shape[1])
    rank = above[:, None] + places
    terms = satisfied[:, 1:] / (rank * (rank + 1.0))
    terms[places >= (drawn + is_cut)[:, None]] = 0.0
    last = np.where(is_cut, 1.0, satisfied[np.arange(len(drawn)), drawn])
    expected: FloatArray = terms.sum(axis=1) + last / (above + drawn + is_cut)
    return expected


def _alike(stops: FloatArray, first: IntArray, relevant: IntArray, size: IntArray) -> _Alike:
    """The items of each tie by their stop; the irrelevant ones, too, which never satisfy."""
    tie = np.repeat(np.arange(len(first)), relevant)
    places = np.arange(len(tie)) - np.repeat(offsets_of(relevant)[:-1], relevant)
    chances = stops[first[tie] + places]
    new = np.ones(len(tie), dtype=bool)
    new[1:] = (tie[1:] != tie[:-1]) | (chances[1:] != chances[:-1])
    starts, rest = np.flatnonzero(new), np.flatnonzero(size > relevant)
    tie = np.concatenate((tie[starts], rest))
    counts = np.concatenate((np.diff(starts, append=len(chances)), (size - relevant)[rest]))
    order = np.lexsort((-counts, tie))
    chances = np.concatenate((chances[starts], np.zeros(len(rest))))
    offsets = np.searchsorted(tie[order], np.arange(len(first) + 1))
    return _Alike(offsets, chances[order], counts[order])


def _satisfied(groups: _Alike, ties: IntArray, width: int) -> FloatArray:
    """(ties, width + 1) G(t) for t up to ``width``; a row is right up to the size of its tie.

    Among t items of one group alone G is 1 - (1 - s)^t. The other groups come one after another.
    """
    starts, n_groups = groups.offsets[:-1][ties], np.diff(groups.offsets)[ties]
    total = groups.counts[starts]
    satisfied = _any_of(groups.stops[starts], np.arange(width + 1.0))
    for number in range(1, int(n_groups.max(initial=0))):
        place = np.where(number < n_groups, starts + number, starts)
        left = np.where(number < n_groups, groups.counts[place], 0)
        while left.any():
            # Each tie goes the way that its own numbers tell, whichever others are at hand.
            several = (left > 1) & (total >= 2 * width)
            # So few that the chance to draw none of them stays far from underflow.
            added = np.where(several, np.minimum(left, _DRAWS * total // width), left > 0)
            for way, rows in (
                (_with_several, np.flatnonzero(several)),
                (_with_one, np.flatnonzero(~several & (left > 0))),
            ):
                if len(rows):
                    chances = groups.stops[place[rows]]
                    satisfied[rows] = way(satisfied[rows], total[rows], added[rows], chances)
            total, left = total + added, left - added
    return satisfied


def _any_of(stops: FloatArray, drawn: FloatArray) -> FloatArray:
    """Probability that at least one of some items satisfies, all of which do with one chance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        chances = -np.expm1(drawn * np.log1p(-stops)[:, None])
    return np.where(drawn == 0, 0.0, chances)


def _with_one(
    satisfied: FloatArray, total: IntArray, added: IntArray, stops: FloatArray
) -> FloatArray:
    """G with one more item (or none), which is among t draws with probability t / (total + 1)."""
    drawn = np.arange(float(satisfied.shape[1]))
    share = np.minimum(drawn[1:] * (added / (total + 1))[:, None], 1.0)
    stop = stops[:, None]
    result = satisfied.copy()
    result[:, 1:] *= 1.0 - share
    result[:, 1:] += share * (stop + (1.0 - stop) * satisfied[:, :-1])
    return result


def _with_several(
    satisfied: FloatArray, total: IntArray, added: IntArray, stops: FloatArray
) -> FloatArray:
    """G with several items more of one chance, of which h are among t draws (hypergeometric)."""
    drawn = np.arange(float(satisfied.shape[1]))
    base, new = total[:, None].astype(np.float64), added[:, None].astype(np.float64)
    share = np.ones_like(satisfied)
    np.cumprod((base - drawn[:-1]) / (base + new - drawn[:-1]), axis=1, out=share[:, 1:])
    result = share * satisfied
    likely = (new / (base + new))[:, 0] * drawn[-1]
    for hits in range(1, min(int(added.max()), len(drawn) - 1) + 1):
        fewer = drawn[hits:] - (hits - 1)
        share = share[:, -len(fewer) :] * (fewer * ((new - hits + 1) / hits))
        share /= base - drawn[hits:] + hits
        some = _any_of(stops, np.array([float(hits)]))
        result[:, hits:] += share * (some + (1.0 - some) * satisfied[:, :-hits])
        if hits % 8 == 0:
            share[(hits > likely) & (share.max(axis=1) < _NOBODY)] = 0.0
            if not share.any():
                break
    return result
