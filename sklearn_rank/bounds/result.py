"""What a measure could be: the value that callers get."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sklearn_rank.typing import BoolArray, FloatArray

__all__ = ["Bounds"]


@dataclass(frozen=True, eq=False)
class Bounds:
    """Least and greatest value of a measure, or of its change, over all ways to grade.

    Attributes
    ----------
    measure : str
        Canonical spelling.
    low, high : float
        Of the mean over queries; NaN if no grading defines it.
    per_query_low, per_query_high : ndarray of shape (n_queries,)
        Of each query, over the gradings for which it is defined; NaN where it is for none.
    query_ids : sequence of shape (n_queries,)
        Ids of the queries.
    may_be_undefined : ndarray of bool of shape (n_queries,)
        Whether some grading leaves a query without a value.

    Examples
    --------
    >>> from sklearn_rank import evaluate
    >>> ev = evaluate([{"a": 1, "b": 0}], [["a", "b", "new"]], "map")
    >>> bounds = ev.bounds("map")  # new is irrelevant, or (1 + 2/3) / 2
    >>> round(bounds.low, 4), bounds.high
    (0.8333, 1.0)
    """

    measure: str
    low: float
    high: float
    per_query_low: FloatArray = field(repr=False)
    per_query_high: FloatArray = field(repr=False)
    query_ids: Any = field(repr=False)
    may_be_undefined: BoolArray = field(repr=False)
