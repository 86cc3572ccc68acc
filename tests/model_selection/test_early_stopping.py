"""Boosters that stop early: by the measure that a search compares, or by one of their own."""

import inspect
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
import xgboost
from catboost import Pool
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from xgboost.callback import TrainingCallback

from sklearn_rank import QueryKFold, QueryRanker, evaluate, map_scorer
from sklearn_rank.exceptions import (
    RankingConfigError,
    RankingDataWarning,
    UndefinedMetricWarning,
)
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
    "xgboost": clone(XGB).set_params(n_estimators=200, learning_rate=0.5, early_stopping_rounds=5),
    "lightgbm": clone(LGBM).set_params(n_estimators=200, learning_rate=0.5, early_stopping_round=5),
}
EIGHT_TREES = {"xgboost": XGB, "lightgbm": LGBM}
EVALUATION = pd.DataFrame(X_EVAL, columns=["x0", "x1", "x2"])
HELD_OUT: dict[str, Any] = {"eval_X": X_EVAL, "eval_y": Y_EVAL, "eval_groups": QID_EVAL}

both = pytest.mark.parametrize("library", PATIENT)


def noted_by(library: str, model: Any) -> list[dict[str, list[float]]]:
    noted = model.evals_result() if library == "xgboost" else model.evals_result_
    return [dict(values) for values in noted.values()]


def best_tree(library: str, model: Any) -> int:
    """Number of the best tree, from 0."""
    return model.best_iteration if library == "xgboost" else model.best_iteration_ - 1


def scores_after(library: str, model: Any, tree: int) -> Any:
    if library == "xgboost":
        return model.predict(X_EVAL, iteration_range=(0, tree + 1))
    return model.predict(X_EVAL, num_iteration=tree + 1)


@both
@pytest.mark.parametrize(("name", "best"), [("map", np.argmax), ("lag", np.argmin)])
def test_rankers_stop_at_the_best_value_that_evaluate_gives(library, name, best):
    model = QueryRanker(PATIENT[library], eval_metric=[name, "ndcg@3"])
    ranker = model.fit(X, Y, groups=QID, **HELD_OUT).ranker_
    (noted,) = noted_by(library, ranker)
    assert list(noted) == [name, "ndcg@3"]
    assert 5 < len(noted[name]) < 200
    assert best_tree(library, ranker) == best(noted[name])
    for tree in range(best_tree(library, ranker) + 1):  # LightGBM keeps no others
        scores = scores_after(library, ranker, tree)
        values = evaluate(Y_EVAL, scores, [*noted], groups=QID_EVAL).scores
        assert {one: noted[one][tree] for one in noted} == pytest.approx(values, abs=1e-12)


@both
def test_several_evaluation_sets_are_all_measured(library):
    some = QID_EVAL < "eg"
    several = {name: (values[some], values) for name, values in HELD_OUT.items()}
    model = QueryRanker(PATIENT[library], eval_metric="map").fit(X, Y, groups=QID, **several)
    first, second = noted_by(library, model.ranker_)
    assert first.keys() == second.keys() == {"map"}
    assert first != second


def test_missing_values_are_those_of_the_ranker():
    rows, held_out = (np.where(values > 0.5, -1.0, values) for values in (X, X_EVAL))
    model = QueryRanker(clone(XGB).set_params(missing=-1.0), eval_metric="ndcg")
    ranker = model.fit(
        rows, Y, groups=QID, eval_X=held_out, eval_y=Y_EVAL, eval_groups=QID_EVAL
    ).ranker_
    (noted,) = noted_by("xgboost", ranker)
    value = evaluate(Y_EVAL, ranker.predict(held_out), "ndcg", groups=QID_EVAL)["ndcg"]
    assert noted["ndcg"][-1] == pytest.approx(value, abs=1e-12)
    ranker.set_params(missing=np.nan)
    other = evaluate(Y_EVAL, ranker.predict(held_out), "ndcg", groups=QID_EVAL)["ndcg"]
    assert other != pytest.approx(value, abs=1e-6)


@both
def test_stored_rankers_carry_no_data_and_predict_alike(library):
    model = QueryRanker(PATIENT[library], eval_metric="map").fit(X, Y, groups=QID, **HELD_OUT)
    read = pickle.loads(pickle.dumps(model))
    assert read.predict(X).tolist() == model.predict(X).tolist()
    assert read.ranker_.get_params().get("callbacks") is None
    assert clone(model).eval_metric == "map"
    assert not hasattr(PATIENT[library], "metric")


def test_queries_are_named_by_their_ids():
    grades = Y_EVAL.copy()
    query = QID_EVAL[0]
    grades[query == QID_EVAL] = 0
    model = QueryRanker(EIGHT_TREES["xgboost"], eval_metric=["map", "mrr"])
    sets = {**HELD_OUT, "eval_y": grades}
    message = f"map and mrr are undefined for 1 of 12.*'{query}'"
    with pytest.warns(UndefinedMetricWarning, match=message):
        model.fit(X, Y, groups=QID, **sets)


