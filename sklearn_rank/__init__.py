"""Ranking metrics as scikit-learn style functions and scorers.

Names are imported when they are first used, so that ``import sklearn_rank`` costs nothing and
never imports scikit-learn by itself.

PYTEST_DONT_REWRITE: the distribution has a pytest plugin, which makes pytest mark this package for
assertion rewriting and warn if it was imported earlier; there is no assertion in it to rewrite.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn_rank.bounds.result import Bounds as Bounds
    from sklearn_rank.comparison.compare import compare as compare
    from sklearn_rank.comparison.compare import compare_all as compare_all
    from sklearn_rank.comparison.result import Comparison as Comparison
    from sklearn_rank.displays.curves import (
        RankingPrecisionRecallCurveDisplay as RankingPrecisionRecallCurveDisplay,
    )
    from sklearn_rank.displays.curves import RankingRocCurveDisplay as RankingRocCurveDisplay
    from sklearn_rank.displays.forest import ForestDisplay as ForestDisplay
    from sklearn_rank.displays.lines import MeasureAtKDisplay as MeasureAtKDisplay
    from sklearn_rank.displays.lines import (
        PrecisionRecallAtKDisplay as PrecisionRecallAtKDisplay,
    )
    from sklearn_rank.displays.lines import (
        QueryDistributionDisplay as QueryDistributionDisplay,
    )
    from sklearn_rank.displays.queries import (
        MeasureCorrelationDisplay as MeasureCorrelationDisplay,
    )
    from sklearn_rank.displays.queries import QueryDifferencesDisplay as QueryDifferencesDisplay
    from sklearn_rank.displays.search import SearchResultsDisplay as SearchResultsDisplay
    from sklearn_rank.engines.options import EngineOptions as EngineOptions
    from sklearn_rank.engines.scan import scan_qrels as scan_qrels
    from sklearn_rank.engines.scan import scan_run as scan_run
    from sklearn_rank.evaluation.bounding_changes import bounds_of_change as bounds_of_change
    from sklearn_rank.evaluation.combine import Combination as Combination
    from sklearn_rank.evaluation.combine import combine as combine
    from sklearn_rank.evaluation.evaluate import evaluate as evaluate
    from sklearn_rank.evaluation.result import Evaluation as Evaluation
    from sklearn_rank.exceptions import ColumnRoleError as ColumnRoleError
    from sklearn_rank.exceptions import ConventionWarning as ConventionWarning
    from sklearn_rank.exceptions import DuplicateItemError as DuplicateItemError
    from sklearn_rank.exceptions import FileFormatError as FileFormatError
    from sklearn_rank.exceptions import InvalidParameterError as InvalidParameterError
    from sklearn_rank.exceptions import QueryMismatchError as QueryMismatchError
    from sklearn_rank.exceptions import QuerySplitError as QuerySplitError
    from sklearn_rank.exceptions import RankingConfigError as RankingConfigError
    from sklearn_rank.exceptions import RankingDataWarning as RankingDataWarning
    from sklearn_rank.exceptions import UndefinedMetricError as UndefinedMetricError
    from sklearn_rank.exceptions import UndefinedMetricWarning as UndefinedMetricWarning
    from sklearn_rank.exceptions import UnknownItemsWarning as UnknownItemsWarning
    from sklearn_rank.exceptions import UnknownMeasureError as UnknownMeasureError
    from sklearn_rank.files.read import read_qrels as read_qrels
    from sklearn_rank.files.read import read_run as read_run
    from sklearn_rank.files.templates import read_template as read_template
    from sklearn_rank.files.templates import write_template as write_template
    from sklearn_rank.files.write import write_qrels as write_qrels
    from sklearn_rank.files.write import write_run as write_run
    from sklearn_rank.inputs.items import RelevanceInput as RelevanceInput
    from sklearn_rank.inputs.tables import Qrels as Qrels
    from sklearn_rank.inputs.tables import Run as Run
    from sklearn_rank.measures.catalogue import METRICS as METRICS
    from sklearn_rank.measures.catalogue import Measure as Measure
    from sklearn_rank.measures.catalogue import Metric as Metric
    from sklearn_rank.measures.conventions import CONVENTIONS as CONVENTIONS
    from sklearn_rank.measures.conventions import Convention as Convention
    from sklearn_rank.measures.grammar import measure as measure
    from sklearn_rank.metrics.binary import fbeta_at_k_score as fbeta_at_k_score
    from sklearn_rank.metrics.binary import hit_rate_at_k_score as hit_rate_at_k_score
    from sklearn_rank.metrics.binary import (
        mean_average_precision_score as mean_average_precision_score,
    )
    from sklearn_rank.metrics.binary import mean_average_recall_score as mean_average_recall_score
    from sklearn_rank.metrics.binary import mean_reciprocal_rank_score as mean_reciprocal_rank_score
    from sklearn_rank.metrics.binary import precision_at_k_score as precision_at_k_score
    from sklearn_rank.metrics.binary import recall_at_k_score as recall_at_k_score
    from sklearn_rank.metrics.combined import harmonic_mean_score as harmonic_mean_score
    from sklearn_rank.metrics.curves import (
        ranking_precision_recall_curve as ranking_precision_recall_curve,
    )
    from sklearn_rank.metrics.curves import ranking_roc_curve as ranking_roc_curve
    from sklearn_rank.metrics.graded import dcg_at_k_score as dcg_at_k_score
    from sklearn_rank.metrics.graded import (
        expected_reciprocal_rank_score as expected_reciprocal_rank_score,
    )
    from sklearn_rank.metrics.graded import ideal_dcg_at_k_score as ideal_dcg_at_k_score
    from sklearn_rank.metrics.graded import ndcg_at_k_score as ndcg_at_k_score
    from sklearn_rank.metrics.graded import (
        normalized_expected_reciprocal_rank_score as normalized_expected_reciprocal_rank_score,
    )
    from sklearn_rank.metrics.judgements import judged_at_k_score as judged_at_k_score
    from sklearn_rank.metrics.judgements import unjudged_at_k_count as unjudged_at_k_count
    from sklearn_rank.metrics.pairwise import group_auc_score as group_auc_score
    from sklearn_rank.metrics.pairwise import lag_error as lag_error
    from sklearn_rank.metrics.pairwise import limited_auc_score as limited_auc_score
    from sklearn_rank.metrics.pairwise import ranking_auc_score as ranking_auc_score
    from sklearn_rank.metrics.recall_levels import (
        all_hit_rate_at_k_score as all_hit_rate_at_k_score,
    )
    from sklearn_rank.metrics.recall_levels import (
        geometric_mean_average_precision_score as geometric_mean_average_precision_score,
    )
    from sklearn_rank.metrics.recall_levels import (
        interpolated_precision_score as interpolated_precision_score,
    )
    from sklearn_rank.metrics.recall_levels import r_precision_score as r_precision_score
    from sklearn_rank.metrics.recall_levels import (
        set_average_precision_score as set_average_precision_score,
    )
    from sklearn_rank.model_selection.splits import QueryKFold as QueryKFold
    from sklearn_rank.model_selection.splits import check_query_splits as check_query_splits
    from sklearn_rank.rankers.eval_metrics import lightgbm_eval_metric as lightgbm_eval_metric
    from sklearn_rank.rankers.eval_metrics import xgboost_eval_metric as xgboost_eval_metric
    from sklearn_rank.rankers.ranker import QueryRanker as QueryRanker
    from sklearn_rank.scorers import RankingScorer as RankingScorer
    from sklearn_rank.scorers import auc_scorer as auc_scorer
    from sklearn_rank.scorers import err_scorer as err_scorer
    from sklearn_rank.scorers import f1_scorer as f1_scorer
    from sklearn_rank.scorers import gauc_scorer as gauc_scorer
    from sklearn_rank.scorers import get_scorer as get_scorer
    from sklearn_rank.scorers import get_scorer_names as get_scorer_names
    from sklearn_rank.scorers import hit_rate_scorer as hit_rate_scorer
    from sklearn_rank.scorers import lauc_scorer as lauc_scorer
    from sklearn_rank.scorers import make_rank_scorer as make_rank_scorer
    from sklearn_rank.scorers import map_scorer as map_scorer
    from sklearn_rank.scorers import mar_scorer as mar_scorer
    from sklearn_rank.scorers import mrr_scorer as mrr_scorer
    from sklearn_rank.scorers import ndcg_scorer as ndcg_scorer
    from sklearn_rank.scorers import neg_lag_scorer as neg_lag_scorer
    from sklearn_rank.scorers import nerr_scorer as nerr_scorer
    from sklearn_rank.scorers import precision_scorer as precision_scorer
    from sklearn_rank.scorers import rank_scorers as rank_scorers
    from sklearn_rank.scorers import recall_scorer as recall_scorer

__version__ = "0.1.0"

_HOMES = {
    "measures.conventions": ("CONVENTIONS", "Convention"),
    "bounds.result": ("Bounds",),
    "comparison.compare": ("compare", "compare_all"),
    "comparison.result": ("Comparison",),
    "engines.options": ("EngineOptions",),
    "engines.scan": ("scan_qrels", "scan_run"),
    "evaluation.bounding_changes": ("bounds_of_change",),
    "evaluation.combine": ("Combination", "combine"),
    "evaluation.evaluate": ("evaluate",),
    "evaluation.result": ("Evaluation",),
    "exceptions": (
        "ColumnRoleError",
        "ConventionWarning",
        "DuplicateItemError",
        "FileFormatError",
        "InvalidParameterError",
        "QueryMismatchError",
        "QuerySplitError",
        "RankingConfigError",
        "RankingDataWarning",
        "UndefinedMetricError",
        "UndefinedMetricWarning",
        "UnknownItemsWarning",
        "UnknownMeasureError",
    ),
    "measures.grammar": ("measure",),
    "files.templates": ("read_template", "write_template"),
    "files.read": ("read_qrels", "read_run"),
    "files.write": ("write_qrels", "write_run"),
    "inputs.tables": ("Qrels", "Run"),
    "inputs.items": ("RelevanceInput",),
    "measures.catalogue": ("METRICS", "Measure", "Metric"),
    "metrics.binary": (
        "fbeta_at_k_score",
        "hit_rate_at_k_score",
        "mean_average_precision_score",
        "mean_average_recall_score",
        "mean_reciprocal_rank_score",
        "precision_at_k_score",
        "recall_at_k_score",
    ),
    "metrics.combined": ("harmonic_mean_score",),
    "metrics.curves": ("ranking_precision_recall_curve", "ranking_roc_curve"),
    "metrics.graded": (
        "dcg_at_k_score",
        "expected_reciprocal_rank_score",
        "ideal_dcg_at_k_score",
        "ndcg_at_k_score",
        "normalized_expected_reciprocal_rank_score",
    ),
    "metrics.judgements": ("judged_at_k_score", "unjudged_at_k_count"),
    "metrics.pairwise": ("group_auc_score", "lag_error", "limited_auc_score", "ranking_auc_score"),
    "metrics.recall_levels": (
        "all_hit_rate_at_k_score",
        "geometric_mean_average_precision_score",
        "interpolated_precision_score",
        "r_precision_score",
        "set_average_precision_score",
    ),
    "displays.curves": ("RankingPrecisionRecallCurveDisplay", "RankingRocCurveDisplay"),
    "displays.forest": ("ForestDisplay",),
    "displays.lines": (
        "MeasureAtKDisplay",
        "PrecisionRecallAtKDisplay",
        "QueryDistributionDisplay",
    ),
    "displays.queries": ("MeasureCorrelationDisplay", "QueryDifferencesDisplay"),
    "displays.search": ("SearchResultsDisplay",),
    "model_selection.splits": ("QueryKFold", "check_query_splits"),
    "rankers.eval_metrics": ("lightgbm_eval_metric", "xgboost_eval_metric"),
    "rankers.ranker": ("QueryRanker",),
    "scorers": (
        "RankingScorer",
        "auc_scorer",
        "err_scorer",
        "f1_scorer",
        "gauc_scorer",
        "get_scorer",
        "get_scorer_names",
        "hit_rate_scorer",
        "lauc_scorer",
        "make_rank_scorer",
        "map_scorer",
        "mar_scorer",
        "mrr_scorer",
        "ndcg_scorer",
        "neg_lag_scorer",
        "nerr_scorer",
        "precision_scorer",
        "rank_scorers",
        "recall_scorer",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
