"""Single queries of a comparison: those that changed most, and those that are answered worst."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from sklearn_rank.comparison.attribution import Explanation, explain_all
from sklearn_rank.comparison.join import Joined
from sklearn_rank.comparison.values import QueryChange
from sklearn_rank.evaluation.scale import on_scale
from sklearn_rank.evaluation.worst import text_function, worst_of
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray

Direction = Literal["both", "worse", "better"]
_BY_RELEVANCE = "it reads relevance scores, whose ranking is not kept"


class Changes:
    """Queries of two systems by one measure."""

    def __init__(
        self, joined: Joined, measure: str, pair: tuple[str, str], query_text: Any
    ) -> None:
        self._joined = joined
        self._name = measure
        self._measure = joined.measure(measure)
        self._pair = pair
        self._text = text_function(query_text)
        values = [joined.values(system, measure) for system in pair]
        if any(column is None for column in values):
            msg = f"{measure} ranks all queries together; it has no values per query"
            raise InvalidParameterError(msg)
        self._old, self._new = (column for column in values if column is not None)

    def most_changed(self, n: int, direction: Direction) -> list[QueryChange]:
        """Those that moved the mean most, the largest change first."""
        gains = self._gains()
        sizes = {"both": np.abs(gains), "worse": -gains, "better": gains}[direction]
        order = np.argsort(-sizes, kind="stable").tolist()
        return self._changes([place for place in order[:n] if sizes[place] > 0])

    def worst(self, n: int) -> list[QueryChange]:
        """Those of the worst values of the second system."""
        return self._changes(worst_of(self._new, self._measure.metric, n))

    def of(self, queries: Iterable[Any]) -> list[QueryChange]:
        """Those of these ids."""
        if isinstance(queries, (str, bytes)):
            msg = f"queries must be a collection of query ids, got the text {safe_repr(queries)}"
            raise InvalidParameterError(msg)
        places = {query: number for number, query in enumerate(self._joined.query_ids)}
        numbers = []
        for query in queries:
            if query not in places:
                msg = f"query {safe_repr(query)} was not compared"
                raise InvalidParameterError(msg)
            numbers.append(places[query])
        return self._changes(numbers)

    def _gains(self) -> FloatArray:
        """(Q,) changes on the scale of the mean, above 0 for the better; 0 where undefined."""
        metric = self._measure.metric
        old, new = (on_scale(side, metric.geometric_from) for side in (self._old, self._new))
        moved = np.nan_to_num(new - old, nan=0.0)
        return moved if metric.greater_is_better else -moved

    def _changes(self, numbers: Sequence[int]) -> list[QueryChange]:
        placements = [
            self._joined.systems[system].placements(self._joined.places[system][list(numbers)])
            for system in self._pair
        ]
        queries = self._joined.query_ids
        explained = self._explained(numbers, list(zip(*placements, strict=True)))
        return [
            QueryChange(
                queries[number],
                self._text(queries[number]),
                self._name,
                *self._pair,
                float(self._old[number]),
                float(self._new[number]),
                float(self._new[number]) - float(self._old[number]),
                explanation.items,
                before,
                after,
                explanation.remark,
            )
            for number, explanation, before, after in zip(
                numbers, explained, *placements, strict=True
            )
        ]

    def _explained(
        self, numbers: Sequence[int], pairs: list[tuple[Placement, Placement]]
    ) -> list[Explanation]:
        judged = self._joined.systems[self._pair[1]]._judged
        if self._measure.metric.by_score and judged.by_relevance is not None:
            why = f"{self._name} has no parts by item: {_BY_RELEVANCE}"
            return [Explanation((), why)] * len(pairs)
        undefined = np.isnan(self._new - self._old)[list(numbers)]
        defined = [pair for pair, left_out in zip(pairs, undefined, strict=True) if not left_out]
        told = iter(explain_all(self._measure, defined))
        nothing = Explanation((), f"{self._name} is undefined for this query")
        return [nothing if left_out else next(told) for left_out in undefined]
