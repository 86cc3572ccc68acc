"""How far a recorded mean may be off."""

from __future__ import annotations

import numpy as np

from sklearn_rank.typing import FloatArray


def mean_tolerance(values: FloatArray, mean: float, least: float | None, step: float) -> float:
    """How far a mean may be off because it and its values are rounded to ``step``.

    ``least`` is the ``geometric_from`` of the metric.
    """
    tolerance = 2 * step * max(1.0, abs(mean))
    if least is None:
        return tolerance
    # Half a step moves a logarithm by that over the value: much where the value is tiny.
    shares = step / np.maximum(values[~np.isnan(values)], least)
    return tolerance + mean * float(shares.mean()) if len(shares) else tolerance
