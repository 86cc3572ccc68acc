"""Records of gates as plain values: everything that enters a report passes through here.

pytest loads this module in every run, so it imports the standard library only. A NumPy
scalar in a report kills the pytest-xdist worker that sends it, and the failing gate with it: the
run may then end green.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Literal

Show = Literal["all", "failed", "none"]
"""Gates in the table of the terminal."""

ATTRIBUTE = "rank_records"
"""Attribute of a test's report that holds the records of its gates; pytest-xdist sends it on."""

BY_QUERY = "by_query"
"""Key under which the queries of a gate travel in its record; other reports never see them."""

FAILED = ("fail", "stale")


def is_red(record: Mapping[str, Any]) -> bool:
    """Whether the gate of a record fails the run, if its failure was not expected."""
    verdict = record["verdict"]
    return verdict in FAILED or (verdict == "cannot tell" and not record["passed"])


def plain(value: Any) -> Any:
    """The value as None, bool, int, float, str, list and dict; what is not finite is None."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if type(value) is int:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(part) for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {own.name: plain(getattr(value, own.name)) for own in fields(value)}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(part) for part in value]
    if isinstance(value, str):
        # A lone surrogate cannot be sent to another process.
        return str.__str__(value).encode("utf-8", "backslashreplace").decode("utf-8")
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if hasattr(value, "__index__"):
        return int(value.__index__())
    return f"<{type(value).__name__}>"
