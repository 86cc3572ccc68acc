"""Lazy frames of one machine: blocks of whole queries stream through the readers of memory.

Values, counts and messages are theirs, because no other code ranks or checks. Data that fit into
memory are read at once; a larger run has to come query by query, with judgements that fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_rank.engines.gathered import (
    Gathered,
    LaterColumns,
    LeftBehind,
    has_grades,
    qrels_of,
)
from sklearn_rank.engines.read import IN_MEMORY_ALONE, Problem, engine_of, find_sides
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.frames import Side, is_frame, refuse_missing, run_of, truth_of
from sklearn_rank.inputs.tables import Qrels
from sklearn_rank.rankings.data import RankingData, no_items
from sklearn_rank.rankings.judged import JudgedRankings, Places
from sklearn_rank.support.checks import as_bytes
from sklearn_rank.support.runtime import with_progress
from sklearn_rank.typing import IntArray

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

BATCH = 1 << 18
"""Rows that an engine is asked for at once; it may deliver more or fewer."""
_SMALL = 32 << 20
"""Rows of so many bytes are read at once: their blocks would be few, and all is then at hand."""
_WHOLE = 5
"""To read rows at once takes about so many times their own size; see ``_memory`` of the tests."""
_JUDGEMENTS = 6
"""Part of the limit that judgements may take while the run streams past them."""
_BLOCK = 1 << 20
"""Rows of a block of queries; half or twice as many take the same time."""
_BYTES_PER_ROW = 512
"""Memory of one row of a block while it is read, with ids of up to forty letters."""


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """A lazy frame, which can be read more than once."""

    schema: pl.DataFrame
    """The columns without a row."""
    batches: Callable[[Sequence[str]], Generator[pl.DataFrame]]
    """Some columns of all rows, in the order of the rows."""

    def all_of(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """All rows; the first batch has none, and tells the columns."""
        yield self.schema.select(exact(columns))
        yield from self.batches(columns)

    def labels(self, query: str, name: str) -> Iterator[tuple[Any, Any]]:
        """Pairs of a query and its value in a column."""
        for batch in self.batches([query, name]):
            yield from batch.unique(maintain_order=True).iter_rows()


def exact(names: Sequence[str]) -> list[pl.Expr]:
    """Columns of just these names, which Polars else takes for patterns ("*", "^a.*$")."""
    import polars as pl

    def is_pattern(name: str) -> bool:
        return name == "*" or (name.startswith("^") and name.endswith("$"))

    return [pl.col(f"^{re.escape(name)}$" if is_pattern(name) else name) for name in names]


def _narwhals(frame: pl.DataFrame) -> nw.DataFrame[Any]:
    import narwhals as nw

    return nw.from_native(frame, eager_only=True)


# Reading -----------------------------------------------------------------------------------------


def read_streams(problem: Problem, rows_of: Callable[[Any], Rows]) -> RankingData:
    """Judged rankings of a problem whose lazy frames ``rows_of`` reads."""
    if engine_of(problem.y_score) is not None:
        return _LazyProblem(problem, rows_of).judged()
    rows = rows_of(problem.y_true)
    return problem.read_in_memory(y_true=_concatenated(rows.all_of(rows.schema.columns)))


class _LazyProblem:
    """One problem, whose run is a lazy frame."""

    def __init__(self, problem: Problem, rows_of: Callable[[Any], Rows]) -> None:
        self.problem = problem
        self.run_rows = rows_of(problem.y_score)
        self.truth_rows: Rows | None = None
        if engine_of(problem.y_true) is not None:
            self.truth_rows = rows_of(problem.y_true)
        elif is_frame(problem.y_true):
            import narwhals as nw

            frame = nw.from_native(problem.y_true, eager_only=True).to_polars()

            def batches(columns: Sequence[str]) -> Generator[pl.DataFrame]:
                yield frame.select(exact(columns))

            self.truth_rows = Rows(frame.head(0), batches)
        schema = None if self.truth_rows is None else _narwhals(self.truth_rows.schema)
        truth, run = find_sides(schema, _narwhals(self.run_rows.schema), problem.options.columns)
        assert run is not None
        self.truth, self.run = truth, run
        self.limit = problem.engine.n_bytes

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Nothing: frames of an engine are not pickled."""
        return LeftBehind, ()

    def judged(self) -> RankingData:
        """All queries, read at once or block by block."""
        options = self.problem.options
        needs_all = [
            name for name in IN_MEMORY_ALONE if getattr(options, name) not in (None, False)
        ]
        truth, run = self._hold(at_once=bool(needs_all))
        if needs_all or (run.rest is None and (truth is None or truth.rest is None)):
            judged = self._at_once(truth, run, *needs_all)
        else:
            gathered = self._gathered(truth, run)
            judged = gathered.judged(self, self.places_of_unjudged)
        # All columns of the frames, of which only those with a role were read.
        columns = [
            LaterColumns(rows.schema.columns, partial(rows.labels, side.named["query"]))
            for rows, side in ((self.truth_rows, self.truth), (self.run_rows, self.run))
            if rows is not None and side is not None
        ]
        return replace(judged, query_columns=tuple(columns))

    def in_memory(self, what: str) -> RankingData:
        """Data read at once, for what nothing less serves."""
        return self._at_once(*self._hold(at_once=True), what)

    def pool(self, queries: IntArray | None = None) -> JudgedRankings:
        """One ranking of the items of all queries, or of some, which takes all rows at once."""
        try:
            judged = self.in_memory("it")
        except InvalidParameterError as error:
            return no_items(str(error)).pool(queries)
        return judged.pool(queries)

    def places_of_unjudged(self) -> Places:
        """The places of unjudged items, for which the frames are read once more."""
        gathered = self._gathered(*self._hold(at_once=False), keeps_unjudged=True)
        judged = gathered.judged(self, self.places_of_unjudged)
        assert judged.rankings.unjudged is not None
        return judged.rankings.unjudged.places

    def _hold(self, *, at_once: bool) -> tuple[_Buffered | None, _Buffered]:
        """The judgements and the run, as far as they fit."""
        whole, truth = self.limit // _WHOLE, None
        if self.truth_rows is not None and self.truth is not None:
            limit = whole if at_once else self.limit // _JUDGEMENTS
            truth = _hold(self.truth_rows, self.truth.used, limit)
            truth.close()
            if truth.rest is not None and not at_once:
                msg = (
                    f"y_true takes more than a sixth of the memory limit of {self.limit:,} bytes, "
                    "and judgements stay in memory while the run is read; raise memory_limit= of "
                    "EngineOptions, or evaluate parts of the queries"
                )
                raise InvalidParameterError(msg)
        return truth, _hold(self.run_rows, self.run.used, whole if at_once else min(_SMALL, whole))

    def _at_once(self, truth: _Buffered | None, run: _Buffered, *needs_all: str) -> RankingData:
        """Read the rows in memory, which must be all; ``needs_all`` says what for."""
        if run.rest is not None or (truth is not None and truth.rest is not None):
            run.close()
            msg = (
                f"{needs_all[0]} needs all rows in memory, which take more than the memory limit "
                f"of {self.limit:,} bytes allows; raise memory_limit= of EngineOptions, leave that "
                "out, or evaluate parts of the queries"
            )
            raise InvalidParameterError(msg)
        y_true = self.problem.y_true if truth is None else truth.frame
        return self.problem.read_in_memory(y_true=y_true, y_score=run.frame)

    # Block by block ------------------------------------------------------------------------------

    def _gathered(
        self, truth: _Buffered | None, run: _Buffered, *, keeps_unjudged: bool = False
    ) -> Gathered:
        """The rankings of all queries."""
        qrels = self._qrels(truth)
        gathered = Gathered(
            self.problem.options,
            qrels.numbers,
            has_grades=has_grades(self.problem.y_true),
            may_be_partial=bool(qrels.grades.min(initial=1) <= 0),
            keeps_unjudged=keeps_unjudged,
        )
        batches = self._checked(self.run, chain((run.frame,), run.rest or ()))
        n_rows = max(min(_BLOCK, self.limit // 4 // _BYTES_PER_ROW), 1)
        try:
            for block in _whole_queries(batches, self.run.named["query"], n_rows):
                gathered.add(qrels, run_of(_narwhals(block), self.run.named))
        finally:
            run.close()
        gathered.add_missing(qrels)
        return gathered

    def _checked(self, side: Side, batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The columns with a role of rows that lack no id and no number; ids in few types."""
        first_row = 0
        if side.name == "y_score" and self.problem.engine.progress:
            batches = _with_progress(batches)
        for batch in batches:
            frame = _narwhals(batch)
            side.refuse_spare(frame)
            refuse_missing(frame, side.named, side.name, first_row)
            yield _with_plain_ids(batch.select(exact(list(side.named.values()))), side)
            first_row += batch.height

    def _qrels(self, held: _Buffered | None) -> Qrels:
        """All judgements."""
        if held is None or self.truth is None:
            return qrels_of(self.problem.y_true, self.problem.options)
        (checked,) = self._checked(self.truth, iter((held.frame,)))
        qrels = truth_of(_narwhals(checked), self.truth.named)
        narrow = as_bytes(qrels.grades)
        return qrels if narrow is None else replace(qrels, grades=narrow)


# Batches -----------------------------------------------------------------------------------------


class _Buffered(NamedTuple):
    """The first rows of a frame."""

    frame: pl.DataFrame
    rest: Generator[pl.DataFrame] | None
    """The rows that did not fit; None if all did."""

    def close(self) -> None:
        """Read no further: an engine may have but one stream open at a time."""
        if self.rest is not None:
            self.rest.close()


def _hold(rows: Rows, columns: Sequence[str], limit: int) -> _Buffered:
    """As many rows as fit into ``limit`` bytes, and at least a batch."""
    batches = rows.batches(columns)
    held = [rows.schema.select(exact(columns))]
    size: float = 0
    for batch in batches:
        held.append(batch)
        size += batch.estimated_size()
        if size > limit:
            return _Buffered(_concatenated(held), batches)
    return _Buffered(_concatenated(held), None)


def _whole_queries(
    batches: Iterator[pl.DataFrame], query: str, n_rows: int
) -> Iterator[pl.DataFrame]:
    """Blocks of about ``n_rows`` rows that end where a query does.

    A query that comes back later is in several blocks: who reads them has to see to that.
    """
    held: list[pl.DataFrame] = []
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.height
        if size < n_rows:
            continue
        block = _concatenated(held)
        queries = block[query]
        # A series of one id, not the id: some types of ids compare with their like alone. Under a
        # name that methods of Polars do not take for a pattern.
        is_other = (queries != queries[-1:]).alias("column").reverse()
        from_end = is_other.arg_max() or 0
        end = len(queries) - from_end if is_other[from_end] else 0  # 0: it is the only one
        if end:
            yield block[:end]
            block = block[end:]
        held, size = [block], block.height
        # A single query of more rows than a block: wait for as many again.
        n_rows = max(n_rows, 2 * size)
    if size:
        yield _concatenated(held)


def _concatenated(batches: Iterator[pl.DataFrame] | list[pl.DataFrame]) -> pl.DataFrame:
    import polars as pl

    return pl.concat(list(batches))


def _with_progress(batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Batches; shows how many rows there were so far on a terminal."""
    waiting: list[pl.DataFrame] = []

    def heights() -> Iterator[int]:
        for batch in batches:
            waiting.append(batch)
            yield batch.height

    for _ in with_progress(heights(), None, "rows read"):
        yield waiting.pop()


def _with_plain_ids(batch: pl.DataFrame, side: Side) -> pl.DataFrame:
    """Categories as text and integers as int64, so that the ids of both sides have one type."""
    import polars as pl

    changes = []
    for role in ("query", "item"):
        name = side.named[role]
        dtype = batch.schema[name]
        (column,) = exact([name])
        if dtype in (pl.Categorical, pl.Enum):
            changes.append(column.cast(pl.String))
        elif dtype.is_integer() and dtype not in (pl.Int64, pl.UInt64, pl.Int128):
            changes.append(column.cast(pl.Int64))
    return batch.with_columns(changes) if changes else batch
