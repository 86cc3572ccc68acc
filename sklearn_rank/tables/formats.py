"""Formats of tables, in which no data is markup: text, CSV, Markdown, HTML of notebooks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from types import SimpleNamespace
from typing import Any, ClassVar, TypeVar

from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import WithHints, closest, safe_text
from sklearn_rank.tables.table import Cell, Column, FrameBackend, Table, native_frame

BEST = "*"
"""Follows the best value, which is bold in other formats."""


def to_text(table: Table) -> str:
    """The table, then its notes."""
    sides = "".join("<" if column.kind == "text" else ">" for column in table.columns)
    notes = [safe_text(note, limit=None) for note in table.footnotes(BEST)]
    return "\n".join([*aligned(text_rows(table), sides), *notes])


def text_rows(table: Table) -> list[list[str]]:
    """Titles, then rows of printable cells."""
    columns = []
    for number, column in enumerate(table.columns):
        cells = table.column(number)
        texts = [safe_text(cell.text, limit=column.longest) for cell in cells]
        # What follows a number follows its title, too.
        signs = ["", *(BEST * cell.best for cell in cells)]
        room = max(map(len, signs))
        lines = zip([safe_text(column.title), *texts], signs, strict=True)
        columns.append([f"{text} {sign:<{room}}" if room else text for text, sign in lines])
    return [list(row) for row in zip(*columns, strict=True)]


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Escaped cells as lines, columns two spaces apart, aligned left ``<`` or right ``>``."""
    columns = []
    for cells, side in zip(zip(*rows, strict=True), sides, strict=True):
        sizes = list(map(display_width, cells))
        spaces = (" " * (max(sizes) - size) for size in sizes)
        pairs = zip(cells, spaces, strict=True)
        columns.append([space + cell if side == ">" else cell + space for cell, space in pairs])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


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
    """A header, then one line per row; numbers in full, no text can act as a formula."""
    import csv

    # Python quotes a carriage return in a cell only where lines end with one.
    lines: list[str] = []
    writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
    for row in ([Cell(column.title) for column in table.columns], *table.rows):
        values = (cell.text if cell.value is None else cell.value for cell in row)
        writer.writerow(
            f"'{v}" if str(v).startswith(FORMULA) and isinstance(v, str) else v for v in values
        )
    return "".join(f"{line[:-2]}\n" for line in lines)


# Markdown -----------------------------------------------------------------------------------------

_ACTIVE = re.compile(
    r"[|`*\[\]~$\\&<>]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # at the ends of a word only: names_like_this stay readable
    r"|\#(?=\w)|:(?=\S)|(?<=www)\."  # an issue, an emoji, a link: in a sentence, a space follows
    r"|(?<![^\W_])@|@(?!\d+(?![\w.-]))",  # a mention, an address; "ndcg@10" is neither
    re.IGNORECASE,
)


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is: one line, no markup, no link, no mention, no command.

    Entities are used since a backslash has no effect in an HTML block of Markdown.
    """
    return _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", safe_text(text, limit=None))


_BLOCK_MARK = re.compile(r"[^\w&]|\d+[.)]")
"""Characters that start a list, a rule or a heading in Markdown."""


def to_markdown(table: Table) -> str:
    """The table, then its notes as a paragraph."""
    rows = []
    for row in table.rows:
        texts = [escape_markdown(cell.text) for cell in row]
        texts = [f"**{t}**" if cell.best and t else t for cell, t in zip(row, texts, strict=True)]
        rows.append(texts)
    notes = [escape_markdown(note) for note in table.footnotes()]
    notes = [f"&#{ord(note[0])};{note[1:]}" if _BLOCK_MARK.match(note) else note for note in notes]
    paragraph = ["", "  \n".join(notes)] if notes else []
    return "\n".join([*markdown_rows(table.columns, rows), *paragraph])


def markdown_rows(columns: tuple[Column, ...], rows: list[list[str]]) -> list[str]:
    """Lines of a table whose cells are Markdown already."""
    rule = ("---" if column.kind == "text" else "---:" for column in columns)
    lines = [[escape_markdown(column.title) for column in columns], rule, *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


# HTML ---------------------------------------------------------------------------------------------


def to_html(table: Table) -> str:
    """The table in a page, with that page's colours, light or dark."""
    from html import escape

    rows = [[Cell(column.title) for column in table.columns], *table.rows]
    written = ""
    for element, row in zip(("th", *["td"] * len(table.rows)), rows, strict=True):
        written += "<tr>"
        for column, cell in zip(table.columns, row, strict=True):
            text = escape(safe_text(cell.text, limit=None))
            text = f"<strong>{text}</strong>" if cell.best and text else text
            side = "left" if column.kind == "text" else "right"
            written += f'<{element} style="text-align:{side}">{text}</{element}>'
        written += "</tr>\n"
    notes = "<br>".join(escape(safe_text(note, limit=None)) for note in table.footnotes())
    caption = f'<caption style="caption-side:bottom">{notes}</caption>\n' if notes else ""
    return f"<table>\n{caption}{written}</table>"


