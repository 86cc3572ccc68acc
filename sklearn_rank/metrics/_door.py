"""What every metric function does: check, read the rankings, compute, average."""

from __future__ import annotations

from typing import Any

from sklearn_rank.engines.read import read_any
from sklearn_rank.evaluation.compute import score_measures
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.checks import check_zero_division


def score(
    measure: Measure, y_true: Any, y_score: Any, *, zero_division: Any, **given: Any
) -> float:
    """Mean of a measure over the queries of any layout."""
    settled = check_zero_division(zero_division, measure.metric.name)
    judged = read_any(y_true, y_score, owner=measure.metric.name, depth=measure.depth, **given)
    return score_measures([measure], judged, settled)[0].average.value
