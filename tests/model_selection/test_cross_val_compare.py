"""Estimators compared on queries that they were not fitted on."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from lightgbm import LGBMRanker
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    Change,
    InvalidParameterError,
    QueryKFold,
    QueryRanker,
    QuerySplitError,
    RankFusion,
    RankingConfigError,
    compare,
    cross_val_compare,
    evaluate,
    map_scorer,
    ndcg_scorer,
)
from sklearn_rank.model_selection.cross_val_compare import confirmed
from tests.model_selection.cases import FRAME, INDEX, QID, X, Y

MODELS = {"old": Ridge(1e6), "new": Ridge(0.1)}
FOLDS = list(GroupKFold(3).split(X, Y, QID))


def by_hand(estimator, rows=X, y=Y, groups=QID, folds=FOLDS):
    """Predictions for each row by the model of its fold."""
    scores = np.zeros(len(y))
    for train, test in folds:
        scores[test] = estimator.fit(rows[train], y[train]).predict(rows[test])
    return scores


@pytest.mark.parametrize(
    ("rows", "y", "groups"),
    [
        (X, Y, QID),
        (X.tolist(), Y.tolist(), QID.tolist()),
        (FRAME, Y, None),
        (X, Y, INDEX),
        (X, pd.Series(Y, index=INDEX), None),
        (pl.DataFrame(X), pl.Series(Y), pl.Series(QID)),
    ],
    ids=["arrays", "lists", "index of X", "an index", "index of y", "polars"],
)
def test_out_of_fold_rankings_are_compared(rows, y, groups):
    found = cross_val_compare(MODELS, rows, y, groups=groups, cv=FOLDS, measures=["map", "ndcg@3"])
    runs = {name: by_hand(model) for name, model in MODELS.items()}
    expected = compare(Y, runs, ["map", "ndcg@3"], groups=QID)
    assert [replace(row, significant=False) for row in found.rows] == [
        replace(row, significant=False) for row in expected.rows
    ]
    assert found.query_ids == expected.query_ids
    assert found.notes[0] == ("each query is ranked by a model that was not fitted on it (3 folds)")
    assert "interval, made 12% wider, excludes 0" in found.notes[1]  # sqrt(1 + 2 / 8)
    assert found.notes[2:] == expected.notes


@pytest.mark.parametrize(
    ("change", "low", "high", "n_folds", "expected"),
    [
        (0.10, 0.01, 0.19, 1, True),
        (0.10, 0.01, 0.19, 5, False),
        (0.10, 0.03, 0.17, 5, True),
        (-0.10, -0.19, -0.01, 5, True),
    ],
)
def test_a_gain_needs_a_wider_interval_and_a_loss_none(change, low, high, n_folds, expected):
    row = Change("map", "old", "new", 40, 0.5, 0.5 + change, change, low, high)
    row = replace(row, significant=True, better=change > 0)
    assert confirmed(row, n_folds).significant is expected


def test_without_a_splitter_queries_stay_whole():
    folds = list(QueryKFold(5).split(X, Y, QID))
    expected = cross_val_compare(MODELS, X, Y, groups=QID, cv=folds).rows
    for cv in (None, 5, QueryKFold(5), (fold for fold in folds)):
        assert cross_val_compare(MODELS, X, Y, groups=QID, cv=cv).rows == expected


@pytest.mark.parametrize("routing", [False, True])
def test_nested_searches_get_the_queries_without_a_setting(routing):
    ranker = QueryRanker(LGBMRanker(n_estimators=3, min_child_samples=1, verbose=-1, n_jobs=1))
    grid = {"ranker__num_leaves": [2, 4]}
    models = {
        "default": ranker,
        "tuned": GridSearchCV(ranker, grid, scoring=map_scorer, cv=GroupKFold(2)),
        "piped": make_pipeline(StandardScaler(), ranker),
        "ridge": GridSearchCV(Ridge(), {"alpha": [1, 9]}, scoring=map_scorer, cv=GroupKFold(2)),
    }
    with sklearn.config_context(enable_metadata_routing=routing):
        found = cross_val_compare(models, X, Y, groups=QID, measures="map", cv=GroupKFold(3))
        assert sklearn.get_config()["enable_metadata_routing"] is routing
    assert found.names == tuple(models)
    assert found["map", "tuned"].queries == 12


def test_what_routes_nothing_gets_nothing():
    class Silent(BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.asarray(X)[:, 0]

        def get_metadata_routing(self):
            raise NotImplementedError

    cross_val_compare({"silent": Silent(), "ridge": Ridge()}, X, Y, groups=QID, cv=3)


def test_classifiers_are_read_as_scorers_read_them():
    models = {"two": LogisticRegression(C=0.01), "grades": LogisticRegression()}
    grades = Y + (X[:, 0] > 1.5)
    found = cross_val_compare(models, X, grades, groups=QID, cv=FOLDS, measures="ndcg")
    chances = np.zeros(len(Y))
    for train, test in FOLDS:
        model = LogisticRegression().fit(X[train], grades[train])
        chances[test] = model.predict_proba(X[test]) @ model.classes_
    assert found["ndcg"].new == evaluate(grades, chances, "ndcg", groups=QID)["ndcg"]
    words = np.where(Y > 0, "good", "bad")
    by_label = cross_val_compare(
        models, X, words, groups=QID, cv=FOLDS, measures="map", pos_label="good"
    )
    plain = cross_val_compare(models, X, Y, groups=QID, cv=FOLDS, measures="map")
    signed = cross_val_compare(models, X, 2 * Y - 1, groups=QID, cv=FOLDS, measures="map")
    assert by_label.rows == plain.rows == signed.rows


def test_repeated_folds_are_repeats():
    folds = [
        list(QueryKFold(3, shuffle=True, random_state=seed).split(X, Y, QID)) for seed in (0, 1)
    ]
    found = cross_val_compare(MODELS, X, Y, groups=QID, measures="map", cv=folds[0] + folds[1])
    new = [by_hand(Ridge(0.1), folds=one) for one in folds]
    means = [evaluate(Y, run, "map", groups=QID).per_query["map"] for run in new]
    assert np.array_equal(found.values("map")["new"], np.mean(means, axis=0))
    assert len(found.evaluations["new"].runs) == 2
    assert found.notes[0].endswith("(6 folds, 2 times)")
    queries = [f"q{n}" for n in range(8)]
    lists = cross_val_compare(FUSIONS, queries, TRUTHS, cv=RepeatedKFold(n_splits=4, n_repeats=3))
    assert len(lists.evaluations["bm25"].runs) == 3


def test_queries_that_no_fold_tests_are_left_out_and_counted():
    cv = GroupShuffleSplit(1, test_size=5, random_state=0)
    found = cross_val_compare(MODELS, X, Y, groups=QID, cv=cv, sample_weight=np.ones(len(Y)))
    ((_, test),) = cv.split(X, Y, QID)
    assert set(found.query_ids) == set(QID[test].tolist())
    assert "7 of 12 queries are in no fold's test part and are left out" in found.notes
    assert found["map"].queries == 5


TRUTHS = [{f"d{n % 3}"} for n in range(8)]
RUN = {f"q{n}": {"d0": 3.0, "d1": 2.0, "d2": 1.0} for n in range(8)}
TURNED = {query: dict(zip(["d2", "d1", "d0"], (3.0, 2.0, 1.0), strict=True)) for query in RUN}
FUSIONS = {
    "bm25": RankFusion([RUN, TURNED], weights=[1, 0]),
    "equal": RankFusion([RUN, TURNED]),
    "tuned": GridSearchCV(
        RankFusion([RUN, TURNED]),
        {"weights": [[1, 2], [2, 1]]},
        scoring=ndcg_scorer,
        cv=KFold(2),
    ),
}


@pytest.mark.parametrize(
    "queries",
    [list(RUN), np.array(list(RUN)), pd.Series(list(RUN))],
    ids=["list", "array", "series"],
)
def test_retrievers_are_compared_by_query_and_item(queries):
    found = cross_val_compare(FUSIONS, queries, TRUTHS, cv=KFold(4), measures="mrr")
    assert found.query_ids == list(RUN)
    truth = dict(zip(RUN, TRUTHS, strict=True))
    assert found.scores["mrr"]["bm25"] == evaluate(truth, RUN, "mrr")["mrr"]
    change, *_ = found.most_changed(1, system="equal")
    assert "d0" in change.why() or "d2" in change.why()


def test_queries_that_are_texts_twice_or_features_go_by_position():
    twice = ["q0", *list(RUN)[:7]]
    found = cross_val_compare(FUSIONS, twice, TRUTHS, cv=KFold(4))
    assert found.query_ids == list(range(8))


def test_matrices_are_compared_by_row():
    rng = np.random.default_rng(0)
    users = rng.normal(size=(12, 4))
    liked = (users @ rng.normal(size=(4, 9)) > 0.5).astype(int)
    models = {"means": DummyRegressor(), "ridge": MultiOutputRegressor(Ridge())}
    found = cross_val_compare(models, users, liked, cv=3, measures="ndcg@5")
    scores = np.zeros(liked.shape)
    for train, test in KFold(3).split(users):
        scores[test] = DummyRegressor().fit(users[train], liked[train]).predict(users[test])
    assert found.scores["ndcg@5"]["means"] != found.scores["ndcg@5"]["ridge"]
    assert evaluate(liked, scores, "ndcg@5")["ndcg@5"] > 0


def test_items_of_rows_are_shown(tmp_path):
    items = np.array([f"doc {n}" for n in range(len(Y))])
    plain = cross_val_compare(MODELS, X, Y, groups=QID, cv=FOLDS)
    both = pd.MultiIndex.from_arrays([QID, items], names=["qid", "doc_id"])
    for found in (
        cross_val_compare(MODELS, X, Y, groups=QID, cv=FOLDS, items=items),
        cross_val_compare(MODELS, FRAME.set_axis(both), Y, cv=FOLDS),
        cross_val_compare(MODELS, FRAME.set_axis(both), Y, cv=FOLDS, items=items.tolist()),
    ):
        assert found.rows == plain.rows
        assert all("doc" in change.why() for change in found.most_changed(3))
        found.report(tmp_path / "page.html")
        assert "doc 7" in (tmp_path / "page.html").read_text(encoding="utf-8")
    # A column that says the same of several rows of a query names no items.
    same = pd.MultiIndex.from_arrays([QID, Y], names=["qid", "item"])
    assert cross_val_compare(MODELS, FRAME.set_axis(same), Y, cv=FOLDS).rows == plain.rows


REFUSED = {
    "rows": ({"cv": KFold(3)}, QuerySplitError, "in both train and test of split 0"),
    "time": ({"cv": TimeSeriesSplit(3)}, QuerySplitError, "use QueryTimeSplit"),
    "seen": ({"cv": [(range(72), range(72))]}, QuerySplitError, "trains on 12 queries that it"),
    "uneven": (
        {"cv": GroupShuffleSplit(4, test_size=4, random_state=0)},
        InvalidParameterError,
        "cv tests some queries 1 and others . times",
    ),
    "no ids": ({"groups": None}, RankingConfigError, "query id of every row is needed"),
    "pooled": ({"measures": "auc(average=pooled)"}, InvalidParameterError, "of different folds"),
    "option": ({"slices": {}}, TypeError, "unexpected keyword argument 'slices'"),
    "scorer": ({"scoring": "map"}, TypeError, r"cross_val_compare\(\) got an unexpected"),
    "one": ({"estimators": {"a": Ridge()}}, InvalidParameterError, "at least two"),
    "class": ({"estimators": {"a": 1, "b": 2}}, InvalidParameterError, r"estimators\['a'\] must"),
    "alpha": ({"alpha": 5}, InvalidParameterError, "alpha"),
    "items": ({"items": ["a"]}, ValueError, r"\[72, 1\]"),
    "inside": (
        {"estimators": {"a": Ridge(), "b": GridSearchCV(Ridge(), {"nothing": [1]})}},
        ValueError,
        "^system 'b': Invalid parameter 'nothing'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    options, error, message = REFUSED[case]
    given = {"estimators": MODELS, "X": X, "y": Y, "groups": QID, **options}
    with pytest.raises(error, match=message):
        cross_val_compare(**given)


def test_lists_that_a_split_tests_unequally_often_are_refused():
    with pytest.raises(InvalidParameterError, match="repeated folds, that test all queries equal"):
        cross_val_compare(
            FUSIONS, list(RUN), TRUTHS, cv=ShuffleSplit(5, test_size=3, random_state=0)
        )
