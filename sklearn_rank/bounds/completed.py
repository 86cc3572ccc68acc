"""Rankings with grades for their unjudged items: one query for each grading."""

from __future__ import annotations

import numpy as np

from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import offsets_of, segment_index, take_segments
from sklearn_rank.typing import FloatArray, IntArray


def completed(
    rankings: JudgedRankings,
    query: IntArray,
    places: tuple[IntArray, IntArray],
    grades: FloatArray,
    absent: tuple[IntArray, FloatArray] | None = None,
) -> JudgedRankings:
    """For each of C gradings the query that it speaks of, with these items judged as well.

    ``places`` (above, tied) and ``grades`` have shape (C, U): a grade of 0 leaves an item
    irrelevant, an item that is ``NOWHERE`` is only among the relevant ones. ``absent`` (numbers and
    grades, of shape (C,)) adds items that are not retrieved.
    """
    above, tied = places
    is_relevant = grades > 0
    row, column = np.nonzero(is_relevant & (above >= 0))
    rows, offsets = take_segments(rankings.offsets, query)
    grading = np.concatenate((segment_index(offsets), row))
    all_above = np.concatenate((rankings.above[rows], above[row, column]))
    all_tied = np.concatenate((rankings.tied[rows], tied[row, column]))
    all_grades = np.concatenate((rankings.grades[rows], grades[row, column]))
    order = _order(grading, all_above, all_grades, is_tied=bool((all_tied > 1).any()))
    counts = np.diff(offsets) + np.bincount(row, minlength=len(query))
    judged_offsets, judged_grades = _judged(rankings, query, grades, absent)
    return JudgedRankings(
        query_ids=query,
        offsets=offsets_of(counts),
        above=all_above[order],
        tied=all_tied[order],
        grades=all_grades[order],
        n_ranked=rankings.n_ranked[query],
        judged_offsets=judged_offsets,
        judged_grades=judged_grades,
    )


def _order(grading: IntArray, above: IntArray, grades: FloatArray, *, is_tied: bool) -> IntArray:
    """By grading and rank; in a tie the better grades first."""
    if is_tied:
        return np.lexsort((-grades, above, grading))
    return np.argsort(grading * (int(above.max(initial=0)) + 1) + above, kind="stable")


def _judged(
    rankings: JudgedRankings,
    query: IntArray,
    grades: FloatArray,
    absent: tuple[IntArray, FloatArray] | None,
) -> tuple[IntArray, FloatArray]:
    """Offsets and grades of all relevant items of each grading."""
    is_relevant = grades > 0
    rows, known = take_segments(rankings.judged_offsets, query)
    added = is_relevant.sum(axis=1)
    missed, missed_grades = absent or (np.zeros(len(query), np.int64), np.zeros(len(query)))
    missed = np.where(missed_grades > 0, missed, 0)
    offsets = offsets_of(np.diff(known) + added + missed)
    result = np.empty(int(offsets[-1]))
    first = offsets[:-1]
    for start, borders, values in (
        (first, known, rankings.judged_grades[rows]),
        (first + np.diff(known), offsets_of(added), grades[is_relevant]),
        (first + np.diff(known) + added, offsets_of(missed), np.repeat(missed_grades, missed)),
    ):
        sizes = np.diff(borders)
        result[np.arange(len(values)) + np.repeat(start - borders[:-1], sizes)] = values
    return offsets, result
