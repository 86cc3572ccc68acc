"""Metric functions, with their parameters and docstrings in full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from sklearn_rank.measures import catalogue
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import Metric
from sklearn_rank.metrics.shared import DataArguments, function_of, score
from sklearn_rank.typing import Discount, Gain, StringProvider, Ties, Unretrieved, ZeroDivision

__all__ = [
    "dcg_at_k_score",
    "expected_reciprocal_rank_score",
    "fbeta_at_k_score",
    "group_auc_score",
    "harmonic_mean_score",
    "hit_rate_at_k_score",
    "interpolated_precision_score",
    "lag_error",
    "limited_auc_score",
    "mean_average_precision_score",
    "mean_average_recall_score",
    "mean_reciprocal_rank_score",
    "ndcg_at_k_score",
    "normalized_expected_reciprocal_rank_score",
    "precision_at_k_score",
    "r_precision_score",
    "rank_biased_precision_score",
    "ranking_auc_score",
    "recall_at_k_score",
]


@function_of(catalogue.MAP)
def mean_average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    denominator: Literal["min", "relevant", "retrieved", "k"] = "min",
    min_rel: float | None = None,
    groups: Any = None,
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
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    denominator : {"min", "relevant", "retrieved", "k"}, default="min"
        min(R, k); R (trec_eval); the relevant items found within ``k`` (ArDoCo, torchmetrics); or
        ``k`` (RecTools). Without ``k``, min and k are R.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best. A relevant item that was not retrieved adds 0; with
        ``denominator="retrieved"`` it is ignored.

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
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(
        catalogue.MAP, y_true, y_score, data, k=k, denominator=denominator, min_rel=min_rel
    )


@function_of(catalogue.MAR)
def mean_average_recall_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    normalize: bool = False,
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the average recall (MAR).

    How early does recall rise? Average recall is the sum of R@i over the ranks i within
    ``k`` that hold a relevant item, divided by min(R, k); R is the number of relevant items.
    With h hits this is h (h + 1) / (2 R min(R, k)), so that even a perfect ranking reaches only
    (m + 1) / (2 R), m = min(R, k).

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    normalize : bool, default=False
        Divide by the value of a perfect ranking, so that 1 is best.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; higher is better. The maximum is below 1 unless R is 1 or
        ``normalize`` is True.

    References
    ----------
    .. [1] WarpRec documentation, Accuracy metrics.

    Examples
    --------
    >>> from sklearn_rank import mean_average_recall_score
    >>> mean_average_recall_score([{"a", "b"}], [["a", "b", "c"]], k=5)  # (1/2 + 2/2) / 2
    0.75
    >>> mean_average_recall_score([{"a", "b"}], [["a", "b", "c"]], k=5, normalize=True)
    1.0
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.MAR, y_true, y_score, data, k=k, normalize=normalize, min_rel=min_rel)


@function_of(catalogue.MRR)
def mean_reciprocal_rank_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the reciprocal rank of the first relevant item (MRR).

    How far must a user read to find one relevant item? A query with nothing relevant among its
    first ``k`` items scores 0.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    References
    ----------
    .. [1] Voorhees, The TREC-8 Question Answering Track Report, 1999.

    Examples
    --------
    >>> from sklearn_rank import mean_reciprocal_rank_score
    >>> mean_reciprocal_rank_score([0, 1, 1, 0], [9, 8, 5, 4], groups=["a", "a", "b", "b"])
    0.75
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.MRR, y_true, y_score, data, k=k, min_rel=min_rel)


@function_of(catalogue.PRECISION)
def precision_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    denominator: Literal["k", "retrieved"] = "k",
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the share of the first k items that are relevant (P@k).

    With h relevant items within ``k`` it is h / k. Without ``k`` the divisor is the length of the
    ranking, and an empty ranking scores 0.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    denominator : {"k", "retrieved"}, default="k"
        ``k``, even if a ranking is shorter; or the number of items within ``k``.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; higher is better. At most R / k for R relevant items.

    References
    ----------
    .. [1] Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, ch. 8.

    Examples
    --------
    >>> from sklearn_rank import precision_at_k_score
    >>> precision_at_k_score([{"a", "c"}], [["a", "b", "c"]], k=2)
    0.5
    >>> precision_at_k_score([{"a", "c"}], [["a", "b", "c"]], k=4)
    0.5
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(
        catalogue.PRECISION, y_true, y_score, data, k=k, denominator=denominator, min_rel=min_rel
    )


@function_of(catalogue.RECALL)
def recall_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    denominator: Literal["relevant", "min"] = "relevant",
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the share of the relevant items among the first k (R@k).

    With h of R relevant items within ``k`` it is h / R; unretrieved items count in R.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    denominator : {"relevant", "min"}, default="relevant"
        R; or min(R, k), so that a perfect ranking reaches 1 even if R exceeds ``k``.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    References
    ----------
    .. [1] Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, ch. 8.

    Examples
    --------
    >>> from sklearn_rank import recall_at_k_score
    >>> recall_at_k_score([{"a", "c", "x", "y"}], [["a", "b", "c"]], k=3)
    0.5
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(
        catalogue.RECALL, y_true, y_score, data, k=k, denominator=denominator, min_rel=min_rel
    )


@function_of(catalogue.FBETA)
def fbeta_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    beta: float = 1.0,
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the F-measure of precision and recall of the first k items.

    F = (1 + b^2) P R / (b^2 P + R), with P@k and R@k of each query, is averaged over the queries;
    ``beta=1`` is F1@k. Because both numerators are h, the hits within ``k``, it equals
    (1 + b^2) h / (b^2 R + k) with R relevant items, which is linear in h.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    beta : float, default=1.0
        Importance of recall relative to precision; at least 0.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; higher is better. 0 if nothing relevant is within ``k``.

    References
    ----------
    .. [1] van Rijsbergen, Information Retrieval, 1979, ch. 7.

    Examples
    --------
    >>> from sklearn_rank import fbeta_at_k_score
    >>> fbeta_at_k_score([{"a"}], [["a", "b"]], k=2)  # P = 1/2, R = 1: 2 * (1/2) / (3/2)
    0.6666666666666666
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.FBETA, y_true, y_score, data, k=k, beta=beta, min_rel=min_rel)


@function_of(catalogue.HIT_RATE)
def hit_rate_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Share of queries with a relevant item among the first k.

    How many users find anything? A query scores 1 if one of its first ``k`` items is relevant, else
    0. Also called success@k, and recall@k in papers with one relevant passage per question.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    References
    ----------
    .. [1] Deshpande and Karypis, Item-Based Top-N Recommendation Algorithms, 2004,
       doi:10.1145/963770.963776.

    Examples
    --------
    >>> from sklearn_rank import hit_rate_at_k_score
    >>> hit_rate_at_k_score([{"a"}, {"b"}], [["a", "b"], ["a", "b"]], k=1)
    0.5
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.HIT_RATE, y_true, y_score, data, k=k, min_rel=min_rel)


@function_of(catalogue.RPREC)
def r_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Precision at R, the number of relevant items (R-precision).

    How good is a list cut to the right length? With R relevant items it is the share of them among
    the first R, where precision and recall are equal.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

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
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.RPREC, y_true, y_score, data, min_rel=min_rel)


@function_of(catalogue.IPREC)
def interpolated_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    recall: float | Literal["11pt"] = "11pt",
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Precision at a level of recall, interpolated; by default the mean of 11 levels.

    What precision is possible at a given recall? With R relevant items it is the highest precision
    at any rank by which at least ``recall`` times R of them are found, a number that is rounded
    half up as in trec_eval 10 (version 9 rounds differently); 0 if fewer were retrieved. The
    maximum has no closed form for ties: if a relevant item is tied, pass a rule that breaks ties.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    recall : float or {"11pt"}, default="11pt"
        Level in [0, 1]; "11pt" is the mean over the levels 0, 0.1, ..., 1.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    References
    ----------
    .. [1] Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, ch. 8;
       trec_eval 10.

    Examples
    --------
    >>> from sklearn_rank import interpolated_precision_score
    >>> ranking = [["x", "a", "b"]]
    >>> interpolated_precision_score([{"a", "b"}], ranking, recall=0.5)  # 2 / 3 from rank 3
    0.6666666666666666
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.IPREC, y_true, y_score, data, recall=recall, min_rel=min_rel)


@function_of(catalogue.LAG)
def lag_error(
    y_true: Any,
    y_score: Any,
    *,
    average: Literal["macro", "pooled"] = "macro",
    unretrieved: Unretrieved = "last",
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the number of irrelevant items above a relevant one (LAG).

    How many irrelevant items rank above the relevant ones? The lag of a relevant item is the
    number of irrelevant items ranked above it, where a tied one counts half; a query's lag is the
    mean over its relevant items. A relevant item that was not retrieved lags behind all irrelevant
    items of the ranking; with ``unretrieved="ignore"`` it does not count, so that retrieving less
    can lower the lag.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    average : {"macro", "pooled"}, default="macro"
        Mean of the queries' lags, or of the lags of all relevant items (ArDoCo's code), which
        weights queries by their number of relevant items.
    unretrieved : {"last", "ignore"}, default="last"
        An unretrieved relevant item ranks below everything, or does not count.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, inf), in ranks; 0 is best, lower is better.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item or an empty ranking, or, with ``unretrieved="ignore"``,
        retrieved nothing relevant.

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
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(
        catalogue.LAG,
        y_true,
        y_score,
        data,
        average=average,
        unretrieved=unretrieved,
        min_rel=min_rel,
    )


@function_of(catalogue.AUC)
def ranking_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: Literal["positives", "pooled", "macro", "impressions"] = "positives",
    unretrieved: Unretrieved = "last",
    n_negatives: int | Sequence[int] | None = None,
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Share of pairs of a relevant and an irrelevant item in the right order (AUC).

    How likely does a relevant item rank above an irrelevant one? Pairs are formed within each
    query, unless ``average="pooled"``, which ranks the items of all queries together and needs
    scores that are comparable across queries. A tie counts half; ``relevance`` decides which items
    of a list are tied.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    average : {"positives", "pooled", "macro", "impressions"}, default="positives"
        Weight queries by their number of relevant items; rank all items together (scikit-learn's
        ``roc_auc_score``); weight queries equally; or weight them by the length of their rankings.
    unretrieved : {"last", "ignore"}, default="last"
        An unretrieved relevant item ranks below everything, or does not count.
    n_negatives : int or sequence of shape (n_queries,), default=None
        Number of irrelevant items of each query, ranked or not; None counts those in its ranking.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best. A random order of all items scores 0.5, but lists that
        lack relevant items score far less: a random tenth of the items scores about 0.05.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item, has no irrelevant one, or, with ``unretrieved="ignore"``,
        retrieved nothing relevant. If ``zero_division`` is a number, the query keeps its weight,
        which is 0 if queries are weighted by relevant items and it has none.

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
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(
        catalogue.AUC,
        y_true,
        y_score,
        data,
        average=average,
        unretrieved=unretrieved,
        n_negatives=n_negatives,
        min_rel=min_rel,
    )


@function_of(catalogue.GAUC)
def group_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    unretrieved: Unretrieved = "last",
    n_negatives: int | Sequence[int] | None = None,
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the AUC of each query (GAUC).

    How well is each user's list ordered? The AUC of a query is the share of its pairs of a
    relevant and an irrelevant item in which the relevant one ranks higher; a tie counts half.
    Queries have equal weights; the original [1]_ weights them by impressions or clicks, which is
    ``ranking_auc_score(average="impressions")`` or ``"positives"``.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    unretrieved : {"last", "ignore"}, default="last"
        An unretrieved relevant item ranks below everything, or does not count.
    n_negatives : int or sequence of shape (n_queries,), default=None
        Number of irrelevant items of each query, ranked or not; None counts those in its ranking.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best. A random order of all items scores 0.5, but lists that
        lack relevant items score far less.

    References
    ----------
    .. [1] Zhu et al., Optimized Cost per Click in Taobao Display Advertising, 2017,
       doi:10.1145/3097983.3098134.

    Examples
    --------
    >>> from sklearn_rank import group_auc_score
    >>> group_auc_score([1, 0, 0, 1], [2, 1, 2, 1], groups=["a", "a", "b", "b"])
    0.5
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(
        catalogue.GAUC,
        y_true,
        y_score,
        data,
        unretrieved=unretrieved,
        n_negatives=n_negatives,
        min_rel=min_rel,
    )


@function_of(catalogue.LAUC)
def limited_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    tail: Literal["none", "linear"] = "none",
    unretrieved: Unretrieved = "last",
    n_negatives: int | Sequence[int] | None = None,
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the area under the ROC curve of the first k items (LAUC@k).

    How well are the displayed items ordered? Each relevant item within ``k`` adds the share of the
    N irrelevant items ranked below it; the sum is divided by min(R, k). With ``tail="linear"`` the
    curve continues from the k-th item in a straight line to (1, 1), and the value is the area under
    the whole curve.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    tail : {"none", "linear"}, default="none"
        The curve below the cutoff: none (WarpRec), or a straight line (``implicit``, [1]_).
    unretrieved : {"last", "ignore"}, default="last"
        An unretrieved relevant item ranks below everything, or does not count.
    n_negatives : int or sequence of shape (n_queries,), default=None
        Number of irrelevant items of each query, ranked or not; None counts those in its ranking.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

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
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(
        catalogue.LAUC,
        y_true,
        y_score,
        data,
        k=k,
        tail=tail,
        unretrieved=unretrieved,
        n_negatives=n_negatives,
        min_rel=min_rel,
    )


@function_of(catalogue.HMEAN)
def harmonic_mean_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    measures: Sequence[str | Measure] = ("precision", "recall"),
    beta: float = 1.0,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the harmonic mean of two measures (extended F1).

    Are both measures good at once? The mean of the values x and y of a query is (1 + b^2) x y /
    (b^2 x + y), or 0 if both are 0. If items are tied, x and y are the two measures' exact
    expectations.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    measures : pair of str or Measure, default=("precision", "recall")
        Two measures with values per query from 0 to 1 (best). Those without a cutoff take ``k``.
    beta : float, default=1.0
        Importance of the second measure relative to the first; at least 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    Warns
    -----
    UndefinedMetricWarning
        If one of the two measures is undefined for a query.

    References
    ----------
    .. [1] WarpRec documentation, Extended-F1.

    Examples
    --------
    >>> from sklearn_rank import harmonic_mean_score
    >>> harmonic_mean_score([{"a", "x"}], [["a", "b"]], measures=("mrr", "recall"))  # of 1 and 1/2
    0.6666666666666666
    """
    measures = parse_measures(measures, distinct=False)
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.HMEAN, y_true, y_score, data, k=k, measures=measures, beta=beta)


