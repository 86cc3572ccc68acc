"""The reports that are files: JSON for machines, one HTML page, JUnit, and Markdown."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics._support.records import FAILED, plain
from pytest_rankmetrics.report.queries import worst_table
from pytest_rankmetrics.report.summary import GateRun, Summary
from pytest_rankmetrics.report.terminal import TITLE, Row, gate_rows, gates_table, tally
from sklearn_rank.support.disk import (
    HTML_REPORT,
    JSON_REPORT,
    JUNIT_REPORT,
    MARKDOWN,
    append_text,
    check_target,
    write_whole,
)
from sklearn_rank.tables.formats import (
    escape_html,
    escape_markdown,
    markdown_rows,
    to_html,
    to_markdown,
)
from sklearn_rank.tables.table import Column

FORMAT = "rank-report/1"


def write_reports(
    summary: Summary,
    targets: Mapping[str, str | None],
    *,
    start: Path | None = None,
    inputs: Collection[str | None] = (),
) -> list[str]:
    """Write the reports that have a target; why any was not written.

    Relative targets start at ``start``; none may be one of the ``inputs`` of the run.
    """
    kinds = {"json": JSON_REPORT, "html": HTML_REPORT, "junit": JUNIT_REPORT, "markdown": MARKDOWN}
    texts = {"json": json_text, "html": html_text, "junit": junit_text, "markdown": markdown}
    complaints = []
    for name, target in targets.items():
        if not target:
            continue
        path = Path(start or "", target)
        try:
            check_target(path, kinds[name], inputs)
            path.parent.mkdir(parents=True, exist_ok=True)
            if name == "markdown":
                append_text(path, markdown(summary))
            else:
                write_whole(path, texts[name](summary).encode())
        except OSError as error:
            shown = formatting.line(target, 300)
            complaints.append(f"report {shown} was not written: {error.strerror or error}")
    return complaints


def write_step_summary(summary: Summary, inputs: Collection[str | None] = ()) -> list[str]:
    """Add to the step summary of a CI host, if there is one.

    Its complaints are warnings: no option requested it.
    """
    targets = {"markdown": os.environ.get("GITHUB_STEP_SUMMARY")}
    return write_reports(summary, targets, inputs=inputs)


# JSON --------------------------------------------------------------------------------------------


def json_text(summary: Summary) -> str:
    """``--rank-json``: everything, as one object."""
    gates = [
        {**run.record, "test_passed": run.test_passed, "tries": run.tries} for run in summary.gates
    ]
    gates.sort(key=lambda gate: (gate["nodeid"], gate["name"]))
    content = {
        "format": FORMAT,
        "gates": gates,
        "settings": summary.settings,
        "required": summary.required,
        "problems": summary.problems,
        "unused": summary.unused,
    }
    return json.dumps(plain(content), indent=1, allow_nan=False, sort_keys=False) + "\n"


# JUnit -------------------------------------------------------------------------------------------


DECIMALS = 6
"""As in baselines."""


def properties(records: Sequence[Mapping[str, Any]]) -> dict[str, str | float | int]:
    """Names and values; where a test has several gates, each name starts with the gate's."""
    result: dict[str, str | float | int] = {}
    for record in records:
        own = formatting.line(record["name"], 200)
        prefix = "rank" if len(records) == 1 else f"rank.{own}"
        result[f"{prefix}.gate"] = own
        result[f"{prefix}.queries"] = record["queries"]
        result[f"{prefix}.verdict"] = record["verdict"]
        for name, metric in record["metrics"].items():
            for key in ("value", "baseline", "change", "p", "verdict"):
                value = metric[key]
                if value is not None:
                    shown = round(value, DECIMALS) if isinstance(value, float) else value
                    result[f"{prefix}.{name}" + (f".{key}" if key != "value" else "")] = shown
    return result


def junit_text(summary: Summary) -> str:
    """A test case for each gate, with its values as properties."""
    counts = {
        "name": "sklearn-rank gate",
        "tests": str(len(summary.gates) + len(summary.problems)),
        "failures": str(sum(run.failed for run in summary.gates)),
        "errors": str(len(summary.problems)),
    }
    add, line = ElementTree.SubElement, formatting.line
    suite = ElementTree.Element("testsuite", counts)
    for run in summary.gates:
        case = add(suite, "testcase", classname="rank_gate", name=line(run.record["name"], 200))
        known = add(case, "properties")
        for key, value in properties([run.record]).items():
            add(known, "property", name=line(key, 300), value=str(value))
        if run.failed:
            failure = add(case, "failure", message=line(run.record["headline"], 1000))
            failure.text = run.message
    for problem in summary.problems:
        case = add(suite, "testcase", classname="rank_gate", name="measuring")
        add(case, "error", message=line(problem, 1000))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


# HTML --------------------------------------------------------------------------------------------


