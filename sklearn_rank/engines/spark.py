"""Spark: executors read whole queries by the readers of memory, and judged rankings come back.

Both sides are parted by a hash of their queries into buckets of about half a million rows. A task
reads a bucket as :class:`Gathered` reads a block of a stream, so that values, counts and messages
are those of memory. What it gathered is pickled; the driver merges it or, where that would not fit,
leaves it in Spark and sends the measures there.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from sklearn_rank.engines.gathered import Gathered, LeftBehind, has_grades, qrels_of
from sklearn_rank.engines.read import IN_MEMORY_ALONE, Problem, Side, engine_of, find_sides
from sklearn_rank.exceptions import ColumnRoleError, InvalidParameterError
from sklearn_rank.inputs.frames import DIVIDED_QUERY, is_frame, run_of, truth_of, watch
from sklearn_rank.inputs.layouts import read_rankings
from sklearn_rank.inputs.roles import Role, UnusedColumn, refuse_unused
from sklearn_rank.inputs.tables import Qrels
from sklearn_rank.rankings.data import (
    NoPool,
    RankingData,
    RankingSizes,
    one_label_each,
    refuse_remote,
)
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.ranking import TIE_RULES
from sklearn_rank.support.checks import is_missing
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.segments import segment_index
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

_BUCKET = 1 << 19
"""Rows of both sides that a task reads at once."""
_ROW = 1 << 8
"""Bytes that a row of a query takes while a task reads it."""
_HIT = 1 << 7
"""Bytes of a relevant item, or of a query, on its way through the driver."""
_PART = "part binary"
"""The column of pickled parts."""
_NO_POOL = NoPool("their scores stay in Spark; rank them there, or evaluate a part in memory")

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_FLOATS = ("float", "double")
_EXACT_DIGITS = 15
"""Decimals of so many digits are told apart as float64."""


def read(problem: Problem) -> RankingData:
    """Judged rankings of a problem of which at least one side is a frame of Spark."""
    sides = {"y_true": problem.y_true, "y_score": problem.y_score}
    frames = {name: _native(side) for name, side in sides.items() if engine_of(side) is not None}
    session = _session_of(frames)
    if "y_score" not in frames:  # which fits into memory, and so do its judgements
        return read_rankings(
            frames["y_true"].toArrow(),
            problem.y_score,
            columns=problem.columns,
            known_items=problem.known_items,
            **problem.told,
        )
    asked = [name for name in IN_MEMORY_ALONE if problem.told.get(name) not in (None, False)]
    if problem.known_items is not None:
        asked.append("known_items")
    if asked:
        msg = (
            f"{asked[0]} needs the ids of all items in memory, as gates with a baseline do, and "
            "those of a frame of Spark stay there; leave it out, or pass toPandas() of what fits"
        )
        raise InvalidParameterError(msg)
    return _Reading(problem, session, frames).judged()


class _Reading:
    """One problem, whose run is a frame of Spark."""

    def __init__(self, problem: Problem, session: Any, frames: Mapping[str, Any]) -> None:
        self.problem, self.session = problem, session
        self.options, self.told = problem.options, problem.told
        self.ties = self.told.get("ties", "average")
        eager = _eager(problem.y_true)
        schemas = {name: _schema(frame) for name, frame in frames.items()}
        truth, run = find_sides(schemas.get("y_true", eager), schemas["y_score"], problem.columns)
        assert run is not None
        self.run = _SparkSide.of(frames["y_score"], run)
        self.truth, self.qrels = None, None
        if truth is not None and "y_true" in frames:
            self.truth = _SparkSide.of(frames["y_true"], truth)
        elif truth is not None and eager is not None:
            watch(eager, truth.named["query"], truth.watched)
            refuse_unused(truth.watched, truth.name, truth.kinds)
            self.qrels = truth_of(eager, truth.named)
        else:
            self.qrels = qrels_of(problem.y_true, self.told)
        self.sides = [side for side in (self.truth, self.run) if side is not None]

    def __reduce__(self) -> tuple[Any, ...]:
        """Nothing: Spark is not pickled."""
        return LeftBehind, ()

    def judged(self) -> RankingData:
        """Count, refuse, and read; what would not fit through the driver stays."""
        for side in self.sides:
            side.refuse_unused()
        _refuse_no_order(self.run, self.ties)
        with self._showing("Spark counts rows"):
            sizes = {side: side.sizes() for side in self.sides}
        for side, size in sizes.items():
            side.refuse_missing(size)
            self._refuse_long(side, size)
        self.n_buckets = self._buckets(sum(size["n"] for size in sizes.values()))
        is_remote = False
        if self.truth is not None:
            size = sizes[self.truth]
            is_remote = (size["relevant"] + size["queries"]) * _HIT > self._memory
        gathered, remote = self._gathered(is_remote=is_remote)
        for side, size in sizes.items():
            if gathered.n_rows[side.side.name] != size["n"]:
                _refuse_changed(side.side.name)
        judged = gathered.judged(_NO_POOL, self.with_unjudged)
        return replace(
            judged,
            ties="" if self.run.ranks else self.ties,
            query_columns=tuple(map(SparkColumns, self.sides)),
            count_scores=SparkScores(self.run),
            make_frame=FrameMaker(self.session),
            remote=remote,
            rank_all=refuse_remote if is_remote else judged.rank_all,
        )

    def with_unjudged(self) -> JudgedRankings:
        """The rankings once more, with the places of unjudged items."""
        gathered, _ = self._gathered(keeps_unjudged=True)
        return gathered.judged(_NO_POOL, self.with_unjudged).rankings

    def in_memory(self, what: str) -> Any:  # pragma: no cover - pools are refused before
        """Nothing is."""
        raise NotImplementedError(what)

    def _showing(self, doing: str) -> AbstractContextManager[None]:
        return waiting(doing) if self.options.progress else nullcontext()

    def _buckets(self, n_rows: int) -> int:
        """As many as their size asks for, and some for each of the cores that there may be."""
        tasks = int(self.session.conf.get("spark.sql.shuffle.partitions", "200"))
        return max(-(-n_rows // _BUCKET), min(tasks, n_rows // 10_000), 1)

    @property
    def _memory(self) -> int:
        """Bytes that a result may take on the driver, through which it comes."""
        if self.options.memory_limit is not None:
            return self.options.n_bytes
        names = ("spark.driver.memory", "spark.driver.maxResultSize")
        sizes = [_bytes_of(self.session.conf.get(name, "1g")) for name in names]
        return min(size for size in sizes if size) // 2  # 0 says that results have no limit

    def _refuse_long(self, side: _SparkSide, size: Mapping[str, Any]) -> None:
        """InvalidParameterError for a query that no task can hold."""
        limit = _bytes_of(self.session.conf.get("spark.executor.memory", "1g"))
        if self.options.memory_limit is not None:
            limit = self.options.n_bytes
        if (size["most"] or 0) * _ROW > limit:
            msg = (
                f"query {safe_repr(size['longest'])} of {side.side.name} has {size['most']:,} "
                f"rows, and a task of Spark ranks a query at once, with {limit:,} bytes: keep its "
                "best items alone, or give tasks more memory (spark.executor.memory, or "
                "memory_limit= of EngineOptions)"
            )
            raise InvalidParameterError(msg)

    def _gathered(
        self, *, is_remote: bool = False, keeps_unjudged: bool = False
    ) -> tuple[Gathered, RemoteParts | None]:
        """What all tasks read."""
        gathered = Gathered(self.told, {}, keeps_unjudged=keeps_unjudged)
        gathered.has_grades = has_grades(self.problem.y_true)
        remote = None
        with self._showing("Spark ranks queries"):
            frame = self._parts(keeps_unjudged=keeps_unjudged)
            if is_remote:
                remote = RemoteParts(frame.persist(), self._showing)
                frame = frame.mapInArrow(_sizes_of_parts, _PART)
            for part in _unpickled(frame):
                gathered.absorb(part)
        if self.qrels is None:
            gathered.places = {query: n for n, query in enumerate(sorted(gathered.places))}
        else:
            gathered.places = self.qrels.numbers
            gathered.add_missing(self.qrels)
        return gathered, remote

    def _parts(self, *, keeps_unjudged: bool) -> Any:
        """A frame of pickled parts; nothing is computed yet."""
        names = ("ties", "duplicates", "negative_grades", "assume", "missing")
        told = {name: self.told[name] for name in names if name in self.told}  # type: ignore[literal-required]
        columns = {side.side.name: side.rows.columns for side in self.sides}
        named: dict[str, Any] = {side.side.name: side.side.named for side in self.sides}
        qrels = self.qrels
        run = self.run.bucketed(self.n_buckets)

        # Without annotations, by which Spark would choose how it calls them.
        def pair(truth, rows):  # type: ignore[no-untyped-def]
            own = truth_of(_narwhals(_renamed(truth, columns["y_true"])), named["y_true"])
            rows = _renamed(rows, columns["y_score"])
            return _read_part(own, rows, named, told, keeps_unjudged, truth.num_rows)

        def alone(rows):  # type: ignore[no-untyped-def]
            return _read_part(
                qrels, _renamed(rows, columns["y_score"]), named, told, keeps_unjudged, 0
            )

        if self.truth is None:
            return run.applyInArrow(alone, _PART)
        return self.truth.bucketed(self.n_buckets).cogroup(run).applyInArrow(pair, _PART)


# In the executors --------------------------------------------------------------------------------


def _read_part(
    qrels: Qrels | None,
    rows: pa.Table,
    named: Mapping[str, Any],
    told: Mapping[str, Any],
    keeps_unjudged: bool,
    n_judgements: int,
) -> pa.Table:
    """What a task gathers of a bucket, or the error that refuses it."""
    assert qrels is not None
    part: Gathered | Exception
    try:
        run = run_of(_narwhals(rows), named["y_score"])
        part = Gathered(told, qrels.numbers, keeps_unjudged=keeps_unjudged)  # type: ignore[arg-type]
        part.add(qrels, run)
        if "y_true" in named:
            part.add_missing(qrels)
        else:
            part.places = {}  # the driver has them
        part.n_rows.update(y_true=n_judgements, y_score=rows.num_rows)
        part.lighten()
    except (TypeError, ValueError) as error:
        part = error
    return _pickled([part])


def _renamed(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """The columns of a bucket under the names that the caller knows."""
    return table.select(range(len(names))).rename_columns(list(names))


def _sizes_of_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The parts with sizes of rankings in place of rankings."""
    for part in _parts_of(batches):
        if isinstance(part, Gathered):
            part.map_rankings(_sizes)
        yield from _pickled([part]).to_batches()


