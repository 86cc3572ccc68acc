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
from sklearn_rank.support.segments import similar_length_blocks, sizes_of
from sklearn_rank.typing import Array, FloatArray, IntArray


class Moved(NamedTuple):
    """Two rankings of Q queries, and which of the relevant items are the hits of each."""

    old: JudgedRankings
    new: JudgedRankings
    old_items: IntArray
    """(H,) number of the item that each hit is, counted through all queries."""
    new_items: IntArray
    offsets: IntArray
    """(Q+1,) borders of the relevant items of each query, retrieved or not."""


def part_changes(moved: Moved, old: ItemParts, new: ItemParts) -> FloatArray:
    """(I,) new part minus old part of each item."""
    n_items = sizes_of(moved.offsets)
    return _by_item(new, moved.new_items, n_items) - _by_item(old, moved.old_items, n_items)


def _by_item(parts: ItemParts, items: IntArray, n_items: IntArray) -> FloatArray:
    values = parts.missing.repeat(n_items)
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
    sides = (moved.old, moved.old_items), (moved.new, moved.new_items)
    was, now = (precision_divisor(side, k, denominator).astype(np.float64) for side, _ in sides)
    for query in (was != now).nonzero()[0].tolist():
        msg = f"its divisor changes with the ranking, from {was[query]:g} to {now[query]:g}"
        raise InvalidParameterError(msg)
    offsets, n_items = moved.offsets, int(moved.offsets[-1])
    nowhere = float(max(moved.old.longest, moved.new.longest) + 1)
    columns = [_positions(*side, n_items, k, nowhere) for side in sides]
    changes = np.empty(n_items + 1)
    for block in similar_length_blocks(sizes_of(offsets)):
        first, last = offsets[block][:, None], offsets[block + 1][:, None]
        rows = np.minimum(first + np.arange((last - first).max()), n_items)
        rows[rows >= last] = n_items
        old, new = (ItemPositions._make(column[rows] for column in side) for side in columns)
        # The mean over both orders in which the two of a pair may move.
        pairs = new.sum_with(old) - old.sum_with(old) + new.sum_with(new) - old.sum_with(new)
        changes[rows] = (new.alone - old.alone + pairs / 2.0) / now[block][:, None]
    return changes[:-1]


class ItemPositions(NamedTuple):
    """Positions of the items of some queries, each a row, in one ranking."""

    middle: FloatArray
    """(Q, I) of the tie group; groups of one ranking differ in it. Unretrieved items are below."""
    tied: IntArray
    alone: FloatArray
    """(Q, I) expected 1 / rank, 0 beyond the cutoff."""
    joint: FloatArray
    """(Q, I) expected 1 / the lower rank of two items of this group, or on this rank."""

    def sum_with(self, others: ItemPositions) -> FloatArray:
        """(Q, I) sum of 1 / the lower rank over all other items of the query in ``others``."""
        order = np.argsort(others.middle, axis=1, kind="stable")
        middle, tied, alone = (_chosen(column, order) for column in others[:3])
        running = np.zeros((len(order), order.shape[1] + 1))
        np.cumsum(alone, axis=1, out=running[:, 1:])
        first, last = _places(middle, self.middle)
        below, count = _chosen(running, last), last - first
        level = below - _chosen(running, first)
        # Items on the same level are of one tie, or of two with one middle.
        same = self.tied == _chosen(tied, np.minimum(first, order.shape[1] - 1))
        level = np.where(same, count * self.joint, (count * self.alone + level) / 2.0)
        total = running[:, -1:] - below + first * self.alone + level
        return np.asarray(total - self._pair(others))

    def _pair(self, others: ItemPositions) -> FloatArray:
        """(Q, I) the same of an item here and itself there, which is no pair."""
        lower = np.where(self.middle > others.middle, self.alone, others.alone)
        level = np.where(self.tied == others.tied, self.joint, (self.alone + others.alone) / 2.0)
        return np.where(self.middle == others.middle, level, lower)


def _chosen(rows: Array, columns: IntArray) -> Array:
    return np.take_along_axis(rows, columns, axis=1)


def _places(ordered: FloatArray, values: FloatArray) -> tuple[IntArray, IntArray]:
    """Places of values in the ordered rows, before and after equal ones."""
    # Rows after one another are in order if each begins above the end of the one before.
    n_rows, width = ordered.shape
    starts = (max(ordered.max(), values.max()) + 1.0) * np.arange(n_rows)[:, None]
    line, sought = (ordered + starts).ravel(), values + starts
    before, behind = (np.searchsorted(line, sought, side) for side in ("left", "right"))
    in_row = width * np.arange(n_rows)[:, None]
    return before - in_row, behind - in_row


def _positions(
    rankings: JudgedRankings, items: IntArray, n_items: int, k: int | None, nowhere: float
) -> ItemPositions:
    """Columns of all items, and one more that fills up rows; what is unretrieved is ``nowhere``."""
    cut = depth(rankings, k)
    above, tied = rankings.above.astype(np.int64), rankings.tied.astype(np.int64)
    inside, start = reach(above, tied, cut), np.minimum(above, cut)
    harmonic = PositionSums(1.0 / np.arange(1.0, cut + 1.0)).over(start, start + inside)
    joint = 2.0 * (inside - (above + 1) * harmonic) / np.maximum(tied * (tied - 1), 1)
    positions = ItemPositions(
        np.full(n_items + 1, nowhere),
        np.zeros(n_items + 1, dtype=np.int64),
        np.zeros(n_items + 1),
        np.zeros(n_items + 1),
    )
    # Where one item was and the other is now, there is room for one: the other is a rank below.
    # Whichever ranking is longer, so that both of a pair agree.
    below = np.where(above + 1 < (np.inf if k is None else k), 1.0 / (above + 2), 0.0)
    columns = (above + tied / 2.0, tied, harmonic / tied, np.where(tied > 1, joint, below))
    for column, values in zip(positions, columns, strict=True):
        column[items] = values
    return positions
