"""Cells from values: how many digits, when a sign, and what an absent number looks like."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from sklearn_rank.support.text import as_text
from sklearn_rank.tables.table import Cell, Column, Table

DIGITS = 4
"""Behind the point, as trec_eval and every table of the field have them."""
_HUGE = 1e9
"""From here on so many digits would widen the column; LAG and DCG have no upper bound."""
_LEAST_P = 0.00005
"""Below it four digits would say that a p-value is zero."""


def text_cell(value: Any) -> Cell:
    """An id, a label or a word; None is an empty cell."""
    return Cell("" if value is None else as_text(value), value)


def number_cell(
    value: float | None,
    *,
    digits: int = DIGITS,
    signed: bool = False,
    best: bool = False,
    marks: tuple[str, ...] = (),
) -> Cell:
    """A number with so many digits behind its point; None and NaN are an empty cell."""
    if value is None or math.isnan(value):
        return Cell("")
    return Cell(fixed(value, digits=digits, signed=signed), value, best, marks)


def fixed(value: float, *, digits: int = DIGITS, signed: bool = False) -> str:
    """Digits of a number; of a huge one as many in all. A zero has no minus.

    Examples
    --------
    >>> fixed(0.25), fixed(-0.0, signed=True), fixed(1.5e300)
    ('0.2500', '+0.0000', '1.5e+300')
    """
    sign = "+" if signed else ""
    value += 0.0  # makes -0.0 a plain zero
    return f"{value:{sign}.{digits}f}" if abs(value) < _HUGE else f"{value:{sign}.{digits}g}"


def count_cell(count: int | None) -> Cell:
    """A number of things."""
    return Cell("") if count is None else Cell(f"{count:,}", count)


def p_cell(p: float | None) -> Cell:
    """A p-value; a very small one by its bound."""
    if p is None or math.isnan(p):
        return Cell("")
    return Cell("<0.0001" if p < _LEAST_P else f"{p:.4f}", p)


def interval_cell(
    low: float | None, high: float | None, *, digits: int = DIGITS, signed: bool = False
) -> Cell:
    """Both ends of an interval; empty where either is unknown."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return Cell("")
    ends = (fixed(end, digits=digits, signed=signed) for end in (low, high))
    return Cell("..".join(ends), (low, high))


def words_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table of sentences, which are not cut."""
    columns = tuple(Column(title, longest=None) for title in titles)
    return Table(columns, tuple(tuple(map(text_cell, row)) for row in rows))
