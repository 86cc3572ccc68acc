"""Tables in HTML that need no style sheet of others, on light ground and on dark."""

from __future__ import annotations

import html

from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import BOLD, Cell, Column, Table
from sklearn_rank.tables.text import marked

STYLE = """\
.rank-table{border-collapse:collapse;color:inherit;background:none;font-variant-numeric:tabular-nums}
.rank-table caption{caption-side:bottom;text-align:left;padding:.4em .6em;opacity:.8}
.rank-table th,.rank-table td{padding:.25em .6em;text-align:left;border:0;background:none}
.rank-table thead th{border-bottom:1px solid;vertical-align:bottom}
.rank-table tbody th{font-weight:inherit}
.rank-table tbody tr+tr>*{border-top:1px solid rgba(128,128,128,.3)}
.rank-table .number,.rank-table .interval{text-align:right;white-space:nowrap}
.rank-table sup{display:inline-block;text-align:left;line-height:0}
"""
"""No colour of its own: it reads on whatever a notebook's theme has, light or dark."""


def escape(text: str) -> str:
    """Text that HTML shows as it is, within elements and within attributes in quotes."""
    return html.escape(safe_text(text, limit=None), quote=True)


def to_html(table: Table) -> str:
    """The table with its style, to stand anywhere in a page."""
    return f"<style>{STYLE}</style>{html_table(table)}"


def html_table(table: Table, *, sortable: bool = False) -> str:
    """The table alone; ``sortable`` marks it for a script, with the values to sort by.

    Examples
    --------
    >>> from sklearn_rank.tables.cells import number_cell, text_cell
    >>> row = (text_cell("<b>"), number_cell(0.25, best=True))
    >>> print(html_table(Table((Column("system"), Column("map", "number")), (row,))))
    <table class="rank-table">
    <thead><tr><th scope="col">system</th><th scope="col" class="number">map</th></tr></thead>
    <tbody>
    <tr><th scope="row">&lt;b&gt;</th><td class="number"><strong>0.2500</strong></td></tr>
    </tbody>
    </table>
    """
    said = "<br>".join(escape(text) for text in (table.caption, *table.said(BOLD)) if text)
    titles = "".join(
        f'<th scope="col"{_class(column)}>{escape(column.title)}</th>' for column in table.columns
    )
    rooms = [_room(table, place) for place in range(len(table.columns))]
    lines = [
        f'<table class="rank-table"{" data-sortable" * sortable}>',
        *([f"<caption>{said}</caption>"] if said else []),
        f"<thead><tr>{titles}</tr></thead>",
        "<tbody>",
        *(_row(table, row, rooms, sortable) for row in table.rows),
        "</tbody>",
        "</table>",
    ]
    return "\n".join(lines)


def _class(column: Column) -> str:
    return "" if column.kind == "text" else f' class="{column.kind}"'


def _row(table: Table, cells: tuple[Cell, ...], rooms: list[int], sortable: bool) -> str:
    """Cells of text before the first number name the row."""
    written = []
    is_name = True
    for place, (column, cell) in enumerate(zip(table.columns, cells, strict=True)):
        is_name = is_name and column.kind == "text"
        kind = 'th scope="row"' if is_name else "td"
        value = _value(cell) if sortable else ""
        text = _written(cell, rooms[place])
        written.append(f"<{kind}{_class(column)}{value}>{text}</{kind[:2]}>")
    return f"<tr>{''.join(written)}</tr>"


def _value(cell: Cell) -> str:
    number = cell.value[0] if isinstance(cell.value, tuple) else cell.value
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    return f' data-value="{number!r}"' if is_number else ""


def _room(table: Table, place: int) -> int:
    """Characters that the letters of a column take: as many in each row, for numbers in line."""
    return max((len(marked(cell)) for cell in table.column(place)), default=0)


def _written(cell: Cell, room: int) -> str:
    text = escape(cell.text)
    text = f"<strong>{text}</strong>" if cell.best and text else text
    letters = f'<sup style="min-width:{room}ch">{escape(marked(cell))}</sup>' if room else ""
    return text + letters
