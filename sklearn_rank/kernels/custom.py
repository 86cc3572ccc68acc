"""Functions of the caller as formulas: grades in rank order in, one number per query out."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.text import safe_repr, safe_text
from sklearn_rank.typing import FloatArray


@dataclass(frozen=True)
class CustomKernel:
    """A function of the grades of one query; None if values are given."""

    name: str
    function: Callable[..., Any] | None
    lower: float
    upper: float
    total: float | None = field(default=None, compare=False)
    """Value of all queries together, which was measured elsewhere."""

    def __call__(self, rankings: JudgedRankings, k: int | None) -> FloatArray:  # noqa: ARG002
        """Values of all queries, whose relevant items are not tied."""
        if self.function is None:
            msg = f"{self.name} is not computed from rankings; pass its numbers as values="
            raise InvalidParameterError(msg)
        takes_ideal, values = _n_required(self.function) == 2, np.empty(len(rankings))
        for number, query in enumerate(rankings.query_ids):
            hits = slice(*rankings.offsets[number : number + 2])
            grades = np.zeros(int(rankings.n_ranked[number]))
            grades[rankings.above[hits]] = rankings.hit_grades[hits]
            arguments = [grades]
            if takes_ideal:
                borders = rankings.relevant_offsets[number : number + 2]
                arguments.append(np.sort(rankings.all_grades[slice(*borders)])[::-1])
            values[number] = self._checked(arguments, query)
        return values

    def _checked(self, arguments: list[FloatArray], query: Any) -> float:
        """The value as a float; NaN if the measure is undefined for the query."""
        try:
            result = cast("Callable[..., Any]", self.function)(*arguments)
        except Exception as error:  # such as an empty ranking
            msg = (
                f"{self.name} of query {safe_repr(query)}, whose ranking has {len(arguments[0])} "
                f"items, raised {type(error).__name__}: {safe_text(str(error), limit=200)}"
            )
            raise InvalidParameterError(msg) from error
        try:
            value = math.inf if isinstance(result, (str, bytes)) else float(result)
        except (TypeError, ValueError, OverflowError):
            value = math.inf
        if math.isinf(value) or value < self.lower or value > self.upper:
            msg = (
                f"{self.name} of query {safe_repr(query)} must be a finite number in "
                f"[{self.lower:g}, {self.upper:g}], or NaN; got {safe_repr(result)}"
            )
            raise InvalidParameterError(msg)
        return value


def _n_required(function: Callable[..., Any]) -> int:
    """Positional parameters without a default; 1 where a signature is not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in kinds and one.default is one.empty for one in parameters)
