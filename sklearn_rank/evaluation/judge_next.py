"""Unjudged items to judge next, by how much the highest grade for one would change a result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.evaluation.compute import (
    QueryBlock,
    Scored,
    find_measure,
    query_factors,
    valuation,
)
from sklearn_rank.evaluation.slices import (
    common_queries,
    refuse_other_judgements,
    refuse_other_options,
)
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import JudgedRankings, Positions, Unjudged
from sklearn_rank.rankings.placements import unjudged_items
from sklearn_rank.support.segments import offsets_of, segment_index, sizes_of, take_segments
from sklearn_rank.support.text import format_list
from sklearn_rank.typing import FloatArray, IntArray

_CELLS = 1 << 19
"""Relevant items of rankings that are measured at once: some 50 MB."""
_ABSENT = -1
"""In place of a row or a number of items above: the system does not retrieve or read an item."""


def next_to_judge(
    evaluations: Sequence[BaseEvaluation],
    measure: str | Measure | None,
    n: int | None,
    within: int | None = None,
) -> dict[str, list[Any]]:
    """Columns of the items to judge, for one evaluation or two on their common queries.

    Changes are of the mean over queries, or of the difference of two means, if all other unjudged
    items stay irrelevant. With ``within``, items below that rank in all systems are left out.
    """
    if len(evaluations[0].runs) > 1:
        msg = "to_judge reads the rankings of one run; call it on one of evaluation.runs"
        raise InvalidParameterError(msg)
    first = evaluations[0].scored
    name = next(iter(first)) if measure is None else find_measure(measure, first)
    common = _common_queries(evaluations)
    systems = [
        _System.of(evaluation, find_measure(name, evaluation.scored), queries)
        for evaluation, queries in zip(evaluations, common, strict=True)
    ]
    query, items, rows = _every_item(systems, within)
    highest = float(systems[0].rankings.relevant_grades.max(initial=0)) or 1.0
    parts = [one.changes(query, own, highest) for one, own in zip(systems, rows, strict=True)]
    changes = parts[0] if len(parts) == 1 else parts[0] - parts[1]
    ranks = [one.ranks(own) for one, own in zip(systems, rows, strict=True)]
    # Equal changes go by the best rank, then as the items came: those of the first system first.
    came = rows[0].view(np.uint64)
    chosen = np.lexsort((came, query, np.fmin(ranks[0], ranks[-1]), -np.abs(changes)))[:n]
    ids = evaluations[0].ranking_data.listed_ids()
    columns: dict[str, list[Any]] = {
        "query": [ids[number] for number in common[0][query[chosen]].tolist()],
        "item": [items[row] for row in chosen.tolist()],
        "grade": [None] * len(chosen),
    }
    for title, of_system in zip(("rank", "baseline_rank"), ranks, strict=False):
        columns[title] = [*map(_plain, of_system[chosen].tolist())]
    columns["change"] = changes[chosen].tolist()
    return columns


def _plain(rank: float) -> float | None:
    """A rank as it is written: None if there is none, and without decimals if it is whole."""
    if math.isnan(rank):
        return None
    return int(rank) if rank.is_integer() else rank


def _every_item(
    systems: Sequence[_System], within: int | None
) -> tuple[IntArray, list[Any], list[IntArray]]:
    """Every item once: the number of its query, its id, and its row in each system, or -1.

    With ``within``, items below that rank in all systems are left out.
    """
    columns = [one.unjudged(within) for one in systems]
    sizes: list[int] = []
    items: list[Any] = []
    rows: list[list[IntArray]] = [[] for _ in systems]
    for of_query in zip(*columns, strict=True):
        wanted = dict.fromkeys(chain.from_iterable(names[:top] for names, _, top, _ in of_query))
        sizes.append(len(wanted))
        items.extend(wanted)
        for of_system, (names, first, _, read) in zip(rows, of_query, strict=True):
            row_of = dict(zip(names, range(first, first + read), strict=False))
            found = map(row_of.get, wanted, repeat(_ABSENT))
            of_system.append(np.fromiter(found, np.int64, len(wanted)))
    query = np.repeat(np.arange(len(sizes)), sizes)
    return query, items, [np.concatenate(of_system) for of_system in rows]


def _common_queries(evaluations: Sequence[BaseEvaluation]) -> list[IntArray]:
    """Numbers of the common queries in each; an error if they were read or judged differently."""
    ids = [evaluation.ranking_data.listed_ids() for evaluation in evaluations]
    numbers = common_queries(ids)
    if not len(numbers[0]):
        msg = f"the evaluations have no query in common: {' against '.join(map(format_list, ids))}"
        raise QueryMismatchError(msg)
    named = dict(zip(("new", "old"), evaluations, strict=False))
    refuse_other_options({name: one.reading for name, one in named.items()})
    judged = {name: one.ranking_data for name, one in named.items()}
    refuse_other_judgements(judged, dict(zip(named, numbers, strict=True)))
    return numbers


def _refuse(scored: Scored, data: RankingData) -> None:
    """InvalidParameterError if a grade for one item has no single effect on the measure."""
    measure, unjudged, reason = scored.measure, data.rankings.unjudged, ""
    if scored.values is None:
        reason = "ranks the items of all queries together; pass a measure= with a value per query"
    elif measure.metric.is_given:
        reason = "was measured elsewhere, so no grade changes it; pass another measure="
    elif any(part.metric.of_judgements or part.metric.skips_unjudged for part in measure.parts):
        reason = "depends on which items are judged; pass a measure= that depends only on grades"
    elif data.has_relevance:
        reason = "has no items to judge if relevance= ranks them a second time; evaluate without it"
    elif (
        unjudged is not None
        and unjudged.grade_order
        and (unjudged.positions.within(measure.depth).tied > 1).any()
    ):
        reason = (
            "has unjudged items in ties, which ties='optimistic' and 'pessimistic' order by grade; "
            "evaluate with ties='average', 'stable' or 'docid'"
        )
    if reason:
        msg = f"{measure} {reason}"
        raise InvalidParameterError(msg)


class _System(NamedTuple):
    """One evaluation of the common queries, and what it takes to measure them again."""

    scored: Scored
    data: RankingData
    numbers: IntArray
    """(Q,) numbers of the common queries."""
    rankings: JudgedRankings
    """Of the common queries."""
    names: Iterable[list[Any]]
    """Unjudged items of the common queries, to be read once."""
    positions: Positions
    """Of the unjudged items of all queries."""

    @classmethod
    def of(cls, evaluation: BaseEvaluation, name: str, numbers: IntArray) -> _System:
        data, scored = evaluation.ranking_data, evaluation.scored[name]
        names = unjudged_items(data, numbers.tolist())
        _refuse(scored, data)
        rankings = data.rankings.take(numbers).widened()
        unjudged = data.rankings.unjudged or Unjudged.nothing(len(data.query_ids))
        return cls(scored, data, numbers, rankings, names, unjudged.positions)

    def unjudged(self, within: int | None) -> Iterator[tuple[list[Any], int, int, int]]:
        """For each query its items, the first one's row, and how many are ``within``, and read."""
        depth, positions = self.scored.measure.depth, self.positions
        top = min((cut for cut in (depth, within) if cut is not None), default=None)
        first = positions.offsets[self.numbers].tolist()
        sizes = [sizes_of(positions.within(cut).offsets)[self.numbers] for cut in (top, depth)]
        return zip(self.names, first, *(size.tolist() for size in sizes), strict=True)

    def ranks(self, rows: IntArray) -> FloatArray:
        """Ranks of the items of some rows, within a tie the mean; NaN: no row."""
        above, tied = self._places(rows)
        return np.where(rows == _ABSENT, math.nan, above + (tied + 1) / 2)

    def _places(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Items above the tie group of each row, and the size of the group."""
        if not len(self.positions.above):
            return np.full(len(rows), _ABSENT), np.ones(len(rows), np.int64)
        absent = rows == _ABSENT
        above, tied = (column[rows].astype(np.int64) for column in self.positions[1:])
        return np.where(absent, _ABSENT, above), np.where(absent, 1, tied)

    def changes(self, query: IntArray, rows: IntArray, grade: float) -> FloatArray:
        """(U,) changes of the mean if an item of a query had the grade."""
        above, tied = self._places(rows)
        value_of = valuation(self.scored.measure, self.data)
        values = self.scored.counted
        assert values is not None
        values = values[self.numbers]
        weights = self._weights(self.rankings, np.arange(len(self.numbers)))
        mean = _Mean(values, np.where(np.isnan(values), 0.0, weights))
        changes = np.zeros(len(rows))
        most = int(self.rankings.n_relevant.max(initial=0)) + 1
        for start in range(0, len(rows), max(_CELLS // most, 1)):
            part = slice(start, start + max(_CELLS // most, 1))
            made = _judged_once_more(self.rankings, query[part], above[part], tied[part], grade)
            again = value_of(QueryBlock(self.numbers[query[part]], made, made))
            again = np.where(np.isnan(again), self.scored.undefined, again)
            changes[part] = mean.moved(query[part], again, self._weights(made, query[part]))
        return changes

    def _weights(self, rankings: JudgedRankings, query: IntArray) -> FloatArray:
        """Weights of rankings of some queries in the mean."""
        given = self.data.weights
        weights = np.ones(len(query)) if given is None else given[self.numbers[query]]
        factors = query_factors(self.scored.measure, rankings)
        return weights if factors is None else weights * factors


class _Mean:
    """A weighted mean in which one value changes at a time."""

    def __init__(self, values: FloatArray, weights: FloatArray) -> None:
        self.values, self.weights = np.nan_to_num(values), weights
        self.total, self.weight = float(np.dot(weights, self.values)), float(weights.sum())
        self.value = self.total / self.weight if self.weight else 0.0

    def moved(self, query: IntArray, values: FloatArray, weights: FloatArray) -> FloatArray:
        """Changes of the mean if a query has another value, or NaN, and another weight."""
        before, after = self.weights[query], np.where(np.isnan(values), 0.0, weights)
        gained = after * np.nan_to_num(values) - before * self.values[query]
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (self.total + gained) / (self.weight - before + after)
        same = gained / (self.weight or 1.0)
        return np.where(after == before, same, np.nan_to_num(means) - self.value)


def _judged_once_more(
    rankings: JudgedRankings, query: IntArray, above: IntArray, tied: IntArray, grade: float
) -> JudgedRankings:
    """For each of U items, the ranking of its query if only that item had the grade."""
    if not grade:
        return rankings.take(query)
    rows, offsets = take_segments(rankings.offsets, query)
    ranked = np.flatnonzero(above >= 0)
    number = np.concatenate((segment_index(offsets), ranked))
    all_above = np.concatenate((rankings.above[rows], above[ranked]))
    all_tied = np.concatenate((rankings.tied[rows], tied[ranked]))
    grades = np.concatenate((rankings.grades[rows], np.full(len(ranked), grade)))
    order = np.lexsort((-grades, all_above, number))  # in a tie the better grades first
    rows, offsets = take_segments(rankings.relevant_offsets, query)
    of_item = np.concatenate((segment_index(offsets), np.arange(len(query))))
    judged = np.concatenate((rankings.relevant_grades[rows], np.full(len(query), grade)))
    return JudgedRankings(
        query_ids=query,
        offsets=offsets_of(np.bincount(number, minlength=len(query))),
        above=all_above[order],
        tied=all_tied[order],
        grades=grades[order],
        n_ranked=rankings.n_ranked[query],
        relevant_offsets=offsets_of(np.bincount(of_item, minlength=len(query))),
        relevant_grades=judged[np.argsort(of_item, kind="stable")],
    )
