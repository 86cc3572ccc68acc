"""Formats of tables: text, CSV, Markdown, LaTeX and HTML, in which no data is markup."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import Cell, Column, Table

BEST = "*"
"""Behind the best value, as bold letters are elsewhere."""


def to_text(table: Table) -> str:
    """The table, then its notes."""
    caption = [safe_text(table.caption, limit=None)] if table.caption else []
    sides = "".join("<" if column.kind == "text" else ">" for column in table.columns)
    notes = [safe_text(note, limit=None) for note in table.footnotes(BEST)]
    return "\n".join([*caption, *aligned(text_rows(table), sides), *notes])


def text_rows(table: Table) -> list[list[str]]:
    """Titles, then rows of cells fit to print, with points in line in columns of numbers."""
    columns = []
    for place, column in enumerate(table.columns):
        cells = table.column(place)
        texts = [safe_text(cell.text, limit=column.longest) for cell in cells]
        # Spaces behind numbers bring their points in line, as the column is aligned to the right.
        if column.kind == "number":
            behind = [len(text.partition(".")[2]) + ("." in text) for text in texts]
            room = max(behind, default=0)
            pairs = zip(texts, behind, strict=True)
            texts = [text and text + " " * (room - width) for text, width in pairs]
        elif column.kind == "interval":
            ends = [text.partition("..")[::2] for text in texts]
            left, right = (max(map(len, side)) for side in zip(*ends, ("", ""), strict=True))
            texts = [f"{low:>{left}}..{high:<{right}}" if high else "" for low, high in ends]
        # What stands behind a number is behind its title, too.
        signs = ["", *(" ".join(filter(None, (BEST * c.best, marked(c)))) for c in cells)]
        room = max(map(len, signs))
        lines = zip([safe_text(column.title), *texts], signs, strict=True)
        columns.append([f"{text} {sign:<{room}}" if room else text for text, sign in lines])
    return [list(row) for row in zip(*columns, strict=True)]


def marked(cell: Cell) -> str:
    """Letters of a cell; commas separate names of more than one character."""
    joined = ("," if any(len(mark) > 1 for mark in cell.marks) else "").join(cell.marks)
    return safe_text(joined, limit=None)


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows of cells as lines, columns two spaces apart; the caller has escaped the cells.

    ``sides`` has ``<`` or ``>`` for each column, and its last character stands for the rest.
    """
    sizes = [[display_width(cell) for cell in row] for row in rows]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    sides = sides.ljust(len(widths), sides[-1])
    lines = []
    for row, each in zip(rows, sizes, strict=True):
        padded = []
        for cell, size, width, side in zip(row, each, widths, sides, strict=False):
            space = " " * (width - size)
            padded.append(f"{space}{cell}" if side == ">" else f"{cell}{space}")
        lines.append("  ".join(padded).rstrip())
    return lines


def display_width(text: str) -> int:
    """Columns of a terminal that a line takes: two for a wide character, none for an accent."""
    if text.isascii():
        return len(text)
    wide = unicodedata.east_asian_width
    return sum(
        0 if unicodedata.combining(character) else 1 + (wide(character) in "WF")
        for character in text
    )


# CSV ----------------------------------------------------------------------------------------------

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that a spreadsheet takes for a formula."""


def to_csv(table: Table) -> str:
    """A line of names, then one for each row; numbers in full, an interval as two columns."""
    import csv

    titles: list[Any] = []
    for column in table.columns:
        ends = ("_low", "_high") if column.kind == "interval" else ("",)
        titles += [f"{column.name or column.title}{end}" for end in ends]
    lines = [titles]
    for row in table.rows:
        values: list[Any] = []
        for column, cell in zip(table.columns, row, strict=True):
            if column.kind == "interval":
                values += cell.value or ("", "")
            else:
                values.append(cell.text if cell.value is None else cell.value)
        lines.append(values)
    written = []
    for line in lines:
        # With "\r\n" at its end: Python quotes a carriage return in a cell only then.
        file = io.StringIO()
        csv.writer(file, lineterminator="\r\n").writerow(map(_csv_text, line))
        written.append(file.getvalue().removesuffix("\r\n") + "\n")
    return "".join(written)


def _csv_text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA) else text


# Markdown -----------------------------------------------------------------------------------------

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


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is: one line, no markup, no link, no mention, no command.

    Entities are used since a backslash has no effect in an HTML block of Markdown.
    """
    return _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", safe_text(text, limit=None))


_BLOCK = re.compile(r"[^\w&]|\d+[.)]")
"""Characters that start a list, a rule or a heading in Markdown."""


def to_markdown(table: Table) -> str:
    """The table, then its notes as a paragraph."""
    caption = [f"**{escape_markdown(table.caption)}**", ""] if table.caption else []
    rows = []
    for row in table.rows:
        texts = [escape_markdown(cell.text) for cell in row]
        texts = [f"**{t}**" if cell.best and t else t for cell, t in zip(row, texts, strict=True)]
        marks = [f"<sup>{escape_markdown(marked(c))}</sup>" if c.marks else "" for c in row]
        rows.append([text + mark for text, mark in zip(texts, marks, strict=True)])
    notes = [escape_markdown(note) for note in table.footnotes()]
    notes = [f"&#{ord(note[0])};{note[1:]}" if _BLOCK.match(note) else note for note in notes]
    paragraph = ["", "  \n".join(notes)] if notes else []
    return "\n".join([*caption, *markdown_rows(table.columns, rows), *paragraph])


