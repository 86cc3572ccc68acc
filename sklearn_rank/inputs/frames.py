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
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError
from sklearn_rank.inputs.arrays import CodedIds, IntegerIds, is_hashable
from sklearn_rank.inputs.hits import list_among
from sklearn_rank.inputs.roles import (
    FEW_TEXTS,
    GRADE,
    ORDER,
    Columns,
    Role,
    check_columns,
    find_roles,
    is_id_name,
    is_known,
    names_of,
    refuse_unread,
    role_of,
    text_grades,
    unread_columns,
    wanted_of,
)
from sklearn_rank.inputs.tables import Qrels, Run, scores_of
from sklearn_rank.rankings.data import one_label_each
from sklearn_rank.support.checks import as_native, as_numbers, as_numpy, is_missing
from sklearn_rank.support.text import format_list, safe_repr, safe_text
from sklearn_rank.typing import Array

if TYPE_CHECKING:
    import narwhals as nw

    from sklearn_rank.inputs.tables import IdColumn

PLAIN = frozenset({np.ndarray, list, tuple, dict, set, frozenset})
"""Types that are clearly neither frames nor series nor file names."""
_WIDE = (
    "A frame needs a row for each query and item. Convert lists of items to a mapping, "
    "dict(zip(frame['query'], frame['items'])), and one column per item with .to_numpy(); without "
    "item ids, pass columns: frame['label'], frame['score'], groups=frame['query']"
)


def is_frame(values: Any) -> bool:
    """Whether this is a data frame of any kind; nothing is imported or computed."""
    kind = type(values)
    if kind in PLAIN or isinstance(values, (Mapping, np.ndarray)):
        return False
    return hasattr(kind, "columns") or hasattr(kind, "column_names")


def is_spark(values: Any) -> bool:
    """Whether this is a frame of Spark or of pandas on Spark."""
    return "pyspark" in sys.modules and any(
        kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pyspark"
        for kind in type(values).__mro__
    )


def as_tables(
    y_true: Any, y_score: Any, columns: Columns | None = None, labels: Collection[str] = ()
) -> tuple[Any, Any]:
    """Judgements and rankings with frames as long tables and indexed series as mappings.

    Arrays of other libraries become NumPy's; other objects are returned unchanged. ``labels`` are
    columns that make slices or clusters.
    """
    sides = {"y_true": y_true, "y_score": y_score}
    if columns is None and all(type(side) in PLAIN for side in sides.values()):
        return y_true, y_score
    y_true, y_score = (as_native(side, name) for name, side in sides.items())
    sides = {"y_true": y_true, "y_score": y_score}
    kinds = {name: type(side).__name__ for name, side in sides.items()}
    files = [name for name, side in sides.items() if isinstance(side, (str, os.PathLike))]
    are_files = all(isinstance(side, (str, os.PathLike, Run, Qrels)) for side in sides.values())
    msg = ""
    if files and (are_files or os.path.splitext(sides[files[0]])[1]):
        msg = (
            f"{files[0]} is a {kinds[files[0]]}; read files first: "
            "evaluate(read_qrels(...), read_run(...))"
        )
    elif isinstance(y_true, Run):
        msg = "y_true is a Run, which holds rankings; judgements come first: evaluate(qrels, run)"
    elif is_frame(y_true) or (is_frame(y_score) and isinstance(y_true, Mapping)):
        if not is_frame(y_score) and not isinstance(y_score, Mapping):
            msg = (
                f"y_true is a data frame, but y_score is a {kinds['y_score']}; pass a frame with a "
                "score or rank for each query and item, or a mapping"
            )
    elif columns is not None:
        msg = f"columns applies only to data frames; y_true is a {kinds['y_true']}"
    elif isinstance(y_true, Qrels) and isinstance(y_score, Run):
        _refuse_one_list(y_true, y_score)
        return y_true, y_score
    elif all(map(_is_series_of_lists, sides.values())):
        read = (_keyed(side, f"the index of {name}") for name, side in sides.items())
        return next(read), next(read)
    else:
        return y_true, y_score
    if msg:
        raise TypeError(msg)
    frames = [eager_frame(side, name) if is_frame(side) else None for name, side in sides.items()]
    for name, frame, given in zip(sides, frames, columns_of(columns, frames), strict=True):
        if frame is not None:
            side = side_of(frame, name, given, labels)
            side.refuse_spare(frame)
            reader = truth_of if name == "y_true" else run_of
            about = QueryColumns(frame, side.named["query"], side.named["item"])
            rest, bare = _without_bare_rows(frame, side)
            table = reader(rest, side.named, about_queries=about)
            sides[name] = table.of_queries([*table.query_ids, *bare]) if bare else table
    return sides["y_true"], sides["y_score"]


