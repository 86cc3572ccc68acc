"""Why the value of a query changed: what each relevant item has to do with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.comparison.values import ItemChange
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.moves import Moved, part_changes
from sklearn_rank.measures.parameters import ByQuery
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import Hit, Placement, judged_from
from sklearn_rank.typing import FloatArray, IntArray

NO_IDS = "items have no ids here; evaluate(..., keep_items=True) keeps those of lists and mappings"


@dataclass(frozen=True)
class Explanation:
    """The relevant items of a query, those that matter most first."""

    items: tuple[ItemChange, ...]
    remark: str = ""
    """Why no contributions are told; empty if they are."""


def explain(
    measure: Measure,
    before: Placement,
    after: Placement,
    *,
    key: Callable[[Any], Any] = lambda item: item,
) -> Explanation:
    """Contributions of the relevant items, whose exact sum is the change of the query's value.

    ``key`` makes ids of one kind of those of both placements.
    """
    (explanation,) = explain_all(measure, [(before, after)], key=key)
    return explanation


def explain_all(
    measure: Measure,
    pairs: Sequence[tuple[Placement, Placement]],
    *,
    key: Callable[[Any], Any] = lambda item: item,
) -> list[Explanation]:
    """The same of several queries, whose kernels run over all at once."""
    queries = [_Relevant(measure, before, after, key) for before, after in pairs]
    contributions = iter(_contributions(measure, [own for own in queries if not own.lacks_ids]))
    return [
        Explanation((), NO_IDS) if own.lacks_ids else _explained(measure, own, next(contributions))
        for own in queries
    ]


def _explained(measure: Measure, query: _Relevant, contributions: FloatArray | str) -> Explanation:
    if isinstance(contributions, str):
        return Explanation(query.items(None), f"{measure} has no parts by item: {contributions}")
    return Explanation(query.items(contributions))


def _contributions(measure: Measure, queries: list[_Relevant]) -> list[FloatArray | str]:
    """Of each query (I,) in the order of its names, or the reason why there are none.

    The reason is part of a sentence.
    """
    metric = measure.metric
    if metric.parts is None and metric.moves is None:
        return ["its value is no sum over items"] * len(queries)
    if not queries:
        return []
    try:
        if metric.moves is not None:
            return _one_by_one(measure, queries)
        return _together(measure, queries)
    except InvalidParameterError as error:
        # The fault of one query must not be that of others.
        if len(queries) == 1:
            return [str(error)]
        return [_contributions(measure, [query])[0] for query in queries]


def _one_by_one(measure: Measure, queries: list[_Relevant]) -> list[FloatArray | str]:
    moves, (old, new) = measure.metric.moves, _both_rankings(measure, queries)
    assert moves is not None
    results: list[FloatArray | str] = []
    for number, query in enumerate(queries):
        own = slice(number, number + 1)
        moved = Moved(old.part(own), new.part(own), *query.numbers, query.n_items)
        try:
            results.append(moves(moved, **_options(measure, [query])))
        except InvalidParameterError as error:
            results.append(str(error))
    return results


def _together(measure: Measure, queries: list[_Relevant]) -> list[FloatArray | str]:
    parts, (old, new) = measure.metric.parts, _both_rankings(measure, queries)
    assert parts is not None
    options = _options(measure, queries)
    was, now = (parts(rankings, **options) for rankings in (old, new))
    results: list[FloatArray | str] = []
    for number, query in enumerate(queries):
        before = was.of(number, old.offsets)
        after = now.of(number, new.offsets)
        results.append(part_changes(before, after, *query.numbers, query.n_items))
    return results


def _both_rankings(
    measure: Measure, queries: list[_Relevant]
) -> tuple[JudgedRankings, JudgedRankings]:
    old, new = (_rankings(measure, [query.sides[side] for query in queries]) for side in range(2))
    return old, new


def _options(measure: Measure, queries: list[_Relevant]) -> dict[str, Any]:
    """Parameters of the kernel, for these queries alone."""
    own = {
        name: value for name, value in measure.options.items() if name not in ("average", "min_rel")
    }
    negatives = own.get("n_negatives")
    if isinstance(negatives, tuple):
        msg = "n_negatives is given by position"
        raise InvalidParameterError(msg)
    if isinstance(negatives, ByQuery):
        ids = [query.sides[1].query for query in queries]
        own["n_negatives"] = negatives.of(ids, "n_negatives")
    return {"k": measure.k, **own}


class _Relevant:
    """What is relevant for a measure in both rankings of a query."""

    def __init__(
        self,
        measure: Measure,
        before: Placement,
        after: Placement,
        key: Callable[[Any], Any],
    ) -> None:
        self._measure = measure
        self.sides = before, after
        self._hits = [_hits(measure, side) for side in self.sides]
        self._by_key = [{key(hit.item): hit for hit in hits} for hits in self._hits]
        self._names: dict[Any, tuple[Any, float]] = {}
        for side in (after, before):
            judged = [
                *((hit.item, hit.grade) for hit in side.hits),
                *(side.judged or {}).items(),
            ]
            for item, grade in judged:
                if grade >= _least(measure) and grade > 0:
                    self._names.setdefault(key(item), (item, grade))
        for item, grade in (after.judged or {}).items():
            if key(item) in self._names:  # the ids of the data, rather than those of a baseline
                self._names[key(item)] = (item, grade)

    @property
    def lacks_ids(self) -> bool:
        """Whether nobody knows which items the hits are."""
        known = any(side.judged is not None for side in self.sides)
        return not known or any(hit.item is None for hits in self._hits for hit in hits)

    @property
    def n_items(self) -> int:
        """Relevant items, retrieved or not."""
        return len(self._names)

    @property
    def numbers(self) -> tuple[IntArray, IntArray]:
        """(H,) which items the hits of each side are."""
        places = {name: number for number, name in enumerate(self._names)}
        old, new = (np.array([places[name] for name in hits], np.int64) for hits in self._by_key)
        return old, new

    def items(self, contributions: FloatArray | None) -> tuple[ItemChange, ...]:
        """The items with their ranks."""
        values = [math.nan] * len(self._names) if contributions is None else contributions.tolist()
        old, new = self._by_key
        changes = [
            ItemChange(item, grade, _rank(old.get(name)), _rank(new.get(name)), value)
            for (name, (item, grade)), value in zip(self._names.items(), values, strict=True)
        ]
        return tuple(sorted(changes, key=_weight))


def _weight(change: ItemChange) -> tuple[float, bool, float]:
    """Largest contributions first, then what moved, then the higher ranks."""
    size = 0.0 if math.isnan(change.contribution) else -abs(change.contribution)
    ranks = [rank for rank in (change.old_rank, change.new_rank) if rank is not None]
    return size, change.old_rank == change.new_rank, min(ranks, default=math.inf)


def _least(measure: Measure) -> float:
    """The least grade that is relevant."""
    return measure.options.get("min_rel") or 0.0


def _hits(measure: Measure, side: Placement) -> list[Hit]:
    """Those that are relevant, in the order of the waist."""
    hits = sorted(side.hits, key=lambda hit: (hit.above, -hit.grade))
    return [hit for hit in hits if hit.grade >= _least(measure)]


def _rankings(measure: Measure, sides: Sequence[Placement]) -> JudgedRankings:
    rankings = judged_from(sides).rankings.widened()
    least = _least(measure)
    return rankings.at_least(least) if least else rankings


def _rank(hit: Hit | None) -> float | None:
    return None if hit is None else hit.rank
