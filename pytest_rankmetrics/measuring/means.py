"""Means over queries, each as its measure takes it.

``least`` is the ``geometric_from`` of a metric: what a value counts at least in a geometric mean,
and None where the mean is arithmetic.
"""

from __future__ import annotations

import math

import numpy as np

from sklearn_rank.evaluation.compute import logarithms
from sklearn_rank.typing import FloatArray


def on_scale(values: FloatArray, least: float | None) -> FloatArray:
    """Values on the scale on which their mean is arithmetic: logarithms for a geometric mean.

    Differences between two systems are tested on it, too: those of GMAP by ``log(AP)``.
    """
    scaled: FloatArray = values if least is None else logarithms(values, least)
    return scaled


def mean_over(values: FloatArray, weights: FloatArray | None, least: float | None) -> float:
    """Mean of the values that are defined; NaN without any."""
    kept = ~np.isnan(values)
    scaled = on_scale(values[kept], least)
    total = float(len(scaled))
    if weights is not None:
        scaled, total = weights[kept] * scaled, math.fsum(weights[kept].tolist())
    if not total:
        return math.nan
    mean = math.fsum(scaled.tolist()) / total
    return mean if least is None else math.exp(mean)


def mean_tolerance(values: FloatArray, mean: float, least: float | None, step: float) -> float:
    """How far a mean may be off because it and its values are rounded to ``step``."""
    tolerance = 2 * step * max(1.0, abs(mean))
    if least is None:
        return tolerance
    # Half a step moves a logarithm by that over the value: much where the value is tiny.
    shares = step / np.maximum(values[~np.isnan(values)], least)
    return tolerance + mean * float(shares.mean()) if len(shares) else tolerance
