"""How much of a ranking is judged."""

from __future__ import annotations

from typing import Any

from sklearn_rank.measures.catalogue import JUDGED, UNJUDGED, Measure
from sklearn_rank.metrics._door import score
from sklearn_rank.typing import Assume, StringProvider, Ties, ZeroDivision

__all__ = ["judged_at_k_score", "unjudged_at_k_count"]


def judged_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    assume: Assume | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the share of the first k items that somebody judged.

    Where the share is low, a score says little: items that nobody judged count as irrelevant. A
    ranking shorter than ``k`` is read to its end. Arrays grade every item, so their share is 1.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    assume : {"complete", "partial"}, default=None
        Items that the ground truth does not name are irrelevant, or nobody judged them. None:
        partial if {item: grade} or a frame holds a grade of 0, else complete.
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
        If a ranking is empty.

    References
    ----------
    .. [1] MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, 2022.

    Examples
    --------
    >>> from sklearn_rank import judged_at_k_score
    >>> judged_at_k_score([{"a": 1, "b": 0}], [["a", "new", "b"]], k=2)  # of a and new, a is
    0.5
    >>> judged_at_k_score([{"a"}], [["a", "new", "b"]], k=2)  # a set leaves nothing open
    1.0
    """
    return score(
        Measure.of(JUDGED, k),
        y_true,
        y_score,
        groups=groups,
        assume=assume,
        ties=ties,
        zero_division=zero_division,
        sample_weight=sample_weight,
        string_provider=string_provider,
        relevance=relevance,
    )


def unjudged_at_k_count(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    assume: Assume | None = None,
    ties: Ties = "average",
    zero_division: ZeroDivision = "warn",
    sample_weight: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
) -> float:
    """Mean over queries of the number of the first k items that nobody judged.

    Of tied items that the cutoff divides, it is the expected number. Arrays grade every item: 0.

    Parameters
    ----------
    y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
        Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
    k : int, default=None
        Cutoff, in ranks; None reads the whole ranking.
    assume : {"complete", "partial"}, default=None
        Items that the ground truth does not name are irrelevant, or nobody judged them. None:
        partial if {item: grade} or a frame holds a grade of 0, else complete.
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
    count : float
        In [0, inf), in items; lower is better.

    Raises
    ------
    ValueError, TypeError
        If the data are refused: docs/inputs.md#errors.
    InvalidParameterError
        If a parameter has a value that its rule does not allow.

    Warns
    -----
    UndefinedMetricWarning
        Never: every ranking has such a number.

    References
    ----------
    .. [1] Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, 2004.

    Examples
    --------
    >>> from sklearn_rank import unjudged_at_k_count
    >>> unjudged_at_k_count([{"a": 1, "b": 0}], [["a", "new", "b", "newer"]], k=3)
    1.0
    >>> unjudged_at_k_count([{"a"}], [["a", "new", "b"]], assume="partial")
    2.0
    """
    return score(
        Measure.of(UNJUDGED, k),
        y_true,
        y_score,
        groups=groups,
        assume=assume,
        ties=ties,
        zero_division=zero_division,
        sample_weight=sample_weight,
        string_provider=string_provider,
        relevance=relevance,
    )
