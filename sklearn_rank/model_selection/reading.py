"""From what a scorer is called with to ground truths and scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.dispatch import layout_of
from sklearn_rank.model_selection import responses
from sklearn_rank.model_selection.options import ScorerOptions
from sklearn_rank.support.arrays import as_numpy
from sklearn_rank.typing import Array


def layout_of_y(y: Any, options: ScorerOptions, owner: str) -> str:
    """Layout that the type of ``y`` tells: "rows", "matrix" or "lists"."""
    if y is None:
        msg = f"{owner} needs y: what is relevant"
        raise RankingConfigError(msg)
    if isinstance(y, Mapping):
        msg = (
            f"y is a {type(y).__name__} keyed by query; scikit-learn splits by position - "
            "pass [qrels[q] for q in X]"
        )
        raise RankingConfigError(msg)
    if isinstance(y, (set, frozenset)):
        msg = f"y is one {type(y).__name__} for all queries; pass a set per element of X"
        raise RankingConfigError(msg)
    shape = tuple(getattr(y, "shape", ()))
    if len(shape) == 2:
        if shape[1] == 1:
            msg = f"y has the shape {shape}; pass the grades as a 1-D array or Series"
            raise RankingConfigError(msg)
        return "matrix"
    return "rows" if _labels_are_text(y, options) else layout_of(y)


def _labels_are_text(y: Any, options: ScorerOptions) -> bool:
    if not isinstance(next(iter(y), None), str):
        return False
    if options.pos_label is None and options.relevance is None:
        msg = "y holds strings; pass pos_label= or relevance={'bad': 0, ...}"
        raise RankingConfigError(msg)
    return True


def read_rows(
    estimator: Any,
    X: Any,
    y: Any,
    options: ScorerOptions,
    caller: responses.MethodCaller,
    owner: str,
) -> tuple[Any, Array]:
    """Grades and scores of rows."""
    scores = responses.row_scores(
        estimator,
        X,
        method=options.response_method,
        pos_label=options.pos_label,
        grades=options.relevance,
        caller=caller,
        y=y,
        owner=owner,
    )
    y = y if hasattr(y, "to_pylist") else as_numpy(y)
    if options.relevance is not None or options.pos_label is not None:
        y = responses.label_grades(y, options.pos_label, options.relevance)
    elif responses.has_signed_labels(estimator):
        y = responses.unmasked(y, "y") == 1
    return y, scores


def read_queries(
    estimator: Any,
    X: Any,
    y: Any,
    layout: str,
    options: ScorerOptions,
    caller: responses.MethodCaller,
) -> tuple[Any, Any]:
    """Ground truths and ranked lists, or grades and scores, of queries."""
    method = _method_for_queries(estimator, layout, options)
    scores = responses.call(estimator, method, X, caller)
    if layout == "matrix":
        if method == "predict_proba":
            scores = responses.expected_grades(estimator, scores)
        return as_numpy(y), scores
    if hasattr(scores, "columns"):
        scores = as_numpy(scores)
    if not hasattr(scores, "__len__"):
        scores = list(scores)
    if len(scores) != len(y):
        msg = (
            f"{method} gives {len(scores):,} ranked lists for {len(y):,} queries; "
            "it has to give one per element of X"
        )
        raise RankingConfigError(msg)
    return y, scores


def _method_for_queries(estimator: Any, layout: str, options: ScorerOptions) -> str:
    """Method that ranks items of queries: ``predict``, unless told or that would give labels."""
    if options.response_method != "auto":
        return options.response_method
    if layout == "lists" or not hasattr(estimator, "classes_"):
        return "predict"
    for method in ("decision_function", "predict_proba"):
        if hasattr(estimator, method):
            return method
    msg = (
        f"{type(estimator).__name__} predicts labels and has neither decision_function nor "
        "predict_proba; use one that has, or response_method='predict'"
    )
    raise RankingConfigError(msg)
