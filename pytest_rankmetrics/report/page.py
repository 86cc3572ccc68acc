"""The report of a run as one HTML file: a section for each gate, its queries to look into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.report.rows import tally
from pytest_rankmetrics.report.summary import GateRun, Summary
from pytest_rankmetrics.report.tables import gates_table
from pytest_rankmetrics.report.terminal import TITLE
from sklearn_rank.report.content import Report, Section
from sklearn_rank.report.data import MOST_BYTES, size_of, without_items
from sklearn_rank.report.page import page
from sklearn_rank.support.disk import HTML_REPORT, check_target, write_whole


def write_page(summary: Summary, path: Path) -> None:
    """``--rank-html``: the whole run, the gates that failed first."""
    check_target(path, HTML_REPORT)
    text = page(report(summary))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())


def report(summary: Summary) -> Report:
    """The content of the page."""
    runs = sorted(summary.gates, key=lambda run: not run.failed)
    lead = [tally(summary.gates)] if summary.gates else []
    lead += [formatting.line(problem) for problem in summary.problems]
    tables = (("Gates", gates_table(summary)),) if summary.gates else ()
    return Report(TITLE.capitalize(), tuple(lead), tables, tuple(_sections(runs)))


def _sections(runs: Sequence[GateRun]) -> list[Section]:
    """Gates that failed have their items first, for as long as there is room."""
    room, sections = MOST_BYTES, []
    for run in runs:
        queries = run.by_query
        if queries is not None:
            room -= size_of(queries)
            queries = queries if room >= 0 else without_items(queries)
        sections.append(_section(run, queries))
    return sections


def _section(run: GateRun, queries: Mapping[str, Any] | None) -> Section:
    record = run.record
    message = record["message"] or record["headline"]
    title = f"{formatting.shown(record['name'], limit=200)}: {record['verdict']}"
    test = formatting.line(run.test, 300)
    return Section(title, (test,) if test else (), message=message, queries=queries)
