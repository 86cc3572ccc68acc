"""Evaluations of runs as tables, JSON, CSV, Markdown, LaTeX or lines like trec_eval's."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sklearn_rank.cli.terminal import print_table
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.tables import TITLES, remarks, table_rows
from sklearn_rank.support.text import safe_text

_LATEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_MARKDOWN = {
    **{character: f"\\{character}" for character in "\\`*_[]|!"},
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for the beginning of a formula."""
Evaluations = Sequence[tuple[str, Evaluation]]


class _Row(NamedTuple):
    """One measure of all queries or of one, for each run."""

    label: str
    """Of the slice; empty for all queries."""
    query: str
    measure: str
    values: list[float]


def print_evaluations(
    evaluations: Evaluations, form: str, per_query: bool, labels: Mapping[str, str] | None
) -> None:
    """Print the evaluations of runs, named by their paths."""
    names = _names([path for path, _ in evaluations])
    results = [evaluation for _, evaluation in evaluations]
    if form == "json":
        print(json.dumps(_as_json(names, results, labels), indent=1, allow_nan=False))
        return
    if form == "table" and len(results) == 1 and labels is None and not per_query:
        print_table(TITLES, table_rows(results[0]))
        print(remarks(results[0].counts))
        return
    rows = _overall(results, "")
    if labels is not None:
        for label, parts in _slices(results, labels).items():
            rows += _overall(parts, label)
    if per_query:
        rows += _per_query(results)
    {
        "table": _print_table,
        "trec": _print_trec,
        "csv": _print_csv,
        "markdown": _print_markdown,
        "latex": _print_latex,
    }[form](names, rows)
    if form == "table":
        for name, evaluation in zip(names, results, strict=True):
            print(f"{safe_text(name)}: {remarks(evaluation.counts)}")


def _names(paths: Sequence[str]) -> list[str]:
    """File names, or whole paths where file names alone do not tell them apart."""
    short = [Path(path).name for path in paths]
    return short if len(set(short)) == len(short) else list(paths)


def _overall(results: Sequence[Evaluation], label: str) -> list[_Row]:
    return [
        _Row(label, "all", name, [evaluation[name] for evaluation in results])
        for name in results[0]
    ]


def _per_query(results: Sequence[Evaluation]) -> list[_Row]:
    """Queries of all runs, in the order of the first; a run without a query has no value there."""
    values = [
        {
            (str(query), name): value
            for name, column in evaluation.per_query.items()
            for query, value in zip(evaluation.query_ids, column.tolist(), strict=True)
        }
        for evaluation in results
    ]
    queries = dict.fromkeys(query for table in values for query, _ in table)
    names = [name for name in results[0] if name in results[0].per_query]
    return [
        _Row("", query, name, [table.get((query, name), math.nan) for table in values])
        for query in queries
        for name in names
    ]


def _slices(
    results: Sequence[Evaluation], labels: Mapping[str, str]
) -> dict[str, list[Evaluation]]:
    """The evaluations of each label that every run has queries of."""
    by_run = [
        evaluation.by_slice(
            {query: labels[query] for query in map(str, evaluation.query_ids) if query in labels}
        )
        for evaluation in results
    ]
    shared = [label for label in by_run[0] if all(label in parts for parts in by_run)]
    return {label: [parts[label] for parts in by_run] for label in shared}


def _as_json(
    names: Sequence[str], results: Sequence[Evaluation], labels: Mapping[str, str] | None
) -> list[dict[str, object]]:
    objects: list[dict[str, object]] = []
    for name, evaluation in zip(names, results, strict=True):
        told: dict[str, object] = {"run": name, **evaluation.to_dict()}
        if labels is not None:
            told["slices"] = {
                label: part.to_dict()["scores"]
                for label, (part,) in _slices([evaluation], labels).items()
            }
        objects.append(told)
    return objects


def _digits(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4f}"


class _Table(NamedTuple):
    """Rows as text."""

    keys: list[str]
    """Titles of the columns that say what a row is of."""
    rows: list[list[str]]


def _table_of(rows: Sequence[_Row]) -> _Table:
    columns = {"measure": [row.measure for row in rows]}
    if any(row.query != "all" for row in rows):
        columns["query"] = [safe_text(row.query) for row in rows]
    if any(row.label for row in rows):
        columns["slice"] = [safe_text(row.label or "all") for row in rows]
    values = [[_digits(value) for value in row.values] for row in rows]
    keys = zip(*columns.values(), strict=True)
    return _Table(list(columns), [[*key, *row] for key, row in zip(keys, values, strict=True)])


def _print_table(names: Sequence[str], rows: Sequence[_Row]) -> None:
    table = _table_of(rows)
    print_table((*table.keys, *map(safe_text, names)), table.rows, left=len(table.keys))


def _print_trec(names: Sequence[str], rows: Sequence[_Row]) -> None:
    for place in range(len(names)):
        for row in sorted(rows, key=lambda row: row.query == "all"):
            value = row.values[place]
            if not math.isnan(value):
                name = f"{row.measure}[{safe_text(row.label)}]" if row.label else row.measure
                print(f"{name:<22}\t{safe_text(row.query)}\t{value:6.4f}")


def _print_csv(names: Sequence[str], rows: Sequence[_Row]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("run", "slice", "query", "measure", "value"))
    for place, name in enumerate(names):
        for row in rows:
            value = row.values[place]
            text = [_spreadsheet(cell) for cell in (name, row.label, row.query, row.measure)]
            writer.writerow([*text, "" if math.isnan(value) else repr(value)])


def _spreadsheet(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _print_markdown(names: Sequence[str], rows: Sequence[_Row]) -> None:
    def escaped(text: str) -> str:
        return "".join(_MARKDOWN.get(character, character) for character in text)

    table = _table_of(rows)
    titles = [*table.keys, *(escaped(safe_text(name)) for name in names)]
    n_keys = len(table.keys)
    print(f"| {' | '.join(titles)} |")
    print("| --- " * n_keys + "| ---: " * len(names) + "|")
    for row in table.rows:
        print(f"| {' | '.join([*map(escaped, row[:n_keys]), *row[n_keys:]])} |")


def _print_latex(names: Sequence[str], rows: Sequence[_Row]) -> None:
    def escaped(text: str) -> str:
        return "".join(_LATEX.get(character, character) for character in text)

    table = _table_of(rows)
    titles = [*table.keys, *(escaped(safe_text(name)) for name in names)]
    n_keys = len(table.keys)
    print(r"\begin{tabular}{" + "l" * n_keys + "r" * len(names) + "}")
    print(" & ".join(titles) + r" \\ \hline")
    for row in table.rows:
        print(" & ".join([*map(escaped, row[:n_keys]), *row[n_keys:]]) + r" \\")
    print(r"\end{tabular}")
