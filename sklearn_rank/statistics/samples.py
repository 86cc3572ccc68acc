"""Per-query values and their weights: read, checked, and averaged."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from sklearn_rank.support.checks import as_numbers, check_weights, refuse_value
from sklearn_rank.support.segments import in_unit
from sklearn_rank.typing import FloatArray


def read_values(values: Any, name: str) -> FloatArray:
    """One value per query, NaN (or None, as in JSON) where the measure is undefined."""
    if isinstance(values, (list, tuple)):
        values = [math.nan if value is None else value for value in values]
    sample = as_numbers(values, name).astype(np.float64)
    if sample.ndim != 1:
        msg = f"{name} has shape {sample.shape}; pass one value per query"
        raise ValueError(msg)
    infinite = np.flatnonzero(np.isinf(sample))
    if len(infinite):
        msg = f"{name} contains infinity at position {infinite[0]}"
        raise ValueError(msg)
    return sample


def read_weights(weights: Any, n_queries: int) -> FloatArray | None:
    """One weight of at least 0 per query; None if all weigh alike."""
    if weights is None:
        return None
    shares = check_weights(weights, n_queries, "weights", all_zero=True)
    return None if len(shares) and (shares == shares[0]).all() and shares[0] > 0 else shares


def check_share(value: Any, name: str, owner: str) -> float:
    """A probability that is neither impossible nor certain."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        refuse_value(value, name, owner, "in (0, 1)")
    return float(value)


def is_flat(values: FloatArray, scale: float) -> bool:
    """Whether values differ by no more than rounding does to numbers as large as ``scale``."""
    with np.errstate(over="ignore"):
        apart = float(np.ptp(values)) if len(values) else 0.0
    return apart <= 8 * float(np.finfo(np.float64).eps) * scale


def mean_of(values: FloatArray, weights: FloatArray | None) -> float:
    """The (weighted) mean; NaN of nothing."""
    if not len(values):
        return math.nan
    near_one, exponent = in_unit(values)
    if weights is None:
        mean = math.fsum(near_one.tolist()) / len(values)
    else:
        shares, _ = in_unit(weights)
        mean = math.fsum((shares * near_one).tolist()) / math.fsum(shares.tolist())
    return math.ldexp(mean, exponent)


def error_of_mean(values: FloatArray, weights: FloatArray | None) -> float:
    """Standard error of a mean; of a weighted one, that of the linearized ratio."""
    n = len(values)
    if n < 2:
        return math.nan
    share = np.ones(n) if weights is None else in_unit(weights)[0]
    near_one, exponent = in_unit(values)
    residuals = share * (near_one - mean_of(near_one, weights)) / math.fsum(share.tolist())
    error = math.sqrt(math.fsum((residuals * residuals).tolist()) * n / (n - 1))
    return math.ldexp(error, exponent)


def t_quantile(share: float, freedom: float) -> float:
    """Quantile of Student's t; ``scipy.stats`` takes a second to import, ``special`` does not."""
    from scipy import special

    return float(special.stdtrit(freedom, share))
