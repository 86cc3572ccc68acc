"""Both sides of a problem as frames of Spark with the columns ``q``, ``i`` and ``x``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import chain, repeat
from typing import Any

import numpy as np

from sklearn_rank.engines.problem import Problem, Side, find_sides
from sklearn_rank.engines.registry import engine_of
from sklearn_rank.engines.spark.frames import native, planned, refuse_twins, session_of
from sklearn_rank.engines.spark.plans import quoted
from sklearn_rank.exceptions import ColumnRoleError, InvalidParameterError
from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.ids import refuse_unequal_types
from sklearn_rank.inputs.items import ItemReader, Where
from sklearn_rank.inputs.join import settled
from sklearn_rank.inputs.roles import Role
from sklearn_rank.inputs.tables import LongTable, Qrels, Run, as_list
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Assume

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_FLOATS = ("float", "double")


@dataclass(frozen=True)
class SparkSide:
    """One of the frames, by the columns that are read."""

    side: Side
    frame: Any
    """As the caller gave it."""
    rows: Any
    """Query ``q``, item ``i`` and number ``x``, of which the greater is the better."""
    kinds: Mapping[str, str]
    """The types of these columns."""

    def column(self, name: str) -> str:
        """How the caller calls a column; the number of rows of ``x`` without one is 1."""
        named = self.side.named
        if name == "x":
            return next((named[role] for role in ("grade", "score", "rank") if role in named), "")
        return named["query"] if name == "q" else named["item"]


@dataclass(frozen=True)
class Sides:
    """Judgements and run in one session."""

    session: Any
    truth: SparkSide
    run: SparkSide
    given: Any = None
    """The judgements if they came as a mapping, whose values may be sets."""

    @property
    def ranks(self) -> bool:
        """Whether the run is ordered by ranks, of which each may stand once in a query."""
        return "score" not in self.run.side.named

    def assumed(self, assume: Assume | None, *, has_zero: bool) -> str:
        """What items are taken for that nobody judged, as in memory."""
        has_grades = True
        if self.given is not None:
            grades = [truth.values() for truth in self.given.values() if isinstance(truth, Mapping)]
            has_grades = bool(grades)
            has_zero = any(grade <= 0 for grade in chain.from_iterable(grades))
        return settled(assume, has_grades=has_grades, has_zero=has_zero)

    def sql(self, text: str, **frames: Any) -> Any:
        """The frame that a plan makes of both sides."""
        used = {"truth": self.truth.rows, "run": self.run.rows, **frames}
        given = {name: frame for name, frame in used.items() if f"{{{name}}}" in text}
        return planned(self.session, text, given)

    def kinds(self) -> dict[str, str]:
        """Types of all columns, by side."""
        sides = {"truth": self.truth, "run": self.run}
        return {f"{name}.{c}": side.kinds[c] for name, side in sides.items() for c in "qix"}


def _has_grades(y_true: Any) -> bool:
    """Whether judgements have a grade in each row."""
    return isinstance(y_true, Qrels) or not isinstance(y_true, Mapping)


def find_frames(problem: Problem) -> Sides:
    """The frames of a problem; refuses columns that are not there or cannot hold what they should.

    Nothing is computed: types are known beforehand.
    """
    given = {"y_true": problem.y_true, "y_score": problem.y_score}
    of_spark = {name: native(side) for name, side in given.items() if engine_of(side) is not None}
    session = session_of(of_spark)
    frames = [
        of_spark[name] if name in of_spark else _adopted(session, values, name)
        for name, values in given.items()
    ]
    schemas = [_schema(frame) for frame in frames]
    truth, run = find_sides(schemas[0], schemas[1], problem.columns)
    assert truth is not None
    assert run is not None
    for frame, side in zip(frames, (truth, run), strict=True):
        refuse_twins(frame, side.name, side.used)
    sides = Sides(
        session,
        _prepared(frames[0], truth, "grade"),
        _prepared(frames[1], run, "score", "rank"),
        None if _has_grades(problem.y_true) else problem.y_true,
    )
    refuse_unequal_types({_python_type(sides.run, "i")}, {_python_type(sides.truth, "i")})
    return sides


def _schema(frame: Any) -> Any:
    """A frame of narwhals with the columns of a frame and none of its rows.

    Frames of Spark may have a name twice, as joins leave it; of these there is one column.
    """
    import narwhals as nw

    table = frame.limit(0).toArrow()
    first = {name: place for place, name in reversed(list(enumerate(table.column_names)))}
    return nw.from_native(table.select(sorted(first.values())), eager_only=True)


def refuse_no_order(sides: Sides, ties: str) -> None:
    """Rows of Spark come from many files at once and have no order."""
    named = sides.run.side.named
    if "score" not in named and "rank" not in named:
        msg = (
            "y_score has no column for the role 'score' or 'rank', and the rows of a frame of "
            "Spark have no order that could rank the items; add one of them"
        )
        raise ColumnRoleError(msg)
    rule = TIE_RULES[ties]
    if rule.by_place and not rule.by_id and "score" in named:
        msg = (
            f"ties={ties!r} leaves tied items in the order of their rows, which a frame of Spark "
            "does not have; pass another rule, such as ties='average', or ranks instead of scores"
        )
        raise InvalidParameterError(msg)


def _prepared(frame: Any, side: Side, *roles: Role) -> SparkSide:
    """The three columns, with a number of which the greater is the better."""
    kinds = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    role = next((role for role in roles if role in side.named), None)
    number = "1"
    if role is not None:
        name = side.named[role]
        number = _number(name, kinds[name], role, side.name)
    columns = {"q": side.named["query"], "i": side.named["item"]}
    rows = frame.selectExpr(
        *(f"{quoted(column)} AS {short}" for short, column in columns.items()), f"{number} AS x"
    )
    return SparkSide(
        side,
        frame,
        rows,
        {field.name: _plain_kind(field.dataType.simpleString()) for field in rows.schema.fields},
    )


def _number(name: str, kind: str, role: str, side: str) -> str:
    if not (kind in (*_INTEGERS, *_FLOATS, "boolean", "void") or kind.startswith("decimal")):
        held = "strings" if _plain_kind(kind) == "string" else kind
        msg = f"column {safe_repr(name)} of {side} holds {held}; pass numbers"
        raise TypeError(msg)
    column = quoted(name)
    if kind in ("boolean", "void"):
        column = f"CAST({column} AS int)"
    if role != "rank":
        return column
    return f"(-CAST({column} AS bigint))" if kind in (*_INTEGERS, "boolean") else f"(-{column})"


def _plain_kind(kind: str) -> str:
    return "string" if kind.startswith(("char", "varchar", "string")) else kind


_PYTHON = {"string": str, "boolean": bool, "binary": bytes, "date": date, "timestamp": datetime}


def _python_type(side: SparkSide, column: str) -> type:
    """What an id of a column is in Python."""
    kind = side.kinds[column]
    if kind in _INTEGERS:
        return int
    if kind in _FLOATS:
        return float
    if kind.startswith("decimal"):
        return Decimal
    return _PYTHON.get(kind, tuple)


def can_meet(sides: Sides) -> bool:
    """Whether queries of both sides have types that can be equal."""
    kinds = [_python_type(side, "q") for side in (sides.truth, sides.run)]
    numbers = (int, float, Decimal)
    return kinds[0] is kinds[1] or all(kind in numbers for kind in kinds)


# A side that lies in memory ----------------------------------------------------------------------


def _adopted(session: Any, values: Any, name: str) -> Any:
    """A frame in memory, or a mapping, as a frame of Spark."""
    import narwhals as nw
    import pyarrow as pa

    if is_frame(values):
        return session.createDataFrame(nw.from_native(values, eager_only=True).to_arrow())
    if isinstance(values, LongTable):
        columns = _rows_of(values)
    else:
        columns = _truth_columns(values) if name == "y_true" else _run_columns(values)
    try:
        return session.createDataFrame(pa.table(columns))
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        msg = f"ids of {name} have to be of one type to be joined in Spark: {error}"
        raise TypeError(msg) from error


def _rows_of(table: LongTable) -> dict[str, Any]:
    """The rows of judgements or of a run that were read from a file."""
    sizes = np.diff(table.offsets)
    columns: dict[str, Any] = {
        "query": list(chain.from_iterable(map(repeat, table.query_ids, sizes.tolist()))),
        "item": as_list(table.item_ids),
    }
    if isinstance(table, Qrels):
        return columns | {"grade": table.grades}
    if isinstance(table, Run) and table.scores is not None:
        return columns | {"score": table.scores}
    starts = np.repeat(table.offsets[:-1], sizes)
    return columns | {"rank": np.arange(table.n_rows) - starts + 1}


def _truth_columns(y_true: Mapping[Any, Any]) -> dict[str, list[Any]]:
    """Judgements row by row."""
    reader = ItemReader(None, "raise", "unjudged")
    truth = {query: reader.truth(given, Where("y_true", query)) for query, given in y_true.items()}
    # A query without a row is not seen: an item of grade 0, whichever it is, changes nothing.
    filler = next(chain.from_iterable(truth.values()), "")
    truth = {query: items or {filler: 0.0} for query, items in truth.items()}
    sizes = [len(items) for items in truth.values()]
    return {
        "query": list(chain.from_iterable(map(repeat, truth, sizes))),
        "item": list(chain.from_iterable(truth.values())),
        "grade": list(chain.from_iterable(items.values() for items in truth.values())),
    }


def _run_columns(y_score: Mapping[Any, Any]) -> dict[str, list[Any]]:
    """Rankings row by row, with scores or, of ranked lists, with ranks."""
    scored = [isinstance(ranking, Mapping) for ranking in y_score.values()]
    if any(scored) and not all(scored):
        msg = "y_score mixes ranked lists and {item: score}; Spark needs scores or ranks of all"
        raise TypeError(msg)
    sizes = [len(ranking) for ranking in y_score.values()]
    columns = {
        "query": list(chain.from_iterable(map(repeat, y_score, sizes))),
        "item": list(chain.from_iterable(y_score.values())),
    }
    if all(scored):
        scores = chain.from_iterable(ranking.values() for ranking in y_score.values())
        return columns | {"score": list(scores)}
    return columns | {"rank": list(chain.from_iterable(range(1, size + 1) for size in sizes))}
