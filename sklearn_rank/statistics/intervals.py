"""Confidence intervals for means over queries."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from sklearn_rank.statistics.samples import (
    check_share,
    cluster_codes,
    cluster_means,
    error_of_mean,
    is_flat,
    read_values,
    read_weights,
    robust_error,
)
from sklearn_rank.statistics.student import beta_quantile, t_quantile
from sklearn_rank.support.checks import check_option, refuse_value
from sklearn_rank.support.segments import in_unit, mean_of
from sklearn_rank.typing import FloatArray

IntervalMethod = Literal["auto", "t"]
_ROUNDING = 1e-9
"""Largest rounding error of a value beyond the bounds of its measure."""


def mean_confidence_interval(
    values: Any,
    *,
    weights: Any = None,
    clusters: Any = None,
    bounds: tuple[float, float] | None = None,
    confidence_level: float = 0.95,
    method: IntervalMethod = "auto",
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
        Weight of each query in the mean, at least 0; a query of weight 0 is left out. None weighs
        all alike.
    clusters : array-like of shape (n_queries,), default=None
        Labels of the units of sampling, such as users. Their means are then what varies, each of
        the weight of its queries; "t" takes an error and degrees of freedom that hold for few
        clusters of different sizes [4]_. None: each query was drawn for itself.
    bounds : (float, float), default=None
        Least and greatest value that the measure can have; infinite where it has no end. None
        stands for (0, 1) if all values are 0 or 1, else for no bounds.
    confidence_level : float, default=0.95
        Share of such intervals that hold the true mean, in (0, 1).
    method : {"auto", "t"}, default="auto"
        "auto" takes the exact binomial interval [1]_ where all values are at one of two finite
        bounds and weigh alike; Student's t with half a pseudo-observation at each bound where
        there are two, which keeps it open where most queries are perfect; and plain Student's t
        elsewhere. "t" is plain Student's t (for weighted means: of the linearized ratio [2]_).
        Unequal weights count as fewer queries [3]_.

    Returns
    -------
    low, high : float
        In the units of the measure, within ``bounds``; NaN without a defined value. Between two
        finite bounds "auto" always has an interval. A single value and equal values have no
        spread, so that "t", and "auto" without such bounds, give NaN.

    Raises
    ------
    ValueError
        If ``values`` or ``weights`` is not of shape (n_queries,), a value is infinite or outside
        of ``bounds``, or a weight is negative, NaN or infinite.
    InvalidParameterError
        If ``bounds`` are not two numbers in rising order, ``confidence_level`` is not in (0, 1) or
        ``method`` is unknown.

    References
    ----------
    .. [1] Brown, Cai and DasGupta, Interval Estimation for a Binomial Proportion, 2001; Clopper
       and Pearson, The Use of Confidence or Fiducial Limits, 1934.
    .. [2] Cochran, Sampling Techniques, 1977, ch. 6 (ratio of means).
    .. [3] Kish, Survey Sampling, 1965 (effective size of a weighted sample).
    .. [4] Bell and McCaffrey, Bias Reduction in Standard Errors for Linear Regression with
       Multi-Stage Samples, 2002.

    Examples
    --------
    >>> from sklearn_rank.statistics import mean_confidence_interval
    >>> low, high = mean_confidence_interval([0.2, 0.4, 0.6, 0.8], bounds=(0, 1))
    >>> round(low, 4), round(high, 4)
    (0.0835, 0.9165)
    >>> low, high = mean_confidence_interval([1] * 10)  # ten hits of ten: 0.025 ** (1 / 10)
    >>> round(low, 4), high
    (0.6915, 1.0)
    """
    owner = "a confidence interval"
    check_option(method, "method", ("auto", "t"), owner)
    confidence_level = check_share(confidence_level, "confidence_level", owner)
    sample = read_values(values, "values")
    shares = read_weights(weights, len(sample))
    is_counted = ~np.isnan(sample) if shares is None else ~np.isnan(sample) & (shares > 0)
    sample, shares = sample[is_counted], None if shares is None else shares[is_counted]
    least, greatest = _read_bounds(bounds, sample, owner)
    if clusters is not None:
        codes = cluster_codes(clusters, len(is_counted))[is_counted]
        sample, shares = cluster_means(sample, shares, codes)
    if method == "auto" and math.isfinite(greatest - least) and len(sample):
        low, high = _bounded_interval(sample, shares, least, greatest, confidence_level)
    elif len(sample) < 2 or is_flat(sample, float(np.abs(sample).max())):
        return math.nan, math.nan
    else:
        # Near 1, where nothing overflows.
        sample, exponent = in_unit(sample)
        shares = None if shares is None else in_unit(shares)[0]
        mean, error = mean_of(sample, shares), error_of_mean(sample, shares)
        freedom = len(sample) - 1.0
        if clusters is not None:
            error, freedom = robust_error(sample, shares)
        reach = t_quantile((1 + confidence_level) / 2, freedom) * error
        with np.errstate(over="ignore"):
            low, high = (float(np.ldexp(end, exponent)) for end in (mean - reach, mean + reach))
    return max(low, least), min(high, greatest)


