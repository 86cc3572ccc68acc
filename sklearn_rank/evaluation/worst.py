"""The queries that are answered worst, and what queries ask."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.record import Metric
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray

QueryText = Mapping[Any, str] | Callable[[Any], Any] | None


@dataclass(frozen=True)
class QueryValue:
    """One query and its value.

    Attributes
    ----------
    query : object
        Its id.
    text : str
        What it asks, if that was told.
    measure : str
        What was measured.
    value : float
        Of this query.
    placement : Placement
        Where its relevant items stand.
    """

    query: Any
    text: str
    measure: str
    value: float
    placement: Placement


def worst_of(values: FloatArray, metric: Metric, n: int) -> list[int]:
    """Numbers of the ``n`` queries of the worst values, in their order.

    Undefined ones are left out, and those of the best value, of which nothing is to be said.
    """
    greater = metric.greater_is_better
    best = metric.upper if greater else 0.0
    order = np.argsort(values if greater else -values, kind="stable").tolist()
    return [place for place in order if not math.isnan(values[place]) and values[place] != best][:n]


def text_function(query_text: Any) -> Callable[[Any], str]:
    """Gives the text of a query, empty where there is none.

    InvalidParameterError unless made from a mapping or a function.
    """
    if query_text is None:
        return lambda _query: ""
    if isinstance(query_text, Mapping):
        return lambda query: _as_text(query_text.get(query))
    if callable(query_text):
        return lambda query: _as_text(query_text(query))
    msg = (
        "query_text must be {query: text} or a function of the query id, got "
        f"{safe_repr(query_text)}"
    )
    raise InvalidParameterError(msg)


def _as_text(text: Any) -> str:
    return "" if text is None else str(text)