@pytest.mark.skipif(
    int(xgboost.__version__.split(".")[0]) < 3, reason="XGBoost 2 calls callbacks in any order"
)
def test_callbacks_of_the_caller_miss_no_iteration():
    class Counting(TrainingCallback):
        rounds = 0

        def after_iteration(self, model, epoch, evals_log):
            assert len(evals_log["validation_0"]["map"]) == epoch + 1
            Counting.rounds += 1
            return False

    ranker = clone(PATIENT["xgboost"]).set_params(callbacks=[Counting()])
    model = QueryRanker(ranker, eval_metric="map").fit(X, Y, groups=QID, **HELD_OUT)
    (noted,) = noted_by("xgboost", model.ranker_)
    assert Counting.rounds == len(noted["map"]) < 200


@both
def test_a_fitted_ranker_is_fitted_again(library):
    watched = QueryRanker(EIGHT_TREES[library], eval_metric="map")
    ranker = watched.fit(X, Y, groups=QID, **HELD_OUT).ranker_
    again = QueryRanker(ranker, eval_metric="map").fit(X, Y, groups=QID, **HELD_OUT)
    assert noted_by(library, again.ranker_) == noted_by(library, ranker)
    plain = QueryRanker(ranker).fit(X, Y, groups=QID, **HELD_OUT)
    (noted,) = noted_by(library, plain.ranker_)
    assert noted
    assert "map" not in noted


# Refused -----------------------------------------------------------------------------------------


def test_catboost_gives_custom_metrics_no_queries():
    model = QueryRanker(CAT, eval_metric="ndcg@10")
    message = r"NDCG:top=10'\) is evaluate\(..., 'ndcg@10'"
    with pytest.raises(RankingConfigError, match=message):
        model.fit(X, Y, groups=QID, **HELD_OUT)


# Stopped by the metrics of the libraries ---------------------------------------------------------

