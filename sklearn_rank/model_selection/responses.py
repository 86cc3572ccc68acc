"""An estimator's answers about rows or queries, as scores that rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.model_selection.options import AUTO, ScorerOptions
from sklearn_rank.support.checks import to_array
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, FloatArray

MethodCaller = Callable[..., Any] | None
"""scikit-learn's shared cache of predictions, or None outside multimetric scoring."""


@dataclass
class Responses:
    """A fitted estimator and what it is asked about."""

    estimator: Any
    X: Any
    caller: MethodCaller = None

    @cached_property
    def classes(self) -> Array | None:
        """Labels of a classifier of one output; None for all else."""
        return _classes_of(self.estimator)

    @property
    def are_signed(self) -> bool:
        """Whether the classes are -1 and 1, which are labels and no grades."""
        classes = self.classes
        return classes is not None and classes.dtype.kind in "if" and classes.tolist() == [-1, 1]

    def of(self, method: str) -> Any:
        """Result of a method of the estimator, from the shared cache if there is one.

        The cache checks what it is asked for: it grants ``predict`` to all but classifiers without
        ``classes_``, and the other methods to classifiers alone. What it would refuse or change is
        asked for directly.
        """
        if self.caller is not None:
            classifies = _claims_to_classify(self.estimator)
            knows_classes = self.classes is not None
            if (classifies and knows_classes) if method != "predict" else not classifies:
                return in_order_of(self.X, self.caller(self.estimator, method, self.X), method)
        return in_order_of(self.X, getattr(self.estimator, method)(self.X), method)

    def column(self, method: str) -> Array:
        """One number per row."""
        return _single_column(self.of(method), method)

    def first_method(self) -> str:
        """The method that ranks best of those that there are."""
        for name in AUTO:
            if hasattr(self.estimator, name):
                return name
        msg = f"{type(self.estimator).__name__} has none of the methods {', '.join(AUTO)}"
        raise RankingConfigError(msg)


def in_order_of(X: Any, answer: Any, method: str) -> Any:
    """A pandas answer aligned with the index of X; RankingConfigError if it cannot be.

    A fresh ``RangeIndex`` numbers rows by position; it says nothing about another order.
    """
    index, own = getattr(answer, "index", None), getattr(X, "index", None)
    if not (hasattr(answer, "iloc") and hasattr(X, "iloc")) or len(answer) != len(X):
        return answer
    if index.equals(own) or _numbers_rows(index):
        return answer
    if own.is_unique and index.is_unique and index.isin(own).all():
        return answer.reindex(own)
    msg = (
        f"{method} gives a {type(answer).__name__} whose index is not the index of X, so that its "
        "rows cannot be told; give it X.index, or return an array in the order of X"
    )
    raise RankingConfigError(msg)


def _numbers_rows(index: Any) -> bool:
    """Whether an index is one that pandas makes of nothing."""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def _claims_to_classify(estimator: Any) -> bool:
    from sklearn.base import is_classifier

    return bool(is_classifier(estimator))


def row_scores(responses: Responses, y: Any, options: ScorerOptions, owner: str) -> Array:
    """One score per row: never a hard label unless the options ask for ``predict``."""
    classes, method, pos_label = responses.classes, options.response_method, options.pos_label
    if classes is None:
        return responses.column(responses.first_method() if method == "auto" else method)
    if method == "predict":
        return label_grades(responses.column(method), pos_label, options.relevance)
    if len(classes) == 1:
        return np.zeros(len(responses.of("predict")))  # one class: all tie
    if (
        pos_label is not None
        and pos_label not in classes.tolist()
        and pos_label in list(_listed(y))
    ):
        # The training part lacks the label, so the estimator knows nothing of relevance: all tie.
        return np.zeros(len(responses.of("predict")))
    values = _class_grades(classes, pos_label, options.relevance, owner)
    if len(classes) > 2:
        return _expected_grade(responses, values, options)
    name = responses.first_method() if method == "auto" else method
    scores = unmasked(responses.of(name), name)
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, 1]
    scores = _single_column(scores, name)
    ascending: Array = np.sign(values[1] - values[0]) * scores
    return ascending


