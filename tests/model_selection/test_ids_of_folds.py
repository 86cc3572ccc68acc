"""Whatever is scored in a search gets its own query ids."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
)

from sklearn_rank import QueryKFold, RankingDataWarning, map_scorer, rank_scorers
from tests.model_selection.cases import FRAME, QID, QUIET, X, Y, folds_by_hand, map_by_hand

CARRIERS = {
    "index of X": (FRAME, Y, {}),
    "column of X": (pl.DataFrame({"a": X[:, 0], "qid": QID}), Y, {}),
    "index of y": (X, pd.Series(Y, index=pd.Index(QID, name="qid")), {}),
    "metadata": (X, Y, {"groups": QID}),
    "listed metadata": (X, Y, {"groups": QID.tolist()}),
}


class First(RegressorMixin, BaseEstimator):
    """Ranks by the first column."""

    def __init__(self, sign=1):
        self.sign = sign

    def fit(self, X, y):
        return self

    def predict(self, X):
        column = X["a"].to_numpy() if hasattr(X, "columns") else X[:, 0]
        return self.sign * column


@pytest.mark.parametrize("carrier", CARRIERS)
def test_each_fold_of_a_search_has_its_own_ids(carrier):
    rows, y, metadata = CARRIERS[carrier]
    cv = list(GroupKFold(3).split(X, Y, groups=QID))
    search = GridSearchCV(
        First(), {"sign": [-1, 1]}, scoring=rank_scorers(["map", "mrr"]), cv=cv, refit=False
    )
    with sklearn.config_context(enable_metadata_routing=bool(metadata)):
        search.fit(rows, y, **metadata)
    expected = [map_by_hand(Y[test], X[test, 0], QID[test]) for _, test in cv]
    found = [search.cv_results_[f"split{number}_test_map"][1] for number in range(3)]
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_second_search_reads_ids_that_changed_in_place():
    ids = QID.copy()
    cv = [(np.arange(36), np.arange(36, 72))]

    def score():
        with sklearn.config_context(enable_metadata_routing=True):
            return cross_val_score(
                First(), X, Y, scoring=QUIET, cv=cv, params={"groups": ids}
            ).item()

    with pytest.warns(RankingDataWarning):
        before = score()
    ids[36:] = np.repeat(["n1", "n2"], 18)
    after = score()
    assert after == pytest.approx(map_by_hand(Y[36:], X[36:, 0], ids[36:]), abs=1e-12)
    assert after != before


@pytest.mark.parametrize("n_splits", [2, 3])
def test_training_rows_are_scored_by_their_own_queries(n_splits):
    """With two folds of equal size, lengths do not tell training rows from test rows."""
    cv = QueryKFold(n_splits)
    found = cross_validate(Ridge(), FRAME, Y, scoring=map_scorer, cv=cv, return_train_score=True)
    for number, (train, test) in enumerate(cv.split(FRAME)):
        model = Ridge().fit(X[train], Y[train])
        for part, rows in (("train", train), ("test", test)):
            expected = map_by_hand(Y[rows], model.predict(X[rows]), QID[rows])
            assert found[f"{part}_score"][number] == pytest.approx(expected, abs=1e-12)


def test_a_learning_curve_scores_the_rows_that_were_trained_on():
    _, train_scores, test_scores = learning_curve(
        Ridge(), FRAME, Y, cv=QueryKFold(2), scoring=QUIET, train_sizes=[20, 36]
    )
    for number, (train, test) in enumerate(QueryKFold(2).split(FRAME)):
        model = Ridge().fit(X[train], Y[train])
        assert train_scores[1, number] == pytest.approx(
            map_by_hand(Y[train], model.predict(X[train]), QID[train]), abs=1e-12
        )
        assert test_scores[1, number] == pytest.approx(
            map_by_hand(Y[test], model.predict(X[test]), QID[test]), abs=1e-12
        )


def test_permuted_grades_keep_the_queries_of_their_rows():
    y = pd.Series(Y, index=pd.Index(QID, name="qid"))
    cv = list(GroupKFold(3).split(X, Y, QID))
    found, _, _ = permutation_test_score(
        Ridge(), X, y, groups=QID, scoring=map_scorer, cv=cv, n_permutations=3, random_state=0
    )
    assert found == pytest.approx(np.mean(folds_by_hand(GroupKFold(3))), abs=1e-12)


def test_scorers_of_two_names_read_their_own_ids():
    users = np.array([query[-1] for query in QID])
    both = FRAME.set_axis(pd.MultiIndex.from_arrays([QID, users], names=["qid", "user"]))
    cv = list(GroupKFold(3).split(X, Y, users))
    scorers = {"qid": map_scorer, "user": map_scorer.with_options(groups_from="user")}
    found = cross_validate(Ridge(), both, Y, scoring=scorers, cv=cv)
    for number, (train, test) in enumerate(cv):
        scores = Ridge().fit(X[train], Y[train]).predict(X[test])
        for name, ids in (("qid", QID), ("user", users)):
            expected = map_by_hand(Y[test], scores, ids[test])
            assert found[f"test_{name}"][number] == pytest.approx(expected, abs=1e-12)


def test_split_queries_are_told_once_in_a_search():
    with pytest.warns(RankingDataWarning) as caught:
        GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring=QUIET, cv=KFold(3)).fit(FRAME, Y)
    assert len(caught) == 1
