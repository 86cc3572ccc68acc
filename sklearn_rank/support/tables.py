"""Text tables, aligned by the columns that a terminal gives each character."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest


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


def aligned(rows: Sequence[Sequence[str]], sides: str, least: Sequence[int] = ()) -> list[str]:
    """Rows of cells as lines, columns two spaces apart.

    ``sides`` has ``<`` or ``>`` for each column, and its last character stands for the rest;
    ``least`` are least widths of the first columns.

    Examples
    --------
    >>> aligned([("metric", "now"), ("map", "0.4")], "<>")
    ['metric  now', 'map     0.4']
    """
    sizes = [[display_width(cell) for cell in row] for row in rows]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    widths = [max(pair) for pair in zip_longest(widths, least, fillvalue=0)]
    sides = sides.ljust(len(widths), sides[-1])
    return ["  ".join(map(_padded, row, widths, sides)).rstrip() for row in rows]


def _padded(cell: str, width: int, side: str) -> str:
    space = " " * (width - display_width(cell))
    return f"{space}{cell}" if side == ">" else f"{cell}{space}"
