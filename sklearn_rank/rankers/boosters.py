"""Adapters of the boosting libraries: sorted rows, keywords, and evaluation sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.arrays import Grouping, group_rows, read_groups
from sklearn_rank.model_selection.query_ids import query_name, require_query_ids, without_query_ids
from sklearn_rank.rankers.eval_metrics import (
    LightGBMEvalMetric,
    WatchedRows,
    XGBoostEvalMetric,
    column_of,
    read_scorers,
    stops,
)
from sklearn_rank.support.checks import check_query_name, check_same_length
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, IntArray


class Booster(NamedTuple):
    """A library's words for queries and weights."""

    library: str
    ranker: str
    """Name of its class."""
    queries: str
    """Keyword of the queries."""
    weights: str
    """Keyword of the weights."""
    weighs: str
    """Unit of weights: "row", "query", or "row of a query", which is the query's weight."""
    replaced: Mapping[str, str]
    """Arguments of ``fit`` that may not be passed on, and what to pass instead."""
    metrics: tuple[str, ...] = ()
    """Parameters that name metrics of the library, which early stopping would go by as well."""


_GROUPS, _EVAL_GROUPS = "groups, the query id of each row", "eval_groups, the query id of each row"
_PER_ROW = "nothing: rows are sorted by query, and it would no longer match them"
BOOSTERS = (
    Booster(
        "xgboost",
        "XGBRanker",
        queries="qid",
        weights="sample_weight",
        weighs="query",
        replaced={
            "qid": "groups",
            "group": _GROUPS,
            **dict.fromkeys(("eval_qid", "eval_group"), _EVAL_GROUPS),
            **dict.fromkeys(
                ("base_margin", "base_margin_eval_set", "sample_weight_eval_set"), _PER_ROW
            ),
        },
        metrics=("eval_metric",),
    ),
    Booster(
        "lightgbm",
        "LGBMRanker",
        queries="group",
        weights="sample_weight",
        weighs="row",
        replaced={
            "group": _GROUPS,
            "eval_group": _EVAL_GROUPS,
            **dict.fromkeys(("eval_X", "eval_y"), "eval_set"),
            **dict.fromkeys(("init_score", "eval_init_score", "eval_sample_weight"), _PER_ROW),
        },
        metrics=("metric", "metrics", "metric_types", "eval_metric"),
    ),
    Booster(
        "catboost",
        "CatBoostRanker",
        queries="group_id",
        weights="group_weight",
        weighs="row of a query",
        replaced={
            "group_id": "groups",
            "group_weight": "sample_weight",
            **dict.fromkeys(
                ("subgroup_id", "pairs", "pairs_weight", "graph", "baseline"), _PER_ROW
            ),
        },
    ),
)


def booster_of(ranker: object, fit_params: Mapping[str, object]) -> Booster:
    """The library of a ranker; TypeError for arguments that speak of rows in their old order."""
    classes = [(kind.__module__.split(".")[0], kind.__name__) for kind in type(ranker).__mro__]
    booster = next((one for one in BOOSTERS if one[:2] in classes), None)
    if booster is None:
        msg = f"ranker must be an XGBRanker, LGBMRanker or CatBoostRanker, got {safe_repr(ranker)}"
        raise RankingConfigError(msg)
    for name in fit_params:
        if name in booster.replaced:
            msg = f"{name} cannot be passed on to {booster.ranker}; pass {booster.replaced[name]}"
            raise TypeError(msg)
    return booster


