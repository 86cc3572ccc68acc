"""Files of a run of gates: JSON, HTML, and the Markdown of a comment on a pull request."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn_rank.gates.verdict import plain
from sklearn_rank.support.disk import (
    HTML_REPORT,
    JSON_REPORT,
    MARKDOWN,
    FileKind,
    append,
    check_target,
    write_whole,
)
from sklearn_rank.support.text import count, line, shown
from sklearn_rank.tables.formats import escape_markdown, markdown_rows
from sklearn_rank.tables.table import Column
from sklearn_rank.view.summary import IN_FULL, GateRun, Summary, answer, failures

REPORT_FORMAT = "rank-report/2"
LONGEST_COMMENT = 4000
"""Characters of a comment that people read: details are cut, the answer is not."""


def write_reports(
    summary: Summary,
    targets: Mapping[str, str | None],
    *,
    start: Path | None = None,
    inputs: Collection[str | None] = (),
    others: Collection[str | None] = (),
) -> list[str]:
    """Write the reports that have a target; return why any was not written.

    Relative targets are below ``start``; no target may be one of the ``inputs`` of the run, or one
    of the ``others`` that it writes.
    """
    complaints = []
    paths = filter(None, [*targets.values(), *others])
    given = [os.path.abspath(Path(start or "", path)) for path in paths]
    for name, target in targets.items():
        if not target:
            continue
        path = Path(start or "", target)
        if given.count(os.path.abspath(path)) > 1 and (path.is_file() or not path.exists()):
            complaints.append(f"report {line(target)} was not written: two reports have this path")
            continue
        kind, text_of, write = REPORTS[name]
        try:
            check_target(path, kind, inputs)
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, text_of(summary).encode())
        except OSError as error:
            said = error.strerror or error
            complaints.append(f"report {line(target)} was not written: {said}")
    return complaints


def write_step_summary(
    summary: Summary, markdown: str | None, inputs: Collection[str | None] = ()
) -> list[str]:
    """Add to the step summary of a CI host, if there is one and ``markdown`` is another file.

    Problems are warnings, because no option requested the summary.
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


# Markdown: the answer, one table of what broke, and folded details ------------------------------

MARKS = {"fail": "\u274c", "stale": "\u274c", "not confirmed": "\u26a0\ufe0f"}
_GREEN, _TITLE = "\u2705", "Ranking quality: "
LONGEST_HEADING = 100
ROWS_OF_COMMENT = 12
"""Rows of the table of a comment."""
_DOUBT = (
    "not confirmed: a drop beyond the limit that may be chance; such a drop alone fails no gate"
)


def markdown(summary: Summary) -> str:
    """The comment on a pull request, or the step summary of a CI run.

    The gravest failure is the heading; each further gate that failed has its headline.
    """
    failed = summary.failed
    parts = [f"### {escape_markdown(_heading(summary))}\n"]
    parts += [f"- {escape_markdown(line(problem))}" for problem in summary.problems[:IN_FULL]]
    for run in failed[:IN_FULL] or summary.gates[: len(summary.gates) == 1]:
        said = (
            f"**{_name(run)}**: {escape_markdown(line(run.record['headline'], 400).rstrip('.'))}."
        )
        for query, *numbers, reason in run.record["losers"]["rows"][:1]:
            reason = reason or " → ".join(numbers[:2])  # of values measured elsewhere
            said += f" **Look first at** {escape_markdown(query)}: {escape_markdown(reason)}."
        if run.record["losses"]:
            said += f" {escape_markdown(run.record['losses'])}."
        parts.append(f"{said}\n")
    parts.append(_broken(summary))
    for run in failed[:IN_FULL]:
        parts.append(_folded(run))
    text = parts[0]
    for part in filter(None, parts[1:]):
        if len(text) + len(part) < LONGEST_COMMENT:
            text += f"\n{part}"
    return f"{text}\n"


def _name(run: GateRun) -> str:
    return escape_markdown(shown(run.record["name"], 60))


def _heading(summary: Summary) -> str:
    """The first failure with the name of its gate, or that all passed; no statistics."""
    n, text = len(summary.failed), answer(summary)
    if n:
        first = summary.failed[0].record
        claim = line(first["headline"], 300).partition(" (")[0]
        text = f"{shown(first['name'], 40)}: {claim}"
    if n > 1:
        text = f"{failures(summary)}: {text}"
    mark = f"{MARKS['fail']} " * bool(n or summary.problems)
    text = f"{_TITLE}{mark}{text}"
    return text if len(text) <= LONGEST_HEADING else f"{text[: LONGEST_HEADING - 1]}\u2026"


