"""Truths, answers of estimators and query ids: which of them rank, and the words of the errors."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from sklearn_rank import (
    RankingConfigError,
    RankingDataWarning,
    SearchStopped,
    get_scorer,
    map_scorer,
    mean_average_precision_score,
    ndcg_at_k_score,
    ndcg_scorer,
)
from tests.model_selection.cases import (
    FRAME,
    GRID,
    QID,
    QUIET,
    Says,
    X,
    Y,
    folds_by_hand,
    says,
)


def map_of(y, scores, **options):
    return mean_average_precision_score(y, scores, groups=QID, **options)


# Truths that do not fit --------------------------------------------------------------------------


def test_matrices_and_lists_in_many_forms():
    grades, scores = np.array([[1, 0, 0], [0, 0, 1]]), np.tile([0.9, 0.5, 0.1], (2, 1))
    for form in (pd.DataFrame, pl.DataFrame, sparse.coo_array, sparse.coo_matrix):
        assert get_scorer("mrr")(Says(np.asarray), scores, form(grades)) == (1 + 1 / 3) / 2, form
    for form in (list, iter, pd.DataFrame, np.array):
        ranked = Says(form([["a", "b"], ["b", "a"]]))
        assert get_scorer("mrr")(ranked, [1, 2], [{"a"}, {"a"}]) == (1 + 1 / 2) / 2, form


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.full(len(Y), np.nan), "y_score contains NaN"),
        (np.zeros((len(Y), 2)), r"predict returned an array of shape \(72, 2\)"),
        (np.zeros(3), "inconsistent numbers of samples"),
    ],
    ids=["NaN", "2-D", "short"],
)
def test_predictions_that_rank_nothing(scores, message):
    with pytest.raises((ValueError, TypeError), match=message):
        map_scorer(Says(scores), X, Y, groups=QID)


# Words -------------------------------------------------------------------------------------------


FOUR_GRADES = np.tile([0, 1, 2, 3, 0, 1], 12)
WORDS = {
    "no query ids": (
        lambda: map_scorer(Ridge().fit(X, Y), X, Y),
        "map_scorer needs the query id of every row and got none. Either run under "
        "sklearn.set_config(enable_metadata_routing=True) and pass groups=qid to fit, "
        "params={'groups': qid} to cross_val_score, or give X an index level "
        "(a column also becomes a feature) named 'qid' (groups_from=), or y such an index level, "
        "or use map_scorer.bind(qid) where nothing is split; "
        "map_scorer.with_options(one_query=True) "
        "scores all rows as one query.",
    ),
    "no truth": (
        lambda: map_scorer(Says([["a"]] * 3), X),
        "map_scorer needs y, the relevant items",
    ),
    "one set": (
        lambda: map_scorer(Says([["a"]] * 3), X, {"a"}),
        "y is one set for all queries; pass a set per element of X",
    ),
    "a column": (
        lambda: map_scorer(Ridge().fit(X, Y), X, Y[:, np.newaxis], groups=QID),
        "y has the shape (72, 1); pass the grades as a 1-D array or Series",
    ),
    "grades without probabilities": (
        lambda: map_scorer(SVC().fit(X, FOUR_GRADES), X, FOUR_GRADES, groups=QID),
        "SVC predicts 4 grades but has no predict_proba; use a regressor, a classifier with "
        "predict_proba, or response_method='predict'",
    ),
    "strings": (
        lambda: map_scorer(Says([["a"]] * 3), X, ["yes"] * 72, groups=QID),
        "y holds strings; pass pos_label= or relevance={'bad': 0, ...}",
    ),
    "dict": (
        lambda: map_scorer(Says([["a"]] * 3), [1], {1: {"a"}}),
        "y is a dict keyed by query, but scikit-learn splits by position; pass [qrels[q] for q in "
        "X]",
    ),
    "lists": (
        lambda: map_scorer(Says([["a"]] * 3), [1, 2], [{"a"}, {"b"}]),
        "predict returned 3 ranked lists for 2 queries; it must return one per element of X",
    ),
}


@pytest.mark.parametrize("misuse", WORDS)
def test_words_of_errors(misuse):
    call, words = WORDS[misuse]
    with pytest.raises(RankingConfigError) as caught:
        call()
    assert str(caught.value) == words


# Found by trying to break it ---------------------------------------------------------------------


def test_query_ids_that_contradict_each_other_are_refused():
    coarser = np.array([query[-1] for query in QID])
    model = Ridge().fit(FRAME, Y)
    with pytest.raises(RankingConfigError, match="groups and the 'qid' of X group rows"):
        map_scorer(model, FRAME, Y, groups=coarser)
    scorer = map_scorer.set_score_request(groups=False)
    told = {"scoring": scorer, "cv": GroupKFold(3), "params": {"groups": coarser}}
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_val_score(Ridge(), FRAME, Y, **told)
    assert found == pytest.approx(folds_by_hand(GroupKFold(3), groups=coarser), abs=1e-12)


@pytest.mark.parametrize(
    "mixed",
    [
        lambda e, X, y: 0.5 * map_scorer(e, X, y) + 0.5 * ndcg_scorer(e, X, y),
        lambda e, X, y: float(map_scorer(e, X, y)),
    ],
    ids=["sum", "number"],
)
def test_forgotten_query_ids_end_a_search_whose_scorer_computes_with_ours(mixed):
    search = GridSearchCV(Ridge(), GRID, scoring=mixed, cv=3)
    with pytest.raises(SearchStopped, match="needs the query id of every row and got none"):
        search.fit(X, Y)


def test_divided_queries_are_seen_under_another_name():
    scorer = QUIET.set_score_request(groups="qid")
    for scoring in (scorer, {"map": scorer}):
        with (
            sklearn.config_context(enable_metadata_routing=True),
            pytest.warns(RankingDataWarning, match="queries are in both train and test"),
        ):
            cross_validate(Ridge(), X, Y, scoring=scoring, cv=KFold(3), params={"qid": QID})


# Estimators --------------------------------------------------------------------------------------


def graded_problem():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, len(Y))
    return X + y[:, np.newaxis], y


def test_probabilities_count_by_the_grades_that_a_fold_has_seen():
    rows, y = graded_problem()
    seen = y != 2
    model = LogisticRegression(max_iter=1000).fit(rows[seen], y[seen])
    expected = ndcg_at_k_score(y, model.predict_proba(rows) @ np.array([0.0, 1.0, 3.0]), groups=QID)
    assert ndcg_scorer(model, rows, y, groups=QID) == expected


def test_models_of_one_grade_rank_nothing():
    rows, y = graded_problem()
    constant = says(lambda rows: np.full(len(rows), 2), classes=np.array([2]))
    expected = ndcg_at_k_score(y, np.zeros(len(y)), groups=QID)
    assert ndcg_scorer(constant, rows, y, groups=QID) == expected


def classified_words():
    rows, grades = graded_problem()
    words = np.array(["bad", "fair", "good", "perfect"])[grades]
    return rows, words, LogisticRegression(max_iter=1000).fit(rows, words)


def test_one_label_of_many_is_ranked_by_its_own_probability():
    rows, words, model = classified_words()
    for label in ("fair", "perfect"):
        scorer = map_scorer.with_options(pos_label=label, zero_division=np.nan)
        place = model.classes_.tolist().index(label)
        scores = model.predict_proba(rows)[:, place]
        expected = map_of(words == label, scores, zero_division=np.nan)
        assert scorer(model, rows, words, groups=QID) == expected


def test_labels_with_grades():
    rows, words, model = classified_words()
    meaning = {"bad": 0, "fair": 1, "good": 2, "perfect": 5}
    scorer = ndcg_scorer.with_options(relevance=meaning)
    values = [meaning[label] for label in model.classes_]
    y = np.array([meaning[word] for word in words])
    expected = ndcg_at_k_score(y, model.predict_proba(rows) @ np.array(values, float), groups=QID)
    assert scorer(model, rows, words, groups=QID) == expected
    hard = scorer.with_options(response_method="predict")
    labels = np.array([meaning[label] for label in model.predict(rows)], float)
    assert hard(model, rows, words, groups=QID) == ndcg_at_k_score(y, labels, groups=QID)
    with pytest.raises(RankingConfigError, match="relevance has no grade for the label 'perfect'"):
        ndcg_scorer.with_options(relevance={"bad": 0, "fair": 1, "good": 2})(
            model, rows, words, groups=QID
        )


def test_the_labels_minus_one_and_one_of_classifiers():
    signed = np.where(Y == 1, 1, -1)
    model = LogisticRegression().fit(X, signed)
    expected = map_of(Y, model.decision_function(X))
    assert map_scorer(model, X, signed, groups=QID) == expected
    with pytest.raises(ValueError, match="y_true contains a negative grade"):
        map_scorer(Ridge().fit(X, signed), X, signed, groups=QID)


def test_margins_of_many_grades_are_refused():
    rows, y = graded_problem()
    model = LogisticRegression(max_iter=1000).fit(rows, y)
    scorer = ndcg_scorer.with_options(response_method="decision_function")
    message = "the decision_function of LogisticRegression does not give one score for 4 grades"
    with pytest.raises(RankingConfigError, match=message):
        scorer(model, rows, y, groups=QID)
    with pytest.raises(RankingConfigError, match="predicts 4 grades but has no predict_proba"):
        map_scorer.with_options(pos_label=1)(SVC().fit(rows, y), rows, y, groups=QID)


@pytest.mark.parametrize("grades", [{"no": 0, "yes": 1}, {"no": 1, "yes": 0}], ids=str)
@pytest.mark.parametrize("method", ["decision_function", "predict_proba"])
def test_two_classes_rank_by_the_one_of_the_higher_grade(grades, method):
    words = np.where(Y == 1, "yes", "no")
    model = LogisticRegression().fit(X, words)
    y = np.array([grades[word] for word in words])
    scores = model.predict_proba(X)[:, 1] * (1 if grades["yes"] else -1)
    expected = map_of(y, scores)
    scorer = map_scorer.with_options(relevance=grades, response_method=method)
    assert scorer(model, X, words, groups=QID) == expected


# Found by trying to break it ---------------------------------------------------------------------


def multilabel():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 4))
    return rows, (rows @ rng.normal(size=(4, 5)) + rng.normal(size=(60, 5)) > 0.5).astype(int)


def test_items_as_labels_are_ranked_by_probabilities():
    rows, table = multilabel()
    model = KNeighborsClassifier().fit(rows, table)
    chances = np.stack([one[:, 1] for one in model.predict_proba(rows)], axis=1)
    quiet = ndcg_scorer.with_options(zero_division=np.nan)
    expected = ndcg_at_k_score(table, chances, zero_division=np.nan)
    assert quiet(model, rows, table) == expected
    hard = quiet.with_options(response_method="predict")(model, rows, table)
    assert hard == ndcg_at_k_score(table, model.predict(rows), zero_division=np.nan) != expected


def test_items_as_hard_labels_are_refused():
    labels = says(lambda rows: np.zeros((len(rows), 2)), classes=(np.array([0, 1]),) * 2)
    with pytest.raises(RankingConfigError, match="predicts labels but has neither"):
        ndcg_scorer(labels, [[0.0]], np.array([[0, 1]]))


def test_a_fold_without_the_relevant_label_ranks_nothing():
    words = np.array(["lo", "mid", "hi"])[np.tile([0, 1, 2, 0, 1, 0], 12)]
    seen = words != "hi"
    model = LogisticRegression().fit(X[seen], words[seen])
    expected = map_of(words == "hi", np.zeros(72), zero_division=np.nan)
    assert QUIET.with_options(pos_label="hi")(model, X, words, groups=QID) == expected
    with pytest.raises(RankingConfigError, match="pos_label 'ho' is not one of the classes"):
        QUIET.with_options(pos_label="ho")(model, X, words, groups=QID)
