"""Measures of pairs of items: LAG and the areas under ROC curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sklearn_rank.measures.catalogue import AUC, GAUC, LAG, LAUC, Measure
from sklearn_rank.metrics._door import score
from sklearn_rank.typing import StringProvider, Ties, Unretrieved, ZeroDivision

__all__ = [
    "group_auc_score",
    "lag_error",
    "limited_auc_score",
    "ranking_auc_score",
]


def lag_error(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    average: Literal["macro", "pooled"] = "macro",
    unretrieved: Unretrieved = "last",
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the number of irrelevant items above a relevant one (LAG).

    The lag of a relevant item is the number of irrelevant items that stand above it; a query's
    lag is the mean over its relevant items.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}. A grade above 0 is relevant.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    average : {"macro", "pooled"}, default="macro"
        Mean of the lags of the queries, or of the lags of all relevant items (ArDoCo's code).
    unretrieved : {"last", "ignore"}, default="last"
        A relevant item that was not retrieved lags behind all irrelevant items of the ranking, or
        does not count, with which retrieving less can lower the lag.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; "average" is the exact expectation over all orders of tied
        items.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
        What a query counts for which the measure is undefined: left out with a warning, an error,
        left out silently, or the given value.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query; for 1-D grades one per row, constant within a query.
    string_provider : callable, default=None
        Turns an item of ranked lists into the string by which items are compared; called once per
        occurrence of an item. None compares the items themselves.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists. They are checked against the order, which alone
        counts for this measure.

    Returns
    -------
    score : float
        In [0, inf), in ranks; 0 is best, lower is better.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit, there is no query, a score is NaN, a grade is negative or
        not finite, an item stands twice in a ranking, or the two sides share no query.
    TypeError
        If ``groups`` is needed and missing, a ranking has no order, or the items of the two sides
        cannot be equal.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item, an empty ranking, or (``unretrieved="ignore"``) retrieved
        nothing relevant.

    References
    ----------
    .. [1] Rank metrics of ArDoCo, https://github.com/ArDoCo/Metrics.

    Examples
    --------
    >>> from sklearn_rank import lag_error
    >>> lag_error(
    ...     [{"a", "b"}, {"a"}], [["x", "a", "y", "b"], ["x", "y", "z", "a"]]
    ... )  # (3/2 + 3) / 2
    2.25
    >>> lag_error(
    ...     [{"a", "b"}, {"a"}], [["x", "a", "y", "b"], ["x", "y", "z", "a"]], average="pooled"
    ... )
    2.0
    """
    measure = Measure.of(LAG, average=average, unretrieved=unretrieved, min_rel=min_rel)
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


