"""What the command line prints and writes: the reports of pytest, without pytest."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from xml.etree import ElementTree

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.report.junit import properties
from pytest_rankmetrics.report.summary import GateRun, Summary
from pytest_rankmetrics.report.terminal import write_summary
from sklearn_rank.support.disk import JUNIT_REPORT, check_target, refuse_inputs, write_whole
from sklearn_rank.support.text import for_log

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
            print(*(for_log(f"  {line}".rstrip()) for line in _message(run)), "", sep="\n")
    write_summary(Terminal(), summary)


def _message(run: GateRun) -> list[str]:
    text: str = run.record["message"] or run.record["headline"]
    return text.splitlines()


def write_reports(
    summary: Summary,
    *,
    json: str | None,
    markdown: str | None,
    junit: str | None,
    inputs: Collection[str | None] = (),
) -> list[str]:
    """Write the requested reports, and return why any was not written."""
    from pytest_rankmetrics.report.json import write_json
    from pytest_rankmetrics.report.markdown import write_markdown

    asked: list[tuple[Callable[[Summary, Path], None], str | None]] = [
        (write_json, json),
        (write_markdown, markdown),
        (write_markdown, os.environ.get("GITHUB_STEP_SUMMARY")),
        (write_junit, junit),
    ]
    complaints = []
    for write, target in asked:
        if not target:
            continue
        try:
            refuse_inputs(target, inputs)
            write(summary, Path(target))
        except OSError as error:
            reason = error.strerror or error
            complaints.append(f"report {formatting.line(target, 300)} was not written: {reason}")
    return complaints


def write_junit(summary: Summary, path: Path) -> None:
    """A test case for each gate, with its values as properties."""
    check_target(path, JUNIT_REPORT)
    failed = sum(run.failed for run in summary.gates)
    counts = {
        "name": "sklearn-rank gate",
        "tests": str(len(summary.gates) + len(summary.problems)),
        "failures": str(failed),
        "errors": str(len(summary.problems)),
    }
    suite = ElementTree.Element("testsuite", counts)
    for run in summary.gates:
        name = formatting.line(run.record["name"], 200)
        case = ElementTree.SubElement(suite, "testcase", classname="rank_gate", name=name)
        known = ElementTree.SubElement(case, "properties")
        for key, value in properties([dict(run.record)]).items():
            ElementTree.SubElement(
                known, "property", name=formatting.line(key, 300), value=str(value)
            )
        if run.failed:
            headline = formatting.line(run.record["headline"], 1000)
            failure = ElementTree.SubElement(case, "failure", message=headline)
            failure.text = "\n".join(_message(run))
    for problem in summary.problems:
        case = ElementTree.SubElement(suite, "testcase", classname="rank_gate", name="measuring")
        ElementTree.SubElement(case, "error", message=formatting.line(problem, 1000))
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.indent(suite)
    write_whole(path, ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))
