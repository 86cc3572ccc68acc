"""The rule of a gate: red drops, the rate of false alarms, and the power.

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
from sklearn_rank.gates.policy import SLACK
from sklearn_rank.statistics.differences import Differences, queries_needed
from sklearn_rank.statistics.drops import Drops, Outcomes, holm, random_signs
from sklearn_rank.support.segments import mean_of
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

Key = TypeVar("Key", bound=Hashable)

POWER = 0.8
"""Probability with which a detectable drop is red."""
USUAL_DEVIATION = 0.15
"""Standard deviation of the changes of a query's nDCG, where nothing is known yet."""


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

        Arrays hold an element per query, NaN for an undefined value; ``queries`` and ``clusters``
        are whole numbers. ``bounds`` and ``geometric_from`` come from the metric. ``runs`` and
        ``spreads`` (``Evaluation.spread`` or None) are of the old and of the new system.
        """
        new, old = np.asarray(new, np.float64), np.asarray(old, np.float64)
        kept = ~np.isnan(new) & ~np.isnan(old)
        kept &= True if weights is None else np.asarray(weights) > 0
        before, after = (on_scale(side[kept], geometric_from) for side in (old, new))
        drops = before - after if greater_is_better else after - before
        drops[np.abs(drops) <= SLACK * min(float(np.abs(before).max(initial=0.0)), 1.0)] = 0.0

        def chosen(own: Any, kind: Any) -> Any:
            return None if own is None else np.asarray(own, kind)[kept]

        shares, was = chosen(weights, np.float64), None
        if geometric_from is not None:
            was = math.exp(mean_of(before, shares))
        return cls(
            drops,
            chosen(np.arange(len(new)) if queries is None else queries, np.int64),
            shares,
            chosen(clusters, np.int64),
            bounds[1] - bounds[0] if was is None else math.inf,
            was,
            identical,
            runs,
            [chosen(side, np.float64) for side in spreads],
        )

    def take(self, queries: Any) -> Self:
        """The pairs of some queries, by their numbers."""
        kept = np.isin(self.queries, queries)
        columns = ("drops", "queries", "weights", "clusters")
        own: dict[str, Any] = {name: getattr(self, name) for name in columns}
        own = {name: None if column is None else column[kept] for name, column in own.items()}
        own["spreads"] = [None if side is None else side[kept] for side in self.spreads]
        return replace(self, **own)


@dataclass(frozen=True)
class Drop:
    """The decision of the rule on one measure, over all queries or in a slice.

    In units of the measure; NaN where a measure has no values per query.
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
    """Variance of the change that is due to differences between repeated runs; None without
    repeats."""
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
    samples = _samples(pairs, rules)
    observed = {key: own.units.outcomes(own.units.signs) for key, own in samples.items()}
    gains = [own.units.outcomes(-own.units.signs) for own in samples.values()]
    p_values, p_of_gain = (
        dict(zip(samples, holm([own.p for own in side]).ravel().tolist(), strict=True))
        for side in (observed.values(), gains)
    )
    alarms = _alarms(samples) if rates else {}
    found = {}
    for key, own in pairs.items():
        rule, tests = rules[key], len(samples)
        if not isinstance(own, Pairs):
            exceeds = not own <= rule.max_drop + SLACK
            fires = {Clause.HARD_DROP: own > rule.hard_drop + SLACK, Clause.UNTESTED: exceeds}
            clauses = tuple(clause for clause, is_red in fires.items() if is_red)
            found[key] = Drop(own, clauses=clauses, exceeds=exceeds, proven=not rule.proven)
            continue
        sample, seen = samples[key], observed[key]
        fired = sample.fires(seen, np.array([p_values[key]]))
        means = mean_of(own.drops, own.weights), float(seen.lower[0])
        drop, lower = map(sample.in_units, means)
        at_most = sample.at_most
        found[key] = Drop(
            drop=drop,
            n=len(own.drops),
            n_clusters=len(sample.units.values),
            lost=int((own.drops > 0).sum()),
            won=int((own.drops < 0).sum()),
            p=float(seen.p[0]),
            p_adjusted=p_values[key],
            p_of_gain=p_of_gain[key],
            at_least=max(lower, 0.0) if seen.p[0] <= rule.alpha else min(lower, 0.0),
            at_most=at_most,
            detectable=sample.detectable(tests) if rates else math.nan,
            false_alarm=float(alarms[0, key].mean()) if rates else math.nan,
            design_effect=Differences(own.drops, own.weights, 1.0, own.clusters).design_effect,
            noise=sample.noise,
            detectable_with=sample.detectable_with(tests) if rates else {},
            clauses=tuple(clause for clause, is_red in fired.items() if is_red[0]),
            exceeds=drop > rule.max_drop + SLACK,
            proven=not rule.proven or at_most <= rule.max_drop + SLACK,
        )
    return found


def false_alarm(*families: tuple[Mapping[Key, Pairs | float], Mapping[Key, Rule]]) -> float:
    """Probability that a gate is red although no system is the better one.

    Each change of a query (or cluster) is as likely for the better as for the worse, in all
    measures and slices at once; what changes, and by how much, is as observed. Each family, such as
    measures and slices, is the pairs and rules of one call of :func:`judge`.
    """
    red = [*_alarms(*(_samples(*family) for family in families)).values()]
    return float(np.logical_or.reduce(red).mean()) if red else 0.0


