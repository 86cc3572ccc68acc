"""The last look at a run: its exit code, after every hook of everybody has run.

A hook may set another exit code when the session has finished, or swallow a failed gate then; and
where ``pytest.exit()`` ends a run while it starts, no other hook of a session is called at all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator

import pytest

from pytest_rankmetrics.session.current import Run
from pytest_rankmetrics.session.options import OPTIONS
from pytest_rankmetrics.session.recorder import swallowed

GREEN = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)

RUN: pytest.StashKey[Run] = pytest.StashKey()
WHY_RED: pytest.StashKey[Callable[[], str]] = pytest.StashKey()
"""Says why the run must not end green, "" if it may; set once there is a session to ask."""
JUDGED: pytest.StashKey[bool] = pytest.StashKey()
"""Set once the end of a session has been judged."""

_exits: list[bool] = []
"""Whether each run that is under way was ended; a test may run pytest, too."""


def note_exit() -> None:
    """The innermost run is being ended."""
    if _exits:
        _exits[-1] = True


def assess_exit(config: pytest.Config) -> Generator[None, int | None, int | None]:
    """Turn a green run red where something went wrong that its exit code does not say."""
    _exits.append(False)
    try:
        code = yield
    finally:
        was_ended = _exits.pop()
    if code not in GREEN or hasattr(config, "workerinput"):
        return code
    if WHY_RED in config.stash:
        why = config.stash[WHY_RED]()
    else:  # the run ended before its options were read
        lost = config.stash[RUN].lost() if RUN in config.stash else []
        why = swallowed(lost[0]) if lost else ""
    if not why and was_ended and JUDGED not in config.stash and executes(config):
        # Another plugin may have ended the run before our options were read.
        options = config.stash.get(OPTIONS, None)
        required = config.getini("rank_required") if options is None else options.required
        if required:
            why = f"required gate {required[0]!r} did not run: the run was ended before any test"
    if not why:
        return code
    sys.stderr.write(f"rankmetrics: {why}\n")
    return pytest.ExitCode.TESTS_FAILED


def executes(config: pytest.Config) -> bool:
    """Whether the options let tests run; --setup-plan implies --setup-only."""
    option = config.option
    return not (option.collectonly or getattr(option, "setuponly", False))
