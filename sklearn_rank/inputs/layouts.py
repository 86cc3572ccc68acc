"""The layouts of inputs: one record each, chosen by the type of ``y_true``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, RankingMatchWarning, RankingOrderWarning
from sklearn_rank.inputs.arrays import from_matrix, from_rows, is_hashable, is_sparse
from sklearn_rank.inputs.frames import as_tables, is_frame
from sklearn_rank.inputs.hints import swap_suspicion
from sklearn_rank.inputs.items import are_bare_objects
from sklearn_rank.inputs.join import from_lists, from_mapping
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.roles import lists_of, names_of
from sklearn_rank.inputs.tables import Run
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.ranking import TIE_RULES
from sklearn_rank.support.checks import is_foreign_number, refuse_unordered
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import safe_repr

_Read: TypeAlias = Callable[[Any, Any, ReadOptions], RankingData]


_FIRST_ROWS = 100


class Layout(NamedTuple):
    """A supported form of ground truth and rankings."""

    name: str
    y_true: str
    y_score: str
    query: str
    """These three as the documentation has them."""
    read: _Read
    takes: frozenset[str]
    """Options that not every layout has."""

    @property
    def has_ids(self) -> bool:
        """Whether items have ids, to be compared and stored."""
        return "string_provider" in self.takes


_WITH_IDS = frozenset({"assume", "string_provider", "relevance"})
_LAYOUTS = (
    Layout(
        "rows",
        "1-D grades, array or list",
        "1-D scores",
        "the rows that share a value of `groups`",
        from_rows,
        frozenset({"groups", "candidates"}),
    ),
    Layout(
        "matrix",
        "a 2-D array of grades, dense or sparse",
        "a 2-D array of scores",
        "a row",
        from_matrix,
        frozenset({"candidates"}),
    ),
    Layout(
        "lists",
        "per query a set, a list or `{item: grade}`; or one set for all queries",
        "a ranked list per query, best first",
        "an element",
        from_lists,
        _WITH_IDS,
    ),
    Layout(
        "mapping",
        "`{query: set, list or {item: grade}}`",
        "`{query: ranked list or {item: score}}`",
        "a key",
        from_mapping,
        _WITH_IDS,
    ),
)
LAYOUTS: Mapping[str, Layout] = {layout.name: layout for layout in _LAYOUTS}

_FOREIGN = {
    one.name: list(dict.fromkeys(n for other in _LAYOUTS for n in other.takes - one.takes))
    for one in _LAYOUTS
}
"""Options of other layouts, by the name of a layout."""


def layout_of(y_true: Any, *, has_provider: bool = False) -> str:
    """Name of the layout for ground truth of this type; frames are read as mappings.

    A provider may read a list of objects, which are one truth for all queries.
    """
    if type(y_true) is np.ndarray and y_true.ndim and y_true.dtype.kind in "biuf":
        return "rows" if y_true.ndim == 1 else "matrix"
    if type(y_true) is dict:
        return "mapping"
    if is_sparse(y_true):  # of which some are mappings, too
        return "matrix"
    if isinstance(y_true, Mapping) or is_frame(y_true):
        return "mapping"
    if isinstance(y_true, Set):
        return "lists"
    refuse_unordered(y_true, "y_true")
    shape = getattr(y_true, "shape", None)
    if shape is not None and len(shape) != 1:
        return "matrix"
    first = first_of(y_true, "y_true")
    if isinstance(first, (str, bytes)):
        msg = (
            "y_true holds strings; pass a set, list or {item: grade} per query, or numbers. For a "
            "truth of all queries pass set(y_true), for a single query [y_true] and [y_score]"
        )
        raise TypeError(msg)
    if is_foreign_number(first):  # which has a length that it does not know
        return "rows"
    if hasattr(first, "__len__") or hasattr(first, "__next__"):
        return "lists"
    if are_bare_objects(y_true):
        if has_provider:
            return "lists"
        kind = type(first).__name__
        one = "set(y_true)" if is_hashable(first) else "y_true with string_provider="
        msg = (
            f"y_true holds {kind} objects; pass a set, list or {{item: grade}} per query; if it is "
            f"one truth for all queries, pass {one}"
        )
        raise TypeError(msg)
    return "rows"


def first_of(values: Any, name: str) -> Any:
    """The first item that is not None, which distinguishes rows from lists."""
    try:
        return next((item for item in values if item is not None), None)
    except Exception as error:  # of a scalar, or of another library's object
        kind = type(values).__name__
        msg = f"{name} is a {kind}, which has no items to read; pass an array, a list or a mapping"
        raise TypeError(msg) from error


# Reading -----------------------------------------------------------------------------------------


def refuse_foreign(layout: Layout, options: ReadOptions) -> None:
    """TypeError for options that do not apply to this layout."""
    for name in _FOREIGN[layout.name]:
        value = getattr(options, name)
        if value is None or value is False:
            continue
        if not (name == "assume" and value == "complete"):  # which arrays are
            advice = "leave it out"
            if name == "candidates" and layout.has_ids:
                advice = "rank only the candidates in y_score"
            if name == "groups" and layout.name == "matrix":
                advice = "leave it out, or pass y_true.ravel() if y_true is one column"
            takers = [other.name for other in _LAYOUTS if name in other.takes]
            msg = (
                f"{name} is only for the {' and '.join(takers)} layout{'s' * (len(takers) > 1)}, "
                f"but y_true has the {layout.name} layout; {advice}"
            )
            raise TypeError(msg)


def read_in_memory(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings from anything except Spark frames, with checked options."""
    y_true, y_score = as_tables(y_true, y_score, options.columns, options.labels)
    if not options.columns:
        _refuse_records(y_true, y_score)
    name = layout_of(y_true, has_provider=options.string_provider is not None)
    data = read_layout(name, y_true, y_score, options)
    suspicion = swap_suspicion(data, y_true)
    if suspicion:
        warn(suspicion, RankingMatchWarning)
    if not data.read_as and _are_same(y_true, y_score):
        data = replace(data, read_as="y_true and y_score are the same")
    return data


