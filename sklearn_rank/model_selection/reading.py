"""A scorer's arguments, read into ground truths and scores of one layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.frames import as_tables
from sklearn_rank.inputs.layouts import layout_of
from sklearn_rank.model_selection.options import AUTO, ScorerOptions
from sklearn_rank.model_selection.query_ids import QueryIds, find_query_ids
from sklearn_rank.support.checks import as_numpy, to_array
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, FloatArray

MethodCaller = Callable[..., Any] | None
"""scikit-learn's shared cache of predictions, or None outside multimetric scoring."""


class Reading(NamedTuple):
    """Ground truths and what the estimator makes of them, in the form of a layout."""

    layout: str
    y: Any
    scores: Any
    queries: QueryIds | None = None
    """Query ids of rows."""


def read_call(
    asked: Responses,
    y: Any,
    groups: Any,
    options: ScorerOptions,
    *,
    owner: str,
    bound: Any = None,
    passed_as: str = "groups",
) -> Reading:
    """Find the layout of ``y`` and the queries, and ask the estimator for scores."""
    layout = layout_of_y(y, options, owner)
    if layout == "rows":
        queries = find_query_ids(
            asked.X, y, groups, bound, options, passed_as=passed_as, owner=owner
        )
        scores = _row_scores(asked, y, options, owner)
        y = y if hasattr(y, "to_pylist") else as_numpy(y)
        if options.relevance is not None or options.pos_label is not None:
            y = _label_grades(y, options.pos_label, options.relevance)
        elif asked.are_signed:
            y = _unmasked(y, "y") == 1
        return Reading(layout, y, scores, queries)
    method = _method_for_queries(asked.estimator, layout, options)
    answer = asked.of(method)
    if layout == "matrix":
        if method == "predict_proba":
            answer = _expected_grades(asked.estimator, answer)
        elif hasattr(y, "columns") and hasattr(answer, "columns"):
            answer = _with_columns_of(y, answer, method)
        return Reading(layout, as_numpy(y), answer)
    ranked = as_numpy(answer) if hasattr(answer, "columns") else answer
    ranked = ranked if hasattr(ranked, "__len__") else list(ranked)
    if len(ranked) != len(y):
        msg = (
            f"{method} gives {len(ranked):,} ranked lists for {len(y):,} queries; "
            "it has to give one per element of X"
        )
        raise RankingConfigError(msg)
    y, ranked = as_tables(y, ranked)
    return Reading("mapping" if isinstance(y, Mapping) else "lists", y, ranked)


def layout_of_y(y: Any, options: ScorerOptions, owner: str) -> str:
    """Layout that the type of ``y`` tells: "rows", "matrix" or "lists"."""
    shape = tuple(getattr(y, "shape", ()))
    msg = ""
    if y is None:
        msg = f"{owner} needs y: what is relevant"
    elif isinstance(y, Mapping):
        msg = (
            f"y is a {type(y).__name__} keyed by query; scikit-learn splits by position - "
            "pass [qrels[q] for q in X]"
        )
    elif isinstance(y, (set, frozenset)):
        msg = f"y is one {type(y).__name__} for all queries; pass a set per element of X"
    elif len(shape) == 2 and shape[1] == 1:
        msg = f"y has the shape {shape}; pass the grades as a 1-D array or Series"
    if msg:
        raise RankingConfigError(msg)
    if len(shape) == 2:
        return "matrix"
    if not isinstance(next(iter(y), None), str):
        return layout_of(y)
    if options.pos_label is None and options.relevance is None:
        msg = "y holds strings; pass pos_label= or relevance={'bad': 0, ...}"
        raise RankingConfigError(msg)
    return "rows"


def _method_for_queries(estimator: Any, layout: str, options: ScorerOptions) -> str:
    """Method that ranks items: the one named, or ``predict`` unless that gives labels."""
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


# What the estimator answers ----------------------------------------------------------------------


@dataclass
class Responses:
    """A fitted estimator and what it is asked about."""

    estimator: Any
    X: Any
    caller: MethodCaller = None

    @cached_property
    def classes(self) -> Array | None:
        """Labels of a classifier of one output; None for all else."""
        try:
            classes = self.estimator.classes_
        except AttributeError:
            return None
        # CatBoost's regressors have classes, too, but none.
        return None if isinstance(classes, (list, tuple)) or not len(classes) else as_numpy(classes)

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
        answer = self._cached(method) if self.caller is not None else None
        if answer is None:
            answer = getattr(self.estimator, method)(self.X)
        return in_order_of(self.X, answer, method)

    def _cached(self, method: str) -> Any:
        from sklearn.base import is_classifier

        assert self.caller is not None
        classifies = is_classifier(self.estimator)
        knows_classes = self.classes is not None
        if (classifies and knows_classes) if method != "predict" else not classifies:
            return self.caller(self.estimator, method, self.X)
        return None

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
    """A pandas answer aligned with the index of X; RankingConfigError if it cannot be."""
    index: Any = getattr(answer, "index", None)
    own: Any = getattr(X, "index", None)
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
    """Whether an index is the one that pandas makes of nothing, which goes by position."""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def _with_columns_of(y: Any, scores: Any, method: str) -> Any:
    """Scores with the items of y; columns without names stand in the order of those of y."""
    items, own = list(y.columns), list(scores.columns)
    if own == items or _numbers_rows(scores.columns):
        return scores
    if len(set(own)) == len(own) and set(own) == set(items):
        return scores[items]
    msg = (
        f"columns of {method} are not those of y: {format_list(own)} and "
        f"{format_list(items)}; name the same "
        "items, or return an array"
    )
    raise RankingConfigError(msg)


