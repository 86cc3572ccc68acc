"""A measure over judged rankings: per-query values, their weights and their mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_rank.evaluation.averaging import Average, average
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.source import Judged
from sklearn_rank.support.threads import in_threads
from sklearn_rank.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Scored:
    """What one measure makes of an input."""

    measure: Measure
    values: FloatArray | None
    """(Q,) NaN where undefined; None for a pooled measure, which has no values per query."""
    weights: FloatArray | None
    average: Average


def score_measures(
    measures: Sequence[Measure],
    judged: Judged,
    zero_division: str | float,
    n_jobs: int | None = None,
) -> list[Scored]:
    """Values of all queries and their means; all measures of a block while it is at hand.

    Functions of the caller, such as a gain, are called in one thread.
    """
    # What cannot be pooled is refused before anything is computed.
    pooled = [one.pooled(judged.pool()) if one.is_pooled else None for one in measures]
    functions = [one.by_block(judged) for one in measures if not one.is_pooled]
    if any(one.calls_back for one in measures):
        n_jobs = None

    def values_of(number: int) -> list[FloatArray]:
        block = judged.block(number)
        return [function(block) for function in functions]

    blocks = in_threads(values_of, range(len(judged.parts)), n_jobs)
    per_query = map(np.concatenate, zip(*blocks, strict=True))
    return [
        _averaged(one, judged, next(per_query), one.average_weights(judged), zero_division)
        if value is None
        else _averaged_pool(one, value, zero_division)
        for one, value in zip(measures, pooled, strict=True)
    ]


def score_measure(measure: Measure, judged: Judged, zero_division: str | float) -> Scored:
    """Values of all queries and their mean, by one measure."""
    return score_measures([measure], judged, zero_division)[0]


def score_slice(
    whole: Scored, queries: IntArray, judged: Judged, zero_division: str | float
) -> Scored:
    """The same for ``judged``, some of the queries; only pooled measures are computed again."""
    measure = whole.measure
    if whole.values is None:
        return _averaged_pool(measure, measure.pooled(judged.pool()), zero_division)
    weights = None if whole.weights is None else whole.weights[queries]
    return _averaged(measure, judged, whole.values[queries], weights, zero_division)


def _averaged(
    measure: Measure,
    judged: Judged,
    values: FloatArray,
    weights: FloatArray | None,
    zero_division: str | float,
) -> Scored:
    """Values with their mean."""
    mean = average(
        values,
        weights,
        present=None if judged.weights is None else judged.weights > 0,
        zero_division=zero_division,
        measure=str(measure),
        query_ids=judged.query_ids,
    )
    return Scored(measure, values, weights, mean)


def _averaged_pool(measure: Measure, value: FloatArray, zero_division: str | float) -> Scored:
    """The value of the one ranking of all items, which may be undefined too."""
    mean = average(
        value,
        None,
        zero_division=zero_division,
        measure=str(measure),
        query_ids=["all items together"],
    )
    return Scored(measure, None, None, mean)
