"""Best grades first: counted where grades are a few whole numbers, else sorted."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sklearn_rank.support.checks import as_bytes
from sklearn_rank.support.segments import offsets_of, segment_index, segment_total, sizes_of
from sklearn_rank.support.sorting import falling_codes, order_segments
from sklearn_rank.typing import Array, FloatArray, IntArray

SMALL_INTEGERS = 32
"""Grades below this that are whole numbers go by tables and counts."""
_FEW_GRADES = 8
"""Two passes, of four grades each, cost less than one that codes grades and queries together."""
_TOGETHER = 4
"""Counts of 16 bits in a number of 64."""


class Best(NamedTuple):
    """Values of the best items of each query, falling."""

    values: FloatArray
    offsets: IntArray


class LevelCounts(NamedTuple):
    """How many items of each query have each of a few grades."""

    grades: FloatArray
    """(L,)"""
    counts: IntArray
    """(Q, L), those of a level side by side in memory where queries may be short."""

    def look_up(self, values: FloatArray, grades: Array) -> FloatArray:
        """Value of each grade; every grade is a level."""
        table = np.zeros(int(self.grades.max(initial=0.0)) + 1)
        table[self.grades.astype(np.int64)] = values
        return table.take(grades.astype(np.int64))

    def best(self, values: FloatArray, cut: int) -> Best:
        """The best of the ``values`` that the grades have, at most ``cut`` for each query."""
        falling, taken = self._best(values, cut)
        repeats = np.stack(taken)
        offsets = offsets_of(repeats.sum(axis=0))
        best = np.tile(values[falling], len(self.counts))
        return Best(np.repeat(best, repeats.T.ravel()), offsets)

    def distinct(self, values: FloatArray, cut: int) -> tuple[LevelCounts, IntArray] | None:
        """What :meth:`best` takes of queries that differ in it, and which of these each query is.

        None where that saves nothing: queries of many grades or many relevant items are all
        different.
        """
        falling, taken = self._best(values, cut)
        sizes = [int(counts.max(initial=0)) + 1 for counts in taken]
        n_codes = math.prod(sizes)
        if n_codes > len(self.counts):
            return None
        codes = np.zeros(len(self.counts), np.int64)
        for size, counts in zip(sizes, taken, strict=True):
            codes *= size
            codes += counts
        example = np.full(n_codes, -1)
        example[codes] = np.arange(len(codes))
        occurs = np.flatnonzero(example >= 0)
        numbers = np.empty(n_codes, np.int64)
        numbers[occurs] = np.arange(len(occurs))
        distinct = np.empty((len(occurs), len(sizes)), np.int64)
        for level, counts in zip(falling.tolist(), taken, strict=True):
            distinct[:, level] = counts[example[occurs]]
        return LevelCounts(self.grades, distinct), numbers[codes]

    def _best(self, values: FloatArray, cut: int) -> tuple[IntArray, list[IntArray]]:
        """Levels in the order of their falling values, and how many of each the best have."""
        falling = np.argsort(-values, kind="stable")
        left, taken = np.full(len(self.counts), cut), []
        for level in falling.tolist():
            taken.append(np.minimum(self.counts[:, level], left))
            left -= taken[-1]
        return falling, taken


def narrow_grades(grades: Array) -> Array:
    """The grades in a byte each, if all are whole numbers that fit, as most are; else as float64.

    Negative ones, which say that an item was not judged, become 0 then.
    """
    narrow = as_bytes(grades)
    if narrow is None and grades.min() < 0:
        narrow = as_bytes(np.maximum(grades, 0))
    return grades.astype(np.float64, copy=False) if narrow is None else narrow


def small_integers(grades: Array) -> IntArray | None:
    """The grades as integers from 0 on if all are small ones, as most grades are; else None."""
    # Viewed as unsigned, negatives exceed the limit too.
    signed = grades.dtype.kind == "i"
    unsigned = grades.view(f"u{grades.itemsize}") if signed else grades
    if not len(grades) or unsigned.max() >= SMALL_INTEGERS or (not signed and grades.min() < 0):
        return None
    codes: IntArray = grades.astype(np.int64, copy=False)
    return codes if codes is grades or (codes == grades).all() else None


def count_levels(grades: Array, offsets: IntArray) -> LevelCounts | None:
    """Counts of the grades of each segment if all are small whole numbers, else None."""
    if grades.dtype == np.uint8 and 0 < grades.max(initial=0) <= _FEW_GRADES:
        sizes = sizes_of(offsets)
        if sizes.max() < 1 << 16:
            return _count_together(grades, offsets, sizes)
    codes = small_integers(grades)
    if codes is None:
        return None
    n_queries, n_levels = len(offsets) - 1, int(codes.max()) + 1
    # One count for all: the codes of each query have numbers of their own.
    codes = codes + np.repeat(np.arange(n_queries) * n_levels, sizes_of(offsets))
    counts = np.bincount(codes, minlength=n_queries * n_levels).reshape(n_queries, n_levels)
    present = np.flatnonzero(counts.any(axis=0))
    return LevelCounts(present.astype(np.float64), counts[:, present])


def _count_together(grades: Array, offsets: IntArray, sizes: IntArray) -> LevelCounts:
    """The same four grades at a time, whose counts are added as parts of one number."""
    n_levels = int(grades.max()) + 1
    counts = np.empty((n_levels, len(sizes)), np.int64)
    for first in range(1, n_levels, _TOGETHER):
        # The bit of any other grade is shifted out.
        shifts = ((grades - np.uint8(first)) << np.uint8(4)).astype(np.uint64)
        sums = segment_total(np.left_shift(np.uint64(1), shifts, out=shifts), offsets)
        for place, level in enumerate(counts[first : first + _TOGETHER]):
            level[:] = (sums >> np.uint64(16 * place)) & np.uint64(0xFFFF)
    counts[0] = sizes - counts[1:].sum(axis=0)
    present = np.flatnonzero(counts.any(axis=1))
    return LevelCounts(present.astype(np.float64), counts[present].T)


def best_of(values: FloatArray, offsets: IntArray, cut: int) -> Best:
    """The best values of each segment, at most ``cut`` of them."""
    query = segment_index(offsets)
    if ((values[1:] > values[:-1]) & (query[1:] == query[:-1])).any():
        values = values[order_segments(falling_codes(values), offsets).order]
    taken = np.minimum(sizes_of(offsets), cut)
    return Best(values[np.arange(len(values)) - offsets[query] < cut], offsets_of(taken))
