"""A whole run as plain values: the session fills them in, and every report reads them.

pytest loads this module in every run, so it imports the standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Show = Literal["all", "failed", "none"]

ATTRIBUTE = "rank_records"
"""Attribute of a test's report that holds the records of its gates; pytest-xdist sends it on."""

PASSED = ("pass", "improved", "new", "warn")
FAILED = ("fail", "stale")


@dataclass(frozen=True)
class GateRun:
    """One gate, and what became of the test it ran in."""

    record: Mapping[str, Any]
    """``GateResult.as_dict()``; the verdict is "xfail" where the test was expected to fail."""
    test: str
    """Node id of the test."""
    test_passed: bool
    tries: int = 1
    alone: bool = True
    """Whether it is the only gate of its test."""

    @property
    def failed(self) -> bool:
        """Whether the gate fails the run."""
        return self.record["verdict"] in FAILED


@dataclass(frozen=True)
class Summary:
    """What there is to say at the end of a run."""

    gates: tuple[GateRun, ...] = ()
    problems: tuple[str, ...] = ()
    """Why the run fails although no test says so."""
    unused: tuple[str, ...] = ()
    """Baseline files that belong to no test."""
    deleted: bool = False
    """Whether those were deleted."""
    required: tuple[str, ...] = ()
    """Gates that have to run and pass."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    show: Show = "all"
    """Gates in the table of the terminal."""

    def __bool__(self) -> bool:
        """Whether there is anything to report."""
        return bool(self.gates or self.problems)