# Scores of rows ----------------------------------------------------------------------------------


def _row_scores(responses: Responses, y: Any, options: ScorerOptions, owner: str) -> Array:
    """One score per row: never a hard label unless the options ask for ``predict``."""
    classes, method, pos_label = responses.classes, options.response_method, options.pos_label
    if classes is None:
        return responses.column(responses.first_method() if method == "auto" else method)
    if method == "predict":
        return _label_grades(responses.column(method), pos_label, options.relevance)
    labels = classes.tolist()
    lacks_label = pos_label is not None and pos_label not in labels and pos_label in list(_plain(y))
    if len(classes) == 1 or lacks_label:
        # The training part had one class, or nothing relevant: all tie.
        return np.zeros(len(responses.of("predict")))
    values = _class_grades(classes, options, owner)
    if len(classes) > 2:
        return _expected_grade(responses, values, options)
    name = responses.first_method() if method == "auto" else method
    scores = _unmasked(responses.of(name), name)
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, 1]
    ascending: Array = np.sign(values[1] - values[0]) * _single_column(scores, name)
    return ascending


def _label_grades(labels: Any, pos_label: Any, grades: Mapping[Any, float] | None) -> Array:
    """Grades of labels; the labels themselves if nothing says what they mean."""
    array = _unmasked(_plain(labels), "y")
    if grades is None:
        return array if pos_label is None else array == pos_label
    lacking = [label for label in array.tolist() if label not in grades]
    if lacking:
        msg = f"relevance has no grade for the label {safe_repr(lacking[0])}; it needs one for each"
        raise RankingConfigError(msg)
    return np.array([grades[label] for label in array.tolist()], dtype=np.float64)


def _plain(labels: Any) -> Any:
    """Labels as a list, where a container has its own way to one."""
    return labels.to_pylist() if hasattr(labels, "to_pylist") else labels


def _class_grades(classes: Array, options: ScorerOptions, owner: str) -> FloatArray:
    """(n_classes,) grade of each class: given, or 1 for the relevant label, or the class itself."""
    labels, pos_label = classes.tolist(), options.pos_label
    if options.relevance is not None:
        return _label_grades(classes, None, options.relevance)
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
        return _unmasked(responses.of("predict_proba"), "predict_proba") @ values
    has_margins = hasattr(estimator, "decision_function") and not _margins_are_of_pairs(estimator)
    if options.pos_label is not None and has_margins:
        margins = _unmasked(responses.of("decision_function"), "decision_function")
        if margins.shape[1:] == values.shape:
            return margins[:, int(np.argmax(values))]
    name, count = type(estimator).__name__, len(values)
    if method == "decision_function":
        msg = f"the decision_function of {name} gives no one score for {count} grades; "
    else:
        msg = f"{name} predicts {count} grades but has no predict_proba; "
    msg += "use a regressor, a classifier with predict_proba, or response_method='predict'"
    raise RankingConfigError(msg)


def _margins_are_of_pairs(estimator: Any) -> bool:
    """Whether margins are per pair of classes: with three classes there are three of both."""
    steps = getattr(estimator, "steps", None) or [("", None)]
    inner = getattr(estimator, "best_estimator_", steps[-1][1])
    if inner is not None:
        return _margins_are_of_pairs(inner)
    return getattr(estimator, "decision_function_shape", None) == "ovo"


def _expected_grades(estimator: Any, chances: Any) -> Array:
    """(n_queries, n_items) expected grades from the probabilities of a classifier of many items."""
    if not isinstance(chances, (list, tuple)):
        return _unmasked(chances, "predict_proba")
    columns = [
        _unmasked(chance, "predict_proba") @ np.asarray(classes, dtype=np.float64)
        for chance, classes in zip(chances, estimator.classes_, strict=True)
    ]
    return np.stack(columns, axis=1)


def _unmasked(values: Any, name: str) -> Array:
    """An array in which nothing is masked; ``name`` is the method that gave it, or "y"."""
    try:
        return to_array(values, name)
    except TypeError as error:
        raise RankingConfigError(str(error)) from error


def _single_column(scores: Any, method: str) -> Array:
    array = _unmasked(scores, method)
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        msg = f"{method} gives an array of shape {array.shape}; a ranking needs one score per row"
        raise RankingConfigError(msg)
    return array
