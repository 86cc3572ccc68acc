"""The unjudged items of two systems: which of them are one item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_rank.bounds.holes import NOWHERE, Holes
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.unjudged import Unjudged
from sklearn_rank.support.segments import offsets_of, segment_index
from sklearn_rank.typing import IntArray


def shared_holes(
    sides: Sequence[JudgedRankings],
    codes: Sequence[IntArray],
    cut: int | None,
    unretrieved: int,
) -> Holes:
    """Unjudged items that a system reads: those of the first alone, of the second alone, of both.

    Equal ``codes`` within a query are one item. What neither system reads is absent.
    """
    n_queries = len(sides[0])
    holes = [side.unjudged or Unjudged.nothing(n_queries) for side in sides]
    places = [unjudged.within(None) for unjudged in holes]
    query = np.concatenate([segment_index(place.offsets) for place in places])
    keys, item = np.unique(
        np.column_stack((query, np.concatenate(codes))), axis=0, return_inverse=True
    )
    item, of_query = item.ravel(), keys[:, 0]
    above = np.full((2, len(keys)), NOWHERE)
    tied = np.ones((2, len(keys)), np.int64)
    first = 0
    for side, place in enumerate(places):
        own = item[first : first + len(place.above)]
        above[side, own], tied[side, own] = place.above, place.tied
        first += len(place.above)
    if cut is not None:
        above[above >= cut] = NOWHERE
    is_read = above >= 0
    is_absent = np.asarray(~is_read.any(axis=0))
    n_absent = np.bincount(of_query[is_absent], minlength=n_queries)
    kind = np.where(is_read[0], np.where(is_read[1], 2, 0), 1)
    order = np.lexsort((np.where(kind == 1, above[1], above[0]), kind, of_query))
    order = order[~is_absent[order]]
    classes = np.bincount(of_query[order] * 3 + kind[order], minlength=3 * n_queries)
    classes = classes.reshape(n_queries, 3)
    lacking = np.maximum(*(unjudged.may_lack(unretrieved) for unjudged in holes))
    return Holes(
        offsets_of(classes.sum(axis=1)),
        classes,
        (above[0, order], above[1, order]),
        (tied[0, order], tied[1, order]),
        n_absent + lacking,
    )
