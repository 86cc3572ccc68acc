"""X, y and groups whose rows stand in different orders, or that tell different queries."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import QueryKFold, RankingConfigError, SearchStopped, map_scorer
from sklearn_rank.rankers.ranker import QueryRanker
from tests.model_selection.cases import FRAME, QID, Says, X, Y

ROWS = pd.DataFrame(X, columns=["a", "b", "c"])
GRADES = pd.Series(Y)
GROUPS = pd.Series(QID)
MIXED = np.random.default_rng(0).permutation(len(Y))
ORDERS = "have the same index in different orders"


@pytest.mark.parametrize(
    ("rows", "grades", "groups", "names"),
    [
        (ROWS, GRADES.iloc[MIXED], QID, "X and y"),
        (ROWS.iloc[MIXED], GRADES, QID[MIXED], "X and y"),
        (X, GRADES.iloc[MIXED], GROUPS, "y and groups"),
        (ROWS, GRADES.to_numpy(), GROUPS.iloc[MIXED], "X and groups"),
        # y has another index, which says nothing; the other two are compared all the same.
        (ROWS, GRADES.set_axis(GRADES.index + 1000), GROUPS.iloc[MIXED], "X and groups"),
    ],
    ids=["y", "X", "y of arrays", "groups", "around y"],
)
def test_rows_in_other_orders_are_refused(rows, grades, groups, names):
    model = Ridge().fit(X, Y)
    with pytest.raises(RankingConfigError, match=f"{names} {ORDERS}"):
        map_scorer(model, np.asarray(rows) if rows is X else rows, grades, groups=groups)
    with pytest.raises((RankingConfigError, ValueError), match=f"{names} {ORDERS}"):
        QueryRanker(_xgb_ranker()).fit(rows, grades, groups=groups)


def _xgb_ranker():
    return pytest.importorskip("xgboost").XGBRanker(n_estimators=1)


def test_the_same_order_in_all_is_taken():
    model = Ridge().fit(ROWS, Y)
    expected = map_scorer(model, ROWS, Y, groups=QID)
    mixed = map_scorer(model, ROWS.iloc[MIXED], GRADES.iloc[MIXED], groups=GROUPS.iloc[MIXED])
    assert mixed == pytest.approx(expected, abs=1e-12)
    # Another index altogether says nothing about the order.
    other = pd.Series(Y, index=[f"row {number}" for number in range(len(Y))])
    assert map_scorer(model, ROWS, other, groups=QID) == expected


def test_queries_of_y_and_of_rows_that_disagree_are_refused():
    other = pd.Series(Y, index=pd.Index(np.roll(QID, 1), name="qid"))
    column = FRAME.reset_index(drop=True).assign(qid=QID)
    with pytest.raises(RankingConfigError, match="the 'qid' of X and the 'qid' of y group rows"):
        map_scorer(Ridge(), column, other)
    with pytest.raises(RankingConfigError, match="groups and the 'qid' of y group rows"):
        map_scorer(Ridge(), X, other, groups=QID)


def test_queries_that_are_called_otherwise_are_the_same():
    renamed = pd.Series(Y, index=pd.Index([f"query {query}" for query in QID], name="qid"))
    model = Ridge().fit(FRAME, Y)
    assert map_scorer(model, FRAME, renamed) == map_scorer(model, FRAME, Y)


# Predictions that are pandas objects -------------------------------------------------------------


def test_a_series_in_another_order_is_aligned_with_the_rows():
    expected = map_scorer(Says(lambda X: X["a"]), ROWS, Y, groups=QID)
    for answer in (
        lambda X: X["a"].sort_values(),
        lambda X: X[["a"]].sort_values("a"),
        lambda X: X["a"].reset_index(drop=True),
        lambda X: X["a"].to_numpy(),
    ):
        assert map_scorer(Says(answer), ROWS, Y, groups=QID) == expected
    backwards = (ROWS.iloc[::-1], Y[::-1])
    positional = Says(lambda X: X["a"].reset_index(drop=True))
    assert map_scorer(positional, *backwards, groups=QID[::-1]) == expected


@pytest.mark.parametrize(
    ("rows", "answer"),
    [(FRAME, lambda X: X["a"].sort_values()), (ROWS, lambda X: X["a"].set_axis(X.index + 1))],
    ids=["repeated labels", "other labels"],
)
def test_a_series_whose_rows_cannot_be_told_is_refused(rows, answer):
    message = "predict returned a Series whose index is not the index of X"
    with pytest.raises(RankingConfigError, match=message):
        map_scorer(Says(answer), rows, Y, groups=QID)


def test_lists_and_matrices_are_aligned_as_well():
    queries = pd.DataFrame({"text": ["a", "b"]}, index=["one", "two"])
    ranked = Says(lambda X: pd.Series([["x"], ["y"]], index=["two", "one"]))
    assert map_scorer(ranked, queries, [{"y"}, {"x"}]) == 1.0
    table = Says(lambda X: pd.DataFrame([[2.0, 1.0], [1.0, 2.0]], index=["two", "one"]))
    assert map_scorer(table, queries, np.array([[0, 1], [1, 0]])) == 1.0


def test_columns_of_a_matrix_are_aligned_as_well():
    grades = pd.DataFrame([[0, 1]], columns=["x", "y"])
    for columns, expected in ((["y", "x"], 1.0), (["x", "y"], 0.5), (range(2), 0.5)):
        model = Says(lambda X, names=columns: pd.DataFrame([[2.0, 1.0]], columns=names))
        assert map_scorer(model, [0], grades) == expected
    model = Says(lambda X: pd.DataFrame([[2.0, 1.0]], columns=["x", "z"]))
    with pytest.raises(RankingConfigError, match="predict and y have different columns"):
        map_scorer(model, [0], grades)


# Other names of queries --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["query", "queryId", "topic", "user_id", "session"])
def test_names_of_queries_that_frames_know_count(name):
    model = Ridge().fit(X, Y)
    expected = map_scorer(model, X, Y, groups=QID)
    by_rows = map_scorer(Ridge().fit(FRAME, Y), FRAME.rename_axis(name), Y)
    assert by_rows == pytest.approx(expected, abs=1e-12)
    by_y = pd.Series(Y, index=pd.Index(QID, name=name))
    assert map_scorer(model, X, by_y) == expected
    column = FRAME.reset_index(drop=True).assign(**{name: QID})
    named = Says(lambda X: X["a"])
    assert map_scorer(named, column, Y) == map_scorer(named, FRAME, Y)
    folds = [test.tolist() for _, test in QueryKFold(3).split(column, Y)]
    assert folds == [test.tolist() for _, test in QueryKFold(3).split(FRAME, Y)]
    first = QueryRanker(_xgb_ranker()).fit(column, Y)
    assert first.predict(column).tolist() == first.predict(FRAME.reset_index(drop=True)).tolist()
    # What somebody named is looked for alone.
    with pytest.raises(RankingConfigError):
        map_scorer.with_options(groups_from="group")(named, column, Y)


def test_names_of_queries_leave_what_is_told_alone():
    model = Says(lambda X: X["a"])
    users = FRAME.assign(user_id=0)
    assert map_scorer(model, users, Y) == map_scorer(model, FRAME, Y)
    column = users.reset_index(drop=True)
    assert map_scorer(model, column, Y, groups=QID) == map_scorer(model, FRAME, Y)
    ranker = QueryRanker(_xgb_ranker()).fit(column, Y, groups=QID)
    assert ranker.ranker_.n_features_in_ == 4  # a feature like others
    several = column.assign(session=1)
    with pytest.raises(
        RankingConfigError, match=r"hold the query id: 'user_id', 'session'; choose one"
    ):
        map_scorer(model, several, Y)
    one = map_scorer.with_options(one_query=True)(model, several, Y)
    assert one == map_scorer(model, several, Y, groups=np.zeros(len(Y), dtype=int))


def test_bound_queries_and_other_groups_are_refused():
    model = Ridge().fit(X, Y)
    bound = map_scorer.bind(QID)
    renamed = [f"query {query}" for query in QID]
    assert bound(model, X, Y, groups=renamed) == bound(model, X, Y)
    message = r"groups and the ids of bind\(\) group rows differently, first at row"
    with pytest.raises(RankingConfigError, match=message):
        bound(model, X, Y, groups=np.roll(QID, 1))


# Why there are no query ids --------------------------------------------------------------------


def test_an_index_that_a_step_dropped_is_named():
    model = make_pipeline(StandardScaler(), QueryRanker(_xgb_ranker()))
    message = (
        r"QueryRanker needs the query id of every row and got none. The data carry 'qid', but an "
        r"earlier step turned X into a ndarray and dropped it; "
        r"pipeline.set_output\(transform='pandas'\) keeps an index of X, and an index of y is "
        r"often kept. Either run under sklearn.set_config"
    )
    with pytest.raises(RankingConfigError, match=message):
        model.fit(FRAME, Y)
    model.set_output(transform="pandas").fit(FRAME, Y)


def test_groups_that_the_splitter_kept_for_itself_are_named():
    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring=map_scorer, cv=GroupKFold(3))
    told = "got none. Without metadata routing, scikit-learn passes groups= only to the splitter."
    with pytest.raises(SearchStopped, match=told):
        search.fit(X, Y, groups=QID)
    fits = GridSearchCV(QueryRanker(_xgb_ranker()), {}, scoring=map_scorer, cv=GroupKFold(3))
    with pytest.raises(ValueError, match=f"(?s)QueryRanker needs the query id.*{told}"):
        fits.fit(X, Y, groups=QID)


def test_bagging_is_told_to_pass_rows():
    with sklearn.config_context(enable_metadata_routing=True):
        bag = BaggingRegressor(QueryRanker(_xgb_ranker()), n_estimators=2, random_state=0)
        with pytest.raises(ValueError, match=r"for bagging: QueryRanker"):
            bag.fit(X, Y, groups=QID)
        ranker = QueryRanker(_xgb_ranker()).set_fit_request(sample_weight=False)
        bag = BaggingRegressor(ranker, n_estimators=2, random_state=0).fit(X, Y, groups=QID)
        assert bag.predict(X).shape == Y.shape
