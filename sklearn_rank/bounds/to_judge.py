"""What to judge next: unjudged items by how much the grade of each could move a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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


class _Rows(NamedTuple):
    """Items of all queries: where they stand in the systems, query after query."""

    query: IntArray
    items: list[Any]
    places: list[tuple[IntArray, IntArray]]
    """For each system (above, tied)."""
    ranks: list[list[float | None]]


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
    other unjudged items stay irrelevant. ``undefined`` is what a query counts without a value.
    """
    rows = _rows(systems)
    if not rows.items:
        return []
    grades = possible_grades(systems[0].rankings, max_grade).tolist()
    known = _differences([system.value(*_all(system.rankings)) for system in systems], undefined)
    moves = np.zeros(len(rows.items))
    for chosen in _blocks(rows, systems):
        own, query = moves[chosen], rows.query[chosen]
        for grade in grades:
            values = [
                system.value(_graded(system.rankings, query, places, chosen, grade), query)
                for system, places in zip(systems, rows.places, strict=True)
            ]
            moved = _moved_means(_differences(values, undefined), known, query, weights)
            own = np.where(np.abs(moved) > np.abs(own), moved, own)
        moves[chosen] = own
    return _listed(rows, moves, query_ids, n)


def _listed(
    rows: _Rows, moves: FloatArray, query_ids: Sequence[Any], n: int | None
) -> list[ToJudge]:
    """The items that move most; equal ones by their best rank, then as they came."""
    known = [[rank for rank in pair if rank is not None] for pair in zip(*rows.ranks, strict=True)]
    best = [min(ranks) for ranks in known]
    order = np.lexsort((np.array(best), -np.abs(moves)))[:n]
    others = rows.ranks[1] if len(rows.ranks) > 1 else [None] * len(moves)
    queries = rows.query.tolist()
    return [
        ToJudge(
            query_ids[queries[row]],
            rows.items[row],
            rows.ranks[0][row],
            others[row],
            float(moves[row]),
        )
        for row in order.tolist()
    ]


def _rows(systems: Sequence[System]) -> _Rows:
    """Every unjudged item of every query once, with its place in each system."""
    query: list[int] = []
    items: list[Any] = []
    found: list[list[UnjudgedItem | None]] = [[] for _ in systems]
    for number, lists in enumerate(zip(*(system.items for system in systems), strict=True)):
        by_item = [{own.item: own for own in own_items} for own_items in lists]
        ids = dict.fromkeys(chain.from_iterable(by_item))
        query += [number] * len(ids)
        items += ids
        for column, known in zip(found, by_item, strict=True):
            column += map(known.get, ids)
    places = [
        (
            np.array([NOWHERE if own is None else own.above for own in column], dtype=np.int64),
            np.array([1 if own is None else own.tied for own in column], dtype=np.int64),
        )
        for column in found
    ]
    ranks = [[None if own is None else own.rank for own in column] for column in found]
    return _Rows(np.array(query, dtype=np.int64), items, places, ranks)


def _all(rankings: JudgedRankings) -> tuple[JudgedRankings, IntArray]:
    return rankings.widened(), np.arange(len(rankings))


def _blocks(rows: _Rows, systems: Sequence[System]) -> Iterator[slice]:
    """Rows that are measured together, of bounded size."""
    most = max(int(system.rankings.n_relevant.max(initial=0)) for system in systems) + 1
    step = max(_CELLS // most, 1)
    for first in range(0, len(rows.items), step):
        yield slice(first, first + step)


def _graded(
    rankings: JudgedRankings,
    query: IntArray,
    places: tuple[IntArray, IntArray],
    chosen: slice,
    grade: float,
) -> JudgedRankings:
    """For each item the ranking of its query in which it alone has a grade."""
    above, tied = (column[chosen][:, None] for column in places)
    return completed(rankings, query, (above, tied), np.full((len(query), 1), grade))


def _differences(values: Sequence[FloatArray], undefined: float) -> FloatArray:
    """Values of the one system, or those of the first less those of the second."""
    settled = [np.where(np.isnan(column), undefined, column) for column in values]
    return settled[0] if len(settled) == 1 else settled[0] - settled[1]


def _moved_means(
    moved: FloatArray, known: FloatArray, query: IntArray, weights: FloatArray | None
) -> FloatArray:
    """How far the mean over all queries moves if one of them gets another value."""
    own = np.ones(len(known)) if weights is None else weights
    counts = np.where(np.isnan(known), 0.0, own)
    total, weight = float(np.dot(counts, np.nan_to_num(known))), float(counts.sum())
    before, after = counts[query], np.where(np.isnan(moved), 0.0, own[query])
    gained: FloatArray = after * np.nan_to_num(moved) - before * np.nan_to_num(known[query])
    if (after == before).all():
        return gained / (weight or 1.0)
    # A query that has a value only now, or none any more, changes what the others count.
    mean = total / weight if weight else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        means: FloatArray = (total + gained) / (weight - before + after)
    return np.where(after == before, gained / (weight or 1.0), np.nan_to_num(means) - mean)
