"""What the subcommands share: exit codes, and tables that are plain in a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn_rank.tables.table import Table

FAILED = 2
"""Exit code of a command that could not do its work; 1 says that a gate failed."""
INTERRUPTED = 130
"""Exit code of a program that was interrupted, as shells count: 128 + SIGINT."""


def print_table(table: Table) -> None:
    """A table: by rich on a terminal, in aligned columns elsewhere."""
    from sklearn_rank.tables.text import BEST, text_rows, to_text

    if not sys.stdout.isatty():
        print(to_text(table))
        return
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    from sklearn_rank.support.text import safe_text

    titles, *rows = text_rows(table)
    drawn = RichTable(title=Text(safe_text(table.caption)) if table.caption else None)
    for column, title in zip(table.columns, titles, strict=True):
        drawn.add_column(Text(title), justify="left" if column.kind == "text" else "right")
    for row, cells in zip(rows, table.rows, strict=True):
        styles = ("bold" if cell.best else "" for cell in cells)
        drawn.add_row(*map(Text, row, styles))
    console = Console()
    console.print(drawn)
    for note in table.said(BEST):
        console.print(Text(safe_text(note, limit=None)))
