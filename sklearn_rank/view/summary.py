"""A run of gates, made of plain records, and its lines on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sklearn_rank.gates.verdict import State
from sklearn_rank.support.text import count, for_log, line, shown

if TYPE_CHECKING:
    from sklearn_rank.view.page import Section

TITLE = "ranking quality gates"
TITLE_WIDTH = 80
"""Width of a section's title without a terminal."""
IN_FULL = 3
"""Gates, and rows of their tables, that are shown in full; other gates have one row each."""


@dataclass(frozen=True)
class GateRun:
    """One gate, and the outcome of its test."""

    record: Mapping[str, Any]
    """``GateResult.as_dict()``."""
    test: str
    """Node id of the test."""
    outcome: str = "passed"
    """Outcome of the test: the first one other than "passed"; "xfailed" was expected."""
    section: Section | None = None
    """Its part of an HTML report."""

    @property
    def failed(self) -> bool:
        """Whether the gate fails the run."""
        return not self.record["passed"] and self.outcome != "xfailed"

    @property
    def gravity(self) -> tuple[bool, int, float]:
        """Sort key of gates: failed ones first, by state, then by their largest drop."""
        severity = list(State).index(self.record["state"])
        return not self.failed, -severity, -self.record["largest_fall"]

    @property
    def state(self) -> str:
        """State for people."""
        return "fail (expected)" if self.outcome == "xfailed" else str(self.record["state"])


@dataclass(frozen=True)
class Summary:
    """Everything to report at the end of a run."""

    gates: tuple[GateRun, ...] = ()
    problems: tuple[str, ...] = ()
    """Reasons for a red run beyond the outcomes of its tests."""
    remarks: tuple[str, ...] = ()
    """Warnings: problems that fail nothing."""
    required: tuple[str, ...] = ()
    """Gates that must run and pass."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    update: str = "pytest --rank-update"
    """Command that raises baselines."""
    quiet: bool = False
    """Whether to print no line for gates that pass."""

    @cached_property
    def ranked(self) -> list[GateRun]:
        """The gravest gates first."""
        return sorted(self.gates, key=lambda run: run.gravity)

    @property
    def failed(self) -> list[GateRun]:
        """The gates that fail the run."""
        return [run for run in self.ranked if run.failed]


# Terminal ----------------------------------------------------------------------------------------


def summary_lines(summary: Summary) -> list[str]:
    """One line per gate with its remedy; no line starts with data from a report."""
    lines = [
        line
        for run in summary.ranked
        if not summary.quiet or run.failed or run.record["written"]
        for line in _gate_lines(run)
    ]
    if summary.gates:
        lines.append(tally(summary.gates))
    lines += _about_baselines(summary)
    lines += [f"warning: {line(text)}" for text in summary.remarks]
    lines += [f"ERROR: {line(text)}" for text in summary.problems]
    return [for_log(line) for line in lines if line]


_STATE_WORDS = {"pass": "ok", "fail": "FAIL", "stale": "STALE"}


def _gate_lines(run: GateRun) -> list[str]:
    """One line, the power of the gate if it fails, and its remarks."""
    record, state = run.record, run.state
    word = _STATE_WORDS.get(state, state.upper() if state == "not confirmed" else state)
    lines = [f"{word}: {shown(record['name'], 60)}: {line(record['headline'], 400)}"]
    if run.failed and record["outlook"]:
        lines.append(f"  {record['outlook']}")
    return [*lines, *(f"  note: {note}" for note in record["notes"][:3])]


def tally(gates: Sequence[GateRun]) -> str:
    """``6 gates: 2 failed, 4 passed (1 not confirmed, 1 improved)``."""
    passed = [run for run in gates if run.record["passed"]]
    remarks = Counter(run.state for run in passed if run.state != "pass")
    said = ", ".join(f"{n} {state}" for state, n in remarks.items())
    numbers = {
        "failed": sum(run.failed for run in gates),
        "failed as expected": sum(run.outcome == "xfailed" for run in gates),
    }
    parts = [f"{n} {what}" if len(gates) > 1 else what for what, n in numbers.items() if n]
    word = f"{len(passed)} passed"
    if len(passed) == len(gates) > 0:
        word = "passed" if len(gates) == 1 else "all passed"
    parts += [word + (f" ({said})" if said else "")] * bool(passed or not gates)
    return f"{count(len(gates), 'gate')}: {', '.join(parts)}"


def answer(summary: Summary) -> str:
    """The verdicts of the gates, in a sentence."""
    failed, total = summary.failed, len(summary.gates)
    if not total and summary.problems:
        return line(summary.problems[0], 300)
    if not failed:
        return f"{tally(summary.gates)}{', and the run fails' if summary.problems else ''}"
    if total == 1:  # as the page of its comparison says it
        return f"Gate failed: {line(failed[0].record['headline'], 1000)}"
    return f"{failures(summary)}: {line(failed[0].record['headline'], 300)}"


def failures(summary: Summary) -> str:
    """``2 of 6 gates failed``."""
    return f"{len(summary.failed):,} of {count(len(summary.gates), 'gate')} failed"


def _about_baselines(summary: Summary) -> list[str]:
    """Baselines that can be raised, or were written."""
    lines, records = [], [run.record for run in summary.gates]
    n = sum(record["can_be_raised"] for record in records)
    if n:
        lines.append(f"{count(n, 'baseline')} can be raised: {summary.update}")
    for record in (record for record in records if record["written"]):
        changes = record["recorded_changes"].items()
        moves = [f"{name} {old:.4f} -> {new:.4f}" for name, (old, new) in changes]
        path = line(record["baseline"], 200)
        moved = f": {', '.join(moves)}" if moves else ""
        lines.append(f"baseline {record['written']}: {path}{moved}")
    return lines


def print_summary(summary: Summary) -> None:
    """Print a run of gates without pytest, failures first."""
    for n, run in enumerate(summary.failed):
        said = run.record["message" if n < IN_FULL else "brief"]
        print(f"FAILED {shown(run.record['name'], 60)}\n{said}\n")
    print(f" {TITLE} ".center(TITLE_WIDTH, "-"))
    print("\n".join(summary_lines(summary)))
