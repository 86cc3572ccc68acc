"""A column of ids, one for each row: a list, or a Polars series where the rows are many.

A list is looked up in dictionaries, query by query. A series is never turned into Python strings:
its rows are found by 64-bit hashes of query and item, and every match is then compared as text, so
that hashes decide about the speed and never about the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.support.segments import blocks, segment_index
from sklearn_rank.typing import Array, BoolArray, IntArray

if TYPE_CHECKING:
    import polars as pl

IdColumn: TypeAlias = "list[Any] | pl.Series"

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio, made odd: its multiples share no pattern with hashes."""
_INDEX_BLOCK = 1 << 16
"""Rows sorted at once: half a megabyte of hashes stays in a core's cache."""


def is_series(column: IdColumn) -> bool:
    """Whether a column is a Polars series."""
    return type(column).__module__.partition(".")[0] == "polars"


def take_ids(column: IdColumn, rows: IntArray) -> IdColumn:
    """The ids of some rows."""
    if isinstance(column, list):
        return [column[row] for row in rows.tolist()]
    return column.gather(rows)


def as_list(column: IdColumn) -> list[Any]:
    """The ids as Python objects."""
    return column if isinstance(column, list) else column.to_list()


def types_of(column: IdColumn) -> set[type]:
    """Types of the ids."""
    if isinstance(column, list):
        return set(map(type, column))
    return {type(column[0])} if len(column) else set()


class IdRows:
    """Finds rows by query and item; the rows of query ``i`` are ``offsets[i]:offsets[i+1]``."""

    def __init__(self, ids: IdColumn, offsets: IntArray) -> None:
        self.ids = ids
        self.offsets = offsets

    def first_repeated(self) -> tuple[int, int] | None:
        """Two rows of one query that hold the same item; None if there are none."""
        rows = self._repeated_candidates()
        if rows is None:
            return _first_repeated(as_list(self.ids), self.offsets)
        seen: dict[tuple[int, Any], int] = {}
        queries = np.searchsorted(self.offsets, rows, side="right")
        items = as_list(take_ids(self.ids, rows))
        for row, query, item in zip(rows.tolist(), queries.tolist(), items, strict=True):
            before = seen.setdefault((query, item), row)
            if before != row:
                return before, row
        return None

    def repeated(self) -> IntArray:
        """All rows whose item stands more than once in their query, in order."""
        rows = self._repeated_candidates()
        items = as_list(self.ids if rows is None else take_ids(self.ids, rows))
        rows = np.arange(len(items)) if rows is None else rows
        queries = np.searchsorted(self.offsets, rows, side="right").tolist()
        keys = list(zip(queries, items, strict=True))
        times: dict[tuple[int, Any], int] = {}
        for key in keys:
            times[key] = times.get(key, 0) + 1
        return rows[[times[key] > 1 for key in keys]] if len(rows) else rows

    def find(self, ids: IdColumn, queries: IntArray) -> IntArray:
        """Row of each of other ids in its query (by number, ascending); -1 where there is none.

        Neither side may hold an item twice in a query.
        """
        if isinstance(self.ids, list) or isinstance(ids, list) or self.ids.dtype != ids.dtype:
            return _find_listed(as_list(self.ids), self.offsets, as_list(ids), queries)
        index = self._index
        wanted = _hashes(ids, queries) & ~index.low
        place, start, stop = index.search(wanted, queries)
        result = np.full(len(ids), -1, dtype=np.int64)
        pending = np.arange(len(ids))
        while True:  # once, unless two rows of a block share a hash
            pending = pending[place[pending] < stop[pending]]
            pending = pending[index.keys[place[pending]] & ~index.low == wanted[pending]]
            if not len(pending):
                return result
            row_in_block = (index.keys[place[pending]] & index.low).astype(np.int64)
            rows = start[pending] + row_in_block
            same = (self.ids.gather(rows) == ids.gather(pending)).to_numpy()
            same &= self._are_in(rows, queries[pending])
            result[pending[same]] = rows[same]
            pending = pending[~same]
            place[pending] += 1

    def _are_in(self, rows: IntArray, queries: IntArray) -> BoolArray:
        return (self.offsets[queries] <= rows) & (rows < self.offsets[queries + 1])

    def _repeated_candidates(self) -> IntArray | None:
        """Rows that share their hash with another one; None if hashes are not at hand."""
        return None if isinstance(self.ids, list) else self._index.repeated()

    @cached_property
    def _index(self) -> _Index:
        """Made once, for the search for repeated items and for the join."""
        assert not isinstance(self.ids, list)
        return _Index.of(_hashes(self.ids, segment_index(self.offsets)), self.offsets)