def html_text(summary: Summary) -> str:
    """``--rank-html``: every gate with its queries, the ones that failed first.

    Items of queries stand there for as long as there is room.
    """
    from sklearn_rank.report.content import MOST_BYTES, Report, Verdict, size_of, without_items
    from sklearn_rank.report.page import page, provenance

    room, sections = MOST_BYTES, []
    for run in sorted(summary.gates, key=lambda run: not run.failed):
        queries: Any = run.by_query
        if queries is not None:
            room -= size_of(queries)
            queries = queries if room >= 0 else without_items(queries)
        sections.append(_gate_section(run, queries))
    failed, total = [run for run in summary.gates if run.failed], len(summary.gates)
    headline = f"{len(failed)} of {formatting.count(total, 'gate')} failed"
    if not failed:
        headline = f"{formatting.count(total, 'gate')}, none failed" if total else "No gate ran"
    if summary.problems:
        headline += ", and the run has problems"
    kind: Any = "worse" if failed or summary.problems else "better" if total else "same"
    told = [run.record["headline"] for run in failed[:3]]
    about = (TITLE.capitalize(), tally(summary.gates), *provenance())
    problems = tuple(formatting.line(problem) for problem in summary.problems)
    verdict = Verdict(headline, kind, tuple(told))
    return page(Report(TITLE.capitalize(), verdict, tuple(sections), about, problems))


def _gate_section(run: GateRun, queries: Any) -> Any:
    """What the page says of one gate."""
    from sklearn_rank.report.content import Row, Section

    record = run.record
    names = list(record["metrics"])
    cells = {"": {name: _cell(metric) for name, metric in record["metrics"].items()}}
    sizes = {"": record["queries"]}
    for part in record["slices"]:
        cells.setdefault(part["label"], {})[part["metric"]] = _cell(part)
        sizes[part["label"]] = part["queries"]
    has_old = queries is not None and len(queries["systems"]) > 1
    rows = (
        Row(label or "all", sizes[label], tuple(map(own.get, names)), label, 0, int(has_old))
        for label, own in cells.items()
    )
    verdict = record["verdict"]
    notes = [*record["warnings"], *record["notes"]]
    return Section(
        tuple(queries["systems"]) if queries else ("now",),
        tuple(map(_title, names)),
        tuple(record["metrics"][name]["greater_is_better"] for name in names),
        tuple(rows),
        formatting.shown(record["name"], limit=200),
        badge="FAIL" if run.failed else verdict.upper(),
        direction=_direction(verdict, ("pass", "improved", "new"), failed=run.failed),
        lead=record["headline"],
        notes=tuple(formatting.line(text, 1000) for text in notes),
        queries=queries,
        message=run.message if run.message != record["headline"] else "",
    )


def _direction(
    verdict: str, better: Sequence[str] = ("improved",), *, failed: bool = False
) -> Literal["better", "worse", ""]:
    """Of a measure, by default, whose value may pass without a change."""
    return "worse" if failed or verdict in FAILED else "better" if verdict in better else ""


def _cell(metric: Mapping[str, Any]) -> Any:
    """A measure of a gate: its value, its change and its limits."""
    from sklearn_rank.report.content import Cell

    counts = None
    if metric["worse"] is not None:
        counts = metric["better"], metric["same"], metric["worse"]
    limits = [
        f"{word} {metric[key]:g}"
        for key, word in (("at_least", "at least"), ("at_most", "at most"), ("allowed", "allowed"))
        if metric.get(key) is not None
    ]
    return Cell(
        metric["value"],
        metric["baseline"],
        metric["change"],
        metric["change_ci"] and tuple(metric["change_ci"]),
        metric["p"],
        _direction(metric["verdict"]),
        counts,
        note=", ".join([*limits, metric["reason"].replace("not confirmed", "may be chance")]),
    )


def _title(name: str) -> str:
    """``nDCG@10``; a measure with a function of the caller cannot be read from its name."""
    from sklearn_rank.measures.grammar import measure

    with contextlib.suppress(ValueError):
        return measure(name).title
    return name


def html_table(summary: Summary) -> str:
    """The gates in the report of pytest-html; all data escaped, no script, nothing from outside."""
    texts = [tally(summary.gates), *map(formatting.line, summary.problems)]
    head, *problems = (f"<p>{escape_html(text)}</p>" for text in texts)
    table = to_html(gates_table(summary))
    return f"<h2>{TITLE.capitalize()}</h2>{head}{table}{''.join(problems)}"


# Markdown: one table of all gates, and details of those that failed -----------------------------

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
    "improved": ":white_check_mark: improved",
    "new": ":white_check_mark: new",
    "pass": ":white_check_mark:",
    "not gated": "",
}
_NUMBERS = ("now", "baseline", "change (95% CI)", "p", "queries")
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
