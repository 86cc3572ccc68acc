"""Differences between systems: pairs of values, their tests, and families of p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass, field
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from sklearn_rank.comparison.join import Joined
from sklearn_rank.evaluation.averaging import on_scale
from sklearn_rank.evaluation.repeats import Noise, noise_between
from sklearn_rank.measures.record import Metric
from sklearn_rank.statistics.differences import (
    Alternative,
    Correction,
    Differences,
    PairedTest,
    correct_p_values,
)
from sklearn_rank.statistics.samples import check_share
from sklearn_rank.support.checks import check_integer, check_option, check_seed
from sklearn_rank.support.runtime import with_progress
from sklearn_rank.support.segments import mean_of

Family = Literal["all", "measure"]


@dataclass
class Settings:
    """Parameters of a comparison, checked."""

    owner: InitVar[str]
    test: PairedTest
    alternative: Alternative
    correction: Correction | None
    family: Family
    alpha: float
    level: float
    power: float
    n_resamples: int
    seed: Any
    """One number for every test, so that no p-value depends on which others there are."""
    all_pairs: bool = field(init=False)

    def __post_init__(self, owner: str) -> None:
        self.all_pairs = owner == "compare_all"
        check_option(self.test, "test", get_args(PairedTest), owner)
        check_option(self.alternative, "alternative", get_args(Alternative), owner)
        check_option(self.family, "family", get_args(Family), owner)
        if self.correction is not None:
            check_option(self.correction, "correction", get_args(Correction), owner)
        self.correction = None if self.correction == "none" else self.correction
        generator = check_seed(self.seed, "random_state", owner)
        self.alpha = check_share(self.alpha, "alpha", owner)
        self.level = check_share(self.level, "level", owner)
        self.power = check_share(self.power, "power", owner)
        self.n_resamples = check_integer(self.n_resamples, "n_resamples", owner, at_least=2)
        drawn = self.seed is generator
        self.seed = int(generator.integers(2**63) if drawn else self.seed)


@dataclass(frozen=True)
class Difference:
    """One measure of a system against that of another.

    Attributes
    ----------
    measure, baseline, system : str
        What is compared.
    queries : int
        Pairs of values that were compared: queries for which both are defined, of a weight above 0.
        For a pooled measure, the queries that were ranked together.
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
    noise : Noise or None
        What the variance of the difference owes to differences between the runs of one system
        (:class:`~sklearn_rank.Repeats`): ``share`` of it; None without repeats.
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
    noise: Noise | None = None


@dataclass
class _Test:
    """One measure of two systems, whose family is being formed."""

    metric: Metric
    found: dict[str, Any]
    """Fields of the difference."""
    sample: Differences | None = None
    """New minus old on this scale; None where nothing can be tested."""

    def in_units(self, difference: float) -> float:
        """A difference on the scale of the mean as one of the means."""
        if self.metric.geometric_from is None:
            return difference
        with np.errstate(over="ignore"):  # of few queries a logarithm may be beyond all floats
            return float(self.found["baseline_value"] * float(np.expm1(difference)))

    def set_interval(self, low: float, high: float) -> None:
        """An interval in the units of the measure, not beyond the range of its differences."""
        widest = self.metric.upper - self.metric.lower
        low, high = max(self.in_units(low), -widest), min(self.in_units(high), widest)
        self.found |= {"low": low, "high": high}


def compared(groups: Sequence[Joined], settings: Settings) -> list[tuple[Difference, ...]]:
    """The differences of each group of queries, all tested in one family."""
    pairs = [*combinations(groups[0].systems, 2)]
    if not settings.all_pairs:
        pairs = pairs[: len(groups[0].systems) - 1]
    work = [(number, measure) for number in range(len(groups)) for measure in groups[0].measures]
    steps: Iterable[int] = range(len(work))
    if settings.test == "permutation":  # which draws, and takes time
        steps = with_progress([1] * len(work), len(work), "tests")
    families: dict[str, list[_Test]] = {}
    rows: list[list[_Test]] = [[] for _ in groups]
    for (number, measure), _ in zip(work, steps, strict=True):
        tests = _tested(groups[number], measure, pairs, settings)
        families.setdefault("" if settings.family == "all" else measure, []).extend(tests)
        rows[number] += tests
    for family in families.values():
        _correct(family, settings)
    return [tuple(Difference(**test.found) for test in tests) for tests in rows]


