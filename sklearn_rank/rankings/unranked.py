"""Unjudged items that are known by their scores: ranked as relevant ones are, once asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sklearn_rank.rankings.ranking import GradedRows, ranked
from sklearn_rank.rankings.ties import TIE_RULES, grade_order
from sklearn_rank.rankings.unjudged import Places, Unjudged
from sklearn_rank.support.segments import segment_sum, sizes_of
from sklearn_rank.typing import Array, BoolArray, IntArray, Ties


@dataclass(frozen=True)
class UnrankedItems:
    """All items of some queries, where the unjudged ones have grade 1."""

    items: GradedRows
    ties: Ties

    def __call__(self) -> Places:
        """Places of the unjudged items.

        Rules that put relevant items first or last say nothing of the others: these stay tied.
        """
        ties: Ties = self.ties if TIE_RULES[self.ties].by_place else "average"
        waist = ranked(self.items, ties, query_ids=np.arange(len(self.items.offsets) - 1))
        return Places(waist.offsets, waist.above, waist.tied)

    def part(self, queries: slice) -> UnrankedItems:
        """The items of queries that follow each other."""
        offsets = self.items.offsets[queries.start : queries.stop + 1]
        rows = slice(int(offsets[0]), int(offsets[-1]))
        items = GradedRows(self.items.scores[rows], offsets - rows.start, self.items.grades[rows])
        return UnrankedItems(items, self.ties)

    def take(self, queries: IntArray) -> UnrankedItems:
        """The items of some queries alone."""
        return UnrankedItems(self.items.take(queries), self.ties)


class UnjudgedItems(NamedTuple):
    """Which of the ranked items of all queries nobody judged."""

    flags: Array
    """1 for each of these, 0 for others, as uint8."""
    is_open: BoolArray | None = None
    """(Q,) whether items that were not retrieved may be unjudged, too; None: of every query."""
    n_judged: IntArray | None = None
    """(Q,) judged items, retrieved or not; None: all items were retrieved."""


def unjudged_by_score(
    scores: Array, offsets: IntArray, unjudged: UnjudgedItems, ties: Ties
) -> Unjudged:
    """The unjudged ones of scored items."""
    counts = segment_sum(unjudged.flags.astype(np.int32), offsets).astype(np.int64)
    items = UnrankedItems(GradedRows(scores, offsets, unjudged.flags), ties)
    n_judged = np.diff(offsets) - counts if unjudged.n_judged is None else unjudged.n_judged
    return Unjudged(
        counts,
        items,
        is_open=unjudged.is_open,
        grade_order=grade_order(ties),
        n_judged=n_judged,
    )


def unjudged_by_place(offsets: IntArray, unjudged: UnjudgedItems) -> Unjudged:
    """The unjudged ones of items that stand in ranked order."""
    positions = np.flatnonzero(unjudged.flags)
    borders = np.searchsorted(positions, offsets)
    counts = sizes_of(borders)
    placed = Unjudged.at(borders, positions - np.repeat(offsets[:-1], counts))
    return replace(placed, is_open=unjudged.is_open, n_judged=unjudged.n_judged)
