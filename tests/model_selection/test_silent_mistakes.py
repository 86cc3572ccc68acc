"""What goes wrong silently elsewhere: divided queries, constants, moved or forgotten query ids."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - enables the import below
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    cross_validate,
    permutation_test_score,
)

from sklearn_rank import QueryKFold, RankingDataWarning, SearchStopped, map_scorer
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


def test_halving_over_rows_warns_that_queries_are_cut():
    search = HalvingGridSearchCV(
        Ridge(), GRID, scoring=QUIET, cv=GroupKFold(2), min_resources=36, random_state=0
    )
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(RankingDataWarning, match=r"only partly in the test .*resource='n_samples'"),
    ):
        search.fit(X, Y, groups=QID)


def test_a_permutation_test_that_moves_the_query_ids_is_refused():
    y = pd.Series(Y, index=INDEX)
    cv = list(GroupKFold(3).split(X, Y, QID))
    with pytest.raises(SearchStopped, match="moves the index level 'qid' of y along with y"):
        permutation_test_score(Ridge(), X, y, n_permutations=2, scoring=map_scorer, cv=cv)


def test_row_numbers_as_query_ids_warn():
    ids = {"groups": np.arange(len(Y))}
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(RankingDataWarning, match="24 rows in 24 queries; is 'groups' a row id"),
    ):
        cross_validate(Ridge(), X, Y, scoring=QUIET, cv=GroupKFold(3), params=ids)


# Whatever is scored gets its own query ids ------------------------------------------------------


def test_training_rows_are_scored_by_their_own_queries():
    """With two folds of equal size, lengths do not tell training rows from test rows."""
    cv = QueryKFold(2)
    found = cross_validate(Ridge(), FRAME, Y, scoring=map_scorer, cv=cv, return_train_score=True)
    for number, (train, test) in enumerate(cv.split(FRAME)):
        model = Ridge().fit(X[train], Y[train])
        for part, rows in (("train", train), ("test", test)):
            expected = map_by_hand(Y[rows], model.predict(X[rows]), QID[rows])
            assert found[f"{part}_score"][number] == pytest.approx(expected, abs=1e-12)


def test_scorers_of_two_names_read_their_own_ids():
    users = np.array([query[-1] for query in QID])
    both = FRAME.set_axis(pd.MultiIndex.from_arrays([QID, users], names=["qid", "user"]))
    cv = list(GroupKFold(3).split(X, Y, users))
    scorers = {"qid": map_scorer, "user": map_scorer.with_options(groups_from="user")}
    found = cross_validate(Ridge(), both, Y, scoring=scorers, cv=cv)
    for name, ids in (("qid", QID), ("user", users)):
        expected = folds_by_hand(GroupKFold(3), groups=users, ids=ids)
        assert found[f"test_{name}"] == pytest.approx(expected, abs=1e-12)


# Queries of which tools outside of loops score only some rows -----------------------------------


def test_permutation_importance_of_drawn_rows_warns():
    model = Ridge().fit(FRAME, Y)
    message = r"sampling single rows .* divides queries: only \d of 6 rows of query 'q\d+'"
    options = {"max_samples": 0.5, "n_repeats": 2, "random_state": 0}
    with pytest.warns(RankingDataWarning, match=message):
        permutation_importance(model, FRAME, Y, scoring=QUIET, **options)
    with pytest.raises(SearchStopped, match="of 72 rows, but 36 rows are scored"):
        permutation_importance(model, FRAME, Y, scoring=map_scorer.bind(QID), **options)
