"""Order the items of many queries, each query by itself, in few calls of NumPy.

An item's score and its tags are packed into one unsigned integer of 64 bits, which NumPy sorts
faster than anything else. Queries of one length are the rows of a matrix: short rows are sorted by
networks, which are fast on every processor, while one sort of a large array is not; and a call for
each query would cost more than its items, and hand Python's lock from one thread to another.
Segments of similar length may be padded to one: cells ``beyond`` the end of their segment have the
greatest code, come last, and equal nothing.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sklearn_rank.support.segments import EMPTY, by_rising_length, sizes_of, take_segments
from sklearn_rank.typing import Array, BoolArray, IntArray

_KEY_BITS = 64
"""Bits of a key that are used."""
_TAG_BITS = 8
_ALL_TAGS = 255
_NARROW_BITS = 32
"""Bits of a narrow key."""
_CLOSE = {1: 0, 2: 0, 4: 1 << 24, 8: 1 << 21}
"""By the size of a code: the square of the length, times the number of tags, up to which narrow
keys cannot tell two scores apart in at most a quarter of the rows. A key of 32 bits
leaves out the lowest few bits of a float32, and half of a float64, whose upper half is mostly
exponent."""
_FEW_ROWS = 8
"""If at most one in this many rows is ambiguous, these are sorted again instead of all codes."""
_TAGS = slice(0 if sys.byteorder == "little" else 7, None, 8)
"""The lowest bytes of keys."""
_UNSIGNED: dict[int, type[np.unsignedinteger]] = {4: np.uint32, 8: np.uint64}


class Ordered(NamedTuple):
    """Items in order, segment after segment."""

    order: IntArray
    """(n,) numbers of the items."""
    same: BoolArray | None
    """(n-1,) whether an item equals the one before it in its segment; None if none does."""


class Tagged(NamedTuple):
    """The tags of items in order, segment after segment."""

    tags: Array
    """(n,)"""
    same: BoolArray | None
    """(n-1,) whether an item has the code of the one before it in its segment; None if none has."""


def sortable(values: Array) -> Array:
    """Numbers in a type that NumPy sorts correctly: float16 becomes float32.

    With AVX-512, NumPy 2.4 leaves thousands of negative halves out of order on some processors.
    """
    return values.astype(np.float32) if values.dtype == np.float16 else values


def falling_codes(values: Array) -> Array:
    """Unsigned integers that fall as the values rise, and are equal if the values are."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "u":
        return np.invert(values)
    if kind == "i":
        unsigned: Array = values.view(f"u{size}")
        codes: Array = unsigned ^ unsigned.dtype.type((1 << (8 * size - 1)) - 1)
        return codes
    if size not in (2, *_UNSIGNED):
        return np.invert(np.unique(values, return_inverse=True)[1].astype(np.uint64))
    # Bits of floats order as integers do, but that those of negative ones rise with their size.
    # Adding 0 makes one of the two zeros.
    floats = values.astype(np.float32) if size == 2 else values
    bits = (floats + floats.dtype.type(0)).view(_UNSIGNED[floats.itemsize])
    sign = 8 * bits.itemsize - 1
    codes = np.invert(bits)
    codes >>= sign
    codes *= bits.dtype.type((1 << sign) - 1)
    codes ^= bits
    return codes


def order_segments(codes: Array, offsets: IntArray, beyond: IntArray = EMPTY) -> Ordered:
    """Order of the items of each segment by their codes; equal ones keep their order.

    Where the bits of a key do not suffice, the lowest bits of the codes are left out first, and
    then order the runs of items that are equal without them.
    """
    if not len(codes):
        return Ordered(np.zeros(0, dtype=np.int64), None)
    lengths = sizes_of(offsets)
    if (lengths[1:] < lengths[:-1]).any():
        return _order_by_length(codes, offsets, by_rising_length(lengths))
    place_bits = (len(codes) - 1).bit_length()
    keys, spare, width = _compact(codes, _KEY_BITS - place_bits)
    dropped = spare + max(width - _KEY_BITS + place_bits, 0)
    rest = keys & np.uint64((1 << dropped) - 1) if dropped > spare else None
    keys >>= np.uint64(dropped)
    keys <<= np.uint64(place_bits)
    keys |= np.arange(len(keys), dtype=np.uint64)
    _sort_rising(keys, offsets)
    order = (keys & np.uint64((1 << place_bits) - 1)).view(np.int64)
    borders = offsets[1:-1]
    borders = borders[(borders > 0) & (borders < len(keys))] - 1
    same = _same_codes(keys, borders, beyond, place_bits)
    if rest is not None and same is not None:
        same = _settle(order, same, rest)
    return Ordered(order, same)


