"""Unjudged items of one evaluation, or of two, by how much their grades could move a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_rank.bounds.holes import highest_grade
from sklearn_rank.bounds.to_judge import System, ToJudge, to_judge
from sklearn_rank.evaluation.by_measure import find_measure
from sklearn_rank.evaluation.compute import Block, Scored, valuation
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.unjudged_items import unjudged_items
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import IntArray

Side = tuple[Mapping[str, Scored], RankingData]
"""What an evaluation knows."""


def next_to_judge(
    evaluations: Sequence[Side],
    measure: str | Measure | None,
    n: int | None,
    max_grade: float | None,
) -> list[ToJudge]:
    """Items of one evaluation, or of two over their common queries, the largest move first."""
    first, judged = evaluations[0]
    name = next(iter(first)) if measure is None else find_measure(measure, first)
    scored = first[name]
    if scored.values is None:
        msg = f"{name} ranks all queries together; its items have no query to be judged for"
        raise InvalidParameterError(msg)
    ids = judged.listed_ids()
    numbers = [_common(ids, own.listed_ids()) for _, own in evaluations]
    common = np.flatnonzero(np.logical_and.reduce([own >= 0 for own in numbers]))
    if not len(common):
        msg = "the two evaluations have no query in common"
        raise QueryMismatchError(msg)
    systems = [
        _system(own[find_measure(scored.measure, own)].measure, own_judged, places[common])
        for (own, own_judged), places in zip(evaluations, numbers, strict=True)
    ]
    undefined = scored.zero_division
    return to_judge(
        systems,
        [ids[number] for number in common.tolist()],
        n,
        max_grade=highest_grade(systems[0].rankings) if max_grade is None else max_grade,
        weights=None if scored.weights is None else scored.weights[common],
        undefined=np.nan if isinstance(undefined, str) else float(undefined),
    )


def _common(ids: Sequence[Any], other: Sequence[Any]) -> IntArray:
    """Number of each query in another evaluation; -1 where it has none."""
    known = {query: number for number, query in enumerate(other)}
    return np.array([known.get(query, -1) for query in ids], dtype=np.int64)


def _system(measure: Measure, judged: RankingData, numbers: IntArray) -> System:
    """One side, of some queries."""
    rankings = judged.by_score if measure.metric.by_score else judged.rankings
    items = unjudged_items(judged, measure.depth)
    value = valuation(measure, judged)
    return System(
        rankings.take(numbers),
        [items[number] for number in numbers.tolist()],
        lambda own, queries: value(Block(numbers[queries], own, own)),
    )


def columns_of(rows: Sequence[ToJudge], *, with_other: bool) -> dict[str, list[Any]]:
    """Rows as columns; the grade is left to be filled in."""
    columns: dict[str, list[Any]] = {
        "query": [row.query for row in rows],
        "item": [row.item for row in rows],
        "grade": [None] * len(rows),
        "rank": [row.rank for row in rows],
        "rank_other": [row.rank_other for row in rows],
        "move": [row.move for row in rows],
    }
    if not with_other:
        del columns["rank_other"]
    return columns


def check_number(n: Any) -> int | None:
    """How many items are asked for; None asks for all."""
    if n is None:
        return None
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        msg = f"n must be an int of at least 1, or None for all, got {safe_repr(n)}"
        raise InvalidParameterError(msg)
    return n
