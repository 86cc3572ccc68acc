"""One Markdown table of all gates, and details of those that failed; all data escaped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.report.queries import worst_table
from pytest_rankmetrics.report.rows import Row, all_rows
from pytest_rankmetrics.report.summary import FAILED, Summary
from sklearn_rank.tables.formats import escape_markdown, markdown_rows, to_markdown
from sklearn_rank.tables.table import Column

MOST_BYTES = 1_000_000
"""A step summary may have 1 MiB; details are cut, the table is not."""
MOST_DETAILS = 20
"""More failed gates than this have one cause, and nobody unfolds them all."""

_SIGNS = {
    "fail": ":x:",
    "stale": ":x:",
    "cannot tell": ":grey_question: cannot tell",
    "warn": ":warning:",
    "xfail": ":warning: expected failure",
    "improved": ":white_check_mark: can be raised",
    "new": ":white_check_mark: new",
    "pass": ":white_check_mark:",
    "not gated": "",
}
_COLUMNS = (
    Column("gate"),
    Column("metric"),
    Column("now", "number"),
    Column("baseline", "number"),
    Column("change (95 % CI)", "number"),
    Column("p", "number"),
    Column("queries", "number"),
    Column(""),
)


def markdown(summary: Summary) -> str:
    """``--rank-markdown``, or the step summary of a CI run, below the size that a CI host takes."""
    head = _head(summary)
    parts = [head]
    size = len(head.encode())
    for run in summary.gates:
        if not run.failed or len(parts) > MOST_DETAILS:
            continue
        details = _details(run.record)
        size += len(details.encode())
        if size > MOST_BYTES:
            break
        parts.append(details)
    return "".join(parts)


def _head(summary: Summary) -> str:
    total = len(summary.gates)
    verdicts = [run.record["verdict"] for run in summary.gates]
    failed, undecided = sum(map(FAILED.__contains__, verdicts)), verdicts.count("cannot tell")
    xfailed = verdicts.count("xfail")
    parts = [f"{failed} of {formatting.count(total, 'gate')} failed"] if failed else []
    if not failed and not total == undecided > 0:
        parts = [f"{formatting.count(total - xfailed - undecided, 'gate')} passed"]
    parts += [f"{undecided} cannot tell"] if undecided else []
    title = f"### Ranking quality: {', '.join(parts)}"
    title += f", {xfailed} xfailed" if xfailed else ""
    title += ", and the run fails" if summary.problems and not failed else ""
    lines = [title, ""]
    if total:
        rows = [_cells(row) for rows in all_rows(summary.gates) for row in rows]
        lines += [*markdown_rows(_COLUMNS, rows), ""]
    problems = (escape_markdown(formatting.line(problem)) for problem in summary.problems)
    lines += [*(f"- :x: {problem}" for problem in problems), ""]
    return "\n".join(lines)


def _cells(row: Row) -> list[str]:
    metric = row.metric.removeprefix(". ")
    change = formatting.signed(row.change)
    if row.failed and change:
        change = f"**{change}**"
    if row.interval is not None:
        low, high = row.interval
        change += f" ({formatting.signed(low)}..{formatting.signed(high)})"
    limit = f" (limit {escape_markdown(row.limit)})" if row.limit else ""
    return [
        escape_markdown(row.name),
        f"slice {escape_markdown(metric)}" if metric != row.metric else escape_markdown(metric),
        formatting.number(row.now),
        formatting.number(row.baseline),
        change,
        escape_markdown(formatting.p_value(row.p)),
        "" if row.queries is None else f"{row.queries}",
        f"{_SIGNS.get(row.verdict, '')} {escape_markdown(row.reason)}{limit}".strip(),
    ]


def _details(record: Mapping[str, Any]) -> str:
    lines = [
        "",
        f"<details><summary>{escape_markdown(formatting.shown(record['name'], limit=60))}: "
        f"{escape_markdown(formatting.line(record['headline'], 300))}</summary>",
        "",
    ]
    if record["worst"]:
        other = "baseline" if record["baseline"] else "reference"
        table = worst_table(record["worst"], record["worst_metric"], other, says_more=True)
        lines.append(to_markdown(table))
    return "\n".join([*lines, "", "</details>", ""])
