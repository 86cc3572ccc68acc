"""Long tables: one row for each query and item, as files and data frames hold them.

A :class:`Run` or :class:`Qrels` keeps the columns as they are, query after query, and behaves as
the mapping {query: {item: number}}, of which nothing is built until a query is looked up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeAlias, TypeVar

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, DuplicateItemError
from sklearn_rank.inputs.arrays import CodedIds, IntegerIds, code_objects, group_rows, listed_ids
from sklearn_rank.rankings.ranking import Items
from sklearn_rank.support.checks import as_numbers, as_numpy, is_missing, negated
from sklearn_rank.support.segments import (
    BLOCK,
    EMPTY,
    blocks,
    offsets_of,
    segment_index,
    sizes_of,
    take_segments,
)
from sklearn_rank.support.sorting import falling_codes, order_segments, runs_of
from sklearn_rank.support.text import argument, as_text, count, safe_repr, takes
from sklearn_rank.typing import Array, BoolArray, IntArray

if TYPE_CHECKING:
    import polars as pl

IdColumn: TypeAlias = "CodedIds | IntegerIds | pl.Series"
CODED = (CodedIds, IntegerIds)
"""Columns of ids that are compared by their codes."""


def is_series(column: IdColumn) -> bool:
    """Whether a column is a Polars series."""
    return type(column).__module__.partition(".")[0] == "polars"


def take_ids(column: IdColumn, rows: IntArray) -> IdColumn:
    """The ids of some rows."""
    return column.take(rows) if isinstance(column, CODED) else column.gather(rows)


def types_of(column: IdColumn) -> set[type]:
    """Types of the ids as Python objects; a series has one."""
    if not isinstance(column, CodedIds):
        return set(map(type, column[:1].to_list()))
    types = set(map(type, column.distinct))
    if len(types) > 1:  # those of rows that were left out do not count
        types = {type(column.distinct[code]) for code in np.unique(column.codes).tolist()}
    return types


# Items that come twice ---------------------------------------------------------------------------


def first_repeated(keys: Sequence[Hashable]) -> tuple[int, int]:
    """Positions of the first repeated key; there must be one."""
    first: dict[Hashable, int] = {}
    position = next(row for row, key in enumerate(keys) if first.setdefault(key, row) != row)
    return first[keys[position]], position


def best_occurrences(keys: Sequence[Hashable], scores: Any = None) -> list[int]:
    """Positions of the best-ranked occurrence of each key, ascending."""
    best: dict[Hashable, int] = {}
    for position, key in enumerate(keys):
        before = best.setdefault(key, position)
        if scores is not None and scores[position] > scores[before]:
            best[key] = position
    return sorted(best.values())


def refuse_duplicate(
    where: object, item: str, first: int, again: int, systems: str = ""
) -> NoReturn:
    """DuplicateItemError for an item at two positions of a ranking, perhaps by several systems."""
    advice = "Keep one of them."
    if takes("duplicates"):
        option = argument("duplicates", "first")
        of_evaluate = " to evaluate" * (option == "duplicates='first'")  # no metric function's
        advice = f"Pass {option}{of_evaluate} to keep the best-ranked one."
    if systems:
        advice = f"{systems} Otherwise {advice[0].lower()}{advice[1:]}"
    msg = f"{where} holds item {item} at positions {first + 1} and {again + 1}. {advice}"
    raise DuplicateItemError(msg)


def refuse_two_grades(where: object, item: Any, grade: float, other: float) -> NoReturn:
    """ValueError for an item that is judged twice with different grades."""
    both = f"{grade:g} and {other:g}"
    msg = f"{where} judges item {safe_repr(item)} twice, with grades {both}; keep one of them"
    raise ValueError(msg)


# Order of scored lists ---------------------------------------------------------------------------

_NEARLY_ALL = 0.9
LEAST_RISES = 10
"""Fewer steps upwards may be chance in mappings and rows, which need no order."""


def steps_within(scores: Array, offsets: IntArray) -> tuple[BoolArray, BoolArray]:
    """Where scores rise and fall from one item to the next of its ranking, (n_items - 1,)."""
    rises, falls = scores[1:] > scores[:-1], scores[1:] < scores[:-1]
    borders = offsets[1:-1]
    borders = borders[(borders > 0) & (borders < len(scores))] - 1
    rises[borders] = falls[borders] = False  # from one ranking to the next
    return rises, falls


def count_rising(scores: Array, offsets: IntArray) -> int:
    """Number of rankings along which a score rises somewhere."""
    rises, _ = steps_within(scores, offsets)
    return len(np.unique(np.searchsorted(offsets, np.flatnonzero(rises), side="right")))


def doubt_of_rising(scores: Array, offsets: IntArray, least: int = 1) -> str:
    """Why scores seem to be distances or ranks: they rise along nearly all rankings; or ""."""
    if len(scores) < 2:
        return ""
    # Rankings that fall somewhere are at least as many as falls by the steps of the longest.
    n_lists = len(offsets) - 1
    limit = round((1 - _NEARLY_ALL) * n_lists * (int(sizes_of(offsets).max()) - 1), 9)
    if np.count_nonzero(scores[1:] < scores[:-1]) - n_lists >= limit:
        return ""  # as most scores do, even if they fall at each border
    rises, falls = steps_within(scores, offsets)
    if np.count_nonzero(rises) < least or np.count_nonzero(falls) > limit:
        return ""
    steps = np.searchsorted(offsets, np.arange(1, len(scores)), side="right")
    falling, rising = np.unique(steps[falls]), np.unique(steps[rises])
    n_rising = len(np.setdiff1d(rising, falling, assume_unique=True))
    n_lists = len(np.union1d(rising, falling))
    if n_rising < _NEARLY_ALL * n_lists:
        return ""
    return (
        f"scores rise along {n_rising:,} of {n_lists:,} rankings, like distances or ranks, but the "
        "highest score ranks first. For distances pass score=-distance; otherwise sort the items "
        "by descending score"
    )


_FEWEST = 5
"""Rankings that are not all tied by chance."""


def doubt_of_ties(scores: Array, offsets: IntArray) -> str:
    """Why scores seem to be missing: in nearly all rankings all are the same; or ""."""
    several = np.flatnonzero(sizes_of(offsets) > 1)
    steps = np.flatnonzero(scores[1:] != scores[:-1]) + 1
    runs = np.searchsorted(offsets, steps, side="right") - 1
    n_tied = len(several) - len(np.unique(runs[offsets[runs] < steps]))
    if len(several) < _FEWEST or n_tied < _NEARLY_ALL * len(several):
        return ""
    return (
        f"all items have the same score in {n_tied:,} of {len(several):,} rankings, although "
        "their order or ranks are given; leave out the scores to use those"
    )


def doubt_of_ranks(scores: Array, offsets: IntArray) -> str:
    """Why scores of rows seem to be ranks: 1, 2, 3 along nearly all rankings; or ""."""
    first = float(scores[0]) if len(scores) else -1
    if first not in (0, 1):
        return ""
    expected = np.arange(len(scores)) - np.repeat(offsets[:-1], sizes_of(offsets)) + first
    n_equal = np.count_nonzero(scores == expected)
    if n_equal < _NEARLY_ALL * len(scores):
        return ""
    return doubt_of_rising(scores, offsets, LEAST_RISES)


def scores_of(scores: Array | None, distances: Array | None, name: str) -> Array | None:
    """Scores, or else distances as scores; ColumnRoleError if both rise together."""
    if distances is None:
        return scores
    if scores is None:
        return negated(distances)
    rising = np.diff(distances[np.argsort(scores, kind="stable")].astype(np.float64))
    if len(rising) and rising.min() >= 0 and rising.max() > 0:
        msg = (
            f"{name} has a score and a distance that rise together, but the highest score and "
            f"the smallest distance rank first; leave one out: columns={{'distance': None}}"
        )
        raise ColumnRoleError(msg)
    return scores


# Tables ------------------------------------------------------------------------------------------

_Table = TypeVar("_Table", bound="LongTable")
SAMPLED_ROWS = 100_000
"""Number of rows whose ranks are compared with scores."""
_FEW = 1000
"""Number of scores up to which seeking equal ones in Python is faster than sorting."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio, which spreads what it multiplies."""


