"""What searches warn of once, and what ends them: parameters, undefined folds, masked answers."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate

from sklearn_rank import (
    InvalidParameterError,
    QueryKFold,
    RankingConfigError,
    UndefinedMetricError,
    auc_scorer,
    evaluate,
    gauc_scorer,
    get_scorer,
    map_scorer,
    rank_scorers,
)
from sklearn_rank.exceptions import RankingDataWarning, UndefinedMetricWarning
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


# Queries and folds in which a measure is undefined -----------------------------------------------

QID = np.repeat(["a", "b", "c", "d"], 3)
X = pd.DataFrame({"x": np.arange(12.0)}, index=pd.Index(QID, name="qid"))
HALF = [(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))]
NOTHING_IN_CD = np.array([1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
NOTHING_IN_AC = np.array([0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0])
NOTHING_IN_A = np.array([0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0])


@pytest.mark.parametrize("scoring", [map_scorer, {"map": map_scorer, "r2": "r2"}], ids=["1", "2"])
@pytest.mark.parametrize("error_score", [np.nan, 0.0, "raise"])
def test_a_fold_without_a_relevant_row_ends_a_search(scoring, error_score):
    search = GridSearchCV(
        Ridge(), {"alpha": [1, 10]}, scoring=scoring, cv=HALF, error_score=error_score, refit=False
    )
    with pytest.raises(
        (RankingConfigError, UndefinedMetricError), match="map is undefined for all 2 queries"
    ):
        search.fit(X, NOTHING_IN_CD)


def test_the_error_of_an_undefined_fold_says_the_ways_out():
    with pytest.raises(RankingConfigError) as caught:
        cross_val_score(Ridge(), X, NOTHING_IN_CD, scoring=map_scorer, cv=HALF)
    assert str(caught.value) == (
        "map is undefined for all 2 queries of a fold, whatever the candidate; split into fewer "
        "folds, spread the relevant rows (QueryKFold(stratify=True)), or say "
        "with_options(zero_division=0.0)"
    )
    assert isinstance(caught.value.__cause__, UndefinedMetricError)


def test_a_direct_call_names_the_undefined_queries_and_the_option():
    with pytest.warns(UndefinedMetricWarning) as caught:
        map_scorer(Ridge().fit(X, NOTHING_IN_AC), X, NOTHING_IN_AC)
    assert [str(one.message) for one in caught] == [
        "map is undefined for 2 of 4 queries: 'a', 'c'; they are left out of the mean. "
        "map_scorer.with_options(zero_division=...) says what they count: 0.0, 1.0, or np.nan to "
        "leave them out without this warning."
    ]


def test_queries_of_no_weight_are_not_named():
    weight = np.repeat([0.0, 1.0, 1.0, 1.0], 3)
    with pytest.warns(UndefinedMetricWarning, match="for 1 of 4 queries: 'c';"):
        map_scorer(Ridge().fit(X, NOTHING_IN_AC), X, NOTHING_IN_AC, query_weight=weight)


@pytest.mark.parametrize("n_times", [1, 2])
def test_a_search_warns_once_for_each_measure(n_times):
    """Ten candidates in two folds with two scorers; and each search anew."""
    for _ in range(n_times):
        with pytest.warns(UndefinedMetricWarning) as caught:
            GridSearchCV(
                Ridge(),
                {"alpha": np.arange(1, 11)},
                scoring=rank_scorers(["map", "ndcg@2"]),
                cv=QueryKFold(2),
                refit=False,
            ).fit(X, NOTHING_IN_A)
        assert [str(one.message).partition(";")[0] for one in caught] == [
            "map is undefined for some queries of the folds",
            "ndcg@2 is undefined for some queries of the folds",
        ]
        assert "get_scorer('map').with_options(zero_division=...)" in str(caught[0].message)


def test_a_warning_that_is_an_error_is_one_in_each_fold():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        warnings.filterwarnings("ignore", "Scoring failed", UserWarning)
        found = cross_validate(Ridge(), X, NOTHING_IN_A, scoring=map_scorer, cv=[HALF[1]] * 2)
    assert np.isnan(found["test_score"]).all()


# Masked predictions --------------------------------------------------------------------------


class Says(BaseEstimator):
    def __init__(self, method, scores):
        self.scores = scores
        setattr(self, method, lambda rows: scores)


@pytest.mark.parametrize("method", ["predict", "decision_function", "predict_proba"])
@pytest.mark.parametrize("classes", [None, np.array([0, 1])], ids=["regressor", "classifier"])
def test_masked_predictions_are_refused_as_by_evaluate(method, classes):
    masked = np.ma.masked_array([0.3, 0.2, 0.1], mask=[True, True, False])
    model = Says(method, masked)
    if classes is not None:
        model.classes_ = classes
    scorer = get_scorer("mrr").with_options(response_method=method)
    with pytest.raises(TypeError, match="y_score is a masked array"):
        evaluate([0, 0, 1], masked, "mrr", groups=[1, 1, 1])
    with pytest.raises(RankingConfigError, match=rf"{method} is a masked array; masked arrays"):
        scorer(model, np.zeros((3, 1)), [0, 0, 1], groups=[1, 1, 1])


def test_masked_grades_are_refused():
    masked = np.ma.masked_array([0, 0, 1], mask=[False, True, False])
    model = Says("predict", np.array([3.0, 2.0, 1.0]))
    model.classes_ = np.array([-1, 1])
    for scorer in (get_scorer("mrr"), get_scorer("mrr").with_options(pos_label=1)):
        with pytest.raises(RankingConfigError, match=r"y(_true)? is a masked array"):
            scorer.with_options(response_method="predict")(
                model, np.zeros((3, 1)), masked, groups=[1, 1, 1]
            )


def test_an_array_of_which_nothing_is_masked_is_an_array():
    whole = np.ma.masked_array([0.3, 0.2, 0.1], mask=False)
    found = get_scorer("mrr")(Says("predict", whole), np.zeros((3, 1)), [0, 0, 1], groups=[1] * 3)
    assert found == 1 / 3
