"""Users' own gain and discount functions, checked wherever they are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray

_SAME = 1e-9
"""Tolerance, relative, between f([x])[0] and f(xs)[i]: vectorised code may round differently."""


def called(
    function: Callable[[FloatArray], Any], values: FloatArray, name: str, of: str
) -> FloatArray:
    """The function of an array, checked to give a number for each element by itself.

    Queries are evaluated in blocks, so a function that scales by the greatest, say, would make a
    query's value depend on its neighbours. To catch that, it is also called with the first and
    with the last element alone. It is never called with nothing.
    """
    if not len(values):
        return np.zeros(0)
    result = _numbers(function, values, name, of)
    for place in (0, -1) if len(values) > 1 else ():
        value = values[place]
        alone, among = _numbers(function, np.array([value]), name, of)[0], result[place]
        with np.errstate(invalid="ignore"):
            differs = abs(alone - among) > _SAME * abs(among)
        if differs:
            msg = (
                f"{name} must depend on each {of} alone, got {alone} for {of} {value:g} and "
                f"{among} among others"
            )
            raise InvalidParameterError(msg)
    return result


def _numbers(
    function: Callable[[FloatArray], Any], values: FloatArray, name: str, of: str
) -> FloatArray:
    given = function(values.copy())
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.zeros(())  # ragged
    if array.shape != values.shape:
        msg = (
            f"{name} must return one number for each {of} of the array it is given: "
            f"shape {values.shape}, got {array.shape} ({safe_repr(given)})"
        )
        raise InvalidParameterError(msg)
    if array.dtype.kind not in "biuf" and not all(
        isinstance(number, (int, float)) for number in array.tolist()
    ):
        msg = f"{name} must return numbers, got {safe_repr(given)}"
        raise InvalidParameterError(msg)
    try:
        return array.astype(np.float64)
    except OverflowError:
        msg = f"{name} must return numbers that float64 can hold, got {safe_repr(given)}"
        raise InvalidParameterError(msg) from None
