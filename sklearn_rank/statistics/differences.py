"""Tests of paired differences, one per query: how far chance alone takes their mean.

SciPy does the statistics and is imported when asked.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.resampling import bca_interval, p_of_flips, p_of_studentized
from sklearn_rank.statistics.samples import error_of_mean, is_flat, mean_of, t_quantile
from sklearn_rank.support.segments import in_unit
from sklearn_rank.typing import FloatArray

PairedTest = Literal["t", "permutation", "wilcoxon", "bootstrap"]
Alternative = Literal["two-sided", "less", "greater"]


@dataclass(frozen=True)
class Differences:
    """Differences of all pairs, in any order.

    What needs a spread is NaN with fewer than two pairs, and where all are alike.
    """

    change: FloatArray
    weights: FloatArray | None = None
    scale: float = 1.0
    """Size of the values behind them: what varies by no more than their rounding has no spread."""

    def __len__(self) -> int:
        return len(self.change)

    @cached_property
    def mean(self) -> float:
        """The (weighted) mean; NaN without pairs."""
        return mean_of(self.change, self.weights)

    @cached_property
    def error(self) -> float:
        """Standard error of the mean."""
        return error_of_mean(self.change, self.weights)

    @cached_property
    def n_changed(self) -> int:
        """Pairs that differ."""
        return int(np.count_nonzero(self.change))

    @cached_property
    def is_flat(self) -> bool:
        """Whether all are alike but for rounding."""
        return is_flat(self.change, self.scale)

    @property
    def has_spread(self) -> bool:
        """Whether there is anything to tell how sure the mean is."""
        return len(self) > 1 and not self.is_flat

    @property
    def effect(self) -> float:
        """Standardised: mean over standard deviation; 0 if nothing changed."""
        if len(self) > 1 and not self.n_changed:
            return 0.0
        return self.mean / (self.error * math.sqrt(len(self))) if self.has_spread else math.nan

    def p(
        self,
        test: PairedTest = "t",
        alternative: Alternative = "two-sided",
        n_resamples: int = 9999,
        seed: int | np.random.Generator = 0,
    ) -> float:
        """The p-value of no difference; NaN with fewer than two pairs.

        No test gives less than ``p_floor``: Student's t of four pairs that fall alike among 36 that
        stay would be certain of what four coins do in one of eight tosses.
        """
        if len(self) < 2:
            return math.nan
        floor = self.p_floor(alternative)
        if self.is_flat and self.n_changed:
            # Without a spread, the sign is all that tells.
            falls = bool(self.change[0] < 0)
            return floor if alternative == "two-sided" or falls == (alternative == "less") else 1.0
        if not self.n_changed:
            return 1.0
        return max(floor, self._p_of(test, alternative, n_resamples, seed))

    def p_floor(self, alternative: Alternative) -> float:
        """The least p-value that so many changed pairs support: as many coins all fall alike."""
        if len(self) < 2:
            return math.nan
        return min(1.0, (2 if alternative == "two-sided" else 1) * 0.5**self.n_changed)

    def _p_of(
        self,
        test: PairedTest,
        alternative: Alternative,
        n_resamples: int,
        seed: int | np.random.Generator,
    ) -> float:
        if test == "t":
            return self._p_of_t(alternative)
        if test == "wilcoxon":
            return self._p_of_wilcoxon(alternative)
        change, weights = self._sorted()
        generator = np.random.default_rng(seed)
        if test == "permutation":
            products = change if weights is None else weights * change
            return p_of_flips(products, n_resamples, generator, alternative)
        return p_of_studentized(change, weights, self._t, n_resamples, generator, alternative)

    def t_interval(self, level: float) -> tuple[float, float]:
        """Two-sided interval of the mean, by Student's t."""
        if not self.has_spread:
            return math.nan, math.nan
        reach = t_quantile((1 + level) / 2, len(self) - 1) * self.error
        return self.mean - reach, self.mean + reach

    def bootstrap_interval(self, level: float, n_resamples: int, seed: int) -> tuple[float, float]:
        """The same, bias-corrected and accelerated."""
        if not self.has_spread:
            return math.nan, math.nan
        generator = np.random.default_rng(seed)
        low, high = bca_interval(*self._sorted(), level, n_resamples, generator)
        _, exponent = in_unit(self.change)
        return math.ldexp(low, exponent), math.ldexp(high, exponent)

    def detectable(self, alpha: float, power: float, alternative: Alternative) -> float:
        """Least true difference that Student's t finds with probability ``power``."""
        if not self.has_spread:
            return math.nan
        freedom = len(self) - 1
        tail = alpha / 2 if alternative == "two-sided" else alpha
        return self.error * (t_quantile(1 - tail, freedom) + t_quantile(power, freedom))

    @property
    def _t(self) -> float:
        return self.mean / self.error

    def _p_of_t(self, alternative: Alternative) -> float:
        from scipy import special

        t, freedom = self._t, len(self) - 1
        if alternative == "two-sided":
            return float(2 * special.stdtr(freedom, -abs(t)))
        return float(special.stdtr(freedom, t if alternative == "less" else -t))

    def _p_of_wilcoxon(self, alternative: Alternative) -> float:
        if self.weights is not None:
            msg = (
                "test='wilcoxon' ranks differences, which takes no weights of queries; take 't', "
                "'permutation' or 'bootstrap'"
            )
            raise InvalidParameterError(msg)
        from scipy import stats

        with warnings.catch_warnings():
            # Of few changed queries, and of zeros in small samples: SciPy then takes the normal
            # approximation, and what few queries can show is said elsewhere.
            warnings.simplefilter("ignore", UserWarning)
            return float(stats.wilcoxon(self.change, alternative=alternative).pvalue)

    def _sorted(self) -> tuple[FloatArray, FloatArray | None]:
        """Pairs in an order of their own, so that draws do not depend on that of the queries.

        Near 1, where no sum of them overflows: no p-value depends on their unit.
        """
        change, _ = in_unit(self.change)
        if self.weights is None:
            return np.sort(change), None
        weights, _ = in_unit(self.weights)
        order = np.lexsort((weights, change))
        return change[order], weights[order]
