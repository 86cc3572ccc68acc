"""A measure over judged rankings: per-query values, their weights and their mean."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn_rank._averaging import Average, average
from sklearn_rank._judged import Judged
from sklearn_rank.measures import Measure
from sklearn_rank.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Scored:
    """What one measure makes of an input."""

    measure: Measure
    values: FloatArray | None
    """(Q,) NaN where undefined; None for a pooled measure, which has no values per query."""
    weights: FloatArray | None
    average: Average


def score_measure(measure: Measure, judged: Judged, zero_division: str | float) -> Scored:
    """Values of all queries and their mean."""
    if measure.is_pooled:
        return Scored(measure, None, None, _pooled(measure, judged, zero_division, None))
    values, weights = measure.per_query(judged), measure.average_weights(judged)
    mean = average(
        values,
        weights,
        present=None if judged.weights is None else judged.weights > 0,
        zero_division=zero_division,
        measure=str(measure),
        query_ids=judged.query_ids,
    )
    return Scored(measure, values, weights, mean)


def score_slice(
    scored: Scored, judged: Judged, queries: IntArray, zero_division: str | float
) -> Scored:
    """The same for some of the queries; only a pooled measure has to be computed again."""
    if scored.values is None:
        return Scored(
            scored.measure, None, None, _pooled(scored.measure, judged, zero_division, queries)
        )
    values = scored.values[queries]
    weights = None if scored.weights is None else scored.weights[queries]
    ids, data_weights = judged.query_ids, judged.weights
    mean = average(
        values,
        weights,
        present=None if data_weights is None else data_weights[queries] > 0,
        zero_division=zero_division,
        measure=str(scored.measure),
        query_ids=[ids[query] for query in queries.tolist()],
    )
    return Scored(scored.measure, values, weights, mean)


def _pooled(
    measure: Measure, judged: Judged, zero_division: str | float, queries: IntArray | None
) -> Average:
    values = measure.pooled(judged.pool(queries))
    return average(
        values,
        None,
        zero_division=zero_division,
        measure=str(measure),
        query_ids=["all items together"],
    )
