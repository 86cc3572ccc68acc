"""Spark: executors read whole queries with the in-memory readers, and return judged rankings.

Both sides are split by a hash of their queries into buckets of about half a million rows. A task
reads a bucket like frames in memory, so that values, counts and messages are the same. The result
is pickled as a :class:`Part`, and parts are merged on the driver.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, InvalidParameterError, RankingOrderWarning
from sklearn_rank.inputs.frames import (
    DIVIDED_QUERY,
    Side,
    columns_of,
    eager_frame,
    is_frame,
    is_spark,
    run_of,
    side_of,
    truth_of,
)
from sklearn_rank.inputs.hints import with_mismatch_hint
from sklearn_rank.inputs.items import ItemReader
from sklearn_rank.inputs.join import (
    join_queries,
    pairs_of,
    query_weights,
    read_joined,
    resolve_assumption,
)
from sklearn_rank.inputs.layouts import LAYOUTS, read_in_memory, refuse_foreign
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.roles import Role, refuse_unread
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.rankings.data import (
    UNLISTED_UNJUDGED,
    InputCounts,
    RankingData,
    no_items,
    one_label_each,
)
from sklearn_rank.rankings.judged import JudgedRankings, Positions, Unjudged
from sklearn_rank.rankings.ranking import TIE_RULES, grade_order
from sklearn_rank.rankings.reading import Judgements
from sklearn_rank.support.checks import is_missing
from sklearn_rank.support.runtime import waiting, warn
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_OF_BUCKET = 1 << 19
"""Rows of both sides that a task reads at once."""
BYTES_OF_ROW = 1 << 8
"""Bytes that a row of a query takes while a task reads it."""
BYTES_OF_HIT = 1 << 7
"""Bytes of a relevant item, or of a query, on its way through the driver."""
_LOOKED_ROWS = 1_000
"""Distinct values to look at in a column without a role."""
_HINTED = 100
"""Queries of a task that may explain why nothing relevant was retrieved at all."""
_PART = "part binary"
"""The column of pickled parts."""
_NO_ITEMS = no_items("their scores stay in Spark; rank them there, or evaluate a part in memory")
_IN_MEMORY_ALONE = ("string_provider", "relevance", "keep_items")
"""Options that need the ids of all items as Python objects."""

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_FLOATS = ("float", "double")
_EXACT_DIGITS = 15
"""Decimals with this many digits are distinct as float64."""


def read_spark(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings from one or two Spark frames, with checked options."""
    if not all(isinstance(side, Mapping) or is_frame(side) for side in (y_true, y_score)):
        return read_in_memory(y_true, y_score, options)  # which raises the error
    refuse_foreign(LAYOUTS["mapping"], options)
    if not is_spark(y_score):  # rankings that fit into memory, and so do their judgements
        return read_in_memory(_native(y_true).toArrow(), y_score, options)
    for name in _IN_MEMORY_ALONE:
        if getattr(options, name) not in (None, False):
            msg = (
                f"{name} needs the ids of all items in memory, as gates with a baseline do, but "
                "those of a Spark frame stay in Spark; leave it out, or pass frame.toPandas()"
            )
            raise InvalidParameterError(msg)
    return _SparkRun(y_true, y_score, options).judged()


