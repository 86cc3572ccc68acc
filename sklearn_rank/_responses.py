"""What an estimator says of rows, queries or items, as scores that rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sklearn_rank._text import safe_repr
from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.typing import Array

AUTO = ("decision_function", "predict_proba", "predict")

MethodCaller = Callable[..., Any] | None
"""scikit-learn's shared cache of predictions, or None outside multimetric scoring."""


def call(estimator: Any, method: str, X: Any, caller: MethodCaller) -> Any:
    """Result of a method of the estimator, from the shared cache if there is one.

    The cache checks what it is asked for; a classifier without ``classes_`` and methods that it
    grants only to classifiers are called directly.
    """
    if caller is not None and (method == "predict" or hasattr(estimator, "classes_")):
        if method == "predict" and hasattr(estimator, "classes_"):
            return getattr(estimator, method)(X)
        if method != "predict" or not _claims_to_classify(estimator):
            return caller(estimator, method, X)
    return getattr(estimator, method)(X)


def _claims_to_classify(estimator: Any) -> bool:
    from sklearn.base import is_classifier

    return bool(is_classifier(estimator))


def row_scores(
    estimator: Any,
    X: Any,
    *,
    method: str,
    pos_label: Any,
    grades: Mapping[Any, float] | None,
    caller: MethodCaller,
    owner: str,
) -> Array:
    """One score per row: never a hard label unless ``method`` is "predict"."""
    classes = _classes(estimator)
    if method == "predict" or (method == "auto" and classes is None):
        name = _first_method(estimator, AUTO) if method == "auto" else method
        return np.asarray(call(estimator, name, X, caller))
    if classes is None:
        return _single_column(call(estimator, method, X, caller), method)
    if len(classes) > 2 or grades is not None:
        return _expected_grades(estimator, X, classes, grades, caller)
    name = _first_method(estimator, AUTO) if method == "auto" else method
    scores = np.asarray(call(estimator, name, X, caller))
    if len(classes) == 1:
        return np.zeros(len(scores))
    if scores.ndim == 2:
        scores = scores[:, 1]
    return _towards(scores, classes, pos_label, owner)


def _classes(estimator: Any) -> Array | None:
    try:
        classes = estimator.classes_
    except AttributeError:
        return None
    return None if isinstance(classes, (list, tuple)) else np.asarray(classes)


def _first_method(estimator: Any, names: tuple[str, ...]) -> str:
    found = next((name for name in names if hasattr(estimator, name)), None)
    if found is None:
        msg = f"{type(estimator).__name__} has none of the methods {', '.join(names)}"
        raise RankingConfigError(msg)
    return found


def _single_column(scores: Any, method: str) -> Array:
    array = np.asarray(scores)
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        msg = f"{method} gives an array of shape {array.shape}; a ranking needs one score per row"
        raise RankingConfigError(msg)
    return array


def _expected_grades(
    estimator: Any,
    X: Any,
    classes: Array,
    grades: Mapping[Any, float] | None,
    caller: MethodCaller,
) -> Array:
    """Probabilities of the grades, times the grades."""
    if not hasattr(estimator, "predict_proba"):
        msg = (
            f"{type(estimator).__name__} predicts {len(classes)} grades but has no predict_proba; "
            "use a regressor, a classifier with predict_proba, or response_method='predict'"
        )
        raise RankingConfigError(msg)
    if grades is not None:
        values = np.array([grades[label] for label in classes.tolist()], dtype=np.float64)
    elif classes.dtype.kind in "biuf":
        values = classes.astype(np.float64)
    else:
        msg = f"classes are {safe_repr(classes.tolist())}; pass relevance={{label: grade}}"
        raise RankingConfigError(msg)
    chances = np.asarray(call(estimator, "predict_proba", X, caller))
    if chances.ndim == 1:
        chances = np.stack((1.0 - chances, chances), axis=1)
    return chances @ values


def _towards(scores: Array, classes: Array, pos_label: Any, owner: str) -> Array:
    """Scores that grow with the chance of the relevant class."""
    if pos_label is None:
        if classes.dtype.kind in "biuf":
            return scores
        msg = f"{owner}: classes are {safe_repr(classes.tolist())}; pass pos_label="
        raise RankingConfigError(msg)
    if pos_label not in classes.tolist():
        msg = f"pos_label {safe_repr(pos_label)} is not one of the classes {classes.tolist()!r}"
        raise RankingConfigError(msg)
    return -scores if pos_label == classes.tolist()[0] else scores
