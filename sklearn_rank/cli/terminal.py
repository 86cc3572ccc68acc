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
    """A table: by rich on a terminal, in aligned columns elsewhere."""
    from sklearn_rank.tables.formats import BEST, text_rows, to_text

    if not sys.stdout.isatty():
        print(to_text(table))
        return
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    titles, *rows = text_rows(table)
    drawn = RichTable(title=Text(shown(table.caption)) if table.caption else None)
    for column, title in zip(table.columns, titles, strict=True):
        drawn.add_column(Text(title), justify="left" if column.kind == "text" else "right")
    for row, cells in zip(rows, table.rows, strict=True):
        drawn.add_row(*map(Text, row, ("bold" if cell.best else "" for cell in cells)))
    console = Console()
    console.print(drawn)
    for note in table.footnotes(BEST):
        console.print(Text(shown(note)))


def shown(text: object) -> str:
    """A path or another text, whole, but without what a terminal would obey."""
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
_OPTIONS = {"min_rel": "level", "overwrite": "force", "metrics": "measure"}
"""Options whose names are not those of the arguments that they stand for."""
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
        if "kind" in names and role not in ("score", "rank"):
            side = arguments.kind
        else:
            qrels = getattr(arguments, "qrels", None)
            is_named = (qrels and str(qrels) in text) or "QRELS" in text or "y_true" in text
            is_qrels = role == "grade" or (role in ("query", "item") and is_named)
            side = "qrels" if is_qrels else "run"
        return f"--{side}-column {shlex.quote(f'{role}={name}')}"

    if "run_column" in names:
        text = _COLUMN.sub(column, text)
        text = re.sub(r"\bcolumns=(?= )", "--qrels-column and --run-column", text)
        text = re.sub(r"^columns (says|names)", r"--qrels-column or --run-column \1", text)
    for pattern, words in _WORDS.items():
        text = re.sub(pattern, words, text)
    return _ARGUMENT.sub(option, text)
