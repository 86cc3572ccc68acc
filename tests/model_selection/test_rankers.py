"""XGBRanker, LGBMRanker and CatBoostRanker, searched by queries, against plain loops."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from itertools import permutations, product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from catboost import CatBoostRanker, Pool
from lightgbm import LGBMRanker, LGBMRegressor
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - enables the import below
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    cross_val_score,
    learning_curve,
    permutation_test_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker, XGBRegressor

from sklearn_rank import (
    GroupsRequiredError,
    QueryKFold,
    QueryRanker,
    RankingConfigError,
    map_scorer,
)

# Data ------------------------------------------------------------------


def problem(n_queries: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries of 4 to 6 scattered rows with string ids, features of few values, grades 0 to 2."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n_queries * 6, 3)).astype(float)
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=len(X)), [4.0, 6.5])
    y[::6] = 2  # no query without a relevant item
    names = [f"{chr(97 + number % 26)}{number}" for number in rng.permutation(n_queries)]
    cut = (np.arange(len(X)) % 18 == 5) | np.isin(np.arange(len(X)) % 24, [10, 11])
    mixed = rng.permutation(np.flatnonzero(~cut))
    return X[mixed], y[mixed], np.repeat(names, 6)[mixed]


X, Y, QID = problem(24, seed=0)
X_EVAL, Y_EVAL, QID_EVAL = problem(12, seed=1)
FOLDS = list(QueryKFold(3).split(X, Y, QID))
N, N_EVAL = len(Y), len(Y_EVAL)

XGB = XGBRanker(n_estimators=8, max_depth=2, n_jobs=1, verbosity=0)
LGBM = LGBMRanker(n_estimators=8, num_leaves=4, min_child_samples=5, n_jobs=1, verbose=-1)
CAT = CatBoostRanker(
    iterations=8, depth=2, thread_count=1, verbose=False, allow_writing_files=False
)
RANKERS = {"xgboost": XGB, "lightgbm": LGBM, "catboost": CAT}
GRIDS: dict[str, tuple[str, list[Any]]] = {
    "xgboost": ("max_depth", [1, 3]),
    "lightgbm": ("num_leaves", [2, 8]),
    "catboost": ("depth", [1, 3]),
}
TREES = {"xgboost": "n_estimators", "lightgbm": "n_estimators", "catboost": "iterations"}

libraries = pytest.mark.parametrize("library", RANKERS)


# By hand ------------------------------------------------------------------


def average_precision_by_hand(grades: list[int]) -> float:
    found = [
        sum(grade > 0 for grade in grades[: place + 1]) / (place + 1)
        for place in range(len(grades))
        if grades[place] > 0
    ]
    return sum(found) / len(found)


def map_by_hand(y: np.ndarray, scores: np.ndarray, qid: np.ndarray) -> float:
    """Mean over queries of the mean over all orders of tied rows."""
    values = []
    for query in sorted(set(qid.tolist())):
        rows = np.flatnonzero(qid == query)
        levels = sorted(set(scores[rows].tolist()), reverse=True)
        tied = [permutations(y[rows][scores[rows] == level].tolist()) for level in levels]
        orders = [[grade for part in parts for grade in part] for parts in product(*tied)]
        values.append(sum(map(average_precision_by_hand, orders)) / len(orders))
    return sum(values) / len(values)


def by_query(qid: np.ndarray) -> tuple[list[int], list[int]]:
    """Rows, query after query in order of first appearance, and the size of each query."""
    seen = list(dict.fromkeys(qid.tolist()))
    rows = [row for query in seen for row in range(len(qid)) if qid[row] == query]
    return rows, [qid.tolist().count(query) for query in seen]


def queries_by_hand(library: str, sizes: list[int]) -> dict[str, Any]:
    numbers = [number for number, size in enumerate(sizes) for _ in range(size)]
    return {
        "xgboost": {"qid": numbers},
        "lightgbm": {"group": sizes},
        "catboost": {"group_id": numbers},
    }[library]


def fit_by_hand(library: str, X: Any, y: Any, qid: Any, model: Any = None, **keywords: Any) -> Any:
    rows, sizes = by_query(qid)
    model = clone(RANKERS[library] if model is None else model)
    return model.fit(X[rows], y[rows], **queries_by_hand(library, sizes), **keywords)


def fold_by_hand(library: str, train: Any, test: Any, **params: Any) -> float:
    model = clone(RANKERS[library]).set_params(**params)
    model = fit_by_hand(library, X[train], Y[train], QID[train], model)
    return map_by_hand(Y[test], model.predict(X[test]), QID[test])


def folds_by_hand(library: str, folds: Any = FOLDS, **params: Any) -> list[float]:
    return [fold_by_hand(library, train, test, **params) for train, test in folds]


def test_map_by_hand_on_scores_worked_out_on_paper():
    y, qid = np.array([1, 0, 2, 0, 1]), np.array(["a", "a", "b", "b", "b"])
    # a: tied, 1 or 1/2; b: ranks 1 and 3 are relevant
    expected = ((1 + 1 / 2) / 2 + (1 / 1 + 2 / 3) / 2) / 2
    assert map_by_hand(y, np.array([5.0, 5.0, 3.0, 2.0, 1.0]), qid) == pytest.approx(expected)


# Searches ------------------------------------------------------------------


def framed(**kwargs: Any) -> pd.DataFrame:
    return pd.DataFrame(X, columns=["x0", "x1", "x2"], **kwargs)


IDS = pd.Index(QID, name="qid")
CARRIERS: dict[str, tuple[Any, Any]] = {
    "index of X": (framed(index=IDS), Y),
    "one of two index levels of X": (
        framed(index=pd.MultiIndex.from_arrays([range(len(QID)), QID], names=["row", "qid"])),
        Y,
    ),
    "column of X": (framed().assign(qid=QID), pd.Series(Y)),
    "column of a polars X": (pl.from_pandas(framed().assign(qid=QID)), pl.Series(Y)),
    "index of y": (X, pd.Series(Y, index=IDS)),
}
METADATA: dict[str, tuple[Any, Any, Any]] = {
    "arrays": (X, Y, QID),
    "lists": (X.tolist(), Y.tolist(), QID.tolist()),
    "pandas": (framed(), pd.Series(Y), pd.Series(QID, dtype="category")),
    "polars": (pl.from_pandas(framed()), pl.Series(Y), pl.Series(QID)),
}


def search_of(library: str, **kwargs: Any) -> GridSearchCV:
    name, values = GRIDS[library]
    return GridSearchCV(
        QueryRanker(RANKERS[library]),
        {f"ranker__{name}": values},
        scoring=map_scorer,
        cv=QueryKFold(3),
        error_score="raise",
        **kwargs,
    )


def assert_found_by_hand(search: GridSearchCV, library: str) -> None:
    name, values = GRIDS[library]
    means = [sum(folds_by_hand(library, **{name: value})) / 3 for value in values]
    assert search.cv_results_["mean_test_score"] == pytest.approx(means, abs=1e-12)
    assert means[0] != means[1]
    assert search.best_params_ == {f"ranker__{name}": values[int(np.argmax(means))]}
    assert search.best_score_ == pytest.approx(max(means), abs=1e-12)


@libraries
@pytest.mark.parametrize("container", METADATA)
def test_search_with_routing(library, container):
    rows, grades, ids = METADATA[container]
    with sklearn.config_context(enable_metadata_routing=True):
        search = search_of(library).fit(rows, grades, groups=ids)
    assert_found_by_hand(search, library)


@libraries
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("routing", [False, True])
def test_search_with_query_ids_that_the_data_carry(library, carrier, routing):
    rows, grades = CARRIERS[carrier]
    with sklearn.config_context(enable_metadata_routing=routing):
        search = search_of(library).fit(rows, grades)
    assert_found_by_hand(search, library)


@libraries
def test_search_beats_a_constant(library):
    rows, grades = CARRIERS["index of X"]
    constant = cross_val_score(DummyRegressor(), rows, grades, scoring=map_scorer, cv=QueryKFold(3))
    by_hand = [map_by_hand(Y[test], np.zeros(len(test)), QID[test]) for _, test in FOLDS]
    assert constant == pytest.approx(by_hand, abs=1e-12)
    assert search_of(library).fit(rows, grades).best_score_ > np.mean(constant) + 0.1


def test_untied_predictions_are_ranked_as_they_are():
    rng = np.random.default_rng(5)
    features = rng.normal(size=(72, 4))
    grades = np.tile([2, 1, 0, 0, 1, 0], 12)
    features[:, 0] += grades
    model = CatBoostRanker(
        iterations=60, depth=6, thread_count=1, verbose=False, allow_writing_files=False
    )
    qid = np.repeat([f"q{number}" for number in range(12)], 6)
    frame = pd.DataFrame(features, index=pd.Index(qid, name="qid"))
    found = cross_val_score(QueryRanker(model), frame, grades, scoring=map_scorer, cv=QueryKFold(2))
    expected = []
    for train, test in QueryKFold(2).split(frame, grades):
        said = fit_by_hand("catboost", features[train], grades[train], qid[train], model).predict(
            features[test]
        )
        values = []
        for query in set(qid[test].tolist()):
            scores, judged = said[qid[test] == query], grades[test][qid[test] == query]
            assert len(set(scores.tolist())) == 6
            values.append(average_precision_by_hand(judged[np.argsort(-scores)].tolist()))
        expected.append(sum(values) / len(values))
    assert found == pytest.approx(expected, abs=1e-12)


def test_queries_matter_to_each_library():
    """Otherwise no test here would see wrong queries."""
    other = np.roll(np.sort(QID), 3)
    for library in RANKERS:
        said, wrong = (
            QueryRanker(RANKERS[library]).fit(X, Y, groups=ids).predict(X) for ids in (QID, other)
        )
        assert np.abs(said - wrong).max() > 0.01


@libraries
def test_search_in_two_processes(library):
    rows, grades = CARRIERS["column of X"]
    assert_found_by_hand(search_of(library, n_jobs=2).fit(rows, grades), library)


@libraries
@pytest.mark.parametrize("routing", [False, True])
def test_nested_search(library, routing):
    name, values = GRIDS[library]
    rows, grades = (X, Y) if routing else CARRIERS["index of X"]
    with sklearn.config_context(enable_metadata_routing=routing):
        found = cross_val_score(
            search_of(library).set_params(cv=QueryKFold(2)),
            rows,
            grades,
            scoring=map_scorer,
            cv=QueryKFold(3),
            **({"params": {"groups": QID}} if routing else {}),
        )
    expected = []
    for train, test in FOLDS:
        inner = [
            (train[a], train[b])
            for a, b in QueryKFold(2).split(X[train], Y[train], groups=QID[train])
        ]
        means = [sum(folds_by_hand(library, inner, **{name: value})) for value in values]
        best = values[int(np.argmax(means))]
        expected.append(fold_by_hand(library, train, test, **{name: best}))
    assert found == pytest.approx(expected, abs=1e-12)


@libraries
def test_halving_on_the_number_of_trees(library):
    name, values = GRIDS[library]
    rows, grades = CARRIERS["index of X"]
    search = HalvingGridSearchCV(
        QueryRanker(RANKERS[library]),
        {f"ranker__{name}": values},
        resource=f"ranker__{TREES[library]}",
        min_resources=4,
        max_resources=8,
        factor=2,
        scoring=map_scorer,
        cv=QueryKFold(3),
        error_score="raise",
    ).fit(rows, grades)
    assert search.cv_results_["n_resources"].tolist() == [4, 4, 8]
    expected = [
        np.mean(folds_by_hand(library, **{name: value, TREES[library]: 4})) for value in values
    ]
    best = values[int(np.argmax(expected))]
    expected.append(np.mean(folds_by_hand(library, **{name: best, TREES[library]: 8})))
    assert search.cv_results_["mean_test_score"] == pytest.approx(expected, abs=1e-12)


@libraries
def test_learning_curve_of_shuffled_rows(library):
    rows, grades = CARRIERS["index of X"]
    sizes, _, found = learning_curve(
        QueryRanker(RANKERS[library]),
        rows,
        grades,
        train_sizes=[50, 75],
        shuffle=True,
        random_state=0,
        # A part of a query may be without a relevant row, which concerns scores of training rows.
        scoring=map_scorer.with_options(zero_division=np.nan),
        cv=QueryKFold(3),
        error_score="raise",
    )
    assert sizes.tolist() == [50, 75]
    rng = np.random.RandomState(0)
    shuffled = [(rng.permutation(train), test) for train, test in FOLDS]
    expected = [
        [fold_by_hand(library, train[:size], test) for train, test in shuffled] for size in (50, 75)
    ]
    assert found == pytest.approx(np.array(expected), abs=1e-12)


# XGBRanker without the adapter --------------------------------------------------------------


def sorted_problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows sorted by query and numbers as ids, as XGBRanker wants them."""
    numbers = np.unique(QID, return_inverse=True)[1]
    order = np.argsort(numbers, kind="stable")
    return X[order], Y[order], numbers[order]