STOPPING = {
    "xgboost": clone(PATIENT["xgboost"]).set_params(eval_metric="ndcg"),
    "lightgbm": PATIENT["lightgbm"],
    "catboost": clone(CAT).set_params(iterations=200, learning_rate=0.5, early_stopping_rounds=5),
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
    return fit_by_hand(library, X, Y, QID, STOPPING[library], **keywords)


def assert_stopped(library: str, model: Any, rows: Any = X) -> None:
    by_hand = stopped_by_hand(library)
    noted = progress(library, model)
    assert noted == progress(library, by_hand)
    sets = [one for name, one in noted.items() if name != "learn"]
    assert len(sets) == 1
    assert all(3 < len(values) < 200 for values in sets[0].values())
    assert model.predict(rows) == pytest.approx(by_hand.predict(X), abs=1e-12)


@libraries
def test_early_stopping_by_evaluation_queries(library):
    model = QueryRanker(STOPPING[library]).fit(X, Y, groups=QID, **HELD_OUT)
    assert_stopped(library, model.ranker_)


@libraries
@pytest.mark.parametrize("routing", [False, True])
def test_early_stopping_in_a_search(library, routing):
    rows, grades = CARRIERS["index of X"]
    with sklearn.config_context(enable_metadata_routing=routing):
        model, cv = QueryRanker(STOPPING[library]), QueryKFold(3)
        search = GridSearchCV(model, {}, scoring=map_scorer, cv=cv, error_score="raise")
        search.fit(rows, grades, eval_X=(EVALUATION,), eval_y=(Y_EVAL,), eval_groups=(QID_EVAL,))
    assert_stopped(library, search.best_estimator_.ranker_, rows)


def test_lightgbm_before_eval_x_gets_eval_set():
    class Older(LGBMRanker):
        def fit(self, X, y, group=None, eval_set=None, eval_group=None):
            self.said_ = (eval_set, eval_group)
            return self

    model = QueryRanker(Older()).fit(
        X, Y, groups=QID, eval_X=[[1], [2], [3]], eval_y=[0, 2, 1], eval_groups=["a", "b", "a"]
    )
    ((features, grades),), (sizes,) = model.ranker_.said_
    assert features.tolist() == [[1], [3], [2]]
    assert (grades.tolist(), sizes.tolist()) == ([0, 1, 2], [2, 1])


def test_catboost_knows_the_categories_of_evaluation_sets():
    named, evaluated = (
        pd.DataFrame({"x": rows[:, 0], "kind": np.where(rows[:, 1] > 2, "high", "low")})
        for rows in (X, X_EVAL)
    )
    told = QueryRanker(clone(STOPPING["catboost"]).set_params(cat_features=("kind",)))
    passed = QueryRanker(STOPPING["catboost"])
    evaluation = {**HELD_OUT, "eval_X": evaluated}
    told.fit(named, Y, groups=QID, **evaluation)
    passed.fit(named, Y, groups=QID, cat_features=["kind"], **evaluation)
    assert 0 < told.ranker_.tree_count_ < 200
    assert told.predict(named).tolist() == passed.predict(named).tolist()


# Evaluation sets and training data ---------------------------------------------------------------


def sets_of(*parts: tuple[Any, Any, Any]) -> dict[str, Any]:
    return dict(zip(("eval_X", "eval_y", "eval_groups"), zip(*parts, strict=True), strict=True))


def test_sets_that_share_queries_with_the_training_data_warn():
    held_out, numbers = (X_EVAL, Y_EVAL, QID_EVAL), np.unique(QID, return_inverse=True)[1]
    some, third = np.isin(QID, np.unique(QID)[:3]), numbers % 3 > 0
    message = r"^3 of 3 queries of eval_X\[1\] are also training queries"
    sets = sets_of(held_out, (X[some], Y[some], QID[some]))
    with pytest.warns(RankingDataWarning, match=message):
        QueryRanker(XGB).fit(X, Y, groups=QID, **sets)
    with pytest.warns(RankingDataWarning, match=r"^(\d+) of \1 queries of eval_X\[0\]"):
        QueryRanker(XGB).fit(X, Y, groups=QID, **sets_of((X[1:], Y[1:], QID[1:])))
    sets = sets_of((X[third], Y[third], numbers[third]))  # numbers with gaps
    with pytest.warns(RankingDataWarning, match="16 of 16 queries of eval_X"):
        QueryRanker(XGB).fit(X, Y, groups=numbers, **sets)


def test_sets_that_are_fitted_or_number_their_queries_anew_do_not_warn():
    numbers, evaluated = (np.unique(ids, return_inverse=True)[1] for ids in (QID, QID_EVAL))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sets = sets_of((X, Y, QID), (X_EVAL, Y_EVAL, QID_EVAL))
        QueryRanker(XGB).fit(X, Y, groups=QID, **sets)
        for first in (0, 1):
            sets = sets_of((X_EVAL, Y_EVAL, evaluated + first))
            QueryRanker(XGB).fit(X, Y, groups=numbers + first, **sets)


@pytest.mark.parametrize("frame", [pl.from_pandas, pa.Table.from_pandas])
def test_frames_of_other_libraries_are_watched(frame):
    model = QueryRanker(PATIENT["xgboost"], eval_metric="map")
    rows, held_out = frame(framed().assign(qid=QID)), frame(EVALUATION.assign(qid=QID_EVAL))
    noted = noted_by("xgboost", model.fit(rows, Y, eval_X=held_out, eval_y=Y_EVAL).ranker_)
    assert noted == noted_by("xgboost", model.fit(X, Y, groups=QID, **HELD_OUT).ranker_)


# In pipelines and searches -----------------------------------------------------------------------


class Reflecting(FunctionTransformer):
    """Scores of rows that are not reflected are those of other rows."""

    def __init__(self):
        super().__init__(lambda rows: 5 - rows)


@both
def test_a_pipeline_transforms_evaluation_rows_as_by_hand(library):
    model = QueryRanker(PATIENT[library], eval_metric="map")
    steps = [("reflect", Reflecting()), ("ranker", model)]
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = Pipeline(steps, transform_input=["eval_X"])
        for held_out in (HELD_OUT, sets_of((X_EVAL, Y_EVAL, QID_EVAL))):
            ranker = clone(pipeline).fit(X, Y, groups=QID, **held_out)[-1].ranker_
            by_hand = model.fit(5 - X, Y, groups=QID, **{**HELD_OUT, "eval_X": 5 - X_EVAL}).ranker_
            assert noted_by(library, ranker) == noted_by(library, by_hand)
            assert best_tree(library, ranker) == best_tree(library, by_hand)


@pytest.mark.parametrize("inner", [False, True])
def test_a_pipeline_that_leaves_evaluation_rows_as_they_are_is_refused(inner):
    model = QueryRanker(PATIENT["lightgbm"], eval_metric="map")
    last = Pipeline([("ranker", model)]) if inner else model
    pipeline = Pipeline([("none", "passthrough"), ("reflect", Reflecting()), ("last", last)])
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(RankingConfigError, match="but 'reflect' changes X; pass transform_"):
            pipeline.fit(X, Y, groups=QID, **HELD_OUT)
        pipeline.set_params(reflect="passthrough").fit(X, Y, groups=QID, **HELD_OUT)


def test_a_search_that_would_cut_evaluation_rows_is_refused():
    model = QueryRanker(PATIENT["lightgbm"], eval_metric="map")
    search = GridSearchCV(model, {}, cv=QueryKFold(3), scoring=map_scorer, error_score="raise")
    rows, as_many = framed(index=pd.Index(QID, name="qid")), {"eval_groups": np.roll(QID, 9)}
    for held_out in (X, X.tolist()):
        with pytest.raises(RankingConfigError, match=r"stay whole, as in eval_X=\(X_held_out,\)"):
            search.fit(rows, Y, eval_X=held_out, eval_y=Y, **as_many)
    whole = sets_of((X, Y, np.char.add("e", QID)))
    found = search.fit(rows, Y, **whole).best_estimator_.ranker_
    assert noted_by("lightgbm", found) == noted_by("lightgbm", model.fit(rows, Y, **whole).ranker_)
