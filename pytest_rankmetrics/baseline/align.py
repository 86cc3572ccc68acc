"""Joins a measured system with its baseline: which queries compare, and by which values.

Queries are joined by id, and only where their judgements are the same. Measures whose definition
has changed are scored anew from the recorded ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.baseline.content import DECIMALS, STEP, Baseline
from pytest_rankmetrics.baseline.file import BaselineError, mean_tolerance
from pytest_rankmetrics.baseline.record import Recording
from pytest_rankmetrics.baseline.stored import StoredRankings
from pytest_rankmetrics.measuring.evaluation import Reference
from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray


@dataclass(frozen=True)
class Alignment:
    """Fit of a baseline to the measured data."""

    reference: Reference
    queries: tuple[str, ...]
    """Which queries differ: added, gone, judged anew or with another weight."""
    measures: tuple[str, ...]
    """Which measures only one side has."""
    not_comparable: tuple[str, ...]
    """Measures whose definition changed and that cannot be re-scored, each with the reason."""
    notes: tuple[str, ...]
    """Notes on measures that were scored again."""
    lacks_unjudged: bool = False
    """Whether it is asked for, and not recorded, where unjudged items stood."""
    labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Recorded labels of the measured queries, by number, as far as they are known."""


def align(recording: Recording, baseline: Baseline, shown: str) -> Alignment:
    """Join a recording with its baseline, which messages call ``shown``.

    BaselineError if the baseline contradicts itself: a value that its ranks do not give.
    """
    return _Aligner(recording, baseline, shown).alignment()


