"""What the demonstration prints: plain text, ASCII, at most 100 characters wide."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

SHOWN = 5
"""Candidates of a search that are printed, best first; the worst follows."""


def search_table(results: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """The best candidates of a search and the worst, with mean and spread over the folds.

    ``names`` maps the parameters to print to the titles of their columns.
    """
    order = np.argsort(-results["mean_test_score"], kind="stable").tolist()
    left_out = max(0, len(order) - SHOWN - 1)
    rows = [["rank", "MAP", "+-", *names.values()]]
    for place, candidate in enumerate(order):
        if SHOWN <= place < len(order) - 1:
            continue
        mean, spread = (results[f"{kind}_test_score"][candidate] for kind in ("mean", "std"))
        values = [_shown(results["params"][candidate].get(name, "-")) for name in names]
        rows.append([str(place + 1), f"{mean:.4f}", f"{spread:.4f}", *values])
    lines = _columns(rows)
    if left_out:
        lines.insert(-1, f"... {left_out} more ...")
    return indented("\n".join(lines))


def gate(test: str, measured: float, *, needs_groups: bool = False) -> str:
    """The test that would protect a measured MAP."""
    threshold = f"{math.floor(measured * 100) / 100:.2f}"
    data = "y_true, y_score, groups" if needs_groups else "y_true, y_score"
    groups = ", groups=groups" if needs_groups else ""
    return f"""\
The gate that would protect it (MAP {measured:.6f}, rounded down):

    from pytest_rankmetrics import assert_map_at_least

    def {test}({data}):
        assert_map_at_least(y_true, y_score, {threshold}{groups})"""


def indented(text: str) -> str:
    """The text with four spaces before every line."""
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def titled(title: str, *paragraphs: str) -> str:
    """Paragraphs under an underlined title."""
    return "\n\n".join([f"{title}\n{'=' * len(title)}", *paragraphs])


def _shown(value: Any) -> str:
    """A parameter's value; an estimator as the name of its class."""
    return type(value).__name__ if hasattr(value, "get_params") else str(value)


def _columns(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
