"""Measures whose depth depends on the number of relevant items."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.expectation import (
    ItemParts,
    as_float,
    depth,
    parts_of,
    ratio,
    reach,
    top_hits,
    where_relevant,
)
from sklearn_rank.rankings.judged import JudgedRankings, without_unjudged
from sklearn_rank.support.segments import offsets_of, segment_sum, similar_length_blocks
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray

ELEVEN = tuple(level / 10 for level in range(11))
"""Recall 0, 0.1, ... 1, the levels of the classic curve."""


def r_precision(rankings: JudgedRankings, *, k: None) -> FloatArray:
    """Relevant items within the first R, over R."""
    groups = rankings.groups
    wanted = rankings.n_relevant[groups.query]
    inside = np.minimum(np.maximum(wanted - groups.above, 0), groups.size)
    hits = segment_sum(groups.relevant * inside / groups.size, groups.offsets)
    return where_relevant(rankings, ratio(hits, rankings.n_relevant))


def r_precision_parts(rankings: JudgedRankings, *, k: None) -> ItemParts:
    """The share of an item within the first R."""
    wanted = np.repeat(rankings.n_relevant, rankings.n_hits)
    inside = np.minimum(np.maximum(wanted - rankings.above, 0), rankings.tied)
    return parts_of(rankings, inside / rankings.tied, rankings.n_relevant)


def interpolated_precision(
    rankings: JudgedRankings, *, k: None, recall: float | Literal["11pt"] = "11pt"
) -> FloatArray:
    """Highest precision at any rank with at least this recall, or its mean over 11 levels."""
    refuse_ties(rankings, "iprec")
    best = _best_from_here(rankings)
    levels = ELEVEN if recall == "11pt" else (recall,)
    total = np.zeros(len(rankings))
    for level in levels:
        # Half a relevant item is a whole one, as in trec_eval 10; version 9 added 0.9 instead.
        wanted = np.floor(level * rankings.n_relevant + 0.5).astype(np.int64)
        reached = (rankings.n_hits > 0) & (wanted <= rankings.n_hits)
        hits = rankings.offsets[:-1][reached] + np.maximum(wanted[reached], 1) - 1
        total[reached] += best[hits]
    return where_relevant(rankings, total / len(levels))


def refuse_ties(rankings: JudgedRankings, name: str) -> None:
    """InvalidParameterError if a relevant item shares its score."""
    if rankings.n_tied:
        first = safe_repr(rankings.query_ids[int(rankings.in_ties.argmax())])
        msg = (
            f"{name} has no closed form for tied items; pass ties='stable', 'docid', 'optimistic' "
            f"or 'pessimistic' (relevant items share their score in {rankings.n_tied:,} of "
            f"{len(rankings):,} queries, first in {first})"
        )
        raise InvalidParameterError(msg)


def set_average_precision(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """Precision times recall of the first k.

    That is the square of the hits over k R, in trec_eval's order; for tied items its expectation is
    the square of the expected hits plus their variance.
    """
    hits, variance = top_hits(rankings, k)
    read = rankings.n_ranked if k is None else as_float(k)
    return where_relevant(rankings, ratio(hits * hits + variance, read * rankings.n_relevant))


def all_hit_rate(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """1 if every relevant item is within the first k, else 0.

    All r relevant items of the tie group that the cutoff divides are within it in C(m - r, d - r) /
    C(m, d) of the orders, d of its m items being within.
    """
    cut, groups = depth(rankings, k), rankings.groups
    inside = reach(groups.above, groups.size, cut)
    share = np.ones(len(inside))
    divided = np.flatnonzero(inside < groups.size)
    if len(divided):
        drawn, size = inside[divided].astype(np.int64), groups.size[divided].astype(np.int64)
        lengths = np.minimum(groups.relevant[divided], drawn + 1)
        offsets = offsets_of(lengths)
        steps = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        factors = (np.repeat(drawn, lengths) - steps) / (np.repeat(size, lengths) - steps)
        share[divided] = np.multiply.reduceat(factors, offsets[:-1])
    chance = np.ones(len(rankings))
    # Groups above the divided one are whole: at most one factor of a query lies between 0 and 1.
    np.multiply.at(chance, groups.query[divided], share[divided])
    return where_relevant(rankings, np.where(rankings.n_hits == rankings.n_relevant, chance, 0.0))


def _best_from_here(rankings: JudgedRankings) -> FloatArray:
    """(H,) greatest precision at a hit or at any one below it."""
    groups = rankings.groups
    precision = (groups.before + 1) / (groups.above + 1)
    for block in similar_length_blocks(rankings.n_hits):
        lengths = rankings.n_hits[block]
        positions = np.arange(lengths.max())
        inside = positions < lengths[:, None]
        hits = np.minimum(rankings.offsets[:-1][block, None] + positions, len(precision) - 1)
        values = np.where(inside, precision[hits], 0.0)
        values = np.maximum.accumulate(values[:, ::-1], axis=1)[:, ::-1]
        precision[hits[inside]] = values[inside]
    return precision


def bpref(rankings: JudgedRankings, *, k: None) -> FloatArray:
    """Share of the first R judged irrelevant items below each relevant one.

    With a complete ground truth there are at least R of them.
    """
    refuse_ties(rankings, "bpref")
    alone, most = without_unjudged(rankings), rankings.n_relevant
    if rankings.unjudged is not None:
        if rankings.unjudged.n_judged is None:
            msg = "bpref needs the number of judged items, which these rankings do not have"
            raise InvalidParameterError(msg)
        most = np.minimum(most, rankings.unjudged.n_judged - most)
    above = np.minimum(alone.above - alone.groups.before, np.repeat(alone.n_relevant, alone.n_hits))
    worse = ratio(above.astype(np.float64), np.repeat(most, alone.n_hits))
    values = ratio(segment_sum(1.0 - worse, alone.offsets), alone.n_relevant)
    return where_relevant(rankings, values)
