"""``sklearn-rank audit``, ``demo`` and ``help``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from sklearn_rank.support.text import for_log, format_list


def run_audit(arguments: argparse.Namespace) -> int:
    """Compare a function with a measure; modules may be in the current directory."""
    from sklearn_rank.cli.terminal import GATE_FAILED
    from sklearn_rank.evaluation.audit import audit
    from sklearn_rank.support.runtime import waiting

    # As `python FILE` and `python -m MODULE` do.
    sys.path[:0] = [os.path.dirname(arguments.function), ""]
    function = _function_of(arguments.function)
    with waiting(f"comparing {arguments.function} with {arguments.measure}"):
        outcome = audit(function, arguments.measure, duplicates=arguments.duplicates)
    print(for_log(str(outcome)))
    return 0 if outcome.agrees else GATE_FAILED


def _function_of(path: str) -> Any:
    """The function of ``module:function``, or of ``file.py:function``."""
    import runpy
    from pkgutil import resolve_name

    file, _, name = (path, "", "") if path.endswith(".py") else path.rpartition(":")
    try:
        if not file.endswith(".py"):
            return resolve_name(path)
        defined = runpy.run_path(file)
    except (ImportError, AttributeError, ValueError, OSError) as error:
        msg = f"name a function as module:function or file.py:function, got {path!r}: {error}"
        raise ValueError(msg) from error
    if name not in defined:
        functions = [key for key, value in defined.items() if callable(value) and key[0] != "_"]
        what = f"{file} has no {name!r}" if name else f"name a function, as in {file}:function"
        what += "; for a method, call audit(...) in Python" if "." in name else ""
        msg = f"{what}; the file defines {format_list(functions) or 'no functions'}"
        raise ValueError(msg)
    return defined[name]


def run_demo(arguments: argparse.Namespace) -> int:
    """Choose, compare and protect a ranker on built-in data."""
    from sklearn_rank.support.disk import HTML_REPORT, check_target

    check_target(arguments.output, HTML_REPORT)
    try:
        from sklearn_rank._demo import run_demo as run
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("pydoc_data"):
            raise
        msg = "the demo needs Python's help pages, but this Python was installed without them"
        raise ImportError(msg) from None
    run(arguments.output, is_opened=arguments.open)
    return 0


def run_help(_: argparse.Namespace) -> int:
    """Print the options shared by commands."""
    from sklearn_rank.cli.options import reading_help

    print(reading_help(), end="")
    return 0
