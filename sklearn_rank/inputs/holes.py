"""Which ranked items nobody judged: those that a partial ground truth does not name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from sklearn_rank.rankings.unranked import UnjudgedItems
from sklearn_rank.typing import Assume, BoolArray


def may_be_partial(truths: Sequence[Any], assume: Assume | None) -> list[bool]:
    """For each query, whether items that its truth does not name may be unjudged.

    A set or a list names what is relevant, and says nothing of the rest unless told to.
    """
    if assume is None:
        return [isinstance(truth, Mapping) for truth in truths]
    return [assume == "partial"] * len(truths)


def settled(assume: Assume | None, *, has_grades: bool, has_zero: bool) -> str:
    """What is assumed of items that a ground truth does not name, one of ``source.ASSUMED``.

    Who wrote down that an item is not relevant has written down all that was judged. A set says of
    itself that it is complete.
    """
    if assume is None and not has_grades:
        return ""
    return assume or ("partial" if has_zero else "complete")


def unjudged_items(
    rankings: Sequence[Collection[Any]],
    truths: Sequence[Collection[Any]],
    partial: Sequence[bool],
    known: Mapping[int, bytes] = MappingProxyType({}),
) -> UnjudgedItems:
    """Ranked items that the truth of their query does not name, if that is ``partial``.

    The flags of some queries, by their numbers, may be ``known``.
    """
    parts = [
        known.get(number) or (flags_of(items, truth) if is_partial else b"\x01" * len(items))
        for number, (items, truth, is_partial) in enumerate(
            zip(rankings, truths, partial, strict=True)
        )
    ]
    flags = np.frombuffer(b"".join(parts), np.uint8) ^ np.uint8(1)
    return UnjudgedItems(flags, None if all(partial) else np.array(partial, dtype=bool))


def flags_of(items: Iterable[Any], truth: Collection[Any]) -> bytes:
    """1 for each item that the truth names, else 0."""
    return bytes(map(truth.__contains__, items))


def flagged(are_unjudged: BoolArray, n_queries: int) -> UnjudgedItems:
    """Unjudged items among those of arrays, which leave out no item that could be retrieved."""
    return UnjudgedItems(are_unjudged.view(np.uint8), np.zeros(n_queries, dtype=bool))
