"""A scorer's arguments, read into ground truths and scores of one layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.arrays import is_sparse
from sklearn_rank.inputs.frames import as_tables
from sklearn_rank.inputs.layouts import first_of, layout_of
from sklearn_rank.model_selection.options import AUTO, ScorerOptions
from sklearn_rank.model_selection.query_ids import QueryIds, find_query_ids
from sklearn_rank.support.checks import as_native, as_numpy, check_same_index, to_array
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, FloatArray

MethodCaller = Callable[..., Any] | None
"""scikit-learn's shared cache of predictions, or None outside multimetric scoring."""


class ScorerInput(NamedTuple):
    """Ground truths and predictions of the estimator, in the form of a layout."""

    layout: str
    y: Any
    scores: Any
    queries: QueryIds | None = None
    """Query ids of rows."""


def read_call(
    responses: Responses,
    y: Any,
    groups: object,
    options: ScorerOptions,
    *,
    owner: str,
    bound: object = None,
    passed_as: str = "groups",
) -> ScorerInput:
    """Find the layout of ``y`` and the queries, and call the estimator for scores."""
    y = as_native(y, "y")
    layout = layout_of_y(y, options, owner)
    if layout == "rows":
        queries = find_query_ids(
            responses.X, y, groups, bound, options, passed_as=passed_as, owner=owner
        )
        scores = _row_scores(responses, y, options, owner)
        y = y if hasattr(y, "to_pylist") else as_numpy(y)
        if options.relevance is not None or options.pos_label is not None:
            y = _label_grades(y, options)
        elif responses.are_signed:
            y = _unmasked(y, "y") == 1
        return ScorerInput(layout, y, scores, queries)
    method = options.response_method
    if method == "auto" and (layout == "lists" or not hasattr(responses.estimator, "classes_")):
        method = "predict"
    elif method == "auto":
        method = responses.first_method(but="predict")
    ranked = responses.call(method)
    if layout == "matrix":
        if method == "predict_proba":
            ranked = _expected_grades(responses.estimator, ranked)
        elif _names_columns(y) and _names_columns(ranked):
            ranked = _with_columns_of(y, ranked, method)
        return ScorerInput(layout, as_numpy(y), ranked)
    ranked = as_numpy(ranked) if hasattr(ranked, "columns") else ranked
    is_number = getattr(ranked, "shape", None) == ()
    if is_number or is_sparse(ranked) or not isinstance(ranked, Iterable):
        msg = f"{method} returned a {type(ranked).__name__}; it must return a ranked list per query"
        raise RankingConfigError(msg)
    if isinstance(ranked, Sized):
        first_of(ranked, method)
    else:
        ranked = list(ranked)
    if len(ranked) != len(y):
        msg = (
            f"{method} returned {len(ranked):,} ranked lists for {len(y):,} queries; "
            "it must return one per element of X"
        )
        raise RankingConfigError(msg)
    y, ranked = as_tables(y, ranked)
    check_same_index(y=y, **{method: ranked})
    # Rows of X are aligned by now.
    y, ranked = (side.tolist() if hasattr(side, "iloc") else side for side in (y, ranked))
    return ScorerInput("mapping" if isinstance(y, Mapping) else "lists", y, ranked)


def layout_of_y(y: Any, options: ScorerOptions, owner: str) -> str:
    """Layout, from the type of ``y``: "rows", "matrix" or "lists"."""
    shape = tuple(getattr(y, "shape", ()))
    msg = ""
    if y is None:
        msg = f"{owner} needs y, the relevant items"
    elif isinstance(y, Mapping):
        msg = (
            f"y is a {type(y).__name__} keyed by query, but scikit-learn splits by position; "
            "pass [qrels[q] for q in X]"
        )
    elif isinstance(y, (set, frozenset)):
        msg = f"y is one {type(y).__name__} for all queries; pass a set per element of X"
    elif len(shape) == 2 and shape[1] == 1:
        msg = f"y has the shape {shape}; pass the grades as a 1-D array or Series"
    elif len(shape) == 2:
        return "matrix"
    elif not isinstance(first_of(y, "y"), str):
        return layout_of(y)
    elif options.pos_label is None and options.relevance is None:
        msg = "y holds strings; pass pos_label= or relevance={'bad': 0, ...}"
    else:
        return "rows"
    raise RankingConfigError(msg)


