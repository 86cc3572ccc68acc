"""``sklearn-rank evaluate``: measures of runs against judgements, from files."""

from __future__ import annotations

import argparse
from typing import Any

from sklearn_rank.cli.engines import add_engine, engine_of, options_of, read_sides
from sklearn_rank.cli.options import add_measuring, add_reading
from sklearn_rank.support.runtime import waiting

FORMATS = ("table", "trec", "json", "csv", "markdown", "latex")
DEFAULT = ("map", "ndcg@10", "mrr", "precision@10", "recall@100")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "evaluate",
        help="measure runs against judgements",
        description="Measure one or several runs against judgements. Files are TREC, CSV, TSV, "
        "JSON, JSON Lines, Parquet or Arrow, perhaps compressed; '-' reads standard input.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="relevance judgements")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="rankings of a system")
    add = parser.add_argument
    add("-q", "--per-query", action="store_true", help="the values of each query, too")
    add(
        "-n",
        "--no-summary",
        action="store_true",
        help="with --format trec: no lines of all queries",
    )
    add("--format", choices=FORMATS, default="table", help="of the output (default: table)")
    add(
        "--slices",
        metavar="FILE",
        help="labels of queries (CSV or JSON lines with query and label, or JSON {query: label}): "
        "the measures of each label, too",
    )
    add_measuring(
        parser,
        f"default: {', '.join(DEFAULT)}; with --convention trec_eval --format trec: official",
    )
    add_reading(parser, "qrels", "run")
    add_engine(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, measure and print."""
    from sklearn_rank.cli import measuring
    from sklearn_rank.cli.reading import Reader, read_labels, refuse_repeated_input

    measuring.check_measures(arguments, DEFAULT)
    reader = Reader.of(arguments)
    refuse_repeated_input(arguments.qrels, *arguments.runs)
    engine, options = engine_of(arguments), options_of(arguments)
    lazy: list[Any] = []
    with waiting("reading judgements"):
        if engine == "memory":
            qrels: Any = reader.qrels(arguments.qrels)
        else:
            qrels, lazy = read_sides(engine, reader, arguments.qrels, arguments.runs, options)
    labels = None if arguments.slices is None else read_labels(arguments.slices)
    evaluations = []
    for number, path in enumerate(arguments.runs):
        with waiting(f"reading {path}"):
            ranking = lazy[number] if lazy else reader.run(path)
        with waiting(f"measuring {path}"):
            if measuring.is_trec(arguments):
                print(measuring.measure_trec(arguments, qrels, ranking))
            else:
                measured = measuring.measure_run(arguments, qrels, ranking, engine=options)
                evaluations.append((path, measured))
    if evaluations:
        measuring.print_evaluations(evaluations, arguments.format, arguments.per_query, labels)
    return 0
