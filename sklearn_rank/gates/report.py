"""Reports of a run of gates, from plain records: terminal, Markdown, JSON, JUnit and HTML."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

from sklearn_rank.gates.sentences import count, line, shown
from sklearn_rank.gates.verdict import plain
from sklearn_rank.support.disk import (
    HTML_REPORT,
    JSON_REPORT,
    JUNIT_REPORT,
    MARKDOWN,
    append_text,
    check_target,
    write_whole,
)
from sklearn_rank.support.text import for_log
from sklearn_rank.tables.formats import escape_markdown, markdown_rows, to_markdown
from sklearn_rank.tables.table import Column, Table, number_cell, p_cell, text_cell

FORMAT = "rank-report/2"
TITLE = "ranking quality gates"
WIDTH = 80
"""Width of a section's title without a terminal."""
MOST_SLICES = 20
"""Rows of one gate in a table: its message has the others."""
Show = Literal["all", "failed", "none"]
"""Gates in the terminal."""


@dataclass(frozen=True)
class GateRun:
    """One gate, and the outcome of its test."""

    record: Mapping[str, Any]
    """``GateResult.as_dict()``."""
    test: str
    """Node id of the test."""
    outcome: str = "passed"
    """Outcome of the test: the first one other than "passed"; "xfailed" was expected."""
    tries: int = 1
    queries: Mapping[str, Any] | None = None
    """Its queries, for an HTML report."""
    line: int | None = None
    """Line of the test in its file, counted from 1."""

    @property
    def failed(self) -> bool:
        """Whether the gate fails the run."""
        return not self.record["passed"] and self.outcome != "xfailed"

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
    unused: tuple[str, ...] = ()
    """Baseline files that belong to no test."""
    required: tuple[str, ...] = ()
    """Gates that have to run and pass."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    update: str = "pytest --rank-update"
    """Command that raises baselines."""
    show: Show = "all"

    def __bool__(self) -> bool:
        """Whether there is anything to report."""
        return bool(self.gates or self.problems or self.remarks or self.unused)


# Terminal ----------------------------------------------------------------------------------------


def summary_lines(summary: Summary) -> list[str]:
    """One line per gate with its remedy; no line starts with data from a report."""
    lines = [
        own
        for run in summary.gates
        if summary.show == "all"
        or (summary.show == "failed" and (run.failed or run.record["written"]))
        for own in _gate_lines(run)
    ]
    if summary.gates and summary.show != "none":
        lines.append(tally(summary.gates))
    lines += _about_baselines(summary)
    lines += [f"warning: {line(text)}" for text in summary.remarks]
    lines += [f"ERROR: {line(text)}" for text in summary.problems]
    return [*(for_log(own) for own in lines if own), *_annotations(summary)]


_WORDS = {"pass": "ok", "fail": "FAIL", "stale": "STALE"}


def _gate_lines(run: GateRun) -> list[str]:
    """One line; with the power of the gate where it fails or was recorded, and its remarks."""
    record, state = run.record, run.state
    word = _WORDS.get(state, state.upper() if state in ("not confirmed", "cannot tell") else state)
    tried = f" (try {run.tries})" if run.tries > 1 else ""
    said = record["headline"].removeprefix("Cannot tell: ")
    lines = [f"{word}: {shown(record['name'], 60)}: {line(said, 400)}{tried}"]
    if run.failed and record["outlook"]:
        lines.append(f"  {record['outlook']}")
    return [*lines, *(f"  note: {note}" for note in record["notes"][:3])]


def tally(gates: Sequence[GateRun]) -> str:
    """``6 gates: 2 failed, 4 passed (1 not confirmed, 1 improved)``."""
    failed = sum(run.failed for run in gates)
    expected = sum(run.outcome == "xfailed" for run in gates)
    passed = [run for run in gates if run.record["passed"]]
    remarks = Counter(run.state for run in passed if run.state != "pass")
    said = ", ".join(f"{n} {state}" for state, n in remarks.items())
    parts = [f"{failed} failed"] * bool(failed) + [f"{expected} failed as expected"] * bool(
        expected
    )
    word = "all passed" if len(passed) == len(gates) > 0 else f"{len(passed)} passed"
    parts += [word + (f" ({said})" if said else "")] * bool(passed or not gates)
    return f"{count(len(gates), 'gate')}: {', '.join(parts)}"


def _about_baselines(summary: Summary) -> list[str]:
    """Baselines to be raised, of no test, or written."""
    lines, records = [], [run.record for run in summary.gates]
    n = sum(
        any(own["gained"] for own in record["metrics"].values())
        and (record["state"] == "improved" and bool(record["baseline"]) and not record["written"])
        for record in records
    )
    if n and summary.settings.get("ratchet") != "off":
        lines.append(f"{count(n, 'baseline')} can be raised: {summary.update}")
    n = len(summary.unused)
    if n:
        names = " ".join(shlex.quote(line(path, 200)) for path in summary.unused[:10])
        files, verb = count(n, "baseline file"), "belongs" if n == 1 else "belong"
        lines.append(f"{files} {verb} to no test: git rm {names}")
    for record in (record for record in records if record["written"]):
        moves = [f"{name} {old:.4f} -> {new:.4f}" for name, (old, new) in record["moves"].items()]
        why = f" (reason: {line(record['reason'], 200)})" if record["reason"] else ""
        path = line(record["baseline"], 200)
        moved = f": {', '.join(moves)}" if moves else ""
        lines.append(f"baseline {record['written']}: {path}{moved}{why}")
    return lines


def _annotations(summary: Summary) -> list[str]:
    """A command for each failed gate to the GitHub job that shows it beside the test."""
    if not os.environ.get("GITHUB_ACTIONS"):
        return []
    commands = []
    for run in (run for run in summary.gates if run.failed):
        file, colons, _ = run.record["nodeid"].partition("::")
        own = {"file": file, "line": run.line} if colons else {}
        place = {**own, "title": run.record["name"]}
        known = ",".join(
            f"{key}={for_log(line(str(value))).translate(_IN_COMMANDS)}"
            for key, value in place.items()
            if value
        )
        said = for_log(line(run.record["headline"], 1000)).replace("%", "%25")
        commands.append(f"::error {known}::{said}")
    return commands


_IN_COMMANDS = str.maketrans({"%": "%25", ",": "%2C", ":": "%3A"})
_COLOURS = {
    "31": r"FAIL|STALE|ERROR",
    "33": r"NOT CONFIRMED|CANNOT TELL|warning",
    "32": r"ok|improved|new",
}


def in_colour(lines: Sequence[str]) -> list[str]:
    """The lines with the states in front in colour, for a terminal."""
    painted = list(lines)
    for code, words in _COLOURS.items():
        painted = [re.sub(rf"^({words}):", f"\033[{code}m\\1\033[0m:", own) for own in painted]
    return painted


def print_summary(summary: Summary, *, colour: bool) -> None:
    """Print a run without pytest, which would show the whole message of a failed gate."""
    for run in summary.gates:
        if run.failed:
            print(f"FAILED {shown(run.record['name'], 60)}\n{run.record['message']}\n")
    lines = summary_lines(summary)
    print(f" {TITLE} ".center(WIDTH, "-"))
    print("\n".join(in_colour(lines) if colour else lines))


# Files -------------------------------------------------------------------------------------------


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
            said = error.strerror or error
            complaints.append(f"report {line(target)} was not written: {said}")
    return complaints


def write_step_summary(summary: Summary, inputs: Collection[str | None] = ()) -> list[str]:
    """Add to the step summary of a CI host, if there is one.

    Its complaints are warnings: no option requested it.
    """
    targets = {"markdown": os.environ.get("GITHUB_STEP_SUMMARY")}
    return write_reports(summary, targets, inputs=inputs)


def json_text(summary: Summary) -> str:
    """Everything, as one object."""
    gates = [
        {**run.record, "test_passed": run.outcome == "passed", "tries": run.tries}
        for run in summary.gates
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


def junit_text(summary: Summary) -> str:
    """A test case for each gate."""
    counts = {
        "name": "sklearn-rank gate",
        "tests": str(len(summary.gates) + len(summary.problems)),
        "failures": str(sum(run.failed for run in summary.gates)),
        "errors": str(len(summary.problems)),
    }
    add, suite = ElementTree.SubElement, ElementTree.Element("testsuite", counts)
    for run in summary.gates:
        case = add(suite, "testcase", classname="rank_gate", name=line(run.record["name"], 200))
        if run.failed:
            failure = add(case, "failure", message=line(run.record["headline"], 1000))
            failure.text = run.record["message"]
    for problem in summary.problems:
        case = add(suite, "testcase", classname="rank_gate", name="measuring")
        add(case, "error", message=line(problem, 1000))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def html_text(summary: Summary) -> str:
    """One page with the queries of every gate."""
    from sklearn_rank.gates import page

    return page.html_text(summary, TITLE, tally(summary.gates), answer(summary))


# Tables ------------------------------------------------------------------------------------------

_COLUMNS = (
    *(Column("gate", longest=None), Column("metric", longest=None)),
    *(Column(title, "number") for title in ("now", "limit", "baseline", "change", "p", "queries")),
    Column("verdict", longest=None),
)
_GRAVITY = ("stale", "fail", "cannot tell", "not confirmed", None, "new", "improved", "pass")


def gates_table(summary: Summary) -> Table:
    """A row for each measure of each gate, and for its slices, the worst first."""
    rows = []
    for run in summary.gates:
        record = run.record
        parts = sorted(record["slices"], key=lambda part: _GRAVITY.index(part["state"]))
        metrics = [*record["metrics"].values(), *parts[:MOST_SLICES]]
        name = text_cell(shown(record["name"], 60))
        rows += [(name, *_cells(own, run)) for own in metrics or [None]]
    return Table(_COLUMNS, tuple(rows))


def _cells(own: Mapping[str, Any] | None, run: GateRun) -> tuple[Any, ...]:
    if own is None:
        empty = [text_cell("")] * 7
        return (*empty, text_cell(run.state))
    drop = own["drop"] or {}
    name = own["name"] if own["label"] is None else f"{own['name']} ({shown(own['label'])})"
    limits = (("at_least", ">="), ("at_most", "<="))
    limit = " ".join(f"{sign} {own[key]:g}" for key, sign in limits if own[key] is not None)
    state = own["state"] or ("too small" if own["too_small"] else "")
    if run.record["state"] == "new" and state == "pass":
        state = "new"
    return (
        text_cell(name),
        number_cell(own["value"]),
        text_cell(limit),
        number_cell(own["baseline"]),
        number_cell(own["change"], signed=True),
        p_cell(drop.get("p_adjusted")),
        text_cell(f"{own['queries']:,}"),
        text_cell(state),
    )


# Markdown: one table of all gates, and details of those that failed -----------------------------

MOST_CHARACTERS = 4000
"""A comment that is read: details are cut, the answer is not."""
MOST_ROWS = 3
_SIGNS = {
    "fail": ":x:",
    "stale": ":x:",
    "cannot tell": ":grey_question:",
    "not confirmed": ":warning:",
}
_COMMENT = (
    *(Column(title, "number") for title in ("old", "new", "change")),
    *(Column("queries"), Column("")),
)


def answer(summary: Summary) -> str:
    """The decisions of the gates, in a sentence."""
    failed, total = [run for run in summary.gates if run.failed], len(summary.gates)
    if not failed:
        return f"{tally(summary.gates)}{', and the run fails' if summary.problems else ''}"
    said = line(failed[0].record["headline"], 300)
    return f"{len(failed)} of {count(total, 'gate')} failed: {said}"


def markdown(summary: Summary) -> str:
    """The comment on a pull request, or the step summary of a CI run.

    The sentence, three rows, the queries that lost most, and folded what to do about it.
    """
    parts = [f"### Ranking quality: {escape_markdown(answer(summary))}\n"]
    parts += [f"- {escape_markdown(line(problem))}" for problem in summary.problems[:MOST_ROWS]]
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, repository, number = (os.environ.get(name, "") for name in names)
    if number:
        parts.append(
            f"[Reports of this run]({server}/{repository}/actions/runs/{number}#artifacts)\n"
        )
    runs = sorted(summary.gates, key=lambda run: not run.failed)
    rows = [(own, run) for run in runs for own in _gravest(run)]
    shown_rows = [_comment_row(own, run, named=len(runs) > 1) for own, run in rows[:MOST_ROWS]]
    if rows:
        columns = (Column("measure"), *_COMMENT)
        parts += [*markdown_rows(columns, shown_rows), ""]
    if len(rows) > MOST_ROWS:
        parts.append(f"{count(len(rows) - MOST_ROWS, 'more row')} below.\n")
    for run in [run for run in runs if run.failed][:MOST_ROWS]:
        parts += _losers(run.record) if run is runs[0] else []
        parts.append(_folded(run.record))
    if len(rows) > MOST_ROWS:
        table = to_markdown(gates_table(summary))
        parts.append(f"<details><summary>All gates</summary>\n\n{table}\n\n</details>\n")
    text = parts[0]
    for part in parts[1:]:
        if len(text) + len(part) < MOST_CHARACTERS:
            text += f"\n{part}"
    return f"{text}\n"


def _gravest(run: GateRun) -> list[Mapping[str, Any]]:
    """Measures and slices of a gate, the gravest first."""
    own = [*run.record["metrics"].values(), *run.record["slices"]]
    return sorted(own, key=lambda row: _GRAVITY.index(row["state"]))


def _comment_row(own: Mapping[str, Any], run: GateRun, *, named: bool) -> list[str]:
    drop, state = own["drop"] or {}, own["state"]
    name = escape_markdown(own["title"])
    if own["label"] is not None:
        name = f"\u21b3 {name}, {escape_markdown(shown(own['label'], 40))}"
    if named:
        name = f"{escape_markdown(shown(run.record['name'], 40))}: {name}"
    counts = ""
    if drop.get("n"):
        worse, better = drop["lost"], drop["won"]
        size = round(8 * worse / max(1, worse + better))
        bar = ("\u2587" * size + "\u2581" * (8 - size)) * bool(worse + better)
        counts = f"{bar} {worse:,} worse, {better:,} better".strip()
    limits = (("allowed", "allowed drop"), ("at_least", "at least"), ("at_most", "at most"))
    told = [f"{word} {own[key]:g}" for key, word in limits if own[key] is not None]
    change = number_cell(own["change"], digits=3, signed=True).text
    return [
        name,
        number_cell(own["baseline"], digits=3).text,
        number_cell(own["value"], digits=3).text,
        f"**{change}**" if change and state in ("fail", "stale") else change,
        counts,
        f"{_SIGNS.get(state, ':white_check_mark:')} {escape_markdown(', '.join(told))}".strip(),
    ]


def _losers(record: Mapping[str, Any]) -> list[str]:
    """The queries that lost most, by text, with the item that did it."""
    worst = record["worst"]
    if not worst or not worst["rows"]:
        return []
    title = record["metrics"].get(worst["measure"], {}).get("title", worst["measure"])
    rows = []
    for row in worst["rows"][:MOST_ROWS]:
        values = (number_cell(row[key], digits=2).text for key in ("was", "now"))
        name = line(row["text"], 80) if row["text"] else shown(row["query"], 80)
        rows.append([escape_markdown(name), " \u2192 ".join(filter(None, values)), _why(row)])
    columns = (Column("query"), Column(title, "number"), Column("why"))
    lost = any(row["was"] is not None for row in worst["rows"])
    heading = "The queries that lost most" if lost else "The worst queries"
    return [f"**{heading}**\n", *markdown_rows(columns, rows), ""]


def _why(row: Mapping[str, Any]) -> str:
    """The first item that moved, in a phrase."""
    for move in row["moves"]:
        if move["was"] != move["now"] and move["item"] is not None:
            name = line(move["title"], 80) if move["title"] else shown(move["item"], 60)
            if move["now"] == "-":
                told = f"gone from rank {move['was']}"
            elif move["was"] in ("-", ""):
                told = f"at rank {move['now']}"
            else:
                told = f"from rank {move['was']} to {move['now']}"
            return f"**{escape_markdown(name)}** {told}"
    return ""


def _folded(record: Mapping[str, Any]) -> str:
    """The command that accepts a drop, and the power of the gate."""
    name = escape_markdown(shown(record["name"], 60))
    accept = re.sub(r"`{3,}", "``", record["accept"])
    text = f"To accept this drop:\n\n```text\n{accept}\n```\n" if accept else ""
    outlook = escape_markdown(record["outlook"])
    head = f"{name}: {count(record['queries'], 'query', 'queries')}"
    return f"<details><summary>{head}</summary>\n\n{text}\n{outlook}\n\n</details>\n"
