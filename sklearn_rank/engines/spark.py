"""Spark: executors read whole queries by the readers of memory, and judged rankings come back.

Both sides are parted by a hash of their queries into buckets of about half a million rows. A task
reads a bucket as :class:`Gathered` reads a block of a stream, so that values, counts and messages
do not differ from data in memory. The gathered rankings are pickled, and merged on the driver.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn_rank.engines.gathered import Gathered, LaterColumns, LeftBehind, has_grades, qrels_of
from sklearn_rank.engines.read import IN_MEMORY_ALONE, Problem, engine_of, find_sides
from sklearn_rank.exceptions import ColumnRoleError, InvalidParameterError
from sklearn_rank.inputs.frames import Side, is_frame, run_of, truth_of
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.roles import Role
from sklearn_rank.inputs.tables import Qrels
from sklearn_rank.rankings.data import RankingData, no_items
from sklearn_rank.rankings.judged import Places
from sklearn_rank.rankings.ranking import TIE_RULES
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import safe_repr

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
_NO_ITEMS = no_items("their scores stay in Spark; rank them there, or evaluate a part in memory")

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_FLOATS = ("float", "double")
_EXACT_DIGITS = 15
"""Decimals of so many digits are told apart as float64."""


def read(problem: Problem) -> RankingData:
    """Judged rankings of a problem with a frame of Spark on one side or both."""
    sides = {"y_true": problem.y_true, "y_score": problem.y_score}
    frames = {name: _native(side) for name, side in sides.items() if engine_of(side) is not None}
    session = next(iter(frames.values())).sparkSession
    if "y_score" not in frames:  # which fits into memory, and so do its judgements
        return problem.read_in_memory(y_true=frames["y_true"].toArrow())
    for name in IN_MEMORY_ALONE:
        if getattr(problem.options, name) not in (None, False):
            msg = (
                f"{name} needs the ids of all items in memory, as gates with a baseline do, and "
                "those of a frame of Spark stay there; leave it out, or pass its toPandas()"
            )
            raise InvalidParameterError(msg)
    return _SparkProblem(problem, session, frames).judged()


class _SparkProblem:
    """One problem, whose run is a frame of Spark."""

    def __init__(self, problem: Problem, session: Any, frames: Mapping[str, Any]) -> None:
        self.problem, self.session, self.options = problem, session, problem.engine
        self.ties = problem.options.ties
        schemas = {name: _schema(frame) for name, frame in frames.items()}
        if is_frame(problem.y_true) and "y_true" not in frames:
            schemas["y_true"] = _narwhals(problem.y_true)
        truth, run = find_sides(schemas.get("y_true"), schemas["y_score"], problem.options.columns)
        assert run is not None
        self.run = _SparkSide(frames["y_score"], run)
        self.truth, self.qrels = None, None
        if truth is None:
            self.qrels = qrels_of(problem.y_true, problem.options)
        elif "y_true" in frames:
            self.truth = _SparkSide(frames["y_true"], truth)
        else:
            truth.refuse_spare(schemas["y_true"])
            self.qrels = truth_of(schemas["y_true"], truth.named)
        self.sides = [side for side in (self.truth, self.run) if side is not None]

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Nothing: Spark is not pickled."""
        return LeftBehind, ()

    def judged(self) -> RankingData:
        """Count, refuse, and read; data too large for the driver stay in Spark."""
        for side in self.sides:
            if side.side.spare:
                side.side.refuse_spare(_narwhals(side.frame.limit(1).toArrow()))
        self._refuse_no_order()
        with self._showing("Spark counts rows"):
            sizes = {side: side.sizes() for side in self.sides}
        for side, size in sizes.items():
            self._refuse_rows(side, size)
        # As many buckets as their size takes, and some for each of the cores that there may be.
        n_rows = sum(size["n"] for size in sizes.values())
        tasks = int(self.session.conf.get("spark.sql.shuffle.partitions", "200"))
        self.n_buckets = max(-(-n_rows // _BUCKET), min(tasks, n_rows // 10_000), 1)
        if self.truth is not None:
            self._refuse_results(sizes[self.truth])
        gathered = self._gathered()
        for side, size in sizes.items():
            if gathered.n_rows[side.name] != size["n"]:
                msg = (
                    f"{side.name} had other rows when it was read once more: it is made anew each "
                    "time, with something random, or from files that change meanwhile. Write it to "
                    "Parquet first, or cache it"
                )
                raise ValueError(msg)
        judged = gathered.judged(_NO_ITEMS, self.places_of_unjudged)
        columns = [LaterColumns(side.frame.columns, side.labels) for side in self.sides]
        return replace(
            judged,
            ties="" if self.run.ranks else self.ties,
            query_columns=tuple(columns),
        )

    def places_of_unjudged(self) -> Places:
        """The places of unjudged items, for which the frames are read once more."""
        gathered = self._gathered(keeps_unjudged=True)
        unjudged = gathered.judged(_NO_ITEMS, self.places_of_unjudged).rankings.unjudged
        assert unjudged is not None
        return unjudged.places

    def _showing(self, doing: str) -> AbstractContextManager[None]:
        return waiting(doing) if self.options.progress else nullcontext()

    def _refuse_results(self, size: Mapping[str, Any]) -> None:
        """InvalidParameterError for rankings that do not fit through the driver."""
        names = ("spark.driver.memory", "spark.driver.maxResultSize")
        limits = [_bytes_of(self.session.conf.get(name, "1g")) for name in names]
        limit = min(limit for limit in limits if limit) // 2  # 0 says that results have no limit
        if self.options.memory_limit is not None:
            limit = self.options.n_bytes
        n_bytes = (size["relevant"] + size["queries"]) * _HIT
        if n_bytes > limit:
            msg = (
                f"the rankings of {size['queries']:,} queries with {size['relevant']:,} relevant "
                f"items take about {n_bytes:,} bytes on the driver, which may take {limit:,}: "
                "evaluate parts of the queries, or raise spark.driver.memory and "
                "spark.driver.maxResultSize, or memory_limit= of EngineOptions"
            )
            raise InvalidParameterError(msg)

    def _refuse_no_order(self) -> None:
        """Rows of Spark come from many files at once and have no order."""
        if self.run.number is None:
            msg = (
                "y_score has no column for the role 'score' or 'rank', and the rows of a frame of "
                "Spark have no order that could rank the items; add one of them"
            )
            raise ColumnRoleError(msg)
        rule = TIE_RULES[self.ties]
        if rule.by_place and not rule.by_id and not self.run.ranks:
            msg = (
                f"ties={self.ties!r} leaves tied items in the order of their rows, which a frame "
                "of Spark does not have; pass another rule, such as ties='average', or ranks "
                "instead of scores"
            )
            raise InvalidParameterError(msg)

    def _refuse_rows(self, side: _SparkSide, size: Mapping[str, Any]) -> None:
        """ValueError for columns that lack values, or a query that no task can hold."""
        for name, count in size["missing"].items():
            if number := size[count]:
                rows = f"{number:,} row" if number == 1 else f"{number:,} rows"
                msg = f"column {safe_repr(name)} of {side.name} contains missing values ({rows})"
                raise ValueError(msg)
        limit = _bytes_of(self.session.conf.get("spark.executor.memory", "1g"))
        if self.options.memory_limit is not None:
            limit = self.options.n_bytes
        if (size["most"] or 0) * _ROW > limit:
            msg = (
                f"query {safe_repr(size['longest'])} of {side.name} has {size['most']:,} "
                f"rows, and a task of Spark ranks a query at once, with {limit:,} bytes: keep its "
                "best items alone, or give tasks more memory (spark.executor.memory, or "
                "memory_limit= of EngineOptions)"
            )
            raise InvalidParameterError(msg)

    def _gathered(self, *, keeps_unjudged: bool = False) -> Gathered:
        """Data read by all tasks."""
        gathered = Gathered(
            self.problem.options,
            {},
            has_grades=has_grades(self.problem.y_true),
            keeps_unjudged=keeps_unjudged,
        )
        with self._showing("Spark ranks queries"):
            for part in _unpickled(self._parts(keeps_unjudged=keeps_unjudged)):
                gathered.absorb(part)
        if self.qrels is None:
            gathered.places = {query: n for n, query in enumerate(sorted(gathered.places))}
        else:
            gathered.places = self.qrels.numbers
            gathered.add_missing(self.qrels)
        return gathered

    def _parts(self, *, keeps_unjudged: bool) -> Any:
        """A frame of pickled parts; nothing is computed yet."""
        # What belongs to the driver is not sent.
        options = self.problem.options._replace(columns=None, sample_weight=None, engine=None)
        columns = {side.name: side.rows.columns for side in self.sides}
        named: dict[str, Any] = {side.name: side.named for side in self.sides}
        qrels = self.qrels
        run = self.run.bucketed(self.n_buckets)

        # Without annotations, by which Spark would choose how it calls them.
        def pair(truth, rows):  # type: ignore[no-untyped-def]
            part = truth_of(_narwhals(_renamed(truth, columns["y_true"])), named["y_true"])
            rows = _renamed(rows, columns["y_score"])
            return _read_part(part, rows, named, options, keeps_unjudged, truth.num_rows)

        def alone(rows):  # type: ignore[no-untyped-def]
            rows = _renamed(rows, columns["y_score"])
            return _read_part(qrels, rows, named, options, keeps_unjudged, 0)

        if self.truth is None:
            return run.applyInArrow(alone, _PART)
        return self.truth.bucketed(self.n_buckets).cogroup(run).applyInArrow(pair, _PART)


# In the executors --------------------------------------------------------------------------------


def _read_part(
    qrels: Qrels | None,
    rows: pa.Table,
    named: Mapping[str, Any],
    options: ReadOptions,
    keeps_unjudged: bool,
    n_judgements: int,
) -> pa.Table:
    """Data of one bucket, or the error raised for it."""
    assert qrels is not None
    part: Gathered | Exception
    try:
        run = run_of(_narwhals(rows), named["y_score"])
        part = Gathered(options, qrels.numbers, keeps_unjudged=keeps_unjudged)
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


def _pickled(parts: Sequence[object]) -> pa.Table:
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


def _narwhals(table: object) -> Any:
    import narwhals as nw

    return nw.from_native(table, eager_only=True)


# Frames and their columns ------------------------------------------------------------------------


class _SparkSide:
    """One of the frames, by the columns that are read."""

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Nothing: Spark is not pickled."""
        return LeftBehind, ()

    def __init__(self, frame: Any, side: Side) -> None:
        """Refuses columns that are missing or of a wrong type."""
        self.frame, self.side = frame, side
        self.name, self.named = side.name, side.named
        self.ids = (side.named["query"], side.named["item"])
        roles: tuple[Role, ...] = ("grade", "score", "distance", "rank")
        self.number = next((side.named[role] for role in roles if role in side.named), None)
        self.ranks = "score" not in side.named
        kinds = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
        columns = []
        for role, name in side.named.items():
            kind, column = kinds[name], quoted(name)
            if role not in ("query", "item"):
                column = _number(name, kind, side.name)
            elif kind in _INTEGERS:  # as bigint, so that the ids of both sides are of one type
                column = f"CAST({column} AS bigint)"
            elif kind.startswith(("char", "varchar")):
                column = f"CAST({column} AS string)"
            columns.append(f"{column} AS {quoted(name)}")
        self.rows = frame.selectExpr(*columns)
        fields = self.rows.schema.fields
        self.kinds = {field.name: field.dataType.simpleString() for field in fields}

    def bucketed(self, number: int) -> Any:
        """The rows by buckets of queries; ids that are equal as keys are in one."""
        query = self.named["query"]
        column, kind = quoted(query), self.kinds[query]
        if kind in (*_INTEGERS, *_FLOATS, "boolean") or kind.startswith("decimal"):
            column = f"CAST({column} AS double)"
        # Under names of our own, for PySpark does not quote those that it groups.
        plain = [f"{quoted(name)} AS c{place}" for place, name in enumerate(self.rows.columns)]
        bucket = f"CAST(pmod(xxhash64({column}), {number}) AS int) AS bucket"
        return self.rows.selectExpr(*plain, bucket).groupBy("bucket")

    def sizes(self) -> dict[str, Any]:
        """Rows, queries, missing values by column, relevant judgements and the longest query."""
        names = dict.fromkeys(filter(None, (*self.ids, self.number)))
        counts = {}
        for place, name in enumerate(names):
            nan = name in self.ids and self.kinds[name] in _FLOATS
            counts[f"m{place}"] = f"({quoted(name)} IS NULL{f' OR isnan({quoted(name)})' * nan})"
        missing = dict(zip(names, counts, strict=True))
        if self.number is not None:
            counts["relevant"] = f"{quoted(self.number)} > 0"
        flags = [f"CAST({condition} AS int) AS {name}" for name, condition in counts.items()]
        query = quoted(self.named["query"])
        rows = self.rows.selectExpr(f"{query} AS q", "CAST(1 AS bigint) AS n", *flags)
        sums = [f"coalesce(sum(`sum({name})`), 0) AS {name}" for name in ("n", *counts)]
        ends = ("max(`sum(n)`) AS most", "max_by(q, `sum(n)`) AS longest", "count(*) AS queries")
        found = rows.groupBy("q").sum("n", *counts).selectExpr(*sums, *ends)
        size: dict[str, Any] = found.toArrow().to_pylist()[0]
        return {"relevant": size["n"], **size, "missing": missing}

    def labels(self, name: str) -> Iterator[tuple[Any, Any]]:
        """Pairs of a query and its value in a column."""
        query = quoted(self.named["query"])
        pairs = self.frame.selectExpr(f"{query} AS q", f"{quoted(name)} AS label")
        for row in pairs.distinct().orderBy("q").toArrow().to_pylist():
            yield row["q"], row["label"]


def quoted(column: str) -> str:
    """The name of a column as SQL reads it."""
    return "`" + column.replace("`", "``") + "`"


def _number(name: str, kind: str, side: str) -> str:
    """SQL for a column of numbers; TypeError for other types."""
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


def _schema(frame: Any) -> Any:
    """A frame of narwhals with the columns of a frame and none of its rows.

    Frames of Spark may have a name twice, as joins leave it; of these there is one column.
    """
    table = frame.limit(0).toArrow()
    first = {name: place for place, name in reversed(list(enumerate(table.column_names)))}
    return _narwhals(table.select(sorted(first.values())))


# Sessions ----------------------------------------------------------------------------------------


def running_session() -> Any:
    """The session that runs, or a new one with Spark's own settings.

    ImportError without PySpark; OSError if Spark does not start, mostly because Java is missing.
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


def _bytes_of(size: str) -> int:
    """A size as Spark writes it: megabytes unless it says otherwise."""
    parts = re.fullmatch(r"\s*(\d+)\s*([kmgtp]?)b?\s*", size.lower())
    if parts is None:
        return 1 << 30
    return int(parts[1]) << 10 * (1 + "kmgtp".index(parts[2] or "m"))
