"""Output of the command: exit codes, tables that are plain in a pipe, messages in its words."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn_rank.support.text import Spelling
    from sklearn_rank.tables.table import Table

GATE_FAILED = 1
FAILED = 2
"""Exit code of a command that could not do its work."""
INTERRUPTED = 130
"""Exit code of a program that was interrupted, as shells count: 128 + SIGINT."""


def print_table(table: Table) -> None:
    """A table in aligned columns; on a terminal as wide as that is, and no number is ever cut."""
    from sklearn_rank.tables.formats import BEST, aligned, display_width, text_rows, to_text

    if not sys.stdout.isatty():
        print(to_text(table))
        return
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console, left_out = Console(), []
    while True:
        titles, *rows = text_rows(table)
        sides = "".join("<" if column.kind == "text" else ">" for column in table.columns)
        lines = aligned([titles, *rows], sides)
        is_wide = max(map(display_width, lines)) > console.width
        spare = max((column.spare for column in table.columns), default=0)
        if not is_wide or not spare:
            break
        position = [column.spare for column in table.columns].index(spare)
        values = {cell.text for cell in table.column(position)}
        value = f" ({values.pop()} in every row)" if len(values) == 1 else ""
        left_out.append(f"{titles[position].strip()}{value}")
        table = table.without(position)
    if not is_wide:
        styles = ("red" if any(cell.worse for cell in row) else "" for row in table.rows)
        coloured = map(Text, lines[1:], styles)
        console.print(Text(lines[0], "bold"), *coloured, sep="\n")
    elif all(column.kind == "text" for column in table.columns):
        wrapped = RichTable(*titles)
        for row in rows:
            wrapped.add_row(*map(Text, row))
        console.print(wrapped)
    else:  # lines of a title and a value
        size = max(map(len, titles))
        for row in rows:
            pairs = zip(titles, row, strict=True)
            stacked = (f"{title.strip():<{size}}  {cell.strip()}" for title, cell in pairs)
            console.print(Text("\n".join([*stacked, ""])))
    notes = [*table.footnotes(BEST)]
    if left_out:
        hidden = ", ".join(left_out)
        notes.append(f"hidden columns: {hidden} (widen the terminal, or pipe the output)")
    for note in notes:
        console.print(Text(shown(note)))


def print_coloured(text: str, kind: str = "") -> None:
    """A sentence, in bold and red for what got worse; plain in a pipe."""
    if not sys.stdout.isatty():
        print(shown(text))
        return
    from rich.console import Console
    from rich.text import Text

    colour = {"": "", "worse": "bold red", "better": "bold blue"}.get(kind, "bold")
    Console().print(Text(shown(text), colour))


def shown(text: object) -> str:
    """A path or another text, whole, without control characters of a terminal."""
    from sklearn_rank.support.text import safe_text

    return safe_text(str(text), limit=None)


# Arguments in the library's messages -------------------------------------------------------------

_OPTIONS = {
    "overwrite": "force",
    "metrics": "measure",
    "columns": "qrels_column",
    "grades": "grade_of",
}
"""Options with other names than their arguments."""
_SIDES = {"grade": "qrels", "score": "run", "distance": "run", "rank": "run"}
"""Files that alone have a role; others are of the file that is read."""


def option_of(arguments: argparse.Namespace) -> Spelling:
    """Function from an argument of Python to the option of a command; empty where it has none."""

    def spell(name: str, value: Any) -> str:
        name = _OPTIONS.get(name, name)
        if getattr(arguments, "config", None):
            return ""  # the keys of a file are the library's
        if name not in arguments and f"{name}s" not in arguments:
            return ""
        if name == "duplicates" and arguments.reading == "run":
            return ""  # the option is about judgements
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


def in_words_of(text: str) -> str:
    """A message of the library with the names of the files in place of arguments of Python."""
    return text.replace("y_true", "QRELS").replace("y_score", "RUN")
