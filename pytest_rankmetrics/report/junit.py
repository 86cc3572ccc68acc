"""Gates as properties of a test case in a JUnit report: flat, and scalars only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_rankmetrics._support import formatting

_OF_METRIC = ("baseline", "change", "p", "verdict")
DECIMALS = 6
"""As in baselines."""


def properties(records: Sequence[dict[str, Any]]) -> dict[str, str | float | int]:
    """Names and values; where a test has several gates, each name starts with the gate's."""
    result: dict[str, str | float | int] = {}
    for record in records:
        own = formatting.line(record["name"], 200)
        prefix = "rank" if len(records) == 1 else f"rank.{own}"
        result[f"{prefix}.gate"] = own
        result[f"{prefix}.queries"] = record["queries"]
        result[f"{prefix}.verdict"] = record["verdict"]
        for name, metric in record["metrics"].items():
            if metric["value"] is not None:
                result[f"{prefix}.{name}"] = round(metric["value"], DECIMALS)
            for key in _OF_METRIC:
                value = metric[key]
                if value is not None:
                    shown = round(value, DECIMALS) if isinstance(value, float) else value
                    result[f"{prefix}.{name}.{key}"] = shown
    return result
