"""Paired tests of two systems, query by query, and the correction for several of them.

SciPy does the statistics and is imported when asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.intervals import t_interval
from sklearn_rank.statistics.resampling import p_of_flips
from sklearn_rank.statistics.samples import (
    check_share,
    error_of_mean,
    is_flat,
    mean_of,
    read_values,
    read_weights,
    t_quantile,
)
from sklearn_rank.support.parameters import check_flag, check_integer, check_option, check_seed
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray


@dataclass(frozen=True)
class PairedComparison:
    """What :func:`compare_paired` found.

    Attributes
    ----------
    n : int
        Pairs that were compared: both values are defined, and the weight is above 0.
    worse, better, same : int
        Pairs by the direction in which they changed.
    change : float
        Mean of new minus old.
    ci : (float, float)
        Confidence interval of the change, Student's t, two-sided. NaN with fewer than two pairs,
        and where all changed alike, which shows no spread to go by.
    p : float
        One-sided p-value of "not worse", at least ``p_floor``; NaN with fewer than two pairs, 1 if
        nothing changed.
    detectable : float
        Least true drop (at least 0, in the units of the measure) that the test finds with
        probability ``power`` among so many pairs of this variance; NaN where ``ci`` is.
    p_floor : float
        The least p-value that so many changed pairs can support: ``2 ** -(worse + better)``, the
        chance that they all turn out worse by the toss of a coin. NaN with fewer than two pairs.
    can_confirm : bool
        Whether ``p_floor`` is at most ``alpha``: if not, no drop, however large, can be confirmed
        with so few changed pairs.
    """

    n: int
    worse: int
    better: int
    same: int
    change: float
    ci: tuple[float, float]
    p: float
    detectable: float
    p_floor: float
    can_confirm: bool


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
    random_state: int | np.random.Generator = 0,
) -> PairedComparison:
    """Compare two systems query by query, and test whether the new one is worse.

    Parameters
    ----------
    new, old : array-like of shape (n_queries,)
        Values of the same queries; pairs with a NaN on either side are left out.
    greater_is_better : bool, default=True
        Direction of the measure.
    weights : array-like of shape (n_queries,), default=None
        Weight of each query, at least 0; pairs of weight 0 are left out. None weighs all alike.
    test : {"t", "permutation"}, default="t"
        Paired t-test [1]_ [2]_, or sign-flip permutations of the changed pairs (all of them where
        ``n_resamples`` is enough). Weighted pairs are tested by t alone. No test gives a p-value
        below that of all sign flips, ``2 ** -n_changed``: two queries that lose the same have no
        spread, and Student's t would be certain of what a coin does in one of four tosses.
    alpha, power : float, default=0.05, 0.8
        For the detectable drop, and for what can be confirmed.
    level : float, default=0.95
        Of the confidence interval.
    n_resamples : int, default=9999
        Permutations.
    random_state : int or numpy.random.Generator, default=0
        Seed of the permutations, so that a p-value does not change from run to run.

    Returns
    -------
    comparison : PairedComparison
        Counts, change, interval, p-value and its floor, and detectable drop.

    Raises
    ------
    ValueError
        If the lengths differ, a value is infinite, or a weight is negative, NaN or infinite.
    InvalidParameterError
        If ``test`` is unknown, a share is not in (0, 1), ``n_resamples`` is not an integer of at
        least 1, or weighted pairs meet permutations.

    References
    ----------
    .. [1] Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for
       Information Retrieval Evaluation, 2007.
    .. [2] Urbano, Lima and Hanjalic, Statistical Significance Testing in Information Retrieval,
       2019.

    Examples
    --------
    >>> from sklearn_rank.statistics import compare_paired
    >>> compared = compare_paired([0.1, 0.3, 0.5, 0.5], [0.5, 0.5, 0.5, 0.4])
    >>> compared.worse, compared.better, compared.same, round(compared.change, 4)
    (2, 1, 1, -0.125)
    >>> round(compared.p, 4), compared.p_floor, compared.can_confirm  # 1 / 2 ** 3
    (0.1708, 0.125, False)
    """
    owner = "compare_paired"
    check_option(test, "test", ("t", "permutation"), owner)
    alpha, power, level = (
        check_share(share, name, owner)
        for name, share in (("alpha", alpha), ("power", power), ("level", level))
    )
    n_resamples = check_integer(n_resamples, "n_resamples", owner, at_least=1)
    generator = check_seed(random_state, "random_state", owner)
    change, scale, shares = _read_pairs(new, old, weights)
    if test == "permutation" and shares is not None:
        msg = "weighted pairs are tested by t; leave out weights or take test='t'"
        raise InvalidParameterError(msg)
    gain = change if check_flag(greater_is_better, "greater_is_better", owner) else -change
    n, changed, flat = len(change), int(np.count_nonzero(change)), is_flat(change, scale)
    p_floor = 0.5**changed if n > 1 else math.nan
    if test == "permutation" and changed and n > 1:
        p = p_of_flips(gain, n_resamples, generator)
    else:
        p = _p_of_t(gain, shares, flat=flat)
    return PairedComparison(
        n=n,
        worse=int((gain < 0).sum()),
        better=int((gain > 0).sum()),
        same=n - changed,
        change=mean_of(change, shares),
        ci=(math.nan, math.nan) if n < 2 or flat else t_interval(change, shares, level),
        p=max(p, p_floor),
        detectable=math.nan if flat else _detectable(change, shares, alpha, power),
        p_floor=p_floor,
        can_confirm=p_floor <= alpha,
    )


def _read_pairs(new: Any, old: Any, weights: Any) -> tuple[FloatArray, float, FloatArray | None]:
    """Changes of the pairs that count, the size of the values behind them, and their weights."""
    pairs = read_values(new, "new"), read_values(old, "old")
    if len(pairs[0]) != len(pairs[1]):
        msg = f"new has {len(pairs[0])} values and old {len(pairs[1])}; pass one per query"
        raise ValueError(msg)
    shares = read_weights(weights, len(pairs[0]))
    change = pairs[0] - pairs[1]
    kept = ~np.isnan(change) if shares is None else ~np.isnan(change) & (shares > 0)
    scale = max((float(np.abs(side[kept]).max(initial=0.0)) for side in pairs), default=0.0)
    return change[kept], scale, None if shares is None else shares[kept]


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


def _p_of_t(gain: FloatArray, weights: FloatArray | None, *, flat: bool) -> float:
    """One-sided p-value of Student's t; that of the direction alone where there is no spread."""
    if len(gain) < 2:
        return math.nan
    if flat:
        return 0.0 if gain[0] < 0 else 1.0
    from scipy import special

    t = mean_of(gain, weights) / error_of_mean(gain, weights)
    return float(special.stdtr(len(gain) - 1, t))


def _detectable(
    change: FloatArray, weights: FloatArray | None, alpha: float, power: float
) -> float:
    if len(change) < 2:
        return math.nan
    freedom = len(change) - 1
    reach = t_quantile(1 - alpha, freedom) + t_quantile(power, freedom)
    return error_of_mean(change, weights) * reach
