"""Power of a paired test for a number of queries, by Student's t."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

from sklearn_rank.statistics.means import check_share
from sklearn_rank.statistics.student import t_quantile
from sklearn_rank.support.checks import check_integer, check_number, refuse_value


def least_found(
    error: float,
    freedom: float,
    alpha: float,
    power: float,
    *,
    least: float = 0.0,
    most: float = math.inf,
) -> float:
    """Smallest true change that a two-sided test detects in its direction with this probability.

    Changes below ``least`` are never detected, those beyond ``most`` always. By the normal
    approximation of the noncentral t, accurate to three digits (Abramowitz and Stegun,
    Handbook of Mathematical Functions, 1964, 26.7.10).
    """
    t = -t_quantile(alpha / 2, freedom)
    limit, deviation = t * (1 - 1 / (4 * freedom)) * error, error
    if least < limit < most:
        deviation *= math.sqrt(1 + t * t / (2 * freedom))
    else:
        limit = min(max(limit, least), max(least, most))
    return limit + NormalDist().inv_cdf(power) * deviation


def detectable_drop(n: int, sd: float, *, alpha: float = 0.1, power: float = 0.8) -> float:
    """Smallest true drop of the mean that a paired test with this many queries detects.

    Parameters
    ----------
    n : int
        Number of queries, at least 2; for clustered queries their effective number.
    sd : float
        Standard deviation of the changes per query, above 0; about 0.1 to 0.2 for nDCG; if you
        have earlier changes, use theirs.
    alpha : float, default=0.1
        Level of the two-sided test: 0.1 as in gates, 0.05 as in ``compare``.
    power : float, default=0.8
        Required probability of detecting the drop; above ``alpha / 2``.

    Returns
    -------
    drop : float
        In the units of ``sd``.

    Raises
    ------
    InvalidParameterError
        If a parameter is outside its range.

    Examples
    --------
    >>> from sklearn_rank.statistics import detectable_drop
    >>> round(detectable_drop(50, 0.15), 4)
    0.0535
    """
    n = check_integer(n, "n", "detectable_drop", at_least=2)
    sd, alpha, power = _checked("detectable_drop", sd, alpha, power)
    return least_found(sd / math.sqrt(n), n - 1, alpha, power)


def queries_needed(drop: float, sd: float, *, alpha: float = 0.1, power: float = 0.8) -> int:
    """Smallest number of queries with which a paired test detects a true drop of the mean.

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
    drop = check_number(drop, "drop", "queries_needed", at_least=0, above=True)
    sd, alpha, power = _checked("queries_needed", sd, alpha, power)
    few, enough = 1, 2
    while least_found(sd / math.sqrt(enough), enough - 1, alpha, power) > drop:
        few, enough = enough, 2 * enough
    while enough - few > 1:
        n = (few + enough) // 2
        finds = least_found(sd / math.sqrt(n), n - 1, alpha, power) <= drop
        few, enough = (few, n) if finds else (n, enough)
    return enough


def _checked(owner: str, sd: Any, alpha: Any, power: Any) -> tuple[float, float, float]:
    sd = check_number(sd, "sd", owner, at_least=0, above=True)
    alpha, power = check_share(alpha, "alpha", owner), check_share(power, "power", owner)
    if power <= alpha / 2:
        refuse_value(power, "power", owner, f"above alpha / 2 ({alpha / 2:g})")
    return sd, alpha, power
