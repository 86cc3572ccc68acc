"""Truths, predictions and query ids that do not fit, and the words of the errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score, cross_validate
from sklearn.svm import SVC

from sklearn_rank import (
    QueryKFold,
    RankingConfigError,
    RankingDataWarning,
    check_query_splits,
    get_scorer,
    map_scorer,
    ndcg_scorer,
)
from tests.model_selection.cases import FRAME, GRID, QID, QUIET, Says, X, Y, map_by_hand

# Truths that do not fit --------------------------------------------------------------------------


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, sparse.coo_array, sparse.coo_matrix])
def test_matrices_in_many_forms(form):
    grades = np.array([[1, 0, 0], [0, 0, 1]])
    found = get_scorer("mrr")(
        Says(np.asarray), np.array([[0.9, 0.5, 0.1], [0.9, 0.5, 0.1]]), form(grades)
    )
    assert found == (1 + 1 / 3) / 2


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.full(len(Y), np.nan), "y_score contains NaN"),
        (np.zeros((len(Y), 2)), r"predict gives an array of shape \(72, 2\)"),
        (np.zeros(3), "inconsistent numbers of samples"),
    ],
    ids=["NaN", "2-D", "short"],
)
def test_predictions_that_rank_nothing(scores, message):
    with pytest.raises((ValueError, TypeError), match=message):
        map_scorer(Says(scores), X, Y, groups=QID)


def test_infinite_predictions_are_ordered():
    scores = np.array([np.inf, 1.0, -np.inf])
    assert map_scorer(Says(scores), np.zeros((3, 1)), [0, 1, 0], groups=[1, 1, 1]) == 1 / 2


@pytest.mark.parametrize("name", [None, 0])
def test_query_ids_are_found_by_names(name):
    rows = pd.DataFrame({"a": range(6)})
    with pytest.raises(RankingConfigError, match="query must be the name of a column or index"):
        next(QueryKFold(2, query=name).split(rows))
    with pytest.raises(RankingConfigError, match="query must be the name of a column or index"):
        check_query_splits(GroupKFold(2), rows, query=name)
    with pytest.raises(RankingConfigError, match="groups_from must be the name of a column"):
        map_scorer.with_options(groups_from=name)


def test_a_string_provider_has_nothing_to_do_with_rows():
    scorer = map_scorer.with_options(string_provider=str)
    with pytest.raises(RankingConfigError, match="string_provider applies to ranked lists"):
        scorer(Ridge().fit(X, Y), X, Y, groups=QID)


def test_no_rows():
    with pytest.raises(ValueError, match=r"no queries to evaluate|Found array with 0 sample"):
        map_scorer(Ridge().fit(X, Y), X[:0], Y[:0], groups=QID[:0])


# Words -------------------------------------------------------------------------------------------


FOUR_GRADES = np.tile([0, 1, 2, 3, 0, 1], 12)
WORDS = {
    "no query ids": (
        lambda: map_scorer(Ridge().fit(X, Y), X, Y),
        "map_scorer needs the query id of every row and got none. Either run under "
        "sklearn.set_config(enable_metadata_routing=True) and pass groups=qid, or give X a column "
        "or an index level named 'qid' (groups_from=), or y such an index level, or use "
        "map_scorer.bind(qid) where nothing is split; map_scorer.with_options(one_query=True) "
        "scores all rows as one query.",
    ),
    "group sizes": (
        lambda: map_scorer(Ridge().fit(X, Y), X, Y, groups=[6] * 12),
        "Found input variables with inconsistent numbers of samples: [72, 12] (y_true, groups) - "
        "groups must hold one id per row, not group sizes",
    ),
    "missing id": (
        lambda: map_scorer(Ridge().fit(X, Y), X, Y, groups=[*QID[:17], None, *QID[18:]]),
        "groups contains missing values (row 17)",
    ),
    "ids of two dimensions": (
        lambda: map_scorer(Ridge().fit(X, Y), X, Y, groups=QID[:, np.newaxis]),
        "groups should be a 1d array, got an array of shape (72, 1) instead.",
    ),
    "no truth": (lambda: map_scorer(Says([["a"]] * 3), X), "map_scorer needs y: what is relevant"),
    "one set": (
        lambda: map_scorer(Says([["a"]] * 3), X, {"a"}),
        "y is one set for all queries; pass a set per element of X",
    ),
    "a column": (
        lambda: map_scorer(Ridge().fit(X, Y), X, Y[:, np.newaxis], groups=QID),
        "y has the shape (72, 1); pass the grades as a 1-D array or Series",
    ),
    "a sparse column": (
        lambda: map_scorer(Ridge().fit(X, Y), X, sparse.coo_array(Y[:, np.newaxis]), groups=QID),
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
        "y is a dict keyed by query; scikit-learn splits by position - pass [qrels[q] for q in X]",
    ),
    "lists": (
        lambda: map_scorer(Says([["a"]] * 3), [1, 2], [{"a"}, {"b"}]),
        "predict gives 3 ranked lists for 2 queries; it has to give one per element of X",
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
    with pytest.raises(RankingConfigError, match="groups and the 'qid' of X put different rows"):
        map_scorer(model, FRAME, Y, groups=coarser)
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_val_score(
            Ridge(),
            FRAME,
            Y,
            scoring=map_scorer.set_score_request(groups=False),
            cv=GroupKFold(3),
            params={"groups": coarser},
        )
    expected = []
    for train, test in GroupKFold(3).split(X, Y, coarser):
        model = Ridge().fit(X[train], Y[train])
        expected.append(map_by_hand(Y[test], model.predict(X[test]), QID[test]))
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "mixed",
    [
        lambda e, X, y: 0.5 * map_scorer(e, X, y) + 0.5 * ndcg_scorer(e, X, y),
        lambda e, X, y: 1 - map_scorer(e, X, y) / 2,
        lambda e, X, y: np.mean([map_scorer(e, X, y), ndcg_scorer(e, X, y)]),
    ],
    ids=["sum", "difference", "mean"],
)
def test_forgotten_query_ids_end_a_search_whose_scorer_computes_with_ours(mixed):
    search = GridSearchCV(Ridge(), GRID, scoring=mixed, cv=3)
    with pytest.raises(RankingConfigError, match="needs the query id of every row and got none"):
        search.fit(X, Y)


def test_forgotten_query_ids_are_told_where_a_number_is_made_of_a_score():
    with pytest.warns(UserWarning, match="needs the query id of every row and got none"):
        cross_val_score(Ridge(), X, Y, scoring=lambda e, X, y: float(map_scorer(e, X, y)), cv=3)


def test_lists_of_other_kinds():
    for form in (list, iter, pd.DataFrame, np.array):
        ranked = Says(form([["a", "b"], ["b", "a"]]))
        assert get_scorer("mrr")(ranked, [1, 2], [{"a"}, {"a"}]) == (1 + 1 / 2) / 2, form


def test_divided_queries_are_seen_under_another_name():
    scorer = QUIET.set_score_request(groups="qid")
    for scoring in (scorer, {"map": scorer}):
        with (
            sklearn.config_context(enable_metadata_routing=True),
            pytest.warns(RankingDataWarning, match="queries are in both train and test"),
        ):
            cross_validate(Ridge(), X, Y, scoring=scoring, cv=KFold(3), params={"qid": QID})