# The methods of the estimator --------------------------------------------------------------------


@dataclass
class Responses:
    """A fitted estimator and its input data."""

    estimator: Any
    X: Any
    caller: MethodCaller = None

    @cached_property
    def classes(self) -> Array | None:
        """Labels of a classifier with one output; None for other values."""
        try:
            classes = self.estimator.classes_
        except AttributeError:
            return None
        # CatBoost's regressors have ``classes_``, too, but empty.
        return None if isinstance(classes, (list, tuple)) or not len(classes) else as_numpy(classes)

    @property
    def are_signed(self) -> bool:
        """Whether the classes are -1 and 1, which are labels, not grades."""
        classes = self.classes
        return classes is not None and classes.dtype.kind in "if" and classes.tolist() == [-1, 1]

    def call(self, method: str) -> Any:
        """Result of a method of the estimator, from the shared cache if there is one.

        The cache serves ``predict`` of estimators other than classifiers, and other methods of
        classifiers with ``classes_``; all other calls are direct. A pandas object is aligned with
        the index of X.
        """
        from sklearn.base import is_classifier

        is_cached = False
        if self.caller is not None:
            classifies = is_classifier(self.estimator)
            is_cached = not classifies
            if method != "predict":
                is_cached = classifies and self.classes is not None
        if is_cached:
            values = self.caller(self.estimator, method, self.X)  # type: ignore[misc]
        else:
            values = getattr(self.estimator, method)(self.X)
        values = as_native(values, method)
        if not (hasattr(values, "iloc") and hasattr(self.X, "iloc")) or len(values) != len(self.X):
            return values
        index, rows = values.index, self.X.index
        if index.equals(rows) or _numbers_rows(index):
            return values
        if rows.is_unique and index.is_unique and index.isin(rows).all():
            return values.reindex(rows)
        msg = (
            f"{method} returned a {type(values).__name__} whose index is not the index of X, so "
            "its rows cannot be matched; give it X.index, or return an array in the order of X"
        )
        raise RankingConfigError(msg)

    def column(self, method: str) -> Array:
        """One number per row; for two classes, the probability of the second."""
        values = self.call(method)
        # A mask says which rows are ranked.
        is_masked = isinstance(values, np.ma.MaskedArray)
        array = values if is_masked else _unmasked(values, method)
        has_chances = method == "predict_proba" and self.classes is not None
        if array.ndim == 2 and array.shape[1] in ((1, 2) if has_chances else (1,)):
            return array[:, -1]
        if array.ndim != 1:
            msg = (
                f"{method} returned an array of shape {array.shape}; a ranking needs one score "
                "per row"
            )
            raise RankingConfigError(msg)
        return array

    def first_method(self, but: str = "") -> str:
        """The best available method for ranking, except ``but``."""
        for name in AUTO:
            if name != but and hasattr(self.estimator, name):
                return name
        name = type(self.estimator).__name__
        msg = f"{name} has none of the methods {', '.join(AUTO)}"
        if but:
            msg = (
                f"{name} predicts labels but has neither decision_function nor predict_proba; use "
                "an estimator with one of them, or response_method='predict'"
            )
        raise RankingConfigError(msg)


def _numbers_rows(index: Any) -> bool:
    """Whether this is the default index of pandas, so that rows are matched by position."""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def _names_columns(values: Any) -> bool:
    """Whether this is a pandas or Polars frame; ``columns`` of an Arrow table are its values."""
    return hasattr(values, "columns") and not hasattr(values, "column_names")


