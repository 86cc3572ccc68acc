"""How sure a score is, given that other queries might have been asked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sklearn_rank.evaluation.compute import Scored, logarithms
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics import mean_confidence_interval


def interval_of(scored: Scored, **options: Any) -> tuple[float, float]:
    """Interval of a mean over queries; ``options`` are those of the interval of any mean."""
    values, settled = scored.values, scored.zero_division
    if values is None:
        msg = f"{scored.measure} ranks all queries together; it has no values to resample"
        raise InvalidParameterError(msg)
    if isinstance(settled, float) and not math.isnan(settled):
        values = np.where(np.isnan(values), settled, values)
    metric = scored.measure.metric
    least, bounds = metric.geometric_from, (0.0, metric.upper)
    if least is not None:
        values, bounds = logarithms(values, least), (math.log(least), 0.0)
    low, high = mean_confidence_interval(values, weights=scored.weights, bounds=bounds, **options)
    return (low, high) if least is None else (math.exp(low), math.exp(high))
