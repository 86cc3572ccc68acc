"""A measure over judged rankings: per-query values, their weights and their mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_rank._averaging import Average, average
from sklearn_rank._judged import Judged
from sklearn_rank._threads import in_threads
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


def score_measures(
    measures: Sequence[Measure],
    judged: Judged,
    zero_division: str | float,
    n_jobs: int | None = None,
) -> list[Scored]:
    """Values of all queries and their means; all measures of a block while it is at hand."""
    wanted = [one for one in measures if not one.is_pooled]
    functions = [one.by_block(judged) for one in wanted]

    def values_of(number: int) -> list[FloatArray]:
        block = judged.block(number)
        return [function(block) for function in functions]

    blocks = in_threads(values_of, range(len(judged.parts)), n_jobs)
    values = {one: np.concatenate(found) for one, *found in zip(wanted, *blocks, strict=True)}
    return [
        _averaged(
            one,
            judged,
            values.get(one),
            None if one.is_pooled else one.average_weights(judged),
            zero_division,
        )
        for one in measures
    ]


def score_measure(measure: Measure, judged: Judged, zero_division: str | float) -> Scored:
    """The same for one measure."""
    return score_measures([measure], judged, zero_division)[0]


def score_slice(
    whole: Scored, queries: IntArray, judged: Judged, zero_division: str | float
) -> Scored:
    """The same for ``judged``, some of the queries; only pooled measures are computed again."""
    values, weights = (
        None if one is None else one[queries] for one in (whole.values, whole.weights)
    )
    return _averaged(whole.measure, judged, values, weights, zero_division)


def _averaged(
    measure: Measure,
    judged: Judged,
    values: FloatArray | None,
    weights: FloatArray | None,
    zero_division: str | float,
) -> Scored:
    """Values with their mean; without any, the value of the one ranking of all items."""
    mean = average(
        measure.pooled(judged.pool()) if values is None else values,
        weights,
        present=None if values is None or judged.weights is None else judged.weights > 0,
        zero_division=zero_division,
        measure=str(measure),
        query_ids=["all items together"] if values is None else judged.query_ids,
    )
    return Scored(measure, values, weights, mean)