def _sizes(rankings: JudgedRankings) -> RankingSizes:
    n_queries = len(rankings)

    def count(offsets: Any, flags: Any) -> Any:
        return np.bincount(segment_index(offsets)[flags], minlength=n_queries)

    return RankingSizes.of(
        rankings.query_ids,
        n_ranked=rankings.n_ranked,
        n_relevant=np.diff(rankings.judged_offsets),
        n_retrieved=np.diff(rankings.offsets),
        n_graded=count(rankings.judged_offsets, np.asarray(rankings.judged_grades) > 1),
        in_ties=count(rankings.offsets, np.asarray(rankings.tied) > 1) > 0,
    )


def _parts_of(batches: Iterator[pa.RecordBatch]) -> Iterator[Any]:
    for batch in batches:
        yield from map(pickle.loads, batch.column(0).to_pylist())


def _pickled(parts: Sequence[Any]) -> pa.Table:
    import pyarrow as pa

    return pa.table({"part": pa.array(map(pickle.dumps, parts), pa.binary())})


def _unpickled(frame: Any) -> Iterator[Any]:
    """The parts of a frame; raises the error that a task sent."""
    for column in frame.toArrow()["part"].chunks:
        for text in column:
            part = pickle.loads(text.as_py())
            if isinstance(part, Exception):
                raise part
            yield part


