"""Aliases shared by the modules of the package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array: TypeAlias = npt.NDArray[Any]
    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]
    BoolArray: TypeAlias = npt.NDArray[np.bool_]
else:  # numpy.typing takes a fifth of the time of the whole import
    Array = FloatArray = IntArray = BoolArray = np.ndarray

StringProvider: TypeAlias = Callable[[Any], str]
"""Item to the string by which it is compared."""

Ties: TypeAlias = Literal["average", "stable", "docid", "optimistic", "pessimistic"]
ZeroDivision: TypeAlias = Literal["warn", "raise"] | float
Missing: TypeAlias = Literal["zero", "skip", "raise"]
Duplicates: TypeAlias = Literal["raise", "first"]
Assume: TypeAlias = Literal["complete", "partial"]
NegativeGrades: TypeAlias = Literal["raise", "unjudged", "irrelevant"]
Unretrieved: TypeAlias = Literal["last", "ignore"]

Gain: TypeAlias = Literal["exp2", "linear", "binary", "exp2_next"] | Mapping[float, float]
"""Grade to gain."""
Discount: TypeAlias = Literal["log2", "log2_rank", "log2_plus_2", "one_plus_log2", "rank"]
"""Rank to divisor."""