class _Aligner:
    """The queries that both sides have with the same judgements, and their recorded values."""

    def __init__(self, recording: Recording, baseline: Baseline, shown: str) -> None:
        self.recording, self.measured = recording, recording.measured
        self.baseline, self.shown = baseline, shown
        self.keys = recording.keys
        self.rows = [baseline.queries.get(key) for key in self.keys]
        own = zip(self.rows, recording.truths, strict=True)
        common = [
            number
            for number, (row, truth) in enumerate(own)
            if row is not None and row["truth"] == truth
        ]
        self.common = np.array(common, dtype=np.int64)
        self.common_rows = [row for row in map(self.rows.__getitem__, common) if row is not None]
        self.same_queries = len(common) == len(self.keys) == len(baseline.queries)
        self.reweighed = self._differing("weight", recording.weights)
        # Whether the values of both sides are means of the same queries with the same weights.
        self.complete = self.same_queries and not self.reweighed
        self.rankings = StoredRankings(recording, self.rows, self.common)
        self.notes: list[str] = []
        self.not_comparable: list[str] = []

    def alignment(self) -> Alignment:
        baseline, measured = self.baseline, self.measured
        matches = self._matches()
        per_query: dict[str, FloatArray] = {}
        values: dict[str, float] = {}
        for name, other in matches.items():
            values[name] = baseline.metrics[other]["value"]
            column, anew = self._column(name, other)
            if column is not None:
                per_query[name] = column
            if anew is not None:
                values[name] = anew
        if baseline.seal_fits is False:
            self._refuse("seal", "it does not fit the rest of the file")
        top = baseline.unjudged
        share = top["share"] if top is not None and top["top"] == measured.top else None
        old = self.rankings if self._knows_unjudged() else None
        used = measured.used
        reference = Reference(
            queries=self.common,
            per_query=per_query,
            values=values,
            placement=self.rankings.placement,
            complete=self.complete,
            decimals=DECIMALS,
            slices=baseline.slices,
            unjudged_share=share,
            bounds=lambda name: None if old is None else old.bounds_of_change(used[name]),
            to_judge=lambda name, n: [] if old is None else old.to_judge(used[name], n),
        )
        gone = [
            f"baseline has {safe_repr(name)} but the test did not compute it; "
            "if that is right, refresh with: --rank-update"
            for name in baseline.metrics
            if name not in matches.values()
        ]
        added = [
            f"baseline does not fit: baseline does not have {safe_repr(name)}"
            for name in measured.names
            if name not in matches
        ]
        labels = {
            number: row["slices"]
            for number, row in enumerate(self.rows)
            if row is not None and row.get("slices") is not None
        }
        return Alignment(
            reference=reference,
            queries=self._differing_queries(),
            measures=(*gone, *added),
            not_comparable=tuple(self.not_comparable),
            notes=tuple(self.notes),
            lacks_unjudged=measured.is_bounded and old is None,
            labels=labels,
        )

    def _differing_queries(self) -> tuple[str, ...]:
        stored, present = self.baseline.queries, set(self.keys)
        added = [key for key in self.keys if key not in stored]
        gone = [key for key in stored if key not in present]
        changed = self._differing("truth", self.recording.truths)
        clustered = self._differing("cluster", self.recording.clusters)
        kinds = (
            (added, f"{formatting.queries(len(added))} added"),
            (gone, f"{len(gone):,} gone"),
            (changed, f"judgments changed for {len(changed):,}"),
            (clustered, f"clusters changed for {len(clustered):,}"),
            (self.reweighed, f"weights changed for {len(self.reweighed):,}"),
        )
        return tuple(f"{what} ({formatting.several(keys)})" for keys, what in kinds if keys)

    def _differing(self, name: str, now: Sequence[Any]) -> list[str]:
        """Queries of both sides of which something else was recorded."""
        own = zip(self.keys, self.rows, now, strict=True)
        return [key for key, row, value in own if row is not None and row.get(name) != value]

    def _matches(self) -> dict[str, str]:
        """Measured to recorded names; the same metric with other parameters counts as redefined."""
        stored, names = self.baseline.metrics, self.measured.names
        matches = {name: name for name in names if name in stored}
        left = [name for name in stored if name not in matches]
        for name in names:
            alike = [other for other in left if name not in matches and _alike(name, other)]
            if len(alike) == 1:
                matches[name] = alike[0]
                left.remove(alike[0])
        return {name: matches[name] for name in names if name in matches}

    def _column(self, name: str, other: str) -> tuple[FloatArray | None, float | None]:
        """Recorded values of the common queries; re-scored, with the mean, if it was redefined."""
        used = self.measured.used[name]
        now, then = self.recording.definitions[name], self.baseline.metrics[other]["definition"]
        if now == then:
            return self._recorded_column(name, other), None
        difference, anew = _difference(other, then, now), None
        same_reading = all(then.get(key) == now.get(key) for key in _OTHER_QUESTION)
        if same_reading and not now.get("relevance"):
            anew = self.rankings.scored(used)
        if anew is None:
            self.not_comparable.append(f"{difference}, and cannot be scored anew")
            return None, None
        mean = mean_over(anew, self._common_weights(name), used.metric.geometric_from)
        mean = round(mean, DECIMALS)
        self.notes.append(f"{difference}; baseline re-scored from stored ranks: {mean:.4f}")
        return np.round(anew, DECIMALS), mean

    def _knows_unjudged(self) -> bool:
        """Whether it is stored as deep as needed where unjudged items stood."""
        unjudged, rows = self.baseline.unjudged, self.baseline.queries.values()
        stored = all(row.get("unjudged") is not None for row in rows) and self.rankings.are_known
        if unjudged is None or not stored:
            return False
        deep, needed = unjudged.get("depth"), self.measured.depth
        return deep is None or (needed is not None and deep >= needed)

    # Is it what was recorded? --------------------------------------------------------------------

    def _recorded_column(self, name: str, other: str) -> FloatArray | None:
        """Recorded values of the common queries, checked against all that can be recomputed."""
        used, metric = self.measured.used[name], self.baseline.metrics[other]
        rows = self.baseline.queries.values()
        has_values = all(other in row for row in rows)
        has_ranks = all(row.get("ranks") is not None for row in rows)
        is_elsewhere = metric["definition"].get("relevance") or used.metric.is_given
        by_ranks = not (is_elsewhere or used.metric.reads_unjudged)
        proved = has_values and has_ranks and by_ranks
        if not proved and self.baseline.seal_fits is None:
            self._refuse(f"metrics.{other}", "nothing proves its values, and the file has no seal")
        if used.is_pooled:
            return None
        if not has_values:
            self._refuse(f"metrics.{other}", "the queries have no values of it")
        column = np.array([row[other] for row in self.common_rows], dtype=np.float64)
        if proved and len(column):
            self._check_ranks(name, other, column)
        if not self.complete:
            return column
        weighted, least = metric.get("weighted", False), used.metric.geometric_from
        if weighted != (self.measured.weights(name) is not None):
            self._refuse(f"metrics.{other}.weighted", f"{weighted} is not what the data say")
        mean = mean_over(column, self._common_weights(name), least)
        if not abs(mean - metric["value"]) <= mean_tolerance(column, mean, least):
            what = f"{metric['value']} where its queries give {mean:.6f}"
            self._refuse(f"metrics.{other}.value", what)
        return column

    def _check_ranks(self, name: str, other: str, column: FloatArray) -> None:
        """Compare the values per query with those that the ranks give."""
        anew = self.rankings.scored(self.measured.used[name])
        if anew is None:
            if self.same_queries:
                self._refuse(f"queries.*.{other}", "the ranks contradict each other")
            return
        limit = 2 * STEP * np.maximum(1.0, np.abs(column))
        with np.errstate(invalid="ignore"):
            differs = ~(np.abs(anew - column) <= limit) & ~(np.isnan(anew) & np.isnan(column))
        if differs.any():
            place = int(np.flatnonzero(differs)[0])
            key = safe_repr(self.keys[int(self.common[place])])[1:-1]
            said = f"{column[place]:.6f} where its ranks give {anew[place]:.6f}"
            self._refuse(f"queries.{key}.{other}", said)

    def _common_weights(self, name: str) -> FloatArray | None:
        weights = self.measured.weights(name)
        # Where no query is defined, none has a weight, and all count alike as the settled number.
        return None if weights is None or not weights.any() else weights[self.common]

    def _refuse(self, field: str, what: str) -> NoReturn:
        msg = (
            f"baseline {self.shown} is not what was recorded: {field}: {what}; restore the file, "
            "or delete it and record it anew"
        )
        raise BaselineError(msg)


_OTHER_QUESTION = (
    *("ties", "zero_division", "relevance", "unjudged", "min_rel"),
    *("unretrieved", "average", "measures", "n_negatives", "own"),
)
"""Parameters that decide what is relevant, or what is measured at all: where one of these differs,
so does the measure, and re-scoring would hide that."""


def _alike(name: str, other: str) -> bool:
    """Whether two spellings differ in parameters only, and in none of those above."""
    try:
        now, then = read_measure(name), read_measure(other)
    except ValueError:
        return False
    if now.metric != then.metric or now.k != then.k:
        return False
    return all(now.options.get(key) == then.options.get(key) for key in _OTHER_QUESTION)


def _difference(name: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The changes of a definition in words."""
    keys = [key for key in {**then, **now} if then.get(key) != now.get(key)]
    old, new = (
        ", ".join(
            f"{'definition' if key == 'v' else key}={safe_repr(str(definition.get(key)))[1:-1]}"
            for key in keys
        )
        for definition in (then, now)
    )
    return f"{safe_repr(name)[1:-1]} was stored with {old}, now {new}"
