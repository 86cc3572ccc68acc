"""Measures that weigh items by their grade."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.expectation import PositionSums, depth, where_relevant
from sklearn_rank.kernels.user_functions import called
from sklearn_rank.rankings.grade_counts import SMALL_INTEGERS, Best, best_of, small_integers
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import (
    offsets_of,
    segment_index,
    segment_max,
    segment_sum,
    similar_length_blocks,
)
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray, IntArray

GainTable = tuple[tuple[float, float], ...]
"""A gain given as a mapping, kept as pairs so that measures stay hashable."""

_OVERFLOW_GRADE = 500.0
"""From here on 2^grade is scaled per query; below, nothing is rounded by scaling."""
_SMALL_GRADE = 0.5
_NOBODY = 1e-20
"""A probability this small of still reading adds nothing to an expectation."""
_TINY_GRADE = 2.0**-500
_LARGEST_POWER = 1000
_LN2 = math.log(2.0)
_EXP2_TABLE = np.exp2(np.arange(SMALL_INTEGERS, dtype=np.float64)) - 1.0


# Discounted cumulative gain ---------------------------------------------------------------------


def dcg(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: Any = "log2"
) -> FloatArray:
    """Sum of gain / discount(rank) within the first k."""
    if not isinstance(gain, str):
        _gains(rankings.grades, 0.0, gain)  # refuses a grade without a gain wherever it stands
    top = rankings.within(depth(rankings, k))
    with np.errstate(over="ignore", invalid="ignore"):
        total = _discounted(top, _gains(top.grades, 0.0, gain), k, discount)
    return where_relevant(rankings, _refuse_overflow(total, rankings, gain))


def ideal_dcg(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: Any = "log2"
) -> FloatArray:
    """DCG of the best order of all relevant items."""
    with np.errstate(over="ignore", invalid="ignore"):
        best = _best_gains(rankings, 0.0, depth(rankings, k), gain)
        total = _ideal(best, depth(rankings, k), discount)
    return where_relevant(rankings, _refuse_overflow(total, rankings, gain))


def ndcg(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: Any = "log2"
) -> FloatArray:
    """DCG over the DCG of the best order of all relevant items."""
    cut = depth(rankings, k)
    top = rankings.within(cut)
    if isinstance(gain, str) and rankings.levels is not None:
        gains = _gains(rankings.levels.grades, 0.0, gain)
        found = rankings.levels.look_up(gains, top.grades)
        best = rankings.levels.best(gains, cut)
    else:
        found, best = _scaled_gains(rankings, top, cut, gain)
    total, ideal = _discounted(top, found, k, discount), _ideal(best, cut, discount)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ideal > 0, total / ideal, np.nan)


def _scaled_gains(
    rankings: JudgedRankings, top: JudgedRankings, cut: int, gain: Any
) -> tuple[FloatArray, Best]:
    """Gains found and the best ones, of each query over a number that cancels in the quotient."""
    # One scale per query keeps every grade within float64.
    scale = np.where(rankings.max_grade >= _OVERFLOW_GRADE, rankings.max_grade, 0.0)
    found = _gains(top.grades, np.repeat(scale, top.n_hits), gain)
    best = _best_gains(rankings, scale, cut, gain)
    values, sizes = best.values, np.diff(best.offsets)
    if gain == "exp2" and (rankings.max_grade < _TINY_GRADE).any():
        # 2^g - 1 is g ln 2 here; the factor cancels too, and would cost digits of the smallest.
        tiny = rankings.max_grade < _TINY_GRADE
        found = np.where(np.repeat(tiny, top.n_hits), top.grades, found)
        grades = best_of(rankings.judged_grades, rankings.judged_offsets, cut).values
        values = np.where(np.repeat(tiny, sizes), grades, values)
    # So does a power of two that keeps sums and quotients away from the ends of float64.
    exponent = np.frexp(segment_max(values, best.offsets))[1]
    unit = np.ldexp(1.0, -np.clip(exponent, -_LARGEST_POWER, _LARGEST_POWER))
    return found * np.repeat(unit, top.n_hits), Best(values * np.repeat(unit, sizes), best.offsets)


def _best_gains(rankings: JudgedRankings, scale: FloatArray | float, cut: int, gain: Any) -> Best:
    """Gains of the first ``cut`` of all relevant items, the largest gains first."""
    if rankings.levels is not None:
        return rankings.levels.best(_gains(rankings.levels.grades, 0.0, gain), cut)
    scales = np.repeat(np.broadcast_to(scale, len(rankings)), rankings.n_relevant)
    return best_of(_gains(rankings.judged_grades, scales, gain), rankings.judged_offsets, cut)


def _gains(grades: FloatArray, scale: FloatArray | float, gain: Any) -> FloatArray:
    """Gain of each grade, for ``"exp2"`` divided by 2^scale."""
    if gain == "exp2":
        return _exponential(grades, scale)
    if gain == "linear":
        return grades
    if gain == "binary":
        return np.ones(len(grades))
    levels, place = np.unique(grades, return_inverse=True)
    if isinstance(gain, tuple):
        table = dict(gain)
        unknown = [level for level in levels.tolist() if level not in table]
        if unknown:
            msg = f"gain has no entry for grade {unknown[0]:g}"
            raise InvalidParameterError(msg)
        values = np.array([table[level] for level in levels.tolist()], dtype=np.float64)
    else:
        values = called(gain, levels, "gain", "grade")
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        msg = (
            f"gain must be finite and at least 0, got {values[wrong][0]} "
            f"for grade {levels[wrong][0]:g}"
        )
        raise InvalidParameterError(msg)
    return values[place]


def _exponential(grades: FloatArray, scale: FloatArray | float) -> FloatArray:
    """(2^grade - 1) / 2^scale, exact for whole grades and accurate for tiny ones."""
    codes = small_integers(grades)
    if codes is not None:
        return _EXP2_TABLE.take(codes) * np.exp2(-scale)
    with np.errstate(over="ignore"):
        return np.where(
            grades < _SMALL_GRADE,
            np.expm1(np.minimum(grades, 1.0) * _LN2) * np.exp2(-scale),
            np.exp2(grades - scale) - np.exp2(-scale),
        )


def _rank_weights(cut: int, discount: Any) -> FloatArray:
    """One over the discount of the ranks 1 to cut."""
    ranks = np.arange(1.0, cut + 1.0)
    if discount == "log2":
        return 1.0 / np.log2(ranks + 1.0)
    divisors = called(discount, ranks, "discount", "rank")
    wrong = ~(np.isfinite(divisors) & (divisors > 0))
    wrong[1:] |= divisors[1:] < divisors[:-1]
    if wrong.any():
        rank = int(np.flatnonzero(wrong)[0])
        msg = (
            f"discount must be finite, above 0 and never fall, got {divisors[rank]} "
            f"at rank {rank + 1}"
        )
        raise InvalidParameterError(msg)
    return 1.0 / divisors


def _discounted(
    rankings: JudgedRankings, gains: FloatArray, k: int | None, discount: Any
) -> FloatArray:
    """Sum of the gains of each query, weighed by where the items stand, all of them within k."""
    cut = depth(rankings, k)
    by_rank = _rank_weights(cut, discount)
    weights = by_rank.take(rankings.above)
    if rankings.are_tied:
        tied = np.flatnonzero(rankings.tied > 1)
        first, size = rankings.above[tied], rankings.tied[tied]
        last = np.minimum(first + size, cut)
        weights[tied] = PositionSums(by_rank).over(first, last) / size
    weights *= gains
    return segment_sum(weights, rankings.offsets)


def _ideal(best: Best, cut: int, discount: Any) -> FloatArray:
    """Sum of the gains of each query, from the first rank on."""
    sizes = np.diff(best.offsets)
    place = np.arange(len(best.values))
    place -= np.repeat(best.offsets[:-1], sizes)
    weights = _rank_weights(cut, discount).take(place)
    weights *= best.values
    return segment_sum(weights, best.offsets)


def _refuse_overflow(values: FloatArray, rankings: JudgedRankings, gain: Any) -> FloatArray:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        query = int(wrong[0])
        advice = "use ndcg or gain='linear'" if gain == "exp2" else "use ndcg or smaller gains"
        shown = repr(gain) if isinstance(gain, str) else "this gain"
        msg = (
            f"DCG with gain={shown} overflows float64 at grade {rankings.max_grade[query]:g} of "
            f"query {safe_repr(rankings.query_ids[query])}; {advice}"
        )
        raise OverflowError(msg)
    return values


# Expected reciprocal rank -----------------------------------------------------------------------


def err(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> FloatArray:
    """Expected one over the rank at which a user, satisfied by chance, stops."""
    cut = depth(rankings, k)
    found, top = rankings.within(cut), _top_grades(rankings, max_grade)
    stops = _stops(found.grades, np.repeat(top, found.n_hits))
    value = _expected_stop(stops, found.above, found.tied, found.offsets, cut)
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
    return _exponential(grades, top)


def _expected_stop(
    stops: FloatArray, above: IntArray, tied: IntArray, offsets: IntArray, cut: int
) -> FloatArray:
    """Sum over relevant items of P(nobody stopped before) * P(stops here) / rank."""
    shares = np.where(above < cut, stops / (above + 1), 0.0)
    in_tie = np.flatnonzero((tied > 1) & (above < cut))
    if len(in_tie):
        query = segment_index(offsets)[in_tie]
        new = np.ones(len(in_tie), dtype=bool)
        new[1:] = (above[in_tie][1:] != above[in_tie][:-1]) | (query[1:] != query[:-1])
        first = in_tie[new]
        relevant = np.diff(np.flatnonzero(new), append=len(in_tie))
        shares[in_tie] = 0.0
        shares[first] = _tied_stop(stops, first, relevant, above[first], tied[first], cut)
    return segment_sum(shares * _still_reading(stops, offsets), offsets)


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


def _tied_stop(
    stops: FloatArray,
    first: IntArray,
    relevant: IntArray,
    above: IntArray,
    size: IntArray,
    cut: int,
) -> FloatArray:
    """Expected stop / rank within tie groups, for a reader who arrives at the group.

    Let F(t) be the expected probability that t items drawn from the group satisfy nobody. Without
    relevant items it is 1; adding the n-th item, which satisfies with probability s, gives
    F'(t) = (1 - t/n) F(t) + (t/n) (1 - s) F(t - 1). All terms are positive, so nothing cancels.

    Items are added by rising s, so that F never rises: what has come down to nothing stays so,
    and ever fewer t have to be looked at.
    """
    inside = np.minimum(size, cut - above)
    result = np.empty(len(first))
    for by_length in similar_length_blocks(inside):
        for by_count in similar_length_blocks(relevant[by_length]):
            chosen = by_length[by_count]
            drawn = np.arange(1.0, inside[chosen].max() + 1.0)
            nobody = np.ones((len(chosen), len(drawn) + 1))
            reading = nobody
            for item in range(int(relevant[chosen].max())):
                present = item < relevant[chosen]
                place = first[chosen] + np.where(present, relevant[chosen] - 1 - item, 0)
                total = (size - relevant)[chosen] + item + 1
                share = np.minimum(drawn[: reading.shape[1] - 1] / total[:, None], 1.0)
                share *= present[:, None]
                passing = (1.0 - stops[place])[:, None]
                reading[:, 1:] += share * (passing * reading[:, :-1] - reading[:, 1:])
                reading[reading < _NOBODY] = 0.0
                reading = reading[:, : int(np.flatnonzero(reading.any(axis=0))[-1]) + 1]
            expected = (nobody[:, :-1] - nobody[:, 1:]) / (above[chosen, None] + drawn)
            valid = drawn <= inside[chosen, None]
            result[chosen] = segment_sum(expected[valid], offsets_of(inside[chosen]))
    return result
