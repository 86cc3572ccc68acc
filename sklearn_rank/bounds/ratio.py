"""Extremes of a sum of gains over their ideal sum: nDCG, and its change between two systems.

Of B queries, U items each may have any gain between 0 and a greatest one. The greatest value of

    (fixed + sum of coefficient * gain) / ideal

is found by Dinkelbach's iteration: for a ratio r that some gains reach, those that make
``fixed + sum of coefficient * gain - r * ideal`` greatest have a ratio of at least r, and of r only
if r is the greatest. Given how many items have which gain, the ideal is fixed and the sum is
greatest if the greatest gains go to the greatest coefficients. A gain between two neighbouring ones
of other items changes both sums linearly, so that each gain may be taken to be 0, the greatest, or
that of a known item. (Where a table of gains leaves few to choose from, these are tried and no
others: that of a known item may be out of reach.) That leaves numbers of items per level of gain,
which a dynamic programme over the levels from the top finds: its state is the number of items used,
and since what a level adds depends on where it begins and on where it ends but not on both
together, a running maximum takes the place of the maximum over all beginnings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray


class Problem(NamedTuple):
    """B queries with at most U unjudged items and L levels of gain."""

    fixed: FloatArray
    """(B,) sum of the known items."""
    coefficients: FloatArray
    """(B, U) of the unjudged items; beyond ``sizes`` arbitrary."""
    sizes: IntArray
    """(B,) unjudged items."""
    levels: FloatArray
    """(B, L) gains, falling."""
    counts: IntArray
    """(B, L) known items of each level."""
    tops: FloatArray
    """(B, T) gains of unjudged items that are tried besides those of known ones."""
    only_tops: bool
    """Whether an unjudged item can have no other gain, or else any up to the greatest of these."""
    discounts: FloatArray
    """(K + 1,) running sums of the weights of ranks; what stands below K adds nothing."""


def extremes(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """(B,) least and greatest ratio; NaN where the ideal is 0 whatever the gains."""
    greatest = _greatest(problem)
    least = -_greatest(problem._replace(fixed=-problem.fixed, coefficients=-problem.coefficients))
    return least, greatest


def _greatest(problem: Problem) -> FloatArray:
    """(B,) greatest ratio."""
    programme = _Programme(problem)
    ratio = programme.first_ratio()
    active = np.flatnonzero(~np.isnan(ratio))
    while len(active):
        better = programme.take(active).better(ratio[active])
        rises = better > ratio[active]
        active = active[rises]
        ratio[active] = better[rises]
    return ratio


_PER_QUERY = (
    "fixed",
    "levels",
    "counts",
    "allowed",
    "valid",
    "sums",
    "above",
    "has_known",
)


class _Programme:
    """The dynamic programme of some queries, with all that does not depend on the ratio."""

    def __init__(self, problem: Problem) -> None:
        self.fixed, self.discounts = problem.fixed, problem.discounts
        self.levels, self.counts = _with_tops(problem)
        self.allowed = _allowed(self.levels, problem)
        n_items = problem.coefficients.shape[1]
        self.valid = np.arange(n_items + 1) <= problem.sizes[:, None]
        falling = -np.sort(np.where(self.valid[:, 1:], -problem.coefficients, np.inf), axis=1)
        self.sums = _running(np.where(self.valid[:, 1:], falling, 0.0))
        self.above = _running(self.counts[:, :-1]).astype(np.int64)
        self.has_known = np.asarray((self.counts * (self.levels > 0)).any(axis=1))

    def take(self, queries: IntArray) -> _Programme:
        """The programme of some of the queries."""
        if len(queries) == len(self.fixed):
            return self
        part = object.__new__(_Programme)
        part.discounts = self.discounts
        for name in _PER_QUERY:
            setattr(part, name, getattr(self, name)[queries])
        return part

    def first_ratio(self) -> FloatArray:
        """A ratio that can be reached: nothing relevant, or all where that leaves no ideal."""
        fill = np.where(self.has_known, 0, self.valid.sum(axis=1) - 1)
        return self._ratio(np.where(self.allowed, fill[:, None], 0))

    def better(self, ratio: FloatArray) -> FloatArray:
        """The ratio of the gains that are best given a ratio."""
        n_items = self.sums.shape[1]
        rows, items = np.arange(len(ratio))[:, None], np.arange(n_items)
        value = np.full(self.sums.shape, -np.inf)
        value[:, 0] = 0.0
        begins = []
        for level in range(self.levels.shape[1]):
            gain = self.levels[:, level, None]
            linear = gain * self.sums
            before = self._discount(self.above[:, level, None] + items)
            after = self._discount(self.above[:, level, None] + self.counts[:, level, None] + items)
            cost = ratio[:, None] * gain
            start = value - linear + cost * before
            best, begin = _running_best(start)
            allowed = self.allowed[:, level, None]
            value = np.where(allowed, best, start) + linear - cost * after
            begins.append(np.where(allowed, begin, items))
        # Without a known item all gains 0 would leave no ideal.
        value = np.where(self.valid, value, -np.inf)
        value[~self.has_known, 0] = -np.inf
        end = value.argmax(axis=1)
        ends = np.empty(self.levels.shape, np.int64)
        for level in reversed(range(len(begins))):
            ends[:, level] = end
            end = begins[level][rows[:, 0], end]
        return self._ratio(ends)

    def _ratio(self, ends: IntArray) -> FloatArray:
        """(B,) ratio where ``ends`` (B, L) items have at least the gain of each level."""
        starts = np.concatenate((np.zeros((len(ends), 1), np.int64), ends[:, :-1]), axis=1)
        sums = np.take_along_axis(self.sums, ends, 1) - np.take_along_axis(self.sums, starts, 1)
        ideal = self._discount(self.above + self.counts + ends)
        ideal -= self._discount(self.above + starts)
        total = self.fixed + (self.levels * sums).sum(axis=1)
        divisor = (self.levels * ideal).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(divisor > 0, total / divisor, np.nan)

    def _discount(self, number: IntArray) -> FloatArray:
        """Sum of the weights of so many first ranks."""
        return self.discounts.take(number, mode="clip")


def _with_tops(problem: Problem) -> tuple[FloatArray, IntArray]:
    """The levels with the gains of unjudged items among them."""
    levels = np.column_stack((problem.levels, problem.tops))
    counts = np.column_stack((problem.counts, np.zeros(problem.tops.shape, np.int64)))
    order = np.argsort(-levels, axis=1, kind="stable")
    return np.take_along_axis(levels, order, 1), np.take_along_axis(counts, order, 1)


def _allowed(levels: FloatArray, problem: Problem) -> BoolArray:
    """(B, L) the levels that unjudged items may have."""
    if not problem.only_tops:
        return np.asarray(levels <= problem.tops.max(axis=1, keepdims=True))
    return np.asarray((levels[:, :, None] == problem.tops[:, None, :]).any(axis=2))


def _running(values: Array) -> FloatArray:
    """Sums of the first 0, 1, ... values of each row."""
    result = np.zeros((len(values), values.shape[1] + 1))
    np.cumsum(values, axis=1, out=result[:, 1:])
    return result


def _running_best(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Greatest value up to each place of a row, and where it stands."""
    best = np.maximum.accumulate(values, axis=1)
    is_new: BoolArray = np.ones(values.shape, dtype=bool)
    is_new[:, 1:] = values[:, 1:] > best[:, :-1]
    place = np.where(is_new, np.arange(values.shape[1]), 0)
    return best, np.maximum.accumulate(place, axis=1)
