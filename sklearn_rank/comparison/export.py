"""Comparisons as text, plain objects and data frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Protocol

from sklearn_rank.comparison.settings import Settings
from sklearn_rank.comparison.values import Difference, SystemScore
from sklearn_rank.evaluation.tables import FrameBackend
from sklearn_rank.support.parameters import check_option
from sklearn_rank.support.tables import aligned
from sklearn_rank.support.text import safe_text

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
    def counts(self) -> dict[str, Any]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> tuple[Difference, ...]: ...
    @property
    def scores(self) -> tuple[SystemScore, ...]: ...
    @property
    def level(self) -> float: ...


def columns_of(rows: Sequence[Difference]) -> dict[str, list[Any]]:
    """The long table, column by column."""
    return {name: [getattr(row, name) for row in rows] for name in COLUMNS}


def to_frame(rows: Sequence[Difference], backend: FrameBackend) -> Any:
    """A native data frame with a row per difference."""
    import narwhals as nw

    check_option(backend, "backend", ("pandas", "polars", "pyarrow"), "to_frame")
    return nw.from_dict(columns_of(rows), backend=backend).to_native()


def to_dict(comparison: _Comparison, settings: Settings) -> dict[str, Any]:
    """Everything as plain Python objects, NaN as None."""
    return {
        "names": list(comparison.names),
        "measures": list(comparison.measures),
        **asdict(settings),
        "family_text": comparison.family_text,
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


def to_text(comparison: _Comparison) -> str:
    """A row per difference, then the family of tests and the notes."""
    interval = f"{100 * comparison.level:g} % interval"
    titles = ("measure", "system", "value", "difference", interval, "p", "w/t/l")
    rows = [titles, *map(_text_row, comparison.rows)]
    lines = aligned(rows, "<<>")
    return "\n".join([*lines, comparison.family_text, *comparison.notes])


def _text_row(row: Difference) -> tuple[str, ...]:
    return (
        row.measure,
        f"{safe_text(row.system)} - {safe_text(row.baseline)}",
        f"{row.value:.4f}",
        f"{row.difference:+.4f}",
        "" if math.isnan(row.low) else f"{row.low:+.4f}..{row.high:+.4f}",
        "" if math.isnan(row.p_corrected) else f"{row.p_corrected:.4f}",
        "" if row.wins is None else f"{row.wins}/{row.ties}/{row.losses}",
    )
