"""How a scorer reads estimators and data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sklearn_rank._responses import AUTO
from sklearn_rank._text import safe_repr
from sklearn_rank._validation import check_flag, check_option, check_query_name, check_zero_division
from sklearn_rank.inputs.dispatch import TIES
from sklearn_rank.typing import StringProvider, Ties, ZeroDivision


@dataclass(frozen=True)
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
        if self.relevance is not None and not isinstance(self.relevance, Mapping):
            msg = f"relevance must be a mapping {{label: grade}}, got {safe_repr(self.relevance)}"
            raise TypeError(msg)
        if self.relevance is not None and self.pos_label is not None:
            msg = "pass pos_label or relevance, not both: each says which labels are relevant"
            raise TypeError(msg)
        check_option(self.response_method, "response_method", ("auto", *AUTO), owner)
        check_flag(self.one_query, "one_query", owner)
        check_option(self.ties, "ties", TIES, owner)
        check_zero_division(self.zero_division, owner)

    def changed(self) -> dict[str, Any]:
        """Options that are not the default."""
        values = {option: getattr(self, option) for option in OPTION_NAMES}
        return {
            option.name: values[option.name]
            for option in fields(self)
            if values[option.name] is not option.default and values[option.name] != option.default
        }


OPTION_NAMES = tuple(option.name for option in fields(ScorerOptions))