class _Index(NamedTuple):
    """Hashes of rows, sorted within blocks of queries that fit the processor's cache.

    The low bits of a hash give way to the row's place in its block, so that a plain sort, which
    costs a fraction of an argsort, says where each row stood.
    """

    keys: Array
    offsets: IntArray
    """Of the queries; those of the rows."""
    blocks: list[tuple[int, int]]
    """First query and the one after the last."""
    low: np.uint64
    """Mask of the bits that hold a row."""

    @classmethod
    def of(cls, keys: Array, offsets: IntArray) -> _Index:
        """Sort the hashes of all rows, in place."""
        parts = list(blocks(offsets, _INDEX_BLOCK))
        sizes = [int(offsets[last] - offsets[first]) for first, last in parts]
        low = np.uint64((1 << max(sizes, default=0).bit_length()) - 1)
        keys &= ~low
        for (first, _), size in zip(parts, sizes, strict=True):
            block = keys[offsets[first] : offsets[first] + size]
            block |= np.arange(size, dtype=np.uint64)
            block.sort()
        return cls(keys, offsets, parts, low)

    def repeated(self) -> IntArray:
        """Rows that share their hash with another one of their block, ascending."""
        same = (self.keys[1:] ^ self.keys[:-1]) <= self.low
        rows = []
        for first, last in self.blocks if same.any() else ():
            start, stop = self.offsets[first], self.offsets[last]
            pairs = start + np.flatnonzero(same[start : max(stop - 1, start)])
            places = np.union1d(pairs, pairs + 1)
            rows.append(start + (self.keys[places] & self.low).astype(np.int64))
        return np.sort(np.concatenate(rows)) if rows else np.zeros(0, dtype=np.int64)

    def search(self, wanted: Array, queries: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Place of the first key that is not below each of others; borders of its block."""
        place, start, stop = np.empty((3, len(wanted)), dtype=np.int64)
        for first, last in self.blocks:
            chosen = slice(*queries.searchsorted((first, last)))
            begin, end = self.offsets[first], self.offsets[last]
            place[chosen] = begin + self.keys[begin:end].searchsorted(wanted[chosen])
            start[chosen], stop[chosen] = begin, end
        return place, start, stop


def _hashes(ids: pl.Series, queries: IntArray) -> Array:
    """A 64-bit hash of query and item for each row."""
    hashes = queries.astype(np.uint64)
    hashes *= _MIX
    hashes ^= ids.hash().to_numpy()
    return hashes


def _first_repeated(ids: list[Any], offsets: IntArray) -> tuple[int, int] | None:
    borders = offsets.tolist()
    for start, stop in pairwise(borders):
        items = ids[start:stop]
        if len(set(items)) == len(items):
            continue
        first: dict[Any, int] = {}
        for row, item in enumerate(items, start):
            if item in first:
                return first[item], row
            first[item] = row
    return None


def _find_listed(
    ids: list[Any], offsets: IntArray, wanted: Sequence[Any], queries: IntArray
) -> IntArray:
    """The same by one dictionary of the rows of each query."""
    result = np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(queries, kind="stable")
    chosen, starts = np.unique(queries[order], return_index=True)
    borders = [*starts.tolist(), len(order)]
    places = order.tolist()
    for query, start, stop in zip(chosen.tolist(), borders, borders[1:], strict=False):
        first, last = int(offsets[query]), int(offsets[query + 1])
        rows = dict(zip(ids[first:last], range(first, last), strict=True))
        for place in places[start:stop]:
            result[place] = rows.get(wanted[place], -1)
    return result
