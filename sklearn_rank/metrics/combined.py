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

    Are two things good at once? (1 + b^2) x y / (b^2 x + y) of the values x and y of each query, 0
    where both are 0. Where items are tied, x and y are the two measures' exact expectations.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    measures : pair of str or Measure, default=("precision", "recall")
        Two measures per query between 0 and 1, 1 being best. Those without a cutoff take ``k``.
    beta : float, default=1.0
        How many times the second measure weighs as much as the first; at least 0.
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
