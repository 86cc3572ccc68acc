"""How much of a ranking is judged: it asks nothing of relevance, and every query has a value."""

from __future__ import annotations

import math

import numpy as np

from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_index, segment_sum
from sklearn_rank.typing import FloatArray, IntArray


def judged(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """Share of the items within the first k that is judged; NaN for an empty ranking."""
    read = items_within(rankings, k)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(read > 0, (read - unjudged(rankings, k=k)) / read, np.nan)


def unjudged(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """Expected number of items within the first k that nobody judged."""
    holes = rankings.unjudged
    if holes is None:
        return np.zeros(len(rankings))
    if k is None:
        return holes.counts.astype(np.float64)
    cut = min(k, rankings.longest)
    places = holes.within(cut)
    above, tied = places.above.astype(np.int64), places.tied.astype(np.int64)
    inside, alike = np.minimum(cut - above, tied), tied
    if holes.grade_order:
        groups = segment_index(places.offsets) * (cut + 1) + above
        _, group, counts = np.unique(groups, return_inverse=True, return_counts=True)
        alike = counts[group.ravel()]
        if holes.grade_order == "optimistic":
            inside = np.maximum(inside - tied + alike, 0)  # below all that is judged
        inside = np.minimum(inside, alike)
    return segment_sum(inside / alike, places.offsets)


def unjudged_share(
    rankings: JudgedRankings, *, k: int, queries: IntArray | slice = slice(None)
) -> float:
    """Share of the items within the first k of some queries that nobody judged; 0 of nothing."""
    items = int(items_within(rankings, k)[queries].sum())
    return math.fsum(unjudged(rankings, k=k)[queries].tolist()) / items if items else 0.0


def items_within(rankings: JudgedRankings, k: int | None) -> IntArray:
    """(Q,) items within the first k."""
    return (
        rankings.n_ranked if k is None else np.minimum(rankings.n_ranked, min(k, rankings.longest))
    )
