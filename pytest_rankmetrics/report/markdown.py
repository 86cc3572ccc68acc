"""One Markdown table of all gates, and details of those that failed; all data escaped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.report.queries import worst_table
from pytest_rankmetrics.report.rows import Row, gate_rows
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
_NUMBERS = ("now", "baseline", "change (95 % CI)", "p", "queries")
_COLUMNS = (
    *(Column("gate"), Column("metric")),
    *(Column(title, "number") for title in _NUMBERS),
    Column(""),
)


def markdown(summary: Summary) -> str:
    """``--rank-markdown``, or the step summary of a CI run, below the size that a CI host takes."""
    parts = [_head(summary)]
    failed = [run.record for run in summary.gates if run.failed]
    for record in failed[:MOST_DETAILS]:
        parts.append(_details(record))
        if sum(len(part.encode()) for part in parts) > MOST_BYTES:
            return "".join(parts[:-1])
    return "".join(parts)


def _head(summary: Summary) -> str:
    verdicts = [run.record["verdict"] for run in summary.gates]
    total, xfailed = len(verdicts), verdicts.count("xfail")
    failed, undecided = sum(map(FAILED.__contains__, verdicts)), verdicts.count("cannot tell")
    parts = [f"{failed} of {formatting.count(total, 'gate')} failed"] if failed else []
    if not failed and not total == undecided > 0:
        parts = [f"{formatting.count(total - xfailed - undecided, 'gate')} passed"]
    parts += [f"{undecided} cannot tell"] if undecided else []
    parts += [f"{xfailed} xfailed"] if xfailed else []
    parts += ["and the run fails"] if summary.problems and not failed else []
    lines = [f"### Ranking quality: {', '.join(parts)}", ""]
    if total:
        rows = [_cells(row) for run in summary.gates for row in gate_rows(run)]
        lines += [*markdown_rows(_COLUMNS, rows), ""]
    problems = (escape_markdown(formatting.line(problem)) for problem in summary.problems)
    return "\n".join([*lines, *(f"- :x: {problem}" for problem in problems), ""])


def _cells(row: Row) -> list[str]:
    metric, change = row.metric.removeprefix(". "), formatting.signed(row.change)
    if row.failed and change:
        change = f"**{change}**"
    if row.interval is not None:
        change += f" ({formatting.reach(row.interval)})"
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
    name = escape_markdown(formatting.shown(record["name"], limit=60))
    said = escape_markdown(formatting.line(record["headline"], 300))
    lines = ["", f"<details><summary>{name}: {said}</summary>", ""]
    if record["worst"]:
        other = "baseline" if record["baseline"] else "reference"
        table = worst_table(record["worst"], record["worst_metric"], other, says_more=True)
        lines.append(to_markdown(table))
    return "\n".join([*lines, "", "</details>", ""])
