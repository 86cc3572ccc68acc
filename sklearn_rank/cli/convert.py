"""``sklearn-rank convert``: a run or judgements from one format into another."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sklearn_rank.cli.options import add_reading
from sklearn_rank.cli.terminal import shown
from sklearn_rank.support.runtime import waiting

if TYPE_CHECKING:
    from sklearn_rank.inputs.tables import Qrels, Run


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "convert",
        help="convert a run or judgements into another format",
        description="Convert a file. The suffix of TARGET tells its format: .run and .qrels "
        "(TREC), .csv, .tsv, .jsonl, .json, .parquet or .arrow, text also with .gz or .bz2.",
    )
    parser.add_argument("kind", choices=("run", "qrels"), help="what the file holds")
    parser.add_argument("source", metavar="SOURCE", help="file to read, or '-'")
    parser.add_argument("target", metavar="TARGET", help="file to write")
    parser.add_argument("--tag", default="", help="name of the system in a TREC run")
    parser.add_argument("--force", action="store_true", help="replace a TARGET of the same kind")
    add_reading(parser, "qrels", "run")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read and write."""
    from sklearn_rank.cli.reading import Reader
    from sklearn_rank.files.write import write_qrels, write_run
    from sklearn_rank.support.disk import refuse_inputs

    reader = Reader.of(arguments)
    refuse_inputs(arguments.target, [arguments.source])
    table: Run | Qrels
    with waiting(f"converting {arguments.source}"):
        if arguments.kind == "run":
            table = reader.run(arguments.source, "SOURCE")
            write_run(table, arguments.target, tag=arguments.tag, overwrite=arguments.force)
        else:
            table = reader.qrels(arguments.source, "SOURCE")
            write_qrels(table, arguments.target, overwrite=arguments.force)
    print(f"{shown(arguments.target)}: {len(table):,} queries, {table.n_rows:,} rows")
    return 0
