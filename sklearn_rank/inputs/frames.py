"""Long data frames, one row for each query and item: pandas, Polars and PyArrow, by narwhals.

Frames become the long tables that files are read into, so that all rules, counts and messages of
the mapping layout hold.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from importlib.util import find_spec
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError
from sklearn_rank.inputs.arrays import CodedIds
from sklearn_rank.inputs.roles import (
    GRADE,
    ORDER,
    SIDES,
    Columns,
    Role,
    SideColumns,
    columns_by_side,
    find_roles,
    is_id_name,
    is_known,
    lists_beside,
    lists_of,
    names_of,
    refuse_unread,
    refuse_unread_lists,
    text_grades,
    unread_columns,
    wanted_of,
)
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.rankings.data import one_label_each
from sklearn_rank.support.checks import as_numbers, as_numpy, is_missing, negated
from sklearn_rank.support.text import format_list, safe_repr, safe_text
from sklearn_rank.typing import Array

if TYPE_CHECKING:
    import narwhals as nw

    from sklearn_rank.inputs.tables import IdColumn

PLAIN = frozenset({np.ndarray, list, tuple, dict, set, frozenset})
"""Types that are no frames, no series and no names of files, which is seen at once."""
_WIDE = (
    "A frame has a row for each query and item; one with a row per query and a column per item "
    "goes in as .to_numpy()"
)


def is_frame(values: Any) -> bool:
    """Whether this is a data frame of any kind; nothing is imported or computed."""
    kind = type(values)
    if kind in PLAIN or isinstance(values, (Mapping, np.ndarray)):
        return False
    return hasattr(kind, "columns") or hasattr(kind, "column_names") or _is_stream(values)


def is_spark(values: Any) -> bool:
    """Whether this is a frame of Spark, or one of pandas on Spark."""
    return "pyspark" in sys.modules and any(
        kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pyspark"
        for kind in type(values).__mro__
    )


def _is_stream(values: Any) -> bool:
    """Whether this is a stream of Arrow's batches, and not a column."""
    kind = type(values)
    return hasattr(kind, "__arrow_c_stream__") and not hasattr(kind, "__getitem__")


def as_tables(
    y_true: Any,
    y_score: Any,
    columns: SideColumns | None = None,
    labels: Collection[str] = (),
) -> tuple[Any, Any]:
    """Judgements and rankings with frames as long tables and indexed series as mappings.

    Other objects are returned unchanged. ``labels`` are columns that make slices or clusters.
    """
    sides = {"y_true": y_true, "y_score": y_score}
    if columns is None and all(type(side) in PLAIN for side in sides.values()):
        return y_true, y_score
    kinds = {name: type(side).__name__ for name, side in sides.items()}
    files = [name for name, side in sides.items() if isinstance(side, (str, os.PathLike))]
    msg = ""
    if files and all(isinstance(s, (str, os.PathLike, Run, Qrels)) for s in sides.values()):
        msg = (
            f"{files[0]} is a {kinds[files[0]]}; files are read first: "
            "evaluate(read_qrels(...), read_run(...))"
        )
    elif columns is None and isinstance(y_true, Qrels) and isinstance(y_score, Run):
        read = y_score.roles.get("item", "")
        item, path = y_true.roles.get("item"), y_true.path
        is_one = "[]" in read and path and (path, item) == (y_score.path, read)
        if is_one and all(list(y_true[one]) == list(y_score.get(one, ())) for one in y_true):
            _refuse_one_list(f"{y_score.source}: {safe_repr(read)}", "item")
        return y_true, y_score
    elif isinstance(y_true, Run):
        msg = "y_true is a Run, which holds rankings; judgements come first: evaluate(qrels, run)"
    elif is_frame(y_true) or (is_frame(y_score) and isinstance(y_true, Mapping)):
        if not is_frame(y_score) and not isinstance(y_score, Mapping):
            msg = (
                f"y_true is a data frame and y_score a {kinds['y_score']}; pass a frame with "
                "a row for each query and item and their score or rank, or a mapping"
            )
    elif columns is not None:
        msg = f"columns names columns of data frames; y_true is a {kinds['y_true']}"
    elif all(map(_is_series_of_lists, sides.values())):
        for name, side in sides.items():
            sides[name] = _keyed(side.index.tolist(), side.tolist(), f"the index of {name}")
        return sides["y_true"], sides["y_score"]
    else:
        return y_true, y_score
    if msg:
        raise TypeError(msg)
    frames = [eager_frame(side, name) if is_frame(side) else None for name, side in sides.items()]
    lists: dict[str, list[Any]] = {}
    for name, frame, names in zip(sides, frames, own_columns(columns, frames), strict=True):
        if frame is None:
            continue
        read_lists = _read_lists(frame, names, name)
        if read_lists is not None:
            sides[name], *lists[name] = read_lists
            continue
        side = side_of(frame, name, names, labels)
        side.refuse_spare(frame)
        reader = truth_of if name == "y_true" else run_of
        about = QueryColumns(frame, side.named["query"])
        sides[name] = reader(frame, side.named, about_queries=about)
    if len(lists) == 2 and lists["y_true"] == lists["y_score"]:
        _refuse_one_list(safe_repr(lists["y_true"][0]), "relevant': ..., 'retrieved")
    return sides["y_true"], sides["y_score"]


