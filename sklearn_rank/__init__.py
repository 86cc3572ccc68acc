"""Ranking metrics as scikit-learn style functions and scorers.

Names are imported when they are first used, so that ``import sklearn_rank`` is fast and does not
import scikit-learn.

PYTEST_DONT_REWRITE: the distribution has a pytest plugin, which makes pytest mark this package for
assertion rewriting and warn if it was imported earlier; there is no assertion in it to rewrite.
"""

# ruff: noqa: F403 - what type checkers see of the names below

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn_rank.comparison.compare import *
    from sklearn_rank.comparison.differences import Change as Change
    from sklearn_rank.comparison.recorded import *
    from sklearn_rank.comparison.result import *
    from sklearn_rank.evaluation.audit import *
    from sklearn_rank.evaluation.evaluate import evaluate as evaluate
    from sklearn_rank.evaluation.repeats import *
    from sklearn_rank.evaluation.result import *
    from sklearn_rank.exceptions import *
    from sklearn_rank.files.read import read_qrels as read_qrels
    from sklearn_rank.files.read import read_run as read_run
    from sklearn_rank.inputs.tables import Qrels as Qrels
    from sklearn_rank.inputs.tables import Run as Run
    from sklearn_rank.measures.catalogue import Measure as Measure
    from sklearn_rank.measures.conventions import CONVENTIONS as CONVENTIONS
    from sklearn_rank.measures.custom import measure_from as measure_from
    from sklearn_rank.measures.grammar import measure as measure
    from sklearn_rank.metrics.curves import *
    from sklearn_rank.metrics.overlap import *
    from sklearn_rank.metrics.scores import *
    from sklearn_rank.model_selection.cross_val_compare import *
    from sklearn_rank.model_selection.splits import *
    from sklearn_rank.rankers.eval_metrics import *
    from sklearn_rank.rankers.fusion import *
    from sklearn_rank.rankers.ranker import *
    from sklearn_rank.scorers import *
    from sklearn_rank.view.lines import *

__version__ = "0.1.0"