@function_of(catalogue.DCG)
def dcg_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    gain: Gain = "exp2",
    discount: Discount = "log2",
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the discounted cumulative gain (DCG@k).

    How much does a user gain from the first ``k`` items? DCG is the sum of gain(grade) /
    discount(rank) over the ranks within ``k``. Irrelevant items have no gain.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    gain : {"exp2", "linear", "binary", "exp2_next"} or mapping, default="exp2"
        2^grade - 1, the grade, 1, or a table: docs/metrics.md#gains-and-discounts.
    discount : str, default="log2"
        Divisor of a gain, log2(rank + 1) or another: docs/metrics.md#gains-and-discounts.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, inf), in units of gain; higher is better.

    Raises
    ------
    OverflowError
        If float64 cannot hold the sum of gains: with ``gain="exp2"`` from grade 1024 on.

    References
    ----------
    .. [1] Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002,
       doi:10.1145/582415.582418.

    Examples
    --------
    >>> from sklearn_rank import dcg_at_k_score
    >>> dcg_at_k_score([{"a": 2, "b": 1}], [["a", "b"]], gain="linear")  # 2 + 1 / log2(3)
    2.6309297535714578
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.DCG, y_true, y_score, data, k=k, gain=gain, discount=discount)


@function_of(catalogue.NDCG)
def ndcg_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    gain: Gain = "exp2",
    discount: Discount = "log2",
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the normalized discounted cumulative gain (nDCG@k).

    How much of the possible gain is reached? DCG@k is divided by the DCG@k of the best order of all
    relevant items, retrieved or not; DCG is the sum of gain(grade) / discount(rank). Any finite
    grade of at least 0 works: gains are scaled per query, and the scale cancels.

    scikit-learn's ``ndcg_score`` and trec_eval use the grade itself as the gain: in the example
    below they give 0.8597, and this function 0.7967. ``gain="linear"`` gives their value,
    ``gain="binary"`` that of Krichene and Rendle [3]_.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    gain : {"exp2", "linear", "binary", "exp2_next"} or mapping, default="exp2"
        2^grade - 1, the grade, 1, or a table: docs/metrics.md#gains-and-discounts.
    discount : str, default="log2"
        Divisor of a gain, log2(rank + 1) or another: docs/metrics.md#gains-and-discounts.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    Warns
    -----
    UndefinedMetricWarning
        If a query has no relevant item with a gain.

    References
    ----------
    .. [1] Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002.
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
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.NDCG, y_true, y_score, data, k=k, gain=gain, discount=discount)