def values_of(values: Any) -> Any:
    """{name: {query: number}} of a data frame with a row for each query, or of series."""
    if isinstance(values, Mapping):
        return {
            name: _keyed(
                values_of_name.index.tolist(),
                values_of_name.tolist(),
                f"the index of values of {name}",
            )
            if hasattr(values_of_name, "index") and hasattr(values_of_name, "iloc")
            else values_of_name
            for name, values_of_name in values.items()
        }
    if not is_frame(values):
        return values
    frame = eager_frame(values, "values")
    query = find_roles(frame.columns, ("query",), where="values")["query"]
    queries, where = frame[query].to_list(), f"column {safe_repr(query)} of values"
    columns = {name: frame[name].to_list() for name in frame.columns if name != query}
    # A column of objects may hold numbers and None, as results of judge models do.
    read = {}
    for name, column in columns.items():
        kinds = {type(value) for value in column if not is_missing(value)}
        are_numbers = bool not in kinds and all(issubclass(kind, Number) for kind in kinds)
        if frame[name].dtype.is_numeric() or (kinds and are_numbers):
            read[name] = _keyed(queries, column, where)
    return read


def _read_lists(frame: nw.DataFrame[Any], columns: Columns, name: str) -> tuple[Any, ...] | None:
    """{query: list or {item: grade}} of a frame with lists of items; None if it has none.

    The list is the one given, one with a name of the side, or one with the name of an item. Also
    returns its column, all columns and the lists.
    """
    names = [column for column in frame.columns if isinstance(column, str)]
    free = [column for column in names if column not in columns.values()]
    item = columns.get("item")
    candidates = [item] if item else lists_of(free, SIDES[name]) or names_of(free, "item")
    lists = [column for column in candidates if _holds_lists(frame, column)]
    if len(lists) > 1:
        msg = (
            f"{name} has several lists of items: {format_list(lists)}. Say which one: "
            f"columns={{{SIDES[name]!r}: {safe_repr(lists[0])}}}"
        )
        raise ColumnRoleError(msg)
    if not lists:
        return None
    query = find_roles(names, ("query",), columns=columns, where=name)["query"]
    queries, items = list(_ids(frame, query, name)), _lists(frame, lists[0])
    read: list[Any] = items
    for role in wanted_of(GRADE if name == "y_true" else ORDER, columns):
        name_of_numbers = columns.get(role) or next(iter(lists_beside(free, lists[0], role)), "")
        if name_of_numbers not in names or not _holds_lists(frame, name_of_numbers):
            continue
        numbers, sign = _lists(frame, name_of_numbers), -1 if role in ("distance", "rank") else 1
        for key, row, values in zip(queries, items, numbers, strict=True):
            if len(row) != len(values):
                msg = (
                    f"query {safe_repr(key)} of {name} has {len(row):,} items in "
                    f"{safe_repr(lists[0])}, {len(values):,} in {safe_repr(name_of_numbers)}"
                )
                raise ValueError(msg)
        pairs = (zip(*both, strict=True) for both in zip(items, numbers, strict=True))
        read = [[(item, sign * number) for item, number in row] for row in pairs]
        read = list(map(dict, read)) if name == "y_true" else read
        break
    else:
        others = [other for other in free if other not in lists and _holds_lists(frame, other)]
        kinds = GRADE if name == "y_true" else ORDER
        refuse_unread_lists(
            {other: _lists(frame, other) for other in others}, items, name, columns, kinds
        )
    where = f"column {safe_repr(query)} of {name}, whose items are lists,"
    return _keyed(queries, read, where), lists[0], names, items


