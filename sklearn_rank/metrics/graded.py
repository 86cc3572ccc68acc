"""Metrics that weigh items by their grade."""

from __future__ import annotations

from typing import Any, Literal

from sklearn_rank.measures.catalogue import (
    DCG,
    ERR,
    NDCG,
    NERR,
)
from sklearn_rank.metrics.shared import documented, score
from sklearn_rank.typing import Discount, Gain, StringProvider, Ties, ZeroDivision

__all__ = [
    "dcg_at_k_score",
    "expected_reciprocal_rank_score",
    "ndcg_at_k_score",
    "normalized_expected_reciprocal_rank_score",
]


@documented
def dcg_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    gain: Gain = "exp2",
    discount: Discount = "log2",
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the discounted cumulative gain (DCG@k).

    How much does a user gain who reads the first ``k`` items? Sum over the ranks within ``k`` of
    gain(grade) / discount(rank). Irrelevant items gain nothing.

    Returns
    -------
    score : float
        In [0, inf), in units of gain; greater is better.

    Raises
    ------
    OverflowError
        If float64 cannot hold the sum of gains: with ``gain="exp2"`` from grade 1024 on.

    References
    ----------
    .. [1] Jaervelin and Kekaelaeinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002.
       Gains are the grades there, and the discount is log_b(rank) from rank b on.
    .. [2] Burges et al., Learning to Rank using Gradient Descent, 2005: gain 2^grade - 1, and a
       discount by the logarithm of 1 + rank.

    Examples
    --------
    >>> from sklearn_rank import dcg_at_k_score
    >>> dcg_at_k_score([{"a": 2, "b": 1}], [["a", "b"]], gain="linear")  # 2 + 1 / log2(3)
    2.6309297535714578
    """
    return score(DCG, locals())


@documented
def ndcg_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    gain: Gain = "exp2",
    discount: Discount = "log2",
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the normalized discounted cumulative gain (nDCG@k).

    How much of what there is to gain is gained? DCG@k over the DCG@k of the best order of all
    relevant items, retrieved or not; DCG is the sum of gain(grade) / discount(rank). With
    ``gain="linear"`` it is the nDCG of trec_eval and scikit-learn, with ``gain="binary"`` that of
    Krichene and Rendle [3]_. Any finite grade of at least 0 works: gains are scaled per query,
    which cancels.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item, or none of them gains anything.

    References
    ----------
    .. [1] Jaervelin and Kekaelaeinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002.
       Gains are the grades there, and the discount is log_b(rank) from rank b on.
    .. [2] Burges et al., Learning to Rank using Gradient Descent, 2005: gain 2^grade - 1, and a
       discount by the logarithm of 1 + rank.
    .. [3] Krichene and Rendle, On Sampled Metrics for Item Recommendation, 2020.

    Examples
    --------
    >>> from sklearn_rank import ndcg_at_k_score
    >>> round(ndcg_at_k_score([{"a": 2, "b": 1}], [["b", "a"]]), 4)
    0.7967
    >>> round(ndcg_at_k_score([{"a": 2, "b": 1}], [["b", "a"]], gain="linear"), 4)
    0.8597
    """
    return score(NDCG, locals())


@documented
def expected_reciprocal_rank_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    max_grade: Literal["query"] | float = "query",
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the expected reciprocal rank (ERR@k).

    How soon is a user satisfied who stops at the first good item? Each item satisfies with
    probability (2^grade - 1) / 2^max, where max is ``max_grade``; ERR is the expectation of one
    over the rank at which the user stops, counting ranks within ``k``. Any finite grade of at
    least 0 works.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; greater is better. At most 1 - 2^-max for one relevant item, which
        float64 rounds to 1 from max = 54 on.

    References
    ----------
    .. [1] Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance,
       2009.

    Examples
    --------
    >>> from sklearn_rank import expected_reciprocal_rank_score
    >>> expected_reciprocal_rank_score([{"a": 1}], [["a", "b"]])
    0.5
    >>> expected_reciprocal_rank_score([{"a": 1}], [["a", "b"]], max_grade=4)
    0.0625
    """
    return score(ERR, locals())


@documented
def normalized_expected_reciprocal_rank_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    max_grade: Literal["query"] | float = "query",
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of ERR over the ERR of the best order (nERR@k).

    How close does the ranking come to satisfying a user as soon as possible? The best order holds
    all relevant items, retrieved or not, by falling grade.

    References
    ----------
    .. [1] Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance,
       2009.

    Examples
    --------
    >>> from sklearn_rank import normalized_expected_reciprocal_rank_score
    >>> round(normalized_expected_reciprocal_rank_score([{"b", "c"}], [["a", "b", "c"]]), 4)
    0.5333
    """
    return score(NERR, locals())
