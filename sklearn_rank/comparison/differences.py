"""Changes of measures between systems: their tests, and families of p-values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from sklearn_rank.comparison.join import Joined
from sklearn_rank.statistics.paired import PairedDifferences
from sklearn_rank.statistics.randomization import holm


@dataclass(frozen=True)
class Change:
    """One measure of a system against that of another.

    Attributes
    ----------
    measure, baseline, system : str
        What is compared.
    queries : int
        Compared pairs of values: queries with both values defined and a weight above 0.
        For a pooled measure, the queries that were ranked together.
    baseline_value, new : float
        Means of the baseline and of the system over these queries.
    change : float
        ``new - baseline_value``, whatever the direction of the measure.
    low, high : float
        Two-sided interval of the change at ``1 - alpha``; NaN without a spread.
    effect : float
        Effect size: mean over standard deviation of the changes per query.
    p, p_holm : float
        Uncorrected, and corrected within its family; NaN without a test.
    wins, ties, losses : int or None
        Queries won, tied and lost, taking the direction of the measure into account; None without
        values per query.
    detectable : float
        Smallest true change that the test would find with 80% power; NaN where fewer than ten
        queries changed.
    significant : bool
        Whether ``p_holm`` is at most alpha and, for a gain, the interval excludes 0.
    better : bool or None
        Whether the system is better than the baseline; None if the values are equal or undefined.
    remark : str
        Why there is no test.
    design_effect : float
        Design effect: variance of the change relative to independent queries; 1 without clusters.
    noise : float
        Share of the change's variance that is due to differences between runs of one system
        (:class:`~sklearn_rank.Repeats`); NaN without repeats.
    """

    measure: str
    baseline: str
    system: str
    queries: int
    baseline_value: float
    new: float
    change: float
    low: float = math.nan
    high: float = math.nan
    effect: float = math.nan
    p: float = math.nan
    p_holm: float = math.nan
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    detectable: float = math.nan
    significant: bool = False
    better: bool | None = None
    remark: str = ""
    design_effect: float = math.nan
    noise: float = math.nan

    @classmethod
    def of(
        cls,
        pairs: PairedDifferences,
        alpha: float,
        measure: str = "",
        baseline: str = "",
        system: str = "",
        **fields: Any,
    ) -> Self:
        """Everything about some pairs that does not depend on other tests."""
        low, high = pairs.interval(1 - alpha)
        drop = pairs.drop
        return cls(
            measure,
            baseline,
            system,
            len(pairs),
            *pairs.means,
            pairs.mean,
            low,
            high,
            effect=pairs.effect,
            p=pairs.p,
            wins=pairs.wins,
            ties=pairs.ties,
            losses=pairs.losses,
            better=None if math.isnan(drop) or drop == 0 else drop < 0,
            design_effect=pairs.design_effect,
            noise=pairs.noise,
            **fields,
        )


def changes_of(groups: Sequence[Joined], alpha: float) -> list[tuple[Change, ...]]:
    """The changes of each group of queries, all tested in one family."""
    baseline, *systems = groups[0].systems
    tested = [
        _tested(group, name, (baseline, system), alpha)
        for group in groups
        for name in group.measures
        for system in systems
    ]
    corrected = holm([row.p for row, _ in tested]).tolist()
    level = alpha / max(sum(not math.isnan(row.p) for row, _ in tested), 1)
    rows = []
    for (row, pairs), p in zip(tested, corrected, strict=True):
        if pairs is not None:
            is_found, least = pairs.is_significant(alpha, p), pairs.detectable(level)
            row = replace(row, p_holm=p, significant=is_found, detectable=least)
        rows.append(row)
    size = len(rows) // len(groups)
    return [tuple(rows[start : start + size]) for start in range(0, len(rows), size)]


def _tested(
    joined: Joined, measure: str, names: tuple[str, str], alpha: float
) -> tuple[Change, PairedDifferences | None]:
    """One measure of two systems: all but the correction; without pairs if nothing is tested."""
    metric = joined.measure(measure).metric
    pairs = joined.pairs(measure, names)
    if isinstance(pairs, str):
        old, new = (joined.value(system, measure) for system in names)
        row = Change(measure, *names, len(joined.query_ids), old, new, new - old, remark=pairs)
        if not math.isnan(row.change) and row.change != 0:
            row = replace(row, better=(row.change > 0) == metric.greater_is_better)
    else:
        row = Change.of(pairs, alpha, measure, *names)
    return row, None if isinstance(pairs, str) else pairs
