"""Tests of paired differences, one per query, and corrections of their p-values.

SciPy does the statistics and is imported when asked.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.resampling import bca_interval, p_of_flips, p_of_studentized
from sklearn_rank.statistics.samples import (
    error_of_mean,
    is_flat,
    mean_of,
    read_values,
    read_weights,
    t_quantile,
)
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.segments import in_unit
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray

PairedTest = Literal["t", "permutation", "wilcoxon", "bootstrap"]
Alternative = Literal["two-sided", "less", "greater"]
Correction = Literal["holm", "bh", "bonferroni"]


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
        if not self.n_changed:
            return 1.0
        floor = self.p_floor(alternative)
        if self.is_flat:
            # Without a spread, the sign is all that tells.
            falls = bool(self.change[0] < 0)
            return floor if alternative == "two-sided" or falls == (alternative == "less") else 1.0
        t = self.mean / self.error
        if test == "t":
            from scipy import special

            tail = -abs(t) if alternative == "two-sided" else t if alternative == "less" else -t
            sides = 2 if alternative == "two-sided" else 1
            return max(floor, float(sides * special.stdtr(len(self) - 1, tail)))
        if test == "wilcoxon":
            return max(floor, self._p_of_wilcoxon(alternative))
        change, weights = self._sorted()
        generator = np.random.default_rng(seed)
        if test == "permutation":
            products = change if weights is None else weights * change
            return max(floor, p_of_flips(products, n_resamples, generator, alternative))
        found = p_of_studentized(change, weights, t, n_resamples, generator, alternative)
        return max(floor, found)

    def p_floor(self, alternative: Alternative) -> float:
        """The least p-value that so many changed pairs support: as many coins all fall alike."""
        if len(self) < 2:
            return math.nan
        return min(1.0, (2 if alternative == "two-sided" else 1) * 0.5**self.n_changed)

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


# Gates -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairedComparison:
    """Result of :func:`compare_paired`, over pairs with both values and a weight above 0."""

    n: int
    worse: int
    better: int
    same: int
    change: float
    """Mean of new minus old."""
    ci: tuple[float, float]
    """Student's t; NaN without a spread."""
    p: float
    """One-sided p-value of "not worse"."""
    detectable: float
    """Least true drop, at least 0, that is found with probability ``power``."""
    p_floor: float
    """The least p-value that so many changed pairs support."""
    error: float
    """Standard error of the change."""
    can_confirm: bool
    """Whether any drop of so many changed pairs can be significant at ``alpha``."""


def compare_paired(
    new: Any,
    old: Any,
    *,
    greater_is_better: bool = True,
    weights: Any = None,
    test: PairedTest = "t",
    alpha: float = 0.05,
    power: float = 0.8,
    level: float = 0.95,
    n_resamples: int = 9999,
    random_state: int | np.random.Generator = 0,
) -> PairedComparison:
    """Compare two systems query by query, and test whether the new one is worse."""
    sides = read_values(new, "new"), read_values(old, "old")
    change, shares = sides[0] - sides[1], read_weights(weights, len(sides[0]))
    kept = ~np.isnan(change) if shares is None else ~np.isnan(change) & (shares > 0)
    scale = max(float(np.abs(side[kept]).max(initial=0.0)) for side in sides)
    pairs = Differences(change[kept], None if shares is None else shares[kept], scale)
    rises, falls = int((pairs.change > 0).sum()), int((pairs.change < 0).sum())
    as_worse: Alternative = "less" if greater_is_better else "greater"
    p_floor = pairs.p_floor(as_worse)
    return PairedComparison(
        n=len(pairs),
        worse=falls if greater_is_better else rises,
        better=rises if greater_is_better else falls,
        same=len(pairs) - pairs.n_changed,
        change=pairs.mean,
        ci=pairs.t_interval(level),
        p=pairs.p(test, as_worse, n_resamples, random_state),
        detectable=pairs.detectable(alpha, power, as_worse),
        p_floor=p_floor,
        error=pairs.error,
        can_confirm=p_floor <= alpha,
    )


# Corrections -------------------------------------------------------------------------------------


def correct_p_values(p_values: Sequence[float], correction: Correction | None) -> list[float]:
    """P-values of one family of tests, corrected for their number.

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1]; NaN, where there was no test, stays NaN and is not counted.
    correction : {"holm", "bonferroni", "bh"} or None
        "holm" [1]_ and "bonferroni" keep the chance of any false alarm among all tests at alpha,
        "holm" with more power; "bh" [2]_ keeps the share of false ones among all alarms at alpha.
        None corrects nothing.

    Returns
    -------
    corrected : list of float
        In the order given, in [0, 1]; significant are those of at most alpha.

    Raises
    ------
    ValueError
        If a value is outside [0, 1].
    InvalidParameterError
        If the correction is unknown.

    References
    ----------
    .. [1] Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.
    .. [2] Benjamini and Hochberg, Controlling the False Discovery Rate, 1995.

    Examples
    --------
    >>> from sklearn_rank.statistics import correct_p_values
    >>> correct_p_values([0.01, 0.04, 0.03], "bonferroni")
    [0.03, 0.12, 0.09]
    """
    if correction is not None:
        check_option(correction, "correction", get_args(Correction), "correct_p_values")
    tested = [p for p in p_values if not math.isnan(p)]
    if any(not 0 <= p <= 1 for p in tested):
        msg = f"p-values lie in [0, 1], got {safe_repr(list(p_values))}"
        raise ValueError(msg)
    count = len(tested)
    if correction == "bonferroni":
        tested = [min(1.0, count * p) for p in tested]
    elif correction == "holm":
        # The least p-value times the number of tests, the next times one less, and never falling.
        least = 0.0
        for done, place in enumerate(sorted(range(count), key=list(tested).__getitem__)):
            least = min(1.0, max(least, (count - done) * tested[place]))
            tested[place] = least
    elif correction == "bh" and tested:
        from scipy import stats

        tested = stats.false_discovery_control(tested).tolist()
    corrected = iter(tested)
    return [math.nan if math.isnan(p) else float(next(corrected)) for p in p_values]
