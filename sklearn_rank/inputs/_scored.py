"""Layouts with a score for every item: the waist, and the pool of all items, from one value."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sklearn_rank._judged import InputCounts, Judged, JudgedRankings
from sklearn_rank._ranks import ScoredItems, judged_rankings
from sklearn_rank._segments import take_segments
from sklearn_rank.exceptions import ScoresRequiredError
from sklearn_rank.typing import Array, FloatArray, IntArray, Ties


@dataclass(frozen=True)
class ScorePool:
    """Ranks the items of all queries together by their scores."""

    items: ScoredItems
    ties: Ties
    judged: tuple[IntArray, FloatArray] | None = None
    """Offsets and grades of all relevant items, if some were not retrieved."""
    missed: FloatArray | None = None
    """Grades of relevant items that belong to no query in particular."""
    weighted: bool = False

    def __call__(self, queries: IntArray | None = None) -> JudgedRankings:
        if self.weighted:
            msg = "a pooled measure ranks the items of all queries together; it takes no weights"
            raise ScoresRequiredError(msg)
        if queries is not None:
            return self._chosen(queries)()
        items = replace(self.items, offsets=np.array([0, len(self.items.scores)]))
        grades = self.items.grades if self.judged is None else self.judged[1]
        if self.missed is not None:
            grades = np.concatenate((grades, self.missed))
        borders = np.array([0, len(grades)])
        return judged_rankings(items, self.ties, query_ids=["all"], judged=(borders, grades))

    def _chosen(self, queries: IntArray) -> ScorePool:
        rows, offsets = take_segments(self.items.offsets, queries)
        graded = np.zeros(len(self.items.scores))
        graded[self.items.positions] = self.items.grades
        positions = np.flatnonzero(graded[rows])
        items = ScoredItems(self.items.scores[rows], offsets, positions, graded[rows][positions])
        if self.judged is None:
            return ScorePool(items, self.ties)
        places, judged_offsets = take_segments(self.judged[0], queries)
        return ScorePool(items, self.ties, (judged_offsets, self.judged[1][places]))


def judged_by_scores(
    items: ScoredItems,
    ties: Ties,
    *,
    query_ids: Array | list[object],
    weights: FloatArray | None,
    judged: tuple[IntArray, FloatArray] | None = None,
    counts: InputCounts | None = None,
    n_jobs: int | None = None,
) -> Judged:
    """What rows, matrices and scored mappings have in common."""
    rankings = judged_rankings(
        items, ties, query_ids=query_ids, weights=weights, judged=judged, n_jobs=n_jobs
    )
    pool = ScorePool(items, ties, judged, weighted=weights is not None)
    return Judged(rankings, rankings, pool, counts or InputCounts())
