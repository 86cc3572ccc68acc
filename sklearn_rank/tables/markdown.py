"""Tables in Markdown, as GitHub and GitLab read it."""

from __future__ import annotations

import re

from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import BOLD, Cell, Column, Table
from sklearn_rank.tables.text import marked

_ACTIVE = re.compile(
    r"""
    [|`*\[\]~$\\&<>]
    # Markup beside a word alone: names_like_this stay readable.
    | (?<![^\W_])_ | _(?![^\W_])
    # An issue, an emoji, a link: in a sentence, a space follows.
    | \#(?=\w) | :(?=\S) | (?<=www)\.
    # A mention, an address; "ndcg@10" is neither.
    | (?<![^\W_])@ | @(?!\d+(?![\w.-]))
    """,
    re.VERBOSE | re.IGNORECASE,
)


def escape(text: str) -> str:
    """Text that Markdown shows as it is: one line, no markup, no link, no mention, no command.

    By entities, which mean the same within an HTML block of Markdown; a backslash there does not.
    """
    return _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", safe_text(text, limit=None))


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
    rows = markdown_rows(table.columns, [list(map(_written, row)) for row in table.rows])
    said = table.said(BOLD)
    notes = ["", "  \n".join(map(_line, said))] if said else []
    return "\n".join([*caption, *rows, *notes])


_BLOCK = re.compile(r"[^\w&]|\d+[.)]")
"""What makes a list, a rule or a heading at the start of a line."""


def _line(note: str) -> str:
    escaped = escape(note)
    is_block = _BLOCK.match(escaped)
    return f"&#{ord(escaped[0])};{escaped[1:]}" if is_block else escaped


def markdown_rows(columns: tuple[Column, ...], rows: list[list[str]]) -> list[str]:
    """Lines of a table whose cells are Markdown already."""
    rule = ("---" if column.kind == "text" else "---:" for column in columns)
    lines = [[escape(column.title) for column in columns], rule, *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _written(cell: Cell) -> str:
    text = escape(cell.text)
    text = f"**{text}**" if cell.best and text else text
    return f"{text}<sup>{escape(marked(cell))}</sup>" if cell.marks else text
