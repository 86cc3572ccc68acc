"""The rule over all grades of the unjudged items: one box of drops, one answer.

Each query has grades of its own, so that its drop lies between two ends whatever the others are,
and every corner of the box is a grading. A drop is significant where its mean exceeds a multiple
of its standard error, which is a convex region: neither two corners inside nor two outside say what
lies between them. So the p-value is bounded over the whole box.
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
from sklearn_rank.gates.rule import Rule
from sklearn_rank.statistics.differences import correct_p_values
from sklearn_rank.statistics.samples import robust_error
from sklearn_rank.support.segments import mean_of
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

Key = TypeVar("Key", bound=Hashable)

_MEANS = 64
"""Intervals of the mean in which the standard error is bounded: the p-value is right to a few %."""


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
    def sizes(self) -> tuple[int, int]:
        """Least and greatest number of queries that have a value."""
        return int((~self.is_optional).sum()), len(self.low)

    @cached_property
    def most_changed(self) -> int:
        """Queries that some grading changes."""
        return int(((self.low != 0) | (self.high != 0)).sum())

    def least_changed(self, mean: float) -> int:
        """Queries that change at least where the mean drop exceeds this one."""
        totals = self.weights * self.high
        must = ((self.low > 0) | (self.high < 0)) & ~self.is_optional
        missing = mean * float(self.weights[~self.is_optional].sum()) - float(totals[must].sum())
        others = np.sort(np.maximum(totals[~must], 0))[::-1]
        more = 0 if missing < 0 else int(np.searchsorted(np.cumsum(others), missing, "right")) + 1
        return int(must.sum()) + min(more, len(others))

    def p_values(self, start: float, stop: float) -> tuple[float, float]:
        """Bounds of the one-sided p-value over all drops whose mean lies between two numbers."""
        if self.sizes[1] < 2:
            return math.nan, math.nan
        floors = 0.5**self.most_changed, 0.5 ** self.least_changed(start - SLACK)
        if self.is_optional.any():
            return floors[0], 1.0
        from scipy import special

        # Degrees of freedom depend on the weights alone.
        freedom = robust_error(self.high, self.weights)[1]
        most, least = self._greatest_t(start, stop), self._least_t(start, stop)
        ends = float(special.stdtr(freedom, -most)), float(special.stdtr(freedom, -least))
        return max(ends[0], floors[0]), min(max(ends[1], floors[1]), 1.0)

    # t is mean / error, and error a norm of the weighted residuals, whose sum is 0 -------------

    def _residuals(self, means: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(G, n) least and greatest weighted residual of each query for each mean."""
        low, high = (self.weights * (end - means[:, None]) for end in (self.low, self.high))
        return low, high

    def _t(self, means: FloatArray, squares: FloatArray, weight: float) -> FloatArray:
        """Each residual counts 1 / (1 - its share of the weights): here all do as that of one."""
        total = float(self.weights.sum())
        rest = max(1 - weight / total, np.finfo(np.float64).eps)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = means * total / np.sqrt(np.maximum(squares, 0.0) / rest)
        return np.where(np.isnan(t), math.inf, t)

    def _greatest_t(self, start: float, stop: float) -> float:
        """Quasi-concave in the mean: the least norm of residuals between two ends is convex."""
        if stop <= 0:
            return 0.0
        left, right, best = max(start, 0.0), stop, 0.0
        for _ in range(8):
            means = np.linspace(left, right, 17)
            t = self._t(means, self._least_squares(means), float(self.weights.min()))
            place = int(t.argmax())
            best = max(best, float(t[place]))
            left, right = means[max(place - 1, 0)], means[min(place + 1, 16)]
        return best * (1 + 1e-9)

    def _least_squares(self, means: FloatArray) -> FloatArray:
        """Residuals are as alike as their ends allow: one level, cut at the ends."""
        low, high = self._residuals(means)
        below, above = low.min(axis=1), high.max(axis=1)
        for _ in range(60):
            level = (below + above) / 2
            is_less = np.clip(level[:, None], low, high).sum(axis=1) < 0
            below, above = np.where(is_less, level, below), np.where(is_less, above, level)
        squares: FloatArray = (np.clip(above[:, None], low, high) ** 2).sum(axis=1)
        return squares

    def _least_t(self, start: float, stop: float) -> float:
        """Between two means the greatest norm is at most what Lagrange's dual has at either."""
        if start <= 0:
            return -math.inf
        means = np.linspace(start, max(stop, start), _MEANS + 1)
        low, high = self._residuals((means[1:] + means[:-1]) / 2)
        order = np.argsort(-(low + high), axis=1)
        filled = low.sum(axis=1, keepdims=True)
        filled = filled + np.cumsum(np.take_along_axis(high - low, order, 1), axis=1)
        place = np.minimum((filled < 0).sum(axis=1, keepdims=True), len(self.low) - 1)
        price = np.take_along_axis(np.take_along_axis(low + high, order, 1), place, 1)
        squares = np.zeros(_MEANS)
        for ends in (means[:-1], means[1:]):
            dual = [side * (side - price) for side in self._residuals(ends)]
            squares = np.maximum(squares, np.maximum(*dual).sum(axis=1))
        return float(self._t(means[:-1], squares, float(self.weights.max())).min()) * (1 - 1e-9)


class OverGradings(NamedTuple):
    """What every grading, and what some grading says of a drop."""

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
    whole = {key: box.p_values(*box.means) for key, box in boxes.items()}
    result = {}
    for key, box in boxes.items():
        rule, (low, high) = rules[key], box.means
        start, stop = low, high
        if high > rule.max_drop:  # the p-value counts where the rule asks for it
            start = max(low, rule.max_drop)
            stop = max(min(high, rule.hard_drop + SLACK), start)
        p = []
        for end, own in enumerate(box.p_values(start, stop)):
            others = {**{name: ends[end] for name, ends in whole.items()}, key: own}
            corrected = correct_p_values([*others.values()], "holm")
            p.append(dict(zip(others, corrected, strict=True))[key])
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
