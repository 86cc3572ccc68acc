"""What data are warned of: by each call of a scorer, but once in a search."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, KFold

from sklearn_rank import (
    auc_scorer,
    gauc_scorer,
    map_scorer,
)
from sklearn_rank.exceptions import RankingDataWarning

N = 30


class Lists(BaseEstimator):
    """Ranks ``length`` items, the first of which has the query's number."""

    def __init__(self, length=5, shift=0):
        self.length = length
        self.shift = shift

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        first = np.asarray(X)[:, 0].astype(int).tolist()
        return [[start + self.shift + step for step in range(self.length)] for start in first]


class Scores(BaseEstimator):
    def __init__(self, low=-np.inf):
        self.low = low

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return np.tile([self.low, 1.0, 2.0], (len(X), 1))


QUERIES = np.arange(0, 100 * N, 100)[:, np.newaxis]
MISSED = [{start, -1 - start} for start in QUERIES[:, 0].tolist()]
UPPER = [{f"D{start}"} for start in QUERIES[:, 0].tolist()]
CASES = {
    "cut": (Lists(), {"length": [5, 6]}, auc_scorer, MISSED, RankingDataWarning),
    "masked": (
        Scores(),
        {"low": [-np.inf]},
        gauc_scorer,
        np.tile([0, 1, 0], (N, 1)),
        RankingDataWarning,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_search_warns_of_its_data_once(case):
    model, grid, scorer, y, category = CASES[case]
    with pytest.warns(category) as caught:
        GridSearchCV(model, grid, scoring=scorer, cv=KFold(3), refit=False).fit(QUERIES, y)
    assert len(caught) == 1


@pytest.mark.parametrize("case", CASES)
def test_calls_one_after_another_warn_each(case):
    model, _, scorer, y, category = CASES[case]
    for _ in range(2):
        with pytest.warns(category) as caught:
            scorer(model, QUERIES, y)
        assert [warning.filename for warning in caught] == [__file__]


class Lower(Lists):
    def predict(self, X):
        return [[f"d{item}" for item in ranking] for ranking in super().predict(X)]


def test_ids_of_two_spellings_are_told_once():
    search = GridSearchCV(Lower(), {"length": [5, 6]}, scoring=map_scorer, cv=KFold(3), refit=False)
    with pytest.warns(RankingDataWarning) as caught:
        search.fit(QUERIES, UPPER)
    assert len(caught) == 1


def test_metric_functions_warn_as_ever_after_a_scorer():
    from sklearn_rank import ranking_auc_score

    model, _, scorer, y, category = CASES["cut"]
    for _ in range(2):
        with pytest.warns(category):
            ranking_auc_score(y, model.predict(QUERIES))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scorer(model, QUERIES, y)
