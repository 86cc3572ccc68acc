"""``sklearn-rank demo``: tune, choose and measure two rankers on data that is already here."""

from __future__ import annotations

import argparse


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "demo",
        help="tune, choose, measure and protect two rankers on data that is already here",
        description="Two searches for the best ranker, on data that every installation carries: "
        "Python's help pages and scikit-learn's digits. Takes about fifteen seconds, needs no "
        "network and writes no file.",
    )
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Both searches, and the gate that fails."""
    try:
        from sklearn_rank._demo import run_demo
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("pydoc_data"):
            raise
        msg = "this Python was installed without its help pages"
        raise ImportError(msg) from None
    run_demo()
    return 0
