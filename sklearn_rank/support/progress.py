"""A progress bar for long work, on terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PATIENCE = 1.0
"""Seconds before a bar appears: shorter work needs none."""
_SHOWN: ContextVar[bool] = ContextVar("_SHOWN", default=False)
"""Whether a bar is drawn already: the work of its steps has none of its own."""


def with_progress(steps: Iterable[int], total: int | None, doing: str) -> Iterator[int]:
    """The steps, unchanged, with a bar on stderr that shows how far they have come.

    Of a total that nobody knows, the bar is a count.
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
            yield from _with_bar(steps, done, total, doing)


@contextmanager
def waiting(doing: str) -> Iterator[None]:
    """Say on a terminal's stderr what is going on and for how long; nothing elsewhere."""
    if not sys.stderr.isatty() or _SHOWN.get():
        yield
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    # It brings NumPy along, which a command that only tells its version does not need.
    from sklearn_rank.support.text import safe_text

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(escape(safe_text(doing)), total=None)
        yield


def _with_bar(steps: Iterable[int], done: int, total: int | None, doing: str) -> Iterator[int]:
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
