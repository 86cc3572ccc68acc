"""Matrices: one row per query, dense and sparse; cells that are no candidates are not ranked."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank import (
    evaluate,
    group_auc_score,
    mean_average_precision_score,
    ndcg_at_k_score,
)
from sklearn_rank.exceptions import RankingDataWarning

MATRIX = np.array([[0, 2, 1], [0, 0, 1]])
MATRIX_SCORES = np.array([[0.9, 0.8, 0.1], [0.1, 0.2, 0.3]])
# Precisions at the relevant ranks: 1/2 and 2/3; 1.
MATRIX_MAP = ((1 / 2 + 2 / 3) / 2 + 1) / 2
FORMATS = ("csr_matrix", "csr_array", "csc_matrix", "csc_array", "coo_matrix", "coo_array")
SPARSE = [getattr(sparse, name) for name in (*FORMATS, "lil_matrix", "dok_array", "bsr_array")]


@pytest.mark.parametrize("wrap", [np.array, *SPARSE], ids=lambda wrap: wrap.__name__)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f4", "f8", "?"])
def test_matrices(wrap: Any, dtype: str) -> None:
    evaluation = evaluate(wrap(MATRIX.astype(dtype)), MATRIX_SCORES, ("map", "ndcg@2"))
    assert evaluation["map"] == pytest.approx(MATRIX_MAP, rel=1e-15)
    assert list(evaluation.query_ids) == [0, 1]
    # Gains 3 at rank 2 against 3 at rank 1 and 1 at rank 2.
    gain = 1 if dtype == "?" else 3
    first = (gain / math.log2(3)) / (gain + 1 / math.log2(3))
    assert evaluation.per_query["ndcg@2"].tolist() == pytest.approx([first, 1.0], rel=1e-15)


@pytest.mark.parametrize(
    "grades",
    [
        sparse.coo_array(([1.0, 1.0, 1.0], ([0, 0, 0], [1, 1, 0])), shape=(1, 3)),
        sparse.csr_array((np.array([1.0, 2.0]), np.array([2, 1]), np.array([0, 2])), (1, 3)),
        sparse.csr_array((np.array([0.0, 1.0, 0.0]), np.arange(3), np.array([0, 3])), (1, 3)),
    ],
    ids=["entries that stand twice", "unsorted", "zeros"],
)
def test_entries_of_sparse_matrices_are_those_of_dense_ones(grades: Any) -> None:
    scores, stored = np.array([[3, 2, 1]]), grades.nnz
    assert ndcg_at_k_score(grades, scores) == ndcg_at_k_score(grades.toarray(), scores)
    assert grades.nnz == stored


@pytest.mark.parametrize("wrap", [np.ndarray.tolist, pd.DataFrame, np.asfortranarray])
def test_scores_of_matrices(wrap: Any) -> None:
    value = mean_average_precision_score(MATRIX, wrap(MATRIX_SCORES))
    assert value == pytest.approx(MATRIX_MAP, rel=1e-15)


# Candidates --------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
@pytest.mark.parametrize("truth", ["dense", "sparse"])
@pytest.mark.parametrize("given", ["dense", "sparse", "masked", "half masked"])
def test_candidates_agree_with_mappings_of_what_is_ranked(
    ties: Any, truth: str, given: str
) -> None:
    rng = np.random.default_rng(0)
    grades, scores = rng.choice([0, 0, 0, 1, 2], (30, 9)), rng.choice(5, (30, 9)) / 4
    cells = rng.random((30, 9)) < 0.6
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


# Warnings of items that were not ranked ----------------------------------------------------------

FIRST = np.array([[1, 0, 0, 0]])
LOWEST = np.array([[0.5, 0.9, -np.inf, -np.inf]])
# Of each of ten users one of two relevant items is among the three that were kept.
TRUTH, CUT = [{"a", "z"}] * 10, [["a", "x", "y"]] * 10


def test_measures_that_count_every_irrelevant_item_warn_once() -> None:
    with pytest.warns(RankingDataWarning, match="count as irrelevant items") as caught:
        ev = evaluate(FIRST, LOWEST, ["gauc", "map", "lag", "lauc@2", "auc"])
    assert len(caught) == 1
    assert "'gauc', 'lag', 'lauc@2', 'auc'" in str(caught[0].message)
    assert "candidates=" in str(caught[0].message)
    assert ev["gauc"] == pytest.approx(2 / 3)
    for measure in ("lag", "hmean(gauc,map)"):
        with pytest.warns(RankingDataWarning):
            evaluate(FIRST, LOWEST, measure)


def test_areas_of_cut_lists_warn_once() -> None:
    with pytest.warns(RankingDataWarning, match=r"stops at 3 items .*'gauc', 'auc'") as caught:
        ev = evaluate(TRUTH, CUT, ["gauc", "map", "auc", "lag"])
    assert len(caught) == 1
    assert "n_negatives=" in str(caught[0].message)
    assert ev["gauc"] == (1 + 0) / 2
    with pytest.warns(RankingDataWarning):
        group_auc_score(TRUTH, CUT)
    with pytest.warns(RankingDataWarning):
        evaluate(TRUTH, CUT, "hmean(gauc,map)")


@pytest.mark.parametrize(
    ("y_true", "y_score", "measure", "options"),
    [
        (FIRST, LOWEST, ("map", "mrr", "ndcg@10"), {}),
        (FIRST, LOWEST, "gauc", {"candidates": np.isfinite(LOWEST)}),
        (TRUTH, CUT, "map", {}),
        (TRUTH, CUT, "gauc(n_negatives=100)", {}),
        (TRUTH, CUT, ("gauc(unretrieved=ignore)", "recall"), {}),
        (TRUTH[:9], CUT[:9], "gauc", {}),
        (TRUTH, [["a", "x"], *CUT[1:]], "gauc", {}),
        ([{"a"}] * 10, CUT, "gauc", {}),
    ],
)
def test_other_measures_and_rankings_do_not(
    y_true: Any, y_score: Any, measure: Any, options: Any
) -> None:
    evaluate(y_true, y_score, measure, **options)  # warnings are errors in these tests


def test_warprec_leaves_out_what_is_scored_minus_infinity() -> None:
    scores = np.array([[0.5, 0.9, 0.1, -np.inf, -np.inf]])
    grades, given = np.array([[1, 0, 0, 0, 0]]), np.isfinite(scores)
    masked = evaluate(grades, scores, ["gauc", "mrr"], candidates=given, convention="warprec")
    told = evaluate(grades, scores, ["gauc", "mrr"], convention="warprec")
    assert dict(told.scores) == dict(masked.scores)
    # With smoothing 1: (irrelevant items not above + 1) / (irrelevant items + 1).
    assert told["gauc"] == pytest.approx((1 + 1) / (2 + 1), rel=1e-15)
