"""Early stopping of boosting libraries by evaluation queries."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from catboost import Pool
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from sklearn_rank import QueryKFold, QueryRanker, map_scorer
from tests.model_selection.boosting import (
    CARRIERS,
    CAT,
    LGBM,
    QID,
    QID_EVAL,
    X_EVAL,
    XGB,
    Y_EVAL,
    X,
    Y,
    by_query,
    fit_by_hand,
    framed,
    libraries,
    queries_by_hand,
)

PATIENT = {
    "xgboost": clone(XGB).set_params(
        n_estimators=300, learning_rate=0.5, early_stopping_rounds=3, eval_metric="ndcg"
    ),
    "lightgbm": clone(LGBM).set_params(n_estimators=300, learning_rate=0.5, early_stopping_round=3),
    "catboost": clone(CAT).set_params(iterations=300, learning_rate=0.5, early_stopping_rounds=3),
}


def progress(library: str, model: Any) -> dict[str, Any]:
    """What the library noted of the evaluation sets, tree after tree."""
    return model.evals_result() if library == "xgboost" else model.evals_result_


def stopped_by_hand(library: str) -> Any:
    rows, sizes = by_query(QID_EVAL)
    pair = (X_EVAL[rows], Y_EVAL[rows])
    numbers = queries_by_hand("xgboost", sizes)["qid"]
    if library == "xgboost":
        keywords: dict[str, Any] = {"eval_set": [pair], "eval_qid": [numbers]}
    elif library == "catboost":
        keywords = {"eval_set": Pool(*pair, group_id=numbers)}
    elif "eval_X" in inspect.signature(LGBMRanker.fit).parameters:
        keywords = {"eval_X": pair[0], "eval_y": pair[1], "eval_group": [sizes]}
    else:
        keywords = {"eval_set": [pair], "eval_group": [sizes]}
    return fit_by_hand(library, X, Y, QID, PATIENT[library], **keywords)


def assert_stopped(library: str, model: Any, rows: Any = X) -> None:
    by_hand = stopped_by_hand(library)
    noted = progress(library, model)
    assert noted == progress(library, by_hand)
    sets = [one for name, one in noted.items() if name != "learn"]
    assert len(sets) == 1
    assert all(3 < len(values) < 300 for values in sets[0].values())
    assert model.predict(rows) == pytest.approx(by_hand.predict(X), abs=1e-12)


@libraries
def test_early_stopping_by_evaluation_queries(library):
    model = QueryRanker(PATIENT[library]).fit(
        X, Y, groups=QID, eval_set=[(X_EVAL, Y_EVAL)], eval_groups=[QID_EVAL.tolist()]
    )
    assert_stopped(library, model.ranker_)


EVALUATION = pd.DataFrame(X_EVAL, columns=["x0", "x1", "x2"])


@libraries
def test_early_stopping_by_queries_that_the_data_carry(library):
    evaluation = EVALUATION.set_index(pd.Index(QID_EVAL, name="qid"))
    model = QueryRanker(PATIENT[library]).fit(
        framed().assign(qid=QID), Y, eval_set=[(evaluation, Y_EVAL)]
    )
    assert_stopped(library, model.ranker_, framed())


@libraries
@pytest.mark.parametrize("routing", [False, True])
def test_early_stopping_in_a_search(library, routing):
    rows, grades = CARRIERS["index of X"]
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            QueryRanker(PATIENT[library]),
            {"query": ["qid"]},
            scoring=map_scorer,
            cv=QueryKFold(3),
            error_score="raise",
        ).fit(rows, grades, eval_set=[(EVALUATION, Y_EVAL)], eval_groups=[QID_EVAL])
    assert_stopped(library, search.best_estimator_.ranker_, rows)


def test_lightgbm_before_eval_x_gets_eval_set():
    class Older(LGBMRanker):
        def fit(self, X, y, group=None, eval_set=None, eval_group=None):
            self.said_ = (eval_set, eval_group)
            return self

    model = QueryRanker(Older()).fit(
        X, Y, groups=QID, eval_set=[([[1], [2], [3]], [0, 2, 1])], eval_groups=[["a", "b", "a"]]
    )
    ((features, grades),), (sizes,) = model.ranker_.said_
    assert (features, grades.tolist(), sizes.tolist()) == ([[1], [3], [2]], [0, 1, 2], [2, 1])


def test_catboost_knows_the_categories_of_evaluation_sets():
    named, evaluated = (
        pd.DataFrame({"x": rows[:, 0], "kind": np.where(rows[:, 1] > 2, "high", "low")})
        for rows in (X, X_EVAL)
    )
    told = QueryRanker(clone(PATIENT["catboost"]).set_params(cat_features=("kind",)))
    passed = QueryRanker(PATIENT["catboost"])
    evaluation = {"eval_set": [(evaluated, Y_EVAL)], "eval_groups": [QID_EVAL]}
    told.fit(named, Y, groups=QID, **evaluation)
    passed.fit(named, Y, groups=QID, cat_features=["kind"], **evaluation)
    assert 0 < told.ranker_.tree_count_ < 300
    assert told.predict(named).tolist() == passed.predict(named).tolist()
