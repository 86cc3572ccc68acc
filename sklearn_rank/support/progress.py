"""A progress bar for long work, on terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator

_PATIENCE = 1.0
"""Seconds before a bar appears: shorter work needs none."""


def with_progress(steps: Iterable[int], total: int, doing: str) -> Iterator[int]:
    """The steps, unchanged, with a bar on stderr that shows how far they have come."""
    if not sys.stderr.isatty():
        yield from steps
        return
    start, done = time.monotonic(), 0
    steps = iter(steps)
    for step in steps:
        yield step
        done += step
        if time.monotonic() - start > _PATIENCE:
            yield from _with_bar(steps, done, total, doing)


def _with_bar(steps: Iterable[int], done: int, total: int, doing: str) -> Iterator[int]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=total, completed=done)
        for step in steps:
            yield step
            progress.advance(task, step)
