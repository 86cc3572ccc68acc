"""The rule over all grades of the unjudged items: one box of drops, one answer.

Each query has grades of its own, so that its drop lies between two ends whatever the others are,
and every corner of the box is a grading. The rule is monotone: a drop that grows in any query never
turns red into green. So the least and the greatest drops of all queries bound the possible drops.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from sklearn_rank.bounds.unjudged import Bounds
from sklearn_rank.gates.compare import Other
from sklearn_rank.gates.measure import Measured
from sklearn_rank.gates.policy import SLACK
from sklearn_rank.gates.rule import Pairs, Rule, judge
from sklearn_rank.statistics.differences import correct_p_values
from sklearn_rank.support.segments import mean_of
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class DropBox:
    """Least and greatest drop (above 0 is worse) of each compared query."""

    low: FloatArray
    high: FloatArray
    weights: FloatArray
    is_optional: BoolArray
    """Whether some grading leaves a query without a value, and so out of the mean."""

    @classmethod
    def of(
        cls,
        ends: tuple[FloatArray, FloatArray],
        weights: FloatArray | None,
        is_optional: BoolArray,
        chosen: IntArray | None = None,
    ) -> DropBox:
        """The queries (or those chosen of them) that some grading defines and that weigh."""
        shares = np.ones(len(ends[0])) if weights is None else weights
        counts = ~np.isnan(ends[0]) & (shares > 0)
        kept = np.flatnonzero(counts) if chosen is None else chosen[counts[chosen]]
        return cls(ends[0][kept], ends[1][kept], shares[kept], is_optional[kept])

    @cached_property
    def means(self) -> tuple[float, float]:
        """Least and greatest mean drop."""
        return -self._greatest_mean(-self.low), self._greatest_mean(self.high)

    def _greatest_mean(self, drops: FloatArray) -> float:
        """Optional queries enter if they raise it, the greatest first."""
        if not len(drops):
            return math.nan
        certain = ~self.is_optional
        mean = mean_of(drops[certain], self.weights[certain]) if certain.any() else -math.inf
        while (chosen := certain | (self.is_optional & (drops > mean))).any():
            raised = mean_of(drops[chosen], self.weights[chosen])
            if not raised > mean:
                break
            mean = raised
        return mean

    @cached_property
    def p_values(self) -> tuple[float, float]:
        """Least and greatest one-sided p-value, which falls with every drop that grows."""
        if not len(self.low):
            return math.nan, math.nan
        if self.is_optional.any():
            return float(0.5 ** (self.high > SLACK).sum()), 1.0
        least, greatest = (self._p_value(end) for end in (self.high, self.low))
        return least, greatest

    def _p_value(self, drops: FloatArray) -> float:
        drops = np.where(np.abs(drops) <= SLACK, 0.0, drops)
        pairs = Pairs(drops, np.arange(len(drops)), self.weights)
        return judge({"": pairs}, {"": Rule(0.0)}, rates=False)[""].p


class OverGradings(NamedTuple):
    """Whether a drop is significant for every grading, and for some grading."""

    drop: tuple[float, float]
    """Least and greatest mean."""
    worse: tuple[int, int]
    """Least and greatest number of queries that are worse."""
    always_red: bool
    may_be_red: bool


def box_of(
    measured: Measured, other: Other, name: str, chosen: list[int] | None = None
) -> DropBox | None:
    """Drops that are possible for the compared queries; None if nothing is known of them."""
    bounds: Bounds | None = other.bounds(name)
    if bounds is None:
        return None
    weights, queries = measured.weights(name), other.queries
    ends = bounds.per_query_low, bounds.per_query_high
    if measured.used[name].metric.greater_is_better:
        ends = -ends[1], -ends[0]
    shares = None if weights is None else weights[queries]
    places = None if chosen is None else np.flatnonzero(np.isin(queries, chosen))
    return DropBox.of(ends, shares, bounds.may_be_undefined, places)


def over_gradings(
    boxes: Mapping[Key, DropBox], rules: Mapping[Key, Rule]
) -> dict[Key, OverGradings]:
    """The rule of gates over all gradings of one family of measures or slices.

    It is red for each of them where one clause is, at the least that any grading makes of it; and
    it may be red where a clause is at the most.
    """
    ends = [{key: box.p_values[end] for key, box in boxes.items()} for end in (0, 1)]
    corrected = [
        dict(zip(own, correct_p_values([*own.values()], "holm"), strict=True)) for own in ends
    ]
    result = {}
    for key, box in boxes.items():
        rule, (low, high) = rules[key], box.means
        p = [own[key] for own in corrected]
        sure = ~box.is_optional
        lost = int((sure & (box.low > SLACK)).sum()), int((box.high > SLACK).sum())
        won = int((sure & (box.high < -SLACK)).sum()), int((box.low < -SLACK).sum())
        always = low > rule.max_drop + SLACK and (
            low > rule.hard_drop + SLACK
            or p[1] <= rule.alpha
            or (rule.only_losses and lost[0] >= 2 and not won[1])
        )
        possible = high > rule.max_drop + SLACK and (
            high > rule.hard_drop + SLACK
            or p[0] <= rule.alpha
            or (rule.only_losses and lost[1] >= 2 and not won[0])
        )
        result[key] = OverGradings((low, high), lost, always, possible)
    return result
