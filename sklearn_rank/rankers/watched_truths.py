"""Ground truths of data sets that boosters watch: read once, ranked anew after every tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import GroupsRequiredError
from sklearn_rank.inputs.groups import Grouping
from sklearn_rank.inputs.rows import GradedQueries
from sklearn_rank.rankings.grade_counts import narrow_grades
from sklearn_rank.rankings.pool import count_unjudged
from sklearn_rank.support.arrays import as_numbers, check_grades, check_same_length, check_weights
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import Array, FloatArray, NegativeGrades

MAX_KEPT = 16
"""Data sets whose truths are kept: those of one training, or the folds of a cross-validation."""


class WatchedRows(NamedTuple):
    """What a booster says of a data set, query after query."""

    grades: Any
    sizes: Any
    """(Q,) rows of each query; None if the library knows no queries."""
    weights: Any = None
    """Weights of the queries or of their rows; None or empty: all alike."""


@dataclass
class WatchedTruths:
    """Truths by what they were read from, the latest first.

    They are found by their values, not by the data set's identity: a label that is set anew in the
    same object is another truth, and comparing two columns costs a few microseconds.
    """

    negative_grades: NegativeGrades
    _kept: list[tuple[WatchedRows, GradedQueries]] = field(default_factory=list)

    def of(self, rows: WatchedRows) -> tuple[GradedQueries, bool]:
        """The truth of a data set, and whether it had to be read."""
        for place, (read, queries) in enumerate(self._kept):
            if all(map(_same, read, rows)):
                if place:
                    self._kept.insert(0, self._kept.pop(place))
                return queries, False
        queries = _read(rows, self.negative_grades)
        copies = WatchedRows(*(None if part is None else np.array(part) for part in rows))
        self._kept.insert(0, (copies, queries))
        del self._kept[MAX_KEPT:]
        return queries, True


def _same(read: Array | None, part: Any) -> bool:
    return part is None if read is None else part is not None and np.array_equal(read, part)


def _read(rows: WatchedRows, negative: NegativeGrades) -> GradedQueries:
    grades = as_numbers(rows.grades, "y_true")
    if rows.sizes is None or not len(rows.sizes):
        msg = (
            "the data set has no queries; pass group= (LightGBM: the number of rows of each query) "
            "or qid= (XGBoost) when it is made or fitted"
        )
        raise GroupsRequiredError(msg)
    sizes = as_numbers(rows.sizes, "group").astype(np.int64)
    offsets = offsets_of(sizes)
    check_same_length("group", int(offsets[-1]), "y_true", len(grades))

    def where(row: int) -> str:
        query = int(np.searchsorted(offsets, row, side="right")) - 1
        return f"row {row - offsets[query]} of query {query}"

    grades = narrow_grades(check_grades(grades, "y_true", where=where, negative=negative))
    weights = _query_weights(rows.weights, offsets, len(grades))
    grouping = Grouping(np.arange(len(sizes)), offsets, None)
    return GradedQueries(grades, grouping, weights, count_unjudged(grades, negative))


def _query_weights(weights: Any, offsets: Array, n_rows: int) -> FloatArray | None:
    """Weights of queries: as given, or the mean of their rows', as LightGBM's measures have it."""
    if weights is None or not len(weights):
        return None
    n_queries = len(offsets) - 1
    if len(weights) == n_queries:
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
