"""Pictures of rankings, in the manner of scikit-learn's displays.

Matplotlib is imported when something is drawn.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import refuse_keyword
from sklearn_rank.view import differences, lines
from sklearn_rank.view.lines import Display

Kinds = Mapping[str, Callable[..., Display]]

OF_EVALUATION: Kinds = {
    "at_k": lines.MeasureAtKDisplay.from_evaluation,
    "precision_recall": lines.RankingPrecisionRecallCurveDisplay.from_evaluation,
    "roc": lines.RankingRocCurveDisplay.from_evaluation,
}
OF_COMPARISON: Kinds = {
    "changes": differences.QueryDifferencesDisplay.from_comparison,
    **OF_EVALUATION,
}


def plot(result: BaseEvaluation | Comparison, kind: str, options: Mapping[str, Any]) -> Display:
    """Draw one system, the differences of two, or all systems of a comparison."""
    kinds = OF_COMPARISON if isinstance(result, Comparison) else OF_EVALUATION
    check_option(kind, "kind", tuple(kinds), f"{type(result).__name__}.plot")
    shown: Any = result
    if isinstance(result, Comparison) and kind in OF_EVALUATION:
        shown = result.evaluations
    names = signature(kinds[kind]).parameters
    for name in options:
        if name not in names:
            refuse_keyword(f"{type(result).__name__}.plot", name, [*names][1:], lines.OF_OTHERS)
    return kinds[kind](shown, **options)
