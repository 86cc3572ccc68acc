"""The command ``sklearn-rank``. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from sklearn_rank import __version__

__all__ = ["main"]

INTERRUPTED = 130
"""Exit code of a program that was interrupted, as shells count: 128 + SIGINT."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments without the name of the program; None takes those of the process.

    Returns
    -------
    code : int
        0 for success, 1 if something that the command needs is missing or its reader went away,
        130 if interrupted.

    Raises
    ------
    SystemExit
        With code 0 after ``--help`` and ``--version``, 2 for arguments that mean nothing.
    """
    command: Callable[[], int] = _parser().parse_args(argv).run
    try:
        code = command()
        sys.stdout.flush()
    except BrokenPipeError:
        # As in `sklearn-rank demo | head`: the interpreter must not try to flush at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sklearn-rank",
        description="Ranking metrics and scorers for scikit-learn.",
    )
    parser.add_argument("--version", action="version", version=f"sklearn-rank {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="command", required=True)
    demo = commands.add_parser(
        "demo",
        help="tune, choose, measure and protect two rankers on data that is already here",
        description="Two searches for the best ranker, on data that every installation carries: "
        "Python's help pages and scikit-learn's digits. Takes about fifteen seconds, needs no "
        "network and writes no file.",
    )
    demo.set_defaults(run=_demo)
    return parser


def _demo() -> int:
    try:
        from sklearn_rank._demo.run import run_demo
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("pydoc_data"):
            raise
        print(
            "sklearn-rank demo: this Python was installed without its help pages",
            file=sys.stderr,
        )
        return 1
    run_demo()
    return 0


if __name__ == "__main__":
    sys.exit(main())
