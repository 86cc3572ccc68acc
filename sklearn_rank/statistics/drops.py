"""One-sided tests and bounds of a mean drop, which rise with every loss, and their random signs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sklearn_rank.statistics.samples import cluster_means, robust_error
from sklearn_rank.statistics.student import t_quantile
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

_FLIPS = 1024
"""Random signs of the changes: a rate of 10 % has a standard error of 0.9 points."""
_COLUMNS = 1024
"""Units with signs of their own; of more, some share one."""
_CAPPED = 64
"""Changed units up to which each flip has a p-value with a cap; of more none changes a digit."""


class Outcomes(NamedTuple):
    """Possible results of one sample."""

    means: FloatArray
    p: FloatArray
    only_losses: BoolArray
    """Whether two units or more lost, and none won."""
    lower: FloatArray
    """Lower ends of the one-sided intervals of the means."""


class Drops:
    """Drops (above 0 is worse) of units that vary independently: queries, or clusters of them."""

    def __init__(
        self,
        values: FloatArray,
        ids: IntArray,
        weights: FloatArray | None,
        clusters: IntArray | None,
        alpha: float,
    ) -> None:
        if clusters is not None:
            order = np.argsort(clusters, kind="stable")
            weights = None if weights is None else weights[order]
            values, weights = cluster_means(values[order], weights, clusters[order])
            ids = np.unique(clusters)
        self.values, self.ids, self.alpha = values, ids, alpha
        shares = np.ones(len(values)) if weights is None else weights
        self.shares = shares / shares.sum()
        rest = np.maximum(1 - self.shares, np.finfo(np.float64).eps)
        self.leverage = self.shares**2 / rest
        """Shares of the squares of the values in the variance of their mean (CR2)."""
        self.error, self.freedom = robust_error(values, weights)
        changed = np.flatnonzero(values)
        # A falling cap reaches the last of them first.
        order = np.argsort(np.abs(values[changed]) * self.shares[changed] / rest[changed])
        self.changed = changed[order]
        self.signs = np.sign(values[self.changed])[None, :]

    def outcomes(self, signs: FloatArray) -> Outcomes:
        """Results for each row of signs of the changed units.

        The p-value is the least that Student's t has for any sample without a greater loss in any
        unit, so that it falls with every loss: of all such samples, t is greatest for the one whose
        losses end at a cap. No p-value is less than that of as many coins as there are losses.
        """
        shares, leverage = self.shares[self.changed], self.leverage[self.changed]
        values, scale = signs * np.abs(self.values[self.changed]), leverage / shares
        lost, won = (signs > 0).sum(axis=1), (signs < 0).sum(axis=1)
        means = values @ shares
        t, lower = self._t(means, values**2 @ leverage)
        # A cap c solves sum q x (c - x) = 0 over all x < c; q = share / scale, x = value * scale.
        x = np.abs(values[:1]) * scale
        first, second = shares / scale * x, shares / scale * x**2
        losses, wins = signs > 0, signs < 0
        sums = np.cumsum(losses * first, axis=1) - (wins * first).sum(axis=1, keepdims=True)
        squares = np.cumsum(losses * second, axis=1) + (wins * second).sum(axis=1, keepdims=True)
        beyond = x * sums > squares * (1 + 1e-12)
        if len(rows := np.flatnonzero(beyond.any(axis=1))):
            before = rows, np.maximum(np.argmax(beyond[rows], axis=1) - 1, 0)
            caps = (squares[before] / sums[before])[:, None] / scale
            capped = np.minimum(values[rows], caps)
            best, bound = self._t(capped @ shares, capped**2 @ leverage)
            t[rows], lower[rows] = np.maximum(t[rows], best), np.maximum(lower[rows], bound)
        return Outcomes(means, self._p(t, means, lost), (lost >= 2) & (won == 0), lower)

    def flipped(self, signs: FloatArray, columns: IntArray, first: FloatArray) -> Outcomes:
        """Results for random signs of the changed units: ``first`` times those of their columns."""
        if len(columns) <= _CAPPED:
            return self.outcomes(signs[:, columns] * first)
        values, shares = np.abs(self.values[self.changed]), self.shares[self.changed]
        means = signs @ np.bincount(columns, first * values * shares, minlength=signs.shape[1])
        squares = np.full(len(means), values**2 @ self.leverage[self.changed])
        t, lower = self._t(means, squares)
        p = self._p(t, means, np.full(len(means), _CAPPED))
        return Outcomes(means, p, np.zeros(len(means), bool), lower)

    def _t(self, means: FloatArray, squares: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Student's t and the lower end of its one-sided interval.

        Of the means, and the sums of squares weighed by ``leverage``. With equal weights it is the
        usual t; with others its variance is around 0, so that t has one greatest value under caps.
        """
        variances = squares - means**2 / max(len(self.values) - 1, 1)
        errors = np.sqrt(np.where(variances <= 1e-12 * squares, 0.0, variances))
        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.where(errors > 0, means / errors, np.copysign(np.inf, means))
        return t, means - t_quantile(1 - self.alpha, self.freedom) * errors

    def _p(self, t: FloatArray, means: FloatArray, lost: IntArray) -> FloatArray:
        from scipy import special

        p = np.where(means > 0, 0.5**lost, 0.5 if len(self.changed) else 1.0)
        if len(self.values) < 2:
            return p
        return np.maximum(p, np.asarray(special.stdtr(self.freedom, -t), np.float64))


def random_signs(samples: Sequence[Drops]) -> list[Outcomes]:
    """Outcomes of samples of the same units, each of whose changes may have either sign.

    All of them where that are few. A unit has the same sign in every sample.
    """
    units = np.unique(np.concatenate([sample.ids[sample.changed] for sample in samples]))
    rng, n = np.random.default_rng(0), len(units)
    if 2**n <= _FLIPS:
        digits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    else:
        digits = rng.integers(0, 2, (_FLIPS, min(n, _COLUMNS)))
    signs, first = (
        np.asarray(2 * bits - 1, np.float64) for bits in (digits, rng.integers(0, 2, n))
    )
    found = []
    for sample in samples:
        places = np.searchsorted(units, sample.ids[sample.changed])
        found.append(sample.flipped(signs, places % max(signs.shape[1], 1), first[places]))
    return found


def holm(tests: Sequence[FloatArray]) -> FloatArray:
    """Adjusted p-values of the tests of one family, each an array over the same samples."""
    p_values = np.stack(tests) if tests else np.empty((0, 1))
    order = np.argsort(p_values, axis=0)
    factors = np.arange(len(p_values), 0, -1)[:, None]
    adjusted = np.maximum.accumulate(np.take_along_axis(p_values, order, 0) * factors, axis=0)
    result = np.empty_like(p_values)
    np.put_along_axis(result, order, np.minimum(adjusted, 1.0), 0)
    return result
