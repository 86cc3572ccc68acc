"""The ``plot`` methods of evaluations and comparisons: a display for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.displays.base import Display
from sklearn_rank.displays.forest import ForestDisplay
from sklearn_rank.displays.lines import (
    MeasureAtKDisplay,
    QueryDistributionDisplay,
    RankingPrecisionRecallCurveDisplay,
    RankingRocCurveDisplay,
)
from sklearn_rank.displays.queries import QueryDifferencesDisplay
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.support.checks import check_option

_OF_SYSTEMS: Mapping[str, Callable[..., Display]] = {
    "at_k": MeasureAtKDisplay.from_evaluation,
    "distribution": QueryDistributionDisplay.from_evaluation,
    "precision_recall": RankingPrecisionRecallCurveDisplay.from_evaluation,
    "roc": RankingRocCurveDisplay.from_evaluation,
}
OF_EVALUATION: Mapping[str, Callable[..., Display]] = {
    "forest": ForestDisplay.from_evaluation,
    **_OF_SYSTEMS,
}
OF_COMPARISON: Mapping[str, Callable[..., Display]] = {
    "forest": ForestDisplay.from_comparison,
    "differences": QueryDifferencesDisplay.from_comparison,
    **_OF_SYSTEMS,
}


def plot_evaluation(evaluation: Evaluation, kind: str, options: Mapping[str, Any]) -> Display:
    """Draw one system."""
    check_option(kind, "kind", tuple(OF_EVALUATION), "Evaluation.plot")
    return OF_EVALUATION[kind](evaluation, **options)


def plot_comparison(comparison: Comparison, kind: str, options: Mapping[str, Any]) -> Display:
    """Draw the differences of a comparison, or all of its systems."""
    check_option(kind, "kind", tuple(OF_COMPARISON), "Comparison.plot")
    shown = comparison.evaluations if kind in _OF_SYSTEMS else comparison
    return OF_COMPARISON[kind](shown, **options)
