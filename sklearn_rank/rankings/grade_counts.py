"""Best grades first: counted where grades are a few whole numbers, else sorted."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sklearn_rank.support.arrays import as_bytes
from sklearn_rank.support.segments import offsets_of, segment_count, segment_index
from sklearn_rank.support.sorting import falling_codes, order_segments
from sklearn_rank.typing import Array, FloatArray, IntArray

SMALL_INTEGERS = 32
"""Grades below this that are whole numbers go by tables and counts."""
_FEW_GRADES = 8
"""So many passes over bytes cost less than three over numbers of 64 bits."""


class Best(NamedTuple):
    """Values of the best items of each query, falling."""

    values: FloatArray
    offsets: IntArray


class LevelCounts(NamedTuple):
    """How many items of each query have each of a few grades."""

    grades: FloatArray
    """(L,)"""
    counts: IntArray
    """(Q, L)"""

    def look_up(self, values: FloatArray, grades: FloatArray) -> FloatArray:
        """Value of each grade; every grade is a level."""
        table = np.zeros(int(self.grades.max(initial=0.0)) + 1)
        table[self.grades.astype(np.int64)] = values
        return table.take(grades.astype(np.int64))

    def best(self, values: FloatArray, cut: int) -> Best:
        """The best of the ``values`` that the grades have, at most ``cut`` for each query."""
        falling = np.argsort(-values, kind="stable")
        taken = np.minimum(np.cumsum(self.counts[:, falling], axis=1), cut)
        repeats = np.diff(taken, axis=1, prepend=0).ravel()
        return Best(
            np.repeat(np.tile(values[falling], len(taken)), repeats), offsets_of(taken[:, -1])
        )

    def distinct(self, values: FloatArray, cut: int) -> tuple[LevelCounts, IntArray] | None:
        """What :meth:`best` takes of queries that differ in it, and which of these each query is.

        None where that saves nothing: queries of many grades or many relevant items are all
        different.
        """
        falling = np.argsort(-values, kind="stable")
        taken = np.minimum(np.cumsum(self.counts[:, falling], axis=1), cut)
        taken[:, 1:] -= taken[:, :-1].copy()
        sizes = (taken.max(axis=0, initial=0) + 1).tolist()
        n_codes = math.prod(sizes)
        if n_codes > len(taken):
            return None
        steps = np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))])
        codes = taken @ steps
        example = np.full(n_codes, -1)
        example[codes] = np.arange(len(codes))
        occurs = np.flatnonzero(example >= 0)
        numbers = np.empty(n_codes, np.int64)
        numbers[occurs] = np.arange(len(occurs))
        counts = np.empty((len(occurs), len(sizes)), np.int64)
        counts[:, falling] = taken[example[occurs]]
        return LevelCounts(self.grades, counts), numbers[codes]


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
        return _count_each(grades, offsets)
    codes = small_integers(grades)
    if codes is None:
        return None
    n_queries, n_levels = len(offsets) - 1, int(codes.max()) + 1
    # One count for all: the codes of each query have numbers of their own.
    codes = codes + np.repeat(np.arange(n_queries) * n_levels, np.diff(offsets))
    counts = np.bincount(codes, minlength=n_queries * n_levels).reshape(n_queries, n_levels)
    present = np.flatnonzero(counts.any(axis=0))
    return LevelCounts(present.astype(np.float64), counts[:, present])


def _count_each(grades: Array, offsets: IntArray) -> LevelCounts:
    """The same grade by grade, where bytes are read faster than they are widened to one code."""
    counts = {
        grade: segment_count(is_grade, offsets)
        for grade in range(int(grades.max()) + 1)
        if (is_grade := grades == grade).any()
    }
    return LevelCounts(np.array(list(counts), np.float64), np.stack(list(counts.values()), axis=1))


def best_of(values: FloatArray, offsets: IntArray, cut: int) -> Best:
    """The best values of each segment, at most ``cut`` of them."""
    query = segment_index(offsets)
    if ((values[1:] > values[:-1]) & (query[1:] == query[:-1])).any():
        values = values[order_segments(falling_codes(values), offsets).order]
    taken = np.minimum(np.diff(offsets), cut)
    return Best(values[np.arange(len(values)) - offsets[query] < cut], offsets_of(taken))
