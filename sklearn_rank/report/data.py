"""Queries as the JSON that the page's script reads."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sklearn_rank.report.content import Item, Number, Queries
from sklearn_rank.support.text import safe_text

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


def script_json(value: Any) -> str:
    """JSON that no text in it can break out of."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_SCRIPT)


def as_data(queries: Queries, room: int = MOST_BYTES) -> dict[str, Any]:
    """Everything of the queries, with the items of as many as there is room for."""
    items, left_out = _items(queries, room)
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
    items = data["items"]
    return {**data, "items": [None] * len(items), "unknown": _why_unknown(len(items))}


def _why_unknown(left_out: int) -> str:
    if not left_out:
        return "The ids of the items are not known."
    return (
        f"The items of the {left_out:,} queries that changed least are left out of this file, "
        "which would be too large with them."
    )


def _items(queries: Queries, room: int) -> tuple[list[Any], int]:
    """Items by query, those that changed most first, and how many are left out for their size."""
    items: list[Any] = [None] * len(queries.names)
    for place, number in enumerate(by_change(queries)):
        known = queries.items(number)
        if known is None:
            continue
        rows = [_row(item) for item in known[:MOST_ITEMS]]
        room -= len(json.dumps(rows, separators=(",", ":")))
        if room < 0:
            return items, len(items) - place
        items[number] = rows
    return items, 0


def by_change(queries: Queries) -> list[int]:
    """Numbers of the queries, those whose values differ most between systems first."""
    measure = queries.explained or queries.measures[0] if queries.measures else ""
    if not measure:
        return list(range(len(queries.names)))
    first, *others = queries.values[queries.measures.index(measure)]

    def moved(number: int) -> float:
        was = first[number]
        return max((_distance(was, other[number]) for other in others), default=0.0)

    return sorted(range(len(queries.names)), key=moved, reverse=True)


def _distance(was: Number, now: Number) -> float:
    return 0.0 if was is None or now is None else abs(now - was)


def _row(item: Item) -> list[Any]:
    return [
        _shown(item.item),
        _rounded(item.grade),
        *map(_rounded, item.ranks),
        *map(_rounded, item.shares),
    ]


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
