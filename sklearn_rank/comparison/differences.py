"""Differences between systems: pairs of values, their tests, and families of p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import InitVar, dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.pairs import Pairs
from sklearn_rank.measures.record import Metric
from sklearn_rank.statistics.differences import (
    Alternative,
    Correction,
    PairedTest,
    correct_p_values,
)
from sklearn_rank.statistics.noise import Noise
from sklearn_rank.statistics.samples import check_share
from sklearn_rank.support.checks import check_integer, check_option, check_seed
from sklearn_rank.support.runtime import with_progress

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


def compared(groups: Sequence[Joined], settings: Settings) -> list[tuple[Difference, ...]]:
    """The differences of each group of queries, all tested in one family."""
    systems = [*combinations(groups[0].systems, 2)]
    if not settings.all_pairs:
        systems = systems[: len(groups[0].systems) - 1]
    work = [(group, name) for group in groups for name in groups[0].measures]
    steps: Iterable[int] = range(len(work))
    if settings.test == "permutation":  # which draws, and takes time
        steps = with_progress([1] * len(work), len(work), "tests")
    families: dict[str, list[tuple[Difference, Pairs | None]]] = {}
    for (group, name), _ in zip(work, steps, strict=True):
        tests = [_tested(group, name, pair, settings) for pair in systems]
        families.setdefault("" if settings.family == "all" else name, []).extend(tests)
    found = {key: iter(_corrected(family, settings)) for key, family in families.items()}
    return [
        tuple(
            next(found["" if settings.family == "all" else name])
            for name in group.measures
            for _ in systems
        )
        for group in groups
    ]


def _tested(
    joined: Joined, measure: str, names: tuple[str, str], settings: Settings
) -> tuple[Difference, Pairs | None]:
    """One measure of two systems: all but the correction; without pairs if nothing is tested."""
    metric = joined.measure(measure).metric
    pairs = joined.pairs(measure, names)
    if isinstance(pairs, str):
        was, now = (joined.pooled(system, measure) for system in names)
        row = Difference(measure, *names, len(joined.query_ids), now, was, now - was, remark=pairs)
        return replace(row, better=_better(now - was, metric)), None
    sample, (was, now), (losses, wins) = pairs.sample, pairs.means, pairs.lost_and_won
    p = sample.p(settings.test, settings.alternative, settings.n_resamples, settings.seed)
    widest = metric.upper - metric.lower
    low, high = sample.interval(settings.level, p, settings.alternative)
    mean = sample.mean if metric.geometric_from is None else now - was
    row = Difference(
        measure,
        *names,
        queries=len(pairs),
        value=now,
        baseline_value=was,
        difference=mean,
        low=max(_in_units(pairs, low), -widest),
        high=min(_in_units(pairs, high), widest),
        effect=sample.effect,
        p=p,
        wins=wins,
        ties=len(pairs) - wins - losses,
        losses=losses,
        better=_better(mean, metric),
        design_effect=sample.design_effect,
        noise=pairs.noise,
    )
    return row, pairs


def _in_units(pairs: Pairs, difference: float) -> float:
    """A difference on the scale of the mean as one of the means."""
    if pairs.geometric_from is None:
        return difference
    with np.errstate(over="ignore"):  # of few queries a logarithm may be beyond all floats
        return float(pairs.means[0] * float(np.expm1(difference)))


def _better(difference: float, metric: Metric) -> bool | None:
    if math.isnan(difference) or difference == 0:
        return None
    return (difference > 0) == metric.greater_is_better


def _corrected(
    family: Sequence[tuple[Difference, Pairs | None]], settings: Settings
) -> Iterator[Difference]:
    """The rows with corrected p-values, and the differences that these leave to be seen."""
    raw = [row.p for row, _ in family]
    times = sum(not math.isnan(p) for p in raw) if settings.correction else 1
    alpha = settings.alpha / max(times, 1)
    corrected = correct_p_values(raw, settings.correction)
    for (row, pairs), p in zip(family, corrected, strict=True):
        least = math.nan
        if pairs is not None and pairs.sample.has_spread:
            least = pairs.sample.detectable(alpha, settings.power, settings.alternative)
            least = _in_units(pairs, least)
        yield replace(row, p_corrected=p, significant=p <= settings.alpha, detectable=least)
