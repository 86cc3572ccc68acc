"""The section at the end of a run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.report.rows import tally
from pytest_rankmetrics.report.summary import Summary
from pytest_rankmetrics.report.tables import gates_table
from pytest_rankmetrics.report.unconfirmed import unconfirmed
from sklearn_rank.support.text import for_log
from sklearn_rank.tables.text import to_text

TITLE = "ranking quality gates"


def write_summary(terminal: Any, summary: Summary) -> None:
    """Print the table and what is to be done; no line starts with data from a report."""
    show = summary.show
    lines: list[str] = []
    if show != "none":
        lines = _table(summary, failed_only=show == "failed")
        lines += _remarks(summary)
        lines += [tally(summary.gates)] if summary.gates else []
    lines += [*_can_be_raised(summary), *_unused(summary), *_written(summary)]
    lines += [f"warning: {formatting.line(text, 300)}" for text in summary.remarks]
    lines += unconfirmed(summary.gates)
    lines += [f"ERROR: {formatting.line(text, 300)}" for text in summary.problems]
    if lines:
        terminal.section(TITLE, sep="-", **({"red": True} if summary.problems else {}))
        for line in lines:
            terminal.write_line(for_log(line))


def _table(summary: Summary, *, failed_only: bool) -> list[str]:
    table = gates_table(summary, failed_only=failed_only, named_once=True)
    return to_text(table).split("\n") if table.rows else []


def _remarks(summary: Summary) -> list[str]:
    """Warnings and notes of gates, each behind the gate's name."""
    lines = []
    for run in summary.gates:
        name = formatting.shown(run.record["name"], limit=60)
        lines += [f"note on {name}: {note}" for note in run.record["notes"][:3]]
    return lines


def _can_be_raised(summary: Summary) -> list[str]:
    records = [run.record for run in summary.gates]
    n = sum(
        record["verdict"] == "improved" and bool(record["baseline"]) and not record["written"]
        for record in records
    )
    if not n or summary.settings["ratchet"] == "off":
        return []
    return [f"{formatting.count(n, 'baseline')} can be raised: {summary.update}"]


def _unused(summary: Summary) -> list[str]:
    if not summary.unused:
        return []
    n, verb = len(summary.unused), "belongs" if len(summary.unused) == 1 else "belong"
    shown = " ".join(shlex.quote(formatting.line(path, 200)) for path in summary.unused[:10])
    return [f"{formatting.count(n, 'baseline file')} {verb} to no test: git rm {shown}"]


def _written(summary: Summary) -> list[str]:
    written = [run.record for run in summary.gates if run.record["written"]]
    if not written:
        return []
    kinds = [record["written"] for record in written]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds)))
    lines = [f"baselines written: {counts}"]
    for record in written:
        moves = ", ".join(f"{name} {old:.4f} -> {new:.4f}" for name, (old, new) in _moves(record))
        reason = record["reason"]
        why = f"  (reason: {formatting.line(reason, 200)})" if reason else ""
        path = formatting.line(record["baseline"], 200)
        lines.append(f"  {record['written']} {path}  {moves}{why}".rstrip())
    return lines


def _moves(record: Mapping[str, Any]) -> list[tuple[str, list[float]]]:
    return list(record["moves"].items())
