"""Gates that pass and gates that compare, beside the evaluation that they need; scorers."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring

from pytest_rankmetrics import assert_map_at_least, assert_not_worse
from pytest_rankmetrics.gates.files import FileGate
from sklearn_rank import evaluate, map_scorer, rank_scorers
from tests.benchmarks import _scratch
from tests.benchmarks.gates import judge
from tests.benchmarks.sweep.case import Call, Case, Layout, call
from tests.benchmarks.sweep.objects import N_RANKED, mapping_of
from tests.benchmarks.sweep.rows import IDS, rows_of

FLOOR = 0.01
"""Met by these rankings."""


def _evaluated(n: int) -> Call:
    qrels, run = mapping_of(n)
    return call(evaluate, N_RANKED * len(run), qrels, run, "map")


def _passing(n: int) -> Call:
    qrels, run = mapping_of(n)
    return call(assert_map_at_least, N_RANKED * len(run), qrels, run, FLOOR)


def _beside(test: str, n: int) -> Call:
    """Another system, of which every second ranking is turned round."""
    qrels, run = mapping_of(n)
    other = {
        query: dict(zip(items, sorted(items.values(), reverse=place % 2 == 0), strict=True))
        for place, (query, items) in enumerate(run.items())
    }
    limits = {"max_drop": 0.1, "hard_drop": math.inf, "test": test}
    return call(assert_not_worse, N_RANKED * len(run), qrels, run, other, "map", **limits)


def _comparing(n: int) -> Call:
    """A gate with a baseline of the same system."""
    qrels, run = mapping_of(n)
    given: dict[str, Any] = {"metrics": ["map"], "max_drop": 0.05}
    gate = FileGate("bm25", lambda: (qrels, run), given)
    folder = _scratch.folder()
    judge(gate, folder, update=True)
    return call(judge, N_RANKED * len(run), gate, folder)


GATES = Layout(
    "gates",
    _evaluated,
    (
        Case("gates", "a passing gate", _passing),
        Case("gates", "beside another system, t", partial(_beside, "t")),
        Case("gates", "beside another system, permutation", partial(_beside, "permutation")),
        Case("gates", "compared with a baseline", _comparing),
    ),
    share=0.5,
)


class _Given(BaseEstimator):
    """An estimator that has its answers already."""

    def __init__(self, scores: Any) -> None:
        self.scores = scores

    def fit(self, X: Any, y: Any) -> _Given:
        return self

    def predict(self, X: Any) -> Any:
        return self.scores


def _scored(scorer: Any, ids: str, n: int) -> Call:
    rows = rows_of(n)
    groups = rows["groups"] if ids == "int64" else IDS[ids](rows["groups"])
    given = _Given(rows["y_score"])
    X = np.zeros((len(rows["y_true"]), 1))
    return call(scorer, len(X), given, X, rows["y_true"] > 0, groups=groups)


def _five(ids: str, n: int) -> Call:
    """As a multimetric search calls them on each fold."""
    names = ["map", "mrr", "ndcg@10", "precision@10", "recall@10"]
    scorers: Any = rank_scorers(names)
    return _scored(check_scoring(_Given(None), scoring=scorers), ids, n)


SCORERS = Layout(
    "scorers",
    partial(_scored, map_scorer, "int64"),
    (
        Case("scorers", "ids: NumPy text", partial(_scored, map_scorer, "NumPy text")),
        Case("scorers", "ids: a list of text", partial(_scored, map_scorer, "a list of text")),
        Case(
            "scorers", "ids: pandas categorical", partial(_scored, map_scorer, "pandas categorical")
        ),
        Case("scorers", "ids: tuples", partial(_scored, map_scorer, "tuples")),
        Case("scorers", "five measures, int64", partial(_five, "int64")),
        Case("scorers", "five measures, NumPy text", partial(_five, "NumPy text")),
    ),
)
