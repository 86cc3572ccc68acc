"""What a measured system is compared with: values per query, wherever they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation, refuse_unbounded
from sklearn_rank.bounds.result import Bounds
from sklearn_rank.bounds.to_judge import ToJudge
from sklearn_rank.evaluation.bounds import bounds_of_change
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Reference:
    """What a system is compared with: recorded, or measured beside it."""

    queries: IntArray
    """Numbers of the measured queries that are compared."""
    per_query: Mapping[str, FloatArray]
    """Values of these queries; measures without values per query are not in here."""
    values: Mapping[str, float]
    """Value over all of the reference's queries."""
    placement: Callable[[int], Placement | None]
    """Where the relevant items of a measured query stood, if that is known."""
    complete: bool = True
    """Whether both sides have the same queries, so that ``values`` are comparable."""
    decimals: int | None = None
    """To how many places values were rounded."""
    slices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Values by slice and measure, as far as they are known: pooled ones have no others."""
    unjudged_share: float | None = None
    """Share of the items on top that nobody judged, as ``StrictEvaluation.unjudged_share``."""
    bounds: Callable[[str], Bounds | None] = lambda _name: None
    """Least and greatest change of a measure over all grades of the unjudged items; None where it
    is not known where those of the reference stand."""
    to_judge: Callable[[str, int], list[ToJudge]] = lambda _name, _n: []
    """Unjudged items by how much their grade could change the comparison."""


def beside(measured: StrictEvaluation, other: StrictEvaluation, slices: Any = None) -> Reference:
    """Another system that was measured on the same judgements, and in the same slices."""
    place = {query: number for number, query in enumerate(other.query_ids)}
    if set(place) != set(measured.query_ids):
        msg = "could not measure: the two systems were evaluated on different queries"
        raise RankGateFailure(msg)
    order = np.array([place[query] for query in measured.query_ids], dtype=np.int64)
    columns = {name: other.per_query(name) for name in other.names}
    pooled = [name for name, used in other.used.items() if used.is_pooled]
    parts = other.slices(slices) if pooled and slices is not None else {}
    return Reference(
        queries=np.arange(len(measured)),
        per_query={name: column[order] for name, column in columns.items() if column is not None},
        values={name: other.value(name) for name in other.names},
        slices={label: {name: part[name] for name in pooled} for label, part in parts.items()},
        placement=lambda number: other.placements([int(order[number])])[0],
        unjudged_share=other.unjudged_share(measured.top),
        bounds=partial(_bounds_beside, measured, other),
        to_judge=lambda name, n: measured.to_judge(name, n, other),
    )


def _bounds_beside(measured: StrictEvaluation, other: StrictEvaluation, name: str) -> Bounds:
    refuse_unbounded(measured.used[name], change=True)
    return bounds_of_change(measured.with_items, other.with_items, measured.used[name])
