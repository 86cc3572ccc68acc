"""Resampling: the bootstrap of a mean, and sign flips.

In batches that stay in the processor's cache. SciPy's own jackknife takes quadratic time, and its
permutations sort every resample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sklearn_rank.support.runtime import with_progress
from sklearn_rank.typing import FloatArray

BATCH = 1 << 17
"""Draws at once: 1 MB of float64, which a core's cache holds."""
_ROUNDING = 1e-12
"""Share of the sum of all changes below which two sums of some of them count as equal."""


def bca_interval(
    sample: FloatArray,
    weights: FloatArray | None,
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Bias-corrected and accelerated bootstrap interval of a (weighted) mean."""
    from scipy import special

    shares = np.ones(len(sample)) if weights is None else weights
    products, mean = shares * sample, float((shares * sample).sum() / shares.sum())
    n, means, place = len(sample), np.empty(n_resamples), 0
    for size in batches(n, n_resamples, "bootstrap"):
        drawn = generator.integers(0, n, (size, n))
        totals = n if weights is None else weights.take(drawn).sum(axis=1)
        means[place : place + size] = products.take(drawn).sum(axis=1) / totals
        place += size
    means.sort()
    below = float(means.searchsorted(mean, "left") + means.searchsorted(mean, "right")) / 2
    # A bias beyond all resamples is unknown, not infinite.
    below = min(max(below, 0.5), n_resamples - 0.5)
    bias = special.ndtri(below / n_resamples)
    # Skewness of the means that lack one query each (jackknife). A query may outweigh all others
    # by more than float64 tells; the rest then counts as nothing.
    rest = np.maximum(shares.sum() - shares, np.finfo(np.float64).tiny)
    without = (products.sum() - products) / rest
    apart = without.mean() - without
    spread = float((apart**2).sum())
    acceleration = float((apart**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
    reach = bias + special.ndtri(np.array([1 - level, 1 + level]) / 2)
    low, high = np.quantile(means, special.ndtr(bias + reach / (1 - acceleration * reach)))
    return float(low), float(high)


def p_of_flips(
    change: FloatArray, n_resamples: int, generator: np.random.Generator, alternative: str
) -> float:
    """Share of sign flips whose sum is as low (or high) as the one observed.

    All of them where there are at most ``n_resamples``, else as many random ones. Unchanged
    queries have no sign. A sum falls no lower by flips if what is flipped sums to at least 0. The
    two-sided p-value is twice the lesser of both, as SciPy's.
    """
    changed = change[change != 0]
    n, tolerance = len(changed), _ROUNDING * float(np.abs(changed).sum())
    exact = n < 63 and 2**n <= n_resamples
    total = 2**n if exact else n_resamples
    place = lower = higher = 0
    for size in batches(n, total, "sign flips", at_least=32):
        if exact:
            # Numbers from ``place`` on, a row of binary digits each.
            flips = np.arange(place, place + size)[:, None] >> np.arange(n) & 1
            sums = flips.astype(np.float64) @ changed
        else:
            sums = _random_sums(changed, size, generator)
        lower += int(np.count_nonzero(sums >= -tolerance))
        higher += int(np.count_nonzero(sums <= tolerance))
        place += size
    counts = {"less": lower, "greater": higher, "two-sided": min(lower, higher)}
    sides = 2 if alternative == "two-sided" else 1
    own = 0 if exact else 1  # the order observed is one of the random ones
    return min(1.0, sides * (counts[alternative] + own) / (total + own))


def _random_sums(changed: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Sums of ``size`` random choices of the changes, a part of the changes at a time."""
    width = max(8, BATCH // size)
    sums = np.zeros(size)
    for start in range(0, len(changed), width):
        part = changed[start : start + width]
        shape = (size, math.ceil(len(part) / 8))
        bits = np.unpackbits(
            generator.integers(0, 256, shape, dtype=np.uint8), axis=1, count=len(part)
        )
        sums += bits.astype(np.float64) @ part
    return sums


def batches(n: int, total: int, doing: str, at_least: int = 1) -> Iterator[int]:
    """Sizes of batches of resamples of ``n`` queries each."""
    size = max(at_least, BATCH // n)
    sizes = (min(size, total - start) for start in range(0, total, size))
    return with_progress(sizes, total, doing)