def _with_columns_of(y: Any, scores: Any, method: str) -> Any:
    """Scores with the items of y; unnamed columns are in the order of those of y."""
    items, scored = list(y.columns), list(scores.columns)
    if scored == items or _numbers_rows(scores.columns):
        return scores
    if len(set(scored)) == len(scored) and set(scored) == set(items):
        return scores[items]
    msg = (
        f"{method} and y have different columns: {format_list(scored)} and "
        f"{format_list(items)}; name the same items, or return an array"
    )
    raise RankingConfigError(msg)


def _expected_grades(estimator: Any, chances: Any) -> Array:
    """(n_queries, n_items) expected grades from the probabilities of a multi-output classifier."""
    if not isinstance(chances, (list, tuple)):
        return _unmasked(chances, "predict_proba")
    columns = [
        _unmasked(chance, "predict_proba") @ np.asarray(classes, dtype=np.float64)
        for chance, classes in zip(chances, estimator.classes_, strict=True)
    ]
    return np.stack(columns, axis=1)


# Scores of rows ----------------------------------------------------------------------------------


def _row_scores(responses: Responses, y: object, options: ScorerOptions, owner: str) -> Array:
    """One score per row: never a hard label unless the option is ``predict``."""
    classes, method, pos_label = responses.classes, options.response_method, options.pos_label
    if classes is None:
        return responses.column(responses.first_method() if method == "auto" else method)
    if method == "predict":
        return _label_grades(responses.column(method), options)
    labels = classes.tolist()
    is_foreign = pos_label is not None and pos_label not in labels
    if len(labels) == 1 or (is_foreign and pos_label in list(_plain(y))):
        # The training part had one class, or nothing relevant: all tie.
        return np.zeros(len(responses.call("predict")))
    if is_foreign:
        msg = f"pos_label {safe_repr(pos_label)} is not one of the classes {safe_repr(labels)}"
        raise RankingConfigError(msg)
    if options.relevance is None and pos_label is None and classes.dtype.kind not in "biuf":
        msg = (
            f"{owner}: classes are {safe_repr(labels)}; pass pos_label= or relevance="
            "{label: grade}"
        )
        raise RankingConfigError(msg)
    grades: FloatArray = _label_grades(classes, options).astype(np.float64)
    if len(labels) > 2:
        if method != "decision_function" and hasattr(responses.estimator, "predict_proba"):
            return _unmasked(responses.call("predict_proba"), "predict_proba") @ grades
        name, count = type(responses.estimator).__name__, len(labels)
        msg = f"{name} predicts {count} grades but has no predict_proba; "
        if method == "decision_function":
            msg = f"the decision_function of {name} does not give one score for {count} grades; "
        msg += "use a regressor, a classifier with predict_proba, or response_method='predict'"
        raise RankingConfigError(msg)
    if method == "auto":
        method = responses.first_method()
    scores: Array = np.sign(grades[1] - grades[0]) * responses.column(method)
    return scores


def _label_grades(labels: object, options: ScorerOptions) -> Array:
    """Grades of labels; the labels themselves if they have no grades."""
    array, grades = _unmasked(_plain(labels), "y"), options.relevance
    if grades is None:
        return array if options.pos_label is None else array == options.pos_label
    lacking = [label for label in array.tolist() if label not in grades]
    if lacking:
        msg = f"relevance has no grade for the label {safe_repr(lacking[0])}; grade every label"
        raise RankingConfigError(msg)
    return np.array([grades[label] for label in array.tolist()], dtype=np.float64)


def _plain(labels: object) -> Any:
    """Labels as a list, where a container converts itself to one."""
    return labels.to_pylist() if hasattr(labels, "to_pylist") else labels


def _unmasked(values: object, name: str) -> Array:
    """An array in which nothing is masked; ``name`` is the method that gave it, or "y"."""
    try:
        return to_array(values, name)
    except TypeError as error:
        raise RankingConfigError(str(error)) from error
