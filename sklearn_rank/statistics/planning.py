"""Families of tests, and what a test of so many queries can find."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np

from sklearn_rank.statistics.samples import check_share
from sklearn_rank.statistics.student import root, t_quantile
from sklearn_rank.support.checks import check_integer, refuse_value
from sklearn_rank.typing import FloatArray


def holm(p_values: Sequence[float] | FloatArray) -> FloatArray:
    """P-values of one family of tests, corrected for their number.

    They keep the chance of any false alarm among all tests at alpha.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,) or (n_tests, n_samples)
        In [0, 1]; NaN, where there was no test, stays NaN and is not counted. Columns are corrected
        one by one.

    Returns
    -------
    corrected : ndarray
        Of the shape given; significant are those of at most alpha.

    Raises
    ------
    ValueError
        If a value is outside [0, 1].

    References
    ----------
    .. [1] Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.

    Examples
    --------
    >>> from sklearn_rank.statistics import holm
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    raw = np.asarray(p_values, dtype=np.float64)
    if ((raw < 0) | (raw > 1)).any():
        msg = f"p-values lie in [0, 1], got {raw[(raw < 0) | (raw > 1)][0]:g}"
        raise ValueError(msg)
    # The least p-value times the number of tests, the next times one less, and never falling.
    order = np.argsort(raw, axis=0)  # NaN last
    tests = (~np.isnan(raw)).sum(axis=0) - np.arange(len(raw)).reshape(-1, *[1] * (raw.ndim - 1))
    products = np.minimum(np.take_along_axis(raw, order, 0) * tests, 1.0)
    corrected = np.empty_like(raw)
    np.put_along_axis(corrected, order, np.maximum.accumulate(products, axis=0), 0)
    return corrected


# Power -------------------------------------------------------------------------------------------


def share_found(
    change: float,
    error: float,
    freedom: float,
    alpha: float,
    *,
    least: float = 0.0,
    most: float = math.inf,
) -> float:
    """Probability that a true change is found by Student's two-sided test, on its own side.

    Found is what exceeds the quantile times the sampled error, which is cut at ``least`` and
    ``most``.
    """
    return _finder(error, freedom, alpha, least, most)(change)[0]


def least_found(
    error: float,
    freedom: float,
    alpha: float,
    power: float,
    *,
    least: float = 0.0,
    most: float = math.inf,
) -> float:
    """Least true change that is found with a probability of ``power``, as by ``share_found``."""
    found = _finder(error, freedom, alpha, least, most)

    def excess(change: float) -> tuple[float, float]:
        share, slope = found(change)
        return share - power, slope

    start = min(max(-error * t_quantile(alpha / 2, freedom), least), most)
    return root(excess, 0.0, math.inf, start + error)


def _finder(
    error: float, freedom: float, alpha: float, least: float, most: float
) -> Callable[[float], tuple[float, float]]:
    """Probability of finding a change, and its slope, over what errors may be sampled."""
    # Nodes of the chi distribution, on a logarithmic scale.
    reach = 7 / math.sqrt(freedom)
    logs = np.linspace(-30 / freedom - reach, min(reach, 3.0), 301 if freedom > 9 else 3001)
    shares = np.exp(freedom * (logs - np.expm1(2 * logs) / 2))
    shares /= shares.sum()
    limits = -t_quantile(alpha / 2, freedom) * error * np.exp(logs)
    limits = np.clip(limits, least, max(least, most))

    def found(change: float) -> tuple[float, float]:
        z = (change - limits) / error
        above = [*map(math.erfc, (z / -math.sqrt(2)).tolist())]
        slope = shares @ np.exp(-z * z / 2) / (error * math.sqrt(2 * math.pi))
        return float(shares @ above) / 2, float(slope)

    return found


def detectable_drop(n: int, sd: float, *, alpha: float = 0.1, power: float = 0.8) -> float:
    """Least true drop of the mean that a paired test of so many queries finds.

    Parameters
    ----------
    n : int
        Number of queries, at least 2; of clustered queries their effective number.
    sd : float
        Standard deviation of the differences per query, above 0; about 0.1 to 0.2 for changes of
        an nDCG, and that of earlier differences where there are any.
    alpha : float, default=0.1
        Level of the two-sided test: 0.1 as in gates, 0.05 as in ``compare``.
    power : float, default=0.8
        Probability with which the drop is to be found; above ``alpha / 2``.

    Returns
    -------
    drop : float
        In the units of ``sd``, by the noncentral t distribution.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its range.

    Examples
    --------
    >>> from sklearn_rank.statistics import detectable_drop
    >>> round(detectable_drop(50, 0.15), 4)
    0.0535
    """
    n = check_integer(n, "n", "detectable_drop", at_least=2)
    sd = _check_positive(sd, "sd", "detectable_drop")
    alpha, power = _check_shares(alpha, power, "detectable_drop")
    return sd * _in_deviations(n, alpha, power)


def queries_needed(drop: float, sd: float, *, alpha: float = 0.1, power: float = 0.8) -> int:
    """Least number of queries with which a paired test finds a true drop of the mean.

    The inverse of :func:`detectable_drop`.

    Parameters
    ----------
    drop : float
        The true drop, above 0.
    sd : float
        Standard deviation of the differences per query, above 0, in the units of ``drop``.
    alpha, power : float
        See :func:`detectable_drop`.

    Returns
    -------
    n : int
        Number of independent queries, at least 2. Clusters with a design effect of 2 need twice as
        many.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its range.

    Examples
    --------
    >>> from sklearn_rank.statistics import queries_needed
    >>> [queries_needed(drop, sd=0.15) for drop in (0.01, 0.02, 0.05)]
    [1393, 350, 58]
    """
    drop = _check_positive(drop, "drop", "queries_needed")
    sd = _check_positive(sd, "sd", "queries_needed")
    alpha, power = _check_shares(alpha, power, "queries_needed")

    def finds(n: int) -> bool:
        return sd * _in_deviations(n, alpha, power) <= drop

    enough = 2
    while not finds(enough):
        enough *= 2
    few = max(enough // 2, 1)  # not enough
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if finds(middle) else (middle, enough)
    return enough


def _in_deviations(n: int, alpha: float, power: float) -> float:
    """Least true change that is found, in standard deviations of the changes."""
    if n > 100_000:  # where the noncentral t is normal, to five digits
        normal = NormalDist()
        return (normal.inv_cdf(power) - normal.inv_cdf(alpha / 2)) / math.sqrt(n)
    return least_found(1 / math.sqrt(n), n - 1, alpha, power)


def _check_positive(value: Any, name: str, owner: str) -> float:
    if not isinstance(value, Real) or not 0 < float(value) < math.inf:
        refuse_value(value, name, owner, "a number above 0")
    return float(value)


def _check_shares(alpha: Any, power: Any, owner: str) -> tuple[float, float]:
    alpha, power = check_share(alpha, "alpha", owner), check_share(power, "power", owner)
    if power <= alpha / 2:
        refuse_value(power, "power", owner, f"above alpha / 2 ({alpha / 2:g})")
    return alpha, power
