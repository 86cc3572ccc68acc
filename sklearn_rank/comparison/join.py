"""Values of several systems, joined on the ids of their queries and never by position."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from sklearn_rank.comparison.baseline import key_of, run_deviation
from sklearn_rank.comparison.recorded import RecordedEvaluation, completed
from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.evaluation.collection import Departures
from sklearn_rank.evaluation.compute import Scored, averaged, find_measure
from sklearn_rank.evaluation.losses import LossChange, LossParts, change_of, explains, mean_parts
from sklearn_rank.evaluation.slices import (
    common_queries,
    refuse_other_judgements,
    refuse_other_options,
    take_queries,
)
from sklearn_rank.exceptions import (
    InvalidParameterError,
    QueryMismatchError,
    UnknownMeasureError,
)
from sklearn_rank.inputs.spelling import spelling_hint
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import Measure
from sklearn_rank.statistics.means import cluster_codes
from sklearn_rank.statistics.paired import PairedDifferences
from sklearn_rank.support.constants import LEAST, RECORDED_DECIMALS
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class Joined:
    """Systems on their common queries."""

    systems: Mapping[str, BaseEvaluation]
    measures: tuple[str, ...]
    """Names of the compared measures; every system has them, with the same parameters."""
    query_ids: list[Any]
    """Common queries, in the order of the first system."""
    positions: Mapping[str, IntArray]
    """Numbers of the common queries in each system."""
    left_out: Mapping[str, int]
    """Number of each system's queries that another system does not have."""
    clusters: IntArray | None = None
    """Numbers of the clusters of the common queries; None: queries are independent."""
    decimals: int | None = None
    """Decimals to which values are rounded, if those of a system were recorded so."""
    _columns: dict[tuple[str, str], FloatArray | None] = field(default_factory=dict, init=False)
    """Cached values by system and measure; a copy with changes has its own."""

    def _scored(self, system: str, measure: str) -> Scored:
        return self.systems[system]._record(measure)

    def measure(self, name: str) -> Measure:
        """A measure with the parameters of its convention."""
        return self._scored(next(iter(self.systems)), name).measure

    def values(self, system: str, measure: str) -> FloatArray | None:
        """Values that the mean averages, NaN for queries left out; None for a pooled measure."""
        key = (system, measure)
        if key not in self._columns:
            values = self._scored(*key).counted
            if values is not None:
                values = values[self.positions[system]]
                values = values if self.decimals is None else np.round(values, self.decimals)
            self._columns[key] = values
        return self._columns[key]

    def values_per_query(self, system: str, measure: str) -> FloatArray:
        """Values that the mean averages; InvalidParameterError for a pooled measure."""
        values = self.values(system, measure)
        if values is None:
            msg = f"{measure} ranks all queries together; it has no values per query"
            raise InvalidParameterError(msg)
        return values

    def weights(self, system: str, measure: str) -> FloatArray | None:
        """Weights of the queries in the mean; None: equal weights."""
        weights = self._scored(system, measure).weights
        return None if weights is None else weights[self.positions[system]]

    def value(self, system: str, measure: str) -> float:
        """The measure over these queries: their mean, or that of all items ranked together."""
        values = self.values(system, measure)
        if values is not None:
            return mean_over(values, self.weights(system, measure))
        whole = self.systems[system]
        is_total = self.measure(measure).metric.is_total
        if is_total or len(self.query_ids) == len(whole.query_ids):
            return float(whole[measure])
        if isinstance(whole, RecordedEvaluation):
            return math.nan
        scored, of_runs = self._scored(system, measure), []
        for run in whole.runs:
            judged = run.ranking_data
            data = take_queries(judged, np.sort(self.positions[system]), judged.listed_ids())
            one = averaged(scored.measure, data, None, None, scored.zero_division)
            of_runs.append(one.average.value)
        return sum(of_runs) / len(of_runs)

    def spread(self, system: str, measure: str) -> FloatArray | None:
        """Standard deviation of each query between the runs; None for a single run."""
        whole = self.systems[system]
        return whole.spread(measure)[self.positions[system]] if len(whole.runs) > 1 else None

    def _run_variance(self, system: str, measure: str) -> float | None:
        """Variance of the value between the runs; None for a single run."""
        whole = self.systems[system]
        name = find_measure(measure, whole.scored)
        if isinstance(whole, RecordedEvaluation):
            deviation = whole.baseline.measures[name].spread
        else:
            deviation = run_deviation(whole, name)
        return None if deviation is None else deviation**2

    def n_changed(self, measure: str, systems: tuple[str, str]) -> int:
        """Number of changed queries, or clusters if there are any; 0 without values per query."""
        pairs = self.pairs(measure, systems)
        return 0 if isinstance(pairs, str) else pairs.n_changed

    def pairs(self, measure: str, systems: tuple[str, str]) -> PairedDifferences | str:
        """Baseline and new values per query, or the reason why there is no test."""
        metric = self.measure(measure).metric
        old, new = (self.values(system, measure) for system in systems)
        weights, others = (self.weights(system, measure) for system in systems)
        if old is None or new is None:
            return "it ranks all queries together, so there are no values per query"
        if weights is not others and (
            weights is None or others is None or not np.array_equal(weights, others)
        ):
            return "the systems weigh the queries differently"
        first, second = (len(self.systems[system].runs) for system in systems)
        return PairedDifferences.of(
            new,
            old,
            queries=self.positions[systems[1]],
            weights=weights,
            clusters=self.clusters,
            spreads=[self.spread(system, measure) for system in systems],
            run_variances=[self._run_variance(system, measure) for system in systems],
            greater_is_better=metric.greater_is_better,
            bounds=(metric.lower, metric.upper),
            runs=(first, second),
        )

    def losses(self, measure: str, systems: tuple[str, str]) -> LossChange | None:
        """Why a measure changed between two systems; None if its parts are not known."""
        one = self.measure(measure)
        sides = [self.with_ranks().systems[system] for system in systems]
        for side in sides:  # ranks come from the first of several runs; values are means
            if isinstance(side, RecordedEvaluation) and side.baseline.runs > 1:
                return None
        if not explains(one):
            return None
        parts = []
        for system, side in zip(systems, sides, strict=True):
            of_all = mean_parts([run._loss_parts(measure) for run in side.runs])
            ideal, retrieved, _ = (column[self.positions[system]] for column in of_all)
            parts.append(LossParts(ideal, retrieved, self.values_per_query(system, measure)))
        return change_of(
            measure, one.title, (parts[0], parts[1]), self.weights(systems[0], measure)
        )

    def departures(self, measure: str, systems: tuple[str, str]) -> Departures | None:
        """Losses from items that left the collection; None if there are none, or no collection."""
        old, new = (self.with_ranks().systems[system] for system in systems)
        outside = new.ranking_data.outside
        if outside is None or self.values(systems[0], measure) is None:
            return None
        first, second = (self.values_per_query(system, measure) for system in systems)
        sign = 1 if self.measure(measure).metric.greater_is_better else -1
        change = second - first
        lost = np.flatnonzero(sign * change < -LEAST / 2)
        positions = self.positions[systems[0]][lost]
        items, explained = dict[Any, None](), []
        for number, at, placement in zip(
            lost.tolist(), positions.tolist(), old.placements(positions), strict=True
        ):
            before = _outside_before(old, at)
            out = outside[int(self.positions[systems[1]][number])]
            gone = {item for item in out if key_of(item) not in before}
            left = [hit.item for hit in placement.hits if hit.item in gone]
            if left:
                explained.append(number)
                items.update(dict.fromkeys(left))
        if not explained:
            return None
        change[explained] = np.nan
        remaining = mean_over(change, self.weights(systems[1], measure))
        title = self.measure(measure).title
        return Departures(title, len(lost), len(explained), tuple(items), remaining)

    @cached_property
    def missing(self) -> dict[str, list[Any]]:
        """Common queries that a system did not rank; they count as empty rankings."""
        missing = {}
        for name, system in self.systems.items():
            numbers = np.flatnonzero(system.ranking_data.is_missing[self.positions[name]])
            missing[name] = [self.query_ids[number] for number in numbers.tolist()]
        return missing

    def with_ranks(self) -> Joined:
        """The same systems, with the ranks of recorded ones."""
        systems = {
            name: system.with_ranks() if isinstance(system, RecordedEvaluation) else system
            for name, system in self.systems.items()
        }
        return replace(self, systems=systems)

    def take(self, queries: IntArray) -> Joined:
        """Some of the common queries."""
        return replace(
            self,
            query_ids=[self.query_ids[number] for number in queries.tolist()],
            positions={name: positions[queries] for name, positions in self.positions.items()},
            clusters=None if self.clusters is None else self.clusters[queries],
        )


