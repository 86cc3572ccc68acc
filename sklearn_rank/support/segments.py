"""Arithmetic over the segments of a flat array; segment ``i`` is ``offsets[i]:offsets[i+1]``.

Every result depends only on the values of its segment, never on its neighbours, so that no value
changes by a bit when queries are reordered or split into blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray

EMPTY: IntArray = np.zeros(0, np.int64)
"""No item numbers."""
BLOCK = 1 << 18
"""Items measured at once: they fit the processor's caches, and keep a thread busy for longer than
it waits for Python's lock. Half or twice as many cost a tenth more."""
_SHORT = 16
"""Segments up to this length share a block: padding costs less than one more block."""
_PADDING = 16
"""At most one in this many cells of a matrix is padding."""
_FEW_CELLS = 1 << 12
"""Padding that costs less than one more matrix, regardless of its share."""

_WIDEST = 1 << 26
"""Elements of a row that is one value; NumPy takes 2^31 bytes at most."""


def offsets_of(sizes: IntArray) -> IntArray:
    """Offsets of consecutive segments of the given sizes."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.add.accumulate(sizes, out=offsets[1:])
    return offsets


def sizes_of(offsets: IntArray) -> IntArray:
    """Sizes of consecutive segments; ``np.diff`` takes five times as long for few."""
    return offsets[1:] - offsets[:-1]


def segment_index(offsets: IntArray) -> IntArray:
    """Number of the segment that each element belongs to."""
    return np.arange(len(offsets) - 1).repeat(sizes_of(offsets))


def segment_sum(values: Array, offsets: IntArray) -> FloatArray:
    """Sum of each segment; 0 for an empty one."""
    return _reduce(np.add, values, offsets)


def segment_count(flags: BoolArray, offsets: IntArray) -> IntArray:
    """Number of true elements of each segment, without wider numbers for all of them at once."""
    counts = np.empty(len(offsets) - 1, np.int64)
    for first, last in blocks(offsets):
        own = offsets[first : last + 1]
        counts[first:last] = segment_sum(flags[own[0] : own[-1]].astype(np.int64), own - own[0])
    return counts


def segment_max(values: Array, offsets: IntArray) -> FloatArray:
    """Greatest value of each segment; 0 for an empty one."""
    return _reduce(np.maximum, values, offsets)


def _reduce(ufunc: np.ufunc, values: Array, offsets: IntArray) -> FloatArray:
    starts = offsets[:-1]
    # Numbers of segments are put in their places faster than by a mask.
    filled = (offsets[1:] > starts).nonzero()[0]
    if len(starts) and len(filled) == len(starts):
        reduced: FloatArray = ufunc.reduceat(values, starts)
        return reduced.astype(np.float64, copy=False)
    result = np.zeros(len(starts), values.dtype)
    if len(filled):
        result[filled] = ufunc.reduceat(values, starts[filled])
    return result.astype(np.float64)


def take_segments(offsets: IntArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of the elements of the chosen segments, and their new offsets."""
    sizes = offsets[chosen + 1] - offsets[chosen]
    new_offsets = offsets_of(sizes)
    shift = np.repeat(offsets[:-1][chosen] - new_offsets[:-1], sizes)
    return shift + np.arange(new_offsets[-1]), new_offsets


def by_rising_length(lengths: IntArray) -> IntArray:
    """Positions of segments in the order of their lengths; the sort is stable."""
    # NumPy sorts integers of 16 bits by counting.
    small = lengths.max(initial=0) < 1 << 16
    return np.argsort(lengths.astype(np.uint16) if small else lengths, kind="stable")


