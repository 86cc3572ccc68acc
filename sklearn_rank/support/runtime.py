"""Warnings at the line of the caller, and progress on terminals."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sklearn_rank.support.text import safe_text

WarningHandler = Callable[[str, type[Warning]], None]
"""(message, category) -> None."""


def warn(message: str, category: type[Warning]) -> None:
    """Give a warning at the first frame outside of the package."""
    give = _GIVE.get()
    if give is not None:
        give(message, category)
        return
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None:
        module = frame.f_globals.get("__name__", "")
        if module != "sklearn_rank" and not module.startswith("sklearn_rank."):
            break
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


# Warnings about data arise where it is read, far below the scorer, which alone knows that a search
# is running and wants them once.
_GIVE: ContextVar[WarningHandler | None] = ContextVar("give", default=None)


@contextmanager
def warnings_given_by(give: WarningHandler) -> Iterator[None]:
    """Hand the warnings of this block to ``give``, whose own warnings go out as usual."""

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


_PATIENCE = 1.0
"""Seconds before a bar appears: shorter work needs none."""
_SHOWN: ContextVar[bool] = ContextVar("_SHOWN", default=False)
"""Whether a bar is drawn already: the work of its steps has none of its own."""


def with_progress(steps: Iterable[int], total: int | None, doing: str) -> Iterator[int]:
    """The steps, unchanged, with a bar on stderr that shows how far they have come.

    Without a total the bar is a count.
    """
    if not sys.stderr.isatty() or _SHOWN.get():
        yield from steps
        return
    start, done = time.monotonic(), 0
    steps = iter(steps)
    for step in steps:
        yield step
        done += step
        if time.monotonic() - start > _PATIENCE:
            break
    else:
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = Progress.get_default_columns()
    if total is None:
        columns = SpinnerColumn(), TextColumn("{task.description}: {task.completed:,}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=total, completed=done)
        _SHOWN.set(True)
        try:
            for step in steps:
                yield step
                progress.advance(task, step)
        finally:
            _SHOWN.set(False)


@contextmanager
def waiting(doing: str) -> Iterator[None]:
    """Show the task and its time on a terminal's stderr; nothing elsewhere."""
    if not sys.stderr.isatty() or _SHOWN.get():
        yield
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(escape(safe_text(doing)), total=None)
        yield
