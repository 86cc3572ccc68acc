"""Pictures of rankings, in the manner of scikit-learn's displays.

Matplotlib is imported when something is drawn. Imports `model_selection`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.displays import forest, lines, queries
from sklearn_rank.displays.base import Display, plot_style
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.support.checks import check_option

__all__ = ["plot_style"]

Kinds = Mapping[str, Callable[..., Display]]

_OF_SYSTEMS: Kinds = {
    "at_k": lines.MeasureAtKDisplay.from_evaluation,
    "precision_recall_at_k": lines.PrecisionRecallAtKDisplay.from_evaluation,
    "distribution": lines.QueryDistributionDisplay.from_evaluation,
    "precision_recall": lines.RankingPrecisionRecallCurveDisplay.from_evaluation,
    "roc": lines.RankingRocCurveDisplay.from_evaluation,
}
OF_EVALUATION: Kinds = {"forest": forest.ForestDisplay.from_evaluation, **_OF_SYSTEMS}
OF_COMPARISON: Kinds = {
    "forest": forest.ForestDisplay.from_comparison,
    "differences": queries.QueryDifferencesDisplay.from_comparison,
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
