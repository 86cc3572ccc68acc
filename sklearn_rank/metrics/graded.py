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

    Sum over the first ``k`` ranks of gain(grade) / discount(rank). Irrelevant items gain nothing.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}. Any grade of at least 0.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    gain : {"exp2", "linear", "binary"}, mapping or callable, default="exp2"
        Gain of a grade: 2^grade - 1, the grade, 1, a table, or a function of an
        array of grades that gives each its gain whatever the others.
    discount : {"log2"} or callable, default="log2"
        Divisor of the gain at a rank: log2(rank + 1), or a function of an array of
        ranks that gives each its divisor whatever the others.
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
        In [0, inf), in units of gain; greater is better.

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
        If a query has no relevant item.

    References
    ----------
    .. [1] Jaervelin and Kekaelaeinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002.
    .. [2] Burges et al., Learning to Rank using Gradient Descent, 2005 (the gain 2^grade - 1).

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

    Sum over the first ``k`` ranks of gain(grade) / discount(rank). The best order holds all
    relevant items, retrieved or not, the greatest gain first.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}. Any grade of at least 0.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    gain : {"exp2", "linear", "binary"}, mapping or callable, default="exp2"
        Gain of a grade: 2^grade - 1, the grade, 1, a table, or a function of an
        array of grades that gives each its gain whatever the others.
    discount : {"log2"} or callable, default="log2"
        Divisor of the gain at a rank: log2(rank + 1), or a function of an array of
        ranks that gives each its divisor whatever the others.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; "average" is the same as any other here.
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
        In [0, inf), in units of gain. It depends on the ground truth alone.

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
        If a query has no relevant item.

    References
    ----------
    .. [1] Jaervelin and Kekaelaeinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002.

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

    DCG@k over the DCG@k of the best order of all relevant items, retrieved or not; DCG is the sum
    of gain(grade) / discount(rank). ``gain="binary"`` is the nDCG of Rendle (2020),
    ``gain="linear"`` that of trec_eval and scikit-learn. Any grade works: gains are scaled per
    query, which cancels.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}. Any grade of at least 0.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    gain : {"exp2", "linear", "binary"}, mapping or callable, default="exp2"
        Gain of a grade: 2^grade - 1, the grade, 1, a table, or a function of an
        array of grades that gives each its gain whatever the others.
    discount : {"log2"} or callable, default="log2"
        Divisor of the gain at a rank: log2(rank + 1), or a function of an array of
        ranks that gives each its divisor whatever the others.
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
        If a query has no relevant item, or none of them gains anything.

    References
    ----------
    .. [1] Jaervelin and Kekaelaeinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002.
    .. [2] Burges et al., Learning to Rank using Gradient Descent, 2005 (the gain 2^grade - 1).

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

    A user reads down the list and is satisfied by an item with probability (2^grade - 1) / 2^max;
    ERR is the expectation of one over the rank at which the user stops, counting ranks within
    ``k``.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}. Any grade of at least 0.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    max_grade : {"query"} or float, default="query"
        Grade whose item would satisfy with probability (2^max - 1) / 2^max: the query's highest,
        or a number, without which values of different queries do not compare.
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
        In [0, 1), dimensionless; greater is better.

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

    The best order holds all relevant items, retrieved or not, by falling grade.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}. Any grade of at least 0.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    max_grade : {"query"} or float, default="query"
        Grade whose item would satisfy with probability (2^max - 1) / 2^max: the query's highest,
        or a number, without which values of different queries do not compare.
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
