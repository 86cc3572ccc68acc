"""How sure the score of a fold is: what intervals over queries are made of after a search."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from sklearn_rank.evaluation.compute import Scored
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.model_selection.scorer import RankingScorer
from sklearn_rank.statistics.samples import error_of_mean

Statistic = Literal["se", "queries"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)


class SpreadScorer(RankingScorer):
    """The standard error over queries of a scorer's score, or the number of its queries.

    A column of such numbers beside that of the scores is all that an interval over queries needs,
    so that nothing has to be fitted again. Not a score: its size says nothing of quality.
    """

    def __init__(self, *args: Any, statistic: Statistic, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._statistic = statistic
        self._called = f"rank_scorers(['{self.measure}'], spread=True)['{self._name}']"

    def _told(self, scored: Scored) -> float:
        if scored.values is None:
            msg = f"{scored.measure} ranks all queries together, so that it has no spread"
            raise InvalidParameterError(msg)
        values, weights = scored.values, scored.weights
        if isinstance(scored.zero_division, float):
            values = np.where(np.isnan(values), scored.zero_division, values)
        kept = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
        if self._statistic == "queries":
            return float(kept.sum())
        if kept.sum() < 2:
            return np.nan
        return error_of_mean(values[kept], None if weights is None else weights[kept])

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "statistic": self._statistic}

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, SpreadScorer) and self._statistic == other._statistic
        return same and super().__eq__(other)

    def __hash__(self) -> int:
        return hash((self.measure, self._statistic))


def spread_of(scorer: RankingScorer, statistic: Statistic) -> SpreadScorer:
    """The scorer of the spread of a score, read with the same options."""
    state = scorer._state()
    name = f"{state.pop('name')}_{statistic}"
    return SpreadScorer(state.pop("measure"), name=name, statistic=statistic, **state)
