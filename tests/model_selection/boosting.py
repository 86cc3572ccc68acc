"""What the tests of rankers share: a problem, the three libraries, and their values by hand."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from xgboost import XGBRanker

from sklearn_rank import QueryKFold, QueryRanker, map_scorer
from tests.model_selection.cases import map_by_hand

# Data --------------------------------------------------------------------------------------------


def problem(n_queries: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries of 4 to 6 scattered rows with string ids, features of few values, grades 0 to 2."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n_queries * 6, 3)).astype(float)
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=len(X)), [4.0, 6.5])
    y[::6] = 2  # no query without a relevant item
    names = [f"{chr(97 + number % 26)}{number}" for number in rng.permutation(n_queries)]
    cut = (np.arange(len(X)) % 18 == 5) | np.isin(np.arange(len(X)) % 24, [10, 11])
    mixed = rng.permutation(np.flatnonzero(~cut))
    return X[mixed], y[mixed], np.repeat(names, 6)[mixed]


X, Y, QID = problem(24, seed=0)
X_EVAL, Y_EVAL, QID_EVAL = problem(12, seed=1)
QID_EVAL = np.char.add("e", QID_EVAL)  # others than those of the training
FOLDS = list(QueryKFold(3).split(X, Y, QID))

XGB = XGBRanker(n_estimators=8, max_depth=2, n_jobs=1, verbosity=0)
LGBM = LGBMRanker(n_estimators=8, num_leaves=4, min_child_samples=5, n_jobs=1, verbose=-1)
CAT = CatBoostRanker(
    iterations=8, depth=2, thread_count=1, verbose=False, allow_writing_files=False
)
RANKERS = {"xgboost": XGB, "lightgbm": LGBM, "catboost": CAT}
GRIDS: dict[str, tuple[str, list[Any]]] = {
    "xgboost": ("max_depth", [1, 3]),
    "lightgbm": ("num_leaves", [2, 8]),
    "catboost": ("depth", [1, 3]),
}

libraries = pytest.mark.parametrize("library", RANKERS)


# By hand -----------------------------------------------------------------------------------------


def by_query(qid: np.ndarray) -> tuple[list[int], list[int]]:
    """Rows, query after query in order of first appearance, and the size of each query."""
    seen = list(dict.fromkeys(qid.tolist()))
    rows = [row for query in seen for row in range(len(qid)) if qid[row] == query]
    return rows, [qid.tolist().count(query) for query in seen]


def queries_by_hand(library: str, sizes: list[int]) -> dict[str, Any]:
    numbers = [number for number, size in enumerate(sizes) for _ in range(size)]
    return {
        "xgboost": {"qid": numbers},
        "lightgbm": {"group": sizes},
        "catboost": {"group_id": numbers},
    }[library]


def fit_by_hand(library: str, X: Any, y: Any, qid: Any, model: Any = None, **keywords: Any) -> Any:
    rows, sizes = by_query(qid)
    model = clone(RANKERS[library] if model is None else model)
    return model.fit(X[rows], y[rows], **queries_by_hand(library, sizes), **keywords)


def fold_by_hand(library: str, train: Any, test: Any, **params: Any) -> float:
    model = clone(RANKERS[library]).set_params(**params)
    model = fit_by_hand(library, X[train], Y[train], QID[train], model)
    return map_by_hand(Y[test], model.predict(X[test]), QID[test])


def folds_by_hand(library: str, folds: Any = FOLDS, **params: Any) -> list[float]:
    return [fold_by_hand(library, train, test, **params) for train, test in folds]


# Searches ----------------------------------------------------------------------------------------


def framed(**kwargs: Any) -> pd.DataFrame:
    return pd.DataFrame(X, columns=["x0", "x1", "x2"], **kwargs)


IDS = pd.Index(QID, name="qid")
CARRIERS: dict[str, tuple[Any, Any]] = {
    "index of X": (framed(index=IDS), Y),
    "one of two index levels of X": (
        framed(index=pd.MultiIndex.from_arrays([range(len(QID)), QID], names=["row", "qid"])),
        Y,
    ),
    "column of X": (framed().assign(qid=QID), pd.Series(Y)),
    "column of a polars X": (pl.from_pandas(framed().assign(qid=QID)), pl.Series(Y)),
    "index of y": (X, pd.Series(Y, index=IDS)),
}


def search_of(library: str, **kwargs: Any) -> GridSearchCV:
    name, values = GRIDS[library]
    return GridSearchCV(
        QueryRanker(RANKERS[library]),
        {f"ranker__{name}": values},
        scoring=map_scorer,
        cv=QueryKFold(3),
        error_score="raise",
        **kwargs,
    )
