"""``sklearn-rank compare`` and ``report``: runs against a first one."""

from __future__ import annotations

import argparse
import json
import shlex
import webbrowser
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sklearn_rank.cli.evaluate import measure_files
from sklearn_rank.cli.gate import limits_of
from sklearn_rank.cli.reading import read_labels, read_texts
from sklearn_rank.cli.terminal import print_styled, print_table, print_text, shown
from sklearn_rank.comparison.compare import compare
from sklearn_rank.comparison.result import Comparison, changes_table
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.support.disk import HTML_REPORT, check_target
from sklearn_rank.support.runtime import waiting
from sklearn_rank.tables.formats import to_csv
from sklearn_rank.tables.table import Cell, Column, Table, text_cell
from sklearn_rank.view.page import Verdict, findings
from sklearn_rank.view.systems import compared_section, titles_of, verdict_of, write_report

_STYLES = {"worse": "bold red", "better": "bold blue"}


def run(arguments: argparse.Namespace) -> int:
    """Read, measure, compare and print."""
    form, n = arguments.format, arguments.changed
    if n and form != "text":
        msg = f"--changed needs --format text, got {form}"
        raise ValueError(msg)
    comparison = _compare_files(arguments, keep_items=n > 0 or form == "text")
    texts = read_texts(arguments)
    if form == "json":
        print(json.dumps(comparison.to_dict(), indent=1, allow_nan=False))
    elif form == "text":
        tables = [comparison._table("changes")]
        for system in comparison.others if n else ():
            changes = comparison.most_changed(n, system=system, **texts)
            tables.append(changes_table(changes, comparison.baseline, system))
        for table in tables:
            # The verdict includes how much is unjudged.
            notes = (note for note in table.notes if not note.startswith("unjudged items"))
            print_table(replace(table, notes=tuple(notes)))
            print()
        _print_answer(comparison, texts, with_losses=not n)
    elif form == "csv":
        rows = [asdict(row) for row in comparison.rows]
        cells = (tuple(map(_cell, row.values())) for row in rows)
        print(to_csv(Table(tuple(map(Column, rows[0])), tuple(cells))), end="")
    elif form == "markdown":
        print_text(comparison.to_markdown().rstrip("\n") + "\n")
    return 0


def _cell(value: Any) -> Cell:
    if isinstance(value, str):
        return text_cell(value)
    return Cell("", None if value != value else value)


def run_report(arguments: argparse.Namespace) -> int:
    """Compare, and write the page."""
    slices = arguments.slices
    files = (arguments.query_text, arguments.item_text, slices)
    inputs = (arguments.qrels, arguments.baseline, *arguments.runs, *files)
    check_target(arguments.output, HTML_REPORT, inputs)
    options: dict[str, Any] = {
        "slices": None if slices is None else read_labels(slices).get,
        **read_texts(arguments),
        "about": (arguments.qrels, shlex.join(["sklearn-rank", *arguments.words])),
    }
    limits = limits_of("max_drop", arguments.max_drop)
    result: Comparison | Evaluation
    if arguments.runs:
        result = _compare_files(arguments, keep_items=True)
        options |= {"max_drop": limits, "max_slice_drop": arguments.max_slice_drop}
    else:
        given = {"--max-drop": limits, "--max-slice-drop": arguments.max_slice_drop}
        for option, limit in given.items():
            if limit is not None:
                msg = f"{option} limits a drop from a baseline; pass QRELS BASELINE NEW"
                raise ValueError(msg)
        systems = measure_files(arguments, [arguments.baseline], keep_items=True)
        (result,) = systems.values()
    title, explained = arguments.title, arguments.explain
    verdict = write_report(result, arguments.output, title=title, measure=explained, **options)
    _print_verdict(verdict)
    print(shown(arguments.output))
    if arguments.open:
        webbrowser.open(Path(arguments.output).resolve().as_uri())
    return 0


def _print_verdict(verdict: Verdict) -> None:
    print_styled(verdict.sentence, _STYLES.get(verdict.kind, "bold"))
    for detail in (*verdict.details, *verdict.more):
        print_styled(detail)


def _print_answer(comparison: Comparison, texts: dict[str, Any], *, with_losses: bool) -> None:
    """The verdict, and the queries that lost most in its measure."""
    section = compared_section(comparison, {})
    _print_verdict(verdict_of(comparison, section, titles_of(texts)))
    titles = {comparison.measure(name).title: name for name in comparison.measures}
    by_query = [name for name in comparison.measures if not comparison.measure(name).is_pooled]
    lost = [(comparison.names[f.row.new], titles[f.measure]) for f in findings(section)]
    if not by_query or not with_losses:
        return
    explained = [pair for pair in lost if pair[1] in by_query] or [
        (comparison.others[0], by_query[0])
    ]
    system, measure = explained[0]
    asked = {"measure": measure, "system": system, "direction": "worse", **texts}
    changes = comparison.most_changed(3, **asked)
    if changes:
        print()
        print_table(changes_table(changes, comparison.baseline, system, most=1))


def _compare_files(arguments: argparse.Namespace, *, keep_items: bool) -> Comparison:
    """Read, measure and compare."""
    paths = [arguments.baseline, *arguments.runs]
    systems = measure_files(arguments, paths, keep_items=keep_items)
    with waiting("comparing"):
        return compare(systems, alpha=arguments.alpha)
