"""Two systems, one measure: the values of each query side by side, and what a test says of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.settings import Settings
from sklearn_rank.comparison.values import Difference
from sklearn_rank.evaluation.scale import on_scale
from sklearn_rank.statistics.differences import Differences
from sklearn_rank.statistics.samples import mean_of, t_quantile
from sklearn_rank.typing import BoolArray, FloatArray


@dataclass(frozen=True)
class Pairs:
    """Values of the queries that count for two systems, on the scale of their mean."""

    old: FloatArray
    new: FloatArray
    weights: FloatArray | None
    least: float | None
    """Values are logarithms and count no less than this; None: they are as they were measured."""
    greater_is_better: bool
    upper: float

    @cached_property
    def differences(self) -> Differences:
        """New minus old."""
        scale = max(float(np.abs(side).max(initial=0.0)) for side in (self.old, self.new))
        return Differences(self.new - self.old, self.weights, scale)

    @cached_property
    def was(self) -> float:
        """Mean of the old values, in the units of the measure."""
        return self._mean(self.old)

    @cached_property
    def now(self) -> float:
        """Mean of the new ones."""
        return self._mean(self.new)

    def _mean(self, side: FloatArray) -> float:
        mean = mean_of(side, self.weights)
        return mean if self.least is None else math.exp(mean)


def pairs_of(
    joined: Joined, measure: str, first: str, second: str, kept: BoolArray | None = None
) -> Pairs | str:
    """The pairs of two systems, of ``kept`` queries alone; text: why there are none."""
    old, new = (joined.values(system, measure) for system in (first, second))
    if old is None or new is None:
        return "ranks all queries together; there are no values per query to test"
    shares, others = (joined.weights(system, measure) for system in (first, second))
    if not _same(shares, others):
        return "the systems weigh the queries differently"
    defined = ~np.isnan(old) & ~np.isnan(new)
    if shares is not None:
        defined &= shares > 0
    if kept is not None:
        defined &= kept
    metric = joined.measure(measure).metric
    old, new = old[defined], new[defined]
    least = metric.geometric_from
    return Pairs(
        on_scale(old, least),
        on_scale(new, least),
        weights=_unless_alike(None if shares is None else shares[defined]),
        least=least,
        greater_is_better=metric.greater_is_better,
        upper=metric.upper,
    )


def _same(first: FloatArray | None, second: FloatArray | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)


def _unless_alike(weights: FloatArray | None) -> FloatArray | None:
    """None if all weigh alike, so that every test may be asked for."""
    return None if weights is None or not len(weights) or not np.ptp(weights) else weights


def difference_of(
    joined: Joined, measure: str, first: str, second: str, pairs: Pairs | str
) -> Difference:
    """What can be said without a test."""
    if isinstance(pairs, str):
        return _untested(joined, measure, first, second, pairs)
    differences = pairs.differences
    change, mean = differences.change, differences.mean
    rises, falls = int((change > 0).sum()), int((change < 0).sum())
    return Difference(
        measure,
        first,
        second,
        len(change),
        pairs.now,
        pairs.was,
        mean if pairs.least is None else pairs.now - pairs.was,
        effect=differences.effect,
        wins=rises if pairs.greater_is_better else falls,
        ties=len(change) - rises - falls,
        losses=falls if pairs.greater_is_better else rises,
        better=_better(mean, greater_is_better=pairs.greater_is_better),
    )


def _untested(joined: Joined, measure: str, first: str, second: str, why: str) -> Difference:
    was, now = (joined.pooled(system, measure) for system in (first, second))
    metric = joined.measure(measure).metric
    return Difference(
        measure,
        first,
        second,
        len(joined.query_ids),
        now,
        was,
        now - was,
        better=_better(now - was, greater_is_better=metric.greater_is_better),
        remark=why,
    )


def _better(difference: float, *, greater_is_better: bool) -> bool | None:
    if math.isnan(difference) or difference == 0:
        return None
    return (difference > 0) == greater_is_better


def interval_of(pairs: Pairs, settings: Settings) -> tuple[float, float]:
    """Two-sided interval of the difference."""
    if settings.test != "bootstrap":
        return in_units(pairs, pairs.differences.t_interval(settings.level))
    ends = pairs.differences.bootstrap_interval(settings.level, settings.n_resamples, settings.seed)
    return in_units(pairs, ends)


def in_units(pairs: Pairs, ends: tuple[float, float]) -> tuple[float, float]:
    """Differences on the scale of the mean as those of the means, none beyond their range."""
    low, high = ends
    if pairs.least is not None:
        low, high = pairs.was * math.expm1(low), pairs.was * math.expm1(high)
    return max(low, -pairs.upper), min(high, pairs.upper)


def detectable_of(
    pairs: Pairs, settings: Settings, tests: int, reach: Callable[[float], float] | None
) -> float:
    """Least true difference that is found, as the first of so many tests.

    ``reach`` says from where on a test of all pairs at once finds differences.
    """
    differences, alpha = pairs.differences, settings.alpha / max(tests, 1)
    if not differences.has_spread:
        return math.nan
    if reach is None:
        least = differences.detectable(alpha, settings.power, settings.alternative)
    else:
        missed = t_quantile(settings.power, len(differences) - 1) * differences.error
        least = reach(1 - alpha) + missed
    return least if pairs.least is None else pairs.was * math.expm1(least)
