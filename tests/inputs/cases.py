"""What the tests of inputs share: two queries as rows, and every metric."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import (
    dcg_at_k_score,
    expected_reciprocal_rank_score,
    fbeta_at_k_score,
    group_auc_score,
    harmonic_mean_score,
    hit_rate_at_k_score,
    lag_error,
    limited_auc_score,
    mean_average_precision_score,
    mean_average_recall_score,
    mean_reciprocal_rank_score,
    ndcg_at_k_score,
    normalized_expected_reciprocal_rank_score,
    precision_at_k_score,
    ranking_auc_score,
    recall_at_k_score,
)

GROUPS = ["a", "a", "b", "b"]
GRADES = [1, 0, 0, 1]
SCORES = [4.0, 3.0, 2.0, 1.0]

WITH_K = [
    mean_average_precision_score,
    mean_average_recall_score,
    mean_reciprocal_rank_score,
    precision_at_k_score,
    recall_at_k_score,
    fbeta_at_k_score,
    hit_rate_at_k_score,
    dcg_at_k_score,
    ndcg_at_k_score,
    expected_reciprocal_rank_score,
    normalized_expected_reciprocal_rank_score,
    limited_auc_score,
    harmonic_mean_score,
]
ALL = [*WITH_K, lag_error, ranking_auc_score, group_auc_score]


def case(id, *values):
    return pytest.param(*values, id=id)


def shown(value):
    if sparse.issparse(value):
        return value.nnz, value.data.tobytes(), value.toarray().tobytes()
    if isinstance(value, np.ndarray):
        return value.dtype, value.tobytes()
    if isinstance(value, dict):
        return {key: shown(one) for key, one in value.items()}
    return repr(value)