def xgboost_by_hand(cv: Any) -> list[float]:
    rows, grades, ids = sorted_problem()
    values = []
    for train, test in cv.split(rows, grades, ids):
        model = clone(XGB).fit(rows[train], grades[train], qid=ids[train])
        values.append(map_by_hand(grades[test], model.predict(rows[test]), ids[test]))
    return values


def test_xgbranker_itself_with_routing():
    rows, grades, ids = sorted_problem()
    cv = GroupKFold(3, shuffle=True, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            clone(XGB).set_fit_request(qid="groups"),
            {"n_estimators": [8]},
            scoring=map_scorer,
            cv=cv,
            error_score="raise",
        ).fit(rows, grades, groups=ids)
    assert search.best_score_ == pytest.approx(np.mean(xgboost_by_hand(cv)), abs=1e-12)


def test_xgbranker_itself_with_a_column_of_query_ids():
    rows, grades, ids = sorted_problem()
    frame = pd.DataFrame(rows, columns=["x0", "x1", "x2"]).assign(qid=ids)
    cv = GroupKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(
        XGB, {"n_estimators": [8]}, scoring=map_scorer, cv=cv, error_score="raise"
    ).fit(frame, grades, groups=frame["qid"])
    assert search.best_score_ == pytest.approx(np.mean(xgboost_by_hand(cv)), abs=1e-12)


