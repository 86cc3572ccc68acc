"""What the subcommands share: exit codes, progress, and tables that are plain in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

FAILED = 2
"""Exit code of a command that could not do its work; 1 says that a gate failed."""
INTERRUPTED = 130
"""Exit code of a program that was interrupted, as shells count: 128 + SIGINT."""


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Say on a terminal's stderr what is going on and for how long; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from sklearn_rank.support.text import safe_text

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(escape(safe_text(what)), total=None)
        yield


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
    """A table: by rich on a terminal, in aligned columns elsewhere.

    The first ``left`` columns stand to the left. Data in cells has been escaped by the caller.
    """
    if not sys.stdout.isatty():
        from sklearn_rank.support.tables import aligned

        print(*aligned([header, *rows], "<" * left + ">"), sep="\n")
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for place, name in enumerate(header):
        table.add_column(Text(name), justify="left" if place < left else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
