"""Searches over boosting libraries find what a loop by hand finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - enables the import below
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    cross_val_score,
    learning_curve,
)

from sklearn_rank import QueryKFold, QueryRanker, map_scorer
from tests.model_selection.boosting import (
    CARRIERS,
    FOLDS,
    GRIDS,
    QID,
    RANKERS,
    X,
    Y,
    fold_by_hand,
    folds_by_hand,
    framed,
    libraries,
    search_of,
)

# Data --------------------------------------------------------------------------------------------

TREES = {"xgboost": "n_estimators", "lightgbm": "n_estimators", "catboost": "iterations"}


# By hand -----------------------------------------------------------------------------------------


# Searches ----------------------------------------------------------------------------------------

METADATA: dict[str, tuple[Any, Any, Any]] = {
    "arrays": (X, Y, QID),
    "lists": (X.tolist(), Y.tolist(), QID.tolist()),
    "pandas": (framed(), pd.Series(Y), pd.Series(QID, dtype="category")),
    "polars": (pl.from_pandas(framed()), pl.Series(Y), pl.Series(QID)),
}


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


def test_queries_matter_to_each_library():
    """Otherwise no test here would see wrong queries."""
    other = np.roll(np.sort(QID), 3)
    for library in RANKERS:
        said, wrong = (
            QueryRanker(RANKERS[library]).fit(X, Y, groups=ids).predict(X) for ids in (QID, other)
        )
        assert np.abs(said - wrong).max() > 0.01


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


# XGBRanker without the adapter -------------------------------------------------------------------