@function_of(catalogue.ERR)
def expected_reciprocal_rank_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    max_grade: Literal["query"] | float = "query",
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the expected reciprocal rank (ERR@k).

    How soon does a user find enough to stop? Each item satisfies the user with probability
    (2^grade - 1) / 2^max, where max is ``max_grade``; ERR is the expected reciprocal of the rank at
    which the user stops, counting ranks within ``k``. Any finite grade of at least 0 works.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    max_grade : {"query"} or float, default="query"
        Highest grade of the scale; "query" takes the highest of each query, so that values of
        queries are not comparable.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; higher is better. At most 1 - 2^-max for one relevant item, which
        float64 rounds to 1 from max = 54 on.

    References
    ----------
    .. [1] Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance,
       2009, doi:10.1145/1645953.1646033.

    Examples
    --------
    >>> from sklearn_rank import expected_reciprocal_rank_score
    >>> expected_reciprocal_rank_score([{"a": 1}], [["a", "b"]])
    0.5
    >>> expected_reciprocal_rank_score([{"a": 1}], [["a", "b"]], max_grade=4)
    0.0625
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.ERR, y_true, y_score, data, k=k, max_grade=max_grade)


@function_of(catalogue.RBP)
def rank_biased_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    persistence: float = 0.8,
    gain: Any = "binary",
    max_grade: Literal["query"] | float = "query",
    min_rel: float | None = None,
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the rank-biased precision (RBP).

    How much does a reader who continues to the next rank with probability ``persistence`` = p gain
    per item? RBP is (1 - p) times the sum of p^(rank - 1) times gain, over the relevant items
    within ``k``; a gain other than binary is divided by the gain of ``max_grade``. The reader reads
    about 1 / (1 - p) items; a perfect ranking reaches 1 only if it never ends.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    persistence : float, default=0.8
        Probability that a reader continues to the next rank, in [0, 1).
    gain : {"binary", "linear", "exp2", "exp2_next"} or mapping, default="binary"
        1, the grade, 2^grade - 1, or a table: docs/metrics.md#gains-and-discounts.
    max_grade : {"query"} or float, default="query"
        Highest grade of the scale; "query" takes the highest of each query, so that values of
        queries are not comparable.
    min_rel : float, default=None
        Lowest grade that counts as relevant; None takes every grade above 0.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    References
    ----------
    .. [1] Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, 2008,
       doi:10.1145/1416950.1416952.

    Examples
    --------
    >>> from sklearn_rank import rank_biased_precision_score
    >>> rank_biased_precision_score([{"a"}], [["b", "a"]], persistence=0.5)  # (1 - 1/2) / 2
    0.25
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(
        catalogue.RBP,
        y_true,
        y_score,
        data,
        k=k,
        persistence=persistence,
        gain=gain,
        max_grade=max_grade,
        min_rel=min_rel,
    )


