"""Items that were retrieved and that nobody judged: where they stand, worked out when asked for.

Measures count such items as irrelevant. What else they could be is the question of bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from sklearn_rank.support.segments import offsets_of, sizes_of, take_segments
from sklearn_rank.typing import Array, BoolArray, IntArray

_WIDEST = np.iinfo(np.int32).max


class Places(NamedTuple):
    """Where items stand, query after query, by ``above`` ascending."""

    offsets: IntArray
    """(Q+1,)"""
    above: Array
    """(U,) items strictly above the item's tie group."""
    tied: Array
    """(U,) size of the tie group; 1 is no tie."""

    def part(self, queries: slice) -> Places:
        """Those of queries that follow each other."""
        first, last = int(self.offsets[queries.start]), int(self.offsets[queries.stop])
        borders = self.offsets[queries.start : queries.stop + 1] - first
        return Places(borders, self.above[first:last], self.tied[first:last])

    def take(self, queries: IntArray) -> Places:
        """Those of some queries alone."""
        items, offsets = take_segments(self.offsets, queries)
        return Places(offsets, self.above[items], self.tied[items])

    def within(self, depth: int) -> Places:
        """Those that may stand within the first ``depth`` ranks."""
        kept = np.flatnonzero(self.above < depth)
        return Places(np.searchsorted(kept, self.offsets), self.above[kept], self.tied[kept])


class Source(Protocol):
    """Knows which items are unjudged, and finds out where they stand."""

    def __call__(self) -> Places:
        """Rank them."""

    def part(self, queries: slice) -> Source:
        """The items of queries that follow each other."""

    def take(self, queries: IntArray) -> Source:
        """The items of some queries alone."""


@dataclass(frozen=True, eq=False, repr=False)
class Unjudged:
    """Retrieved items of Q queries that nobody judged.

    To rank them costs as much as to rank the items did, so it is left until somebody asks.
    """

    counts: IntArray
    """(Q,) all of them, stored or not."""
    source: Source | Places = field(repr=False)
    depth: int | None = None
    """Only items with fewer than so many above them are stored; None: all."""
    is_open: BoolArray | None = None
    """(Q,) whether items that were not retrieved may be unjudged, too; None: of every query."""
    grade_order: str = ""
    """The rule that puts tied items in the order of their grades, which unjudged ones do not have;
    empty where none does."""
    n_judged: IntArray | None = None
    """(Q,) judged items, retrieved or not; None where that is not known."""

    @cached_property
    def places(self) -> Places:
        """Where they stand."""
        return self.source if isinstance(self.source, Places) else self.source()

    @property
    def offsets(self) -> IntArray:
        """(Q+1,) items of query ``i`` are ``offsets[i]:offsets[i+1]``."""
        return self.places.offsets

    @property
    def above(self) -> Array:
        """(U,) items strictly above the item's tie group."""
        return self.places.above

    @property
    def tied(self) -> Array:
        """(U,) size of the tie group, judged items included; 1 is no tie."""
        return self.places.tied

    def part(self, queries: slice) -> Unjudged:
        """Those of queries that follow each other."""
        return self._of(queries, self._known.part(queries))

    def take(self, queries: IntArray) -> Unjudged:
        """Those of some queries alone."""
        return self._of(queries, self._known.take(queries))

    def _of(self, queries: slice | IntArray, source: Source | Places) -> Unjudged:
        return replace(
            self,
            counts=self.counts[queries],
            source=source,
            is_open=None if self.is_open is None else self.is_open[queries],
            n_judged=None if self.n_judged is None else self.n_judged[queries],
        )

    def within(self, depth: int | None) -> Places:
        """Those that may stand within the first ``depth`` ranks; None: all.

        ValueError if not all of them are stored.
        """
        if self.depth is not None and (depth is None or depth > self.depth):
            msg = f"unjudged items are known within the first {self.depth} ranks, not {depth}"
            raise ValueError(msg)
        return self.places if depth is None else self.places.within(depth)

    def may_lack(self, number: int) -> IntArray:
        """(Q,) the number for queries that may lack unjudged items, 0 for others."""
        if self.is_open is None:
            return np.full(len(self.counts), number)
        return np.where(self.is_open, number, 0)

    @property
    def _known(self) -> Source | Places:
        """The places if they were worked out already."""
        places: Places | None = self.__dict__.get("places")
        return self.source if places is None else places

    @classmethod
    def at(cls, offsets: IntArray, above: Array, tied: Array | None = None) -> Unjudged:
        """Items whose places are known; without ``tied``, none is tied."""
        above = above.astype(np.int32) if above.max(initial=0) < _WIDEST else above
        ones = np.broadcast_to(above.dtype.type(1), len(above))
        return cls(sizes_of(offsets), Places(offsets, above, ones if tied is None else tied))

    @classmethod
    def nothing(cls, n_queries: int) -> Unjudged:
        """Of queries whose ground truth is complete."""
        offsets, items = np.zeros(n_queries + 1, np.int64), np.zeros(0, np.int32)
        return replace(cls.at(offsets, items), is_open=np.zeros(n_queries, dtype=bool))

    def __getstate__(self) -> dict[str, object]:
        """The fields: places that were worked out take the part of what they were made from."""
        state = {item.name: getattr(self, item.name) for item in fields(self)}
        return {**state, "source": self._known}


def merge_unjudged(parts: Sequence[Unjudged | None], sizes: Sequence[int]) -> Unjudged | None:
    """Those of all queries of several parts, each with so many queries; None: nothing unjudged."""
    if all(part is None for part in parts):
        return None
    known = [
        Unjudged.nothing(size) if part is None else part
        for part, size in zip(parts, sizes, strict=True)
    ]
    is_open = np.concatenate([part.may_lack(1) > 0 for part in known])
    depths = [part.depth for part in parts if part is not None and part.depth is not None]
    depth = min(depths, default=None)
    places = [part.places if depth is None else part.places.within(depth) for part in known]
    merged = Places(
        offsets_of(np.concatenate([sizes_of(part.offsets) for part in places])),
        np.concatenate([part.above for part in places]),
        np.concatenate([part.tied for part in places]),
    )
    counts = np.concatenate([part.counts for part in known])
    judged = [part.n_judged for part in known if part.n_judged is not None]
    return Unjudged(
        counts,
        merged,
        depth,
        None if is_open.all() else is_open,
        max(part.grade_order for part in known),
        np.concatenate(judged) if len(judged) == len(known) else None,
    )
