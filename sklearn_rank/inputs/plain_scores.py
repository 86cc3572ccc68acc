"""Short {item: score} rankings of plain ids, read all at once.

To read a ranking of two items with care costs as much as to read one of fifty. Short ones are
therefore laid end to end, and types, scores and grades looked at once for all; whatever is not
plain is left to :class:`ItemReader`. Long ones are read one by one, while they are in the cache.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np

from sklearn_rank.inputs.id_types import ARE_ALL
from sklearn_rank.inputs.join import FoundItems
from sklearn_rank.inputs.plain_ids import LISTS, SETS, judged_items, relevant_items
from sklearn_rank.inputs.ranking import Ranking, Where
from sklearn_rank.support.arrays import EXACT_INTEGER
from sklearn_rank.typing import FloatArray

_SHORT = 32
"""Mean length up to which reading all at once is faster."""


def find_scored(
    rankings: Sequence[Any], truths: Sequence[Any], queries: Iterable[Any]
) -> FoundItems | None:
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
    flat = None if relevant is None else _scores(rankings)
    if relevant is None or flat is None:
        return None
    borders = [0, *accumulate(map(len, rankings))]
    items = FoundItems([], [], [], [], by_place=False)
    for number, (query, ranking, wanted, truth) in enumerate(
        zip(queries, rankings, relevant, truths, strict=True)
    ):
        scores = flat[borders[number] : borders[number + 1]]
        items.rankings.append(Ranking(ranking, scores, Where("y_score", query)))
        looked_up = [ranking.get(item) for item in wanted]
        grades = list(wanted.values()) if type(wanted) is dict else [1.0] * len(wanted)
        items.relevant.append(grades)
        items.named.append(judged_items(wanted, truth))
        items.has_zero |= type(truth) is dict and wanted is not truth
        if None in looked_up:
            pairs = zip(looked_up, grades, strict=True)
            grades = [grade for score, grade in pairs if score is not None]
            looked_up = [score for score in looked_up if score is not None]
        items.hits.append(looked_up)
        items.grades.append(grades)
    return items


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
