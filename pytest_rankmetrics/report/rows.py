"""The table of all gates, as rows that the terminal, Markdown and HTML reports print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.policy.verdicts import TOO_FEW, assess_threshold
from pytest_rankmetrics.report.summary import FAILED, GateRun, Summary
from sklearn_rank.tables.table import DIGITS, Cell, Column, Table, number_cell, text_cell

MOST_SLICES = 20
"""Rows of one gate in the summary: the message has the others."""
_ROUNDED = 2e-6
"""Values of a baseline are rounded to six places, and so are those that they are compared with."""
_WORDS = {"fail": "FAIL", "stale": "FAIL", "pass": "ok", "cannot tell": "CANNOT TELL"}
_GRAVITY = ("stale", "fail", "cannot tell", "warn", "not gated", "new", "improved", "pass")


@dataclass(frozen=True)
class Row:
    """One measure of one gate, over all queries or those of a slice."""

    gate: str
    """Where it stands, as in ``tests/test_search.py::test_bm25``."""
    name: str
    """What it is called, as in ``test_bm25``."""
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
        """Whether this is why the gate fails."""
        return self.verdict in FAILED or (self.undecided_fails and self.verdict == "cannot tell")

    @property
    def outcome(self) -> str:
        """Verdict and reason in a table."""
        word = _WORDS.get(self.verdict, self.verdict)
        if self.verdict == "not gated":
            return self.reason
        return f"{word}  {self.reason}" if self.reason else word


def gate_rows(run: GateRun) -> list[Row]:
    """The rows of one gate, the worst first; a gate without measures still has one."""
    record = run.record
    gate = formatting.line(record["nodeid"], 200)
    own = record["nodeid"].partition("::")[2].replace("::", ".")
    name = formatting.shown(record["name"], limit=60)
    if not run.alone and record["name"] != own:
        gate = f"{gate} {name}"
    bare = Row(gate, name)
    metrics = record["metrics"].values()
    rows = [_metric_row(bare, metric, record) for metric in metrics]
    apart = [metric for metric in metrics if _is_apart(metric) and _limit(metric)]
    rows += [_threshold_row(bare, metric) for metric in apart]
    rows += _slice_rows(bare, record)
    if record["verdict"] == "cannot tell":
        rows = [replace(row, undecided_fails=run.failed) for row in rows]
    if not rows or (run.failed and not any(row.failed for row in rows)):
        # Drop the remedy; the message has it.
        text = formatting.line(record["headline"].partition("; ")[0].partition(" - ")[0], 100)
        rows.insert(0, replace(bare, verdict=record["verdict"], reason=text))
    rows.sort(key=lambda row: (row.metric.startswith(". "), _gravity(row.verdict)))
    if record["verdict"] == "xfail":
        rows = [replace(row, verdict="xfail") if row.failed else row for row in rows]
    if record["warnings"] and not any(
        row.verdict in ("warn", "cannot tell") or row.failed for row in rows
    ):
        text = formatting.line(record["warnings"][0], 80)
        rows[0] = replace(rows[0], verdict="warn", reason=text)
    if run.tries > 1:
        note = f"({ {2: '2nd', 3: '3rd'}.get(run.tries, f'{run.tries}th') } try)"
        rows[0] = replace(rows[0], reason=f"{rows[0].reason} {note}".strip())
    return rows


def _gravity(verdict: str) -> int:
    return _GRAVITY.index(verdict) if verdict in _GRAVITY else len(_GRAVITY)


def _metric_row(bare: Row, metric: dict[str, Any], record: Mapping[str, Any]) -> Row:
    verdict, reason = metric["verdict"], metric["reason"]
    if verdict == "warn" or (verdict == "cannot tell" and reason == TOO_FEW):
        reason = f"{reason} ({formatting.p_phrase(metric['p'])}, n={metric['compared']})"
    if verdict == "cannot tell" and metric["change_bounds"]:
        reason = f"{reason} ({formatting.reach(metric['change_bounds'])})"
    if record["verdict"] == "new":
        verdict = "new"
    if verdict == "not gated":
        # Nothing is "ok" that has a baseline which could not be compared with.
        lost = record["verdict"] == "stale" and metric["change"] is None
        verdict, reason = ("not compared" if lost else "pass"), ""
    interval, apart = metric["change_ci"], _is_apart(metric)
    return replace(
        bare,
        metric=metric["name"],
        now=metric["baseline"] + metric["change"] if apart else metric["value"],
        limit="" if apart else _limit(metric),
        baseline=metric["baseline"],
        change=metric["change"],
        interval=None if interval is None or None in interval else tuple(interval),
        p=metric["p"],
        queries=metric["queries"],
        verdict=verdict,
        reason=reason,
    )


def _is_apart(metric: Mapping[str, Any]) -> bool:
    """Whether fewer queries were compared than measured, so that the two values differ."""
    if metric["change"] is None or metric["value"] is None:
        return False
    difference: float = metric["baseline"] + metric["change"] - metric["value"]
    return abs(difference) > _ROUNDED


def _threshold_row(bare: Row, metric: Mapping[str, Any]) -> Row:
    """The limit of the value over all queries, where the row before is about some of them."""
    value = metric["value"]
    decision = assess_threshold(value, metric["at_least"], metric["at_most"])
    return replace(
        bare,
        metric=metric["name"],
        now=value,
        limit=_limit(metric),
        queries=metric["queries"],
        verdict=decision.verdict.value,
        reason=decision.reason,
    )


def _limit(row: Mapping[str, Any]) -> str:
    value = math.nan if row["value"] is None else row["value"]
    for sign, key in ((">=", "at_least"), ("<=", "at_most")):
        if row[key] is not None:
            return f"{sign} {formatting.apart(value, row[key])[1]}"
    return ""


def _slice_rows(bare: Row, record: Mapping[str, Any]) -> list[Row]:
    slices = sorted(record["slices"], key=lambda part: _gravity(part["verdict"]))
    rows = []
    for part in slices[:MOST_SLICES]:
        verdict, reason = part["verdict"], part["reason"]
        if verdict in FAILED:
            reason = f"slice ({formatting.queries(part['queries'])})"
        elif record["verdict"] == "new" and verdict == "not gated":
            verdict, reason = "new", ""
        own = {key: part[key] for key in ("baseline", "change", "p", "queries")}
        metric = f". {part['label']} {part['metric']}"
        row = replace(bare, metric=metric, now=part["value"], limit=_limit(part), **own)
        rows.append(replace(row, verdict=verdict, reason=reason))
    return rows


def all_rows(gates: Iterable[GateRun], *, failed_only: bool = False) -> Iterator[list[Row]]:
    """The rows of each gate."""
    for run in gates:
        if run.failed or not failed_only:
            yield gate_rows(run)


def tally(gates: Sequence[GateRun]) -> str:
    """``4 gates: 2 failed, 1 warning, 1 improved``."""
    verdicts = [run.record["verdict"] for run in gates]
    warned = sum(
        bool(run.record["warnings"]) and run.record["verdict"] != "cannot tell" for run in gates
    )
    parts = [
        (sum(verdict in FAILED for verdict in verdicts), "failed", "failed"),
        (warned, "warning", "warnings"),
        (verdicts.count("cannot tell"), "cannot tell", "cannot tell"),
        (verdicts.count("xfail"), "xfailed", "xfailed"),
        (verdicts.count("improved"), "improved", "improved"),
        (verdicts.count("new"), "new", "new"),
    ]
    said = [f"{n} {single if n == 1 else plural}" for n, single, plural in parts if n]
    return f"{formatting.count(len(verdicts), 'gate')}: {', '.join(said) or 'all passed'}"


_COLUMNS = (
    Column("gate", longest=None),
    Column("metric", longest=None),
    Column("now", "number"),
    Column("limit", "number"),
    Column("baseline", "number"),
    Column("change", "number"),
    Column("verdict", longest=None),
)


def gates_table(summary: Summary, *, failed_only: bool = False, named_once: bool = False) -> Table:
    """A row for each measure of each gate; ``named_once`` leaves out a name that is repeated."""
    rows = [
        _cells(row, named=not (named_once and number))
        for gate in all_rows(summary.gates, failed_only=failed_only)
        for number, row in enumerate(gate)
    ]
    return Table(_COLUMNS, tuple(rows))


def _cells(row: Row, *, named: bool) -> tuple[Cell, ...]:
    # As many digits as it takes to tell the value from its limit.
    digits = len(row.limit.partition(".")[2]) or DIGITS
    return (
        text_cell(row.gate if named else ""),
        text_cell(row.metric),
        number_cell(row.now, digits=digits),
        Cell(row.limit),
        number_cell(row.baseline),
        number_cell(row.change, signed=True),
        text_cell(row.outcome),
    )