def _tested(
    joined: Joined,
    measure: str,
    pairs: Sequence[tuple[str, str]],
    settings: Settings,
) -> list[_Test]:
    """One measure over one group of queries: all but the correction."""
    tests = [_described(joined, measure, pair) for pair in pairs]
    draws = settings.n_resamples, settings.seed
    for test in tests:
        if test.sample is not None:
            p = test.sample.p(settings.test, settings.alternative, *draws)
            test.set_interval(*test.sample.interval(settings.level, p, settings.alternative))
            test.found["p"] = p
    return tests


def _described(joined: Joined, measure: str, pair: tuple[str, str]) -> _Test:
    """Two systems over the queries for which both are defined; not tested."""
    metric = joined.measure(measure).metric
    least, greater = metric.geometric_from, metric.greater_is_better
    found: dict[str, Any] = {"measure": measure, "baseline": pair[0], "system": pair[1]}
    old, new = (joined.values(system, measure) for system in pair)
    weights, others = (joined.weights(system, measure) for system in pair)
    remark, sample = "", None
    if old is None or new is None:
        remark = "ranks all queries together; there are no values per query to test"
    elif weights is not others and (
        weights is None or others is None or not np.array_equal(weights, others)
    ):
        remark = "the systems weigh the queries differently"
    if old is None or new is None or remark:
        was, now = (joined.pooled(system, measure) for system in pair)
        mean = now - was
        found |= {"queries": len(joined.query_ids), "difference": mean, "remark": remark}
    else:
        defined = ~np.isnan(old) & ~np.isnan(new)
        if weights is not None:
            defined &= weights > 0
            weights = weights[defined]
            if not len(weights) or not np.ptp(weights):
                weights = None  # equal weights, so that every test may be asked for
        clusters = None if joined.clusters is None else joined.clusters[defined]
        sides = [on_scale(side[defined], least) for side in (old, new)]
        scale = max(float(np.abs(side).max(initial=0.0)) for side in sides)
        sample = Differences(sides[1] - sides[0], weights, scale, clusters)
        was, now = (mean_of(side, weights) for side in sides)
        if least is not None:
            was, now = math.exp(was), math.exp(now)
        mean, (wins, losses) = sample.mean, sample.better_and_worse(greater)
        if least is None:
            before, after = (
                None if spread is None else spread[defined]
                for spread in (joined.spread(system, measure) for system in pair)
            )
            first, second = (len(joined.systems[system].runs) for system in pair)
            found["noise"] = noise_between((before, after), (first, second), weights, sample.error)
        found |= {
            "queries": len(sample),
            "difference": mean if least is None else now - was,
            "effect": sample.effect,
            "design_effect": sample.design_effect,
            "wins": wins,
            "ties": len(sample) - wins - losses,
            "losses": losses,
        }
    better = None if math.isnan(mean) or mean == 0 else (mean > 0) == greater
    found |= {"value": now, "baseline_value": was, "better": better}
    return _Test(metric, found, sample)


def _correct(family: Sequence[_Test], settings: Settings) -> None:
    """Corrected p-values, and the differences that they leave to be seen."""
    raw = [test.found.get("p", math.nan) for test in family]
    times = sum(not math.isnan(p) for p in raw) if settings.correction else 1
    corrected = correct_p_values(raw, settings.correction)
    alpha = settings.alpha / max(times, 1)
    for test, p in zip(family, corrected, strict=True):
        test.found |= {"p_corrected": p, "significant": p <= settings.alpha}
        sample = test.sample
        if sample is not None and sample.has_spread:
            least = sample.detectable(alpha, settings.power, settings.alternative)
            test.found["detectable"] = test.in_units(least)
