"""Scored items of many queries, as their layout gives them: what is ranked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.rankings.grade_counts import narrow_grades
from sklearn_rank.support.segments import EMPTY, blocks, gather_rows, offsets_of, take_segments
from sklearn_rank.typing import Array, FloatArray, IntArray


class ItemRows(NamedTuple):
    """Items of queries of similar length, as rows of one width."""

    scores: Array
    grades: Array
    width: int
    beyond: IntArray
    """Cells after the end of a query; what stands there is not relevant."""


@dataclass(frozen=True)
class GradedRows:
    """A score and a grade for every item; those of a query are ``offsets[i]:offsets[i+1]``.

    A grade above 0 is relevant. For ``ties="docid"`` items come in descending order of their ids.
    """

    scores: Array
    offsets: IntArray
    grades: Array

    def take(self, queries: IntArray) -> GradedRows:
        """The items of some queries alone."""
        rows, offsets = take_segments(self.offsets, queries)
        return GradedRows(self.scores[rows], offsets, self.grades[rows])

    def as_one(self) -> GradedRows:
        """The items of all queries as those of one."""
        return GradedRows(self.scores, np.array([0, len(self.scores)]), self.grades)

    def graded(self) -> GradedRows:
        """Itself."""
        return self

    def narrowed(self) -> GradedRows:
        """The same with grades as narrow as can be."""
        return replace(self, grades=narrow_grades(self.grades))

    def relevant_grades(self) -> FloatArray:
        """Grades of the relevant items."""
        return self.grades[self.grades > 0].astype(np.float64)

    def relevant(self) -> tuple[IntArray, Array]:
        """Grades of the relevant items of each query, and their offsets."""
        grades, counts = [], []
        for first, last in blocks(self.offsets):
            start, stop = self.offsets[first], self.offsets[last]
            places = np.flatnonzero(self.grades[start:stop] > 0)
            grades.append(self.grades[start:stop][places])
            counts.append(np.diff(np.searchsorted(places, self.offsets[first : last + 1] - start)))
        return offsets_of(np.concatenate(counts)), np.concatenate(grades)

    @cached_property
    def n_hits(self) -> int:
        """Number of the relevant items."""
        return int(np.count_nonzero(self.grades > 0))

    def known(self) -> KnownHits:
        """The same with the relevant items apart."""
        positions = np.flatnonzero(self.grades > 0)
        hit_offsets = np.searchsorted(positions, self.offsets)
        wanted, grades = self.scores[positions], self.grades[positions]
        return KnownHits(self.scores, self.offsets, hit_offsets, wanted, grades, positions)

    def rows(self, queries: slice, order: IntArray | None) -> ItemRows:
        """Queries of similar length as rows; without an ``order``, all are of one length."""
        if order is None:
            start, stop = self.offsets[queries.start], self.offsets[queries.stop]
            width = int(self.offsets[queries.start + 1] - start)
            return ItemRows(self.scores[start:stop], self.grades[start:stop], width, EMPTY)
        (scores, grades), width, beyond = gather_rows(
            self.offsets, order[queries], self.scores, self.grades
        )
        grades[beyond] = 0
        return ItemRows(scores, grades, width, beyond)


@dataclass(frozen=True)
class KnownHits:
    """A score for every item, and which scores are those of relevant items.

    Relevant items of query ``i`` are ``hit_offsets[i]:hit_offsets[i+1]``. Where they stand among
    the scores (``positions``, ascending) is needed only where ties are broken by place.
    """

    scores: Array
    offsets: IntArray
    hit_offsets: IntArray
    hit_scores: Array
    hit_grades: Array
    positions: IntArray | None = None

    def block(self, queries: slice) -> KnownHits:
        """The items of queries that follow each other."""
        first, last = queries.start, queries.stop
        start, stop = self.offsets[first], self.offsets[last]
        low, high = self.hit_offsets[first], self.hit_offsets[last]
        return KnownHits(
            self.scores[start:stop],
            self.offsets[first : last + 1] - start,
            self.hit_offsets[first : last + 1] - low,
            self.hit_scores[low:high],
            self.hit_grades[low:high],
            None if self.positions is None else self.positions[low:high] - start,
        )

    def take(self, queries: IntArray) -> KnownHits:
        """The items of some queries alone."""
        rows, offsets = take_segments(self.offsets, queries)
        hits, hit_offsets = take_segments(self.hit_offsets, queries)
        positions = self.positions
        if positions is not None:
            shift = np.repeat(offsets[:-1] - self.offsets[:-1][queries], np.diff(hit_offsets))
            positions = positions[hits] + shift
        return KnownHits(
            self.scores[rows],
            offsets,
            hit_offsets,
            self.hit_scores[hits],
            self.hit_grades[hits],
            positions,
        )

    def as_one(self) -> KnownHits:
        """The items of all queries as those of one."""
        return replace(
            self,
            offsets=np.array([0, len(self.scores)]),
            hit_offsets=np.array([0, len(self.hit_scores)]),
        )

    def narrowed(self) -> KnownHits:
        """The same with grades as narrow as can be."""
        return replace(self, hit_grades=narrow_grades(self.hit_grades))

    def relevant_grades(self) -> FloatArray:
        """Grades of the relevant items."""
        return self.hit_grades

    def relevant(self) -> tuple[IntArray, Array]:
        """Grades of the relevant items of each query, and their offsets."""
        return self.hit_offsets, self.hit_grades

    @property
    def n_hits(self) -> int:
        """Number of the relevant items."""
        return len(self.hit_scores)

    def graded(self) -> GradedRows | None:
        """The same with a grade for every item; None if places of the hits are not known."""
        if self.positions is None:
            return None
        grades = np.zeros(len(self.scores), self.hit_grades.dtype)
        grades[self.positions] = self.hit_grades
        return GradedRows(self.scores, self.offsets, grades)

    def known(self) -> KnownHits:
        """Itself."""
        return self


ScoredItems: TypeAlias = GradedRows | KnownHits
