"""``sklearn-rank evaluate``: measures of runs against judgements, from files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from sklearn_rank.cli.options import add_measuring, add_reading
from sklearn_rank.support.runtime import waiting

if TYPE_CHECKING:
    from sklearn_rank.cli.reading import Reader
    from sklearn_rank.engines.read import EngineOptions
    from sklearn_rank.engines.scan import ScanEngine

FORMATS = ("table", "trec", "json", "csv", "markdown", "latex")
DEFAULT = ("map", "ndcg@10", "mrr", "precision@10", "recall@100")
ENGINES = ("auto", "memory", "polars", "duckdb", "spark")
_GROWTH = 8
"""What the rows of a file take while they are read in memory, in sizes of the file: compressed
columns grow to four times their size, and reading takes about twice that."""


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
    group = parser.add_argument_group("files larger than memory")
    group.add_argument(
        "--engine",
        choices=ENGINES,
        default="auto",
        help="what reads the files: memory reads them at once, polars (any format), duckdb and "
        "spark (Parquet) as they stream; auto takes memory for what fits (default: auto)",
    )
    group.add_argument(
        "--memory-limit",
        metavar="SIZE",
        help="what the engine may take, as 2GB (default: half of the machine's memory)",
    )
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


# Files larger than memory -----------------------------------------------------------------------


def options_of(arguments: argparse.Namespace) -> EngineOptions:
    """Options as they were typed; a terminal is told of progress by the command itself."""
    from sklearn_rank.engines.read import EngineOptions

    return EngineOptions(arguments.memory_limit, progress=False)


def engine_of(arguments: argparse.Namespace) -> ScanEngine | Literal["memory"]:
    """The engine that was asked for, or that the sizes of the files call for."""
    in_memory = [
        option
        for option, is_given in (
            ("--depth", arguments.depth is not None),
            ("--judged-only", arguments.judged_only),
            ("--format trec", arguments.format == "trec"),
            ("standard input", "-" in (arguments.qrels, *arguments.runs)),
        )
        if is_given
    ]
    if arguments.engine not in ("auto", "memory") and in_memory:
        msg = f"--engine {arguments.engine} does not go with {in_memory[0]}, which memory alone can"
        raise ValueError(msg)
    if arguments.engine != "auto" or in_memory:
        return "memory" if in_memory else arguments.engine
    from sklearn_rank.engines.scan import is_several

    if any(map(is_several, (arguments.qrels, *arguments.runs))):
        return "polars"
    largest = max(map(_size, arguments.runs)) + _size(arguments.qrels)
    return "polars" if largest * _GROWTH > options_of(arguments).n_bytes else "memory"


def _size(path: str) -> int:
    """Bytes of a file; what cannot be read is for its reader to say."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def read_sides(
    engine: ScanEngine, reader: Reader, qrels: str, runs: Sequence[str], options: EngineOptions
) -> tuple[Any, list[Any]]:
    """Judgements and runs as lazy frames of an engine."""
    from sklearn_rank.engines.scan import scan_qrels, scan_run

    columns, limit = reader.run_columns or None, options.memory_limit
    rankings = [scan_run(path, columns=columns, engine=engine, memory_limit=limit) for path in runs]
    if engine == "polars" or _is_parquet(qrels):
        return scan_qrels(qrels, columns=reader.qrels_columns or None, engine=engine), rankings
    return reader.qrels(qrels), rankings


def _is_parquet(path: str) -> bool:
    from sklearn_rank.engines.scan import files_of

    with open(files_of(path)[0], "rb") as file:
        return file.read(4) == b"PAR1"
