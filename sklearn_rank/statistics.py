"""Intervals for means over queries. SciPy does the statistics and is imported when asked."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal

import numpy as np

from sklearn_rank._averaging import in_unit
from sklearn_rank._text import safe_repr
from sklearn_rank._validation import check_integer, check_option, check_seed
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.typing import FloatArray

__all__ = ["mean_confidence_interval"]


def mean_confidence_interval(
    values: Any,
    *,
    weights: Any = None,
    level: float = 0.95,
    method: Literal["t", "bootstrap"] = "t",
    n_resamples: int = 9999,
    random_state: int | np.random.Generator = 0,
) -> tuple[float, float]:
    """Confidence interval for the (weighted) mean of per-query values.

    It says how far the mean would move with other queries of the same kind; evaluating the same
    queries again moves a deterministic system not at all.

    Parameters
    ----------
    values : array-like of shape (n_queries,)
        One value per query, in the units of the measure; NaN (undefined) is left out. Ties have
        been settled before.
    weights : array-like of shape (n_queries,), default=None
        Weight of each query in the mean; None weighs all alike.
    level : float, default=0.95
        Share of such intervals that hold the true mean, in (0, 1).
    method : {"t", "bootstrap"}, default="t"
        Student's t of the mean (for weighted means: of the linearized ratio), or the
        bias-corrected and accelerated bootstrap over queries.
    n_resamples : int, default=9999
        Resamples of the bootstrap.
    random_state : int or numpy.random.Generator, default=0
        Seed of the bootstrap, so that an interval does not change from run to run.

    Returns
    -------
    low, high : float
        Bounds in the units of the measure, not clipped to its range; equal if all values are, and
        NaN with fewer than two defined values.

    Raises
    ------
    InvalidParameterError
        If ``level`` is not in (0, 1), ``method`` is unknown, ``n_resamples`` is not an integer of
        at least 1, or ``random_state`` neither a seed nor a generator.

    References
    ----------
    .. [1] Efron, Better Bootstrap Confidence Intervals, 1987.
    .. [2] Cochran, Sampling Techniques, 1977, ch. 6 (ratio of means).

    Examples
    --------
    >>> from sklearn_rank.statistics import mean_confidence_interval
    >>> low, high = mean_confidence_interval([0.2, 0.4, 0.6, 0.8])
    >>> round(low, 4), round(high, 4)
    (0.0891, 0.9109)
    """
    owner = "a confidence interval"
    check_option(method, "method", ("t", "bootstrap"), owner)
    if not isinstance(level, Real) or not 0 < level < 1:
        msg = f"The 'level' parameter of {owner} must be in (0, 1). Got {safe_repr(level)} instead."
        raise InvalidParameterError(msg)
    level = float(level)
    n_resamples = check_integer(n_resamples, "n_resamples", owner, at_least=1)
    generator = check_seed(random_state, "random_state", owner)
    sample = np.asarray(values, dtype=np.float64)
    share = np.ones(len(sample)) if weights is None else np.asarray(weights, dtype=np.float64)
    kept = ~np.isnan(sample) & (share > 0)
    sample, share = sample[kept], share[kept]
    if len(sample) < 2:
        return math.nan, math.nan
    if (sample == sample[0]).all():
        return float(sample[0]), float(sample[0])
    (sample, exponent), (share, _) = in_unit(sample), in_unit(share)
    if method == "bootstrap":
        low, high = _bootstrap(sample, share, level, n_resamples, generator)
    else:
        low, high = _t_interval(sample, share, level)
    with np.errstate(over="ignore"):
        return float(np.ldexp(low, exponent)), float(np.ldexp(high, exponent))


def _t_interval(sample: FloatArray, share: FloatArray, level: float) -> tuple[float, float]:
    from scipy import stats

    mean = math.fsum(share * sample) / math.fsum(share)
    residuals = share * (sample - mean) / math.fsum(share)
    n = len(sample)
    error = math.sqrt(math.fsum(residuals * residuals) * n / (n - 1))
    low, high = stats.t.interval(level, n - 1, loc=mean, scale=error)
    return float(low), float(high)


def _bootstrap(
    sample: FloatArray,
    share: FloatArray,
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    from scipy import stats

    def weighted_mean(values: FloatArray, weights: FloatArray, axis: int = -1) -> Any:
        return (values * weights).sum(axis=axis) / weights.sum(axis=axis)

    batch = max(1, 10_000_000 // len(sample))
    interval = stats.bootstrap(
        (sample, share),
        weighted_mean,
        paired=True,
        vectorized=True,
        confidence_level=level,
        n_resamples=n_resamples,
        batch=batch,
        method="BCa",
        random_state=generator,
    ).confidence_interval
    return float(interval.low), float(interval.high)
