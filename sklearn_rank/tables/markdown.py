"""Tables in Markdown, as GitHub and GitLab read it."""

from __future__ import annotations

import re

from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import Cell, Column, Table
from sklearn_rank.tables.text import marked

_SPECIAL = {character: f"&#{ord(character)};" for character in "|`*[]!~$#\\:"} | {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
}
"""Entities, which mean the same within an HTML block of Markdown; a backslash there does not."""
_WORD = r"[^\W_]"
_BY_PLACE = (
    # Markup beside a word alone: names_like_this stay readable.
    (re.compile(rf"(?<!{_WORD})_|_(?!{_WORD})"), "&#95;"),
    # A mention or an address; "ndcg@10" is neither.
    (re.compile(rf"(?<!{_WORD})@|@(?!\d+(?![\w.-]))"), "&#64;"),
    # GitHub links "www.", with nothing before it.
    (re.compile(r"(?<=www)\.", re.IGNORECASE), "&#46;"),
)


def escape(text: str) -> str:
    """Text that Markdown shows as it is: one line, no markup, no link, no mention, no command."""
    shown = safe_text(text, limit=None)
    escaped = "".join(_SPECIAL.get(character, character) for character in shown)
    for pattern, entity in _BY_PLACE:
        escaped = pattern.sub(entity, escaped)
    return escaped


def to_markdown(table: Table) -> str:
    """The table, then its notes as a paragraph.

    Examples
    --------
    >>> from sklearn_rank.tables.cells import number_cell, text_cell
    >>> columns = (Column("system"), Column("map", "number"))
    >>> print(to_markdown(Table(columns, ((text_cell("a|b"), number_cell(0.25)),))))
    | system | map |
    | --- | ---: |
    | a&#124;b | 0.2500 |
    """
    caption = [f"**{escape(table.caption)}**", ""] if table.caption else []
    lines = [
        *markdown_rows(table.columns, [list(map(_written, row)) for row in table.rows]),
        *([""] if table.notes else []),
        *(f"{escape(note)}  " for note in table.notes[:-1]),
        *map(escape, table.notes[-1:]),
    ]
    return "\n".join([*caption, *lines])


def markdown_rows(columns: tuple[Column, ...], rows: list[list[str]]) -> list[str]:
    """Lines of a table whose cells are Markdown already."""
    rule = ("---" if column.kind == "text" else "---:" for column in columns)
    lines = [[escape(column.title) for column in columns], rule, *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _written(cell: Cell) -> str:
    text = escape(cell.text)
    text = f"**{text}**" if cell.best and text else text
    return f"{text}<sup>{escape(marked(cell))}</sup>" if cell.marks else text
