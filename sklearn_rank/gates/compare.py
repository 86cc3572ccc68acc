"""The other side of a gate: a baseline, or another measured system, joined by the id of queries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sklearn_rank.comparison.baseline import (
    Baseline,
    QueryRecord,
    clusters_of,
    definition_of,
    judged_digests,
    keys_of,
    weights_of,
)
from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.recorded import recorded_evaluation
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.gates.measure import DECIMALS, Measured
from sklearn_rank.gates.verdict import RankGateFailure
from sklearn_rank.statistics.paired import PairedDifferences
from sklearn_rank.statistics.samples import cluster_codes
from sklearn_rank.typing import IntArray

NOW = "now"


@dataclass(frozen=True)
class Fit:
    """How a baseline differs from the measured data."""

    queries: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Ids that were added, are gone, judged anew, clustered or weighed otherwise, by what."""
    readings: Sequence[tuple[str, str, str]] = ()
    """Options that differ: name, then, now."""
    definitions: Mapping[str, Sequence[tuple[str, str, str]]] = field(default_factory=dict)
    """Parameters by which measures are counted otherwise: parameter, then, now."""
    gone: Sequence[str] = ()
    """Measures that only the baseline has."""
    added: Sequence[str] = ()
    """Measures that it lacks."""
    moved: Sequence[tuple[str, Sequence[str], Sequence[str]]] = ()
    """Queries in other slices than recorded: id, then, now."""
    no_comparison: bool = False
    """Whether fewer than half of the queries are the same."""

    @property
    def is_perfect(self) -> bool:
        """Whether nothing differs."""
        parts = (self.readings, self.definitions, self.gone, self.added, self.moved)
        return not any(parts) and not any(self.queries.values())


@dataclass(frozen=True)
class Other:
    """The other side of a gate, an evaluation that was measured now or recorded in a baseline."""

    joined: Joined
    """Both sides over the queries that are compared; the present one is ``NOW``."""
    by_query: Collection[str]
    """Measures that can be compared query by query."""
    pooled: Mapping[str, float]
    """Values of the measures that rank all queries together."""
    pooled_slices: Mapping[str, Mapping[str, float]]
    unjudged: float | None = None
    """Share of its items on top that nobody judged."""
    fit: Fit = Fit()
    baseline: Baseline | None = None

    @property
    def name(self) -> str:
        """For messages: "baseline" or "reference"."""
        return next(iter(self.joined.systems))

    @property
    def queries(self) -> IntArray:
        """Numbers of the measured queries that are compared."""
        return self.joined.places[NOW]

    def pairs(self, name: str) -> PairedDifferences | None:
        """The values of a measure in the compared queries; None: it cannot be compared so."""
        pairs = self.joined.pairs(name, (self.name, NOW)) if name in self.by_query else None
        return None if isinstance(pairs, str) else pairs


def beside(measured: Measured, other: Measured) -> Other:
    """Another system that was measured on the same judgements."""
    place = {query: number for number, query in enumerate(other.query_ids)}
    if set(place) != set(measured.query_ids):
        msg = "could not measure: the two systems were evaluated on different queries"
        raise RankGateFailure(msg)
    order = np.array([place[query] for query in measured.query_ids], dtype=np.int64)
    names = [name for name, used in other.used.items() if used.is_pooled]
    parts = other.slices() if names else {}
    return Other(
        _joined("reference", other.evaluation, order, measured, np.arange(len(measured))),
        tuple(other.per_query),
        {name: round(other.value(name), DECIMALS) for name in names},
        {
            label: {name: round(float(part[name]), DECIMALS) for name in names}
            for label, (_, part) in parts.items()
        },
        other.share_unjudged(),
    )


