"""Rank-biased overlap: how much two rankings agree, without judgements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sklearn_rank.exceptions import (
    DuplicateItemError,
    InvalidParameterError,
    QueryMismatchError,
)
from sklearn_rank.statistics.means import check_share
from sklearn_rank.support.checks import as_native, without_arrays
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import FloatArray

__all__ = ["rank_biased_overlap_score"]

_ITEMS_AT_ONCE = 256
"""Tied items whose chances are computed at once."""


def rank_biased_overlap_score(
    y_baseline: Any, y_new: Any, *, p: float = 0.9, per_query: bool = False
) -> Any:
    """Rank-biased overlap of two rankings of each query (RBO), extrapolated.

    How much of the top do two systems share? The agreement at depth d is the share of items that
    both have among their first d; RBO is its mean over all depths, where depth d has the weight (1
    - p) p^(d - 1). The agreement at the end of the lists is assumed to continue below them
    (equation 32 of [1]_). RBO needs no judgements: it shows how much rankings changed, not whether
    they are better.

    Parameters
    ----------
    y_baseline, y_new : mapping, sequence of rankings, or array of shape (n_queries, n_items)
        Rankings of the same queries: {query: ranking}, joined by id; rankings of queries in the
        same order; or scores of the same items. A ranking is a sequence of ids, the best first, or
        {item: score}. Rankings may have different lengths.
    p : float, default=0.9
        Ratio of the weights of successive depths, in (0, 1): with 0.9 the first ten ranks have 86%
        of the weight.
    per_query : bool, default=False
        Whether to return the value of each query, in the order of ``y_baseline``.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        In [0, 1]; 1 if one ranking begins with the other. The overlap of two empty rankings is 1,
        and that of an empty and a non-empty one is 0. With ties it is the exact mean over all
        orders of tied items, independently in both rankings, so a ranking with ties has an overlap
        below 1 with itself.

    Raises
    ------
    QueryMismatchError
        If the two arguments have different queries.
    DuplicateItemError
        If a ranking has an item twice.
    InvalidParameterError
        If ``p`` is not in (0, 1), a ranking is invalid, a score is NaN, or there are no queries.

    References
    ----------
    .. [1] Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, 2010.

    Examples
    --------
    >>> from sklearn_rank import rank_biased_overlap_score
    >>> old, new = {"q": ["a", "b", "c", "d"]}, {"q": ["a", "c", "b", "d"]}
    >>> round(rank_biased_overlap_score(old, new), 4)
    0.955
    >>> rank_biased_overlap_score([["a", "b"]], [["a", "b", "c"]])
    1.0
    """
    p = check_share(p, "p", "rank_biased_overlap_score")
    old, new = _by_query(y_baseline, "y_baseline"), _by_query(y_new, "y_new")
    apart = [query for query in (*old, *new) if query not in old or query not in new]
    if apart:
        msg = f"y_baseline and y_new must rank the same queries; one lacks {format_list(apart)}"
        raise QueryMismatchError(msg)
    if not old:
        msg = "y_baseline and y_new have no queries"
        raise InvalidParameterError(msg)
    values = np.array(
        [_overlap(_ranks(old[query], query), _ranks(new[query], query), p) for query in old]
    )
    return values if per_query else math.fsum(values.tolist()) / len(values)


def _by_query(side: Any, name: str) -> dict[Any, Any]:
    """{query: ranking}; queries without ids are numbered."""
    if isinstance(side, Mapping):
        return dict(side)
    side = as_native(side, name)
    is_one = isinstance(side, (str, bytes)) or getattr(side, "ndim", 1) == 0
    if is_one or not isinstance(side, Iterable):
        msg = f"{name} must be {{query: ranking}} or a sequence of rankings, got {safe_repr(side)}"
        raise InvalidParameterError(msg)
    if isinstance(side, np.ndarray) and side.ndim == 2 and side.dtype.kind in "fiub":
        side = [dict(enumerate(row)) for row in side.tolist()]
    return dict(enumerate(side))


def _ranks(ranking: Any, query: Any) -> dict[Any, tuple[int, int]]:
    """{item: (number of items above, number of items with its score)}."""
    if isinstance(ranking, Mapping):
        try:
            scores = np.array(list(ranking.values()), dtype=np.float64)
        except (TypeError, ValueError):
            scores = np.array([np.nan])
        if np.isnan(scores).any():
            msg = f"query {safe_repr(query)} has a score that is not a number"
            raise InvalidParameterError(msg)
        rising = np.sort(-scores)
        above, up_to = (np.searchsorted(rising, -scores, side) for side in ("left", "right"))
        sizes = (up_to - above).tolist()
        return dict(zip(ranking, zip(above.tolist(), sizes, strict=True), strict=True))
    if isinstance(ranking, (str, bytes)) or not isinstance(ranking, Iterable):
        msg = (
            f"the ranking of query {safe_repr(query)} must be a sequence of ids or "
            f"{{item: score}}, got {safe_repr(ranking)}; of one query pass [first] and [second]"
        )
        raise InvalidParameterError(msg)
    items = without_arrays(list(ranking))
    try:
        ranks = {item: (position, 1) for position, item in enumerate(items)}
    except TypeError:
        msg = f"query {safe_repr(query)} ranks items that are not hashable; pass item ids"
        raise InvalidParameterError(msg) from None
    if len(ranks) < len(items):
        twice = [item for position, item in enumerate(items) if ranks[item][0] != position]
        msg = f"query {safe_repr(query)} ranks items twice: {format_list(twice)}"
        raise DuplicateItemError(msg)
    return ranks


def _overlap(
    old: Mapping[Any, tuple[int, int]], new: Mapping[Any, tuple[int, int]], p: float
) -> float:
    short, long = sorted((len(old), len(new)))
    if not short:
        return float(not long)
    common = np.array([(*old[item], *new[item]) for item in old if item in new], dtype=np.float64)
    depths = np.arange(1, long + 1)
    shared = _shared(common.reshape(-1, 4), depths)
    weights = p ** depths.astype(np.float64)
    # RBO is linear in the items shared at each depth, so that it may take their means.
    at_short, at_long = shared[short - 1], shared[-1]
    below = depths[short:]
    seen = math.fsum((shared / depths * weights).tolist())
    longer = math.fsum((at_short * (below - short) / (short * below) * weights[short:]).tolist())
    end = ((at_long - at_short) / long + at_short / short) * p**long
    return min(float((1 - p) / p * (seen + longer) + end), 1.0)


def _shared(common: FloatArray, depths: Any) -> FloatArray:
    """Mean number of items that both have among their first d, by depth."""
    tied = (common[:, 1] > 1) | (common[:, 3] > 1)
    from_depth = np.maximum(common[~tied, 0], common[~tied, 2]).astype(np.int64)
    shared = np.cumsum(np.bincount(from_depth, minlength=len(depths))[: len(depths)]).astype(float)
    moved = common[tied]
    for start in range(0, len(moved), _ITEMS_AT_ONCE):
        part = moved[start : start + _ITEMS_AT_ONCE, :, None]
        chances = [np.clip((depths - part[:, at]) / part[:, at + 1], 0, 1) for at in (0, 2)]
        shared += (chances[0] * chances[1]).sum(axis=0)
    return shared
