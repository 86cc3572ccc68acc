"""Warnings at the line of the caller, and progress on terminals."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sklearn_rank.support.insides import level_of_caller, notes_of_search
from sklearn_rank.support.text import safe_text

WarningHandler = Callable[[str, type[Warning]], None]
"""(message, category) -> None."""


def warn(message: str, category: type[Warning]) -> None:
    """Give a warning at the first frame outside of the package."""
    give = _GIVE.get()
    if give is not None:
        give(message, category)
        return
    warnings.warn(message, category, stacklevel=level_of_caller())


_WARNED_BY_WORKER: set[Any] = set()
"""A worker process runs tasks one by one, and warns once for all of them."""


def warn_once(message: str, category: type[Warning], key: object = None) -> None:
    """Warn once in a search; scikit-learn resets Python's memory of warnings with every fold."""
    import multiprocessing  # slow to import, and most runs never warn

    is_worker = multiprocessing.parent_process() is not None
    warned = _WARNED_BY_WORKER if is_worker else notes_of_search().setdefault("warned", set())
    if (category, key) not in warned:
        # Noted afterwards: a warning that a filter makes an error is one in each fold.
        warn(message, category)
        warned.add((category, key))


# Warnings about data arise where it is read, far below the scorer, but only the scorer knows that a
# search is running, which shows them once.
_GIVE: ContextVar[WarningHandler | None] = ContextVar("give", default=None)


@contextmanager
def warnings_given_by(give: WarningHandler) -> Iterator[None]:
    """Pass the warnings of this block to ``give``, whose own warnings are shown as usual."""

    def outside(message: str, category: type[Warning]) -> None:
        inner = _GIVE.set(None)
        try:
            give(message, category)
        finally:
            _GIVE.reset(inner)

    token = _GIVE.set(outside)
    try:
        yield
    finally:
        _GIVE.reset(token)


@contextmanager
def waiting(doing: str) -> Iterator[None]:
    """Show the task and its time on a terminal's stderr; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(escape(safe_text(doing)), total=None)
        yield
