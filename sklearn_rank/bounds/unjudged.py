"""The unjudged items of queries as one measure reads them, and rankings with grades for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.kernels.graded import relative_gains
from sklearn_rank.rankings.judged import SMALL_INTEGERS, JudgedRankings, Unjudged
from sklearn_rank.support.segments import offsets_of, segment_index, take_segments
from sklearn_rank.tables.formats import Tabular
from sklearn_rank.tables.table import Column, Table, number_cell, text_cell
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

__all__ = ["Bounds"]


@dataclass(frozen=True, eq=False, repr=False)
class Bounds(Tabular):
    """Least and greatest value of a measure, or of its change, over all ways to grade.

    Attributes
    ----------
    measure : str
        Canonical spelling.
    low, high : float
        Of the mean over queries; NaN if no grading defines it.
    per_query_low, per_query_high : ndarray of shape (n_queries,)
        Of each query, over the gradings for which it is defined; NaN where it is for none.
    query_ids : sequence of shape (n_queries,)
        Ids of the queries.
    may_be_undefined : ndarray of bool of shape (n_queries,)
        Whether some grading leaves a query without a value.

    Examples
    --------
    >>> from sklearn_rank import evaluate
    >>> ev = evaluate([{"a": 1, "b": 0}], [["a", "b", "new"]], "map")
    >>> bounds = ev.bounds("map")  # new is irrelevant, or (1 + 2/3) / 2
    >>> round(bounds.low, 4), bounds.high
    (0.8333, 1.0)
    """

    measure: str
    low: float
    high: float
    per_query_low: FloatArray = field(repr=False)
    per_query_high: FloatArray = field(repr=False)
    query_ids: Any = field(repr=False)
    may_be_undefined: BoolArray = field(repr=False)

    _ROWS = ("measures",)

    def _table(self, rows: str) -> Table:  # noqa: ARG002
        columns = (Column("measure"), Column("least", "number"), Column("greatest", "number"))
        row = text_cell(self.measure), number_cell(self.low), number_cell(self.high)
        n = len(self.per_query_low)
        note = f"{n:,} {'query' if n == 1 else 'queries'}; over all grades of unjudged items"
        return Table(columns, (row,), notes=(note,))


NOWHERE = -1
"""In place of the number of items above: the item is not retrieved, or never read."""


class OpenItems(NamedTuple):
    """Unjudged items of Q queries in one or two systems, and how many there are out of reach."""

    offsets: IntArray
    """(Q+1,) items of query ``i`` are ``offsets[i]:offsets[i+1]``, class after class."""
    classes: IntArray
    """(Q, C) items of each class; within one the earliest come first."""
    above: tuple[IntArray, ...]
    """For each system (U,) items strictly above the item's tie group."""
    tied: tuple[IntArray, ...]
    """For each system (U,) size of the tie group."""
    absent: IntArray
    """(Q,) items that were retrieved below the ranks that are read."""

    @property
    def sizes(self) -> IntArray:
        """(Q,) unjudged items in reach."""
        return np.diff(self.offsets)

    def of(self, queries: IntArray) -> list[tuple[IntArray, IntArray]]:
        """(B, U) places of queries that have equally many items, in each system."""
        size = int(self.sizes[queries[0]]) if len(queries) else 0
        items = self.offsets[:-1][queries][:, None] + np.arange(size)
        return [
            (above[items], tied[items]) for above, tied in zip(self.above, self.tied, strict=True)
        ]

    def take(self, queries: IntArray) -> OpenItems:
        """The items of some queries alone."""
        items, offsets = take_segments(self.offsets, queries)
        return OpenItems(
            offsets,
            self.classes[queries],
            tuple(above[items] for above in self.above),
            tuple(tied[items] for tied in self.tied),
            self.absent[queries],
        )


def open_items_of(rankings: JudgedRankings, cut: int | None) -> OpenItems:
    """Unjudged items within the first ``cut`` ranks; what lies below is absent."""
    unjudged = rankings.unjudged or Unjudged.nothing(len(rankings))
    places = unjudged.places.within(cut)
    sizes = np.diff(places.offsets)
    return OpenItems(
        places.offsets,
        sizes[:, None],
        (places.above.astype(np.int64),),
        (places.tied.astype(np.int64),),
        unjudged.counts - sizes,
    )


