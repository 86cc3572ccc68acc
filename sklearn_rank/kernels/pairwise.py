"""Measures of pairs of a relevant and an irrelevant item: LAG and the areas under ROC curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.expectation import ItemParts, depth, parts_of, ratio, reach, top_hits
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_sum
from sklearn_rank.support.text import count, safe_repr
from sklearn_rank.typing import BoolArray, FloatArray, IntArray


def lag(rankings: JudgedRankings, *, k: int | None, unretrieved: str = "last") -> FloatArray:
    """Mean number of irrelevant items above a relevant one."""
    listed = (rankings.n_ranked - rankings.n_hits).astype(np.float64)
    total = _irrelevant_above(rankings, listed, unretrieved)
    counted = _counted(rankings, unretrieved)
    return _defined(total, counted, (counted > 0) & (rankings.n_ranked > 0))


def lag_parts(rankings: JudgedRankings, *, k: int | None, unretrieved: str = "last") -> ItemParts:
    """Irrelevant items above each relevant one, over the number of relevant ones that count."""
    listed = (rankings.n_ranked - rankings.n_hits).astype(np.float64)
    counted = _counted(rankings, unretrieved)
    hits = parts_of(rankings, _irrelevant_above_each(rankings), counted).hits
    return ItemParts(hits, ratio(listed if unretrieved == "last" else 0.0 * listed, counted))


def lag_weights(rankings: JudgedRankings, *, average: str, unretrieved: str = "last") -> FloatArray:
    """Weight of each query's mean lag: one, or its number of relevant items (pooled)."""
    counted = _counted(rankings, unretrieved)
    return counted if average == "pooled" else np.ones(len(rankings))


def auc(
    rankings: JudgedRankings,
    *,
    k: int | None,
    unretrieved: str = "last",
    n_negatives: Any = None,
    smoothing: float = 0.0,
) -> FloatArray:
    """Share of pairs in which the relevant item ranks above the irrelevant; ties count half."""
    negatives = _negatives(rankings, n_negatives)
    counted = _counted(rankings, unretrieved)
    total = _irrelevant_above(rankings, negatives, unretrieved)
    pairs = counted * (negatives + smoothing)
    return 1.0 - _defined(total, pairs, _has_pairs(rankings, pairs, negatives))


def auc_parts(
    rankings: JudgedRankings,
    *,
    k: int | None,
    unretrieved: str = "last",
    n_negatives: Any = None,
    smoothing: float = 0.0,
) -> ItemParts:
    """Irrelevant items below each relevant one, over the number of pairs."""
    negatives = _negatives(rankings, n_negatives) + smoothing
    pairs = _counted(rankings, unretrieved) * negatives
    below = np.repeat(negatives, rankings.n_hits) - _irrelevant_above_each(rankings)
    missing = ratio(np.full(len(rankings), smoothing), pairs)
    return ItemParts(
        parts_of(rankings, below, pairs).hits, missing if unretrieved == "last" else 0.0 * missing
    )


def auc_weights(rankings: JudgedRankings, *, average: str, unretrieved: str = "last") -> FloatArray:
    """Weight of each query's AUC: its positives, its items, or one."""
    if average == "positives":
        return _counted(rankings, unretrieved)
    if average == "impressions":
        return rankings.n_ranked.astype(np.float64)
    return np.ones(len(rankings))


def limited_auc(
    rankings: JudgedRankings,
    *,
    k: int | None,
    tail: str = "none",
    unretrieved: str = "last",
    n_negatives: Any = None,
    smoothing: float = 0.0,
) -> FloatArray:
    """Area under the ROC curve of the first k items; nothing or a straight line below k."""
    others = _negatives(rankings, n_negatives)
    negatives = others + smoothing
    counted = _counted(rankings, unretrieved)
    groups, cut = rankings.groups, depth(rankings, k)
    inside = reach(groups.above, groups.size, cut)
    # A position of the group is relevant with probability r / m; the t-th one down has, then,
    # t (m - r) / (m - 1) irrelevant items of its group above it.
    share = groups.relevant / groups.size
    rise = (groups.size - groups.relevant) / np.maximum(groups.size - 1, 1)
    mistakes = groups.above - groups.before
    above = share * (inside * mistakes + rise * inside * (inside - 1) / 2.0)
    hits, variance = top_hits(rankings, k)
    area = hits * negatives - segment_sum(above, groups.offsets)
    if tail == "linear":
        read = np.minimum(rankings.n_ranked, cut)
        # On average half of the irrelevant items below the cutoff are below a relevant one there.
        half = ((counted - hits) * (others - read + hits) - variance) / 2.0
        pairs = counted * negatives
        total = area + half + smoothing * (counted - hits)
        return _defined(total, pairs, _has_pairs(rankings, pairs, others))
    best = counted if k is None else np.minimum(counted, float(depth(rankings, k)))
    pairs = best * negatives
    return _defined(area, pairs, _has_pairs(rankings, pairs, others))


def _has_pairs(rankings: JudgedRankings, pairs: FloatArray, negatives: FloatArray) -> BoolArray:
    """(Q,) whether there are pairs; smoothing alone makes none if nothing was ranked."""
    return (pairs > 0) & ((negatives > 0) | (rankings.n_ranked > 0))


def _counted(rankings: JudgedRankings, unretrieved: str) -> FloatArray:
    """(Q,) relevant items that a measure counts: all, or the retrieved ones."""
    chosen = rankings.n_relevant if unretrieved == "last" else rankings.n_hits
    return chosen.astype(np.float64)


def _irrelevant_above(
    rankings: JudgedRankings, below_all: FloatArray, unretrieved: str
) -> FloatArray:
    """(Q,) sum over relevant items of the irrelevant ones above; half of those in a tie."""
    groups = rankings.groups
    above: FloatArray | IntArray = groups.above - groups.before
    if rankings.are_tied:
        above = groups.relevant * (above + (groups.size - groups.relevant) / 2.0)
    total = segment_sum(above, groups.offsets)
    if unretrieved == "last":
        total = total + (rankings.n_relevant - rankings.n_hits) * below_all
    return total


def _irrelevant_above_each(rankings: JudgedRankings) -> FloatArray:
    """(H,) irrelevant items above each hit; half of those in its tie."""
    groups = rankings.groups
    above = groups.above - groups.before + (groups.size - groups.relevant) / 2.0
    return np.repeat(above, groups.relevant)


def _negatives(rankings: JudgedRankings, n_negatives: Any) -> FloatArray:
    """(Q,) irrelevant items of the ranking, or the number that the caller gave."""
    listed = (rankings.n_ranked - rankings.n_hits).astype(np.float64)
    if n_negatives is None:
        return listed
    given = np.asarray(n_negatives, dtype=np.float64)
    if given.size not in (1, len(listed)):
        msg = f"n_negatives has {given.size:,} numbers for {count(len(listed), 'ranking')}"
        raise InvalidParameterError(msg)
    negatives = np.broadcast_to(given, listed.shape)
    short = np.flatnonzero(negatives < listed)
    if len(short):
        query = int(short[0])
        msg = (
            f"n_negatives is {negatives[query]:g}, but the ranking of query "
            f"{safe_repr(rankings.query_ids[query])} already has "
            f"{count(int(listed[query]), 'irrelevant item')}"
        )
        raise InvalidParameterError(msg)
    return negatives


def _defined(total: FloatArray, divisor: FloatArray, defined: Any) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(defined, total / divisor, np.nan)
