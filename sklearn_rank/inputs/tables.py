"""Long tables: one row for each query and item, as files and data frames hold them.

A :class:`Run` or :class:`Qrels` keeps the columns as they are, query after query, and behaves as
the mapping {query: {item: number}} that a person expects; nothing of that mapping is built before
somebody asks for a query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from sklearn_rank.exceptions import DuplicateItemError
from sklearn_rank.inputs.rows import CodedIds, Grouping, code_objects, group_rows
from sklearn_rank.support.checks import as_numbers, as_numpy, is_missing
from sklearn_rank.support.segments import offsets_of, segment_index, sizes_of, take_segments
from sklearn_rank.support.sorting import falling_codes, order_segments, runs_of
from sklearn_rank.support.text import as_text, safe_repr
from sklearn_rank.typing import Array, Assume, Duplicates, IntArray, NegativeGrades, RankingOptions

if TYPE_CHECKING:
    import polars as pl

IdColumn: TypeAlias = "list[Any] | pl.Series"


class TableOptions(RankingOptions, total=False):
    """Options of the join of long tables."""

    weights: Any
    """Of the queries."""
    duplicates: Duplicates
    negative_grades: NegativeGrades
    assume: Assume | None


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


# Rows by query and item --------------------------------------------------------------------------

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio, made odd: its multiples share no pattern with hashes."""


class IdRows:
    """Finds rows by query and item; the rows of query ``i`` are ``offsets[i]:offsets[i+1]``.

    Ids of Polars are found by sorted hashes. The low bits of a hash give way to the number of its
    row, so that a plain sort, which costs a fraction of an argsort, says where each row stood.
    """

    def __init__(self, ids: IdColumn, offsets: IntArray) -> None:
        self.ids = ids
        self.offsets = offsets
        self._low = np.uint64((1 << len(ids).bit_length()) - 1)
        """Mask of the bits that hold a row."""

    @cached_property
    def _keys(self) -> Array:
        keys = _hashes(self.ids, segment_index(self.offsets)) & ~self._low
        keys |= np.arange(len(keys), dtype=np.uint64)
        keys.sort()
        return keys

    def repeated(self) -> IntArray:
        """All rows whose item stands more than once in their query, in order."""
        doubtful: list[int] = []
        if isinstance(self.ids, list):
            for start, stop in pairwise(self.offsets.tolist()):
                if len(set(self.ids[start:stop])) < stop - start:
                    doubtful += range(start, stop)
        else:
            alike = np.flatnonzero((self._keys[1:] ^ self._keys[:-1]) <= self._low)
            doubtful = (self._keys[np.union1d(alike, alike + 1)] & self._low).tolist()
        rows = np.sort(np.array(doubtful, dtype=np.int64))
        queries = np.searchsorted(self.offsets, rows, side="right").tolist()
        pairs = list(zip(queries, as_list(take_ids(self.ids, rows)), strict=True))
        times = Counter(pairs)
        return rows[[place for place, pair in enumerate(pairs) if times[pair] > 1]]

    def find(self, ids: IdColumn, queries: IntArray) -> IntArray:
        """Row of each of other ids in its query (by number, ascending); -1 where there is none.

        Neither side may hold an item twice in a query.
        """
        result = np.full(len(ids), -1, dtype=np.int64)
        if isinstance(self.ids, list) or isinstance(ids, list) or self.ids.dtype != ids.dtype:
            own, wanted = as_list(self.ids), as_list(ids)
            borders = np.flatnonzero(np.diff(queries, prepend=-1, append=-2)).tolist()
            for start, stop in pairwise(borders):
                first, last = self.offsets[queries[start] : queries[start] + 2].tolist()
                places = dict(zip(own[first:last], range(first, last), strict=True))
                result[start:stop] = [places.get(item, -1) for item in wanted[start:stop]]
            return result
        keys, hashes = self._keys, _hashes(ids, queries) & ~self._low
        place, pending = keys.searchsorted(hashes), np.arange(len(ids))
        while True:  # once, unless two rows share a hash
            pending = pending[place[pending] < len(keys)]
            pending = pending[keys[place[pending]] & ~self._low == hashes[pending]]
            if not len(pending):
                return result
            rows = (keys[place[pending]] & self._low).astype(np.int64)
            query = queries[pending]
            same = (self.ids.gather(rows) == ids.gather(pending)).to_numpy()
            same &= (self.offsets[query] <= rows) & (rows < self.offsets[query + 1])
            result[pending[same]] = rows[same]
            pending = pending[~same]
            place[pending] += 1


def _hashes(ids: Any, queries: IntArray) -> Array:
    """A 64-bit hash of query and item for each row."""
    hashes: Array = queries.astype(np.uint64) * _MIX
    hashes ^= ids.hash().to_numpy()
    return hashes


# Tables ------------------------------------------------------------------------------------------

_Table = TypeVar("_Table", bound="LongTable")


