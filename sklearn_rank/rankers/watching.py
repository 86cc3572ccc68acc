"""Fitting a ranker that is watched, and stopped, by measures of this package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.rankers.boosters import Booster, EvaluationRows
from sklearn_rank.rankers.eval_metrics import (
    LightGBMEvalMetric,
    XGBoostEvalMetric,
    read_scorers,
)
from sklearn_rank.rankers.stopping import stops, watching_callbacks
from sklearn_rank.rankers.watched_truths import WatchedRows
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
    names = (*_OWN_METRICS[booster.library], "eval_metric")
    own = [name for name in names if not _is_none(given.get(name))]
    if own:
        msg = (
            f"QueryRanker(eval_metric=...) and {own[0]}={safe_repr(given[own[0]])} of "
            f"{booster.ranker} would both stop the training; leave one of them out"
        )
        raise RankingConfigError(msg)
    scorers = read_scorers([eval_metric], {}, "eval_metric")
    if len(scorers) > 1:
        _refuse_other_stops(booster, given.get("callbacks") or ())
    kind = XGBoostEvalMetric if booster.library == "xgboost" else LightGBMEvalMetric
    return kind(*scorers)


def _is_none(metric: Any) -> bool:
    """Whether a parameter asks for no metric; LightGBM has words for that."""
    words = ("", "None", "none", "na", "null", "custom")
    return metric is None or (isinstance(metric, str) and metric in words)


def _refuse_other_stops(booster: Booster, callbacks: Iterable[Any]) -> None:
    """RankingConfigError for callbacks that would stop by another measure than the first."""
    for callback in callbacks:
        if booster.library == "xgboost" and stops(callback) and not callback.metric_name:
            msg = (
                "EarlyStopping goes by the last of several measures; say which: "
                "EarlyStopping(..., metric_name=..., maximize=...)"
            )
            raise RankingConfigError(msg)
        if getattr(callback, "first_metric_only", True) is False:
            msg = (
                "lightgbm.early_stopping goes by any of several measures; say that the first "
                "decides: early_stopping(..., first_metric_only=True)"
            )
            raise RankingConfigError(msg)


@contextmanager
def watching(
    ranker: Any, metric: Watch | None, sets: Sequence[EvaluationRows]
) -> Iterator[dict[str, Any]]:
    """Set a ranker up to be watched, and give the keywords of ``fit``; the data go afterwards."""
    if metric is None or not sets:
        yield {}
        return
    for rows in sets:
        # By the ids of the queries, which the library does not know.
        metric.know(WatchedRows(rows.y, rows.sizes), rows.query_ids)
    if isinstance(metric, LightGBMEvalMetric):
        keywords, changed = {"eval_metric": metric}, dict(_OF_LIGHTGBM)
    else:
        keywords, changed = {}, _of_xgboost(ranker, metric, sets)
    before = {name: value for name, value in ranker.get_params().items() if name in changed}
    ranker.set_params(**changed)
    try:
        yield keywords
    finally:
        ranker.set_params(**{name: before.get(name, _UNSET.get(name)) for name in changed})


_OF_LIGHTGBM = {"metric": "None", "first_metric_only": True}
"""LightGBM's own metrics are switched off, and the first of ours decides."""

_UNSET = {"first_metric_only": False, "disable_default_eval_metric": False}
"""What parameters that were not given are set back to, if not to None."""


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
    watching, stopping = watching_callbacks(
        metric,
        data,
        rounds=params.get("early_stopping_rounds"),
        name=metric.names[0],
        maximize=metric.scorers[0].measure.metric.greater_is_better,
    )
    return {
        "callbacks": [watching, *(params.get("callbacks") or ()), *stopping],
        "disable_default_eval_metric": True,
        "early_stopping_rounds": None,
    }
