"""Measures made of two others."""

from __future__ import annotations

import numpy as np

from sklearn_rank.kernels.expectation import member_weights
from sklearn_rank.typing import FloatArray


def harmonic_mean(first: FloatArray, second: FloatArray, *, beta: float = 1.0) -> FloatArray:
    """(1 + b^2) x y / (b^2 x + y) per query; 0 where both are 0, NaN where one is undefined."""
    of_first, of_second = member_weights(beta)
    divisor = of_second * first + of_first * second
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (of_first + of_second) * first * second / divisor
    return np.where(divisor == 0, 0.0, value)
