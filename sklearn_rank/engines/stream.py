"""Lazy frames of one machine: blocks of whole queries stream through the readers of memory.

Values, counts and messages are theirs, because no other code ranks or checks. What fits into
memory is read at once; a run whose queries lie scattered, or judgements that do not fit, go through
temporary files first, parted by query.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from sklearn_rank.engines.blocks import (
    BufferedRows,
    Partitions,
    Rows,
    all_batches,
    concatenated,
    exact,
    first_rows,
    hold,
    numbered,
    temporary,
    whole_queries,
)
from sklearn_rank.engines.gathered import (
    Gathered,
    LeftBehind,
    ScatteredQueriesError,
    has_grades,
    qrels_of,
)
from sklearn_rank.engines.read import IN_MEMORY_ALONE, Problem, Side, engine_of, find_sides
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.frames import (
    DIVIDED_QUERY,
    is_frame,
    refuse_missing,
    run_of,
    truth_of,
    watch,
)
from sklearn_rank.inputs.hints import Corpus, with_unknown_counted
from sklearn_rank.inputs.layouts import read_rankings
from sklearn_rank.inputs.roles import refuse_unused
from sklearn_rank.inputs.tables import Qrels, Run, TableScores
from sklearn_rank.rankings.data import NoPool, RankingData, one_label_each
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.checks import as_bytes, is_missing
from sklearn_rank.support.runtime import with_progress
from sklearn_rank.typing import IntArray

if TYPE_CHECKING:
    from pathlib import Path

    import narwhals as nw
    import polars as pl

_SMALL = 32 << 20
"""Rows of so many bytes are read at once: their blocks would be few, and all is then at hand."""
_WHOLE = 5
"""To read rows at once takes about so many times their own size; see ``_memory`` of the tests."""
_JUDGEMENTS = 6
"""Part of the limit that judgements may take while the run streams past them."""
_BLOCK = 1 << 20
"""Rows of a block of queries; half or twice as many take the same time."""
_BYTES_PER_ROW = 512
"""What a row of a block takes at most while it is read, ids of forty letters included."""
_PART_OF_LIMIT = 20
"""A part of the rows that is read at once, which takes several times its size."""
_PARTINGS = 3
"""After so many, a part is one query, or as good as one."""


def read_streams(problem: Problem, rows_of: Callable[[Any], Rows]) -> RankingData:
    """Judged rankings of a problem whose lazy frames ``rows_of`` reads."""
    if engine_of(problem.y_score) is not None:
        return _Reading(problem, rows_of).judged()
    rows = rows_of(problem.y_true)
    truth = concatenated(chain((rows.schema,), rows.batches(rows.schema.columns)))
    return _read_at_once(problem, truth, problem.y_score)


def _read_at_once(problem: Problem, y_true: Any, y_score: Any) -> RankingData:
    return read_rankings(
        y_true,
        y_score,
        columns=problem.columns,
        known_items=problem.known_items,
        **problem.told,
    )


class _Reading:
    """One problem, whose run is a lazy frame."""

    def __init__(self, problem: Problem, rows_of: Callable[[Any], Rows]) -> None:
        self.problem = problem
        self.run_rows = rows_of(problem.y_score)
        self.truth_rows = rows_of_truth(problem.y_true, rows_of)
        schema = None if self.truth_rows is None else _narwhals(self.truth_rows.schema)
        truth, run = find_sides(schema, _narwhals(self.run_rows.schema), problem.columns)
        assert run is not None
        self.truth, self.run = truth, run
        self.limit = problem.options.n_bytes
        self._stream: Generator[pl.DataFrame] | None = None

    def judged(self) -> RankingData:
        """All queries, read at once or block by block."""
        asked = self._asks_for_memory()
        truth = self._hold_truth(self._at_once if asked else self.limit // _JUDGEMENTS)
        run = hold(self.run_rows, self.run.used, self._at_once if asked else self._small)
        if run.rest is None and (truth is None or truth.rest is None):
            return self._with_columns(self._at_once_of(truth, run))
        if asked:
            run.close()
            self._refuse(f"{asked[0]} needs all rows in memory, which take")
        gathered, qrels = self._gathered(truth, run)
        gathered.has_grades = has_grades(self.problem.y_true)
        judged = gathered.judged(_LaterPool(self), self.with_unjudged)
        if "score" in self.run.named:
            judged = replace(judged, count_scores=LaterScores(self.blocks))
        known_items = self.problem.known_items
        if known_items is not None and qrels is None:
            self._refuse("known_items needs all judgements in memory, which take")
        if known_items is not None:
            judged = with_unknown_counted(judged, qrels, Corpus(known_items))
        return self._with_columns(judged)

    def __reduce__(self) -> tuple[Any, ...]:
        """Nothing: frames of an engine are not pickled."""
        return LeftBehind, ()

    def blocks(self) -> Iterator[Run]:
        """The rankings once more, some queries at a time."""
        batches = self._checked(self.run, self._batches(self.run_rows, self.run))
        for block in whole_queries(batches, self.run.named["query"], self._block):
            yield self._run_of(block)

    def with_unjudged(self) -> JudgedRankings:
        """The rankings once more, with the places of unjudged items."""
        truth = self._hold_truth(self.limit // _JUDGEMENTS)
        run = hold(self.run_rows, self.run.used, self._small)
        gathered, _ = self._gathered(truth, run, keeps_unjudged=True)
        gathered.has_grades = has_grades(self.problem.y_true)
        return gathered.judged(_LaterPool(self), self.with_unjudged).rankings

    def _gathered(
        self, truth: BufferedRows | None, run: BufferedRows, *, keeps_unjudged: bool = False
    ) -> tuple[Gathered, Qrels | None]:
        """The rankings of all queries, and the judgements if they fit."""
        told = self.problem.told
        if truth is not None and truth.rest is not None:
            run.close()
            gathered = Gathered(told, {}, keeps_unjudged=keeps_unjudged)
            self._add_parts(gathered, None)
            return gathered, None
        qrels = self._qrels(truth)
        has_zero = bool(qrels.grades.min(initial=1) <= 0)
        new = partial(Gathered, told, qrels.numbers, may_be_partial=has_zero)
        gathered = new(keeps_unjudged=keeps_unjudged)
        try:
            self._add_blocks(gathered, qrels, all_batches(run))
        except ScatteredQueriesError:
            run.close()
            if self._stream is not None:
                self._stream.close()
            gathered = new(keeps_unjudged=keeps_unjudged)
            self._add_parts(gathered, qrels)
        gathered.add_missing(qrels)
        return gathered, qrels

    def in_memory(self, what: str) -> RankingData:
        """The same read at once, for what nothing less serves."""
        truth = self._hold_truth(self._at_once)
        run = hold(self.run_rows, self.run.used, self._at_once)
        if run.rest is not None or (truth is not None and truth.rest is not None):
            self._refuse(f"{what} needs all rows in memory, which take")
        return self._at_once_of(truth, run)

    @property
    def _at_once(self) -> int:
        return self.limit // _WHOLE

    @property
    def _small(self) -> int:
        return min(_SMALL, self._at_once)

    @property
    def _block(self) -> int:
        return max(min(_BLOCK, self.limit // 4 // _BYTES_PER_ROW), 1)

    def _asks_for_memory(self) -> list[str]:
        told: Mapping[str, Any] = self.problem.told
        return [name for name in IN_MEMORY_ALONE if told.get(name) not in (None, False)]

    def _refuse(self, what: str) -> None:
        msg = (
            f"{what} more than the memory limit of {self.limit:,} bytes allows; raise "
            "memory_limit= of EngineOptions, leave that out, or collect a part of the queries"
        )
        raise InvalidParameterError(msg)

    def _hold_truth(self, limit: int) -> BufferedRows | None:
        if self.truth_rows is None or self.truth is None:
            return None
        held = hold(self.truth_rows, self.truth.used, limit)
        if held.rest is None:
            return held
        held.close()
        # They are read anew as they are needed: what was held would only take memory.
        return held._replace(frame=held.frame.clear())

    def _at_once_of(self, truth: BufferedRows | None, run: BufferedRows) -> RankingData:
        y_true = self.problem.y_true if truth is None else truth.frame
        return _read_at_once(self.problem, y_true, run.frame)

    def _with_columns(self, judged: RankingData) -> RankingData:
        """With all columns of the frames, of which only those with a role were read."""
        rows = [
            LazyColumns(rows, side.named["query"])
            for rows, side in ((self.truth_rows, self.truth), (self.run_rows, self.run))
            if rows is not None and side is not None
        ]
        return replace(judged, query_columns=tuple(rows))

    # Block by block ------------------------------------------------------------------------------

    def _add_blocks(
        self, gathered: Gathered, qrels: Qrels, batches: Iterator[pl.DataFrame]
    ) -> None:
        """The run as it comes, if the rows of each query lie together."""
        query = self.run.named["query"]
        for block in whole_queries(self._checked(self.run, batches), query, self._block):
            gathered.add(qrels, self._run_of(block))

    def _add_parts(self, gathered: Gathered, qrels: Qrels | None) -> None:
        """The run parted by query in temporary files; the judgements, too, unless given."""
        run = self._checked(self.run, self._batches(self.run_rows, self.run))
        truth = None
        if qrels is None and self.truth_rows is not None and self.truth is not None:
            batches = self._batches(self.truth_rows, self.truth)
            truth = numbered(self._checked(self.truth, batches))
        with temporary(self.problem.options.temp_directory) as directory:
            for rows, judgements in self._pairs(directory, run, truth):
                if qrels is not None:
                    gathered.add(qrels, self._run_of(rows))
                elif judgements is not None and self.truth is not None:
                    own = truth_of(_narwhals(judgements), self.truth.named)
                    gathered.places |= first_rows(judgements, self.truth.named["query"])
                    gathered.add(own, self._run_of(rows))
                    gathered.add_missing(own)

    def _pairs(
        self,
        directory: Path,
        run: Iterator[pl.DataFrame],
        truth: Iterator[pl.DataFrame] | None,
        seed: int = 0,
    ) -> Iterator[tuple[pl.DataFrame, pl.DataFrame | None]]:
        """Parts of the run, and of the judgements if those are to be parted, that fit."""
        rows = Partitions(run, self.run.named["query"], directory / f"run-{seed}", seed)
        judgements = None
        if truth is not None and self.truth is not None:
            query = self.truth.named["query"]
            judgements = Partitions(truth, query, directory / f"truth-{seed}", seed)
        for number in range(len(rows.files)):
            size = rows.size(number) + (0 if judgements is None else judgements.size(number))
            if not size:
                continue
            again = None if judgements is None else judgements.batches(number)
            if size > self.limit // _PART_OF_LIMIT and seed < _PARTINGS:
                inner = directory / f"{seed}-{number}"
                yield from self._pairs(inner, rows.batches(number), again, seed + 1)
            else:
                yield (
                    concatenated(rows.batches(number)),
                    None if again is None else concatenated(again),
                )

    def _batches(self, rows: Rows, side: Side) -> Iterator[pl.DataFrame]:
        """All rows; the first batch has none, and tells the columns."""
        yield rows.schema.select(exact(side.used))
        self._stream = rows.batches(side.used)
        yield from self._stream

    def _checked(self, side: Side, batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The columns with a role of rows that lack no id and no number; ids in few types."""
        first_row = 0
        if side.name == "y_score" and self.problem.options.progress:
            batches = _shown(batches)
        for batch in batches:
            frame = _narwhals(batch)
            refuse_missing(frame, side.named, side.name, first_row)
            watch(frame, side.named["query"], side.watched)
            first_row += batch.height
            yield with_plain_ids(batch.select(exact(list(side.named.values()))), side)
        refuse_unused(side.watched, side.name, side.kinds)

    def _qrels(self, held: BufferedRows | None) -> Qrels:
        """All judgements."""
        if held is None or self.truth is None:
            return qrels_of(self.problem.y_true, self.problem.told)
        checked = self._checked(self.truth, iter((held.frame,)))
        qrels = truth_of(_narwhals(next(checked)), self.truth.named)
        for _ in checked:  # to its end, where it looks at what was left unread
            pass
        narrow = as_bytes(qrels.grades)
        return qrels if narrow is None else replace(qrels, grades=narrow)

    def _run_of(self, block: pl.DataFrame) -> Run:
        return run_of(_narwhals(block), self.run.named)


