"""How an input is read: one value, from the public function to the sort."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_rank.rankings.ranking import TIE_RULES
from sklearn_rank.support.checks import check_option
from sklearn_rank.typing import (
    Assume,
    Duplicates,
    Missing,
    NegativeGrades,
    StringProvider,
    Ties,
)

if TYPE_CHECKING:
    from sklearn_rank.inputs.roles import Columns

_WORDS: Mapping[str, Collection[str]] = {
    "ties": TIE_RULES,
    "missing": ("zero", "skip", "raise"),
    "duplicates": ("raise", "first"),
    "assume": ("complete", "partial"),
}


RULES = ("missing", "duplicates", "negative_grades")
"""Options on which values depend, in addition to the rule of ties and the assumption."""


class ReadOptions(NamedTuple):
    """Options of :func:`evaluate` on which the data depend, and the name of the function."""

    owner: str = "evaluate"
    columns: Columns | None = None
    labels: tuple[str, ...] = ()
    """Columns for clusters or slices, not grades."""
    groups: Any = None
    string_provider: StringProvider | None = None
    relevance: Any = None
    candidates: Any = None
    sample_weight: Any = None
    ties: Ties = "average"
    missing: Missing = "zero"
    duplicates: Duplicates = "raise"
    negative_grades: NegativeGrades = "raise"
    assume: Assume | None = None
    presumed: Assume | None = None
    """What a convention assumes if ``assume`` does not say it."""
    keep_items: bool = False
    least_missed: int = 3
    """If so many queries find nothing at all, their ids are at fault; fewer may by chance."""

    def check(self) -> None:
        """InvalidParameterError for an invalid choice or flag."""
        for name, allowed in _WORDS.items():
            value = getattr(self, name)
            is_word = isinstance(value, str) and value in allowed
            if not is_word and not (name == "assume" and value is None):
                check_option(value, name, allowed, self.owner)