def _narwhals(table: pa.Table) -> Any:
    import narwhals as nw

    return nw.from_native(table, eager_only=True)


class _StaysInSpark:
    def __reduce__(self) -> tuple[Any, ...]:
        """Nothing: Spark is not pickled."""
        return type(None), ()


Function = Callable[[JudgedRankings], Sequence[FloatArray]]
"""Some values per query of a block of queries."""


@dataclass
class RemoteParts(_StaysInSpark):
    """Rankings of a problem that stay in Spark, part by part."""

    parts: Any
    """A frame of pickled parts."""
    showing: Callable[[str], AbstractContextManager[None]]

    def __post_init__(self) -> None:
        """Nothing stays in Spark's memory, even if what asked for values was refused."""
        finalize(self, _forget, self.parts).atexit = False

    def values(self, function: Function, n_values: int) -> list[FloatArray]:
        """What the function makes of each query, in the order of the ids of the queries."""

        def compute(batches: Iterator[Any]) -> Iterator[Any]:
            for rankings in _rankings_of(batches):
                yield from _pickled([(rankings.query_ids, function(rankings))]).to_batches()

        with self.showing("Spark computes measures"):
            found = list(_unpickled(self.parts.mapInArrow(compute, _PART)))
        ids = [query for queries, _ in found for query in queries]
        order = sorted(range(len(ids)), key=ids.__getitem__)
        columns = zip(*(values for _, values in found), strict=True)
        return [np.concatenate(column)[order] for column in columns] or [np.zeros(0)] * n_values

    def release(self) -> None:
        """Forget the rows, which can be made again."""
        self.parts.unpersist()


