"""Cells of a matrix that cannot be recommended are neither ranked nor irrelevant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import evaluate

MEASURES = ("map", "ndcg@2", "recall@2", "mrr", "lag", "auc", "gauc", "lauc@3", "err", "precision")
#                  relevant: item 0          item 3, and item 1, which is no candidate
GRADES = np.array([[1, 0, 0, 0], [0, 2, 0, 1]])
SCORES = np.array([[0.5, 0.9, 0.1, 0.7], [0.3, 0.8, 0.6, 0.4]])
CELLS = np.array([[True, True, False, False], [True, False, True, True]])


def values(y_true: Any, y_score: Any, **options: Any) -> dict[str, float]:
    return dict(evaluate(y_true, y_score, MEASURES, zero_division=np.nan, **options).scores)


def as_mapping(grades: np.ndarray, scores: np.ndarray, cells: np.ndarray) -> tuple[Any, Any]:
    """The same problem as {query: {item: x}}, which has only what is ranked."""
    truth = {q: {i: int(g) for i, g in enumerate(row)} for q, row in enumerate(grades)}
    ranking = {
        q: {i: float(s) for i, s in enumerate(row) if cells[q, i]} for q, row in enumerate(scores)
    }
    return truth, ranking


def test_what_is_no_candidate_is_not_ranked() -> None:
    ev = evaluate(GRADES, SCORES, ("mrr", "gauc", "recall"), candidates=CELLS)
    # Query 0 ranks items 1, 0; query 1 ranks 2, 3, 0 and never retrieves item 1.
    assert ev.per_query["mrr"].tolist() == [1 / 2, 1 / 2]
    assert ev.per_query["gauc"].tolist() == [0.0, (1 / 2 + 0) / 2]
    assert ev.per_query["recall"].tolist() == [1.0, 1 / 2]
    assert ev.counts["ranked"] == 2 + 3
    assert (ev.counts["relevant"], ev.counts["retrieved"]) == (3, 2)


def test_an_infinite_score_is_one_while_a_masked_one_is_none() -> None:
    grades, scores = np.array([[1, 0, 0, 0]]), np.array([[0.5, 0.9, 0.0, 0.0]])
    cells = np.array([[True, True, False, False]])
    assert evaluate(grades, scores, "gauc", candidates=cells)["gauc"] == 0.0


@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
@pytest.mark.parametrize("truth", ["dense", "sparse"])
@pytest.mark.parametrize("given", ["dense", "sparse", "masked", "half masked"])
@pytest.mark.parametrize("seed", range(5))
def test_candidates_agree_with_mappings_of_what_is_ranked(
    ties: Any, truth: str, given: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    grades, scores = rng.choice([0, 0, 0, 1, 2], (6, 9)), rng.choice(5, (6, 9)) / 4
    cells = rng.random((6, 9)) < 0.6
    cells[0] = False  # a query without a candidate has an empty ranking
    expected = values(*as_mapping(grades, scores, cells), ties=ties)
    y_true = sparse.csr_array(grades) if truth == "sparse" else grades
    scores[~cells] = np.nan  # never read
    if given == "dense":
        result = values(y_true, scores, candidates=cells, ties=ties)
    elif given == "sparse":
        result = values(y_true, scores, candidates=sparse.csr_array(cells), ties=ties)
    elif given == "masked":
        result = values(y_true, np.ma.array(scores, mask=~cells), ties=ties)
    else:
        half = np.arange(9) % 2 == 0
        masked = np.ma.array(scores, mask=~cells & half)
        result = values(y_true, masked, candidates=cells | half, ties=ties)
    assert result == expected


def test_a_pool_has_the_candidates_of_all_queries() -> None:
    ev = evaluate(GRADES, SCORES, "auc(average=pooled)", candidates=CELLS)
    # Ranked: .9 .6 .5* .4* .3, and last the relevant item that is no candidate.
    assert ev["auc(average=pooled)"] == (1 / 3 + 1 / 3 + 0) / 3


def test_all_cells_as_candidates_change_no_bit() -> None:
    assert values(GRADES, SCORES, candidates=np.ones_like(CELLS)) == values(GRADES, SCORES)
