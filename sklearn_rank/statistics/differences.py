"""Tests of paired differences, one per query, and corrections of their p-values.

SciPy does the statistics and is imported when asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Literal, Self, get_args

import numpy as np

from sklearn_rank.statistics.samples import (
    check_share,
    cluster_codes,
    cluster_means,
    is_flat,
    read_values,
    read_weights,
    robust_error,
)
from sklearn_rank.statistics.student import t_quantile
from sklearn_rank.support.checks import check_integer, check_option, refuse_value
from sklearn_rank.support.runtime import with_progress
from sklearn_rank.support.segments import in_unit, mean_of
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray, IntArray

PairedTest = Literal["t", "permutation"]
Alternative = Literal["two-sided", "less", "greater"]
Correction = Literal["holm", "bh", "bonferroni", "none"]


@dataclass(frozen=True)
class Differences:
    """Differences of all pairs, in any order.

    Spread, test and interval are NaN with fewer than two pairs (or clusters), and where all are
    alike.
    """

    change: FloatArray
    weights: FloatArray | None = None
    scale: float = 1.0
    """Size of the values behind them: what varies by no more than their rounding has no spread."""
    clusters: IntArray | None = None
    """Numbers of the clusters of the pairs; None: each pair was drawn for itself."""

    @classmethod
    def of(cls, new: Any, old: Any = None, *, weights: Any = None, clusters: Any = None) -> Self:
        """New minus old (or 0) of the queries with both values and a weight above 0.

        ``clusters`` are labels or numbers, one per query.
        """
        sides = [read_values(new, "new"), *([] if old is None else [read_values(old, "old")])]
        change = sides[0] if old is None else sides[0] - sides[1]
        shares = read_weights(weights, len(change))
        is_counted = ~np.isnan(change) if shares is None else ~np.isnan(change) & (shares > 0)
        codes = None if clusters is None else cluster_codes(clusters, len(change))[is_counted]
        scale = max(float(np.abs(side[is_counted]).max(initial=0.0)) for side in sides)
        return cls(change[is_counted], None if shares is None else shares[is_counted], scale, codes)

    def __len__(self) -> int:
        return len(self.change)

    @cached_property
    def mean(self) -> float:
        """The (weighted) mean; NaN without pairs."""
        return mean_of(self.change, self.weights)

    @cached_property
    def _units(self) -> tuple[FloatArray, FloatArray | None]:
        """Means and weights of the clusters, which are what varies independently."""
        if self.clusters is None:
            return self.change, self.weights
        return cluster_means(self.change, self.weights, self.clusters)

    @property
    def n_clusters(self) -> int:
        """Number of clusters; of pairs where there are none."""
        return len(self._units[0])

    @cached_property
    def _error(self) -> tuple[float, float]:
        return robust_error(*self._units)

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self._error[0]

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the error; n - 1 for equal weights and no clusters."""
        return self._error[1]

    @cached_property
    def n_changed(self) -> int:
        """Pairs that differ."""
        return int(np.count_nonzero(self.change))

    def better_and_worse(self, greater_is_better: bool) -> tuple[int, int]:
        """Pairs that changed for the better, and for the worse."""
        rises = int((self.change > 0).sum())
        falls = self.n_changed - rises
        return (rises, falls) if greater_is_better else (falls, rises)

    @cached_property
    def n_changed_clusters(self) -> int:
        """Clusters whose mean differs from 0."""
        return int(np.count_nonzero(self._units[0]))

    @cached_property
    def has_spread(self) -> bool:
        """Whether there are several (means of clusters), apart by more than rounding."""
        return self.n_clusters > 1 and not is_flat(self._units[0], self.scale)

    @cached_property
    def _error_of_pairs(self) -> float:
        """Standard error if every pair had been drawn for itself."""
        return robust_error(self.change, self.weights)[0]

    @property
    def effect(self) -> float:
        """Standardised: mean over standard deviation; 0 if nothing changed."""
        if len(self) > 1 and not self.n_changed:
            return 0.0
        if len(self) < 2 or is_flat(self.change, self.scale):
            return math.nan
        return self.mean / (self._error_of_pairs * math.sqrt(len(self)))

    @property
    def design_effect(self) -> float:
        """Variance of the mean over that of as many independent pairs; NaN without a spread."""
        if self.clusters is None:
            return 1.0
        return (self.error / self._error_of_pairs) ** 2 if self.has_spread else math.nan

    def p(
        self,
        test: PairedTest = "t",
        alternative: Alternative = "two-sided",
        n_resamples: int = 9999,
        seed: int | np.random.Generator = 0,
    ) -> float:
        """The p-value of no difference; NaN with fewer than two pairs (or clusters).

        No test gives less than ``p_floor``: Student's t of four pairs that fall alike among 36 that
        stay would be certain of what four coins do in one of eight tosses.
        """
        if self.n_clusters < 2:
            return math.nan
        if not self.n_changed_clusters:
            return 1.0
        floor = self.p_floor(alternative)
        if not self.has_spread:
            # Without a spread, the sign is all that tells.
            falls = bool(self._units[0][0] < 0)
            return floor if alternative == "two-sided" or falls == (alternative == "less") else 1.0
        if test == "t":
            from scipy import special

            t = self.mean / self.error
            tail = -abs(t) if alternative == "two-sided" else t if alternative == "less" else -t
            sides = 2 if alternative == "two-sided" else 1
            return max(floor, float(sides * special.stdtr(self.freedom, tail)))
        change, weights = self._sorted()
        products = change if weights is None else weights * change
        generator = np.random.default_rng(seed)
        return max(floor, _p_of_flips(products, n_resamples, generator, alternative))

    def p_floor(self, alternative: Alternative) -> float:
        """The least p-value that so many changed pairs support: as many coins all fall alike."""
        if self.n_clusters < 2:
            return math.nan
        return min(1.0, (2 if alternative == "two-sided" else 1) * 0.5**self.n_changed_clusters)

    def interval(
        self, level: float, p: float | None = None, alternative: Alternative = "two-sided"
    ) -> tuple[float, float]:
        """Two-sided interval of the mean; NaN with fewer than two pairs or without any change.

        Student's t, with two corrections for differences of which few are not 0. The error is that
        of the mean and, beside it, of one more change as large as the largest: a sample that has
        few changes lacks the larger ones. And there are no more degrees of freedom than changes.
        The interval then agrees with ``p``, by default that of Student's t: it ends at 0 at the
        latest where p is below ``1 - level``, as the test rejects all beyond 0 even more, and holds
        0 elsewhere (on the side of a one-sided ``alternative``).
        """
        values, weights = self._units
        if len(values) < 2 or not self.n_changed_clusters:
            return math.nan, math.nan
        shares = np.ones(len(values)) if weights is None else in_unit(weights)[0]
        one_more = float((shares * shares).sum() / shares.sum() ** 2 * np.abs(values).max())
        freedom = min(self.freedom, self.n_changed_clusters)
        reach = t_quantile((1 + level) / 2, freedom) * math.hypot(self.error, one_more)
        p = self.p("t", alternative) if p is None else p
        low, high = self.mean - reach, self.mean + reach
        if p < 1 - level:
            return (max(low, 0.0), high) if self.mean > 0 else (low, min(high, 0.0))
        if alternative != "less" and low > 0:
            low = 0.0
        if alternative != "greater" and high < 0:
            high = 0.0
        return low, high

    def detectable(self, alpha: float, power: float, alternative: Alternative) -> float:
        """Least true difference that Student's t finds with probability ``power``."""
        if not self.has_spread:
            return math.nan
        tail = alpha / 2 if alternative == "two-sided" else alpha
        return self.error * (t_quantile(power, self.freedom) - t_quantile(tail, self.freedom))

    def _sorted(self) -> tuple[FloatArray, FloatArray | None]:
        """Pairs (or clusters) in an order of their own, so that draws do not depend on another.

        Near 1, where no sum of them overflows: no p-value depends on their unit.
        """
        values, shares = self._units
        change, _ = in_unit(values)
        if shares is None:
            return np.sort(change), None
        weights, _ = in_unit(shares)
        order = np.lexsort((weights, change))
        return change[order], weights[order]


