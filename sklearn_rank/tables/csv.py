"""Tables as comma-separated values, which spreadsheets read."""

from __future__ import annotations

import csv
import io
from typing import Any

from sklearn_rank.tables.table import Cell, Column, Table

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for the beginning of a formula."""


def to_csv(table: Table) -> str:
    """A line of names, then one for each row; numbers in full, an interval as two columns.

    Examples
    --------
    >>> from sklearn_rank.tables.cells import interval_cell, text_cell
    >>> columns = (Column("system"), Column("95 % interval", "interval", "interval"))
    >>> print(to_csv(Table(columns, ((text_cell("=x"), interval_cell(0.25, 0.5)),))), end="")
    system,interval_low,interval_high
    '=x,0.25,0.5
    """
    lines = [_line([name for column in table.columns for name in _names(column)])]
    for row in table.rows:
        pairs = zip(table.columns, row, strict=True)
        lines.append(_line([text for column, cell in pairs for text in _texts(column, cell)]))
    return "".join(lines)


def _line(cells: list[str]) -> str:
    r"""Written with "\r\n" at its end: Python quotes a carriage return in a cell only then."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\r\n").writerow(cells)
    return file.getvalue().removesuffix("\r\n") + "\n"


def _names(column: Column) -> list[str]:
    key = _guarded(column.key)
    return [f"{key}_low", f"{key}_high"] if column.kind == "interval" else [key]


def _texts(column: Column, cell: Cell) -> list[str]:
    if column.kind == "interval":
        return [_text(end) for end in cell.value or ("", "")]
    return [_text(cell.text if cell.value is None else cell.value)]


def _text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    return _guarded(value if isinstance(value, str) else str(value))


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
