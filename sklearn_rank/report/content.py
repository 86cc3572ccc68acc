"""What a report holds, as plain values: it does not matter who found them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sklearn_rank.tables.table import Table

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
    """What can be looked into, query by query; data is raw."""

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
    """What each query asks for; empty: nobody said."""
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
    """All of them, as ``data.as_data`` makes it of ``Queries``."""


@dataclass(frozen=True)
class Report:
    """The whole page."""

    title: str
    lead: tuple[str, ...] = ()
    tables: tuple[tuple[str, Table], ...] = ()
    sections: tuple[Section, ...] = ()
