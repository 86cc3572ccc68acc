"""Runs that ``pytest.exit()`` ends while they start: no hook is called then that could judge them.

Only the exit code is left, which the command line returns.
"""

from __future__ import annotations

import sys
from collections.abc import Generator

import pytest

from pytest_rankmetrics.session.options import OPTIONS

GREEN = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)

JUDGED: pytest.StashKey[bool] = pytest.StashKey()
"""Set once the end of a session has been judged."""

_exits: list[bool] = []
"""Whether each run that is under way was ended; a test may run pytest, too."""


def note_exit() -> None:
    """The innermost run is being ended."""
    if _exits:
        _exits[-1] = True


def judge_exit(config: pytest.Config) -> Generator[None, int | None, int | None]:
    """Turn a green run red if it was ended before its required gates could be missed."""
    _exits.append(False)
    try:
        code = yield
    finally:
        was_ended = _exits.pop()
    if not was_ended or code not in GREEN or JUDGED in config.stash or not executes(config):
        return code
    # Another plugin may have ended the run before our options were read.
    options = config.stash.get(OPTIONS, None)
    required = config.getini("rank_required") if options is None else options.required
    if not required or hasattr(config, "workerinput"):
        return code
    sys.stderr.write(
        f"rankmetrics: required gate {required[0]!r} did not run: "
        "the run was ended before its first test\n"
    )
    return pytest.ExitCode.TESTS_FAILED


def executes(config: pytest.Config) -> bool:
    """Whether the options let tests run; --setup-plan implies --setup-only."""
    option = config.option
    return not (option.collectonly or getattr(option, "setuponly", False))
