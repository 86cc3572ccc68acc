"""The section at the end of a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.report.rows import gates_table, tally
from pytest_rankmetrics.report.summary import GateRun, Summary
from sklearn_rank.support.text import for_log
from sklearn_rank.tables.formats import to_text

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
    lines += _unconfirmed(summary.gates)
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


# What it could not decide ------------------------------------------------------------------------

_TITLES = {"warn": "NOT CONFIRMED", "cannot tell": "CANNOT TELL"}


def _unconfirmed(gates: Iterable[GateRun]) -> list[str]:
    """The last lines of a run, for these gates may have passed: what it could not decide."""
    return [
        _unconfirmed_line(formatting.shown(run.record["name"], limit=60), metric)
        for run in gates
        for metric in run.record["metrics"].values()
        if metric["verdict"] in _TITLES and metric["change"] is not None
    ]


def _unconfirmed_line(gate: str, metric: Mapping[str, Any]) -> str:
    was, change, n = metric["baseline"], metric["change"], metric["compared"]
    reach = metric["change_bounds"]
    parts = [metric["reason"]] if metric["verdict"] == "cannot tell" else []
    parts += [formatting.reach(reach)] if reach else [formatting.p_phrase(metric["p"]), f"n={n}"]
    if metric["detectable"] and not reach:
        parts.append(
            f"{formatting.queries(n)} confirm drops of {metric['detectable']:.4f} in 4 cases of 5"
        )
    said = ", ".join(filter(None, parts))
    allowed = -metric["allowed"] if metric["greater_is_better"] else metric["allowed"]
    return (
        f"{_TITLES[metric['verdict']]}: {gate} {metric['name']} {was:.4f} -> {was + change:.4f} "
        f"({formatting.signed(change)}, allowed {formatting.signed(allowed)}): {said}"
    )


# Without pytest ----------------------------------------------------------------------------------

WIDTH = 80
"""Of a section's title, as pytest prints it where it does not know the terminal."""
_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


class Terminal:
    """The part of pytest's terminal that the section of the gates is written to."""

    def section(self, title: str, sep: str = "-", **_: bool) -> None:
        """Print a title in the middle of a line."""
        print(f" {title} ".center(WIDTH, sep))

    def write_line(self, line: str) -> None:
        """Print a line."""
        print(line)


def print_summary(summary: Summary, *, colour: bool) -> None:
    """What failed gates say, then the table of all gates."""
    red, plain = (_RED, _PLAIN) if colour else ("", "")
    for run in summary.gates:
        if run.failed:
            print(f"{red}FAILED{plain} {formatting.shown(run.record['name'], limit=200)}")
            print(*(for_log(f"  {line}".rstrip()) for line in message_lines(run)), "", sep="\n")
    write_summary(Terminal(), summary)


def message_lines(run: GateRun) -> list[str]:
    """What a gate says."""
    text: str = run.record["message"] or run.record["headline"]
    return text.splitlines()
