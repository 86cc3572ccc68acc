"""QueryRanker as an estimator: weights, copies, parameters, and what it refuses."""

import inspect
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from lightgbm import LGBMRegressor
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from xgboost import XGBRegressor

from sklearn_rank import (
    QueryKFold,
    QueryRanker,
    RankingConfigError,
    check_query_splits,
    map_scorer,
)
from tests.model_selection.boosting import (
    CARRIERS,
    CAT,
    GRIDS,
    LGBM,
    QID,
    QID_EVAL,
    RANKERS,
    X_EVAL,
    XGB,
    Y_EVAL,
    X,
    Y,
    by_query,
    fit_by_hand,
    folds_by_hand,
    framed,
    libraries,
    search_of,
)

N, N_EVAL = len(Y), len(Y_EVAL)

# Searches ----------------------------------------------------------------------------------------

routed = pytest.mark.parametrize("routing", [False, True])


def told(routing: bool) -> tuple[Any, Any, dict[str, Any]]:
    """Rows and grades, and the query ids where the rows do not carry them."""
    return (X, Y, {"groups": QID}) if routing else (*CARRIERS["index of X"], {})


METADATA: dict[str, tuple[Any, Any, Any]] = {
    "lists": (X.tolist(), Y.tolist(), QID.tolist()),
    "pandas": (framed(), pd.Series(Y), pd.Series(QID, dtype="category")),
    "polars": (pl.from_pandas(framed()), pl.Series(Y), pl.Series(QID)),
}


@libraries
@routed
def test_a_search_finds_what_a_loop_by_hand_finds(library, routing):
    rows, grades, ids = told(routing)
    with sklearn.config_context(enable_metadata_routing=routing):
        search = search_of(library).fit(rows, grades, **ids)
    name, values = GRIDS[library]
    means = [sum(folds_by_hand(library, **{name: value})) / 3 for value in values]
    assert search.cv_results_["mean_test_score"] == pytest.approx(means, abs=1e-12)
    assert means[0] != means[1]
    assert search.best_params_ == {f"ranker__{name}": values[int(np.argmax(means))]}


@pytest.mark.parametrize("form", [*METADATA, *CARRIERS])
def test_queries_are_found_in_all_forms_of_data(form):
    rows, grades, *groups = METADATA.get(form) or CARRIERS[form]
    with sklearn.config_context(enable_metadata_routing=bool(groups)):
        params = {"groups": groups[0]} if groups else None
        options = {"cv": QueryKFold(3), "error_score": "raise", "params": params}
        found = cross_val_score(QueryRanker(XGB), rows, grades, scoring=map_scorer, **options)
    assert found == pytest.approx(folds_by_hand("xgboost"), abs=1e-12)


# Weights -----------------------------------------------------------------------------------------

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
    if library == "lightgbm":  # which weighs rows
        weights = np.random.default_rng(0).uniform(1, 5, size=len(Y))
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


@pytest.mark.parametrize("library", ["xgboost", "catboost"])
def test_weights_that_differ_within_a_query_are_refused(library):
    weights = np.ones(6)
    weights[4] = 2
    message = "sample_weight must be equal in all rows of a query, but differs in query 'b'"
    with pytest.raises(ValueError, match=message):
        QueryRanker(RANKERS[library]).fit(
            X[:6], Y[:6], groups=["a", "b", "a", "b", "b", "a"], sample_weight=weights
        )


# As an estimator ---------------------------------------------------------------------------------


# What is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ranker", [Ridge(), XGBRegressor(), LGBMRegressor(), make_pipeline(XGB), "xgboost", None]
)
def test_other_rankers(ranker):
    message = "ranker must be an XGBRanker, LGBMRanker or CatBoostRanker, got"
    with pytest.raises(RankingConfigError, match=message):
        QueryRanker(ranker).fit(X, Y, groups=QID)


