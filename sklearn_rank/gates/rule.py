"""The rule of a gate: red drops, the rate of false alarms, and the power.

A drop is red beyond ``hard_drop``; or beyond ``max_drop`` and significant; or beyond ``max_drop``
if two or more queries lost and none won. The rule is monotone: a query that gets worse never
turns red into green, and a query that gets better never green into red.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np

from sklearn_rank.comparison.differences import Change
from sklearn_rank.statistics.paired import PairedDifferences, sign_flips
from sklearn_rank.statistics.randomization import holm
from sklearn_rank.support.constants import SLACK
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

Key = TypeVar("Key", bound=Hashable)

FEWEST_LOST = 2
"""If this many queries (with clusters: clusters) lost and none won, no test is needed."""
GAIN_ALPHA = 0.02
"""Level at which a gain raises a baseline: if every gain raised it, it would climb by luck."""


class Clause(StrEnum):
    """A reason why a drop is red."""

    HARD_DROP = "hard_drop"
    """The drop exceeds ``hard_drop``."""
    SIGNIFICANT = "significant"
    """It exceeds ``max_drop``, and its p-value is at most ``alpha``."""
    ONLY_LOSSES = "only losses"
    """It exceeds ``max_drop``, two or more queries (with clusters: clusters) lost and none won."""
    UNTESTED = "untested"
    """It exceeds ``max_drop``, and the measure has no values per query to test."""


@dataclass(frozen=True)
class Rule:
    """Limits of the drop of one measure, over all queries or in a slice."""

    max_drop: float
    hard_drop: float = math.inf
    alpha: float = 0.1
    """Level of the two-sided test; a drop is on one side."""
    only_losses: bool = True
    """Whether losses without a win are red. False for slices: five slices of twelve queries each
    would raise a gate's false alarms to 40 %."""


@dataclass(frozen=True)
class Drop(Change):
    """A change, and what the rule decides about it."""

    recorded: bool = False
    """Whether it is a gain significant enough to raise a baseline."""
    clauses: tuple[Clause, ...] = ()
    """Why the drop is red; empty: it is not."""
    exceeds: bool = False
    """Whether it exceeds ``max_drop``; without a clause it is then "not confirmed"."""

    @property
    def improved(self) -> bool:
        """Whether it is a significant gain."""
        return self.significant and bool(self.better)


def judge_drops(
    pairs: Mapping[Key, PairedDifferences | float], rules: Mapping[Key, Rule]
) -> dict[Key, Drop]:
    """Judge the drops of one family: the measures of a gate, or its slices.

    A float in place of pairs is the drop of a measure without values per query. Detectable drops
    are left to ``detectable_drops``.
    """
    samples = _samples(pairs)
    p_holm = dict(
        zip(samples, holm([sample.p for sample in samples.values()]).tolist(), strict=True)
    )
    drops = {}
    for key, sample in pairs.items():
        rule = rules[key]
        if not isinstance(sample, PairedDifferences):
            exceeds = not sample <= rule.max_drop + SLACK
            fires = {Clause.HARD_DROP: sample > rule.hard_drop + SLACK, Clause.UNTESTED: exceeds}
            drops[key] = Drop(*_UNTESTED, clauses=_red(fires), exceeds=exceeds)
            continue
        drop, (won, lost) = sample.drop, sample.units_won_and_lost
        drops[key] = Drop.of(
            sample,
            rule.alpha,
            p_holm=p_holm[key],
            significant=sample.is_significant(rule.alpha, p_holm[key]),
            detectable=math.nan,
            recorded=drop < 0 and sample.is_significant(GAIN_ALPHA, p_holm[key]),
            clauses=_red(_fires(rule, *map(np.array, (drop, p_holm[key], won, lost)))),
            exceeds=drop > rule.max_drop + SLACK,
        )
    return drops


def detectable_drops(
    pairs: Mapping[Key, PairedDifferences | float], rules: Mapping[Key, Rule]
) -> dict[Key, float]:
    """The smallest drop of each that is found with probability ``POWER``; NaN if unknown."""
    samples = _samples(pairs)
    return {
        key: sample.detectable(
            rules[key].alpha / len(samples), least=rules[key].max_drop, most=rules[key].hard_drop
        )
        for key, sample in samples.items()
    }


_UNTESTED = ("", "", "", 0, math.nan, math.nan, math.nan)
"""A change without values per query."""


def _red(fires: Mapping[Clause, Any]) -> tuple[Clause, ...]:
    return tuple(clause for clause, is_red in fires.items() if is_red)


def _samples(
    pairs: Mapping[Key, PairedDifferences | float],
) -> dict[Key, PairedDifferences]:
    return {key: sample for key, sample in pairs.items() if isinstance(sample, PairedDifferences)}


def _fires(
    rule: Rule, drops: FloatArray, p: FloatArray, won: IntArray, lost: IntArray
) -> dict[Clause, BoolArray]:
    """Which clauses make each drop red, by its corrected p-value and its changed queries."""
    beyond = drops > rule.max_drop + SLACK
    return {
        Clause.HARD_DROP: drops > rule.hard_drop + SLACK,
        Clause.SIGNIFICANT: beyond & (p <= rule.alpha),
        Clause.ONLY_LOSSES: beyond & (lost >= FEWEST_LOST) & (won == 0) & rule.only_losses,
    }


def false_alarm(
    *families: tuple[Mapping[Key, PairedDifferences | float], Mapping[Key, Rule]],
) -> float:
    """Probability that a gate fails although both systems are equally good.

    Each change of a query (or cluster) is as likely for the better as for the worse, in all
    measures and slices at once; which ones change, and by how much, is as observed. A family
    (measures, or slices) is the pairs and rules of one call of :func:`judge_drops`.
    """
    # Sorted, so that the random signs do not depend on the order of the limits.
    ordered = [(dict(sorted(pairs.items(), key=str)), rules) for pairs, rules in families]
    groups = [(_samples(pairs), rules) for pairs, rules in ordered]
    samples = [sample for group, _ in groups for sample in group.values()]
    if not samples:
        return 0.0
    flips = iter(sign_flips(samples))
    red: list[BoolArray] = []
    for group, rules in groups:
        flipped = [next(flips) for _ in group]
        if not flipped:
            continue
        corrected = holm(np.stack([sample.p for sample in flipped]))
        for key, of, p in zip(group, flipped, corrected, strict=True):
            red += _fires(rules[key], of.drops, p, of.won, of.lost).values()
    return float(np.logical_or.reduce(red).mean())
