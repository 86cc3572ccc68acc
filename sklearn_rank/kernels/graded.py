"""Measures of graded relevance: DCG adds up gains, ERR follows a reader until an item satisfies.

For a reader who arrives at tied items, G(t) is the expected chance that one of t items drawn from a
tie of m satisfies. By summation by parts the expected stop / rank, ``a`` items standing above the
tie, is the sum of G(t) / ((a + t) (a + t + 1)) below the last rank p, and G(p) / (a + p). All
terms are positive, so nothing cancels; the items that may be drawn are added one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.expectation import (
    ItemParts,
    PositionSums,
    depth,
    parts_of,
    ratio,
    where_relevant,
)
from sklearn_rank.rankings.judged import SMALL_INTEGERS, JudgedRankings
from sklearn_rank.support.segments import (
    offsets_of,
    segment_index,
    segment_sum,
    similar_length_blocks,
    sizes_of,
    take_segments,
)
from sklearn_rank.support.sorting import falling_codes, order_segments
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, FloatArray, IntArray

NEGLIGIBLE = 1e-20
"""A probability this small of still reading adds nothing to an expectation."""
_VALUES_AT_ONCE = 1 << 15
"""Numbers that are computed at once: three arrays of this size fit a processor's second cache."""
HUGE_TIES = 50
"""Steps for each width and group of a tie from which on its groups join as wholes."""
_SMALL_GRADE = 0.5
"""Below this 2^grade - 1 cancels, and expm1 does not."""
_LN2 = math.log(2.0)
_EXP2_TABLE = np.exp2(np.arange(256.0)) - 1.0
GAINS = ("exp2", "linear", "binary", "exp2_next")
DISCOUNTS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "log2": lambda ranks: np.log2(ranks + 1.0),
    "log2_rank": lambda ranks: np.log2(np.maximum(ranks, 2.0)),
    "log2_plus_2": lambda ranks: np.log2(ranks + 2.0),
    "one_plus_log2": lambda ranks: np.log2(ranks) + 1.0,
    "rank": lambda ranks: ranks,
}
"""Divisors of gains by their names."""


# DCG ----------------------------------------------------------------------------------------------


def dcg(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: str = "log2"
) -> FloatArray:
    """Sum of gain / discount(rank) within the first k."""
    if not isinstance(gain, str):
        _gains(rankings.hit_grades, gain)  # refuses a grade without a gain, retrieved or not
    top = rankings.within(depth(rankings, k))
    with np.errstate(over="ignore", invalid="ignore"):
        by_rank = rank_weights(depth(rankings, k), discount)
        weights = _item_weights(top, by_rank) * _gains(top.grades, gain)
        total = segment_sum(weights, top.offsets)
    return where_relevant(rankings, _refuse_overflow(total, rankings))


def dcg_parts(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: str = "log2"
) -> ItemParts:
    """Gain of each item over its discount."""
    gains = _gains(rankings.hit_grades, gain)
    by_rank = rank_weights(depth(rankings, k), discount)
    return parts_of(rankings, gains * _all_weights(rankings, by_rank))


def ndcg_parts(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: str = "log2"
) -> ItemParts:
    """Gain of each item over its discount and over the DCG of the best order."""
    parts = dcg_parts(rankings, k=k, gain=gain, discount=discount)
    cut = depth(rankings, k)
    by_rank = rank_weights(cut, discount)
    return parts_of(rankings, parts.hits, _ideal(_best_gains(rankings, cut, gain), by_rank))


def _all_weights(rankings: JudgedRankings, by_rank: FloatArray) -> FloatArray:
    """(H,) expected weight of the rank of each hit; 0 beyond the ranks that have one."""
    weights = np.zeros(len(rankings.above))
    top = rankings.within(len(by_rank))
    weights[rankings.above < len(by_rank)] = _item_weights(top, by_rank)
    return weights