def _refuse_records(y_true: Any, y_score: Any) -> None:
    """TypeError for records that hold lists, and for a text in place of rankings."""
    is_text = isinstance(y_score, str)
    lists = {
        "y_true": _lists_in_records(y_true, "y_true", "relevant"),
        "y_score": _lists_in_records(y_true, "y_true", "retrieved")
        if is_text
        else _lists_in_records(y_score, "y_score", "retrieved"),
    }
    named = [name for name, way in lists.items() if way]
    msg = ""
    if named:
        ways = " and ".join(lists[name] for name in named)
        msg = f"{' and '.join(named)} hold{'s' * (len(named) == 1)} records; pass {ways}"
    elif is_text:
        msg = f"y_score is a str, {safe_repr(y_score)}; the order is y_true, y_score, measures"
    if msg:
        raise TypeError(msg)


def _lists_in_records(side: Any, name: str, which: str) -> str:
    """How the lists of records, as lines of JSON have them, are passed; "" of anything else."""
    is_mapping = isinstance(side, dict)
    values = side.values() if is_mapping else side if isinstance(side, (list, tuple)) else ()
    first = next(iter(values), None)
    if not isinstance(first, dict):
        return ""
    held = [key for key, value in first.items() if isinstance(value, (list, tuple, set))]
    lists = lists_of([key for key in held if isinstance(key, str)], which) if held else []
    if not lists:
        return ""
    if is_mapping:
        return f"{{query: row[{lists[0]!r}] for query, row in {name}.items()}}"
    queries = names_of([key for key in first if isinstance(key, str)], "query")
    row = f"row[{lists[0]!r}] for row in {name}"
    return f"{{row[{queries[0]!r}]: {row}}}" if queries else f"[{row}]"


def _are_same(y_true: Any, y_score: Any) -> bool:
    """Whether the scores are the grades, which is seen at the first that differ."""
    first = slice(_FIRST_ROWS)
    if type(y_true) is not np.ndarray or type(y_score) is not np.ndarray:
        return y_true is y_score
    return np.array_equal(y_true[first], y_score[first]) and np.array_equal(y_true, y_score)


def read_layout(name: str, y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings from one layout."""
    layout, ties = LAYOUTS[name], options.ties
    refuse_foreign(layout, options)
    for doubt in y_score.doubts if isinstance(y_score, Run) else ():
        warn(doubt, RankingOrderWarning)
    if TIE_RULES[ties].by_id and not layout.has_ids:
        msg = (
            f"ties={ties!r} breaks ties by item ids, which arrays do not have; "
            "pass ties='stable' or another rule, or use a mapping layout"
        )
        raise InvalidParameterError(msg)
    if options.relevance is not None and ties not in ("average", "stable"):
        msg = (
            f"ties={ties!r} would reorder tied items, but the order of ranked lists is given; "
            "pass {item: score} rankings instead of relevance=, or ties='stable'"
        )
        raise InvalidParameterError(msg)
    # Types are few where elements are many.
    elements = y_score if isinstance(y_score, (list, tuple)) else (y_score,)
    kinds = () if layout.has_ids else set(map(type, elements))
    if any(issubclass(kind, (Set, Mapping)) for kind in kinds):
        msg = (
            f"y_true holds numbers (the {name} layout), but y_score holds sets or mappings; "
            "are y_true and y_score swapped?"
        )
        raise TypeError(msg)
    return layout.read(y_true, y_score, options)
