"""The words of each boosting library for queries, weights and evaluation sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

from sklearn_rank.exceptions import RankingConfigError
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
