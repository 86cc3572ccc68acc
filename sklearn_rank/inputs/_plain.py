"""Ranked lists and sets of plain ids, read in one short pass.

Most rankings are lists of strings or of integers, none twice, and most ground truths are sets of
the same. Whether that is so costs less than reading each item with care, and anything else (other
types, duplicates, grades) is left to :class:`ItemReader`, which also knows what to say of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain, compress
from typing import Any

import numpy as np

from sklearn_rank._segments import offsets_of
from sklearn_rank.inputs._assemble import PlacedItems, Ragged
from sklearn_rank.inputs._items import ARE_ALL
from sklearn_rank.typing import IntArray


def find_plain(rankings: Sequence[Any], truths: Sequence[Any]) -> PlacedItems | None:
    """Places of the relevant items; None where an input is more than lists and sets of ids."""
    if not (set(map(type, rankings)) <= _LISTS and set(map(type, truths)) <= _SETS):
        return None
    first = next(chain(chain.from_iterable(rankings), chain.from_iterable(truths)), "")
    are_plain = ARE_ALL.get(type(first))
    if are_plain is None or not all(map(are_plain, truths)):
        return None
    # All that is done with a ranking is done while its items are in the processor's cache.
    places = range(max(map(len, rankings)))
    found: list[int] = []
    borders = [0]
    for ranking, truth in zip(rankings, truths, strict=True):
        if not are_plain(ranking) or len(set(ranking)) < len(ranking):
            return None
        found += compress(places, map(truth.__contains__, ranking))
        borders.append(len(found))
    hits = _ones(np.array(borders, dtype=np.int64))
    relevant = _ones(offsets_of(_sizes(truths)))
    return PlacedItems(_sizes(rankings), np.array(found, dtype=np.int64), hits, relevant)


_LISTS, _SETS = {list, tuple}, {set, frozenset}


def _sizes(lists: Sequence[Collection[Any]]) -> IntArray:
    return np.array([len(one) for one in lists], dtype=np.int64)


def _ones(offsets: IntArray) -> Ragged:
    """A grade of 1 for each item."""
    return Ragged(offsets, np.ones(offsets[-1]))
