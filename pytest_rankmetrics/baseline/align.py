"""Joins a measured system with its baseline: which queries compare, and by which values.

Queries are joined by id, and only where their judgements are the same. Measures whose definition
has changed are scored anew from the recorded ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.baseline.content import DECIMALS, STEP, Baseline
from pytest_rankmetrics.baseline.file import BaselineError, mean_tolerance
from pytest_rankmetrics.baseline.record import Recording
from pytest_rankmetrics.baseline.stored import StoredRankings
from pytest_rankmetrics.measuring.evaluation import Reference
from sklearn_rank.bounds.to_judge import ToJudge
from sklearn_rank.bounds.unjudged import Bounds
from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Alignment:
    """How well a baseline fits the measured data."""

    reference: Reference
    queries: tuple[str, ...]
    """Which queries differ: added, gone, judged anew or with another weight."""
    measures: tuple[str, ...]
    """Which measures only one side has."""
    not_comparable: tuple[str, ...]
    """Measures whose definition changed and that cannot be re-scored, each with the reason."""
    notes: tuple[str, ...]
    """What was re-scored."""
    lacks_unjudged: bool = False
    """Whether it is asked for, and not recorded, where unjudged items stood."""
    slices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Recorded slices: their values, and numbers of queries."""
    labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Recorded labels of the measured queries, by number, as far as they are known."""

    @property
    def stale(self) -> bool:
        """Whether the baseline does not fit."""
        return bool(self.queries or self.measures or self.not_comparable)


def align(recording: Recording, baseline: Baseline, shown: str) -> Alignment:
    """Join a recording with its baseline, which messages call ``shown``.

    BaselineError if the baseline contradicts itself: a value that its ranks do not give.
    """
    return _Aligner(recording, baseline, shown).alignment()


class _Aligner:
    def __init__(self, recording: Recording, baseline: Baseline, shown: str) -> None:
        self.recording = recording
        self.measured = recording.measured
        self.baseline = baseline
        self.shown = shown
        self.keys = recording.keys
        self.notes: list[str] = []
        self.not_comparable: list[str] = []

    def alignment(self) -> Alignment:
        stored = self.baseline.queries
        matches = self._matches()
        per_query: dict[str, FloatArray] = {}
        values: dict[str, float] = {}
        for name, other in matches.items():
            values[name] = self.baseline.metrics[other].value
            column, anew = self._column(name, other)
            if column is not None:
                per_query[name] = column
            if anew is not None:
                values[name] = anew
        if self.baseline.seal_fits is False:
            self._refuse("seal", "it does not fit the rest of the file")
        return Alignment(
            reference=Reference(
                self.common,
                per_query,
                values,
                self.rankings.placement,
                self.complete,
                DECIMALS,
                self.baseline.slices,
                self._unjudged_share,
                self._bounds,
                self._to_judge,
            ),
            queries=self._differing_queries(),
            measures=(
                *(
                    f"baseline has {safe_repr(name)} but the test did not compute it; "
                    "if that is right, refresh with: --rank-update"
                    for name in self.baseline.metrics
                    if name not in matches.values()
                ),
                *(
                    f"baseline does not fit: baseline does not have {safe_repr(name)}"
                    for name in self.measured.names
                    if name not in matches
                ),
            ),
            not_comparable=tuple(self.not_comparable),
            notes=tuple(self.notes),
            lacks_unjudged=self.measured.is_bounded and self._old_unjudged is None,
            slices=self.baseline.slices,
            labels={
                number: labels
                for number, row in enumerate(self.rows)
                if row is not None and (labels := stored.slices[row]) is not None
            },
        )

    def _differing_queries(self) -> tuple[str, ...]:
        stored, present = self.baseline.queries, set(self.keys)
        added = [key for key in self.keys if key not in stored.numbers]
        gone = [key for key in stored.keys if key not in present]
        changed = self._differing(self.recording.truths, stored.truths)
        kinds = (
            (added, f"{formatting.queries(len(added))} added"),
            (gone, f"{len(gone):,} gone"),
            (changed, f"judgments changed for {len(changed):,}"),
            (self.reweighed, f"weights changed for {len(self.reweighed):,}"),
        )
        return tuple(f"{what} ({formatting.several(keys)})" for keys, what in kinds if keys)

    @cached_property
    def rows(self) -> list[int | None]:
        """Where each measured query stands in the baseline, if it does."""
        return list(map(self.baseline.queries.numbers.get, self.keys))

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        """Queries that both sides have with the same judgements: measured and stored number."""
        truths = self.baseline.queries.truths
        own = enumerate(zip(self.rows, self.recording.truths, strict=True))
        return [
            (number, row)
            for number, (row, truth) in own
            if row is not None and truths[row] == truth
        ]

    @cached_property
    def common(self) -> IntArray:
        """Numbers of the measured queries that are compared."""
        return np.array([number for number, _ in self._pairs], dtype=np.int64)

    @cached_property
    def common_rows(self) -> IntArray:
        """Where these stand in the baseline."""
        return np.array([row for _, row in self._pairs], dtype=np.int64)

    @property
    def _same_queries(self) -> bool:
        return len(self._pairs) == len(self.keys) == len(self.baseline.queries)

    @property
    def complete(self) -> bool:
        """Whether both sides have the same queries with the same weights."""
        return self._same_queries and not self.reweighed

    @cached_property
    def reweighed(self) -> tuple[str, ...]:
        """Queries that have another weight."""
        return self._differing(self.recording.weights, self.baseline.queries.weights)

    def _differing(self, now: Sequence[Any], then: Sequence[Any]) -> tuple[str, ...]:
        """Queries of both sides for which two columns differ."""
        return tuple(
            key
            for key, row, value in zip(self.keys, self.rows, now, strict=True)
            if row is not None and then[row] != value
        )

    @cached_property
    def rankings(self) -> StoredRankings:
        """Where the relevant items of the common queries stood, as far as that is recorded."""
        return StoredRankings(self.recording, self.baseline.queries, self.common, self.common_rows)

    def _matches(self) -> dict[str, str]:
        """Measured to recorded names; the same metric with other parameters counts as redefined."""
        stored = self.baseline.metrics
        matches = {name: name for name in self.measured.names if name in stored}
        left = [name for name in stored if name not in matches]
        for name in self.measured.names:
            alike = [other for other in left if name not in matches and _alike(name, other)]
            if len(alike) == 1:
                matches[name] = alike[0]
                left.remove(alike[0])
        return {name: matches[name] for name in self.measured.names if name in matches}

    def _column(self, name: str, other: str) -> tuple[FloatArray | None, float | None]:
        """Recorded values of the common queries; re-scored, with the mean, if it was redefined."""
        used = self.measured.used[name]
        now, then = self.recording.definitions[name], dict(self.baseline.metrics[other].definition)
        if now == then:
            return self._recorded_column(name, other), None
        difference = _difference(other, then, now)
        same_reading = all(then.get(key) == now.get(key) for key in _OTHER_QUESTION)
        anew = None
        if same_reading and not now.get("relevance"):
            anew = self.rankings.scored(used)
        if anew is None:
            self.not_comparable.append(f"{difference}, and cannot be scored anew")
            return None, None
        mean = mean_over(anew, self._common_weights(name), used.metric.geometric_from)
        mean = round(mean, DECIMALS)
        self.notes.append(f"{difference}; baseline re-scored from stored ranks: {mean:.4f}")
        return np.round(anew, DECIMALS), mean

    # Unjudged items -----------------------------------------------------------------------

    @property
    def _unjudged_share(self) -> float | None:
        """Share of the recorded top that nobody had judged, if that is of the same ranks."""
        unjudged = self.baseline.unjudged
        return (
            unjudged.share if unjudged is not None and unjudged.top == self.measured.top else None
        )

    @cached_property
    def _old_unjudged(self) -> StoredRankings | None:
        """The recorded rankings, if it is stored as deep as needed where unjudged items stood."""
        unjudged = self.baseline.unjudged
        if (
            unjudged is None
            or not self.baseline.queries.have_unjudged
            or not self.rankings.are_known
        ):
            return None
        deep = unjudged.depth is None
        if unjudged.depth is not None and self.measured.depth is not None:
            deep = unjudged.depth >= self.measured.depth
        return self.rankings if deep else None

    def _bounds(self, name: str) -> Bounds | None:
        old = self._old_unjudged
        return None if old is None else old.bounds_of_change(self.measured.used[name])

    def _to_judge(self, name: str, n: int) -> list[ToJudge]:
        old = self._old_unjudged
        return [] if old is None else old.to_judge(self.measured.used[name], n)

    # Is it what was recorded? --------------------------------------------------------------------

    def _recorded_column(self, name: str, other: str) -> FloatArray | None:
        """Recorded values of the common queries, checked against all that can be recomputed."""
        used = self.measured.used[name]
        proved = self.baseline.is_proved_by_ranks(other, of_judgements=used.metric.reads_unjudged)
        if not proved and self.baseline.seal_fits is None:
            self._refuse(f"metrics.{other}", "nothing proves its values, and the file has no seal")
        if used.is_pooled:
            return None
        stored = self.baseline.queries.values.get(other)
        if stored is None:
            self._refuse(f"metrics.{other}", "the queries have no values of it")
        column: FloatArray = np.array(stored, dtype=np.float64)[self.common_rows]
        if proved and len(column):
            self._check_ranks(name, other, column)
        self._check_mean(name, other, column)
        return column

    def _check_ranks(self, name: str, other: str, column: FloatArray) -> None:
        """Compare the values per query with those that the ranks give."""
        anew = self.rankings.scored(self.measured.used[name])
        if anew is None:
            if self._same_queries:
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

    def _check_mean(self, name: str, other: str, column: FloatArray) -> None:
        """Compare the value with the weighted mean of the values per query."""
        if not self.complete:
            return
        metric, weights = self.baseline.metrics[other], self.measured.weights(name)
        if metric.weighted != (weights is not None):
            self._refuse(f"metrics.{other}.weighted", f"{metric.weighted} is not what the data say")
        least = self.measured.used[name].metric.geometric_from
        mean = mean_over(column, self._common_weights(name), least)
        if not abs(mean - metric.value) <= mean_tolerance(column, mean, least):
            what = f"{metric.value} where its queries give {mean:.6f}"
            self._refuse(f"metrics.{other}.value", what)

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
    "ties",
    "zero_division",
    "relevance",
    "unjudged",
    "min_rel",
    "unretrieved",
    "average",
    "measures",
    "n_negatives",
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

    def said(definition: Mapping[str, Any]) -> str:
        shown = ("definition" if key == "v" else key for key in keys)
        pairs = zip(shown, keys, strict=True)
        return ", ".join(
            f"{word}={safe_repr(str(definition.get(key)))[1:-1]}" for word, key in pairs
        )

    return f"{safe_repr(name)[1:-1]} was stored with {said(then)}, now {said(now)}"
