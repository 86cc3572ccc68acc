"""The rankings of a baseline: places read back from its ranks, and measures computed from them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_rankmetrics.baseline.file import Baseline, StoredQuery, read_rank
from pytest_rankmetrics.baseline.keys import key_of
from pytest_rankmetrics.baseline.record import Recording
from sklearn_rank.evaluation.evaluate import evaluate_placements
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.placements import Hit, Placement
from sklearn_rank.typing import FloatArray


class StoredRankings:
    """Where the relevant items of the measured queries stood when a baseline was recorded."""

    def __init__(self, recording: Recording, baseline: Baseline) -> None:
        self._recording = recording
        self._queries = baseline.queries
        measured = recording.measured
        self._ids = measured.own_ids
        self._items = measured.evaluation.items
        rankings = measured.evaluation.rankings
        self._borders = rankings.judged_offsets.tolist()
        self._grades = rankings.judged_grades

    def placement(self, number: int) -> Placement | None:
        """The places of one query, if the baseline has them."""
        stored = self._queries.get(self._recording.keys[number])
        if stored is None or stored.ranks is None:
            return None
        known = self._grades_of(number, stored)
        hits = []
        for key, rank in stored.ranks.items():
            first, last = read_rank(rank)
            hits.append(Hit(key, known.get(key, 1.0), first - 1, last - first + 1))
        hits.sort(key=lambda hit: (hit.above, -hit.grade))
        grades = self._all_grades(number, hits)
        return Placement(self._ids[number], hits, stored.n or 0, grades)

    def _grades_of(self, number: int, stored: StoredQuery) -> dict[str, float]:
        if stored.grades is not None:
            return dict(zip(stored.ranks or (), stored.grades, strict=True))
        if self._items is None:
            return {}
        shared = self._items.shared
        judged = self._items.truths[self._ids[number]] if shared is None else shared
        return {key_of(item): grade for item, grade in judged.items()}

    def _all_grades(self, number: int, hits: Sequence[Hit]) -> list[float]:
        """Grades of all relevant items; of one shared truth those that the query had retrieved."""
        if self._items is not None and self._items.shared is not None:
            return sorted((hit.grade for hit in hits), reverse=True)
        own = self._grades[self._borders[number] : self._borders[number + 1]].tolist()
        return sorted(own, reverse=True)

    def scored(self, measure: Measure, placements: Sequence[Placement | None]) -> FloatArray | None:
        """Values of a measure at some places; None where they are unknown or not enough."""
        known = [placement for placement in placements if placement is not None]
        if measure.is_pooled or not known or len(known) < len(placements):
            return None
        try:
            evaluation = evaluate_placements(known, measure, zero_division=math.nan)
        except ValueError:
            return None
        return self._recording.measured.filled(evaluation.per_query[str(measure)])