def _rankings_of(batches: Iterator[pa.RecordBatch]) -> Iterator[JudgedRankings]:
    for part in _parts_of(batches):
        yield from (read.rankings for read in part.parts if len(read.rankings))


def _forget(rows: Any) -> None:
    # The session may have ended since, and its memory with it.
    with suppress(Exception):
        rows.unpersist()


# Frames and their columns ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _SparkSide:
    """One of the frames, by the columns that are read."""

    side: Side
    frame: Any
    """As the caller gave it."""
    rows: Any
    """The columns with a role: integers as bigint, so that the ids of both sides meet."""

    @classmethod
    def of(cls, frame: Any, side: Side) -> _SparkSide:
        """Refuses columns that are not there or cannot hold what they should, by their types."""
        refuse_twins(frame, side.name, side.used)
        kinds = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
        columns = []
        for role, name in side.named.items():
            kind, column = kinds[name], quoted(name)
            if role not in ("query", "item"):
                column = _number(name, kind, side.name)
            elif kind in _INTEGERS:
                column = f"CAST({column} AS bigint)"
            elif kind.startswith(("char", "varchar")):
                column = f"CAST({column} AS string)"
            columns.append(f"{column} AS {quoted(name)}")
        return cls(side, frame, frame.selectExpr(*columns))

    @property
    def ranks(self) -> bool:
        """Whether a run is ordered by ranks."""
        return "score" not in self.side.named

    @property
    def number(self) -> str | None:
        """The column of the number, if there is one."""
        roles: tuple[Role, ...] = ("grade", "score", "rank")
        return next((self.side.named[role] for role in roles if role in self.side.named), None)

    def kind(self, column: str) -> str:
        """The type of a column."""
        kind: str = self.rows.schema[column].dataType.simpleString()
        return kind

    def bucketed(self, number: int) -> Any:
        """The rows by buckets of queries; ids that are equal as keys are in one."""
        query = self.side.named["query"]
        column, kind = quoted(query), self.kind(query)
        if kind in (*_INTEGERS, *_FLOATS, "boolean") or kind.startswith("decimal"):
            column = f"CAST({column} AS double)"
        # Under names of our own, for PySpark does not quote those that it groups.
        own = [f"{quoted(name)} AS c{place}" for place, name in enumerate(self.rows.columns)]
        bucket = f"CAST(pmod(xxhash64({column}), {number}) AS int) AS bucket"
        return self.rows.selectExpr(*own, bucket).groupBy("bucket")

    def sizes(self) -> dict[str, Any]:
        """Rows, queries, missing values by column, relevant judgements and the longest query."""
        names = dict.fromkeys(filter(None, (*self._ids, self.number)))
        counts = {f"m{place}": self._is_missing(name) for place, name in enumerate(names)}
        if self.number is not None:
            counts["relevant"] = f"{quoted(self.number)} > 0"
        flags = [f"CAST({condition} AS int) AS {name}" for name, condition in counts.items()]
        query = quoted(self.side.named["query"])
        rows = self.rows.selectExpr(f"{query} AS q", "CAST(1 AS bigint) AS n", *flags)
        sums = [f"coalesce(sum(`sum({name})`), 0) AS {name}" for name in ("n", *counts)]
        ends = ("max(`sum(n)`) AS most", "max_by(q, `sum(n)`) AS longest", "count(*) AS queries")
        found = rows.groupBy("q").sum("n", *counts).selectExpr(*sums, *ends)
        size: dict[str, Any] = found.toArrow().to_pylist()[0]
        return {"relevant": size["n"], **size, "missing": dict(zip(names, counts, strict=False))}

    @property
    def _ids(self) -> tuple[str, str]:
        return self.side.named["query"], self.side.named["item"]

    def _is_missing(self, name: str) -> str:
        column = quoted(name)
        if name in self._ids and self.kind(name) in _FLOATS:
            return f"({column} IS NULL OR isnan({column}))"
        return f"{column} IS NULL"

    def refuse_missing(self, size: Mapping[str, Any]) -> None:
        """ValueError for columns that lack values."""
        for name, count in size["missing"].items():
            if number := size[count]:
                rows = "row" if number == 1 else "rows"
                msg = (
                    f"column {safe_repr(name)} of {self.side.name} contains missing values "
                    f"({number:,} {rows})"
                )
                raise ValueError(msg)

    def refuse_unused(self) -> None:
        """ColumnRoleError if a column of unknown name may hold what no known column holds."""
        seen = []
        query = quoted(self.side.named["query"])
        for column in self.side.watched:
            name = quoted(column.name)
            value = f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END"
            rows = self.frame.selectExpr(
                f"{query} AS q", *(f"{value} AS {end}" for end in ("least", "most", "n"))
            )
            by_query = rows.groupBy("q").agg({"least": "min", "most": "max", "n": "count"})
            numbers = by_query.selectExpr(
                "count_if(`min(least)` <> `max(most)`) AS varies",
                "sum(`count(n)`) = count_if(`count(n)` > 0) AS alone",
                "min(`min(least)`) AS least",
                "max(`max(most)`) AS most",
            )
            found = numbers.toArrow().to_pylist()[0]
            # As if these were its values: what is asked of them is whether they differ.
            ends = {0: found["least"], 1: found["most"]} if found["alone"] else {}
            seen.append(
                UnusedColumn(column.name, varies=bool(found["varies"]), n_values=2, of_query=ends)
            )
        refuse_unused(seen, self.side.name, self.side.kinds)


