"""Paired differences of one measure, query by query, and their test.

Fisher's randomization test on the signs of the differences: each query could as well have changed
the other way. If the mean fell, a query that gets worse never raises the p-value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from sklearn_rank.statistics.means import cluster_means, is_flat, robust_error
from sklearn_rank.statistics.randomization import Null
from sklearn_rank.statistics.student import least_found, t_quantile
from sklearn_rank.support.constants import SLACK
from sklearn_rank.support.segments import in_unit, mean_of
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

GRID = 1000
"""Differences are tested in steps of the measure's range divided by this."""
_CANCELLED = 1e-5
"""Share of the largest cluster's mean change below which another one counts as 0."""
POWER = 0.8
"""Probability with which a detectable change is detected."""
FEWEST = 10
"""Changed queries (or clusters) below which power is not reported."""


@dataclass(frozen=True, eq=False)
class PairedDifferences:
    """The queries with a value on both sides and a weight above 0."""

    change: FloatArray
    """New minus old."""
    old: FloatArray
    new: FloatArray
    queries: IntArray
    """Numbers of the queries, the same ones in all measures and slices."""
    weights: FloatArray | None = None
    clusters: IntArray | None = None
    """Numbers of the clusters, which vary independently, the same ones in all measures."""
    greater_is_better: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)
    """Least and greatest value of the measure; infinite without a bound."""
    runs: tuple[int, int] = (1, 1)
    """Runs of the old and of the new system; above 1 for ``Repeats``."""
    spreads: Sequence[FloatArray | None] = (None, None)
    """Standard deviations of the queries between the runs of the old and of the new system."""
    between: float = 0.0
    """Variance of the mean change that all queries share, because a run moves all of them."""

    @classmethod
    def of(
        cls,
        new: Any,
        old: Any = 0.0,
        *,
        queries: Any = None,
        weights: Any = None,
        clusters: Any = None,
        run_variances: Sequence[float | None] = (None, None),
        **fields: Any,
    ) -> Self:
        """Pair two columns with an element per query, NaN if undefined.

        ``clusters`` are numbers; ``run_variances`` are variances of each side's mean between runs.
        """
        after = np.asarray(new, dtype=np.float64)
        before = np.broadcast_to(np.asarray(old, dtype=np.float64), after.shape)
        change = after - before
        is_counted = ~np.isnan(change)
        if weights is not None:
            weights = np.asarray(weights, dtype=np.float64)
            is_counted &= weights > 0
        largest = float(np.abs(before[is_counted]).max(initial=0.0))
        change[np.abs(change) <= SLACK * min(largest, 1.0)] = 0.0
        numbers = np.arange(len(after)) if queries is None else np.asarray(queries, np.int64)
        codes = None if clusters is None else np.asarray(clusters, np.int64)
        pairs = cls(change, before, after, numbers, weights, codes, **fields)._where(is_counted)
        # What the noise of single queries does not explain.
        sides = zip(_both(run_variances), pairs._noise, pairs.runs, strict=False)
        between = [max((total or 0.0) - noise, 0.0) / runs for total, noise, runs in sides]
        return replace(pairs, between=sum(between))

    def __len__(self) -> int:
        return len(self.change)

    def take(self, queries: Any) -> Self:
        """The pairs of some queries, by their numbers."""
        return self._where(np.isin(self.queries, queries))

    def _where(self, chosen: BoolArray) -> Self:
        names = ("change", "old", "new", "queries", "weights", "clusters")
        columns: dict[str, Any] = {name: getattr(self, name) for name in names}
        columns = {k: None if column is None else column[chosen] for k, column in columns.items()}
        spreads = [None if side is None else np.asarray(side)[chosen] for side in self.spreads]
        return replace(self, **columns, spreads=spreads)

    # What changed --------------------------------------------------------------------------------

    @property
    def drops(self) -> FloatArray:
        """How much worse each query got; below 0 it got better."""
        return -self.change if self.greater_is_better else self.change

    @property
    def losses(self) -> int:
        """Queries that got worse."""
        return int(np.count_nonzero(self.drops > 0))

    @property
    def wins(self) -> int:
        """Queries that got better."""
        return int(np.count_nonzero(self.drops < 0))

    @property
    def ties(self) -> int:
        """Queries that did not change."""
        return len(self) - self.wins - self.losses

    @cached_property
    def means(self) -> tuple[float, float]:
        """Old and new mean."""
        return mean_of(self.old, self.weights), mean_of(self.new, self.weights)

    @cached_property
    def mean(self) -> float:
        """New minus old mean; NaN without pairs."""
        return mean_of(self.change, self.weights)

    @property
    def drop(self) -> float:
        """How much worse the mean is."""
        return -self.mean if self.greater_is_better else self.mean

    # Its spread ----------------------------------------------------------------------------------

    @cached_property
    def _units(self) -> tuple[FloatArray, FloatArray | None]:
        """Changes and weights of what varies independently: queries, or clusters of them."""
        if self.clusters is None:
            return self.change, self.weights
        values, weights = cluster_means(self.change, self.weights, self.clusters)
        # Recorded values are rounded: changes that cancel leave up to 1e-6.
        least = _CANCELLED * float(np.abs(values).max(initial=0.0))
        return np.where(np.abs(values) > least, values, 0.0), weights

    @cached_property
    def _unit_ids(self) -> IntArray:
        if self.clusters is None:
            return self.queries
        units = np.unique(self.clusters)
        return units if len(units) < len(self) else self.clusters

    @property
    def n_units(self) -> int:
        """Number of queries, or of clusters."""
        return len(self._units[0])

    @property
    def n_changed(self) -> int:
        """Queries, or clusters, whose mean changed."""
        return int(np.count_nonzero(self._units[0]))

    @cached_property
    def _parts(self) -> FloatArray:
        """What each unit adds to the mean drop."""
        values, weights = self._units
        shares = np.ones(len(values)) if weights is None else weights
        parts: FloatArray = values * (shares / max(shares.sum(), math.ulp(0)))
        return -parts if self.greater_is_better else parts

    @property
    def units_won_and_lost(self) -> tuple[int, int]:
        """Queries, or clusters, that got better, and worse."""
        units = self._units[0]
        rises, falls = (int(np.count_nonzero(side)) for side in (units > 0, units < 0))
        return (rises, falls) if self.greater_is_better else (falls, rises)

    @cached_property
    def _error(self) -> tuple[float, float]:
        return robust_error(*self._units)

    @property
    def error(self) -> float:
        """Standard error of the mean change; NaN with fewer than two units."""
        return self._error[0]

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the error; n - 1 for equal weights and no clusters."""
        return self._error[1]

    @cached_property
    def _is_flat(self) -> bool:
        """Whether there are fewer than two units, or all changed alike up to rounding."""
        largest = max(float(np.abs(side).max(initial=0.0)) for side in (self.old, self.new))
        return self.n_units < 2 or is_flat(self._units[0], largest)

    @property
    def deviation(self) -> float:
        """Standard deviation of the changes of queries."""
        error = self.error if self.clusters is None else robust_error(self.change, self.weights)[0]
        return error * math.sqrt(len(self))

    @property
    def effect(self) -> float:
        """Standardised: mean over standard deviation; 0 if nothing changed."""
        if len(self) > 1 and not self.change.any():
            return 0.0
        return math.nan if self._is_flat else self.mean / self.deviation

    @property
    def design_effect(self) -> float:
        """Variance of the mean relative to independent queries; NaN without a spread."""
        if self.clusters is None:
            return 1.0
        return math.nan if self._is_flat else len(self) * (self.error / self.deviation) ** 2

    @cached_property
    def _noise(self) -> list[float]:
        """Variance of each side's mean in one run, from noise in queries; [] for single runs."""
        sides = _both(self.spreads)
        if sides[0] is None or not len(self):
            return []
        shares = np.ones(len(self)) if self.weights is None else self.weights
        return [float(np.nansum((shares / shares.sum() * side) ** 2)) for side in sides]

    @property
    def noise(self) -> float:
        """Share of the mean change's variance that is due to runs; NaN without repeats."""
        if not self._noise:
            return math.nan
        if not 0 < self.error < math.inf:
            return 0.0
        sides = zip(self._noise, self.runs, strict=True)
        return min(sum(variance / runs for variance, runs in sides) / self.error**2, 1.0)

    # Its test ------------------------------------------------------------------------------------

    @cached_property
    def _grid(self) -> float:
        """Steps of a mean drop of 1."""
        low, high = self.bounds
        span = high - low
        if not span < math.inf:
            span = float(np.abs(self.change).max(initial=0.0)) or 1.0
        return GRID * len(self) / span

    @cached_property
    def _steps(self) -> IntArray:
        """What each unit adds to the sum of drops, in steps of a grid."""
        exact = self._parts * self._grid
        # Halves go to the lower step, also where recorded values are rounded.
        steps: IntArray = np.rint(exact - 0.01 * np.sign(exact)).astype(np.int64)
        return steps

    @cached_property
    def _null(self) -> Null:
        return Null(self._steps)

    @cached_property
    def p(self) -> float:
        """Two-sided p-value of no difference; NaN with fewer than two queries (or clusters)."""
        if self.n_units < 2:
            return math.nan
        return float(self._null.p(self._steps.sum()))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Two-sided interval of ``mean``; NaN with fewer than two units or without any change.

        Student's t, with two corrections for samples in which few queries change. The error
        includes one more change as large as the largest, because a sample with few changes lacks
        the larger ones. There are at most as many degrees of freedom as changes. The interval then
        agrees with ``p``: it contains 0 if the test does not reject, and does not go above 0 if the
        test finds a loss. A gain is significant if both say so.
        """
        low, high = self._student(level)
        if self.p > round(1 - level, 12):
            low, high = min(low, 0.0), max(high, 0.0)
        elif self.greater_is_better and self.mean < 0:
            high = min(high, 0.0)
        elif not self.greater_is_better and self.mean > 0:
            low = max(low, 0.0)
        widest = self.bounds[1] - self.bounds[0]
        return max(low, -widest), min(high, widest)

    def _student(self, level: float) -> tuple[float, float]:
        values, weights = self._units
        if len(values) < 2 or not self.n_changed:
            return math.nan, math.nan
        shares = np.ones(len(values)) if weights is None else in_unit(weights)[0]
        one_more = float((shares * shares).sum() / shares.sum() ** 2 * np.abs(values).max())
        freedom = min(self.freedom, self.n_changed)
        reach = t_quantile((1 + level) / 2, freedom) * math.hypot(self.error, one_more)
        return self.mean - reach, self.mean + reach

    def is_significant(self, alpha: float, p: float | None = None) -> bool:
        """Whether p is at most alpha and, for a gain, the interval is above 0.

        Many tiny gains without a large loss have a small p-value, but show little about the mean.
        ``p`` is a corrected p-value.
        """
        if not (self.p if p is None else p) <= alpha:
            return False
        if self.drop > 0:
            return True
        low, high = self._student(1 - alpha)
        return low > 0 or high < 0

    def detectable(self, alpha: float, *, least: float = 0.0, most: float = math.inf) -> float:
        """Smallest true change that the test detects with probability ``POWER``, above 0.

        Changes below ``least`` are never detected, changes above ``most`` always. Uses Student's t;
        NaN if fewer than ten units changed.
        """
        if self.n_changed < FEWEST or self._is_flat or self.error == math.inf:
            return math.nan
        return least_found(self.error, self.freedom, alpha, POWER, least=least, most=most)


def _both(sides: Sequence[Any]) -> tuple[Any, Any]:
    """Variation between the runs of each system; a single run takes that of the other system."""
    old, new = sides
    return (new, new) if old is None else (old, old if new is None else new)


class Flips(NamedTuple):
    """One sample with other signs of its changes, an element for each set of signs."""

    drops: FloatArray
    """How much worse the mean is."""
    p: FloatArray
    won: IntArray
    """Units that got better."""
    lost: IntArray


_FLIPS = 4096
"""Random signs: a rate of 5 % has a standard error of 0.3 points."""
_SIGN_COLUMNS = 1024
"""Units whose signs flip independently; with more, some share a sign."""


def sign_flips(samples: Sequence[PairedDifferences]) -> list[Flips]:
    """The samples with random signs of their changes, or with all signs if there are few.

    A unit has the same sign in every sample, and noise between runs shifts all samples equally.
    The results do not depend on the order of the queries.
    """
    changed = [np.flatnonzero(sample._units[0]) for sample in samples]
    ids = [sample._unit_ids[rows] for sample, rows in zip(samples, changed, strict=True)]
    units, inverse = np.unique(np.concatenate(ids), return_inverse=True)
    numbers = np.split(inverse, np.cumsum([len(rows) for rows in ids])[:-1])
    parts = np.zeros((len(samples), len(units)))
    for part, sample, rows, at in zip(parts, samples, changed, numbers, strict=True):
        part[at] = sample._parts[rows]
    order = np.argsort(np.lexsort(parts))  # of a unit, by its changes
    rng, n = np.random.default_rng(0), len(units)
    if 2**n <= _FLIPS and not any(sample.between for sample in samples):
        digits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    else:
        digits = rng.integers(0, 2, (_FLIPS, min(n, _SIGN_COLUMNS)), dtype=np.int8)
    signs, first = 2.0 * digits - 1, 2.0 * rng.integers(0, 2, n) - 1
    moves, flips = rng.standard_normal(len(signs)), []
    for part, sample, rows, at in zip(parts, samples, changed, numbers, strict=True):
        columns, turned = order[at] % max(signs.shape[1], 1), first[order[at]]
        sums, drops, balance = (
            signs @ np.bincount(columns, turned * each, minlength=signs.shape[1])
            for each in (sample._steps[rows], part[at], np.sign(part[at]))
        )
        moved = moves * math.sqrt(sample.between)
        p = sample._null.p(np.rint(sums + moved * sample._grid).astype(np.int64))
        lost = np.rint((len(at) + balance) / 2).astype(np.int64)
        flips.append(Flips(drops + moved, p, len(at) - lost, lost))
    return flips
