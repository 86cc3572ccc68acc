"""Matrices: one row per query, dense and sparse."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank import (
    evaluate,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_at_k_score,
)

MATRIX = [[0, 2, 1], [0, 0, 1]]
MATRIX_SCORES = [[0.9, 0.8, 0.1], [0.1, 0.2, 0.3]]
# Precisions at the relevant ranks: 1/2 and 2/3; 1.
MATRIX_MAP = ((1 / 2 + 2 / 3) / 2 + 1) / 2

SPARSE = {
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "csc_matrix": sparse.csc_matrix,
    "csc_array": sparse.csc_array,
    "coo_matrix": sparse.coo_matrix,
    "coo_array": sparse.coo_array,
    "lil_matrix": sparse.lil_matrix,
    "dok_array": sparse.dok_array,
    "bsr_array": sparse.bsr_array,
}


@pytest.mark.parametrize("wrap", [np.array, *SPARSE.values()], ids=["dense", *SPARSE])
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, np.float64])
def test_matrices(wrap, dtype):
    grades = wrap(np.array(MATRIX, dtype=dtype))
    scores = np.array(MATRIX_SCORES)
    assert mean_average_precision_score(grades, scores) == pytest.approx(MATRIX_MAP, rel=1e-15)
    evaluation = evaluate(grades, scores, "ndcg@2")
    assert list(evaluation.query_ids) == [0, 1]
    # Gains 3 at rank 2 against 3 at rank 1 and 1 at rank 2.
    first = (3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert evaluation.per_query["ndcg@2"].tolist() == pytest.approx([first, 1.0], rel=1e-15)


@pytest.mark.parametrize("wrap", [sparse.csr_matrix, sparse.csr_array])
def test_boolean_sparse_matrices(wrap):
    grades = wrap(np.array(MATRIX, dtype=bool))
    value = mean_average_precision_score(grades, np.array(MATRIX_SCORES))
    assert value == pytest.approx(MATRIX_MAP, rel=1e-15)


def test_explicit_zeros_are_not_relevant():
    grades = sparse.csr_array(
        (np.array([0.0, 1.0, 0.0]), np.array([0, 1, 2]), np.array([0, 3])), shape=(1, 3)
    )
    assert mean_average_precision_score(grades, np.array([[3, 2, 1]])) == 1 / 2


def test_duplicate_entries_are_summed():
    entries = ([1.0, 1.0, 1.0], ([0, 0, 0], [1, 1, 0]))
    grades = sparse.coo_array(entries, shape=(1, 2))
    assert grades.nnz == 3
    # Grade 1 at rank 1 and grade 2 at rank 2.
    worst, best = 1 + 3 / math.log2(3), 3 + 1 / math.log2(3)
    assert ndcg_at_k_score(grades, np.array([[2, 1]])) == pytest.approx(worst / best, rel=1e-15)
    assert grades.nnz == 3


def test_unsorted_entries():
    grades = sparse.csr_array((np.array([1.0, 2.0]), np.array([2, 1]), np.array([0, 2])), (1, 3))
    dense = grades.toarray()
    scores = np.array([[3, 2, 1]])
    assert ndcg_at_k_score(grades, scores) == ndcg_at_k_score(dense, scores)


@pytest.mark.parametrize(
    "scores",
    [MATRIX_SCORES, pd.DataFrame(MATRIX_SCORES), np.array(MATRIX_SCORES, order="F")],
    ids=["nested lists", "pandas frame", "column-major"],
)
def test_scores_of_matrices(scores):
    value = mean_average_precision_score(np.array(MATRIX), scores)
    assert value == pytest.approx(MATRIX_MAP, rel=1e-15)


def test_weights_of_matrices_are_one_per_row():
    value = mean_reciprocal_rank_score(
        np.array([[0, 1], [1, 0]]), np.array([[2, 1], [2, 1]]), sample_weight=[3, 1]
    )
    assert value == (3 * 1 / 2 + 1 * 1) / 4
