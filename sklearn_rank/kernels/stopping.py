"""Measures of a user who reads down the list and stops where an item satisfies: ERR."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.expectation import Parts, depth, parts_of, ratio, where_relevant
from sklearn_rank.kernels.gain import exponential
from sklearn_rank.kernels.tied_stops import NOBODY, tied_stop
from sklearn_rank.rankings.grade_counts import best_of
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import (
    segment_index,
    segment_sum,
    similar_length_blocks,
    sizes_of,
)
from sklearn_rank.typing import FloatArray, IntArray


def err(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> FloatArray:
    """Expected one over the rank at which a user, satisfied by chance, stops."""
    cut = depth(rankings, k)
    read, top = rankings.within(cut), _top_grades(rankings, max_grade)
    stops = _stops(read.hit_grades, np.repeat(top, read.n_hits))
    value = segment_sum(
        _expected_stops(stops, read.above, read.tied, read.offsets, cut), read.offsets
    )
    return where_relevant(rankings, value)


def err_parts(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> Parts:
    """The share of each item: readers who reach it and are satisfied, over its rank.

    Items of a tie share what their tie has by the chances that they satisfy.
    """
    cut, top = depth(rankings, k), _top_grades(rankings, max_grade)
    stops = _stops(rankings.hit_grades, np.repeat(top, rankings.n_hits))
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


def nerr_parts(rankings: JudgedRankings, *, k: int | None, max_grade: Any = "query") -> Parts:
    """Those of ERR over the ERR of the best order."""
    parts = err_parts(rankings, k=k, max_grade=max_grade)
    return parts_of(rankings, parts.hits, _best_err(rankings, k, max_grade))


def _best_err(rankings: JudgedRankings, k: int | None, max_grade: Any) -> FloatArray:
    """ERR of the best order of all relevant items."""
    cut, top, levels = depth(rankings, k), _top_grades(rankings, max_grade), rankings.levels
    if levels is not None:
        grades, offsets = levels.best(levels.grades, cut)
    else:
        grades, offsets = best_of(rankings.all_grades, rankings.judged_offsets, cut)
    stops = _stops(grades, np.repeat(top, sizes_of(offsets)))
    place = np.arange(len(stops)) - np.repeat(offsets[:-1], sizes_of(offsets))
    untied = np.ones(len(stops), dtype=np.int64)
    return segment_sum(_expected_stops(stops, place, untied, offsets, cut), offsets)


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
        read = reading[first] > NOBODY
        first, relevant = first[read], relevant[read]
        shares[first] = tied_stop(stops, first, relevant, above[first], tied[first], cut)
    return shares * reading


def _still_reading(stops: FloatArray, offsets: IntArray) -> FloatArray:
    """(H,) probability that nobody stopped at an earlier relevant item of the query."""
    lengths = sizes_of(offsets)
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
