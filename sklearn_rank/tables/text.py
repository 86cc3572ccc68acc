"""Tables as plain text, aligned by the columns that a terminal gives each character."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import Cell, Column, Table

BEST = "*"
"""Behind the best value, as bold letters are elsewhere."""


def to_text(table: Table) -> str:
    """The table, then its notes.

    Examples
    --------
    >>> from sklearn_rank.tables.cells import number_cell, text_cell
    >>> columns = (Column("system"), Column("map", "number"))
    >>> rows = ((text_cell("bm25"), number_cell(0.25)), (text_cell("dense"), number_cell(10.5)))
    >>> print(to_text(Table(columns, rows, notes=("2 queries",))))
    system      map
    bm25     0.2500
    dense   10.5000
    2 queries
    """
    caption = [safe_text(table.caption, limit=None)] if table.caption else []
    sides = "".join("<" if column.kind == "text" else ">" for column in table.columns)
    lines = aligned(text_rows(table), sides)
    return "\n".join(
        [*caption, *lines, *(safe_text(note, limit=None) for note in table.said(BEST))]
    )


def text_rows(table: Table) -> list[list[str]]:
    """Titles, then rows of cells fit to print, with points in line in columns of numbers."""
    columns = [_column(column, table.column(place)) for place, column in enumerate(table.columns)]
    return [list(row) for row in zip(*columns, strict=True)]


def _column(column: Column, cells: Sequence[Cell]) -> list[str]:
    """Title and cells; what stands behind a number is behind its title, too."""
    texts = [safe_text(cell.text, limit=column.longest) for cell in cells]
    if column.kind == "number":
        texts = _pointed(texts)
    elif column.kind == "interval":
        texts = _between(texts)
    behind = ["", *(" ".join(filter(None, (BEST * cell.best, marked(cell)))) for cell in cells)]
    room = max(map(len, behind))
    lines = zip([safe_text(column.title), *texts], behind, strict=True)
    return [f"{text} {note:<{room}}" if room else text for text, note in lines]


def marked(cell: Cell) -> str:
    """Letters of a cell; those of more than one character are told apart by commas."""
    joined = ("," if any(len(mark) > 1 for mark in cell.marks) else "").join(cell.marks)
    return safe_text(joined, limit=None)


def _pointed(texts: Sequence[str]) -> list[str]:
    """Numbers with spaces behind them, so that aligned to the right their points are in line."""
    behind = [len(text.partition(".")[2]) + ("." in text) for text in texts]
    room = max(behind, default=0)
    return [text + " " * (room - own) * bool(text) for text, own in zip(texts, behind, strict=True)]


def _between(texts: Sequence[str]) -> list[str]:
    """Intervals with both points in line."""
    ends = [text.partition("..")[::2] for text in texts]
    room = max((len(low) for low, _ in ends), default=0)
    behind = max((len(high) for _, high in ends), default=0)
    return [f"{low:>{room}}..{high:<{behind}}" if high else "" for low, high in ends]


# Rows of text ------------------------------------------------------------------------------------


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows of cells as lines, columns two spaces apart; the caller has escaped the cells.

    ``sides`` has ``<`` or ``>`` for each column, and its last character stands for the rest.

    Examples
    --------
    >>> aligned([("metric", "now"), ("map", "0.4")], "<>")
    ['metric  now', 'map     0.4']
    """
    sizes = [[display_width(cell) for cell in row] for row in rows]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    sides = sides.ljust(len(widths), sides[-1])
    return ["  ".join(map(_padded, row, widths, sides)).rstrip() for row in rows]


def _padded(cell: str, width: int, side: str) -> str:
    space = " " * (width - display_width(cell))
    return f"{space}{cell}" if side == ">" else f"{cell}{space}"


def display_width(text: str) -> int:
    r"""Columns of a terminal that a line takes: two for a wide character, none for an accent.

    Examples
    --------
    >>> display_width("long-tail"), display_width("日本"), display_width("e\u0301")
    (9, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
