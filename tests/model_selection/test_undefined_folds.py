"""Queries and folds in which a measure is undefined, and predictions that are masked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate

from sklearn_rank import (
    QueryKFold,
    RankingConfigError,
    UndefinedMetricError,
    evaluate,
    get_scorer,
    map_scorer,
    rank_scorers,
)
from sklearn_rank.exceptions import UndefinedMetricWarning

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
    import warnings

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