def markdown_rows(columns: tuple[Column, ...], rows: list[list[str]]) -> list[str]:
    """Lines of a table whose cells are Markdown already."""
    rule = ("---" if column.kind == "text" else "---:" for column in columns)
    lines = [[escape_markdown(column.title) for column in columns], rule, *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


# LaTeX --------------------------------------------------------------------------------------------

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


def escape_latex(text: str) -> str:
    r"""Text that LaTeX prints as it is, whatever it holds.

    Letters outside of ASCII stay: pdfLaTeX knows the European ones, LuaLaTeX and XeLaTeX all
    letters of the font.
    """
    shown = safe_text(text, limit=None)
    return "".join(
        ("{}" if before + character in _JOINED else "") + _SPECIAL.get(character, character)
        for before, character in zip(f" {shown}", shown, strict=False)
    )


def to_latex(table: Table) -> str:
    """A tabular, with the caption and the notes as comments."""
    columns = []
    for place, column in enumerate(table.columns):
        cells = table.column(place)
        raised = [rf"$^{{{escape_latex(marked(cell))}}}$" if cell.marks else "" for cell in cells]
        # Marks take the same room in every row, so that numbers stay in line.
        widest = max(cells, key=lambda cell: len(marked(cell)), default=None)
        room = rf"\hphantom{{{raised[cells.index(widest)]}}}" if widest and widest.marks else ""
        texts = [_latex_text(column, cell) for cell in cells]
        marks = [rf"\rlap{{{letters}}}" if letters else "" for letters in raised]
        columns.append([text + mark + room for text, mark in zip(texts, marks, strict=True)])
    sides = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    notes = (table.caption, *table.footnotes())
    lines = [
        r"% \usepackage{booktabs}",
        *(f"% {escape_latex(text)}" for text in notes if text),
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        rf"{' & '.join(escape_latex(column.title) for column in table.columns)} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in zip(*columns, strict=True)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _latex_text(column: Column, cell: Cell) -> str:
    if column.kind == "interval" and cell.text:
        low, _, high = cell.text.partition("..")
        text = f"$[{low}, {high}]$"
    elif column.kind == "number" and cell.text[:1] in ("-", "<"):
        text = f"${cell.text[0]}${escape_latex(cell.text[1:])}"
    else:
        text = escape_latex(cell.text)
    return rf"\textbf{{{text}}}" if cell.best and text else text


# HTML ---------------------------------------------------------------------------------------------

STYLE = """\
.rank-table{border-collapse:collapse;color:inherit;background:none;font-variant-numeric:tabular-nums}
.rank-table caption{caption-side:bottom;text-align:left;padding:.4em .6em;opacity:.8}
.rank-table th,.rank-table td{padding:.25em .6em;border:0;background:none}
table.rank-table.rank-table :is(th,td){text-align:left}
.rank-table thead th{border-bottom:1px solid;vertical-align:bottom}
.rank-table tbody th{font-weight:inherit}
.rank-table tbody tr+tr>*{border-top:1px solid rgba(128,128,128,.3)}
table.rank-table.rank-table :is(.number,.interval){text-align:right;white-space:nowrap}
.rank-table sup{display:inline-block;text-align:left;line-height:0}
"""
"""No colour of its own: it reads on whatever a notebook's theme has, light or dark. The name stands
twice to outweigh the rules of notebooks."""


def escape_html(text: str) -> str:
    """Text that HTML shows as it is, within elements and within attributes in quotes."""
    from html import escape

    return escape(safe_text(text, limit=None), quote=True)


def to_html(table: Table) -> str:
    """The table with its style, to stand anywhere in a page."""
    return f"<style>{STYLE}</style>{html_table(table)}"


def html_table(table: Table) -> str:
    """The table alone."""
    notes = "<br>".join(escape_html(text) for text in (table.caption, *table.footnotes()) if text)
    kinds = ["" if c.kind == "text" else f' class="{c.kind}"' for c in table.columns]
    titles = "".join(
        f'<th scope="col"{kind}>{escape_html(column.title)}</th>'
        for column, kind in zip(table.columns, kinds, strict=True)
    )
    # Letters take the same room in every row, so that numbers stay in line.
    widths = [[len(marked(cell)) for cell in row] for row in table.rows]
    rooms = [max(column) for column in zip(*widths, strict=True)]
    rows = []
    for row in table.rows:
        written, is_name = "", True
        for column, cell, kind, room in zip(table.columns, row, kinds, rooms, strict=True):
            # Cells of text before the first number name the row.
            is_name = is_name and column.kind == "text"
            element = 'th scope="row"' if is_name else "td"
            text = escape_html(cell.text)
            text = f"<strong>{text}</strong>" if cell.best and text else text
            if room:
                text += f'<sup style="min-width:{room}ch">{escape_html(marked(cell))}</sup>'
            written += f"<{element}{kind}>{text}</{element[:2]}>"
        rows.append(f"<tr>{written}</tr>")
    lines = [
        '<table class="rank-table">',
        *([f"<caption>{notes}</caption>"] if notes else []),
        f"<thead><tr>{titles}</tr></thead>",
        "<tbody>",
        *rows,
        "</tbody>",
        "</table>",
    ]
    return "\n".join(lines)


# Results that are tables --------------------------------------------------------------------------

MOST_PRINTED = 20
"""Rows that a list shows where it is printed."""
Row = TypeVar("Row")


class Tabular:
    """A result that prints as a table, and can be pasted as one into a paper or a page."""

    _ROWS: ClassVar[tuple[str, ...]] = ()
    """Kinds of rows, the default first."""

    def _table(self, rows: str) -> Table:
        """The table whose rows are these."""
        raise NotImplementedError

    def _printed(self) -> tuple[Table, ...]:
        """Table shown by a terminal and a notebook."""
        return (self._table(self._ROWS[0]),)

    def __repr__(self) -> str:
        return "\n\n".join(map(to_text, self._printed()))

    def _repr_html_(self) -> str:
        return "\n".join(map(to_html, self._printed()))

    def _chosen(self, rows: str | None, method: str) -> Table:
        if rows is None:
            return self._table(self._ROWS[0])
        check_option(rows, "rows", self._ROWS, method)
        return self._table(rows)

    def to_markdown(self, *, rows: str | None = None) -> str:
        """The table in Markdown; names cannot become markup, links or mentions.

        Parameters
        ----------
        rows : str, default=None
            What a row is: "measures" (default) or "queries" of an evaluation, "systems" (default)
            or "differences" of a comparison.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate({"q1": {"a"}, "q2": {"b"}}, {"q1": ["b", "a"], "q2": ["b"]}, "mrr")
        >>> print(ev.to_markdown())
        | measure | score | 95% interval | queries |
        | --- | ---: | ---: | ---: |
        | mrr | 0.7500 | 0.0000..1.0000 | 2 |
        <BLANKLINE>
        2 queries
        >>> print(ev.to_markdown(rows="queries"))
        | query | mrr |
        | --- | ---: |
        | q1 | 0.5000 |
        | q2 | 1.0000 |
        """
        return to_markdown(self._chosen(rows, "to_markdown"))

    def to_latex(self, *, rows: str | None = None) -> str:
        r"""The table in LaTeX, with the rules of the package booktabs.

        Parameters
        ----------
        rows : str, default=None
            What a row is, as in :meth:`to_markdown`.

        Returns
        -------
        text : str
            A tabular, with remarks as comments. Numbers stand in line; names cannot become
            commands. Of a comparison, the best values are bold, and superscripts are the letters
            of systems that are significantly worse.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> print(evaluate([{"a"}, {"b"}], [["b", "a"], ["b"]], "mrr").to_latex())
        % \usepackage{booktabs}
        % 2 queries
        \begin{tabular}{lrrr}
        \toprule
        measure & score & 95\% interval & queries \\
        \midrule
        mrr & 0.7500 & $[0.0000, 1.0000]$ & 2 \\
        \bottomrule
        \end{tabular}
        """
        return to_latex(self._chosen(rows, "to_latex"))

    def to_html(self, *, rows: str | None = None) -> str:
        """The table in HTML, for light ground and dark; no name can become an element.

        Parameters
        ----------
        rows : str, default=None
            What a row is, as in :meth:`to_markdown`.
        """
        return to_html(self._chosen(rows, "to_html"))

    def to_csv(self, *, rows: str | None = None) -> str:
        """The table as comma-separated values, numbers in full; no name can become a formula.

        Parameters
        ----------
        rows : str, default=None
            What a row is, as in :meth:`to_markdown`.
        """
        return to_csv(self._chosen(rows, "to_csv"))


class _Long(Tabular):
    """A list or dict that prints as a table of its first rows.

    ``as_table`` makes the table of some rows; of a function at the top level of a module, or a
    ``partial`` of one, so that the result can be pickled.
    """

    def __init__(self, rows: Any, as_table: Callable[[Any], Table]) -> None:
        super().__init__(rows)  # type: ignore[call-arg]  # of the list or dict
        self._as_table = as_table

    def _table(self, rows: str) -> Table:  # noqa: ARG002
        return self._as_table(self)

    def _printed(self) -> tuple[Table, ...]:
        rows: Any = self
        first = list(rows.items() if isinstance(rows, dict) else rows)[:MOST_PRINTED]
        table = self._as_table(dict(first) if isinstance(rows, dict) else first)
        if len(rows) > MOST_PRINTED:
            more = f"and {len(rows) - MOST_PRINTED:,} more"
            table = replace(table, notes=(*table.notes, more))
        return (table,)


class Rows(_Long, list[Row]):
    """A list of results."""

    _ROWS = ("rows",)


class Parts(_Long, dict[Any, Row]):
    """Results by slice."""

    _ROWS = ("slices",)
