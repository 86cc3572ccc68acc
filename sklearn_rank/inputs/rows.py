"""Rows: one grade, one score and one query id per (query, item) pair, in any order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.groups import Grouping, group_rows, read_groups
from sklearn_rank.inputs.holes import flagged
from sklearn_rank.rankings.data import InputCounts, RankingData
from sklearn_rank.rankings.pool import count_unjudged, judged_by_scores
from sklearn_rank.rankings.scored import GradedRows
from sklearn_rank.rankings.unranked import UnjudgedItems
from sklearn_rank.support.arrays import (
    as_numbers,
    check_finite,
    check_grades,
    check_same_index,
    check_same_length,
    check_weights,
)
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, FloatArray, NegativeGrades, Ties


@dataclass(frozen=True)
class GradedQueries:
    """Checked grades of rows, query after query: all that stays the same whatever the scores."""

    grades: Array
    grouping: Grouping
    weights: FloatArray | None
    """(Q,) weight of each query; None weighs all alike."""
    counts: InputCounts

    def ranked_by(
        self,
        scores: Array,
        ties: Ties,
        *,
        depth: int | None = None,
        n_jobs: int | None = None,
    ) -> RankingData:
        """Judged rankings by checked scores, which come in the order of the caller's rows."""
        grouping = self.grouping
        if grouping.order is not None:
            scores = scores[grouping.order]
        return judged_by_scores(
            GradedRows(scores, grouping.offsets, self.grades),
            ties,
            query_ids=grouping.query_ids,
            weights=self.weights,
            counts=self.counts,
            depth=depth,
            unjudged=self._unjudged(),
            n_jobs=n_jobs,
        )

    def _unjudged(self) -> UnjudgedItems | None:
        if not self.counts.unjudged_grades:
            return None
        return flagged(self.grades < 0, len(self.grouping.query_ids))


def from_rows(
    y_true: Any,
    y_score: Any,
    groups: Any,
    *,
    sample_weight: Any = None,
    ties: Ties = "average",
    negative_grades: NegativeGrades = "raise",
    depth: int | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Judged rankings of 1-D grades and scores with a query id per row."""
    if len(y_true) == 0:
        msg = "no queries to evaluate: y_true is empty"
        raise ValueError(msg)
    if groups is None:
        msg = (
            "the rows layout needs groups: the query id of each row. "
            "Pass groups=qid; for one query with many items pass 2-D arrays of one row"
        )
        raise RankingConfigError(msg)
    check_same_index(y_true=y_true, y_score=y_score, groups=groups, sample_weight=sample_weight)
    grades = _column(as_numbers(y_true, "y_true"), "y_true")
    scores = _column(as_numbers(y_score, "y_score"), "y_score")
    check_same_length("y_true", len(grades), "y_score", len(scores))
    ids = read_groups(groups, len(grades))

    def where(position: int) -> str:
        return f"row {position} of query {safe_repr(ids[position])}"

    check_finite(scores, "y_score", where=where, infinite=True)
    grades = check_grades(grades, "y_true", where=where, negative=negative_grades)
    grouping = group_rows(ids)
    weights = _query_weights(sample_weight, grouping, len(grades))
    if grouping.order is not None:
        grades = grades[grouping.order]
    queries = GradedQueries(grades, grouping, weights, count_unjudged(grades, negative_grades))
    return queries.ranked_by(scores, ties, depth=depth, n_jobs=n_jobs)


def _column(array: Array, name: str) -> Array:
    if array.ndim != 1:
        msg = f"{name} should be a 1d array, got an array of shape {array.shape} instead."
        raise ValueError(msg)
    return array


def _query_weights(sample_weight: Any, grouping: Grouping, n_rows: int) -> FloatArray | None:
    """One weight per query from one per row."""
    if sample_weight is None:
        return None
    n_queries = len(grouping.query_ids)
    given = as_numbers(sample_weight, "sample_weight")
    if given.ndim == 1 and len(given) != n_rows:
        fits = "one per query; " if len(given) == n_queries else ""
        msg = (
            f"sample_weight has {len(given)} weights, {fits}the rows layout takes one per row "
            f"({n_rows}), the same for all rows of a query"
        )
        raise ValueError(msg)
    weights = check_weights(given, n_rows)
    if grouping.order is not None:
        weights = weights[grouping.order]
    firsts = weights[grouping.offsets[:-1]]
    differs = np.flatnonzero(weights != np.repeat(firsts, np.diff(grouping.offsets)))
    if len(differs):
        query = int(np.searchsorted(grouping.offsets, differs[0], side="right")) - 1
        msg = (
            "sample_weight is the weight of a query, so it must be the same for all its rows; "
            f"query {safe_repr(grouping.query_ids[query])} has {firsts[query]:g} "
            f"and {weights[differs[0]]:g}"
        )
        raise ValueError(msg)
    return firsts
