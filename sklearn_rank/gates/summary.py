"""Reports of a run of gates, from plain records: terminal, Markdown, JSON and HTML."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn_rank.gates.verdict import State, plain
from sklearn_rank.gates.words import line, shown
from sklearn_rank.support.disk import (
    HTML_REPORT,
    JSON_REPORT,
    MARKDOWN,
    append,
    check_target,
    write_whole,
)
from sklearn_rank.support.text import count, for_log
from sklearn_rank.tables.formats import escape_markdown, markdown_rows
from sklearn_rank.tables.table import Column

if TYPE_CHECKING:
    from sklearn_rank.report.page import Section

FORMAT = "rank-report/2"
TITLE = "ranking quality gates"
WIDTH = 80
"""Width of a section's title without a terminal."""


@dataclass(frozen=True)
class GateRun:
    """One gate, and the outcome of its test."""

    record: Mapping[str, Any]
    """``GateResult.as_dict()``."""
    test: str
    """Node id of the test."""
    outcome: str = "passed"
    """Outcome of the test: the first one other than "passed"; "xfailed" was expected."""
    section: Section | None = None
    """Its part of an HTML report."""

    @property
    def failed(self) -> bool:
        """Whether the gate fails the run."""
        return not self.record["passed"] and self.outcome != "xfailed"

    @property
    def gravity(self) -> tuple[bool, int, float]:
        """Sort key of gates: failed ones first, by state, then by their largest drop."""
        severity = list(State).index(self.record["state"])
        return not self.failed, -severity, -self.record["largest_fall"]

    @property
    def state(self) -> str:
        """State for people."""
        return "fail (expected)" if self.outcome == "xfailed" else str(self.record["state"])


