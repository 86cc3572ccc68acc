"""Matrix: a row per query and a column per item; the grades may be sparse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from sklearn_rank.inputs.rows import flagged
from sklearn_rank.rankings.data import RankingData, count_unjudged, judged_by_scores
from sklearn_rank.rankings.ranking import GradedRows, KnownHits, ScoredItems
from sklearn_rank.support.checks import as_numbers, check_finite, check_grades, check_weights
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import Array, BoolArray, IntArray, NegativeGrades, RankingOptions


def is_sparse(values: Any) -> bool:
    """Whether this is a SciPy sparse matrix or array, without importing SciPy."""
    return type(values).__module__.startswith("scipy.sparse")


def from_matrix(
    y_true: Any,
    y_score: Any,
    *,
    candidates: Any = None,
    sample_weight: Any = None,
    negative_grades: NegativeGrades = "raise",
    **ranking: Unpack[RankingOptions],
) -> RankingData:
    """Judged rankings of (n_queries, n_items) grades and scores."""
    scores = _scores(y_true, y_score)
    n_queries, n_items = scores.shape
    cells = _read_candidates(candidates, y_score)
    flat, offsets = np.ascontiguousarray(scores).ravel(), np.arange(n_queries + 1) * n_items
    rows = offsets
    if cells is not None:
        flat, rows = flat[cells.positions], cells.offsets
    positions, grades = _read_grades(y_true)

    def cell(position: Any) -> str:
        return f"row {position // n_items}, column {position % n_items}"

    def scored(place: int) -> str:
        return cell(place if cells is None else cells.positions[place])

    def graded(entry: int) -> str:
        return cell(entry if positions is None else positions[entry])

    has_lowest = check_finite(flat, "y_score", where=scored, infinite=True)
    grades = check_grades(grades, "y_true", where=graded, negative=negative_grades)
    counts = count_unjudged(grades, negative_grades)
    judged = unjudged = None
    if counts.unjudged_grades:
        negative = np.flatnonzero(grades < 0)
        negative = negative if positions is None else positions[negative]
        are_unjudged = np.zeros(len(flat), dtype=bool)
        are_unjudged[negative if cells is None else cells.places_of(negative)[0]] = True
        unjudged = flagged(are_unjudged, n_queries)
    items: ScoredItems
    if positions is None and cells is None:
        items = GradedRows(flat, rows, grades)
    else:
        relevant = np.flatnonzero(grades > 0)
        hits = relevant if positions is None else positions[relevant]
        hit_grades = grades[relevant].astype(np.float64)
        if cells is not None:
            judged = np.searchsorted(hits, offsets), hit_grades
            hits, kept = cells.places_of(hits)
            hit_grades = hit_grades[kept]
        items = KnownHits(flat, rows, np.searchsorted(hits, rows), flat[hits], hit_grades, hits)
    judged_matrix = judged_by_scores(
        items,
        query_ids=np.arange(n_queries),
        weights=None if sample_weight is None else check_weights(sample_weight, n_queries),
        counts=counts,
        judged=judged,
        unjudged=unjudged,
        **ranking,
    )
    return replace(judged_matrix, positional=True, masks_by_score=has_lowest and candidates is None)


def _read_grades(y_true: Any) -> tuple[IntArray | None, Array]:
    """Flat positions of stored grades, None if all are stored, and the grades."""
    if not is_sparse(y_true):
        return None, np.ascontiguousarray(as_numbers(y_true, "y_true")).ravel()
    entries = y_true.tocsr(copy=True)
    entries.sum_duplicates()
    entries = entries.tocoo()
    positions = entries.row.astype(np.int64) * y_true.shape[1] + entries.col
    return positions, as_numbers(entries.data, "y_true")


def _scores(y_true: Any, y_score: Any) -> Array:
    """Scores in the shape of the ground truth."""
    if is_sparse(y_score):
        msg = "y_score is sparse; a score is needed for every item, call .toarray()"
        raise TypeError(msg)
    scores = as_numbers(np.ma.getdata(y_score) if _is_masked(y_score) else y_score, "y_score")
    shape = tuple(y_true.shape if is_sparse(y_true) else np.shape(y_true))
    if len(shape) != 2 or scores.ndim != 2 or shape != scores.shape:
        msg = (
            f"y_true has shape {shape} and y_score {scores.shape}; "
            "the matrix layout takes two of shape (n_queries, n_items)"
        )
        raise ValueError(msg)
    if not scores.size:
        msg = f"no queries to evaluate: y_true has shape {shape}"
        raise ValueError(msg)
    return scores


def _is_masked(values: Any) -> bool:
    return isinstance(values, np.ma.MaskedArray)


class Candidates(NamedTuple):
    """The cells of a matrix that are ranked at all."""

    positions: IntArray
    """Flat positions, ascending."""
    offsets: IntArray
    """Borders of the rows among them."""

    def places_of(self, positions: IntArray) -> tuple[IntArray, BoolArray]:
        """Places of cells among the candidates, and which of the cells are candidates."""
        if not len(self.positions):
            return np.zeros(0, np.int64), np.zeros(len(positions), bool)
        places = np.searchsorted(self.positions, positions).clip(max=len(self.positions) - 1)
        kept = self.positions[places] == positions
        return places[kept], kept


def _read_candidates(candidates: Any, y_score: Any) -> Candidates | None:
    """Cells that may be ranked, by the argument and the mask of ``y_score``; None for all."""
    chosen = ~np.ma.getmaskarray(y_score) if _is_masked(y_score) else np.True_
    if candidates is not None:
        cells = candidates.toarray() if is_sparse(candidates) else np.asarray(candidates)
        if cells.dtype != bool:
            msg = f"candidates has dtype {cells.dtype}; pass booleans, True for what can be ranked"
            raise TypeError(msg)
        if cells.shape != np.shape(y_score):
            msg = (
                f"candidates has shape {cells.shape} and y_score {np.shape(y_score)}; "
                "pass a boolean for every score"
            )
            raise ValueError(msg)
        chosen = chosen & cells
    if chosen.all():
        return None
    if not chosen.any():
        msg = "no item is a candidate: candidates or the mask of y_score leave out every cell"
        raise ValueError(msg)
    return Candidates(np.flatnonzero(chosen), offsets_of(np.count_nonzero(chosen, axis=1)))


def without_lowest(y_true: Any, y_score: Any) -> Any:
    """``y_score`` with -inf masked if it is a matrix; anything else as it is."""
    is_matrix = is_sparse(y_true) or np.ndim(y_true) == 2
    if not is_matrix or getattr(y_score, "ndim", 0) != 2 or is_sparse(y_score):
        return y_score
    scores = np.ma.asarray(y_score)
    return np.ma.masked_where(scores == -np.inf, scores) if scores.dtype.kind == "f" else y_score