def _order_by_length(codes: Array, offsets: IntArray, rising: IntArray) -> Ordered:
    """Order by way of segments of rising length."""
    items, by_length = take_segments(offsets, rising)
    order, same = order_segments(codes[items], by_length)
    inverse = np.empty_like(rising)
    inverse[rising] = np.arange(len(rising))
    back, _ = take_segments(by_length, inverse)
    if same is not None:
        same = np.concatenate(([False], same))[back][1:]
    return Ordered(items[order][back], same)


def by_wide_keys(codes: Array, tags: Array, width: int, beyond: IntArray) -> Tagged | None:
    """Tags, 8 bits for each item, in the order of code and tag, of segments that are rows.

    If only an item's tag is needed, this saves a look-up. None if
    keys of 64 bits cannot tell codes apart that differ in their lowest bits alone.
    """
    keys, spare, used = _compact(codes, _KEY_BITS - _TAG_BITS)
    in_doubt = used > _KEY_BITS - _TAG_BITS
    if not in_doubt:
        keys >>= np.uint64(spare)
        keys <<= np.uint64(_TAG_BITS)
    lowest = keys.view(np.uint8)[_TAGS]
    lowest[:] = tags
    same = _sort_rows(keys, width, beyond, _TAG_BITS)
    if in_doubt and same is not None:
        # As many equal neighbours without the tags: they are the same ones.
        certain = _sort_rows(codes.copy(), width, beyond, 0)
        if certain is None or np.count_nonzero(certain) != np.count_nonzero(same):
            return None
    return Tagged(lowest.copy(), same)


def by_narrow_keys(codes: Array, tags: Array, width: int, beyond: IntArray) -> Tagged | None:
    """Like ``by_wide_keys``, but with keys of 32 bits, which sort at least twice as fast.

    The lowest bits of the codes give way to the tags. None if that would leave many rows
    undecided.
    """
    low, high = int(codes.min()), int(codes.max())
    mask = (1 << (_ALL_TAGS - int(tags.min())).bit_length()) - 1
    tag_bits = mask.bit_length()
    dropped = max((high - low).bit_length() + tag_bits - _NARROW_BITS, 0)
    if dropped and (width * width) << tag_bits > _CLOSE[codes.itemsize]:
        return None
    rest = codes - codes.dtype.type(low)
    if dropped:
        rest >>= codes.dtype.type(dropped)
    keys = rest.astype(np.uint32, copy=False)
    keys <<= np.uint32(tag_bits)
    keys |= tags & np.uint8(mask)
    same = _sort_rows(keys, width, beyond, tag_bits)
    sorted_tags = keys.astype(np.uint8)
    sorted_tags |= np.uint8(_ALL_TAGS - mask)
    tagged = Tagged(sorted_tags, same)
    return _without_doubt(tagged, codes, tags, width, beyond) if dropped else tagged


