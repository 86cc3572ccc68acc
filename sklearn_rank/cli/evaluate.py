"""``sklearn-rank evaluate``: measures of runs against judgements, from files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sklearn_rank.cli.terminal import progress

if TYPE_CHECKING:
    pass

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
    add(
        "-m",
        "--measure",
        action="append",
        default=[],
        metavar="M",
        dest="measures",
        help=f"as map, ndcg@5,10 or P_10; repeat it for more (default: {', '.join(DEFAULT)}; with "
        "--convention trec_eval --format trec: official)",
    )
    add("-q", "--per-query", action="store_true", help="the values of each query, too")
    add("--format", choices=FORMATS, default="table", help="of the output (default: table)")
    add("--convention", default="default", metavar="NAME", help="count as this program does")
    add(
        "-c",
        "--complete",
        action="store_true",
        help="count judged queries without a ranking as 0, whatever the convention",
    )
    add("-l", "--level", type=_positive, metavar="N", help="lowest grade that is relevant")
    add("-M", "--depth", type=_positive, metavar="N", help="read this many items of a ranking")
    add(
        "-J",
        "--judged-only",
        action="store_true",
        help="leave out the items that nobody judged for their query",
    )
    add(
        "--slices",
        metavar="FILE",
        help="labels of queries (CSV with the columns query and label, or JSON {query: label}): "
        "the measures of each label, too",
    )
    add_columns(parser, "qrels", "run")
    parser.set_defaults(run=run)


def add_columns(parser: argparse.ArgumentParser, *kinds: str) -> None:
    """Options for columns whose names are not recognised, one for each kind of file."""
    roles = {"qrels": "query, item or grade", "run": "query, item, score or rank"}
    for kind in kinds:
        parser.add_argument(
            f"--{kind}-column",
            action="append",
            default=[],
            metavar="ROLE=NAME",
            type=_column,
            help=f"column of {roles[kind]} in {kind} if its name is not recognised",
        )


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        msg = f"must be a whole number of at least 1, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _column(text: str) -> tuple[str, str]:
    role, equals, name = text.partition("=")
    if not equals or not name:
        msg = f"must be ROLE=NAME, got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return role, name


def run(arguments: argparse.Namespace) -> int:
    """Read, measure and print."""
    from sklearn_rank.cli import reports
    from sklearn_rank.cli.measuring import Request, measure_run, measure_trec
    from sklearn_rank.cli.reading import read_labels, read_qrels_file, read_run_file

    request = Request.of(arguments, DEFAULT)
    with progress("reading judgements"):
        qrels = read_qrels_file(arguments.qrels, arguments.qrels_column)
    labels = None if arguments.slices is None else read_labels(arguments.slices)
    evaluations = []
    for path in arguments.runs:
        with progress(f"reading {path}"):
            ranking = read_run_file(path, arguments.run_column)
        with progress(f"measuring {path}"):
            if request.is_trec:
                print(measure_trec(request, qrels, ranking))
            else:
                evaluations.append((path, measure_run(request, qrels, ranking)))
    if evaluations:
        reports.print_evaluations(evaluations, arguments.format, arguments.per_query, labels)
    return 0
