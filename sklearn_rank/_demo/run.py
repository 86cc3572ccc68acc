"""The demonstration, from its first search to the gate that fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from sklearn_rank._demo import digits, help_pages
from sklearn_rank._demo.report import FITS, show


def run_demo() -> None:
    """Run both searches, and show what they found while the next one is at work."""
    terminal = sys.stdout.isatty()
    with _progress("1/2 searching for the best retriever of help pages", help_pages.N_FITS):
        pages = help_pages.run()
    show(help_pages.report(pages), terminal=terminal)
    with _progress("2/2 searching for the best ranker of digits", digits.N_FITS):
        images = digits.run()
    show(digits.report(images), terminal=terminal)
    show(help_pages.report_gate(pages), terminal=terminal)


@contextmanager
def _progress(what: str, n_fits: int) -> Iterator[None]:
    """Say on a terminal's stderr how many fits of a search are done; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(20),
        TextColumn("fit {task.completed} of {task.total}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=n_fits)
        fits = count(1)

        def advance() -> None:
            # The chosen candidate is fitted once more at the end.
            progress.update(task, completed=min(next(fits), n_fits))

        with FITS.heard_by(advance):
            yield