def _shown(batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same, and how many rows there were so far for who waits at a terminal."""
    waiting: list[pl.DataFrame] = []

    def heights() -> Iterator[int]:
        for batch in batches:
            waiting.append(batch)
            yield batch.height

    for _ in with_progress(heights(), None, "rows read"):
        yield waiting.pop()


def with_plain_ids(batch: pl.DataFrame, side: Side) -> pl.DataFrame:
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


def _narwhals(frame: pl.DataFrame) -> nw.DataFrame[Any]:
    import narwhals as nw

    return nw.from_native(frame, eager_only=True)


@dataclass(frozen=True)
class _LaterPool:
    """Ranks the items of all queries together, which takes all rows at once."""

    reading: _Reading | LeftBehind

    def __call__(self, queries: IntArray | None = None) -> JudgedRankings:
        """One ranking of the items of all queries, or of some."""
        try:
            judged = self.reading.in_memory("it")
        except InvalidParameterError as error:
            return NoPool(str(error))(queries)
        return judged.pool(queries)


# Frames that are no lazy ones, and what else is asked of lazy ones -------------------------------


def rows_of_truth(y_true: Any, rows_of: Callable[[Any], Rows]) -> Rows | None:
    """Rows of judgements that are a frame, lazy or not; None for a mapping."""
    if engine_of(y_true) is not None:
        return rows_of(y_true)
    if not is_frame(y_true):
        return None
    import narwhals as nw

    return _EagerRows(nw.from_native(y_true, eager_only=True).to_polars())


@dataclass(frozen=True)
class _EagerRows:
    """Rows of a frame that is in memory already."""

    frame: pl.DataFrame

    @property
    def schema(self) -> pl.DataFrame:
        """The columns without a row."""
        return self.frame.head(0)

    def batches(self, columns: Sequence[str]) -> Generator[pl.DataFrame]:
        """All rows."""
        yield self.frame.select(exact(columns))


@dataclass(frozen=True)
class LaterScores:
    """Counts scores of a lazy frame that conventions speak of, for which it is read once more."""

    read_blocks: Callable[[], Iterator[Run]]

    def __call__(self, case: str) -> int:
        """As :class:`TableScores`."""
        total, close = 0, set()
        for run in self.read_blocks():
            if run.scores is None:
                return 0
            scores = TableScores(run.scores, run.offsets)
            if case == "at most 0":
                total += scores(case)
            else:  # a query may come back in a later block
                close |= {run.query_ids[number] for number in scores.queries(case).tolist()}
        return total + len(close)


@dataclass(frozen=True)
class LazyColumns:
    """Columns of a lazy frame that say something of its queries, read when they are asked for."""

    rows: Rows
    query: str

    def __reduce__(self) -> tuple[Any, ...]:
        """No columns: frames of an engine are not pickled."""
        return dict, ()

    def __contains__(self, name: object) -> bool:
        return name in self.rows.schema.columns

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label}; InvalidParameterError if a query has several."""
        return one_label_each(name, self._pairs(name), DIVIDED_QUERY)

    def _pairs(self, name: str) -> Iterator[tuple[Any, Any]]:
        for batch in self.rows.batches([self.query, name]):
            for query, label in batch.unique(maintain_order=True).iter_rows():
                if not is_missing(label):
                    yield query, label
