"""The bootstrap of a mean and sign flips, in batches that stay in the processor's cache.

SciPy's own jackknife takes quadratic time, and its permutations sort every resample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sklearn_rank.support.progress import with_progress
from sklearn_rank.typing import BoolArray, FloatArray

_BATCH = 1 << 17
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
    means = np.sort(_resampled_means(products, weights, n_resamples, generator))
    below = float(means.searchsorted(mean, "left") + means.searchsorted(mean, "right")) / 2
    # A bias beyond all resamples is unknown, not infinite.
    below = min(max(below, 0.5), n_resamples - 0.5)
    bias, acceleration = special.ndtri(below / n_resamples), _acceleration(products, shares)
    reach = bias + special.ndtri(np.array([1 - level, 1 + level]) / 2)
    low, high = np.quantile(means, special.ndtr(bias + reach / (1 - acceleration * reach)))
    return float(low), float(high)


def _resampled_means(
    products: FloatArray,
    weights: FloatArray | None,
    n_resamples: int,
    generator: np.random.Generator,
) -> FloatArray:
    n, means = len(products), np.empty(n_resamples)
    place = 0
    for size in _batches(n, n_resamples, "bootstrap"):
        drawn = generator.integers(0, n, (size, n))
        totals = n if weights is None else weights.take(drawn).sum(axis=1)
        means[place : place + size] = products.take(drawn).sum(axis=1) / totals
        place += size
    return means


def _acceleration(products: FloatArray, shares: FloatArray) -> float:
    """Skewness of the means that lack one query each (jackknife)."""
    # A query may outweigh all others by more than float64 tells; the rest then counts as nothing.
    rest = np.maximum(shares.sum() - shares, np.finfo(np.float64).tiny)
    means = (products.sum() - products) / rest
    apart = means.mean() - means
    spread = float((apart**2).sum())
    return float((apart**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0


def p_of_flips(gain: FloatArray, n_resamples: int, generator: np.random.Generator) -> float:
    """Share of sign flips whose sum is as low as the one observed.

    All of them where there are at most ``n_resamples``, else as many random ones. Unchanged
    queries have no sign. A sum falls no lower by flips if what is flipped sums to at least 0.
    """
    changed = gain[gain != 0]
    n, tolerance = len(changed), _ROUNDING * float(np.abs(changed).sum())
    exact = n < 63 and 2**n <= n_resamples
    total = 2**n if exact else n_resamples
    place = count = 0
    for size in _batches(n, total, "sign flips", at_least=32):
        sums = (
            _all_flips(place, size, n).astype(np.float64) @ changed
            if exact
            else _random_sums(changed, size, generator)
        )
        count += int(np.count_nonzero(sums >= -tolerance))
        place += size
    return count / total if exact else (count + 1) / (total + 1)


def _all_flips(first: int, size: int, n: int) -> BoolArray:
    """Numbers from ``first`` on, a row of binary digits each."""
    numbers = np.arange(first, first + size)[:, None]
    return (numbers >> np.arange(n) & 1).astype(bool)


def _random_sums(changed: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Sums of ``size`` random choices of the changes, a part of the changes at a time."""
    width = max(8, _BATCH // size)
    sums = np.zeros(size)
    for start in range(0, len(changed), width):
        part = changed[start : start + width]
        shape = (size, math.ceil(len(part) / 8))
        bits = np.unpackbits(
            generator.integers(0, 256, shape, dtype=np.uint8), axis=1, count=len(part)
        )
        sums += bits.astype(np.float64) @ part
    return sums


def _batches(n: int, total: int, doing: str, at_least: int = 1) -> Iterator[int]:
    """Sizes of batches of resamples of ``n`` queries each."""
    size = max(at_least, _BATCH // n)
    sizes = (min(size, total - start) for start in range(0, total, size))
    return with_progress(sizes, total, doing)
