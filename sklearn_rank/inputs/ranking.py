"""One query's ranking, and where in the input a thing stands that an error speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.support.arrays import refuse_unordered
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array


class Where(NamedTuple):
    """Which argument, and the query within it; written out only in messages."""

    argument: str
    query: Any

    def __str__(self) -> str:
        return f"{self.argument}[{safe_repr(self.query)}]"


class Ranking(NamedTuple):
    """One query's ranking: a ranked list of keys, or {key: score} with its scores as an array.

    A mapping holds the scores as they were given, the array may have rounded them:
    :func:`check_scores` compares the two.
    """

    items: Sequence[Any] | Mapping[Any, Any]
    scores: Array | None
    where: Where
    dropped: int = 0


def sequence(given: Any, where: Where | str) -> list[Any]:
    """A list of the items of any ordered, finite sequence."""
    if isinstance(given, (list, tuple)):
        return list(given)
    name = str(where)
    refuse_unordered(given, name)
    if isinstance(given, Mapping):
        msg = f"{name} is a {type(given).__name__} where a list is expected"
        raise TypeError(msg)
    if isinstance(given, np.ndarray) and given.ndim != 1:
        msg = f"{name} should be a 1d array, got an array of shape {given.shape} instead."
        raise ValueError(msg)
    return given.tolist() if hasattr(given, "tolist") else list(given)
