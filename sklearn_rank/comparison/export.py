"""Comparisons as plain objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Protocol

from sklearn_rank.comparison.settings import Settings
from sklearn_rank.comparison.values import Difference, SystemScore

COLUMNS = (
    "measure",
    "baseline",
    "system",
    "queries",
    "value",
    "difference",
    "low",
    "high",
    "effect",
    "p",
    "p_corrected",
    "wins",
    "ties",
    "losses",
    "detectable",
)
"""Those of the long table."""


class _Comparison(Protocol):
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def measures(self) -> tuple[str, ...]: ...
    @property
    def family_text(self) -> str: ...
    @property
    def all_pairs(self) -> bool: ...
    @property
    def counts(self) -> dict[str, Any]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> tuple[Difference, ...]: ...
    @property
    def scores(self) -> tuple[SystemScore, ...]: ...


def columns_of(rows: Sequence[Difference]) -> dict[str, list[Any]]:
    """The long table, column by column."""
    return {name: [getattr(row, name) for row in rows] for name in COLUMNS}


def to_dict(comparison: _Comparison, settings: Settings) -> dict[str, Any]:
    """Everything as plain Python objects, NaN as None."""
    return {
        "names": list(comparison.names),
        "measures": list(comparison.measures),
        **asdict(settings),
        "family_text": comparison.family_text,
        "all_pairs": comparison.all_pairs,
        "counts": comparison.counts,
        "notes": list(comparison.notes),
        "rows": [_plain(asdict(row)) for row in comparison.rows],
        "scores": [_plain(asdict(score)) for score in comparison.scores],
    }


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in fields.items()
    }
