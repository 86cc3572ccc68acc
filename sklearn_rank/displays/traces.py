"""ROC and precision-recall curves as they are drawn: pooled, or averaged with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sklearn_rank.evaluation.curves import (
    RECALLS,
    interpolated,
    limits_of,
    precision_recall_curves,
    roc_curves,
)
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.statistics import mean_confidence_interval
from sklearn_rank.support.arrays import check_same_length
from sklearn_rank.typing import FloatArray

Average = Literal["pooled", "macro"]


@dataclass(frozen=True)
class Traced:
    """One curve as it is drawn; the interval is of shape (n_points, 2), or there is none."""

    x: FloatArray
    y: FloatArray
    interval: FloatArray | None = None
    area: float | None = None


def trace_roc(judged: RankingData, average: Average, level: float) -> Traced:
    """True against false positive rate; averaged, the mean height at each false positive rate."""
    from sklearn.metrics import auc

    curves = roc_curves(judged, average)
    areas = np.array([auc(curve.x, curve.y) for curve in curves])
    if average == "pooled":
        return Traced(curves[0].x, curves[0].y, area=float(areas[0]))
    # Where a curve rises straight up, the height that it reaches.
    heights = np.stack([limits_of(RECALLS, curve.x, curve.y)[:, 1] for curve in curves])
    weights = _weights(judged, [curve.query for curve in curves])
    mean, interval = _mean(heights, weights, level)
    interval[-1] = 1.0  # all items are at or above the last threshold: there nothing can vary
    area = float(np.average(areas, weights=weights))
    x = np.append(0.0, RECALLS)
    y, band = np.append(0.0, mean), np.vstack((interval[:1], interval))
    return Traced(x, y, band, area)


def trace_precision_recall(judged: RankingData, average: Average, level: float) -> Traced:
    """Precision against recall; averaged, the mean of the interpolated precisions."""
    curves = precision_recall_curves(judged, average)
    if average == "pooled":
        # Without the point that scikit-learn adds at recall 0, which no threshold gives.
        return Traced(curves[0].x[:-1][::-1], curves[0].y[:-1][::-1])
    heights = np.stack([interpolated(RECALLS[::-1], curve.y, curve.x)[::-1] for curve in curves])
    mean, interval = _mean(heights, _weights(judged, [curve.query for curve in curves]), level)
    return Traced(RECALLS, mean, interval)


def _weights(judged: RankingData, queries: list[int]) -> FloatArray | None:
    return None if judged.weights is None else judged.weights[queries]


def _mean(
    heights: FloatArray, weights: FloatArray | None, level: float
) -> tuple[FloatArray, FloatArray]:
    """(n_points,) means over queries, and (n_points, 2) intervals."""
    intervals = [
        mean_confidence_interval(column, weights=weights, bounds=(0.0, 1.0), level=level)
        for column in heights.T
    ]
    return np.average(heights, axis=0, weights=weights), np.array(intervals)


def read_curves(
    x: Sequence[Any], y: Sequence[Any], intervals: Sequence[Any] | None, names: tuple[str, str]
) -> list[tuple[FloatArray, FloatArray, FloatArray | None]]:
    """Points of curves and their intervals, as a caller gives them."""
    check_same_length(names[0], len(x), names[1], len(y))
    bands: Sequence[Any] = [None] * len(x) if intervals is None else intervals
    check_same_length(names[0], len(x), "intervals", len(bands))
    curves = []
    for first, second, band in zip(x, y, bands, strict=True):
        points = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
        check_same_length(names[0], len(points[0]), names[1], len(points[1]))
        interval = None if band is None else np.asarray(band, dtype=np.float64)
        if interval is not None and interval.shape != (len(points[0]), 2):
            msg = f"intervals holds an array of shape {interval.shape}, not (n_points, 2)"
            raise ValueError(msg)
        curves.append((*points, interval))
    return curves