# Early stopping ------------------------------------------------------------------

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
def test_early_stopping_by_several_evaluation_sets(library):
    some = QID_EVAL < "g"
    model = QueryRanker(PATIENT[library]).fit(
        X,
        Y,
        groups=QID,
        eval_set=[(X_EVAL[some], Y_EVAL[some]), (X_EVAL, Y_EVAL)],
        eval_groups=[QID_EVAL[some], QID_EVAL],
    )
    sets = [one for name, one in progress(library, model.ranker_).items() if name != "learn"]
    assert len(sets) == 2
    assert sets[0] != sets[1]


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


# Weights ------------------------------------------------------------------

SCALE_FREE = {
    # Without regularization by counts or sums, so that only the share of a query's weight counts.
    "xgboost": clone(XGB).set_params(reg_lambda=0, min_child_weight=0),
    "lightgbm": clone(LGBM).set_params(min_child_samples=1),
    "catboost": clone(CAT).set_params(
        loss_function="PairLogit",
        bootstrap_type="No",
        random_strength=0,
        l2_leaf_reg=0,
        learning_rate=0.5,
    ),
}
KEPT = ~np.isin(QID, np.unique(QID)[:8])


@libraries
def test_queries_of_weight_0_are_left_out(library):
    model = QueryRanker(SCALE_FREE[library])
    weighed = clone(model).fit(X, Y, groups=QID, sample_weight=KEPT.astype(float)).predict(X)
    left_out = clone(model).fit(X[KEPT], Y[KEPT], groups=QID[KEPT]).predict(X)
    whole = clone(model).fit(X, Y, groups=QID).predict(X)
    assert weighed == pytest.approx(left_out, abs=1e-5)
    assert np.abs(whole - left_out).max() > 0.1