class _SparkRun:
    """A run in a Spark frame, and its judgements, in Spark or in memory."""

    def __init__(self, y_true: Any, y_score: Any, options: ReadOptions) -> None:
        run = _native(y_score)
        self.options, self.session = options, run.sparkSession
        truth: Any = None
        if is_spark(y_true):
            truth = _schema(_native(y_true))
        elif is_frame(y_true):
            truth = eager_frame(y_true, "y_true")
        schemas = [truth, _schema(run)]
        of_truth, of_run = columns_of(options.columns, schemas)
        self.run = _SparkSide(run, side_of(schemas[1], "y_score", of_run, options.labels))
        self.truth, self.qrels = None, None
        if truth is None:
            self.qrels = _qrels_of(y_true)
        else:
            side = side_of(truth, "y_true", of_truth, options.labels)
            if is_spark(y_true):
                self.truth = _SparkSide(_native(y_true), side)
            else:
                side.refuse_spare(truth)
                self.qrels = truth_of(truth, side.named)
        # Sets have no grades, so that nothing is assumed of items that they lack.
        is_sets = isinstance(y_true, Mapping) and not isinstance(y_true, Qrels)
        self.has_grades = not is_sets or any(
            isinstance(truth, Mapping) for truth in y_true.values()
        )
        self.sides = [side for side in (self.truth, self.run) if side is not None]

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Nothing: Spark is not pickled."""
        return _LeftBehind, ()

    def judged(self) -> RankingData:
        """Count, refuse, and read."""
        for side in self.sides:
            refuse_unread(side.different_values(), side.side.name, side.side.kinds)
        self._refuse_no_order()
        with waiting("Spark counts rows"):
            sizes = {side: side.sizes() for side in self.sides}
        for side, size in sizes.items():
            self._refuse_rows(side, size)
        # As many buckets as their size takes, and some for each of the cores that there may be.
        n_rows = sum(size["n"] for size in sizes.values())
        tasks = int(self.session.conf.get("spark.sql.shuffle.partitions", "200"))
        self.n_buckets = max(-(-n_rows // ROWS_OF_BUCKET), min(tasks, n_rows // 10_000), 1)
        if self.truth is not None:
            self._refuse_results(sizes[self.truth])
        parts = self._read()
        for side, size in sizes.items():
            if sum(part.n_rows[side.side.name] for part in parts) != size["n"]:
                msg = (
                    f"{side.side.name} gave different rows when read again: it is recomputed, and "
                    "depends on chance or on changed files. Write it to Parquet first, or cache it"
                )
                raise ValueError(msg)
        columns = tuple(_LaterColumns(side) for side in self.sides)
        ties = "" if self.run.ranks else self.options.ties
        return replace(self._merged(parts), ties=ties, query_columns=columns)

    def positions_of_unjudged(self) -> Positions:
        """Ranks of unjudged items (a second pass over the frames)."""
        unjudged = self._merged(self._read(keeps_unjudged=True)).rankings.unjudged
        assert unjudged is not None
        return unjudged.positions

    # What is refused -----------------------------------------------------------------------------

    def _refuse_no_order(self) -> None:
        """Rows of Spark come from many files at once and have no order."""
        if self.run.number is None:
            msg = (
                "y_score has no column for the role 'score' or 'rank', and the rows of a Spark "
                "frame have no order to rank the items by; add one of these columns"
            )
            raise ColumnRoleError(msg)
        ties = self.options.ties
        rule = TIE_RULES[ties]
        if rule.by_position and not rule.by_id and not self.run.ranks:
            msg = (
                f"ties={ties!r} leaves tied items in row order, but the rows of a Spark frame have "
                "none; pass another rule, such as ties='average', or ranks instead of scores"
            )
            raise InvalidParameterError(msg)

    def _refuse_rows(self, side: _SparkSide, size: Mapping[str, Any]) -> None:
        """ValueError for columns that lack values, or a query that no task can hold."""
        name = side.side.name
        for column, count in size["missing"].items():
            if number := size[count]:
                rows = f"{number:,} row" if number == 1 else f"{number:,} rows"
                msg = f"column {safe_repr(column)} of {name} contains missing values ({rows})"
                raise ValueError(msg)
        limit = _bytes_of(self.session.conf.get("spark.executor.memory", "1g"))
        if (size["most"] or 0) * BYTES_OF_ROW > limit:
            msg = (
                f"query {safe_repr(size['longest'])} of {name} has {size['most']:,} rows, but a "
                f"Spark task ranks a whole query in {limit:,} bytes; keep only its best items, or "
                "give tasks more memory (spark.executor.memory)"
            )
            raise InvalidParameterError(msg)

    def _refuse_results(self, size: Mapping[str, Any]) -> None:
        """InvalidParameterError for rankings that do not fit through the driver."""
        names = ("spark.driver.memory", "spark.driver.maxResultSize")
        limits = [_bytes_of(self.session.conf.get(name, "1g")) for name in names]
        limit = min(limit for limit in limits if limit) // 2  # 0: results have no limit
        n_bytes = (size["relevant"] + size["queries"]) * BYTES_OF_HIT
        if n_bytes > limit:
            msg = (
                f"the rankings of {size['queries']:,} queries with {size['relevant']:,} relevant "
                f"items need about {n_bytes:,} bytes on the driver, which may use {limit:,}; "
                "evaluate the queries in parts, or raise spark.driver.memory and "
                "spark.driver.maxResultSize"
            )
            raise InvalidParameterError(msg)

    # Tasks ---------------------------------------------------------------------------------------

    def _read(self, *, keeps_unjudged: bool = False) -> list[Part]:
        """The parts of all tasks."""
        assume = self.options.assume
        if assume is None:  # whether judgements are partial is seen in the end
            assume = "partial"
        # What belongs to the driver is not sent.
        options = self.options._replace(assume=assume, columns=None, sample_weight=None)
        with waiting("Spark ranks queries"):
            parts = list(_unpickled(self._parts(options, keeps_unjudged=keeps_unjudged)))
        if self.qrels is not None and parts:
            ranked = {query for part in parts for query in part.ranked}
            absent = [query for query in self.qrels.query_ids if query not in ranked]
            absent_qrels = self.qrels.of_queries(absent)
            parts.append(read_part(absent_qrels, parts[0].no_rows, options, keeps_unjudged))
        return parts

    def _parts(self, options: ReadOptions, *, keeps_unjudged: bool) -> Any:
        """A frame of pickled parts; nothing is computed yet."""
        named = {side.side.name: (side.rows.columns, side.side.named) for side in self.sides}
        read = partial(_task, named, self.qrels, options, keeps_unjudged)
        run = self.run.bucketed(self.n_buckets)
        # Spark counts the parameters of a function, and would heed its annotations.
        if self.truth is None:
            return run.applyInArrow(lambda rows: read(rows), _PART)
        both = self.truth.bucketed(self.n_buckets).cogroup(run)
        return both.applyInArrow(lambda truth, rows: read(rows, truth), _PART)

    # The driver ----------------------------------------------------------------------------------

    def _merged(self, parts: list[Part]) -> RankingData:
        """All queries in the order of the judgements, or of their ids."""
        doubt = next((part.doubt for part in parts if part.doubt), "")
        if doubt:
            warn(doubt, RankingOrderWarning)
        if self.qrels is None:
            order = {q: n for n, q in enumerate(sorted(q for part in parts for q in part.judged))}
        else:
            order = self.qrels.numbers
        ranked = {query for part in parts for query in part.ranked}
        unjudged = dict.fromkeys(query for part in parts for query in part.unjudged)
        missing = self.options.missing
        queries = join_queries(order, dict.fromkeys(ranked) | unjudged, missing)
        data = [part.data for part in parts if part.data is not None]
        came = np.argsort([order[query] for one in data for query in one.query_ids])
        rankings = _joined([one.rankings for one in data]).take(came)
        digests = partial(_digests, [one.judgements for one in data if one.judgements], came)
        counts = {
            item.name: sum(getattr(one.counts, item.name) for one in data)
            for item in fields(InputCounts)
        }
        assumed = resolve_assumption(
            self.options,
            has_grades=self.has_grades,
            has_zero=any(part.has_zero for part in parts),
        )
        if (
            assumed in UNLISTED_UNJUDGED and rankings.unjudged is None
        ):  # as far as it was not asked for
            n_unjudged, n_judged = (
                np.concatenate([getattr(part, name) for part in parts])[came]
                for name in ("n_unjudged", "n_judged")
            )
            by_grade = grade_order(self.options.ties)
            later = Unjudged(
                n_unjudged, self.positions_of_unjudged, grade_order=by_grade, n_judged=n_judged
            )
            rankings = replace(rankings, unjudged=later)
        weights = query_weights(self.options.sample_weight, queries)
        skipped = order.keys() - set(queries) if missing == "skip" else ()
        counts |= {"missing": len(order) - len(ranked), "unjudged": len(unjudged)}
        judged = RankingData(
            replace(rankings, query_ids=queries, weights=weights),
            _NO_ITEMS,
            judgements=Judgements(digests),
            assumed=assumed,
            counts=InputCounts(**counts),
            keyed=True,
            missing=np.flatnonzero([query not in ranked for query in queries]),
            left_out=[*skipped, *unjudged],
        )
        sample = next((part.sample for part in parts if part.sample is not None), None)
        return (
            judged
            if sample is None
            else with_mismatch_hint(judged, pairs_of(*sample), is_sample=True)
        )


def _digests(parts: Sequence[Judgements], order: IntArray) -> Array:
    return np.concatenate([part.digests for part in parts])[order]


def _joined(parts: Sequence[JudgedRankings]) -> JudgedRankings:
    """The queries of all parts."""

    def joined(name: str, sides: Sequence[Any] = parts) -> Any:
        return np.concatenate([getattr(side, name) for side in sides])

    every = None
    if any(part.unjudged for part in parts):
        unjudged = [part.unjudged or Unjudged.nothing(len(part)) for part in parts]
        counts, at = joined("counts", unjudged), [one.positions for one in unjudged]
        positions = Positions(offsets_of(counts), joined("above", at), joined("tied", at))
        every = Unjudged(counts, positions)
    return JudgedRankings(
        query_ids=np.arange(sum(map(len, parts))),
        offsets=offsets_of(joined("n_hits")),
        above=joined("above"),
        tied=joined("tied"),
        grades=joined("grades"),
        n_ranked=joined("n_ranked"),
        relevant_offsets=offsets_of(joined("n_relevant")),
        relevant_grades=joined("relevant_grades"),
        unjudged=every,
    )


def _qrels_of(y_true: Mapping[Any, Any]) -> Qrels:
    """Judgements of a mapping as a long table."""
    if isinstance(y_true, Qrels):
        return y_true
    reader = ItemReader(ReadOptions())
    return reader.qrels(list(y_true.values()), y_true)


# In the executors --------------------------------------------------------------------------------


class Part(NamedTuple):
    """Data that a task read for its queries."""

    judged: list[Any]
    ranked: list[Any]
    """The judged queries with a ranking."""
    unjudged: list[Any]
    """The ranked queries without judgements."""
    no_rows: Run
    n_rows: dict[str, int]
    """Rows that were read of each side."""
    data: RankingData | None = None
    """Without items, and without positions of unjudged ones unless requested; None if no query is
    evaluated."""
    n_unjudged: IntArray = np.zeros(0, np.int64)
    n_judged: IntArray = np.zeros(0, np.int64)
    """(Q,) numbers for the queries of ``data``."""
    has_zero: bool = False
    """Whether a grade of these queries is 0 or below."""
    doubt: str = ""
    """A doubt about the order of the rows."""
    sample: tuple[Qrels, Run] | None = None
    """Some queries, where no relevant item was retrieved."""


def read_part(qrels: Qrels, run: Run, options: ReadOptions, keeps_unjudged: bool) -> Part:
    """Read whole queries; ``qrels`` holds all judged ones."""
    ranked = [query for query in qrels.query_ids if query in run]
    queries = ranked if options.missing == "skip" else qrels.query_ids
    part = Part(
        judged=qrels.query_ids,
        ranked=ranked,
        unjudged=[query for query in run.query_ids if query not in qrels],
        no_rows=run.of_queries([]),
        n_rows={"y_true": qrels.n_rows, "y_score": run.n_rows},
    )
    if not queries:
        return part
    qrels, run = qrels.of_queries(queries), run.of_queries(queries)
    data = read_joined(qrels, run, options)
    unjudged, positions = data.rankings.unjudged, None
    n_unjudged, n_judged = np.zeros(len(queries), np.int64), data.rankings.n_relevant
    if unjudged is not None:
        n_unjudged = unjudged.counts
        n_judged = n_judged if unjudged.n_judged is None else unjudged.n_judged
        positions = replace(unjudged, source=unjudged.positions) if keeps_unjudged else None
    sample = None
    if ranked and not data.rankings.n_hits.any():
        sample = qrels.of_queries(queries[:_HINTED]), run.of_queries(queries[:_HINTED])
    # Scores of all items stay in Spark.
    rankings = replace(data.rankings, unjudged=positions)
    return part._replace(
        data=replace(data, rankings=rankings, items=_NO_ITEMS),
        n_unjudged=n_unjudged,
        n_judged=n_judged,
        has_zero=bool(qrels.grades.min(initial=1) <= 0),
        doubt=next(iter(run.doubts), "") if ranked else "",
        sample=sample,
    )


def _task(
    named: Mapping[str, tuple[list[str], Mapping[Role, str]]],
    qrels: Qrels | None,
    options: ReadOptions,
    keeps_unjudged: bool,
    rows: pa.Table,
    truth: pa.Table | None = None,
) -> pa.Table:
    """A table with the part that was read from a bucket, or with the error raised for it.

    ``named`` has the columns of each side, and their roles; ``truth`` is None where all judgements
    were sent.
    """
    import pyarrow as pa

    try:
        run = run_of(_bucket(rows, named["y_score"][0]), named["y_score"][1])
        if truth is not None:
            qrels = truth_of(_bucket(truth, named["y_true"][0]), named["y_true"][1])
        else:
            assert qrels is not None
            qrels = qrels.of_queries([query for query in qrels.query_ids if query in run])
        part: Part | Exception = read_part(qrels, run, options, keeps_unjudged)
    except (TypeError, ValueError) as error:
        part = error
    return pa.table({"part": pa.array([pickle.dumps(part)], pa.binary())})


def _unpickled(frame: Any) -> Iterator[Part]:
    """The parts of a frame; raises the error that a task sent."""
    for column in frame.toArrow()["part"].chunks:
        for text in column:
            part = pickle.loads(text.as_py())
            if isinstance(part, Exception):
                raise part
            yield part


def _bucket(table: pa.Table, names: list[str]) -> Any:
    """The columns of a bucket under the names that the caller gave them."""
    return _narwhals(table.select(range(len(names))).rename_columns(names))


def _narwhals(table: object) -> Any:
    import narwhals as nw

    return nw.from_native(table, eager_only=True)


# Frames and their columns ------------------------------------------------------------------------


class _SparkSide:
    """One of the frames, by the columns that are read."""

    def __init__(self, frame: Any, side: Side) -> None:
        """Refuses columns that are missing or of a wrong type."""
        self.frame, self.side = frame, side
        roles: tuple[Role, ...] = ("grade", "score", "distance", "rank")
        self.number = next((side.named[role] for role in roles if role in side.named), None)
        self.ranks = "score" not in side.named
        kinds = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
        columns = []
        for role, name in side.named.items():
            kind, column = kinds[name], _quoted(name)
            if role not in ("query", "item"):
                column = _number(name, kind, side.name)
            elif kind in _INTEGERS:  # as bigint, so that the ids of both sides are of one type
                column = f"CAST({column} AS bigint)"
            elif kind.startswith(("char", "varchar")):
                column = f"CAST({column} AS string)"
            columns.append(f"{column} AS {_quoted(name)}")
        self.rows = frame.selectExpr(*columns)
        fields = self.rows.schema.fields
        self.kinds = {field.name: field.dataType.simpleString() for field in fields}

    def different_values(self) -> dict[str, tuple[list[Any], int]]:
        """Some distinct values of each column without a role, and how many rows have them."""
        plain = (*_INTEGERS, *_FLOATS, "boolean", "string", "decimal", "varchar", "char")
        kinds = {field.name: field.dataType.simpleString() for field in self.frame.schema.fields}
        different = {}
        for name in self.side.spare:
            if kinds[name].partition("(")[0] not in plain:
                continue
            cells = self.frame.selectExpr(f"{_quoted(name)} AS v").where("v IS NOT NULL")
            values = cells.distinct().limit(_LOOKED_ROWS).toArrow()["v"].to_pylist()
            sums = cells.selectExpr("count(*) AS n", "count(DISTINCT v) AS d").toArrow()
            n_rows, n_values = (sums[name][0].as_py() for name in ("n", "d"))
            different[name] = values, n_rows * len(values) // max(n_values, 1)
        return different

    def bucketed(self, number: int) -> Any:
        """The rows in buckets of queries; equal ids share a bucket."""
        query = self.side.named["query"]
        column, kind = _quoted(query), self.kinds[query]
        if kind in (*_INTEGERS, *_FLOATS, "boolean") or kind.startswith("decimal"):
            column = f"CAST({column} AS double)"
        # Under names of ours, for PySpark does not quote those that it groups.
        plain = [f"{_quoted(name)} AS c{n}" for n, name in enumerate(self.rows.columns)]
        bucket = f"CAST(pmod(xxhash64({column}), {number}) AS int) AS bucket"
        return self.rows.selectExpr(*plain, bucket).groupBy("bucket")

    def sizes(self) -> dict[str, Any]:
        """Rows, queries, missing values by column, relevant judgements and the longest query."""
        ids = (self.side.named["query"], self.side.named["item"])
        names = dict.fromkeys(filter(None, (*ids, self.number)))
        counts = {}
        for number, name in enumerate(names):
            nan = name in ids and self.kinds[name] in _FLOATS
            column = _quoted(name)
            counts[f"m{number}"] = f"({column} IS NULL{f' OR isnan({column})' * nan})"
        missing = dict(zip(names, counts, strict=True))
        if self.number is not None:
            counts["relevant"] = f"{_quoted(self.number)} > 0"
        flags = [f"CAST({condition} AS int) AS {name}" for name, condition in counts.items()]
        query = _quoted(self.side.named["query"])
        rows = self.rows.selectExpr(f"{query} AS q", "CAST(1 AS bigint) AS n", *flags)
        sums = [f"coalesce(sum(`sum({name})`), 0) AS {name}" for name in ("n", *counts)]
        ends = ("max(`sum(n)`) AS most", "max_by(q, `sum(n)`) AS longest", "count(*) AS queries")
        sums_of_all = rows.groupBy("q").sum("n", *counts).selectExpr(*sums, *ends)
        size: dict[str, Any] = sums_of_all.toArrow().to_pylist()[0]
        return {"relevant": size["n"], **size, "missing": missing}


class _LaterColumns:
    """Columns of a frame with values per query, read when they are used."""

    def __init__(self, side: _SparkSide) -> None:
        self.frame, self.query = side.frame, side.side.named["query"]

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """No columns: Spark is not pickled."""
        return dict, ()

    def __contains__(self, name: object) -> bool:
        return name in self.frame.columns

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label}; InvalidParameterError if a query has several."""
        pairs = self.frame.selectExpr(f"{_quoted(self.query)} AS q", f"{_quoted(name)} AS label")
        rows = pairs.distinct().orderBy("q").toArrow().to_pylist()
        labels = ((row["q"], row["label"]) for row in rows if not is_missing(row["label"]))
        return one_label_each(name, labels, DIVIDED_QUERY)


