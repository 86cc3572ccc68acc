"""The rule of a gate: which drops are red, how often that is a false alarm, what the gate can see.

Numbers only. ``judge`` takes one sample of paired queries per measure (or slice) and returns plain
data; :mod:`sklearn_rank.gates` turns them into verdicts and sentences.

A drop is red beyond ``hard_drop``; or beyond ``max_drop`` and significant; or beyond ``max_drop``
with two queries or more lost and none won. The rule is monotone: a query that gets worse never
turns red into green, and a query that gets better never green into red.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np

from sklearn_rank.evaluation.averaging import on_scale
from sklearn_rank.evaluation.repeats import OTHER_RUNS, Noise, noise_between
from sklearn_rank.statistics.differences import Differences, correct_p_values, queries_needed
from sklearn_rank.statistics.samples import cluster_means, robust_error, t_quantile
from sklearn_rank.support.segments import EMPTY, mean_of
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

Key = TypeVar("Key", bound=Hashable)

HARD_DROP = 0.15
"""Default of ``hard_drop`` for measures between 0 and 1: the least that keeps the false alarms of
one measure at 15 % for 12 queries and at 11 % for 25 and more."""
SLACK = 1e-9
"""Rounding of a mean of floats: a drop this close to its limit does not exceed it."""
POWER = 0.8
"""Probability with which a detectable drop is red."""
USUAL_DEVIATION = 0.15
"""Standard deviation of the changes of a query's nDCG between two versions of a system, where
nothing is known yet."""


class Clause(StrEnum):
    """A reason why a drop is red."""

    HARD_DROP = "hard_drop"
    """The drop exceeds ``hard_drop``."""
    SIGNIFICANT = "significant"
    """It exceeds ``max_drop``, and its p-value is at most ``alpha``."""
    ONLY_LOSSES = "only losses"
    """It exceeds ``max_drop``, two queries or more (with clusters: clusters) lost and none won."""
    UNTESTED = "untested"
    """It exceeds ``max_drop``, and the measure has no values per query to test."""


@dataclass(frozen=True)
class Rule:
    """Limits of the drop of one measure, over all queries or in a slice."""

    max_drop: float
    hard_drop: float = math.inf
    alpha: float = 0.05
    proven: bool = False
    """Whether the upper bound of the drop is wanted, for ``pass_if="proven"``."""
    only_losses: bool = True
    """Whether losses without a win are red. False for slices: five of twelve queries each would
    raise the false alarms of a gate to 40 %."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """One measure of two systems, query by query."""

    drops: FloatArray
    """Above 0 is worse, whatever the direction of the measure; logarithms of geometric means."""
    queries: IntArray
    """Numbers of the queries, the same ones in all measures and slices of a gate."""
    weights: FloatArray | None = None
    clusters: IntArray | None = None
    """Numbers of the clusters, the same ones in all measures and slices of a gate."""
    reach: float = math.inf
    """Greatest drop that one query can have: the range of the measure."""
    geometric_from: float | None = None
    """The old geometric mean, where ``drops`` are of logarithms."""
    identical: bool = False
    """Whether both systems gave the same rankings, not only the same values."""
    runs: tuple[int, int] = (1, 1)
    """Runs of the old and of the new system; above 1 for ``Repeats``."""
    spreads: Sequence[FloatArray | None] = (None, None)
    """Standard deviations of the queries between the runs of the old and of the new system."""

    @classmethod
    def of(
        cls,
        new: Any,
        old: Any,
        *,
        queries: Any = None,
        weights: Any = None,
        clusters: Any = None,
        greater_is_better: bool = True,
        bounds: tuple[float, float] = (-math.inf, math.inf),
        geometric_from: float | None = None,
        identical: bool = False,
        runs: tuple[int, int] = (1, 1),
        spreads: Sequence[Any] = (None, None),
    ) -> Self:
        """Pair the values of the queries that have both, and a weight above 0.

        ``new``, ``old``, ``weights``, ``queries`` and ``clusters`` hold one element per query, NaN
        for an undefined value; ``queries`` and ``clusters`` are whole numbers. ``bounds`` and
        ``geometric_from`` (the least value that counts) are those of the metric. ``runs`` and
        ``spreads`` are of the old and of the new system: the number of its runs, and
        ``Evaluation.spread`` or None.
        """
        new, old = np.asarray(new, np.float64), np.asarray(old, np.float64)
        numbers = np.arange(len(new)) if queries is None else np.asarray(queries, np.int64)
        shares = None if weights is None else np.asarray(weights, np.float64)
        kept = ~np.isnan(new) & ~np.isnan(old)
        kept = kept if shares is None else kept & (shares > 0)
        sides = [on_scale(side[kept], geometric_from) for side in (old, new)]
        drops = sides[0] - sides[1] if greater_is_better else sides[1] - sides[0]
        largest = max((float(np.abs(side).max(initial=0.0)) for side in sides), default=0.0)
        drops[np.abs(drops) <= SLACK * min(largest, 1.0)] = 0.0
        was = None
        if geometric_from is not None:
            was = math.exp(
                float(np.average(sides[0], weights=None if shares is None else shares[kept]))
            )
        reach = math.inf if was is not None else bounds[1] - bounds[0]
        return cls(
            drops,
            numbers[kept],
            None if shares is None else shares[kept],
            None if clusters is None else np.asarray(clusters, np.int64)[kept],
            reach,
            was,
            identical,
            runs,
            [None if side is None else np.asarray(side)[kept] for side in spreads],
        )

    def take(self, queries: Any) -> Self:
        """The pairs of some queries, by their numbers."""
        kept = np.isin(self.queries, queries)
        return replace(
            self,
            drops=self.drops[kept],
            queries=self.queries[kept],
            weights=None if self.weights is None else self.weights[kept],
            clusters=None if self.clusters is None else self.clusters[kept],
            spreads=[None if side is None else side[kept] for side in self.spreads],
        )


@dataclass(frozen=True)
class Drop:
    """What the rule says of one measure, over all queries or in a slice.

    Every number is in the units of the measure. NaN stands for what a measure without values per
    query does not have.
    """

    drop: float
    """Old minus new mean, or new minus old where less is better: above 0 is worse."""
    n: int = 0
    """Queries compared one by one."""
    n_clusters: int = 0
    """Clusters of these; ``n`` where there are none."""
    lost: int = 0
    won: int = 0
    p: float = math.nan
    """One-sided p-value of "not worse", alone."""
    p_adjusted: float = math.nan
    """Holm's, over all that ``judge`` got."""
    p_of_gain: float = math.nan
    """One-sided p-value of "not better", adjusted likewise."""
    at_least: float = math.nan
    """Lower one-sided bound of the drop at 1 - alpha: above 0 where ``p`` is at most alpha."""
    at_most: float = math.nan
    """Upper one-sided bound of the drop at 1 - alpha, which holds for rare losses too; NaN unless
    ``rule.proven``."""
    detectable: float = math.nan
    """Least true drop that is red with a probability of ``POWER``; NaN where nothing changed."""
    false_alarm: float = 0.0
    """Probability of red where each change of a query could as well have had the other sign."""
    design_effect: float = math.nan
    noise: Noise | None = None
    """What the variance of the change owes to repeated runs; None without repeats."""
    detectable_with: Mapping[int, float] = field(default_factory=dict)
    """``detectable`` with other numbers of runs; empty without repeats."""
    clauses: tuple[Clause, ...] = ()
    """Why the drop is red; empty: it is not."""
    exceeds: bool = False
    """Whether it exceeds ``max_drop``; without a clause it is then "not confirmed"."""
    proven: bool = True
    """Whether the drop is shown not to exceed ``max_drop``; True where nobody asked."""


