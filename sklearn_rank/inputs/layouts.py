"""The layouts of inputs: one record each, told apart by the type of ``y_true``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Set
from typing import Any, NamedTuple, Unpack

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, RankingDataWarning, RankingOrderWarning
from sklearn_rank.inputs.arrays import from_matrix, from_rows, is_sparse
from sklearn_rank.inputs.frames import as_tables, is_frame
from sklearn_rank.inputs.hints import swap_suspicion, with_mismatch_hint
from sklearn_rank.inputs.items import ItemReader
from sklearn_rank.inputs.join import from_lists, from_mapping, read_columns
from sklearn_rank.inputs.roles import SideColumns
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.ranking import TIE_RULES
from sklearn_rank.support.checks import check_flag, check_option, refuse_unordered
from sklearn_rank.support.runtime import warn
from sklearn_rank.typing import (
    Assume,
    Duplicates,
    Missing,
    NegativeGrades,
    RankingOptions,
    StringProvider,
)


class Layout(NamedTuple):
    """A form in which ground truth and rankings may come."""

    name: str
    y_true: str
    y_score: str
    query: str
    """These three as the documentation has them."""
    read: Callable[..., RankingData]
    """(y_true, y_score, **options of all layouts, **options of ``takes``)."""
    takes: frozenset[str]
    """Options besides weights, the rule of ties, the depth and the number of threads."""

    @property
    def has_ids(self) -> bool:
        """Whether items have ids, for a reader of items to compare and keep."""
        return "reader" in self.takes


_COMMON = frozenset({"sample_weight", *RankingOptions.__annotations__})
_LISTS = frozenset({"assume", "reader", "relevance"})
_LAYOUTS = (
    Layout(
        "rows",
        "1-D grades, array or list",
        "1-D scores",
        "the rows that share a value of `groups`",
        from_rows,
        frozenset({"groups", "negative_grades"}),
    ),
    Layout(
        "matrix",
        "a 2-D array of grades, dense or sparse",
        "a 2-D array of scores",
        "a row",
        from_matrix,
        frozenset({"candidates", "negative_grades"}),
    ),
    Layout(
        "lists",
        "per query a set, a list or `{item: grade}`; or one set for all queries",
        "a ranked list per query, best first",
        "an element",
        from_lists,
        _LISTS,
    ),
    Layout(
        "mapping",
        "`{query: set, list or {item: grade}}`",
        "`{query: ranked list or {item: score}}`",
        "a key",
        from_mapping,
        _LISTS | {"missing", "ignore_identical_ids"},
    ),
)
LAYOUTS: Mapping[str, Layout] = {layout.name: layout for layout in _LAYOUTS}


def layout_of(y_true: Any) -> str:
    """Name of the layout that ground truth of this type has; frames are read as mappings."""
    if type(y_true) is np.ndarray and y_true.ndim and y_true.dtype.kind in "biuf":
        return "rows" if y_true.ndim == 1 else "matrix"
    if is_sparse(y_true):
        return "matrix"
    if isinstance(y_true, Mapping) or is_frame(y_true):
        return "mapping"
    if isinstance(y_true, Set):
        return "lists"
    refuse_unordered(y_true, "y_true")
    shape = getattr(y_true, "shape", None)
    if shape is not None and len(shape) != 1:
        return "matrix"
    first = next((item for item in y_true if item is not None), None)
    if isinstance(first, (str, bytes)):
        msg = "y_true holds strings; pass a set, list or {item: grade} per query, or numbers"
        raise TypeError(msg)
    return "lists" if hasattr(first, "__len__") or hasattr(first, "__next__") else "rows"


class ReaderOptions(RankingOptions, total=False):
    """Options of the layout readers; defaults as of :func:`read_layout`."""

    groups: Any
    string_provider: StringProvider | None
    relevance: Any
    candidates: Any
    sample_weight: Any
    missing: Missing
    duplicates: Duplicates
    ignore_identical_ids: bool
    negative_grades: NegativeGrades
    assume: Assume | None
    keep_items: bool


# Rules -------------------------------------------------------------------------------------------

CHOICES: Mapping[str, Collection[str]] = {
    "ties": TIE_RULES,
    "missing": ("zero", "skip", "raise"),
    "duplicates": ("raise", "first"),
    "assume": ("complete", "partial"),
}
_IDS = "{name} applies to ranked lists and mappings; y_true is of the {layout} layout"
_FOREIGN = {
    "groups": "groups says which rows belong to a query, and y_true is of the {layout} layout, "
    "where each element is one; leave groups out",
    "candidates": "candidates says which cells of a matrix are ranked, and y_true is of the "
    "{layout} layout; leave out of y_score what cannot be ranked",
    "assume": "assume='partial' says that items without a grade are unjudged, and y_true is of the "
    "{layout} layout, which has a grade for every item; leave assume out",
    "string_provider": _IDS,
    "relevance": _IDS,
    "ignore_identical_ids": "ignore_identical_ids compares items with the ids of their queries, "
    "and y_true is of the {layout} layout, in which one of them has none; leave it out, or pass "
    "mappings or data frames",
}
"""Advice for arguments that belong to another layout."""


def _check_choices(owner: str, options: Mapping[str, Any]) -> None:
    for name, allowed in CHOICES.items():
        if name in options and not (name == "assume" and options[name] is None):
            check_option(options[name], name, allowed, owner)
    check_flag(options.get("ignore_identical_ids", False), "ignore_identical_ids", owner)


def _refuse_foreign(layout: Layout, **options: Any) -> None:
    """TypeError for options that mean nothing in this layout."""
    for name, rule in _FOREIGN.items():
        is_known = name in layout.takes or (rule is _IDS and layout.has_ids)
        if is_known or options.get(name) is None or options[name] is False:
            continue
        if not (name == "assume" and options[name] == "complete"):  # which arrays are
            raise TypeError(rule.format(name=name, layout=layout.name))


def check_table_options(owner: str, **options: Unpack[ReaderOptions]) -> None:
    """Refuse options that mean nothing for data frames, before a row of them is read."""
    _check_choices(owner, options)
    _refuse_foreign(LAYOUTS["mapping"], **options)


# Reading -----------------------------------------------------------------------------------------


def read_rankings(
    y_true: Any,
    y_score: Any,
    *,
    columns: SideColumns | None = None,
    owner: str = "evaluate",
    ranks_are_places: bool = False,
    **options: Unpack[ReaderOptions],
) -> RankingData:
    """Read any layout into judged rankings, or say what is wrong with it."""
    _check_choices(owner, options)
    y_true, y_score = as_tables(y_true, y_score, columns)
    if ranks_are_places and isinstance(y_score, Run):
        y_score = y_score.at_places()
    suspicion = swap_suspicion(y_true, y_score)
    if suspicion:
        warn(suspicion, RankingDataWarning)
    return read_layout(layout_of(y_true), y_true, y_score, **options)


def read_layout(
    name: str, y_true: Any, y_score: Any, **options: Unpack[ReaderOptions]
) -> RankingData:
    """The same for those who know the layout and have checked the words."""
    layout, ties = LAYOUTS[name], options.get("ties", "average")
    _refuse_foreign(layout, **options)
    for doubt in y_score.doubts if isinstance(y_score, Run) else ():
        warn(doubt, RankingOrderWarning)
    msg = ""
    if TIE_RULES[ties].by_id and not layout.has_ids:
        msg = (
            f"ties={ties!r} breaks ties by item ids, which arrays do not have; "
            "pass ties='stable' or another rule, or use a mapping layout"
        )
    elif options.get("relevance") is not None and ties not in ("average", "stable"):
        msg = (
            f"ties={ties!r} would reorder tied items, but ranked lists stand as given; "
            "pass {item: score} rankings instead of relevance=, or ties='stable'"
        )
    if msg:
        raise InvalidParameterError(msg)
    given: dict[str, Any] = {**options}
    keeps = given.pop("keep_items", False)
    ignores = given.pop("ignore_identical_ids", False)
    own = {key: given[key] for key in given if key in layout.takes or key in _COMMON}
    if not layout.has_ids:
        # Types are few where elements are many.
        elements = y_score if isinstance(y_score, (list, tuple)) else (y_score,)
        if any(issubclass(kind, (Set, Mapping)) for kind in set(map(type, elements))):
            msg = (
                f"y_true holds numbers (the {name} layout), but y_score holds sets or mappings; "
                "are y_true and y_score swapped?"
            )
            raise TypeError(msg)
        return layout.read(y_true, y_score, **own)
    provider = given.get("string_provider")
    are_tables = isinstance(y_true, Qrels) and isinstance(y_score, Run)
    if are_tables and not keeps and provider is None and given.get("relevance") is None:
        own = {key: given[key] for key in given if key == "assume" or key not in _FOREIGN}
        judged = read_columns(y_true, y_score, ignore_identical_ids=ignores, **own)
    else:
        rules = (given.get(key, "raise") for key in ("duplicates", "negative_grades"))
        own["reader"] = ItemReader(provider, *rules, ignores_identical=ignores, keeps=keeps)
        judged = layout.read(y_true, y_score, **own)
    return with_mismatch_hint(judged, y_true, y_score, provider)
