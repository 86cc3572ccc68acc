"""What the tests of model selection share: a problem of a few queries, and its values by hand."""

from itertools import permutations, product

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge

from sklearn_rank import map_scorer

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


class Says(BaseEstimator):
    """Predicts what it is made of, or what that makes of the rows."""

    asked = 0

    def __init__(self, scores):
        self.scores = scores

    def fit(self, X, y):
        return self

    def predict(self, X):
        self.asked += 1
        return self.scores(X) if callable(self.scores) else self.scores


def says(scores, method="predict", classes=None):
    """A fitted estimator with one method, and with classes if it has any."""
    members = {method: lambda self, rows: scores(rows) if callable(scores) else scores}
    if classes is not None:
        members["classes_"] = classes
    return type("Model", (BaseEstimator,), members)()


X, Y, QID = problem()
INDEX = pd.Index(QID, name="qid")
FRAME = pd.DataFrame(X, columns=["a", "b", "c"], index=INDEX)


def first(rows):
    """The first column, as scores."""
    return np.asarray(rows)[:, 0]


def average_precision_by_hand(grades: list[int]) -> float:
    found = [
        sum(grade > 0 for grade in grades[: place + 1]) / (place + 1)
        for place in range(len(grades))
        if grades[place] > 0
    ]
    return sum(found) / len(found)


def map_by_hand(y: np.ndarray, scores: np.ndarray, qid: np.ndarray) -> float:
    """Mean over queries of the mean over all orders of tied rows."""
    values = []
    for query in sorted(set(qid.tolist())):
        rows = np.flatnonzero(qid == query)
        levels = sorted(set(scores[rows].tolist()), reverse=True)
        tied = [permutations(y[rows][scores[rows] == level].tolist()) for level in levels]
        orders = [[grade for part in parts for grade in part] for parts in product(*tied)]
        values.append(sum(map(average_precision_by_hand, orders)) / len(orders))
    return sum(values) / len(values)


def folds_by_hand(cv, alpha: float = 1.0, groups=QID, ids=QID, weight=None) -> list[float]:
    """Values of a ridge regression on folds of some groups, by query ids that may be others."""
    values = []
    for train, test in cv.split(X, Y, groups=groups):
        model = Ridge(alpha=alpha).fit(
            X[train], Y[train], None if weight is None else weight[train]
        )
        values.append(map_by_hand(Y[test], model.predict(X[test]), ids[test]))
    return values


def carriers():
    return {
        "metadata": ({"groups": QID}, X, Y, True),
        "index of X": ({}, FRAME, Y, False),
        "index of y": ({}, X, pd.Series(Y, index=INDEX), False),
    }
