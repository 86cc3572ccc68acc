"""Differences between systems: pairs of values, their tests, and families of p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from sklearn_rank.comparison.join import Joined
from sklearn_rank.evaluation.averaging import on_scale
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.record import Metric
from sklearn_rank.statistics.differences import (
    Alternative,
    Correction,
    Differences,
    PairedTest,
    correct_p_values,
)
from sklearn_rank.statistics.resampling import AllPairs, parametric_tukey, randomised_tukey
from sklearn_rank.statistics.samples import check_share, cluster_means, mean_of, t_quantile
from sklearn_rank.support.checks import check_integer, check_option, check_seed
from sklearn_rank.support.runtime import with_progress
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

AllPairsTest = Literal["tukey", "anova"]
"""Tests of all pairs at once, which correct for their number themselves."""
Family = Literal["all", "measure"]


@dataclass(frozen=True)
class Settings:
    """Parameters of a comparison."""

    test: PairedTest | AllPairsTest
    alternative: Alternative
    correction: Correction | None
    family: Family
    alpha: float
    level: float
    power: float
    n_resamples: int
    seed: int
    """One for every test, so that no p-value depends on which others there are."""

    @property
    def corrects_itself(self) -> bool:
        """Whether the test is one of all pairs at once."""
        return self.test in get_args(AllPairsTest)

    @classmethod
    def checked(
        cls,
        owner: str,
        test: Any,
        alternative: Any,
        correction: Any,
        family: Any,
        alpha: Any,
        level: Any,
        power: Any,
        n_resamples: Any,
        random_state: Any,
    ) -> Settings:
        """The settings, or an error that names the parameter."""
        of_all = get_args(AllPairsTest) if owner == "compare_all" else ()
        check_option(test, "test", (*of_all, *get_args(PairedTest)), owner)
        check_option(alternative, "alternative", get_args(Alternative), owner)
        check_option(family, "family", get_args(Family), owner)
        if correction is not None:
            check_option(correction, "correction", get_args(Correction), owner)
        generator = check_seed(random_state, "random_state", owner)
        drawn = random_state is generator
        return cls(
            *(test, alternative, correction, family),
            alpha=check_share(alpha, "alpha", owner),
            level=check_share(level, "level", owner),
            power=check_share(power, "power", owner),
            n_resamples=check_integer(n_resamples, "n_resamples", owner, at_least=2),
            seed=int(generator.integers(2**63) if drawn else random_state),
        )


@dataclass(frozen=True)
class Difference:
    """One measure of a system against that of another.

    Attributes
    ----------
    measure, baseline, system : str
        What is compared.
    queries : int
        Pairs of values that were compared: queries for which both are defined, of a weight above
        0. Of a pooled measure, the queries that were ranked together.
    value, baseline_value : float
        Means over these queries.
    difference : float
        ``value - baseline_value``, whatever the direction of the measure.
    low, high : float
        Two-sided confidence interval of the difference; NaN without a spread.
    effect : float
        Standardised: mean over standard deviation of the differences per query.
    p, p_corrected : float
        Of this test alone, and in its family; NaN without a test.
    wins, ties, losses : int or None
        Queries by which side is better, the direction of the measure minded; None where there are
        no values per query.
    detectable : float
        Least true difference that would be found with the power asked for.
    significant : bool
        Whether ``p_corrected`` is at most alpha.
    better : bool or None
        Whether the system is the better one; None if the values are equal or undefined.
    remark : str
        Why there is no test.
    design_effect : float
        Variance of the difference over that of as many independent queries; 1 without clusters.
    """

    measure: str
    baseline: str
    system: str
    queries: int
    value: float
    baseline_value: float
    difference: float
    low: float = math.nan
    high: float = math.nan
    effect: float = math.nan
    p: float = math.nan
    p_corrected: float = math.nan
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    detectable: float = math.nan
    significant: bool = False
    better: bool | None = None
    remark: str = ""
    design_effect: float = math.nan


# Pairs of values ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pairs:
    """Values of the queries that count for two systems, on the scale of their mean."""

    old: FloatArray
    new: FloatArray
    weights: FloatArray | None
    clusters: IntArray | None
    metric: Metric

    @cached_property
    def differences(self) -> Differences:
        """New minus old."""
        scale = max(float(np.abs(side).max(initial=0.0)) for side in (self.old, self.new))
        return Differences(self.new - self.old, self.weights, scale, self.clusters)

    def mean(self, side: FloatArray) -> float:
        """Mean of the old or the new values, in the units of the measure."""
        mean = mean_of(side, self.weights)
        return mean if self.metric.geometric_from is None else math.exp(mean)

    def in_units(self, difference: float) -> float:
        """A difference on the scale of the mean as one of the means."""
        if self.metric.geometric_from is None:
            return difference
        with np.errstate(over="ignore"):  # of few queries a logarithm may be beyond all floats
            return self.mean(self.old) * float(np.expm1(difference))

    def interval(self, low: float, high: float) -> dict[str, float]:
        """An interval in the units of the measure, not beyond the range of its differences."""
        upper = self.metric.upper
        return {"low": max(self.in_units(low), -upper), "high": min(self.in_units(high), upper)}


def _pairs_of(
    joined: Joined, measure: str, first: str, second: str, kept: BoolArray | None
) -> _Pairs | str:
    """The pairs of two systems, of ``kept`` queries alone; text: why there are none."""
    old, new = (joined.values(system, measure) for system in (first, second))
    if old is None or new is None:
        return "ranks all queries together; there are no values per query to test"
    weights, others = (joined.weights(system, measure) for system in (first, second))
    alike = weights is others or (
        weights is not None and others is not None and np.array_equal(weights, others)
    )
    if not alike:
        return "the systems weigh the queries differently"
    defined = ~np.isnan(old) & ~np.isnan(new)
    if kept is not None:
        defined &= kept
    if weights is not None:
        defined &= weights > 0
        weights = weights[defined]
        if not len(weights) or not np.ptp(weights):
            weights = None  # equal weights, so that every test may be asked for
    metric = joined.measure(measure).metric
    least = metric.geometric_from
    clusters = None if joined.clusters is None else joined.clusters[defined]
    was, now = (on_scale(side[defined], least) for side in (old, new))
    return _Pairs(was, now, weights, clusters, metric)


@dataclass
class _Test:
    """A difference whose family is being formed."""

    group: int
    """Number of the group of queries: of all, or of a slice."""
    found: dict[str, Any]
    """Fields of the difference."""
    pairs: _Pairs | str
    reach: Callable[[float], float] | None = None
    """Half the width of intervals that hold for all pairs at once, by their level."""


def compared(
    groups: Sequence[Joined], settings: Settings, *, all_pairs: bool
) -> list[tuple[Difference, ...]]:
    """The differences of each group of queries, all tested in one family."""
    first, *others = groups[0].systems
    pairs = [*combinations((first, *others), 2)] if all_pairs else [(first, o) for o in others]
    work = [(group, measure) for group in range(len(groups)) for measure in groups[0].measures]
    steps: Iterable[int] = range(len(work))
    if settings.test in ("permutation", "bootstrap", "tukey"):  # which draw, and take time
        steps = with_progress([1] * len(work), len(work), "tests")
    families: dict[str, list[_Test]] = {}
    tests = []
    for (group, measure), _ in zip(work, steps, strict=True):
        own = [_Test(group, *row) for row in _tested(groups[group], measure, pairs, settings)]
        families.setdefault("" if settings.family == "all" else measure, []).extend(own)
        tests += own
    for family in families.values():
        _correct(family, settings)
    return [
        tuple(Difference(**test.found) for test in tests if test.group == group)
        for group in range(len(groups))
    ]


def _tested(
    joined: Joined, measure: str, pairs: Sequence[tuple[str, str]], settings: Settings
) -> Iterator[tuple[Any, ...]]:
    """One measure over one group of queries: all but the correction."""
    together = kept = None
    systems = list(joined.systems)
    if settings.corrects_itself:
        columns = [joined.values(system, measure) for system in systems]
        defined = [~np.isnan(column) for column in columns if column is not None]
        if len(defined) == len(columns):
            kept = np.logical_and.reduce(defined)
        together = _tested_together(joined, measure, kept, settings)
    for first, second in pairs:
        values = _pairs_of(joined, measure, first, second, kept)
        found = _described(joined, measure, first, second, values)
        if isinstance(values, str) or (settings.corrects_itself and together is None):
            yield found, values
        elif together is not None:
            place = systems.index(first), systems.index(second)
            middle, reach = values.differences.mean, together.reach(settings.level)
            found |= values.interval(middle - reach, middle + reach)
            found["p"] = float(together.p[place])
            found["p_corrected"] = float(together.p_corrected[place])
            yield found, values, together.reach
        else:
            own, draws = values.differences, (settings.n_resamples, settings.seed)
            ends = (
                own.bootstrap_interval(settings.level, *draws)
                if settings.test == "bootstrap"
                else own.interval(settings.level)
            )
            found |= values.interval(*ends)
            found["p"] = own.p(settings.test, settings.alternative, *draws)  # type: ignore[arg-type]
            yield found, values


def _described(
    joined: Joined, measure: str, first: str, second: str, pairs: _Pairs | str
) -> dict[str, Any]:
    """Fields of a difference that need no test."""
    greater = joined.measure(measure).metric.greater_is_better
    found: dict[str, Any] = {"measure": measure, "baseline": first, "system": second}
    if isinstance(pairs, str):
        was, now = (joined.pooled(system, measure) for system in (first, second))
        mean = now - was
        found |= {"queries": len(joined.query_ids), "difference": mean, "remark": pairs}
    else:
        change, mean = pairs.differences.change, pairs.differences.mean
        was, now = pairs.mean(pairs.old), pairs.mean(pairs.new)
        wins, losses = pairs.differences.better_and_worse(greater)
        found |= {
            "queries": len(change),
            "difference": mean if pairs.metric.geometric_from is None else now - was,
            "effect": pairs.differences.effect,
            "design_effect": pairs.differences.design_effect,
            "wins": wins,
            "ties": len(change) - wins - losses,
            "losses": losses,
        }
    better = None if math.isnan(mean) or mean == 0 else (mean > 0) == greater
    return {**found, "value": now, "baseline_value": was, "better": better}


def _tested_together(
    joined: Joined, measure: str, kept: BoolArray | None, settings: Settings
) -> AllPairs | None:
    """Result of a test of all pairs at once; None where it has no values to go by."""
    baseline, *others = joined.systems
    sides = [_pairs_of(joined, measure, baseline, other, kept) for other in others]
    pairs = [side for side in sides if isinstance(side, _Pairs) and len(side.old) > 1]
    if len(pairs) < len(sides):
        return None
    columns, weights = [pairs[0].old, *(side.new for side in pairs)], pairs[0].weights
    clusters = pairs[0].clusters
    if clusters is not None:  # which are shuffled as one
        means = [cluster_means(column, weights, clusters) for column in columns]
        columns, weights = [column for column, _ in means], means[0][1]
    values = np.column_stack(columns)
    if settings.test == "tukey":
        return randomised_tukey(values, weights, settings.n_resamples, settings.seed)
    if weights is not None or clusters is not None:
        no = "weights" if clusters is None else "clusters"
        msg = f"test='anova' takes no {no} of queries; take test='tukey'"
        raise InvalidParameterError(msg)
    return parametric_tukey(values)


def _correct(family: Sequence[_Test], settings: Settings) -> None:
    """Corrected p-values, and the differences that they leave to be seen."""
    rows = [test.found for test in family]
    raw = [row.get("p", math.nan) for row in rows]
    if settings.corrects_itself:
        # One test of all pairs for each measure and slice: these are corrected for their number.
        tested = {(t.group, t.found["measure"]) for t in family if "p" in t.found}
        times = len(tested) if settings.correction else 1
        corrected = [min(times * row.get("p_corrected", math.nan), 1.0) for row in rows]
    else:
        times = sum(not math.isnan(p) for p in raw) if settings.correction else 1
        corrected = correct_p_values(raw, settings.correction)
    alpha = settings.alpha / max(times, 1)
    for test, p in zip(family, corrected, strict=True):
        test.found |= {"p_corrected": p, "significant": p <= settings.alpha}
        if isinstance(test.pairs, str) or not test.pairs.differences.has_spread:
            continue
        own = test.pairs.differences
        if test.reach is None:
            least = own.detectable(alpha, settings.power, settings.alternative)
        else:
            missed = t_quantile(settings.power, own.freedom) * own.error
            least = test.reach(1 - alpha) + missed
        test.found["detectable"] = test.pairs.in_units(least)
