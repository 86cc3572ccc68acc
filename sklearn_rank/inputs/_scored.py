"""Layouts with a score for every item: the waist, and the pool of all items, from one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._judged import Judged, JudgedRankings
from sklearn_rank._ranks import ScoredItems, ranked
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
        """One ranking of the items of all queries, or of the chosen ones."""
        if self.weighted:
            msg = "a pooled measure ranks the items of all queries together; it takes no weights"
            raise ScoresRequiredError(msg)
        items, missed = self.items, self.missed
        grades = None if self.judged is None else self.judged[1]
        if queries is not None:
            items, missed = items.take(queries), None
            if self.judged is not None:
                grades = self.judged[1][take_segments(self.judged[0], queries)[0]]
        if missed is not None:
            grades = items.relevant_grades() if grades is None else grades
            grades = np.concatenate((grades, missed))
        judged = None if grades is None else (np.array([0, len(grades)]), grades)
        return ranked(items.as_one(), self.ties, query_ids=["all"], judged=judged)


def judged_by_scores(
    items: ScoredItems,
    ties: Ties,
    *,
    query_ids: Sequence[Any] | Array,
    weights: FloatArray | None,
    n_jobs: int | None = None,
) -> Judged:
    """What rows and matrices have in common."""
    rankings = ranked(items, ties, query_ids=query_ids, weights=weights, n_jobs=n_jobs)
    parts = rankings.in_blocks()
    return Judged(query_ids, parts, parts, ScorePool(items, ties, weighted=weights is not None))
