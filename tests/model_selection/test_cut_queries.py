"""Queries of which tools outside of scikit-learn's loops score only some rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

from sklearn_rank import QueryKFold, QueryRanker, RankingDataWarning, map_scorer
from tests.model_selection.cases import FRAME, QID, QUIET, Y


def test_permutation_importance_of_drawn_rows_warns():
    model = Ridge().fit(FRAME, Y)
    with pytest.warns(
        RankingDataWarning,
        match=r"single rows are drawn .*, which cuts queries: of query 'q\d+' only \d of 6",
    ):
        permutation_importance(
            model, FRAME, Y, scoring=QUIET, max_samples=0.5, n_repeats=2, random_state=0
        )


def test_permutation_importance_of_all_rows_does_not():
    model = Ridge().fit(FRAME, Y)
    found = permutation_importance(model, FRAME, Y, scoring=map_scorer, n_repeats=1)
    assert found.importances.shape == (3, 1)


def _ranker():
    return QueryRanker(pytest.importorskip("xgboost").XGBRanker(n_estimators=2, max_depth=2))


def test_a_loop_by_hand_that_divides_queries_of_a_ranker_warns():
    train, test = next(KFold(3, shuffle=True, random_state=0).split(FRAME))
    model = _ranker().fit(FRAME.iloc[train], Y[train])
    with pytest.warns(
        RankingDataWarning,
        match=r"\d+ queries are both in the rows that are scored and in those the ranker was "
        r"fitted on, in other numbers: \d and \d rows of query 'q\d+'; split by queries",
    ):
        QUIET(model, FRAME.iloc[test], Y[test])


def test_whole_queries_and_training_rows_give_no_warning():
    train, test = next(QueryKFold(3).split(FRAME))
    model = _ranker().fit(FRAME.iloc[train], Y[train])
    for rows in (train, test):
        assert 0 < map_scorer(model, FRAME.iloc[rows], Y[rows]) <= 1


def test_what_a_ranker_was_fitted_on_is_not_stored_with_it():
    import pickle

    model = _ranker().fit(FRAME, Y)
    assert not any(query.encode() in pickle.dumps(model) for query in sorted(set(QID)))
    few = np.arange(20)
    read = pickle.loads(pickle.dumps(model))
    # Elsewhere nothing is known, and nothing is said.
    assert 0 <= QUIET(read, FRAME.iloc[few], Y[few]) <= 1