def ranking_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    average: Literal["positives", "pooled", "macro", "impressions"] = "positives",
    unretrieved: Unretrieved = "last",
    n_negatives: int | Sequence[int] | Mapping[Any, int] | None = None,
    smoothing: float = 0.0,
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Share of pairs of a relevant and an irrelevant item in the right order (AUC).

    Pairs are formed within each query, unless ``average="pooled"``, which ranks the items of all
    queries together and needs scores that compare across queries. A tie counts half.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}. A grade above 0 is relevant.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    average : {"positives", "pooled", "macro", "impressions"}, default="positives"
        Queries weigh by their relevant items, all items form one ranking (scikit-learn's
        ``roc_auc_score``), queries weigh alike, or by the length of their rankings.
    unretrieved : {"last", "ignore"}, default="last"
        A relevant item that no ranking holds stands below everything, or does not count.
    n_negatives : int, sequence of shape (n_queries,) or mapping, default=None
        Irrelevant items of each query, for mappings as {query: number}; None counts those of its
        ranking. Those that no ranking holds stand below everything that was retrieved.
    smoothing : float, default=0.0
        Added to the irrelevant items below a relevant one and to all of them; 1 is WarpRec's.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; "average" is the exact expectation over all orders of tied
        items.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
        What a query counts for which the measure is undefined: left out with a warning, an error,
        left out silently, or the given value, with the query's weight: 0 without relevant items
        if ``average="positives"``.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query; for 1-D grades one per row, constant within a query.
    string_provider : callable, default=None
        Turns an item of ranked lists into the string by which items are compared; called once per
        occurrence of an item. None compares the items themselves.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists. They decide which items of a list are tied.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best, 0.5 is chance.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit, there is no query, a score is NaN, a grade is negative or
        not finite, an item stands twice in a ranking, or the two sides share no query.
    TypeError
        If ``groups`` is needed and missing, a ranking has no order, or the items of the two sides
        cannot be equal.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item or no irrelevant one.

    References
    ----------
    .. [1] Fawcett, An Introduction to ROC Analysis, 2006.
    .. [2] WarpRec, Accuracy metrics, AUC (mean over positives).

    Examples
    --------
    >>> from sklearn_rank import ranking_auc_score
    >>> ranking_auc_score([0, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], groups=["q"] * 6)
    0.625
    """
    measure = Measure.of(
        AUC,
        average=average,
        unretrieved=unretrieved,
        n_negatives=n_negatives,
        smoothing=smoothing,
        min_rel=min_rel,
    )
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


def group_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    unretrieved: Unretrieved = "last",
    n_negatives: int | Sequence[int] | Mapping[Any, int] | None = None,
    smoothing: float = 0.0,
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the AUC of each query (GAUC).

    The AUC of a query is the share of its pairs of a relevant and an irrelevant item in which the
    relevant one stands above; a tie counts half.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}. A grade above 0 is relevant.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    unretrieved : {"last", "ignore"}, default="last"
        A relevant item that no ranking holds stands below everything, or does not count.
    n_negatives : int, sequence of shape (n_queries,) or mapping, default=None
        Irrelevant items of each query, for mappings as {query: number}; None counts those of its
        ranking. Those that no ranking holds stand below everything that was retrieved.
    smoothing : float, default=0.0
        Added to the irrelevant items below a relevant one and to all of them; 1 is WarpRec's.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; "average" is the exact expectation over all orders of tied
        items.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
        What a query counts for which the measure is undefined: left out with a warning, an error,
        left out silently, or the given value.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query; for 1-D grades one per row, constant within a query.
    string_provider : callable, default=None
        Turns an item of ranked lists into the string by which items are compared; called once per
        occurrence of an item. None compares the items themselves.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists. They decide which items of a list are tied.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best, 0.5 is chance.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit, there is no query, a score is NaN, a grade is negative or
        not finite, an item stands twice in a ranking, or the two sides share no query.
    TypeError
        If ``groups`` is needed and missing, a ranking has no order, or the items of the two sides
        cannot be equal.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item or no irrelevant one.

    References
    ----------
    .. [1] Zhu et al., Optimized Cost per Click in Taobao Display Advertising, 2017.

    Examples
    --------
    >>> from sklearn_rank import group_auc_score
    >>> group_auc_score([1, 0, 0, 1], [2, 1, 2, 1], groups=["a", "a", "b", "b"])
    0.5
    """
    measure = Measure.of(
        GAUC, unretrieved=unretrieved, n_negatives=n_negatives, smoothing=smoothing, min_rel=min_rel
    )
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


def limited_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    tail: Literal["none", "linear"] = "none",
    unretrieved: Unretrieved = "last",
    n_negatives: int | Sequence[int] | Mapping[Any, int] | None = None,
    smoothing: float = 0.0,
    min_rel: float | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the area under the ROC curve of the first k items (LAUC@k).

    Of N irrelevant items, the share that stands below is taken of each relevant item within ``k``
    and divided by min(R, k). With ``tail="linear"`` the curve goes on from the k-th item in a
    straight line to (1, 1), and the area is that under the whole curve.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}. A grade above 0 is relevant.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    tail : {"none", "linear"}, default="none"
        What lies below the cutoff: nothing (WarpRec), or a straight line (implicit).
    unretrieved : {"last", "ignore"}, default="last"
        A relevant item that no ranking holds stands below everything, or does not count.
    n_negatives : int, sequence of shape (n_queries,) or mapping, default=None
        Irrelevant items of each query, for mappings as {query: number}; None counts those of its
        ranking. Those that no ranking holds stand below everything that was retrieved.
    smoothing : float, default=0.0
        Added to the irrelevant items below a relevant one and to all of them; 1 is WarpRec's.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; "average" is the exact expectation over all orders of tied
        items.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
        What a query counts for which the measure is undefined: left out with a warning, an error,
        left out silently, or the given value.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query; for 1-D grades one per row, constant within a query.
    string_provider : callable, default=None
        Turns an item of ranked lists into the string by which items are compared; called once per
        occurrence of an item. None compares the items themselves.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists. They decide which items of a list are tied.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit, there is no query, a score is NaN, a grade is negative or
        not finite, an item stands twice in a ranking, or the two sides share no query.
    TypeError
        If ``groups`` is needed and missing, a ranking has no order, or the items of the two sides
        cannot be equal.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item or no irrelevant one.

    References
    ----------
    .. [1] Schroeder, Thiele and Lehner, Setting Goals and Choosing Metrics for Recommender System
       Evaluations, 2011.

    Examples
    --------
    >>> from sklearn_rank import limited_auc_score
    >>> limited_auc_score([{"b", "d"}], [["a", "b", "c", "d", "e", "f"]], k=2)  # 3/4 / 2
    0.375
    >>> limited_auc_score([{"b", "d"}], [["a", "b", "c", "d", "e", "f"]], k=2, tail="linear")
    0.5625
    """
    measure = Measure.of(
        LAUC,
        k,
        tail=tail,
        unretrieved=unretrieved,
        n_negatives=n_negatives,
        smoothing=smoothing,
        min_rel=min_rel,
    )
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
