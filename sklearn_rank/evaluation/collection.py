"""Relevant items that are not in the collection: no system can find them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.text import count, safe_repr, several


def with_collection(data: RankingData, collection: Any) -> RankingData:
    """The data with the relevant items of each query that the collection does not have."""
    if data.ids is None:
        msg = "collection needs item ids, which arrays do not have; pass mappings, lists or frames"
        raise InvalidParameterError(msg)
    present = _ids_of(collection)
    ids, queries = data.ids, data.listed_ids()
    truths = [ids.truths[query] if ids.shared is None else ids.shared for query in queries]
    relevant = [[item for item, grade in truth.items() if grade > 0] for truth in truths]
    outside = tuple(tuple(item for item in items if item not in present) for items in relevant)
    first = next((item for items in relevant for item in items), None)
    if first is not None and all(map(_all_out, relevant, outside)):
        other = safe_repr(next(iter(present)))
        msg = (
            "collection contains none of the relevant items; use the ids of y_true: "
            f"{safe_repr(first)} in y_true, {other} in collection"
        )
        raise InvalidParameterError(msg)
    return replace(data, outside=outside)


def _all_out(relevant: Collection[Any], outside: Collection[Any]) -> bool:
    return len(relevant) == len(outside)


def _ids_of(collection: Any) -> frozenset[Any]:
    """Ids in memory, or from a file with one per line."""
    if isinstance(collection, (str, os.PathLike)):
        from sklearn_rank.files.source import lines_of

        collection = [line.strip() for line in lines_of(collection, "collection")]
    elif hasattr(collection, "tolist"):  # arrays and columns
        collection = collection.tolist()
    if not isinstance(collection, Iterable):
        msg = f"collection must be ids, or a file with one id per line, got {safe_repr(collection)}"
        raise InvalidParameterError(msg)
    try:
        present = frozenset(collection)
    except TypeError as error:
        msg = f"collection must hold ids, such as texts or numbers: {error}"
        raise InvalidParameterError(msg) from error
    if not present:
        msg = "collection is empty; pass the ids of all items"
        raise InvalidParameterError(msg)
    return present


def collection_counts(data: RankingData) -> dict[str, int]:
    """Relevant items outside the collection, and queries with none in it; {} without one."""
    if data.outside is None:
        return {}
    numbers = zip(data.rankings.n_relevant.tolist(), map(len, data.outside), strict=True)
    return {
        "outside_collection": sum(map(len, data.outside)),
        "cannot_be_won": sum(0 < n_relevant <= n for n_relevant, n in numbers),
    }


def collection_remarks(counts: Mapping[str, Any]) -> list[str]:
    """Sentences on these counts."""
    outside, lost = counts.get("outside_collection", 0), counts.get("cannot_be_won", 0)
    said = [f"{count(outside, 'relevant item is', 'relevant items are')} not in the collection"]
    if lost:
        have = count(lost, "query has", "queries have")
        said.append(f"{have} no relevant item in the collection")
    return said if outside else []


@dataclass(frozen=True)
class Departures:
    """Losses whose item left the collection.

    ``str()`` is "3 of 17 losses: the item left the collection (d0a d3b d5a); 14 remain: ...".
    """

    title: str
    """Of the measure."""
    losses: int
    """Queries that lost."""
    explained: int
    """Losses of an item that the baseline found and that has left the collection."""
    items: tuple[Any, ...]
    """These items."""
    remaining: float
    """Change of the mean over all other queries."""

    def __str__(self) -> str:
        left = "item" if len(self.items) == 1 else "items"
        text = (
            f"{self.explained:,} of {count(self.losses, 'loss', 'losses')}: the {left} left the "
            f"collection ({several(self.items, 3)})"
        )
        rest = self.losses - self.explained
        remain = f"{rest:,} {'remains' if rest == 1 else 'remain'}" if rest else "none remains"
        return f"{text}; {remain}" + f": {self.title} {self.remaining:+.3f}" * bool(rest)