_HOMES = {
    "comparison.compare": "compare",
    "comparison.differences": "Change",
    "comparison.recorded": "load",
    "comparison.result": "Comparison",
    "view.lines": """
        MeasureAtKDisplay RankingPrecisionRecallCurveDisplay RankingRocCurveDisplay
    """,
    "evaluation.audit": "Audit audit",
    "evaluation.evaluate": "evaluate",
    "evaluation.repeats": "Repeats",
    "evaluation.result": "Evaluation",
    "exceptions": """
        ColumnRoleError ConventionWarning DuplicateItemError FileFormatError InvalidParameterError
        QueryMismatchError QuerySplitError RankingConfigError RankingDataWarning
        RankingMatchWarning RankingOrderWarning SearchStopped UndefinedMetricError
        UndefinedMetricWarning UnknownMeasureError
        """,
    "files.read": "read_qrels read_run",
    "inputs.tables": "Qrels Run",
    "measures.catalogue": "Measure",
    "measures.conventions": "CONVENTIONS",
    "measures.grammar": "measure",
    "measures.custom": "measure_from",
    "metrics.curves": "ranking_precision_recall_curve ranking_roc_curve",
    "metrics.overlap": "rank_biased_overlap_score",
    "metrics.scores": """
        dcg_at_k_score expected_reciprocal_rank_score fbeta_at_k_score group_auc_score
        harmonic_mean_score hit_rate_at_k_score interpolated_precision_score lag_error
        limited_auc_score mean_average_precision_score mean_average_recall_score
        mean_reciprocal_rank_score ndcg_at_k_score normalized_expected_reciprocal_rank_score
        precision_at_k_score r_precision_score rank_biased_precision_score ranking_auc_score
        recall_at_k_score
        """,
    "model_selection.cross_val_compare": "cross_val_compare",
    "model_selection.splits": "QueryKFold QueryTimeSplit check_query_splits",
    "rankers.eval_metrics": "booster_eval_metric",
    "rankers.fusion": "RankFusion",
    "rankers.ranker": "QueryRanker",
    "scorers": """
        RankingScorer auc_scorer err_scorer f1_scorer gauc_scorer get_scorer get_scorer_names
        hit_rate_scorer lauc_scorer make_rank_scorer map_scorer mar_scorer mrr_scorer ndcg_scorer
        neg_lag_scorer nerr_scorer precision_scorer rank_scorers recall_scorer
        """,
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = sorted([*_HOME_OF, "__version__"])


_IN_SKLEARN = {
    "auc_score": "ranking_auc_score",
    "average_precision_score": "mean_average_precision_score",
    "dcg_score": "dcg_at_k_score",
    "f1_score": "fbeta_at_k_score",
    "err_score": "expected_reciprocal_rank_score",
    "fbeta_score": "fbeta_at_k_score",
    "gauc_score": "group_auc_score",
    "hit_rate_score": "hit_rate_at_k_score",
    "label_ranking_average_precision_score": "mean_average_precision_score",
    "lag_score": "lag_error",
    "lauc_score": "limited_auc_score",
    "make_scorer": "make_rank_scorer",
    "map_score": "mean_average_precision_score",
    "mar_score": "mean_average_recall_score",
    "mrr_score": "mean_reciprocal_rank_score",
    "ndcg_score": "ndcg_at_k_score",
    "precision_recall_curve": "ranking_precision_recall_curve",
    "precision_score": "precision_at_k_score",
    "recall_score": "recall_at_k_score",
    "roc_auc_score": "ranking_auc_score",
    "roc_curve": "ranking_roc_curve",
    "PrecisionRecallDisplay": "RankingPrecisionRecallCurveDisplay",
    "RocCurveDisplay": "RankingRocCurveDisplay",
}
"""Names that users of scikit-learn type, and what they are called here."""


_LIKE_SKLEARN = {
    "average_precision_score": "if groups= has one query",
    "dcg_score": "with gain='linear'",
    "ndcg_score": "with gain='linear'",
    "roc_auc_score": "with average='pooled'",
}
"""What gives the values of scikit-learn's function of this name."""


_EVALUATE = "evaluate(y_true, y_score, ['map', 'ndcg@10']) returns scores and per_query"
_SPLIT = "next(QueryKFold(5).split(X, y, groups)) keeps the rows of a query on one side"
_SEARCH = "use scikit-learn's with a scorer of this package, as in scoring=map_scorer"
_TEST = "compare(y_true, {'old': old, 'new': new}) tests differences"
_IN_OTHERS = {
    _EVALUATE: """
        Evaluator Metrics RankEvaluator RankingEvaluator RankingMetrics RelevanceEvaluator
        RetrievalEvaluator calc_aggregate calculate compute compute_metrics eval evaluate_run
        evaluator iter_calc metric score
    """,
    _SPLIT: "GroupKFold GroupShuffleSplit KFold ShuffleSplit split train_test_split",
    "pass what is held out as y_true to evaluate(y_true, y_score)": """
        LeaveOneOutSplit last_k leave_k_out leave_last_out leave_one_out leave_one_out_split
        temporal_split
    """,
    _SEARCH: "GridSearchCV RandomizedSearchCV cross_val_score cross_validate",
    "QueryKFold(n_queries) leaves one query out": "LeaveOneGroupOut LeaveOneOut LeaveOneQueryOut",
    "booster_eval_metric('map') stops boosters early; elsewhere call evaluate in each epoch": """
        EarlyStopping early_stopping
    """,
    "measure('ndcg@10') makes a Measure": "Metric",
    _TEST: """
        bootstrap bootstrap_test paired_bootstrap paired_t_test permutation_test
        randomization_test significance significance_test t_test ttest wilcoxon
    """,
    "it is a method of results, as in evaluate(y_true, y_score).report(path)": "plot report",
    "use evaluate(y_true, y_score).report(path)": "summary to_html",
    "it is called 'read_qrels' here": "load_qrels parse_qrel parse_qrels read_trec_qrels",
    "it is called 'read_run' here": "load_run parse_run read_trec_run",
    "it is called 'RankFusion' here": "fuse fusion optimize_fusion rrf reciprocal_rank_fusion",
    "the assertions and the gate are in pytest_rankmetrics": "RankGate rank_gate",
}
_ANSWERS = {name: told for told, names in _IN_OTHERS.items() for name in names.split()}


def _called_here(name: str) -> str:
    """Hint on what a name of another program, such as ``ndcg_score``, is called here; or ""."""
    from sklearn_rank.support.text import closest

    if name.startswith("assert_"):
        return "; the assertions are in pytest_rankmetrics"
    for other in (name, f"{name.removesuffix('_at_k')}_score"):
        if other in _IN_SKLEARN or other in _HOME_OF:
            told = f"; it is called {_IN_SKLEARN.get(other, other)!r} here"
            if name in _LIKE_SKLEARN:
                told += f", and gives scikit-learn's values {_LIKE_SKLEARN[name]}"
            return told
    if name in _ANSWERS:
        return f"; {_ANSWERS[name]}"
    from sklearn_rank.measures.grammar import hint_of_function

    return hint_of_function(name) or closest(name, _HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        from sklearn_rank.support.insides import no_attribute

        raise no_attribute(__name__, name, _called_here)
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
