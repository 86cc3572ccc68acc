"""Arguments of the command, and what its end says. Nothing heavy is imported before it runs."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn

from sklearn_rank import __version__
from sklearn_rank.cli import (
    compare,
    convert,
    demo,
    doctor,
    evaluate,
    gate,
    judge_next,
    measures,
    report,
)
from sklearn_rank.cli.terminal import FAILED, INTERRUPTED, in_words_of

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments without the name of the program; None takes those of the process.

    Returns
    -------
    code : int
        0 for success, 2 if something could not be measured, read or written, 130 if interrupted.

    Raises
    ------
    SystemExit
        With code 0 after ``--help`` and ``--version``, 2 for arguments that mean nothing.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names that an encoding lacks are escaped
            stream.reconfigure(errors="backslashreplace")
    arguments = _parser().parse_args(words)
    arguments.words = words
    command: Callable[[argparse.Namespace], int] = arguments.run
    try:
        if sys.stdout is None:
            _refuse_closed_output()
        with warnings.catch_warnings():
            warnings.showwarning = partial(_show_warning, arguments)
            code = command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # as in `sklearn-rank demo | head`
        _give_up_output()
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, TypeError, OSError, ImportError) as error:
        # The package's messages name what is wrong and what to do; where they come from is no help.
        text = in_words_of(arguments, str(error))
        print(f"sklearn-rank {arguments.command}: {text}", file=sys.stderr)
        _give_up_output()
        return FAILED
    except Exception:
        # Python would end with 1, which says that a gate failed.
        traceback.print_exc()
        return FAILED
    return code


def _refuse_closed_output() -> NoReturn:
    msg = "the standard output is closed; send it to a file, or to /dev/null"
    raise ValueError(msg)


def _give_up_output() -> None:
    """Keep the interpreter from flushing at its end what a full disk or a closed pipe refused."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (AttributeError, ValueError):  # there is no output, or it is closed
        pass


def _show_warning(
    arguments: argparse.Namespace, message: Warning | str, *_: object, **__: object
) -> None:
    """A warning without the place in the code, which is not the reader's."""
    text = in_words_of(arguments, str(message))
    print(f"sklearn-rank {arguments.command}: warning: {text}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sklearn-rank",
        description="Ranking metrics for search engines and recommenders, from files.",
        epilog="Exit code 0: done; 1: a gate failed; 2: something could not be measured.",
    )
    parser.add_argument("--version", action="version", version=f"sklearn-rank {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="command", required=True, dest="command"
    )
    modules = (evaluate, compare, report, gate, judge_next, convert, measures, doctor, demo)
    for module in modules:
        module.add_parser(commands)
    return parser