def _read_bounds(given: Any, sample: FloatArray, owner: str) -> tuple[float, float]:
    """Range of a measure; infinite where it has no end."""
    if given is None:
        of_hits = len(sample) and np.isin(sample, (0.0, 1.0)).all()
        return (0.0, 1.0) if of_hits else (-math.inf, math.inf)
    try:
        low, high = map(float, given) if isinstance(given, (tuple, list)) else (0.0, 0.0)
    except (TypeError, ValueError):
        low = high = 0.0
    if not low < high:
        refuse_value(given, "bounds", owner, "two numbers in rising order or None")
    slack = _ROUNDING * max(1.0, high - low) if math.isfinite(high - low) else _ROUNDING
    outside = (sample < low - slack) | (sample > high + slack)
    if outside.any():
        msg = f"values holds {sample[outside][0]:g}, which is outside of bounds ({low:g}, {high:g})"
        raise ValueError(msg)
    return low, high


def _bounded_interval(
    sample: FloatArray, weights: FloatArray | None, least: float, greatest: float, level: float
) -> tuple[float, float]:
    """The interval of "auto" between two finite bounds, which equal values do not close."""
    scale = greatest - least
    unit = (np.clip(sample, least, greatest) - least) / scale
    if weights is None and ((unit == 0) | (unit == 1)).all():
        # Clopper and Pearson's interval of a proportion.
        hits, n, tail = int(unit.sum()), len(unit), (1 - level) / 2
        low = beta_quantile(tail, hits, n - hits + 1) if hits else 0.0
        high = beta_quantile(1 - tail, hits + 1, n - hits) if hits < n else 1.0
        return least + scale * low, least + scale * high
    # Student's t with half a pseudo-observation at each end. Weighted values count as
    # n = (sum of w)^2 / (sum of w^2) equal ones, after Kish; it has the weight of one of these.
    shares = np.ones(len(unit)) if weights is None else in_unit(weights)[0]
    total = math.fsum(shares.tolist())
    pseudo = math.fsum((shares * shares).tolist()) / total
    size = total / pseudo
    mean = (math.fsum((shares * unit).tolist()) + pseudo / 2) / (total + pseudo)
    residuals = shares * (unit - mean)
    ends = pseudo**2 / 2 * (mean**2 + (1 - mean) ** 2)
    squares = math.fsum([*(residuals * residuals).tolist(), ends])
    error = math.sqrt(squares * (size + 1) / size) / (total + pseudo)
    reach = t_quantile((1 + level) / 2, size) * error
    # At low levels the interval around the shifted mean may miss the observed one.
    observed = mean_of(unit, shares)
    low, high = min(mean - reach, observed), max(mean + reach, observed)
    return least + scale * low, least + scale * high
