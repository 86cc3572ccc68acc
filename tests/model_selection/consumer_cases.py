"""A small problem with query ids told in every way, and its values by plain loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from sklearn_rank import QueryKFold, map_scorer
from tests.model_selection.cases import map_by_hand

SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])

ALPHAS = [0.1, 100.0]

# Data --------------------------------------------------------------------------------------------


def small_problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Six queries of six scattered rows, two of which are relevant; three features."""
    rng = np.random.default_rng(3)
    qid = np.repeat([30, 10, 60, 20, 50, 40], 6)
    y = np.tile([1, 0, 0, 1, 0, 0], 6)
    X = rng.normal(size=(36, 3)) + y[:, np.newaxis] * [1.5, 0.5, 0.2]
    mixed = rng.permutation(36)
    return X[mixed], y[mixed], qid[mixed]


X, Y, QID = small_problem()
FOLDS = list(GroupKFold(3).split(X, Y, QID))


def features(rows: Any) -> np.ndarray:
    """Rows without the column of query ids."""
    if hasattr(rows, "columns"):
        rows = rows[[name for name in rows.columns if name != "qid"]]
    return np.asarray(rows, dtype=float)


class Linear(Ridge):
    """Ridge regression that ignores a column of query ids."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(features(X), np.asarray(y), sample_weight)

    def predict(self, X):
        return super().predict(features(X))


class Watched(RegressorMixin, BaseEstimator):
    """Says the sum of the features and keeps what it said."""

    def fit(self, X, y):
        self.said_ = []
        return self

    def predict(self, X):
        self.said_.append(features(X).sum(axis=1))
        return self.said_[-1]


# By hand -----------------------------------------------------------------------------------------


def fold_by_hand(model: Any, train: Any, test: Any, columns: Any = (0, 1, 2)) -> float:
    model.fit(X[train][:, columns], Y[train])
    say = getattr(model, "decision_function", None) or model.predict
    return map_by_hand(Y[test], say(X[test][:, columns]), QID[test])


def folds_by_hand(model: Any, columns: Any = (0, 1, 2)) -> list[float]:
    return [fold_by_hand(model, train, test, list(columns)) for train, test in FOLDS]


def grid_by_hand(parameters: Iterable[dict[str, Any]]) -> list[list[float]]:
    """Folds of each candidate; names may have a prefix as in a pipeline."""
    return [folds_by_hand(Ridge(alpha=next(iter(one.values())))) for one in parameters]


def nested_by_hand(inner: Any) -> list[float]:
    values = []
    for train, test in FOLDS:
        splits = [
            (train[a], train[b]) for a, b in inner.split(X[train], Y[train], groups=QID[train])
        ]
        means = [
            sum(fold_by_hand(Ridge(alpha=alpha), *split) for split in splits) / len(splits)
            for alpha in ALPHAS
        ]
        best = ALPHAS[int(np.argmax(means))]
        values.append(fold_by_hand(Ridge(alpha=best), train, test))
    return values


# Modes -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """One way in which query ids are told, or not told."""

    X: Any = field(default_factory=lambda: X)
    y: Any = field(default_factory=lambda: Y)
    routing: bool = False
    metadata: bool = False
    told: bool = True

    @property
    def fit(self) -> dict[str, Any]:
        """Keywords of methods."""
        return {"groups": QID} if self.metadata else {}

    @property
    def params(self) -> dict[str, Any]:
        """Keywords of functions."""
        return {"params": {"groups": QID}} if self.metadata else {}

    @property
    def cv(self) -> Any:
        return GroupKFold(3) if self.metadata else FOLDS

    @property
    def inner(self) -> Any:
        if not self.told:
            return 2
        return GroupKFold(2) if self.metadata else QueryKFold(2)

    @property
    def bound(self) -> Any:
        """For what passes no metadata at all."""
        return map_scorer.bind(QID) if self.metadata else map_scorer


def framed(**kwargs: Any) -> pd.DataFrame:
    return pd.DataFrame(X, columns=["a", "b", "c"], **kwargs)


IDS = pd.Index(QID, name="qid")
MODES: dict[str, Callable[[], Case]] = {
    "metadata": lambda: Case(routing=True, metadata=True),
    "index of X": lambda: Case(X=framed(index=IDS)),
    "index of y": lambda: Case(y=pd.Series(Y, index=IDS)),
    "column of X": lambda: Case(X=framed().assign(qid=QID)),
}
UNTOLD: dict[str, Callable[[], Case]] = {
    "routing on": lambda: Case(routing=True, told=False),
    "routing off": lambda: Case(told=False),
}
