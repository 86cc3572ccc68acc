"""``sklearn-rank compare``: runs against a first one, or each against each, from files."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from sklearn_rank.cli.options import add_measuring, add_reading, share, whole
from sklearn_rank.cli.terminal import print_table
from sklearn_rank.support.runtime import waiting

if TYPE_CHECKING:
    from sklearn_rank.comparison.result import Comparison
    from sklearn_rank.evaluation.result import Evaluation
    from sklearn_rank.tables.table import Table

FORMATS = ("text", "markdown", "latex", "html", "csv", "json")
DEFAULT = ("map", "ndcg@10", "mrr")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "compare",
        help="compare runs with the first one, query by query",
        description="Compare runs with the first one (or, with --all-pairs, each with each): "
        "differences with intervals, effect sizes, and p-values corrected for their number. "
        "Files are those of evaluate.",
    )
    add = parser.add_argument
    add("--format", choices=FORMATS, default="text", help="of the output (default: text)")
    add(
        "--rows",
        choices=("systems", "differences"),
        help="what a row is (default: differences in CSV, systems elsewhere; text shows both)",
    )
    add(
        "--changed",
        type=whole,
        default=0,
        metavar="N",
        help="of each run, the N queries that the first measure says changed most, and why",
    )
    add_comparing(parser)
    parser.set_defaults(run=run, per_query=False)


_CHOICES = {
    "test": (("t", "permutation", "wilcoxon", "bootstrap", "tukey", "anova"), None),
    "alternative": (("two-sided", "less", "greater"), None),
    "correction": (("holm", "bh", "bonferroni", "none"), "holm"),
    "family": (("all", "measure"), "all"),
}
_MEANINGS = {
    "test": "of differences (default: t; with --all-pairs: tukey)",
    "alternative": "what counts against chance (default: two-sided)",
    "correction": "of p-values for their number (default: holm)",
    "family": "p-values that are corrected together: all, or those of each measure",
}


def add_comparing(parser: argparse.ArgumentParser) -> None:
    """Runs, the test of their differences, what is measured, and how files are read."""
    add = parser.add_argument
    add("qrels", metavar="QRELS", help="relevance judgements")
    add("baseline", metavar="RUN", help="the run that others are compared with")
    add("runs", metavar="RUN", nargs="+", help="rankings of another system")
    add("--all-pairs", action="store_true", help="compare each run with each")
    for name, (choices, default) in _CHOICES.items():
        add(f"--{name}", choices=choices, default=default, help=_MEANINGS[name])
    add("--alpha", type=share, default=0.05, metavar="P", help="significant is less (0.05)")
    same = "refuse runs that were evaluated on different queries"
    add("--same-queries", action="store_true", help=same)
    add_measuring(parser, f"default: {', '.join(DEFAULT)}")
    add_reading(parser, "qrels", "run")


def run(arguments: argparse.Namespace) -> int:
    """Read, measure, compare and print."""
    if arguments.changed and arguments.format not in ("text", "json"):
        msg = "--changed goes with --format text and json"
        raise ValueError(msg)
    comparison = compare_files(arguments, keep_items=arguments.changed > 0)
    if arguments.format == "json":
        told = comparison.to_dict()
        if arguments.changed:
            told["most_changed"] = _changes(comparison, arguments.changed)
        print(json.dumps(told, indent=1, allow_nan=False))
    elif arguments.format == "text":
        for number, table in enumerate(_tables(comparison, arguments.rows, arguments.changed)):
            if number:
                print()
            print_table(table)
    else:
        rows = arguments.rows or ("differences" if arguments.format == "csv" else "systems")
        print(getattr(comparison, f"to_{arguments.format}")(rows=rows).rstrip("\n"))
    return 0


def compare_files(arguments: argparse.Namespace, *, keep_items: bool) -> Comparison:
    """Read, measure and compare."""
    from sklearn_rank.cli.measuring import check_measures, measure_run, names_of
    from sklearn_rank.cli.reading import Reader, refuse_repeated_input

    if arguments.all_pairs and arguments.alternative not in (None, "two-sided"):
        msg = "--alternative is about a baseline, which --all-pairs does not have"
        raise ValueError(msg)
    if not arguments.all_pairs and arguments.test in ("tukey", "anova"):
        msg = f"--test {arguments.test} is a test of all pairs; add --all-pairs"
        raise ValueError(msg)
    check_measures(arguments, DEFAULT)
    reader = Reader.of(arguments)
    paths = [arguments.baseline, *arguments.runs]
    if len(set(paths)) < len(paths):
        msg = "a run is named twice, and would be compared with itself"
        raise ValueError(msg)
    refuse_repeated_input(arguments.qrels, *paths)
    with waiting("reading judgements"):
        qrels = reader.qrels(arguments.qrels)
    systems = {}
    for name, path in zip(names_of(paths), paths, strict=True):
        with waiting(f"reading {path}"):
            ranking = reader.run(path)
        with waiting(f"measuring {path}"):
            systems[name] = measure_run(arguments, qrels, ranking, keep_items=keep_items)
    with waiting("comparing"):
        return _compared(arguments, systems)


def _compared(arguments: argparse.Namespace, systems: dict[str, Evaluation]) -> Comparison:
    from sklearn_rank.comparison.compare import compare, compare_all

    options = {
        "correction": None if arguments.correction == "none" else arguments.correction,
        "family": arguments.family,
        "alpha": arguments.alpha,
        "queries": "same" if arguments.same_queries else "common",
    }
    if arguments.all_pairs:
        return compare_all(systems, test=arguments.test or "tukey", **options)
    return compare(
        systems,
        test=arguments.test or "t",
        alternative=arguments.alternative or "two-sided",
        **options,
    )


def _tables(comparison: Comparison, rows: str | None, n: int) -> list[Table]:
    """What was asked for, and for each other system the ``n`` queries that changed most."""
    from sklearn_rank.comparison.result import (
        changes_table,
        differences_table,
        printed,
        systems_table,
    )

    if rows is None:
        tables = [*printed(comparison)]
    else:
        tables = [(systems_table if rows == "systems" else differences_table)(comparison)]
    for system in comparison.others if n else ():
        changes = comparison.most_changed(n, system=system)
        tables.append(changes_table(changes, comparison.baseline, system))
    return tables


def _changes(comparison: Comparison, n: int) -> list[dict[str, Any]]:
    from sklearn_rank.evaluation.tables import plain_id

    keys = ("measure", "baseline", "system", "old", "new")
    return [
        {
            "query": plain_id(change.query),
            **{key: getattr(change, key) for key in keys},
            "why": change.why(),
        }
        for system in comparison.others
        for change in comparison.most_changed(n, system=system)
    ]
