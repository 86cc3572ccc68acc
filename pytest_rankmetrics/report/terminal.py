"""The table of all gates, and the section at the end of a run that shows it."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics._support.records import FAILED
from pytest_rankmetrics.policy.verdicts import TOO_FEW, assess_threshold
from pytest_rankmetrics.report.summary import GateRun, Summary
from sklearn_rank.support.text import for_log
from sklearn_rank.tables.formats import to_text
from sklearn_rank.tables.table import DIGITS, Cell, Column, Table, number_cell, text_cell

TITLE = "ranking quality gates"
WIDTH = 80
"""Of a section's title, as pytest prints it where it does not know the terminal."""
_UNDECIDED = {"warn": "NOT CONFIRMED", "cannot tell": "CANNOT TELL"}
MOST_SLICES = 20
"""Rows of one gate in the summary: the message has the others."""
_ROUNDED = 2e-6
"""Values of a baseline are rounded to six places, and so are those that they are compared with."""
_SAID = {"fail": "FAIL", "stale": "FAIL", "pass": "ok", "cannot tell": "CANNOT TELL"}
_GRAVITY = ("stale", "fail", "cannot tell", "warn", "not gated", "new", "improved", "pass")
_COLUMNS = (
    Column("gate", longest=None),
    Column("metric", longest=None),
    Column("now", "number"),
    Column("limit", "number"),
    Column("baseline", "number"),
    Column("change", "number"),
    Column("verdict", longest=None),
)


@dataclass(frozen=True)
class Row:
    """One measure of one gate, over all queries or those of a slice."""

    gate: str
    """Node id, as in ``tests/test_search.py::test_bm25``."""
    name: str
    """Name, as in ``test_bm25``."""
    metric: str = ""
    now: float | None = None
    limit: str = ""
    baseline: float | None = None
    change: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    queries: int | None = None
    verdict: str = ""
    reason: str = ""
    undecided_fails: bool = False
    """Whether the gate fails because it cannot tell."""

    @property
    def failed(self) -> bool:
        """Whether the row is a reason for the gate's failure."""
        return self.verdict in FAILED or (self.undecided_fails and self.verdict == "cannot tell")

    @property
    def is_fine(self) -> bool:
        """Whether there is nothing to say of it."""
        return self.verdict in ("pass", "improved", "not gated") and not self.reason

    @property
    def outcome(self) -> str:
        """Verdict and reason in a table."""
        if self.verdict == "not gated":
            return self.reason
        return f"{_SAID.get(self.verdict, self.verdict)}  {self.reason}".rstrip()


def gate_rows(run: GateRun) -> list[Row]:
    """The rows of one gate, the worst first; a gate without measures still has one."""
    record = run.record
    gate = formatting.line(record["nodeid"], 200)
    name = formatting.shown(record["name"], limit=60)
    if not run.alone and record["name"] != run.own_name:
        gate = f"{gate} {name}"
    bare, metrics = Row(gate, name), record["metrics"].values()
    rows = [_row(bare, metric, record) for metric in metrics]
    for own in filter(_is_apart, metrics):
        if limit := _limit(own):  # of the value over all queries: the row before is about some
            verdict, reason = assess_threshold(own["value"], own["at_least"], own["at_most"])
            row = replace(bare, metric=own["name"], now=own["value"], limit=limit)
            row = replace(row, queries=own["queries"], verdict=verdict.value, reason=reason)
            rows.append(row)
    slices = sorted(record["slices"], key=lambda part: _gravity(part["verdict"]))
    rows += [_row(bare, part, record) for part in slices[:MOST_SLICES]]
    if record["verdict"] == "cannot tell":
        rows = [replace(row, undecided_fails=run.failed) for row in rows]
    if not rows or (run.failed and not any(row.failed for row in rows)):
        # Drop the remedy; the message has it.
        text = formatting.line(record["headline"].partition("; ")[0].partition(" - ")[0], 100)
        rows.insert(0, replace(bare, verdict=record["verdict"], reason=text))
    rows.sort(key=lambda row: (row.metric.startswith(". "), _gravity(row.verdict)))
    if record["verdict"] == "xfail":
        rows = [replace(row, verdict="xfail") if row.failed else row for row in rows]
    remarkable = any(row.verdict in ("warn", "cannot tell") or row.failed for row in rows)
    if record["warnings"] and not remarkable:
        text = formatting.line(record["warnings"][0], 80)
        rows[0] = replace(rows[0], verdict="warn", reason=text)
    if run.tries > 1:
        note = f"({ {2: '2nd', 3: '3rd'}.get(run.tries, f'{run.tries}th') } try)"
        rows[0] = replace(rows[0], reason=f"{rows[0].reason} {note}".strip())
    return rows


