"""Measures that read the ranking as deep as the number of relevant items demands."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.expectation import ratio, where_relevant
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_sum, similar_length_blocks
from sklearn_rank.typing import FloatArray

RecallLevel: TypeAlias = float | Literal["11pt"]
ELEVEN = tuple(level / 10 for level in range(11))
"""Recall 0, 0.1, ... 1, the levels of the classic curve."""


def r_precision(rankings: JudgedRankings, *, k: None = None) -> FloatArray:  # noqa: ARG001
    """Relevant items within the first R, over R."""
    groups = rankings.groups
    wanted = rankings.n_relevant[groups.query]
    inside = np.minimum(np.maximum(wanted - groups.above, 0), groups.size)
    found = segment_sum(groups.relevant * inside / groups.size, groups.offsets)
    return where_relevant(rankings, ratio(found, rankings.n_relevant))


def interpolated_precision(
    rankings: JudgedRankings,
    *,
    k: None = None,  # noqa: ARG001
    recall: RecallLevel = "11pt",
) -> FloatArray:
    """Greatest precision at any rank from which on that recall is reached, or its mean over 11."""
    if rankings.are_tied:
        msg = (
            "iprec has no closed form for tied items; pass ties='stable', 'docid', 'optimistic' "
            "or 'pessimistic'"
        )
        raise InvalidParameterError(msg)
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


def _best_from_here(rankings: JudgedRankings) -> FloatArray:
    """(H,) greatest precision at a hit or at any one below it."""
    groups = rankings.groups
    precision = (groups.before + 1) / (groups.above + 1)
    for block in similar_length_blocks(rankings.n_hits):
        lengths = rankings.n_hits[block]
        places = np.arange(lengths.max())
        inside = places < lengths[:, None]
        hits = np.minimum(rankings.offsets[:-1][block, None] + places, len(precision) - 1)
        values = np.where(inside, precision[hits], 0.0)
        values = np.maximum.accumulate(values[:, ::-1], axis=1)[:, ::-1]
        precision[hits[inside]] = values[inside]
    return precision
