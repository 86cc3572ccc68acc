"""One sort for the items of many queries.

Segment, score and what is to be known of each item are packed into one 64-bit integer, so that one
sort of plain integers, NumPy's fastest, orders a whole block of queries, needs no call per query,
and lets other threads run. Segments of one length are the rows of a matrix, and sorted as such.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_rank.typing import Array, BoolArray, IntArray

_KEY_BITS = 64
"""Bits of a key that are used."""
_LEAST_WIDTH = 8
"""Shorter rows are sorted faster all at once than one by one."""
_SIGNED: dict[int, type[np.signedinteger]] = {2: np.int32, 4: np.int32, 8: np.int64}


class Ordered(NamedTuple):
    """Items in order, segment after segment."""

    order: IntArray
    """(n,) numbers of the items."""
    same: BoolArray
    """(n-1,) whether an item equals the one before it in its segment."""


def falling_codes(values: Array) -> Array:
    """Integers that fall where the values rise, and are equal where the values are.

    The bits of a float without its sign order as their magnitudes do; with the sign as an
    integer's they order all floats, and the two zeros are one.
    """
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind in "iu":
        return np.invert(values)
    if size not in _SIGNED:
        return np.invert(np.unique(values, return_inverse=True)[1])
    bits = values.astype(np.float32 if size == 2 else values.dtype, copy=False).view(_SIGNED[size])
    sign = 8 * bits.itemsize - 1
    rises = ~(bits >> sign)
    codes: Array = bits & ((1 << sign) - 1)
    codes ^= rises
    codes -= rises
    return codes


def order_segments(codes: Array, offsets: IntArray) -> Ordered:
    """Order of the items of each segment by their codes; equal ones stay in the order they came.

    Where the bits of a key do not suffice, the lowest bits of the codes are left out first, and
    then order the runs of items that are equal without them.
    """
    if not len(codes):
        return Ordered(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool))
    segments = _Segments.of(offsets)
    place_bits = segments.place_bits
    packed, spare, width = _compact(codes, segments.room - place_bits)
    dropped = spare + max(width - segments.room + place_bits, 0)
    rest = packed & np.uint64((1 << dropped) - 1) if dropped > spare else None
    packed >>= np.uint64(dropped)
    packed <<= np.uint64(place_bits)
    segments.add_places(packed)
    lowest, same = segments.sort(packed, place_bits)
    order = segments.numbers(lowest.view(np.int64))
    if rest is not None and same.any():
        _settle(order, same, rest)
    return Ordered(order, same)


def sort_segments(codes: Array, offsets: IntArray, low: Array, low_bits: int) -> Sorted | None:
    """The ``low`` values in the order of segment, code and low; None if the keys are too narrow.

    Where all that is wanted of an item fits into its key, there is no need to look it up again.
    """
    if not len(codes):
        return None
    segments, width = _Segments.of(offsets), 8 * codes.itemsize
    if width > segments.room - low_bits:
        return None
    packed, _, _ = _compact(codes, width)
    packed <<= np.uint64(low_bits)
    packed |= low
    return Sorted(*segments.sort(packed, low_bits))


class Sorted(NamedTuple):
    """What was packed with the items, in their order."""

    low: Array
    """(n,)"""
    same: BoolArray
    """(n-1,) whether an item has the code of the one before it in its segment."""


class _Segments(NamedTuple):
    """Which items are sorted among themselves, and the bits of a key that this takes."""

    offsets: IntArray
    width: int
    """Common length of segments that are sorted as rows of a matrix, else 0."""
    room: int
    """Bits of a key that are left."""

    @classmethod
    def of(cls, offsets: IntArray) -> _Segments:
        sizes = np.diff(offsets)
        width = int(sizes[0])
        if width >= _LEAST_WIDTH and (sizes == width).all():
            return cls(offsets, width, _KEY_BITS)
        return cls(offsets, 0, _KEY_BITS - (len(sizes) - 1).bit_length())

    @property
    def place_bits(self) -> int:
        """Bits that tell the items apart that are sorted among each other."""
        return ((self.width or int(self.offsets[-1])) - 1).bit_length()

    def add_places(self, keys: Array) -> None:
        """Put into the lowest bits where each item stands; in place."""
        rows = keys.reshape(-1, self.width or len(keys))
        rows |= np.arange(rows.shape[1], dtype=np.uint64)

    def numbers(self, places: IntArray) -> IntArray:
        """Numbers of the items that stood at these places; in place."""
        if self.width:
            places += np.repeat(self.offsets[:-1], self.width)
        return places

    def sort(self, keys: Array, low_bits: int) -> tuple[Array, BoolArray]:
        """Sort the keys; their lowest bits, and whether a key equals the one before without them.

        The keys are changed.
        """
        if self.width:
            keys.reshape(-1, self.width).sort(axis=1)
        else:
            numbers = np.arange(len(self.offsets) - 1, dtype=np.uint64)
            keys |= np.repeat(numbers << np.uint64(self.room), np.diff(self.offsets))
            keys.sort()
        lowest = keys & np.uint64((1 << low_bits) - 1)
        keys >>= np.uint64(low_bits)
        same = keys[1:] == keys[:-1]
        if self.width:
            same[self.offsets[1:-1] - 1] = False
        return lowest, same


def _compact(codes: Array, room: int) -> tuple[Array, int, int]:
    """The codes from 0 on, how many of their lowest bits are 0, and how many bits then differ."""
    width = 8 * codes.itemsize
    unsigned = codes.view(f"u{codes.itemsize}")
    if codes.dtype.kind == "i":
        unsigned = unsigned ^ unsigned.dtype.type(1 << (width - 1))
    keys = unsigned.astype(np.uint64)
    if width <= room:
        return keys, 0, width
    keys -= keys.min()
    used = int(np.bitwise_or.reduce(keys))
    spare = max((used & -used).bit_length() - 1, 0)
    return keys, spare, used.bit_length() - spare


def _settle(order: IntArray, same: BoolArray, rest: Array) -> None:
    """Order, in place, the runs of items that are the same but for the ``rest`` of their codes."""
    runs = runs_of(same)
    places, members = runs.members, order[runs.members]
    again = order_segments(rest[members], runs.borders)
    order[places] = members[again.order]
    same[places[1:] - 1] = again.same


class Runs(NamedTuple):
    """Runs of two or more items in order that are the same."""

    is_member: BoolArray
    """(n,) whether an item is in a run."""
    members: IntArray
    """Places of the items that are."""
    borders: IntArray
    """Borders of the runs among the members."""


def runs_of(same: BoolArray) -> Runs:
    """The runs of items of which each is the same as the one before it."""
    is_member = np.zeros(len(same) + 1, dtype=bool)
    is_member[1:] = same
    starts = ~is_member
    is_member[:-1] |= same
    members = np.flatnonzero(is_member)
    return Runs(is_member, members, np.append(np.flatnonzero(starts[members]), len(members)))
