"""Ranked lists of plain ids and their ground truths, read in one short pass.

Most rankings are lists of strings or of integers, none twice, and most ground truths are sets,
lists or {item: grade} of the same. Whether that is so costs less than reading each item with care,
and anything else (other types, duplicates, odd grades) is left to :class:`ItemReader`, which also
knows what to say of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, compress, repeat
from typing import Any

import numpy as np

from sklearn_rank.inputs.ids import ARE_ALL
from sklearn_rank.inputs.items import are_grades
from sklearn_rank.inputs.join import PlacedItems, Ragged, may_be_partial, settled, unjudged_items
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import Assume, IntArray


def find_plain(
    rankings: Sequence[Any], truths: Sequence[Any], assume: Assume | None = None
) -> PlacedItems | None:
    """Places of the relevant items; None where an input is more than collections of plain ids."""
    kinds = set(map(type, truths))
    if not (set(map(type, rankings)) <= LISTS and kinds <= LISTS | SETS | {dict}):
        return None
    try:
        return _find(rankings, truths, kinds, assume)
    except TypeError:  # an unhashable str subclass
        return None


def _find(
    rankings: Sequence[Any], truths: Sequence[Any], kinds: set[type], assume: Assume | None
) -> PlacedItems | None:
    first = next(chain(chain.from_iterable(rankings), chain.from_iterable(truths)), "")
    are_plain = ARE_ALL.get(type(first))
    if are_plain is None or not all(map(are_plain, truths)):
        return None
    relevant = truths if kinds <= SETS else relevant_items(truths)
    if relevant is None:
        return None
    graded = dict in kinds
    # All that is done with a ranking is done while its items are in the processor's cache.
    places = range(max(map(len, rankings)))
    places_found: list[int] = []
    grades: list[float] = []
    borders = [0]
    for ranking, wanted in zip(rankings, relevant, strict=True):
        if not are_plain(ranking) or len(set(ranking)) < len(ranking):
            return None
        places_found += compress(places, map(wanted.__contains__, ranking))
        if graded:
            grades += grades_of(wanted, filter(wanted.__contains__, ranking))
        borders.append(len(places_found))
    hit_offsets, offsets = np.array(borders, dtype=np.int64), offsets_of(sizes_of(relevant))
    every: Iterable[float] = repeat(1.0, int(offsets[-1]))
    if graded:
        every = chain.from_iterable(grades_of(wanted, wanted) for wanted in relevant)
    else:
        grades = [1.0] * len(places_found)
    has_zero = graded and any(map(leaves_out, relevant, truths))
    assumed = settled(assume, has_grades=graded, has_zero=has_zero)
    unjudged = None
    if assumed == "partial":
        named = map(judged_items, relevant, truths)
        unjudged = unjudged_items(rankings, list(named), may_be_partial(truths, assume))
    return PlacedItems(
        sizes_of(rankings),
        np.array(places_found, dtype=np.int64),
        Ragged(hit_offsets, np.array(grades, dtype=np.float64)),
        Ragged(offsets, np.fromiter(every, np.float64, offsets[-1])),
        assumed,
        unjudged,
    )


def relevant_items(truths: Sequence[Any]) -> list[Any] | None:
    """The relevant items of each query as a set, or with their grades; None for odd truths."""
    # To look at the grades of all queries at once takes a call instead of several for each query.
    grades = [*chain.from_iterable(truth.values() for truth in truths if type(truth) is dict)]
    if not are_grades(grades):
        return None
    has_zero = 0 in grades
    result = []
    for truth in truths:
        relevant = truth
        if type(truth) is dict:
            if has_zero and 0 in truth.values():
                relevant = {item: grade for item, grade in truth.items() if grade > 0}
        elif type(truth) in LISTS:
            relevant = set(truth)
            if len(relevant) < len(truth):
                return None
        result.append(relevant)
    return result


def grades_of(relevant: Any, items: Iterable[Any]) -> Iterable[float]:
    """Grades of some relevant items; 1 for each where there are none."""
    return map(relevant.__getitem__, items) if type(relevant) is dict else (1.0 for _ in items)


def leaves_out(relevant: Any, truth: Any) -> bool:
    """Whether a truth names an item that is not relevant."""
    return type(truth) is dict and relevant is not truth


def judged_items(relevant: Any, truth: Any) -> Collection[Any]:
    """What a truth names, to be searched."""
    return truth if type(truth) is dict else relevant


LISTS, SETS = {list, tuple}, {set, frozenset}


def sizes_of(lists: Sequence[Collection[Any]]) -> IntArray:
    """Their lengths."""
    return np.array([len(items) for items in lists], dtype=np.int64)
