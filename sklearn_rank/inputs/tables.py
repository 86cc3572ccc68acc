"""Long tables: one row for each query and item, as files and data frames hold them.

A :class:`Run` or :class:`Qrels` keeps the columns as they are, query after query, and behaves as
the mapping {query: {item: number}} that a person expects; nothing of that mapping is built before
somebody asks for a query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from sklearn_rank.exceptions import DuplicateItemError
from sklearn_rank.inputs.ids import code_objects
from sklearn_rank.inputs.rows import Grouping, group_rows
from sklearn_rank.support.checks import as_numbers, as_numpy, is_missing
from sklearn_rank.support.segments import blocks, offsets_of, segment_index, sizes_of, take_segments
from sklearn_rank.support.sorting import falling_codes, order_segments, runs_of
from sklearn_rank.support.text import as_text, safe_repr
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

    def repeated(self) -> IntArray:
        """All rows whose item stands more than once in their query, in order."""
        if isinstance(self.ids, list):
            borders = pairwise(self.offsets.tolist())
            doubtful = [
                range(start, stop)
                for start, stop in borders
                if len(set(self.ids[start:stop])) < stop - start
            ]
            rows = np.array(list(chain.from_iterable(doubtful)), dtype=np.int64)
        else:
            rows = self._index.repeated()
        if not len(rows):
            return rows
        queries = np.searchsorted(self.offsets, rows, side="right").tolist()
        keys = list(zip(queries, as_list(take_ids(self.ids, rows)), strict=True))
        times = Counter(keys)
        return rows[[times[key] > 1 for key in keys]]

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


_Table = TypeVar("_Table", bound="LongTable")


@dataclass(frozen=True, repr=False, eq=False)
class LongTable(Mapping[Any, Any]):
    """Rows of queries and items; those of query ``i`` are ``offsets[i]:offsets[i+1]``."""

    query_ids: list[Any]
    """(Q,) distinct, in order of first appearance."""
    offsets: IntArray
    """(Q+1,)"""
    item_ids: IdColumn
    """(n,) one id for each row."""
    source: str = ""
    """Name of the file that was read."""
    comments: int = 0
    """Comment lines that were passed over."""
    unread: tuple[str, ...] = ()
    """Names of columns of the file that have no role."""
    about_queries: Any = None
    """Columns of a data frame that say something of the queries; see ``frames.QueryColumns``."""

    def __len__(self) -> int:
        return len(self.query_ids)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.query_ids)

    def __contains__(self, query: object) -> bool:
        try:
            return query in self.numbers
        except TypeError:
            return False

    def __repr__(self) -> str:
        source = f" from {safe_repr(self.source)}" if self.source else ""
        return f"<{type(self).__name__} of {len(self):,} queries and {self.n_rows:,} rows{source}>"

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.offsets[-1])

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """Number of each query."""
        return {query: number for number, query in enumerate(self.query_ids)}

    @cached_property
    def rows(self) -> IdRows:
        """Finds rows by query and item."""
        return IdRows(self.item_ids, self.offsets)

    def _segment(self, query: Any) -> tuple[slice, list[Any]]:
        number = self.numbers[query]
        rows = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        items = as_list(self.item_ids[rows])
        if len(set(items)) < len(items):
            first, again = next(
                (items.index(item), place)
                for place, item in enumerate(items)
                if items.index(item) != place
            )
            msg = (
                f"query {safe_repr(query)} holds item {safe_repr(items[first])} at positions "
                f"{first + 1} and {again + 1}"
            )
            raise DuplicateItemError(msg)
        return rows, items

    def distinct(self, query: Any) -> dict[Any, Any]:
        """Items of a query, even if one comes twice; of judgements with their grades."""
        number = self.numbers[query]
        rows = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        return dict.fromkeys(as_list(self.item_ids[rows]))

    def take(self: _Table, rows: IntArray) -> _Table:
        """Some rows, ascending; queries of which none is left stay, with no rows."""
        offsets = np.searchsorted(rows, self.offsets)
        return self._with_rows(rows, offsets)

    def of_queries(self: _Table, queries: list[Any]) -> _Table:
        """The same for these queries, in their order; a query that is not here has no rows."""
        if queries == self.query_ids:
            return self
        chosen = np.array([self.numbers.get(query, -1) for query in queries], dtype=np.int64)
        sizes = np.append(sizes_of(self.offsets), 0)[chosen]  # the last for queries not here
        rows, _ = take_segments(self.offsets, chosen[chosen >= 0])
        return replace(self._with_rows(rows, offsets_of(sizes)), query_ids=queries)

    def _with_rows(self: _Table, rows: IntArray, offsets: IntArray) -> _Table:
        return replace(self, item_ids=take_ids(self.item_ids, rows), offsets=offsets)


@dataclass(frozen=True, repr=False, eq=False)
class Run(LongTable):
    """Rankings of one system: {query: {item: score}}, or {query: ranked list} without scores.

    Attributes
    ----------
    query_ids : list of shape (n_queries,)
        Distinct, in order of first appearance.
    offsets : ndarray of shape (n_queries + 1,)
        Rows of query ``i`` are ``offsets[i]:offsets[i+1]``.
    item_ids : list or polars.Series of shape (n_rows,)
        Id of the item of each row.
    scores : ndarray of shape (n_rows,) or None
        None: the rows of a query stand in ranked order.
    tag : str
        Name that the file gives to the system; empty if it gives none.

    Examples
    --------
    >>> from sklearn_rank import Run
    >>> run = Run.from_columns(["q1", "q1", "q2"], ["a", "b", "a"], scores=[0.2, 0.9, 1.0])
    >>> run["q1"], len(run)
    ({'a': 0.2, 'b': 0.9}, 2)
    """

    scores: Array | None = None
    tag: str = ""

    @classmethod
    def from_columns(
        cls, queries: Any, items: Any, *, scores: Any = None, ranks: Any = None, **about: Any
    ) -> Run:
        """Rows in any order: ids of queries and items, and scores, ranks, or rows in ranked order.

        Parameters
        ----------
        queries, items : list, array or polars.Series of shape (n_rows,)
            An id for each row.
        scores, ranks : array-like of shape (n_rows,), default=None
            Greater scores, or lower ranks, stand first; scores win where both are given.
        **about
            ``source``, ``comments`` and ``tag``.

        Returns
        -------
        run : Run

        Raises
        ------
        ValueError
            If an id is missing, or two rows of a query have one rank.
        """
        grouping, items = _grouped(queries, items)
        run = cls(list(grouping.query_ids), grouping.offsets, items, **about)
        if scores is not None:
            return replace(run, scores=_moved(scores, grouping, "scores"))
        return run if ranks is None else run._by_rank(_moved(ranks, grouping, "ranks"))

    def _by_rank(self, ranks: Array) -> Run:
        """The rows of each query in the order of their ranks."""
        ordered = order_segments(np.invert(falling_codes(ranks)), self.offsets)
        if ordered.same is not None:
            row = int(ordered.order[np.flatnonzero(ordered.same)[0]])
            query = self.query_ids[int(np.searchsorted(self.offsets, row, side="right")) - 1]
            msg = f"query {safe_repr(query)} has two items of rank {ranks[row]}"
            raise ValueError(msg)
        return replace(self, item_ids=take_ids(self.item_ids, ordered.order))

    def __getitem__(self, query: Any) -> Any:
        rows, items = self._segment(query)
        if self.scores is None:
            return items
        return dict(zip(items, self.scores[rows].tolist(), strict=True))

    def _with_rows(self, rows: IntArray, offsets: IntArray) -> Run:
        scores = None if self.scores is None else self.scores[rows]
        return replace(self, item_ids=take_ids(self.item_ids, rows), offsets=offsets, scores=scores)

    def top(self, depth: int, *, by_id: bool) -> Run:
        """The first ``depth`` rows of each ranking; ties by falling id, or in the order of rows."""
        starts = np.repeat(self.offsets[:-1], sizes_of(self.offsets))
        order = np.arange(self.n_rows)
        if self.scores is not None:
            order = fall_order(self.scores, self.offsets, self.item_ids if by_id else None)
        return self.take(np.sort(order[np.arange(self.n_rows) - starts < depth]))


@dataclass(frozen=True, repr=False, eq=False)
class Qrels(LongTable):
    """Judgements: {query: {item: grade}}.

    Attributes
    ----------
    query_ids, offsets, item_ids
        As of :class:`Run`.
    grades : ndarray of shape (n_rows,)
        Above 0 is relevant; 0 is judged not relevant.

    Examples
    --------
    >>> from sklearn_rank import Qrels
    >>> Qrels.from_columns(["q1", "q1"], ["a", "b"], grades=[2, 0])["q1"]
    {'a': 2, 'b': 0}
    """

    grades: Array = field(kw_only=True)

    @classmethod
    def from_columns(cls, queries: Any, items: Any, *, grades: Any = None, **about: Any) -> Qrels:
        """Rows in any order: ids of queries and items, and grades; without them all are relevant.

        Parameters
        ----------
        queries, items : list, array or polars.Series of shape (n_rows,)
            An id for each row.
        grades : array-like of shape (n_rows,), default=None
            Grade of each row.
        **about
            ``source`` and ``comments``.

        Returns
        -------
        qrels : Qrels

        Raises
        ------
        ValueError
            If an id is missing.
        """
        grouping, items = _grouped(queries, items)
        given = np.ones(len(items), dtype=np.int64) if grades is None else grades
        values = _moved(given, grouping, "grades")
        return cls(list(grouping.query_ids), grouping.offsets, items, grades=values, **about)

    def joined(self, *others: Qrels) -> Qrels:
        """These judgements and those of others, such as templates that were filled in.

        Parameters
        ----------
        *others : Qrels
            Further judgements. One that stands here already has to be the same.

        Returns
        -------
        qrels : Qrels
            Queries in order of first appearance.

        Raises
        ------
        ValueError
            If an item has two grades for one query.

        Examples
        --------
        >>> from sklearn_rank import Qrels
        >>> old = Qrels.from_columns(["q1"], ["a"], grades=[2])
        >>> old.joined(Qrels.from_columns(["q1", "q2"], ["b", "a"], grades=[0, 1]))["q1"]
        {'a': 2, 'b': 0}
        """
        grades: dict[tuple[Any, Any], float] = {}
        for table in (self, *others):
            queries = np.repeat(np.arange(len(table)), sizes_of(table.offsets)).tolist()
            rows = zip(queries, as_list(table.item_ids), table.grades.tolist(), strict=True)
            for number, item, grade in rows:
                key = table.query_ids[number], item
                known = grades.setdefault(key, grade)
                if known != grade:
                    both = f"{known:g} and {grade:g}"
                    msg = f"query {safe_repr(key[0])} has item {safe_repr(item)} judged {both}"
                    raise ValueError(msg)
        columns = [list(column) for column in zip(*grades, strict=True)] or [[], []]
        return type(self).from_columns(*columns, grades=np.array(list(grades.values())))

    def __getitem__(self, query: Any) -> dict[Any, float]:
        rows, items = self._segment(query)
        return dict(zip(items, self.grades[rows].tolist(), strict=True))

    def distinct(self, query: Any) -> dict[Any, Any]:
        """Judged items of a query with their grades, even if one is judged twice."""
        number = self.numbers[query]
        rows = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        return dict(zip(as_list(self.item_ids[rows]), self.grades[rows].tolist(), strict=True))

    def _with_rows(self, rows: IntArray, offsets: IntArray) -> Qrels:
        items = take_ids(self.item_ids, rows)
        return replace(self, item_ids=items, offsets=offsets, grades=self.grades[rows])


class TableScores:
    """Counts scores of a long table that conventions speak of."""

    def __init__(self, scores: Array, offsets: IntArray) -> None:
        self.scores = scores
        self.offsets = offsets

    def __call__(self, case: str) -> int:
        """Scores of at most 0, or queries of another case."""
        if case == "at most 0":
            return int(np.count_nonzero(self.scores <= 0))
        return len(self.queries(case))

    def queries(self, case: str) -> IntArray:
        """Numbers of the queries with "equal" scores, or "close" ones, equal as float32 alone."""
        scores = self.scores[order_segments(falling_codes(self.scores), self.offsets).order]
        query = segment_index(self.offsets)
        alike = scores[1:] == scores[:-1]
        if case == "close":
            narrow = scores.astype(np.float32)
            alike = ~alike & (narrow[1:] == narrow[:-1])
        found = np.unique(query[1:][alike & (query[1:] == query[:-1])])
        return found[sizes_of(self.offsets)[found] >= 16] if case == "equal of 16" else found


def columns_about_queries(*tables: Any) -> tuple[Any, ...]:
    """Columns of data frames that say something of the queries; none of what is no frame."""
    given = (getattr(table, "about_queries", None) for table in tables)
    return tuple(columns for columns in given if columns is not None)


def fall_order(scores: Array, offsets: IntArray, ids: IdColumn | None) -> IntArray:
    """Rows of each query by falling score; equal ones by falling id if ids are given."""
    if ids is None:
        return order_segments(falling_codes(scores), offsets).order
    return fall_orders(scores, offsets, ids)[1]


def fall_orders(scores: Array, offsets: IntArray, ids: IdColumn) -> tuple[IntArray, IntArray]:
    """Both orders by one sort: equal rows as they came, and by falling id."""
    order, same = order_segments(falling_codes(scores), offsets)
    if same is None:
        return order, order
    runs = runs_of(same)
    members = order[runs.members]
    number = np.repeat(np.arange(len(runs.borders) - 1), sizes_of(runs.borders))
    by_id = order.copy()
    by_id[runs.members] = members[_by_falling_id(take_ids(ids, members), number)]
    return order, by_id


def _by_falling_id(ids: IdColumn, number: IntArray) -> IntArray:
    """Places in the order of the numbers of runs, and within a run by falling id."""
    if is_series(ids):
        import polars as pl

        frame = pl.DataFrame({"run": number, "id": ids}).cast({"id": pl.String})
        by = pl.arg_sort_by(["run", "id"], descending=[False, True])
        return frame.select(by).to_series().to_numpy().astype(np.int64)
    texts = [as_text(item) for item in as_list(ids)]
    places = sorted(range(len(texts)), key=texts.__getitem__, reverse=True)
    places.sort(key=number.tolist().__getitem__)
    return np.array(places, dtype=np.int64)


def _moved(values: Any, grouping: Grouping, name: str) -> Array:
    """A column of numbers in the order of the queries."""
    column = as_numbers(as_numpy(values), name)
    n_rows = int(grouping.offsets[-1])
    if column.shape != (n_rows,):
        msg = f"{name} has the shape {column.shape}, and there are {n_rows:,} rows of queries"
        raise ValueError(msg)
    return column if grouping.order is None else column[grouping.order]


def _grouped(queries: Any, items: Any) -> tuple[Grouping, IdColumn]:
    """Which rows belong to which query, and the items query after query."""
    items = _checked(items, "items")
    grouping = group_ids(_checked(queries, "queries"))
    if grouping.offsets[-1] != len(items):
        msg = f"{grouping.offsets[-1]:,} rows of queries, but {len(items):,} of items"
        raise ValueError(msg)
    return grouping, items if grouping.order is None else take_ids(items, grouping.order)


def group_ids(queries: IdColumn) -> Grouping:
    """Rows by query; runs of one query are taken whole, so that few ids become Python objects."""
    if isinstance(queries, list):
        if not queries:
            return Grouping([], np.zeros(1, dtype=np.int64), None)
        return group_rows(code_objects(queries))
    runs = queries.rle().struct.unnest()
    ids, lengths = runs["value"].to_list(), runs["len"].to_numpy().astype(np.int64)
    numbers: dict[Any, int] = {}
    codes = np.fromiter((numbers.setdefault(i, len(numbers)) for i in ids), np.int64, len(ids))
    if len(numbers) == len(ids):
        return Grouping(ids, offsets_of(lengths), None)
    rows = np.repeat(codes, lengths)
    sizes = np.bincount(rows, minlength=len(numbers))
    return Grouping(list(numbers), offsets_of(sizes), np.argsort(rows, kind="stable"))


def _checked(column: Any, name: str) -> IdColumn:
    """A list or a Polars series of ids, none missing."""
    if is_series(column):
        if column.null_count():
            row = int(column.is_null().arg_true()[0])
            msg = f"{name} contains missing values (row {row})"
            raise ValueError(msg)
        return column  # type: ignore[no-any-return]
    ids = column.tolist() if hasattr(column, "tolist") else list(column)
    if not set(map(type, ids)) <= {str, int}:
        row = next((row for row, value in enumerate(ids) if is_missing(value)), -1)
        if row >= 0:
            msg = f"{name} contains missing values (row {row})"
            raise ValueError(msg)
    return ids
