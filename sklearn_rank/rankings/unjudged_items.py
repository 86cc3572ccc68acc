"""Ids of the items that nobody judged, in the order in which the waist has their places."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.data import KeptItems, RankingData
from sklearn_rank.typing import IntArray


class UnjudgedItem(NamedTuple):
    """One retrieved item that nobody judged."""

    item: Any
    """Its id."""
    above: int
    """Items strictly above its tie group."""
    tied: int
    """Items in its tie group; 1 is no tie."""

    @property
    def rank(self) -> float:
        """Rank, counted from 1; within a tie the mean of the ranks of the group."""
        rank = self.above + (self.tied + 1) / 2
        return int(rank) if rank.is_integer() else rank


def unjudged_items(judged: RankingData, depth: int | None = None) -> list[list[UnjudgedItem]]:
    """Unjudged items of each query that may stand within the first ``depth`` ranks, or all.

    InvalidParameterError where ids were not kept.
    """
    holes = judged.rankings.unjudged
    if holes is None or not holes.counts.any():
        return [[] for _ in range(len(judged.query_ids))]
    kept = judged.items
    if kept is None:
        msg = "ids of items were not kept; pass keep_items=True to evaluate"
        raise InvalidParameterError(msg)
    places = list(zip(holes.above.tolist(), holes.tied.tolist(), strict=True))
    result = []
    for query, (first, last) in zip(
        judged.listed_ids(), pairwise(holes.offsets.tolist()), strict=True
    ):
        items = _unjudged_of(kept, query) if last > first else []
        own = zip(items, places[first:last], strict=True)
        result.append(
            [UnjudgedItem(item, *place) for item, place in own if depth is None or place[0] < depth]
        )
    return result


def _unjudged_of(kept: KeptItems, query: Any) -> list[Any]:
    """Unjudged items of a query in ranked order; equal scores as they were read."""
    items, scores = kept.rankings.get(query, ((), None))
    truth = kept.truths[query] if kept.shared is None else kept.shared
    ordered = list(items)
    if scores is not None:
        # Stable: items of equal scores stand in the order by which the rule of ties took them.
        falling = np.argsort(-_ascending(scores), kind="stable").tolist()
        ordered = [ordered[place] for place in falling]
    return [item for item in ordered if item not in truth]


def _ascending(scores: Any) -> IntArray:
    """Scores as whole numbers in the same order: they are never negated, which can overflow."""
    return np.unique(scores, return_inverse=True)[1].reshape(-1)


def item_codes(
    new: Sequence[Sequence[Any]], old: Sequence[Sequence[Any]]
) -> tuple[IntArray, IntArray]:
    """Numbers for the items of two systems, query after query: one number is one item."""
    codes: tuple[list[int], list[int]] = [], []
    for pair in zip(new, old, strict=True):
        known: dict[Any, int] = {}
        for own, items in zip(codes, pair, strict=True):
            own += [known.setdefault(item, len(known)) for item in items]
    return np.array(codes[0], dtype=np.int64), np.array(codes[1], dtype=np.int64)