class _Sample:
    """Pairs with the rule on their scale."""

    def __init__(self, pairs: Pairs, rule: Rule) -> None:
        self.pairs, self.rule, self.was = pairs, rule, pairs.geometric_from
        weights, clusters = pairs.weights, pairs.clusters
        self.units = Drops(pairs.drops, pairs.queries, weights, clusters, rule.alpha)
        limits = [self.on_scale(limit) for limit in (rule.max_drop, rule.hard_drop)]
        self.scaled = replace(rule, max_drop=limits[0], hard_drop=limits[1])

    def on_scale(self, drop: float) -> float:
        """A drop in units of the measure as one of the values."""
        if self.was is None:
            return drop
        return -math.log1p(-drop / self.was) if drop < self.was else math.inf

    def in_units(self, drop: float) -> float:
        """The inverse."""
        return drop if self.was is None else -self.was * math.expm1(-drop)

    def fires(self, found: Outcomes, p: FloatArray) -> dict[Clause, BoolArray]:
        """Which clauses make each outcome red, by its adjusted p-value."""
        beyond = found.means > self.scaled.max_drop + SLACK
        return {
            Clause.HARD_DROP: found.means > self.scaled.hard_drop + SLACK,
            Clause.SIGNIFICANT: beyond & (p <= self.rule.alpha),
            Clause.ONLY_LOSSES: beyond & found.only_losses & self.rule.only_losses,
        }

    @property
    def at_most(self) -> float:
        """Upper bound of the drop; NaN unless it was asked for."""
        if not self.rule.proven:
            return math.nan
        if self.pairs.identical and self.pairs.runs == (1, 1):
            return 0.0
        if math.isfinite(self.pairs.reach):
            return self.units.at_most(self.pairs.reach)
        spread = Differences(self.units.values, self.units.shares)
        high = spread.interval(1 - 2 * self.rule.alpha, math.inf)[1]
        return math.inf if math.isnan(high) else self.in_units(high)

    def detectable(self, tests: int, scale: float = 1.0) -> float:
        """Least true drop that is red with a probability of ``POWER``, at a multiple of error."""
        error = scale * self.units.error
        if not 0 < error < math.inf:
            return math.nan
        limits = _red_from(error, self.units.freedom, self.scaled, tests)
        return self.in_units(_detectable(error, limits))

    @cached_property
    def noise(self) -> Noise | None:
        """Part of the variance of the change between repeated runs."""
        pairs = self.pairs
        if self.was is not None:
            return None
        return noise_between(pairs.spreads, pairs.runs, pairs.weights, self.units.error)

    def detectable_with(self, tests: int) -> dict[int, float]:
        """``detectable`` with other numbers of runs."""
        if self.noise is None or not self.noise.share:
            return {}
        numbers = sorted({*OTHER_RUNS, *self.pairs.runs})
        return {runs: self.detectable(tests, self.noise.scale(runs)) for runs in numbers}


def _alarms(*families: Mapping[Key, _Sample]) -> dict[tuple[int, Key], BoolArray]:
    """Whether each member of some families is red, for the same signs of the changes in all."""
    samples = [own for family in families for own in family.values()]
    found = iter(random_signs([own.units for own in samples]) if samples else ())
    red: dict[tuple[int, Key], BoolArray] = {}
    for number, family in enumerate(families):
        outcomes = [next(found) for _ in family]
        adjusted = holm([own.p for own in outcomes])
        for (key, own), outcome, p in zip(family.items(), outcomes, adjusted, strict=True):
            red[number, key] = np.logical_or.reduce([*own.fires(outcome, p).values()])
    return red


def _samples(pairs: Mapping[Key, Pairs | float], rules: Mapping[Key, Rule]) -> dict[Key, _Sample]:
    return {key: _Sample(own, rules[key]) for key, own in pairs.items() if isinstance(own, Pairs)}


# Power -------------------------------------------------------------------------------------------


def _red_from(error: float, freedom: float, rule: Rule, tests: int) -> FloatArray:
    """Drops from which on a gate is red, for quantiles of the sampled error."""
    from scipy import special

    points = (np.arange(200) + 0.5) / 200  # more of them change no printed digit
    spreads = 2 * special.gammaincinv(freedom / 2, points) / freedom
    limits = special.stdtrit(freedom, 1 - rule.alpha / tests) * error * np.sqrt(spreads)
    clipped: FloatArray = np.clip(limits, rule.max_drop, max(rule.hard_drop, rule.max_drop))
    return clipped


def _red_share(drop: float, error: float, limits: FloatArray) -> float:
    """Probability of red at a true drop, where the mean is normal."""
    from scipy import special

    return float(special.ndtr((drop - limits) / error).mean())


def _detectable(error: float, limits: FloatArray) -> float:
    from scipy import optimize

    def lacks(drop: float) -> float:
        return _red_share(drop, error, limits) - POWER

    greatest = limits.max() + 10 * error
    return float(optimize.brentq(lacks, 0.0, greatest)) if greatest < math.inf else math.nan


@dataclass(frozen=True)
class Outlook:
    """Power of a gate with this number of queries, before there is a second system."""

    detectable: float
    """Least true drop that is red with a probability of ``POWER``."""
    false_alarm: float
    """Probability of red for an equally good system."""
    needed: float
    """Queries for which a true drop of ``max_drop`` is red that often; NaN where it is 0."""


def outlook(n: int, rule: Rule, *, tests: int = 1, deviation: float = USUAL_DEVIATION) -> Outlook:
    """Power of a gate of ``n`` queries, if their changes have this standard deviation.

    ``tests`` is the number of measures (or slices) that are tested together.
    """
    error, needed = deviation / math.sqrt(n), math.nan
    limits = _red_from(error, n - 1.0, rule, tests)
    if rule.max_drop > 0:
        needed = queries_needed(rule.max_drop, deviation, alpha=rule.alpha / tests, power=POWER)
    return Outlook(_detectable(error, limits), _red_share(0.0, error, limits), needed)
