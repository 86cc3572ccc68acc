"""Measures as deep as the relevant items demand, and set and geometric relatives of MAP."""

from __future__ import annotations

from typing import Any, Literal

from sklearn_rank.measures.catalogue import (
    ALL_HIT_RATE,
    GMAP,
    IPREC,
    RPREC,
    SET_MAP,
    Measure,
)
from sklearn_rank.metrics._door import score
from sklearn_rank.typing import StringProvider, Ties, ZeroDivision

__all__ = [
    "all_hit_rate_at_k_score",
    "geometric_mean_average_precision_score",
    "interpolated_precision_score",
    "r_precision_score",
    "set_average_precision_score",
]


def all_hit_rate_at_k_score(
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
    """Share of queries whose relevant items all stand among the first k.

    Can a question be answered that needs all of its passages? A query counts 1 if each of its R
    relevant items is among its first ``k``, else 0.

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
    .. [1] Yang et al., HotpotQA: A Dataset for Diverse, Explainable Multi-hop Question
       Answering, 2018.

    Examples
    --------
    >>> from sklearn_rank import all_hit_rate_at_k_score
    >>> all_hit_rate_at_k_score([{"a", "b"}, {"c"}], [["a", "x", "b"], ["c"]], k=2)
    0.5
    """
    measure = Measure.of(ALL_HIT_RATE, k, min_rel=min_rel)
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


def r_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Precision after as many items as are relevant (R-precision).

    How good is the top of a list that is as long as it should be? With R relevant items it is the
    share of them among the first R, where precision and recall are the same.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
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
    .. [1] Buckley and Voorhees, Retrieval System Evaluation, in TREC: Experiment and Evaluation in
       Information Retrieval, 2005.

    Examples
    --------
    >>> from sklearn_rank import r_precision_score
    >>> r_precision_score([{"a", "b"}], [["a", "x", "b"]])
    0.5
    """
    measure = Measure.of(RPREC, min_rel=min_rel)
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


def interpolated_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    recall: float | Literal["11pt"] = "11pt",
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Precision at a level of recall, interpolated; by default the mean of 11 levels.

    What precision can be had if so much has to be found? With R relevant items it is the greatest
    precision at any rank that holds at least ``recall`` times R of them, rounded half up as in
    trec_eval 10 (version 9 rounds otherwise); 0 if so many were not retrieved. As the greatest of
    several values it has no closed form for ties: where a relevant item is tied, ``ties`` has to
    break them.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    recall : float or {"11pt"}, default="11pt"
        Level in [0, 1]; "11pt" is the mean of 0, 0.1, ... 1.
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
        If ``recall`` is wrong, or a relevant item is tied and ``ties`` is "average".

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item.

    References
    ----------
    .. [1] Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, ch. 8.

    Examples
    --------
    >>> from sklearn_rank import interpolated_precision_score
    >>> ranking = [["x", "a", "b"]]
    >>> interpolated_precision_score([{"a", "b"}], ranking, recall=0.5)  # 2 / 3 from rank 3
    0.6666666666666666
    """
    measure = Measure.of(IPREC, recall=recall, min_rel=min_rel)
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


def set_average_precision_score(
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
    """Precision times recall of the first k items (set MAP).

    How good is a set without an order? Of h hits among the ``k`` items read and R relevant ones it
    is h² / (k R), trec_eval's set_map.

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
    .. [1] trec_eval 10, https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from sklearn_rank import set_average_precision_score
    >>> set_average_precision_score([{"a", "b"}], [["a", "x"]])  # 1/2 of the list, 1/2 of all
    0.25
    """
    measure = Measure.of(SET_MAP, k, min_rel=min_rel)
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


def geometric_mean_average_precision_score(
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
    """Geometric mean over queries of the average precision (GMAP).

    Is any query left behind? A gain on a bad query counts more than one on a good query, because it
    is a mean of logarithms; a query counts at least 0.00001, and its average precision is over R.
    With ties it is the geometric mean of the expectations.

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
    .. [1] Robertson, On GMAP: and Other Transformations, 2006.

    Examples
    --------
    >>> from sklearn_rank import geometric_mean_average_precision_score
    >>> y_true, rankings = [{"a"}, {"b"}], [["a"], ["x", "y", "z", "b"]]
    >>> round(geometric_mean_average_precision_score(y_true, rankings), 12)  # sqrt(1 * 1/4)
    0.5
    """
    measure = Measure.of(GMAP, k, min_rel=min_rel)
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
