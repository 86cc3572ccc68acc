"""What searches warn of once, and parameters that cannot apply to the data, which end a search."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold

from sklearn_rank import (
    InvalidParameterError,
    QueryKFold,
    RankingConfigError,
    auc_scorer,
    gauc_scorer,
    get_scorer,
    map_scorer,
    ranking_auc_score,
)
from sklearn_rank.exceptions import RankingDataWarning
from tests.model_selection.cases import FRAME, Y

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


class Lower(Lists):
    def predict(self, X):
        return [[f"d{item}" for item in ranking] for ranking in super().predict(X)]


QUERIES = np.arange(0, 100 * N, 100)[:, np.newaxis]
MISSED = [{start, -1 - start} for start in QUERIES[:, 0].tolist()]
UPPER = [{f"D{start}"} for start in QUERIES[:, 0].tolist()]
CASES = {
    "cut": (Lists(), {"length": [5, 6]}, auc_scorer, MISSED),
    "spelling": (Lower(), {"length": [5, 6]}, map_scorer, UPPER),
    "masked": (Scores(), {"low": [-np.inf]}, gauc_scorer, np.tile([0, 1, 0], (N, 1))),
}


@pytest.mark.parametrize("case", CASES)
def test_a_search_warns_of_its_data_once(case):
    model, grid, scorer, y = CASES[case]
    with pytest.warns(RankingDataWarning) as caught:
        GridSearchCV(model, grid, scoring=scorer, cv=KFold(3), refit=False).fit(QUERIES, y)
    assert len(caught) == 1


@pytest.mark.parametrize("case", CASES)
def test_calls_one_after_another_warn_each(case):
    model, _, scorer, y = CASES[case]
    for _ in range(2):
        with pytest.warns(RankingDataWarning) as caught:
            scorer(model, QUERIES, y)
        assert [warning.filename for warning in caught] == [__file__]


def test_metric_functions_warn_as_ever_after_a_scorer():
    model, _, scorer, y = CASES["cut"]
    for _ in range(2):
        with pytest.warns(RankingDataWarning):
            ranking_auc_score(y, model.predict(QUERIES))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scorer(model, QUERIES, y)


# Parameters that cannot apply, with which a search would else be of NaN alone ---------------------

LISTS = (Lists(), np.arange(6)[:, np.newaxis], [{0}, {1}, {2}, {3}, {4}, {5}], 2)
ROWS = (Ridge(), FRAME, Y, QueryKFold(3))
CONSTANT = (DummyRegressor(), FRAME, Y, QueryKFold(3))
STEEP = (Ridge(), FRAME, 2000 * Y, QueryKFold(3))
ENDING = {
    "ties by ids": (
        get_scorer("map", convention="trec_eval"),
        ROWS,
        InvalidParameterError,
        "ties='docid' breaks ties by item ids, which arrays do not have",
    ),
    "ties of a strict measure": (
        get_scorer("iprec"),
        CONSTANT,
        InvalidParameterError,
        "iprec has no closed form for tied items; pass ties=",
    ),
    "a grade without a gain": (
        get_scorer("dcg", gain={5: 1}),
        ROWS,
        InvalidParameterError,
        "gain has no entry for grade 1",
    ),
    "negatives of other queries": (
        get_scorer("gauc", n_negatives=[1, 2]),
        ROWS,
        InvalidParameterError,
        "n_negatives has 2 numbers for 4 queries",
    ),
    "a gain too large": (
        get_scorer("dcg"),
        STEEP,
        OverflowError,
        "overflows float64 at grade 2000",
    ),
    "a pool of lists": (
        auc_scorer.with_options(average="pooled"),
        LISTS,
        InvalidParameterError,
        "a pooled measure ranks the items of all queries together",
    ),
}


@pytest.mark.parametrize("case", ENDING)
@pytest.mark.parametrize("scoring", ["single", "dict"])
def test_a_search_ends(case, scoring):
    scorer, (model, X, y, cv), _, message = ENDING[case]
    search = GridSearchCV(
        model, {}, scoring=scorer if scoring == "single" else {"m": scorer}, cv=cv, refit=False
    )
    with pytest.raises(RankingConfigError, match=message):
        search.fit(X, y)


@pytest.mark.parametrize("case", ENDING)
def test_a_direct_call_raises_as_evaluate_does(case):
    scorer, (model, X, y, _), error, message = ENDING[case]
    with pytest.raises(error, match=message.replace("2 numbers for 4", "2 numbers for 12")):
        scorer(model.fit(X, y), X, y)


def test_a_candidate_that_predicts_nan_may_fail_alone():
    class Sometimes(Ridge):
        def predict(self, X):
            scores = super().predict(X)
            return np.full(len(scores), np.nan) if self.alpha > 1 else scores

    search = GridSearchCV(Sometimes(), {"alpha": [1, 10]}, scoring=get_scorer("map"), cv=ROWS[3])
    with pytest.warns(UserWarning, match="Scoring failed|non-finite"):
        search.fit(FRAME, pd.Series(Y, index=FRAME.index))
    assert search.best_params_ == {"alpha": 1}