def judge(
    pairs: Mapping[Key, Pairs | float], rules: Mapping[Key, Rule], *, rates: bool = True
) -> dict[Key, Drop]:
    """Judge the drops of one family: the measures of a gate, or its slices.

    A float in place of pairs is the drop of a measure that has no values per query. ``rates=False``
    leaves ``detectable`` and ``false_alarm`` out, for which the rule is run on random signs.
    """
    samples = {
        key: _Sample(own, rules[key]) for key, own in pairs.items() if isinstance(own, Pairs)
    }
    p_values = correct_p_values([own.p for own in samples.values()], "holm")
    gains = correct_p_values([own.p_of_gain for own in samples.values()], "holm")
    adjusted = dict(zip(samples, zip(p_values, gains, strict=True), strict=True))
    alarms = _alarms(samples)[0] if rates else {}
    found = {}
    for key, own in pairs.items():
        rule = rules[key]
        if isinstance(own, Pairs):
            sample, (p, p_of_gain) = samples[key], adjusted[key]
            clauses = sample.clauses(p)
            drop = Drop(
                drop=sample.in_units(sample.mean),
                n=len(own.drops),
                n_clusters=len(sample.values),
                lost=int((own.drops > 0).sum()),
                won=int((own.drops < 0).sum()),
                p=sample.p,
                p_adjusted=p,
                p_of_gain=p_of_gain,
                at_least=sample.at_least,
                at_most=sample.at_most if rule.proven else math.nan,
                detectable=sample.detectable(len(samples)) if rates else math.nan,
                false_alarm=float(alarms[key].mean()) if rates else math.nan,
                noise=sample.noise,
                detectable_with=sample.detectable_with(len(samples)) if rates else {},
                design_effect=Differences(own.drops, own.weights, 1.0, own.clusters).design_effect,
                clauses=clauses,
            )
        else:
            exceeded = (
                (Clause.HARD_DROP, own > rule.hard_drop + SLACK),
                (Clause.UNTESTED, not own <= rule.max_drop + SLACK),
            )
            drop = Drop(own, clauses=tuple(clause for clause, fires in exceeded if fires))
        exceeds = not drop.drop <= rule.max_drop + SLACK
        proven = not rule.proven or drop.at_most <= rule.max_drop + SLACK
        found[key] = replace(drop, exceeds=exceeds, proven=proven)
    return found


