"""Unjudged items to judge next, by the possible effect of their grade on a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.bounds.unjudged import NOWHERE, completed, possible_grades
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import UnjudgedItem
from sklearn_rank.typing import FloatArray, IntArray

Value = Callable[[JudgedRankings, IntArray], FloatArray]
"""Values of rankings, and the numbers of the queries of whose items they are made."""
_CELLS = 1 << 19
"""Items of rankings that are measured at once: some 50 MB, whatever the number of items."""


class ToJudge(NamedTuple):
    """An unjudged item."""

    query: Any
    item: Any
    rank: float | None
    """In the system; None where it is not retrieved. Within a tie the mean of the ranks."""
    rank_other: float | None
    """In the other system."""
    move: float
    """Largest change of the result that its grade alone can make."""


class System(NamedTuple):
    """The rankings of one system, and how to measure them."""

    rankings: JudgedRankings
    items: Sequence[Sequence[UnjudgedItem]]
    """Unjudged items of each query, as deep as the measure reads."""
    value: Value


def to_judge(
    systems: Sequence[System],
    query_ids: Sequence[Any],
    n: int | None,
    *,
    max_grade: float,
    weights: FloatArray | None = None,
    undefined: float = np.nan,
) -> list[ToJudge]:
    """Items of one system, or of two that have the same queries, the largest move first.

    A move is the change of the mean over queries, or of the difference of two means, while all
    other unjudged items stay irrelevant. ``undefined`` is the value of an undefined query.
    """
    # Every item of every query once, and where each system has it.
    numbers: list[int] = []
    items: list[Any] = []
    found: list[list[UnjudgedItem | None]] = [[] for _ in systems]
    for number, lists in enumerate(zip(*(system.items for system in systems), strict=True)):
        by_item = [{item.item: item for item in own_items} for own_items in lists]
        ids = dict.fromkeys(chain.from_iterable(by_item))
        numbers += [number] * len(ids)
        items += ids
        for column, known in zip(found, by_item, strict=True):
            column += map(known.get, ids)
    if not items:
        return []
    query = np.array(numbers, dtype=np.int64)
    places = [
        np.array([place[1:] if place else (NOWHERE, 1) for place in column], np.int64)
        for column in found
    ]
    ranks = [[place.rank if place else None for place in column] for column in found]
    rankings = [system.rankings.widened() for system in systems]

    def values_of(made: Iterable[JudgedRankings], queries: IntArray) -> FloatArray:
        """Values of the one system, or of the first minus the second."""
        pairs = zip(systems, made, strict=True)
        values = [system.value(one, queries) for system, one in pairs]
        defined = [np.where(np.isnan(column), undefined, column) for column in values]
        return defined[0] if len(defined) == 1 else defined[0] - defined[1]

    known_values = values_of(rankings, np.arange(len(rankings[0])))
    moves = np.zeros(len(items))
    step = max(_CELLS // (max(int(system.n_relevant.max(initial=0)) for system in rankings) + 1), 1)
    for first in range(0, len(items), step):
        chosen = slice(first, first + step)
        own_query, largest = query[chosen], moves[chosen]
        at = [(place[chosen, :1], place[chosen, 1:]) for place in places]
        for grade in possible_grades(rankings[0], max_grade).tolist():
            # For each item the ranking of its query in which it alone has a grade.
            grades = np.full((len(own_query), 1), grade)
            made = (
                completed(system, own_query, place, grades)
                for system, place in zip(rankings, at, strict=True)
            )
            moved = _moved_means(values_of(made, own_query), known_values, own_query, weights)
            largest = np.where(np.abs(moved) > np.abs(largest), moved, largest)
        moves[chosen] = largest
    # Equal moves go by the best rank, then as the items came.
    best = [min(rank for rank in pair if rank is not None) for pair in zip(*ranks, strict=True)]
    others = ranks[1] if len(ranks) > 1 else [None] * len(items)
    return [
        ToJudge(query_ids[numbers[row]], items[row], ranks[0][row], others[row], float(moves[row]))
        for row in np.lexsort((np.array(best), -np.abs(moves)))[:n].tolist()
    ]


def _moved_means(
    moved: FloatArray, known: FloatArray, query: IntArray, weights: FloatArray | None
) -> FloatArray:
    """Change of the mean over all queries by a change of one query."""
    query_weights = np.ones(len(known)) if weights is None else weights
    counts = np.where(np.isnan(known), 0.0, query_weights)
    total, weight = float(np.dot(counts, np.nan_to_num(known))), float(counts.sum())
    before, after = counts[query], np.where(np.isnan(moved), 0.0, query_weights[query])
    gained: FloatArray = after * np.nan_to_num(moved) - before * np.nan_to_num(known[query])
    if (after == before).all():
        return gained / (weight or 1.0)
    # A query that has a value only now, or none any more, changes what the others count.
    mean = total / weight if weight else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        means: FloatArray = (total + gained) / (weight - before + after)
    return np.where(after == before, gained / (weight or 1.0), np.nan_to_num(means) - mean)
