"""The other side of a gate: a recorded or measured system, joined by the id of queries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sklearn_rank.comparison.baseline import (
    DECIMALS,
    Baseline,
    clusters_of,
    definition_of,
    judged_digests,
    keys_of,
    reading_of,
    top_ranks,
    unjudged_on_top,
    weights_of,
)
from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.recorded import recorded_evaluation
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.gates.verdict import RankGateFailure
from sklearn_rank.gates.words import first_of, line, queries_text, several, shown
from sklearn_rank.statistics.paired import PairedDifferences
from sklearn_rank.statistics.samples import cluster_codes
from sklearn_rank.support.text import count
from sklearn_rank.typing import IntArray

BASELINE, NEW = "baseline", "new"
"""Names of the systems of a gate."""
_OPTIONS = {"True": "yes", "False": "no"}
Slices = Mapping[str, tuple[Sequence[int], Evaluation]]
"""Numbers of the queries of each slice, and its evaluation, by label."""


@dataclass(frozen=True)
class Fit:
    """How a baseline differs from the measured data, in words."""

    data: str = ""
    """Queries that differ, and options that were read otherwise."""
    others: Sequence[tuple[str, str]] = ()
    """Rule and sentence of all else: measures and slices."""
    compares: bool = True
    """Whether its values can be compared: read alike, with half of the queries the same."""
    is_few: bool = False
    """Whether fewer than half of them are."""
    lacks: frozenset[str] = frozenset()
    """Measures that it does not have, or that are counted otherwise."""
    has_more: bool = False
    """Whether it has measures that are not measured now."""


@dataclass(frozen=True)
class Other:
    """Both sides of a gate over the queries that are compared."""

    joined: Joined
    """The old system first, then the new one."""
    by_query: Collection[str]
    """Measures that can be compared query by query."""
    pooled: Mapping[str, float] = field(default_factory=dict)
    """Old values of the measures that rank all queries together."""
    pooled_slices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unjudged: float | None = None
    """Share of the old items on top that nobody judged."""
    fit: Fit = Fit()
    baseline: Baseline | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The old system ("baseline", or a name), and the new one."""
        old, new = self.joined.systems
        return old, new

    def pairs(self, measure: str) -> PairedDifferences | None:
        """The values of a measure in the compared queries; None: it cannot be compared so."""
        if measure not in self.by_query:
            return None
        found = self.joined.pairs(measure, self.names)
        return None if isinstance(found, str) else found


def beside(joined: Joined, slices: Slices | None = None) -> Other:
    """Two systems that were measured on the same judgements."""
    old, new = joined.systems
    system = joined.systems[old]
    names = [name for name in joined.measures if joined.measure(name).is_pooled]
    parts = {}
    for label, (members, _) in (slices or {}).items() if names else ():
        part = joined.take(np.flatnonzero(np.isin(joined.places[new], members)))
        parts[label] = {name: round(part.pooled(old, name), DECIMALS) for name in names}
    return Other(
        joined,
        [name for name in joined.measures if name not in names],
        {name: round(joined.pooled(old, name), DECIMALS) for name in names},
        parts,
        unjudged_on_top(system),
    )


def reference(old: Evaluation, new: Evaluation, slices: Slices) -> Other:
    """Another system that was measured now."""
    place = {query: number for number, query in enumerate(old.query_ids)}
    if set(place) != set(new.query_ids):
        msg = "could not measure: the two systems were evaluated on different queries"
        raise RankGateFailure(msg)
    order = np.array([place[query] for query in new.query_ids], dtype=np.int64)
    return beside(_joined(old, order, new, np.arange(len(order))), slices)


def _joined(old: Evaluation, numbers: IntArray, new: Evaluation, queries: IntArray) -> Joined:
    ids = new._judged.listed_ids()
    clusters = new.clusters
    return Joined(
        {BASELINE: old, NEW: new},
        tuple(old),
        [ids[number] for number in queries.tolist()],
        {BASELINE: numbers, NEW: queries},
        {},
        None if clusters is None else cluster_codes(clusters, len(ids))[queries],
        DECIMALS,
    )


