"""Formats of tables: text, CSV, Markdown, LaTeX and HTML, in which no data is markup."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Sequence
from typing import Any, ClassVar

from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import BOLD, Cell, Column, Table

BEST = "*"
"""Behind the best value, as bold letters are elsewhere."""


def to_text(table: Table) -> str:
    """The table, then its notes."""
    caption = [safe_text(table.caption, limit=None)] if table.caption else []
    sides = "".join("<" if column.kind == "text" else ">" for column in table.columns)
    lines = aligned(text_rows(table), sides)
    return "\n".join(
        [*caption, *lines, *(safe_text(note, limit=None) for note in table.said(BEST))]
    )


def text_rows(table: Table) -> list[list[str]]:
    """Titles, then rows of cells fit to print, with points in line in columns of numbers."""
    columns = [
        _text_column(column, table.column(place)) for place, column in enumerate(table.columns)
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _text_column(column: Column, cells: Sequence[Cell]) -> list[str]:
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


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows of cells as lines, columns two spaces apart; the caller has escaped the cells.

    ``sides`` has ``<`` or ``>`` for each column, and its last character stands for the rest.
    """
    sizes = [[display_width(cell) for cell in row] for row in rows]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    sides = sides.ljust(len(widths), sides[-1])
    return ["  ".join(map(_padded, row, widths, sides)).rstrip() for row in rows]


def _padded(cell: str, width: int, side: str) -> str:
    space = " " * (width - display_width(cell))
    return f"{space}{cell}" if side == ">" else f"{cell}{space}"


def display_width(text: str) -> int:
    r"""Columns of a terminal that a line takes: two for a wide character, none for an accent."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


# CSV ----------------------------------------------------------------------------------------------

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for the beginning of a formula."""


def to_csv(table: Table) -> str:
    """A line of names, then one for each row; numbers in full, an interval as two columns."""
    lines = [_csv_line([name for column in table.columns for name in _csv_names(column)])]
    for row in table.rows:
        pairs = zip(table.columns, row, strict=True)
        lines.append(
            _csv_line([text for column, cell in pairs for text in _csv_texts(column, cell)])
        )
    return "".join(lines)


def _csv_line(cells: list[str]) -> str:
    r"""Written with "\r\n" at its end: Python quotes a carriage return in a cell only then."""
    import csv

    file = io.StringIO()
    csv.writer(file, lineterminator="\r\n").writerow(cells)
    return file.getvalue().removesuffix("\r\n") + "\n"


def _csv_names(column: Column) -> list[str]:
    key = _guarded(column.key)
    return [f"{key}_low", f"{key}_high"] if column.kind == "interval" else [key]


def _csv_texts(column: Column, cell: Cell) -> list[str]:
    if column.kind == "interval":
        return [_csv_text(end) for end in cell.value or ("", "")]
    return [_csv_text(cell.text if cell.value is None else cell.value)]


def _csv_text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    return _guarded(value if isinstance(value, str) else str(value))


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


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

    By entities, which mean the same within an HTML block of Markdown; a backslash there does not.
    """
    return _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", safe_text(text, limit=None))


def to_markdown(table: Table) -> str:
    """The table, then its notes as a paragraph."""
    caption = [f"**{escape_markdown(table.caption)}**", ""] if table.caption else []
    rows = markdown_rows(table.columns, [list(map(_markdown_written, row)) for row in table.rows])
    said = table.said(BOLD)
    notes = ["", "  \n".join(map(_markdown_line, said))] if said else []
    return "\n".join([*caption, *rows, *notes])


_BLOCK = re.compile(r"[^\w&]|\d+[.)]")
"""What makes a list, a rule or a heading at the start of a line."""


def _markdown_line(note: str) -> str:
    escaped = escape_markdown(note)
    is_block = _BLOCK.match(escaped)
    return f"&#{ord(escaped[0])};{escaped[1:]}" if is_block else escaped


def markdown_rows(columns: tuple[Column, ...], rows: list[list[str]]) -> list[str]:
    """Lines of a table whose cells are Markdown already."""
    rule = ("---" if column.kind == "text" else "---:" for column in columns)
    lines = [[escape_markdown(column.title) for column in columns], rule, *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _markdown_written(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    text = f"**{text}**" if cell.best and text else text
    return f"{text}<sup>{escape_markdown(marked(cell))}</sup>" if cell.marks else text


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

    Letters outside of ASCII stay: pdfLaTeX knows the European ones, LuaLaTeX and XeLaTeX those
    that the font has.
    """
    shown = safe_text(text, limit=None)
    return "".join(map(_escaped, f" {shown}", shown))


