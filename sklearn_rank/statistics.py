"""Intervals and paired tests for means over queries.

SciPy does the statistics and is imported when asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.support.parameters import check_integer, check_option, check_seed
from sklearn_rank.support.sums import in_unit
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray

__all__ = ["PairedComparison", "compare_paired", "holm", "mean_confidence_interval"]


def mean_confidence_interval(
    values: Any,
    *,
    weights: Any = None,
    level: float = 0.95,
    method: Literal["t", "bootstrap"] = "t",
    n_resamples: int = 9999,
    random_state: int | np.random.Generator = 0,
) -> tuple[float, float]:
    """Confidence interval for the (weighted) mean of per-query values.

    It says how far the mean would move with other queries of the same kind; evaluating the same
    queries again moves a deterministic system not at all.

    Parameters
    ----------
    values : array-like of shape (n_queries,)
        One value per query, in the units of the measure; NaN (undefined) is left out. Ties have
        been settled before.
    weights : array-like of shape (n_queries,), default=None
        Weight of each query in the mean; None weighs all alike.
    level : float, default=0.95
        Share of such intervals that hold the true mean, in (0, 1).
    method : {"t", "bootstrap"}, default="t"
        Student's t of the mean (for weighted means: of the linearized ratio), or the
        bias-corrected and accelerated bootstrap over queries.
    n_resamples : int, default=9999
        Resamples of the bootstrap.
    random_state : int or numpy.random.Generator, default=0
        Seed of the bootstrap, so that an interval does not change from run to run.

    Returns
    -------
    low, high : float
        Bounds in the units of the measure, not clipped to its range; equal if all values are, and
        NaN with fewer than two defined values.

    Raises
    ------
    InvalidParameterError
        If ``level`` is not in (0, 1), ``method`` is unknown, ``n_resamples`` is not an integer of
        at least 1, or ``random_state`` neither a seed nor a generator.

    References
    ----------
    .. [1] Efron, Better Bootstrap Confidence Intervals, 1987.
    .. [2] Cochran, Sampling Techniques, 1977, ch. 6 (ratio of means).

    Examples
    --------
    >>> from sklearn_rank.statistics import mean_confidence_interval
    >>> low, high = mean_confidence_interval([0.2, 0.4, 0.6, 0.8])
    >>> round(low, 4), round(high, 4)
    (0.0891, 0.9109)
    """
    owner = "a confidence interval"
    check_option(method, "method", ("t", "bootstrap"), owner)
    _check_share(level, "level", owner)
    level = float(level)
    n_resamples = check_integer(n_resamples, "n_resamples", owner, at_least=1)
    generator = check_seed(random_state, "random_state", owner)
    sample = np.asarray(values, dtype=np.float64)
    share = np.ones(len(sample)) if weights is None else np.asarray(weights, dtype=np.float64)
    kept = ~np.isnan(sample) & (share > 0)
    sample, share = sample[kept], share[kept]
    if len(sample) < 2:
        return math.nan, math.nan
    if (sample == sample[0]).all():
        return float(sample[0]), float(sample[0])
    (sample, exponent), (share, _) = in_unit(sample), in_unit(share)
    if method == "bootstrap":
        low, high = _bootstrap(sample, share, level, n_resamples, generator)
    else:
        low, high = _t_interval(sample, share, level)
    with np.errstate(over="ignore"):
        return float(np.ldexp(low, exponent)), float(np.ldexp(high, exponent))


def _t_interval(sample: FloatArray, share: FloatArray, level: float) -> tuple[float, float]:
    from scipy import stats

    mean, error = _mean(sample, share), _error_of_mean(sample, share)
    low, high = stats.t.interval(level, len(sample) - 1, loc=mean, scale=error)
    return float(low), float(high)


def _bootstrap(
    sample: FloatArray,
    share: FloatArray,
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    from scipy import stats

    def weighted_mean(values: FloatArray, weights: FloatArray, axis: int = -1) -> Any:
        return (values * weights).sum(axis=axis) / weights.sum(axis=axis)

    batch = max(1, 10_000_000 // len(sample))
    interval = stats.bootstrap(
        (sample, share),
        weighted_mean,
        paired=True,
        vectorized=True,
        confidence_level=level,
        n_resamples=n_resamples,
        batch=batch,
        method="BCa",
        random_state=generator,
    ).confidence_interval
    return float(interval.low), float(interval.high)


@dataclass(frozen=True)
class PairedComparison:
    """What :func:`compare_paired` found.

    Attributes
    ----------
    n : int
        Pairs that were compared: both values are defined.
    worse, better, same : int
        Pairs by the direction in which they changed.
    change : float
        Mean of new minus old.
    ci : (float, float)
        Confidence interval of the change, Student's t, two-sided; NaN with fewer than two pairs.
    p : float
        One-sided p-value of "not worse"; NaN with fewer than two pairs, 1 if nothing changed.
    detectable : float
        Least true drop (at least 0, in the units of the measure) that the test finds with
        probability ``power`` among so many pairs of this variance; NaN with fewer than two pairs.
    """

    n: int
    worse: int
    better: int
    same: int
    change: float
    ci: tuple[float, float]
    p: float
    detectable: float


def compare_paired(
    new: Any,
    old: Any,
    *,
    greater_is_better: bool = True,
    weights: Any = None,
    test: Literal["t", "permutation"] = "t",
    alpha: float = 0.05,
    power: float = 0.8,
    level: float = 0.95,
    n_resamples: int = 9999,
    random_state: int = 0,
) -> PairedComparison:
    """Compare two systems query by query, and test whether the new one is worse.

    Parameters
    ----------
    new, old : array-like of shape (n_queries,)
        Values of the same queries; pairs with a NaN on either side are left out.
    greater_is_better : bool, default=True
        Direction of the measure.
    weights : array-like of shape (n_queries,), default=None
        Weight of each query, at least 0; None weighs all alike.
    test : {"t", "permutation"}, default="t"
        Paired t-test, or sign-flip permutations (exact where ``2 ** n_queries`` is at most
        ``n_resamples``). Weighted pairs are tested by t alone.
    alpha, power : float, default=0.05, 0.8
        For the detectable drop.
    level : float, default=0.95
        Of the confidence interval.
    n_resamples : int, default=9999
        Permutations.
    random_state : int, default=0
        Seed of the permutations, so that a p-value does not change from run to run.

    Returns
    -------
    comparison : PairedComparison
        Counts, change, interval, p-value and detectable drop.

    Raises
    ------
    ValueError
        If the lengths differ.
    InvalidParameterError
        If ``test`` is unknown, a share is not in (0, 1), or weighted pairs meet permutations.

    References
    ----------
    .. [1] Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for
       Information Retrieval Evaluation, 2007.
    .. [2] Urbano, Lima and Hanjalic, Statistical Significance Testing in Information Retrieval,
       2019.

    Examples
    --------
    >>> from sklearn_rank.statistics import compare_paired
    >>> found = compare_paired([0.1, 0.3, 0.5, 0.5], [0.5, 0.5, 0.5, 0.4])
    >>> found.worse, found.better, found.same, round(found.change, 4), round(found.p, 4)
    (2, 1, 1, -0.125, 0.1708)
    """
    owner = "compare_paired"
    check_option(test, "test", ("t", "permutation"), owner)
    for name, share in (("alpha", alpha), ("power", power), ("level", level)):
        _check_share(share, name, owner)
    pairs = np.asarray(new, dtype=np.float64), np.asarray(old, dtype=np.float64)
    if pairs[0].shape != pairs[1].shape or pairs[0].ndim != 1:
        msg = f"new has shape {pairs[0].shape} and old {pairs[1].shape}; pass one value per query"
        raise ValueError(msg)
    change = pairs[0] - pairs[1]
    kept = ~np.isnan(change)
    shares: FloatArray | None = None
    if weights is not None:
        shares = np.asarray(weights, dtype=np.float64)
        kept &= shares > 0
        shares = shares[kept]
        if test == "permutation" and (shares != shares[:1]).any():
            msg = "weighted pairs are tested by t; leave out weights or take test='t'"
            raise InvalidParameterError(msg)
    change = change[kept]
    gain = change if greater_is_better else -change
    error = _error_of_mean(change, shares)
    return PairedComparison(
        n=len(change),
        worse=int((gain < 0).sum()),
        better=int((gain > 0).sum()),
        same=int((gain == 0).sum()),
        change=_mean(change, shares),
        ci=mean_confidence_interval(change, weights=shares, level=level),
        p=_p_of_worse(gain, shares, test, n_resamples, random_state),
        detectable=_detectable(error, len(change), alpha, power),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: p-values that keep the chance of any false alarm among them at alpha.

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1]; NaN, where there was no test, stays NaN and is not counted.

    Returns
    -------
    corrected : list of float
        In the order given, in [0, 1].

    Raises
    ------
    ValueError
        If a value is outside [0, 1].

    References
    ----------
    .. [1] Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.

    Examples
    --------
    >>> from sklearn_rank.statistics import holm
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    tested = [place for place, p in enumerate(p_values) if not math.isnan(p)]
    if any(not 0 <= p_values[place] <= 1 for place in tested):
        msg = f"p-values lie in [0, 1], got {safe_repr(list(p_values))}"
        raise ValueError(msg)
    corrected = [math.nan] * len(p_values)
    least = 0.0
    for done, place in enumerate(sorted(tested, key=p_values.__getitem__)):
        least = min(1.0, max(least, (len(tested) - done) * p_values[place]))
        corrected[place] = least
    return corrected


def _check_share(value: Any, name: str, owner: str) -> None:
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        msg = (
            f"The '{name}' parameter of {owner} must be in (0, 1). Got {safe_repr(value)} instead."
        )
        raise InvalidParameterError(msg)


def _mean(values: FloatArray, weights: FloatArray | None) -> float:
    if not len(values):
        return math.nan
    if weights is None:
        return math.fsum(values.tolist()) / len(values)
    return math.fsum((weights * values).tolist()) / math.fsum(weights.tolist())


def _error_of_mean(values: FloatArray, weights: FloatArray | None) -> float:
    """Standard error of a mean; of a weighted one, that of the linearized ratio."""
    n = len(values)
    if n < 2:
        return math.nan
    share = np.ones(n) if weights is None else weights
    residuals = share * (values - _mean(values, weights)) / math.fsum(share.tolist())
    return math.sqrt(math.fsum((residuals * residuals).tolist()) * n / (n - 1))


def _p_of_worse(
    gain: FloatArray, weights: FloatArray | None, test: str, n_resamples: int, random_state: int
) -> float:
    """One-sided p-value; the cases in which there is nothing to estimate go before SciPy."""
    if len(gain) < 2:
        return math.nan
    if not gain.any():
        return 1.0
    if test == "t" and (gain == gain[0]).all():
        return 0.0 if gain[0] < 0 else 1.0
    from scipy import stats

    if test == "permutation":
        generator = np.random.default_rng(random_state)
        batch = max(1, 10_000_000 // len(gain))
        return float(
            stats.permutation_test(
                (gain,),
                _row_means,
                permutation_type="samples",
                alternative="less",
                vectorized=True,
                n_resamples=n_resamples,
                batch=batch,
                random_state=generator,
            ).pvalue
        )
    if weights is None or (weights == weights[0]).all():
        return float(stats.ttest_1samp(gain, 0.0, alternative="less").pvalue)
    return float(stats.t.cdf(_mean(gain, weights) / _error_of_mean(gain, weights), len(gain) - 1))


def _row_means(values: FloatArray, axis: int = -1) -> Any:
    return values.mean(axis=axis)


def _detectable(error: float, n: int, alpha: float, power: float) -> float:
    if math.isnan(error):
        return math.nan
    if error == 0:
        return 0.0
    from scipy import stats

    return float(error * (stats.t.ppf(1 - alpha, n - 1) + stats.t.ppf(power, n - 1)))