def recorded(new: Evaluation, baseline: Baseline, slices: Slices) -> Other:
    """A baseline, joined with the measured queries where the judgements are the same."""
    keys = keys_of(new.query_ids, "queries")
    by_id = {row.id: row for row in baseline.queries}
    rows = [by_id.get(key) for key in keys]
    digests = judged_digests(new)
    common = [n for n, row in enumerate(rows) if row is not None and row.judged == digests[n]]
    fit = _fit(new, baseline, keys, digests, slices, len(common))
    known = {n: row for n in (common if fit.compares else ()) if (row := rows[n]) is not None}
    same = {name for name in new if name not in fit.lacks}
    pooled = {name for name in same if new._scored[name].measure.is_pooled}
    by_query = [name for name in new if name in same - pooled and known]
    whole = not fit.data
    numbers = np.array([*known], dtype=np.int64)
    old = recorded_evaluation(new, numbers, [*known.values()], by_query, baseline)
    return Other(
        _joined(old, np.arange(len(known)), new, numbers),
        by_query,
        {name: baseline.measures[name].value for name in pooled if whole},
        {
            label: {name: own[name] for name in pooled if whole and name in own}
            for label, own in baseline.slices.items()
        },
        baseline.unjudged if baseline.top == top_ranks(new) else None,
        fit,
        baseline,
    )


def _fit(
    new: Evaluation,
    baseline: Baseline,
    keys: list[str],
    digests: list[str],
    slices: Slices,
    n_common: int,
) -> Fit:
    by_id, misfit = {row.id: row for row in baseline.queries}, "baseline does not fit:"

    def differing(name: str, now: Iterable[object]) -> list[str]:
        return [
            key
            for key, own in zip(keys, now, strict=True)
            if key in by_id and getattr(by_id[key], name) != own
        ]

    present, then, now = set(keys), baseline.reading, reading_of(new)
    queries = {
        "added": [key for key in keys if key not in by_id],
        "gone": [key for key in by_id if key not in present],
        "judged anew": differing("judged", digests),
        "in other clusters": differing("cluster", clusters_of(new)),
        "weighed otherwise": differing("weight", weights_of(new)),
    }
    # Ties only where both have scores, say.
    readings = [
        f"read with {name}={_OPTIONS.get(now[name], now[name])}, recorded with "
        f"{_OPTIONS.get(then[name], then[name])}"
        for name in then
        if name in now and then[name] != now[name]
    ]
    data = [f"{queries_text(len(q))} {kind} ({several(q)})" for kind, q in queries.items() if q]
    added = [name for name in new if name not in baseline.measures]
    others, lacks = [], set(added)
    for name in (name for name in new if name in baseline.measures):
        old, own = baseline.measures[name].definition, definition_of(new._scored[name].measure)
        differ = [
            f"{key}={own.get(key, '-')}, recorded with {old.get(key, '-')}"
            for key in dict.fromkeys([*old, *own])
            if old.get(key, "-") != own.get(key, "-")
        ]
        if differ:
            others.append(
                ("redefined", f"{misfit} {name} is counted with {line(', '.join(differ))}")
            )
            lacks.add(name)
    gone = [name for name in baseline.measures if name not in new]
    others += [("gone", f"baseline has {own!r} but the test did not compute it") for own in gone]
    others += [("added", f"{misfit} it does not have {own!r}") for own in added]
    moved = [
        (key, was, own)
        for key, own in zip(keys, labels_of(slices, len(keys)), strict=True)
        if slices and key in by_id and (was := by_id[key].slices) is not None
        if set(was) != set(own)
    ]
    if moved:
        texts = [
            f"{shown(query)} {several(was) or 'none'} -> {several(own) or 'none'}"
            for query, was, own in moved
        ]
        are = count(len(moved), "query is", "queries are")
        ask = "; check that slices names all queries" * any(not own for *_, own in moved)
        others.append(("moved", f"{misfit} {are} in other slices: {first_of(texts)}{ask}"))
    is_few = 2 * n_common < max(len(keys), len(by_id))
    text = f"{misfit} {', '.join(map(line, (*data, *readings)))}" if data or readings else ""
    return Fit(text, others, not (is_few or readings), is_few, frozenset(lacks), bool(gone))


def labels_of(slices: Slices, n: int) -> list[list[str]]:
    """Labels of each query."""
    labels: list[list[str]] = [[] for _ in range(n)]
    for label in sorted(slices):
        for number in slices[label][0]:
            labels[number].append(label)
    return labels