def _refuse_one_list(qrels: Qrels, run: Run) -> None:
    """ColumnRoleError if both sides are the same list of a file, so that every item is found."""
    item = run.roles.get("item", "")
    if "[]" in item and run.path and (qrels.path, qrels.roles.get("item")) == (run.path, item):
        msg = (
            f"{run.source}: {safe_repr(item)} is read as both the relevant and the retrieved "
            "items, so every item is found; name a list for each: columns={'item': ...}"
        )
        raise ColumnRoleError(msg)


def values_of(values: Any) -> Any:
    """{name: {query: number}} of a data frame with a row for each query, or of series."""
    if isinstance(values, Mapping):
        return {name: by_index(series, f"values of {name}") for name, series in values.items()}
    if not is_frame(values):
        return values
    frame = eager_frame(values, "values")
    query = find_roles(_names(frame), ("query",), where="values")["query"]
    queries, where = frame[query].to_list(), f"column {safe_repr(query)} of values"
    read = {}
    for name in _names(frame):
        column = frame[name].to_list()
        # A column of objects may hold numbers and None, as results of judge models do.
        kinds = {type(value) for value in column if not is_missing(value)}
        are_numbers = bool not in kinds and all(issubclass(kind, Number) for kind in kinds)
        if name != query and (frame[name].dtype.is_numeric() or (kinds and are_numbers)):
            read[name] = _distinct(queries, column, where)
    return read


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


def by_index(values: Any, name: str) -> Any:
    """A pandas series as {index: value}; anything else as it is."""
    is_series = hasattr(values, "iloc") and hasattr(values, "index") and not is_frame(values)
    return _keyed(values, f"the index of {name}") if is_series else values


def _keyed(series: Any, where: str) -> dict[Any, Any]:
    """{query: value} of a pandas series."""
    return _distinct(series.index.tolist(), series.tolist(), where)


def _distinct(queries: list[Any], values: list[Any], where: str) -> dict[Any, Any]:
    """{query: value}; ValueError if a query comes twice."""
    table = dict(zip(queries, values, strict=True))
    if len(table) < len(queries):
        twice = [query for query, times in Counter(queries).items() if times > 1]
        msg = f"{where} repeats queries: {format_list(twice)}; keep one row of each"
        raise ValueError(msg)
    return table


