"""Differences between systems: pairs of values, their tests, and families of p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import InitVar, dataclass, field
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
from sklearn_rank.statistics.samples import check_share, cluster_means, t_quantile
from sklearn_rank.support.checks import check_integer, check_option, check_seed
from sklearn_rank.support.runtime import with_progress
from sklearn_rank.support.segments import mean_of
from sklearn_rank.typing import BoolArray, FloatArray

AllPairsTest = Literal["tukey", "anova"]
"""Tests of all pairs at once, which correct for their number themselves."""
Family = Literal["all", "measure"]


@dataclass
class Settings:
    """Parameters of a comparison, checked."""

    owner: InitVar[str]
    test: PairedTest | AllPairsTest
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
        of_all = get_args(AllPairsTest) if self.all_pairs else ()
        check_option(self.test, "test", (*of_all, *get_args(PairedTest)), owner)
        check_option(self.alternative, "alternative", get_args(Alternative), owner)
        check_option(self.family, "family", get_args(Family), owner)
        if self.correction is not None:
            check_option(self.correction, "correction", get_args(Correction), owner)
        generator = check_seed(self.seed, "random_state", owner)
        self.alpha = check_share(self.alpha, "alpha", owner)
        self.level = check_share(self.level, "level", owner)
        self.power = check_share(self.power, "power", owner)
        self.n_resamples = check_integer(self.n_resamples, "n_resamples", owner, at_least=2)
        drawn = self.seed is generator
        self.seed = int(generator.integers(2**63) if drawn else self.seed)

    @property
    def corrects_itself(self) -> bool:
        """Whether the test is one of all pairs at once."""
        return self.test in get_args(AllPairsTest)


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


@dataclass
class _Test:
    """One measure of two systems, whose family is being formed."""

    group: int
    """Number of the group of queries: of all, or of a slice."""
    metric: Metric
    found: dict[str, Any]
    """Fields of the difference."""
    sides: Sequence[FloatArray] = ()
    """Values of both systems for the queries that count, on the scale of their mean."""
    own: Differences | None = None
    """New minus old on this scale; None where nothing can be tested."""
    reach: Callable[[float], float] | None = None
    """Half the width of intervals that hold for all pairs at once, by their level."""

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
    if settings.test in ("permutation", "bootstrap", "tukey"):  # which draw, and take time
        steps = with_progress([1] * len(work), len(work), "tests")
    families: dict[str, list[_Test]] = {}
    rows: list[list[_Test]] = [[] for _ in groups]
    for (number, measure), _ in zip(work, steps, strict=True):
        tests = _tested(number, groups[number], measure, pairs, settings)
        families.setdefault("" if settings.family == "all" else measure, []).extend(tests)
        rows[number] += tests
    for family in families.values():
        _correct(family, settings)
    return [tuple(Difference(**test.found) for test in tests) for tests in rows]


def _tested(
    group: int,
    joined: Joined,
    measure: str,
    pairs: Sequence[tuple[str, str]],
    settings: Settings,
) -> list[_Test]:
    """One measure over one group of queries: all but the correction."""
    kept, systems = None, list(joined.systems)
    if settings.corrects_itself:
        columns = [joined.values(system, measure) for system in systems]
        defined = [~np.isnan(column) for column in columns if column is not None]
        if len(defined) == len(columns):
            kept = np.logical_and.reduce(defined)
    tests = [_described(group, joined, measure, pair, kept) for pair in pairs]
    together = _tested_together(tests[: len(systems) - 1], settings)
    for test, pair in zip(tests, pairs, strict=True):
        own, draws = test.own, (settings.n_resamples, settings.seed)
        if own is None or (settings.corrects_itself and together is None):
            continue
        if together is not None:
            place, reach = tuple(map(systems.index, pair)), together.reach(settings.level)
            test.set_interval(own.mean - reach, own.mean + reach)
            test.reach, test.found["p"] = together.reach, float(together.p[place])
            test.found["p_corrected"] = float(together.p_corrected[place])
        else:
            if settings.test == "bootstrap":
                test.set_interval(*own.bootstrap_interval(settings.level, *draws))
            else:
                test.set_interval(*own.interval(settings.level))
            test.found["p"] = own.p(settings.test, settings.alternative, *draws)  # type: ignore[arg-type]
    return tests


def _described(
    group: int, joined: Joined, measure: str, pair: tuple[str, str], kept: BoolArray | None
) -> _Test:
    """Two systems over the queries for which both are defined, of ``kept`` alone; not tested."""
    metric = joined.measure(measure).metric
    least, greater = metric.geometric_from, metric.greater_is_better
    found: dict[str, Any] = {"measure": measure, "baseline": pair[0], "system": pair[1]}
    old, new = (joined.values(system, measure) for system in pair)
    weights, others = (joined.weights(system, measure) for system in pair)
    remark, sides, own = "", [], None
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
        if kept is not None:
            defined &= kept
        if weights is not None:
            defined &= weights > 0
            weights = weights[defined]
            if not len(weights) or not np.ptp(weights):
                weights = None  # equal weights, so that every test may be asked for
        clusters = None if joined.clusters is None else joined.clusters[defined]
        sides = [on_scale(side[defined], least) for side in (old, new)]
        scale = max(float(np.abs(side).max(initial=0.0)) for side in sides)
        own = Differences(sides[1] - sides[0], weights, scale, clusters)
        was, now = (mean_of(side, weights) for side in sides)
        if least is not None:
            was, now = math.exp(was), math.exp(now)
        mean, (wins, losses) = own.mean, own.better_and_worse(greater)
        found |= {
            "queries": len(own),
            "difference": mean if least is None else now - was,
            "effect": own.effect,
            "design_effect": own.design_effect,
            "wins": wins,
            "ties": len(own) - wins - losses,
            "losses": losses,
        }
    better = None if math.isnan(mean) or mean == 0 else (mean > 0) == greater
    found |= {"value": now, "baseline_value": was, "better": better}
    return _Test(group, metric, found, sides, own)


def _tested_together(tests: Sequence[_Test], settings: Settings) -> AllPairs | None:
    """A test of all pairs at once, by those with the baseline; None without values to go by."""
    known = [test.own for test in tests if test.own is not None and len(test.own) > 1]
    if not settings.corrects_itself or len(known) < len(tests):
        return None
    columns = [tests[0].sides[0], *(test.sides[1] for test in tests)]
    weights, clusters = known[0].weights, known[0].clusters
    if settings.test == "anova" and (weights is not None or clusters is not None):
        no = "weights" if clusters is None else "clusters"
        msg = f"test='anova' takes no {no} of queries; take test='tukey'"
        raise InvalidParameterError(msg)
    if clusters is not None:  # which are shuffled as one
        means = [cluster_means(column, weights, clusters) for column in columns]
        columns, weights = [column for column, _ in means], means[0][1]
    values = np.column_stack(columns)
    if settings.test == "tukey":
        return randomised_tukey(values, weights, settings.n_resamples, settings.seed)
    return parametric_tukey(values)


def _correct(family: Sequence[_Test], settings: Settings) -> None:
    """Corrected p-values, and the differences that they leave to be seen."""
    raw = [test.found.get("p", math.nan) for test in family]
    if settings.corrects_itself:
        # One test of all pairs for each measure and slice: these are corrected for their number.
        tested = {(t.group, t.found["measure"]) for t in family if "p" in t.found}
        times = len(tested) if settings.correction else 1
        corrected = [min(times * t.found.get("p_corrected", math.nan), 1.0) for t in family]
    else:
        times = sum(not math.isnan(p) for p in raw) if settings.correction else 1
        corrected = correct_p_values(raw, settings.correction)
    alpha = settings.alpha / max(times, 1)
    for test, p in zip(family, corrected, strict=True):
        test.found |= {"p_corrected": p, "significant": p <= settings.alpha}
        own = test.own
        if own is None or not own.has_spread:
            continue
        if test.reach is None:
            least = own.detectable(alpha, settings.power, settings.alternative)
        else:
            missed = t_quantile(settings.power, own.freedom) * own.error
            least = test.reach(1 - alpha) + missed
        test.found["detectable"] = test.in_units(least)
