"""``sklearn-rank doctor``: what is odd about judgements and runs, before anything is measured."""

from __future__ import annotations

import argparse

from sklearn_rank.cli.options import add_reading
from sklearn_rank.cli.terminal import print_table
from sklearn_rank.support.runtime import waiting


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "doctor",
        help="look for what is odd about judgements and runs",
        description="Look for repeated items, ids that almost meet, queries without relevant "
        "items, columns that are not read and thin slices, and say what difference a set of this "
        "size can show.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="relevance judgements")
    parser.add_argument("run_path", metavar="RUN", nargs="?", help="rankings of a system")
    parser.add_argument("--slices", metavar="FILE", help="labels of queries, as for evaluate")
    add_reading(parser, "qrels", "run")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, look and print."""
    from sklearn_rank.cli import findings
    from sklearn_rank.cli.reading import Reader, read_labels, refuse_repeated_input
    from sklearn_rank.tables.table import words_table

    reader = Reader.of(arguments)
    refuse_repeated_input(arguments.qrels, arguments.run_path)
    with waiting("reading judgements"):
        qrels = reader.qrels(arguments.qrels)
    rows = list(findings.of_qrels(qrels))
    if arguments.slices is not None:
        rows += findings.of_slices(qrels, read_labels(arguments.slices))
    if arguments.run_path is not None:
        with waiting(f"reading {arguments.run_path}"):
            ranking = reader.run(arguments.run_path)
        with waiting("comparing ids"):
            rows += findings.of_run(qrels, ranking)
    print_table(words_table(("", "finding"), rows))
    return 0
