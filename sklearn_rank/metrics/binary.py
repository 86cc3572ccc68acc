"""Measures that ask only whether an item is relevant."""

from __future__ import annotations

from typing import Any, Literal

from sklearn_rank.measures.catalogue import (
    FBETA,
    HIT_RATE,
    MAP,
    MAR,
    MRR,
    PRECISION,
    RECALL,
    Measure,
)
from sklearn_rank.metrics._door import score
from sklearn_rank.typing import StringProvider, Ties, ZeroDivision

__all__ = [
    "fbeta_at_k_score",
    "hit_rate_at_k_score",
    "mean_average_precision_score",
    "mean_average_recall_score",
    "mean_reciprocal_rank_score",
    "precision_at_k_score",
    "recall_at_k_score",
]


def mean_average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    denominator: Literal["min", "relevant", "retrieved", "k"] = "min",
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the average precision (MAP).

    How early do the relevant items come? Average precision is the sum of P@i over the ranks i
    within ``k`` that hold a relevant item, divided by ``denominator``; R is the number of relevant
    items, retrieved or not.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    denominator : {"min", "relevant", "retrieved", "k"}, default="min"
        min(R, k), which without ``k`` is R; R (trec_eval); the relevant items found within ``k``
        (ArDoCo, torchmetrics); or ``k`` (RecTools).
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
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
        In [0, 1], dimensionless; 1 is best. A relevant item that was not retrieved adds 0, except
        with ``denominator="retrieved"``.

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
    .. [1] Voorhees and Harman, TREC: Experiment and Evaluation in Information Retrieval, 2005.
    .. [2] Rank metrics of ArDoCo, https://github.com/ArDoCo/Metrics (definition of the mean).

    Examples
    --------
    >>> from sklearn_rank import mean_average_precision_score
    >>> mean_average_precision_score([{"b", "c"}], [["a", "b", "c"]])  # (1/2 + 2/3) / 2
    0.5833333333333333
    """
    measure = Measure.of(MAP, k, denominator=denominator, min_rel=min_rel)
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


def mean_average_recall_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    normalize: bool = False,
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the average recall (MAR).

    How much has been found at each find? Average recall is the sum of R@i over the ranks i within
    ``k`` that hold a relevant item, divided by min(R, k); R is the number of relevant items.
    With h hits this is h (h + 1) / (2 R min(R, k)), so that even a perfect ranking reaches only
    (m + 1) / (2 R), m = min(R, k).

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    normalize : bool, default=False
        Divide by the value of a perfect ranking, so that 1 is best.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
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
        In [0, 1], dimensionless; greater is better. The maximum is below 1 unless R is 1 or
        ``normalize`` is True.

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
    .. [1] WarpRec, Accuracy metrics, MAR@K.

    Examples
    --------
    >>> from sklearn_rank import mean_average_recall_score
    >>> mean_average_recall_score([{"a", "b"}], [["a", "b", "c"]], k=5)  # (1/2 + 2/2) / 2
    0.75
    >>> mean_average_recall_score([{"a", "b"}], [["a", "b", "c"]], k=5, normalize=True)
    1.0
    """
    measure = Measure.of(MAR, k, normalize=normalize, min_rel=min_rel)
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


def mean_reciprocal_rank_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of one over the rank of the first relevant item (MRR).

    How far has a user to read who wants one item? A query whose first ``k`` items hold nothing
    relevant counts 0.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
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
    .. [1] Voorhees, The TREC-8 Question Answering Track Report, 1999.

    Examples
    --------
    >>> from sklearn_rank import mean_reciprocal_rank_score
    >>> mean_reciprocal_rank_score([0, 1, 1, 0], [9, 8, 5, 4], groups=["a", "a", "b", "b"])
    0.75
    """
    measure = Measure.of(MRR, k, min_rel=min_rel)
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


def precision_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    denominator: Literal["k", "retrieved"] = "k",
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the share of the first k items that is relevant (P@k).

    With h relevant items within ``k`` it is h / k. Without ``k`` the length of the ranking takes
    its place, and an empty ranking counts 0.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    denominator : {"k", "retrieved"}, default="k"
        ``k``, also where a ranking is shorter; or the items that stand within ``k``.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
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
        In [0, 1], dimensionless; greater is better. At most R / k for R relevant items.

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
    .. [1] Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, ch. 8.

    Examples
    --------
    >>> from sklearn_rank import precision_at_k_score
    >>> precision_at_k_score([{"a", "c"}], [["a", "b", "c"]], k=2)
    0.5
    >>> precision_at_k_score([{"a", "c"}], [["a", "b", "c"]], k=4)
    0.5
    """
    measure = Measure.of(PRECISION, k, denominator=denominator, min_rel=min_rel)
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


def recall_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    denominator: Literal["relevant", "min"] = "relevant",
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the share of the relevant items among the first k (R@k).

    With h of R relevant items within ``k`` it is h / R; those that were not retrieved count in R.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    denominator : {"relevant", "min"}, default="relevant"
        R, or min(R, k), with which a ranking that starts with relevant items only reaches 1.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
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
        In [0, 1], dimensionless; greater is better.

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
    .. [1] Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, ch. 8.

    Examples
    --------
    >>> from sklearn_rank import recall_at_k_score
    >>> recall_at_k_score([{"a", "c", "x", "y"}], [["a", "b", "c"]], k=3)
    0.5
    """
    measure = Measure.of(RECALL, k, denominator=denominator, min_rel=min_rel)
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


def fbeta_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    beta: float = 1.0,
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the F-measure of precision and recall of the first k items.

    F = (1 + b^2) P R / (b^2 P + R) with P@k and R@k of each query, averaged over the queries
    afterwards; ``beta=1`` is F1@k. Because P and R share their numerator h, it equals (1 + b^2) h
    / (b^2 R + k), which is linear in h.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    beta : float, default=1.0
        How many times recall weighs as much as precision; at least 0.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
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
        In [0, 1], dimensionless; greater is better. 0 where nothing relevant stands within ``k``.

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
    .. [1] van Rijsbergen, Information Retrieval, 1979, ch. 7.

    Examples
    --------
    >>> from sklearn_rank import fbeta_at_k_score
    >>> fbeta_at_k_score([{"a"}], [["a", "b"]], k=2)  # P = 1/2, R = 1: 2 * (1/2) / (3/2)
    0.6666666666666666
    """
    measure = Measure.of(FBETA, k, beta=beta, min_rel=min_rel)
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


def hit_rate_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Share of queries with a relevant item among the first k.

    How many users find anything? A query counts 1 if one of its first ``k`` items is relevant, else
    0. Also called success@k; the recall@k of papers with one relevant passage per question.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
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
    .. [1] Deshpande and Karypis, Item-Based Top-N Recommendation Algorithms, 2004.

    Examples
    --------
    >>> from sklearn_rank import hit_rate_at_k_score
    >>> hit_rate_at_k_score([{"a"}, {"b"}], [["a", "b"], ["a", "b"]], k=1)
    0.5
    """
    measure = Measure.of(HIT_RATE, k, min_rel=min_rel)
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