def _gravity(verdict: str) -> int:
    return _GRAVITY.index(verdict) if verdict in _GRAVITY else len(_GRAVITY)


def _row(bare: Row, own: Mapping[str, Any], record: Mapping[str, Any]) -> Row:
    """A measure over the compared queries, or over those of a slice."""
    verdict, reason, interval = own["verdict"], own["reason"], own["change_ci"]
    name, now, limit = own["name"], own["value"], _limit(own)
    if "label" in own:
        name, interval = f". {own['label']} {name}", None
        if verdict in FAILED:
            reason = f"slice ({formatting.queries(own['queries'])})"
        elif record["verdict"] == "new" and verdict == "not gated":
            verdict, reason = "new", ""
    else:
        if verdict == "warn" or (verdict == "cannot tell" and reason == TOO_FEW):
            reason = f"{reason} ({formatting.p_phrase(own['p'])}, n={own['compared']})"
        if verdict == "cannot tell" and own["change_bounds"]:
            reason = f"{reason} ({formatting.reach(own['change_bounds'])})"
        if record["verdict"] == "new":
            verdict = "new"
        if verdict == "not gated":
            # Nothing is "ok" that has a baseline which could not be compared with.
            lost = record["verdict"] in FAILED and own["change"] is None
            verdict, reason = ("not compared" if lost else "pass"), ""
        if _is_apart(own):
            now, limit = own["baseline"] + own["change"], ""
    return replace(
        bare,
        metric=name,
        now=now,
        limit=limit,
        baseline=own["baseline"],
        change=own["change"],
        interval=None if interval is None or None in interval else tuple(interval),
        p=own["p"],
        queries=own["queries"],
        verdict=verdict,
        reason=reason,
    )


def _is_apart(metric: Mapping[str, Any]) -> bool:
    """Whether fewer queries were compared than measured, so that the two values differ."""
    if metric["change"] is None or metric["value"] is None:
        return False
    difference: float = metric["baseline"] + metric["change"] - metric["value"]
    return abs(difference) > _ROUNDED


def _limit(row: Mapping[str, Any]) -> str:
    value = math.nan if row["value"] is None else row["value"]
    for sign, key in ((">=", "at_least"), ("<=", "at_most")):
        if row[key] is not None:
            return f"{sign} {formatting.apart(value, row[key])[1]}"
    return ""


def tally(gates: Sequence[GateRun]) -> str:
    """``6 gates: 2 failed (1 cannot tell), 1 xfailed, 3 passed (1 warning, 1 improved)``."""
    groups: dict[str, Counter[str]] = {}
    for run in gates:
        verdict = run.record["verdict"]
        group = {"cannot tell": "cannot tell", "xfail": "xfailed"}.get(verdict, "passed")
        remarks = groups.setdefault("failed" if run.failed else group, Counter())
        remarks["gates"] += 1
        if run.failed and verdict == "cannot tell":
            remarks["cannot tell"] += 1
        elif group == "passed" and not run.failed:
            remarks["warning"] += bool(run.record["warnings"])
            remarks[verdict] += verdict in ("improved", "new")
    total, parts = formatting.count(len(gates), "gate"), []
    for group in filter(groups.get, ("failed", "cannot tell", "xfailed", "passed")):
        n, *said = (
            f"{n} {word}{'s' * (word == 'warning' and n > 1)}"
            for word, n in groups[group].items()
            if n
        )
        parts.append(n.replace("gates", group) + (f" ({', '.join(said)})" if said else ""))
    everything = f"{len(gates)} passed"
    return f"{total}: {'all passed' if parts == [everything] else ', '.join(parts)}"


def gates_table(summary: Summary, *, failed_only: bool = False, short: bool = False) -> Table:
    """A row for each measure of each gate.

    ``short`` leaves out repeated names, slices without a remark, and columns without a value.
    """
    rows: list[tuple[Cell, ...]] = []
    for run in summary.gates:
        if failed_only and not run.failed:
            continue
        gate = gate_rows(run)
        fine = [row for row in gate if short and row.metric.startswith(". ") and row.is_fine]
        if len(fine) > 1:
            gate = [row for row in gate if row not in fine]
            rest = f". {formatting.count(len(fine), 'other slice')}"
            gate.append(Row(gate[0].gate, gate[0].name, rest, verdict="pass"))
        for number, row in enumerate(gate):
            # As many digits as it takes to tell the value from its limit.
            digits = len(row.limit.partition(".")[2]) or DIGITS
            cells = (
                text_cell("" if short and number else row.gate),
                text_cell(row.metric),
                number_cell(row.now, digits=digits),
                Cell(row.limit),
                number_cell(row.baseline),
                number_cell(row.change, signed=True),
                text_cell(row.outcome),
            )
            rows.append(cells)
    table = Table(_COLUMNS, tuple(rows))
    for place in reversed(range(len(_COLUMNS))):
        if short and not any(cell.text for cell in table.column(place)):
            table = table.without(place)
    return table