def quoted(column: str) -> str:
    """The name of a column as SQL reads it."""
    return "`" + column.replace("`", "``") + "`"


def _number(name: str, kind: str, side: str) -> str:
    """SQL for a column of numbers; TypeError for all else."""
    column = quoted(name)
    if kind in ("boolean", "void"):
        return f"CAST({column} AS int)"
    decimal = re.fullmatch(r"decimal\((\d+),\d+\)", kind)
    if decimal is not None and int(decimal[1]) <= _EXACT_DIGITS:
        return f"CAST({column} AS double)"
    if decimal is None and kind not in (*_INTEGERS, *_FLOATS):
        held = "strings" if kind.startswith(("char", "varchar", "string")) else kind
        msg = f"column {safe_repr(name)} of {side} holds {held}; pass numbers"
        raise TypeError(msg)
    return column


def _eager(y_true: Any) -> Any:
    """Judgements that are a frame in memory, by narwhals."""
    return _narwhals(y_true) if is_frame(y_true) and engine_of(y_true) is None else None


def _schema(frame: Any) -> Any:
    """A frame of narwhals with the columns of a frame and none of its rows.

    Frames of Spark may have a name twice, as joins leave it; of these there is one column.
    """
    table = frame.limit(0).toArrow()
    first = {name: place for place, name in reversed(list(enumerate(table.column_names)))}
    return _narwhals(table.select(sorted(first.values())))


