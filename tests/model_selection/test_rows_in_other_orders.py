"""X, y and groups whose rows stand in different orders, or that tell different queries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score, permutation_test_score

from sklearn_rank import QueryKFold, RankingConfigError, map_scorer
from sklearn_rank.rankers.ranker import QueryRanker
from tests.model_selection.cases import FRAME, QID, QUIET, X, Y

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


def test_a_search_over_rows_in_other_orders_ends():
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(RankingConfigError, match=f"X and y {ORDERS}"),
    ):
        cross_val_score(
            Ridge(),
            ROWS,
            GRADES.iloc[MIXED],
            scoring=map_scorer,
            cv=QueryKFold(3),
            params={"groups": QID},
        )


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
    with pytest.raises(RankingConfigError, match="the 'qid' of X and the 'qid' of y put different"):
        map_scorer(Ridge(), column, other)
    with pytest.raises(RankingConfigError, match="groups and the 'qid' of y put different rows"):
        map_scorer(Ridge(), X, other, groups=QID)


def test_queries_that_are_called_otherwise_are_the_same():
    renamed = pd.Series(Y, index=pd.Index([f"query {query}" for query in QID], name="qid"))
    model = Ridge().fit(FRAME, Y)
    assert map_scorer(model, FRAME, renamed) == map_scorer(model, FRAME, Y)


def test_a_permutation_test_moves_y_and_is_not_compared():
    cv = list(QueryKFold(3).split(FRAME))
    for rows, grades in ((FRAME, pd.Series(Y, index=FRAME.index)), (ROWS.set_index(GROUPS), Y)):
        rows = rows.rename_axis("qid")
        _, permuted, _ = permutation_test_score(
            Ridge(), rows, grades, scoring=QUIET, cv=cv, n_permutations=3, random_state=0
        )
        assert ((permuted > 0) & (permuted <= 1)).all()


# Why there are no query ids --------------------------------------------------------------------


def test_an_index_that_a_step_dropped_is_named():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), QueryRanker(_xgb_ranker()))
    with pytest.raises(
        RankingConfigError,
        match=r"QueryRanker needs the query id of every row and got none. The data carry 'qid', "
        r"but a step on the way made a ndarray of X and dropped it; "
        r"pipeline.set_output\(transform='pandas'\) keeps an index of X, and an index of y often "
        r"stays. Either run under "
        r"sklearn.set_config\(enable_metadata_routing=True\) and pass groups=qid, or give X a "
        r"column or an index level named 'qid' \(query=\), or y such an index level",
    ):
        model.fit(FRAME, Y)
    model.set_output(transform="pandas").fit(FRAME, Y)


def test_groups_that_the_splitter_kept_for_itself_are_named():
    from sklearn.model_selection import GridSearchCV, GroupKFold

    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring=map_scorer, cv=GroupKFold(3))
    told = "got none. Without metadata routing, scikit-learn hands groups= to the splitter only."
    with pytest.raises(RankingConfigError, match=told):
        search.fit(X, Y, groups=QID)
    fits = GridSearchCV(QueryRanker(_xgb_ranker()), {}, scoring=map_scorer, cv=GroupKFold(3))
    with pytest.raises(ValueError, match=f"(?s)QueryRanker needs the query id.*{told}"):
        fits.fit(X, Y, groups=QID)


def test_bagging_is_told_to_pass_rows():
    from sklearn.ensemble import BaggingRegressor

    with sklearn.config_context(enable_metadata_routing=True):
        bag = BaggingRegressor(QueryRanker(_xgb_ranker()), n_estimators=2, random_state=0)
        with pytest.raises(ValueError, match=r"set_fit_request\(sample_weight=False\) has it pass"):
            bag.fit(X, Y, groups=QID)
        ranker = QueryRanker(_xgb_ranker()).set_fit_request(sample_weight=False)
        bag = BaggingRegressor(ranker, n_estimators=2, random_state=0).fit(X, Y, groups=QID)
        assert bag.predict(X).shape == Y.shape