def label_grades(labels: Any, pos_label: Any, grades: Mapping[Any, float] | None) -> Array:
    """Grades of labels; the labels themselves if nothing says what they mean."""
    array = unmasked(_listed(labels), "y")
    if grades is None:
        return array if pos_label is None else array == pos_label
    return np.array([_grade(label, grades) for label in array.tolist()], dtype=np.float64)


def _grade(label: Any, grades: Mapping[Any, float]) -> float:
    if label not in grades:
        msg = f"relevance has no grade for the label {safe_repr(label)}; it needs one for each"
        raise RankingConfigError(msg)
    return grades[label]


def _listed(labels: Any) -> Any:
    """Labels as a list, where a container has its own way to one."""
    return labels.to_pylist() if hasattr(labels, "to_pylist") else labels


def _classes_of(estimator: Any) -> Array | None:
    """``classes_``, which CatBoost's regressors have too, but empty."""
    try:
        classes = estimator.classes_
    except AttributeError:
        return None
    if isinstance(classes, (list, tuple)) or not len(classes):
        return None
    return np.asarray(classes)


def expected_grades(estimator: Any, chances: Any) -> Array:
    """(n_queries, n_items) expected grades from the probabilities of a classifier of many items."""
    if not isinstance(chances, (list, tuple)):
        return unmasked(chances, "predict_proba")
    columns = [
        unmasked(chance, "predict_proba") @ np.asarray(classes, dtype=np.float64)
        for chance, classes in zip(chances, estimator.classes_, strict=True)
    ]
    return np.stack(columns, axis=1)


def unmasked(values: Any, name: str) -> Array:
    """An array in which nothing is masked; ``name`` is the method that gave it, or "y"."""
    try:
        return to_array(values, name)
    except TypeError as error:
        raise RankingConfigError(str(error)) from error


def _single_column(scores: Any, method: str) -> Array:
    array = unmasked(scores, method)
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        msg = f"{method} gives an array of shape {array.shape}; a ranking needs one score per row"
        raise RankingConfigError(msg)
    return array


def _class_grades(
    classes: Array, pos_label: Any, grades: Mapping[Any, float] | None, owner: str
) -> FloatArray:
    """(n_classes,) grade of each class: given, or 1 for the relevant label, or the class itself."""
    labels = classes.tolist()
    if grades is not None:
        return label_grades(classes, None, grades)
    if pos_label is not None:
        if pos_label not in labels:
            msg = f"pos_label {safe_repr(pos_label)} is not one of the classes {safe_repr(labels)}"
            raise RankingConfigError(msg)
        return np.array([float(label == pos_label) for label in labels])
    if classes.dtype.kind not in "biuf":
        msg = (
            f"{owner}: classes are {safe_repr(labels)}; pass pos_label= or relevance="
            "{label: grade}"
        )
        raise RankingConfigError(msg)
    return classes.astype(np.float64)


def _expected_grade(responses: Responses, values: FloatArray, options: ScorerOptions) -> Array:
    """Probabilities of more than two classes, times their grades."""
    estimator, method = responses.estimator, options.response_method
    if method != "decision_function" and hasattr(estimator, "predict_proba"):
        return unmasked(responses.of("predict_proba"), "predict_proba") @ values
    if (
        options.pos_label is not None
        and hasattr(estimator, "decision_function")
        and not _gives_margins_of_pairs(estimator)
    ):
        margins = unmasked(responses.of("decision_function"), "decision_function")
        if margins.shape[1:] == values.shape:
            return margins[:, int(np.argmax(values))]
    name, count = type(estimator).__name__, len(values)
    if method == "decision_function":
        msg = f"the decision_function of {name} gives no one score for {count} grades; "
    else:
        msg = f"{name} predicts {count} grades but has no predict_proba; "
    msg += "use a regressor, a classifier with predict_proba, or response_method='predict'"
    raise RankingConfigError(msg)


def _gives_margins_of_pairs(estimator: Any) -> bool:
    """Whether margins are per pair of classes: with three classes there are three of both."""
    steps = getattr(estimator, "steps", None) or [("", None)]
    inner = getattr(estimator, "best_estimator_", steps[-1][1])
    if inner is not None:
        return _gives_margins_of_pairs(inner)
    return getattr(estimator, "decision_function_shape", None) == "ovo"
