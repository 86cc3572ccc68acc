"""Scorers that count as another program does: what they read, and where they cannot."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV

from sklearn_rank import (
    ConventionWarning,
    QueryKFold,
    UnknownMeasureError,
    evaluate,
    get_scorer,
    map_scorer,
)
from tests.model_selection.cases import Says, first

QID = np.repeat(list("abcd"), 3)
Y = np.array([1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0])
TIED = pd.DataFrame({"x": np.ones(12)}, index=pd.Index(QID, name="qid"))
BY_CHANCE = "the program leaves the order of tied items to chance"


def test_a_direct_call_warns_as_evaluate_does():
    with pytest.warns(ConventionWarning) as of_evaluate:
        evaluate(Y, TIED["x"], "map", groups=QID, convention="torchmetrics")
    with pytest.warns(ConventionWarning) as of_scorer:
        get_scorer("map", convention="torchmetrics")(Says(first), TIED, Y)
    assert str(of_scorer[0].message) == str(of_evaluate[0].message)
    assert str(of_scorer[0].message) == (
        "relevant items are tied in 4 queries, which the program of convention 'torchmetrics' "
        f"counts differently: map: {BY_CHANCE}"
    )
    assert len(of_scorer) == 1
    assert of_scorer[0].filename == __file__


def test_a_search_warns_once_and_in_general():
    """Five candidates in two folds; and each search anew."""
    for _ in range(2):
        with pytest.warns(ConventionWarning) as caught:
            GridSearchCV(
                Says(first),
                {"scores": [lambda X, n=n: n * first(X) for n in range(1, 6)]},
                scoring=get_scorer("map", convention="torchmetrics"),
                cv=QueryKFold(2),
            ).fit(TIED, Y)
        assert [str(warning.message) for warning in caught] == [
            "relevant items are tied in some queries, which the program of convention "
            f"'torchmetrics' counts differently: map: {BY_CHANCE}"
        ]


def test_the_masked_scores_of_a_convention_are_masked():
    y = np.array([[0, 1, 0], [1, 0, 1]])
    scores = np.array([[-np.inf, 2.0, 1.0], [3.0, -np.inf, 2.0]])
    told = evaluate(y, scores, "gauc", convention="warprec")["gauc"]
    assert told != evaluate(y, np.nan_to_num(scores, neginf=-9.0), "gauc", convention="warprec")
    assert get_scorer("gauc", convention="warprec")(Says(scores), np.zeros((2, 1)), y) == told


def test_the_negative_grades_of_a_convention_are_unjudged():
    y = [{"a": 1, "b": -1}, {"c": 2, "d": 0}]
    ranked = [["b", "a"], ["c", "d"]]
    scorer = get_scorer("map", convention="trec_eval")
    # The first query's only relevant item stands on rank 2, the second's on rank 1.
    assert scorer(Says(ranked), np.zeros((2, 1)), y) == (1 / 2 + 1) / 2
    with pytest.raises(ValueError, match="negative grade"):
        map_scorer(Says(ranked), np.zeros((2, 1)), y)


def test_a_convention_stays_in_later_copies():
    scorer = get_scorer("map", convention="sklearn")
    with pytest.raises(UnknownMeasureError, match="has no cutoff"):
        scorer.with_options(k=5)
    assert repr(scorer.set_score_request(groups="q").with_options(one_query=True)) == (
        "get_scorer('map').with_options(one_query=True, zero_division=1.0, convention='sklearn')"
    )
