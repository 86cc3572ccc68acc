"""A column of ids, one for each row: a list, or a Polars series where the rows are many.

A list is looked up in dictionaries, query by query. A series is never turned into Python strings:
its rows are found by 64-bit hashes of query and item, and every match is then compared as text, so
that hashes decide about the speed and never about the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sklearn_rank.support.segments import segment_index
from sklearn_rank.typing import Array, IntArray

if TYPE_CHECKING:
    import polars as pl

IdColumn: TypeAlias = "list[Any] | pl.Series"

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio, made odd: its multiples share no pattern with hashes."""
_FILTER_BITS = 22
"""A table of 4 MB stays in the processor's cache and lets one in some fifty other rows pass."""


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
        """Row of each of other ids in its query (by number); -1 where there is none.

        No item may stand twice in a query of either.
        """
        if isinstance(self.ids, list) or isinstance(ids, list) or self.ids.dtype != ids.dtype:
            return _find_listed(as_list(self.ids), self.offsets, as_list(ids), queries)
        keys, wanted = _keys(self.ids, segment_index(self.offsets)), _keys(ids, queries)
        order = np.argsort(wanted)
        wanted = wanted[order]
        if (wanted[1:] == wanted[:-1]).any():  # two judged items of one hash: hardly ever
            return _find_listed(as_list(self.ids), self.offsets, as_list(ids), queries)
        rows, places = _matches(keys, wanted)
        same = (self.ids.gather(rows) == ids.gather(order[places])).to_numpy()
        result = np.full(len(ids), -1, dtype=np.int64)
        result[order[places[same]]] = rows[same]
        return result

    def _repeated_candidates(self) -> IntArray | None:
        """Rows that share their hash with another one; None if hashes are not at hand."""
        if isinstance(self.ids, list):
            return None
        keys = _keys(self.ids, segment_index(self.offsets))
        ordered = np.sort(keys)
        shared = ordered[1:][ordered[1:] == ordered[:-1]]
        if not len(shared):
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(np.isin(keys, shared))


def _keys(ids: pl.Series, queries: IntArray) -> Array:
    """A 64-bit hash of query and item for each row."""
    keys = queries.astype(np.uint64)
    keys *= _MIX
    keys ^= ids.hash().to_numpy()
    return keys


def _matches(keys: Array, wanted: Array) -> tuple[IntArray, IntArray]:
    """Rows whose key is wanted, and the place of each among the wanted, which are sorted."""
    if not len(wanted):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    shift = np.uint64(64 - _FILTER_BITS)
    table = np.zeros(1 << _FILTER_BITS, dtype=bool)
    table[wanted >> shift] = True
    rows = np.flatnonzero(table[keys >> shift])
    places = np.minimum(np.searchsorted(wanted, keys[rows]), len(wanted) - 1)
    hits = wanted[places] == keys[rows]
    return rows[hits], places[hits]


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
