"""Bounds of nDCG, and of its change between two systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.bounds.holes import Holes, possible_grades
from sklearn_rank.bounds.ratio import Problem, extremes
from sklearn_rank.kernels.graded import best_of, place_weights, rank_weights, relative_gains
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import (
    offsets_of,
    segment_index,
    segment_max,
    segment_sum,
    similar_length_blocks,
    take_segments,
)
from sklearn_rank.typing import Array, FloatArray, IntArray

_CELLS = 1 << 18
"""Numbers of items and of levels that are worked on at once: they fit the processor's cache."""
_LARGEST_POWER = 1000
"""2^1000 and 2^-1000 are finite and normal numbers."""


class _How(NamedTuple):
    """How an nDCG weighs grades and ranks."""

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
    holes: Holes,
    max_grade: float,
) -> tuple[FloatArray, FloatArray]:
    """(Q,) least and greatest sum over systems of factor times nDCG; NaN where never defined.

    All systems rank the same queries, so that their ideal is one.
    """
    gain, first = measure.options["gain"], systems[0][1]
    longest = max(rankings.longest for _, rankings in systems)
    longest = max(longest, int((first.n_relevant + holes.sizes + holes.absent).max(initial=0)))
    cut = longest if measure.k is None else min(measure.k, longest)
    by_rank = rank_weights(cut, measure.options["discount"])
    how = _How(gain, gradable(first, max_grade, gain), by_rank)
    coefficients = np.zeros(int(holes.offsets[-1]))
    for (factor, _), above, tied in zip(systems, holes.above, holes.tied, strict=True):
        coefficients += factor * how.weights(above, tied)
    sizes = holes.sizes + np.minimum(holes.absent, cut)
    least, greatest = np.empty((2, len(first)))
    for queries in similar_length_blocks(sizes + 1, _CELLS):
        problem = _problem(systems, holes.offsets, coefficients, sizes, queries, how)
        least[queries], greatest[queries] = extremes(problem)
    return least, greatest


def gradable(rankings: JudgedRankings, max_grade: float, gain: Any) -> FloatArray:
    """Grades above 0 that an unjudged item may have, rising; a table of gains says which."""
    if isinstance(gain, tuple):
        return np.array(sorted(grade for grade, _ in gain if 0 < grade <= max_grade))
    return possible_grades(rankings, max_grade)


def least_and_best_grade(
    rankings: JudgedRankings, max_grade: float, gain: Any
) -> tuple[float, float]:
    """The possible grades above 0 with the least and with the greatest gain; 0 if there is none."""
    grades = gradable(rankings, max_grade, gain)
    if not len(grades):
        return 0.0, 0.0
    if isinstance(gain, str):
        return float(grades[0]), float(grades[-1])
    gains = relative_gains(grades, np.ones(len(grades)), gain)
    return float(grades[gains.argmin()]), float(grades[gains.argmax()])


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
    items, borders = take_segments(offsets, queries)
    return Problem(
        fixed,
        _padded(coefficients[items], borders, int(sizes[queries].max(initial=0))),
        sizes[queries],
        levels,
        counts,
        tops * unit[:, None],
        isinstance(how.gain, tuple),
        np.concatenate(([0.0], np.cumsum(how.by_rank))),
    )


def _gains_to_try(how: _How, top_grades: FloatArray) -> FloatArray:
    """(B, T) greatest gain of an unjudged item, over the same number as those of its query.

    All its gains, if a table says what they are.
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
    return _padded(gains[starts], borders, width), _padded(counts, borders, width).astype(np.int64)


def _padded(values: Array, offsets: IntArray, width: int) -> FloatArray:
    """(B, width) values of each segment, and zeros."""
    rows = np.zeros((len(offsets) - 1, width))
    query = segment_index(offsets)
    rows[query, np.arange(len(values)) - offsets[:-1][query]] = values
    return rows