def _broken(summary: Summary) -> str:
    """A row for each limit that is not met, and the number of other rows."""
    rows, more, has_slices = list[list[str]](), 0, False
    for run in summary.ranked:
        table = run.record["table"]
        for cells in table["rows"]:
            of = dict(zip(table["titles"], cells, strict=True))
            state = of.get("verdict", "").lower()
            if state in MARKS:
                about = _about(of, run.record["measures"])
                rows.append([MARKS[state], _name(run), about, _moved(of, table["titles"])])
            else:
                more, has_slices = more + 1, has_slices or bool(of.get("slice"))
    passed = sum(run.record["passed"] for run in summary.gates)
    doubts = any(row[0] == MARKS["not confirmed"] for row in rows)
    lines = []
    if rows:
        titles = ("", "gate", "measure", "baseline \u2192 new")
        left = len(rows) - ROWS_OF_COMMENT
        rows = rows[:ROWS_OF_COMMENT]
        if left > 0:
            rows.append(["", "", count(left, "more broken limit"), ""])
        if more:
            names = ("measure or slice", "measures and slices") if has_slices else ("measure",)
            rows.append([_GREEN, "", count(more, *(f"more {name}" for name in names)), ""])
        lines = [*markdown_rows(tuple(map(Column, titles)), rows), ""]
        lines += [f"{_DOUBT}.\n"] * doubts
    if passed and passed < len(summary.gates):
        lines.append(f"{_GREEN} {count(passed, 'gate')} passed.\n")
    return "\n".join(lines)


def _about(cells: Mapping[str, str], measures: Mapping[str, Any]) -> str:
    """The measure of a row, its direction if lower is better, and its slice."""
    label, measure = cells.get("slice", ""), cells["measure"]
    if not measures.get(measure, {}).get("greater_is_better", True):
        measure += " (lower is better)"
    return escape_markdown(measure + (f" \u00b7 {label}" if label else ""))


def _moved(cells: Mapping[str, str], titles: Sequence[str]) -> str:
    """Both values and the change, or one value and its limit."""
    first = titles.index("queries") + 1 if "queries" in titles else 1
    last = next(
        (n for n, title in enumerate(titles) if title in ("over all", "change", "limit")), first
    )
    values = [cells[title] for title in titles[first:last] if cells[title]]
    text = " \u2192 ".join(values)
    change, limit = cells.get("change", ""), cells.get("limit", "")
    if change:
        text += f" ({change}, allowed {limit})" if limit else f" ({change})"
    elif limit:
        text += f" ({limit} required)"
    return escape_markdown(text)


def _table(texts: Mapping[str, Any], most: int) -> str:
    """The first rows of a table of texts."""
    columns = tuple(map(Column, texts["titles"]))
    rows = [list(map(escape_markdown, row)) for row in texts["rows"][:most]]
    return "\n".join([*markdown_rows(columns, rows), ""]) if rows else ""


def _folded(run: GateRun) -> str:
    """The queries that lost most, the command that accepts a drop, and the power of the gate."""
    record = run.record
    n_shown = min(IN_FULL, len(record["losers"]["rows"]))
    largest = "largest" if n_shown == 1 else f"{n_shown} largest"
    of = f"of {record['worse']:,} losses" if record["worse"] > n_shown else ""
    title = f"{_name(run)}: the {largest} {of or ('loss' if n_shown == 1 else 'losses')}"
    is_new = any(finding["rule"] == "no_baseline" for finding in record["findings"])
    is_drop = n_shown or record["largest_fall"] > 0
    what = f"accept this {'drop' if is_drop else 'run'}" if not is_new else "record the baseline"
    if not n_shown:
        title = f"{_name(run)}: how to {what}"
    accept = re.sub(r"`{3,}", "``", record["update" if is_new else "accept"])
    parts = [f"<details><summary>{title}</summary>", _table(record["losers"], IN_FULL)]
    parts += [f"To {what}:", f"```text\n{accept}\n```"] if accept else []
    parts += [escape_markdown(record[text]) for text in ("where_to_accept", "outlook")]
    if not any(parts[1:]):  # the gate could not be measured
        return ""
    return "\n\n".join([*filter(None, parts), "</details>\n"])


REPORTS: Mapping[str, tuple[FileKind, Callable[[Summary], str], Callable[[Path, bytes], None]]] = {
    "json": (JSON_REPORT, json_text, write_whole),
    "html": (HTML_REPORT, _html_text, write_whole),
    "markdown": (MARKDOWN, markdown, append),
}
"""Kind, text and writer of each report, by the name of its option."""
