"""Changes of measures between systems: their tests, families of p-values, and notes on them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Self

from sklearn_rank.comparison.baseline import depth_of
from sklearn_rank.comparison.join import Joined, describe_queries
from sklearn_rank.comparison.recorded import RecordedEvaluation
from sklearn_rank.evaluation.tables import design_notes
from sklearn_rank.kernels.binary import unjudged_share
from sklearn_rank.statistics.paired import FEWEST, PairedDifferences
from sklearn_rank.statistics.randomization import holm
from sklearn_rank.support.text import WithFields, count, safe_repr

_SOUGHT_IN_CHANGES = {
    **dict.fromkeys(("p_value", "p_values", "pvalue", "pvalues"), "use p, or p_holm"),
    **dict.fromkeys(("p_adj", "p_adjusted", "p_corrected", "corrected_p"), "use p_holm"),
    **dict.fromkeys(("ci", "confidence_interval", "interval"), "use low and high"),
    **dict.fromkeys(("delta", "diff", "difference", "mean"), "use change"),
    **dict.fromkeys(("after", "new_value", "score", "value"), "use new"),
    **dict.fromkeys(("baseline_mean", "before", "old", "old_value"), "use baseline_value"),
    **dict.fromkeys(("n", "n_queries"), "use queries"),
    **dict.fromkeys(("is_significant", "sig"), "use significant"),
    **dict.fromkeys(("is_better", "winner"), "use better"),
    **dict.fromkeys(("cohens_d", "effect_size"), "use effect"),
    **dict.fromkeys(("statistic", "t", "test"), "the comparison's family_text names the test"),
    **dict.fromkeys(("to_dict", "to_frame"), "the comparison has it, with a row per change"),
}


@dataclass(frozen=True)
class Change(WithFields):
    """The change of one measure from the baseline to a system.

    Attributes
    ----------
    measure, baseline, system : str
        Names of the measure and of both systems.
    queries : int
        Compared pairs of values: queries with both values defined and a weight above 0.
        For a pooled measure, the queries that were ranked together.
    baseline_value, new : float
        Means of the baseline and of the system over these queries.
    change : float
        ``new - baseline_value``, also if lower is better.
    low, high : float
        Two-sided interval of the change at ``1 - alpha``; NaN without a spread.
    effect : float
        Effect size: mean over standard deviation of the changes per query.
    p, p_holm : float
        P-values, uncorrected and corrected within the family; NaN without a test.
    wins, ties, losses : int or None
        Queries won, tied and lost, taking the direction of the measure into account; None without
        values per query.
    detectable : float
        Smallest true change that the test would find with 80% power; NaN if fewer than ten queries
        changed.
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

    _ELSEWHERE: ClassVar[Mapping[str, str]] = _SOUGHT_IN_CHANGES

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
    rows, tested = [], []
    for group, measure, system in product(groups, groups[0].measures, systems):
        names = baseline, system
        pairs = group.pairs(measure, names)
        tested.append(pairs)
        if not isinstance(pairs, str):
            rows.append(Change.of(pairs, alpha, measure, *names))
            continue
        old, new = (group.value(name, measure) for name in names)
        change, is_better = new - old, group.measure(measure).metric.greater_is_better
        better = (change > 0) == is_better if change < 0 or change > 0 else None
        row = Change(measure, *names, len(group.query_ids), old, new, change, remark=pairs)
        rows.append(replace(row, better=better))
    corrected = holm([row.p for row in rows]).tolist()
    level = alpha / max(sum(not math.isnan(row.p) for row in rows), 1)
    for number, (pairs, p) in enumerate(zip(tested, corrected, strict=True)):
        if not isinstance(pairs, str):
            is_found, least = pairs.is_significant(alpha, p), pairs.detectable(level)
            rows[number] = replace(rows[number], p_holm=p, significant=is_found, detectable=least)
    size = len(rows) // len(groups)
    return [tuple(rows[start : start + size]) for start in range(0, len(rows), size)]


# Notes -------------------------------------------------------------------------------------------

_MOST_NAMED = 3


def describe_family(groups: Sequence[Sequence[Change]], *, of_slices: bool) -> str:
    """The test, the correction and the number of p-values.

    Such as "randomization test; Holm over 6 p-values: 2 systems x 3 measures".
    """
    rows = [row for group in groups for row in group if not math.isnan(row.p)]
    if not rows:
        return "randomization test: nothing could be tested"
    factors = [
        count(len({(row.baseline, row.system) for row in rows}), "comparison"),
        count(len({row.measure for row in rows}), "measure"),
    ]
    if of_slices:
        factors.append(count(len(groups), "slice"))
    total = count(len(rows), "p-value")
    return f"randomization test; Holm over {total}: {' x '.join(factors)}"


