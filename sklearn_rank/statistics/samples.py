"""Per-query values and their weights: read, checked, and averaged."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from sklearn_rank.support.checks import as_numbers, check_weights, refuse_value
from sklearn_rank.support.segments import in_unit, mean_of
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray, IntArray


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


def cluster_codes(clusters: Any, n_queries: int) -> IntArray:
    """Numbers of clusters, one per query, of labels or numbers of any kind."""
    labels = clusters.tolist() if isinstance(clusters, np.ndarray) else clusters
    if not isinstance(labels, Iterable):
        msg = f"clusters must hold a label for each query, got {safe_repr(clusters)}"
        raise TypeError(msg)
    labels = list(labels)
    if len(labels) != n_queries:
        msg = f"clusters has {len(labels):,} labels for {n_queries:,} queries"
        raise ValueError(msg)
    for place, label in enumerate(labels):
        if label is None or label != label or not isinstance(label, Hashable):
            msg = f"clusters has no label at position {place}: {safe_repr(label)}"
            raise ValueError(msg)
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


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
    """Standard error (CR2) of a mean of clusters [1]_, and its degrees of freedom [2]_.

    Neither is biased where the variance of a cluster's mean is inverse to its weight. Equal weights
    give the usual error of n - 1 degrees of freedom.

    References
    ----------
    .. [1] Bell and McCaffrey, Bias Reduction in Standard Errors for Linear Regression with
       Multi-Stage Samples, 2002.
    .. [2] Pustejovsky and Tipton, Small-Sample Methods for Cluster-Robust Variance Estimation and
       Hypothesis Testing in Fixed Effects Models, 2018.
    """
    n = len(values)
    if weights is None or n < 2:
        return error_of_mean(values, None), n - 1.0
    shares = in_unit(weights)[0]
    shares = shares / math.fsum(shares.tolist())
    # A cluster may outweigh all others by more than float64 tells.
    rest = np.maximum(1 - shares, np.finfo(np.float64).eps)
    near_one, exponent = in_unit(values)
    residuals = shares * (near_one - mean_of(near_one, weights))
    error = math.sqrt(math.fsum((residuals * residuals / rest).tolist()))
    # sum h^2 + (sum a)^2 - sum a^2, whose largest a would cancel the others.
    *others, largest = np.sort(shares * shares / rest).tolist()
    total = math.fsum(others)
    cross = total * total - math.fsum(a * a for a in others) + 2 * largest * total
    freedom = 1 / (math.fsum((shares * shares).tolist()) + cross)
    return math.ldexp(error, exponent), min(max(freedom, 1.0), n - 1.0)
