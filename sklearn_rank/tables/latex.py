"""Tables in LaTeX with the rules of booktabs."""

from __future__ import annotations

from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import BOLD, Cell, Column, Table
from sklearn_rank.tables.text import marked

_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # Other characters in the old encoding of fonts, OT1, which is still LaTeX's default.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Makes umlauts and the like in several languages of babel.
    '"': r"\symbol{34}",
    # At the start of a row, arguments of the end of the row before.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_JOINED = ("--", ",,", "''", "``", "!`", "?`")
"""Pairs that fonts print as one character."""


def escape(text: str) -> str:
    r"""Text that LaTeX prints as it is, whatever it holds.

    Letters outside of ASCII stay: pdfLaTeX knows the European ones, LuaLaTeX and XeLaTeX those
    that the font has.

    Examples
    --------
    >>> print(escape("a_b & 100 %"))
    a\_b \& 100 \%
    """
    shown = safe_text(text, limit=None)
    return "".join(map(_escaped, f" {shown}", shown))


def _escaped(before: str, character: str) -> str:
    apart = "{}" if before + character in _JOINED else ""
    return apart + _SPECIAL.get(character, character)


def to_latex(table: Table, *, caption: str | None = None, label: str | None = None) -> str:
    r"""A tabular; with a caption or a label, a floating table with the notes below.

    Examples
    --------
    >>> from sklearn_rank.tables.cells import number_cell, text_cell
    >>> columns = (Column("system"), Column("map", "number"))
    >>> row = (text_cell("bm25"), number_cell(0.25, best=True, marks=("b",)))
    >>> print(to_latex(Table(columns, (row,))))
    % \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    system & map \\
    \midrule
    bm25 & \textbf{0.2500}\rlap{$^{b}$}\hphantom{$^{b}$} \\
    \bottomrule
    \end{tabular}
    """
    tabular, said = _tabular(table), table.said(BOLD)
    if caption is None and label is None:
        comments = [f"% {escape(text)}" for text in (table.caption, *said) if text]
        return "\n".join([r"% \usepackage{booktabs}", *comments, *tabular])
    own = table.caption if caption is None else caption
    notes = [rf"\par\smallskip\footnotesize {escape('; '.join(said))}"] if said else []
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{escape(own)}}}"] if own else []),
        *([rf"\label{{{_label(label)}}}"] if label is not None else []),
        *tabular,
        *notes,
        r"\end{table}",
    ]
    return "\n".join(lines)


def _label(label: str) -> str:
    """A label is read as it stands, so that what TeX would act on is left out."""
    return "".join(character for character in label if character.isalnum() or character in ":-._/+")


def _tabular(table: Table) -> list[str]:
    columns = [_column(column, table.column(place)) for place, column in enumerate(table.columns)]
    rows = [rf"{' & '.join(row)} \\" for row in zip(*columns, strict=True)]
    sides = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    return [
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        rf"{' & '.join(escape(column.title) for column in table.columns)} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _column(column: Column, cells: list[Cell]) -> list[str]:
    """Cells whose marks take the same room in every row, so that numbers stay in line."""
    widest = max((marked(cell) for cell in cells), key=len, default="")
    room = rf"\hphantom{{{_raised(widest)}}}" if widest else ""
    return [
        _written(column, cell) + (rf"\rlap{{{_raised(marked(cell))}}}" if cell.marks else "") + room
        for cell in cells
    ]


def _raised(letters: str) -> str:
    return rf"$^{{{escape(letters)}}}$"


def _written(column: Column, cell: Cell) -> str:
    if column.kind == "interval" and cell.text:
        low, _, high = cell.text.partition("..")
        text = f"$[{low}, {high}]$"
    elif column.kind == "number" and cell.text[:1] in ("-", "<"):
        text = f"${cell.text[0]}${escape(cell.text[1:])}"
    else:
        text = escape(cell.text)
    return rf"\textbf{{{text}}}" if cell.best and text else text