def _lists(frame: nw.DataFrame[Any], column: str) -> list[list[Any]]:
    """The lists of a column; a missing value is a list without items."""
    values = frame[column].to_list()
    return [[] if row is None or isinstance(row, float) else list(row) for row in values]


def _refuse_one_list(what: str, columns: str) -> NoReturn:
    msg = (
        f"{what} is the list of both the relevant and the retrieved items, which finds everything; "
        f"say a list for each: columns={{'{columns}': ...}}"
    )
    raise ColumnRoleError(msg)


def _holds_lists(frame: nw.DataFrame[Any], column: str) -> bool:
    import narwhals as nw

    values = frame[column]
    if values.dtype != nw.Object:
        return isinstance(values.dtype, (nw.List, nw.Array))
    first = next((value for value in values if not is_missing(value)), None)
    return isinstance(first, (list, tuple, np.ndarray))


def _is_series_of_lists(values: Any) -> bool:
    """Whether this is a pandas series of lists, sets or mappings whose index names the queries.

    The index that pandas makes when none is given names nothing: such a series is a list.
    """
    if not (hasattr(values, "iloc") and hasattr(values, "index")) or is_frame(values):
        return False
    if type(values.index).__name__ == "RangeIndex" or not len(values):
        return False
    first = values.iloc[0]
    return hasattr(first, "__len__") and not isinstance(first, (str, bytes))


def _keyed(queries: list[Any], values: list[Any], where: str) -> dict[Any, Any]:
    """{query: value}; ValueError if a query comes twice."""
    table = dict(zip(queries, values, strict=True))
    if len(table) < len(queries):
        twice = [query for query, times in Counter(queries).items() if times > 1]
        msg = f"{where} holds queries more than once: {format_list(twice)}"
        raise ValueError(msg)
    return table


def eager_frame(values: Any, name: str) -> nw.DataFrame[Any]:
    """The frame as narwhals sees it."""
    import narwhals as nw

    try:
        if _is_stream(values):
            backend: Any = "polars" if find_spec("polars") else "pyarrow"
            frame: Any = nw.from_arrow(values, backend=backend)
        else:
            frame = nw.from_native(values)
    except (TypeError, ValueError, ImportError) as error:
        methods = ("to_polars", "to_pandas", "to_arrow", "to_table")
        method = next((method for method in methods if hasattr(values, method)), None)
        hint = f"; pass {name}.{method}()" if method else f": {error}"
        msg = f"{name} is a {type(values).__name__} that cannot be read as a data frame{hint}"
        raise TypeError(msg) from error
    if isinstance(frame, nw.LazyFrame):
        msg = (
            f"{name} is a lazy {type(values).__name__}; call .collect() on it first "
            "(.pl() of DuckDB, .toPandas() of Spark)"
        )
        raise TypeError(msg)
    eager: nw.DataFrame[Any] = frame
    index = getattr(values, "index", None)
    for level in getattr(index, "names", ()):
        if isinstance(level, str) and is_known(level) and level not in eager.columns:
            msg = (
                f"the index of {name} has the name {safe_repr(level)}, and an index is not read; "
                f"pass {name}.reset_index(), which makes a column of it"
            )
            raise ColumnRoleError(msg)
    return eager


# Columns and their roles -------------------------------------------------------------------------


class Side(NamedTuple):
    """The columns of a frame that are read."""

    name: str
    """As messages call it, ``y_true`` or ``y_score``."""
    named: dict[Role, str]
    spare: list[str]
    """Columns without a role, where none has one of ``kinds``."""
    kinds: tuple[Role, ...]
    """The grade, or what orders a ranking."""

    def refuse_spare(self, rows: nw.DataFrame[Any]) -> None:
        """ColumnRoleError if a spare column may be the grade, or what orders a ranking."""
        refuse_unread(different_values(rows, self.spare), self.name, self.kinds)


