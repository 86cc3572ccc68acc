"""All pairs of several systems at once: Tukey's honestly significant differences, paired.

Values of one query belong together (they are a block): the randomised test [1]_ shuffles the
systems within each query, and the parametric one takes the residuals of systems and queries, as in
a two-way analysis of variance.

References
----------
.. [1] Carterette, Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval
   Experiments, 2012.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from sklearn_rank.statistics.resampling import BATCH, batches
from sklearn_rank.statistics.samples import mean_of
from sklearn_rank.typing import FloatArray

_ROUNDING = 1e-12
"""Share of the sum of all values below which two sums of some of them count as equal."""


@dataclass(frozen=True)
class AllPairs:
    """What a test of all pairs of S systems found.

    Attributes
    ----------
    p : ndarray of shape (S, S)
        Of each pair alone.
    p_corrected : ndarray of shape (S, S)
        The chance that the greatest of all differences is as large as the one of the pair.
    reach : callable
        Of a probability: the difference below which the greatest of all stays with it. That is
        half the width of the simultaneous intervals.
    """

    p: FloatArray
    p_corrected: FloatArray
    reach: Callable[[float], float]


def randomised_tukey(
    values: FloatArray,
    weights: FloatArray | None,
    n_resamples: int,
    seed: int,
) -> AllPairs:
    """Shuffle the systems of each query; ``values`` are (Q, S) and defined, S at least 2.

    Neither the order of the queries nor that of the systems changes a p-value.
    """
    shares = np.full(len(values), 1.0 / max(len(values), 1)) if weights is None else weights
    parts = values * (shares / math.fsum(shares.tolist()))[:, None]
    observed = _distances(values, weights)
    slack = _ROUNDING * float(np.abs(parts).sum())
    n_pairs = values.shape[1] // 2
    ranges, distances = np.empty(n_resamples), np.empty((n_resamples, n_pairs))
    place, generator = 0, np.random.default_rng(seed)
    blocks = _canonical(parts[np.ptp(parts, axis=1) > 0])
    for size in batches(max(blocks.size, 1), n_resamples, "shuffles"):
        means = _shuffled_means(blocks, size, generator)
        ranges[place : place + size] = np.ptp(means, axis=1)
        # After a shuffle one pair is like another: these share no system.
        apart = means[:, : 2 * n_pairs : 2] - means[:, 1 : 2 * n_pairs : 2]
        distances[place : place + size] = np.abs(apart)
        place += size
    together = _share_as_large(ranges, observed - slack)
    alone = np.minimum(_share_as_large(distances.ravel(), observed - slack), together)
    floor = _p_floor(values)
    return AllPairs(
        np.maximum(alone, floor),
        np.maximum(together, floor),
        cache(lambda level: float(np.quantile(ranges, level))),
    )


def _share_as_large(drawn: FloatArray, observed: FloatArray) -> FloatArray:
    """Share of the draws that are at least as large; what was observed is one of them."""
    count = len(drawn) - np.searchsorted(np.sort(drawn), observed)
    return np.asarray((count + 1) / (len(drawn) + 1))


def _canonical(blocks: FloatArray) -> FloatArray:
    """The same values in an order of their own, so that shuffles do not depend on the caller's."""
    ordered = np.sort(blocks, axis=1)
    return ordered[np.lexsort(ordered.T)]


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
