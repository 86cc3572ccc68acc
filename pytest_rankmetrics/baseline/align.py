"""A measured system beside its baseline: which queries are comparable, and by which values.

Queries are joined by id, and only where their judgements are the same. Measures whose definition
has changed are scored anew from the recorded ranks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pytest_rankmetrics.baseline.file import (
    DECIMALS,
    Baseline,
    read_rank,
)
from pytest_rankmetrics.baseline.record import (
    definition_of,
    digest,
    key_of,
    keys_of,
    recorded_weights,
)
from pytest_rankmetrics.measuring.reference import Reference
from pytest_rankmetrics.measuring.strict import Measured
from sklearn_rank.evaluation.evaluate import evaluate_placements
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.rankings.placements import Hit, Placement
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray


@dataclass(frozen=True)
class Alignment:
    """How a baseline fits what was measured."""

    reference: Reference
    added: tuple[str, ...]
    """Queries that the baseline does not have."""
    gone: tuple[str, ...]
    """Queries that only the baseline has."""
    changed: tuple[str, ...]
    """Queries whose judgements differ."""
    reweighed: tuple[str, ...]
    """Queries that have another weight."""
    not_computed: tuple[str, ...]
    """Measures that only the baseline has."""
    not_recorded: tuple[str, ...]
    """Measures that the baseline does not have."""
    not_comparable: tuple[str, ...]
    """Measures of another definition that cannot be scored anew, each with its reason."""
    notes: tuple[str, ...]
    """What was scored anew."""

    @property
    def stale(self) -> bool:
        """Whether the baseline does not fit."""
        queries = (self.added, self.gone, self.changed, self.reweighed)
        return any(queries) or bool(self.problems)

    @property
    def problems(self) -> tuple[str, ...]:
        """What does not fit besides the queries."""
        return (
            *(
                f"baseline has {safe_repr(name)} but the test did not compute it"
                for name in self.not_computed
            ),
            *(f"baseline does not have {safe_repr(name)}" for name in self.not_recorded),
            *self.not_comparable,
        )


def align(measured: Measured, baseline: Baseline) -> Alignment:
    """Join what was measured with its baseline."""
    return _Aligner(measured, baseline).alignment()


class _Aligner:
    def __init__(self, measured: Measured, baseline: Baseline) -> None:
        self.measured = measured
        self.baseline = baseline
        self.keys = keys_of(measured.query_ids, "queries")
        self.notes: list[str] = []
        self.not_comparable: list[str] = []

    def alignment(self) -> Alignment:
        stored, measured = self.baseline.queries, self.measured
        present = set(self.keys)
        changed = [
            key
            for key, placement in zip(self.keys, measured.placements, strict=True)
            if key in stored and stored[key].truth != digest(placement)
        ]
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
        return Alignment(
            reference=Reference(
                np.array(self.common, dtype=np.int64),
                per_query,
                values,
                self._placement,
                len(self.common) == len(self.keys) == len(stored),
                DECIMALS,
            ),
            added=tuple(key for key in self.keys if key not in stored),
            gone=tuple(key for key in stored if key not in present),
            changed=tuple(changed),
            reweighed=tuple(
                key
                for key, weight in zip(self.keys, recorded_weights(measured), strict=True)
                if key in stored and stored[key].weight != weight
            ),
            not_computed=tuple(
                name for name in self.baseline.metrics if name not in matches.values()
            ),
            not_recorded=tuple(name for name in measured.names if name not in matches),
            not_comparable=tuple(self.not_comparable),
            notes=tuple(self.notes),
        )

    @cached_property
    def common(self) -> list[int]:
        """Numbers of the queries that both sides have, with the same judgements."""
        stored = self.baseline.queries
        return [
            number
            for number, (key, placement) in enumerate(
                zip(self.keys, self.measured.placements, strict=True)
            )
            if key in stored and stored[key].truth == digest(placement)
        ]

    def _matches(self) -> dict[str, str]:
        """Measured to recorded names; a measure with other parameters is the same one, changed."""
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
        """Recorded values of the common queries; scored anew, with the mean, if need be."""
        used, stored = self.measured.used[name], self.baseline.metrics[other]
        now, then = definition_of(used, self.measured), dict(stored.definition)
        queries = [self.baseline.queries[self.keys[number]] for number in self.common]
        if json.loads(json.dumps(now)) == then:
            if used.is_pooled:
                return None, None
            column = [math.nan if (v := one.values.get(other)) is None else v for one in queries]
            return np.array(column), None
        difference = _difference(other, then, now)
        plain = json.loads(json.dumps(now))
        same_reading = all(then.get(key) == plain.get(key) for key in _OTHER_QUESTION)
        placements = [self._placement(number) for number in self.common]
        if used.is_pooled or not same_reading or None in placements or now.get("relevance"):
            self.not_comparable.append(f"{difference}, and cannot be scored anew")
            return None, None
        known = [one for one in placements if one is not None]
        anew = _scored_anew(known, used, self.measured)
        if anew is None:
            self.not_comparable.append(f"{difference}, and cannot be scored anew")
            return None, None
        mean = round(_weighted_mean(anew, self.measured.weights(name), self.common), DECIMALS)
        self.notes.append(f"{difference}; baseline re-scored from stored ranks: {mean:.4f}")
        return np.round(anew, DECIMALS), mean

    def _placement(self, number: int) -> Placement | None:
        """Where the relevant items of a query stood when the baseline was recorded."""
        now = self.measured.placements[number]
        stored = self.baseline.queries.get(self.keys[number])
        if stored is None or stored.ranks is None:
            return None
        grades: dict[str, float]
        if stored.grades is not None:
            grades = dict(zip(stored.ranks, stored.grades, strict=False))
        else:
            grades = {key_of(item): grade for item, grade in (now.judged or {}).items()}
        hits = []
        for key, rank in stored.ranks.items():
            first, last = read_rank(rank)
            hits.append(Hit(key, grades.get(key, 1.0), first - 1, last - first + 1))
        hits.sort(key=lambda hit: (hit.above, -hit.grade))
        return Placement(now.query, hits, stored.n or 0, now.grades)


def _weighted_mean(values: FloatArray, weights: FloatArray | None, common: list[int]) -> float:
    shares = np.ones(len(values)) if weights is None else weights[np.array(common, dtype=np.int64)]
    kept = ~np.isnan(values)
    total = math.fsum(shares[kept].tolist())
    return math.fsum((shares * values)[kept].tolist()) / total if total else math.nan


_OTHER_QUESTION = (
    "ties",
    "zero_division",
    "relevance",
    "min_rel",
    "unretrieved",
    "average",
    "measures",
    "n_negatives",
)
"""Parameters that say what is relevant, or what is measured at all: with another value of these a
measure is another one, and scoring anew would hide the difference."""


def _alike(name: str, other: str) -> bool:
    """Whether two spellings are one metric and cutoff, with other parameters."""
    try:
        one, two = read_measure(name), read_measure(other)
    except ValueError:
        return False
    if one.metric != two.metric or one.k != two.k:
        return False
    return all(one.options.get(key) == two.options.get(key) for key in _OTHER_QUESTION)


def _difference(name: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What has changed in a definition, in words."""
    keys = [key for key in {**then, **now} if then.get(key) != now.get(key)]

    def said(definition: Mapping[str, Any]) -> str:
        shown = ("definition" if key == "v" else key for key in keys)
        pairs = zip(shown, keys, strict=True)
        return ", ".join(
            f"{word}={safe_repr(str(definition.get(key)))[1:-1]}" for word, key in pairs
        )

    return f"{safe_repr(name)[1:-1]} was stored with {said(then)}, now {said(now)}"


def _scored_anew(
    placements: list[Placement], measure: Measure, measured: Measured
) -> FloatArray | None:
    try:
        found = evaluate_placements(placements, measure, zero_division=math.nan)
    except ValueError:
        return None
    values: FloatArray = found.per_query[str(measure)]
    if isinstance(measured.zero_division, str) or math.isnan(measured.zero_division):
        return values
    return np.where(np.isnan(values), float(measured.zero_division), values)
