"""One measure of two systems, query by query: what every test of a change reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from sklearn_rank.evaluation.averaging import on_scale
from sklearn_rank.statistics.differences import Differences
from sklearn_rank.statistics.noise import Noise, noise_between
from sklearn_rank.support.segments import mean_of
from sklearn_rank.typing import FloatArray, IntArray

SLACK = 1e-9
"""Rounding of a mean of floats: what differs by less is the same."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The queries that have a value on both sides, and a weight above 0."""

    drops: FloatArray
    """Above 0 is worse, whatever the direction of the measure; logarithms of geometric means."""
    before: FloatArray
    after: FloatArray
    """Old and new values, on the same scale."""
    queries: IntArray
    """Numbers of the queries, the same ones in all measures and slices."""
    weights: FloatArray | None = None
    clusters: IntArray | None = None
    """Numbers of the clusters, the same ones in all measures and slices."""
    greater_is_better: bool = True
    geometric_from: float | None = None
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
        geometric_from: float | None = None,
        runs: tuple[int, int] = (1, 1),
        spreads: Sequence[Any] = (None, None),
    ) -> Self:
        """Pair two columns with an element per query, NaN for an undefined value."""
        new, old = np.asarray(new, np.float64), np.asarray(old, np.float64)
        kept = ~np.isnan(new) & ~np.isnan(old)
        kept &= True if weights is None else np.asarray(weights) > 0
        before, after = (on_scale(side[kept], geometric_from) for side in (old, new))
        drops = before - after if greater_is_better else after - before
        drops[np.abs(drops) <= SLACK * min(float(np.abs(before).max(initial=0.0)), 1.0)] = 0.0

        def chosen(own: Any, kind: Any) -> Any:
            return None if own is None else np.asarray(own, kind)[kept]

        return cls(
            drops,
            before,
            after,
            chosen(np.arange(len(new)) if queries is None else queries, np.int64),
            chosen(weights, np.float64),
            chosen(clusters, np.int64),
            greater_is_better,
            geometric_from,
            runs,
            [chosen(side, np.float64) for side in spreads],
        )

    def __len__(self) -> int:
        return len(self.drops)

    def take(self, queries: Any) -> Self:
        """The pairs of some queries, by their numbers."""
        kept = np.isin(self.queries, queries)
        columns = ("drops", "before", "after", "queries", "weights", "clusters")
        own: dict[str, Any] = {name: getattr(self, name) for name in columns}
        own = {name: None if column is None else column[kept] for name, column in own.items()}
        own["spreads"] = [None if side is None else side[kept] for side in self.spreads]
        return replace(self, **own)

    @cached_property
    def sample(self) -> Differences:
        """New minus old."""
        change = -self.drops if self.greater_is_better else self.drops
        scale = max(float(np.abs(own).max(initial=0.0)) for own in (self.before, self.after))
        weights = self.weights
        if weights is not None and (not len(weights) or not np.ptp(weights)):
            weights = None  # equal weights, so that every test may be asked for
        return Differences(change, weights, scale, self.clusters)

    @cached_property
    def means(self) -> tuple[float, float]:
        """Old and new mean, in units of the measure."""
        was, now = (mean_of(side, self.weights) for side in (self.before, self.after))
        return (was, now) if self.geometric_from is None else (math.exp(was), math.exp(now))

    @property
    def lost_and_won(self) -> tuple[int, int]:
        """Queries that got worse, and better."""
        return int((self.drops > 0).sum()), int((self.drops < 0).sum())

    @property
    def noise(self) -> Noise | None:
        """Part of the variance of the change that lies between repeated runs."""
        if self.geometric_from is not None:
            return None
        return noise_between(self.spreads, self.runs, self.weights, self.sample.error)

    def on_scale(self, drop: float) -> float:
        """A drop in units of the measure as one of the values."""
        if self.geometric_from is None:
            return drop
        was = self.means[0]
        return -math.log1p(-drop / was) if drop < was else math.inf

    def in_units(self, drop: float) -> float:
        """The inverse."""
        return drop if self.geometric_from is None else -self.means[0] * math.expm1(-drop)
