"""Learning to rank on scikit-learn's bundled digits: the rows layout.

A row is a pair of a query image and another image; its grade is 1 if both show the same digit.
The query ids travel as ``groups`` to the splitter and to the scorer.
"""

from __future__ import annotations

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

from sklearn_rank._demo.report import gate, indented, search_table, titled
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.scorers import map_scorer
from sklearn_rank.typing import Array, FloatArray, IntArray

N_QUERIES, N_ITEMS = 80, 100
N_PIXELS = 64
MEASURES = ("map", "mrr", "ndcg@10", "precision@10", "gauc")
KINDS = ["difference", "product", "both"]
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
    grid: list[dict[str, list[Any]]] = [
        {
            "pairs__kind": KINDS,
            "model": [LogisticRegression(max_iter=1000)],
            "model__C": [0.01, 0.1],
        },
        {
            "pairs__kind": KINDS,
            "model": [HistGradientBoostingClassifier(random_state=0)],
            "model__max_iter": [30, 100],
        },
    ]
    folds = GroupKFold(n_splits=4, shuffle=True, random_state=0)
    # One thread: more gain nothing on so little data, and on a busy machine they wait for each
    # other, which made this search many times slower.
    with threadpool_limits(limits=1), sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(ranker, grid, scoring=map_scorer, cv=folds)
        search.fit(train.X, train.y, groups=train.qid)

    scores = search.predict_proba(test.X)[:, 1]
    return Outcome(
        search=search,
        held_out=evaluate(test.y, scores, MEASURES, groups=test.qid),
        constant=evaluate(test.y, np.zeros(len(test.y)), "map", groups=test.qid),
    )


def report(outcome: Outcome) -> str:
    """The outcome as text."""
    best = outcome.search.best_params_
    chosen = ", ".join(
        f"{title}={type(best[name]).__name__ if name == 'model' else best[name]}"
        for name, title in COLUMNS.items()
        if name in best
    )
    return titled(
        "2. Learning to rank on scikit-learn's digits",
        f"{N_QUERIES} query images against {N_ITEMS} others: {N_QUERIES * N_ITEMS:,} rows of "
        "(query, item) pairs, grade 1 for the same digit.\n"
        "As many rows of other images are held out until the end; no image is on both sides.",
        "with sklearn.config_context(enable_metadata_routing=True):\n"
        "    GridSearchCV(ranker, grid, scoring=map_scorer, cv=GroupKFold(...))"
        ".fit(X, y, groups=qid)\n"
        f"{len(outcome.search.cv_results_['params'])} candidates, 4 folds:",
        search_table(outcome.search.cv_results_, COLUMNS),
        f"Chosen: {chosen}\n\nOn the {N_QUERIES} held-out queries:",
        indented(repr(outcome.held_out)),
        "The folds separate queries, not items: each fold's items were seen with other queries. "
        "The held-out\nimages are all new, so the second number is the harder and the honest one "
        f"({outcome.search.best_score_:.4f} against {outcome.held_out['map']:.4f}).\n"
        f"A constant score, which says nothing, gets MAP {outcome.constant['map']:.4f} whatever "
        "the order of the rows.",
        gate("test_same_digits_come_first", outcome.held_out["map"], needs_groups=True),
    )
