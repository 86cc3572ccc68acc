"""``sklearn-rank judge-next``: which items to judge, as a template; and templates read back."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from sklearn_rank.cli.options import add_reading, grade, positive
from sklearn_rank.cli.terminal import print_table, shown
from sklearn_rank.support.runtime import waiting

if TYPE_CHECKING:
    from sklearn_rank.cli.reading import Reader
    from sklearn_rank.inputs.tables import Qrels
    from sklearn_rank.tables.table import Cell, Table

SHOWN = 20
"""Items without ``-n``: a page, and about what somebody judges in one go."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "judge-next",
        help="list the unjudged items whose grades matter most",
        description="List unjudged items by how much the grade of each could move the measure of "
        "RUN, or its difference to OTHER. --template writes them as a CSV file whose grades are "
        "filled in; --filled takes such files back, and --into writes all judgements.",
    )
    add = parser.add_argument
    add("qrels", metavar="QRELS", help="relevance judgements")
    add("run_path", metavar="RUN", nargs="?", help="rankings of a system")
    add("other", metavar="OTHER", nargs="?", help="rankings of the system it is compared with")
    add("-m", "--measure", default="ndcg@10", metavar="M", help="(default: ndcg@10)")
    add("-n", type=positive, default=SHOWN, metavar="N", help=f"so many items (default: {SHOWN})")
    add("--max-grade", type=grade, metavar="X", help="highest grade (default: that of QRELS)")
    add("--convention", default="default", metavar="NAME", help="count as this program does")
    assume = "whether items that QRELS does not name are judged (default: not if it holds a 0)"
    add("--assume", choices=("complete", "partial"), help=assume)
    add("--template", metavar="FILE", help="write them to FILE (.csv or .tsv), to be filled in")
    filled = "a template that was filled in; repeat it for more"
    add("--filled", action="append", default=[], metavar="FILE", help=filled)
    add("--into", metavar="FILE", help="write QRELS with the grades of --filled to FILE")
    add("--force", action="store_true", help="let --into replace judgements that are there")
    add_reading(parser, "qrels", "run")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, join, list."""
    from sklearn_rank.cli.reading import Reader, refuse_repeated_input
    from sklearn_rank.support.disk import refuse_inputs

    if arguments.run_path is None and arguments.into is None:
        msg = "RUN is missing: items to judge are those of a run (or pass --filled and --into)"
        raise ValueError(msg)
    if arguments.into and not arguments.filled:
        msg = "--into writes QRELS with the grades of --filled, which is not given"
        raise ValueError(msg)
    reader = Reader.of(arguments)
    refuse_repeated_input(arguments.qrels, arguments.run_path, arguments.other)
    inputs = (arguments.qrels, arguments.run_path, arguments.other, *arguments.filled)
    if arguments.template:
        from sklearn_rank.files.templates import check_template

        check_template(arguments.template, inputs=inputs)
    if arguments.into:
        refuse_inputs(arguments.into, inputs)
    qrels = _judgements(arguments, reader)
    if arguments.run_path is not None:
        _list(arguments, reader, qrels)
    return 0


def _judgements(arguments: argparse.Namespace, reader: Reader) -> Qrels:
    """The judgements with those of the templates that were filled in."""
    from sklearn_rank.files.templates import read_template
    from sklearn_rank.files.write import write_qrels

    with waiting("reading judgements"):
        qrels = reader.qrels(arguments.qrels)
    if not arguments.filled:
        return qrels
    filled = [read_template(path) for path in arguments.filled]
    qrels = qrels.joined(*filled)
    if arguments.into:
        write_qrels(qrels, arguments.into, overwrite=arguments.force)
        added = sum(table.n_rows for table in filled)
        print(f"{shown(arguments.into)}: {qrels.n_rows:,} judgements, {added:,} filled in")
    return qrels


def _list(arguments: argparse.Namespace, reader: Reader, qrels: Qrels) -> None:
    """Print the items, or write them as a template."""
    from sklearn_rank.evaluation.evaluate import evaluate

    systems = []
    for path, what in ((arguments.run_path, "RUN"), (arguments.other, "OTHER")):
        if path is None:
            continue
        with waiting(f"measuring {path}"):
            systems.append(
                evaluate(
                    qrels,
                    reader.run(path, what),
                    arguments.measure,
                    convention=arguments.convention,
                    assume=arguments.assume,
                    keep_items=True,
                )
            )
    if systems[0].assumed != "partial":
        msg = (
            "QRELS count as complete, because they hold no item that is judged not relevant "
            "(grade 0); pass --assume partial if what they do not name was never looked at"
        )
        raise ValueError(msg)
    columns = systems[0].to_judge(
        arguments.n, *systems[1:], max_grade=arguments.max_grade, backend=None
    )
    if arguments.template:
        from sklearn_rank.files.templates import save_template

        save_template(columns, arguments.template)
        n_rows = len(columns["query"])
        print(f"{shown(arguments.template)}: {n_rows:,} items to judge; fill in their grades")
        return
    print_table(_table(columns))


def _table(columns: Mapping[str, list[Any]]) -> Table:
    """Items with their ranks and moves; their grades are still empty."""
    from sklearn_rank.tables.table import Column, Table, number_cell, text_cell

    cells: dict[str, Callable[[Any], Cell]] = {
        "query": text_cell,
        "item": text_cell,
        "rank": _rank,
        "rank_other": _rank,
        "move": partial(number_cell, signed=True),
    }
    names = [name for name in columns if name in cells]
    rows = zip(*(map(cells[name], columns[name]) for name in names), strict=True)
    texts = [name for name in names if cells[name] is text_cell]
    titles = (Column(name, "text" if name in texts else "number") for name in names)
    return Table(tuple(titles), tuple(rows))


def _rank(rank: float | None) -> Cell:
    """A rank: whole unless it is the mean of a tie; empty where the item is not retrieved."""
    from sklearn_rank.tables.table import Cell

    return Cell("") if rank is None else Cell(f"{rank:g}", rank)