UNITS = (("query", "queries"), ("cluster", "clusters"))
"""What varies independently: queries, or clusters of them."""


def n_changed(row: Change, joined: Joined) -> int:
    """Number of queries that changed, or of clusters if there are any."""
    if joined.clusters is None:
        return (row.wins or 0) + (row.losses or 0)
    return joined.n_changed(row.measure, (row.baseline, row.system))


def notes_of(rows: Sequence[Change], joined: Joined, alpha: float) -> tuple[str, ...]:
    """Limitations of the results, as sentences."""
    notes = []
    top, shares = unjudged_shares(joined)
    if shares:
        first, *others = joined.systems
        others = sorted((name for name in others if name in shares), key=lambda name: -shares[name])
        named = [f"{shares[name]:.0%} of {safe_repr(name)}" for name in others[:_MOST_NAMED]]
        if len(others) > _MOST_NAMED:
            named.append(f"{len(others) - _MOST_NAMED:,} more systems")
        against = f" ({safe_repr(first)}: {shares[first]:.0%})" if first in shares else ""
        notes.append(
            f"unjudged items count as irrelevant: in the top {top}, {', '.join(named)}{against} "
            "are unjudged; to_judge() or `sklearn-rank judge-next` lists the most important ones"
        )
    n_queries, missing = len(joined.query_ids), describe_queries(joined.missing)
    if missing:
        notes.append(f"queries without a ranking count as empty rankings: {missing}")
    named_rows = [(f"{row.measure} of {safe_repr(row.system)}", row) for row in rows]
    if joined.clusters is not None:
        notes += design_notes({name: (row.design_effect, row.queries) for name, row in named_rows})
    noisy = [f"{row.noise:.0%} for {name}" for name, row in named_rows if not math.isnan(row.noise)]
    if noisy:
        notes.append(f"noise between runs, as a share of the variance of a change: {_named(noisy)}")
    few, undefined = {}, {}
    for name, row in named_rows:
        changed = n_changed(row, joined)
        if 0 < changed < FEWEST:
            few[name] = changed
        if row.queries < n_queries and not row.remark:
            undefined[name] = n_queries - row.queries
    if few:
        most = max(few.values())
        what = "for a detectable change"
        if 0.5 ** (most - 1) > alpha:
            what = f"for any difference to be significant at {alpha:g}"
        one, several = UNITS[joined.clusters is not None]
        changed_in = f"only {count(most, one, several)} changed in {_named(few)}"
        if min(few.values()) < most:
            each = _named(f"{n:,} in {name}" for name, n in few.items())
            changed_in = f"only few {several} changed ({each})"
        notes.append(f"{changed_in}: too few {what}")
    if undefined:
        are = count(max(undefined.values()), "query is", "queries are")
        notes.append(
            f"up to {are} not compared in {_named(undefined)}: the measure is undefined for one of "
            "the systems, or the query has weight 0"
        )
    remarks = dict.fromkeys((row.measure, row.remark) for row in rows if row.remark)
    return (*notes, *(f"{measure} is not tested: {remark}" for measure, remark in remarks))


def unjudged_shares(joined: Joined) -> tuple[int, dict[str, float]]:
    """A depth and the share of unjudged items down to it, by system; {} if all are judged."""
    top = depth_of(map(joined.measure, joined.measures))
    shares: dict[str, float] = {}
    for name, system in joined.systems.items():
        if isinstance(system, RecordedEvaluation):
            share = system.unjudged_share(top)
            shares |= {} if share is None else {name: share}
            continue
        rankings = system.ranking_data.rankings
        if system.assumed == "positives":  # nobody could have judged the others
            shares[name] = 0.0
            continue
        # Ranking unjudged items costs as much as ranking all items, so it is only done if needed.
        nothing = rankings.unjudged is None or not rankings.unjudged.counts.any()
        queries = joined.positions[name]
        shares[name] = 0.0 if nothing else unjudged_share(rankings, k=top, queries=queries)
    return top, shares if any(shares.values()) else {}


def _named(names: Iterable[str]) -> str:
    shown = list(names)
    more = len(shown) - _MOST_NAMED
    return ", ".join(shown[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
