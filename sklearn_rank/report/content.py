"""Content of a report as plain values, and its queries as the JSON of the script."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.table import Table

MOST_BYTES = 3_500_000
"""Of the items of all queries of a page: with values and names it stays below 5 MB, which a phone
reads in a second."""
MOST_ITEMS = 30
"""Of one query: those with the largest shares come first."""
MOST_CHARACTERS = 300
"""Of the text of a query or an id."""
_DIGITS = 6
"""Two more than are shown, so that shares add up to the change that stands beside them."""
_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""JSON in a script element ends at "</script", however it is quoted."""

Number = float | None
"""None is a number that is not there: an undefined value, an item that was not retrieved."""


class Item(NamedTuple):
    """One relevant item of a query."""

    item: str
    grade: float
    ranks: Sequence[Number]
    """In each system."""
    shares: Sequence[Number] = ()
    """Of the change of a measure, for each system but the first."""


@dataclass(frozen=True)
class Queries:
    """Details of the queries; data is raw."""

    systems: tuple[str, ...]
    """The baseline first."""
    measures: tuple[str, ...]
    greater: tuple[bool, ...]
    """Of each measure, whether more is better."""
    names: Sequence[str]
    """Of the queries."""
    values: Sequence[Sequence[Sequence[Number]]]
    """By measure, system and query."""
    texts: Sequence[str] = ()
    """Text of each query; empty: unknown."""
    lengths: Sequence[Sequence[int]] = ()
    """By system and query, of the rankings."""
    explained: str = ""
    """The measure whose change the shares of the items add up to."""
    items: Callable[[int], Sequence[Item] | None] = field(default=lambda _: None)
    """Relevant items of a query by its number; None where they are not known."""


@dataclass(frozen=True)
class Picture:
    """A picture with what it shows, in words."""

    svg: str
    """An ``<svg>`` element as displays make it: data in it is escaped, its ids are its own."""
    caption: str


@dataclass(frozen=True)
class Section:
    """One comparison."""

    title: str = ""
    lead: tuple[str, ...] = ()
    """Sentences before the tables."""
    tables: tuple[tuple[str, Table], ...] = ()
    """Each with its heading."""
    message: str = ""
    """Lines as a terminal shows them."""
    pictures: tuple[Picture, ...] = ()
    changes: Table | None = None
    """Some queries, for readers whose browser runs no scripts."""
    queries: Mapping[str, Any] | None = None
    """All of them, as :func:`as_data` makes it of ``Queries``."""


@dataclass(frozen=True)
class Report:
    """The whole page."""

    title: str
    lead: tuple[str, ...] = ()
    tables: tuple[tuple[str, Table], ...] = ()
    sections: tuple[Section, ...] = ()


# Queries as JSON ---------------------------------------------------------------------------------


def script_json(value: Any) -> str:
    """JSON that no text in it can break out of."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_SCRIPT)


def as_data(queries: Queries, room: int = MOST_BYTES) -> dict[str, Any]:
    """Everything of the queries, with the items of as many as there is room for."""
    items: list[Any] = [None] * len(queries.names)
    left_out = 0
    for place, number in enumerate(by_change(queries)):
        known = queries.items(number)
        if known is None:
            continue
        rows = [
            [_shown(item.item), *map(_rounded, (item.grade, *item.ranks, *item.shares))]
            for item in known[:MOST_ITEMS]
        ]
        room -= len(json.dumps(rows, separators=(",", ":")))
        if room < 0:
            left_out = len(items) - place
            break
        items[number] = rows
    return {
        "systems": list(map(_shown, queries.systems)),
        "measures": list(queries.measures),
        "greater": list(queries.greater),
        "queries": list(map(_shown, queries.names)),
        "texts": list(map(_shown, queries.texts)),
        "values": [[list(map(_rounded, column)) for column in own] for own in queries.values],
        "lengths": [list(column) for column in queries.lengths],
        "explained": queries.explained,
        "items": items,
        "unknown": _why_unknown(left_out),
    }


def size_of(data: Mapping[str, Any]) -> int:
    """Bytes of the items."""
    return len(script_json(data["items"]))


def without_items(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same without its items, for which a page has no more room."""
    n_queries = len(data["items"])
    return {**data, "items": [None] * n_queries, "unknown": _why_unknown(n_queries)}


def _why_unknown(left_out: int) -> str:
    if not left_out:
        return "The ids of the items are not known."
    return (
        f"The items of the {left_out:,} queries that changed least are left out of this file, "
        "which would be too large with them."
    )


def by_change(queries: Queries) -> list[int]:
    """Numbers of the queries, those whose values differ most between systems first."""
    measure = queries.explained or queries.measures[0] if queries.measures else ""
    if not measure:
        return list(range(len(queries.names)))
    columns = queries.values[queries.measures.index(measure)]

    def moved(number: int) -> float:
        was, *values = (column[number] for column in columns)
        changes = [abs(now - was) for now in values if was is not None and now is not None]
        return max(changes, default=0.0)

    return sorted(range(len(queries.names)), key=moved, reverse=True)


def _rounded(value: Number) -> Number:
    """As many digits as count; a whole number without a point."""
    if value is None or not math.isfinite(value):
        return None
    rounded = round(value, _DIGITS)
    return int(rounded) if float(rounded).is_integer() and abs(rounded) < 2**53 else rounded


def _shown(text: str) -> str:
    return safe_text(text, limit=MOST_CHARACTERS)


def numbers(values: Iterable[float]) -> Sequence[Number]:
    """Numbers with None for those that are not finite."""
    return [value if math.isfinite(value) else None for value in values]
