"""Files of a run of gates: JSON, HTML, and the Markdown of a comment on a pull request."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping
from itertools import compress
from pathlib import Path
from typing import Any

from sklearn_rank.gates.verdict import plain
from sklearn_rank.support.disk import (
    HTML_REPORT,
    JSON_REPORT,
    MARKDOWN,
    append,
    check_target,
    write_whole,
)
from sklearn_rank.support.text import count, line, shown
from sklearn_rank.tables.formats import escape_markdown, markdown_rows
from sklearn_rank.tables.table import Column
from sklearn_rank.view.summary import IN_FULL, GateRun, Summary, answer

REPORT_FORMAT = "rank-report/2"
LONGEST_COMMENT = 4000
"""A comment that is read: details are cut, the answer is not."""
MOST_GATES = 20
"""Rows of a comment."""


def write_reports(
    summary: Summary,
    targets: Mapping[str, str | None],
    *,
    start: Path | None = None,
    inputs: Collection[str | None] = (),
) -> list[str]:
    """Write the reports that have a target; return why any was not written.

    Relative targets start at ``start``; none may be one of the ``inputs`` of the run.
    """
    kinds = {"json": JSON_REPORT, "html": HTML_REPORT, "markdown": MARKDOWN}
    texts = {"json": json_text, "html": _html_text}
    complaints = []
    given = [os.path.abspath(Path(start or "", target)) for target in targets.values() if target]
    for name, target in targets.items():
        if not target:
            continue
        path = Path(start or "", target)
        if given.count(os.path.abspath(path)) > 1 and (path.is_file() or not path.exists()):
            complaints.append(f"report {line(target)} was not written: another one has its name")
            continue
        try:
            check_target(path, kinds[name], inputs)
            path.parent.mkdir(parents=True, exist_ok=True)
            if name == "markdown":
                append(path, markdown(summary).encode())
            else:
                write_whole(path, texts[name](summary).encode())
        except OSError as error:
            said = error.strerror or error
            complaints.append(f"report {line(target)} was not written: {said}")
    return complaints


def write_step_summary(
    summary: Summary, markdown: str | None, inputs: Collection[str | None] = ()
) -> list[str]:
    """Add to the step summary of a CI host, if there is one and the named report is another file.

    Problems are warnings, because no option requested it.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    is_written = path and markdown and os.path.realpath(path) == os.path.realpath(markdown)
    return [] if is_written else write_reports(summary, {"markdown": path}, inputs=inputs)


def _html_text(summary: Summary) -> str:
    from sklearn_rank.view.gate_page import html_text

    return html_text(summary)


def json_text(summary: Summary) -> str:
    """Everything, as one object."""
    gates = [{**run.record, "test_passed": run.outcome == "passed"} for run in summary.gates]
    gates.sort(key=lambda gate: (gate["nodeid"], gate["name"]))
    content = {
        "format": REPORT_FORMAT,
        "gates": gates,
        "settings": summary.settings,
        "required": summary.required,
        "problems": summary.problems,
    }
    return json.dumps(plain(content), indent=1, allow_nan=False, sort_keys=False) + "\n"


# Markdown: one table of all gates, and details of those that failed -----------------------------


def markdown(summary: Summary) -> str:
    """The comment on a pull request, or the step summary of a CI run.

    The sentence, three rows, the queries that lost most, and folded remedies.
    """
    parts = [f"### Ranking quality: {escape_markdown(answer(summary))}\n"]
    parts += [f"- {escape_markdown(line(problem))}" for problem in summary.problems[:IN_FULL]]
    gates = summary.ranked
    if len(gates) > IN_FULL:
        rows = [[shown(run.record["name"], 60), run.state, _fall(run)] for run in gates]
        titles = ["gate", "state", "largest fall"]
        parts.append(_table({"titles": titles, "rows": rows}, MOST_GATES))
        gates = summary.failed
    for run in gates[:IN_FULL]:
        record = run.record
        parts.append(f"**{escape_markdown(shown(record['name'], 60))}**: {run.state}\n")
        parts.append(_table(record["table"], 2 * IN_FULL))
        if run.failed:
            parts += [f"{escape_markdown(record['losses'])}\n"] * bool(record["losses"])
            parts += [_table(record["losers"], IN_FULL), _folded(record)]
    text = parts[0]
    for part in filter(None, parts[1:]):
        if len(text) + len(part) < LONGEST_COMMENT:
            text += f"\n{part}"
    return f"{text}\n"


def _fall(run: GateRun) -> str:
    """The largest fall of a gate; empty if nothing fell."""
    fall = run.record["largest_fall"]
    return f"{-fall:+.4f}" if fall > 0 else ""


def _table(texts: Mapping[str, Any], most: int) -> str:
    """The first rows of a table of texts, without what would be too wide for a comment."""
    is_shown = [not re.search(r"^queries$|interval$", title) for title in texts["titles"]]
    columns = tuple(map(Column, compress(texts["titles"], is_shown)))
    rows = [list(map(escape_markdown, compress(row, is_shown))) for row in texts["rows"][:most]]
    more = len(texts["rows"]) - most
    lines = [*markdown_rows(columns, rows), ""] if rows else []
    return "\n".join([*lines, *[f"{count(more, 'more row')}.\n"] * (more > 0)])


def _folded(record: Mapping[str, Any]) -> str:
    """The command that accepts a drop, and the power of the gate."""
    name = escape_markdown(shown(record["name"], 60))
    accept = re.sub(r"`{3,}", "``", record["accept"])
    parts = [f"<details><summary>{name}: {count(record['queries'], 'query', 'queries')}</summary>"]
    parts += ["To accept this drop:", f"```text\n{accept}\n```"] if accept else []
    parts += [escape_markdown(record[text]) for text in ("where_to_accept", "outlook")]
    return "\n\n".join([*filter(None, parts), "</details>\n"])
