"""The rule of a gate: red drops, the rate of false alarms, and the power.

A drop is red beyond ``hard_drop``; or beyond ``max_drop`` and significant; or beyond ``max_drop``
with two queries or more lost and none won. The rule is monotone: a query that gets worse never
turns red into green, and a query that gets better never green into red.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np

from sklearn_rank.comparison.pairs import SLACK, Pairs
from sklearn_rank.evaluation.repeats import OTHER_RUNS
from sklearn_rank.statistics.differences import queries_needed
from sklearn_rank.statistics.drops import Drops, Outcomes, holm, random_signs
from sklearn_rank.statistics.noise import Noise
from sklearn_rank.support.segments import mean_of
from sklearn_rank.typing import BoolArray, FloatArray

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
    only_losses: bool = True
    """Whether losses without a win are red. False for slices: five of twelve queries each would
    raise the false alarms of a gate to 40 %."""


@dataclass(frozen=True)
class Drop:
    """The decision of the rule, in units of the measure; NaN without values per query."""

    drop: float
    """Old minus new mean, or new minus old where less is better: above 0 is worse."""
    n: int = 0
    """Queries compared one by one."""
    n_clusters: int = 0
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
    detectable: float = math.nan
    """Least true drop that is red with a probability of ``POWER``; NaN where nothing changed."""
    design_effect: float = math.nan
    noise: Noise | None = None
    detectable_with: Mapping[int, float] = field(default_factory=dict)
    """``detectable`` with other numbers of runs; empty without repeats."""
    clauses: tuple[Clause, ...] = ()
    """Why the drop is red; empty: it is not."""
    exceeds: bool = False
    """Whether it exceeds ``max_drop``; without a clause it is then "not confirmed"."""


class _Sample:
    """Pairs with the rule on their scale."""

    def __init__(self, pairs: Pairs, rule: Rule) -> None:
        self.pairs, self.rule = pairs, rule
        self.units = Drops(pairs.drops, pairs.queries, pairs.weights, pairs.clusters, rule.alpha)
        limits = [pairs.on_scale(limit) for limit in (rule.max_drop, rule.hard_drop)]
        self.scaled = replace(rule, max_drop=limits[0], hard_drop=limits[1])

    def fires(self, found: Outcomes, p: FloatArray) -> dict[Clause, BoolArray]:
        """Which clauses make each outcome red, by its adjusted p-value."""
        beyond = found.means > self.scaled.max_drop + SLACK
        return {
            Clause.HARD_DROP: found.means > self.scaled.hard_drop + SLACK,
            Clause.SIGNIFICANT: beyond & (p <= self.rule.alpha),
            Clause.ONLY_LOSSES: beyond & found.only_losses & self.rule.only_losses,
        }

    def detectable(self, tests: int, scale: float = 1.0) -> float:
        """Least true drop that is red with a probability of ``POWER``, at a multiple of error."""
        error = scale * self.units.error
        if not 0 < error < math.inf:
            return math.nan
        limits = _red_from(error, self.units.freedom, self.scaled, tests)
        return self.pairs.in_units(_detectable(error, limits))


def judge(
    pairs: Mapping[Key, Pairs | float], rules: Mapping[Key, Rule], *, rates: bool = True
) -> dict[Key, Drop]:
    """Judge the drops of one family: the measures of a gate, or its slices.

    A float in place of pairs is the drop of a measure that has no values per query. ``rates=False``
    leaves the detectable drops out.
    """
    samples = _samples(pairs, rules)
    observed = {key: own.units.outcomes(own.units.signs) for key, own in samples.items()}
    gains = [own.units.outcomes(-own.units.signs) for own in samples.values()]
    p_values, p_of_gain = (
        dict(zip(samples, holm([own.p for own in side]).ravel().tolist(), strict=True))
        for side in (observed.values(), gains)
    )
    found = {}
    for key, own in pairs.items():
        rule, tests = rules[key], len(samples)
        if not isinstance(own, Pairs):
            exceeds = not own <= rule.max_drop + SLACK
            fires = {Clause.HARD_DROP: own > rule.hard_drop + SLACK, Clause.UNTESTED: exceeds}
            clauses = tuple(clause for clause, is_red in fires.items() if is_red)
            found[key] = Drop(own, clauses=clauses, exceeds=exceeds)
            continue
        sample, seen, noise = samples[key], observed[key], own.noise
        fired = sample.fires(seen, np.array([p_values[key]]))
        drop, lower = map(own.in_units, (mean_of(own.drops, own.weights), float(seen.lower[0])))
        lost, won = own.lost_and_won
        others = {}
        if rates and noise is not None and noise.share:
            numbers = sorted({*OTHER_RUNS, *own.runs})
            others = {runs: sample.detectable(tests, noise.scale(runs)) for runs in numbers}
        found[key] = Drop(
            drop=drop,
            n=len(own),
            n_clusters=len(sample.units.values),
            lost=lost,
            won=won,
            p=float(seen.p[0]),
            p_adjusted=p_values[key],
            p_of_gain=p_of_gain[key],
            at_least=max(lower, 0.0) if seen.p[0] <= rule.alpha else min(lower, 0.0),
            detectable=sample.detectable(tests) if rates else math.nan,
            design_effect=own.sample.design_effect,
            noise=noise,
            detectable_with=others,
            clauses=tuple(clause for clause, is_red in fired.items() if is_red[0]),
            exceeds=drop > rule.max_drop + SLACK,
        )
    return found


def false_alarm(*families: tuple[Mapping[Key, Pairs | float], Mapping[Key, Rule]]) -> float:
    """Probability that a gate is red although no system is the better one.

    Each change of a query (or cluster) is as likely for the better as for the worse, in all
    measures and slices at once; what changes, and by how much, is as observed. Each family, such as
    measures and slices, is the pairs and rules of one call of :func:`judge`.
    """
    groups = [_samples(*family) for family in families]
    samples = [own for group in groups for own in group.values()]
    if not samples:
        return 0.0
    found = iter(random_signs([own.units for own in samples]))
    red: list[BoolArray] = []
    for group in groups:
        outcomes = [next(found) for _ in group]
        adjusted = holm([own.p for own in outcomes])
        for own, outcome, p in zip(group.values(), outcomes, adjusted, strict=True):
            red += own.fires(outcome, p).values()
    return float(np.logical_or.reduce(red).mean())


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

    greatest = limits.max() + 10 * error
    if not greatest < math.inf:
        return math.nan
    return float(
        optimize.brentq(lambda drop: _red_share(drop, error, limits) - POWER, 0.0, greatest)
    )


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