HELD = {"eval_X": X_EVAL, "eval_y": Y_EVAL}
NO_IDS = r"eval_X\[0\] needs the query id of every row"
TOGETHER = "eval_X, eval_y and eval_groups belong together; eval_X or eval_y is missing"
WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"y": [*Y, 1]}, ValueError, rf"\[{N}, {N + 1}\] \(X, y\)"),
    ({"y": Y[:, np.newaxis]}, ValueError, rf"y should be a 1d array, .* \({N}, 1\)"),
    ({"y": ["good"] * N}, TypeError, "y holds strings; pass numbers"),
    ({"groups": QID[1:]}, ValueError, rf"numbers of samples: \[{N}, {N - 1}\]"),
    ({"groups": [4] * 5 + [N - 20]}, ValueError, "must hold one id per row, not group sizes"),
    ({"groups": [None, *QID[1:]]}, ValueError, r"groups contains missing values \(row 0\)"),
    (
        {"groups": np.arange(N)},
        ValueError,
        f"QueryRanker: {N} rows in {N} queries;",
    ),
    ({"X": X[:2], "y": Y[:2], "groups": ["a", "b"]}, ValueError, "2 rows in 2 queries; is"),
    ({"sample_weight": np.ones(24)}, ValueError, rf"\[{N}, 24\] \(X, sample_weight\)"),
    ({"sample_weight": np.ones((N, 1))}, ValueError, "sample_weight should be a 1d array"),
    ({**HELD, "eval_y": (Y_EVAL,) * 2}, ValueError, r"\[1, 2\] \(eval_X, eval_y\)"),
    ({**HELD, "eval_groups": (QID_EVAL,) * 2}, ValueError, r"\[1, 2\] \(eval_X, eval_groups\)"),
    ({"eval_X": X_EVAL, "eval_groups": QID_EVAL}, TypeError, TOGETHER),
    ({"eval_groups": QID_EVAL}, TypeError, TOGETHER),
    (HELD, RankingConfigError, NO_IDS),
    ({**HELD, "eval_groups": range(N_EVAL)}, ValueError, rf"eval_X\[0\]: {N_EVAL} rows in"),
]


@pytest.mark.parametrize(("wrong", "error", "message"), WRONG)
def test_wrong_arguments(wrong, error, message):
    for ranker in RANKERS.values():
        with pytest.raises(error, match=message):
            QueryRanker(ranker).fit(**{"X": X, "y": Y, "groups": QID, **wrong})


HARMLESS = {
    "xgboost": {"sample_weight", "verbose", "xgb_model", "feature_weights"},
    "lightgbm": {
        "callbacks",
        "categorical_feature",
        "eval_at",
        "eval_metric",
        "eval_names",
        "eval_X",
        "eval_y",
        "feature_name",
        "init_model",
        "sample_weight",
    },
    "catboost": {
        "callbacks",
        "cat_features",
        "column_description",
        "early_stopping_rounds",
        "embedding_features",
        "init_model",
        "log_cerr",
        "log_cout",
        "logging_level",
        "metric_period",
        "plot",
        "plot_file",
        "sample_weight",
        "save_snapshot",
        "silent",
        "snapshot_file",
        "snapshot_interval",
        "text_features",
        "use_best_model",
        "verbose",
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
        message = f"^{name} cannot be passed: QueryRanker sorts rows .* eval_X, eval_y and"
        instead = {
            "qid": "groups=qid",
            "group": r"groups=np\.repeat",
            "group_id": "groups=group_id",
        }
        message += f".*{instead[name]}" if name in instead else ""
        with pytest.raises(TypeError, match=message):
            QueryRanker(RANKERS[library]).fit(X, Y, groups=QID, **{name: QID})


@libraries
def test_it_shows_what_was_learnt(library):
    ranker = QueryRanker(RANKERS[library])
    with pytest.raises(AttributeError, match=r"'QueryRanker' object .* 'feature_importances_'"):
        _ = ranker.feature_importances_
    ranker.fit(X, Y, groups=QID)
    np.testing.assert_array_equal(ranker.feature_importances_, ranker.ranker_.feature_importances_)
    for name in ("nothing_", "classes_", "predict_proba", "_nothing_"):
        assert not hasattr(ranker, name)
    assert hasattr(pickle.loads(pickle.dumps(ranker)), "feature_importances_")


def test_the_error_of_an_attribute_stays():
    class Broken(QueryRanker):
        @property
        def own_(self):
            return self.ranker_.no_such_name

    with pytest.raises(AttributeError, match="no_such_name"):
        _ = Broken(RANKERS["lightgbm"]).fit(X, Y, groups=QID).own_


def test_no_rows():
    with pytest.raises(ValueError, match="there are no rows"):
        QueryRanker(RANKERS["lightgbm"]).fit(X[:0], Y[:0], groups=QID[:0])
    with pytest.raises(ValueError, match="there are no rows"):
        check_query_splits(2, X[:0], Y[:0], groups=QID[:0])
