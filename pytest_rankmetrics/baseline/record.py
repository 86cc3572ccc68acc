"""What was measured, as the baseline that it would be."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import numpy as np

from pytest_rankmetrics.baseline.definition import definition_of
from pytest_rankmetrics.baseline.file import (
    DECIMALS,
    Baseline,
    StoredMetric,
    StoredQuery,
    write_rank,
)
from pytest_rankmetrics.baseline.keys import judged_pairs, keys_of
from pytest_rankmetrics.measuring.strict import Measured
from sklearn_rank.rankings.placements import Placement

Store = Literal["ranks", "scores"]
Ranks = tuple[dict[str, int | str], tuple[float, ...] | None]


class Recording:
    """What was measured, in the terms of a baseline; each is made once, and only if it is asked."""

    def __init__(self, measured: Measured) -> None:
        self.measured = measured

    @cached_property
    def keys(self) -> list[str]:
        """Queries as keys."""
        return keys_of(self.measured.query_ids, "queries")

    @cached_property
    def truths(self) -> list[str]:
        """Fingerprint of the judgements of each query: ids and grades, in any order."""
        kept = self.measured.items
        if kept is None:
            return self._truths_without_ids()
        if kept.shared is not None:
            # Which of its items belong to a query shows only where they were retrieved.
            return [_digest(judged_pairs(kept.shared))] * len(self.measured)
        ids = self.measured.own_ids
        return [_digest(judged_pairs(kept.truths[query])) for query in ids]

    def _truths_without_ids(self) -> list[str]:
        rankings = self.measured.evaluation.rankings
        grades, borders = rankings.judged_grades.tolist(), rankings.judged_offsets.tolist()
        return [
            _digest([sorted(grades[borders[number] : borders[number + 1]], reverse=True), n])
            for number, n in enumerate(rankings.n_ranked.tolist())
        ]

    @cached_property
    def weights(self) -> list[float | None]:
        """Weights as they are recorded."""
        if self.measured.sample_weights is None:
            return [None] * len(self.measured)
        return [float(f"{weight:.6g}") for weight in self.measured.sample_weights]

    @cached_property
    def columns(self) -> dict[str, list[float | None]]:
        """Values of each measure that has some per query, as they are recorded."""
        columns = {name: self.measured.per_query(name) for name in self.measured.names}
        return {
            name: [None if math.isnan(v) else v for v in np.round(column, DECIMALS).tolist()]
            for name, column in columns.items()
            if column is not None
        }

    @cached_property
    def definitions(self) -> dict[str, dict[str, Any]]:
        """What the values of each measure depend on besides the data."""
        used = self.measured.used
        return {name: definition_of(used[name], self.measured) for name in self.measured.names}

    def baseline(
        self,
        gate: str,
        store: Store,
        slices: Mapping[str, Mapping[str, float]],
        accepted: Sequence[Mapping[str, Any]] = (),
    ) -> Baseline:
        """The baseline that this would be."""
        ranks = self._ranks if store == "ranks" else [None] * len(self.measured)
        lengths = self.measured.n_ranked.tolist()
        rows = zip(self.keys, self.truths, self.weights, ranks, lengths, strict=True)
        queries = {}
        for number, (key, truth, weight, places, n) in enumerate(rows):
            values = {name: column[number] for name, column in self.columns.items()}
            if places is None:
                queries[key] = StoredQuery(truth, values, weight=weight)
            else:
                queries[key] = StoredQuery(truth, values, places[0], n, places[1], weight)
        metrics = {name: self._metric(name) for name in self.measured.names}
        return Baseline(gate, metrics, queries, slices, tuple(accepted)).sealed()

    @cached_property
    def _ranks(self) -> list[Ranks | None]:
        return [_ranks_of(placement) for placement in self.measured.placements()]

    def _metric(self, name: str) -> StoredMetric:
        column = self.columns.get(name)
        n = len(self.measured) if column is None else sum(value is not None for value in column)
        return StoredMetric(
            value=round(self.measured.value(name), DECIMALS),
            queries=n,
            definition=self.definitions[name],
            weighted=self.measured.weights(name) is not None,
        )


def _ranks_of(placement: Placement) -> Ranks:
    """Rank of each relevant item that was retrieved; with their grades where items have no ids."""
    hits, grades = placement.hits, None
    if placement.judged is None:
        keys = [f"#{place}" for place in range(1, len(hits) + 1)]
        grades = tuple(hit.grade for hit in hits)
    else:
        keys = keys_of([hit.item for hit in hits], "items")
    pairs = zip(keys, hits, strict=True)
    return {key: write_rank(hit.above, hit.tied) for key, hit in pairs}, grades


def _digest(judged: Any) -> str:
    return sha256(json.dumps(judged).encode()).hexdigest()[:12]
