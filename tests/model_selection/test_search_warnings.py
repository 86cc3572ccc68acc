"""What searches warn of once, and what ends them: parameters, undefined folds, masked answers."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate

import sklearn_rank
from sklearn_rank import (
    InvalidParameterError,
    QueryKFold,
    RankingConfigError,
    SearchStopped,
    UndefinedMetricError,
    auc_scorer,
    gauc_scorer,
    get_scorer,
    map_scorer,
    rank_scorers,
)
from sklearn_rank.exceptions import RankingDataWarning, UndefinedMetricWarning
from sklearn_rank.measures.catalogue import MRR
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.metrics.shared import scorer_of
from tests.model_selection.cases import FRAME, Says, Y, first, says

N = 30


def lists(rows):
    """Five items for each query, the first of which has its number."""
    return [[start + step for step in range(5)] for start in first(rows).astype(int).tolist()]


def lower(rows):
    return [[f"d{item}" for item in ranking] for ranking in lists(rows)]


def masked(rows):
    return np.tile([-np.inf, 1.0, 2.0], (len(rows), 1))


QUERIES = np.arange(0, 100 * N, 100)[:, np.newaxis]
MISSED = [{start, -1 - start} for start in QUERIES[:, 0].tolist()]
UPPER = [{f"D{start}"} for start in QUERIES[:, 0].tolist()]
CASES = {
    "cut": (lists, auc_scorer, MISSED),
    "spelling": (lower, map_scorer, UPPER),
    "masked": (masked, gauc_scorer, np.tile([0, 1, 0], (N, 1))),
}


@pytest.mark.parametrize("case", CASES)
def test_a_search_warns_of_its_data_once_and_each_call_by_itself(case):
    scores, scorer, y = CASES[case]
    grid = {"scores": [scores, lambda rows: scores(rows)]}
    with pytest.warns(RankingDataWarning) as caught:
        GridSearchCV(Says(None), grid, scoring=scorer, cv=KFold(3), refit=False).fit(QUERIES, y)
    assert len(caught) == 1
    for _ in range(2):
        with pytest.warns(RankingDataWarning) as caught:
            scorer(Says(scores), QUERIES, y)
        assert [warning.filename for warning in caught] == [__file__]


# Parameters that cannot apply, with which a search would else be of NaN alone ---------------------

LISTS = (Says(lists), np.arange(6)[:, np.newaxis], [{0}, {1}, {2}, {3}, {4}, {5}], 2)
ROWS = (Ridge(), FRAME, Y, QueryKFold(3))
CONSTANT = (DummyRegressor(), FRAME, Y, QueryKFold(3))
STEEP = (Ridge(), FRAME, 2000 * Y, QueryKFold(3))
ENDING = {
    "ties='docid' breaks ties by item ids, which arrays do not have": (
        get_scorer("map", convention="trec_eval"),
        ROWS,
    ),
    "iprec has no closed form for tied items; pass ties=": (get_scorer("iprec"), CONSTANT),
    "gain has no entry for grade 1": (get_scorer("dcg", gain={5: 1}), ROWS),
    "gains overflow float64 at grade 2000": (get_scorer("dcg"), STEEP),
    "a pooled measure ranks the items of all queries together": (
        auc_scorer.with_options(average="pooled"),
        LISTS,
    ),
}


@pytest.mark.parametrize("message", ENDING)
def test_a_search_ends_and_a_direct_call_raises_as_evaluate_does(message):
    scorer, (model, X, y, cv) = ENDING[message]
    for scoring in (scorer, {"m": scorer}):
        search = GridSearchCV(model, {}, scoring=scoring, cv=cv, refit=False)
        with pytest.raises(SearchStopped, match=message):
            search.fit(X, y)
    error = OverflowError if "overflow" in message else InvalidParameterError
    with pytest.raises(error, match=message):
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


# Metric functions instead of scorers, and grades that cannot be ----------------------------------

METRICS = list(FUNCTIONS.items())


@pytest.mark.parametrize(("metric", "function"), METRICS, ids=[one.name for one, _ in METRICS])
def test_a_metric_is_no_scorer(metric, function):
    scorer = scorer_of(metric)
    pattern = f"{function.__name__} is a metric, not a scorer; pass scoring={scorer}"
    with pytest.raises(SearchStopped, match=re.escape(pattern)):
        GridSearchCV(Ridge(), {"alpha": [1, 10]}, scoring=function).fit(FRAME, Y)
    names = {name: getattr(sklearn_rank, name) for name in sklearn_rank.__all__}
    assert eval(scorer, names).measure.metric == metric


@pytest.mark.parametrize("number", [-1, np.nan, np.inf])
@pytest.mark.parametrize("kind", ["rows", "matrix", "lists"])
def test_a_grade_that_cannot_be_stops_a_search(kind, number):
    """It is the same for every candidate; scikit-learn's models refuse some of these, too."""

    class Still(BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return [["a", "b"]] * len(X) if kind == "lists" else np.ones(np.shape(truths[kind]))

    truths = {
        "rows": [1.0, 0, 0, number],
        "matrix": np.array([[1.0, 0]] * 3 + [[1.0, number]]),
        "lists": [{"a": 1.0, "b": 0}] * 3 + [{"a": 1.0, "b": number}],
    }
    frame = pd.DataFrame({"x": np.arange(4.0)}, index=pd.Index(list("aabb"), name="qid"))
    with pytest.raises(SearchStopped, match=f"{number}|[Nn]egative|NaN"):
        cross_val_score(Still(), frame, truths[kind], scoring=map_scorer, cv=[([0], np.arange(4))])


def test_a_metric_of_matrices_may_be_a_scorer_of_scikit_learn():
    y = np.array([[1, 0], [0, 1], [1, 0], [0, 1]])
    scorer = make_scorer(FUNCTIONS[MRR])
    assert cross_val_score(Ridge(), np.arange(4.0)[:, None], y, scoring=scorer, cv=2).mean() > 0


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
    with pytest.raises(SearchStopped, match="map is undefined for all 2 queries"):
        search.fit(X, NOTHING_IN_CD)


def test_the_error_of_an_undefined_fold_says_the_ways_out():
    with pytest.raises(SearchStopped) as caught:
        cross_val_score(Ridge(), X, NOTHING_IN_CD, scoring=map_scorer, cv=HALF)
    assert str(caught.value) == (
        "map is undefined for all 2 queries of a fold for every candidate; split into fewer "
        "folds, spread the relevant rows (StratifiedGroupKFold), or use "
        "with_options(zero_division=0.0)"
    )
    assert isinstance(caught.value.__cause__, UndefinedMetricError)


def test_a_direct_call_names_the_undefined_queries_and_the_option():
    with pytest.warns(UndefinedMetricWarning) as caught:
        map_scorer(Ridge().fit(X, NOTHING_IN_A), X, NOTHING_IN_A)
    assert [str(one.message) for one in caught] == [
        "map is undefined for 1 of 4 queries: 'a'; they are left out of the mean. "
        "map_scorer.with_options(zero_division=...) sets their value: 0.0, 1.0, or np.nan to "
        "leave them out without this warning."
    ]


def test_many_undefined_queries_may_have_been_divided():
    """Half a query without its relevant row looks like one that has none."""
    y = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    with pytest.warns(UndefinedMetricWarning, match="train_test_split, .* GroupShuffleSplit"):
        map_scorer(Ridge().fit(X, y), X, y)


def test_a_search_warns_once_for_each_measure():
    """Ten candidates in two folds with two scorers; and each search anew."""
    for _ in range(2):
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


@pytest.mark.parametrize("method", ["predict", "decision_function", "predict_proba"])
@pytest.mark.parametrize("classes", [None, np.array([0, 1])], ids=["regressor", "classifier"])
def test_masked_predictions_say_which_rows_are_ranked(method, classes):
    masked = np.ma.masked_array([0.3, 0.2, 0.1], mask=[True, True, False])
    model = says(masked, method, classes)
    scorer = get_scorer("mrr").with_options(response_method=method)
    call = model, np.zeros((3, 1)), [0, 0, 1]
    if method == "predict" and classes is not None:  # labels, which have no mask
        with pytest.raises(RankingConfigError, match="has masked values; drop or fill"):
            scorer(*call, groups=[1, 1, 1])
    else:
        assert scorer(*call, groups=[1, 1, 1]) == 1.0
