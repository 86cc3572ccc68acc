"""Curves over all thresholds, as arrays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_rank.engines.read import read_any
from sklearn_rank.evaluation.curves import (
    RECALLS,
    interpolated,
    limits_of,
    precision_recall_curves,
    roc_curves,
)
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.checks import check_option
from sklearn_rank.typing import FloatArray, StringProvider

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
        All items in one ranking by their scores, which then must compare across queries; or the
        mean of the curves of the queries.

    Returns
    -------
    fpr : ndarray of shape (n_points,)
        False positive rates in [0, 1], ascending: share of the irrelevant items at or above each
        threshold.
    tpr : ndarray of shape (n_points,)
        True positive rates in [0, 1]: share of the relevant items, retrieved or not. Tied items
        make one point together, so that the area under the curve counts a tie half.
    thresholds : ndarray of shape (n_points,)
        Scores, descending from infinity; the last is -inf where relevant items were not
        retrieved. NaN for ``average="macro"``.

    Raises
    ------
    InvalidParameterError
        If ``average="pooled"`` and scores do not compare across queries.
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
    owner = "ranking_roc_curve"
    judged = _read(y_true, y_score, groups, average, string_provider, relevance, owner)
    curves = roc_curves(judged, average)
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
        Any layout of :func:`ranking_auc_score`; a grade above 0 is relevant.
    average : {"pooled", "macro"}, default="pooled"
        All items in one ranking by their scores, which then must compare across queries; or the
        mean over queries of the interpolated precision at the recalls 0, 0.01, ..., 1.

    Returns
    -------
    precision : ndarray of shape (n_points,)
        In [0, 1]; ends with 1 as scikit-learn's does. Tied items make one point together.
    recall : ndarray of shape (n_points,)
        In [0, 1], descending; relevant items that were not retrieved count in the denominator.
    thresholds : ndarray of shape (n_points - 1,)
        Scores, ascending. NaN for ``average="macro"``.

    Raises
    ------
    InvalidParameterError
        If ``average="pooled"`` and scores do not compare across queries.
    UndefinedMetricError
        If there is no relevant item.
    ValueError, TypeError
        As :func:`ranking_auc_score`.

    References
    ----------
    .. [1] Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, ch. 8.

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
    judged = _read(y_true, y_score, groups, average, string_provider, relevance, owner)
    curves = precision_recall_curves(judged, average)
    if average == "pooled":
        return curves[0].y, curves[0].x, curves[0].thresholds
    grid = RECALLS[::-1]
    mean = np.mean([interpolated(grid, curve.y, curve.x) for curve in curves], axis=0)
    return np.append(mean, 1.0), np.append(grid, 0.0), np.full(len(grid), np.nan)


def _read(
    y_true: Any,
    y_score: Any,
    groups: Any,
    average: str,
    string_provider: StringProvider | None,
    relevance: Any,
    owner: str,
) -> RankingData:
    check_option(average, "average", ("pooled", "macro"), owner)
    return read_any(
        y_true,
        y_score,
        groups=groups,
        string_provider=string_provider,
        relevance=relevance,
        owner=owner,
    )