# Sign flips --------------------------------------------------------------------------------------


_DRAWS = 1 << 17
"""Draws at once: 1 MB of float64, which a core's cache holds."""
_ROUNDING = 1e-12
"""Share of the sum of all changes below which two sums of some of them count as equal."""


def _p_of_flips(
    change: FloatArray, n_resamples: int, generator: np.random.Generator, alternative: str
) -> float:
    """Share of sign flips whose sum is as low (or high) as the one observed.

    All of them where there are at most ``n_resamples``, else as many random ones. Unchanged queries
    have no sign. Flips do not lower a sum if the flipped terms sum to at least 0. The two-sided
    p-value is twice the lesser of both, as SciPy's.
    """
    changed = change[change != 0]
    n, tolerance = len(changed), _ROUNDING * float(np.abs(changed).sum())
    exact = n < 63 and 2**n <= n_resamples
    total = 2**n if exact else n_resamples
    place = lower = higher = 0
    for size in _batches(n, total, "sign flips", at_least=32):
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
    observed = 0 if exact else 1  # the order observed is one of the random ones
    return min(1.0, sides * (counts[alternative] + observed) / (total + observed))


def _random_sums(changed: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Sums of ``size`` random choices of the changes, a part of the changes at a time."""
    width = max(8, _DRAWS // size)
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
    size = max(at_least, _DRAWS // n)
    sizes = (min(size, total - start) for start in range(0, total, size))
    return with_progress(sizes, total, doing)


def design_notes(effects: Mapping[str, tuple[float, int]]) -> tuple[str, ...]:
    """A note on the largest of {name: (design effect, queries)}, if it is above 1.5."""
    effect, n, name = max(
        ((*numbers, name) for name, numbers in effects.items()), default=(0.0, 0, "")
    )
    if not effect > 1.5:
        return ()
    return (
        f"clusters: design effect {effect:.1f} ({name}): {n:,} queries count as {n / effect:.0f}",
    )


# Sample sizes ------------------------------------------------------------------------------------


def detectable_drop(n: int, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Least true drop of the mean that a one-sided paired t-test of so many queries finds.

    Parameters
    ----------
    n : int
        Number of queries, at least 2; of clustered queries their effective number.
    sd : float
        Standard deviation of the differences per query, above 0; about 0.1 to 0.2 for changes of
        an nDCG, and that of earlier differences where there are any.
    alpha : float, default=0.05
        Level of the test, which asks only whether the new system is worse, as gates do.
    power : float, default=0.8
        Probability with which the drop is to be found; at least alpha.

    Returns
    -------
    drop : float
        In the units of ``sd``, by the noncentral t distribution.

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
    return sd * _drop_in_sds(n, *_check_shares(alpha, power, "detectable_drop"))


def queries_needed(drop: float, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """Least number of queries with which a one-sided paired t-test finds a true drop of the mean.

    The inverse of :func:`detectable_drop`.

    Parameters
    ----------
    drop : float
        The true drop, above 0.
    sd : float
        Standard deviation of the differences per query, above 0, in the units of ``drop``.
    alpha, power : float
        See :func:`detectable_drop`.

    Returns
    -------
    n : int
        Number of independent queries, at least 2. Clusters with a design effect of 2 need twice as
        many.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its range.

    Examples
    --------
    >>> from sklearn_rank.statistics import queries_needed
    >>> [queries_needed(drop, sd=0.15) for drop in (0.01, 0.02, 0.05)]
    [1393, 350, 58]
    """
    drop = _check_positive(drop, "drop", "queries_needed")
    sd = _check_positive(sd, "sd", "queries_needed")
    shares = _check_shares(alpha, power, "queries_needed")
    enough = 2
    while sd * _drop_in_sds(enough, *shares) > drop:
        enough *= 2
    few = max(enough // 2, 1)  # not enough
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (
            (middle, enough) if sd * _drop_in_sds(middle, *shares) > drop else (few, middle)
        )
    return enough


def _drop_in_sds(n: int, alpha: float, power: float) -> float:
    from scipy import special

    # At so many degrees of freedom the noncentral t is normal, in more digits than it is computed.
    if n > 100_000:
        return float(special.ndtri(power) - special.ndtri(alpha)) / math.sqrt(n)
    critical = -t_quantile(alpha, n - 1)
    if alpha < 1e-6:  # where SciPy's noncentral t does not end; this is Johnson and Welch's normal
        spread = math.hypot(1, critical / math.sqrt(2 * (n - 1)))
        return (critical + float(special.ndtri(power)) * spread) / math.sqrt(n)
    return float(special.nctdtrinc(n - 1, 1 - power, critical)) / math.sqrt(n)


def _check_positive(value: Any, name: str, owner: str) -> float:
    if not isinstance(value, Real) or not 0 < float(value) < math.inf:
        refuse_value(value, name, owner, "a number above 0")
    return float(value)


def _check_shares(alpha: Any, power: Any, owner: str) -> tuple[float, float]:
    alpha, power = check_share(alpha, "alpha", owner), check_share(power, "power", owner)
    if power <= alpha:
        refuse_value(power, "power", owner, f"above alpha ({alpha:g})")
    return alpha, power


# Corrections -------------------------------------------------------------------------------------


def correct_p_values(p_values: Sequence[float], correction: Correction | None) -> list[float]:
    """P-values of one family of tests, corrected for their number.

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1]; NaN, where there was no test, stays NaN and is not counted.
    correction : {"holm", "bonferroni", "bh", "none"} or None
        "holm" [1]_ and "bonferroni" keep the chance of any false alarm among all tests at alpha,
        "holm" with more power; "bh" [2]_ keeps the share of false ones among all alarms at alpha.
        None, or "none", corrects nothing.

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
