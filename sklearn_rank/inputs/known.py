"""Judged items that are not in the index: no ranking can hold them, whatever the system."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, UnknownItemsWarning
from sklearn_rank.inputs.id_columns import as_list, take_ids
from sklearn_rank.inputs.long_tables import Qrels
from sklearn_rank.inputs.unmet import likely_cause
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.text import listed, safe_repr
from sklearn_rank.support.warn import warn

_COMPARED = 100_000
"""Known items in which a judged one is looked for in another spelling: a second's work."""


class KnownItems:
    """The items of an index: a collection of ids, or a function that says whether it has one."""

    def __init__(self, given: Any) -> None:
        self._ids: Collection[Any] = () if callable(given) else _ids(given)
        self._has = _guarded(given) if callable(given) else self._ids.__contains__

    def unknown(self, judged: Iterable[Any]) -> list[Any]:
        """Items that the index does not have."""
        return [item for item in judged if not self._has(item)]

    def cause(self, unknown: list[Any]) -> str:
        """In what the ids of judgements and index seem to differ; "" if that is not to be seen."""
        return likely_cause([(unknown, list(islice(self._ids, _COMPARED)))], "known_items")


def _guarded(given: Callable[[Any], Any]) -> Callable[[Any], bool]:
    """The caller's function; what it raises names the item."""

    def has(item: Any) -> bool:
        try:
            return bool(given(item))
        except Exception as error:
            what = f"{type(error).__name__}({safe_repr(str(error))})"
            msg = f"known_items raised {what} on item {safe_repr(item)}"
            raise ValueError(msg) from error

    return has


def _ids(given: Any) -> set[Any]:
    """Ids of the index; a string is one id, not several."""
    for name in ("to_list", "tolist", "to_pylist"):
        if hasattr(given, name):
            given = getattr(given, name)()
            break
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        msg = f"known_items must be a collection of item ids or a function, got {safe_repr(given)}"
        raise TypeError(msg)
    try:
        ids = set(given)
    except TypeError:
        kinds = (type(item).__name__ for item in given if getattr(item, "__hash__", None) is None)
        msg = (
            f"known_items holds an unhashable {next(kinds, 'item')}; pass ids as they are "
            "compared, or a function that says whether an item is known"
        )
        raise TypeError(msg) from None
    if not ids:
        msg = "known_items is empty: no judged item could be in the index; leave it out"
        raise InvalidParameterError(msg)
    return ids


def with_unknown_counted(judged: RankingData, y_true: Any, known: KnownItems) -> RankingData:
    """The same, and what the index lacks is counted; with a warning that names some of it."""
    items = list(dict.fromkeys(_judged_items(judged, y_true)))
    unknown = known.unknown(items)
    if not unknown:
        return judged
    cause = known.cause(unknown)
    verb = "is" if len(unknown) == 1 else "are"
    warn(
        f"{len(unknown):,} of {len(items):,} judged items {verb} not in the index "
        f"({listed(unknown)}{f'; {cause}' if cause else ''}): was the corpus re-chunked?",
        UnknownItemsWarning,
    )
    return replace(judged, counts=replace(judged.counts, unknown_items=len(unknown)))


def _judged_items(judged: RankingData, y_true: Any) -> Iterable[Any]:
    """Judged items as they are compared, in the order of the judgements."""
    if isinstance(y_true, Qrels) and judged.items is None:
        ids = take_ids(y_true.item_ids, np.flatnonzero(y_true.grades >= 0))
        return ids if isinstance(ids, list) else as_list(ids.unique(maintain_order=True))
    kept = judged.items
    if kept is None:
        return ()
    return chain.from_iterable(kept.truths.values()) if kept.shared is None else kept.shared
