"""Per-query values to one number: weights, and queries for which a measure is undefined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank import exceptions
from sklearn_rank.exceptions import UndefinedMetricError
from sklearn_rank.support.sums import exact_sum, in_unit
from sklearn_rank.support.text import listed
from sklearn_rank.support.warn import warn
from sklearn_rank.typing import Array, BoolArray, FloatArray


class Average(NamedTuple):
    """A mean over queries and what became of the undefined ones."""

    value: float
    n_undefined: int
    n_averaged: int


def average(
    values: FloatArray,
    weights: FloatArray | None,
    *,
    present: BoolArray | None = None,
    zero_division: str | float,
    measure: str,
    query_ids: Sequence[Any] | Array,
) -> Average:
    """Weighted mean of the defined values; an exact sum makes it the same in any order.

    Queries that are not ``present`` (of weight 0 in the data) count for nothing.
    """
    if present is not None:
        values = values[present]
        weights = None if weights is None else weights[present]
        query_ids = [query_ids[place] for place in np.flatnonzero(present).tolist()]
    undefined = np.isnan(values)
    count = int(undefined.sum())
    if undefined.any():
        values = _settle(values, undefined, zero_division, measure, query_ids)
        if weights is not None:
            weights = weights[~np.isnan(values)]
        values = values[~np.isnan(values)]
    return Average(_mean(values, weights), count, len(values))


def _settle(
    values: FloatArray,
    undefined: Array,
    zero_division: str | float,
    measure: str,
    query_ids: Sequence[Any] | Array,
) -> FloatArray:
    """The values with the undefined ones replaced, or left NaN to be left out."""
    places = np.flatnonzero(undefined).tolist()
    if zero_division in ("warn", "raise"):
        what = (
            f"{measure} is undefined for {len(places):,} of {len(values):,} queries: "
            f"{listed([query_ids[place] for place in places])}"
        )
        if zero_division == "raise":
            raise UndefinedMetricError(what)
        left = "the result is NaN" if len(places) == len(values) else "they are left out"
        warn(
            f"{what}; {left}. Use the zero_division parameter to control this behavior.",
            exceptions.UndefinedMetricWarning,
        )
        return values
    return np.where(undefined, float(zero_division), values)


def _mean(values: FloatArray, weights: FloatArray | None) -> float:
    if not len(values):
        return math.nan
    values, exponent = in_unit(values)
    if weights is None or not weights.any():
        # Without any weight only queries that count as a given value are left.
        return math.ldexp(exact_sum(values) / len(values), exponent)
    weights, _ = in_unit(weights)
    total = exact_sum(weights * values) / exact_sum(weights)
    return math.ldexp(total, exponent)
