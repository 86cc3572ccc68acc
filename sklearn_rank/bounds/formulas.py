"""Extremes of nDCG and of average precision, for which no grading has to be measured as a whole.

Extremes of a sum of gains over their ideal sum: nDCG, and its change between two systems.

In each of B queries, U items may have any gain between 0 and a greatest one. The greatest value of

    (fixed + sum of coefficient * gain) / ideal

is found by Dinkelbach's iteration: for a ratio r that some gains reach, those that make
``fixed + sum of coefficient * gain - r * ideal`` greatest have a ratio of at least r, and of r only
if r is the greatest. Given how many items have which gain, the ideal is fixed and the sum is
greatest if the greatest gains go to the greatest coefficients. A gain between two neighbouring ones
of other items changes both sums linearly, so that each gain may be taken to be 0, the greatest, or
that of a known item. (Where a table of gains leaves few to choose from, these are tried and no
others: that of a known item may be out of reach.) That leaves numbers of items per level of gain,
which a dynamic programme over the levels from the top finds: its state is the number of items used,
and since what a level adds depends on where it begins and on where it ends but not on both
together, a running maximum takes the place of the maximum over all beginnings.

The sum of P@i over the relevant ranks i is a sum over pairs of relevant items, an item and itself
included, of one over the rank of the later one. So one more relevant item adds what it has with
itself and with each of the others, and the sums for 0, 1, 2, ... of the earliest items, or of the
latest, are running sums: no grading has to be measured as a whole. Of tied items these are
expectations: a pair within a tie has the mean of one over the later of two ranks, any other pair
the mean of one over the ranks of the later tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.bounds.gradings import Candidates
from sklearn_rank.bounds.unjudged import OpenItems, gradable
from sklearn_rank.kernels.expectation import PositionSums, as_float, reach
from sklearn_rank.kernels.graded import best_of, place_weights, rank_weights, relative_gains
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import (
    offsets_of,
    segment_index,
    segment_max,
    segment_sum,
    similar_length_blocks,
    sizes_of,
    take_segments,
)
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray

# A sum of gains over their ideal sum -------------------------------------------------------------


class Problem(NamedTuple):
    """B queries with at most U unjudged items and L levels of gain."""

    fixed: FloatArray
    """(B,) sum of the known items."""
    coefficients: FloatArray
    """(B, U) of the unjudged items; beyond ``sizes`` arbitrary."""
    sizes: IntArray
    """(B,) unjudged items."""
    levels: FloatArray
    """(B, L) gains of known and of unjudged items, falling."""
    counts: IntArray
    """(B, L) known items of each level."""
    allowed: BoolArray
    """(B, L) whether an unjudged item may have that gain."""
    discounts: FloatArray
    """(K + 1,) running sums of the weights of ranks; what stands below K adds nothing."""


def extremes(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """(B,) least and greatest ratio; NaN where the ideal is 0 whatever the gains."""
    least = -_greatest(problem._replace(fixed=-problem.fixed, coefficients=-problem.coefficients))
    return least, _greatest(problem)


def _greatest(problem: Problem) -> FloatArray:
    """(B,) greatest ratio, by Dinkelbach's iteration over a dynamic programme."""
    levels, counts = problem.levels, problem.counts
    valid = np.arange(problem.coefficients.shape[1] + 1) <= problem.sizes[:, None]
    falling = -np.sort(np.where(valid[:, 1:], -problem.coefficients, np.inf), axis=1)
    sums = _running(np.where(valid[:, 1:], falling, 0.0))
    above = _running(counts[:, :-1]).astype(np.int64)
    has_known = (counts * (levels > 0)).any(axis=1)
    rows, items = np.arange(len(levels)), np.arange(sums.shape[1])

    def discount(number: IntArray) -> FloatArray:
        """Sum of the weights of so many first ranks."""
        return problem.discounts.take(number, mode="clip")

    def ratio_of(ends: IntArray) -> FloatArray:
        """(B,) ratio where ``ends`` (B, L) items have at least the gain of each level."""
        starts = np.concatenate((np.zeros((len(ends), 1), np.int64), ends[:, :-1]), axis=1)
        of_levels = np.take_along_axis(sums, ends, 1) - np.take_along_axis(sums, starts, 1)
        ideal = discount(above + counts + ends) - discount(above + starts)
        total, divisor = (
            problem.fixed + (levels * of_levels).sum(axis=1),
            (levels * ideal).sum(axis=1),
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(divisor > 0, total / divisor, np.nan)

    def better(ratio: FloatArray) -> FloatArray:
        """The ratio of the gains that are best given a ratio."""
        value = np.full(sums.shape, -np.inf)
        value[:, 0] = 0.0
        begins = []
        for level in range(levels.shape[1]):
            gain, allowed = levels[:, level, None], problem.allowed[:, level, None]
            linear, cost = gain * sums, ratio[:, None] * gain
            before = discount(above[:, level, None] + items)
            after = discount(above[:, level, None] + counts[:, level, None] + items)
            start = value - linear + cost * before
            best, begin = _running_best(start)
            value = np.where(allowed, best, start) + linear - cost * after
            begins.append(np.where(allowed, begin, items))
        # Without a known item all gains 0 would leave no ideal.
        value = np.where(valid, value, -np.inf)
        value[~has_known, 0] = -np.inf
        end = value.argmax(axis=1)
        ends = np.empty(levels.shape, np.int64)
        for level in reversed(range(len(begins))):
            ends[:, level] = end
            end = begins[level][rows, end]
        return ratio_of(ends)

    # A ratio that can be reached: nothing relevant, or all where that leaves no ideal.
    fill = np.where(has_known, 0, problem.sizes)
    ratio = ratio_of(np.where(problem.allowed, fill[:, None], 0))
    while True:
        with np.errstate(invalid="ignore"):
            next_ratio = better(ratio)
            rises = next_ratio > ratio
        if not rises.any():
            return ratio
        ratio[rises] = next_ratio[rises]


def _running(values: Array) -> FloatArray:
    """Sums of the first 0, 1, ... values of each row."""
    result = np.zeros((len(values), values.shape[1] + 1))
    np.cumsum(values, axis=1, out=result[:, 1:])
    return result


def _running_best(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Greatest value up to each place of a row, and where it stands."""
    best = np.maximum.accumulate(values, axis=1)
    is_new = np.ones(values.shape, dtype=bool)
    is_new[:, 1:] = values[:, 1:] > best[:, :-1]
    place = np.where(is_new, np.arange(values.shape[1]), 0)
    return best, np.maximum.accumulate(place, axis=1)


# nDCG --------------------------------------------------------------------------------------------


_CELLS = 1 << 18
"""Numbers of items and of levels that are worked on at once: they fit the processor's cache."""
_LARGEST_POWER = 1000
"""2^1000 and 2^-1000 are finite and normal numbers."""


class _How(NamedTuple):
    """Gain, discount and cutoff of an nDCG."""

    gain: Any
    grades: FloatArray
    """Grades that an unjudged item may have, rising."""
    by_rank: FloatArray
    """Weights of the ranks that are read."""

    def weights(self, above: IntArray, tied: IntArray) -> FloatArray:
        """Weights of places; 0 where nobody reads."""
        result = np.zeros(len(above))
        inside = (above >= 0) & (above < len(self.by_rank))
        result[inside] = place_weights(self.by_rank, above[inside], tied[inside])
        return result


def ndcg_extremes(
    measure: Measure,
    systems: Sequence[tuple[float, JudgedRankings]],
    unjudged: OpenItems,
    max_grade: float,
) -> tuple[FloatArray, FloatArray]:
    """(Q,) least and greatest sum over systems of factor times nDCG; NaN where never defined.

    All systems rank the same queries, so that their ideal is one.
    """
    gain, first = measure.options["gain"], systems[0][1]
    longest = max(rankings.longest for _, rankings in systems)
    longest = max(
        longest, int((first.n_relevant + unjudged.sizes + unjudged.absent).max(initial=0))
    )
    cut = longest if measure.k is None else min(measure.k, longest)
    by_rank = rank_weights(cut, measure.options["discount"])
    how = _How(gain, gradable(first, max_grade, gain), by_rank)
    coefficients = np.zeros(int(unjudged.offsets[-1]))
    for (factor, _), above, tied in zip(systems, unjudged.above, unjudged.tied, strict=True):
        coefficients += factor * how.weights(above, tied)
    sizes = unjudged.sizes + np.minimum(unjudged.absent, cut)
    least, greatest = np.empty((2, len(first)))
    for queries in similar_length_blocks(sizes + 1, _CELLS):
        problem = _problem(systems, unjudged.offsets, coefficients, sizes, queries, how)
        least[queries], greatest[queries] = extremes(problem)
    return least, greatest


def _problem(
    systems: Sequence[tuple[float, JudgedRankings]],
    offsets: IntArray,
    coefficients: FloatArray,
    sizes: IntArray,
    queries: IntArray,
    how: _How,
) -> Problem:
    chosen = [(factor, rankings.take(queries)) for factor, rankings in systems]
    ideal = chosen[0][1]
    highest = how.grades.max(initial=0.0)
    top_grades = np.maximum(ideal.max_grade, highest)
    known = relative_gains(ideal.all_grades, np.repeat(top_grades, ideal.n_relevant), how.gain)
    best = best_of(known, ideal.judged_offsets, len(how.by_rank))
    tops = _gains_to_try(how, top_grades)
    # A power of two that keeps sums away from the ends of float64; the ratio cancels it.
    exponent = np.frexp(np.maximum(segment_max(best.values, best.offsets), tops.max(axis=1)))[1]
    unit = np.ldexp(1.0, -np.clip(exponent, -_LARGEST_POWER, _LARGEST_POWER))
    fixed = np.zeros(len(queries))
    for factor, rankings in chosen:
        scale = np.repeat(top_grades, rankings.n_hits)
        gains = relative_gains(rankings.grades, scale, how.gain)
        gains = gains * np.repeat(unit, rankings.n_hits)
        gains *= how.weights(rankings.above, rankings.tied)
        fixed += factor * segment_sum(gains, rankings.offsets)
    levels, counts = _levels(best.values * np.repeat(unit, np.diff(best.offsets)), best.offsets)
    tops = tops * unit[:, None]
    levels = np.column_stack((levels, tops))
    counts = np.column_stack((counts, np.zeros(tops.shape, np.int64)))
    order = np.argsort(-levels, axis=1, kind="stable")
    levels = np.take_along_axis(levels, order, 1)
    counts = np.take_along_axis(counts, order, 1)
    if isinstance(how.gain, tuple):
        allowed = (levels[:, :, None] == tops[:, None, :]).any(axis=2)
    else:
        allowed = levels <= tops.max(axis=1, keepdims=True)
    items, borders = take_segments(offsets, queries)
    return Problem(
        fixed,
        _padded(coefficients[items], borders, int(sizes[queries].max(initial=0))),
        sizes[queries],
        levels,
        counts,
        allowed,
        np.concatenate(([0.0], np.cumsum(how.by_rank))),
    )


def _gains_to_try(how: _How, top_grades: FloatArray) -> FloatArray:
    """(B, T) greatest gain of an unjudged item, over the same number as the gains of its query.

    All its gains, if they come from a table.
    """
    if not len(how.grades):
        return np.zeros((len(top_grades), 1))
    if isinstance(how.gain, str):
        highest = np.full(len(top_grades), how.grades.max())
        return relative_gains(highest, top_grades, how.gain)[:, None]
    gains = relative_gains(how.grades, np.ones(len(how.grades)), how.gain)
    tried = gains if isinstance(how.gain, tuple) else gains.max(keepdims=True)
    return np.tile(tried, (len(top_grades), 1))


def _levels(gains: FloatArray, offsets: IntArray) -> tuple[FloatArray, IntArray]:
    """(B, L) different gains of each query, falling, and how many items have each."""
    query = segment_index(offsets)
    new = np.ones(len(gains), dtype=bool)
    new[1:] = (gains[1:] != gains[:-1]) | (query[1:] != query[:-1])
    starts = np.flatnonzero(new)
    borders = offsets_of(np.bincount(query[starts], minlength=len(offsets) - 1))
    width = int(np.diff(borders).max(initial=0))
    counts = np.diff(starts, append=len(gains))
    return _padded(gains[starts], borders, width), _padded(counts, borders, width)


def _padded(values: Array, offsets: IntArray, width: int) -> Array:
    """(B, width) values of each segment, and zeros."""
    rows = np.zeros((len(offsets) - 1, width), values.dtype)
    rows[np.arange(width) < sizes_of(offsets)[:, None]] = values
    return rows


# Average precision -------------------------------------------------------------------------------


def average_precision_extremes(
    measure: Measure, rankings: JudgedRankings, unjudged: OpenItems, known: FloatArray
) -> Candidates:
    """Least and greatest value of each query; ``known`` (Q,) is the value of known items alone.

    For each number of relevant unjudged items the earliest are best, with nothing relevant out of
    reach, and the latest worst, with everything there.
    """
    divisor = _divisor(measure, rankings, np.zeros(len(rankings), np.int64))
    total = np.where(rankings.n_relevant > 0, known * divisor, 0.0)
    least, greatest = np.full((2, len(rankings)), np.nan)
    for queries in similar_length_blocks(unjudged.sizes + 1, _CELLS):
        chosen, open_items = rankings.take(queries), unjudged.take(queries)
        columns = _columns(chosen, open_items, measure.k)
        valid = np.arange(columns[0].shape[1]) < open_items.sizes[:, None]
        for is_best, result in ((True, greatest), (False, least)):
            sums = total[queries, None] + _added_sums(columns, valid, earliest=is_best)
            numbers = np.arange(sums.shape[1])
            added = numbers if is_best else numbers + open_items.absent[:, None]
            added = np.broadcast_to(added, sums.shape)
            divisors = _divisor(measure, chosen, added)
            with np.errstate(divide="ignore", invalid="ignore"):
                values = np.where(chosen.n_relevant[:, None] + added > 0, sums / divisors, np.nan)
            values[:, 1:][~valid] = np.nan
            result[queries] = (np.fmax if is_best else np.fmin).reduce(values, axis=1)
    query = np.arange(len(rankings))
    return Candidates(np.concatenate((query, query)), np.concatenate((least, greatest)))


def _divisor(measure: Measure, rankings: JudgedRankings, added: IntArray) -> FloatArray:
    """Divisor of the sum with so many more relevant items; same shape as ``added``."""
    shape = (-1, *[1] * (added.ndim - 1))
    relevant = (rankings.n_relevant.reshape(shape) + added).astype(np.float64)
    kind = "relevant" if measure.metric.name == "gmap" else measure.options["denominator"]
    if kind == "relevant" or measure.k is None:
        capped = relevant
    else:
        capped = np.minimum(relevant, as_float(measure.k))
    if kind == "listed":
        return np.minimum(capped, rankings.n_ranked.reshape(shape))
    if kind == "k" and measure.k is not None:
        return np.full(relevant.shape, as_float(measure.k))
    return capped


def _added_sums(columns: Sequence[Array], valid: BoolArray, *, earliest: bool) -> FloatArray:
    """(B, U + 1) sum that the 0, 1, 2, ... earliest or latest items add."""
    alone, tied, known, first, last = columns
    number = np.arange(valid.shape[1])
    if earliest:
        # All that were taken before stand above, or in the same tie.
        gain = known + alone * first + tied * (number - first)
        return _running(np.where(valid, gain, 0.0))
    # All that were taken before stand below, where their separate ranks count, or in the same tie.
    sums = _running(np.where(valid, alone, 0.0))
    last = np.minimum(last, valid.sum(axis=1)[:, None])
    below = sums[:, -1:] - np.take_along_axis(sums, last, 1)
    gain = known + below + tied * (last - 1 - number)
    gain = np.where(valid, gain, 0.0)
    # The latest first: rows are filled from the left, so that what is beyond their end adds 0.
    from_end = valid.sum(axis=1)[:, None] - 1 - number
    turned = np.take_along_axis(gain, np.maximum(from_end, 0), 1)
    return _running(np.where(valid, turned, 0.0))


def _columns(rankings: JudgedRankings, unjudged: OpenItems, k: int | None) -> list[Array]:
    """(B, U) arrays of the unjudged items of each query, the earliest first.

    The mean of one over its rank; that of one over the later rank of itself and another item of its
    tie; what it has with all known items, itself included; the first item of its tie; the next one.
    """
    (above,), (tied,) = unjudged.above, unjudged.tied
    longest = int(max(rankings.longest, (above + tied).max(initial=0)))
    cut = longest if k is None else min(k, longest)
    sums = PositionSums(1.0 / np.arange(1.0, cut + 1.0))
    query, query_of_hit = segment_index(unjudged.offsets), segment_index(rankings.offsets)
    inside, harmonic = reach(above, tied, cut), _harmonic(sums, above, tied, cut)
    alone = harmonic / tied
    pairs = np.maximum(tied * (tied - 1), 1)
    within = np.where(tied > 1, 2.0 * (inside - (above + 1) * harmonic) / pairs, 0.0)
    # Known items above, in the same tie, and what those below have with themselves.
    step = longest + 1
    keys, hits = query * step + above, query_of_hit * step + rankings.above
    before, after = np.searchsorted(hits, keys, "left"), np.searchsorted(hits, keys, "right")
    starts, ends = rankings.offsets[:-1][query], rankings.offsets[1:][query]
    of_known = _harmonic(sums, rankings.above, rankings.tied, cut) / rankings.tied
    below = PositionSums(of_known).over(after, ends)
    known = alone * (1 + before - starts) + within * (after - before) + below
    first = np.searchsorted(keys, keys, "left") - unjudged.offsets[:-1][query]
    last = np.searchsorted(keys, keys, "right") - unjudged.offsets[:-1][query]
    columns, width = (alone, within, known, first, last), int(unjudged.sizes.max(initial=0))
    return [_padded(values, unjudged.offsets, width) for values in columns]


def _harmonic(sums: PositionSums, above: IntArray, tied: IntArray, cut: int) -> FloatArray:
    """Sum of one over the ranks of places, those beyond the cutoff counting 0."""
    return sums.over(np.minimum(above, cut), np.minimum(above + tied, cut))
