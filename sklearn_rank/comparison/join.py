"""Values of several systems, joined on the ids of their queries and never by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank.evaluation.compute import Scored, find_measure
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import (
    InvalidParameterError,
    QueryMismatchError,
    UnknownMeasureError,
)
from sklearn_rank.inputs.hints import spelling_hint
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import Measure
from sklearn_rank.support.segments import segment_index, take_segments
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class Joined:
    """Systems over the queries that all of them have."""

    systems: Mapping[str, Evaluation]
    measures: tuple[str, ...]
    """As they were asked for; every system has them, with the same parameters."""
    query_ids: list[Any]
    """Common queries, in the order of the first system."""
    places: Mapping[str, IntArray]
    """Numbers of the common queries in each system."""
    left_out: Mapping[str, int]
    """Queries of each system that another one does not have."""

    def scored(self, system: str, measure: str) -> Scored:
        """What a system was measured to be."""
        scored = self.systems[system]._scored
        return scored[find_measure(measure, scored)]

    def measure(self, name: str) -> Measure:
        """A measure with the parameters of its convention."""
        return self.scored(next(iter(self.systems)), name).measure

    @cached_property
    def _columns(self) -> dict[tuple[str, str], FloatArray | None]:
        return {}

    def values(self, system: str, measure: str) -> FloatArray | None:
        """Values as they enter the mean, NaN where a query does not; None for a pooled measure."""
        key = (system, measure)
        if key not in self._columns:
            scored = self.scored(*key)
            values = None if scored.values is None else scored.values[self.places[system]]
            if values is not None and not isinstance(scored.zero_division, str):
                values = np.where(np.isnan(values), scored.zero_division, values)
            self._columns[key] = values
        return self._columns[key]

    def values_per_query(self, system: str, measure: str) -> FloatArray:
        """The same; InvalidParameterError for a pooled measure."""
        values = self.values(system, measure)
        if values is None:
            msg = f"{measure} ranks all queries together; it has no values per query"
            raise InvalidParameterError(msg)
        return values

    def weights(self, system: str, measure: str) -> FloatArray | None:
        """Weights of the queries in the mean; None: all alike."""
        weights = self.scored(system, measure).weights
        return None if weights is None else weights[self.places[system]]

    def pooled(self, system: str, measure: str) -> float:
        """The value of a measure that ranks the items of all these queries together."""
        whole = self.systems[system]
        if len(self.query_ids) < len(whole.query_ids):
            known = tuple(whole._judged.listed_ids())
            whole = whole._slice(np.sort(self.places[system]), known)
        return float(whole[measure])

    @cached_property
    def missing(self) -> dict[str, int]:
        """Common queries that each system has no ranking for, which count as empty ones."""
        return {name: int(own.sum()) for name, own in self._without_ranking.items()}

    @property
    def missing_text(self) -> str:
        """Such as ``12 of 'new' ('q1', 'q2', 'q3')``; empty if every query has its ranking."""
        return _named_queries(
            {
                name: [self.query_ids[place] for place in np.flatnonzero(own)]
                for name, own in self._without_ranking.items()
            }
        )

    @cached_property
    def _without_ranking(self) -> dict[str, BoolArray]:
        return {
            name: system._judged.is_missing[self.places[name]]
            for name, system in self.systems.items()
        }

    def check_same_rankings(self) -> None:
        """QueryMismatchError if one system has a ranking for a query and another has none."""
        first, *others = self._without_ranking.values()
        if any((own != first).any() for own in others):
            msg = f"the systems have rankings for different queries: none for {self.missing_text}"
            raise QueryMismatchError(msg)

    def take(self, queries: IntArray) -> Joined:
        """Some of the common queries."""
        return replace(
            self,
            query_ids=[self.query_ids[number] for number in queries.tolist()],
            places={name: places[queries] for name, places in self.places.items()},
        )


def join(
    systems: Mapping[str, Evaluation], measures: Any, *, same_queries: bool
) -> tuple[Joined, list[str]]:
    """Systems joined on their common queries, and what has to be said of that."""
    names, notes = _common_measures(systems, measures)
    _check_same_definitions(systems, names)
    ids = {name: system._judged.listed_ids() for name, system in systems.items()}
    _check_positions(systems)
    first, *others = ids.values()
    shared = set(first).intersection(*others)
    if not shared:
        examples = "; ".join(
            f"{safe_repr(name)} has {format_list(own, limit=3)}" for name, own in ids.items()
        )
        hint = next(filter(None, (spelling_hint(first, own) for own in others)), "")
        msg = f"no query was evaluated for all systems: {examples}{hint}"
        raise QueryMismatchError(msg)
    query_ids = first if len(shared) == len(first) else [key for key in first if key in shared]
    left_out = {name: len(own) - len(query_ids) for name, own in ids.items()}
    if any(left_out.values()):
        said = _named_queries(
            {name: [query for query in own if query not in shared] for name, own in ids.items()}
        )
        if same_queries:
            msg = f"the systems were evaluated on different queries: {said}"
            raise QueryMismatchError(msg)
        notes.append(f"only queries of all systems are compared; left out: {said}")
    places = {name: _places(own, query_ids) for name, own in ids.items()}
    joined = Joined(systems, names, query_ids, places, left_out)
    if same_queries:
        joined.check_same_rankings()
    _check_same_judgements(joined)
    return joined, notes


def _common_measures(
    systems: Mapping[str, Evaluation], measures: Any
) -> tuple[tuple[str, ...], list[str]]:
    """Measures that every system has; those asked for have to be among them."""
    first = next(iter(systems.values()))
    if measures is not None:
        wanted = parse_measures(measures)
        for name, system in systems.items():
            missing = [measure for measure in wanted if measure not in system]
            if missing:
                msg = (
                    f"{missing[0]} was not evaluated for {safe_repr(name)}; there is: "
                    f"{', '.join(system)}"
                )
                raise UnknownMeasureError(msg)
        return tuple(find_measure(measure, first._scored) for measure in wanted), []
    names = tuple(name for name in first if all(name in system for system in systems.values()))
    if not names:
        told = "; ".join(f"{safe_repr(name)}: {', '.join(of)}" for name, of in systems.items())
        msg = f"the systems have no measure in common: {told}"
        raise InvalidParameterError(msg)
    others = dict.fromkeys(name for system in systems.values() for name in system)
    apart = [name for name in others if name not in names]
    return names, [f"not evaluated for all systems: {', '.join(apart)}"] if apart else []


def _check_same_definitions(systems: Mapping[str, Evaluation], measures: Sequence[str]) -> None:
    """One measure with two sets of parameters, readings of undefined queries or of ties, is two."""
    (base, first), *others = systems.items()
    for name, system in others:
        rules = first._judged.ties, system._judged.ties
        if all(rules) and rules[0] != rules[1]:
            msg = (
                f"ties={rules[0]!r} for {safe_repr(base)} and ties={rules[1]!r} for "
                f"{safe_repr(name)}; evaluate all systems in one way"
            )
            raise InvalidParameterError(msg)
    for measure in measures:
        own = first._scored[measure]
        for name, system in others:
            other = system._scored[find_measure(measure, system._scored)]
            if other.measure != own.measure:
                said = own.measure.in_full(), other.measure.in_full()
            elif _undefined_value(other) != _undefined_value(own):
                said = f"zero_division={own.zero_division}", f"zero_division={other.zero_division}"
            else:
                continue
            msg = (
                f"{measure} has {said[0]} for {safe_repr(base)} and {said[1]} for "
                f"{safe_repr(name)}; evaluate all systems in one way"
            )
            raise InvalidParameterError(msg)


def _undefined_value(scored: Scored) -> str:
    """What an undefined query counts: a number, or nothing."""
    return "nan" if isinstance(scored.zero_division, str) else str(scored.zero_division)


def _check_positions(systems: Mapping[str, Evaluation]) -> None:
    """Queries that are positions are the same ones only where there are as many."""
    lengths = {
        name: len(system.query_ids) for name, system in systems.items() if system._judged.positional
    }
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{safe_repr(name)} has {length:,}" for name, length in lengths.items())
        msg = (
            f"queries of ranked lists and matrices go by position, and there are not as many of "
            f"them: {told}; pass {{query: ...}} mappings, which are joined by id"
        )
        raise QueryMismatchError(msg)


def _named_queries(queries: Mapping[str, Sequence[Any]]) -> str:
    return ", ".join(
        f"{len(own):,} of {safe_repr(name)} ({format_list(own, limit=3)})"
        for name, own in queries.items()
        if own
    )


def _places(own: list[Any], query_ids: list[Any]) -> IntArray:
    if own is query_ids or own == query_ids:
        return np.arange(len(own))
    place = {query: number for number, query in enumerate(own)}
    return np.array([place[query] for query in query_ids], dtype=np.int64)


def _check_same_judgements(joined: Joined) -> None:
    """QueryMismatchError if a query has other relevant items for one system than for another."""
    grades = []
    for name, system in joined.systems.items():
        rankings = system._judged.rankings
        taken, offsets = take_segments(rankings.judged_offsets, joined.places[name])
        grades.append((rankings.judged_grades[taken], offsets))
    base, *others = joined.systems
    for name, own in zip(others, grades[1:], strict=True):
        query = _first_difference(grades[0], own)
        if query is not None:
            msg = (
                f"the relevant items of query {safe_repr(joined.query_ids[query])} are not the "
                f"same for {safe_repr(base)} and {safe_repr(name)}: other numbers or grades; "
                "evaluate all systems against one set of judgements, query by query"
            )
            raise QueryMismatchError(msg)


def _first_difference(
    first: tuple[FloatArray, IntArray], second: tuple[FloatArray, IntArray]
) -> int | None:
    """Number of the first query whose grades differ, whatever their order."""
    sizes = np.flatnonzero(np.diff(first[1]) != np.diff(second[1]))
    if len(sizes):
        return int(sizes[0])
    if np.array_equal(first[0], second[0]):
        return None
    query = segment_index(first[1])
    ordered = [grades[np.lexsort((grades, query))] for grades, _ in (first, second)]
    differing = np.flatnonzero(ordered[0] != ordered[1])
    return int(query[differing[0]]) if len(differing) else None
