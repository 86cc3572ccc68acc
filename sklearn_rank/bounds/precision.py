"""Extremes of average precision, for rankings with many unjudged items.

The sum of P@i over the relevant ranks i is a sum over pairs of relevant items, an item and itself
included, of one over the rank of the later one. So one more relevant item adds what it has with
itself and with each of the others, and the sums for 0, 1, 2, ... of the earliest items, or of the
latest, are running sums: no grading has to be measured as a whole. Of tied items these are
expectations: a pair within a tie has the mean of one over the later of two ranks, any other pair
the mean of one over the ranks of the later tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_rank.bounds.candidates import Candidates
from sklearn_rank.bounds.holes import Holes
from sklearn_rank.kernels.expectation import PositionSums, as_float
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_index, similar_length_blocks
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

_CELLS = 1 << 18
"""Items that are worked on at once."""


class _Places(NamedTuple):
    """(B, U) unjudged items, earliest first, and what each has with known items."""

    own: FloatArray
    """Mean of one over its rank."""
    tied: FloatArray
    """Mean of one over the later rank of itself and another item of its tie."""
    known: FloatArray
    """What it adds with all known items, itself included."""
    alike: IntArray
    """Number of the first item of the same tie."""
    last: IntArray
    """Number of the last item of the same tie, plus one."""


def sums_by_formula(measure: Measure) -> bool:
    """Whether the extremes of a measure are found here."""
    name, divisor = measure.metric.name, measure.options.get("denominator")
    return name == "gmap" or (name == "map" and divisor != "retrieved")


def average_precision_extremes(
    measure: Measure, rankings: JudgedRankings, holes: Holes, known: FloatArray
) -> Candidates:
    """Least and greatest value of each query; ``known`` (Q,) is the value of known items alone.

    For each number of relevant unjudged items the earliest are best, with nothing relevant out of
    reach, and the latest worst, with everything there.
    """
    divisor = _divisor(measure, rankings, np.zeros(len(rankings), np.int64))
    total = np.where(rankings.n_relevant > 0, known * divisor, 0.0)
    least, greatest = np.full((2, len(rankings)), np.nan)
    for queries in similar_length_blocks(holes.sizes + 1, _CELLS):
        chosen, own = rankings.take(queries), holes.take(queries)
        valid, places = _places(chosen, own, measure.k)
        for is_best, result in ((True, greatest), (False, least)):
            sums = total[queries, None] + _running(places, valid, earliest=is_best)
            numbers = np.arange(sums.shape[1])
            added = numbers if is_best else numbers + own.absent[:, None]
            added = np.broadcast_to(added, sums.shape)
            divisors = _divisor(measure, chosen, added)
            with np.errstate(divide="ignore", invalid="ignore"):
                values = np.where(chosen.n_relevant[:, None] + added > 0, sums / divisors, np.nan)
            values[:, 1:][~valid] = np.nan
            result[queries] = (np.fmax if is_best else np.fmin).reduce(values, axis=1)
    query = np.arange(len(rankings))
    return Candidates.of(np.concatenate((query, query)), np.concatenate((least, greatest)))


def _divisor(measure: Measure, rankings: JudgedRankings, added: IntArray) -> FloatArray:
    """What the sum is divided by with so many more relevant items; same shape as ``added``."""
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


def _running(places: _Places, valid: BoolArray, *, earliest: bool) -> FloatArray:
    """(B, U + 1) sum that the 0, 1, 2, ... earliest or latest items add."""
    number = np.arange(places.own.shape[1])
    if earliest:
        # All that were taken before stand above, or in the same tie.
        gain = places.known + places.own * places.alike
        gain += places.tied * (number - places.alike)
        return _sums(np.where(valid, gain, 0.0))
    # All that were taken before stand below, where their own ranks count, or in the same tie.
    own = _sums(np.where(valid, places.own, 0.0))
    last = np.minimum(places.last, valid.sum(axis=1)[:, None])
    below = own[:, -1:] - np.take_along_axis(own, last, 1)
    gain = places.known + below + places.tied * (last - 1 - number)
    gain = np.where(valid, gain, 0.0)
    # The latest first: rows are filled from the left, so that what is beyond their end adds 0.
    from_end = valid.sum(axis=1)[:, None] - 1 - number
    turned = np.take_along_axis(gain, np.maximum(from_end, 0), 1)
    return _sums(np.where(valid, turned, 0.0))


def _sums(values: FloatArray) -> FloatArray:
    result = np.zeros((len(values), values.shape[1] + 1))
    np.cumsum(values, axis=1, out=result[:, 1:])
    return result


def _places(rankings: JudgedRankings, holes: Holes, k: int | None) -> tuple[BoolArray, _Places]:
    """Which cells of the rows are items, and what these add with known items."""
    sizes, (above,), (tied,) = holes.sizes, holes.above, holes.tied
    width = int(sizes.max(initial=0))
    valid = np.arange(width) < sizes[:, None]
    longest = int(max(rankings.longest, (above + tied).max(initial=0)))
    cut = longest if k is None else min(k, longest)
    sums = PositionSums(1.0 / np.arange(1.0, cut + 1.0))
    query, query_of_hit = segment_index(holes.offsets), segment_index(rankings.offsets)
    own = _mean_weight(sums, above, tied, cut)
    inside = np.minimum(np.maximum(cut - above, 0), tied)
    harmonic = sums.over(np.minimum(above, cut), np.minimum(above + tied, cut))
    pairs = np.maximum(tied * (tied - 1), 1)
    within = np.where(tied > 1, 2.0 * (inside - (above + 1) * harmonic) / pairs, 0.0)
    # Known items above, in the same tie, and what those below have with themselves.
    step = longest + 1
    keys, hits = query * step + above, query_of_hit * step + rankings.above
    before, after = np.searchsorted(hits, keys, "left"), np.searchsorted(hits, keys, "right")
    starts, ends = rankings.offsets[:-1][query], rankings.offsets[1:][query]
    below = _sum_between(_mean_weight(sums, rankings.above, rankings.tied, cut), after, ends)
    known = own * (1 + before - starts) + within * (after - before) + below
    first = np.searchsorted(keys, keys, "left") - holes.offsets[:-1][query]
    last = np.searchsorted(keys, keys, "right") - holes.offsets[:-1][query]
    columns = []
    for values in (own, within, known, first, last):
        rows = np.zeros((len(sizes), width), values.dtype)
        rows[valid] = values
        columns.append(rows)
    return valid, _Places(*columns)


def _mean_weight(sums: PositionSums, above: IntArray, tied: IntArray, cut: int) -> FloatArray:
    """Mean of one over the ranks of places, those beyond the cutoff counting 0."""
    total = sums.over(np.minimum(above, cut), np.minimum(above + tied, cut))
    return np.asarray(total / tied)


def _sum_between(values: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """Sum of the values from a first one to before a last one."""
    return PositionSums(values).over(first, last)
