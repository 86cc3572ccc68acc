"""Metric functions: explicit names, ``f(y_true, y_score, ...) -> float``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sklearn_rank.measures.catalogue import (
    AUC,
    DCG,
    ERR,
    FBETA,
    GAUC,
    HIT_RATE,
    HMEAN,
    IDCG,
    LAG,
    LAUC,
    MAP,
    MAR,
    MRR,
    NDCG,
    NERR,
    PRECISION,
    RECALL,
    Metric,
)
from sklearn_rank.metrics.binary import (
    fbeta_at_k_score,
    hit_rate_at_k_score,
    mean_average_precision_score,
    mean_average_recall_score,
    mean_reciprocal_rank_score,
    precision_at_k_score,
    recall_at_k_score,
)
from sklearn_rank.metrics.combined import harmonic_mean_score
from sklearn_rank.metrics.graded import (
    dcg_at_k_score,
    expected_reciprocal_rank_score,
    ideal_dcg_at_k_score,
    ndcg_at_k_score,
    normalized_expected_reciprocal_rank_score,
)
from sklearn_rank.metrics.pairwise import (
    group_auc_score,
    lag_error,
    limited_auc_score,
    ranking_auc_score,
)

FUNCTIONS: Mapping[Metric, Callable[..., float]] = MappingProxyType(
    {
        MAP: mean_average_precision_score,
        MAR: mean_average_recall_score,
        MRR: mean_reciprocal_rank_score,
        PRECISION: precision_at_k_score,
        RECALL: recall_at_k_score,
        FBETA: fbeta_at_k_score,
        HIT_RATE: hit_rate_at_k_score,
        DCG: dcg_at_k_score,
        IDCG: ideal_dcg_at_k_score,
        NDCG: ndcg_at_k_score,
        ERR: expected_reciprocal_rank_score,
        NERR: normalized_expected_reciprocal_rank_score,
        LAG: lag_error,
        AUC: ranking_auc_score,
        GAUC: group_auc_score,
        LAUC: limited_auc_score,
        HMEAN: harmonic_mean_score,
    }
)
"""The documented function of each metric's record."""