def _joined(
    name: str, old: Evaluation, places: IntArray, measured: Measured, queries: IntArray
) -> Joined:
    clusters = measured.evaluation.clusters
    return Joined(
        {name: old, NOW: measured.evaluation},
        tuple(old),
        [measured.query_ids[number] for number in queries.tolist()],
        {name: places, NOW: queries},
        {},
        None if clusters is None else cluster_codes(clusters, len(measured))[queries],
        DECIMALS,
    )


def recorded(measured: Measured, baseline: Baseline, slices: Mapping[str, Any]) -> Other:
    """A baseline, joined with the measured queries where the judgements are the same."""
    keys = keys_of(measured.query_ids, "queries")
    by_id = {row.id: row for row in baseline.queries}
    rows = [by_id.get(key) for key in keys]
    digests = judged_digests(measured)
    common = [n for n, row in enumerate(rows) if row is not None and row.judged == digests[n]]
    fit = _fit(measured, baseline, keys, rows, digests, slices, len(common))
    comparable = not (fit.no_comparison or fit.readings)
    known = {n: row for n in (common if comparable else ()) if (row := rows[n]) is not None}
    same = [name for name in measured.used if name not in {*fit.definitions, *fit.added}]
    by_query = [name for name in same if not measured.used[name].is_pooled and known]
    whole = comparable and not any(fit.queries.values())
    pooled = [name for name in same if measured.used[name].is_pooled and whole]
    numbers = np.array([*known], dtype=np.int64)
    own = measured.evaluation, [*known], [*known.values()], by_query, baseline.runs
    return Other(
        _joined("baseline", recorded_evaluation(*own), np.arange(len(known)), measured, numbers),
        by_query,
        {name: baseline.measures[name].value for name in pooled},
        {
            label: {name: own[name] for name in pooled if name in own}
            for label, own in baseline.slices.items()
        },
        baseline.unjudged if baseline.top == measured.top else None,
        fit,
        baseline,
    )


def _fit(
    measured: Measured,
    baseline: Baseline,
    keys: list[str],
    rows: Sequence[QueryRecord | None],
    digests: list[str],
    slices: Mapping[str, Any],
    n_common: int,
) -> Fit:
    def differing(name: str, now: Iterable[Any]) -> list[str]:
        known = zip(keys, rows, now, strict=True)
        return [key for key, row, own in known if row is not None and getattr(row, name) != own]

    labels = labels_of(slices, len(keys))
    then, now = baseline.reading, measured.reading
    definitions = {}
    for name in (name for name in measured.used if name in baseline.measures):
        old, new = baseline.measures[name].definition, definition_of(measured.used[name])
        differ = [(k, old.get(k, "-"), new.get(k, "-")) for k in dict.fromkeys([*old, *new])]
        if changed := [own for own in differ if own[1] != own[2]]:
            definitions[name] = changed
    present, known = set(keys), {row.id for row in baseline.queries}
    return Fit(
        queries={
            "added": [key for key in keys if key not in known],
            "gone": [row.id for row in baseline.queries if row.id not in present],
            "judged anew": differing("judged", digests),
            "in other clusters": differing("cluster", clusters_of(measured)),
            "weighed otherwise": differing("weight", weights_of(measured)),
        },
        readings=[
            (name, then[name], now[name])  # ties where both have scores, say
            for name in then
            if name in now and then[name] != now[name]
        ],
        definitions=definitions,
        gone=[name for name in baseline.measures if name not in measured.used],
        added=[name for name in measured.used if name not in baseline.measures],
        moved=[
            (key, row.slices, own)
            for key, row, own in zip(keys, rows, labels, strict=True)
            if slices and row is not None and row.slices is not None
            if set(row.slices) != set(own)
        ],
        no_comparison=2 * n_common < max(len(keys), len(baseline.queries)),
    )


def labels_of(slices: Mapping[str, Any], n: int) -> list[list[str]]:
    """Labels of each query."""
    labels: list[list[str]] = [[] for _ in range(n)]
    for label in sorted(slices):
        for number in slices[label][0]:
            labels[number].append(label)
    return labels
