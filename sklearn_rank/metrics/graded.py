"""Measures that weigh items by their grade."""

from __future__ import annotations

from typing import Any, Literal

from sklearn_rank.measures.catalogue import DCG, ERR, IDCG, NDCG, NERR, Measure
from sklearn_rank.metrics._door import score
from sklearn_rank.typing import Discount, Gain, StringProvider, Ties, ZeroDivision

__all__ = [
    "dcg_at_k_score",
    "expected_reciprocal_rank_score",
    "ideal_dcg_at_k_score",
    "ndcg_at_k_score",
    "normalized_expected_reciprocal_rank_score",
]


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

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    gain : {"exp2", "linear", "binary"}, mapping or callable, default="exp2"
        2^grade - 1, the grade, 1, a table, or a function: docs/metrics.md#gains-and-discounts.
    discount : {"log2"} or callable, default="log2"
        Divisor of a gain, log2(rank + 1) or a function: docs/metrics.md#gains-and-discounts.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; by default the exact expectation: docs/inputs.md#ties.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
        How to treat queries where the measure is undefined: docs/inputs.md#undefined-queries.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query: docs/inputs.md#weights.
    string_provider : callable, default=None
        Turns items of lists into the strings to compare: docs/inputs.md#string-provider.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists: docs/inputs.md#relevance.

    Returns
    -------
    score : float
        In [0, inf), in units of gain; greater is better.

    Raises
    ------
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.
    OverflowError
        If float64 cannot hold the sum of gains: with ``gain="exp2"`` from grade 1024 on.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item.

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
    measure = Measure.of(DCG, k, gain=gain, discount=discount)
    return score(
        measure,
        y_true,
        y_score,
        groups=groups,
        ties=ties,
        zero_division=zero_division,
        sample_weight=sample_weight,
        string_provider=string_provider,
        relevance=relevance,
    )


def ideal_dcg_at_k_score(
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
    """Mean over queries of the DCG of the best order of all relevant items (IDCG@k).

    How much is there to gain? Sum over the ranks within ``k`` of gain(grade) / discount(rank) in
    the best order of all relevant items, retrieved or not, the greatest gain first. Neither the
    ranking nor its ties matter.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    gain : {"exp2", "linear", "binary"}, mapping or callable, default="exp2"
        2^grade - 1, the grade, 1, a table, or a function: docs/metrics.md#gains-and-discounts.
    discount : {"log2"} or callable, default="log2"
        Divisor of a gain, log2(rank + 1) or a function: docs/metrics.md#gains-and-discounts.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; by default the exact expectation: docs/inputs.md#ties.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
        How to treat queries where the measure is undefined: docs/inputs.md#undefined-queries.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query: docs/inputs.md#weights.
    string_provider : callable, default=None
        Turns items of lists into the strings to compare: docs/inputs.md#string-provider.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists: docs/inputs.md#relevance.

    Returns
    -------
    score : float
        In [0, inf), in units of gain. It depends on the ground truth alone.

    Raises
    ------
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.
    OverflowError
        If float64 cannot hold the sum of gains: with ``gain="exp2"`` from grade 1024 on.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item.

    References
    ----------
    .. [1] Jaervelin and Kekaelaeinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002.
       Gains and discount as in :func:`dcg_at_k_score`.

    Examples
    --------
    >>> from sklearn_rank import ideal_dcg_at_k_score
    >>> ideal_dcg_at_k_score([{"a": 1, "b": 2}], [["a"]])  # 3 + 1 / log2(3)
    3.6309297535714578
    """
    measure = Measure.of(IDCG, k, gain=gain, discount=discount)
    return score(
        measure,
        y_true,
        y_score,
        groups=groups,
        ties=ties,
        zero_division=zero_division,
        sample_weight=sample_weight,
        string_provider=string_provider,
        relevance=relevance,
    )


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

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    gain : {"exp2", "linear", "binary"}, mapping or callable, default="exp2"
        2^grade - 1, the grade, 1, a table, or a function: docs/metrics.md#gains-and-discounts.
    discount : {"log2"} or callable, default="log2"
        Divisor of a gain, log2(rank + 1) or a function: docs/metrics.md#gains-and-discounts.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; by default the exact expectation: docs/inputs.md#ties.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
        How to treat queries where the measure is undefined: docs/inputs.md#undefined-queries.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query: docs/inputs.md#weights.
    string_provider : callable, default=None
        Turns items of lists into the strings to compare: docs/inputs.md#string-provider.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists: docs/inputs.md#relevance.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    Raises
    ------
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

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
    measure = Measure.of(NDCG, k, gain=gain, discount=discount)
    return score(
        measure,
        y_true,
        y_score,
        groups=groups,
        ties=ties,
        zero_division=zero_division,
        sample_weight=sample_weight,
        string_provider=string_provider,
        relevance=relevance,
    )


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

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    max_grade : {"query"} or float, default="query"
        The query's highest grade, or a number, without which queries do not compare.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; by default the exact expectation: docs/inputs.md#ties.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
        How to treat queries where the measure is undefined: docs/inputs.md#undefined-queries.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query: docs/inputs.md#weights.
    string_provider : callable, default=None
        Turns items of lists into the strings to compare: docs/inputs.md#string-provider.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists: docs/inputs.md#relevance.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; greater is better. At most 1 - 2^-max for one relevant item, which
        float64 rounds to 1 from max = 54 on.

    Raises
    ------
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item.

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
    measure = Measure.of(ERR, k, max_grade=max_grade)
    return score(
        measure,
        y_true,
        y_score,
        groups=groups,
        ties=ties,
        zero_division=zero_division,
        sample_weight=sample_weight,
        string_provider=string_provider,
        relevance=relevance,
    )


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

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    max_grade : {"query"} or float, default="query"
        The query's highest grade, or a number, without which queries do not compare.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; by default the exact expectation: docs/inputs.md#ties.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
        How to treat queries where the measure is undefined: docs/inputs.md#undefined-queries.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query: docs/inputs.md#weights.
    string_provider : callable, default=None
        Turns items of lists into the strings to compare: docs/inputs.md#string-provider.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists: docs/inputs.md#relevance.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    Raises
    ------
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item.

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
    measure = Measure.of(NERR, k, max_grade=max_grade)
    return score(
        measure,
        y_true,
        y_score,
        groups=groups,
        ties=ties,
        zero_division=zero_division,
        sample_weight=sample_weight,
        string_provider=string_provider,
        relevance=relevance,
    )
