"""Means over queries on the scale of a measure.

``least`` is the ``geometric_from`` of a metric: what a value counts at least in a geometric mean,
and None where the mean is arithmetic.
"""

from __future__ import annotations

import math

import numpy as np

from sklearn_rank.evaluation.compute import logarithms
from sklearn_rank.statistics.samples import mean_of
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
    shares = None if weights is None else weights[kept]
    if shares is not None and not shares.any():
        return math.nan
    mean = mean_of(on_scale(values[kept], least), shares)
    return mean if least is None else math.exp(mean)