@dataclass(frozen=True, repr=False, eq=False)
class LongTable(Mapping[Any, Any]):
    """Rows of queries and items; query ``i`` has ``offsets[i]:offsets[i+1]``.

    Items are found by sorted keys of the number of their query, a hash of their id, and in the
    lowest bits the number of their row, so that a plain sort, which costs a fraction of an argsort,
    gives the position of each row.
    """

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
    path: str = ""
    """Its whole path; empty for an open file."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Names of the columns that were read, by role."""
    doubts: tuple[str, ...] = ()
    """Signs of an unintended order, for a RankingOrderWarning."""
    about_queries: Any = None
    """Columns of a data frame with one value per query; see ``frames.QueryColumns``."""

    def __new__(cls, *columns: Any, **_: Any) -> Self:
        """TypeError for a dict, of which other libraries make such an object."""
        if len(columns) == 1 and isinstance(columns[0], dict):
            msg = "a dict is passed as it is, to evaluate(y_true, y_score)"
            raise TypeError(msg)
        return super().__new__(cls)

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
        sizes = f"{count(len(self), 'query', 'queries')} and {count(self.n_rows, 'row')}"
        return f"<{type(self).__name__} of {sizes}{source}>"

    def __getitem__(self, query: Any) -> Any:
        items, values = self._rows_of(query)
        if len(set(items)) < len(items):
            before, again = first_repeated(items)
            refuse_duplicate(f"query {safe_repr(query)}", safe_repr(items[again]), before, again)
        return items if values is None else dict(zip(items, values, strict=True))

    def distinct(self, query: Any) -> dict[Any, Any]:
        """Items of a query with their numbers, including duplicates."""
        items, values = self._rows_of(query)
        return dict(zip(items, values or items, strict=True))

    def _rows_of(self, query: Any) -> tuple[list[Any], list[Any] | None]:
        number = self.numbers[query]
        rows = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        values = getattr(self, self._numbers_in)
        items = take_ids(self.item_ids, np.arange(rows.start, rows.stop)).to_list()
        return items, None if values is None else values[rows].tolist()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.offsets[-1])

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """Position of each query."""
        return {query: number for number, query in enumerate(self.query_ids)}

    def keys_of(self, rows: IntArray) -> list[tuple[int, Any]]:
        """Query position and item of some rows."""
        numbers = (np.searchsorted(self.offsets, rows, side="right") - 1).tolist()
        return list(zip(numbers, take_ids(self.item_ids, rows).to_list(), strict=True))

    def name_row(self, row: int) -> str:
        """What messages call a row."""
        ((number, item),) = self.keys_of(np.array([row]))
        return f"item {safe_repr(item)} of query {safe_repr(self.query_ids[number])}"

    @property
    def _row_bits(self) -> Any:
        """Mask of the low bits of a key, which hold its row."""
        return np.uint64((1 << self.n_rows.bit_length()) - 1)

    @cached_property
    def _keys(self) -> Array:
        keys, offsets = np.empty(self.n_rows, np.uint64), self.offsets
        # Keys rise with their query: in blocks that fit the caches they are made and sorted sooner.
        for first, last in blocks(offsets):
            rows = slice(int(offsets[first]), int(offsets[last]))
            queries = segment_index(offsets[first : last + 1]) + first
            own = self._keys_of(self.item_ids[rows], queries)
            own |= np.arange(rows.start, rows.stop, dtype=np.uint64)
            own.sort()
            keys[rows] = own
        return keys

    def _keys_of(self, ids: IdColumn, queries: IntArray) -> Array:
        """Keys of other ids in these queries, with no row."""
        row_bits, query_bits = self.n_rows.bit_length(), len(self).bit_length()
        keys = hashes_of(ids) << np.uint64(row_bits + query_bits)
        keys >>= np.uint64(query_bits)
        keys |= queries.astype(np.uint64) << np.uint64(64 - query_bits)
        return keys

    def repeated(self) -> IntArray:
        """All rows whose item occurs more than once in its query, in order."""
        keys, low, found = self._keys, self._row_bits, [EMPTY]
        for start in range(0, len(keys), BLOCK):
            own = keys[start : start + BLOCK + 1]
            found.append(np.flatnonzero((own[1:] ^ own[:-1]) <= low) + start)
        alike = np.concatenate(found)
        doubtful = keys[np.union1d(alike, alike + 1)] & low
        rows = np.sort(doubtful.astype(np.int64))
        pairs = self.keys_of(rows)
        times = Counter(pairs)
        return rows[[number for number, pair in enumerate(pairs) if times[pair] > 1]]

    def find(self, ids: IdColumn, queries: IntArray) -> IntArray:
        """Row of each given id in its query (by number, ascending); -1 if there is none.

        Neither side may hold an item twice in a query.
        """
        result, stored = np.full(len(ids), -1, dtype=np.int64), self.item_ids
        if isinstance(stored, CodedIds) and isinstance(ids, CodedIds):
            ids = CodedIds(stored.distinct, ids.in_codes_of(stored))
        elif isinstance(stored, IntegerIds) and isinstance(ids, IntegerIds):
            pass
        elif (
            not isinstance(stored, CODED)
            and isinstance(ids, CodedIds)
            and types_of(stored) == set(map(type, ids.distinct)) == {str}
        ):  # few judgements of a small file, and many rows
            ids = type(stored)("id", ids.distinct, dtype=stored.dtype).gather(ids.codes)
        elif isinstance(stored, CODED) or isinstance(ids, CODED) or stored.dtype != ids.dtype:
            coded = replace(self, item_ids=CodedIds.of(stored.to_list()))
            return coded.find(CodedIds.of(ids.to_list()), queries)
        keys, low = self._keys, self._row_bits
        hashes = self._keys_of(ids, queries)
        at, pending = keys.searchsorted(hashes), np.arange(len(ids))
        while True:  # once, unless two rows share a hash
            pending = pending[at[pending] < len(keys)]
            pending = pending[keys[at[pending]] & ~low == hashes[pending]]
            if not len(pending):
                return result
            rows = (keys[at[pending]] & low).astype(np.int64)
            query = queries[pending]
            if isinstance(stored, CODED) and isinstance(ids, CODED):
                same = stored.codes[rows] == ids.codes[pending]
            else:
                equal: Any = take_ids(stored, rows) == take_ids(ids, pending)
                same = equal.to_numpy()
            same &= (self.offsets[query] <= rows) & (rows < self.offsets[query + 1])
            result[pending[same]] = rows[same]
            pending = pending[~same]
            at[pending] += 1

    def take(self: _Table, rows: IntArray) -> _Table:
        """Some rows, ascending; all queries remain, even without rows."""
        return self._with_rows(rows, offsets=np.searchsorted(rows, self.offsets))

    def of_queries(self: _Table, queries: list[Any]) -> _Table:
        """Rows of these queries, in their order; unknown queries have no rows."""
        if queries == self.query_ids:
            return self
        chosen = np.array([self.numbers.get(query, -1) for query in queries], dtype=np.int64)
        sizes = np.append(sizes_of(self.offsets), 0)[chosen]  # the last for queries not here
        rows, _ = take_segments(self.offsets, chosen[chosen >= 0])
        return self._with_rows(rows, offsets=offsets_of(sizes), query_ids=queries)

    def _with_rows(self: _Table, rows: IntArray, **changes: Any) -> _Table:
        for name in (self._numbers_in, "ranks"):
            values = getattr(self, name, None)
            if values is not None:
                changes[name] = values[rows]
        return replace(self, item_ids=take_ids(self.item_ids, rows), **changes)


