"""Measures made of two others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn_rank.measures.catalogue import HMEAN, Measure
from sklearn_rank.measures.grammar import parse_members
from sklearn_rank.metrics._door import score
from sklearn_rank.typing import StringProvider, Ties, ZeroDivision

__all__ = [
    "harmonic_mean_score",
]


def harmonic_mean_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    measures: Sequence[str | Measure] = ("precision", "recall"),
    beta: float = 1.0,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the harmonic mean of two measures (extended F1).

    (1 + b^2) x y / (b^2 x + y) of the values x and y of each query, 0 where both are 0.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set or mapping
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, or {query: set or {item: grade}}.
    y_score : array-like, sequence of ranked lists, or mapping
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    measures : pair of str or Measure, default=("precision", "recall")
        Two measures per query between 0 and 1, 1 being best. Those without a cutoff take ``k``.
    beta : float, default=1.0
        How many times the second measure weighs as much as the first; at least 0.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
        Order of equally scored items; "average" is the harmonic mean of the two measures' exact
        expectations.
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
        If one of the two measures is undefined for a query.

    References
    ----------
    .. [1] WarpRec, Accuracy metrics, Extended-F1.

    Examples
    --------
    >>> from sklearn_rank import harmonic_mean_score
    >>> harmonic_mean_score([{"a", "x"}], [["a", "b"]], measures=("mrr", "recall"))  # of 1 and 1/2
    0.6666666666666666
    """
    measure = Measure.of(HMEAN, k, measures=parse_members(measures), beta=beta)
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