@dataclass(frozen=True)
class Summary:
    """Everything to report at the end of a run."""

    gates: tuple[GateRun, ...] = ()
    problems: tuple[str, ...] = ()
    """Reasons for a red run beyond the outcomes of its tests."""
    remarks: tuple[str, ...] = ()
    """Warnings: problems that fail nothing."""
    required: tuple[str, ...] = ()
    """Gates that have to run and pass."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    update: str = "pytest --rank-update"
    """Command that raises baselines."""
    quiet: bool = False
    """Whether gates that pass have no line."""

    @cached_property
    def ranked(self) -> list[GateRun]:
        """The gravest gates first."""
        return sorted(self.gates, key=lambda run: run.gravity)

    @property
    def failed(self) -> list[GateRun]:
        """Those that fail the run."""
        return [run for run in self.ranked if run.failed]


# Terminal ----------------------------------------------------------------------------------------


def summary_lines(summary: Summary) -> list[str]:
    """One line per gate with its remedy; no line starts with data from a report."""
    lines = [
        line
        for run in summary.ranked
        if not summary.quiet or run.failed or run.record["written"]
        for line in _gate_lines(run)
    ]
    if summary.gates:
        lines.append(tally(summary.gates))
    lines += _about_baselines(summary)
    lines += [f"warning: {line(text)}" for text in summary.remarks]
    lines += [f"ERROR: {line(text)}" for text in summary.problems]
    return [for_log(line) for line in lines if line]


_WORDS = {"pass": "ok", "fail": "FAIL", "stale": "STALE"}


def _gate_lines(run: GateRun) -> list[str]:
    """One line; with the power of the gate where it fails or was recorded, and its remarks."""
    record, state = run.record, run.state
    word = _WORDS.get(state, state.upper() if state == "not confirmed" else state)
    lines = [f"{word}: {shown(record['name'], 60)}: {line(record['headline'], 400)}"]
    if run.failed and record["outlook"]:
        lines.append(f"  {record['outlook']}")
    return [*lines, *(f"  note: {note}" for note in record["notes"][:3])]


def tally(gates: Sequence[GateRun]) -> str:
    """``6 gates: 2 failed, 4 passed (1 not confirmed, 1 improved)``."""
    passed = [run for run in gates if run.record["passed"]]
    remarks = Counter(run.state for run in passed if run.state != "pass")
    said = ", ".join(f"{n} {state}" for state, n in remarks.items())
    numbers = {
        "failed": sum(run.failed for run in gates),
        "failed as expected": sum(run.outcome == "xfailed" for run in gates),
    }
    parts = [f"{n} {what}" for what, n in numbers.items() if n]
    word = "all passed" if len(passed) == len(gates) > 0 else f"{len(passed)} passed"
    parts += [word + (f" ({said})" if said else "")] * bool(passed or not gates)
    return f"{count(len(gates), 'gate')}: {', '.join(parts)}"


def _about_baselines(summary: Summary) -> list[str]:
    """Baselines to be raised, or written."""
    lines, records = [], [run.record for run in summary.gates]
    n = sum(record["can_be_raised"] for record in records)
    if n:
        lines.append(f"{count(n, 'baseline')} can be raised: {summary.update}")
    for record in (record for record in records if record["written"]):
        changes = record["recorded_changes"].items()
        moves = [f"{name} {old:.4f} -> {new:.4f}" for name, (old, new) in changes]
        path = line(record["baseline"], 200)
        moved = f": {', '.join(moves)}" if moves else ""
        lines.append(f"baseline {record['written']}: {path}{moved}")
    return lines


def print_summary(summary: Summary) -> None:
    """Print a run without pytest, which would show the whole message of a failed gate."""
    for n, run in enumerate(summary.failed):
        said = run.record["message" if n < MOST_ROWS else "brief"]
        print(f"FAILED {shown(run.record['name'], 60)}\n{said}\n")
    print(f" {TITLE} ".center(WIDTH, "-"))
    print("\n".join(summary_lines(summary)))


# Files -------------------------------------------------------------------------------------------


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
    texts = {"json": json_text, "html": html_text}
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
    return [] if path == markdown else write_reports(summary, {"markdown": path}, inputs=inputs)


def json_text(summary: Summary) -> str:
    """Everything, as one object."""
    gates = [{**run.record, "test_passed": run.outcome == "passed"} for run in summary.gates]
    gates.sort(key=lambda gate: (gate["nodeid"], gate["name"]))
    content = {
        "format": FORMAT,
        "gates": gates,
        "settings": summary.settings,
        "required": summary.required,
        "problems": summary.problems,
    }
    return json.dumps(plain(content), indent=1, allow_nan=False, sort_keys=False) + "\n"


def html_text(summary: Summary) -> str:
    """One page with the queries of every gate."""
    from sklearn_rank.gates import page

    return page.html_text(summary, TITLE, tally(summary.gates), answer(summary))


# Markdown: one table of all gates, and details of those that failed -----------------------------

MOST_CHARACTERS = 4000
"""A comment that is read: details are cut, the answer is not."""
MOST_ROWS = 3
"""Gates, and rows of their tables, that are shown in full; of more gates each has one row."""
MOST_GATES = 20


def answer(summary: Summary) -> str:
    """The verdicts of the gates, in a sentence."""
    failed, total = summary.failed, len(summary.gates)
    if not failed:
        return f"{tally(summary.gates)}{', and the run fails' if summary.problems else ''}"
    said = line(failed[0].record["headline"], 300)
    return f"{len(failed)} of {count(total, 'gate')} failed: {said}"


def markdown(summary: Summary) -> str:
    """The comment on a pull request, or the step summary of a CI run.

    The sentence, three rows, the queries that lost most, and folded remedies.
    """
    parts = [f"### Ranking quality: {escape_markdown(answer(summary))}\n"]
    parts += [f"- {escape_markdown(line(problem))}" for problem in summary.problems[:MOST_ROWS]]
    gates = summary.ranked
    if len(gates) > MOST_ROWS:
        rows = [[shown(run.record["name"], 60), run.state, _fall(run)] for run in gates]
        titles = ["gate", "state", "largest fall"]
        parts.append(_table({"titles": titles, "rows": rows}, MOST_GATES))
        gates = summary.failed
    for run in gates[:MOST_ROWS]:
        record = run.record
        parts.append(f"**{escape_markdown(shown(record['name'], 60))}**: {run.state}\n")
        parts.append(_table(record["table"], 2 * MOST_ROWS))
        if run.failed:
            parts += [_table(record["losers"], MOST_ROWS), _folded(record)]
    text = parts[0]
    for part in filter(None, parts[1:]):
        if len(text) + len(part) < MOST_CHARACTERS:
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
