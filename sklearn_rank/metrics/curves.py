"""Curves over all thresholds, as arrays, of all queries together or averaged over queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_rank.evaluation.compute import read
from sklearn_rank.evaluation.data_warnings import cut_at, warn_of_stop
from sklearn_rank.exceptions import UndefinedMetricError
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.ranking import Items
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.sorting import sortable
from sklearn_rank.typing import Array, BoolArray, FloatArray, StringProvider

__all__ = ["ranking_precision_recall_curve", "ranking_roc_curve"]


def ranking_roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    average: Literal["pooled", "macro"] = "pooled",
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Receiver operating characteristic of rankings.

    Parameters
    ----------
    y_true, y_score, groups, string_provider, relevance
        Any layout of :func:`ranking_auc_score`; a grade above 0 is relevant.
    average : {"pooled", "macro"}, default="pooled"
        The curve of all items ranked together, whose scores must then be comparable across
        queries; or the mean of the queries' curves.

    Returns
    -------
    fpr : ndarray of shape (n_points,)
        False positive rates in [0, 1], ascending: share of the irrelevant items at or above each
        threshold.
    tpr : ndarray of shape (n_points,)
        True positive rates in [0, 1]: share of the relevant items, retrieved or not. Tied items
        make one point together, so that the area under the curve counts a tie half.
    thresholds : ndarray of shape (n_points,)
        Scores, descending from infinity; the last is -inf if relevant items were not retrieved.
        NaN for ``average="macro"``.

    Raises
    ------
    InvalidParameterError
        If ``average="pooled"`` and scores are not comparable across queries.
    UndefinedMetricError
        If there is no relevant or no irrelevant item (for "macro": in every query).
    ValueError, TypeError
        As :func:`ranking_auc_score`.

    References
    ----------
    .. [1] Fawcett, An Introduction to ROC Analysis, 2006.

    Examples
    --------
    >>> from sklearn_rank import ranking_roc_curve
    >>> fpr, tpr, thresholds = ranking_roc_curve([1, 0, 1], [3, 2, 1], groups=["a", "a", "b"])
    >>> print(fpr, tpr, thresholds)
    [0. 0. 1. 1.] [0.  0.5 0.5 1. ] [inf  3.  2.  1.]
    """
    check_option(average, "average", ("pooled", "macro"), "ranking_roc_curve")
    options = ReadOptions(
        "ranking_roc_curve", groups=groups, string_provider=string_provider, relevance=relevance
    )
    data = read(y_true, y_score, options)
    warn_of_cut_curve([data])
    curves = roc_curves(data, average)
    if average == "pooled":
        return curves[0].x, curves[0].y, curves[0].thresholds
    grid = np.unique(np.concatenate([curve.x for curve in curves]))
    steps = np.zeros((len(grid), 2))
    for curve in curves:
        steps += limits_of(grid, curve.x, curve.y)
    steps /= len(curves)
    return np.repeat(grid, 2), steps.ravel(), np.full(2 * len(grid), np.nan)


