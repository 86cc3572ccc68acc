"""Layouts with a score for every item: the waist, and the pool of all items, from one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.data import InputCounts, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.ranking import ScoredItems, ranked
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.rankings.unranked import UnjudgedItems, unjudged_by_score
from sklearn_rank.support.segments import take_segments
from sklearn_rank.typing import Array, FloatArray, IntArray, NegativeGrades, Ties


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
            msg = (
                "sample_weight weighs queries, and a pooled measure ranks the items of all queries "
                "together; leave one of the two out"
            )
            raise InvalidParameterError(msg)
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
        # Ids order the items of a query; those of several queries have no order among each other.
        ties: Ties = "average" if TIE_RULES[self.ties].by_id else self.ties
        return ranked(items.as_one(), ties, query_ids=["all"], judged=judged)


@dataclass(frozen=True)
class _AllHits:
    """Ranks queries once more, with all hits."""

    pool: ScorePool
    queries: JudgedRankings

    def __call__(self) -> JudgedRankings:
        queries, pool = self.queries, self.pool
        rankings = ranked(
            pool.items,
            pool.ties,
            query_ids=queries.query_ids,
            weights=queries.weights,
            judged=pool.judged,
        )
        return replace(rankings, unjudged=queries.unjudged)


def judged_by_scores(
    items: ScoredItems,
    ties: Ties,
    *,
    query_ids: Sequence[Any] | Array,
    weights: FloatArray | None,
    counts: InputCounts | None = None,
    judged: tuple[IntArray, FloatArray] | None = None,
    missed: FloatArray | None = None,
    depth: int | None = None,
    unjudged: UnjudgedItems | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """What all layouts have in common that have a score for every item.

    ``judged`` (offsets, grades) tells all relevant items if some were not retrieved, ``missed`` the
    grades of those that belong to no query in particular, and ``unjudged`` which items nobody
    judged.
    """
    rankings = ranked(
        items, ties, query_ids=query_ids, weights=weights, judged=judged, depth=depth, n_jobs=n_jobs
    )
    assumed = ""
    if unjudged is not None:
        holes = unjudged_by_score(items.scores, items.offsets, unjudged, ties)
        rankings, assumed = replace(rankings, unjudged=holes), "partial"
    pool = ScorePool(items, ties, judged, missed, weighted=weights is not None)
    return RankingData(
        rankings,
        pool,
        counts=InputCounts() if counts is None else counts,
        assumed=assumed,
        ties=ties,
        rank_all=None if rankings.cutoff is None else _AllHits(pool, rankings),
    )


def count_unjudged(grades: Array, negative: NegativeGrades) -> InputCounts:
    """The negative ones among grades that passed their check, where they mean "not judged"."""
    if negative == "raise" or grades.dtype.kind == "u":
        return InputCounts()
    return InputCounts(unjudged_grades=int(np.count_nonzero(grades < 0)))
