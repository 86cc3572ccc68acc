"""Judged rankings: the ranks of the relevant items of each query.

Every metric depends only on the ranks of the relevant items; irrelevant ones enter through
counts. Each input layout is turned into these values once, and each metric is a short function
of them. Retrieved items that nobody judged count as irrelevant; their ranks are computed on
request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.support.checks import as_bytes
from sklearn_rank.support.segments import (
    blocks,
    segment_index,
    segment_max,
    sizes_of,
    take_segments,
)
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray

_WIDENED = {
    "above": np.int64,
    "tied": np.int64,
    "grades": np.float64,
    "relevant_grades": np.float64,
}
"""Arrays of the formulas."""
SMALL_INTEGERS = 32
"""Whole grades below this are counted, and have their gains in a table."""
FEW_GRADES = 1 << 10
"""Up to this many grades, sorting is faster than counting."""
STORED_CUTS = 4
"""Cutoffs whose hits are cached for the next measure: a hundred of them took 17 times the input."""


def segments(offsets: IntArray, queries: slice | IntArray) -> tuple[slice | IntArray, IntArray]:
    """Elements of some queries, as a slice if these are consecutive, and new offsets."""
    if not isinstance(queries, slice):
        return take_segments(offsets, queries)
    borders = offsets[queries.start : queries.stop + 1]
    return slice(int(borders[0]), int(borders[-1])), borders - borders[0]


def untied(number: int, dtype: Any) -> Array:
    """``n`` ones in the memory of one; ``np.broadcast_to`` takes ten times as long for few."""
    return np.ndarray(number, dtype, np.array([1], dtype), 0, (0,))


# Items that nobody judged ------------------------------------------------------------------------


class Positions(NamedTuple):
    """Positions of items, grouped by query, ascending in ``above``."""

    offsets: IntArray
    """(Q+1,)"""
    above: Array
    """(U,) items strictly above the item's tie group."""
    tied: Array
    """(U,) size of the tie group; 1 is no tie."""

    def take(self, queries: slice | IntArray) -> Positions:
        """Part of some queries."""
        items, offsets = segments(self.offsets, queries)
        return Positions(offsets, self.above[items], self.tied[items])

    def within(self, depth: int | None) -> Positions:
        """Unjudged items that may be within the first ``depth`` ranks; None: all."""
        if depth is None:
            return self
        rows = np.flatnonzero(self.above < depth)
        return Positions(np.searchsorted(rows, self.offsets), self.above[rows], self.tied[rows])


@dataclass(frozen=True, eq=False, repr=False)
class Unjudged:
    """Retrieved items of Q queries that nobody judged.

    Ranking them costs as much as ranking the items, so it is done on request, for all queries at
    once.
    """

    counts: IntArray
    """(Q,)"""
    source: Positions | Callable[[], Positions] = field(repr=False)
    grade_order: str = ""
    """The rule for ties if it orders items by grade, which unjudged items lack; else empty."""
    n_judged: IntArray | None = None
    """(Q,) judged items, retrieved or not; None if not available."""

    @cached_property
    def positions(self) -> Positions:
        """Positions; the sizes of tie groups count judged items, too."""
        return self.source if isinstance(self.source, Positions) else self.source()

    def take(self, queries: slice | IntArray) -> Unjudged:
        """Part of some queries."""
        return replace(
            self,
            counts=self.counts[queries],
            source=partial(_positions_of, self, queries),
            n_judged=None if self.n_judged is None else self.n_judged[queries],
        )

    @classmethod
    def nothing(cls, n_queries: int) -> Unjudged:
        """No unjudged items, for queries whose ground truth is complete."""
        nowhere = np.zeros(0, np.int32)
        positions = Positions(np.zeros(n_queries + 1, np.int64), nowhere, nowhere)
        return cls(np.zeros(n_queries, np.int64), positions)

    def __getstate__(self) -> dict[str, object]:
        """The fields, with ranks instead of the flags that they were made from."""
        state = {item.name: getattr(self, item.name) for item in fields(self)}
        return {**state, "source": self.positions}