@libraries
def test_weights_are_sorted_like_rows(library):
    weights = np.array([1.0 + 3 * (query < "m") for query in QID.tolist()])
    found = QueryRanker(RANKERS[library]).fit(X, Y, groups=QID, sample_weight=pd.Series(weights))
    rows, sizes = by_query(QID)
    firsts = np.cumsum([0, *sizes[:-1]])
    by_hand = {
        "xgboost": {"sample_weight": weights[rows][firsts]},
        "lightgbm": {"sample_weight": weights[rows]},
        "catboost": {"group_weight": weights[rows]},
    }[library]
    expected = fit_by_hand(library, X, Y, QID, **by_hand).predict(X)
    assert found.predict(X) == pytest.approx(expected, abs=1e-12)
    assert np.abs(expected - fit_by_hand(library, X, Y, QID).predict(X)).max() > 0.01


# scikit-learn since 1.7: the scores are of unweighted queries.
@pytest.mark.filterwarnings("ignore:The scoring map_scorer does not support sample_weight")
@libraries
@pytest.mark.parametrize("routing", [False, True])
def test_weights_are_cut_with_the_rows_of_a_search(library, routing):
    weights = np.array([1.0 + 3 * (query < "m") for query in QID.tolist()])
    rows, grades = CARRIERS["index of X"]
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            QueryRanker(RANKERS[library]),
            {"query": ["qid"]},
            scoring=map_scorer,
            cv=QueryKFold(3),
            error_score="raise",
        ).fit(rows, grades, sample_weight=weights)
    models = [
        (QueryRanker(RANKERS[library]).fit(X[a], Y[a], groups=QID[a], sample_weight=weights[a]), b)
        for a, b in FOLDS
    ]
    expected = [map_by_hand(Y[b], model.predict(X[b]), QID[b]) for model, b in models]
    assert search.best_score_ == pytest.approx(np.mean(expected), abs=1e-12)


