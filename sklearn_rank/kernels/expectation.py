"""Shared by the kernels: cutoffs, and expectations over the orders of tied items."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import offsets_of, segment_sum, similar_length_blocks
from sklearn_rank.typing import Array, FloatArray, IntArray


def depth(rankings: JudgedRankings, k: int | None) -> int:
    """Ranks to read; at most the length of the longest ranking."""
    return rankings.longest if k is None else min(k, rankings.longest)


def as_float(k: int) -> float:
    """``k`` as a divisor, however large."""
    return float(k) if k < 1 << 1000 else math.inf


def ratio(numerator: FloatArray, denominator: Array | float) -> FloatArray:
    """Quotient, where 0 / 0 is 0: nothing found, nothing to find."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(denominator, 0), 0.0, numerator / denominator)


def member_weights(beta: float) -> tuple[float, float]:
    """1 and beta^2, weights of the members of a harmonic mean, over a power of 4 if beta is large.

    Only their proportion counts. The power of 4 rounds nothing and keeps the square finite.
    """
    mantissa, exponent = math.frexp(beta)
    shift = max(exponent, 0)
    return math.ldexp(1.0, -2 * shift), math.ldexp(mantissa * mantissa, 2 * (exponent - shift))


def where_relevant(rankings: JudgedRankings, values: FloatArray) -> FloatArray:
    """``values``, but NaN for queries without a relevant item."""
    return np.where(rankings.n_relevant > 0, values, np.nan)


def reach(above: IntArray, size: IntArray, cut: int) -> IntArray:
    """Items of tie groups within the cut."""
    return np.minimum(np.maximum(cut - above, 0), size)


class ItemParts(NamedTuple):
    """Contribution of each relevant item to the value of its query, which is their exact sum.

    In a tie it is the item's expectation over all orders.
    """

    hits: FloatArray
    """(H,) of each item that was retrieved."""
    missing: FloatArray
    """(Q,) of each that was not."""


def parts_of(rankings: JudgedRankings, hits: FloatArray, divisor: Array | float = 1.0) -> ItemParts:
    """Contributions of hits, divided per query; unretrieved items contribute nothing."""
    divisors = np.broadcast_to(divisor, len(rankings))
    return ItemParts(ratio(hits, np.repeat(divisors, rankings.n_hits)), np.zeros(len(rankings)))


def chance_within(rankings: JudgedRankings, k: int | None) -> FloatArray:
    """(H,) probability that a hit is within the first ``k``; tied items share it."""
    inside = reach(rankings.above, rankings.tied, depth(rankings, k))
    return np.asarray(inside / rankings.tied)


class PositionSums:
    """Sums of a function of the rank over runs of ranks, from one table of running sums.

    The rounding error of each addition is kept in a second table, so that a short run far down
    the list loses nothing by the subtraction.
    """

    def __init__(self, values: FloatArray) -> None:
        self._high = np.concatenate(([0.0], np.cumsum(values)))
        # What an addition rounds off, exactly: the TwoSum of Knuth and Møller.
        before, after = self._high[:-1], self._high[1:]
        added = after - before
        errors = (before - (after - added)) + (values - added)
        self._low = np.concatenate(([0.0], np.cumsum(errors)))

    def over(self, first: IntArray, last: IntArray) -> FloatArray:
        """Sum over the ranks ``first + 1`` to ``last``."""
        high, low = self._high, self._low
        total: FloatArray = (high[last] - high[first]) + (low[last] - low[first])
        return total


def top_hits(rankings: JudgedRankings, k: int | None) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the number of relevant items within the first ``k``.

    Only the tie group that the cutoff divides varies, and hypergeometrically.
    """
    cut = depth(rankings, k)
    top = rankings.within(cut)
    mean, variance = top.n_hits.astype(np.float64), np.zeros(len(rankings))
    if not top.are_tied:
        return mean, variance
    groups = top.groups
    divided = np.flatnonzero(groups.above + groups.size > cut)
    query, size, relevant = groups.query[divided], groups.size[divided], groups.relevant[divided]
    # ``within`` has all hits of a divided group: the expected number of those that are drawn
    # replaces it. The variance is that of the hypergeometric distribution.
    drawn, share = cut - groups.above[divided], relevant / size
    mean[query] += share * drawn - relevant
    variance[query] = drawn * share * (1 - share) * (size - drawn) / (size - 1)
    return mean, variance


def first_relevant(
    rankings: JudgedRankings, k: int | None, value: Callable[[FloatArray], Array]
) -> FloatArray:
    """Expected ``value`` of the first relevant item's rank; 0 if none is within k."""
    groups, cut = rankings.groups, depth(rankings, k)
    result = np.zeros(len(rankings))
    queries = np.flatnonzero(rankings.n_hits > 0)
    first = groups.offsets[:-1][queries]
    above = groups.above[first]
    ranks = (above + 1).astype(np.float64)
    result[queries] = np.where(above < cut, value(ranks), 0.0)
    if not rankings.are_tied:
        return result

    # Of a tie that holds the first relevant items, items are drawn one by one. Step j is the first
    # relevant item with the chance that nothing was one so far, times that of the next draw,
    # relevant / (size - j). Of size - relevant others, the next draw has to be relevant.
    size, relevant = groups.size[first], groups.relevant[first]
    open_groups = np.flatnonzero((size > 1) & (above < cut))
    lengths = np.minimum(size - relevant + 1, cut - above)[open_groups]
    for block in similar_length_blocks(lengths):
        chosen, steps = open_groups[block], np.arange(lengths[block].max())
        left = (size[chosen, None] - steps).astype(np.float64)
        share = np.minimum(relevant[chosen, None] / np.maximum(left, 1.0), 1.0)
        nothing_yet = np.cumprod(1.0 - share, axis=1)
        nothing_yet = np.concatenate((np.ones((len(chosen), 1)), nothing_yet[:, :-1]), axis=1)
        ranks = (above[chosen, None] + steps + 1).astype(np.float64)
        expected = nothing_yet * share * value(ranks)
        valid = steps < lengths[block][:, None]
        offsets = offsets_of(lengths[block])
        result[queries[chosen]] = segment_sum(expected[valid], offsets)
    return result


def hypergeometric(total: IntArray, good: IntArray, drawn: IntArray, width: int) -> FloatArray:
    """(B, width) probabilities of 0, 1, ... good items among the drawn."""
    count = np.arange(width)
    total, good, drawn = total[:, None], good[:, None], drawn[:, None]
    possible = (count <= np.minimum(good, drawn)) & (count >= drawn - (total - good))
    # P(c) / P(c - 1) = (good - c + 1) (drawn - c + 1) / (c (total - good - drawn + c)). Sums of its
    # logarithm give P up to a factor, which the greatest one and then their sum take out.
    grown = possible & (count > drawn - (total - good)) & (count > 0)
    ways_up = (good - count + 1) * (drawn - count + 1)
    ways_down = count * (total - good - drawn + count)
    steps = np.log(np.where(grown, ways_up, 1)) - np.log(np.where(grown, ways_down, 1))
    logs = np.where(possible, np.cumsum(steps, axis=1), -np.inf)
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    # A running sum adds in one order, so that the width of the block changes no bit.
    chances /= np.cumsum(chances, axis=1)[:, -1:]
    return np.asarray(chances, dtype=np.float64)