@dataclass(frozen=True, repr=False, eq=False)
class LongTable(Mapping[Any, Any]):
    """Rows of queries and items; those of query ``i`` are ``offsets[i]:offsets[i+1]``."""

    _numbers_in: ClassVar[str]
    """Name of the column of scores or grades."""
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

    def __getitem__(self, query: Any) -> Any:
        items, values = self._rows_of(query)
        if len(set(items)) < len(items):
            number = self.numbers[query]
            rows = np.arange(self.offsets[number], self.offsets[number + 1])
            _, first, again, item = self.first_repeated(rows)
            msg = (
                f"query {safe_repr(query)} holds item {safe_repr(item)} at positions "
                f"{first + 1} and {again + 1}"
            )
            raise DuplicateItemError(msg)
        return items if values is None else dict(zip(items, values, strict=True))

    def distinct(self, query: Any) -> dict[Any, Any]:
        """Items of a query with their numbers, even if one comes twice."""
        items, values = self._rows_of(query)
        return dict(zip(items, values or items, strict=True))

    def _rows_of(self, query: Any) -> tuple[list[Any], list[Any] | None]:
        number = self.numbers[query]
        rows = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        values = getattr(self, self._numbers_in)
        return as_list(self.item_ids[rows]), None if values is None else values[rows].tolist()

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

    def keys_of(self, rows: IntArray) -> list[tuple[int, Any]]:
        """Number of the query and item of some rows."""
        numbers = (np.searchsorted(self.offsets, rows, side="right") - 1).tolist()
        return list(zip(numbers, take_ids(self.item_ids, rows), strict=True))

    def name_row(self, row: int) -> str:
        """A row in a message."""
        ((number, item),) = self.keys_of(np.array([row]))
        return f"item {safe_repr(item)} of query {safe_repr(self.query_ids[number])}"

    def first_repeated(self, rows: IntArray) -> tuple[Any, int, int, Any]:
        """Query, positions in it and item of the first of some rows whose item comes again."""
        keys = self.keys_of(rows)
        times = Counter(keys)
        first = next(place for place, key in enumerate(keys) if times[key] > 1)
        (number, item), again = keys[first], keys.index(keys[first], first + 1)
        start = int(self.offsets[number])
        return self.query_ids[number], int(rows[first]) - start, int(rows[again]) - start, item

    def take(self: _Table, rows: IntArray) -> _Table:
        """Some rows, ascending; queries of which none is left stay, with no rows."""
        return self._with_rows(rows, offsets=np.searchsorted(rows, self.offsets))

    def of_queries(self: _Table, queries: list[Any]) -> _Table:
        """The same for these queries, in their order; a query that is not here has no rows."""
        if queries == self.query_ids:
            return self
        chosen = np.array([self.numbers.get(query, -1) for query in queries], dtype=np.int64)
        sizes = np.append(sizes_of(self.offsets), 0)[chosen]  # the last for queries not here
        rows, _ = take_segments(self.offsets, chosen[chosen >= 0])
        return self._with_rows(rows, offsets=offsets_of(sizes), query_ids=queries)

    def _with_rows(self: _Table, rows: IntArray, **changes: Any) -> _Table:
        values = getattr(self, self._numbers_in)
        changes[self._numbers_in] = None if values is None else values[rows]
        return replace(self, item_ids=take_ids(self.item_ids, rows), **changes)


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

    _numbers_in = "scores"
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
        if ranks is None:
            return run
        ranks = _moved(ranks, grouping, "ranks")
        order, same = order_segments(np.invert(falling_codes(ranks)), run.offsets)
        if same is not None:
            row = int(order[np.flatnonzero(same)[0]])
            query = run.query_ids[run.keys_of(np.array([row]))[0][0]]
            msg = f"query {safe_repr(query)} has two items of rank {ranks[row]}"
            raise ValueError(msg)
        return replace(run, item_ids=take_ids(items, order))

    def top(self, depth: int, *, by_id: bool) -> Run:
        """The first ``depth`` rows of each ranking; ties by falling id, or in the order of rows."""
        starts = np.repeat(self.offsets[:-1], sizes_of(self.offsets))
        order = np.arange(self.n_rows)
        if self.scores is not None:
            ids = self.item_ids if by_id else None
            order = fall_orders(self.scores, self.offsets, ids)[1]
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

    _numbers_in = "grades"
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


def fall_orders(
    scores: Array, offsets: IntArray, ids: IdColumn | None = None
) -> tuple[IntArray, IntArray]:
    """Rows of each query by falling score, equal ones as they came, and by falling id if given."""
    order, same = order_segments(falling_codes(scores), offsets)
    if same is None or ids is None:
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
    """Rows of each query, and the items query after query."""
    queries, items = _checked(queries, "queries"), _checked(items, "items")
    if len(queries) != len(items):
        msg = f"{len(queries):,} rows of queries, but {len(items):,} of items"
        raise ValueError(msg)
    if not len(queries):
        grouping = Grouping([], np.zeros(1, dtype=np.int64), None)
    elif isinstance(queries, list):
        grouping = group_rows(code_objects(queries))
    else:
        # Runs of one query are taken whole, so that few ids become Python objects.
        runs = queries.rle().struct.unnest()
        coded = code_objects(runs["value"].to_list())
        codes = np.repeat(coded.codes, runs["len"].to_numpy().astype(np.int64))
        grouping = group_rows(CodedIds(coded.distinct, codes))
    return grouping, items if grouping.order is None else take_ids(items, grouping.order)


def _checked(column: Any, name: str) -> IdColumn:
    """A list or a Polars series of ids, none missing."""
    ids: IdColumn = column
    row = -1
    if is_series(column):
        row = int(column.is_null().arg_true()[0]) if column.null_count() else -1
    else:
        ids = column.tolist() if hasattr(column, "tolist") else list(column)
        if not set(map(type, ids)) <= {str, int}:
            row = next((row for row, value in enumerate(ids) if is_missing(value)), -1)
    if row >= 0:
        msg = f"{name} contains missing values (row {row})"
        raise ValueError(msg)
    return ids
