"""Matrix: a row per query and a column per item; the grades may be sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank.rankings.places import GradedRows, KnownHits, ScoredItems
from sklearn_rank.rankings.pool import count_unjudged, judged_by_scores
from sklearn_rank.rankings.source import Judged
from sklearn_rank.support.arrays import as_numbers, check_finite, check_grades, check_weights
from sklearn_rank.typing import Array, IntArray, NegativeGrades, Ties


def is_sparse(values: Any) -> bool:
    """Whether this is a SciPy sparse matrix or array, without importing SciPy."""
    return type(values).__module__.startswith("scipy.sparse")


def judge_matrix(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    ties: Ties = "average",
    negative_grades: NegativeGrades = "raise",
    n_jobs: int | None = None,
) -> Judged:
    """Judged rankings of (n_queries, n_items) grades and scores."""
    if is_sparse(y_score):
        msg = "y_score is sparse; a score is needed for every item, call .toarray()"
        raise TypeError(msg)
    scores = as_numbers(y_score, "y_score")
    shape = y_true.shape if is_sparse(y_true) else np.shape(y_true)
    if len(shape) != 2 or scores.ndim != 2 or tuple(shape) != scores.shape:
        msg = (
            f"y_true has shape {tuple(shape)} and y_score {scores.shape}; "
            "the matrix layout takes two of shape (n_queries, n_items)"
        )
        raise ValueError(msg)
    n_queries, n_items = scores.shape
    if not n_queries or not n_items:
        msg = f"no queries to evaluate: y_true has shape {tuple(shape)}"
        raise ValueError(msg)

    def where(position: int) -> str:
        return f"row {position // n_items}, column {position % n_items}"

    check_finite(scores, "y_score", where=where, infinite=True)
    grades, positions = _grades(y_true, n_items)

    def graded(entry: int) -> str:
        return where(entry if positions is None else int(positions[entry]))

    grades = check_grades(grades, "y_true", where=graded, negative=negative_grades)
    counts = count_unjudged(grades, negative_grades)
    flat, offsets = np.ascontiguousarray(scores).ravel(), np.arange(n_queries + 1) * n_items
    items: ScoredItems
    if positions is None:
        items = GradedRows(flat, offsets, grades)
    else:
        positions, grades = positions[grades > 0], grades[grades > 0].astype(np.float64)
        borders = np.searchsorted(positions, offsets)
        items = KnownHits(flat, offsets, borders, flat[positions], grades, positions)
    weights = None if sample_weight is None else check_weights(sample_weight, n_queries)
    return judged_by_scores(
        items,
        ties,
        query_ids=np.arange(n_queries),
        weights=weights,
        counts=counts,
        n_jobs=n_jobs,
    )


def _grades(y_true: Any, n_items: int) -> tuple[Array, IntArray | None]:
    """Grades of all items, or of a sparse matrix those stored and their flat positions."""
    if not is_sparse(y_true):
        return np.ascontiguousarray(as_numbers(y_true, "y_true")).ravel(), None
    rows = y_true.tocsr(copy=True)
    rows.sum_duplicates()
    entries = rows.tocoo()
    positions = entries.row.astype(np.int64) * n_items + entries.col
    return as_numbers(entries.data, "y_true"), positions
