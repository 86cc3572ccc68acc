"""Weights of queries in searches, beside weights of fitting."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from sklearn_rank import RankingConfigError, map_scorer
from tests.model_selection.cases import ALPHAS, FRAME, GRID, QID, X, Y, folds_by_hand, map_by_hand

# Weights -----------------------------------------------------------------------------------------


def weighted(query_weight):
    scorer = map_scorer.set_score_request(query_weight=True)
    with sklearn.config_context(enable_metadata_routing=True):
        return cross_val_score(
            Ridge(),
            X,
            Y,
            scoring=scorer,
            cv=GroupKFold(3),
            params={"groups": QID, "query_weight": query_weight},
        )


def test_query_weights_in_folds():
    numbers = np.array([int(query[1:]) for query in QID])
    assert weighted(np.ones(len(Y))) == pytest.approx(folds_by_hand(GroupKFold(3)), abs=1e-12)
    weights = 0.0 + numbers  # q0 does not count
    expected = []
    for train, test in GroupKFold(3).split(X, Y, QID):
        scores = Ridge().fit(X[train], Y[train]).predict(X[test])
        total = value = 0.0
        for query in sorted(set(QID[test])):
            rows = QID[test] == query
            weight = int(query[1:])
            value += weight * map_by_hand(Y[test][rows], scores[rows], QID[test][rows])
            total += weight
        expected.append(value / total)
    assert weighted(weights) == pytest.approx(expected, abs=1e-12)
    assert weighted(weights * 8) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scoring", [map_scorer, {"map": map_scorer, "r2": "r2"}], ids=["one", "2"])
def test_weights_of_fitting_never_reach_the_scorer(scoring):
    weight = np.linspace(0.1, 3.0, len(Y))  # not constant within queries: the scorer would refuse
    search = GridSearchCV(Ridge(), GRID, scoring=scoring, cv=GroupKFold(3), refit=False)
    with warnings.catch_warnings():
        # Since 1.7 scikit-learn says of every scorer without sample_weight that it has none.
        warnings.filterwarnings("ignore", "The scoring .* does not support sample_weight")
        search.fit(FRAME, Y, groups=QID, sample_weight=weight)
    name = "map" if isinstance(scoring, dict) else "score"
    expected = []
    for train, test in GroupKFold(3).split(X, Y, QID):
        model = Ridge(alpha=ALPHAS[0]).fit(X[train], Y[train], weight[train])
        expected.append(map_by_hand(Y[test], model.predict(X[test]), QID[test]))
    found = [search.cv_results_[f"split{i}_test_{name}"][0] for i in range(3)]
    assert found == pytest.approx(expected, abs=1e-12)


# Found by trying to break it ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.linspace(0.1, 1.0, 72), "query_weight must be the same for all its rows|query_weight"),
        (np.ones(12), "query_weight"),
    ],
    ids=["per row", "per query"],
)
def test_weights_that_end_a_search(weight, message):
    scorer = map_scorer.set_score_request(query_weight=True)
    search = GridSearchCV(Ridge(), GRID, scoring=scorer, cv=GroupKFold(3))
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(RankingConfigError, match=message),
    ):
        search.fit(X, Y, groups=QID, query_weight=weight)
