"""What each boosting library needs: its words for queries and weights, and ways to be watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.rankers.eval_metrics import (
    LightGBMEvalMetric,
    WatchedRows,
    XGBoostEvalMetric,
    read_scorers,
    stops,
)
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, IntArray

_SPEAKS_OF_ROWS = "nothing: rows are sorted by query, and it would meet other rows"


@dataclass(frozen=True)
class EvaluationRows:
    """One evaluation set in the order of its queries."""

    X: Any
    y: Array
    sizes: IntArray
    """(Q,) rows of each query."""
    numbers: IntArray
    """(n_samples,) number of the query of each row."""
    query_ids: Any = None
    """(Q,) ids of the queries, for messages."""


@dataclass(frozen=True)
class Booster:
    """A library's words for queries, weights and evaluation sets."""

    library: str
    ranker: str
    """Name of its class."""
    queries: str
    """Keyword of the queries."""
    counts_rows: bool
    """Whether it wants the sizes of the queries, not the query of each row."""
    weights: str
    """Keyword of the weights."""
    weighs: str
    """What has a weight: "row", "query", or "row of a query", which is the query's weight."""
    replaced: Mapping[str, str]
    """Arguments of ``fit`` that may not be passed on, and what to pass instead."""

    def refuse_replaced(self, fit_params: Mapping[str, Any]) -> None:
        """TypeError for arguments that speak of rows or queries in an order that changes."""
        for name in fit_params:
            if name in self.replaced:
                msg = f"{name} cannot be passed on to {self.ranker}; pass {self.replaced[name]}"
                raise TypeError(msg)

    def evaluation(
        self, ranker: Any, sets: Sequence[EvaluationRows], fit_params: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Keywords of evaluation sets."""
        if self.library == "catboost":
            return {"eval_set": _pools(ranker, sets, fit_params)}
        if self.library == "xgboost":
            return {
                "eval_set": [(rows.X, rows.y) for rows in sets],
                "eval_qid": [rows.numbers for rows in sets],
            }
        sizes = [rows.sizes for rows in sets]
        if "eval_X" in signature(ranker.fit).parameters:  # since 4.7, which deprecates eval_set
            return {
                "eval_X": tuple(rows.X for rows in sets),
                "eval_y": tuple(rows.y for rows in sets),
                "eval_group": sizes,
            }
        return {"eval_set": [(rows.X, rows.y) for rows in sets], "eval_group": sizes}


def _pools(ranker: Any, sets: Sequence[EvaluationRows], fit_params: Mapping[str, Any]) -> list[Any]:
    """Evaluation sets for CatBoost, which takes queries and kinds of columns in pools only."""
    from catboost import Pool

    kinds = ("cat_features", "text_features", "embedding_features")
    own = ranker.get_params()
    columns = {kind: fit_params.get(kind, own.get(kind)) for kind in kinds}
    return [Pool(rows.X, rows.y, group_id=rows.numbers, **columns) for rows in sets]


_BOOSTERS = (
    Booster(
        library="xgboost",
        ranker="XGBRanker",
        queries="qid",
        counts_rows=False,
        weights="sample_weight",
        weighs="query",
        replaced={
            "qid": "groups",
            "group": "groups, the query id of each row",
            "eval_qid": "eval_groups",
            "eval_group": "eval_groups, the query id of each row",
            "base_margin": _SPEAKS_OF_ROWS,
            "base_margin_eval_set": _SPEAKS_OF_ROWS,
            "sample_weight_eval_set": _SPEAKS_OF_ROWS,
        },
    ),
    Booster(
        library="lightgbm",
        ranker="LGBMRanker",
        queries="group",
        counts_rows=True,
        weights="sample_weight",
        weighs="row",
        replaced={
            "group": "groups, the query id of each row",
            "eval_group": "eval_groups, the query id of each row",
            "eval_X": "eval_set",
            "eval_y": "eval_set",
            "init_score": _SPEAKS_OF_ROWS,
            "eval_init_score": _SPEAKS_OF_ROWS,
            "eval_sample_weight": _SPEAKS_OF_ROWS,
        },
    ),
    Booster(
        library="catboost",
        ranker="CatBoostRanker",
        queries="group_id",
        counts_rows=False,
        weights="group_weight",
        weighs="row of a query",
        replaced={
            "group_id": "groups",
            "group_weight": "sample_weight",
            "subgroup_id": _SPEAKS_OF_ROWS,
            "pairs": _SPEAKS_OF_ROWS,
            "pairs_weight": _SPEAKS_OF_ROWS,
            "graph": _SPEAKS_OF_ROWS,
            "baseline": _SPEAKS_OF_ROWS,
        },
    ),
)


def booster_of(ranker: Any) -> Booster:
    """The library of a ranker; RankingConfigError if it is none of these."""
    for kind in type(ranker).__mro__:
        for booster in _BOOSTERS:
            if (kind.__module__.split(".")[0], kind.__name__) == (booster.library, booster.ranker):
                return booster
    msg = f"ranker must be an XGBRanker, LGBMRanker or CatBoostRanker, got {safe_repr(ranker)}"
    raise RankingConfigError(msg)


# Watched by measures of this package --------------------------------------------------------------

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
    watching, stopping = _watching_callbacks(
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


def _watching_callbacks(
    metric: Callable[[Any, Any], list[tuple[str, float]]],
    sets: Sequence[Any],
    *,
    rounds: int | None,
    name: str,
    maximize: bool,
) -> tuple[Any, list[Any]]:
    """A callback that notes a metric of some evaluation sets, and those that stop by it.

    XGBRanker itself would call a metric once for each query. The sets are matrices of our own:
    XGBoost keeps what earlier trees predict for them. Notes come first and stopping last, so that
    callbacks of the caller miss no iteration; where a version calls them in any order, whoever
    comes first notes.
    """
    from xgboost.callback import EarlyStopping, TrainingCallback

    noted: set[int] = set()

    def note(model: Any, epoch: int, evals_log: Any) -> None:
        if epoch in noted:
            return
        noted.add(epoch)
        for number, data in enumerate(sets):
            values = evals_log.setdefault(f"validation_{number}", {})
            for name, value in metric(model.predict(data, output_margin=True), data):
                values.setdefault(name, []).append(value)

    class Watching(TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            note(model, epoch, evals_log)
            return False

    class Stopping(EarlyStopping):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            note(model, epoch, evals_log)
            return bool(super().after_iteration(model, epoch, evals_log))

    stopping = [Stopping(rounds=rounds, metric_name=name, maximize=maximize)] if rounds else []
    return Watching(), stopping
