"""Equal texts among many, told by NumPy: a dict would make an object of each and hash it."""

from __future__ import annotations

import numpy as np

from sklearn_rank.typing import Array, IntArray

_FACTOR = 0x9E3779B97F4A7C15
"""An odd number whose products spread over all bits (2^64 over the golden ratio)."""
_TABLE_BITS = 20
"""A table of a million places of four bytes fits the processor's last cache."""
_ROUNDS = 8
"""Of distinct texts that fit the table, each round leaves less than half to the next."""


def equal_rows(texts: Array) -> IntArray | None:
    """For each text the number of one that equals it, the same for all equal ones.

    None where texts are too many for the table, or two have one hash.
    """
    hashes = _hashes(texts)
    same_as = _by_table(hashes)
    if same_as is None or (texts[same_as] != texts).any():
        return None
    return same_as


def _hashes(texts: Array) -> Array:
    """64 bits of each text."""
    words = np.ascontiguousarray(texts).view(np.uint32 if texts.dtype.kind == "U" else np.uint8)
    letters = words.reshape(len(texts), -1)
    if letters.max() < 256:  # eight letters make a word
        padded = np.zeros((len(texts), -(-letters.shape[1] // 8) * 8), np.uint8)
        padded[:, : letters.shape[1]] = letters
        letters = padded.view(np.uint64)
    hashes = np.zeros(len(texts), np.uint64)
    for column in letters.T:
        hashes ^= column.astype(np.uint64)
        hashes *= np.uint64(_FACTOR)
        hashes ^= hashes >> np.uint64(29)
    return hashes


def _by_table(hashes: Array) -> IntArray | None:
    """For each hash the place of an equal one: whoever wrote last to its place in a table."""
    same_as = np.empty(len(hashes), np.int64)
    left = np.arange(len(hashes))
    bits = min(_TABLE_BITS, len(hashes).bit_length() + 1)
    table = np.empty(1 << bits, np.int32)
    for turn in range(_ROUNDS):
        own = hashes[left]
        places = own * np.uint64(_FACTOR + 2 * turn) >> np.uint64(64 - bits)
        table[places] = left
        last = table[places]
        is_equal = hashes[last] == own
        same_as[left[is_equal]] = last[is_equal]
        left = left[~is_equal]
        if not len(left):
            return same_as
    return None