# The section at the end of a run ------------------------------------------------------------------


def summary_lines(summary: Summary) -> list[str]:
    """The table and what is to be done; no line starts with data from a report."""
    lines: list[str] = []
    settings = summary.settings
    if summary.show != "none":
        table = gates_table(summary, failed_only=summary.show == "failed", short=True)
        lines += to_text(table).split("\n") if table.rows else []
        for run in summary.gates:
            name = formatting.shown(run.record["name"], limit=60)
            lines += [f"note on {name}: {note}" for note in run.record["notes"][:3]]
            lines += [f"{name}: {run.record['worth']}"] if run.record["worth"] else []
        lines += [tally(summary.gates)] if summary.gates else []
        rates = [rate for run in summary.gates if (rate := run.record["false_alarm"]) is not None]
        if rates:
            n, per_run = formatting.count(len(summary.gates), "gate"), "expected per run"
            text = f"{sum(rates):.2f} false alarms {per_run} ('cannot tell' not counted)"
            lines.append(f"{n}, {text}")
    lines += _about_baselines(summary)
    tight = [
        f"{formatting.shown(run.record['name'], limit=60)}: {run.record['too_tight']}"
        for run in summary.gates
        if run.record["too_tight"]
    ]
    remarks = [*tight, *summary.remarks]
    lines += [f"warning: {formatting.line(text, 300)}" for text in remarks]
    for run in summary.gates:  # the last lines of a run, for these gates may have passed
        word = _UNDECIDED.get(run.record["verdict"])
        said = run.record["headline"].removeprefix("Cannot tell: ")
        if word == "CANNOT TELL" and not run.failed and settings["cannot_tell"] == "ci":
            is_allowed = any(said.startswith(note) for note in run.record["notes"])
            word += "" if is_allowed else " (fails in CI)"
        if word and any(own["verdict"] in _UNDECIDED for own in run.record["metrics"].values()):
            gate = formatting.shown(run.record["name"], limit=60)
            lines.append(f"{word}: {gate}: {said}")
    lines += [f"ERROR: {formatting.line(text, 300)}" for text in summary.problems]
    return [*(for_log(line) for line in lines if line), *_annotations(summary)]


def _annotations(summary: Summary) -> list[str]:
    """A command for each failed gate to the GitHub job that shows it beside the test."""
    if not os.environ.get("GITHUB_ACTIONS"):
        return []
    commands = []
    for run in filter(attrgetter("failed"), summary.gates):
        file, line = run.record["nodeid"].partition("::")[0], run.line
        place = {"file": file, "line": line if file else None, "title": run.record["name"]}
        known = ",".join(
            f"{key}={for_log(formatting.line(str(value))).translate(_IN_COMMANDS)}"
            for key, value in place.items()
            if value
        )
        said = for_log(formatting.line(run.record["headline"], 1000)).replace("%", "%25")
        commands.append(f"::error {known}::{said}")
    return commands


_IN_COMMANDS = str.maketrans({"%": "%25", ",": "%2C", ":": "%3A"})


def _about_baselines(summary: Summary) -> list[str]:
    """Baselines to be raised, of no test, or written."""
    lines, records = [], [run.record for run in summary.gates]
    n = sum(
        any(own["gained"] for own in record["metrics"].values())
        and (record["verdict"] == "improved" and bool(record["baseline"]) and not record["written"])
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


def in_colour(lines: Sequence[str]) -> list[str]:
    """The lines with red and yellow verdicts, for a terminal."""
    return [_VERDICTS.sub(_painted, line) for line in lines]


_VERDICTS = re.compile(r"(?<=  )(?:FAIL|CANNOT TELL)\b|^(?:ERROR|FAILED)\b|\b[0-9]+ failed\b")


def _painted(found: re.Match[str]) -> str:
    return f"\x1b[{33 if found[0] == 'CANNOT TELL' else 31}m{found[0]}\x1b[0m"


def print_summary(summary: Summary, *, colour: bool) -> None:
    """Without pytest: what failed gates say, then the table of all gates."""
    lines = []
    for run in summary.gates:
        if run.failed:
            lines.append(f"FAILED {formatting.shown(run.record['name'], limit=200)}")
            lines += [for_log(f"  {line}".rstrip()) for line in run.message.splitlines()]
            lines.append("")
    table = summary_lines(summary)
    if table:
        lines += [f" {TITLE} ".center(WIDTH, "-"), *table]
    for line in in_colour(lines) if colour else lines:
        print(line)
