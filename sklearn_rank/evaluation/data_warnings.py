"""What rankings lack that some measures need: they are computed, and the caller is told."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.kernels.pairwise import auc
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import listed

FEW = 10
"""Fewer rankings or items than this may be alike by chance."""
SAMPLE = 1000
"""Queries that are looked at where a share of them is enough."""
_REVERSED = 0.25
"""Mean area under the ROC curve below which scores seem to be distances."""


def warn_of_rankings(measures: Sequence[Measure], judged: RankingData) -> None:
    """Warn of scores that mask cells, and of rankings that end before their relevant items."""
    if judged.masks_by_score:
        _warn_of_masked([str(measure) for measure in measures if _counts_irrelevant(measure)])
    _warn_of_cut([str(measure) for measure in measures if _needs_tail(measure)], judged)
    if judged.remote is None and int(judged.rankings.n_ranked.sum()) >= FEW:
        _warn_of_ratings([str(measure) for measure in measures if _is_binary(measure)], judged)
        _warn_of_distances(judged)


def _counts_irrelevant(measure: Measure) -> bool:
    members = measure.options.get("measures", ())
    return measure.metric.counts_irrelevant or any(map(_counts_irrelevant, members))


def _needs_tail(measure: Measure) -> bool:
    """Whether an AUC takes the irrelevant items of the rankings alone, and misses for last."""
    options = measure.options
    members = options.get("measures", ())
    own = "n_negatives" in options and options["n_negatives"] is None
    return (own and options["unretrieved"] == "last") or any(map(_needs_tail, members))


def _warn_of_cut(measures: Sequence[str], judged: RankingData) -> None:
    if not measures or len(judged.query_ids) < FEW:
        return
    rankings = judged.by_score
    lengths = rankings.n_ranked[rankings.n_ranked > 0]
    if len(lengths) < FEW or (lengths != lengths[0]).any():
        return
    if (rankings.n_retrieved < rankings.n_relevant).any():
        warn(
            f"all rankings end after {lengths[0]:,} items and lack relevant ones, for which "
            f"{listed(measures)} knows no irrelevant items to stand above or below; pass "
            "n_negatives= (how many irrelevant items a query has), or whole rankings",
            RankingDataWarning,
        )


def _is_binary(measure: Measure) -> bool:
    """Whether every grade above 0 counts as relevant, whatever it is."""
    members = measure.options.get("measures", ())
    return measure.options.get("min_rel", 0) is None or any(map(_is_binary, members))


def _warn_of_ratings(measures: Sequence[str], judged: RankingData) -> None:
    """Warn where only relevant items are ranked, though they are graded, as ratings of 1 to 5."""
    rankings = judged.rankings
    if not measures or (rankings.n_ranked != rankings.n_retrieved).any():
        return
    low, high = rankings.judged_grades.min(), rankings.judged_grades.max()
    if low < high:
        warn(
            f"every judged item of every query is relevant (lowest grade {low:g}), so that the "
            f"order does not matter to {listed(measures)}; pass min_rel=, the lowest grade that "
            f"is relevant, as in 'map(min_rel={high:g})'",
            RankingDataWarning,
        )


def _warn_of_distances(judged: RankingData) -> None:
    """Warn where relevant items stand at the end of most rankings, as if scores were distances."""
    if not judged.ties or judged.by_relevance is not None or len(judged.query_ids) < FEW:
        return
    rankings = judged.rankings.part(slice(0, min(SAMPLE, len(judged.query_ids))))
    if rankings.cutoff is not None and (rankings.n_hits < rankings.n_retrieved).any():
        reach = np.minimum(rankings.cutoff.depth / np.maximum(rankings.n_ranked, 1), 1.0)
        by_chance = float((rankings.n_retrieved * reach).sum())
        if 4 * rankings.n_hits.sum() > by_chance:
            return
        rankings = judged.whole.part(slice(0, len(rankings)))
    values = auc(rankings.widened(), k=None, unretrieved="ignore")
    values = values[~np.isnan(values)]
    if len(values) < FEW:
        return
    mean, error = float(values.mean()), float(values.std()) / math.sqrt(len(values))
    if mean < _REVERSED and mean + 5 * error < 0.5:
        warn(
            "lower scores seem better: relevant items stand at the end of most rankings, below "
            f"{1 - mean:.0%} of the irrelevant ones; scores rank the greatest first, so negate "
            "distances, losses and ranks",
            RankingDataWarning,
        )


def _warn_of_masked(measures: Sequence[str]) -> None:
    if measures:
        warn(
            f"y_score holds -inf, which {listed(measures)} counts as an irrelevant item that was "
            "ranked right; if these cells cannot be ranked at all, say which can: candidates=, or "
            "a masked array",
            RankingDataWarning,
        )
