"""Differences between systems: pairs of values, their tests, and families of p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
from sklearn_rank.statistics.samples import check_share, mean_of, t_quantile
from sklearn_rank.support.checks import check_integer, check_option, check_seed
from sklearn_rank.support.runtime import with_progress
from sklearn_rank.typing import BoolArray, FloatArray

AllPairsTest = Literal["tukey", "anova"]
"""Tests of all pairs at once, which correct for their number themselves."""
Family = Literal["all", "measure"]


@dataclass(frozen=True)
class Settings:
    """Checked parameters of a comparison."""

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
    def of(cls, owner: str, tests: tuple[str, ...], **given: Any) -> Settings:
        """The settings, or an error that names the parameter."""
        options = {"test": tests, "alternative": get_args(Alternative), "family": get_args(Family)}
        if given["correction"] is not None:
            options["correction"] = get_args(Correction)
        for name, known in options.items():
            check_option(given[name], name, known, owner)
        for name in ("alpha", "level", "power"):
            given[name] = check_share(given[name], name, owner)
        given["n_resamples"] = check_integer(given["n_resamples"], "n_resamples", owner, at_least=1)
        seed = given.pop("random_state")
        generator = check_seed(seed, "random_state", owner)
        is_generator = isinstance(seed, np.random.Generator)
        return cls(**given, seed=int(generator.integers(2**63)) if is_generator else int(seed))


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


@dataclass(frozen=True)
class Pairs:
    """Values of the queries that count for two systems, on the scale of their mean."""

    old: FloatArray
    new: FloatArray
    weights: FloatArray | None
    metric: Metric

    @cached_property
    def differences(self) -> Differences:
        """New minus old."""
        scale = max(float(np.abs(side).max(initial=0.0)) for side in (self.old, self.new))
        return Differences(self.new - self.old, self.weights, scale)

    def mean(self, side: FloatArray) -> float:
        """Mean of the old or the new values, in the units of the measure."""
        mean = mean_of(side, self.weights)
        return mean if self.metric.geometric_from is None else math.exp(mean)

    def in_units(self, low: float, high: float) -> tuple[float, float]:
        """Differences on the scale of the mean as those of the means, none beyond their range."""
        if self.metric.geometric_from is not None:
            was = self.mean(self.old)
            low, high = was * math.expm1(low), was * math.expm1(high)
        return max(low, -self.metric.upper), min(high, self.metric.upper)

    def interval(self, settings: Settings) -> tuple[float, float]:
        """Two-sided interval of the difference."""
        level, differences = settings.level, self.differences
        if settings.test != "bootstrap":
            return self.in_units(*differences.t_interval(level))
        ends = differences.bootstrap_interval(level, settings.n_resamples, settings.seed)
        return self.in_units(*ends)

    def detectable(
        self, settings: Settings, tests: int, reach: Callable[[float], float] | None
    ) -> float:
        """Least true difference that is found, as the first of so many tests.

        ``reach`` says from where on a test of all pairs at once finds differences.
        """
        differences, alpha = self.differences, settings.alpha / max(tests, 1)
        if not differences.has_spread:
            return math.nan
        if reach is None:
            least = differences.detectable(alpha, settings.power, settings.alternative)
        else:
            missed = t_quantile(settings.power, len(differences) - 1) * differences.error
            least = reach(1 - alpha) + missed
        if self.metric.geometric_from is None:
            return least
        return self.mean(self.old) * math.expm1(least)


def pairs_of(
    joined: Joined, measure: str, first: str, second: str, kept: BoolArray | None = None
) -> Pairs | str:
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
    if weights is not None:
        defined &= weights > 0
        weights = weights[defined if kept is None else defined & kept]
        if not len(weights) or not np.ptp(weights):
            weights = None  # equal weights, so that every test may be asked for
    if kept is not None:
        defined &= kept
    metric = joined.measure(measure).metric
    least = metric.geometric_from
    return Pairs(on_scale(old[defined], least), on_scale(new[defined], least), weights, metric)


def _difference(
    joined: Joined, measure: str, first: str, second: str, pairs: Pairs | str
) -> Difference:
    """What can be said without a test."""
    greater = joined.measure(measure).metric.greater_is_better
    if isinstance(pairs, str):
        was, now = (joined.pooled(system, measure) for system in (first, second))
        queries, mean = len(joined.query_ids), now - was
        told: dict[str, Any] = {"remark": pairs, "difference": mean}
    else:
        change, mean = pairs.differences.change, pairs.differences.mean
        was, now, queries = pairs.mean(pairs.old), pairs.mean(pairs.new), len(change)
        rises, falls = int((change > 0).sum()), int((change < 0).sum())
        told = {
            "difference": mean if pairs.metric.geometric_from is None else now - was,
            "effect": pairs.differences.effect,
            "wins": rises if greater else falls,
            "ties": queries - rises - falls,
            "losses": falls if greater else rises,
        }
    better = None if math.isnan(mean) or mean == 0 else (mean > 0) == greater
    return Difference(measure, first, second, queries, now, was, better=better, **told)


@dataclass
class _Test:
    """A difference whose family is being formed."""

    group: int
    """Number of the group of queries: of all, or of a slice."""
    difference: Difference
    pairs: Pairs | str
    reach: Callable[[float], float] | None = None
    """Half the width of intervals that hold for all pairs at once, by their level."""


def compared(
    groups: Sequence[Joined], settings: Settings, *, all_pairs: bool
) -> list[tuple[Difference, ...]]:
    """The differences of each group of queries, all tested in one family."""
    work = []
    for group, joined in enumerate(groups):
        systems = list(joined.systems)
        pairs = [*combinations(systems, 2)] if all_pairs else [(systems[0], s) for s in systems[1:]]
        for measure in joined.measures:
            together = [pairs] if settings.corrects_itself else [[pair] for pair in pairs]
            work += [(group, joined, measure, part) for part in together]
    steps: Iterable[int] = range(len(work))
    if settings.test in ("permutation", "bootstrap", "tukey"):  # which draw, and take time
        steps = with_progress([1] * len(work), len(work), "tests")
    tests = [test for item, _ in zip(work, steps, strict=True) for test in _tests(*item, settings)]
    families: dict[str, list[_Test]] = {}
    for test in tests:
        key = "" if settings.family == "all" else test.difference.measure
        families.setdefault(key, []).append(test)
    for family in families.values():
        _correct(family, settings)
    rows: list[list[Difference]] = [[] for _ in groups]
    for test in tests:
        rows[test.group].append(test.difference)
    return [tuple(differences) for differences in rows]


def _tests(
    group: int, joined: Joined, measure: str, pairs: Sequence[tuple[str, str]], settings: Settings
) -> Iterator[_Test]:
    """One measure over one group of queries, for one pair of systems or for all together."""
    systems = list(joined.systems)
    together = kept = None
    if settings.corrects_itself:
        kept = _defined_for_all(joined, measure)
        together = _tested_together(joined, measure, kept, settings)
    for first, second in pairs:
        values = pairs_of(joined, measure, first, second, kept)
        found = _difference(joined, measure, first, second, values)
        test = _Test(group, found, values)
        if not isinstance(values, str) and together is not None:
            place = systems.index(first), systems.index(second)
            test.reach = together.reach
            middle, reach = values.differences.mean, together.reach(settings.level)
            low, high = values.in_units(middle - reach, middle + reach)
            p, corrected = float(together.p[place]), float(together.p_corrected[place])
            test.difference = replace(found, low=low, high=high, p=p, p_corrected=corrected)
        elif not isinstance(values, str) and not settings.corrects_itself:
            low, high = values.interval(settings)
            p = values.differences.p(
                settings.test,  # type: ignore[arg-type]
                settings.alternative,
                settings.n_resamples,
                settings.seed,
            )
            test.difference = replace(found, low=low, high=high, p=p)
        yield test


def _defined_for_all(joined: Joined, measure: str) -> BoolArray | None:
    """Queries for which a measure is defined for all systems; None of a pooled one."""
    columns = [joined.values(system, measure) for system in joined.systems]
    defined = [~np.isnan(column) for column in columns if column is not None]
    return np.asarray(np.logical_and.reduce(defined)) if len(defined) == len(columns) else None


def _tested_together(
    joined: Joined, measure: str, kept: BoolArray | None, settings: Settings
) -> AllPairs | None:
    """What a test of all pairs at once finds; None where it has no values to go by."""
    baseline, *others = joined.systems
    sides = [pairs_of(joined, measure, baseline, other, kept) for other in others]
    pairs = [side for side in sides if isinstance(side, Pairs) and len(side.old) > 1]
    if len(pairs) < len(sides):
        return None
    values, weights = np.column_stack([pairs[0].old, *(s.new for s in pairs)]), pairs[0].weights
    if settings.test == "tukey":
        return randomised_tukey(values, weights, settings.n_resamples, settings.seed)
    if weights is not None:
        msg = "test='anova' takes no weights of queries; take test='tukey'"
        raise InvalidParameterError(msg)
    return parametric_tukey(values)


def _correct(family: Sequence[_Test], settings: Settings) -> None:
    """Corrected p-values, and what they leave to be seen."""
    rows = [test.difference for test in family]
    if settings.corrects_itself:
        # One test of all pairs for each measure and slice: these are corrected for their number.
        tested = {(t.group, t.difference.measure) for t in family if not math.isnan(t.difference.p)}
        times = len(tested)
        corrected = [min(1.0, (times if settings.correction else 1) * r.p_corrected) for r in rows]
    else:
        times = sum(not math.isnan(row.p) for row in rows)
        corrected = correct_p_values([row.p for row in rows], settings.correction)
    if settings.correction is None:
        times = 1
    for test, p in zip(family, corrected, strict=True):
        no_test = isinstance(test.pairs, str)
        test.difference = replace(
            test.difference,
            p_corrected=p,
            significant=p <= settings.alpha,
            detectable=math.nan if no_test else test.pairs.detectable(settings, times, test.reach),  # type: ignore[union-attr]
        )
