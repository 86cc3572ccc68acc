"""Functions of the caller as formulas: grades in rank order in, one number per query out."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, cast

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, UndefinedMetricError
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.text import safe_repr, safe_text
from sklearn_rank.typing import FloatArray

MOST_ORDERS = 500
"""Distinct orders of tied items over which a value is averaged."""


@dataclass(frozen=True)
class CustomKernel:
    """A function of the grades of one query, or no function where values are given."""

    name: str
    function: Callable[..., Any] | None
    lower: float
    upper: float
    total: float | None = field(default=None, compare=False)
    """Value of all queries together, which was measured elsewhere."""

    def __call__(self, rankings: JudgedRankings, k: int | None) -> FloatArray:  # noqa: ARG002
        """Values of all queries, each the mean over the orders of its tied items."""
        if self.function is None:
            msg = f"{self.name} is not computed from rankings; pass its numbers: values="
            raise InvalidParameterError(msg)
        values = np.empty(len(rankings))
        for number, query in enumerate(rankings.query_ids):
            judged = rankings.all_grades[slice(*rankings.judged_offsets[number : number + 2])]
            orders = self._orders(rankings, number)
            results = [self._checked(order, judged, query) for order in orders]
            values[number] = math.fsum(results) / len(results)
        return values

    def of_one(self, grades: FloatArray, judged: FloatArray) -> Any:
        """The function of one ranking, and of the grades of its relevant items if it takes them."""
        function = cast("Callable[..., Any]", self.function)
        return function(grades, *[np.sort(judged)[::-1]] * (self._n_required == 2))

    @cached_property
    def _n_required(self) -> int:
        """Positional parameters without a default; 1 where a signature is not known."""
        try:
            parameters = inspect.signature(cast("Any", self.function)).parameters.values()
        except (TypeError, ValueError):
            return 1
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return sum(one.kind in kinds and one.default is one.empty for one in parameters)

    def _orders(self, rankings: JudgedRankings, number: int) -> Iterator[FloatArray]:
        """Grades of one ranking in each distinct order of its ties, all equally likely."""
        grades = np.zeros(int(rankings.n_ranked[number]))
        hits = slice(*rankings.offsets[number : number + 2])
        above = rankings.above[hits]
        # The relevant items of a tie stand at its head until its orders are gone through.
        positions = above + np.arange(len(above)) - np.searchsorted(above, above)
        grades[positions] = rankings.hit_grades[hits]
        pairs = zip(above.tolist(), rankings.tied[hits].tolist(), strict=True)
        ties = [slice(start, start + size) for start, size in dict(pairs).items() if size > 1]
        if math.prod(_count(grades[tie]) for tie in ties) > MOST_ORDERS:
            query = safe_repr(rankings.query_ids[number])
            msg = (
                f"{self.name} is a function of one order, and tied items of query {query} have "
                f"more than {MOST_ORDERS} orders; pass ties='stable' or 'docid'"
            )
            raise UndefinedMetricError(msg)
        for chosen in product(*(list(_arrangements(sorted(grades[tie]))) for tie in ties)):
            order = grades.copy()
            for tie, part in zip(ties, chosen, strict=True):
                order[tie] = part
            yield order

    def _checked(self, grades: FloatArray, judged: FloatArray, query: Any) -> float:
        """The value as a float; NaN says that the measure is undefined for the query."""
        try:
            result = self.of_one(grades, judged)
        except Exception as error:  # of an empty ranking, say
            msg = (
                f"{self.name} of query {safe_repr(query)}, whose ranking has {len(grades)} items, "
                f"raised {type(error).__name__}: {safe_text(str(error), limit=200)}"
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


def _count(grades: FloatArray) -> int:
    """Distinct orders of a tie, or a number beyond the greatest allowed."""
    number, left = 1, len(grades)
    for count in sorted(np.unique(grades, return_counts=True)[1].tolist(), reverse=True):
        if left - count > MOST_ORDERS:  # as many places for one of the others
            return MOST_ORDERS + 1
        number *= math.comb(left, left - count)
        left -= count
    return number


def _arrangements(order: list[float]) -> Iterator[list[float]]:
    """All distinct orders of numbers that come sorted, in lexicographic order."""
    while True:
        yield order[:]
        rising = [
            position for position in range(len(order) - 1) if order[position] < order[position + 1]
        ]
        if not rising:
            return
        position = rising[-1]
        other = max(later for later in range(len(order)) if order[later] > order[position])
        order[position], order[other] = order[other], order[position]
        order[position + 1 :] = order[:position:-1]
