"""One sort for the items of many queries.

Segment, score and place of each item are packed into one 64-bit integer, so that one sort of plain
integers, NumPy's fastest, orders a whole block of queries. It is stable because places differ, it
needs no call per query, and it lets other threads run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_rank.typing import Array, BoolArray, IntArray

_KEY_BITS = 64
"""Bits of a key that are used."""
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
    n_items, n_segments = len(codes), len(offsets) - 1
    if not n_items:
        return Ordered(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool))
    place_bits = (n_items - 1).bit_length()
    room = _KEY_BITS - place_bits - (n_segments - 1).bit_length()
    packed, spare, width = _compact(codes, room)
    dropped = spare + max(width - room, 0)
    rest = packed & np.uint64((1 << dropped) - 1) if dropped > spare else None
    segments = np.arange(n_segments, dtype=np.uint64) << np.uint64(place_bits + room)
    packed >>= np.uint64(dropped)
    packed <<= np.uint64(place_bits)
    packed |= np.repeat(segments, np.diff(offsets))
    packed |= np.arange(n_items, dtype=np.uint64)
    packed.sort()

    order = (packed & np.uint64((1 << place_bits) - 1)).view(np.int64)
    packed >>= np.uint64(place_bits)
    same = packed[1:] == packed[:-1]
    if rest is not None and same.any():
        _settle(order, same, rest)
    return Ordered(order, same)


def _compact(codes: Array, room: int) -> tuple[Array, int, int]:
    """The codes from 0 on, how many of their lowest bits are 0, and how many bits then differ."""
    width = 8 * codes.itemsize
    fits = width <= room
    low = np.iinfo(codes.dtype).min if fits else int(codes.min())
    # Unsigned arithmetic wraps, so that the differences are right whatever the signs.
    keys = codes.astype(np.uint64)
    keys -= np.uint64(low % (1 << 64))
    if fits:
        return keys, 0, width
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