def _outside_before(old: BaseEvaluation, number: int) -> Set[str]:
    """Relevant items that were not in the collection of the baseline."""
    if isinstance(old, RecordedEvaluation):
        return set(old.rows[number].outside)
    outside = old.ranking_data.outside
    return set() if outside is None else set(map(key_of, outside[number]))


def describe_queries(queries: Mapping[str, Sequence[Any]]) -> str:
    """Such as ``12 of 'new' ('q1', 'q2', 'q3')``; empty if no system has any."""
    return ", ".join(
        f"{len(listed):,} of {safe_repr(name)} ({format_list(listed, limit=3)})"
        for name, listed in queries.items()
        if listed
    )


def join(
    systems: Mapping[str, BaseEvaluation], measures: Any, *, same_queries: bool = False
) -> tuple[Joined, list[str]]:
    """Systems joined on their common queries, and notes on omissions.

    Baseline files get judgements and item ids from the first live evaluation.
    """
    names, notes = _common_measures(systems, measures)
    alone = {
        name: system
        for name, system in systems.items()
        if isinstance(system, RecordedEvaluation) and system.is_alone
    }
    live = {name: system for name, system in systems.items() if name not in alone}
    if not live:
        msg = "baseline files have no judgements: compare one with a result of evaluate"
        raise InvalidParameterError(msg)
    lender = next(iter(live))
    _check_same_definitions(live, names)
    refuse_other_options({name: system.reading for name, system in systems.items()})
    ids = {name: system.ranking_data.listed_ids() for name, system in systems.items()}
    if alone:  # ids of the live evaluation with the same text
        by_key = {key_of(query): query for query in ids[lender]}
        ids |= {name: [by_key.get(query, query) for query in ids[name]] for name in alone}
    by_position = {name: len(ids[name]) for name in ids if systems[name].ranking_data.positional}
    if len(set(by_position.values())) > 1:
        described = ", ".join(f"{safe_repr(name)} has {n:,}" for name, n in by_position.items())
        msg = (
            f"queries of ranked lists and matrices are matched by position, but their numbers "
            f"differ: {described}; pass {{query: ...}} mappings, which are joined by id"
        )
        raise QueryMismatchError(msg)
    first, *others = ids.values()
    positions = dict(zip(ids, common_queries(ids.values()), strict=True))
    query_ids = [first[number] for number in next(iter(positions.values())).tolist()]
    shared = set(query_ids)
    left_out = {
        name: [query for query in listed if query not in shared] for name, listed in ids.items()
    }
    if not query_ids:
        described = "; ".join(
            f"{safe_repr(name)} has {format_list(listed, limit=3)}" for name, listed in ids.items()
        )
        hint = next(filter(None, (spelling_hint(first, listed) for listed in others)), "")
        msg = f"no query was evaluated for all systems: {described}{hint}"
        raise QueryMismatchError(msg)
    described = describe_queries(left_out)
    if described and same_queries:
        msg = f"the systems must be evaluated on the same queries; left out: {described}"
        raise QueryMismatchError(msg)
    if described:
        notes.append(f"only queries common to all systems are compared; left out: {described}")
    counts = {name: len(listed) for name, listed in left_out.items()}
    for name, file in alone.items():
        numbers, of_live = positions[name], positions[lender]
        systems = {**systems, name: completed(file, name, numbers, systems[lender], of_live)}
        positions[name] = np.arange(len(numbers))
    clusters = _common_clusters(systems, query_ids, positions)
    is_recorded = any(isinstance(system, RecordedEvaluation) for system in systems.values())
    decimals = RECORDED_DECIMALS if is_recorded else None
    joined = Joined(systems, names, query_ids, positions, counts, clusters, decimals)
    refuse_other_judgements({n: system.ranking_data for n, system in systems.items()}, positions)
    return joined, notes


