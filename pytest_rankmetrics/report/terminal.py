"""The section at the end of a run."""

from __future__ import annotations

import shlex
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.report.rows import gates_table, tally
from pytest_rankmetrics.report.summary import GateRun, Summary
from sklearn_rank.support.text import for_log
from sklearn_rank.tables.formats import to_text

TITLE = "ranking quality gates"
WIDTH = 80
"""Of a section's title, as pytest prints it where it does not know the terminal."""
_UNDECIDED = {"warn": "NOT CONFIRMED", "cannot tell": "CANNOT TELL"}


def summary_lines(summary: Summary) -> list[str]:
    """The table and what is to be done; no line starts with data from a report."""
    lines: list[str] = []
    if summary.show != "none":
        table = gates_table(summary, failed_only=summary.show == "failed", named_once=True)
        lines += to_text(table).split("\n") if table.rows else []
        for run in summary.gates:
            name = formatting.shown(run.record["name"], limit=60)
            lines += [f"note on {name}: {note}" for note in run.record["notes"][:3]]
        lines += [tally(summary.gates)] if summary.gates else []
    lines += _about_baselines(summary)
    lines += [f"warning: {formatting.line(text, 300)}" for text in summary.remarks]
    for run in summary.gates:  # the last lines of a run, for these gates may have passed
        metrics = [*run.record["metrics"].values()]
        lines += [_unconfirmed(run, own) for own in metrics if own["verdict"] in _UNDECIDED]
    lines += [f"ERROR: {formatting.line(text, 300)}" for text in summary.problems]
    return [for_log(line) for line in lines if line]


def _about_baselines(summary: Summary) -> list[str]:
    """Which can be raised, belong to no test, or were written."""
    lines, records = [], [run.record for run in summary.gates]
    n = sum(
        record["verdict"] == "improved" and bool(record["baseline"]) and not record["written"]
        for record in records
    )
    if n and summary.settings["ratchet"] != "off":
        lines.append(f"{formatting.count(n, 'baseline')} can be raised: {summary.update}")
    n = len(summary.unused)
    if n:
        names = " ".join(shlex.quote(formatting.line(path, 200)) for path in summary.unused[:10])
        files, verb = formatting.count(n, "baseline file"), "belongs" if n == 1 else "belong"
        lines.append(f"{files} {verb} to no test: git rm {names}")
    kinds = sorted(record["written"] for record in records if record["written"])
    if kinds:
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        lines.append(f"baselines written: {counts}")
    for record in (record for record in records if record["written"]):
        moves = [f"{name} {old:.4f} -> {new:.4f}" for name, (old, new) in record["moves"].items()]
        reason = record["reason"]
        why = f"  (reason: {formatting.line(reason, 200)})" if reason else ""
        path = formatting.line(record["baseline"], 200)
        lines.append(f"  {record['written']} {path}  {', '.join(moves)}{why}".rstrip())
    return lines


def _unconfirmed(run: GateRun, metric: dict[str, Any]) -> str:
    """A change that the data could not decide."""
    was, change, n = metric["baseline"], metric["change"], metric["compared"]
    if change is None:
        return ""
    gate, reach = formatting.shown(run.record["name"], limit=60), metric["change_bounds"]
    parts = [metric["reason"]] if metric["verdict"] == "cannot tell" else []
    parts += [formatting.reach(reach)] if reach else [formatting.p_phrase(metric["p"]), f"n={n}"]
    if metric["detectable"] and not reach:
        parts.append(
            f"{formatting.queries(n)} confirm drops of {metric['detectable']:.4f} in 4 cases of 5"
        )
    allowed = -metric["allowed"] if metric["greater_is_better"] else metric["allowed"]
    return (
        f"{_UNDECIDED[metric['verdict']]}: {gate} {metric['name']} "
        f"{was:.4f} -> {was + change:.4f} ({formatting.signed(change)}, "
        f"allowed {formatting.signed(allowed)}): {', '.join(filter(None, parts))}"
    )


def print_summary(summary: Summary, *, colour: bool) -> None:
    """Without pytest: what failed gates say, then the table of all gates."""
    red, plain = ("\x1b[31m", "\x1b[0m") if colour else ("", "")
    for run in summary.gates:
        if run.failed:
            print(f"{red}FAILED{plain} {formatting.shown(run.record['name'], limit=200)}")
            lines = run.message.splitlines()
            print(*(for_log(f"  {line}".rstrip()) for line in lines), "", sep="\n")
    lines = summary_lines(summary)
    if lines:
        print(f" {TITLE} ".center(WIDTH, "-"), *lines, sep="\n")
