"""Whole stories of model selection: folds, carriers, backends, traps that give numbers silently.

What every consumer of ``scoring=`` does is in test_consumers.py, single properties of scorers in
test_scorers.py, the boosting libraries in test_rankers.py.
"""

from __future__ import annotations

import copy
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - enables the import below
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import average_precision_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    HalvingGridSearchCV,
    KFold,
    LeaveOneGroupOut,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from sklearn_rank import (
    DegenerateQueriesWarning,
    GroupsRequiredError,
    InvalidParameterError,
    QueryKFold,
    QuerySplitError,
    QuerySplitWarning,
    RankingConfigError,
    UnknownMeasureError,
    check_query_splits,
    get_scorer,
    get_scorer_names,
    make_rank_scorer,
    map_scorer,
    mean_average_precision_score,
    ndcg_at_k_score,
    ndcg_scorer,
    rank_scorers,
)

SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
ALPHAS = [0.1, 100.0]
GRID = {"alpha": ALPHAS}
QUIET = map_scorer.with_options(zero_division=np.nan)
"""For folds that cut queries, of which some then have nothing relevant."""


def problem(n_queries: int = 12, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries of six scattered rows, two of which are relevant; three features."""
    rng = np.random.default_rng(seed)
    qid = np.repeat([f"q{number}" for number in rng.permutation(n_queries)], 6)
    y = np.tile([1, 0, 0, 1, 0, 0], n_queries)
    X = rng.normal(size=(len(y), 3)) + y[:, np.newaxis] * [1.5, 0.5, 0.2]
    mixed = rng.permutation(len(y))
    return X[mixed], y[mixed], qid[mixed]


X, Y, QID = problem()
INDEX = pd.Index(QID, name="qid")
FRAME = pd.DataFrame(X, columns=["a", "b", "c"], index=INDEX)


def map_by_hand(y, scores, qid) -> float:
    """Mean average precision in a plain loop, for scores without ties."""
    values = []
    for query in sorted(set(qid.tolist())):
        rows = np.flatnonzero(qid == query)
        assert len(set(scores[rows].tolist())) == len(rows)
        ranked = y[rows][np.argsort(scores[rows])[::-1]]
        found = [sum(ranked[: i + 1]) / (i + 1) for i in range(len(ranked)) if ranked[i]]
        values.append(sum(found) / len(found))
    return sum(values) / len(values)


def folds_by_hand(cv, alpha: float = 1.0) -> list[float]:
    values = []
    for train, test in cv.split(X, Y, groups=QID):
        model = Ridge(alpha=alpha).fit(X[train], Y[train])
        values.append(map_by_hand(Y[test], model.predict(X[test]), QID[test]))
    return values


# Folds ------------------------------------------------------------------


@pytest.mark.parametrize("cv", [GroupKFold(3), QueryKFold(3), LeaveOneGroupOut()], ids=repr)
def test_splits_of_whole_queries_pass_the_check(cv):
    check_query_splits(cv, X, Y, QID)
    check_query_splits(cv, FRAME, Y)


def test_splits_that_divide_queries_are_reported():
    with pytest.raises(QuerySplitError) as caught:
        check_query_splits(KFold(3, shuffle=True, random_state=0), X, groups=QID)
    train, test = next(KFold(3, shuffle=True, random_state=0).split(X))
    divided = set(QID[train]) & set(QID[test])
    assert str(caught.value).startswith(
        f"{len(divided)} of 12 queries are in both train and test of split 0 ("
    )
    assert str(caught.value).endswith("; use GroupKFold or QueryKFold")


def test_a_test_part_that_lacks_rows_of_its_queries_is_reported():
    class Cut:
        def split(self, X, y=None, groups=None):
            yield [4, 5], [0, 1]

    with pytest.raises(
        QuerySplitError,
        match=r"1 of 2 queries are cut in the test part of split 0: of query 'a' only 2 of 4 rows",
    ):
        check_query_splits(Cut(), np.zeros((6, 1)), groups=list("aaaabb"))


def test_all_that_cv_takes_can_be_checked():
    whole = list(GroupKFold(3).split(X, groups=QID))
    check_query_splits(whole, X, Y, QID)
    check_query_splits((pair for pair in whole), X, Y, QID)
    # An int means consecutive folds of rows, None five of them: with 3 rows per query and 12 rows
    # per fold of the 36 nothing is divided, with 5 folds of 8 or 7 rows the third query is.
    qid = np.repeat(np.arange(12), 3)
    check_query_splits(3, np.zeros((36, 1)), groups=qid)
    for cv in (5, None):
        with pytest.raises(QuerySplitError, match="of 12 queries are in both train and test of"):
            check_query_splits(cv, np.zeros((36, 1)), groups=qid)
    divided = list(KFold(3, shuffle=True, random_state=0).split(X))
    for cv in (divided, iter(divided)):
        with pytest.raises(QuerySplitError, match="queries are in both train and test of split 0"):
            check_query_splits(cv, X, Y, QID)


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ("GroupKFold", r"^Expected .?cv.? as an integer"),
        ([], "cv gives no splits, so that there is nothing to check"),
    ],
    ids=["name", "empty"],
)
def test_what_cv_does_not_take_is_refused(cv, message):
    with pytest.raises(ValueError, match=message):
        check_query_splits(cv, X, Y, QID)


def test_query_folds_are_found_where_scorers_find_queries():
    expected = [test.tolist() for _, test in QueryKFold(3).split(X, Y, QID)]
    carriers = {
        "index of X": (FRAME, Y),
        "column of X": (FRAME.assign(qid=QID), Y),
        "polars column": (pl.DataFrame({"a": X[:, 0], "qid": QID}), Y),
        "index of y": (X, pd.Series(Y, index=INDEX)),
    }
    for name, (rows, y) in carriers.items():
        assert [test.tolist() for _, test in QueryKFold(3).split(rows, y)] == expected, name
    with pytest.raises(GroupsRequiredError, match="query id of every row is needed"):
        next(QueryKFold(3).split(X, Y))


def test_query_folds_of_lists_take_each_element_for_a_query():
    tests = [test.tolist() for _, test in QueryKFold(2).split([[1]] * 4, [{"a"}] * 4)]
    assert sorted(tests[0] + tests[1]) == [0, 1, 2, 3]
    assert [len(test) for test in tests] == [2, 2]


def test_query_folds_balance_rows_or_queries():
    # A query of 20 rows and ten of 2.
    qid = np.repeat(np.arange(11), [20, *[2] * 10])
    by_rows = [test for _, test in QueryKFold(2).split(np.zeros((40, 1)), groups=qid)]
    by_queries = [
        test for _, test in QueryKFold(2, balance="queries").split(np.zeros((40, 1)), groups=qid)
    ]
    assert sorted(len(test) for test in by_rows) == [20, 20]
    assert sorted(len(np.unique(qid[test])) for test in by_rows) == [1, 10]
    assert sorted(len(np.unique(qid[test])) for test in by_queries) == [5, 6]


def test_query_folds_can_spread_the_share_of_relevant_rows():
    qid = np.repeat(np.arange(12), 4)
    y = np.zeros(48, dtype=int)
    y[::4] = 1
    y[:24] = 1  # the first six queries hold nothing else
    for _, test in QueryKFold(3, stratify=True).split(np.zeros((48, 1)), y, qid):
        assert len(set(qid[test]) & set(range(6))) == 2


def elements(n_relevant: list[int]) -> dict[str, object]:
    """Ground truths of 5 items with given numbers of relevant ones, in each form of y."""
    grades = np.array([[2] * count + [0] * (5 - count) for count in n_relevant])
    items = [[f"item {number}" for number in range(count)] for count in n_relevant]
    return {
        "sets": [set(one) for one in items],
        "lists": items,
        "mappings": [dict(zip("abcde", row, strict=True)) for row in grades.tolist()],
        "array": grades,
        "DataFrame": pd.DataFrame(grades),
        "polars": pl.DataFrame(grades),
        "sparse": sparse.csr_matrix(grades),
        "COO": sparse.coo_array(grades),
    }


@pytest.mark.parametrize("form", elements([1]))
def test_query_folds_take_each_element_or_row_of_y_for_a_query(form):
    y = elements([1] * 4)[form]
    # By hand: queries of one row, each to the lightest fold.
    tests = [test.tolist() for _, test in QueryKFold(2).split(np.zeros((4, 1)), y)]
    assert tests == [[0, 2], [1, 3]]


@pytest.mark.parametrize("form", elements([1]))
def test_query_folds_can_spread_the_number_of_relevant_items(form):
    y = elements([4, 1, 4, 1, 1, 1])[form]
    plain = [test.tolist() for _, test in QueryKFold(2).split(np.zeros((6, 1)), y)]
    assert plain == [[0, 2, 4], [1, 3, 5]]
    # By hand: those of one item are the lower stratum and come first, then those of four.
    spread = [test.tolist() for _, test in QueryKFold(2, stratify=True).split(np.zeros((6, 1)), y)]
    assert spread == [[0, 1, 4], [2, 3, 5]]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (Y[:, np.newaxis], r"y has the shape \(72, 1\); pass the grades as a 1-D array or Series"),
        (pd.DataFrame({"grade": Y}), r"y has the shape \(72, 1\); pass the grades as a 1-D array"),
        ({"q": {"a"}}, "y is a dict keyed by query; scikit-learn splits by position"),
        ({"a"}, "y is one set for all queries; pass a set per element of X"),
    ],
    ids=["array", "DataFrame", "dict", "set"],
)
def test_query_folds_refuse_a_y_that_scorers_refuse(y, message):
    with pytest.raises(RankingConfigError, match=message):
        next(QueryKFold(3).split(X, y))


@pytest.mark.parametrize("y", [["good", "bad"] * 36, pd.Series([None, "good"] * 36)], ids=type)
def test_text_labels_are_rows_that_need_query_ids(y):
    with pytest.raises(
        GroupsRequiredError,
        match=r"query id of every row is needed .* level named 'id' \(query='id'; scorers call "
        r"it groups_from\)",
    ):
        next(QueryKFold(3, query="id").split(X, y))
    assert len(list(QueryKFold(3).split(X, y, QID))) == 3


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "stratify=True counts relevant rows and needs y: a grade per row"),
        (["good", "bad"] * 36, "stratify=True counts grades above 0, and y holds strings; split"),
        ([1, None] * 36, r"y contains missing values \(position 1\)"),
        ([{"a"}] * 71 + [None], r"y\[71\] is NoneType; stratify=True needs the relevant items"),
        (["ab", {"a"}] * 36, "y holds strings"),
        ([{"a"}, "ab"] * 36, r"y\[1\] is str; stratify=True needs the relevant items"),
        ([{"a": "x"}] * 72, r"y\[0\] holds strings; pass numbers"),
    ],
    ids=["none", "text", "missing", "unjudged", "word first", "word", "grades"],
)
def test_folds_that_cannot_be_stratified_are_refused(y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        next(QueryKFold(3, stratify=True).split(X, y, QID))


@pytest.mark.parametrize("flag", ["stratify", "shuffle"])
@pytest.mark.parametrize("value", ["yes", 1, None])
def test_flags_of_query_folds_are_bools(flag, value):
    with pytest.raises(
        InvalidParameterError, match=f"The '{flag}' parameter of QueryKFold must be a bool"
    ):
        QueryKFold(3, **{flag: value})


def test_query_folds_shuffle_by_their_seed():
    def folds(seed):
        cv = QueryKFold(3, shuffle=True, random_state=seed)
        return [test.tolist() for _, test in cv.split(X, Y, QID)]

    assert folds(0) == folds(0)
    assert folds(0) != folds(1)


def test_query_folds_need_as_many_queries():
    with pytest.raises(ValueError, match="cannot make 5 folds of 2 queries"):
        next(QueryKFold(5).split(np.zeros((6, 1)), groups=[1, 1, 1, 2, 2, 2]))


def test_query_folds_nest_without_routing_and_without_groups():
    search = GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=QueryKFold(2))
    found = cross_val_score(search, FRAME, Y, scoring=map_scorer, cv=QueryKFold(3))
    expected = []
    for train, test in QueryKFold(3).split(FRAME):
        inner = [(train[a], train[b]) for a, b in QueryKFold(2).split(X[train], groups=QID[train])]
        means = {}
        for alpha in ALPHAS:
            scores = [
                map_by_hand(Y[b], Ridge(alpha=alpha).fit(X[a], Y[a]).predict(X[b]), QID[b])
                for a, b in inner
            ]
            means[alpha] = sum(scores) / len(scores)
        best = Ridge(alpha=max(means, key=means.get)).fit(X[train], Y[train])
        expected.append(map_by_hand(Y[test], best.predict(X[test]), QID[test]))
    assert found == pytest.approx(expected, abs=1e-12)


def test_folds_for_recorded_values_are_the_same_on_every_version():
    """Plain GroupKFold differs between scikit-learn 1.8 and 1.9; these two ways do not."""
    qid = np.repeat(np.arange(6), [5, 4, 3, 3, 2, 1])
    rows = np.zeros((18, 1))
    # By hand: the largest query first, each to the lightest fold.
    tests = [set(qid[test].tolist()) for _, test in QueryKFold(3).split(rows, groups=qid)]
    assert tests == [{0, 5}, {1, 4}, {2, 3}]
    shuffled = GroupKFold(3, shuffle=True, random_state=0)
    tests = [set(qid[test].tolist()) for _, test in shuffled.split(rows, groups=qid)]
    order = np.random.RandomState(0).permutation(6)
    assert tests == [set(part.tolist()) for part in np.array_split(order, 3)]


# What goes wrong silently elsewhere ------------------------------------------------------------


def carriers():
    return {
        "metadata": ({"groups": QID}, X, Y, True),
        "index of X": ({}, FRAME, Y, False),
        "index of y": ({}, X, pd.Series(Y, index=INDEX), False),
    }


@pytest.mark.parametrize("carrier", carriers())
@pytest.mark.parametrize("scoring", [QUIET, {"map": QUIET, "r2": "r2"}], ids=["one", "2"])
def test_a_search_over_folds_that_divide_queries_warns(carrier, scoring):
    metadata, rows, y, routing = carriers()[carrier]
    search = GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring=scoring, cv=KFold(3), refit=False)
    with (
        sklearn.config_context(enable_metadata_routing=routing),
        pytest.warns(QuerySplitWarning, match="queries are in both train and test of the split"),
    ):
        search.fit(rows, y, **metadata)


def test_recursive_elimination_over_folds_that_divide_queries_warns():
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(QuerySplitWarning, match="queries are in both train and test of the split"),
    ):
        RFECV(Ridge(), scoring=QUIET, cv=KFold(3)).fit(X, Y, groups=QID)


@pytest.mark.parametrize("cv", [GroupKFold(3), QueryKFold(3), GroupShuffleSplit(3, random_state=0)])
def test_whole_queries_give_no_warning(cv):
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(
            Ridge(),
            X,
            Y,
            scoring=map_scorer,
            cv=cv,
            params={"groups": QID},
            return_train_score=True,
        )
        curve = learning_curve(
            Ridge(),
            X,
            Y,
            scoring=QUIET,
            cv=cv,
            params={"groups": QID},
            train_sizes=[0.5, 1.0],
        )
    assert np.isfinite(found["train_score"]).all()
    assert np.isfinite(curve[2]).all()


def test_halving_over_rows_warns_that_queries_are_cut():
    search = HalvingGridSearchCV(
        Ridge(),
        GRID,
        scoring=QUIET,
        cv=GroupKFold(2),
        min_resources=36,
        random_state=0,
    )
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(QuerySplitWarning, match=r"are cut in the test part .*resource='n_samples'"),
    ):
        search.fit(X, Y, groups=QID)


def test_halving_over_another_resource_keeps_queries_whole():
    search = HalvingGridSearchCV(
        HistGradientBoostingRegressor(min_samples_leaf=2, random_state=0),
        {"learning_rate": [0.1, 0.5]},
        resource="max_iter",
        max_resources=4,
        factor=2,
        scoring=map_scorer,
        cv=GroupKFold(2),
        random_state=0,
    )
    with sklearn.config_context(enable_metadata_routing=True):
        search.fit(X, Y, groups=QID)
    assert 0 < search.best_score_ <= 1


def test_constants_per_query_move_pooled_measures_and_not_ours():
    model = Ridge().fit(X, Y)
    scores = model.predict(X)

    class Shifted(BaseEstimator):
        def predict(self, rows):
            _, number = np.unique(QID, return_inverse=True)
            return model.predict(rows) + 10.0 * number

    moved = Shifted().predict(X)
    assert map_scorer(Shifted(), X, Y, groups=QID) == map_scorer(model, X, Y, groups=QID)
    assert average_precision_score(Y, moved) < average_precision_score(Y, scores) - 0.1


def test_a_permutation_test_that_moves_the_query_ids_is_refused():
    y = pd.Series(Y, index=INDEX)
    kwargs = {"scoring": map_scorer, "cv": list(GroupKFold(3).split(X, Y, QID))}
    with pytest.raises(RankingConfigError, match="moves the index level 'qid' of y along with y"):
        permutation_test_score(Ridge(), X, y, n_permutations=2, **kwargs)
    with pytest.raises(RankingConfigError, match="moves the index level 'qid' of y along with y"):
        permutation_test_score(Ridge(), X, y, n_permutations=2, n_jobs=2, **kwargs)


def test_a_permutation_test_within_queries_gives_the_random_expectation():
    y = pd.Series(Y, index=INDEX)
    kwargs = {"scoring": map_scorer, "cv": list(GroupKFold(3).split(X, Y, QID))}
    found, permuted, _ = permutation_test_score(
        Ridge(), X, y, groups=QID, n_permutations=60, random_state=0, **kwargs
    )
    assert found == pytest.approx(np.mean(folds_by_hand(GroupKFold(3))), abs=1e-12)
    # Two relevant of six in random order: the mean over the 15 pairs of ranks i < j.
    pairs = [(i, j) for j in range(2, 7) for i in range(1, j)]
    random = sum((1 / i + 2 / j) / 2 for i, j in pairs) / len(pairs)
    assert permuted.mean() == pytest.approx(random, abs=0.03)


def test_row_numbers_as_query_ids_warn():
    scorer = QUIET
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.warns(DegenerateQueriesWarning, match="24 rows in 24 queries; is 'groups' a row id"),
    ):
        cross_validate(
            Ridge(), X, Y, scoring=scorer, cv=GroupKFold(3), params={"groups": np.arange(len(Y))}
        )


def test_group_sizes_as_query_ids_end_a_search():
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(RankingConfigError, match="groups must hold one id per row, not group sizes"),
    ):
        cross_validate(
            Ridge(),
            X,
            Y,
            scoring=map_scorer,
            cv=[(np.arange(36), np.arange(36, 72))],
            params={"groups": [6] * 6},
        )


def test_rows_best_first_help_no_constant_model():
    best_first = np.argsort(-Y, kind="stable")
    dummy = DummyRegressor().fit(X, Y)
    pairs = [(i, j) for j in range(2, 7) for i in range(1, j)]
    random = sum((1 / i + 2 / j) / 2 for i, j in pairs) / len(pairs)
    for order in (best_first, best_first[::-1], np.arange(len(Y))):
        found = map_scorer(dummy, X[order], Y[order], groups=QID[order])
        assert found == pytest.approx(random, abs=1e-12)


def test_the_mean_over_folds_is_the_mean_over_queries_with_folds_of_equal_size():
    cv = QueryKFold(3, balance="queries")
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_val_score(Ridge(), X, Y, scoring=map_scorer, cv=cv, params={"groups": QID})
    values = []
    for train, test in cv.split(X, Y, QID):
        model = Ridge().fit(X[train], Y[train])
        for query in sorted(set(QID[test])):
            rows = test[QID[test] == query]
            values.append(map_by_hand(Y[rows], model.predict(X[rows]), QID[rows]))
    assert len(values) == 12
    assert found.mean() == pytest.approx(sum(values) / 12, abs=1e-12)


# Without query ids ------------------------------------------------------------------


FORGETFUL = {
    "search": lambda: GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=3).fit(X, Y),
    "RFECV": lambda: RFECV(Ridge(), scoring=map_scorer, cv=3).fit(X, Y),
    "SFS": lambda: SequentialFeatureSelector(
        Ridge(), n_features_to_select=1, scoring=map_scorer, cv=3
    ).fit(X, Y),
    "cross_val_score": lambda: cross_val_score(Ridge(), X, Y, scoring=map_scorer, cv=3),
    "dict": lambda: cross_validate(Ridge(), X, Y, scoring={"m": map_scorer, "r": "r2"}, cv=3),
    "in processes": lambda: GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=3, n_jobs=2).fit(
        X, Y
    ),
}


@pytest.mark.parametrize("routing", [False, True], ids=["routing off", "routing on"])
@pytest.mark.parametrize("tool", FORGETFUL)
def test_forgotten_query_ids_end_in_an_error(tool, routing):
    with (
        sklearn.config_context(enable_metadata_routing=routing),
        pytest.raises(GroupsRequiredError, match="needs the query id of every row and got none"),
    ):
        FORGETFUL[tool]()


def test_forgotten_query_ids_of_a_fitted_search():
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=GroupKFold(3))
        search.fit(X, Y, groups=QID)
        expected = map_by_hand(Y, search.best_estimator_.predict(X), QID)
        assert search.score(X, Y, groups=QID) == pytest.approx(expected, abs=1e-12)
        with pytest.raises(GroupsRequiredError, match="needs the query id of every row"):
            search.score(X, Y)


@pytest.mark.parametrize("routing", [False, True])
def test_direct_calls_do_not_depend_on_routing(routing):
    model = Ridge().fit(X, Y)
    with sklearn.config_context(enable_metadata_routing=routing):
        found = map_scorer(model, X, Y, groups=QID)
        assert type(found) is float
        assert found == pytest.approx(map_by_hand(Y, model.predict(X), QID), abs=1e-12)
        with pytest.raises(GroupsRequiredError, match="needs the query id of every row"):
            map_scorer(model, X, Y)


@pytest.mark.parametrize("name", get_scorer_names())
def test_order_of_rows_and_names_of_queries_do_not_matter(name):
    rng = np.random.default_rng(0)
    model = Ridge().fit(X, Y)

    class Rounded(BaseEstimator):
        def predict(self, rows):
            return model.predict(rows).round(1)

    mixed = rng.permutation(len(Y))
    renamed = np.array([f"\N{SNOWMAN} {query[::-1]}" for query in QID[mixed]], dtype=object)
    scorer = get_scorer(name)
    before = scorer(Rounded(), X, Y, groups=QID)
    assert scorer(Rounded(), X[mixed], Y[mixed], groups=renamed) == pytest.approx(before, abs=1e-12)


def test_permutation_importance_with_bound_query_ids():
    model = Ridge().fit(X, Y)
    found = permutation_importance(model, X, Y, scoring=map_scorer.bind(QID), random_state=0)
    assert found.importances_mean[0] > found.importances_mean[2]
    with pytest.raises(RankingConfigError, match="inconsistent numbers of samples"):
        permutation_importance(model, X, Y, scoring=map_scorer.bind(QID), max_samples=0.5)
    carried = permutation_importance(
        Ridge().fit(FRAME, Y), FRAME, Y, scoring=map_scorer, random_state=0
    )
    assert carried.importances == pytest.approx(found.importances, abs=1e-12)


# Objects ------------------------------------------------------------------


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
        pytest.raises(GroupsRequiredError, match="needs the query id of every row and got none"),
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


# Weights ------------------------------------------------------------------


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
    weights = 1.0 + numbers
    expected = []
    for train, test in GroupKFold(3).split(X, Y, QID):
        scores = Ridge().fit(X[train], Y[train]).predict(X[test])
        total = value = 0.0
        for query in sorted(set(QID[test])):
            rows = QID[test] == query
            weight = 1.0 + int(query[1:])
            value += weight * map_by_hand(Y[test][rows], scores[rows], QID[test][rows])
            total += weight
        expected.append(value / total)
    assert weighted(weights) == pytest.approx(expected, abs=1e-12)
    assert weighted(weights * 8) == pytest.approx(expected, abs=1e-12)


def test_integer_weights_repeat_queries_and_zeros_remove_them():
    model = Ridge().fit(X, Y)
    rows = {query: np.flatnonzero(query == QID) for query in sorted(set(QID))[:3]}
    every = np.concatenate(list(rows.values()))
    weight = np.repeat([2.0, 0.0, 1.0], 6)
    found = map_scorer(model, X[every], Y[every], groups=QID[every], query_weight=weight)
    first, _, third = (
        map_by_hand(Y[one], model.predict(X[one]), QID[one]) for one in rows.values()
    )
    assert found == pytest.approx((2 * first + third) / 3, abs=1e-12)


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


# Estimators ------------------------------------------------------------------


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

    class Constant(BaseEstimator):
        classes_ = np.array([2])

        def predict(self, rows):
            return np.full(len(rows), 2)

    expected = ndcg_at_k_score(y, np.zeros(len(y)), groups=QID)
    assert ndcg_scorer(Constant(), rows, y, groups=QID) == expected


def test_one_label_of_many_is_ranked_by_its_own_probability():
    rows, grades = graded_problem()
    words = np.array(["bad", "fair", "good", "perfect"])[grades]
    model = LogisticRegression(max_iter=1000).fit(rows, words)
    for label in ("fair", "perfect"):
        scorer = map_scorer.with_options(pos_label=label, zero_division=np.nan)
        place = model.classes_.tolist().index(label)
        scores = model.predict_proba(rows)[:, place]
        expected = mean_average_precision_score(
            words == label, scores, groups=QID, zero_division=np.nan
        )
        assert scorer(model, rows, words, groups=QID) == expected
        margins = model.decision_function(rows)[:, place]
        by_margin = scorer.with_options(response_method="decision_function")
        assert by_margin(model, rows, words, groups=QID) == mean_average_precision_score(
            words == label, margins, groups=QID, zero_division=np.nan
        )


def test_labels_with_grades():
    rows, grades = graded_problem()
    words = np.array(["bad", "fair", "good", "perfect"])[grades]
    model = LogisticRegression(max_iter=1000).fit(rows, words)
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
    expected = mean_average_precision_score(Y, model.decision_function(X), groups=QID)
    assert map_scorer(model, X, signed, groups=QID) == expected
    with pytest.raises(ValueError, match="y_true contains a negative grade"):
        map_scorer(Ridge().fit(X, signed), X, signed, groups=QID)


def test_margins_of_many_grades_are_refused():
    rows, y = graded_problem()
    model = LogisticRegression(max_iter=1000).fit(rows, y)
    scorer = ndcg_scorer.with_options(response_method="decision_function")
    with pytest.raises(
        RankingConfigError,
        match="the decision_function of LogisticRegression gives no one score for 4 grades",
    ):
        scorer(model, rows, y, groups=QID)


def test_a_grid_over_models_asks_each_for_what_it_has():
    # In a search of its own, because SVC has no probabilities of two classes and needs none.
    models = [LogisticRegression(), Ridge(), SVC(), HistGradientBoostingRegressor(max_iter=5)]
    with sklearn.config_context(enable_metadata_routing=True):
        found = [
            cross_val_score(
                model, X, Y, scoring=map_scorer, cv=GroupKFold(3), params={"groups": QID}
            )
            for model in models
        ]
    for model, scores in zip(models, found, strict=True):
        say = "decision_function" if hasattr(model, "decision_function") else "predict"
        expected = []
        for train, test in GroupKFold(3).split(X, Y, QID):
            fitted = clone(model).fit(X[train], Y[train])
            expected.append(
                mean_average_precision_score(
                    Y[test], getattr(fitted, say)(X[test]), groups=QID[test]
                )
            )
        assert scores == pytest.approx(expected, abs=1e-12)


# Truths that do not fit ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            {query: {"a"} for query in range(72)},
            "y is a dict keyed by query; scikit-learn splits by",
        ),
        ({"a"}, "y is one set for all queries; pass a set per element of X"),
        (Y[:, np.newaxis], r"y has the shape \(72, 1\); pass the grades as a 1-D array or Series"),
        (pd.DataFrame({"grade": Y}), r"y has the shape \(72, 1\); pass the grades as a 1-D array"),
        (sparse.coo_array(Y[:, np.newaxis]), r"y has the shape \(72, 1\)"),
    ],
    ids=["dict", "set", "column", "frame", "sparse"],
)
def test_truths_that_scorers_refuse(y, message):
    with pytest.raises(RankingConfigError, match=message):
        map_scorer(Ridge().fit(X, Y), X, y, groups=QID)


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, sparse.coo_array, sparse.coo_matrix])
def test_matrices_in_many_forms(form):
    class Table(BaseEstimator):
        def predict(self, rows):
            return np.asarray(rows)

    grades = np.array([[1, 0, 0], [0, 0, 1]])
    found = get_scorer("mrr")(Table(), np.array([[0.9, 0.5, 0.1], [0.9, 0.5, 0.1]]), form(grades))
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
    class Says(BaseEstimator):
        def predict(self, rows):
            return scores

    with pytest.raises((ValueError, TypeError), match=message):
        map_scorer(Says(), X, Y, groups=QID)


def test_infinite_predictions_are_ordered():
    class Says(BaseEstimator):
        def predict(self, rows):
            return np.array([np.inf, 1.0, -np.inf])

    assert map_scorer(Says(), np.zeros((3, 1)), [0, 1, 0], groups=[1, 1, 1]) == 1 / 2


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([*QID[:-1], None], r"groups contains missing values \(row 71\)"),
        (QID[:-1], r"inconsistent numbers of samples: \[72, 71\]"),
        ([36, 36], "groups must hold one id per row, not group sizes"),
        (QID[:, np.newaxis], r"groups should be a 1d array, got an array of shape \(72, 1\)"),
    ],
    ids=["missing", "short", "sizes", "2-D"],
)
def test_query_ids_that_end_a_search(groups, message):
    with pytest.raises(RankingConfigError, match=message):
        map_scorer(Ridge().fit(X, Y), X, Y, groups=groups)


def test_query_ids_in_another_order_than_the_rows_are_refused():
    mixed = FRAME.reset_index(drop=True).sample(frac=1, random_state=0)
    model = Ridge().fit(mixed, Y[mixed.index])
    with pytest.raises(RankingConfigError, match="X and groups have the same index in different"):
        map_scorer(model, mixed, Y[mixed.index], groups=pd.Series(QID))
    aligned = map_scorer(model, mixed, Y[mixed.index], groups=pd.Series(QID)[mixed.index])
    assert aligned == map_scorer(model, mixed, Y[mixed.index], groups=QID[mixed.index])


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


# Words ------------------------------------------------------------------


class Lists(BaseEstimator):
    def predict(self, queries):
        return [["a"]] * 3


FOUR_GRADES = np.tile([0, 1, 2, 3, 0, 1], 12)
WORDS = {
    "no query ids": (
        lambda: map_scorer(Ridge().fit(X, Y), X, Y),
        "map_scorer needs the query id of every row and got none. Either run under "
        "sklearn.set_config(enable_metadata_routing=True) and pass groups=qid, or give X a column "
        "or index level named 'qid' (groups_from=), or use map_scorer.bind(qid); "
        "map_scorer.with_options(one_query=True) scores all rows as one query.",
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
    "grades without probabilities": (
        lambda: map_scorer(SVC().fit(X, FOUR_GRADES), X, FOUR_GRADES, groups=QID),
        "SVC predicts 4 grades but has no predict_proba; use a regressor, a classifier with "
        "predict_proba, or response_method='predict'",
    ),
    "strings": (
        lambda: map_scorer(Lists(), X, ["yes"] * 72, groups=QID),
        "y holds strings; pass pos_label= or relevance={'bad': 0, ...}",
    ),
    "dict": (
        lambda: map_scorer(Lists(), [1], {1: {"a"}}),
        "y is a dict keyed by query; scikit-learn splits by position - pass [qrels[q] for q in X]",
    ),
    "lists": (
        lambda: map_scorer(Lists(), [1, 2], [{"a"}, {"b"}]),
        "predict gives 3 ranked lists for 2 queries; it has to give one per element of X",
    ),
}


@pytest.mark.parametrize("misuse", WORDS)
def test_words_of_errors(misuse):
    call, words = WORDS[misuse]
    with pytest.raises(RankingConfigError) as caught:
        call()
    assert str(caught.value) == words


def test_words_of_warnings():
    with pytest.warns(DegenerateQueriesWarning) as caught:
        QUIET(Ridge().fit(X, Y), X, Y, groups=np.arange(72))
    assert str(caught[0].message) == "72 rows in 72 queries; is 'groups' a row id?"


# Found by trying to break it ------------------------------------------------------------------


def test_regressors_with_empty_classes_are_regressors():
    """As CatBoost's are."""

    class Boosted(BaseEstimator):
        classes_ = np.array([], dtype=object)

        def predict(self, rows):
            return rows[:, 0]

    expected = mean_average_precision_score(Y, X[:, 0], groups=QID)
    assert map_scorer(Boosted(), X, Y, groups=QID) == expected


@pytest.mark.parametrize("wrapped", [False, True])
def test_margins_of_pairs_of_classes_are_no_scores_of_classes(wrapped):
    y = np.tile([0, 1, 2, 0, 1, 2], 12)
    model = SVC(decision_function_shape="ovo")
    model = (make_pipeline(model) if wrapped else model).fit(X, y)
    assert model.decision_function(X).shape == (72, 3)
    with pytest.raises(RankingConfigError, match="predicts 3 grades but has no predict_proba"):
        map_scorer.with_options(pos_label=1)(model, X, y, groups=QID)


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


def test_items_that_the_training_part_never_saw_come_last():
    class Labels(BaseEstimator):
        classes_ = (np.array([0, 1]), np.array([0]))

        def predict_proba(self, rows):
            return [np.array([[0.4, 0.6]]), np.array([[1.0]])]

    assert get_scorer("mrr")(Labels(), [[0.0]], np.array([[0, 1]])) == 1 / 2


def test_items_as_hard_labels_are_refused():
    class Labels(BaseEstimator):
        classes_ = (np.array([0, 1]), np.array([0, 1]))

        def predict(self, rows):
            return np.zeros((len(rows), 2))

    with pytest.raises(RankingConfigError, match="predicts labels and has neither"):
        ndcg_scorer(Labels(), [[0.0]], np.array([[0, 1]]))


def test_thresholds_are_tuned_by_the_measure_with_its_options():
    found = [
        TunedThresholdClassifierCV(
            LogisticRegression(),
            scoring=get_scorer("ndcg").with_options(k=k),
            thresholds=np.array([0.4, 0.6]),
            cv=GroupKFold(3),
            store_cv_results=True,
        )
        for k in (None, 1)
    ]
    with sklearn.config_context(enable_metadata_routing=True):
        for k, model in zip((None, 1), found, strict=True):
            model.fit(X, Y, groups=QID)
            expected = []
            for threshold in (0.4, 0.6):
                values = []
                for train, test in GroupKFold(3).split(X, Y, QID):
                    fitted = LogisticRegression().fit(X[train], Y[train])
                    labels = fitted.predict_proba(X[test])[:, 1] >= threshold
                    values.append(ndcg_at_k_score(Y[test], labels, groups=QID[test], k=k))
                expected.append(np.mean(values))
            assert model.cv_results_["scores"] == pytest.approx(expected, abs=1e-12)


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
    with pytest.raises(GroupsRequiredError, match="needs the query id of every row and got none"):
        search.fit(X, Y)


def test_forgotten_query_ids_are_told_where_a_number_is_made_of_a_score():
    with pytest.warns(UserWarning, match="needs the query id of every row and got none"):
        cross_val_score(Ridge(), X, Y, scoring=lambda e, X, y: float(map_scorer(e, X, y)), cv=3)


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


@pytest.mark.parametrize("grade", ["1", None, np.nan, -1, [1]], ids=repr)
def test_grades_of_labels_are_checked(grade):
    with pytest.raises(InvalidParameterError, match=r"relevance\['a'\]"):
        map_scorer.with_options(relevance={"a": grade, "b": 0})


def test_a_fold_without_the_relevant_label_ranks_nothing():
    words = np.array(["lo", "mid", "hi"])[np.tile([0, 1, 2, 0, 1, 0], 12)]
    seen = words != "hi"
    model = LogisticRegression().fit(X[seen], words[seen])
    expected = mean_average_precision_score(
        words == "hi", np.zeros(72), groups=QID, zero_division=np.nan
    )
    assert QUIET.with_options(pos_label="hi")(model, X, words, groups=QID) == expected
    with pytest.raises(RankingConfigError, match="pos_label 'ho' is not one of the classes"):
        QUIET.with_options(pos_label="ho")(model, X, words, groups=QID)


@pytest.mark.parametrize("method", ["decision_function", "predict_proba", "predict"])
def test_columns_of_one(method):
    scores = X[:, :1]
    kind = type("Column", (BaseEstimator,), {method: lambda self, rows: scores})
    model = kind()
    model.classes_ = np.array([0, 1])
    scorer = map_scorer.with_options(response_method=method)
    expected = mean_average_precision_score(Y, X[:, 0], groups=QID)
    assert scorer(model, X, Y, groups=QID) == expected


def test_lists_of_other_kinds():
    class Says(BaseEstimator):
        def __init__(self, form):
            self.form = form

        def predict(self, queries):
            return self.form([["a", "b"], ["b", "a"]])

    for form in (list, iter, pd.DataFrame, np.array):
        assert get_scorer("mrr")(Says(form), [1, 2], [{"a"}, {"a"}]) == (1 + 1 / 2) / 2, form


def test_divided_queries_are_seen_under_another_name():
    scorer = QUIET.set_score_request(groups="qid")
    for scoring in (scorer, {"map": scorer}):
        with (
            sklearn.config_context(enable_metadata_routing=True),
            pytest.warns(QuerySplitWarning, match="queries are in both train and test"),
        ):
            cross_validate(Ridge(), X, Y, scoring=scoring, cv=KFold(3), params={"qid": QID})


def test_groups_in_another_order_are_refused_in_a_search_as_well():
    mixed = FRAME.reset_index(drop=True).sample(frac=1, random_state=0)
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(RankingConfigError, match="X and groups have the same index in different"),
    ):
        cross_val_score(
            Ridge(),
            mixed,
            Y[mixed.index],
            scoring=QUIET,
            cv=KFold(3),
            params={"groups": pd.Series(QID)},
        )


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
    with pytest.raises(GroupsRequiredError, match=r"or use get_scorer\('ndcg@10'\)\.bind\(qid\)"):
        get_scorer("ndcg@10")(Ridge().fit(X, Y), X, Y)


def test_only_lag_is_negated():
    assert list(rank_scorers(["neg_lag", "map"])) == ["neg_lag", "map"]
    with pytest.raises(UnknownMeasureError, match="neg_map"):
        rank_scorers(["neg_map"])


def test_names_of_metadata_are_checked():
    with pytest.raises(ValueError, match="valid identifier"):
        map_scorer.set_score_request(groups="my id")
