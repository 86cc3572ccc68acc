"""What matrices refuse: shapes, sparse scores, grades."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from sklearn_rank import ndcg_at_k_score

# Grades ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [np.array, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-2, r"y_true contains a negative grade \(-2(\.0)?\) at row 1, column 1"),
        (np.nan, r"y_true contains NaN at row 1, column 1"),
        (np.inf, r"y_true contains infinity at row 1, column 1"),
    ],
    ids=["negative", "NaN", "inf"],
)
def test_grades_that_matrices_refuse(wrap, value, message):
    with pytest.raises(ValueError, match=message):
        ndcg_at_k_score(wrap([[0, 0], [1, value]]), np.ones((2, 2)))


# Structure ---------------------------------------------------------------------------------------


def test_grades_and_scores_as_nested_lists_are_named():
    with pytest.raises(ValueError, match=r"repeats a number; if these are grades, pass 2-D arrays"):
        ndcg_at_k_score([[1, 0, 0], [0, 1, 0]], [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
    with pytest.raises(TypeError, match=r"If these are grades and scores, pass 2-D arrays"):
        ndcg_at_k_score([[1, 0]], [[0.3, 0.2]])


def test_nested_lists_of_grades_with_a_matrix_of_scores_are_named():
    with pytest.raises((TypeError, ValueError), match=r"pass .*2-D array"):
        ndcg_at_k_score([[1, 0, 0]], np.array([[0.3, 0.2, 0.1]]))


@pytest.mark.parametrize(
    ("y_true", "y_score", "error", "message"),
    [
        (
            np.zeros((2, 2)),
            np.zeros((2, 3)),
            ValueError,
            r"y_true has shape \(2, 2\) and y_score \(2, 3\)",
        ),
        (
            np.zeros((2, 2)),
            np.zeros(4),
            ValueError,
            r"y_true has shape \(2, 2\) and y_score \(4,\)",
        ),
        (
            np.zeros((2, 2, 2)),
            np.zeros((2, 2, 2)),
            ValueError,
            r"y_true has shape \(2, 2, 2\) .*takes two of shape \(n_queries, n_items\)",
        ),
        (np.array(1.0), np.array(1.0), ValueError, r"y_true has shape \(\)"),
        (
            np.ones((2, 2)),
            [["a", "b"], ["c", "d"]],
            TypeError,
            r"y_score holds strings; pass numbers",
        ),
        (
            np.ones((2, 2)),
            [[1, 2], [1]],
            ValueError,
            r"y_score is ragged: its rows differ in length",
        ),
        (
            sparse.csr_array([[1, 0]]),
            sparse.csr_array([[1, 0]]),
            TypeError,
            r"y_score is sparse; .*call \.toarray\(\)",
        ),
        (
            np.ones((1, 2)),
            sparse.csr_matrix([[1, 0]]),
            TypeError,
            r"y_score is sparse; .*call \.toarray\(\)",
        ),
        (
            np.ones((2, 2)),
            np.array([[1, 2], [np.nan, 1]]),
            ValueError,
            r"y_score contains NaN at row 1, column 0",
        ),
        (
            pd.DataFrame({"a": [1]}),
            [[1]],
            TypeError,
            r"y_true is a data frame and y_score a list; pass a frame with a row for each query",
        ),
        (
            pl.DataFrame({"a": [1]}),
            [[1]],
            TypeError,
            r"y_true is a data frame and y_score a list; pass a frame with a row for each query",
        ),
        (
            np.ma.array([[1, 0]], mask=[[0, 1]]),
            np.ones((1, 2)),
            TypeError,
            r"y_true is a masked array; masked arrays are not supported, drop or fill",
        ),
    ],
)
def test_matrices_that_do_not_fit(y_true, y_score, error, message):
    with pytest.raises(error, match=message):
        ndcg_at_k_score(y_true, y_score)
