"""One Markdown table of all gates, and details of those that failed; all data escaped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_rankmetrics._support import words
from pytest_rankmetrics._support.targets import refuse_target
from pytest_rankmetrics.report.rows import Row, all_rows
from pytest_rankmetrics.report.summary import Summary

MOST_BYTES = 1_000_000
"""A step summary may have 1 MiB; details are cut, the table is not."""
MOST_DETAILS = 20
"""More failed gates than this have one cause, and nobody unfolds them all."""

_SIGNS = {
    "fail": ":x:",
    "stale": ":x:",
    "warn": ":warning:",
    "xfail": ":warning: expected failure",
    "improved": ":white_check_mark: can be raised",
    "new": ":white_check_mark: new",
    "pass": ":white_check_mark:",
    "not gated": "",
}
_SPECIAL = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "|": "&#124;",
    "`": "&#96;",
    "*": "&#42;",
    "[": "&#91;",
    "]": "&#93;",
    "!": "&#33;",
    "~": "&#126;",
    "@": "&#64;",
    "#": "&#35;",
    "\\": "&#92;",
    ":": "&#58;",
}


def write_markdown(summary: Summary, path: Path) -> None:
    """``--rank-markdown``, or the step summary of a CI run."""
    refuse_target(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(markdown(summary))


def markdown(summary: Summary) -> str:
    """The report; it stays below the size that a CI host takes."""
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
    failed = sum(run.failed for run in summary.gates)
    xfailed = sum(run.record["verdict"] == "xfail" for run in summary.gates)
    title = (
        f"### Ranking quality: {failed} of {words.count(total, 'gate')} failed"
        if failed
        else f"### Ranking quality: {words.count(total - xfailed, 'gate')} passed"
    )
    title += f", {xfailed} xfailed" if xfailed else ""
    title += ", and the run fails" if summary.problems and not failed else ""
    lines = [title, ""]
    if total:
        lines += [
            "| gate | metric | now | baseline | change (95 % CI) | p | queries | |",
            "|---|---|--:|--:|--:|--:|--:|---|",
            *(_line(row) for rows in all_rows(summary.gates) for row in rows),
            "",
        ]
    lines += [*(f"- :x: {escape(words.line(problem))}" for problem in summary.problems), ""]
    return "\n".join(lines)


def _line(row: Row) -> str:
    metric = row.metric.removeprefix(". ")
    change = words.signed(row.change)
    if row.failed and change:
        change = f"**{change}**"
    if row.interval is not None:
        low, high = row.interval
        change += f" ({words.signed(low)}..{words.signed(high)})"
    limit = f" (limit {escape(row.limit)})" if row.limit else ""
    cells = [
        escape(row.name),
        f"slice {escape(metric)}" if metric != row.metric else escape(metric),
        words.number(row.now),
        words.number(row.baseline),
        change,
        escape(words.p_value(row.p)),
        "" if row.queries is None else f"{row.queries}",
        f"{_SIGNS.get(row.verdict, '')} {escape(row.reason)}{limit}".strip(),
    ]
    return f"| {' | '.join(cells)} |"


def _details(record: Mapping[str, Any]) -> str:
    lines = [
        "",
        f"<details><summary>{escape(words.shown(record['name'], limit=60))}: "
        f"{escape(words.line(record['headline'], 300))}</summary>",
        "",
    ]
    if record["worst"]:
        metric = escape(record["worst_metric"])
        lines += [f"| query | {metric} was | now | relevant items |", "|---|--:|--:|---|"]
    for row in record["worst"]:
        slices = f" ({row['slice']})" if row["slice"] else ""
        places = row["places"].replace("->", " to ")
        cells = [
            escape(row["query"] + slices),
            words.number(row["was"]),
            words.number(row["now"]),
            escape(places),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", "</details>", ""])


def escape(text: str) -> str:
    """Text that Markdown shows as it is: one line, no markup, no mention, no command."""
    escaped = "".join(_SPECIAL.get(character, character) for character in text)
    return "".join(
        character if character.isprintable() else f"U+{ord(character):04X}" for character in escaped
    )
