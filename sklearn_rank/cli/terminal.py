"""Output of the command: exit codes, tables that are plain in a pipe, messages in its words."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        place = [column.spare for column in table.columns].index(spare)
        values = {cell.text for cell in table.column(place)}
        value = f" ({values.pop()} in every row)" if len(values) == 1 else ""
        left_out.append(f"{titles[place].strip()}{value}")
        table = table.without(place)
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


# The library's messages -------------------------------------------------------------------------

_WORDS = {
    r"\by_true\b": "QRELS",
    r"\by_score\b": "RUN",
    r"(contains a negative grade .*)": r"\1; --convention trec_eval reads it as not judged",
    r"; string_provider= can spell the items of both sides alike": "",
    r"Pass duplicates='first' to evaluate to keep the best-ranked one\.": "Keep one of them.",
    r"; label them \[\] if that is right": "",
    r"--rank-(update|accept|reason|strict|baseline-dir)\b": r"--\1",
}
_OPTIONS = {"overwrite": "force", "metrics": "measure"}
"""Options with other names than their arguments."""
_COLUMN = re.compile(r"columns=\{'(\w+)': (None|'(?:[^'\\]|\\.)*')\}")
_ARGUMENT = re.compile(
    r"""(?<![\w(-])(\w+)=(?:'(\w+)'|\{["'](\w+)["']\}|(True)\b|([\d.]+)\b|)(?![\w{'])"""
)


def in_words_of(arguments: argparse.Namespace, text: str) -> str:
    """A message of the library with the options of a command in place of arguments of Python."""
    names = vars(arguments).keys()

    def option(match: re.Match[str]) -> str:
        name = _OPTIONS.get(match[1], match[1])
        if name not in names and f"{name}s" not in names:
            return match[0]
        value = match[2] or match[3] or match[5] or ""
        return f"--{name.replace('_', '-')} {value}".rstrip()

    def column(match: re.Match[str]) -> str:
        role, name = match[1], "" if match[2] == "None" else match[2][1:-1]
        if "kind" in names and role not in ("score", "distance", "rank"):
            side = arguments.kind
        else:
            qrels = getattr(arguments, "qrels", None)
            is_named = (qrels and str(qrels) in text) or "QRELS" in text or "y_true" in text
            is_qrels = role == "grade" or (role in ("query", "item") and is_named)
            side = "qrels" if is_qrels else "run"
        return f"--{side}-column {shlex.quote(f'{role}={name}')}"

    if "run_column" in names:
        text = re.sub(r"grades=\{'((?:[^'\\]|\\.)*)': .*?\}", r"--grade \1=...", text)
        text = _COLUMN.sub(column, text)
        text = re.sub(r"\bcolumns=(?= )", "--qrels-column and --run-column", text)
        text = re.sub(r"^columns (says|names)", r"--qrels-column or --run-column \1", text)
    for pattern, words in _WORDS.items():
        text = re.sub(pattern, words, text)
    return _ARGUMENT.sub(option, text)