def test_lightgbm_weighs_rows():
    weights = np.random.default_rng(0).uniform(1, 5, size=len(Y))
    rows, _ = by_query(QID)
    found = QueryRanker(LGBM).fit(X, Y, groups=QID, sample_weight=weights).predict(X)
    by_hand = fit_by_hand("lightgbm", X, Y, QID, sample_weight=weights[rows]).predict(X)
    assert found == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize(("library", "name"), [("xgboost", "XGBRanker"), ("catboost", "CatBoost")])
def test_weights_that_differ_within_a_query_are_refused(library, name):
    weights = np.ones(6)
    weights[4] = 2
    message = f"{name}.*sample_weight must be the same for all rows of a query.*query 'b'"
    with pytest.raises(ValueError, match=message):
        QueryRanker(RANKERS[library]).fit(
            X[:6], Y[:6], groups=["a", "b", "a", "b", "b", "a"], sample_weight=weights
        )


# As an estimator ------------------------------------------------------------------


@libraries
def test_clones_copies_and_pickles(library):
    model = QueryRanker(RANKERS[library], query="session").fit(X, Y, groups=QID)
    again = clone(model)
    assert not hasattr(again, "ranker_")
    assert again.query == "session"
    assert again.ranker.get_params() == RANKERS[library].get_params()
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert copied.predict(X).tolist() == model.predict(X).tolist()
    assert again.fit(X, Y, groups=QID).predict(X).tolist() == model.predict(X).tolist()


