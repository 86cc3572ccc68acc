"""``sklearn-rank evaluate``: measures of a run against judgements, from files."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn_rank.cli.options import MEASURES
from sklearn_rank.cli.reading import (
    Reader,
    read_labels,
    refuse_repeated_input,
    refuse_repeated_runs,
    split_runs,
)
from sklearn_rank.cli.terminal import print_table, print_text
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.tables import queries_table, slices_table, table_of
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.conventions import find_convention
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.formats import to_csv, to_markdown
from sklearn_rank.tables.table import Column, Table, number_cell, text_cell


def run(arguments: argparse.Namespace) -> int:
    """Read, measure and print."""
    labels = None if arguments.slices is None else read_labels(arguments.slices)
    ((name, evaluation),) = measure_files(arguments, [arguments.run_path]).items()
    parts = {} if labels is None else _by_label(evaluation, labels)
    form = arguments.format
    if form == "json":
        scores = {label: part.to_dict()["scores"] for label, part in parts.items()}
        record = {"run": name, **evaluation.to_dict(), **({"slices": scores} if parts else {})}
        print(json.dumps(record, indent=1, allow_nan=False))
    elif form in ("csv", "trec"):
        rows = [
            ("", str(query), measure, float(values[number]))
            for number, query in enumerate(evaluation.query_ids if arguments.per_query else ())
            for measure, values in evaluation.per_query.items()
        ]
        for label, part in {"": evaluation, **parts}.items():
            rows += [(label, "all", measure, value) for measure, value in part.scores.items()]
        if form == "csv":
            titles = (*map(Column, ("slice", "query", "measure")), Column("value", "number"))
            cells = ((*map(text_cell, row[:3]), number_cell(row[3])) for row in rows)
            print(to_csv(Table(titles, tuple(cells))), end="")
            return 0
        for label, query, measure, value in rows:
            if not math.isnan(value):
                shown = f"{measure}[{safe_text(label)}]" if label else measure
                print_text(f"{shown:<22}\t{safe_text(query)}\t{value:6.4f}\n")
    else:
        tables = [table_of(evaluation)]
        tables += [slices_table(parts)] if parts else []
        tables += [queries_table(evaluation)] if arguments.per_query else []
        for number, table in enumerate(tables):
            print(end="\n" * (number > 0))
            if form == "table":
                print_table(table)
            elif form == "markdown":
                print_text(f"{to_markdown(table)}\n")
    return 0


def _by_label(evaluation: Evaluation, labels: Mapping[str, str]) -> dict[Any, Evaluation]:
    """The evaluation of each label."""
    labelled = {query: labels[str(query)] for query in evaluation.query_ids if str(query) in labels}
    if not labelled:
        msg = "--slices has no label for any of the queries; check that their ids match"
        raise InvalidParameterError(msg)
    return evaluation.by_slice(labelled)


# Measuring, for `compare` and `report` as well --------------------------------------------------


def measure_files(
    arguments: argparse.Namespace,
    paths: list[str],
    *,
    keep_items: bool = False,
) -> dict[str, Evaluation]:
    """Read and measure runs."""
    # Errors in the options are raised before a file is read.
    convention = find_convention(arguments.convention)
    measures = parse_measures(arguments.measures or MEASURES)
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
        "duplicates": reader.duplicates.get("run"),
        "keep_items": keep_items,
        "collection": arguments.collection,
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
    """File names, or whole paths if file names are not unique."""
    split = [split_runs(path) for path in paths]
    short = [
        Path(first).name + (f" and {len(others)} more" if others else "")
        for first, *others in split
    ]
    return short if len(set(short)) == len(short) else list(paths)