def _escaped(before: str, character: str) -> str:
    apart = "{}" if before + character in _JOINED else ""
    return apart + _SPECIAL.get(character, character)


def to_latex(table: Table, *, caption: str | None = None, label: str | None = None) -> str:
    r"""A tabular; with a caption or a label, a floating table with the notes below."""
    tabular, said = _tabular(table), table.said(BOLD)
    if caption is None and label is None:
        comments = [f"% {escape_latex(text)}" for text in (table.caption, *said) if text]
        return "\n".join([r"% \usepackage{booktabs}", *comments, *tabular])
    own = table.caption if caption is None else caption
    notes = [rf"\par\smallskip\footnotesize {escape_latex('; '.join(said))}"] if said else []
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{escape_latex(own)}}}"] if own else []),
        *([rf"\label{{{_latex_label(label)}}}"] if label is not None else []),
        *tabular,
        *notes,
        r"\end{table}",
    ]
    return "\n".join(lines)


def _latex_label(label: str) -> str:
    """A label is read as it stands, so that what TeX would act on is left out."""
    return "".join(character for character in label if character.isalnum() or character in ":-._/+")


def _tabular(table: Table) -> list[str]:
    columns = [
        _latex_column(column, table.column(place)) for place, column in enumerate(table.columns)
    ]
    rows = [rf"{' & '.join(row)} \\" for row in zip(*columns, strict=True)]
    sides = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    return [
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        rf"{' & '.join(escape_latex(column.title) for column in table.columns)} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _latex_column(column: Column, cells: list[Cell]) -> list[str]:
    """Cells whose marks take the same room in every row, so that numbers stay in line."""
    widest = max((marked(cell) for cell in cells), key=len, default="")
    room = rf"\hphantom{{{_raised(widest)}}}" if widest else ""
    return [
        _latex_written(column, cell)
        + (rf"\rlap{{{_raised(marked(cell))}}}" if cell.marks else "")
        + room
        for cell in cells
    ]


def _raised(letters: str) -> str:
    return rf"$^{{{escape_latex(letters)}}}$"


def _latex_written(column: Column, cell: Cell) -> str:
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
.rank-table th,.rank-table td{padding:.25em .6em;text-align:left;border:0;background:none}
.rank-table thead th{border-bottom:1px solid;vertical-align:bottom}
.rank-table tbody th{font-weight:inherit}
.rank-table tbody tr+tr>*{border-top:1px solid rgba(128,128,128,.3)}
.rank-table .number,.rank-table .interval{text-align:right;white-space:nowrap}
.rank-table sup{display:inline-block;text-align:left;line-height:0}
"""
"""No colour of its own: it reads on whatever a notebook's theme has, light or dark."""


def escape_html(text: str) -> str:
    """Text that HTML shows as it is, within elements and within attributes in quotes."""
    from html import escape

    return escape(safe_text(text, limit=None), quote=True)


def to_html(table: Table) -> str:
    """The table with its style, to stand anywhere in a page."""
    return f"<style>{STYLE}</style>{html_table(table)}"


def html_table(table: Table, *, sortable: bool = False) -> str:
    """The table alone; ``sortable`` marks it for a script, with the values to sort by."""
    said = "<br>".join(escape_html(text) for text in (table.caption, *table.said(BOLD)) if text)
    titles = "".join(
        f'<th scope="col"{_html_class(column)}>{escape_html(column.title)}</th>'
        for column in table.columns
    )
    rooms = [_html_room(table, place) for place in range(len(table.columns))]
    lines = [
        f'<table class="rank-table"{" data-sortable" * sortable}>',
        *([f"<caption>{said}</caption>"] if said else []),
        f"<thead><tr>{titles}</tr></thead>",
        "<tbody>",
        *(_html_row(table, row, rooms, sortable) for row in table.rows),
        "</tbody>",
        "</table>",
    ]
    return "\n".join(lines)


def _html_class(column: Column) -> str:
    return "" if column.kind == "text" else f' class="{column.kind}"'


def _html_row(table: Table, cells: tuple[Cell, ...], rooms: list[int], sortable: bool) -> str:
    """Cells of text before the first number name the row."""
    written = []
    is_name = True
    for place, (column, cell) in enumerate(zip(table.columns, cells, strict=True)):
        is_name = is_name and column.kind == "text"
        kind = 'th scope="row"' if is_name else "td"
        value = _html_value(cell) if sortable else ""
        text = _html_written(cell, rooms[place])
        written.append(f"<{kind}{_html_class(column)}{value}>{text}</{kind[:2]}>")
    return f"<tr>{''.join(written)}</tr>"


def _html_value(cell: Cell) -> str:
    number = cell.value[0] if isinstance(cell.value, tuple) else cell.value
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    return f' data-value="{number!r}"' if is_number else ""


def _html_room(table: Table, place: int) -> int:
    """Characters that the letters of a column take: as many in each row, for numbers in line."""
    return max((len(marked(cell)) for cell in table.column(place)), default=0)


def _html_written(cell: Cell, room: int) -> str:
    text = escape_html(cell.text)
    text = f"<strong>{text}</strong>" if cell.best and text else text
    letters = f'<sup style="min-width:{room}ch">{escape_html(marked(cell))}</sup>' if room else ""
    return text + letters


# Results that are tables --------------------------------------------------------------------------


class Tabular:
    """A result that prints as a table, and can be pasted as one into a paper or a page."""

    _ROWS: ClassVar[tuple[str, ...]] = ()
    """What a row may be, the default first."""

    def _table(self, rows: str) -> Table:
        """The table whose rows are these."""
        raise NotImplementedError

    def _printed(self) -> tuple[Table, ...]:
        """What a terminal and a notebook show."""
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
        | measure | score | 95 % interval | queries |
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

    def to_latex(
        self, *, rows: str | None = None, caption: str | None = None, label: str | None = None
    ) -> str:
        r"""The table in LaTeX, with the rules of the package booktabs.

        Parameters
        ----------
        rows : str, default=None
            What a row is, as in :meth:`to_markdown`.
        caption : str, default=None
            Caption of a floating table, as plain text.
        label : str, default=None
            Its label; with neither, there is a tabular alone, and remarks are comments.

        Returns
        -------
        text : str
            Numbers stand in line; names cannot become commands. Of a comparison, the best values
            are bold, and superscripts are the letters of systems that are significantly worse.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> print(evaluate([{"a"}, {"b"}], [["b", "a"], ["b"]], "mrr").to_latex())
        % \usepackage{booktabs}
        % 2 queries
        \begin{tabular}{lrrr}
        \toprule
        measure & score & 95 \% interval & queries \\
        \midrule
        mrr & 0.7500 & $[0.0000, 1.0000]$ & 2 \\
        \bottomrule
        \end{tabular}
        """
        return to_latex(self._chosen(rows, "to_latex"), caption=caption, label=label)

    def to_html(self, *, rows: str | None = None) -> str:
        """The table in HTML, for light ground and dark; no name can become an element.

        Parameters
        ----------
        rows : str, default=None
            What a row is, as in :meth:`to_markdown`.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> page = evaluate([{"a"}, {"b"}], [["b", "a"], ["b"]], "mrr").to_html()
        >>> '<td class="number">0.7500</td>' in page
        True
        """
        return to_html(self._chosen(rows, "to_html"))

    def to_csv(self, *, rows: str | None = None) -> str:
        """The table as comma-separated values, numbers in full; no name can become a formula.

        Parameters
        ----------
        rows : str, default=None
            What a row is, as in :meth:`to_markdown`.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> print(evaluate([{"a"}, {"b"}], [["b", "a"], ["b"]], "mrr").to_csv(), end="")
        measure,score,interval_low,interval_high,queries
        mrr,0.75,0.0,1.0,2
        """
        return to_csv(self._chosen(rows, "to_csv"))