@libraries
def test_parameters_of_the_ranker_are_reached_by_name(library):
    name, values = GRIDS[library]
    model = QueryRanker(RANKERS[library])
    assert model.get_params()[f"ranker__{name}"] == RANKERS[library].get_params()[name]
    assert (
        clone(model).set_params(**{f"ranker__{name}": values[1]}).get_params()[f"ranker__{name}"]
        == values[1]
    )


@libraries
def test_fitting_leaves_the_given_ranker_and_data_alone(library):
    given = [X.copy(), Y.copy(), QID.copy()]
    ranker = clone(RANKERS[library])
    before = ranker.get_params()
    QueryRanker(ranker).fit(*given[:2], groups=given[2])
    assert ranker.get_params() == before
    with pytest.raises(
        Exception, match=r"not fitted|not trained|need to call fit|no trained model"
    ):
        ranker.predict(X)
    for now, then in zip(given, (X, Y, QID), strict=True):
        assert np.array_equal(now, then)


def test_a_subclass_of_a_ranker_is_a_ranker():
    class Mine(XGBRanker):
        pass

    assert QueryRanker(Mine(n_estimators=2, n_jobs=1)).fit(X, Y, groups=QID).predict(X).ndim == 1


def test_a_pipeline_loses_the_columns_but_not_the_index_of_y():
    model = make_pipeline(StandardScaler(), QueryRanker(XGB))
    _, grades = CARRIERS["index of y"]
    scores = cross_val_score(
        model, framed(), grades, scoring=map_scorer, cv=QueryKFold(3), error_score="raise"
    )
    expected = []
    for train, test in FOLDS:
        scaler = StandardScaler().fit(X[train])
        ranker = fit_by_hand("xgboost", scaler.transform(X[train]), Y[train], QID[train])
        expected.append(map_by_hand(Y[test], ranker.predict(scaler.transform(X[test])), QID[test]))
    assert scores == pytest.approx(expected, abs=1e-12)