def own_columns(
    columns: SideColumns | None, frames: list[nw.DataFrame[Any] | None]
) -> list[Columns]:
    """Columns that the caller names, of each frame; one named for both has to be in one of them.

    TypeError where only the truth has scores and only the ranking has grades.
    """
    common, of_sides = columns_by_side(columns)
    present = [set() if frame is None else set(frame.columns) for frame in frames]
    named = [name for name in common.values() if name is not None]
    lacking = [name for name in named if not any(name in names for names in present)]
    for names, said in zip(present, of_sides, strict=True):
        lacking += [name for name in said.values() if name is not None and name not in names]
    if lacking:
        names_there = dict.fromkeys(name for names in present for name in sorted(names))
        there = format_list(names_there, limit=20)
        msg = f"columns names {format_list(lacking)}, which no frame has; there is {there}"
        raise ColumnRoleError(msg)
    columns_of_sides: list[Columns] = []
    for names, said in zip(present, of_sides, strict=True):
        shared = {role: name for role, name in common.items() if name is None or name in names}
        columns_of_sides.append({**shared, **said})
    truth, run = (
        set() if frame is None else set(_roles(frame, its, name, (), (*ORDER, *GRADE)))
        for frame, its, name in zip(frames, columns_of_sides, SIDES, strict=True)
    )
    if truth.intersection(ORDER) and run == {"grade"} and "grade" not in truth:
        msg = "y_true has scores and y_score has grades; are they swapped?"
        raise TypeError(msg)
    return columns_of_sides


def _roles(
    frame: nw.DataFrame[Any],
    columns: Columns,
    name: str,
    required: tuple[Role, ...],
    optional: tuple[Role, ...],
) -> dict[Role, str]:
    names = [column for column in frame.columns if isinstance(column, str)]
    side = SIDES[name]
    return find_roles(names, required, optional, columns=columns, where=name, side=side)


def side_of(
    frame: nw.DataFrame[Any], name: str, columns: Columns, labels: Collection[str] = ()
) -> Side:
    """The columns of queries and items, and of the other roles that are there.

    ``labels`` are columns that make slices or clusters.
    """
    kinds = GRADE if name == "y_true" else ORDER
    try:
        named = _roles(frame, columns, name, ("query", "item"), wanted_of(kinds, columns))
    except ColumnRoleError as error:
        msg = f"{error}; the metric functions take no columns=, there rename it. {_WIDE}"
        raise ColumnRoleError(msg) from None
    for column in (named["query"], named["item"]):
        kind = frame[column].dtype
        if kind.is_nested():
            msg = (
                f"column {safe_repr(column)} of {name} has dtype {safe_text(str(kind), limit=80)}, "
                "which is no id; pass numbers, text or dates"
            )
            raise TypeError(msg)
    if kinds == GRADE and "grade" not in {*named, *columns}:
        # BEIR calls a grade "score".
        grade = _roles(frame, columns, name, (), ("score",)).get("score")
        if grade is not None and frame[grade].dtype.is_integer():
            named["grade"] = grade
    names = [column for column in frame.columns if isinstance(column, str)]
    return Side(name, named, unread_columns(names, named, columns, kinds, labels), kinds)


_LOOKED = 10_000
"""Rows of a column of text, which is seen to be no grade by less."""


def different_values(
    frame: nw.DataFrame[Any], columns: list[str]
) -> dict[str, tuple[Collection[Any], int]]:
    """The different values of each column, and how many there are; none of dates and lists.

    A type that says "numbers" needs no look at them, unless their name is that of ids.
    """
    import narwhals as nw

    different: dict[str, tuple[Collection[Any], int]] = {}
    for name in columns:
        column = frame[name].alias("column").drop_nulls()
        dtype = column.dtype
        if dtype.is_temporal() or dtype.is_nested() or not len(column):
            continue
        if (dtype.is_numeric() or dtype == nw.Boolean) and not is_id_name(name):
            different[name] = (0,), 1
            continue
        with suppress(TypeError):  # of what cannot be a key, such as lists, and is no grade
            values = [value for value in column.unique().to_list() if not is_missing(value)]
            different[name] = values, len(column)
    return different


# Values ------------------------------------------------------------------------------------------


def truth_of(
    frame: nw.DataFrame[Any], named: Mapping[Role, str], *, about_queries: Any = None
) -> Qrels:
    """The rows of a frame as judgements."""
    queries, items = (_ids(frame, named[role], "y_true") for role in ("query", "item"))
    grades = _numbers(frame, named["grade"], "y_true") if "grade" in named else None
    return Qrels.from_columns(queries, items, grades=grades, about_queries=about_queries)