def _common_clusters(
    systems: Mapping[str, BaseEvaluation],
    query_ids: Sequence[Any],
    positions: Mapping[str, IntArray],
) -> IntArray | None:
    """Numbers of the clusters; the systems that have clusters must agree."""
    labels = {
        name: system.clusters[positions[name]].tolist()
        for name, system in systems.items()
        if system.clusters is not None
    }
    if not labels:
        return None
    first, *others = labels
    for name in others:
        for query, label, other in zip(query_ids, labels[first], labels[name], strict=True):
            if label != other:
                msg = (
                    f"query {safe_repr(query)} is in cluster {safe_repr(label)} for "
                    f"{safe_repr(first)} but in {safe_repr(other)} for {safe_repr(name)}; evaluate "
                    "all systems with the same clusters"
                )
                raise InvalidParameterError(msg)
    return cluster_codes(labels[first])


def _common_measures(
    systems: Mapping[str, BaseEvaluation], measures: Any
) -> tuple[tuple[str, ...], list[str]]:
    """Measures that every system has; requested ones must be among them."""
    first = next(iter(systems.values()))
    if measures is not None:
        wanted = parse_measures(measures)
        for name, system in systems.items():
            for measure in wanted:
                if measure not in system:
                    there_is = ", ".join(system)
                    has = f"{safe_repr(name)}; evaluated: {there_is}"
                    msg = f"{measure} was not evaluated for {has}"
                    raise UnknownMeasureError(msg)
        return tuple(find_measure(measure, first.scored) for measure in wanted), []
    names = tuple(name for name in first if all(name in system for system in systems.values()))
    if not names:
        described = "; ".join(f"{safe_repr(name)}: {', '.join(of)}" for name, of in systems.items())
        msg = f"the systems have no measure in common; evaluate one for all: {described}"
        raise InvalidParameterError(msg)
    others = dict.fromkeys(name for system in systems.values() for name in system)
    apart = [name for name in others if name not in names]
    return names, [f"not evaluated for all systems: {', '.join(apart)}"] if apart else []


def _check_same_definitions(systems: Mapping[str, BaseEvaluation], measures: Sequence[str]) -> None:
    """Refuse a measure whose parameters or zero_division differ between systems."""
    (base, first), *others = systems.items()
    for (name, system), measure in product(others, measures):
        pair = first._record(measure), system._record(measure)
        if pair[0].measure != pair[1].measure:
            then, now = (_in_full(scored.measure) for scored in pair)
        elif str(pair[0].undefined) != str(pair[1].undefined):
            then, now = (f"zero_division={scored.undefined}" for scored in pair)
        else:
            continue
        msg = f"{measure} has {then} for {safe_repr(base)} but {now} for {safe_repr(name)}"
        if then == now:
            msg = f"{measure} has another function for {safe_repr(name)} than for {safe_repr(base)}"
        msg += "; evaluate all systems the same way"
        raise InvalidParameterError(msg)


def _in_full(measure: Measure) -> str:
    """Everything that a measure's values depend on, except the data."""
    metric = measure.metric
    if metric.is_custom:
        return f"its own function, direction and range [{metric.lower:g}, {metric.upper:g}]"
    return measure.in_full()
