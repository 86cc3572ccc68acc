"""Short {item: score} rankings of plain ids, read all at once.

To read a ranking of two items with care costs as much as to read one of fifty. Short ones are
therefore laid end to end, and types, scores and grades looked at once for all; whatever is not
plain is left to :class:`ItemReader`. Long ones are read one by one, while they are in the cache.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import partial
from itertools import chain
from operator import is_not
from typing import Any

import numpy as np

from sklearn_rank.inputs.ids import ARE_ALL
from sklearn_rank.inputs.join import (
    FoundScores,
    Ragged,
    flatten,
    may_be_partial,
    settled,
    unjudged_items,
)
from sklearn_rank.inputs.plain_ids import (
    LISTS,
    SETS,
    grades_of,
    judged_items,
    leaves_out,
    relevant_items,
    sizes_of,
)
from sklearn_rank.support.checks import EXACT_INTEGER
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import Assume, FloatArray

_SHORT = 32
"""Mean length up to which reading all at once is faster."""


def find_scored(
    rankings: Sequence[Any], truths: Sequence[Any], assume: Assume | None = None
) -> FoundScores | None:
    """Scores of the relevant items; None where an input is more than short plain dicts."""
    kinds = set(map(type, truths))
    if set(map(type, rankings)) != {dict} or not kinds <= LISTS | SETS | {dict}:
        return None
    if sum(map(len, rankings)) > _SHORT * len(rankings):
        return None
    try:
        relevant = _relevant(rankings, truths, kinds)
    except TypeError:  # an unhashable str subclass
        return None
    scores = None if relevant is None else _scores(rankings)
    if relevant is None or scores is None:
        return None
    graded = dict in kinds
    assumed = settled(
        assume, has_grades=graded, has_zero=graded and any(map(leaves_out, relevant, truths))
    )
    unjudged = None
    if assumed == "partial":
        named = list(map(judged_items, relevant, truths))
        unjudged = unjudged_items(rankings, named, may_be_partial(truths, assume))
    offsets = offsets_of(sizes_of(relevant))
    every = np.ones(offsets[-1])
    if graded:
        every = flatten((grades_of(wanted, wanted) for wanted in relevant), np.float64)
    hits = list(chain.from_iterable(map(map, (ranking.get for ranking in rankings), relevant)))
    retrieved = np.fromiter(map(_IS_SCORE, hits), bool, len(hits))
    n_before = np.concatenate(([0], np.cumsum(retrieved)))
    return FoundScores(
        sizes_of(rankings),
        scores,
        np.fromiter(filter(_IS_SCORE, hits), np.float64),
        Ragged(n_before[offsets], every[retrieved]),
        Ragged(offsets, every),
        assumed,
        unjudged,
    )


_IS_SCORE = partial(is_not, None)


def _relevant(
    rankings: Sequence[Any], truths: Sequence[Any], kinds: set[type]
) -> Sequence[Any] | None:
    """The relevant items of each query, if all ids of both sides are of one plain type."""
    ids = list(chain(chain.from_iterable(rankings), chain.from_iterable(truths)))
    are_plain = ARE_ALL.get(type(ids[0])) if ids else None
    if are_plain is None or not are_plain(ids):
        return None
    return truths if kinds <= SETS else relevant_items(truths)


def _scores(rankings: Sequence[dict[Any, Any]]) -> FloatArray | None:
    """All scores; None if they are not floats and integers that float64 holds."""
    values = list(chain.from_iterable(ranking.values() for ranking in rankings))
    try:
        if type(sum(values)) is not float:
            return None
        scores = np.frombuffer(struct.pack(f"{len(values)}d", *values))
    except (TypeError, ValueError, OverflowError, struct.error):
        return None
    return scores if np.abs(scores).max() < EXACT_INTEGER else None
