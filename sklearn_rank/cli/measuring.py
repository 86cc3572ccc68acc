"""What `evaluate` and `compare` measure, and how evaluations are printed."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sklearn_rank.cli.terminal import print_table
from sklearn_rank.cli.trec_measures import TrecData, choose, lines_of
from sklearn_rank.engines.read import EngineOptions
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.tables import remarks, table_of
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.join import judged_alone, read_columns
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import find_convention
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.formats import to_csv, to_latex, to_markdown
from sklearn_rank.tables.table import Column, Table, number_cell, text_cell


def is_trec(arguments: argparse.Namespace) -> bool:
    """Whether lines are to equal those of trec_eval."""
    return (arguments.format, arguments.convention) == ("trec", "trec_eval")


def check_measures(arguments: argparse.Namespace, default: tuple[str, ...]) -> None:
    """Put the default for measures that nobody named; errors come before a file is read."""
    find_convention(arguments.convention)
    if getattr(arguments, "no_summary", False) and not is_trec(arguments):
        msg = "--no-summary goes with --convention trec_eval --format trec"
        raise ValueError(msg)
    arguments.measures = arguments.measures or (("official",) if is_trec(arguments) else default)
    if is_trec(arguments):
        choose(tuple(arguments.measures))
    else:
        _measures(arguments)


def _measures(arguments: argparse.Namespace) -> list[Measure]:
    """Measures with the level of relevance."""
    parsed = parse_measures(list(arguments.measures))
    if arguments.level is None:
        return list(parsed)
    return [measure.with_parameters(min_rel=arguments.level) for measure in parsed]


def _missing(arguments: argparse.Namespace) -> Any:
    """What to do about judged queries without a ranking."""
    return "zero" if arguments.complete else find_convention(arguments.convention).missing


def _prepared(arguments: argparse.Namespace, qrels: Qrels, run: Run) -> Run:
    """The run as deep as it is to be read, perhaps of judged items alone."""
    by_id = find_convention(arguments.convention).ties == "docid"
    if arguments.depth is not None:
        run = run.top(arguments.depth, by_id=by_id)
    return judged_alone(run, qrels) if arguments.judged_only else run


def measure_run(
    arguments: argparse.Namespace,
    qrels: Any,
    run: Any,
    *,
    keep_items: bool = False,
    engine: EngineOptions | None = None,
) -> Evaluation:
    """Evaluate one run: tables, or lazy frames."""
    return evaluate(
        qrels,
        _prepared(arguments, qrels, run) if isinstance(run, Run) else run,
        _measures(arguments),
        engine=engine,
        convention=arguments.convention,
        missing=_missing(arguments),
        keep_items=keep_items,
    )


def measure_trec(arguments: argparse.Namespace, qrels: Qrels, run: Run) -> str:
    """Lines as trec_eval prints them."""
    data = read_columns(
        qrels.of_queries(sorted(qrels.query_ids)),
        _prepared(arguments, qrels, run),
        ties="docid",
        missing=_missing(arguments),
        negative_grades="unjudged",
        assume="partial",
    )
    trec = TrecData(data.rankings.widened(), arguments.level or 1, run.tag)
    # With -c, trec_eval counts what is relevant at any level.
    complete = int((qrels.grades > 0).sum()) if arguments.complete else -1
    chosen = choose(tuple(arguments.measures))
    per_query, overall = lines_of(trec, chosen, complete_relevant=complete)
    shown = per_query if arguments.per_query else []
    return "\n".join(shown if arguments.no_summary else [*shown, *overall])


# Output -----------------------------------------------------------------------------------------

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
    names = names_of([path for path, _ in evaluations])
    results = [evaluation for _, evaluation in evaluations]
    if form == "json":
        print(json.dumps(_as_json(names, results, labels), indent=1, allow_nan=False))
        return
    if form == "table" and len(results) == 1 and labels is None and not per_query:
        print_table(table_of(results[0]))
        return
    rows = _overall(results, "")
    if labels is not None:
        for label, parts in _slices(results, labels).items():
            rows += _overall(parts, label)
    if per_query:
        rows += _per_query(results)
    _WRITERS[form](names, rows)
    if form == "table":
        for name, evaluation in zip(names, results, strict=True):
            print(f"{safe_text(name)}: {remarks(evaluation.counts)}")


def names_of(paths: Sequence[str]) -> list[str]:
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
    for evaluation in results:
        if labels.keys().isdisjoint(map(str, evaluation.query_ids)):
            msg = "--slices gives none of the queries a label"
            raise InvalidParameterError(msg)
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


def _table_of(names: Sequence[str], rows: Sequence[_Row]) -> Table:
    """A column for each run."""
    columns = {"measure": [row.measure for row in rows]}
    if any(row.query != "all" for row in rows):
        columns["query"] = [row.query for row in rows]
    if any(row.label for row in rows):
        columns["slice"] = [row.label or "all" for row in rows]
    keys = zip(*columns.values(), strict=True)
    return Table(
        (*map(Column, columns), *(Column(name, "number") for name in names)),
        tuple(
            (*map(text_cell, key), *map(number_cell, row.values))
            for key, row in zip(keys, rows, strict=True)
        ),
    )


def _long_table(names: Sequence[str], rows: Sequence[_Row]) -> Table:
    """A row for each value."""
    columns = (*map(Column, ("run", "slice", "query", "measure")), Column("value", "number"))
    cells = (
        (*map(text_cell, (name, row.label, row.query, row.measure)), number_cell(row.values[place]))
        for place, name in enumerate(names)
        for row in rows
    )
    return Table(columns, tuple(cells))


def _print_trec(names: Sequence[str], rows: Sequence[_Row]) -> None:
    for place in range(len(names)):
        for row in sorted(rows, key=lambda row: row.query == "all"):
            value = row.values[place]
            if not math.isnan(value):
                name = f"{row.measure}[{safe_text(row.label)}]" if row.label else row.measure
                print(f"{name:<22}\t{safe_text(row.query)}\t{value:6.4f}")


_WRITERS: dict[str, Callable[[Sequence[str], Sequence[_Row]], None]] = {
    "table": lambda names, rows: print_table(_table_of(names, rows)),
    "trec": _print_trec,
    "csv": lambda names, rows: print(to_csv(_long_table(names, rows)), end=""),
    "markdown": lambda names, rows: print(to_markdown(_table_of(names, rows))),
    "latex": lambda names, rows: print(to_latex(_table_of(names, rows))),
}