def ideal_dcg(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: str = "log2"
) -> FloatArray:
    """DCG of the best order of all relevant items."""
    with np.errstate(over="ignore", invalid="ignore"):
        best = _best_gains(rankings, depth(rankings, k), gain)
        total = _ideal(best, rank_weights(depth(rankings, k), discount))
    return where_relevant(rankings, _refuse_overflow(total, rankings))


def ndcg(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: str = "log2"
) -> FloatArray:
    """DCG over the DCG of the best order of all relevant items."""
    cut = depth(rankings, k)
    top = rankings.within(cut)
    with np.errstate(all="ignore"):
        by_rank = rank_weights(cut, discount)
        weights = _item_weights(top, by_rank) * _gains(top.grades, gain)
        total = segment_sum(weights, top.offsets)
        ideal = _refuse_overflow(_ideal(_best_gains(rankings, cut, gain), by_rank), rankings)
        return np.where(ideal > 0, total / ideal, np.nan)


def _best_gains(rankings: JudgedRankings, cut: int, gain: Any) -> Best:
    """Gains of the first ``cut`` of all relevant items, the largest gains first."""
    if rankings.relevant_grades.dtype == np.uint8 and isinstance(gain, str):
        best = best_grades(rankings, cut)
        return Best(_gains(best.values, gain), best.offsets)
    return best_of(_gains(rankings.all_grades, gain), rankings.relevant_offsets, cut)


def _gains(grades: Array, gain: Any) -> FloatArray:
    """Gain of each grade."""
    if gain == "exp2":
        return exponential(grades)
    if gain == "exp2_next":
        return exponential(grades.astype(np.float64) + 1.0)
    if gain == "linear":
        return grades.astype(np.float64, copy=False)
    if gain == "binary":
        return np.ones(len(grades))
    levels, position = np.unique(grades, return_inverse=True)
    table = dict(gain)
    unknown = [level for level in levels.tolist() if level not in table]
    if unknown:
        msg = f"gain has no entry for grade {unknown[0]:g}; add one"
        raise InvalidParameterError(msg)
    return np.array([table[level] for level in levels.tolist()], dtype=np.float64)[position]


def exponential(grades: Array, scale: FloatArray | float = 0.0) -> FloatArray:
    """(2^grade - 1) / 2^scale, exact for whole grades and accurate for tiny ones.

    For ERR, with the highest grade as the scale, it is the probability that an item satisfies.
    """
    codes = grades if grades.dtype == np.uint8 else small_integers(grades)
    if codes is not None:
        gains = _EXP2_TABLE.take(codes)
        is_whole = not isinstance(scale, np.ndarray) and scale == 0
        return np.asarray(gains if is_whole else gains * np.exp2(-scale))
    grades = grades.astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        return np.where(
            grades < _SMALL_GRADE,
            np.expm1(np.minimum(grades, 1.0) * _LN2) * np.exp2(-scale),
            np.exp2(grades - scale) - np.exp2(-scale),
        )


def rank_weights(cut: int, discount: str) -> FloatArray:
    """Reciprocal discounts of the ranks 1 to ``cut``."""
    return 1.0 / DISCOUNTS[discount](np.arange(1.0, cut + 1.0))


def _item_weights(rankings: JudgedRankings, by_rank: FloatArray) -> FloatArray:
    """(H,) expected weight of the rank of each hit, all of which have one."""
    return weights_at(by_rank, rankings.above, rankings.tied if rankings.are_tied else None)


def weights_at(by_rank: FloatArray, above: IntArray, tied: IntArray | None) -> FloatArray:
    """Weights of items within the ranks; a tie shares the weights of its ranks evenly."""
    weights: FloatArray = by_rank[above]
    if tied is not None:
        of_tie = np.flatnonzero(tied > 1)
        first, size = above[of_tie], tied[of_tie]
        last = np.minimum(first + size, len(by_rank))
        weights[of_tie] = PositionSums(by_rank).over(first, last) / size
    return weights


def _ideal(best: Best, by_rank: FloatArray) -> FloatArray:
    """Sum of the gains of each query, from the first rank on."""
    weights = by_rank.take(best.positions())
    weights *= best.values
    return segment_sum(weights, best.offsets)