def test_importing_the_adapter_loads_no_library():
    code = (
        "import sys; import sklearn_rank.rankers.ranker;"
        "print({'xgboost', 'lightgbm', 'catboost'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# What is refused ------------------------------------------------------------------


def test_unfitted():
    with pytest.raises(NotFittedError, match="This QueryRanker instance is not fitted yet"):
        QueryRanker(XGB).predict(X)


@pytest.mark.parametrize(
    "ranker", [Ridge(), XGBRegressor(), LGBMRegressor(), make_pipeline(XGB), "xgboost", None]
)
def test_other_rankers(ranker):
    with pytest.raises(
        RankingConfigError, match="ranker must be an XGBRanker, LGBMRanker or CatBoostRanker, got"
    ):
        QueryRanker(ranker).fit(X, Y, groups=QID)


@libraries
def test_no_query_ids(library):
    with pytest.raises(
        GroupsRequiredError,
        match="QueryRanker needs the query id of every row and got none: pass groups=qid, or give "
        "X a column or index level named 'session'",
    ):
        QueryRanker(RANKERS[library], query="session").fit(framed(index=IDS), Y)


@libraries
def test_a_search_without_query_ids_finds_nothing(library):
    with pytest.raises(GroupsRequiredError, match="QueryRanker needs the query id of every row"):
        search_of(library).set_params(cv=GroupKFold(3)).fit(X, Y, groups=QID)
    search = search_of(library).set_params(cv=GroupKFold(3), error_score=np.nan)
    with pytest.raises(ValueError, match=r"(?s)All the 6 fits failed.*QueryRanker needs the query"):
        search.fit(X, Y, groups=QID)


@pytest.mark.parametrize("query", [None, 0, ["qid"]])
def test_a_query_without_a_name(query):
    """An unnamed index has the name None, and every row its own label."""
    with pytest.raises(RankingConfigError, match="query must be the name of a column or index"):
        QueryRanker(XGB, query=query).fit(framed(), Y)


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "grades too long": ({"y": [*Y, 1]}, ValueError, rf"\[{N}, {N + 1}\] \(X, y\)"),
    "grades too short": ({"y": Y[1:]}, ValueError, rf"\[{N}, {N - 1}\] \(X, y\)"),
    "grades of two dimensions": (
        {"y": Y[:, np.newaxis]},
        ValueError,
        rf"y should be a 1d array, got an array of shape \({N}, 1\)",
    ),
    "strings for grades": ({"y": ["good"] * N}, TypeError, "y holds strings; pass numbers"),
    "ids too short": ({"groups": QID[1:]}, ValueError, rf"numbers of samples: \[{N}, {N - 1}\]"),
    "sizes for ids": (
        {"groups": [4] * 5 + [N - 20]},
        ValueError,
        rf"\[{N}, 6\].* groups must hold one id per row, not group sizes",
    ),
    "a missing id": (
        {"groups": [None, *QID[1:]]},
        ValueError,
        r"groups contains missing values \(row 0\)",
    ),
    "row ids": (
        {"groups": np.arange(N)},
        ValueError,
        f"QueryRanker: {N} rows in {N} queries leave nothing to rank; is 'groups' a row id?",
    ),
    "weights too short": (
        {"sample_weight": np.ones(24)},
        ValueError,
        rf"\[{N}, 24\] \(X, sample_weight\)",
    ),
    "weights of two dimensions": (
        {"sample_weight": np.ones((N, 1))},
        ValueError,
        rf"sample_weight should be a 1d array, got an array of shape \({N}, 1\)",
    ),
    "evaluation ids too few": (
        {"eval_set": [(X_EVAL, Y_EVAL)], "eval_groups": QID_EVAL},
        ValueError,
        rf"\[1, {N_EVAL}\] \(eval_set, eval_groups\)",
    ),
    "one pair for a list": (
        {"eval_set": (X_EVAL, Y_EVAL), "eval_groups": [QID_EVAL]},
        TypeError,
        r"eval_set must be a list of pairs \(X, y\), got",
    ),
    "no pairs in the list": (
        {"eval_set": [X_EVAL], "eval_groups": [QID_EVAL]},
        TypeError,
        r"eval_set must be a list of pairs \(X, y\), got",
    ),
    "evaluation ids without data": (
        {"eval_groups": [QID_EVAL]},
        TypeError,
        r"eval_set must be a list of pairs \(X, y\), got None",
    ),
    "no evaluation ids": (
        {"eval_set": [(X_EVAL, Y_EVAL), (X, Y)], "eval_groups": [QID_EVAL, None]},
        GroupsRequiredError,
        r"eval_set\[1\] needs the query id of every row",
    ),
    "evaluation rows as queries": (
        {"eval_set": [(X_EVAL, Y_EVAL)], "eval_groups": [np.arange(N_EVAL)]},
        ValueError,
        rf"eval_set\[0\]: {N_EVAL} rows in {N_EVAL} queries leave nothing to rank",
    ),
}


@pytest.mark.parametrize("case", WRONG)
@libraries
def test_wrong_arguments(library, case):
    wrong, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        QueryRanker(RANKERS[library]).fit(**{"X": X, "y": Y, "groups": QID, **wrong})


HARMLESS = {
    "xgboost": {"eval_set", "sample_weight", "verbose", "xgb_model", "feature_weights"},
    "lightgbm": {
        *("callbacks", "categorical_feature", "eval_at", "eval_metric", "eval_names", "eval_set"),
        *("feature_name", "init_model", "sample_weight"),
    },
    "catboost": {
        *("callbacks", "cat_features", "column_description", "early_stopping_rounds"),
        *("embedding_features", "eval_set", "init_model", "log_cerr", "log_cout", "logging_level"),
        *("metric_period", "plot", "plot_file", "sample_weight", "save_snapshot", "silent"),
        *("snapshot_file", "snapshot_interval", "text_features", "use_best_model", "verbose"),
        "verbose_eval",
    },
}
"""Arguments of ``fit`` that have no value per row or query, or that the adapter takes itself."""


