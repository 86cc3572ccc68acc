"""Content of a report as plain values, and its queries as the JSON of the script."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sklearn_rank.comparison.changes import ItemChange
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.support.text import as_text, safe_text
from sklearn_rank.tables.table import Table

MOST_BYTES = 3_500_000
"""Of the items of all queries of a page: with values and names it stays below 5 MB, which a phone
reads in a second."""
MOST_ITEMS = 60
"""Of one query: the first ranks of all systems, then the items that matter most."""
MOST_CHARACTERS = 300
"""Of the text of a query or an id."""
TOP = 10
"""Ranks of a query that stand side by side."""
_DIGITS = 6
"""Two more than are shown, so that contributions add up to the change beside them."""
_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""JSON in a script element ends at "</script", however it is quoted."""

Number = float | None
"""None is a number that is not there: an undefined value, an item that was not retrieved."""
Direction = Literal["better", "worse", ""]


class Item(NamedTuple):
    """One item of a query: relevant, or among the first ranks of a system."""

    item: str
    grade: Number
    """None: nobody judged it."""
    ranks: Sequence[Number]
    """In each system."""
    contributions: Sequence[Sequence[Number]] = ()
    """To the change of each measure, for each system but the first; empty: unknown."""
    text: str = ""
    """Its title."""


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
    labels: Sequence[Sequence[str]] = ()
    """Slices of each query."""
    lengths: Sequence[Sequence[int]] = ()
    """By system and query, of the rankings."""
    measure: int = 0
    """Number of the measure to begin with."""
    show: tuple[str, str] = ("", "all")
    """Slice and kind of queries to begin with."""
    items: Callable[[int], Sequence[Item] | None] = field(default=lambda _: None)
    """Items of a query by its number; None where they are not known."""


class Card(NamedTuple):
    """One measure at a glance."""

    measure: str
    value: str
    change: str = ""
    direction: Direction = ""
    counts: tuple[int, int, int] | None = None
    """Queries that are better, the same and worse."""
    note: str = ""


class Slice(NamedTuple):
    """A slice of the queries, and its change."""

    label: str
    group: str
    """Its system, or its measure."""
    queries: int
    old: Number
    new: Number
    change: Number
    interval: tuple[float, float] | None
    direction: Direction
    """Significantly better or worse; "" is neither."""
    verdict: str
    worse: int
    """Number of its queries that got worse."""


class Notice(NamedTuple):
    """Something to know before the numbers are believed."""

    text: str
    link: str = ""
    """Text of a link to a heading of the page."""
    target: str = ""
    """Id of that heading."""


@dataclass(frozen=True)
class Section:
    """One comparison: the whole page, or a gate of several."""

    title: str = ""
    badge: str = ""
    """Verdict of a gate, as it stands before the title."""
    direction: Direction = ""
    """Whether that is good or bad."""
    is_open: bool = True
    lead: tuple[str, ...] = ()
    """Sentences before everything else."""
    cards: tuple[tuple[str, tuple[Card, ...]], ...] = ()
    """Groups of cards, each with its heading or ""."""
    notices: tuple[Notice, ...] = ()
    slices: tuple[Slice, ...] = ()
    slice_titles: tuple[str, ...] = ("", "metric", "baseline", "now", "95% interval")
    """Caption of the table of slices, and titles of its groups, both systems and the interval."""
    changes: Table | None = None
    """Some queries, for readers whose browser runs no scripts."""
    queries: Mapping[str, Any] | None = None
    """All of them, as :func:`as_data` makes it of ``Queries``."""
    tables: tuple[tuple[str, Table], ...] = ()
    """Each with its heading."""
    pictures: tuple[tuple[str, str], ...] = ()
    """``<svg>`` elements as displays make them, data in them escaped, and their captions."""
    message: str = ""
    """Lines as a terminal shows them."""


@dataclass(frozen=True)
class Report:
    """The whole page."""

    title: str
    """Of the window."""
    headline: str = ""
    """The answer in a sentence; empty: the title."""
    about: tuple[str, ...] = ()
    """What was compared: systems, queries, files, date, commit."""
    lead: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    tables: tuple[tuple[str, Table], ...] = ()
    """Below all sections."""


# Queries ---------------------------------------------------------------------------------


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
            [
                *(_shown(own.item), _shown(own.text), _rounded(own.grade)),
                list(map(_rounded, own.ranks)),
                [list(map(_rounded, parts)) for parts in own.contributions],
            ]
            for own in known[:MOST_ITEMS]
        ]
        room -= len(json.dumps(rows, separators=(",", ":")))
        if room < 0:
            left_out = len(items) - place
            break
        items[number] = rows
    slices = list(dict.fromkeys(label for own in queries.labels for label in own))
    return {
        "systems": list(map(_shown, queries.systems)),
        "measures": list(queries.measures),
        "greater": list(queries.greater),
        "queries": list(map(_shown, queries.names)),
        "texts": list(map(_shown, queries.texts)),
        "slices": list(map(_shown, slices)),
        "labels": [list(map(slices.index, own)) for own in queries.labels],
        "values": [[list(map(_rounded, column)) for column in own] for own in queries.values],
        "lengths": [list(column) for column in queries.lengths],
        "measure": queries.measure,
        "show": list(map(_shown, queries.show)),
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
    if not queries.measures:
        return list(range(len(queries.names)))
    columns = queries.values[queries.measure]

    def moved(number: int) -> float:
        was, *values = (column[number] for column in columns)
        changes = [abs(now - was) for now in values if was is not None and now is not None]
        return max(changes, default=0.0)

    return sorted(range(len(queries.names)), key=moved, reverse=True)


def merged_items(
    sides: Sequence[Placement],
    parts: Sequence[Sequence[Iterable[ItemChange]]] = (),
    text_of: Callable[[Any], str] = lambda _: "",
    key: Callable[[Any], Any] = lambda item: item,
) -> list[Item] | None:
    """The first items of every ranking of a query, and all relevant ones; None without ids.

    ``parts`` are changes by item, measure by measure, of every ranking but the first. ``key``
    makes ids of one kind of those of all rankings.
    """
    if all(side.judged is None for side in sides):
        return None
    names: dict[Any, Any] = {}
    ranks: dict[Any, list[Number]] = {}
    grades: dict[Any, float] = {}
    for place, side in enumerate(sides):
        judged = side.judged or {}
        found: list[tuple[Any, Number]] = [
            *((item, rank) for rank, item in enumerate(side.ranking[:TOP], 1)),
            *((item, None) for item, grade in judged.items() if grade > 0),
            *((hit.item, hit.rank) for hit in side.hits),
        ]
        for item, rank in found:
            names[key(item)] = item
            own = ranks.setdefault(key(item), [None] * len(sides))
            own[place] = own[place] if rank is None else rank
        grades |= {key(item): grade for item, grade in judged.items()}
    empty = [[None] * (len(sides) - 1) for _ in parts]
    shares: dict[Any, list[list[Number]]] = {name: [[*own] for own in empty] for name in names}
    for number, systems in enumerate(parts):
        for place, changes in enumerate(systems):
            for change in changes:
                (part,) = numbers([change.contribution])
                if key(change.item) in shares:
                    shares[key(change.item)][number][place] = part

    def weight(name: Any) -> tuple[bool, float]:
        in_top = any(rank is not None and rank <= TOP for rank in ranks[name])
        largest = max((abs(part or 0.0) for own in shares[name] for part in own), default=0.0)
        return not in_top, -largest

    return [
        Item(as_text(item), grades.get(name), ranks[name], shares[name], text_of(item))
        for name, item in sorted(names.items(), key=lambda pair: weight(pair[0]))
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
