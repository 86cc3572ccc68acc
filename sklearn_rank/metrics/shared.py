"""Arguments and computation that all metric functions share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from sklearn_rank.evaluation.compute import read, score_measures
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.measures.record import Measure, Metric
from sklearn_rank.support.checks import check_zero_division
from sklearn_rank.typing import StringProvider, Ties, ZeroDivision

_measure_of = lru_cache(maxsize=64, typed=True)(Measure.of)


class DataArguments(NamedTuple):
    """Arguments that every metric function takes besides its parameters."""

    groups: Any = None
    ties: Ties = "average"
    zero_division: ZeroDivision = "warn"
    sample_weight: Any = None
    string_provider: StringProvider | None = None
    relevance: Any = None


def score(
    metric: Metric,
    y_true: Any,
    y_score: Any,
    data: DataArguments,
    k: int | None = None,
    **parameters: Any,
) -> float:
    """Mean of a metric over the queries of any layout."""
    try:
        measure = _measure_of(metric, k, **parameters)
    except TypeError:  # a table or an array, which has no hash, or an error that comes again
        measure = Measure.of(metric, k, **parameters)
    undefined = check_zero_division(data.zero_division, metric.name)
    options = ReadOptions(
        metric.name,
        groups=data.groups,
        ties=data.ties,
        sample_weight=data.sample_weight,
        string_provider=data.string_provider,
        relevance=data.relevance,
    )
    rankings = read(y_true, y_score, options)
    return score_measures([measure], rankings, undefined)[0].average.value


def score_of(metric: Metric, y_true: Any, y_score: Any, **arguments: Any) -> float:
    """Like ``score``, with data arguments and parameters together, as scorers pass them."""
    named = {name: arguments.pop(name) for name in DataArguments._fields if name in arguments}
    return score(metric, y_true, y_score, DataArguments(**named), **arguments)