@libraries
def test_arguments_with_a_value_per_row_are_not_passed_on(library):
    """A new argument of a library has to be put on one of the two lists."""
    known = set(inspect.signature(RANKERS[library].fit).parameters) - {"X", "y"}
    refused = known - HARMLESS[library]
    assert {"xgboost": "qid", "lightgbm": "group", "catboost": "group_id"}[library] in refused
    for name in refused:
        message = f"^{name} cannot be passed on to {type(RANKERS[library]).__name__}; pass"
        with pytest.raises(TypeError, match=message):
            QueryRanker(RANKERS[library]).fit(X, Y, groups=QID, **{name: QID})


def test_other_arguments_are_passed_on():
    class Taking(LGBMRanker):
        def fit(self, X, y, group=None, feature_name="auto"):
            self.said_ = feature_name
            return self

    names = ["a", "b", "c"]
    model = QueryRanker(Taking()).fit(X, Y, groups=QID, feature_name=names)
    assert model.ranker_.said_ == names
    with pytest.raises(TypeError, match="unexpected keyword argument 'feature_names'"):
        QueryRanker(XGB).fit(X, Y, groups=QID, feature_names=names)


@pytest.mark.parametrize("carrier", ["index of X", "column of X", "column of a polars X"])
def test_groups_that_contradict_the_data(carrier):
    rows, grades = CARRIERS[carrier]
    groups = QID.copy()
    groups[100] = next(query for query in QID if query != QID[100])
    message = "groups and the 'qid' of X put different rows together, first at row 100: '.*' and '"
    with pytest.raises(ValueError, match=message):
        QueryRanker(XGB).fit(rows, grades, groups=groups)
    renamed = np.unique(QID, return_inverse=True)[1] + 7
    model = QueryRanker(XGB).fit(rows, grades, groups=renamed)
    assert model.predict(rows).tolist() == fit_by_hand("xgboost", X, Y, QID).predict(X).tolist()


def test_groups_in_another_order_than_the_rows():
    ids = pd.Series(QID)
    shuffled = framed().sample(frac=1, random_state=0)
    message = "X and groups have the same index in different orders, and rows are paired by positi"
    with pytest.raises(ValueError, match=message):
        QueryRanker(XGB).fit(shuffled, Y[shuffled.index], groups=ids)
    aligned = QueryRanker(XGB).fit(shuffled, Y[shuffled.index], groups=ids[shuffled.index])
    by_position = QueryRanker(XGB).fit(shuffled, Y[shuffled.index], groups=QID[shuffled.index])
    other_labels = QueryRanker(XGB).fit(
        shuffled, Y[shuffled.index], groups=ids[shuffled.index].set_axis(range(200, 200 + N))
    )
    for model in (by_position, other_labels):
        assert model.predict(X).tolist() == aligned.predict(X).tolist()


def permuted(rows: Any, grades: Any, scoring: Any) -> Any:
    return permutation_test_score(
        QueryRanker(XGB), rows, grades, scoring=scoring, cv=FOLDS, n_permutations=2, random_state=0
    )


def test_permuted_grades_do_not_take_query_ids_along():
    """Whatever the scorer, which sees nothing of what the ranker was fitted with."""
    _, grades = CARRIERS["index of y"]
    with pytest.raises(RankingConfigError, match="permutation_test_score moves the index level"):
        permuted(X, grades, "r2")


def test_permuted_grades_and_query_ids_of_x():
    rows, grades = CARRIERS["index of X"][0], CARRIERS["index of y"][1]
    scorer = map_scorer.with_options(zero_division=np.nan)  # of queries that lose their grades
    score, by_chance, _ = permuted(rows, grades, scorer)
    assert score == pytest.approx(np.mean(folds_by_hand("xgboost")), abs=1e-12)
    assert (by_chance < score).all()
