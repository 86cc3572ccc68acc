"""The measured system and its baseline, and how well the two fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from sklearn_rank.comparison.baseline import (
    Baseline,
    QueryRecord,
    clusters_of,
    judged_digests,
    keys_of,
    labels_of,
    reading_of,
    redefined,
    weights_of,
)
from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.recorded import recorded_evaluation
from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.statistics.means import cluster_codes
from sklearn_rank.support.constants import RECORDED_DECIMALS
from sklearn_rank.support.text import count, line, queries_text, several, shown

BASELINE, NEW = "baseline", "new"
"""Names of the systems of a gate."""
_YES_OR_NO = {"True": "yes", "False": "no"}
Slices = Mapping[str, tuple[Sequence[int], BaseEvaluation]]
"""Positions of a slice's queries, and its evaluation, by label."""


@dataclass(frozen=True)
class Fit:
    """Description of how a baseline differs from the measured data."""

    data: str = ""
    """Queries and reading options that differ."""
    others: Sequence[tuple[str, str]] = ()
    """Rule and sentence of other differences, in measures and slices."""
    compares: bool = True
    """Whether values can be compared: same reading options, and half of the queries the same."""
    is_few: bool = False
    """Whether fewer than half of the queries are the same."""
    has_more: bool = False
    """Whether the baseline has measures that are not measured now."""


def recorded(new: BaseEvaluation, baseline: Baseline, slices: Slices) -> tuple[Joined | None, Fit]:
    """The queries whose judgements have not changed, and all differences.

    Empty if nothing can be compared.
    """
    keys = keys_of(new.query_ids, "queries")
    by_id, digests = {row.id: row for row in baseline.queries}, judged_digests(new)
    common = {number: by_id[key] for number, key in enumerate(keys) if key in by_id}
    rows = {number: row for number, row in common.items() if row.judged == digests[number]}
    fit, lacks = _fit(new, baseline, keys, digests, slices, common, len(rows))
    names = [name for name in new if name not in lacks]
    if not (rows and names and fit.compares):
        return None, fit
    numbers = np.array([*rows], dtype=np.int64)
    ids, clusters = new.ranking_data.listed_ids(), new.clusters
    old = recorded_evaluation(new, numbers, [*rows.values()], names, baseline)
    joined = Joined(
        {BASELINE: old, NEW: new},
        tuple(names),
        [ids[number] for number in rows],
        {BASELINE: np.arange(len(rows)), NEW: numbers},
        {},
        None if clusters is None else cluster_codes(clusters)[numbers],
        RECORDED_DECIMALS,
    )
    return joined, fit


def _fit(
    new: BaseEvaluation,
    baseline: Baseline,
    keys: list[str],
    digests: list[str],
    slices: Slices,
    common: Mapping[int, QueryRecord],
    n_alike: int,
) -> tuple[Fit, set[str]]:
    """How a baseline differs, and the measures that it lacks or defines differently.

    ``common`` maps numbers of queries to their records; ``n_alike`` have the same judgements.
    """
    misfit, recorded_ids = "baseline does not fit:", {row.id: row for row in baseline.queries}

    def differing(name: str, now: Sequence[object]) -> list[str]:
        then = [*map(attrgetter(name), common.values())]
        if then == [*map(now.__getitem__, common)]:
            return []
        pairs = zip(common, then, strict=True)
        return [keys[number] for number, value in pairs if value != now[number]]

    present, then, now = set(keys), baseline.reading, reading_of(new)
    queries = {
        "added": [key for number, key in enumerate(keys) if number not in common],
        "gone": [key for key in recorded_ids if key not in present],
        "with other judgements": differing("judged", digests),
        "in other clusters": differing("cluster", clusters_of(new)),
        "with other weights": differing("weight", weights_of(new)),
    }
    data = [f"{queries_text(len(q))} {kind} ({several(q)})" for kind, q in queries.items() if q]
    readings = [
        f"read with {name}={_YES_OR_NO.get(now[name], now[name])}, recorded with "
        f"{_YES_OR_NO.get(was, was)}"
        for name, was in then.items()
        if now.get(name, was) != was  # for example, ties only if both have scores
        # What "raise" let pass had no such case; "skip" leaves queries out.
        and ("raise" not in (was, now[name]) or "skip" in (was, now[name]))
    ]
    others, lacks = [], set()
    for name in new:
        if name not in baseline.measures:
            others.append(("added", f"{misfit} it lacks {name!r}"))
            lacks.add(name)
            continue
        differ = redefined(baseline.measures[name], new.scored[name].measure)
        if differ:
            others.append(("redefined", f"{misfit} {name} is measured with {line(differ)}"))
            lacks.add(name)
    gone = [name for name in baseline.measures if name not in new]
    others += [("gone", f"baseline has {name!r} but the gate does not compute it") for name in gone]
    labels = labels_of(slices, len(keys))
    moved = [
        f"{shown(row.id)} {several(row.slices) or 'none'} -> {several(labels[number]) or 'none'}"
        for number, row in common.items()
        if row.slices is not None and set(row.slices) != set(labels[number])
    ]
    if moved:
        are = count(len(moved), "query is", "queries are")
        more = f" and {len(moved) - 3:,} more" if len(moved) > 3 else ""
        text = f"{misfit} {are} in other slices: {'; '.join(moved[:3])}{more}"
        others.append(("moved", text))
    is_few = 2 * n_alike < max(len(keys), len(recorded_ids))
    text = f"{misfit} {', '.join(map(line, (*data, *readings)))}" if data or readings else ""
    return Fit(text, others, not (is_few or readings), is_few, bool(gone)), lacks