def eager_frame(values: Any, name: str) -> nw.DataFrame[Any]:
    """The frame as narwhals sees it."""
    import narwhals as nw

    try:
        frame: Any = nw.from_native(values)
    except (TypeError, ImportError) as error:
        methods = ("to_polars", "to_pandas", "to_arrow", "to_table")
        method = next((method for method in methods if hasattr(values, method)), None)
        hint = f"; pass {name}.{method}()" if method else f": {error}"
        msg = f"{name} is a {type(values).__name__} that cannot be read as a data frame{hint}"
        raise TypeError(msg) from error
    except nw.exceptions.DuplicateError as error:
        about = " ".join(str(error).split())
        msg = f"{name} has several columns with the same name; rename them ({about})"
        raise ColumnRoleError(msg) from error
    if isinstance(frame, nw.LazyFrame):
        msg = (
            f"{name} is a lazy {type(values).__name__}; call .collect() on it first "
            "(.pl() in DuckDB, .toPandas() in Spark)"
        )
        raise TypeError(msg)
    eager: nw.DataFrame[Any] = frame
    index = getattr(values, "index", None)
    for level in getattr(index, "names", ()):
        if isinstance(level, str) and is_known(level) and level not in eager.columns:
            how = f"pass {name}.reset_index() to make it a column"
            if not any(is_known(column) for column in _names(eager)):
                how += (
                    "; if each column is an item, give both frames the same rows and columns by "
                    ".reindex() and pass .to_numpy()"
                )
            msg = (
                f"the index of {name} is named {safe_repr(level)}, but an index is not read; {how}"
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
    """Columns without a role, if no column has one of ``kinds``."""
    kinds: tuple[Role, ...]
    """The grade, or what orders a ranking."""

    def refuse_spare(self, rows: nw.DataFrame[Any]) -> None:
        """ColumnRoleError if a spare column may be the grade, or what orders a ranking."""
        refuse_unread(different_values(rows, self.spare), self.name, self.kinds)


def columns_of(columns: Columns | None, frames: list[nw.DataFrame[Any] | None]) -> list[Columns]:
    """The columns that the caller names and a frame has; each must be in one of the frames.

    TypeError if only the truth has scores and only the ranking has grades.
    """
    given = check_columns(columns)
    present = [[] if frame is None else _names(frame) for frame in frames]
    there = dict.fromkeys(name for names in present for name in sorted(names))
    lacking = [name for name in given.values() if name is not None and name not in there]
    if lacking:
        listed = format_list(there, limit=20)
        msg = f"no frame has the column {format_list(lacking)} of columns=; they have {listed}"
        raise ColumnRoleError(msg)
    of_sides: list[Columns] = [
        {role: name for role, name in given.items() if name is None or name in names}
        for names in present
    ]
    truth, run = (
        {role for role in (*ORDER, *GRADE) if given.get(role) in names or names_of(names, role)}
        for names in present
    )
    if truth.intersection(ORDER) and run == {"grade"} and "grade" not in truth:
        msg = "y_true has scores and y_score has grades; are they swapped?"
        raise TypeError(msg)
    return of_sides


def _names(frame: nw.DataFrame[Any]) -> list[str]:
    return [column for column in frame.columns if isinstance(column, str)]


def side_of(
    frame: nw.DataFrame[Any], name: str, columns: Columns, labels: Collection[str] = ()
) -> Side:
    """The columns of queries and items, and of other roles that the frame has.

    ``labels`` are columns that make slices or clusters.
    """
    kinds, names = GRADE if name == "y_true" else ORDER, _names(frame)
    about: Any = {"columns": columns, "where": name}
    if not names:
        msg = f"column names of {name} are not strings; if each is an item, pass .to_numpy()"
        raise ColumnRoleError(msg)
    try:
        named = find_roles(names, ("query", "item"), wanted_of(kinds, columns), **about)
    except ColumnRoleError as error:
        msg = f"{error} (metric functions take no columns=; rename the column). {_WIDE}"
        raise ColumnRoleError(msg) from None
    for column in (named["query"], named["item"]):
        _refuse_no_ids(frame[column], f"column {safe_repr(column)} of {name}")
    if kinds == GRADE and "grade" not in {*named, *columns}:
        # BEIR calls a grade "score".
        grade = find_roles(names, (), ("score",), **about).get("score")
        if grade is not None and frame[grade].dtype.is_integer():
            named["grade"] = grade
    return Side(name, named, unread_columns(names, named, columns, kinds, labels), kinds)


def _refuse_no_ids(column: nw.Series[Any], where: str) -> None:
    """TypeError for a column of lists, or of times, which libraries round differently."""
    import narwhals as nw

    kind, what = column.dtype, ""
    if kind.is_nested() or (kind == nw.Object and not all(map(is_hashable, column.head(1)))):
        what = f"contains lists instead of one id per row. {_WIDE}"
    elif kind.is_temporal():
        what = f"has dtype {safe_text(str(kind), limit=80)}; ids must be numbers or strings"
    if what:
        msg = f"{where} {what}"
        raise TypeError(msg)


_LOOKED_VALUES = 10_000
"""Rows of a text column that are looked at for grades."""


def different_values(
    frame: nw.DataFrame[Any], columns: list[str]
) -> dict[str, tuple[Collection[Any], int]]:
    """Distinct values of each column and the number of values; empty for dates and lists.

    Numeric values are only inspected if the name is that of an id.
    """
    import narwhals as nw

    different: dict[str, tuple[Collection[Any], int]] = {}
    for name in columns:
        column = frame[name].alias("column").drop_nulls()
        dtype = column.dtype
        if dtype.is_temporal() or dtype.is_nested() or not len(column):
            continue
        if (dtype.is_numeric() or dtype == nw.Boolean) and not is_id_name(name):
            different[name] = (False if dtype == nw.Boolean else 0,), 1
            continue
        with suppress(TypeError):  # of what cannot be a key, such as lists, and is no grade
            given = column if dtype == nw.Object else column.unique()
            values = [value for value in dict.fromkeys(given.to_list()) if not is_missing(value)]
            different[name] = values, len(column)
    return different


# Values ------------------------------------------------------------------------------------------


def truth_of(
    frame: nw.DataFrame[Any], named: Mapping[Role, str], *, about_queries: Any = None
) -> Qrels:
    """The rows of a frame as judgements."""
    queries, items = (_ids(frame, named[role], "y_true") for role in ("query", "item"))
    _refuse_lists_as_text(items, f"column {safe_repr(named['item'])} of y_true")
    grades = _numbers(frame, named["grade"], "y_true") if "grade" in named else None
    return Qrels.from_columns(queries, items, grades=grades, about_queries=about_queries)


def run_of(
    frame: nw.DataFrame[Any], named: Mapping[Role, str], *, about_queries: Any = None
) -> Run:
    """The rows of a frame as rankings."""
    queries, items = (_ids(frame, named[role], "y_score") for role in ("query", "item"))
    _refuse_lists_as_text(items, f"column {safe_repr(named['item'])} of y_score")
    about: dict[str, Any] = {"about_queries": about_queries}
    for role in ORDER:
        if role in named:
            about[f"{role}s"] = _numbers(frame, named[role], "y_score")
    about["scores"] = scores_of(about.get("scores"), about.pop("distances", None), "y_score")
    if "ranks" in about:
        about["ranks_name"] = f"column {safe_repr(named['rank'])} of y_score"
    return Run.from_columns(queries, items, **about)


def _without_bare_rows(frame: nw.DataFrame[Any], side: Side) -> tuple[nw.DataFrame[Any], list[Any]]:
    """The rows that have more than a query, and the queries that have no such rows."""
    if not frame[side.named["item"]].null_count():
        return frame, []
    is_bare = frame[side.named["item"]].is_null()
    for role in side.kinds:
        if role in side.named:
            is_bare = is_bare & frame[side.named[role]].is_null()
    rest, queries = frame.filter(~is_bare), frame[side.named["query"]]
    named = set(rest[side.named["query"]].to_list())
    bare = queries.filter(is_bare).to_list()
    if not named or not named.isdisjoint(bare) or any(map(is_missing, bare)):
        return frame, []  # in which something is missing
    return rest, list(dict.fromkeys(bare))


def _refuse_lists_as_text(items: IdColumn | list[Any], where: str) -> None:
    """TypeError for items that are texts of lists."""
    if isinstance(items, IntegerIds):
        return
    found = list_among(items.distinct if isinstance(items, CodedIds) else items)
    if found:
        msg = f"{where}: {found[1]}"
        raise TypeError(msg)


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
    """Ids of queries or items; Polars' text is not copied."""
    import narwhals as nw

    if frame.implementation.is_pandas():
        coded = _factorized(frame[column].to_native())
        if coded is not None:
            return coded
    series = _column(frame, column, name, is_id=True)
    try:
        if series.dtype in (nw.Categorical, nw.Enum):
            series = series.cast(nw.String)
        is_plain = series.dtype == nw.String or series.dtype.is_integer()
        if is_plain and series.implementation.is_polars():
            plain: IdColumn = series.to_native()
            return plain
        ids: list[Any] = series.to_list()
    except UnicodeError as error:
        msg = f"column {safe_repr(column)} of {name} is not valid Unicode: {error}"
        raise ValueError(msg) from error
    return ids


def _factorized(column: Any) -> CodedIds | IntegerIds | None:
    """Ids of a pandas column of only integers or only text; None for others."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iu" and np.can_cast(dtype, np.int64):
        return IntegerIds(column.to_numpy())
    if dtype.kind not in "iu":
        kind = sys.modules["pandas"].api.types.infer_dtype(column, skipna=False)
        if kind != "string":
            return None
    codes, distinct = column.factorize()
    if len(codes) and codes.min() < 0:
        return None  # something is missing
    return CodedIds(distinct.tolist(), codes.astype(np.int64, copy=False))


def _numbers(frame: nw.DataFrame[Any], column: str, name: str) -> Array:
    """Scores, ranks or grades in the type of the column."""
    series = _column(frame, column, name, is_id=False)
    texts: list[Any] = [] if series.dtype.is_numeric() else series.head(_LOOKED_VALUES).to_list()
    texts = [value for value in texts if isinstance(value, str)]
    if texts and name == "y_true":
        listed = text_grades(texts).removeprefix("grades=")
        msg = (
            f"column {safe_repr(column)} of {name} holds strings, which are not grades; give each "
            f"a number: {name}[{safe_repr(column)}].map({listed}) in pandas, "
            ".replace_strict(...) in Polars"
        )
        raise TypeError(msg)
    return as_numbers(as_numpy(series), f"column {safe_repr(column)} of {name}")


DIVIDED_QUERY = "column {} needs one value per query, but query {} has both {} and {}"
"""Advice for a query with several labels."""


_MOST_QUERIES = 0.9


class QueryColumns:
    """Columns of a frame with values per query; queries are in column ``query``."""

    def __init__(self, frame: nw.DataFrame[Any], query: str, item: str) -> None:
        self.frame = frame
        self.query = query
        self.item = item

    def __contains__(self, name: object) -> bool:
        return name in self.frame.columns

    def systems(self, y_true: str, y_score: str) -> str:
        """Advice if a column tells rows of an item apart, each value with most queries; or ""."""
        frame, n_queries = self.frame, self.frame[self.query].n_unique()
        for name in frame.columns:
            if name in (self.query, self.item) or role_of(name) or frame[name].dtype.is_float():
                continue
            n = frame[name].n_unique()
            with_query = frame.select([self.query, name]).unique()
            if not 2 <= n <= FEW_TEXTS or len(with_query) < _MOST_QUERIES * n * n_queries:
                continue
            if not frame.select([self.query, self.item, name]).is_duplicated().any():
                parts = "name: rows"
                if frame.implementation.is_pandas():
                    parts = f"name: part for name, part in {y_score}.groupby({safe_repr(name)})"
                elif frame.implementation.is_polars():
                    by = f"{y_score}.group_by({safe_repr(name)}, maintain_order=True)"
                    parts = f"name: part for (name,), part in {by}"
                return (
                    f"Column {safe_repr(name)} has {n} values: if they are systems, pass "
                    f"compare({y_true}, {{{parts}}})."
                )
        return ""

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label}; InvalidParameterError if a query has several."""
        queries, values = self.frame[self.query].to_list(), self.frame[name].to_list()
        rows = zip(queries, values, strict=True)
        labels = ((query, label) for query, label in rows if not is_missing(label))
        return one_label_each(name, labels, DIVIDED_QUERY)
