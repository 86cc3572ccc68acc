"""Contributions of relevant items to the change of a value from one ranking to another.

Where a value is a sum over items, an item's part of the change is the new part minus the old one.
Precision at an item depends on the items above it, so that average precision is a sum over pairs;
what a pair changes is shared by both as Shapley would: an item that did not move has no part in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.binary import precision_divisor
from sklearn_rank.kernels.expectation import ItemParts, PositionSums, depth, reach
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.typing import FloatArray, IntArray


class Moved(NamedTuple):
    """Two rankings of one query, and which of its relevant items are the hits of each."""

    old: JudgedRankings
    new: JudgedRankings
    old_items: IntArray
    """(H,) number of the item that each hit is."""
    new_items: IntArray
    n_items: int
    """Relevant items of the query, retrieved or not."""


def part_changes(
    old: ItemParts, new: ItemParts, old_items: IntArray, new_items: IntArray, n_items: int
) -> FloatArray:
    """(I,) new part minus old part of each item of one query, in the order of the hits."""
    return _by_item(new, new_items, n_items) - _by_item(old, old_items, n_items)


def _by_item(parts: ItemParts, items: IntArray, n_items: int) -> FloatArray:
    values = np.full(n_items, parts.missing[0])
    values[items] = parts.hits
    return values


# Average precision -------------------------------------------------------------------------------


def average_precision_moves(moved: Moved, *, k: int | None, denominator: str = "min") -> FloatArray:
    """(I,) parts of the items in the change of average precision.

    AP times its divisor is the sum of 1 / rank of each item and of 1 / the lower rank of each pair.
    """
    if denominator == "retrieved":
        msg = "its divisor, the items found, changes with the ranking"
        raise InvalidParameterError(msg)
    was, now = (
        float(precision_divisor(rankings, k, denominator)[0]) for rankings in (moved.old, moved.new)
    )
    if was != now:
        msg = f"its divisor changes with the ranking, from {was:g} to {now:g}"
        raise InvalidParameterError(msg)
    old = _positions(moved.old, moved.old_items, moved.n_items, k)
    new = _positions(moved.new, moved.new_items, moved.n_items, k)
    # The mean over both orders in which the two of a pair may move.
    pairs = new.sum_with(old) - old.sum_with(old) + new.sum_with(new) - old.sum_with(new)
    return (new.alone - old.alone + pairs / 2.0) / now


class ItemPositions(NamedTuple):
    """Positions of the items of a query in one ranking; infinite for unretrieved ones."""

    middle: FloatArray
    """(I,) of the tie group; groups of one ranking differ in it."""
    tied: IntArray
    alone: FloatArray
    """(I,) expected 1 / rank, 0 beyond the cutoff."""
    joint: FloatArray
    """(I,) expected 1 / the lower rank of two items of this group, or on this rank."""

    def sum_with(self, others: ItemPositions) -> FloatArray:
        """(I,) sum of 1 / the lower rank over all other items in ``others``."""
        order = np.argsort(others.middle, kind="stable")
        middle = others.middle[order]
        running = np.concatenate(([0.0], np.cumsum(others.alone[order])))
        first, last = (np.searchsorted(middle, self.middle, side) for side in ("left", "right"))
        level = running[last] - running[first]
        alike = order[np.minimum(first, len(order) - 1)]
        level = self._level(others, alike, last - first, level)
        total = running[-1] - running[last] + first * self.alone + level
        return np.asarray(total - self._pair(others))

    def _level(
        self, others: ItemPositions, alike: IntArray, count: IntArray, level: FloatArray
    ) -> FloatArray:
        """Sum over the items on the same level: of one tie, or of two with one middle."""
        same = self.tied == others.tied[alike]
        return np.where(same, count * self.joint, (count * self.alone + level) / 2.0)

    def _pair(self, others: ItemPositions) -> FloatArray:
        """(I,) the same of an item here and itself there, which is no pair."""
        lower = np.where(self.middle > others.middle, self.alone, others.alone)
        level = np.where(self.tied == others.tied, self.joint, (self.alone + others.alone) / 2.0)
        return np.where(self.middle == others.middle, level, lower)


def _positions(
    rankings: JudgedRankings, items: IntArray, n_items: int, k: int | None
) -> ItemPositions:
    cut = depth(rankings, k)
    above, tied = rankings.above.astype(np.int64), rankings.tied.astype(np.int64)
    inside, start = reach(above, tied, cut), np.minimum(above, cut)
    harmonic = PositionSums(1.0 / np.arange(1.0, cut + 1.0)).over(start, start + inside)
    joint = 2.0 * (inside - (above + 1) * harmonic) / np.maximum(tied * (tied - 1), 1)
    positions = ItemPositions(
        np.full(n_items, np.inf),
        np.zeros(n_items, dtype=np.int64),
        np.zeros(n_items),
        np.zeros(n_items),
    )
    # Where one item was and the other is now, there is room for one: the other is a rank below.
    # Whichever ranking is longer, so that both of a pair agree.
    below = np.where(above + 1 < (np.inf if k is None else k), 1.0 / (above + 2), 0.0)
    columns = (above + tied / 2.0, tied, harmonic / tied, np.where(tied > 1, joint, below))
    for column, values in zip(positions, columns, strict=True):
        column[items] = values
    return positions
