"""Measures that add up the gains of items, each over the discount of its rank: DCG and nDCG."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.expectation import (
    Parts,
    PositionSums,
    depth,
    parts_of,
    where_relevant,
)
from sklearn_rank.kernels.user_functions import called
from sklearn_rank.rankings.grade_counts import (
    SMALL_INTEGERS,
    Best,
    LevelCounts,
    best_of,
    small_integers,
)
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import (
    segment_max,
    segment_sum,
    sizes_of,
)
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray, IntArray

_OVERFLOW_GRADE = 500.0
"""From here on 2^grade is scaled per query; below, nothing is rounded by scaling."""
_SMALL_GRADE = 0.5
"""Below this 2^grade - 1 cancels, and expm1 does not."""
_TINY_GRADE = 2.0**-500
"""Below this 2^grade - 1 is so small that products with discounts lose digits."""
_LARGEST_POWER = 1000
"""2^1000 and 2^-1000 are finite and normal numbers, and so are the gains scaled by them."""
_LN2 = math.log(2.0)
_EXP2_TABLE = np.exp2(np.arange(SMALL_INTEGERS, dtype=np.float64)) - 1.0


def dcg(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: Any = "log2"
) -> FloatArray:
    """Sum of gain / discount(rank) within the first k."""
    if not isinstance(gain, str):
        _gains(rankings.hit_grades, 0.0, gain)  # refuses a grade without a gain wherever it stands
    top = rankings.within(depth(rankings, k))
    with np.errstate(over="ignore", invalid="ignore"):
        total = _discounted(top, _gains(top.hit_grades, 0.0, gain), k, discount)
    return where_relevant(rankings, _refuse_overflow(total, rankings, gain))


def dcg_parts(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: Any = "log2"
) -> Parts:
    """Gain of each item over its discount."""
    gains = _gains(rankings.hit_grades, 0.0, gain)
    return parts_of(rankings, gains * _all_weights(rankings, k, discount))


def ndcg_parts(
    rankings: JudgedRankings, *, k: int | None, gain: Any = "exp2", discount: Any = "log2"
) -> Parts:
    """The same over the DCG of the best order."""
    cut = depth(rankings, k)
    gains, best = _scaled_gains(rankings, rankings, cut, gain)
    weights = _all_weights(rankings, k, discount)
    return parts_of(rankings, gains * weights, _ideal(best, cut, discount))


def _all_weights(rankings: JudgedRankings, k: int | None, discount: Any) -> FloatArray:
    """(H,) expected weight of the rank of each hit; 0 beyond k."""
    cut = depth(rankings, k)
    weights = np.zeros(len(rankings.above))
    weights[rankings.above < cut] = _item_weights(rankings.within(cut), k, discount)
    return weights


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
        gains_found = rankings.levels.look_up(gains, top.grades)
        ideal = _ideal_of_levels(rankings.levels, gains, cut, discount)
    else:
        gains_found, best = _scaled_gains(rankings, top, cut, gain)
        ideal = _ideal(best, cut, discount)
    total = _discounted(top, gains_found, k, discount)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ideal > 0, total / ideal, np.nan)


def _scaled_gains(
    rankings: JudgedRankings, top: JudgedRankings, cut: int, gain: Any
) -> tuple[FloatArray, Best]:
    """Gains of the hits and the best gains, scaled per query by a number that nDCG cancels."""
    # One scale per query keeps every grade within float64.
    scale = np.where(rankings.max_grade >= _OVERFLOW_GRADE, rankings.max_grade, 0.0)
    gains_found = _gains(top.hit_grades, np.repeat(scale, top.n_hits), gain)
    best = _best_gains(rankings, scale, cut, gain)
    values, sizes = best.values, sizes_of(best.offsets)
    if gain == "exp2" and (rankings.max_grade < _TINY_GRADE).any():
        # 2^g - 1 is g ln 2 here; the factor cancels too, and would cost digits of the smallest.
        tiny = rankings.max_grade < _TINY_GRADE
        gains_found = np.where(np.repeat(tiny, top.n_hits), top.hit_grades, gains_found)
        grades = best_of(rankings.all_grades, rankings.judged_offsets, cut).values
        values = np.where(np.repeat(tiny, sizes), grades, values)
    # So does a power of two that keeps sums and quotients away from the ends of float64.
    exponent = np.frexp(segment_max(values, best.offsets))[1]
    unit = np.ldexp(1.0, -np.clip(exponent, -_LARGEST_POWER, _LARGEST_POWER))
    return gains_found * np.repeat(unit, top.n_hits), Best(
        values * np.repeat(unit, sizes), best.offsets
    )


def _best_gains(rankings: JudgedRankings, scale: FloatArray | float, cut: int, gain: Any) -> Best:
    """Gains of the first ``cut`` of all relevant items, the largest gains first."""
    if rankings.levels is not None:
        return rankings.levels.best(_gains(rankings.levels.grades, 0.0, gain), cut)
    scales = np.repeat(np.broadcast_to(scale, len(rankings)), rankings.n_relevant)
    return best_of(_gains(rankings.all_grades, scales, gain), rankings.judged_offsets, cut)


def _gains(grades: FloatArray, scale: FloatArray | float, gain: Any) -> FloatArray:
    """Gain of each grade, for ``"exp2"`` divided by 2^scale."""
    if gain == "exp2":
        return exponential(grades, scale)
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


def relative_gains(grades: FloatArray, top: FloatArray, gain: Any) -> FloatArray:
    """Gains of items over a number that the ``top`` grade of their query decides.

    Only proportions within a query are right: that keeps every grade within float64.
    """
    gains = _gains(grades, np.where(top >= _OVERFLOW_GRADE, top, 0.0), gain)
    # 2^g - 1 is g ln 2 here; the factor would cost digits of the smallest.
    return np.where(top < _TINY_GRADE, grades, gains) if gain == "exp2" else gains


def exponential(grades: FloatArray, scale: FloatArray | float) -> FloatArray:
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


def rank_weights(cut: int, discount: Any) -> FloatArray:
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
    weights = _item_weights(rankings, k, discount)
    weights *= gains
    return segment_sum(weights, rankings.offsets)


def _item_weights(rankings: JudgedRankings, k: int | None, discount: Any) -> FloatArray:
    """(H,) expected weight of the rank of each hit, all of which may stand within k."""
    by_rank = rank_weights(depth(rankings, k), discount)
    return place_weights(by_rank, rankings.above, rankings.tied if rankings.are_tied else None)


def place_weights(by_rank: FloatArray, above: IntArray, tied: IntArray | None) -> FloatArray:
    """Weights of items that stand within the ranks; a tie shares those of its ranks evenly."""
    weights: FloatArray = by_rank[above]
    if tied is not None:
        of_tie = np.flatnonzero(tied > 1)
        first, size = above[of_tie], tied[of_tie]
        last = np.minimum(first + size, len(by_rank))
        weights[of_tie] = PositionSums(by_rank).over(first, last) / size
    return weights


def _ideal(best: Best, cut: int, discount: Any) -> FloatArray:
    """Sum of the gains of each query, from the first rank on."""
    sizes = sizes_of(best.offsets)
    place = np.arange(len(best.values))
    place -= np.repeat(best.offsets[:-1], sizes)
    weights = rank_weights(cut, discount).take(place)
    weights *= best.values
    return segment_sum(weights, best.offsets)


def _ideal_of_levels(levels: LevelCounts, gains: FloatArray, cut: int, discount: Any) -> FloatArray:
    """The same where grades were counted: queries with the same counts have the same ideal."""
    distinct = levels.distinct(gains, cut)
    if distinct is None:
        return _ideal(levels.best(gains, cut), cut, discount)
    counted, number = distinct
    return _ideal(counted.best(gains, cut), cut, discount)[number]


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