# Results that are tables --------------------------------------------------------------------------

MOST_PRINTED = 20
"""The most rows that a printed list shows."""
Row = TypeVar("Row")


_PARTS_ELSEWHERE = {
    **dict.fromkeys(
        ("df", "dataframe", "frame", "to_df", "to_pandas", "to_polars"),
        "to_frame(backend) makes a data frame",
    ),
    **dict.fromkeys(("to_csv", "to_json", "save"), "save the result of to_frame() or to_dict()"),
    **dict.fromkeys(("html", "to_html", "save_html"), "report(path) writes an HTML file"),
    **dict.fromkeys(
        ("apply", "columns", "describe", "filter", "groupby", "head", "iloc", "iterrows", "loc"),
        "to_frame() makes a data frame, which has it",
    ),
    **dict.fromkeys(
        ("melt", "merge", "pivot", "shape", "sort_values", "style", "tail"),
        "to_frame() makes a data frame, which has it",
    ),
    "to_latex": "use to_frame().to_latex(escape=True)",
    **dict.fromkeys(("display", "print", "show", "summary", "table"), "print(result) shows it"),
}
"""What other libraries call the parts of a result, and where they are."""


class Tabular(WithHints):
    """A result that prints as a table, and can be pasted as one into a paper or a page."""

    _ROWS: ClassVar[tuple[str, ...]] = ()
    """Kinds of rows, the default first."""

    def _told(self, name: str) -> str:
        """A hint for a missing attribute: an element, another part, or a close name."""
        elsewhere = {**_PARTS_ELSEWHERE, **self._ELSEWHERE}
        if name in elsewhere:
            return f"; {self._in_terms_of_a_measure(elsewhere[name])}"
        with suppress(TypeError, ValueError, LookupError):
            self[name]  # type: ignore[index]
            return f"; use result[{name!r}]"
        near = closest(name, self._measures())
        if near:
            return f"{near} For a measure: {self._in_terms_of_a_measure('result[{0}]')}"
        return super()._told(name)

    def _in_terms_of_a_measure(self, told: str) -> str:
        """A hint whose ``{0}`` is a measure of this result."""
        return told.format(repr(next(iter(self._measures()), "map")))

    def _measures(self) -> Iterable[str]:
        """Names of the measures that are elements of this result."""
        return ()

    def _is_no_number(self, *_: Any) -> Any:
        """TypeError of operators that need a number, with a hint where to find one."""
        told = self._in_terms_of_a_measure(self._ELSEWHERE["value"])
        msg = f"{type(self).__name__!r} is not a number; {told}"
        raise TypeError(msg)

    def _table(self, rows: str) -> Table:
        """The table whose rows are these."""
        raise NotImplementedError

    def _printed(self) -> Table:
        """Table shown by a terminal and a notebook."""
        return self._table(self._ROWS[0])

    def _columns(self) -> dict[str, list[Any]]:
        """Columns of the data frame."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return to_text(self._printed())

    def _repr_html_(self) -> str:
        return to_html(self._printed())

    def to_markdown(self, *, rows: str | None = None) -> str:
        """The table in Markdown; names cannot become markup, links or mentions.

        Parameters
        ----------
        rows : str, default=None
            Content of a row: "measures" (default) or "queries" of an evaluation.
        """
        rows = self._ROWS[0] if rows is None else rows
        check_option(rows, "rows", self._ROWS, "to_markdown")
        return to_markdown(self._table(rows))

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """A data frame of all rows, with numbers in full; undefined values are NaN.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the data frame; it must be installed.
        """
        return native_frame(self._columns(), backend)


class _Long(Tabular):
    """A list or dict that prints as a table of its first rows.

    ``as_table`` makes the table of some rows, ``as_columns`` the columns of a data frame; functions
    at the top level of a module, or a ``partial`` of one, so that the result can be pickled.
    """

    _ROWS = ("rows",)

    def __init__(
        self,
        rows: Any,
        as_table: Callable[[Any], Table],
        as_columns: Callable[[Any], dict[str, list[Any]]],
    ) -> None:
        super().__init__(rows)  # type: ignore[call-arg]  # of the list or dict
        self._as_table, self._as_columns = as_table, as_columns

    def _columns(self) -> dict[str, list[Any]]:
        return self._as_columns(self)

    def _table(self, rows: str) -> Table:  # noqa: ARG002
        return self._as_table(self)

    def _printed(self) -> Table:
        rows: Any = self
        kind, items = (dict, rows.items()) if isinstance(rows, dict) else (list, rows)
        table, more = self._as_table(kind(islice(items, MOST_PRINTED))), len(rows) - MOST_PRINTED
        notes = (*table.notes, f"and {more:,} more") if more > 0 else table.notes
        return replace(table, notes=notes)


class Rows(_Long, list[Row]):
    """A list of results."""


class Parts(_Long, dict[Any, Row]):
    """Results by slice."""

    _ROWS = ("slices",)
