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

    How much rubbish stands before what is wanted? The lag of a relevant item is the number of
    irrelevant items that stand above it, a tied one counting half; a query's lag is the mean over
    its relevant items. One that was not retrieved lags behind all irrelevant items of the ranking;
    with ``unretrieved="ignore"`` it does not count, so that retrieving less can lower the lag.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    average : {"macro", "pooled"}, default="macro"
        Mean of the lags of the queries, or of the lags of all relevant items (ArDoCo's code), with
        which a query weighs by its relevant items.
    unretrieved : {"last", "ignore"}, default="last"
        A relevant item that its ranking lacks stands below everything, or does not count.
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
        In [0, inf), in ranks; 0 is best, lower is better.

    Raises
    ------
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item, an empty ranking, or (``unretrieved="ignore"``) retrieved
        nothing relevant.

    References
    ----------
    .. [1] Hayes, Dekhtyar and Sundaram, Advancing Candidate Link Generation for Requirements
       Tracing: The Study of Methods, 2006 (lag among the secondary measures of tracing).
    .. [2] Rank metrics of ArDoCo, https://github.com/ArDoCo/Metrics.

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

    How likely does a relevant item stand above an irrelevant one? Pairs are formed within each
    query, unless ``average="pooled"``, which ranks the items of all queries together and needs
    scores that compare across queries. A tie counts half; ``relevance`` decides which items of a
    list are tied. With ``smoothing=s`` a relevant item with b of N irrelevant items below it counts
    (b + s) / (N + s), one that was not retrieved s / (N + s), and 1 where nothing is irrelevant.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    average : {"positives", "pooled", "macro", "impressions"}, default="positives"
        Queries weigh by their relevant items, all items form one ranking (scikit-learn's
        ``roc_auc_score``), queries weigh alike, or by the lengths of their rankings.
    unretrieved : {"last", "ignore"}, default="last"
        A relevant item that its ranking lacks stands below everything, or does not count.
    n_negatives : int, sequence of shape (n_queries,) or mapping, default=None
        Irrelevant items of each query; None counts its ranking's: docs/inputs.md#weights.
    smoothing : float, default=0.0
        Added to the irrelevant items below a relevant one, and to all of them; at least 0.
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
        In [0, 1], dimensionless; 1 is best. Chance is 0.5 for complete rankings, above it with
        ``smoothing``, and far below it for lists that lack relevant items: a random tenth of the
        items reaches about 0.05.

    Raises
    ------
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item, no irrelevant one (unless ``smoothing`` is above 0), or,
        with ``unretrieved="ignore"``, retrieved nothing relevant. Settled by ``zero_division``, it
        keeps its weight: 0 without a relevant item where queries weigh by those.

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

    How well is each user's own list ordered? The AUC of a query is the share of its pairs of a
    relevant and an irrelevant item in which the relevant one stands above; a tie counts half, and
    ``smoothing`` works as in :func:`ranking_auc_score`. Queries weigh alike; the origin [1]_ weighs
    them by impressions or clicks, which is ``ranking_auc_score(average="impressions")`` or
    ``"positives"``.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    unretrieved : {"last", "ignore"}, default="last"
        A relevant item that its ranking lacks stands below everything, or does not count.
    n_negatives : int, sequence of shape (n_queries,) or mapping, default=None
        Irrelevant items of each query; None counts its ranking's: docs/inputs.md#weights.
    smoothing : float, default=0.0
        Added to the irrelevant items below a relevant one, and to all of them; at least 0.
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
        In [0, 1], dimensionless; 1 is best. Chance is 0.5 for complete rankings without
        ``smoothing``, and far below it for lists that lack relevant items.

    Raises
    ------
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item, no irrelevant one (unless ``smoothing`` is above 0), or,
        with ``unretrieved="ignore"``, retrieved nothing relevant.

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

    How well are the items ordered that are shown? Each relevant item within ``k`` counts the share
    of the N irrelevant items that stands below it; the sum is divided by min(R, k). With
    ``tail="linear"`` the curve goes on from the k-th item in a straight line to (1, 1), and the
    area is that under the whole curve. ``smoothing`` works as in :func:`ranking_auc_score`.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    tail : {"none", "linear"}, default="none"
        What lies below the cutoff: nothing (WarpRec), or a straight line (``implicit``, [1]_).
    unretrieved : {"last", "ignore"}, default="last"
        A relevant item that its ranking lacks stands below everything, or does not count.
    n_negatives : int, sequence of shape (n_queries,) or mapping, default=None
        Irrelevant items of each query; None counts its ranking's: docs/inputs.md#weights.
    smoothing : float, default=0.0
        Added to the irrelevant items below a relevant one, and to all of them; at least 0.
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
        If a query has no relevant item, no irrelevant one (unless ``smoothing`` is above 0), or,
        with ``unretrieved="ignore"``, retrieved nothing relevant.

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
