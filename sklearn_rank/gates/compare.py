"""Comparison of a measured system with its baseline, or with another measured system."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import numpy as np

from sklearn_rank.bounds.to_judge import ToJudge
from sklearn_rank.bounds.unjudged import Bounds, highest_grade
from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.evaluation.bounds import bound_changes, bounds_of_change
from sklearn_rank.gates.baseline import (
    Baseline,
    QueryRecord,
    clusters_of,
    definition_of,
    first_items,
    judged_digests,
    key_of,
    keys_of,
    span,
    weights_of,
)
from sklearn_rank.gates.measure import DECIMALS, Measured, refuse_unbounded
from sklearn_rank.gates.rule import Pairs
from sklearn_rank.gates.verdict import RankGateFailure
from sklearn_rank.rankings.judged import JudgedRankings, Unjudged
from sklearn_rank.rankings.placements import Hit, Placement, UnjudgedItem, item_codes
from sklearn_rank.statistics.samples import cluster_codes
from sklearn_rank.support.segments import offsets_of, segment_index, take_segments
from sklearn_rank.typing import FloatArray, IntArray


class Other(Protocol):
    """The other side of a comparison."""

    name: str
    """For messages."""
    queries: IntArray
    """Numbers of the measured queries that are compared."""
    values: dict[str, FloatArray]
    """Values of these queries, for each measure that can be compared query by query."""
    pooled: dict[str, float]
    """Values of the measures that rank all queries together."""
    pooled_slices: dict[str, dict[str, float]]
    """Values of these measures by slice."""
    unjudged: float | None
    """Share of its items on top that nobody judged."""
    runs: int
    """Repeated runs that its values are means of."""

    def spread(self, name: str) -> FloatArray | None:
        """Standard deviation of the compared queries between runs; None of a single run."""

    @property
    def identical(self) -> bool:
        """Whether both sides have the same rankings, as far as they are known."""

    def placement(self, number: int) -> Placement | None:
        """Places of the relevant items of one measured query, if they are known."""

    def bounds(self, name: str) -> Bounds | None:
        """Change of a measure since then over all grades of the unjudged items; None: unknown."""


def means_of(
    measured: Measured, other: Other, name: str, chosen: Sequence[int] | None = None
) -> tuple[float, float]:
    """Old and new mean of a measure over the compared queries that have both values."""
    queries, old = other.queries, other.values[name]
    if chosen is not None:
        kept = np.isin(queries, chosen)
        queries, old = queries[kept], old[kept]
    new, weights = measured.per_query[name][queries], measured.weights(name)
    shares = None if weights is None else weights[queries]
    left_out, least = np.isnan(new) | np.isnan(old), measured.used[name].metric.geometric_from
    was, now = (mean_over(np.where(left_out, math.nan, own), shares, least) for own in (old, new))
    return float(was), float(now)


def pairs_of(measured: Measured, other: Other, name: str, *, identical: bool = False) -> Pairs:
    """The values of a measure in the compared queries."""
    metric, queries = measured.used[name].metric, other.queries
    weights, clusters = measured.weights(name), measured.evaluation.clusters
    spread = measured.spread(name)
    codes = None if clusters is None else cluster_codes(clusters, len(measured))[queries]
    return Pairs.of(
        measured.per_query[name][queries],
        other.values[name],
        queries=queries,
        weights=None if weights is None else weights[queries],
        clusters=codes,
        greater_is_better=metric.greater_is_better,
        bounds=(metric.lower, metric.upper),
        geometric_from=metric.geometric_from,
        identical=identical,
        runs=(other.runs, len(measured.evaluation.runs)),
        spreads=(other.spread(name), None if spread is None else spread[queries]),
    )


# Another system, measured beside it --------------------------------------------------------------


class Beside:
    """Another system that was measured on the same judgements."""

    name = "reference"

    def __init__(self, measured: Measured, other: Measured) -> None:
        place = {query: number for number, query in enumerate(other.query_ids)}
        if set(place) != set(measured.query_ids):
            msg = "could not measure: the two systems were evaluated on different queries"
            raise RankGateFailure(msg)
        order = np.array([place[query] for query in measured.query_ids], dtype=np.int64)
        self._measured, self.measured, self._order = measured, other, order
        self.queries: IntArray = np.arange(len(measured))
        self.values = {name: column[order] for name, column in other.per_query.items()}
        names = [name for name, used in other.used.items() if used.is_pooled]
        self.pooled = {name: round(other.value(name), DECIMALS) for name in names}
        parts = other.slices() if names else {}
        self.pooled_slices = {
            label: {name: round(float(part[name]), DECIMALS) for name in names}
            for label, (_, part) in parts.items()
        }
        self.unjudged = other.share_unjudged()
        self.runs = len(other.evaluation.runs)

    def spread(self, name: str) -> FloatArray | None:
        """Between the runs of the other system."""
        spread = self.measured.spread(name)
        return None if spread is None else spread[self._order]

    @property
    def identical(self) -> bool:
        """Whether all rankings are the same."""
        sides = [own.evaluation.items for own in (self._measured, self.measured)]
        kept = [side.rankings.items() for side in sides if side is not None]
        ordered = [{query: _ordered(*own) for query, own in rankings} for rankings in kept]
        return len(ordered) == 2 and ordered[0] == ordered[1]

    def placement(self, number: int) -> Placement | None:
        """Places in the other system."""
        return self.measured.evaluation.placements([int(self._order[number])])[0]

    def bounds(self, name: str) -> Bounds | None:
        """Change between both over all grades."""
        refuse_unbounded(self._measured.used[name], change=True)
        sides = self._measured.evaluation, self.measured.evaluation
        return bounds_of_change(*sides, self._measured.used[name])


def _ordered(items: Any, scores: Any) -> list[Any]:
    if scores is None:
        return list(items)
    return sorted(zip(scores.tolist(), map(key_of, items), strict=True))


def judge_first(
    measured: Measured, name: str, n: int, other: Measured | None = None
) -> list[ToJudge]:
    """Unjudged items by how much their grade could move a value, or a difference."""
    reference = None if other is None else other.evaluation
    columns = measured.evaluation.to_judge(n, reference, measure=measured.used[name], backend=None)
    names = dict(zip(measured.own_ids, measured.query_ids, strict=True))
    ranks_other = columns.get("rank_other", [None] * len(columns["item"]))
    own = (columns["query"], columns["item"], columns["rank"], ranks_other, columns["move"])
    return [ToJudge(names[query], *row) for query, *row in zip(*own, strict=True)]


# A baseline --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    """How a baseline differs from the measured data."""

    queries: Mapping[str, Sequence[str]]
    """Ids that were added, are gone, judged anew, clustered or weighed otherwise, by what."""
    readings: Sequence[tuple[str, str, str]]
    """Options that differ: name, then, now."""
    definitions: Sequence[tuple[str, str, str, str]]
    """Measures that are counted otherwise: name, parameter, then, now."""
    gone: Sequence[str]
    """Measures that only the baseline has."""
    added: Sequence[str]
    """Measures that it lacks."""
    moved: Sequence[tuple[str, Sequence[str], Sequence[str]]]
    """Queries in other slices than recorded: id, then, now."""
    no_comparison: bool
    """Whether fewer than half of the queries are the same."""

    @property
    def is_perfect(self) -> bool:
        """Whether nothing differs."""
        parts = (self.readings, self.definitions, self.gone, self.added, self.moved)
        return not any(parts) and not any(self.queries.values())


class Recorded:
    """A baseline, joined with the measured data by query id where the judgements are the same."""

    name = "baseline"

    def __init__(self, measured: Measured, baseline: Baseline, slices: Mapping[str, Any]) -> None:
        self._measured = measured
        self.baseline = baseline
        self._keys = keys_of(measured.query_ids, "queries")
        by_id = {row.id: row for row in baseline.queries}
        self._rows = [by_id.get(key) for key in self._keys]
        digests = judged_digests(measured)
        common = [
            number
            for number, row in enumerate(self._rows)
            if row is not None and row.judged == digests[number]
        ]
        self.fit = self._fit(by_id, digests, slices, len(common))
        comparable = not (self.fit.no_comparison or self.fit.readings)
        self.queries: IntArray = np.array(common if comparable else [], dtype=np.int64)
        self._common = [row for n in self.queries.tolist() if (row := self._rows[n]) is not None]
        differ = {own[0] for own in self.fit.definitions} | {*self.fit.added}
        same = [name for name in measured.used if name not in differ]
        self.values: dict[str, FloatArray] = {
            name: np.array([row.values.get(name) for row in self._common], dtype=np.float64)
            for name in same
            if not measured.used[name].is_pooled and len(self.queries)
        }
        whole = comparable and not any(self.fit.queries.values())
        names = [name for name in same if measured.used[name].is_pooled and whole]
        self.pooled = {name: baseline.measures[name].value for name in names}
        self.pooled_slices = {
            label: {name: own[name] for name in names if name in own}
            for label, own in baseline.slices.items()
        }
        self.unjudged = baseline.unjudged if baseline.top == measured.top else None
        self.runs = baseline.runs
        self._judged = measured.evaluation.rankings
        items = measured.evaluation.items
        self._truths = None if items is None else items.truths
        self._shared = None if items is None or items.shared is None else _by_key(items.shared)
        """Grades of the one ground truth of all queries, if there is only one."""

    def spread(self, name: str) -> FloatArray | None:
        """Between the recorded runs."""
        if self.runs < 2:
            return None
        return np.array([(row.spread or {}).get(name) for row in self._common], dtype=np.float64)

    def _fit(
        self, by_id: Mapping[str, QueryRecord], digests: list[str], slices: Any, n_common: int
    ) -> Fit:
        measured, baseline, keys = self._measured, self.baseline, self._keys

        def differing(field: str, now: Iterable[Any]) -> list[str]:
            rows = zip(keys, self._rows, now, strict=True)
            return [key for key, row, own in rows if row is not None and getattr(row, field) != own]

        labels: list[list[str]] = [[] for _ in keys]
        for label in sorted(slices):
            for number in slices[label][0]:
                labels[number].append(label)
        both = list(zip(keys, self._rows, labels, strict=True))
        then, now = baseline.reading, measured.reading
        options = [name for name in then if name in now]  # ties where both have scores, say
        definitions = [
            (name, key, old.get(key, "-"), new.get(key, "-"))
            for name, used in measured.used.items()
            if name in baseline.measures
            for old, new in [(baseline.measures[name].definition, definition_of(used))]
            for key in dict.fromkeys([*old, *new])
            if old.get(key) != new.get(key)
        ]
        present = set(keys)
        return Fit(
            queries={
                "added": [key for key in keys if key not in by_id],
                "gone": [key for key in by_id if key not in present],
                "judged anew": differing("judged", digests),
                "in other clusters": differing("cluster", clusters_of(measured)),
                "weighed otherwise": differing("weight", weights_of(measured)),
            },
            readings=[(name, then[name], now[name]) for name in options if then[name] != now[name]],
            definitions=definitions,
            gone=[name for name in baseline.measures if name not in measured.used],
            added=[name for name in measured.used if name not in baseline.measures],
            moved=[
                (key, row.slices, own)
                for key, row, own in both
                if slices and row is not None and row.slices is not None
                if set(row.slices) != set(own)
            ],
            no_comparison=2 * n_common < max(len(keys), len(by_id)),
        )

    @property
    def identical(self) -> bool:
        """Whether the items that are recorded stand where they stood."""
        kept = self._measured.evaluation.items
        if kept is None or not self._are_known:
            return False
        lengths = self._measured.evaluation.n_ranked
        for number, row in zip(self.queries.tolist(), self._common, strict=True):
            ranking = kept.rankings.get(self._measured.own_ids[number], ((), None))
            if lengths[number] != row.n or list(map(key_of, first_items(*ranking))) != row.top:
                return False
        places = self._measured.evaluation.placements(self.queries.tolist())
        return all(
            {key_of(hit.item): (hit.above + 1, hit.above + hit.tied) for hit in place.hits}
            == {item: span(rank) for item, rank in (row.found or {}).items()}
            for place, row in zip(places, self._common, strict=True)
        )

    @property
    def _are_known(self) -> bool:
        return all(row.found is not None for row in self._common)

    def placement(self, number: int) -> Placement | None:
        """The recorded places of one measured query."""
        row = self._rows[number]
        if row is None or row.found is None:
            return None
        grades = self._grades_of(number, row)
        places = zip(row.found.items(), grades, strict=True)
        spans = [(item, grade, *span(rank)) for (item, rank), grade in places]
        hits = [Hit(item, grade, first - 1, last - first + 1) for item, grade, first, last in spans]
        hits.sort(key=lambda hit: (hit.above, -hit.grade))
        if self._shared is not None:
            known = [hit.grade for hit in hits]  # those that the query had retrieved
        else:
            borders = self._judged.judged_offsets[number : number + 2]
            known = self._judged.judged_grades[slice(*borders)].tolist()
        own_ids, truths = self._measured.own_ids, self._truths
        judged = None if truths is None or self._shared else _by_key(truths[own_ids[number]])
        grades_known = sorted(known, reverse=True)
        return Placement(own_ids[number], hits, row.n, grades_known, judged, row.top)

    def _grades_of(self, number: int, row: QueryRecord) -> Sequence[float]:
        """Grades of the retrieved items: the judgements of the measured query."""
        found = row.found or {}
        if row.grades is not None:
            return row.grades
        known = self._shared
        if known is None and self._truths is not None:
            known = _by_key(self._truths[self._measured.own_ids[number]])
        return [(known or {}).get(key, 1.0) for key in found]

    # Unjudged items ------------------------------------------------------------------------------

    def bounds(self, name: str) -> Bounds | None:
        """Change since then over all grades; None where the baseline lacks unjudged items."""
        measured, used = self._measured, self._measured.used[name]
        refuse_unbounded(used, change=True)
        if not self._are_known or any(row.unjudged is None for row in self._common):
            return None
        items = measured.evaluation.unjudged_items()
        now = [[key_of(item.item) for item in items[n]] for n in self.queries.tolist()]
        then = [[item.item for item in own] for own in self._old_unjudged]
        return bound_changes(
            used,
            self._judged.take(self.queries),
            self._with_unjudged,
            *item_codes(now, then),
            max_grade=highest_grade(self._judged),
            zero_division=measured.settled,
        )

    @cached_property
    def _old_unjudged(self) -> list[list[UnjudgedItem]]:
        """Recorded unjudged items; of the deeper ones only their number is known."""
        result = []
        for row in self._common:
            spans = [(key, *span(rank)) for key, rank in (row.unjudged or {}).items()]
            own = [UnjudgedItem(key, first - 1, last - first + 1) for key, first, last in spans]
            own.sort(key=lambda item: item.above)
            depth = max(self._measured.depth or 0, max((last for *_, last in spans), default=0))
            own += [UnjudgedItem((number,), depth + number, 1) for number in range(row.deeper)]
            result.append(own)
        return result

    @cached_property
    def _with_unjudged(self) -> JudgedRankings:
        """The recorded rankings of the common queries with their unjudged items."""
        items = list(chain.from_iterable(self._old_unjudged))
        offsets = offsets_of(np.array(list(map(len, self._old_unjudged)), dtype=np.int64))
        above, tied = (
            np.array([getattr(item, name) for item in items], dtype=np.int64)
            for name in ("above", "tied")
        )
        return replace(self._old_rankings, unjudged=Unjudged.at(offsets, above, tied))

    @cached_property
    def _old_rankings(self) -> JudgedRankings:
        """The recorded rankings of the common queries, without an object for each item."""
        numbers, rows = self.queries.tolist(), self._common
        offsets = offsets_of(np.array([len(row.found or {}) for row in rows], dtype=np.int64))
        ranks = [span(rank) for row in rows for rank in (row.found or {}).values()]
        first, last = np.array(ranks, dtype=np.int64).reshape(-1, 2).T
        own = (self._grades_of(*query) for query in zip(numbers, rows, strict=True))
        grades = np.fromiter(chain.from_iterable(own), np.float64)
        order = np.lexsort((-grades, first, segment_index(offsets)))
        judged, judged_offsets = take_segments(self._judged.judged_offsets, self.queries)
        judged_grades = self._judged.judged_grades[judged]
        if self._shared is not None:
            judged_grades, judged_offsets = grades[order], offsets
        return JudgedRankings(
            query_ids=[self._measured.own_ids[number] for number in numbers],
            offsets=offsets,
            above=(first - 1)[order],
            tied=(last - first + 1)[order],
            grades=grades[order],
            n_ranked=np.array([row.n for row in rows], dtype=np.int64),
            judged_offsets=judged_offsets,
            judged_grades=judged_grades,
        )


def _by_key(judged: Mapping[Any, float]) -> Mapping[Any, float]:
    """Grades by the keys of items; most are texts, which are their own."""
    if all(type(item) is str and item.isascii() for item in judged):
        return judged
    return {key_of(item): grade for item, grade in judged.items()}
