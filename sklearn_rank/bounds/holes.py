"""The unjudged items of some queries as one measure reads them, and the grades they may have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_rank.kernels.graded import SMALL_INTEGERS
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import take_segments
from sklearn_rank.typing import FloatArray, IntArray

NOWHERE = -1
"""In place of the number of items above: the item is not retrieved, or never read."""


class Holes(NamedTuple):
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
    """(Q,) items that can be relevant and are nowhere among the ranks that are read."""

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

    def take(self, queries: IntArray) -> Holes:
        """The items of some queries alone."""
        items, offsets = take_segments(self.offsets, queries)
        return Holes(
            offsets,
            self.classes[queries],
            tuple(above[items] for above in self.above),
            tuple(tied[items] for tied in self.tied),
            self.absent[queries],
        )


def holes_of(rankings: JudgedRankings, cut: int | None, unretrieved: int) -> Holes:
    """Unjudged items within the first ``cut`` ranks; what lies below is absent.

    So are items that were not retrieved, at most ``unretrieved`` of each query whose ground truth
    is partial.
    """
    unjudged = rankings.unjudged
    if unjudged is None:
        return _nothing(len(rankings))
    places = unjudged.within(cut)
    sizes = np.diff(places.offsets)
    return Holes(
        places.offsets,
        sizes[:, None],
        (places.above.astype(np.int64),),
        (places.tied.astype(np.int64),),
        unjudged.counts - sizes + unjudged.may_lack(unretrieved),
    )


def _nothing(n_queries: int) -> Holes:
    offsets, empty = np.zeros(n_queries + 1, np.int64), np.zeros(0, np.int64)
    return Holes(offsets, np.diff(offsets)[:, None], (empty,), (empty,), np.diff(offsets))


def apart_from_cut(holes: Holes, cut: int) -> Holes:
    """The same with items whose tie the cutoff divides in a class of their own."""
    divided = holes.above[0] + holes.tied[0] > cut
    n_divided = np.add.reduceat(np.append(divided, False).astype(np.int64), holes.offsets[:-1])
    n_divided[holes.sizes == 0] = 0
    return holes._replace(classes=np.column_stack((holes.sizes - n_divided, n_divided)))


def highest_grade(rankings: JudgedRankings) -> float:
    """Highest grade of the data; 1 where nothing is relevant."""
    return float(rankings.judged_grades.max(initial=0)) or 1.0


def possible_grades(rankings: JudgedRankings, max_grade: float) -> FloatArray:
    """Grades above 0 that an unjudged item may have, rising: those of the data, and the highest.

    Where these are small whole numbers, all whole numbers are possible.
    """
    seen = np.unique(rankings.all_grades)
    grades = np.append(seen[seen < max_grade], max_grade)
    if max_grade < SMALL_INTEGERS and (grades == np.floor(grades)).all():
        grades = np.arange(1.0, max_grade + 1.0)
    return grades[grades > 0]