# Rows --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Rows in the order of their queries, as the libraries want them."""

    X: Any
    y: Array
    order: IntArray
    grouping: Grouping
    query: str
    """The column of X that holds the queries, if one does."""

    @classmethod
    def of(cls, X: Any, y: object, groups: object, query: str, owner: str) -> SortedRows:
        """Sort rows by the query ids that are passed or carried."""
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        grades = column_of(y, "y")
        check_same_length("X", n_rows, "y", len(grades))
        check_query_name(query, "query")
        query = query_name(query, X, y) if groups is None else query
        grouping = group_rows(read_groups(require_query_ids(X, y, groups, query, owner), n_rows))
        if 1 < n_rows == len(grouping.query_ids):
            msg = (
                f"{owner}: {n_rows:,} rows in {n_rows:,} queries leave nothing to rank; "
                "is 'groups' a row id?"
            )
            raise ValueError(msg)
        order = np.arange(n_rows) if grouping.order is None else grouping.order
        X = without_query_ids(query, X)
        if isinstance(X, list):
            X = [X[row] for row in order.tolist()]
        elif hasattr(X, "take") and hasattr(X, "column_names"):  # PyArrow
            X = X.take(order)
        else:
            X = getattr(X, "iloc", X)[order]
        return cls(X, grades[order], order, grouping, query)

    @property
    def sizes(self) -> IntArray:
        """(Q,) rows of each query."""
        return np.diff(self.grouping.offsets)

    @property
    def numbers(self) -> IntArray:
        """(n_samples,) number of the query of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def weights(self, booster: Booster, sample_weight: object) -> Array:
        """Weights of rows, or of queries where the library weighs those."""
        by_row = column_of(sample_weight, "sample_weight")
        check_same_length("X", len(self.order), "sample_weight", len(by_row))
        by_row = by_row[self.order]
        if booster.weighs == "row":
            return by_row
        by_query = by_row[self.grouping.offsets[:-1]]
        differs = np.flatnonzero(np.repeat(by_query, self.sizes) != by_row)
        if len(differs):
            query = self.grouping.query_ids[int(self.numbers[differs[0]])]
            msg = (
                f"{booster.ranker} weighs queries: sample_weight must be the same for all rows of "
                f"a query, and is not for query {safe_repr(query)}. (Bagging passes the number of "
                "times that a row is drawn as its weight; "
                "QueryRanker(...).set_fit_request(sample_weight=False) has it pass the rows.)"
            )
            raise ValueError(msg)
        return by_query if booster.weighs == "query" else by_row


def evaluation_of(
    booster: Booster, ranker: Any, sets: Sequence[SortedRows], fit_params: Mapping[str, object]
) -> dict[str, Any]:
    """Keywords of evaluation sets."""
    pairs = [(rows.X, rows.y) for rows in sets]
    if booster.library == "xgboost":
        return {"eval_set": pairs, "eval_qid": [rows.numbers for rows in sets]}
    if booster.library == "lightgbm":
        queries = {"eval_group": [rows.sizes for rows in sets]}
        if "eval_X" in signature(ranker.fit).parameters:  # since 4.7, which deprecates eval_set
            X, y = zip(*pairs, strict=True) if pairs else ((), ())
            return {"eval_X": X, "eval_y": y, **queries}
        return {"eval_set": pairs, **queries}
    # CatBoost takes queries and kinds of columns in pools only.
    from catboost import Pool

    given = {**ranker.get_params(), **fit_params}
    kinds = ("cat_features", "text_features", "embedding_features")
    columns = {kind: given.get(kind) for kind in kinds}
    return {"eval_set": [Pool(rows.X, rows.y, group_id=rows.numbers, **columns) for rows in sets]}


# Watched by measures of this package --------------------------------------------------------------

Watch = LightGBMEvalMetric | XGBoostEvalMetric


def watched_by(
    eval_metric: object, booster: Booster, ranker: Any, fit_params: Mapping[str, object]
) -> Watch | None:
    """The measures that watch a ranker; None leaves that to the ranker."""
    if eval_metric is None:
        return None
    if not booster.metrics:
        msg = (
            "CatBoost gives custom metrics no queries, so that eval_metric cannot be measured "
            "there; stop by its own, such as CatBoostRanker(eval_metric='NDCG:top=10'), which is "
            "evaluate(..., 'ndcg@10', convention='catboost')"
        )
        raise RankingConfigError(msg)
    given = {**ranker.get_params(), **fit_params}
    # LightGBM has words for no metric at all.
    none = (None, "", "None", "none", "na", "null", "custom")
    for name in booster.metrics:
        metric = given.get(name)
        if not (metric is None or (isinstance(metric, str) and metric in none)):
            msg = (
                f"QueryRanker(eval_metric=...) and {name}={safe_repr(metric)} of "
                f"{booster.ranker} would both stop the training; leave one of them out"
            )
            raise RankingConfigError(msg)
    scorers = read_scorers([eval_metric], {}, "eval_metric")
    if len(scorers) > 1:
        for callback in given.get("callbacks") or ():
            msg = ""
            if booster.library == "xgboost" and stops(callback) and not callback.metric_name:
                msg = (
                    "EarlyStopping goes by the last of several measures; say which: "
                    "EarlyStopping(..., metric_name=..., maximize=...)"
                )
            if getattr(callback, "first_metric_only", True) is False:
                msg = (
                    "lightgbm.early_stopping goes by any of several measures; say that the first "
                    "decides: early_stopping(..., first_metric_only=True)"
                )
            if msg:
                raise RankingConfigError(msg)
    return (XGBoostEvalMetric if booster.library == "xgboost" else LightGBMEvalMetric)(*scorers)


@contextmanager
def watching(
    ranker: Any, metric: Watch | None, sets: Sequence[SortedRows]
) -> Iterator[dict[str, Any]]:
    """Set a ranker up to be watched, and give the keywords of ``fit``; the data go afterwards."""
    if metric is None or not sets:
        yield {}
        return
    for rows in sets:
        # By the ids of the queries, which the library does not know.
        metric.know(WatchedRows(rows.y, rows.sizes), rows.grouping.query_ids)
    params = ranker.get_params()
    if isinstance(metric, LightGBMEvalMetric):
        # LightGBM's own metrics are switched off, and the first of ours decides.
        keywords, changed = {"eval_metric": metric}, {"metric": "None", "first_metric_only": True}
        unset = {"first_metric_only": False}
    else:
        # XGBoost's are, too; a callback measures and stops.
        keywords, unset = {}, {"disable_default_eval_metric": False}
        changed = {
            "callbacks": _watching_callbacks(metric, sets, params),
            "disable_default_eval_metric": True,
            "early_stopping_rounds": None,
        }
    ranker.set_params(**changed)
    try:
        yield keywords
    finally:
        ranker.set_params(**{name: params.get(name, unset.get(name)) for name in changed})


def _watching_callbacks(
    metric: XGBoostEvalMetric, sets: Sequence[SortedRows], params: Mapping[str, Any]
) -> list[Any]:
    """Callbacks that note a metric of evaluation sets, the caller's, and one that stops.

    XGBRanker itself would call a metric once for each query. The sets are matrices of our own:
    XGBoost keeps what earlier trees predict for them. Where a version calls callbacks in any
    order, whoever comes first notes.
    """
    from xgboost import DMatrix
    from xgboost.callback import EarlyStopping, TrainingCallback

    names = ("missing", "enable_categorical", "feature_types")
    kinds = {name: params[name] for name in names if params.get(name) is not None}
    kinds["nthread"] = params.get("n_jobs")
    matrices = [DMatrix(rows.X, rows.y, qid=rows.numbers, **kinds) for rows in sets]
    noted: set[int] = set()

    def note(model: Any, epoch: int, evals_log: Any) -> None:
        if epoch in noted:
            return
        noted.add(epoch)
        for number, data in enumerate(matrices):
            values = evals_log.setdefault(f"validation_{number}", {})
            for name, value in metric(model.predict(data), data):
                values.setdefault(name, []).append(value)

    class Watching(TrainingCallback):
        def after_iteration(self, model: object, epoch: int, evals_log: object) -> bool:
            note(model, epoch, evals_log)
            return False

    class Stopping(EarlyStopping):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            note(model, epoch, evals_log)
            return bool(super().after_iteration(model, epoch, evals_log))

    callbacks = [Watching(), *(params.get("callbacks") or ())]
    if params.get("early_stopping_rounds"):
        is_gain = metric.scorers[0].measure.metric.greater_is_better
        stopping = {"metric_name": metric.names[0], "maximize": is_gain}
        callbacks.append(Stopping(rounds=params["early_stopping_rounds"], **stopping))
    return callbacks