def hashes_of(ids: IdColumn) -> Array:
    """A number of 64 bits for each id."""
    if isinstance(ids, CodedIds):
        return ids.codes.view(np.uint64)
    if isinstance(ids, IntegerIds):
        # The high bits of an id count as much as the low ones, which are all that keys hold.
        mixed = ids.codes.astype(np.int64).view(np.uint64)
        mixed *= _ODD
        mixed ^= mixed >> np.uint64(32)
        return mixed
    hashes: Array = ids.hash().to_numpy()
    return hashes


@dataclass(frozen=True, repr=False, eq=False)
class Run(LongTable):
    """Rankings of one system: {query: {item: score}}, or {query: ranked list} without scores.

    Attributes
    ----------
    query_ids : list of shape (n_queries,)
        Distinct, in order of first appearance.
    offsets : ndarray of shape (n_queries + 1,)
        Rows of query ``i`` are ``offsets[i]:offsets[i+1]``.
    item_ids : sequence or polars.Series of shape (n_rows,)
        Id of the item of each row.
    scores : ndarray of shape (n_rows,) or None
        None: the rows of each query are in ranked order.
    ranks : ndarray of shape (n_rows,) or None
        Given ranks, which order the rows if there are no scores.
    source, path, roles, doubts : str, str, mapping, tuple
        For a file: its name, its full path, columns by role, and signs of an unintended order.
    rising : str
        Why scores of ``{item: score}`` may be distances; ignored if judgements agree with them.
    about_queries : object or None
        Columns of a data frame with facts about the queries, for slices.

    Examples
    --------
    >>> from sklearn_rank import Run
    >>> run = Run.from_columns(["q1", "q1", "q2"], ["a", "b", "a"], scores=[0.2, 0.9, 1.0])
    >>> run["q1"], len(run)
    ({'a': 0.2, 'b': 0.9}, 2)
    """

    _numbers_in = "scores"
    scores: Array | None = None
    ranks: Array | None = None
    rising: str = ""

    @classmethod
    def from_columns(
        cls, queries: Any, items: Any, *, scores: Any = None, ranks: Any = None, **about: Any
    ) -> Run:
        """Build from rows in any order; without scores or ranks, the order of rows is the ranking.

        Parameters
        ----------
        queries, items : list, array or polars.Series of shape (n_rows,)
            An id for each row.
        scores, ranks : array-like of shape (n_rows,), default=None
            Higher scores or lower ranks come first; scores take precedence over ranks.
        **about
            ``source`` and further facts about a file.

        Returns
        -------
        run : Run

        Raises
        ------
        ValueError
            If an id is missing, or two rows of a query have the same rank.
        """
        name = about.pop("ranks_name", "ranks")
        query_ids, offsets, ids, numbers = _by_query(queries, items, scores=scores, ranks=ranks)
        run = cls(query_ids, offsets, ids, **numbers, **about)
        if ranks is None:
            return run
        # Where scores order the rows, a sample shows whether ranks agree.
        n = len(run) if scores is None else max(1, int(np.searchsorted(offsets, SAMPLED_ROWS)))
        given, offsets = numbers["ranks"], offsets[: n + 1]
        given = given[: offsets[-1]]
        order, same = order_segments(np.invert(falling_codes(given)), offsets)
        if scores is not None:
            return replace(run, doubts=(*run.doubts, *run._doubts(order, offsets, name)))
        if same is not None:
            row = int(order[np.flatnonzero(same)[0]])
            query = run.query_ids[run.keys_of(np.array([row]))[0][0]]
            msg = (
                f"{name} has {given[row]} twice for query {safe_repr(query)}; give each item "
                "of a query a different rank"
            )
            raise ValueError(msg)
        doubts = (*run.doubts, *run._doubts(order, offsets, name))
        return replace(run, item_ids=take_ids(ids, order), ranks=given[order], doubts=doubts)

    def _doubts(self, order: IntArray, offsets: IntArray, name: str) -> Iterator[str]:
        """Gaps in the ranks of these queries, and scores that contradict them."""
        assert self.ranks is not None
        ranks = self.ranks[order].astype(np.float64)
        steps, starts = np.diff(ranks), offsets[:-1][np.diff(offsets) > 0]
        is_within = np.ones(len(steps), dtype=bool)
        is_within[starts[starts > 0] - 1] = False
        tied = is_within & (steps == 0)
        gaps = np.union1d(
            np.flatnonzero(is_within & (steps != 1)) + 1, starts[~np.isin(ranks[starts], (0, 1))]
        )
        if len(gaps) and not tied.any():  # tied ranks leave out those that follow
            gap = int(gaps[0])
            jump = f"jumps from {ranks[gap - 1]:g} to" if gap not in starts else "starts at"
            queries = len(np.unique(np.searchsorted(offsets, gaps, side="right")))
            yield (
                f"{name} {jump} {ranks[gap]:g} in query {self._query_of(gap)} (gaps in "
                f"{queries:,} of {len(starts):,} queries), as in a filtered or joined run: items "
                "below a gap count as ranked higher. Pass the whole run; if nothing is missing, "
                "renumber the ranks"
            )
        if self.scores is None:
            return
        scores = self.scores[order]
        wrong = np.flatnonzero(is_within & (steps > 0) & (scores[1:] > scores[:-1]))
        if len(wrong):
            first = int(wrong[0])
            both = " and ".join(
                f"rank {ranks[row]:g} has score {scores[row]:g}" for row in (first, first + 1)
            )
            yield (
                f"{name} contradicts the scores, by which the items are ranked: in query "
                f"{self._query_of(first)} {both}. If the scores are distances pass "
                f"score=-distance; otherwise pass {argument('columns', {'score': None})} to use "
                f"the ranks, or {argument('columns', {'rank': None})} to use the scores"
            )

    def _query_of(self, row: int) -> str:
        return safe_repr(self.query_ids[int(np.searchsorted(self.offsets, row, side="right")) - 1])


