"""``sklearn-rank demo``: tune, choose and measure two rankers on data that is already here."""

from __future__ import annotations

import argparse
import sys

from sklearn_rank.cli.terminal import FAILED, progress


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "demo",
        help="tune, choose and measure two rankers on data that is already here",
        description="Two searches for the best ranker, on data that every installation carries: "
        "Python's help pages and scikit-learn's digits. Takes under a minute, needs no network "
        "and writes no file.",
    )
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Both searches, each printed when it is done."""
    try:
        with progress("loading scikit-learn"):
            from sklearn_rank._demo import digits, help_pages
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("pydoc_data"):
            raise
        print(
            "sklearn-rank demo: this Python was installed without its help pages",
            file=sys.stderr,
        )
        return FAILED
    with progress("1/2 searching for the best retriever of help pages"):
        first = help_pages.report(help_pages.run())
    print(first, end="\n\n\n", flush=True)
    with progress("2/2 searching for the best ranker of digits"):
        second = digits.report(digits.run())
    print(second)
    return 0