def _refuse_overflow(values: FloatArray, rankings: JudgedRankings) -> FloatArray:
    is_finite = np.isfinite(values)
    if np.count_nonzero(is_finite) < len(values):
        query = int(is_finite.argmin())
        msg = (
            f"gains overflow float64 at grade {rankings.max_grade[query]:g} of query "
            f"{safe_repr(rankings.query_ids[query])}; use gain='linear' or smaller grades"
        )
        raise OverflowError(msg)
    return values


# RBP ----------------------------------------------------------------------------------------------


def rbp(
    rankings: JudgedRankings,
    *,
    k: int | None,
    persistence: float = 0.8,
    gain: Any = "binary",
    max_grade: Any = "query",
) -> FloatArray:
    """(1 - p) times the sum of p^(rank - 1) times gain within the first k."""
    parts = rbp_parts(rankings, k=k, persistence=persistence, gain=gain, max_grade=max_grade)
    return where_relevant(rankings, segment_sum(parts.hits, rankings.offsets))


def rbp_parts(
    rankings: JudgedRankings, *, k: int | None, persistence: float, gain: Any, max_grade: Any
) -> ItemParts:
    """Contribution of each item; gains are divided by the gain of the highest grade."""
    gains = _gains(rankings.hit_grades, gain)
    if gain != "binary":
        top = _top_grades(rankings, max_grade)
        has_any = rankings.n_relevant > 0
        best = np.ones(len(rankings))
        best[has_any] = _gains(top[has_any], gain)
        best = np.repeat(best, rankings.n_hits)
        if (gains > best).any():
            msg = "gain must be highest for the highest grade: rbp is divided by that gain"
            raise InvalidParameterError(msg)
        gains = ratio(gains, best)
    ranks: FloatArray = np.power(persistence, np.arange(depth(rankings, k)))
    return parts_of(rankings, gains * _all_weights(rankings, (1.0 - persistence) * ranks))


# Gains in falling order ---------------------------------------------------------------------------


class Best(NamedTuple):
    """Values of the best items of each query, falling."""

    values: Array
    offsets: IntArray

    def positions(self) -> IntArray:
        """Positions of the values, from 0 on in each query."""
        positions = np.arange(len(self.values))
        positions -= self.offsets[:-1].repeat(sizes_of(self.offsets))
        return positions


def best_grades(rankings: JudgedRankings, cut: int) -> Best:
    """The best grades of each query, at most ``cut`` of them, whether retrieved or not."""
    falling = rankings.falling_grades
    if falling is not None:
        best = Best(falling, rankings.relevant_offsets)
        if cut >= rankings.longest:
            return best
        return Best(
            falling[best.positions() < cut], offsets_of(np.minimum(rankings.n_relevant, cut))
        )
    sums = rankings.at_least_each
    if sums is None:
        return best_of(rankings.relevant_grades, rankings.relevant_offsets, cut)
    sums = np.minimum(sums, cut)
    taken = sums.copy()  # np.diff and np.tile take several times as long for few
    taken[:, 1:] -= sums[:, :-1]
    levels = np.ones((len(sums), 1), np.uint8) * np.arange(sums.shape[1], 0, -1, dtype=np.uint8)
    return Best(np.repeat(levels.ravel(), taken.ravel()), offsets_of(sums[:, -1]))


def best_of(values: Array, offsets: IntArray, cut: int) -> Best:
    """The best values of each segment, at most ``cut`` of them."""
    sizes = sizes_of(offsets)
    query = np.repeat(np.arange(len(sizes)), sizes)
    if ((values[1:] > values[:-1]) & (query[1:] == query[:-1])).any():
        values = values[order_segments(falling_codes(values), offsets).order]
    if sizes.max(initial=0) <= cut:
        return Best(values, offsets)
    position = np.arange(len(values)) - offsets[query]
    return Best(values[position < cut], offsets_of(np.minimum(sizes, cut)))