def run_of(
    frame: nw.DataFrame[Any], named: Mapping[Role, str], *, about_queries: Any = None
) -> Run:
    """The rows of a frame as rankings."""
    queries, items = (_ids(frame, named[role], "y_score") for role in ("query", "item"))
    about: dict[str, Any] = {"about_queries": about_queries}
    for role in ORDER:
        if role in named:
            about[f"{role}s"] = _numbers(frame, named[role], "y_score")
    if "distances" in about:
        about.setdefault("scores", negated(about.pop("distances")))
    if "ranks" in about:
        about["ranks_name"] = f"column {safe_repr(named['rank'])} of y_score"
    return Run.from_columns(queries, items, **about)


def _column(frame: nw.DataFrame[Any], column: str, name: str, *, is_id: bool) -> nw.Series[Any]:
    """A column in which nothing is missing."""
    # Under a name that Polars does not take for a pattern, as it would "^a.*$".
    series = frame[column].alias("column")
    may_be_nan = is_id and series.dtype.is_float()
    if series.null_count() or may_be_nan:
        missing = series.is_null() | series.is_nan() if may_be_nan else series.is_null()
        if missing.any():
            row = int(missing.arg_true()[0])
            msg = f"column {safe_repr(column)} of {name} contains missing values (row {row})"
            raise ValueError(msg)
    return series


def _ids(frame: nw.DataFrame[Any], column: str, name: str) -> IdColumn | list[Any]:
    """Ids of queries or items; text of Polars stays where it is."""
    import narwhals as nw

    if frame.implementation.is_pandas():
        coded = _factorized(frame[column].to_native())
        if coded is not None:
            return coded
    series = _column(frame, column, name, is_id=True)
    if series.dtype in (nw.Categorical, nw.Enum):
        series = series.cast(nw.String)
    is_polars = series.implementation.is_polars()
    if is_polars and (series.dtype == nw.String or series.dtype.is_integer()):
        plain: IdColumn = series.to_native()
        return plain
    ids: list[Any] = series.to_list()
    if series.dtype.is_temporal() and is_polars:
        times = series.to_native()
        if not type(times)("column", ids, times.dtype).equals(times):
            msg = (
                f"column {safe_repr(column)} of {name} holds times finer than a microsecond, which "
                "make no ids in Python; cast it to whole numbers or to text"
            )
            raise ValueError(msg)
    return ids


def _factorized(column: Any) -> CodedIds | None:
    """Ids of a column of pandas that holds integers or text alone; None for others."""
    if column.dtype.kind not in "iu":
        kind = sys.modules["pandas"].api.types.infer_dtype(column, skipna=False)
        if kind != "string":
            return None
    codes, distinct = column.factorize()
    if len(codes) and codes.min() < 0:
        return None  # something is missing
    return CodedIds(distinct.tolist(), codes.astype(np.int64, copy=False))


def _numbers(frame: nw.DataFrame[Any], column: str, name: str) -> Array:
    """Scores, ranks or grades in their own type."""
    series = _column(frame, column, name, is_id=False)
    texts: list[Any] = [] if series.dtype.is_numeric() else series.head(_LOOKED).to_list()
    texts = [value for value in texts if isinstance(value, str)]
    if texts and name == "y_true":
        listed = text_grades(texts).removeprefix("grades=")
        msg = (
            f"column {safe_repr(column)} of {name} holds strings, which are no grades; give each a "
            f"number: {name}[{safe_repr(column)}].map({listed}) in pandas, "
            ".replace_strict(...) in Polars"
        )
        raise TypeError(msg)
    return as_numbers(as_numpy(series), f"column {safe_repr(column)} of {name}")


DIVIDED_QUERY = "column {} is to make slices of queries, but query {} has both {} and {}"
"""Advice for a query with several labels."""


class QueryColumns:
    """Columns of a frame with values per query; queries are in column ``query``."""

    def __init__(self, frame: nw.DataFrame[Any], query: str) -> None:
        self.frame = frame
        self.query = query

    def __contains__(self, name: object) -> bool:
        return name in self.frame.columns

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label}; InvalidParameterError if a query has several."""
        queries, values = self.frame[self.query].to_list(), self.frame[name].to_list()
        rows = zip(queries, values, strict=True)
        labels = ((query, label) for query, label in rows if not is_missing(label))
        return one_label_each(name, labels, DIVIDED_QUERY)
