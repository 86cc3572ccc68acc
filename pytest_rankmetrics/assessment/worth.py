"""What the verdict on a measure is worth: the drops that it sees, and its false alarms.

The observed drop is normal around the true one, and its sampled standard error spreads by the
chi-squared distribution, independently; the gate is red beyond the margin and beyond the lower of
what is significant and the hard limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pytest_rankmetrics.policy.verdicts import SLACK, Rule
from sklearn_rank.statistics import queries_needed
from sklearn_rank.typing import FloatArray

POWER = 0.8
_SPREADS = 200
"""Points at which the distribution of the deviation is read; more change no printed digit."""


@dataclass(frozen=True)
class Worth:
    """What the verdict on one measure is worth, for queries that vary as these do."""

    n: int
    """Queries that were compared."""
    error: float
    """Standard error of the change, above 0."""
    freedom: float
    rule: Rule
    tests: int
    """Tests of the gate, which tests at alpha over their number, as Holm's first step does (and
    that of Benjamini and Hochberg): a drop of one measure is not helped by others that stay."""
    provable: bool = True
    """Whether any drop of the queries that changed could be significant."""
    step: float = 0.0
    """Distance between two drops that are possible where all changes are as large; 0: no such."""

    @property
    def is_tested(self) -> bool:
        """Whether significance decides, not the margin alone."""
        return self.rule.confirm and self.n >= self.rule.min_queries

    @cached_property
    def limits(self) -> FloatArray:
        """Drops beyond which a gate is red, one for each sampled standard error."""
        from scipy import special

        rule, beyond = self.rule, np.full(_SPREADS, self.rule.hard_drop)
        if not self.is_tested:
            return np.full(_SPREADS, rule.max_drop)
        if self.provable:
            points = (np.arange(_SPREADS) + 0.5) / _SPREADS
            spreads = 2 * special.gammaincinv(self.freedom / 2, points) / self.freedom
            t = special.stdtrit(self.freedom, 1 - rule.alpha / self.tests)
            beyond = np.minimum(beyond, t * self.error * np.sqrt(spreads))
        return beyond.clip(min=rule.max_drop)

    def red_share(self, drop: float) -> float:
        """Probability that the gate is red for this measure where this is the true drop."""
        from scipy import special

        limits = self.limits
        if self.step:  # half way to the next drop that exceeds them
            limits = (np.floor(limits / self.step + SLACK) + 0.5) * self.step
        return float(special.ndtr((drop - limits) / self.error).mean())

    @cached_property
    def false_alarm(self) -> float:
        """Probability that the gate is red for this measure though nothing got worse."""
        return self.red_share(0.0)

    @cached_property
    def detectable(self) -> float:
        """Least true drop that the gate finds with a probability of ``POWER``; NaN: none."""
        from scipy import optimize

        if self.is_tested and not self.provable:
            return math.nan
        most = float(self.limits.max()) + self.step + 5 * self.error
        return float(optimize.brentq(lambda drop: self.red_share(drop) - POWER, 0.0, most))

    @cached_property
    def needed(self) -> float:
        """Queries for which a true drop of ``max_drop`` is significant that often; NaN: none."""
        rule = self.rule
        return (
            self.queries_for(rule.max_drop, rule.alpha / self.tests) if rule.confirm else math.nan
        )

    def queries_for(self, drop: float, alpha: float) -> float:
        """Queries like these for which a drop is significant with a probability of ``POWER``."""
        if not drop > 0 or alpha >= POWER:
            return math.nan
        return queries_needed(drop, self.error * math.sqrt(self.n), alpha=alpha, power=POWER)

    @property
    def tight(self) -> str:
        """The limit that most false alarms exceed."""
        if self.is_tested and math.isfinite(self.rule.hard_drop):
            return f"hard_drop {self.rule.hard_drop:g}"
        return f"max_drop {self.rule.max_drop:g}"
