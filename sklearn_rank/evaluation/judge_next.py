"""Unjudged items to judge next: by the change of a result if one of them had the highest grade."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.evaluation.compute import Block, Scored, find_measure, query_factors, valuation
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.slices import (
    common_queries,
    refuse_other_judgements,
    refuse_other_options,
)
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import Hit, unjudged_items
from sklearn_rank.support.segments import offsets_of, segment_index, take_segments
from sklearn_rank.support.text import format_list
from sklearn_rank.typing import FloatArray, IntArray

_CELLS = 1 << 19
"""Relevant items of rankings that are measured at once: some 50 MB."""
_ABSENT = -1
"""Instead of the number of items above, for an item that a system does not retrieve or read."""


def next_to_judge(
    evaluations: Sequence[Evaluation],
    measure: str | Measure | None,
    n: int | None,
) -> dict[str, list[Any]]:
    """Columns of the items to judge, for one evaluation or two on their common queries.

    The change is that of the mean over queries, or of the difference of two means, while all other
    unjudged items stay irrelevant.
    """
    first = evaluations[0]._scored
    name = next(iter(first)) if measure is None else find_measure(measure, first)
    common = _common_queries(evaluations)
    systems = [
        _System.of(evaluation, find_measure(name, evaluation._scored), queries)
        for evaluation, queries in zip(evaluations, common, strict=True)
    ]
    # Every item once, query after query.
    keys = sorted(
        dict.fromkeys(chain.from_iterable(one.items for one in systems)), key=itemgetter(0)
    )
    highest = float(systems[0].rankings.judged_grades.max(initial=0)) or 1.0
    changes = systems[0].changes(keys, highest)
    for other in systems[1:]:
        changes = changes - other.changes(keys, highest)
    placed = [[system.items.get(key) for key in keys] for system in systems]
    ranks = [[None if item is None else item.rank for item in of_system] for of_system in placed]
    # Equal changes go by the best rank, then as the items came.
    best = [
        min(rank for rank in of_item if rank is not None) for of_item in zip(*ranks, strict=True)
    ]
    chosen = np.lexsort((np.array(best, dtype=float), -np.abs(changes)))[:n].tolist()
    ids = evaluations[0]._judged.listed_ids()
    columns: dict[str, list[Any]] = {
        "query": [ids[common[0][keys[row][0]]] for row in chosen],
        "item": [keys[row][1] for row in chosen],
        "grade": [None] * len(chosen),
    }
    for title, of_system in zip(("rank", "baseline_rank"), ranks, strict=False):
        columns[title] = [of_system[row] for row in chosen]
    columns["change"] = [float(changes[row]) for row in chosen]
    return columns


def _common_queries(evaluations: Sequence[Evaluation]) -> list[IntArray]:
    """Numbers of the common queries in each; an error if these do not ask one question."""
    ids = [evaluation._judged.listed_ids() for evaluation in evaluations]
    numbers = common_queries(ids)
    if not len(numbers[0]):
        msg = f"the evaluations have no query in common: {' against '.join(map(format_list, ids))}"
        raise QueryMismatchError(msg)
    named = dict(zip(("new", "old"), evaluations, strict=False))
    refuse_other_options({name: one.reading for name, one in named.items()})
    judged = {name: one._judged for name, one in named.items()}
    refuse_other_judgements(judged, dict(zip(named, numbers, strict=True)))
    return numbers


def _refuse(scored: Scored, data: RankingData, items: Sequence[Sequence[Hit]]) -> None:
    """InvalidParameterError where a grade for one item has no one effect on the measure."""
    measure, reason = scored.measure, ""
    if scored.values is None:
        reason = "ranks all queries together; its items have no query to be judged for"
    elif measure.metric.is_given:
        reason = "was measured elsewhere, and no grade changes it"
    elif any(part.metric.of_judgements or part.metric.skips_unjudged for part in measure.parts):
        reason = "reads which items are judged; name a measure that reads grades"
    elif data.has_relevance:
        reason = "has no items to judge where relevance= ranks them in a second way"
    elif (
        data.rankings.unjudged is not None
        and data.rankings.unjudged.grade_order
        and any(item.tied > 1 for of_query in items for item in of_query)
    ):
        reason = (
            "has unjudged items in ties, whose order ties='optimistic' and 'pessimistic' take from "
            "the grades; evaluate with ties='average', 'stable' or 'docid'"
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
    items: dict[tuple[int, Any], Hit]
    """By the position of the query among the common ones, and the id: items that the measure
    reads."""

    @classmethod
    def of(cls, evaluation: Evaluation, name: str, numbers: IntArray) -> _System:
        data, scored = evaluation._judged, evaluation._scored[name]
        every = unjudged_items(data, scored.measure.depth)
        _refuse(scored, data, every)
        items = {
            (query, item.item): item
            for query, number in enumerate(numbers.tolist())
            for item in every[number]
        }
        return cls(scored, data, numbers, data.rankings.take(numbers).widened(), items)

    def changes(self, keys: Sequence[tuple[int, Any]], grade: float) -> FloatArray:
        """(U,) changes of the mean if an item of a query had the grade."""
        query = np.array([number for number, _ in keys], dtype=np.int64)
        items = [self.items.get(key) for key in keys]
        above = np.array([_ABSENT if item is None else item.above for item in items], np.int64)
        tied = np.array([1 if item is None else item.tied for item in items], np.int64)
        value_of = valuation(self.scored.measure, self.data)
        values = self.scored.counted
        assert values is not None
        values = values[self.numbers]
        weights = self._weights(self.rankings, np.arange(len(self.numbers)))
        mean = _Mean(values, np.where(np.isnan(values), 0.0, weights))
        changes = np.zeros(len(keys))
        most = int(self.rankings.n_relevant.max(initial=0)) + 1
        for start in range(0, len(keys), max(_CELLS // most, 1)):
            part = slice(start, start + max(_CELLS // most, 1))
            made = _judged_once_more(self.rankings, query[part], above[part], tied[part], grade)
            again = value_of(Block(self.numbers[query[part]], made, made))
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
    """A weighted mean, of which one value at a time changes."""

    def __init__(self, values: FloatArray, weights: FloatArray) -> None:
        self.values, self.weights = np.nan_to_num(values), weights
        self.total, self.weight = float(np.dot(weights, self.values)), float(weights.sum())
        self.value = self.total / self.weight if self.weight else 0.0

    def moved(self, query: IntArray, values: FloatArray, weights: FloatArray) -> FloatArray:
        """Changes of the mean where a query has another value, or NaN, and another weight."""
        before, after = self.weights[query], np.where(np.isnan(values), 0.0, weights)
        gained = after * np.nan_to_num(values) - before * self.values[query]
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (self.total + gained) / (self.weight - before + after)
        same = gained / (self.weight or 1.0)
        return np.where(after == before, same, np.nan_to_num(means) - self.value)


def _judged_once_more(
    rankings: JudgedRankings, query: IntArray, above: IntArray, tied: IntArray, grade: float
) -> JudgedRankings:
    """For each of U items the ranking of its query in which it has the grade, and no other does."""
    if not grade:
        return rankings.take(query)
    rows, offsets = take_segments(rankings.offsets, query)
    ranked = np.flatnonzero(above >= 0)
    number = np.concatenate((segment_index(offsets), ranked))
    all_above = np.concatenate((rankings.above[rows], above[ranked]))
    all_tied = np.concatenate((rankings.tied[rows], tied[ranked]))
    grades = np.concatenate((rankings.grades[rows], np.full(len(ranked), grade)))
    order = np.lexsort((-grades, all_above, number))  # in a tie the better grades first
    rows, offsets = take_segments(rankings.judged_offsets, query)
    of_item = np.concatenate((segment_index(offsets), np.arange(len(query))))
    judged = np.concatenate((rankings.judged_grades[rows], np.full(len(query), grade)))
    return JudgedRankings(
        query_ids=query,
        offsets=offsets_of(np.bincount(number, minlength=len(query))),
        above=all_above[order],
        tied=all_tied[order],
        grades=grades[order],
        n_ranked=rankings.n_ranked[query],
        judged_offsets=offsets_of(np.bincount(of_item, minlength=len(query))),
        judged_grades=judged[np.argsort(of_item, kind="stable")],
    )
