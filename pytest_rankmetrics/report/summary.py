"""A whole run as plain values: the session fills them in, and every report reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_rankmetrics._support.records import Show, is_red


@dataclass(frozen=True)
class GateRun:
    """One gate, and the outcome of its test."""

    record: Mapping[str, Any]
    """``GateResult.as_dict()``; the verdict is "xfail" where the test was expected to fail."""
    test: str
    """Node id of the test."""
    outcome: str = "passed"
    """Outcome of the test: the first one other than "passed"."""
    tries: int = 1
    alone: bool = True
    """Whether it is the only gate of its test."""
    by_query: Mapping[str, Any] | None = None
    """Its queries, for an HTML report."""
    line: int | None = None
    """Line of the test in its file, counted from 1."""

    @property
    def message(self) -> str:
        """Message of the gate, or its headline."""
        return str(self.record["message"] or self.record["headline"])

    @property
    def own_name(self) -> str:
        """Default name of the gate: that of its test."""
        return str(self.record["nodeid"]).partition("::")[2].replace("::", ".")

    @property
    def test_passed(self) -> bool:
        """Whether the test ran and passed; expected failures and skips do not count."""
        return self.outcome == "passed"

    @property
    def failed(self) -> bool:
        """Whether the gate fails the run."""
        return is_red(self.record)


@dataclass(frozen=True)
class Summary:
    """Everything to report at the end of a run."""

    gates: tuple[GateRun, ...] = ()
    problems: tuple[str, ...] = ()
    """Reasons for a red run beyond the outcomes of its tests."""
    remarks: tuple[str, ...] = ()
    """Warnings: problems that fail nothing."""
    unused: tuple[str, ...] = ()
    """Baseline files that belong to no test."""
    required: tuple[str, ...] = ()
    """Gates that have to run and pass."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    update: str = "pytest --rank-update"
    """Command that raises baselines."""
    show: Show = "all"

    def __bool__(self) -> bool:
        """Whether there is anything to report."""
        return bool(self.gates or self.problems or self.remarks or self.unused)
