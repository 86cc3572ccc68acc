"""Condensed lists: rankings without the items that nobody judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.data import KeptItems, NoPool, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.unjudged import Unjudged
from sklearn_rank.support.segments import segment_index
from sklearn_rank.typing import IntArray


def condensed(judged: RankingData) -> RankingData:
    """What was judged, without unjudged items; InvalidParameterError if those are not all known."""
    rankings, holes, kept = judged.rankings, judged.rankings.unjudged, judged.items
    if holes is None:
        return judged
    if holes.depth is not None or rankings.cutoff is not None:
        msg = "condensed lists need all items of the rankings; pass keep_items=True to evaluate"
        raise InvalidParameterError(msg)
    by_relevance = judged.by_relevance
    return replace(
        judged,
        rankings=without_unjudged(rankings),
        by_relevance=None if by_relevance is None else without_unjudged(by_relevance),
        pool=NoPool("condensed lists have no scores that compare across queries"),
        items=None if kept is None else _judged_alone(judged, kept, holes),
        rank_all=None,
    )


def without_unjudged(rankings: JudgedRankings) -> JudgedRankings:
    """Rankings from which the unjudged items are taken out, so that what stood below moves up."""
    holes = rankings.unjudged
    if holes is None:
        return rankings
    above, tied = rankings.above.astype(np.int64), rankings.tied.astype(np.int64)
    before, beside = _passed(rankings, holes, above, tied)
    return replace(
        rankings,
        above=above - before,
        tied=tied - beside,
        n_ranked=rankings.n_ranked - holes.counts,
        unjudged=replace(Unjudged.nothing(len(rankings)), is_open=None, n_judged=holes.n_judged),
    )


def _passed(
    rankings: JudgedRankings, holes: Unjudged, above: IntArray, tied: IntArray
) -> tuple[IntArray, IntArray]:
    """(H,) unjudged items that stand above a hit, and those that are tied with it."""
    stride = int(rankings.n_ranked.max(initial=0)) + 1
    queries = segment_index(rankings.offsets)
    of_hits = queries * stride + above
    of_holes = segment_index(holes.offsets) * stride + holes.above.astype(np.int64)
    first, last = (np.searchsorted(of_holes, of_hits, side=side) for side in ("left", "right"))
    before = first - holes.offsets[queries]
    if not (np.asarray(holes.tied) > 1).any():
        return before, np.zeros_like(before)
    # Where a rule puts relevant items first or last in a tie, its unjudged items stay tied.
    group = of_holes[np.maximum(last - 1, 0)]
    end = group + holes.tied[np.maximum(last - 1, 0)].astype(np.int64)
    inside = (last > holes.offsets[queries]) & (of_hits < end) & (tied == 1)
    below_first = inside & (of_hits > group) & np.isin(group, of_hits[inside])
    size = last - np.searchsorted(of_holes, group, side="left")
    return before - np.where(below_first, size, 0), np.where(tied > 1, last - first, 0)


def _judged_alone(judged: RankingData, kept: KeptItems, holes: Unjudged) -> KeptItems:
    """The ids that are left; a query that counts as completely judged keeps all."""
    left = dict(kept.rankings)
    for query, n_unjudged in zip(judged.listed_ids(), holes.counts.tolist(), strict=True):
        if not n_unjudged:
            continue
        items, scores = kept.rankings[query]
        truth = kept.truths[query] if kept.shared is None else kept.shared
        ordered = list(items)
        places = [place for place, item in enumerate(ordered) if item in truth]
        own = [ordered[place] for place in places]
        left[query] = own, None if scores is None else scores[places]
    return replace(kept, rankings=left)
