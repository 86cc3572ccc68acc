"""The command: its arguments, its exit codes, and its errors in one line."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module

from sklearn_rank.cli.options import build_parser
from sklearn_rank.cli.terminal import FAILED, FILES, INTERRUPTED, option_of
from sklearn_rank.support.text import arguments_as, names_as

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments without the name of the program; None takes the arguments of the process.

    Returns
    -------
    code : int
        0 for success, 2 if something could not be measured, read or written, 130 if interrupted.

    Raises
    ------
    SystemExit
        With code 0 after ``--help`` and ``--version``, 2 for invalid arguments.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names that an encoding lacks are escaped
            stream.reconfigure(errors="backslashreplace")
    arguments = build_parser().parse_args(words)
    arguments.words, arguments.reading = words, "qrels"
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # as in `sklearn-rank demo | head`
        _give_up_output()
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, TypeError, OSError, ImportError) as error:
        # The package's messages say what is wrong and what to do; a traceback would not help.
        print(f"sklearn-rank {arguments.command}: {error}", file=sys.stderr)
        _give_up_output()
        return FAILED
    except Exception:
        # Python would end with 1, the code of a failed gate.
        traceback.print_exc()
        return FAILED
    return code


def _run(arguments: argparse.Namespace) -> int:
    """Import and run the command; its warnings name no line of code."""
    if sys.stdout is None:
        msg = "standard output is closed; send it to a file, or to /dev/null"
        raise ValueError(msg)

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print(f"sklearn-rank {arguments.command}: warning: {message}", file=sys.stderr)

    module, function = arguments.run
    spelling = option_of(arguments)
    with warnings.catch_warnings(), arguments_as(spelling), names_as(FILES):
        warnings.showwarning = show
        code: int = getattr(import_module(f"sklearn_rank.cli.{module}"), function)(arguments)
    return code


def _give_up_output() -> None:
    """Keep the interpreter from flushing again at its end after a full disk or a closed pipe."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (AttributeError, ValueError):  # there is no output, or it is closed
        pass
