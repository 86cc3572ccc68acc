"""``sklearn-rank evaluate``: measures of runs against judgements, from files."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn_rank.cli.options import EVALUATED
from sklearn_rank.cli.reading import (
    Reader,
    read_labels,
    refuse_repeated_input,
    refuse_repeated_runs,
    split_runs,
)
from sklearn_rank.cli.terminal import print_table
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.tables import interval_of, remarks, table_of
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.conventions import find_convention
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.formats import to_csv, to_latex, to_markdown
from sklearn_rank.tables.table import Cell, Column, Table, number_cell, text_cell


def run(arguments: argparse.Namespace) -> int:
    """Read, measure and print."""
    labels = None if arguments.slices is None else read_labels(arguments.slices)
    evaluations = measure_files(arguments, arguments.runs, EVALUATED)
    _print([*evaluations], [*evaluations.values()], arguments, labels)
    return 0


# Measuring, for `compare` and `report` as well --------------------------------------------------


def measure_files(
    arguments: argparse.Namespace,
    paths: list[str],
    default: tuple[str, ...],
    *,
    keep_items: bool = False,
) -> dict[str, Evaluation]:
    """Read and measure runs, by the ``default`` measures if nobody named some."""
    # Errors of the options come before a file is read.
    convention = find_convention(arguments.convention)
    measures = parse_measures(arguments.measures or default)
    if arguments.min_rel is not None:
        measures = tuple(one.with_parameters(min_rel=arguments.min_rel) for one in measures)
    files = [file for path in paths for file in split_runs(path)]
    refuse_repeated_input(arguments.qrels, *files)
    refuse_repeated_runs(*files)
    reader, clusters = Reader(arguments), arguments.clusters
    with waiting("reading judgements"):
        qrels = reader.qrels(arguments.qrels)
    options: dict[str, Any] = {
        "convention": arguments.convention,
        "missing": "zero" if arguments.complete else convention.missing,
        "ignore_identical_ids": arguments.ignore_identical_ids,
        "keep_items": keep_items,
        "clusters": None if clusters is None else read_labels(clusters, "--clusters"),
    }
    evaluations = {}
    for name, path in zip(_names_of(paths), paths, strict=True):
        with waiting(f"reading {path}"):
            ranking = reader.runs(path)
        with waiting(f"measuring {path}"):
            evaluations[name] = evaluate(qrels, ranking, measures, **options)
    return evaluations


def _names_of(paths: Sequence[str]) -> list[str]:
    """File names, or whole paths where file names alone do not tell them apart."""
    split = [split_runs(path) for path in paths]
    short = [
        Path(first).name + (f" and {len(others)} more" if others else "")
        for first, *others in split
    ]
    return short if len(set(short)) == len(short) else list(paths)


# Output -----------------------------------------------------------------------------------------


def _print(
    names: list[str],
    results: list[Evaluation],
    arguments: argparse.Namespace,
    labels: Mapping[str, str] | None,
) -> None:
    """Print evaluations side by side: rows are slice, query, measure and a value for each run."""
    form, per_query = arguments.format, arguments.per_query
    if form == "json":
        objects = [_as_json(*pair, labels) for pair in zip(names, results, strict=True)]
        print(json.dumps(objects, indent=1, allow_nan=False))
        return
    if form == "table" and len(results) == 1 and labels is None and not per_query:
        print_table(table_of(results[0]))
        return
    parts = {"": results, **({} if labels is None else _slices(results, labels))}
    rows = [
        (label, "all", name, [result[name] for result in part])
        for label, part in parts.items()
        for name in results[0]
    ]
    if per_query:
        rows += _per_query(results)
    if form == "csv":
        columns = (*map(Column, ("run", "slice", "query", "measure")), Column("value", "number"))
        cells = (
            (*map(text_cell, (name, *row)), number_cell(values[position]))
            for position, name in enumerate(names)
            for *row, values in rows
        )
        print(to_csv(Table(columns, tuple(cells))), end="")
    elif form == "trec":
        # What is undefined has no line.
        for position in range(len(names)):
            for label, query, measure, values in sorted(rows, key=lambda row: row[1] == "all"):
                if not math.isnan(values[position]):
                    name = f"{measure}[{safe_text(label)}]" if label else measure
                    print(f"{name:<22}\t{safe_text(query)}\t{values[position]:6.4f}")
    else:
        # Columns of queries and slices only if there are any.
        keys = {"measure": [row[2] for row in rows]}
        if per_query:
            keys["query"] = [row[1] for row in rows]
        if labels is not None:
            keys["slice"] = [row[0] or "all" for row in rows]
        titles = [*map(Column, keys), *(Column(name, "number") for name in names)]
        lines: list[tuple[Cell, ...]] = [
            (*map(text_cell, key), *map(number_cell, row[3]))
            for key, row in zip(zip(*keys.values(), strict=True), rows, strict=True)
        ]
        if len(results) == 1 and not per_query:  # as without slices
            titles.append(Column("95% interval", "interval"))
            parts_of = [(part, name) for (part,) in parts.values() for name in part]
            intervals = [interval_of(part, name) for part, name in parts_of]
            lines = [(*line, interval) for line, interval in zip(lines, intervals, strict=True)]
        table = Table(tuple(titles), tuple(lines))
        if form != "table":
            print((to_markdown if form == "markdown" else to_latex)(table))
            return
        print_table(table)
        for name, result in zip(names, results, strict=True):
            print(f"{safe_text(name)}: {remarks(result.counts)}")


def _as_json(name: str, result: Evaluation, labels: Mapping[str, str] | None) -> dict[str, Any]:
    record = {"run": name, **result.to_dict()}
    if labels is not None:
        parts = _slices([result], labels)
        record["slices"] = {label: part.to_dict()["scores"] for label, (part,) in parts.items()}
    return record


def _slices(
    results: Sequence[Evaluation], labels: Mapping[str, str]
) -> dict[str, list[Evaluation]]:
    """The evaluations of each label that every run has queries of."""
    by_run = []
    for result in results:
        labelled = {query: labels[query] for query in map(str, result.query_ids) if query in labels}
        if not labelled:
            msg = "--slices gives none of the queries a label"
            raise InvalidParameterError(msg)
        by_run.append(result.by_slice(labelled))
    shared = [label for label in by_run[0] if all(label in parts for parts in by_run)]
    return {label: [parts[label] for parts in by_run] for label in shared}


def _per_query(results: Sequence[Evaluation]) -> list[tuple[str, str, str, list[float]]]:
    """Queries of all runs, in the order of the first; a run without a query has no value there."""
    values = [
        {
            (str(query), name): value
            for name, column in result.per_query.items()
            for query, value in zip(result.query_ids, column.tolist(), strict=True)
        }
        for result in results
    ]
    queries = dict.fromkeys(query for table in values for query, _ in table)
    return [
        ("", query, name, [table.get((query, name), math.nan) for table in values])
        for query in queries
        for name in results[0]
        if name in results[0].per_query
    ]