def false_alarm(*families: tuple[Mapping[Key, Pairs | float], Mapping[Key, Rule]]) -> float:
    """Probability that a gate is red although no system is the better one.

    Each change of a query (or cluster) is as likely for the better as for the worse, in all
    measures and slices at once; what changes, and by how much, is as observed. Each family, such as
    measures and slices, is the pairs and rules of one call of :func:`judge`.
    """
    samples = [
        {key: _Sample(own, rules[key]) for key, own in pairs.items() if isinstance(own, Pairs)}
        for pairs, rules in families
    ]
    red = [alarms for family in _alarms(*samples) for alarms in family.values()]
    return float(np.logical_or.reduce(red).mean()) if red else 0.0


class _Sample:
    """Pairs as units that vary independently, queries or clusters, with the rule on their scale."""

    def __init__(self, pairs: Pairs, rule: Rule) -> None:
        self.rule, self.was, self.pairs = rule, pairs.geometric_from, pairs
        values, weights, self.ids = pairs.drops, pairs.weights, pairs.queries
        if pairs.clusters is not None:
            order = np.argsort(pairs.clusters, kind="stable")
            weights = None if weights is None else weights[order]
            values, weights = cluster_means(values[order], weights, pairs.clusters[order])
            self.ids = np.unique(pairs.clusters)
        self.values, n = values, len(values)
        shares = np.ones(n) if weights is None else weights
        self.shares = shares / shares.sum()
        rest = np.maximum(1 - self.shares, np.finfo(np.float64).eps)
        self.leverage = self.shares**2 / rest
        """Shares of the squares of the values in the variance of their mean (CR2)."""
        self.error, self.freedom = robust_error(values, weights)
        self.max_drop, self.hard_drop = map(self.on_scale, (rule.max_drop, rule.hard_drop))
        changed = np.flatnonzero(values)
        size = np.abs(values[changed]) * self.leverage[changed] / self.shares[changed]
        self.changed = changed[np.argsort(size, kind="stable")]
        """Units that changed, in the order in which a falling cap reaches them last."""

    def on_scale(self, drop: float) -> float:
        """A drop in units of the measure as one of the values."""
        if self.was is None:
            return drop
        return -math.log1p(-drop / self.was) if drop < self.was else math.inf

    def in_units(self, drop: float) -> float:
        """The inverse."""
        return drop if self.was is None else -self.was * math.expm1(-drop)

    @cached_property
    def mean(self) -> float:
        return float(mean_of(self.pairs.drops, self.pairs.weights))

    def outcomes(self, signs: FloatArray) -> _Outcomes:
        """Means, p-values and the third clause, one for each row of signs of the changed units.

        The p-value is the least that Student's t has for any sample without a greater loss in any
        unit, so that it falls with every loss: of all such samples, t is greatest for the one whose
        losses end at a cap. No p-value is less than that of as many coins as there are losses.
        """
        changed = self.changed
        shares, leverage = self.shares[changed], self.leverage[changed]
        values, scale = signs * np.abs(self.values[changed]), leverage / shares
        lost, won = (signs > 0).sum(axis=1), (signs < 0).sum(axis=1)
        means = values @ shares
        t, lower = self._t(means, values**2 @ leverage)
        # A cap c solves sum q x (c - x) = 0 over all x < c; q = share / scale, x = value * scale.
        size = np.abs(self.values[changed]) * scale
        totals, squares = (
            np.cumsum(np.where(signs > 0, terms, 0.0), axis=1)
            + np.where(signs < 0, least, 0.0).sum(axis=1, keepdims=True)
            for terms, least in (
                (shares / scale * size, -shares / scale * size),
                (shares / scale * size**2, shares / scale * size**2),
            )
        )
        beyond = size * totals > squares * (1 + 1e-12)
        rows = np.flatnonzero(beyond.any(axis=1))
        if len(rows):
            before = rows, np.maximum(np.argmax(beyond[rows], axis=1) - 1, 0)
            caps = squares[before] / totals[before]
            capped = np.minimum(values[rows], caps[:, None] / scale)
            ends = self._t(capped @ shares, capped**2 @ leverage)
            t[rows], lower[rows] = np.maximum(t[rows], ends[0]), np.maximum(lower[rows], ends[1])
        return _Outcomes(means, self._p(t, means, lost), (lost >= 2) & (won == 0), lower)

    def flipped(self, signs: FloatArray, columns: IntArray, first: FloatArray) -> _Outcomes:
        """Outcomes of random signs of the changed units: ``first``, times those of their columns.

        Where many units changed, some are always lost and some won, and no cap alters p by a digit
        that is printed.
        """
        if len(columns) <= _CAPPED:
            return self.outcomes(signs[:, columns] * first)
        values = np.abs(self.values[self.changed])
        sums = np.bincount(
            columns, first * values * self.shares[self.changed], minlength=signs.shape[1]
        )
        means, squares = signs @ sums, values**2 @ self.leverage[self.changed]
        t, lower = self._t(means, np.full(len(means), squares))
        p = self._p(t, means, np.full(len(means), _CAPPED))
        return _Outcomes(means, p, np.zeros(len(means), bool), lower)

    def _t(self, means: FloatArray, squares: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Student's t and the lower end of its one-sided interval.

        Of the means, and the sums of squares weighed by ``leverage``. With equal weights it is the
        usual t; with others its variance is around 0, so that t has one greatest value under caps.
        """
        variances = squares - means**2 / max(len(self.values) - 1, 1)
        flat = variances <= 1e-12 * squares
        errors = np.where(flat, 0.0, np.sqrt(np.maximum(variances, 0.0)))
        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.where(flat, np.copysign(np.inf, means), means / errors)
        return t, means - t_quantile(1 - self.rule.alpha, self.freedom) * errors

    def _p(self, t: FloatArray, means: FloatArray, lost: IntArray) -> FloatArray:
        from scipy import special

        p = np.where(means > 0, np.ldexp(1.0, -np.minimum(lost, 1000)), 0.5)
        if len(self.values) < 2:
            return p
        return np.maximum(p, np.asarray(special.stdtr(self.freedom, -t), np.float64))

    @cached_property
    def observed(self) -> _Outcomes:
        """The outcome of the signs that were observed."""
        return self.outcomes(np.sign(self.values[self.changed])[None, :])

    @property
    def p(self) -> float:
        return float(self.observed.p[0]) if len(self.changed) else 1.0

    @cached_property
    def p_of_gain(self) -> float:
        if not self.mean < 0:
            return 1.0
        return float(self.outcomes(-np.sign(self.values[self.changed])[None, :]).p[0])

    @property
    def at_least(self) -> float:
        """Lower bound of the drop, on the side of 0 on which the test puts it."""
        if not len(self.changed):
            return 0.0
        lower = float(self.observed.lower[0])
        return self.in_units(max(lower, 0.0) if self.p <= self.rule.alpha else min(lower, 0.0))

    @cached_property
    def at_most(self) -> float:
        """Upper bound of the drop, with one more unit of the greatest possible drop [1]_.

        The weights of the units are exponential, the quantile of their mean is the bound; with
        values at both ends alone it is Clopper and Pearson's.

        References
        ----------
        .. [1] Gaffke, Three Test Statistics for a Nonparametric One-Sided Hypothesis on the Mean
           of a Nonnegative Variable, 2005.
        """
        if self.pairs.identical:
            return 0.0
        if not math.isfinite(self.pairs.reach):
            if not len(self.changed):
                return math.inf
            spread = Differences(self.values, self.shares)
            return self.in_units(spread.drop_at_most(self.rule.alpha, "greater"))
        return _upper_bound(self.values, self.shares, self.pairs.reach, self.rule.alpha)

    def detectable(self, tests: int, scale: float = 1.0) -> float:
        """Least true drop that is red with a probability of ``POWER``, at a multiple of error."""
        if not 0 < self.error < math.inf:
            return math.nan
        rule = replace(self.rule, max_drop=self.max_drop, hard_drop=self.hard_drop)
        return self.in_units(_detectable(scale * self.error, self.freedom, rule, tests))

    @cached_property
    def noise(self) -> Noise | None:
        """What repeated runs add to the variance of the change."""
        if self.was is not None:
            return None
        return noise_between(self.pairs.spreads, self.pairs.runs, self.pairs.weights, self.error)

    def detectable_with(self, tests: int) -> dict[int, float]:
        """``detectable`` with other numbers of runs."""
        if self.noise is None or not self.noise.share:
            return {}
        return {runs: self.detectable(tests, self.noise.scale(runs)) for runs in OTHER_RUNS}

    def clauses(self, p: float) -> tuple[Clause, ...]:
        """Why the drop is red, with its adjusted p-value."""
        fires = self._fires(self.observed, np.array([p])) if len(self.changed) else {}
        return tuple(clause for clause, own in fires.items() if own[0])

    def _fires(self, found: _Outcomes, p: FloatArray) -> dict[Clause, BoolArray]:
        beyond = found.means > self.max_drop + SLACK
        return {
            Clause.HARD_DROP: found.means > self.hard_drop + SLACK,
            Clause.SIGNIFICANT: beyond & (p <= self.rule.alpha),
            Clause.ONLY_LOSSES: beyond & found.only_losses & self.rule.only_losses,
        }

    def is_red(self, found: _Outcomes, p: FloatArray) -> BoolArray:
        """Whether any clause fires, for each of some outcomes."""
        red: BoolArray = np.logical_or.reduce(list(self._fires(found, p).values()))
        return red


@dataclass(frozen=True)
class _Outcomes:
    """Possible results of one sample."""

    means: FloatArray
    p: FloatArray
    only_losses: BoolArray
    lower: FloatArray


_FLIPS = 1024
"""Random signs of the changes: a rate of 10 % has a standard error of 0.9 points."""
_COLUMNS = 1024
"""Units that have signs of their own; of more, some share one."""
_CAPPED = 64
"""Changed units up to which every flip has a p-value with caps."""


def _alarms(*families: Mapping[Key, _Sample]) -> list[dict[Key, BoolArray]]:
    """Whether each member of some families is red, for the same signs of the changes in all."""
    samples = [own for family in families for own in family.values()]
    units = np.unique(np.concatenate([EMPTY, *(own.ids[own.changed] for own in samples)]))
    rng = np.random.default_rng(0)
    if 2 ** len(units) <= _FLIPS:
        digits = np.arange(2 ** len(units))[:, None] >> np.arange(len(units)) & 1
    else:
        shape = _FLIPS, min(len(units), _COLUMNS)
        digits = rng.integers(0, 2, shape, dtype=np.int8).astype(np.int64)
    signs = np.asarray(2 * digits - 1, np.float64)
    first = np.asarray(2 * rng.integers(0, 2, len(units)) - 1, np.float64)
    red = []
    for family in families:
        found = []
        for own in family.values():
            places = np.searchsorted(units, own.ids[own.changed])
            found.append(own.flipped(signs, places % max(signs.shape[1], 1), first[places]))
        p_values = _holm(np.array([own.p for own in found]))
        judged = zip(family.items(), found, p_values, strict=True)
        red.append({key: own.is_red(outcomes, p) for (key, own), outcomes, p in judged})
    return red


def _holm(p_values: FloatArray) -> FloatArray:
    """Adjusted p-values of each column."""
    order = np.argsort(p_values, axis=0)
    factors = np.arange(len(p_values), 0, -1)[:, None]
    adjusted = np.maximum.accumulate(np.take_along_axis(p_values, order, 0) * factors, axis=0)
    result = np.empty_like(p_values)
    np.put_along_axis(result, order, np.minimum(adjusted, 1.0), 0)
    return result


def _upper_bound(values: FloatArray, shares: FloatArray, reach: float, alpha: float) -> float:
    """The 1 - alpha quantile of the mean of values, and one more at ``reach``, of random weights.

    By Lugannani and Rice's approximation of the tail of a sum of exponential variables.
    """
    from scipy import optimize, special

    values, shares = np.append(values, reach), np.append(shares, shares.max())
    cells, number = np.unique(np.column_stack([values, shares]), axis=0, return_inverse=True)
    counts = np.bincount(number.ravel())

    def tail(bound: float) -> float:
        terms = (cells[:, 0] - bound) * cells[:, 1]
        top = float(terms.max())

        def slope(theta: float) -> float:
            return float((counts * terms / (1 - theta * terms)).sum())

        if not slope(0.0) < 0:
            return 0.5
        theta = optimize.brentq(slope, 0.0, (1 - 1e-12) / top, xtol=1e-15 / top)
        cumulant = -float((counts * np.log1p(-theta * terms)).sum())
        curvature = float((counts * (terms / (1 - theta * terms)) ** 2).sum())
        w, u = math.sqrt(max(-2 * cumulant, 0.0)), theta * math.sqrt(curvature)
        if not min(w, u) > 1e-6:
            return 0.5
        density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
        return float(special.ndtr(-w)) + density * (1 / u - 1 / w)

    mean = float((counts * cells[:, 0] * cells[:, 1]).sum() / (counts * cells[:, 1]).sum())
    if not mean < reach:
        return reach
    return float(optimize.brentq(lambda b: tail(b) - alpha, mean, reach * (1 - 1e-12)))


# Before there is a second system -----------------------------------------------------------------

_SPREADS = 200
"""Points at which the distribution of the deviation is read; more change no printed digit."""


def _red_share(drop: float, error: float, freedom: float, rule: Rule, tests: int) -> float:
    """Probability of red at a true drop, where the mean is normal and its error sampled."""
    from scipy import special

    points = (np.arange(_SPREADS) + 0.5) / _SPREADS
    spreads = 2 * special.gammaincinv(freedom / 2, points) / freedom
    t = special.stdtrit(freedom, 1 - rule.alpha / tests)
    limits = np.clip(
        t * error * np.sqrt(spreads), rule.max_drop, max(rule.hard_drop, rule.max_drop)
    )
    return float(special.ndtr((drop - limits) / error).mean())


def _detectable(error: float, freedom: float, rule: Rule, tests: int) -> float:
    """Least true drop that is red with a probability of ``POWER``."""
    from scipy import optimize

    most = rule.max_drop + 100 * error
    return float(
        optimize.brentq(
            lambda drop: _red_share(drop, error, freedom, rule, tests) - POWER, 0.0, most
        )
    )


@dataclass(frozen=True)
class Outlook:
    """What a gate of so many queries will be able to see, before there is a second system."""

    n: int
    detectable: float
    """Least true drop that is red with a probability of ``POWER``."""
    false_alarm: float
    """Probability of red for an equally good system."""
    needed: float
    """Queries for which a true drop of ``max_drop`` is red that often; NaN where it is 0."""
    to_prove: float
    """Queries without a loss that prove a drop of at most ``max_drop``; NaN where it is 0."""


def outlook(
    n: int,
    rule: Rule,
    *,
    tests: int = 1,
    deviation: float = USUAL_DEVIATION,
    reach: float = 1.0,
) -> Outlook:
    """What a gate of ``n`` queries will see, if their changes have this standard deviation.

    ``tests`` is the number of measures (or slices) that are tested together.
    """
    freedom, error = n - 1.0, deviation / math.sqrt(n)
    needed = to_prove = math.nan
    if rule.max_drop > 0:
        needed = queries_needed(rule.max_drop, deviation, alpha=rule.alpha / tests, power=POWER)
        to_prove = math.ceil(math.log(rule.alpha) / math.log1p(-rule.max_drop / reach))
    return Outlook(
        n,
        _detectable(error, freedom, rule, tests),
        _red_share(0.0, error, freedom, rule, tests),
        needed,
        to_prove,
    )
