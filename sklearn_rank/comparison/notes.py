"""Notes on a comparison: its family of tests, and the limits of its results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from sklearn_rank.comparison.differences import Change
from sklearn_rank.comparison.join import Joined, describe_queries
from sklearn_rank.comparison.recorded import RecordedEvaluation
from sklearn_rank.evaluation.tables import design_notes
from sklearn_rank.kernels.binary import unjudged_share
from sklearn_rank.statistics.paired import FEWEST
from sklearn_rank.support.text import count, safe_repr

_TOP = 10
"""Ranks that are looked at for unjudged items where no measure has a cutoff."""
_MOST_NAMED = 3


def describe_family(groups: Sequence[Sequence[Change]], *, of_slices: bool) -> str:
    """The test, the correction and the p-values that it counts.

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
            f"unjudged items count as irrelevant: of the first {top}, {', '.join(named)}{against} "
            "are unjudged; to_judge() or `sklearn-rank judge-next` lists the most important ones"
        )
    n_queries, missing = len(joined.query_ids), describe_queries(joined.missing)
    if missing:
        notes.append(f"queries without a ranking count as empty ones: {missing}")
    if joined.clusters is not None:
        effects = ((f"{row.measure} of {safe_repr(row.system)}", row) for row in rows)
        notes += design_notes({name: (row.design_effect, row.queries) for name, row in effects})
    noisy = [
        f"{row.noise:.0%} for {row.measure} of {safe_repr(row.system)}"
        for row in rows
        if not math.isnan(row.noise)
    ]
    if noisy:
        notes.append(f"noise between runs, as a share of the variance of a change: {_named(noisy)}")
    few, undefined = {}, {}
    for row in rows:
        if row.wins is None or row.losses is None:
            continue
        name, changed = f"{row.measure} of {safe_repr(row.system)}", row.wins + row.losses
        if 0 < changed < FEWEST:
            few[name] = changed
        if row.queries < n_queries:
            undefined[name] = n_queries - row.queries
    if few:
        most = max(few.values())
        what = "for a detectable change"
        if 0.5 ** (most - 1) > alpha:
            what = f"for any difference to be significant at {alpha:g}"
        counted = count(most, "query", "queries")
        notes.append(f"only {counted} changed in {_named(few)}: too few {what}")
    if undefined:
        number = max(undefined.values())
        are = "1 query is" if number == 1 else f"up to {number:,} queries are"
        notes.append(
            f"{are} not compared in {_named(undefined)}: the measure is undefined for one of the "
            "systems, or the query has weight 0"
        )
    remarks = dict.fromkeys((row.measure, row.remark) for row in rows if row.remark)
    return (*notes, *(f"{measure} is not tested: {remark}" for measure, remark in remarks))


def unjudged_shares(joined: Joined) -> tuple[int, dict[str, float]]:
    """A depth and the share of unjudged items down to it, if available.

    {} where all are judged.
    """
    cutoffs = (joined.measure(name).k for name in joined.measures)
    top = next((k for k in cutoffs if k is not None), _TOP)
    shares: dict[str, float] = {}
    for name, system in joined.systems.items():
        if isinstance(system, RecordedEvaluation):
            share = system.unjudged_share(top)
            shares |= {} if share is None else {name: share}
            continue
        rankings = system._judged.rankings
        # Ranking unjudged items costs as much as ranking all did, so that it is not done in vain.
        nothing = rankings.unjudged is None or not rankings.unjudged.counts.any()
        queries = joined.positions[name]
        shares[name] = 0.0 if nothing else unjudged_share(rankings, k=top, queries=queries)
    return top, shares if any(shares.values()) else {}


def _named(names: Iterable[str]) -> str:
    shown = list(names)
    more = len(shown) - _MOST_NAMED
    return ", ".join(shown[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
