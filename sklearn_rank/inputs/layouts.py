"""The layouts of an input: one record each, on which reading, refusals and the guide draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sklearn_rank.inputs.lists import from_lists
from sklearn_rank.inputs.mappings import from_mapping
from sklearn_rank.inputs.matrix import from_matrix
from sklearn_rank.inputs.rows import from_rows
from sklearn_rank.rankings.data import RankingData


@dataclass(frozen=True)
class Layout:
    """A form in which ground truth and rankings may come."""

    name: str
    y_true: str
    y_score: str
    query: str
    """These three as the documentation has them."""
    read: Callable[..., RankingData]
    """(y_true, y_score, **what all layouts are told, **what is named in ``takes``)."""
    takes: frozenset[str]
    """What this layout is told besides weights, the rule of ties and the number of threads."""

    @property
    def has_ids(self) -> bool:
        """Whether items have ids, for a reader of items to compare and keep."""
        return "reader" in self.takes


LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        layout.name: layout
        for layout in (
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
                frozenset({"assume", "reader", "relevance"}),
            ),
            Layout(
                "mapping",
                "`{query: set, list or {item: grade}}`",
                "`{query: ranked list or {item: score}}`",
                "a key",
                from_mapping,
                frozenset({"assume", "missing", "reader", "relevance"}),
            ),
        )
    }
)
