"""Output of the command: exit codes, tables, messages in its words."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from dataclasses import replace
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn_rank.support.text import Spelling
    from sklearn_rank.tables.table import Table

GATE_FAILED = 1
FAILED = 2
"""Exit code of a command that could not do its work."""
INTERRUPTED = 130
"""Exit code of an interrupted program, as in shells: 128 + SIGINT."""


def print_table(table: Table) -> None:
    """A table in aligned columns, without the optional ones on a narrow terminal."""
    from sklearn_rank.tables.formats import BEST, display_width, to_text

    left_out: list[str] = []
    room = get_terminal_size().columns if sys.stdout.isatty() else math.inf
    while True:
        head, *lines = to_text(replace(table, notes=(), meaning="")).split("\n")
        spare = [column.spare for column in table.columns]
        if max(map(display_width, (head, *lines))) <= room or not any(spare):
            break
        position = spare.index(max(spare))
        values = {cell.text for cell in table.column(position)}
        value = f" ({values.pop()} in every row)" if len(values) == 1 else ""
        left_out.append(f"{table.columns[position].title}{value}")
        table = table.without(position)
    print_styled(head, "bold")
    for line, row in zip(lines, table.rows, strict=True):
        print_styled(line, "red" if any(cell.worse for cell in row) else "")
    notes = [*map(shown, table.footnotes(BEST))]
    if left_out:
        hidden = ", ".join(left_out)
        notes.append(f"hidden columns: {hidden} (widen the terminal, or pipe the output)")
    print_text("".join(f"{note}\n" for note in notes))


def print_text(text: str) -> None:
    """Print lines that may hold ids, escaped: a CI job would run commands in its log."""
    from sklearn_rank.support.text import for_log

    print(for_log(text), end="")


def print_styled(text: str, style: str = "") -> None:
    """A line in one of Rich's styles; plain in a pipe."""
    if not style or not sys.stdout.isatty():
        print_text(f"{shown(text)}\n")
        return
    from rich.console import Console
    from rich.text import Text

    Console().print(Text(shown(text), style), soft_wrap=True)


def shown(text: object) -> str:
    """A path or other text in full, without terminal control characters."""
    from sklearn_rank.support.text import safe_text

    return safe_text(str(text), limit=None)


# Arguments in the library's messages -------------------------------------------------------------

_OPTION_NAMES = {
    "columns": "qrels_column",
    "grades": "grade_of",
}
"""Options whose names differ from their arguments."""
_SIDES = {"grade": "qrels", "score": "run", "distance": "run", "rank": "run"}
"""Roles that only one file has; other roles belong to the file being read."""
FILES = {"y_true": "QRELS", "y_score": "RUN"}
"""What the command calls the data of ``evaluate``."""


def option_of(arguments: argparse.Namespace) -> Spelling:
    """Function from a Python argument to the command's option; empty if there is none."""

    def spell(name: str, value: Any) -> str:
        name = _OPTION_NAMES.get(name, name)
        if name == "duplicates":
            rule = f"{arguments.reading}={value or '...'}"
            return (
                f'duplicates = "{rule}"'
                if getattr(arguments, "config", None)
                else f"--duplicates {rule}"
            )
        if getattr(arguments, "config", None):
            return ""  # the keys of a file are the library's
        if name not in arguments and f"{name}s" not in arguments:
            return ""
        if name == "qrels_column":
            if not isinstance(value, dict):
                return "--qrels-column and --run-column"
            pairs = [(role, f"{role}={column or ''}") for role, column in value.items()]
            sides = [_SIDES.get(role, arguments.reading) for role, _ in pairs]
            return " ".join(
                f"--{side}-column {shlex.quote(pair)}"
                for side, (_, pair) in zip(sides, pairs, strict=True)
            )
        if name == "grade_of":
            return f"--grade {shlex.quote(str(next(iter(value or ()), 'TEXT')))}=..."
        option = f"--{name.replace('_', '-')}"
        return option if value in (None, True) else f"{option} {value}"

    return spell
