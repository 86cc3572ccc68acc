"""Folds of whole queries: QueryKFold and the check of splits."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    TimeSeriesSplit,
    cross_val_score,
)

from sklearn_rank import (
    QueryKFold,
    QuerySplitError,
    QueryTimeSplit,
    RankingConfigError,
    RankingDataWarning,
    RankingMatchWarning,
    SearchStopped,
    check_query_splits,
    map_scorer,
    rank_scorers,
)
from sklearn_rank.model_selection import scorer as module
from tests.model_selection.cases import FRAME, INDEX, QID, QUIET, Says, X, Y


@pytest.mark.parametrize("cv", [GroupKFold(3), QueryKFold(3), LeaveOneGroupOut()], ids=repr)
def test_splits_of_whole_queries_pass_the_check(cv):
    check_query_splits(cv, X, Y, QID)
    check_query_splits(cv, FRAME, Y)


def test_a_test_part_that_lacks_rows_of_its_queries_is_reported():
    message = r"1 of 2 queries are only partly in the test part of split 0: query 'a' has 2 of its"
    with pytest.raises(QuerySplitError, match=message):
        check_query_splits([([4, 5], [0, 1])], np.zeros((6, 1)), groups=list("aaaabb"))


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
        ([], "cv gives no splits, so there is nothing to check"),
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
    with pytest.raises(RankingConfigError, match="query id of every row is needed"):
        next(QueryKFold(3).split(X, Y))


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
    def tests(cv, n_relevant):
        y = elements(n_relevant)[form]
        return [test.tolist() for _, test in cv.split(np.zeros((len(n_relevant), 1)), y)]

    # By hand: queries of one row, each to the lightest fold.
    assert tests(QueryKFold(2), [1] * 4) == [[0, 2], [1, 3]]
    assert tests(QueryKFold(2), [4, 1, 4, 1, 1, 1]) == [[0, 2, 4], [1, 3, 5]]


@pytest.mark.parametrize("y", [["good", "bad"] * 36, pd.Series([None, "good"] * 36)], ids=type)
def test_text_labels_are_rows_that_need_query_ids(y):
    with pytest.raises(
        RankingConfigError,
        match=r"query id of every row is needed.* level named 'id' \(query='id'; scorers call "
        r"it groups_from\)",
    ):
        next(QueryKFold(3, query="id").split(X, y))
    assert len(list(QueryKFold(3).split(X, y, QID))) == 3


def test_query_folds_shuffle_by_their_seed():
    first, again, other = (
        [
            test.tolist()
            for _, test in QueryKFold(3, shuffle=True, random_state=seed).split(X, Y, QID)
        ]
        for seed in (0, 0, 1)
    )
    assert first == again != other


def test_query_folds_need_as_many_queries():
    with pytest.raises(ValueError, match="cannot make 5 folds from 2 queries"):
        next(QueryKFold(5).split(np.zeros((6, 1)), groups=[1, 1, 1, 2, 2, 2]))


def test_folds_for_recorded_values_are_the_same_on_every_version():
    """Plain GroupKFold differs between scikit-learn 1.8 and 1.9."""
    qid = np.repeat(np.arange(6), [5, 4, 3, 3, 2, 1])
    rows = np.zeros((18, 1))
    # By hand: the largest query first, each to the lightest fold.
    tests = [set(qid[test].tolist()) for _, test in QueryKFold(3).split(rows, groups=qid)]
    assert tests == [{0, 5}, {1, 4}, {2, 3}]


# In time ------------------------------------------------------------------------------------------


def as_lists(splits):
    return [(train.tolist(), test.tolist()) for train, test in splits]


@pytest.mark.parametrize("n_queries", [7, 11, 40])
@pytest.mark.parametrize(("n_splits", "gap"), [(2, 0), (3, 2), (5, 0)])
def test_time_folds_of_one_row_a_query_are_scikit_learns(n_queries, n_splits, gap):
    rows = np.zeros((n_queries, 1))
    theirs = as_lists(TimeSeriesSplit(n_splits, gap=gap).split(rows))
    for options in ({"groups": range(n_queries)}, {"y": [{"a"}] * n_queries}):
        assert as_lists(QueryTimeSplit(n_splits, gap=gap).split(rows, **options)) == theirs


def test_time_folds_keep_queries_whole_and_train_on_the_past():
    # By hand: four queries; "b" is still running when "c" begins, so it is not the past of "c".
    qid = list("aabcbcdd")
    assert as_lists(QueryTimeSplit(3).split(qid, groups=qid)) == [
        ([0, 1], [2, 4]),
        ([0, 1], [3, 5]),
        ([0, 1, 2, 3, 4, 5], [6, 7]),
    ]
    qid = list("aabbccdd")
    assert as_lists(QueryTimeSplit(2, gap=1).split(qid, groups=qid)) == [
        ([0, 1], [4, 5]),
        ([0, 1, 2, 3], [6, 7]),
    ]


def test_time_folds_of_any_rows():
    rng = np.random.default_rng(0)
    for _ in range(50):
        starts = np.sort(rng.integers(0, 200, 30))
        times = starts[:, None] + rng.integers(0, 12, (30, 4))
        qid = np.repeat(rng.permutation(30), 4)[np.argsort(times.ravel(), kind="stable")]
        splits = list(QueryTimeSplit(4, gap=2).split(qid, groups=qid))
        check_query_splits(splits, qid, groups=qid)
        tested = [query for _, test in splits for query in set(qid[test].tolist())]
        assert len(tested) == len(set(tested)) == 4 * 6
        for train, test in splits:
            assert train.max() < test.min()


@pytest.mark.parametrize(
    ("options", "groups", "error", "message"),
    [
        ({}, list("aabbcc"), ValueError, "cannot make 5 time-ordered folds from 3 queries"),
        ({"n_splits": 2, "gap": 1}, list("abc"), ValueError, "from 3 queries with gap=1"),
        ({"n_splits": 2}, list("abcabc"), ValueError, "no query ends before row 1, .* not users"),
        ({}, None, RankingConfigError, "query id of every row is needed"),
        ({"gap": -1}, None, ValueError, r"'gap' .* must be an int in the range \[0, inf\)"),
    ],
    ids=["few", "gap", "users", "no ids", "negative"],
)
def test_time_folds_that_cannot_be(options, groups, error, message):
    with pytest.raises(error, match=message):
        next(
            QueryTimeSplit(**options).split(
                np.zeros((6, 1))[: len(groups or "abcdef")], groups=groups
            )
        )


def test_time_folds_in_a_search_find_the_ids_in_the_index():
    assert repr(QueryTimeSplit(3, gap=1)) == "QueryTimeSplit(gap=1, n_splits=3, query='qid')"
    rows, cv = np.argsort(QID, kind="stable"), QueryTimeSplit(3)
    scores = cross_val_score(Ridge(), FRAME.iloc[rows], Y[rows], scoring=QUIET, cv=cv)
    assert np.isfinite(scores).all()
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring=QUIET, cv=cv)
        search.fit(X[rows], Y[rows], groups=QID[rows])
    assert search.best_score_ == scores.mean()


def test_splits_in_time_that_divide_queries_get_the_one_that_does_not():
    qid = np.repeat(np.arange(8), 3)
    for cv, remedy in (
        (TimeSeriesSplit(4), r"use QueryTimeSplit \(GroupKFold and QueryKFold also train on"),
        ([([0, 1], [2, 3, 4, 5])], "use QueryTimeSplit"),
        (KFold(5), "use GroupKFold or QueryKFold"),
    ):
        with pytest.raises(QuerySplitError, match=remedy):
            check_query_splits(cv, np.zeros((24, 1)), groups=qid)
    with pytest.warns(RankingDataWarning, match="use QueryTimeSplit"):
        cross_val_score(Ridge(), FRAME, Y, scoring=QUIET, cv=TimeSeriesSplit(4))


def test_the_monitor_of_scikit_learn_scores_bound_queries():
    monitor_of = pytest.importorskip("sklearn.callback").ScoringMonitor
    grades = (Y > 0).astype(int)

    def last(scoring):
        monitor = monitor_of(scoring=scoring)
        model = LogisticRegression(max_iter=50).set_callbacks(monitor).fit(X, grades)
        return model, monitor.get_logs().data[-1]

    model, row = last(QUIET.bind(QID))
    assert row["score"] == QUIET(model, X, grades, groups=QID)
    _, row = last({name: one.bind(QID) for name, one in rank_scorers(["map", "mrr"]).items()})
    assert {"map", "mrr"} <= row.keys()
    with pytest.raises(SearchStopped, match=r"or use map_scorer.bind\(qid\)"):
        last(QUIET)
    inner = LogisticRegression().set_callbacks(monitor_of(scoring=QUIET.bind(QID)))
    search = GridSearchCV(inner, {"C": [0.1, 1.0]}, scoring=QUIET, cv=QueryKFold(3))
    with pytest.raises(SearchStopped, match=r"bind works only without splits"):
        search.fit(FRAME, grades)


# The scorers of a multimetric search read each fold once, and tell what each would tell alone -----

NAMES = ("ndcg@3", "map", "mrr", "precision@2", "recall@5")
"""The first reads less of the rankings than the second."""


@pytest.fixture
def reads(monkeypatch):
    """Layouts, each time that rankings are made."""
    layouts = []
    read_layout = module.read_layout

    def counted(name, *arguments, **told):
        layouts.append(name)
        return read_layout(name, *arguments, **told)

    monkeypatch.setattr(module, "read_layout", counted)
    return layouts


SCORES = np.random.default_rng(3).integers(0, 9, len(Y)).astype(float)
LAYOUTS = {
    "rows": (SCORES, X, Y, {"groups": QID}),
    "lists": ([["a", "b"], ["b", "a"]], np.zeros((2, 1)), [{"a"}, {"a", "c"}], {}),
    "matrix": (
        np.array([[0.3, 0.1, 0.1], [0.2, 0.4, 0.3]]),
        np.zeros((2, 1)),
        np.array([[0, 1, 1], [1, 0, 0]]),
        {},
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_fold_is_read_once_for_all_its_scorers(reads, layout):
    answers, rows, y, metadata = LAYOUTS[layout]
    model, scorers = Says(answers), rank_scorers(NAMES)
    together = check_scoring(model, scoring=scorers)(model, rows, y, **metadata)
    assert reads == [layout]
    assert model.asked == 1
    assert together == {
        name: scorer(model, rows, y, **metadata) for name, scorer in scorers.items()
    }


def test_scorers_that_read_otherwise_share_nothing(reads):
    model = Says(SCORES)
    scorers = {
        "average": map_scorer,
        "stable": map_scorer.with_options(ties="stable"),
        "one query": map_scorer.with_options(one_query=True),
        "bound": map_scorer.bind(QID),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        together = check_scoring(model, scoring=scorers)(model, X, Y, groups=QID)
        alone = {name: scorer(model, X, Y, groups=QID) for name, scorer in scorers.items()}
    assert together == alone
    assert len(reads) == 2 * len(scorers)


def test_data_that_changed_between_two_calls_are_read_again():
    grades = Y.copy()
    model = Says(SCORES)
    scoring = check_scoring(model, scoring={"map": QUIET, "again": QUIET})
    before = scoring(model, X, grades, groups=QID)
    grades[:] = 0
    grades[::2] = 1
    after = scoring(model, X, grades, groups=QID)
    assert after["map"] == QUIET(model, X, grades, groups=QID) != before["map"]


def warnings_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(warning.category, str(warning.message)) for warning in caught]


@pytest.mark.parametrize(
    ("answers", "y", "metadata", "category"),
    [
        ([["A"], ["B"]], [{"a"}, {"b"}], {}, RankingMatchWarning),
        (SCORES[:2], [1, 1], {"groups": ["a", "b"]}, RankingDataWarning),
    ],
    ids=["spelling", "row ids"],
)
def test_a_fault_of_the_data_is_told_once_by_all_scorers(answers, y, metadata, category):
    scorers = rank_scorers(["map", "mrr"])
    arguments = (Says(answers), X[:2], y)
    together = warnings_of(
        lambda: check_scoring(arguments[0], scoring=scorers)(*arguments, **metadata)
    )
    alone = warnings_of(lambda: [one(*arguments, **metadata) for one in scorers.values()])
    assert [one for one, _ in alone] == [category] * 2
    assert together == alone[:1]
