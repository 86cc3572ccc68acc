"""What rankings lack that some measures need: they are computed, and the caller is told."""

from __future__ import annotations

from collections.abc import Sequence

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.text import listed
from sklearn_rank.support.warn import warn

FEW = 10
"""Fewer rankings than this may be of one length by chance."""


def warn_of_rankings(measures: Sequence[Measure], judged: RankingData) -> None:
    """Warn of scores that mask cells, and of rankings that end before their relevant items."""
    if judged.masks_by_score:
        _warn_of_masked([str(measure) for measure in measures if _counts_irrelevant(measure)])
    _warn_of_cut([str(measure) for measure in measures if _needs_tail(measure)], judged)


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


def _warn_of_masked(measures: Sequence[str]) -> None:
    if measures:
        warn(
            f"y_score holds -inf, which {listed(measures)} counts as an irrelevant item that was "
            "ranked right; if these cells cannot be ranked at all, say which can: candidates=, or "
            "a masked array",
            RankingDataWarning,
        )