def highest_grade(rankings: JudgedRankings) -> float:
    """Highest grade of the data; 1 where nothing is relevant."""
    return float(rankings.judged_grades.max(initial=0)) or 1.0


def possible_grades(rankings: JudgedRankings, max_grade: float) -> FloatArray:
    """Grades above 0 that an unjudged item may have, rising: the data's, and the highest.

    Where these are small whole numbers, all whole numbers are possible.
    """
    seen = np.unique(rankings.all_grades)
    grades = np.append(seen[seen < max_grade], max_grade)
    if max_grade < SMALL_INTEGERS and (grades == np.floor(grades)).all():
        grades = np.arange(1.0, max_grade + 1.0)
    return grades[grades > 0]


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


# Items of two systems ----------------------------------------------------------------------------


def shared_open_items(
    sides: Sequence[JudgedRankings],
    codes: Sequence[IntArray],
    cut: int | None,
) -> OpenItems:
    """Unjudged items that a system reads: of the first alone, of the second alone, of both.

    Equal ``codes`` within a query are one item. Items that neither system reads are absent.
    """
    n_queries = len(sides[0])
    open_items = [side.unjudged or Unjudged.nothing(n_queries) for side in sides]
    places = [unjudged.places for unjudged in open_items]
    query = np.concatenate([segment_index(place.offsets) for place in places])
    keys, item = np.unique(
        np.column_stack((query, np.concatenate(codes))), axis=0, return_inverse=True
    )
    item, of_query = item.ravel(), keys[:, 0]
    above = np.full((2, len(keys)), NOWHERE)
    tied = np.ones((2, len(keys)), np.int64)
    first = 0
    for side, place in enumerate(places):
        items = item[first : first + len(place.above)]
        above[side, items], tied[side, items] = place.above, place.tied
        first += len(place.above)
    if cut is not None:
        above[above >= cut] = NOWHERE
    is_read = above >= 0
    is_absent = np.asarray(~is_read.any(axis=0))
    n_absent = np.bincount(of_query[is_absent], minlength=n_queries)
    kind = np.where(is_read[0], np.where(is_read[1], 2, 0), 1)
    order = np.lexsort((np.where(kind == 1, above[1], above[0]), kind, of_query))
    order = order[~is_absent[order]]
    classes = np.bincount(of_query[order] * 3 + kind[order], minlength=3 * n_queries)
    classes = classes.reshape(n_queries, 3)
    return OpenItems(
        offsets_of(classes.sum(axis=1)),
        classes,
        (above[0, order], above[1, order]),
        (tied[0, order], tied[1, order]),
        n_absent,
    )


# Rankings with grades for their unjudged items ---------------------------------------------------


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
    row, column = np.nonzero((grades > 0) & (above >= 0))
    rows, offsets = take_segments(rankings.offsets, query)
    grading = np.concatenate((segment_index(offsets), row))
    all_above = np.concatenate((rankings.above[rows], above[row, column]))
    all_tied = np.concatenate((rankings.tied[rows], tied[row, column]))
    all_grades = np.concatenate((rankings.grades[rows], grades[row, column]))
    # By grading and rank; in a tie the better grades first.
    if (all_tied > 1).any():
        order = np.lexsort((-all_grades, all_above, grading))
    else:
        step = int(all_above.max(initial=0)) + 1
        order = np.argsort(grading * step + all_above, kind="stable")
    # All relevant items of each grading: known ones, these, and absent ones.
    rows, known = take_segments(rankings.judged_offsets, query)
    parts = [(segment_index(known), rankings.judged_grades[rows])]
    parts.append((np.nonzero(grades > 0)[0], grades[grades > 0]))
    if absent is not None:
        missed = np.where(absent[1] > 0, absent[0], 0)
        parts.append((np.repeat(np.arange(len(query)), missed), np.repeat(absent[1], missed)))
    of_judged, judged_grades = (np.concatenate(column) for column in zip(*parts, strict=True))
    return JudgedRankings(
        query_ids=query,
        offsets=offsets_of(np.bincount(grading, minlength=len(query))),
        above=all_above[order],
        tied=all_tied[order],
        grades=all_grades[order],
        n_ranked=rankings.n_ranked[query],
        judged_offsets=offsets_of(np.bincount(of_judged, minlength=len(query))),
        judged_grades=judged_grades[np.argsort(of_judged, kind="stable")],
    )