def _refuse_no_order(run: _SparkSide, ties: str) -> None:
    """Rows of Spark come from many files at once and have no order."""
    if run.number is None:
        msg = (
            "y_score has no column for the role 'score' or 'rank', and the rows of a frame of "
            "Spark have no order that could rank the items; add one of them"
        )
        raise ColumnRoleError(msg)
    rule = TIE_RULES[ties]
    if rule.by_place and not rule.by_id and not run.ranks:
        msg = (
            f"ties={ties!r} leaves tied items in the order of their rows, which a frame of Spark "
            "does not have; pass another rule, such as ties='average', or ranks instead of scores"
        )
        raise InvalidParameterError(msg)


def _refuse_changed(side: str) -> None:
    msg = (
        f"{side} had other rows when it was read once more: it is made anew each time, with "
        "something random, or from files that change meanwhile. Write it to Parquet first, or "
        "cache it"
    )
    raise ValueError(msg)


def refuse_twins(frame: Any, name: str, columns: Sequence[str]) -> None:
    """ColumnRoleError for columns whose names Spark does not tell from others of the frame."""
    folds = frame.sparkSession.conf.get("spark.sql.caseSensitive", "false") != "true"
    for column in columns:
        twins = [
            other
            for other in frame.columns
            if other == column or (folds and other.lower() == column.lower())
        ]
        if len(twins) > 1:
            msg = (
                f"columns {format_list(twins)} of {name} are of one name to Spark, and "
                f"{safe_repr(column)} is to be read; rename or drop the others"
            )
            raise ColumnRoleError(msg)


# What is asked for now and then, and costs a job of its own --------------------------------------


@dataclass(frozen=True)
class FrameMaker(_StaysInSpark):
    """Makes a frame of a session, of columns in memory."""

    session: Any

    def __call__(self, columns: Mapping[str, Any]) -> Any:
        """A frame of these columns."""
        import pyarrow as pa

        return self.session.createDataFrame(pa.table(dict(columns)))


