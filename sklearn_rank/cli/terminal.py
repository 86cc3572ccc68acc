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

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(escape(what), total=None)
        yield


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """A table: by rich on a terminal, in aligned columns elsewhere; all but the first to the right.

    The cells have passed :func:`~sklearn_rank.support.text.safe_text` where they hold data.
    """
    if not sys.stdout.isatty():
        print(plain_table(header, rows, title))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title) if title else None, title_justify="left")
    for place, name in enumerate(header):
        table.add_column(Text(name), justify="right" if place else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def plain_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    """The same as text without control characters."""
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(header))]
    text = [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([title, *text] if title else text)
