"""Parameters that cannot apply to the data end a search, which would else be of NaN alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from sklearn_rank import (
    InvalidParameterError,
    QueryKFold,
    RankingConfigError,
    auc_scorer,
    get_scorer,
)
from tests.model_selection.cases import FRAME, Y
from tests.model_selection.test_search_warnings import Lists

LISTS = (Lists(), np.arange(6)[:, np.newaxis], [{0}, {1}, {2}, {3}, {4}, {5}], 2)
ROWS = (Ridge(), FRAME, Y, QueryKFold(3))
CONSTANT = (DummyRegressor(), FRAME, Y, QueryKFold(3))
STEEP = (Ridge(), FRAME, 2000 * Y, QueryKFold(3))
CASES = {
    "ties by ids": (
        get_scorer("map", convention="trec_eval"),
        ROWS,
        InvalidParameterError,
        "ties='docid' breaks ties by item ids, which arrays do not have",
    ),
    "ties of a strict measure": (
        get_scorer("iprec"),
        CONSTANT,
        InvalidParameterError,
        "iprec has no closed form for tied items; pass ties=",
    ),
    "a grade without a gain": (
        get_scorer("dcg", gain={5: 1}),
        ROWS,
        InvalidParameterError,
        "gain has no entry for grade 1",
    ),
    "negatives of other queries": (
        get_scorer("gauc", n_negatives=[1, 2]),
        ROWS,
        InvalidParameterError,
        "n_negatives has 2 numbers for 4 queries",
    ),
    "a gain too large": (
        get_scorer("dcg"),
        STEEP,
        OverflowError,
        "overflows float64 at grade 2000",
    ),
    "a pool of lists": (
        auc_scorer.with_options(average="pooled"),
        LISTS,
        InvalidParameterError,
        "a pooled measure ranks the items of all queries together",
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("scoring", ["single", "dict"])
def test_a_search_ends(case, scoring):
    scorer, (model, X, y, cv), _, message = CASES[case]
    search = GridSearchCV(
        model, {}, scoring=scorer if scoring == "single" else {"m": scorer}, cv=cv, refit=False
    )
    with pytest.raises(RankingConfigError, match=message):
        search.fit(X, y)


@pytest.mark.parametrize("case", CASES)
def test_a_direct_call_raises_as_evaluate_does(case):
    scorer, (model, X, y, _), error, message = CASES[case]
    with pytest.raises(error, match=message.replace("2 numbers for 4", "2 numbers for 12")):
        scorer(model.fit(X, y), X, y)


def test_a_candidate_that_predicts_nan_may_fail_alone():
    class Sometimes(Ridge):
        def predict(self, X):
            scores = super().predict(X)
            return np.full(len(scores), np.nan) if self.alpha > 1 else scores

    search = GridSearchCV(Sometimes(), {"alpha": [1, 10]}, scoring=get_scorer("map"), cv=ROWS[3])
    with pytest.warns(UserWarning, match="Scoring failed|non-finite"):
        search.fit(FRAME, pd.Series(Y, index=FRAME.index))
    assert search.best_params_ == {"alpha": 1}
