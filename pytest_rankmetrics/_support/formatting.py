"""Numbers and names in print: enough digits, and nothing that a terminal would act on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn_rank.support.text import safe_repr, safe_text
from sklearn_rank.tables.table import number_cell, p_cell

WIDTH = 100
"""Of a message: what terminals and reviews show without wrapping."""
LONGEST_NAME = 24
"""Several ids have to fit a line."""
MOST_DIGITS = 17
"""Enough to tell any two floats apart."""


def number(value: float | None, decimals: int = 4) -> str:
    """A value with four decimals; an empty cell for none."""
    return number_cell(value, digits=decimals).text


def signed(value: float | None, decimals: int = 4) -> str:
    """A change with its sign."""
    return number_cell(value, digits=decimals, signed=True).text


def reach(ends: Sequence[float], decimals: int = 4) -> str:
    """``-0.0361..+0.3267``: the least and the greatest change."""
    return "..".join(signed(end, decimals) for end in ends)


def apart(value: float, limit: float, decimals: int = 4) -> tuple[str, str, int]:
    """Two numbers with as many decimals as it takes to tell them apart, and how many those are."""
    while True:
        texts = f"{value:.{decimals}f}", f"{limit:.{decimals}f}"
        if texts[0] != texts[1] or value == limit or decimals >= MOST_DIGITS:
            return *texts, decimals
        decimals += 1


def p_value(p: float | None) -> str:
    """A p-value; very small ones by their bound."""
    return p_cell(p).text


def p_phrase(p: float | None) -> str:
    """``p = 0.012``, or ``p < 0.0001``."""
    text = p_value(p)
    if not text or p is None:
        return ""
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {p:.2g}"


def shown(value: Any, limit: int = LONGEST_NAME) -> str:
    """A query or item id: escaped, cut, and in quotes only where it needs them."""
    text = safe_repr(value, limit=limit)
    if isinstance(value, str) and text == f"'{value}'" and value.strip() and " " not in value:
        return value
    return text


def line(text: str, limit: int = 300) -> str:
    """Text on one line, cut to size, with nothing that a terminal would act on."""
    return safe_text(text, limit=limit)


def several(values: Sequence[Any], limit: int = 5) -> str:
    """Some ids, with the number of the others."""
    text = " ".join(shown(value) for value in values[:limit])
    return f"{text} +{len(values) - limit:,}" if len(values) > limit else text


def first_of(texts: Sequence[str], separator: str = "; ", most: int = 3) -> str:
    """The first few texts, and how many more there are: ``a; b; c and 2 more``."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return separator.join(texts[:most]) + more


def count(n: int, single: str, plural: str | None = None) -> str:
    """``1 query``, ``2 queries``."""
    return f"{n:,} {single if n == 1 else plural or single + 's'}"


def queries(n: int) -> str:
    """``1 query``, ``60 queries``."""
    return count(n, "query", "queries")
