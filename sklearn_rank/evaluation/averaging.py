"""Per-query values to one number: weights and undefined queries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank import exceptions
from sklearn_rank.exceptions import UndefinedMetricError
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import mean_of
from sklearn_rank.support.text import MAX_LISTED, format_list, listed, safe_repr
from sklearn_rank.typing import Array, BoolArray, FloatArray


class Average(NamedTuple):
    """A mean over queries and what became of the undefined ones."""

    value: float
    n_undefined: int
    n_averaged: int
    undefined: str = ""
    """Number of queries for which the measure is undefined, and the first of them; empty if they
    count as a number."""


def average(
    values: FloatArray,
    weights: FloatArray | None,
    *,
    present: BoolArray | None = None,
    zero_division: str | float,
    measure: object,
    query_ids: Sequence[Any] | Array,
) -> Average:
    """Weighted mean of the defined values; an exact sum makes it the same in any order.

    Queries that are not ``present`` (weight 0 in the data) are ignored.
    """
    if present is not None:
        values = values[present]
        weights = None if weights is None else weights[present]
        query_ids = [query_ids[position] for position in np.flatnonzero(present).tolist()]
    undefined = np.isnan(values)
    count, text = int(np.count_nonzero(undefined)), ""
    if count and not isinstance(zero_division, str) and not math.isnan(zero_division):
        values = np.where(undefined, zero_division, values)
    elif count:
        first = [
            query_ids[position] for position in np.flatnonzero(undefined)[:MAX_LISTED].tolist()
        ]
        named = format_list(first, total=count)
        text = f"undefined for {count:,} of {len(values):,} queries: {named}"
        if zero_division == "raise":
            msg = f"{measure} is {text}"
            raise UndefinedMetricError(msg)
        weights = None if weights is None else weights[~undefined]
        values = values[~undefined]
    return Average(mean_of(values, weights), count, len(values), text)


def warn_of_undefined(averages: Mapping[str, Average], of: str = "") -> None:
    """One warning that lists the undefined measures (``of`` names a part of the data)."""
    measures: dict[str, list[str]] = {}
    for name, mean in averages.items():
        if mean.undefined:
            measures.setdefault(mean.undefined, []).append(name)
    if not measures:
        return

    undefined = "; ".join(
        f"{listed(names, len(names))} {'is' if len(names) == 1 else 'are'} {text}"
        for text, names in measures.items()
    )
    empty = [name for name, mean in averages.items() if mean.undefined and not mean.n_averaged]
    end = "they are left out"
    if len(empty) == sum(map(len, measures.values())):
        end = "the result is NaN"
    elif empty:
        end += f", and the result of {listed(empty, len(empty))} is NaN"
    warn(
        f"{of}{undefined}; {end}. Use the zero_division parameter to control this behavior.",
        exceptions.UndefinedMetricWarning,
    )


def warn_of_undefined_slices(averages: Mapping[Any, Mapping[str, Average]]) -> None:
    """One warning: undefined queries of the first slice that has some, and the other slices."""
    undefined = [
        label for label, means in averages.items() if any(mean.undefined for mean in means.values())
    ]
    if undefined:
        label, *others = undefined
        also = f" (and slices {format_list(others)})" if others else ""
        warn_of_undefined(averages[label], f"slice {safe_repr(label)}{also}: ")


def mean_over(values: FloatArray, weights: FloatArray | None) -> float:
    """Mean of the defined values; NaN if there are none."""
    is_counted = ~np.isnan(values)
    shares = None if weights is None else weights[is_counted]
    if shares is not None and not shares.any():
        return math.nan
    return mean_of(values[is_counted], shares)
