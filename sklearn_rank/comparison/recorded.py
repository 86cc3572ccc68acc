"""A baseline as the evaluation that it records, over the queries whose judgements are the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from sklearn_rank.comparison.baseline import QueryRecord, key_of, span
from sklearn_rank.evaluation.compute import averaged
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.slices import take_queries
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import KeptItems
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import offsets_of, segment_index
from sklearn_rank.typing import FloatArray, IntArray


@dataclass(frozen=True, repr=False, eq=False)
class Recorded(Evaluation):
    """An evaluation that was read from a baseline: only the first items of a ranking are known."""

    _spreads: Mapping[str, FloatArray] | None = None
    _n_runs: int = 1

    @property
    def runs(self) -> tuple[Evaluation, ...]:
        """As many as there were; their means are known, and their spread."""
        return (self,) * self._n_runs

    def spread(self, measure: str | Measure) -> FloatArray:
        """Standard deviation of each query between the runs that were recorded."""
        return (self._spreads or {})[str(measure)]


def recorded_evaluation(
    new: Evaluation,
    numbers: Sequence[int],
    rows: Sequence[QueryRecord],
    names: Sequence[str],
    n_runs: int = 1,
) -> Recorded:
    """The recorded values and places of some queries of ``new``, which have the same judgements."""
    queries = np.array(numbers, dtype=np.int64)
    judged = new._judged
    part = take_queries(judged, queries, judged.listed_ids())
    kept, ids = judged.ids, part.listed_ids()
    rankings = None if kept is None else _Rankings(dict(zip(ids, rows, strict=True)), kept)
    grades = [
        row.grades
        or (rankings.grades(query) if rankings is not None else [1.0] * len(row.found or {}))
        for query, row in zip(ids, rows, strict=True)
    ]
    places = _places(part.rankings, rows, grades)
    own = None if kept is None or rankings is None else replace(kept, rankings=rankings)
    data = replace(part, rankings=places, ids=own)

    def column(cells: Sequence[Mapping[str, float | None]], name: str) -> FloatArray:
        return np.array([own.get(name) for own in cells], dtype=np.float64)

    scored, values = {}, [row.values for row in rows]
    for name in names:
        record = new._scored[name]
        weights = None if record.weights is None else record.weights[queries]
        scored[name] = averaged(
            record.measure, data, column(values, name), weights, record.zero_division
        )
    spreads = {name: column([row.spread or {} for row in rows], name) for name in names}
    return Recorded(scored, data, (), spreads if n_runs > 1 else None, n_runs)


class _Rankings(Mapping[Any, Any]):
    """The items of a ranking that were recorded, by query: the first, and the relevant ones."""

    def __init__(self, rows: Mapping[Any, QueryRecord], kept: KeptItems) -> None:
        self.rows, self.kept = rows, kept
        shared = kept.shared
        self.truth = kept.truths.__getitem__ if shared is None else lambda _: shared

    def grades(self, query: Any) -> list[float]:
        """Grades of the relevant items that were found."""
        truth, found = self.truth(query), self.rows[query].found or {}
        if any(type(item) is not str for item in truth):
            truth = {key_of(item): grade for item, grade in truth.items()}
        return [truth.get(key, 1.0) for key in found]

    def __getitem__(self, query: Any) -> tuple[list[Any], None]:
        row, listed = self.rows[query], self.kept.rankings.get(query, ((), None))[0]
        # An ASCII text is its own key.
        items = chain(listed, self.truth(query))
        others = (item for item in items if type(item) is not str or not item.isascii())
        raw = {key_of(item): item for item in others}
        known = dict.fromkeys((*row.top, *(row.found or {})))
        return [raw.get(key, key) for key in known], None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def _places(
    judged: JudgedRankings, rows: Sequence[QueryRecord], grades: Sequence[Sequence[float]]
) -> JudgedRankings:
    """The recorded places of relevant items, without an object for each of them."""
    offsets = offsets_of(np.array([len(row.found or {}) for row in rows], dtype=np.int64))
    ranks = [span(rank) for row in rows for rank in (row.found or {}).values()]
    first, last = np.array(ranks, dtype=np.int64).reshape(-1, 2).T
    flat = np.fromiter(chain.from_iterable(grades), np.float64)
    order: IntArray = np.lexsort((-flat, first, segment_index(offsets)))
    return replace(
        judged,
        offsets=offsets,
        above=(first - 1)[order],
        tied=(last - first + 1)[order],
        grades=flat[order],
        n_ranked=np.array([row.n for row in rows], dtype=np.int64),
        unjudged=None,
    )
