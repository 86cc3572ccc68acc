"""What goes wrong silently elsewhere: divided queries, constants, moved or forgotten query ids."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - enables the import below
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.metrics import average_precision_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    HalvingGridSearchCV,
    KFold,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
)

from sklearn_rank import (
    QueryKFold,
    RankingConfigError,
    RankingDataWarning,
    get_scorer,
    get_scorer_names,
    map_scorer,
)
from tests.model_selection.cases import (
    FRAME,
    GRID,
    INDEX,
    QID,
    QUIET,
    X,
    Y,
    carriers,
    folds_by_hand,
    map_by_hand,
)

# What goes wrong silently elsewhere --------------------------------------------------------------


@pytest.mark.parametrize("carrier", carriers())
@pytest.mark.parametrize("scoring", [QUIET, {"map": QUIET, "r2": "r2"}], ids=["one", "2"])
def test_a_search_over_folds_that_divide_queries_warns(carrier, scoring):
    metadata, rows, y, routing = carriers()[carrier]
    search = GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring=scoring, cv=KFold(3), refit=False)
    with (
        sklearn.config_context(enable_metadata_routing=routing),
        pytest.warns(RankingDataWarning, match="queries are in both train and test of the split"),
    ):
        search.fit(rows, y, **metadata)


def test_recursive_elimination_over_folds_that_divide_queries_warns():
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(RankingDataWarning, match="queries are in both train and test of the split"),
    ):
        RFECV(Ridge(), scoring=QUIET, cv=KFold(3)).fit(X, Y, groups=QID)


@pytest.mark.parametrize("cv", [GroupKFold(3), QueryKFold(3), GroupShuffleSplit(3, random_state=0)])
def test_whole_queries_give_no_warning(cv):
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(
            Ridge(),
            X,
            Y,
            scoring=map_scorer,
            cv=cv,
            params={"groups": QID},
            return_train_score=True,
        )
        curve = learning_curve(
            Ridge(),
            X,
            Y,
            scoring=QUIET,
            cv=cv,
            params={"groups": QID},
            train_sizes=[0.5, 1.0],
        )
    assert np.isfinite(found["train_score"]).all()
    assert np.isfinite(curve[2]).all()


def test_halving_over_rows_warns_that_queries_are_cut():
    search = HalvingGridSearchCV(
        Ridge(),
        GRID,
        scoring=QUIET,
        cv=GroupKFold(2),
        min_resources=36,
        random_state=0,
    )
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(RankingDataWarning, match=r"are cut in the test part .*resource='n_samples'"),
    ):
        search.fit(X, Y, groups=QID)


def test_halving_over_another_resource_keeps_queries_whole():
    search = HalvingGridSearchCV(
        GradientBoostingRegressor(min_samples_leaf=2, random_state=0),
        {"learning_rate": [0.1, 0.5]},
        resource="n_estimators",
        max_resources=4,
        factor=2,
        scoring=map_scorer,
        cv=GroupKFold(2),
        random_state=0,
    )
    with sklearn.config_context(enable_metadata_routing=True):
        search.fit(X, Y, groups=QID)
    assert 0 < search.best_score_ <= 1


def test_constants_per_query_move_pooled_measures_and_not_ours():
    model = Ridge().fit(X, Y)
    scores = model.predict(X)

    class Shifted(BaseEstimator):
        def predict(self, rows):
            _, number = np.unique(QID, return_inverse=True)
            return model.predict(rows) + 10.0 * number

    moved = Shifted().predict(X)
    assert map_scorer(Shifted(), X, Y, groups=QID) == map_scorer(model, X, Y, groups=QID)
    assert average_precision_score(Y, moved) < average_precision_score(Y, scores) - 0.1


def test_a_permutation_test_that_moves_the_query_ids_is_refused():
    y = pd.Series(Y, index=INDEX)
    kwargs = {"scoring": map_scorer, "cv": list(GroupKFold(3).split(X, Y, QID))}
    with pytest.raises(RankingConfigError, match="moves the index level 'qid' of y along with y"):
        permutation_test_score(Ridge(), X, y, n_permutations=2, **kwargs)
    with pytest.raises(RankingConfigError, match="moves the index level 'qid' of y along with y"):
        permutation_test_score(Ridge(), X, y, n_permutations=2, n_jobs=2, **kwargs)


def test_a_permutation_test_within_queries_gives_the_random_expectation():
    y = pd.Series(Y, index=INDEX)
    kwargs = {"scoring": map_scorer, "cv": list(GroupKFold(3).split(X, Y, QID))}
    found, permuted, _ = permutation_test_score(
        Ridge(), X, y, groups=QID, n_permutations=60, random_state=0, **kwargs
    )
    assert found == pytest.approx(np.mean(folds_by_hand(GroupKFold(3))), abs=1e-12)
    # Two relevant of six in random order: the mean over the 15 pairs of ranks i < j.
    pairs = [(i, j) for j in range(2, 7) for i in range(1, j)]
    random = sum((1 / i + 2 / j) / 2 for i, j in pairs) / len(pairs)
    assert permuted.mean() == pytest.approx(random, abs=0.03)


def test_row_numbers_as_query_ids_warn():
    scorer = QUIET
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(RankingDataWarning, match="24 rows in 24 queries; is 'groups' a row id"),
    ):
        cross_validate(
            Ridge(), X, Y, scoring=scorer, cv=GroupKFold(3), params={"groups": np.arange(len(Y))}
        )


def test_group_sizes_as_query_ids_end_a_search():
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(RankingConfigError, match="groups must hold one id per row, not group sizes"),
    ):
        cross_validate(
            Ridge(),
            X,
            Y,
            scoring=map_scorer,
            cv=[(np.arange(36), np.arange(36, 72))],
            params={"groups": [6] * 6},
        )


def test_rows_best_first_help_no_constant_model():
    best_first = np.argsort(-Y, kind="stable")
    dummy = DummyRegressor().fit(X, Y)
    pairs = [(i, j) for j in range(2, 7) for i in range(1, j)]
    random = sum((1 / i + 2 / j) / 2 for i, j in pairs) / len(pairs)
    for order in (best_first, best_first[::-1], np.arange(len(Y))):
        found = map_scorer(dummy, X[order], Y[order], groups=QID[order])
        assert found == pytest.approx(random, abs=1e-12)


def test_the_mean_over_folds_is_the_mean_over_queries_with_folds_of_equal_size():
    cv = QueryKFold(3, balance="queries")
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_val_score(Ridge(), X, Y, scoring=map_scorer, cv=cv, params={"groups": QID})
    values = []
    for train, test in cv.split(X, Y, QID):
        model = Ridge().fit(X[train], Y[train])
        for query in sorted(set(QID[test])):
            rows = test[QID[test] == query]
            values.append(map_by_hand(Y[rows], model.predict(X[rows]), QID[rows]))
    assert len(values) == 12
    assert found.mean() == pytest.approx(sum(values) / 12, abs=1e-12)


# Without query ids -------------------------------------------------------------------------------

FORGETFUL = {
    "search": lambda: GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=3).fit(X, Y),
    "RFECV": lambda: RFECV(Ridge(), scoring=map_scorer, cv=3).fit(X, Y),
    "SFS": lambda: SequentialFeatureSelector(
        Ridge(), n_features_to_select=1, scoring=map_scorer, cv=3
    ).fit(X, Y),
    "cross_val_score": lambda: cross_val_score(Ridge(), X, Y, scoring=map_scorer, cv=3),
    "dict": lambda: cross_validate(Ridge(), X, Y, scoring={"m": map_scorer, "r": "r2"}, cv=3),
}


@pytest.mark.parametrize("routing", [False, True], ids=["routing off", "routing on"])
@pytest.mark.parametrize("tool", FORGETFUL)
def test_forgotten_query_ids_end_in_an_error(tool, routing):
    with (
        sklearn.config_context(enable_metadata_routing=routing),
        pytest.raises(RankingConfigError, match="needs the query id of every row and got none"),
    ):
        FORGETFUL[tool]()


def test_forgotten_query_ids_of_a_fitted_search():
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=GroupKFold(3))
        search.fit(X, Y, groups=QID)
        expected = map_by_hand(Y, search.best_estimator_.predict(X), QID)
        assert search.score(X, Y, groups=QID) == pytest.approx(expected, abs=1e-12)
        with pytest.raises(RankingConfigError, match="needs the query id of every row"):
            search.score(X, Y)


@pytest.mark.parametrize("routing", [False, True])
def test_direct_calls_do_not_depend_on_routing(routing):
    model = Ridge().fit(X, Y)
    with sklearn.config_context(enable_metadata_routing=routing):
        found = map_scorer(model, X, Y, groups=QID)
        assert type(found) is float
        assert found == pytest.approx(map_by_hand(Y, model.predict(X), QID), abs=1e-12)
        with pytest.raises(RankingConfigError, match="needs the query id of every row"):
            map_scorer(model, X, Y)


@pytest.mark.parametrize("name", get_scorer_names())
def test_order_of_rows_and_names_of_queries_do_not_matter(name):
    rng = np.random.default_rng(0)
    model = Ridge().fit(X, Y)

    class Rounded(BaseEstimator):
        def predict(self, rows):
            return model.predict(rows).round(1)

    mixed = rng.permutation(len(Y))
    renamed = np.array([f"\N{SNOWMAN} {query[::-1]}" for query in QID[mixed]], dtype=object)
    # iprec and bpref have no expectation over ties: the worst one ignores the order of rows, too.
    options = {"ties": "pessimistic"} if name in ("iprec", "bpref") else {}
    scorer = get_scorer(name).with_options(**options)
    before = scorer(Rounded(), X, Y, groups=QID)
    assert scorer(Rounded(), X[mixed], Y[mixed], groups=renamed) == pytest.approx(before, abs=1e-12)


def test_permutation_importance_with_bound_query_ids():
    model = Ridge().fit(X, Y)
    found = permutation_importance(model, X, Y, scoring=map_scorer.bind(QID), random_state=0)
    assert found.importances_mean[0] > found.importances_mean[2]
    with pytest.raises(RankingConfigError, match="inconsistent numbers of samples"):
        permutation_importance(model, X, Y, scoring=map_scorer.bind(QID), max_samples=0.5)
    carried = permutation_importance(
        Ridge().fit(FRAME, Y), FRAME, Y, scoring=map_scorer, random_state=0
    )
    assert carried.importances == pytest.approx(found.importances, abs=1e-12)