@function_of(catalogue.NERR)
def normalized_expected_reciprocal_rank_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    max_grade: Literal["query"] | float = "query",
    groups: Any = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of ERR divided by the ERR of the best order (nERR@k).

    How close does the ranking come to satisfying a user as soon as possible? The best order holds
    all relevant items, retrieved or not, highest grade first.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists: docs/inputs.md.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    max_grade : {"query"} or float, default="query"
        Highest grade of the scale; "query" takes the highest of each query, so that values of
        queries are not comparable.
    groups, ties, zero_division : optional
        Query of each row, order of tied items, and value for queries where the metric is undefined:
        docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.
    sample_weight, string_provider, relevance : optional
        Query weights and options for reading the data, as for every metric: docs/inputs.md.

    Returns
    -------
    score : float
        In [0, 1], dimensionless; 1 is best.

    References
    ----------
    .. [1] Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance,
       2009, doi:10.1145/1645953.1646033.

    Examples
    --------
    >>> from sklearn_rank import normalized_expected_reciprocal_rank_score
    >>> round(normalized_expected_reciprocal_rank_score([{"b", "c"}], [["a", "b", "c"]]), 4)
    0.5333
    """
    data = DataArguments(groups, ties, zero_division, sample_weight, string_provider, relevance)
    return score(catalogue.NERR, y_true, y_score, data, k=k, max_grade=max_grade)


FUNCTIONS: dict[Metric, Callable[..., float]] = {
    catalogue.MAP: mean_average_precision_score,
    catalogue.MAR: mean_average_recall_score,
    catalogue.MRR: mean_reciprocal_rank_score,
    catalogue.PRECISION: precision_at_k_score,
    catalogue.RECALL: recall_at_k_score,
    catalogue.FBETA: fbeta_at_k_score,
    catalogue.HIT_RATE: hit_rate_at_k_score,
    catalogue.RPREC: r_precision_score,
    catalogue.IPREC: interpolated_precision_score,
    catalogue.LAG: lag_error,
    catalogue.AUC: ranking_auc_score,
    catalogue.GAUC: group_auc_score,
    catalogue.LAUC: limited_auc_score,
    catalogue.HMEAN: harmonic_mean_score,
    catalogue.DCG: dcg_at_k_score,
    catalogue.NDCG: ndcg_at_k_score,
    catalogue.ERR: expected_reciprocal_rank_score,
    catalogue.RBP: rank_biased_precision_score,
    catalogue.NERR: normalized_expected_reciprocal_rank_score,
}
"""The function of each metric that has one."""