@dataclass(frozen=True, repr=False, eq=False)
class Qrels(LongTable):
    """Judgements: {query: {item: grade}}.

    Attributes
    ----------
    query_ids, offsets, item_ids, source, path, roles, doubts, about_queries
        As in :class:`Run`.
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
        """Build from rows in any order; without grades all items are relevant.

        Parameters
        ----------
        queries, items : list, array or polars.Series of shape (n_rows,)
            An id for each row.
        grades : array-like of shape (n_rows,), default=None
            Grade of each row.
        **about
            ``source`` and further facts about a file.

        Returns
        -------
        qrels : Qrels

        Raises
        ------
        ValueError
            If an id is missing.
        """
        query_ids, offsets, ids, numbers = _by_query(queries, items, grades=grades)
        grades = numbers["grades"]
        if grades is None:
            grades = np.ones(len(ids), dtype=np.int64)
        return cls(query_ids, offsets, ids, grades=grades, **about)


def _by_query(
    queries: Any, items: Any, **numbers: Any
) -> tuple[list[Any], IntArray, IdColumn, dict[str, Any]]:
    """Ids and offsets of the queries, and the items and numbers query after query."""
    sides: list[Any] = [queries, items]
    for number, column in enumerate(sides):
        row = -1
        if is_series(column):
            row = int(column.is_null().arg_true()[0]) if column.null_count() else -1
        elif not isinstance(column, CODED):
            ids = column.tolist() if hasattr(column, "tolist") else list(column)
            if not set(map(type, ids)) <= {str, int}:
                row = next((row for row, value in enumerate(ids) if is_missing(value)), -1)
            sides[number] = ids
        if row >= 0:
            msg = f"{('queries', 'items')[number]} contains missing values (row {row})"
            raise ValueError(msg)
    queries, items = sides
    if len(queries) != len(items):
        msg = f"queries has {len(queries):,} rows, but items has {len(items):,}"
        raise ValueError(msg)
    for name, given in numbers.items():
        if given is None:
            continue
        numbers[name] = column = as_numbers(as_numpy(given), name)
        if column.shape != (len(items),):
            msg = f"{name} has shape {column.shape}; pass one value for each of {len(items):,} rows"
            raise ValueError(msg)
    if isinstance(items, list):
        items = CodedIds.of(items)
    if not len(queries):
        return [], np.zeros(1, dtype=np.int64), items, numbers
    coded: Any
    if isinstance(queries, CodedIds):
        coded = queries
    elif isinstance(queries, IntegerIds):
        coded = queries.codes
    elif isinstance(queries, list):
        coded = code_objects(queries, "queries")
    else:
        # Runs of one query are taken whole, so that few ids become Python objects.
        runs = queries.rle().struct.unnest()
        coded = code_objects(runs["value"].to_list(), "queries")
        codes = np.repeat(coded.codes, runs["len"].to_numpy().astype(np.int64))
        coded = CodedIds(coded.distinct, codes)
    query_ids, offsets, order = group_rows(coded)
    if order is not None:
        items = take_ids(items, order)
        numbers = {
            name: None if column is None else column[order] for name, column in numbers.items()
        }
    return listed_ids(query_ids), offsets, items, numbers


def by_falling_id(items: Items, ids: IdColumn | list[Any]) -> Items:
    """Rankings as if tied items were ordered by descending id."""
    assert items.scores is not None
    if len(items.scores) <= _FEW and len(set(items.scores.tolist())) == len(items.scores):
        return items
    order, same = order_segments(falling_codes(items.scores), items.offsets)
    if same is None:
        return items
    runs = runs_of(same)
    rows, starts = order[runs.members], runs.borders[:-1]
    # The order of items of one grade changes nothing; NaN or below 0 is unjudged.
    grades = items.grades[rows]
    if grades.dtype.kind != "u":
        grades = np.where(grades >= 0, grades, -1)
    differ = np.minimum.reduceat(grades, starts) < np.maximum.reduceat(grades, starts)
    sizes = sizes_of(runs.borders)
    rows, borders = rows[np.repeat(differ, sizes)], offsets_of(sizes[differ])
    by_id, grades = rows[_by_falling_id(ids, rows, borders)], items.grades.copy()
    grades[rows] = items.grades[by_id]
    return items._replace(grades=grades)


def _by_falling_id(ids: IdColumn | list[Any], rows: IntArray, borders: IntArray) -> IntArray:
    """Places of rows in the order of their runs, and within a run by descending id."""
    if not isinstance(ids, (list, *CODED)):
        import polars as pl

        frame = pl.DataFrame({"run": segment_index(borders), "id": take_ids(ids, rows)})
        by = pl.arg_sort_by(["run", pl.col("id").cast(pl.String)], descending=[False, True])
        return frame.select(by).to_series().to_numpy().astype(np.int64)
    texts = list(map(ids.__getitem__, rows.tolist()))
    if set(map(type, texts)) != {str}:
        texts = list(map(as_text, texts))
    in_order = [
        sorted(range(first, last), key=texts.__getitem__, reverse=True)
        for first, last in pairwise(borders.tolist())
    ]
    return np.fromiter(chain.from_iterable(in_order), np.int64, len(texts))
