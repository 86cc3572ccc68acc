"""How a scorer reads estimators and data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.model_selection.responses import AUTO
from sklearn_rank.rankings.ties import check_ties
from sklearn_rank.support.parameters import (
    check_flag,
    check_number,
    check_option,
    check_query_name,
    check_zero_division,
)
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import StringProvider, Ties, ZeroDivision


@dataclass(frozen=True, eq=False)
class ScorerOptions:
    """How a scorer reads estimators and data; see :meth:`RankingScorer.with_options`."""

    groups_from: str = "qid"
    response_method: str = "auto"
    one_query: bool = False
    pos_label: Any = None
    relevance: Mapping[Any, float] | None = None
    string_provider: StringProvider | None = None
    ties: Ties = "average"
    zero_division: ZeroDivision = "warn"

    def __post_init__(self) -> None:
        owner = "with_options"
        check_query_name(self.groups_from, "groups_from")
        if self.relevance is not None:
            object.__setattr__(self, "relevance", self._read_relevance())
        check_option(self.response_method, "response_method", ("auto", *AUTO), owner)
        check_flag(self.one_query, "one_query", owner)
        check_ties(self.ties, owner)
        settled = check_zero_division(self.zero_division, owner)
        object.__setattr__(self, "zero_division", settled)

    def _read_relevance(self) -> dict[Any, float]:
        """A checked copy of {label: grade}."""
        if not isinstance(self.relevance, Mapping):
            msg = f"relevance must be a mapping {{label: grade}}, got {safe_repr(self.relevance)}"
            raise InvalidParameterError(msg)
        if self.pos_label is not None:
            msg = "pass pos_label or relevance, not both: each says which labels are relevant"
            raise InvalidParameterError(msg)
        return {
            label: check_number(grade, f"relevance[{safe_repr(label)}]", "with_options", at_least=0)
            for label, grade in self.relevance.items()
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScorerOptions) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.groups_from, self.response_method, self.one_query, self.ties))

    def _values(self) -> list[Any]:
        """All options; a NaN, which differs from itself, as a word."""
        values = [getattr(self, name) for name in OPTION_NAMES]
        return ["nan" if isinstance(value, float) and value != value else value for value in values]

    def changed(self) -> dict[str, Any]:
        """Options that are not the default."""
        values = {option: getattr(self, option) for option in OPTION_NAMES}
        return {
            option.name: values[option.name]
            for option in fields(self)
            if values[option.name] is not option.default and values[option.name] != option.default
        }


OPTION_NAMES = tuple(option.name for option in fields(ScorerOptions))
