"""A scorer's arguments, read into ground truths and scores of one layout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.frames import as_tables
from sklearn_rank.inputs.layouts import layout_of
from sklearn_rank.model_selection import responses
from sklearn_rank.model_selection.options import ScorerOptions
from sklearn_rank.model_selection.query_ids import QueryIds, find_query_ids
from sklearn_rank.model_selection.responses import Responses
from sklearn_rank.support.checks import as_numpy
from sklearn_rank.support.text import listed
from sklearn_rank.typing import Array


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
        return Reading(layout, *_read_rows(asked, y, options, owner), queries)
    if layout == "matrix":
        return Reading(layout, *_read_matrix(asked, y, options))
    y, ranked = as_tables(y, _ranked_lists(asked, y, options))
    return Reading("mapping" if isinstance(y, Mapping) else "lists", y, ranked)


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


def _read_rows(asked: Responses, y: Any, options: ScorerOptions, owner: str) -> tuple[Any, Array]:
    """Grades and scores of rows."""
    scores = responses.row_scores(asked, y, options, owner)
    y = y if hasattr(y, "to_pylist") else as_numpy(y)
    if options.relevance is not None or options.pos_label is not None:
        y = responses.label_grades(y, options.pos_label, options.relevance)
    elif asked.are_signed:
        y = responses.unmasked(y, "y") == 1
    return y, scores


def _read_matrix(asked: Responses, y: Any, options: ScorerOptions) -> tuple[Any, Any]:
    """Grades and scores of queries by items."""
    method = _method_for_queries(asked.estimator, "matrix", options)
    scores = asked.of(method)
    if method == "predict_proba":
        scores = responses.expected_grades(asked.estimator, scores)
    if hasattr(y, "columns") and hasattr(scores, "columns"):
        scores = _with_columns_of(y, scores, method)
    return as_numpy(y), scores


def _with_columns_of(y: Any, scores: Any, method: str) -> Any:
    """Scores with the items of y; columns without names stand in the order of those of y."""
    items, own = list(y.columns), list(scores.columns)
    if own == items or type(scores.columns).__name__ == "RangeIndex":
        return scores
    if len(set(own)) == len(own) and set(own) == set(items):
        return scores[items]
    msg = (
        f"columns of {method} are not those of y: {listed(own)} and {listed(items)}; name the same "
        "items, or return an array"
    )
    raise RankingConfigError(msg)


def _ranked_lists(asked: Responses, y: Any, options: ScorerOptions) -> Any:
    """A ranked list for each query."""
    method = _method_for_queries(asked.estimator, "lists", options)
    ranked = asked.of(method)
    if hasattr(ranked, "columns"):
        ranked = as_numpy(ranked)
    if not hasattr(ranked, "__len__"):
        ranked = list(ranked)
    if len(ranked) != len(y):
        msg = (
            f"{method} gives {len(ranked):,} ranked lists for {len(y):,} queries; "
            "it has to give one per element of X"
        )
        raise RankingConfigError(msg)
    return ranked


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
