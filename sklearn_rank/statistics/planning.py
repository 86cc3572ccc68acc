"""Families of tests, and what a test of so many queries can find."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np

from sklearn_rank.statistics.samples import check_share
from sklearn_rank.statistics.student import t_quantile
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


def _limit(
    error: float, freedom: float, alpha: float, least: float, most: float
) -> tuple[float, float]:
    """Change from which on a test finds it, cut at two ends, and the standard deviation of both.

    By the normal approximation of the noncentral t [1]_, which is right to three digits.

    References
    ----------
    .. [1] Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.10.
    """
    t = -t_quantile(alpha / 2, freedom)
    limit = t * (1 - 1 / (4 * freedom)) * error
    if least < limit < most:
        return limit, error * math.sqrt(1 + t * t / (2 * freedom))
    return min(max(limit, least), max(least, most)), error


def share_found(
    change: float,
    error: float,
    freedom: float,
    alpha: float,
    *,
    least: float = 0.0,
    most: float = math.inf,
) -> float:
    """Probability that a two-sided test finds a true change, on its own side.

    Changes below ``least`` are never found, those beyond ``most`` always.
    """
    limit, deviation = _limit(error, freedom, alpha, least, most)
    return NormalDist().cdf((change - limit) / deviation)


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
    limit, deviation = _limit(error, freedom, alpha, least, most)
    return limit + NormalDist().inv_cdf(power) * deviation


def detectable_drop(n: int, sd: float, *, alpha: float = 0.1, power: float = 0.8) -> float:
    """Least true drop of the mean that a paired test of so many queries finds.

    Parameters
    ----------
    n : int
        Number of queries, at least 2; of clustered queries their effective number.
    sd : float
        Standard deviation of the changes per query, above 0; about 0.1 to 0.2 for changes of an
        nDCG, and that of earlier changes where there are any.
    alpha : float, default=0.1
        Level of the two-sided test: 0.1 as in gates, 0.05 as in ``compare``.
    power : float, default=0.8
        Probability with which the drop is to be found; above ``alpha / 2``.

    Returns
    -------
    drop : float
        In the units of ``sd``.

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
    return least_found(sd / math.sqrt(n), n - 1, alpha, power)


def queries_needed(drop: float, sd: float, *, alpha: float = 0.1, power: float = 0.8) -> int:
    """Least number of queries with which a paired test finds a true drop of the mean.

    The inverse of :func:`detectable_drop`, which has the other parameters. ``drop`` is above 0.

    Returns
    -------
    n : int
        Number of independent queries, at least 2. Clusters with a design effect of 2 need twice as
        many.

    Examples
    --------
    >>> from sklearn_rank.statistics import queries_needed
    >>> [queries_needed(drop, sd=0.15) for drop in (0.01, 0.02, 0.05)]
    [1393, 350, 58]
    """
    drop = _check_positive(drop, "drop", "queries_needed")
    sd = _check_positive(sd, "sd", "queries_needed")
    alpha, power = _check_shares(alpha, power, "queries_needed")
    few, enough = 1, 2
    while least_found(sd / math.sqrt(enough), enough - 1, alpha, power) > drop:
        few, enough = enough, 2 * enough
    while enough - few > 1:
        n = (few + enough) // 2
        finds = least_found(sd / math.sqrt(n), n - 1, alpha, power) <= drop
        few, enough = (few, n) if finds else (n, enough)
    return enough


def _check_positive(value: Any, name: str, owner: str) -> float:
    if not isinstance(value, Real) or not 0 < float(value) < math.inf:
        refuse_value(value, name, owner, "a number above 0")
    return float(value)


def _check_shares(alpha: Any, power: Any, owner: str) -> tuple[float, float]:
    alpha, power = check_share(alpha, "alpha", owner), check_share(power, "power", owner)
    if power <= alpha / 2:
        refuse_value(power, "power", owner, f"above alpha / 2 ({alpha / 2:g})")
    return alpha, power
