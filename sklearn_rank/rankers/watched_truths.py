"""Ground truths of data sets that boosters watch: read once, ranked anew after every tree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.rows import GradedQueries, Grouping
from sklearn_rank.rankings.grade_counts import narrow_grades
from sklearn_rank.rankings.pool import count_unjudged
from sklearn_rank.support.checks import as_numbers, check_grades, check_weights
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import Array, FloatArray, IntArray, NegativeGrades

MAX_KEPT = 128
"""Data sets whose truths are kept: training and test rows of all folds of a cross-validation."""


class WatchedRows(NamedTuple):
    """What a booster says of a data set, query after query."""

    grades: Any
    sizes: Any
    """(Q,) rows of each query; None if the library knows no queries."""
    weights: Any = None
    """Weights; None or empty: all alike."""
    weighs_queries: bool = False
    """Whether weights may be those of queries; else they are those of rows."""


@dataclass
class Truth:
    """The ground truth of a data set."""

    rows: WatchedRows
    queries: GradedQueries
    is_told: bool = False
    """Whether it was said which queries are undefined."""


@dataclass
class WatchedTruths:
    """Truths by what they were read from, the latest first.

    They are found by their values, not by the data set's identity: a label that is set anew in the
    same object is another truth, and comparing two columns costs a few microseconds.
    """

    negative_grades: NegativeGrades
    _kept: list[Truth] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def of(self, rows: WatchedRows, query_ids: Any = None) -> Truth:
        """The truth of a data set; without ``query_ids`` queries are numbered."""
        if rows.weights is None or not len(rows.weights):
            rows = WatchedRows(rows.grades, rows.sizes)
        with self._lock:
            for place, truth in enumerate(self._kept):
                if all(map(_same, truth.rows, rows)):
                    self._kept.insert(0, self._kept.pop(place))
                    return truth
            queries = _read(rows, self.negative_grades)
            if query_ids is not None:
                grouping = queries.grouping._replace(query_ids=query_ids)
                queries = replace(queries, grouping=grouping)
            truth = Truth(_copied(rows), queries)
            self._kept.insert(0, truth)
            del self._kept[MAX_KEPT:]
            return truth


def _copied(rows: WatchedRows) -> WatchedRows:
    """The same, whatever becomes of the caller's arrays."""
    weights = None if rows.weights is None else np.array(rows.weights)
    return rows._replace(grades=np.array(rows.grades), sizes=np.array(rows.sizes), weights=weights)


def _same(read: Array | None, part: Any) -> bool:
    return part is None if read is None else part is not None and np.array_equal(read, part)


def _read(rows: WatchedRows, negative: NegativeGrades) -> GradedQueries:
    grades = as_numbers(rows.grades, "y_true")
    if grades.ndim != 1:
        msg = f"y_true should be a 1d array, got an array of shape {grades.shape} instead."
        raise ValueError(msg)
    offsets = _offsets(rows.sizes, len(grades))

    def where(row: int) -> str:
        query = int(np.searchsorted(offsets, row, side="right")) - 1
        return f"row {row - offsets[query]} of query {query}"

    grades = narrow_grades(check_grades(grades, "y_true", where=where, negative=negative))
    weights = _query_weights(rows, offsets)
    grouping = Grouping(np.arange(len(offsets) - 1), offsets, None)
    return GradedQueries(grades, grouping, weights, count_unjudged(grades, negative))


def _offsets(group: Any, n_rows: int) -> IntArray:
    if group is None or not len(group):
        msg = (
            "the data set has no queries: pass group=, the rows of each query, to lgb.Dataset or "
            "LGBMRanker.fit, or qid= to xgb.DMatrix; XGBRanker calls a metric once for each query, "
            "so pass its measures to QueryRanker(XGBRanker(...), eval_metric=...)"
        )
        raise RankingConfigError(msg)
    sizes = as_numbers(group, "group").astype(np.int64)
    if sizes.min() < 0 or sizes.sum() != n_rows:
        msg = (
            f"group holds the rows of each query, which are {n_rows:,} in all; got sizes from "
            f"{sizes.min():,} that add up to {sizes.sum():,}"
        )
        raise ValueError(msg)
    return offsets_of(sizes)


def _query_weights(rows: WatchedRows, offsets: IntArray) -> FloatArray | None:
    """Weights of queries: as given, or the mean of their rows', as LightGBM's measures have it."""
    weights, n_rows, n_queries = rows.weights, int(offsets[-1]), len(offsets) - 1
    if weights is None or not len(weights):
        return None
    if rows.weighs_queries and len(weights) == n_queries:
        return check_weights(weights, n_queries)
    by_row = check_weights(weights, n_rows)
    sizes = np.diff(offsets)
    numbers = np.repeat(np.arange(n_queries), sizes)
    sums = np.bincount(numbers, by_row, minlength=n_queries)
    firsts = by_row[np.minimum(offsets[:-1], n_rows - 1)]
    # A sum of equal weights divided by their number can miss them by a rounding.
    alike = np.bincount(numbers, by_row != firsts[numbers], minlength=n_queries) == 0
    means: FloatArray = np.where(alike, firsts, sums / np.maximum(sizes, 1))
    return means
