"""Rules for tied items: one record each, on which checks, readers and the documentation draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sklearn_rank.support.checks import check_option
from sklearn_rank.typing import Ties


@dataclass(frozen=True)
class TieRule:
    """What becomes of equally scored items."""

    name: Ties
    order: str
    """The order of tied items, as the documentation has it."""
    by_place: bool = False
    """Whether tied items stand in the order in which they came, so that places must be kept."""
    by_id: bool = False
    """Whether they are put in falling order of their ids first, which takes ids."""


TIE_RULES: Mapping[str, TieRule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            TieRule("average", "the exact expectation over all orders"),
            TieRule("stable", "the order of the input", by_place=True),
            TieRule(
                "docid",
                "falling item ids, as trec_eval does; not for arrays, which have no ids",
                by_place=True,
                by_id=True,
            ),
            TieRule("optimistic", "relevant items first, the better grades before the others"),
            TieRule("pessimistic", "relevant items last, the better grades after the others"),
        )
    }
)


def grade_order(ties: str) -> str:
    """The rule if it puts tied items in the order of their grades; else empty."""
    return ties if ties in ("optimistic", "pessimistic") else ""


def check_ties(value: Any, owner: str) -> Ties:
    """``value`` if it names a rule for tied items."""
    return TIE_RULES[check_option(value, "ties", TIE_RULES, owner)].name
