"""Grades of judged items: finite numbers; the reader of items decides about negative ones."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Real
from typing import Any

import numpy as np

from sklearn_rank.inputs.ranking import Where
from sklearn_rank.support.text import safe_repr


def are_grades(values: Collection[Any]) -> bool:
    """Whether all values are plain numbers that are finite and not negative."""
    if not set(map(type, values)) <= {int, float}:
        return False
    try:
        return math.isfinite(math.fsum(values)) and min(values, default=0) >= 0
    except (OverflowError, ValueError):
        return False  # too large for a float, or infinite both ways


def grade_of(value: Any, where: Where | str, item: Any) -> float:
    """The grade as a finite float, or an error that names the item."""
    if not isinstance(value, (Real, np.bool_)):
        msg = f"{where} has grade {safe_repr(value)} for item {safe_repr(item)}; pass a number"
        raise TypeError(msg)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        what = "NaN" if math.isnan(number) else "infinity"
        msg = f"{where} contains {what} as the grade of item {safe_repr(item)}"
        raise ValueError(msg)
    return number
