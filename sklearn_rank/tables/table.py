"""Tables of cells about anything. Data stays raw here: every renderer escapes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple, get_args

from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import MAX_CHARACTERS, as_text, safe_repr

ColumnKind = Literal["text", "number"]
"""Text is aligned left; numbers by their decimal points."""


@dataclass(frozen=True)
class Column:
    """Title and kind of a column."""

    title: str
    kind: ColumnKind = "text"
    longest: int | None = MAX_CHARACTERS
    """Most characters of a cell on a terminal, where one long id would widen every row."""
    spare: int = 0
    """Columns that a narrow terminal leaves out, the highest first; 0 always stays."""


class Cell(NamedTuple):
    """One cell of a table."""

    text: str
    """For people; data as raw text."""
    value: Any = None
    """For machines: a number, a text, or a pair of numbers; None if there is nothing."""
    best: bool = False
    """Whether it is the best of its kind, and emphasised."""
    worse: bool = False
    """Whether it is a loss, in colour on terminals."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under the titles of their columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    """Notes, each a line below the table."""
    meaning: str = ""
    """Meaning of a highlighted cell, such as "best"."""

    def footnotes(self, sign: str = "bold") -> tuple[str, ...]:
        """Meaning of the ``sign`` of emphasised cells, and the notes."""
        is_used = self.meaning and any(cell.best for row in self.rows for cell in row)
        return (f"{sign}: {self.meaning}", *self.notes) if is_used else self.notes

    def without(self, number: int) -> Table:
        """The table without a column."""
        columns = self.columns[:number] + self.columns[number + 1 :]
        rows = tuple(row[:number] + row[number + 1 :] for row in self.rows)
        return replace(self, columns=columns, rows=rows)

    def column(self, number: int) -> list[Cell]:
        """Cells of a column, from the top."""
        return [row[number] for row in self.rows]


# Cells from values -------------------------------------------------------------------------------

DIGITS = 4
"""Digits after the decimal point, as in trec_eval."""
_HUGE = 1e9
"""From here on, this many digits would widen the column; LAG and DCG have no upper bound."""
_LEAST_P = 0.00005
"""Below it, four digits would print a p-value of zero."""


def text_cell(value: Any) -> Cell:
    """An id, a label or a word; None is an empty cell."""
    return Cell("" if value is None else as_text(value), value)


def number_cell(
    value: float | None, *, digits: int = DIGITS, signed: bool = False, **looks: Any
) -> Cell:
    """A number with ``digits`` decimals; empty for None and NaN. ``looks``: see Cell."""
    if value is None or math.isnan(value):
        return Cell("")
    return Cell(fixed(value, digits=digits, signed=signed), value, **looks)


def fixed(value: float, *, digits: int = DIGITS, signed: bool = False) -> str:
    """A number with this many decimals, a huge one with significant digits; no minus for zero."""
    sign = "+" if signed else ""
    value += 0.0  # makes -0.0 a plain zero
    return f"{value:{sign}.{digits}f}" if abs(value) < _HUGE else f"{value:{sign}.{digits}g}"


def count_cell(count: int | None) -> Cell:
    """A number of things."""
    return Cell("") if count is None else Cell(f"{count:,}", count)


def p_cell(p: float | None) -> Cell:
    """A p-value; a very small one as an upper bound."""
    if p is None or math.isnan(p):
        return Cell("")
    return Cell("<0.0001" if p < _LEAST_P else f"{p:.4f}", p)


def p_text(p: float | None) -> str:
    """A corrected p-value in a sentence, as in a table: ``p (Holm) = 0.0120``."""
    text = p_cell(p).text
    sign = "< " if text.startswith("<") else "= "
    return f"p (Holm) {sign}{text.removeprefix('<')}" if text else ""


def interval_cell(
    low: float | None, high: float | None, *, digits: int = DIGITS, signed: bool = False
) -> Cell:
    """Both ends of an interval; empty if either is unknown."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return Cell("")
    ends = (fixed(end, digits=digits, signed=signed) for end in (low, high))
    return Cell("..".join(ends), (low, high))


# Data frames -------------------------------------------------------------------------------------

FrameBackend = Literal["pandas", "polars", "pyarrow"]
_FRAMES = get_args(FrameBackend)


def id_column(ids: Sequence[Any]) -> list[Any]:
    """Ids as a column: those of several types by ``repr``, so that they stay apart."""
    kinds = {type(one) for one in ids}
    if kinds <= {str} or kinds <= {int}:
        return [*ids]
    return [safe_repr(one, limit=None) for one in ids]


def native_frame(columns: Mapping[str, list[Any]], backend: FrameBackend) -> Any:
    """A data frame of the library, with these columns."""
    check_option(backend, "backend", _FRAMES, "to_frame")
    if find_spec(backend) is None:
        others = ", ".join(f"backend={other!r}" for other in _FRAMES if other != backend)
        msg = f"{backend} is not installed; install it, or pass {others}, or use to_dict()"
        raise ModuleNotFoundError(msg)
    import narwhals as nw

    return nw.from_dict(dict(columns), backend=backend).to_native()
