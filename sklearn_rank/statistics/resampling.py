"""Resampling: the bootstrap of a mean, sign flips, and shuffles of systems within queries.

In batches that stay in the processor's cache. SciPy's own jackknife takes quadratic time, and its
permutations sort every resample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from sklearn_rank.support.runtime import with_progress
from sklearn_rank.support.segments import mean_of
from sklearn_rank.typing import FloatArray, IntArray

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


def p_of_studentized(
    change: FloatArray,
    weights: FloatArray | None,
    observed: float,
    n_resamples: int,
    generator: np.random.Generator,
    alternative: str,
) -> float:
    """Share of resamples, shifted to a mean of 0, whose t is as extreme as the one observed [1]_.

    References
    ----------
    .. [1] Sakai, Evaluating Evaluation Metrics based on the Bootstrap, 2006.
    """
    shares = np.ones(len(change)) if weights is None else weights
    shifted = change - (shares * change).sum() / shares.sum()
    extreme, slack = 0, _ROUNDING * abs(observed)
    turned = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}[alternative]
    for size in batches(len(change), n_resamples, "bootstrap"):
        drawn = generator.integers(0, len(change), (size, len(change)))
        t = _resampled_t(shifted, weights, drawn)
        extreme += int(np.count_nonzero(turned(t) >= turned(observed) - slack))
    # What was observed is one of the resamples: no p-value is 0.
    return (extreme + 1) / (n_resamples + 1)


def _resampled_t(change: FloatArray, weights: FloatArray | None, drawn: IntArray) -> FloatArray:
    """Mean over its standard error, as ``robust_error`` has it."""
    n, values = drawn.shape[1], change.take(drawn)
    if weights is None:
        means = values.mean(axis=1, keepdims=True)
        residuals = values - means
        errors = np.sqrt((residuals * residuals).sum(axis=1) * n / (n - 1)) / n
    else:
        shares = weights.take(drawn)
        shares /= shares.sum(axis=1, keepdims=True)
        means = (shares * values).sum(axis=1, keepdims=True)
        residuals = shares * (values - means)
        rest = np.maximum(1 - shares, np.finfo(np.float64).eps)
        errors = np.sqrt((residuals * residuals / rest).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = means[:, 0] / errors
    # Without a spread a mean is as extreme as can be on its side, and a mean of 0 is not.
    t[np.isnan(t)] = 0.0
    return np.asarray(t, dtype=np.float64)


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


# All pairs of several systems at once ------------------------------------------------------------


class AllPairs(NamedTuple):
    """Result of a test of all pairs of S systems."""

    p: FloatArray
    """(S, S) of each pair alone."""
    p_corrected: FloatArray
    """(S, S) the chance that the greatest of all differences is as large as the one of the pair."""
    reach: Callable[[float], float]
    """Of a probability: the difference below which the greatest of all stays with it, half the
    width of the simultaneous intervals."""


def randomised_tukey(
    values: FloatArray,
    weights: FloatArray | None,
    n_resamples: int,
    seed: int,
) -> AllPairs:
    """Tukey's honestly significant differences by shuffles of the systems of each query [1]_.

    ``values`` are (Q, S) and defined, S at least 2. Neither the order of the queries nor that of
    the systems changes a p-value.

    References
    ----------
    .. [1] Carterette, Multiple Testing in Statistical Analysis of Systems-Based Information
       Retrieval Experiments, 2012.
    """
    shares = np.full(len(values), 1.0 / max(len(values), 1)) if weights is None else weights
    parts = values * (shares / math.fsum(shares.tolist()))[:, None]
    observed = _distances(values, weights)
    slack = _ROUNDING * float(np.abs(parts).sum())
    n_pairs = values.shape[1] // 2
    ranges, distances = np.empty(n_resamples), np.empty((n_resamples, n_pairs))
    place, generator = 0, np.random.default_rng(seed)
    # In an order of their own, so that shuffles do not depend on that of queries or systems.
    blocks = np.sort(parts[np.ptp(parts, axis=1) > 0], axis=1)
    blocks = blocks[np.lexsort(blocks.T)]
    for size in batches(max(blocks.size, 1), n_resamples, "shuffles"):
        means = _shuffled_means(blocks, size, generator)
        ranges[place : place + size] = np.ptp(means, axis=1)
        # After a shuffle one pair is like another: these share no system.
        apart = means[:, : 2 * n_pairs : 2] - means[:, 1 : 2 * n_pairs : 2]
        distances[place : place + size] = np.abs(apart)
        place += size
    # Share of the draws that are at least as large; what was observed is one of them.
    together, alone = (
        (len(drawn) - np.searchsorted(np.sort(drawn), observed - slack) + 1) / (len(drawn) + 1)
        for drawn in (ranges, distances.ravel())
    )
    floor = _p_floor(values)
    return AllPairs(
        np.maximum(alone, floor),
        np.maximum(together, floor),
        cache(lambda level: float(np.quantile(ranges, level))),
    )


def _shuffled_means(blocks: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """(size, S) means of the systems, a part of the queries at a time."""
    n_systems = blocks.shape[1]
    means = np.zeros((size, n_systems))
    step = max(1, BATCH // (size * n_systems))
    for start in range(0, len(blocks), step):
        part = blocks[start : start + step]
        copies = np.tile(part, (size, 1))
        generator.permuted(copies, axis=1, out=copies)
        means += copies.reshape(size, len(part), n_systems).sum(axis=1)
    return means


def parametric_tukey(values: FloatArray) -> AllPairs:
    """Tukey's test after a two-way analysis of variance: systems, and queries as blocks."""
    from scipy import special, stats

    n_queries, n_systems = values.shape
    freedom = (n_queries - 1) * (n_systems - 1)
    residuals = values - values.mean(axis=1, keepdims=True)
    residuals = residuals - residuals.mean(axis=0)
    variance = math.fsum((residuals * residuals).ravel().tolist()) / freedom
    error = math.sqrt(variance / n_queries)
    observed = _distances(values, None)
    floor = _p_floor(values)
    if error <= _ROUNDING * float(np.abs(values).max(initial=0.0)):
        return AllPairs(floor, floor, lambda _level: math.nan)
    alone = np.maximum(floor, 2 * special.stdtr(freedom, -observed / (error * math.sqrt(2))))
    together = stats.studentized_range.sf(observed / error, n_systems, freedom)
    quantile = stats.studentized_range(n_systems, freedom).ppf
    reach = cache(lambda level: float(quantile(level)) * error)
    # Integrated numerically: a rounding error may fall below the p-value of the pair alone.
    return AllPairs(alone, np.clip(together, alone, 1.0), reach)


def _distances(values: FloatArray, weights: FloatArray | None) -> FloatArray:
    """(S, S) how far the means of two systems are apart."""
    means = np.array([mean_of(column, weights) for column in values.T])
    return np.asarray(np.abs(means[:, None] - means), dtype=np.float64)


def _p_floor(values: FloatArray) -> FloatArray:
    """(S, S) no pair is surer than that as many coins as queries changed all fall alike."""
    changed = np.array([np.count_nonzero(column != values.T, axis=1) for column in values.T])
    return np.asarray(np.minimum(1.0, 2.0 * 0.5**changed))