def ranking_precision_recall_curve(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    average: Literal["pooled", "macro"] = "pooled",
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision against recall of rankings.

    Parameters
    ----------
    y_true, y_score, groups, string_provider, relevance
        As in :func:`ranking_roc_curve`.
    average : {"pooled", "macro"}, default="pooled"
        The curve of all items ranked together, whose scores must then be comparable across
        queries; or the queries' mean interpolated precision at the recalls 0, 0.01, ..., 1.

    Returns
    -------
    precision : ndarray of shape (n_points,)
        In [0, 1]; ends with 1, as in scikit-learn. Tied items make one point together.
    recall : ndarray of shape (n_points,)
        In [0, 1], descending; relevant items that were not retrieved count in the denominator.
    thresholds : ndarray of shape (n_points - 1,)
        Scores, ascending. NaN for ``average="macro"``.

    Raises
    ------
    InvalidParameterError
        If ``average="pooled"`` and scores are not comparable across queries.
    UndefinedMetricError
        If there is no relevant item.
    ValueError, TypeError
        As :func:`ranking_auc_score`.

    References
    ----------
    .. [1] Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, ch. 8.

    Examples
    --------
    >>> from sklearn_rank import ranking_precision_recall_curve
    >>> precision, recall, thresholds = ranking_precision_recall_curve(
    ...     [1, 0, 1], [3, 2, 1], groups=["a", "a", "b"]
    ... )
    >>> print(precision, recall, thresholds)
    [0.66666667 0.5        1.         1.        ] [1.  0.5 0.5 0. ] [1. 2. 3.]
    """
    owner = "ranking_precision_recall_curve"
    check_option(average, "average", ("pooled", "macro"), owner)
    options = ReadOptions(
        owner, groups=groups, string_provider=string_provider, relevance=relevance
    )
    data = read(y_true, y_score, options)
    curves = precision_recall_curves(data, average)
    if average == "pooled":
        return curves[0].y, curves[0].x, curves[0].thresholds
    grid = RECALLS[::-1]
    mean = np.mean([interpolated(grid, curve.y, curve.x) for curve in curves], axis=0)
    return np.append(mean, 1.0), np.append(grid, 0.0), np.full(len(grid), np.nan)


# Parts of curves, which displays also read ------------------------------------------------------

RECALLS = np.arange(101) / 100
"""Recalls at which precision is interpolated; divided as recalls are, so that they match."""


class Curve(NamedTuple):
    """A curve of one ranking, its points in the order of scikit-learn."""

    x: FloatArray
    """False positive rates, ascending; or recalls, descending."""
    y: FloatArray
    thresholds: FloatArray
    """Thresholds in the units of the scores; NaN without scores common to all items."""
    query: int
    """Number of the query; 0 for all together."""


def warn_of_cut_curve(sides: Iterable[RankingData]) -> None:
    """Warn if the ROC curve of a side would lack items that were cut off."""
    stop = next(filter(None, (cut_at(data.rankings) for data in sides)), 0)
    if stop:
        advice = "pass whole rankings, or report 'auc(n_negatives=1000)', their number per query"
        warn_of_stop(stop, "the ROC curve", advice)


def roc_curves(data: RankingData, average: str) -> list[Curve]:
    """The curve of all items pooled, or one curve per query for which it is defined."""
    from sklearn.metrics import roc_curve

    curves = []
    for query, ranking in enumerate(_labelled(data, average)):
        if 0 < ranking.labels.sum() < len(ranking.labels):
            fpr, tpr, codes = roc_curve(ranking.labels, ranking.codes, drop_intermediate=False)
            curves.append(Curve(fpr, tpr, ranking.scores_of(codes), query))
    if not curves:
        msg = "the ROC curve needs a relevant and an irrelevant item"
        raise UndefinedMetricError(msg)
    return curves


def precision_recall_curves(data: RankingData, average: str) -> list[Curve]:
    """The curve of all items pooled, or one curve per query for which it is defined."""
    from sklearn.metrics import precision_recall_curve

    curves = []
    for query, ranking in enumerate(_labelled(data, average)):
        if ranking.labels.any():
            precision, recall, codes = precision_recall_curve(ranking.labels, ranking.codes)
            # No threshold reaches what was not retrieved.
            first = int(len(codes) > 0 and codes[0] == _UNRETRIEVED)
            thresholds = ranking.scores_of(codes[first:])
            curves.append(Curve(recall[first:], precision[first:], thresholds, query))
    if not curves:
        msg = "the precision-recall curve needs a relevant item"
        raise UndefinedMetricError(msg)
    return curves


_UNRETRIEVED = 0.0
"""Code of unretrieved items; items in the ranking have 1, 2, ... from the bottom up."""


class _Labelled(NamedTuple):
    """One ranking as scikit-learn reads it."""

    labels: BoolArray
    codes: FloatArray
    """Stand in for the scores, whose infinities scikit-learn refuses."""
    scores: Array | None = None
    """Ascending scores of the codes 1, 2, ...; None without scores common to all items."""

    def scores_of(self, codes: FloatArray) -> FloatArray:
        """Thresholds in the units of the scores."""
        if self.scores is None:
            return np.full(len(codes), np.nan)
        ascending = np.concatenate(([-np.inf], self.scores, [np.inf])).astype(np.float64)
        return ascending[np.minimum(codes, len(ascending) - 1).astype(np.int64)]


def _labelled(data: RankingData, average: str) -> Iterator[_Labelled]:
    """The ranking of all items, or of each query; with scores, one code for each value."""
    scores = None
    rankings: Iterable[JudgedRankings]
    if average == "macro":
        views = data.by_score
        rankings = (views.take(slice(query, query + 1)) for query in range(len(views)))
    else:
        rankings = [data.pool()]
        if isinstance(data.items, Items) and data.chosen is None:
            scores, counts = np.unique(sortable(data.items.comparable()), return_counts=True)
    for ranking in rankings:
        n_ranked, groups = int(ranking.n_ranked[0]), ranking.widened().groups
        labels = np.zeros(n_ranked, dtype=bool)
        codes = np.arange(n_ranked, 0.0, -1.0)
        for above, size, relevant in zip(groups.above, groups.size, groups.relevant, strict=True):
            codes[above : above + size] = n_ranked - above
            labels[above : above + relevant] = True
        if scores is not None:
            codes = np.repeat(np.arange(len(scores), 0.0, -1.0), counts[::-1])
        n_unretrieved = int(ranking.n_relevant[0]) - len(ranking.above)
        yield _Labelled(
            np.concatenate((labels, np.ones(n_unretrieved, dtype=bool))),
            np.concatenate((codes, np.full(n_unretrieved, _UNRETRIEVED))),
            scores,
        )


def limits_of(grid: FloatArray, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
    """(n_grid, 2) heights at which a curve reaches and leaves each rate of the grid."""
    last = np.searchsorted(fpr, grid, side="right") - 1
    first = np.searchsorted(fpr, grid, side="left")
    on_curve = fpr[last] == grid
    width = np.where(on_curve, 1.0, fpr[first] - fpr[last])
    between = tpr[last] + (grid - fpr[last]) * (tpr[first] - tpr[last]) / width
    return np.stack(
        (np.where(on_curve, tpr[first], between), np.where(on_curve, tpr[last], between)), axis=1
    )


def interpolated(grid: FloatArray, precision: FloatArray, recall: FloatArray) -> FloatArray:
    """Best precision at each recall of the grid or above it; 0 if it is never reached."""
    if len(precision) < 2:
        return np.zeros(len(grid))
    best, reached = np.maximum.accumulate(precision[:-1]), recall[:-1]
    position = np.searchsorted(-reached, -grid, side="right") - 1
    return np.where(position >= 0, best[np.maximum(position, 0)], 0.0)
