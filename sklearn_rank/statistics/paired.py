"""The paired test of a gate: whether the new system is worse, query by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sklearn_rank.statistics.differences import Alternative, Differences
from sklearn_rank.statistics.samples import check_share, read_values, read_weights
from sklearn_rank.support.checks import check_flag, check_integer, check_option, check_seed


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
    error : float
        Standard error of the change; NaN with fewer than two pairs.
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
    error: float
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
        ``n_resamples`` is enough; they keep their weights). No test gives a p-value below that of
        all sign flips, ``2 ** -n_changed``: two queries that lose the same have no
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
        If ``test`` is unknown, a share is not in (0, 1), or ``n_resamples`` is not an integer of at
        least 1.

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
    pairs = _read_pairs(new, old, weights)
    greater = check_flag(greater_is_better, "greater_is_better", owner)
    n, change = len(pairs), pairs.change
    gain = change if greater else -change
    worse: Alternative = "less" if greater else "greater"
    p_floor = pairs.p_floor(worse)
    return PairedComparison(
        n=n,
        worse=int((gain < 0).sum()),
        better=int((gain > 0).sum()),
        same=n - pairs.n_changed,
        change=pairs.mean,
        ci=pairs.t_interval(level),
        p=pairs.p(test, worse, n_resamples, generator),
        detectable=pairs.detectable(alpha, power, worse),
        p_floor=p_floor,
        error=pairs.error,
        can_confirm=p_floor <= alpha,
    )


def _read_pairs(new: Any, old: Any, weights: Any) -> Differences:
    """The pairs that count: both values are defined, and the weight is above 0."""
    sides = read_values(new, "new"), read_values(old, "old")
    if len(sides[0]) != len(sides[1]):
        msg = f"new has {len(sides[0])} values and old {len(sides[1])}; pass one per query"
        raise ValueError(msg)
    shares = read_weights(weights, len(sides[0]))
    change = sides[0] - sides[1]
    kept = ~np.isnan(change) if shares is None else ~np.isnan(change) & (shares > 0)
    scale = max((float(np.abs(side[kept]).max(initial=0.0)) for side in sides), default=0.0)
    return Differences(change[kept], None if shares is None else shares[kept], scale)
