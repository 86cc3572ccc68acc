"""Ranked lists and sets of plain ids, read in one short pass.

Most rankings are lists of strings or of integers, none twice, and most ground truths are sets of
the same. Whether that is so costs less than reading each item with care, and anything else (other
types, duplicates, grades) is left to :class:`ItemReader`, which also knows what to say of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain, compress
from operator import countOf
from typing import Any

import numpy as np

from sklearn_rank._segments import offsets_of
from sklearn_rank.inputs._assemble import PlacedItems, Ragged, flatten
from sklearn_rank.typing import IntArray


def find_plain(rankings: Sequence[Any], truths: Sequence[Any]) -> PlacedItems | None:
    """Places of the relevant items; None where an input is more than lists and sets of ids."""
    if not (set(map(type, rankings)) <= _LISTS and set(map(type, truths)) <= _SETS):
        return None
    first = next(chain(chain.from_iterable(rankings), chain.from_iterable(truths)), "")
    kind = type(first)
    if kind not in _ALL_OF or not all(map(_ALL_OF[kind], truths)):
        return None
    found = _places(rankings, truths, kind)
    if found is None:
        return None
    return PlacedItems(_sizes(rankings), flatten(found, np.int64), _ones(found), _ones(truths))


def _places(
    rankings: Sequence[Sequence[Any]], truths: Sequence[Collection[Any]], kind: type
) -> list[list[int]] | None:
    """Places of the relevant items in each ranking; None if some item is not plain or repeats.

    All that is done with a ranking is done while its items are in the processor's cache.
    """
    are_plain, longest = _ALL_OF[kind], range(max(map(len, rankings), default=0))
    found = []
    for ranking, truth in zip(rankings, truths, strict=True):
        if not are_plain(ranking) or len(set(ranking)) < len(ranking):
            return None
        found.append(list(compress(longest, map(truth.__contains__, ranking))))
    return found


def _are_strings(items: Collection[Any]) -> bool:
    """Whether all items are strings; to join them is the fastest way to look at their types."""
    try:
        "".join(items)
    except TypeError:
        return False
    return True


def _are_integers(items: Collection[Any]) -> bool:
    return countOf(map(type, items), int) == len(items)


_LISTS, _SETS = {list, tuple}, {set, frozenset}
_ALL_OF = {str: _are_strings, int: _are_integers}


def _sizes(lists: Sequence[Collection[Any]]) -> IntArray:
    return np.fromiter(map(len, lists), np.int64, len(lists))


def _ones(lists: Sequence[Collection[Any]]) -> Ragged:
    """A grade of 1 for each item."""
    offsets = offsets_of(_sizes(lists))
    return Ragged(offsets, np.ones(offsets[-1]))
