"""Fitting a ranker that is watched, and stopped, by measures of this package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.rankers.boosters import Booster, EvaluationRows
from sklearn_rank.rankers.eval_metrics import (
    LightGBMEvalMetric,
    XGBoostEvalMetric,
    read_scorers,
)
from sklearn_rank.rankers.stopping import watching_callback
from sklearn_rank.support.text import safe_repr

Watch = LightGBMEvalMetric | XGBoostEvalMetric

_OWN_METRICS = {
    "xgboost": ("eval_metric",),
    "lightgbm": ("metric", "metrics", "metric_types"),
}
"""Parameters that name metrics of the library, which early stopping would go by as well."""


def watched_by(
    eval_metric: Any, booster: Booster, ranker: Any, fit_params: Mapping[str, Any]
) -> Watch | None:
    """The measures that watch a ranker; None leaves that to the ranker."""
    if eval_metric is None:
        return None
    if booster.library not in _OWN_METRICS:
        msg = (
            "CatBoost gives custom metrics no queries, so that eval_metric cannot be measured "
            "there; stop by its own, such as CatBoostRanker(eval_metric='NDCG:top=10'), which is "
            "evaluate(..., 'ndcg@10', convention='catboost')"
        )
        raise RankingConfigError(msg)
    given = {**ranker.get_params(), **fit_params}
    own = [name for name in (*_OWN_METRICS[booster.library], "eval_metric") if given.get(name)]
    if own:
        msg = (
            f"QueryRanker(eval_metric=...) and {own[0]}={safe_repr(given[own[0]])} of "
            f"{booster.ranker} would both stop the training; leave one of them out"
        )
        raise RankingConfigError(msg)
    several = isinstance(eval_metric, (list, tuple))
    scorers = read_scorers(eval_metric if several else [eval_metric], {}, "eval_metric")
    kind = XGBoostEvalMetric if booster.library == "xgboost" else LightGBMEvalMetric
    return kind(*scorers)


@contextmanager
def watching(
    ranker: Any, metric: Watch | None, sets: Sequence[EvaluationRows]
) -> Iterator[dict[str, Any]]:
    """Set a ranker up to be watched, and give the keywords of ``fit``; the data go afterwards."""
    if metric is None or not sets:
        yield {}
        return
    if isinstance(metric, LightGBMEvalMetric):
        keywords, changed = {"eval_metric": metric}, dict(_OF_LIGHTGBM)
    else:
        keywords, changed = {}, _of_xgboost(ranker, metric, sets)
    before = {name: value for name, value in ranker.get_params().items() if name in changed}
    ranker.set_params(**changed)
    try:
        yield keywords
    finally:
        # What switched the library's metrics off stays and says how the ranker was fitted.
        ranker.set_params(**before)


_OF_LIGHTGBM = {"metric": "None", "first_metric_only": True}
"""LightGBM's own metrics are switched off, and the first of ours decides."""


def _of_xgboost(
    ranker: Any, metric: XGBoostEvalMetric, sets: Sequence[EvaluationRows]
) -> dict[str, Any]:
    """XGBoost's own metrics are switched off; a callback measures and stops."""
    from xgboost import DMatrix

    params = ranker.get_params()
    told = {
        name: params[name]
        for name in ("missing", "enable_categorical", "feature_types")
        if params.get(name) is not None
    }
    data = [
        DMatrix(rows.X, rows.y, qid=rows.numbers, nthread=params.get("n_jobs"), **told)
        for rows in sets
    ]
    callback = watching_callback(
        metric,
        data,
        rounds=params.get("early_stopping_rounds"),
        name=metric.names[0],
        maximize=metric.scorers[0].measure.metric.greater_is_better,
    )
    return {
        "callbacks": [callback, *(params.get("callbacks") or ())],
        "disable_default_eval_metric": True,
        "early_stopping_rounds": None,
    }