def small_integers(grades: Array) -> IntArray | None:
    """The grades as integers from 0 on if all are small ones, as most grades are; else None."""
    # Viewed as unsigned, negatives exceed the limit too.
    signed = grades.dtype.kind == "i"
    unsigned = grades.view(f"u{grades.itemsize}") if signed else grades
    if not len(grades) or unsigned.max() >= SMALL_INTEGERS or (not signed and grades.min() < 0):
        return None
    codes: IntArray = grades.astype(np.int64, copy=False)
    return codes if codes is grades or (codes == grades).all() else None


# ERR ----------------------------------------------------------------------------------------------


def err(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> FloatArray:
    """Expected reciprocal rank at which a user, satisfied by chance, stops."""
    cut = depth(rankings, k)
    read, top = rankings.within(cut), _top_grades(rankings, max_grade)
    stops = exponential(read.grades, np.repeat(top, read.n_hits))
    value = segment_sum(
        _expected_stops(stops, read.above, read.tied, read.offsets, cut), read.offsets
    )
    return where_relevant(rankings, value)


def err_parts(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> ItemParts:
    """The share of each item: readers who reach it and are satisfied, over its rank.

    Tied items share their tie's contribution in proportion to their satisfaction probabilities.
    """
    cut, top = depth(rankings, k), _top_grades(rankings, max_grade)
    stops = exponential(rankings.grades, np.repeat(top, rankings.n_hits))
    shares = _expected_stops(stops, rankings.above, rankings.tied, rankings.offsets, cut)
    groups = rankings.groups
    starts = np.cumsum(groups.relevant) - groups.relevant
    totals = np.add.reduceat(stops, starts) if len(starts) else stops
    together = np.add.reduceat(shares, starts) if len(starts) else shares
    return parts_of(rankings, stops * np.repeat(ratio(together, totals), groups.relevant))


def nerr(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> FloatArray:
    """ERR over the ERR of the best order of all relevant items."""
    best = _best_err(rankings, k, max_grade)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(best > 0, err(rankings, k=k, max_grade=max_grade) / best, np.nan)


def nerr_parts(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> ItemParts:
    """Contributions to ERR, divided by the ERR of the best order."""
    parts = err_parts(rankings, k=k, max_grade=max_grade)
    return parts_of(rankings, parts.hits, _best_err(rankings, k, max_grade))


def _best_err(rankings: JudgedRankings, k: int | None, max_grade: Any) -> FloatArray:
    """ERR of the best order of all relevant items."""
    cut, top = depth(rankings, k), _top_grades(rankings, max_grade)
    best = best_grades(rankings, cut)
    grades, offsets = best
    stops = exponential(grades, np.repeat(top, sizes_of(offsets)))
    untied = np.ones(len(stops), dtype=np.int64)
    return segment_sum(_expected_stops(stops, best.positions(), untied, offsets, cut), offsets)


def _top_grades(rankings: JudgedRankings, max_grade: Any) -> FloatArray:
    if max_grade == "query":
        return rankings.max_grade
    if rankings.max_grade.max(initial=0.0) > max_grade:
        highest = rankings.max_grade.max()
        msg = f"max_grade is {max_grade:g}, but y_true has a grade of {highest:g}; raise max_grade"
        raise InvalidParameterError(msg)
    return np.full(len(rankings), float(max_grade))


def _expected_stops(
    stops: FloatArray, above: IntArray, tied: IntArray, offsets: IntArray, cut: int
) -> FloatArray:
    """(H,) P(nobody stopped before) * P(stops here) / rank; the first of a tie has that of all."""
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
        read = reading[first] > NEGLIGIBLE
        first, relevant = first[read], relevant[read]
        shares[first] = tied_stop(stops, first, relevant, above[first], tied[first], cut)
    return shares * reading


def _still_reading(stops: FloatArray, offsets: IntArray) -> FloatArray:
    """(H,) probability that nobody stopped at an earlier relevant item of the query."""
    lengths = sizes_of(offsets)
    reading = np.empty(len(stops))
    for block in similar_length_blocks(lengths):
        width = int(lengths[block].max())
        positions = offsets[:-1][block][:, None] + np.arange(width)
        valid = np.arange(width) < lengths[block][:, None]
        passing = np.where(valid, 1.0 - stops[np.where(valid, positions, 0)], 1.0)
        before = np.ones_like(passing)
        np.cumprod(passing[:, :-1], axis=1, out=before[:, 1:])
        reading[positions[valid]] = before[valid]
    return reading


# ERR of ties --------------------------------------------------------------------------------------


def tied_stop(
    stops: FloatArray,
    first: IntArray,
    relevant: IntArray,
    above: IntArray,
    size: IntArray,
    cut: int,
) -> FloatArray:
    """Expected stop / rank within tie groups, for a reader who arrives at the group."""
    above, size = above.astype(np.int64, copy=False), size.astype(np.int64, copy=False)
    alike, inside = _alike(stops, first, relevant, size), np.minimum(size, cut - above)
    offsets, chances, counts = alike
    # After Maclaurin, t draws satisfy nobody with a probability of at most (1 - mean)^t.
    mean = np.minimum(segment_sum(chances * counts, offsets) / size, 1.0)
    with np.errstate(divide="ignore"):
        enough = np.ceil(math.log(NEGLIGIBLE) / np.log1p(-mean))
    # Items after which nobody reads on, or the tie or the ranking ends; where more follow, G is 1.
    drawn = np.minimum(inside, np.maximum(enough, 1.0)).astype(np.int64)
    is_cut = drawn < inside
    # Ties of about one width together, up to three leading bits, so that few widths serve all. It
    # follows from its own tie alone: sums over padded rows have other bits in other widths.
    step = np.left_shift(1, np.maximum(np.frexp(drawn.astype(np.float64))[1] - 3, 0))
    widths = (drawn + step - 1) // step * step
    largest, result = counts[offsets[:-1]], np.empty(len(size))
    are_huge = size - largest > HUGE_TIES * widths * sizes_of(offsets)
    for width in np.unique(widths).tolist():
        of_width = np.flatnonzero((widths == width) & ~are_huge)
        of_width = of_width[np.argsort(largest[of_width], kind="stable")]
        n_rows = max(_VALUES_AT_ONCE // width, 1)
        parts = [of_width[start : start + n_rows] for start in range(0, len(of_width), n_rows)]
        for ties in (*parts, *np.flatnonzero((widths == width) & are_huge)[:, None]):
            # Those with the most steps first: the ties that still grow are the first rows.
            ties = ties[np.argsort((largest - size)[ties], kind="stable")]
            if are_huge[ties[0]]:
                satisfied = _satisfied_by_groups(alike, ties[0], width)
            else:
                satisfied = _satisfied(alike, ties, width)
            last, cut_here, above_here = drawn[ties], is_cut[ties], above[ties].astype(np.float64)
            positions = np.arange(1.0, satisfied.shape[1])
            rank = above_here[:, None] + positions
            terms = satisfied[:, 1:] / (rank * (rank + 1.0))
            terms[positions >= (last + cut_here)[:, None]] = 0.0
            end = np.where(cut_here, 1.0, satisfied[np.arange(len(last)), last])
            result[ties] = terms.sum(axis=1) + end / (above_here + last + cut_here)
    return result


def _alike(
    stops: FloatArray, first: IntArray, relevant: IntArray, size: IntArray
) -> tuple[IntArray, FloatArray, IntArray]:
    """Groups of items of a tie that satisfy with one probability, the largest of each tie first.

    Offsets of the groups of each tie, their probabilities, and their numbers of items; irrelevant
    items, which never satisfy, are a group, too.
    """
    tie = np.repeat(np.arange(len(first)), relevant)
    positions = np.arange(len(tie)) - np.repeat(offsets_of(relevant)[:-1], relevant)
    chances = stops[first[tie] + positions]
    new = np.ones(len(tie), dtype=bool)
    new[1:] = (tie[1:] != tie[:-1]) | (chances[1:] != chances[:-1])
    starts, rest = np.flatnonzero(new), np.flatnonzero(size > relevant)
    tie = np.concatenate((tie[starts], rest))
    counts = np.concatenate((np.diff(starts, append=len(chances)), (size - relevant)[rest]))
    order = np.lexsort((-counts, tie))
    chances = np.concatenate((chances[starts], np.zeros(len(rest))))
    offsets = np.searchsorted(tie[order], np.arange(len(first) + 1))
    return offsets, chances[order], counts[order]


def _satisfied(
    alike: tuple[IntArray, FloatArray, IntArray], ties: IntArray, width: int
) -> FloatArray:
    """(ties, width + 1) G(t) for t up to ``width``; a row is right up to the size of its tie.

    Among t items of one group alone G is 1 - (1 - s)^t. All others join one by one: the newest of
    n items is among t draws with probability t / n.
    """
    offsets, chances, counts = alike
    starts, drawn = offsets[:-1][ties], np.arange(width + 1.0)
    total = counts[starts][:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        of_one = -np.expm1(drawn * np.log1p(-chances[starts])[:, None])
    satisfied = np.where((drawn <= total) & (drawn > 0), of_one, 0.0)
    # (steps, ties) stops of the items of all groups but the first.
    others, borders = take_segments(offsets, ties)
    added_counts = counts[others]
    added_counts[borders[:-1]] = 0
    steps = segment_sum(added_counts, borders).astype(np.int64)
    joining = np.zeros((len(ties), int(steps.max())))
    joining[np.arange(joining.shape[1]) < steps[:, None]] = np.repeat(chances[others], added_counts)
    least, most = int(total.min()), int(total.max())
    added, rate = np.empty((2, len(ties), width))
    for step, stop in enumerate(np.ascontiguousarray(joining.T), 1):
        rows = slice(0, int(np.searchsorted(-steps, -step, side="right")))
        old, n, stop = satisfied[rows, : most + step + 1], total[rows] + step, stop[rows, None]
        new, share = added[rows, : old.shape[1] - 1], rate[rows, : old.shape[1] - 1]
        np.multiply(old[:, :-1], 1.0 - stop, out=new)
        new += stop
        new -= old[:, 1:]
        t = drawn[1 : old.shape[1]]
        np.multiply(t, 1.0 / n, out=share)
        # More cannot be drawn: G stays exactly 0 there, whichever ties are at hand.
        share[:, least + step :][t[least + step :] > n] = 0.0
        new *= share
        old[:, 1:] += new
    return satisfied


def _satisfied_by_groups(
    alike: tuple[IntArray, FloatArray, IntArray], tie: int, width: int
) -> FloatArray:
    """(1, width + 1) G(t) of one tie, whose groups join as wholes.

    Each of t draws is from the groups so far or from the new one; ``share`` has the probability
    that j of them are from the groups so far.
    """
    offsets, chances, counts = alike
    groups, drawn = slice(offsets[tie], offsets[tie + 1]), np.arange(width + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_groups = -np.expm1(drawn * np.log1p(-chances[groups])[:, None])
    of_groups[:, 0] = 0.0
    satisfied: FloatArray = of_groups[0]
    total = int(counts[groups][0])
    for other, count in zip(of_groups[1:], counts[groups][1:].tolist(), strict=True):
        joined, share = np.zeros((2, width + 1))
        share[0] = 1.0
        for t in range(1, min(width, total + count) + 1):
            before, left = drawn[:t], total + count - t + 1
            moved = share[:t] * np.maximum(total - before, 0) / left
            share[:t] *= np.maximum(count - (t - 1 - before), 0) / left
            share[1 : t + 1] += moved
            share[: t + 1] /= share[: t + 1].sum()  # else rounding adds up over the draws
            either = satisfied[: t + 1] + (1.0 - satisfied[: t + 1]) * other[t::-1]
            joined[t] = (share[: t + 1] * either).sum()
        satisfied, total = joined, total + count
    return satisfied[np.newaxis]