def similar_runs(lengths: IntArray, limit: int) -> Iterator[slice]:
    """Runs of ascending lengths that fill a matrix of about ``limit`` cells with little padding."""
    if len(lengths) and lengths[0] == lengths[-1]:
        step = max(limit // max(int(lengths[0]), 1), 1)
        for start in range(0, len(lengths), step):
            yield slice(start, min(start + step, len(lengths)))
        return
    first = 0
    while first < len(lengths):
        window = lengths[first : first + max(limit // max(int(lengths[first]), 1), 1)]
        cells = window * np.arange(1, len(window) + 1)
        padding = cells - np.cumsum(window)
        fits = (cells <= limit) & (padding <= np.maximum(cells // _PADDING, _FEW_CELLS))
        last = first + (len(window) if fits.all() else max(int(np.argmin(fits)), 1))
        yield slice(first, last)
        first = last


def gather_rows(
    offsets: IntArray, chosen: IntArray, *arrays: Array
) -> tuple[list[Array], int, IntArray]:
    """Elements of some segments as rows of one width, the width, and the cells beyond their ends.

    The content of such a cell is arbitrary.
    """
    starts = offsets[chosen]
    lengths = offsets[chosen + 1] - starts
    width = int(lengths.max())
    if width <= _WIDEST and starts.max() + width <= offsets[-1]:
        # Each row is one value that begins at any element: rows are copied as rows, which takes a
        # part of the time that an index of each element would.
        rows = []
        for array in map(np.ascontiguousarray, arrays):
            row = np.dtype((np.void, width * array.itemsize))
            windows = np.ndarray(len(array) - width + 1, row, array, 0, array.strides)
            rows.append(windows[starts].view(array.dtype))
    else:
        cells = (starts[:, None] + np.arange(width)).ravel()
        rows = [array.take(cells, mode="clip") for array in arrays]
    missing = width - lengths
    ends, lasts = np.arange(1, len(lengths) + 1) * width, np.cumsum(missing)
    return rows, width, np.repeat(ends - lasts, missing) + np.arange(lasts[-1])


def blocks(offsets: IntArray, limit: int | None = None) -> Iterator[tuple[int, int]]:
    """Runs ``first:last`` of segments that hold about ``limit`` elements together."""
    limit = BLOCK if limit is None else limit
    first, n_segments = 0, len(offsets) - 1
    if n_segments and offsets[-1] - offsets[0] <= limit:
        yield 0, n_segments
        return
    while first < n_segments:
        last = int(offsets.searchsorted(offsets[first] + limit, side="right")) - 1
        last = min(max(last, first + 1), n_segments)
        yield first, last
        first = last


def similar_length_blocks(lengths: IntArray, limit: int = BLOCK) -> Iterator[IntArray]:
    """Non-empty segments in blocks of similar length, so that padding to the longest is cheap.

    Within a block lengths differ by a factor of two at most, short segments aside.
    """
    order = by_rising_length(lengths)
    ordered = lengths[order]
    last = len(order)
    while last and ordered[last - 1] > 0:
        longest = int(ordered[last - 1])
        shortest = longest // 2 if longest > _SHORT else 0
        first = int(np.searchsorted(ordered, shortest, side="right"))
        first = max(first, last - max(limit // longest, 1))
        yield order[first:last]
        last = first


_PLAIN = 1000
"""2^1000 and 2^-1000 are normal numbers, by which a product is what ``ldexp`` gives."""


def in_unit(values: FloatArray) -> tuple[FloatArray, int]:
    """The values divided by a power of two, so that the largest is at most 1; and its exponent.

    Their sums and products neither overflow nor lose digits, and the power does not depend on the
    order of the values.
    """
    largest = np.maximum.reduce(np.abs(values), initial=0.0)
    exponent = math.frexp(largest)[1]
    if abs(exponent) <= _PLAIN:
        return values * 2.0**-exponent, exponent
    return np.ldexp(values, -exponent), exponent


def mean_of(values: FloatArray, weights: FloatArray | None) -> float:
    """The (weighted) mean, bit-for-bit the same in any order; NaN if empty."""
    if not len(values):
        return math.nan
    values, exponent = in_unit(values)
    if weights is None or not weights.any():
        # Without any weight only queries that count as a given value are left.
        return math.ldexp(_exact_sum(values) / len(values), exponent)
    weights, _ = in_unit(weights)
    total = _exact_sum(weights * values) / _exact_sum(weights)
    return math.ldexp(total, exponent)


def _exact_sum(values: FloatArray) -> float:
    """``math.fsum`` of values between -1 and 1, bit for bit, in a fifth of its time for many.

    With it four measures of 300,000 queries of ten items take two thirds of the time. Each value is
    split into a multiple of a power of two, short enough that float64 adds all of them without
    rounding, and a rest, which is split again. The remaining cases are rare.
    """
    if len(values) <= _FEW_VALUES:
        return math.fsum(values.tolist())
    bits = 53 - len(values).bit_length()
    sums: list[float] = []
    for start in range(0, len(values), _SUMMED_AT_ONCE):
        rest = values[start : start + _SUMMED_AT_ONCE].copy()
        for scale in (2.0**bits, 4.0**bits):
            parts = np.rint(rest * scale) * (1.0 / scale)
            sums.append(float(parts.sum()))
            rest -= parts
        sums += rest[rest != 0].tolist()
    return math.fsum(sums)


_FEW_VALUES = 400
"""Values up to which a dozen calls of NumPy cost more than ``math.fsum``."""
_SUMMED_AT_ONCE = 1 << 13
"""Number of values such that three arrays stay in the nearest caches."""