class _LeftBehind:
    """Replaces the frames in a pickled evaluation."""

    def positions_of_unjudged(self) -> NoReturn:
        """Refuse what needs the frames."""
        msg = (
            "a measure of unjudged items reads the Spark frames again, but a pickled evaluation "
            "does not contain them; compute it before pickling, or evaluate again"
        )
        raise InvalidParameterError(msg)


def _quoted(column: str) -> str:
    """The name of a column as SQL reads it."""
    return "`" + column.replace("`", "``") + "`"


def _number(name: str, kind: str, side: str) -> str:
    """SQL for a column of numbers; TypeError for other types."""
    column = _quoted(name)
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
    """A narwhals frame with the columns of a frame, without its rows.

    Spark frames may have a column name twice, for example after a join; here it is once.
    """
    table = frame.limit(0).toArrow()
    first = {name: number for number, name in reversed(list(enumerate(table.column_names)))}
    return _narwhals(table.select(sorted(first.values())))


def _native(values: Any) -> Any:
    """The Spark frame itself, without a wrapper of pandas on Spark."""
    return values.to_spark() if hasattr(type(values), "to_spark") else values


def _bytes_of(size: str) -> int:
    """A size as Spark writes it: megabytes without a unit."""
    parts = re.fullmatch(r"\s*(\d+)\s*([kmgtp]?)b?\s*", size.lower())
    if parts is None:
        return 1 << 30
    return int(parts[1]) << 10 * (1 + "kmgtp".index(parts[2] or "m"))
