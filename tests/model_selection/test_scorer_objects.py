"""Scorers as objects: stored, copied, compared, sent to workers, printed."""

from __future__ import annotations

import copy
import pickle

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_rank import (
    RankingConfigError,
    UnknownMeasureError,
    get_scorer,
    make_rank_scorer,
    map_scorer,
    ndcg_at_k_score,
    ndcg_scorer,
    rank_scorers,
)
from tests.model_selection.cases import ALPHAS, GRID, QID, QUIET, X, Y, folds_by_hand

# Objects -----------------------------------------------------------------------------------------


def test_fitted_searches_are_stored_and_read(tmp_path):
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=GroupKFold(3))
        search.fit(X, Y, groups=QID)
        joblib.dump(search, tmp_path / "search")
        read = joblib.load(tmp_path / "search")
        assert read.score(X, Y, groups=QID) == search.score(X, Y, groups=QID)
    assert read.scoring == clone(search).scoring == copy.deepcopy(search).scoring == map_scorer


class Letters(BaseEstimator):
    """Ranks letters; ``last`` first or first."""

    def __init__(self, last=False):
        self.last = last

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return [sorted("ABC", reverse=self.last) for _ in X]


def test_a_lambda_as_string_provider_runs_in_processes_and_is_named_when_pickled():
    scorer = map_scorer.with_options(string_provider=lambda item: item.lower())
    search = GridSearchCV(Letters(), {"last": [False, True]}, scoring=scorer, cv=2, n_jobs=2)
    assert search.fit([1, 2, 3, 4], [{"a"}] * 4).best_params_ == {"last": False}
    assert search.best_score_ == 1.0
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(scorer)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing", "dask"])
def test_searches_run_under_every_backend(backend):
    expected = max(np.mean(folds_by_hand(GroupKFold(3), alpha)) for alpha in ALPHAS)
    search = GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=GroupKFold(3), n_jobs=2)

    def run():
        with (
            joblib.parallel_backend(backend, n_jobs=2),
            sklearn.config_context(enable_metadata_routing=True),
        ):
            return search.fit(X, Y, groups=QID).best_score_

    if backend == "dask":
        from distributed import Client, LocalCluster

        with (
            LocalCluster(
                n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
            ) as cluster,
            Client(cluster),
        ):
            found = run()
    else:
        found = run()
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_missing_query_ids_end_a_search_under_every_backend(backend):
    search = GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=3, n_jobs=2)
    with (
        joblib.parallel_backend(backend, n_jobs=2),
        pytest.raises(RankingConfigError, match="needs the query id of every row and got none"),
    ):
        search.fit(X, Y)


def test_names_of_measures_are_no_names_of_scikit_learn():
    first, second = get_scorer("ndcg@10"), get_scorer("ndcg@10")
    assert first == second
    assert first is not second
    with pytest.raises(UnknownMeasureError, match=r"unknown measure 'nope'.*: .*map.*ndcg"):
        get_scorer("nope")
    with pytest.raises(ValueError, match="'scoring' parameter of GridSearchCV must be"):
        GridSearchCV(Ridge(), GRID, scoring="map").fit(X, Y)


def test_representations_of_measures_with_functions():
    def twice(grade):
        return 2 * grade

    scorer = make_rank_scorer("ndcg@5", gain=twice)
    assert repr(scorer) == "get_scorer('ndcg@5').with_options(gain=twice)"
    assert repr(make_rank_scorer(ndcg_at_k_score, gain=twice, k=3)) == (
        "get_scorer('ndcg').with_options(gain=twice, k=3)"
    )
    assert repr(ndcg_scorer.with_options(gain="linear").with_options(gain="exp2")) == "ndcg_scorer"
    assert repr(get_scorer("ndcg(gain=linear)").with_options(gain="exp2")) == (
        "get_scorer('ndcg(gain=linear)').with_options(gain='exp2')"
    )


# Found by trying to break it ---------------------------------------------------------------------


def test_scorers_are_equal_after_a_journey():
    for scorer in (
        QUIET,
        map_scorer.with_options(zero_division=float("nan")),
        map_scorer.with_options(relevance={"a": 1, "b": 0}),
        map_scorer.bind(QID),
    ):
        assert pickle.loads(pickle.dumps(scorer)) == scorer
        assert copy.deepcopy(scorer) == scorer
    assert map_scorer.with_options(zero_division=float("nan")) == QUIET != map_scorer


def test_scorers_keep_copies():
    ids, grades = QID.copy(), {"a": 1, "b": 0}
    bound, graded = map_scorer.bind(ids), map_scorer.with_options(relevance=grades)
    ids[:] = "q0"
    grades["b"] = 5
    assert bound == map_scorer.bind(QID)
    assert graded == map_scorer.with_options(relevance={"a": 1, "b": 0})


def test_errors_name_scorers_so_that_the_advice_runs():
    with pytest.raises(RankingConfigError, match=r"or use get_scorer\('ndcg@10'\)\.bind\(qid\)"):
        get_scorer("ndcg@10")(Ridge().fit(X, Y), X, Y)


def test_only_lag_is_negated():
    assert list(rank_scorers(["neg_lag", "map"])) == ["neg_lag", "map"]
    assert list(rank_scorers(["lag", "ndcg@10"], names="safe")) == ["neg_lag", "ndcg_at_10"]
    with pytest.raises(UnknownMeasureError, match="neg_map"):
        rank_scorers(["neg_map"])


def test_names_of_metadata_are_checked():
    with pytest.raises(ValueError, match="valid identifier"):
        map_scorer.set_score_request(groups="my id")
