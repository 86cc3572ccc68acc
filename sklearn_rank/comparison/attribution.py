"""Why the value of a query changed: what each relevant item has to do with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.comparison.values import ItemChange
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.moves import Moved, moved_parts
from sklearn_rank.measures.parameters import ByQuery
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import Hit, Placement, judged_from
from sklearn_rank.typing import FloatArray

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
    relevant = _Relevant(measure, before, after, key)
    if relevant.lacks_ids:
        return Explanation((), NO_IDS)
    try:
        contributions = relevant.contributions()
    except InvalidParameterError as error:
        return Explanation(relevant.items(None), f"{measure} has no parts by item: {error}")
    return Explanation(relevant.items(contributions))


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
        self._sides = before, after
        self._hits = [_hits(measure, side) for side in self._sides]
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
        known = any(side.judged is not None for side in self._sides)
        return not known or any(hit.item is None for hits in self._hits for hit in hits)

    def contributions(self) -> FloatArray:
        """(I,) in the order of the names; InvalidParameterError with the reason if there are none.

        The reason is part of a sentence.
        """
        metric = self._measure.metric
        if metric.parts is None and metric.moves is None:
            msg = "its value is no sum over items"
            raise InvalidParameterError(msg)
        places = {name: number for number, name in enumerate(self._names)}
        items = [np.array([places[name] for name in hits], np.int64) for hits in self._by_key]
        old, new = (_rankings(self._measure, side) for side in self._sides)
        moved = Moved(old, new, items[0], items[1], len(places))
        options = self._options()
        if metric.moves is not None:
            return metric.moves(moved, **options)
        assert metric.parts is not None
        return moved_parts(metric.parts, moved, options)

    def _options(self) -> dict[str, Any]:
        """Parameters of the kernel, for this query alone."""
        own = {
            name: value
            for name, value in self._measure.options.items()
            if name not in ("average", "min_rel")
        }
        negatives = own.get("n_negatives")
        if isinstance(negatives, tuple):
            msg = "n_negatives is given by position"
            raise InvalidParameterError(msg)
        if isinstance(negatives, ByQuery):
            own["n_negatives"] = negatives.of([self._sides[1].query], "n_negatives")
        return {"k": self._measure.k, **own}

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


def _rankings(measure: Measure, side: Placement) -> JudgedRankings:
    rankings = judged_from([side]).rankings.widened()
    least = _least(measure)
    return rankings.at_least(least) if least else rankings


def _rank(hit: Hit | None) -> float | None:
    return None if hit is None else hit.rank
