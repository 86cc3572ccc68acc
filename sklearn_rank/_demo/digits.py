"""Learning to rank on scikit-learn's bundled digits: the rows layout.

A row is a pair of a query image and another image; its grade is 1 if both show the same digit.
The query ids travel as ``groups`` to the splitter and to the scorer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from sklearn_rank._demo.report import (
    FITS,
    Block,
    Code,
    Heading,
    Output,
    search_table,
    short_name,
)
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.scorers import map_scorer
from sklearn_rank.typing import Array, FloatArray, IntArray

N_QUERIES, N_ITEMS = 80, 100
N_PIXELS = 64
MEASURES = ("map", "mrr", "ndcg@10", "precision@10", "gauc")
FOLDS = 3
_BOOSTING = HistGradientBoostingClassifier(max_leaf_nodes=15, random_state=0)
GRID: list[dict[str, list[Any]]] = [
    {
        "pairs__kind": ["difference", "product", "both"],
        "model": [LogisticRegression(max_iter=1000)],
        "model__C": [0.01, 0.1],
    },
    {"pairs__kind": ["difference", "both"], "model": [_BOOSTING], "model__max_iter": [20, 40]},
]
N_FITS = FOLDS * sum(math.prod(map(len, grid.values())) for grid in GRID)
COLUMNS = {"model": "model", "pairs__kind": "features", "model__C": "C", "model__max_iter": "trees"}


class Pairs(NamedTuple):
    """Rows of (query, item) pairs: both images side by side, grades, query ids."""

    X: FloatArray
    y: IntArray
    qid: IntArray


class PairFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Pixels of two images side by side to features of the pair.

    Parameters
    ----------
    kind : {"difference", "product", "both"}, default="difference"
        Absolute differences of pixels, their products, or both.
    """

    def __init__(self, kind: str = "difference") -> None:
        self.kind = kind

    def fit(self, X: Any, y: Any = None) -> PairFeatures:  # noqa: ARG002
        """Nothing to learn."""
        FITS.tick()
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """(n_rows, 2 * n_pixels) images to (n_rows, n_features) features."""
        query, item = X[:, :N_PIXELS], X[:, N_PIXELS:]
        if self.kind == "difference":
            return np.abs(query - item)
        if self.kind == "product":
            return query * item
        return np.hstack([np.abs(query - item), query * item])

    def __sklearn_is_fitted__(self) -> bool:
        return True


@dataclass(frozen=True)
class Outcome:
    """The search, and how the chosen ranker does on held-out images."""

    search: Any
    held_out: Evaluation
    constant: Evaluation


def read_pairs() -> tuple[Pairs, Pairs]:
    """Pairs to learn from, and held-out pairs; no image is in both."""
    pixels, digits = load_digits(return_X_y=True)
    images = np.random.default_rng(0).permutation(len(digits))
    parts = np.split(images, np.cumsum([N_QUERIES, N_ITEMS, N_QUERIES, N_ITEMS]))[:4]
    return (
        _pairs(pixels / 16, digits, parts[0], parts[1]),
        _pairs(pixels / 16, digits, parts[2], parts[3]),
    )


def _pairs(pixels: FloatArray, digits: Array, queries: IntArray, items: IntArray) -> Pairs:
    query, item = np.repeat(queries, len(items)), np.tile(items, len(queries))
    X = np.hstack([pixels[query], pixels[item]])
    return Pairs(X, (digits[query] == digits[item]).astype(np.int64), query)


def run() -> Outcome:
    """Choose a ranker on some of the images, measure it on others."""
    train, test = read_pairs()
    ranker = Pipeline([("pairs", PairFeatures()), ("model", LogisticRegression())])
    folds = GroupKFold(n_splits=FOLDS, shuffle=True, random_state=0)
    # One thread: more gain nothing on so little data, and on a busy machine they wait for each
    # other, which made this search many times slower.
    with threadpool_limits(limits=1), sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(ranker, GRID, scoring=map_scorer, cv=folds)
        search.fit(train.X, train.y, groups=train.qid)
        scores = search.predict_proba(test.X)[:, 1]
    return Outcome(
        search=search,
        held_out=evaluate(test.y, scores, MEASURES, groups=test.qid),
        constant=evaluate(test.y, np.zeros(len(test.y)), "map", groups=test.qid),
    )


def report(outcome: Outcome) -> list[Block]:
    """The outcome, to be shown."""
    best = outcome.search.best_params_
    chosen = ", ".join(
        f"{title}={short_name(best[name]) if name == 'model' else best[name]}"
        for name, title in COLUMNS.items()
        if name in best
    )
    return [
        Heading("2. Learning to rank on scikit-learn's digits"),
        f"{N_QUERIES} query images against {N_ITEMS} others: {N_QUERIES * N_ITEMS:,} rows of "
        "(query, item) pairs, grade 1 for the same digit. As many rows of other images are held "
        "out until the end; no image is on both sides.",
        Code(
            "with sklearn.config_context(enable_metadata_routing=True):\n"
            "    GridSearchCV(ranker, grid, scoring=map_scorer, cv=GroupKFold(3))\\\n"
            "        .fit(X, y, groups=qid)"
        ),
        f"{len(outcome.search.cv_results_['params'])} candidates, {FOLDS} folds:",
        search_table(outcome.search.cv_results_, COLUMNS),
        f"Chosen: {chosen}",
        f"On the {N_QUERIES} held-out queries:",
        Output(repr(outcome.held_out)),
        "The folds separate queries, not items: each fold's items were seen with other queries. "
        "The held-out images are all new, so the second number is the harder and the honest one "
        f"({outcome.search.best_score_:.4f} against {outcome.held_out['map']:.4f}). A constant "
        f"score, which says nothing, gets MAP {outcome.constant['map']:.4f} whatever the order of "
        "the rows.",
    ]
