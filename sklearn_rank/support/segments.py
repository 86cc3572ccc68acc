"""Arithmetic over the segments of a flat array; segment ``i`` is ``offsets[i]:offsets[i+1]``.

Every result depends on the segment's own values alone, never on its neighbours, so that no value
changes by a bit when queries are reordered or split into blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from sklearn_rank.typing import Array, FloatArray, IntArray

BLOCK = 1 << 18
"""Items measured at once: they fit the processor's caches, and keep a thread busy for longer than
it waits for Python's lock. Half or twice as many cost a tenth more."""
_SHORT = 16
"""Segments up to this length share a block: padding costs less than one more block."""


_FEW_ROWS = 4
"""Fewer rows than this are moved one by one."""
_FEW_RUNS = 1 / 512
"""With a run of equal lengths for fewer elements than this, each is moved by its index."""


def offsets_of(sizes: IntArray) -> IntArray:
    """Offsets of consecutive segments of the given sizes."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def segment_index(offsets: IntArray) -> IntArray:
    """Number of the segment that each element belongs to."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def segment_sum(values: Array, offsets: IntArray) -> FloatArray:
    """Sum of each segment; 0 for an empty one."""
    return _reduce(np.add, values, offsets).astype(np.float64, copy=False)


def segment_max(values: Array, offsets: IntArray) -> FloatArray:
    """Greatest value of each segment; 0 for an empty one."""
    return _reduce(np.maximum, values, offsets).astype(np.float64, copy=False)


def _reduce(ufunc: np.ufunc, values: Array, offsets: IntArray) -> Array:
    starts = offsets[:-1]
    filled = offsets[1:] > starts
    if len(starts) and filled.all():
        return np.asarray(ufunc.reduceat(values, starts))
    result = np.zeros(len(starts), values.dtype)
    if filled.any():
        result[filled] = ufunc.reduceat(values, starts[filled])
    return result


def take_segments(offsets: IntArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of the elements of the chosen segments, and their new offsets."""
    sizes = offsets[chosen + 1] - offsets[chosen]
    new_offsets = offsets_of(sizes)
    shift = np.repeat(offsets[:-1][chosen] - new_offsets[:-1], sizes)
    return shift + np.arange(new_offsets[-1]), new_offsets


def by_rising_length(offsets: IntArray) -> IntArray | None:
    """Numbers of the segments by their lengths, equal ones as they come; None if they rise."""
    lengths = np.diff(offsets)
    if not (lengths[1:] < lengths[:-1]).any():
        return None
    # NumPy sorts integers of 16 bits by counting.
    small = lengths.max() < 1 << 16
    return np.argsort(lengths.astype(np.uint16) if small else lengths, kind="stable")


def gather_segments(offsets: IntArray, chosen: IntArray, *arrays: Array) -> list[Array]:
    """Elements of the chosen segments of some arrays, and last the offsets they then have.

    Those of one length that follow each other are moved as rows: a tenth of the time that an index
    of each element takes.
    """
    starts, lengths = offsets[chosen], offsets[chosen + 1] - offsets[chosen]
    new = offsets_of(lengths)
    borders = [0, *(np.flatnonzero(lengths[1:] != lengths[:-1]) + 1).tolist(), len(chosen)]
    if len(borders) > _FEW_RUNS * int(new[-1]):
        rows, _ = take_segments(offsets, chosen)
        return [*(array[rows] for array in arrays), new]
    taken = [np.empty(new[-1], array.dtype) for array in arrays]
    arrays = tuple(map(np.ascontiguousarray, arrays))
    for first, last in pairwise(borders):
        width = int(lengths[first])
        if not width:
            continue
        for array, target in zip(arrays, taken, strict=True):
            rows = target[new[first] : new[last]].reshape(-1, width)
            if last - first < _FEW_ROWS:
                for row, start in zip(rows, starts[first:last].tolist(), strict=True):
                    row[:] = array[start : start + width]
            else:
                shape, steps = (len(array) - width + 1, width), 2 * array.strides
                rows[:] = np.ndarray(shape, array.dtype, array, 0, steps)[starts[first:last]]
    return [*taken, new]


def blocks(offsets: IntArray, limit: int | None = None) -> Iterator[tuple[int, int]]:
    """Runs ``first:last`` of segments that hold about ``limit`` elements together."""
    limit = BLOCK if limit is None else limit
    first, n_segments = 0, len(offsets) - 1
    while first < n_segments:
        last = int(np.searchsorted(offsets, offsets[first] + limit, side="right")) - 1
        last = min(max(last, first + 1), n_segments)
        yield first, last
        first = last


def similar_length_blocks(lengths: IntArray) -> Iterator[IntArray]:
    """Non-empty segments in blocks of similar length, so that padding to the longest is cheap.

    Within a block lengths differ by a factor of two at most, short segments aside.
    """
    order = np.argsort(lengths, kind="stable")
    ordered = lengths[order]
    last = len(order)
    while last and ordered[last - 1] > 0:
        longest = int(ordered[last - 1])
        shortest = longest // 2 if longest > _SHORT else 0
        first = int(np.searchsorted(ordered, shortest, side="right"))
        first = max(first, last - max(BLOCK // longest, 1))
        yield order[first:last]
        last = first