def _without_doubt(
    tagged: Tagged, codes: Array, tags: Array, width: int, beyond: IntArray
) -> Tagged | None:
    """Order rows again that hold equal neighbours whose codes need not be equal."""
    if tagged.same is None:
        return tagged
    same = np.concatenate(([False], tagged.same)).reshape(-1, width)
    rows = np.flatnonzero(same.any(axis=1))
    if len(rows) > len(same) // _FEW_ROWS:
        # As with rounded scores: the codes alone are right.
        certain = _sort_rows(codes.copy(), width, beyond, 0)
        alone = np.zeros(len(codes), dtype=bool)
        if certain is not None:
            alone[1:] = certain
        rows = np.flatnonzero((same != alone.reshape(-1, width)).any(axis=1))
        if len(rows) > len(same) // _FEW_ROWS:
            return None
    if len(rows):
        number = np.full(len(same), -1)
        number[rows] = np.arange(len(rows))
        row = beyond // width
        cells = beyond + (number[row] - row) * width
        cells = cells[number[row] >= 0]
        own_codes, own_tags = (values.reshape(-1, width)[rows].ravel() for values in (codes, tags))
        again = by_wide_keys(own_codes, own_tags, width, cells)
        if again is None:
            return None
        tagged.tags.reshape(-1, width)[rows] = again.tags.reshape(-1, width)
        same[rows] = False
        if again.same is not None:
            same[rows] = np.concatenate(([False], again.same)).reshape(-1, width)
    return Tagged(tagged.tags, same.ravel()[1:] if same.any() else None)


def _sort_rows(keys: Array, width: int, beyond: IntArray, low_bits: int) -> BoolArray | None:
    """Sort the keys of each row in place; returns ``same`` of :class:`Tagged`."""
    if width == 1:
        return None
    keys.reshape(-1, width).sort(axis=1)
    return _same_codes(keys, slice(width - 1, None, width), beyond, low_bits)


def _sort_rising(keys: Array, offsets: IntArray) -> None:
    """Sort the keys of each segment, in place; the segments are of rising length."""
    lengths = sizes_of(offsets)
    borders = [0, *(np.flatnonzero(lengths[1:] != lengths[:-1]) + 1).tolist()]
    widths, starts = lengths[borders].tolist(), [*offsets[borders].tolist(), len(keys)]
    for width, (start, stop) in zip(widths, pairwise(starts), strict=True):
        if width > 1:
            keys[start:stop].reshape(-1, width).sort(axis=1)


def _same_codes(
    keys: Array, lasts: IntArray | slice, beyond: IntArray, low_bits: int
) -> BoolArray | None:
    """Whether a sorted key equals the one before it in its segment, without its lowest bits.

    ``lasts`` are the last keys of segments. None if none does: most scores have no ties, and the
    minimum is found faster than they are.
    """
    if len(keys) == 1:
        return None
    changed = keys[1:] ^ keys[:-1]
    greatest = np.iinfo(keys.dtype).max
    changed[lasts] = greatest
    changed[beyond - 1] = greatest
    limit = keys.dtype.type(1 << low_bits)
    same: BoolArray | None = changed < limit if changed.min() < limit else None
    return same


def _compact(codes: Array, room: int) -> tuple[Array, int, int]:
    """The codes from 0 on, how many of their lowest bits are 0, and how many bits then differ."""
    width = 8 * codes.itemsize
    keys = codes.astype(np.uint64)
    if width <= room:
        return keys, 0, width
    keys -= keys.min()
    used = int(np.bitwise_or.reduce(keys))
    spare = max((used & -used).bit_length() - 1, 0)
    return keys, spare, used.bit_length() - spare


def _settle(order: IntArray, same: BoolArray, rest: Array) -> BoolArray | None:
    """Order, in place, the runs of items that are the same but for the ``rest`` of their codes.

    Returns which are still the same.
    """
    later = np.flatnonzero(same) + 1
    if (rest[order[later]] == rest[order[later - 1]]).all():
        return same  # as with rounded scores: the order is that of the input
    runs = runs_of(same)
    positions, members = runs.members, order[runs.members]
    again = order_segments(rest[members], runs.borders)
    order[positions] = members[again.order]
    same[positions[1:] - 1] = False if again.same is None else again.same
    return same if same.any() else None


class Runs(NamedTuple):
    """Runs of two or more items in order that are the same."""

    members: IntArray
    """Positions of the items that are in a run."""
    borders: IntArray
    """Borders of the runs among the members."""


def runs_of(same: BoolArray) -> Runs:
    """Runs of equal consecutive items."""
    is_member = np.zeros(len(same) + 1, dtype=bool)
    is_member[1:] = same
    starts = ~is_member
    is_member[:-1] |= same
    members = np.flatnonzero(is_member)
    return Runs(members, np.append(np.flatnonzero(starts[members]), len(members)))
