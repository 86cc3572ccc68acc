"""Means over queries: their standard errors, with clusters or without, and their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from sklearn_rank.statistics.student import beta_quantile, t_quantile
from sklearn_rank.support.checks import refuse_value
from sklearn_rank.support.segments import in_unit, mean_of
from sklearn_rank.typing import FloatArray, IntArray


def check_share(value: Any, name: str, owner: str) -> float:
    """A probability that is neither impossible nor certain."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        refuse_value(value, name, owner, "in (0, 1)")
    return float(value)


def cluster_codes(labels: Iterable[Any]) -> IntArray:
    """Cluster number of each query, from labels of any kind."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def is_flat(values: FloatArray, scale: float) -> bool:
    """Whether values differ only by rounding errors of numbers as large as ``scale``."""
    with np.errstate(over="ignore"):
        apart = float(np.ptp(values)) if len(values) else 0.0
    return apart <= 8 * float(np.finfo(np.float64).eps) * scale


def cluster_means(
    values: FloatArray, weights: FloatArray | None, clusters: IntArray
) -> tuple[FloatArray, FloatArray | None]:
    """Mean and weight of each cluster: the mean over queries is the weighted mean over these.

    Sums do not depend on the order of the queries. A value that is 0 up to rounding is 0.
    """
    if not len(values):
        return values, weights
    _, number = np.unique(clusters, return_inverse=True)
    shares = np.ones(len(values)) if weights is None else weights
    order = np.lexsort((shares, values, number))
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    if len(starts) == len(values):
        return values, weights
    (near_one, exponent), (shares, _) = in_unit(values[order]), in_unit(shares[order])
    totals = np.add.reduceat(shares, starts)
    means = np.add.reduceat(shares * near_one, starts) / totals
    rounding = 8 * float(np.finfo(np.float64).eps)
    largest = np.maximum.reduceat(np.abs(near_one), starts)
    means[np.abs(means) <= rounding * largest] = 0.0
    return np.ldexp(means, exponent), None if (totals == totals[0]).all() else totals


def robust_error(values: FloatArray, weights: FloatArray | None) -> tuple[float, float]:
    """Standard error (CR2) of a mean of queries or clusters [1]_, and its degrees of freedom [2]_.

    Both are unbiased if variances are inversely proportional to the weights. Equal weights give
    the usual standard error with n - 1 degrees of freedom.

    References
    ----------
    .. [1] Bell and McCaffrey, Bias Reduction in Standard Errors for Linear Regression with
       Multi-Stage Samples, 2002.
    .. [2] Pustejovsky and Tipton, Small-Sample Methods for Cluster-Robust Variance Estimation and
       Hypothesis Testing in Fixed Effects Models, 2018.
    """
    n = len(values)
    if n < 2:
        return math.nan, n - 1.0
    near_one, exponent = in_unit(values)
    residuals = near_one - mean_of(near_one, weights)
    if weights is None:
        squares = math.fsum((residuals * residuals).tolist())
        return math.ldexp(math.sqrt(squares / (n - 1) / n), exponent), n - 1.0
    shares = in_unit(weights)[0]
    shares = shares / math.fsum(shares.tolist())
    # A cluster may outweigh all others by more than float64 tells.
    rest = np.maximum(1 - shares, np.finfo(np.float64).eps)
    error = math.sqrt(math.fsum(((shares * residuals) ** 2 / rest).tolist()))
    # sum h^2 + (sum a)^2 - sum a^2, whose largest a would cancel the others.
    *others, largest = np.sort(shares * shares / rest).tolist()
    total = math.fsum(others)
    cross = total * total - math.fsum(a * a for a in others) + 2 * largest * total
    freedom = 1 / (math.fsum((shares * shares).tolist()) + cross)
    return math.ldexp(error, exponent), min(max(freedom, 1.0), n - 1.0)


# Intervals ---------------------------------------------------------------------------------------


def mean_interval(
    values: FloatArray,
    weights: FloatArray | None,
    bounds: tuple[float, float],
    level: float,
    clusters: Iterable[Any] | None = None,
) -> tuple[float, float]:
    """Confidence interval of the (weighted) mean of values per query, NaN if undefined.

    With two finite bounds it is the exact binomial interval [1]_ if every value is at a bound and
    weights are equal, else Student's t with half a pseudo-observation at each bound, which keeps
    some width when most queries are perfect. Otherwise it is plain Student's t, or NaN without a
    spread.

    References
    ----------
    .. [1] Clopper and Pearson, The Use of Confidence or Fiducial Limits, 1934.
    """
    level, (least, greatest) = check_share(level, "confidence_level", "an interval"), bounds
    is_counted = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    sample, shares = values[is_counted], None if weights is None else weights[is_counted]
    if clusters is not None:
        sample, shares = cluster_means(sample, shares, cluster_codes(clusters)[is_counted])
    if shares is not None and (shares == shares[:1]).all():
        shares = None
    if len(sample) and math.isfinite(greatest - least):
        scale = greatest - least
        unit = (np.clip(sample, least, greatest) - least) / scale
        is_binomial = shares is None and ((unit == 0) | (unit == 1)).all()
        low, high = _binomial(unit, level) if is_binomial else _open_interval(unit, shares, level)
        low, high = least + scale * low, least + scale * high
    elif len(sample) < 2 or is_flat(sample, float(np.abs(sample).max())):
        return math.nan, math.nan
    else:
        sample, exponent = in_unit(sample)
        mean, (error, freedom) = mean_of(sample, shares), robust_error(sample, shares)
        reach = t_quantile((1 + level) / 2, freedom) * error
        with np.errstate(over="ignore"):
            low, high = (float(np.ldexp(end, exponent)) for end in (mean - reach, mean + reach))
    return max(low, least), min(high, greatest)


def _binomial(unit: FloatArray, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a proportion."""
    hits, n, tail = int(unit.sum()), len(unit), (1 - level) / 2
    low = beta_quantile(tail, hits, n - hits + 1) if hits else 0.0
    return low, beta_quantile(1 - tail, hits + 1, n - hits) if hits < n else 1.0


def _open_interval(
    unit: FloatArray, weights: FloatArray | None, level: float
) -> tuple[float, float]:
    """Student's t with half a pseudo-observation at 0 and half of one at 1.

    Weighted values count as n = (sum of w)^2 / (sum of w^2) equal ones, after Kish; the
    pseudo-observation has the weight of one of these.
    """
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
    return min(mean - reach, observed), max(mean + reach, observed)