@dataclass(frozen=True)
class SparkColumns:
    """Columns of a frame that say something of its queries."""

    side: _SparkSide

    def __reduce__(self) -> tuple[Any, ...]:
        """No columns: Spark is not pickled."""
        return dict, ()

    def __contains__(self, name: object) -> bool:
        return name in self.side.frame.columns

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label}; InvalidParameterError if a query has several."""
        refuse_twins(self.side.frame, self.side.side.name, [name])
        query = quoted(self.side.side.named["query"])
        pairs = self.side.frame.selectExpr(f"{query} AS q", f"{quoted(name)} AS label")
        rows = pairs.distinct().orderBy("q").toArrow().to_pylist()
        labels = ((row["q"], row["label"]) for row in rows if not is_missing(row["label"]))
        return one_label_each(name, labels, DIVIDED_QUERY)


@dataclass(frozen=True)
class SparkScores(_StaysInSpark):
    """Counts scores that conventions speak of."""

    run: _SparkSide

    def __call__(self, case: str) -> int:
        """As :class:`TableScores`."""
        if self.run.ranks:
            return 0
        query, score = quoted(self.run.side.named["query"]), quoted(self.run.side.named["score"])
        if case == "at most 0":
            found = self.run.rows.selectExpr(f"count_if({score} <= 0) AS n")
            return int(found.toArrow()["n"][0].as_py())
        rows = self.run.rows.selectExpr(f"{query} AS q", f"{score} AS x")
        if case == "close":  # scores that differ, and not as float32
            rows = rows.distinct().selectExpr("q", "CAST(x AS float) AS x")
        elif case == "equal of 16":
            rows = rows.join(rows.groupBy("q").count().where("count >= 16").select("q"), "q")
        return int(rows.groupBy("q", "x").count().where("count > 1").select("q").distinct().count())


# Sessions ----------------------------------------------------------------------------------------


def running_session() -> Any:
    """The session that runs, or a new one with Spark's own settings.

    ImportError without PySpark; OSError if Spark does not start, mostly for want of Java.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        msg = f"engine='spark' takes PySpark 4: pip install 'sklearn-rank[spark]' ({error})"
        raise ImportError(msg) from error
    try:
        return SparkSession.builder.getOrCreate()
    except RuntimeError as error:
        msg = f"Could not start Spark: Java 17 or later is required; check JAVA_HOME ({error})"
        raise OSError(msg) from error


def _native(values: Any) -> Any:
    """A frame of Spark itself, where pandas on Spark is wrapped around it."""
    return values.to_spark() if hasattr(type(values), "to_spark") else values


def _session_of(frames: Mapping[str, Any]) -> Any:
    """The session of all frames, by the names that messages call them."""
    sessions = {name: _running(name, frame) for name, frame in frames.items()}
    first, last = next(iter(sessions.values())), next(reversed(sessions.values()))
    if not _is_same(first, last):
        msg = (
            f"{' and '.join(sessions)} are frames of two sessions of Spark, which do not see each "
            "other; read both in one"
        )
        raise InvalidParameterError(msg)
    return first


def _running(name: str, frame: Any) -> Any:
    """The session of a frame that can be read."""
    if not hasattr(type(frame), "toArrow"):
        from pyspark import __version__

        msg = (
            f"{name} is a frame of PySpark {__version__}, and those of PySpark 4 are the oldest "
            "that are read; write it to Parquet for scan_run and scan_qrels, or pass its toPandas()"
        )
        raise TypeError(msg)
    session = frame.sparkSession
    stopped = session.is_stopped if _is_remote(session) else session.sparkContext._jsc is None
    if stopped:
        msg = f"the session of Spark in which {name} was read is stopped; read it again in another"
        raise InvalidParameterError(msg)
    if frame.isStreaming:
        msg = (
            f"{name} is a stream, which has no last row; pass what was written of it, or evaluate "
            "each batch (writeStream.foreachBatch)"
        )
        raise TypeError(msg)
    return session


def _is_remote(session: Any) -> bool:
    """Whether a session is one of Connect; both kinds have nearly all attributes."""
    return ".connect." in type(session).__module__


def _is_same(one: Any, other: Any) -> bool:
    """Whether both objects stand for one session."""
    if one is other or _is_remote(one) != _is_remote(other):
        return one is other
    if _is_remote(one):
        return bool(one.session_id == other.session_id)
    return bool(one._jsparkSession.equals(other._jsparkSession))


_SIZE = re.compile(r"\s*(\d+)\s*([kmgtp]?)b?\s*", re.IGNORECASE)


def _bytes_of(size: str) -> int:
    """A size as Spark writes it: megabytes unless it says otherwise."""
    parts = _SIZE.fullmatch(size)
    if parts is None:
        return 1 << 30
    unit = parts[2].lower() or "m"
    return int(parts[1]) << 10 * (1 + "kmgtp".index(unit))
