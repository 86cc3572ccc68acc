"""Quantiles of Student's t and of the beta distribution, the power of a test, and a solver.

Without SciPy, whose import takes longer than most evaluations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

_NEARLY_NORMAL = 1000
"""Degrees of freedom from which on Fisher's expansion around the normal quantile is exact."""


@lru_cache(maxsize=1024)
def t_quantile(share: float, freedom: float) -> float:
    """Quantile of Student's t."""
    tail = min(share, 1 - share)
    if tail == 0.5:
        return 0.0
    if freedom >= _NEARLY_NORMAL:
        z = -NormalDist().inv_cdf(tail)
        y = z * z
        terms = (
            (y + 1) / 4,
            (5 * y**2 + 16 * y + 3) / 96,
            (3 * y**3 + 19 * y**2 + 17 * y - 15) / 384,
            (79 * y**4 + 776 * y**3 + 1482 * y**2 - 1920 * y - 945) / 92160,
        )
        t = z * (1 + sum(term / freedom**power for power, term in enumerate(terms, 1)))
    elif tail < 0.1:  # t^2 / (t^2 + freedom), or the rest, whichever is not cancelled
        rest = beta_quantile(2 * tail, freedom / 2, 0.5)
        t = math.sqrt(freedom * (1 - rest) / rest)
    else:
        square = beta_quantile(1 - 2 * tail, 0.5, freedom / 2)
        t = math.sqrt(freedom * square / (1 - square))
    return t if share > 0.5 else -t


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

    Changes below ``least`` are never detected, changes above ``most`` always. Uses the normal
    approximation of the noncentral t, accurate to three digits (Abramowitz and Stegun, Handbook of
    Mathematical Functions, 1964, 26.7.10).
    """
    t = -t_quantile(alpha / 2, freedom)
    limit, deviation = t * (1 - 1 / (4 * freedom)) * error, error
    if least < limit < most:
        deviation *= math.sqrt(1 + t * t / (2 * freedom))
    else:
        limit = min(max(limit, least), max(least, most))
    return limit + NormalDist().inv_cdf(power) * deviation


def beta_quantile(share: float, a: float, b: float) -> float:
    """Quantile of the beta distribution."""
    log_scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def excess(x: float) -> tuple[float, float]:
        density = math.exp(log_scale + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x))
        if x < (a + 1) / (a + b + 2):
            below = density * x * (1 - x) / a * _fraction(x, a, b)
        else:
            below = 1 - density * x * (1 - x) / b * _fraction(1 - x, b, a)
        return below - share, density

    return root(excess, 0.0, 1.0, a / (a + b))


def _fraction(x: float, a: float, b: float) -> float:
    """Continued fraction of the incomplete beta function, by Lentz."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a - 1 + 2 * m) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 1 + 2 * m))
        for term in (even, odd):
            d, c = 1 / (1 + term * d), 1 + term / c
            value *= c * d
        if abs(c * d - 1) < 3e-16:
            break
    return value


def root(
    function: Callable[[float], tuple[float, float]], low: float, high: float, start: float
) -> float:
    """Root of a rising function, by Newton's steps or, if they leave the bracket, by bisection.

    ``function`` returns its value and its slope.
    """
    x = start
    for _ in range(300):
        value, slope = function(x)
        low, high = (low, x) if value > 0 else (x, high)
        step = x - value / slope if slope else math.nan
        middle = 2 * x if math.isinf(high) else (low + high) / 2
        x, before = (step if low < step < high else middle), x
        if abs(x - before) <= 2e-16 * abs(x):
            break
    return x