def _positions_of(unjudged: Unjudged, queries: slice | IntArray) -> Positions:
    return unjudged.positions.take(queries)


# Judged rankings ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class TieGroups:
    """Groups of equally scored items that hold at least one relevant item, in rank order.

    ``offsets`` are the borders of the queries. An untied relevant item is a group of size 1.
    """

    offsets: IntArray
    above: IntArray
    """(G,) items of the query strictly above the group."""
    size: IntArray
    """(G,) items in the group."""
    relevant: IntArray
    """(G,) relevant items in the group."""
    before: IntArray
    """(G,) relevant items of the query strictly above the group."""

    @cached_property
    def query(self) -> IntArray:
        """(G,) number of the query that each group belongs to."""
        return segment_index(self.offsets)

    @cached_property
    def tied(self) -> IntArray:
        """Numbers of the groups of more than one item."""
        return np.flatnonzero(self.size > 1)


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRankings:
    """Ranks and grades of the relevant items of Q queries.

    The relevant items that were retrieved for query ``i`` are ``offsets[i]:offsets[i+1]``, by
    ``above`` ascending and within a tie by grade descending.
    """

    query_ids: Sequence[Any] | Array
    """(Q,) in the caller's order."""
    offsets: IntArray
    """(Q+1,)"""
    above: IntArray
    """(H,) items strictly above the item's tie group."""
    tied: IntArray
    """(H,) size of the tie group; 1 is no tie, and the rank then is ``above + 1``."""
    grades: Array
    """(H,) relevance grade, above 0; a byte each where all are small whole numbers."""
    n_ranked: IntArray
    """(Q,) length of the ranking."""
    relevant_offsets: IntArray
    """(Q+1,) borders of ``relevant_grades``."""
    relevant_grades: Array
    """Grades of all relevant items of each query, retrieved or not, in no order; ``all_grades``
    are the same as float64."""
    weights: FloatArray | None = None
    """(Q,) weight of each query; None: equal weights."""
    unjudged: Unjudged | None = None
    """Retrieved items that nobody judged; None: the ground truth is complete."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def n_relevant(self) -> IntArray:
        """(Q,) relevant items, retrieved or not."""
        return sizes_of(self.relevant_offsets)

    @cached_property
    def all_grades(self) -> FloatArray:
        """``relevant_grades`` to compute with."""
        return self.relevant_grades.astype(np.float64, copy=False)

    @cached_property
    def hit_grades(self) -> FloatArray:
        """``grades`` to compute with."""
        return self.grades.astype(np.float64, copy=False)

    @cached_property
    def n_hits(self) -> IntArray:
        """(Q,) relevant items that were retrieved."""
        return sizes_of(self.offsets)

    @cached_property
    def longest(self) -> int:
        """Length of the longest ranking or list of relevant items."""
        longest = (np.maximum.reduce(n, initial=0) for n in (self.n_ranked, self.n_relevant))
        return int(max(longest))

    @cached_property
    def max_grade(self) -> FloatArray:
        """(Q,) highest grade among all relevant items; 0 if there are none."""
        return segment_max(self.relevant_grades, self.relevant_offsets)

    @cached_property
    def falling_grades(self) -> Array | None:
        """``relevant_grades``, the best of each query first; None unless they are few bytes."""
        grades = self.relevant_grades
        if not 0 < len(grades) <= FEW_GRADES or grades.dtype != np.uint8:
            return None
        # Rising keys of the query and the falling grade; the last byte of minus a key is the grade.
        keys = (segment_index(self.relevant_offsets) << 8) - grades
        keys.sort()
        return (-keys).astype(np.uint8)

    @cached_property
    def at_least_each(self) -> IntArray | None:
        """(Q, top) relevant items of at least each grade, the highest grade first.

        None unless grades are small whole numbers, which are counted faster than sorted.
        """
        grades = self.relevant_grades
        top = int(grades.max(initial=0))
        if grades.dtype != np.uint8 or not 0 < top < SMALL_INTEGERS:
            return None
        # A table of queries by grades, counted at once; running sums from the highest grade.
        query = segment_index(self.relevant_offsets)
        counts = np.bincount(query * top + (top - grades), minlength=top * len(self))
        return np.cumsum(counts.reshape(-1, top), axis=1)

    @property
    def n_graded(self) -> int:
        """Relevant items, retrieved or not, of a grade above 1."""
        return int((self.relevant_grades > 1).sum())

    @cached_property
    def are_tied(self) -> bool:
        """Whether any hit shares its score with another item."""
        return self.tied.strides != (0,) and bool((self.tied > 1).any())

    @cached_property
    def in_ties(self) -> BoolArray:
        """(Q,) whether a relevant item shares its score."""
        if not self.are_tied:
            return np.zeros(len(self), dtype=bool)
        return segment_max(self.tied, self.offsets) > 1

    @cached_property
    def n_tied(self) -> int:
        """Queries in which a relevant item shares its score."""
        return int(np.count_nonzero(self.in_ties))

    @cached_property
    def _within(self) -> dict[int, JudgedRankings]:
        return {}

    def within(self, cut: int) -> JudgedRankings:
        """The queries without the hits that cannot be within the first ``cut`` ranks."""
        if cut >= self.longest:
            return self
        if cut not in self._within:
            # From the narrowest cut that is wider, which has the fewest hits to look at.
            wider = self._within.get(min((k for k in self._within if k > cut), default=cut), self)
            hits = np.flatnonzero(wider.above < cut)
            if len(self._within) == STORED_CUTS:
                self._within.pop(next(iter(self._within)))
            self._within[cut] = replace(
                self,
                offsets=np.searchsorted(hits, wider.offsets),
                above=wider.above.take(hits),
                tied=wider.tied.take(hits) if wider.are_tied else wider.tied[: len(hits)],
                grades=wider.grades.take(hits),
            )
        return self._within[cut]

    @cached_property
    def groups(self) -> TieGroups:
        """The relevant items as tie groups."""
        if not self.are_tied:
            before = np.arange(len(self.above))
            before -= np.repeat(self.offsets[:-1], self.n_hits)
            return TieGroups(self.offsets, self.above, self.tied, self.tied, before)
        # Whether a hit is in the same tie group as the one before it.
        joined = self.tied > 1
        joined[1:] &= self.above[1:] == self.above[:-1]
        joined[self.offsets[:-1][self.n_hits > 0]] = False
        starts = np.flatnonzero(~joined)
        offsets = self.offsets - np.searchsorted(np.flatnonzero(joined), self.offsets)
        return TieGroups(
            offsets=offsets,
            above=self.above.take(starts),
            size=self.tied.take(starts),
            relevant=np.diff(starts, append=len(self.above)),
            before=starts - np.repeat(self.offsets[:-1], sizes_of(offsets)),
        )

    def blocks(self) -> list[slice]:
        """Runs of queries on which a kernel's arrays fit the processor's cache; at least one."""
        read = self.relevant_offsets + np.arange(len(self) + 1)
        return [slice(*borders) for borders in blocks(read)] or [slice(0, 0)]

    def take(self, queries: slice | IntArray) -> JudgedRankings:
        """The rankings of some queries; a slice gives views. Nothing cached is shared."""
        if isinstance(queries, np.ndarray) and np.array_equal(queries, np.arange(len(self))):
            queries = slice(0, len(self))
        hits, offsets = segments(self.offsets, queries)
        judged, relevant_offsets = segments(self.relevant_offsets, queries)
        ids: Any = self.query_ids
        if isinstance(queries, slice) or isinstance(ids, np.ndarray):
            ids = ids[queries]
        else:
            ids = [ids[query] for query in queries.tolist()]
        return JudgedRankings(
            query_ids=ids,
            offsets=offsets,
            above=self.above[hits],
            tied=self.tied[hits],
            grades=self.grades[hits],
            n_ranked=self.n_ranked[queries],
            relevant_offsets=relevant_offsets,
            relevant_grades=self.relevant_grades[judged],
            weights=None if self.weights is None else self.weights[queries],
            unjudged=None if self.unjudged is None else self.unjudged.take(queries),
        )

    def widened(self, *, grades: bool = True) -> JudgedRankings:
        """Rankings in the types that formulas use; unchanged if they already have them.

        Ranks may be stored as int32 and whole grades as uint8, which would overflow in sums, and
        whose powers of two NumPy computes as float16. Without ``grades``, these stay as they are:
        kernels count them, or read ``hit_grades`` and ``all_grades``.
        """
        wide: dict[str, Any] = {}
        for name, dtype in _WIDENED.items():
            values = getattr(self, name)
            if values.dtype == dtype or not (grades or "grades" not in name):
                continue
            is_one = name == "tied" and values.strides == (0,)
            wide[name] = untied(len(values), dtype) if is_one else values.astype(dtype)
        return replace(self, **wide) if wide else self

    def at_least(self, min_rel: float) -> JudgedRankings:
        """Rankings where only grades of at least ``min_rel`` count as relevant."""
        hits = np.flatnonzero(self.hit_grades >= min_rel)
        judged = np.flatnonzero(self.all_grades >= min_rel)
        return replace(
            self,
            offsets=np.searchsorted(hits, self.offsets),
            above=self.above[hits],
            tied=self.tied[hits],
            grades=self.grades[hits],
            relevant_offsets=np.searchsorted(judged, self.relevant_offsets),
            relevant_grades=self.relevant_grades[judged],
        )


def narrow_grades(grades: Array) -> Array:
    """The grades in a byte each, if all are whole numbers that fit, as most are; else as float64.

    Negative ones, which mark unjudged items, become 0 then.
    """
    narrow = as_bytes(grades)
    if narrow is None and grades.min() < 0:
        narrow = as_bytes(np.maximum(grades, 0))
    return grades.astype(np.float64, copy=False) if narrow is None else narrow


def without_unjudged(rankings: JudgedRankings) -> JudgedRankings:
    """Rankings without the unjudged items; items below them move up."""
    unjudged = rankings.unjudged
    if unjudged is None:
        return rankings
    above, tied = rankings.above.astype(np.int64), rankings.tied.astype(np.int64)
    positions, query = unjudged.positions, segment_index(rankings.offsets)
    # Queries lie side by side on one axis, so that one search serves all.
    stride = int(rankings.n_ranked.max(initial=0)) + 1
    of_hits = query * stride + above
    of_unjudged = segment_index(positions.offsets) * stride + positions.above.astype(np.int64)
    # Unjudged items above a hit, and those that are tied with it.
    first, last = (np.searchsorted(of_unjudged, of_hits, side=side) for side in ("left", "right"))
    before, alike = first - positions.offsets[query], np.zeros_like(first)
    if (np.asarray(positions.tied) > 1).any():
        # Where a rule puts relevant items first or last in a tie, its unjudged items stay tied.
        group = of_unjudged[np.maximum(last - 1, 0)]
        end = group + positions.tied[np.maximum(last - 1, 0)].astype(np.int64)
        inside = (last > positions.offsets[query]) & (of_hits < end) & (tied == 1)
        below_first = inside & (of_hits > group) & np.isin(group, of_hits[inside])
        size = last - np.searchsorted(of_unjudged, group, side="left")
        before = before - np.where(below_first, size, 0)
        alike = np.where(tied > 1, last - first, 0)
    nothing = Unjudged.nothing(len(rankings))
    return replace(
        rankings,
        above=above - before,
        tied=tied - alike,
        n_ranked=rankings.n_ranked - unjudged.counts,
        unjudged=replace(nothing, n_judged=unjudged.n_judged),
    )
