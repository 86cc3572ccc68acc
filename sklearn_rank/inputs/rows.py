"""Rows: one grade, one score and one query id per (query, item) pair, in any order."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import GroupsRequiredError
from sklearn_rank.rankings.places import GradedRows
from sklearn_rank.rankings.pool import count_unjudged, judged_by_scores
from sklearn_rank.rankings.source import Judged
from sklearn_rank.support.arrays import (
    as_numbers,
    check_finite,
    check_grades,
    check_same_index,
    check_same_length,
    check_weights,
    is_missing,
    to_array,
)
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, FloatArray, IntArray, NegativeGrades, Ties


class Grouping(NamedTuple):
    """Which rows belong to which query."""

    query_ids: Array | list[Any]
    """In order of first appearance."""
    offsets: IntArray
    order: IntArray | None
    """Rows, query after query; None if they already come so."""


def from_rows(
    y_true: Any,
    y_score: Any,
    groups: Any,
    *,
    sample_weight: Any = None,
    ties: Ties = "average",
    negative_grades: NegativeGrades = "raise",
    n_jobs: int | None = None,
) -> Judged:
    """Judged rankings of 1-D grades and scores with a query id per row."""
    if len(y_true) == 0:
        msg = "no queries to evaluate: y_true is empty"
        raise ValueError(msg)
    if groups is None:
        msg = (
            "the rows layout needs groups: the query id of each row. "
            "Pass groups=qid; for one query with many items pass 2-D arrays of one row"
        )
        raise GroupsRequiredError(msg)
    check_same_index(y_true=y_true, y_score=y_score, groups=groups, sample_weight=sample_weight)
    grades = _column(as_numbers(y_true, "y_true"), "y_true")
    scores = _column(as_numbers(y_score, "y_score"), "y_score")
    check_same_length("y_true", len(grades), "y_score", len(scores))
    ids = read_groups(groups, len(grades))

    def where(position: int) -> str:
        return f"row {position} of query {safe_repr(ids[position])}"

    check_finite(scores, "y_score", where=where, infinite=True)
    grades = check_grades(grades, "y_true", where=where, negative=negative_grades)
    grouping = group_rows(ids)
    weights = _query_weights(sample_weight, grouping, len(grades))
    if grouping.order is not None:
        grades, scores = grades[grouping.order], scores[grouping.order]
    items = GradedRows(scores, grouping.offsets, grades)
    return judged_by_scores(
        items,
        ties,
        query_ids=grouping.query_ids,
        weights=weights,
        counts=count_unjudged(grades, negative_grades),
        n_jobs=n_jobs,
    )


def _column(array: Array, name: str) -> Array:
    if array.ndim != 1:
        msg = f"{name} should be a 1d array, got an array of shape {array.shape} instead."
        raise ValueError(msg)
    return array


def read_groups(groups: Any, n_rows: int | None = None) -> Array | list[Any]:
    """Query ids as an array or a list, one per row, none missing."""
    if hasattr(groups, "to_pylist"):
        groups = groups.to_pylist()
    elif hasattr(groups, "to_numpy"):
        groups = groups.to_numpy()
    if isinstance(groups, (list, tuple)):
        ids: Array | list[Any] = _listed_ids(groups)
    else:
        ids = to_array(groups, "groups")
        if ids.ndim != 1:
            msg = f"groups should be a 1d array, got an array of shape {ids.shape} instead."
            raise ValueError(msg)
        if ids.dtype.kind in "OT":
            ids = ids.tolist()
    if n_rows is not None and len(ids) != n_rows:
        _refuse_length(ids, n_rows)
    missing = _first_missing(ids)
    if missing is not None:
        msg = f"groups contains missing values (row {missing})"
        raise ValueError(msg)
    return ids


def _listed_ids(groups: list[Any] | tuple[Any, ...]) -> Array | list[Any]:
    """Integers as an array, all else as it is: NumPy would make strings of [1, "1"]."""
    if set(map(type, groups)) <= {int}:
        try:
            return np.array(groups, dtype=np.int64)
        except OverflowError:
            pass
    return list(groups)


def _refuse_length(ids: Array | list[Any], n_rows: int) -> None:
    msg = (
        f"Found input variables with inconsistent numbers of samples: "
        f"[{n_rows}, {len(ids)}] (y_true, groups)"
    )
    try:
        if sum(int(size) for size in ids) == n_rows:
            msg += " - groups must hold one id per row, not group sizes"
    except (TypeError, ValueError):
        pass
    raise ValueError(msg)


def _first_missing(ids: Array | list[Any]) -> int | None:
    if isinstance(ids, np.ndarray):
        if ids.dtype.kind in "fmM":
            missing = np.isnat(ids) if ids.dtype.kind in "mM" else np.isnan(ids)
            return int(np.flatnonzero(missing)[0]) if missing.any() else None
        return None
    return next((row for row, value in enumerate(ids) if is_missing(value)), None)


def group_rows(ids: Array | list[Any]) -> Grouping:
    """Rows by query, whatever their order."""
    if isinstance(ids, np.ndarray):
        borders = np.flatnonzero(ids[1:] != ids[:-1]) + 1
        offsets = np.concatenate(([0], borders, [len(ids)]))
        firsts = ids[offsets[:-1]]
        if _rise(firsts) or len(set(firsts.tolist())) == len(firsts):
            return Grouping(firsts, offsets, None)
        unique, first_rows, codes = np.unique(ids, return_index=True, return_inverse=True)
        appearance = np.argsort(first_rows, kind="stable")
        place = np.empty(len(unique), dtype=np.int64)
        place[appearance] = np.arange(len(unique))
        return _sorted_grouping(unique[appearance], place[codes])
    numbers: dict[Hashable, int] = {}
    try:
        codes = np.fromiter(
            (numbers.setdefault(value, len(numbers)) for value in ids), np.int64, len(ids)
        )
    except TypeError as error:
        row = next(row for row, value in enumerate(ids) if not _is_hashable(value))
        msg = f"groups holds an unhashable {type(ids[row]).__name__} at row {row}"
        raise TypeError(msg) from error
    return _sorted_grouping(list(numbers), codes)


def _rise(ids: Array) -> bool:
    """Whether each id is greater than the one before, so that none returns; False if unordered."""
    return ids.dtype.kind in "biufmMSU" and bool((ids[1:] > ids[:-1]).all())


def _sorted_grouping(query_ids: Array | list[Any], codes: IntArray) -> Grouping:
    offsets = offsets_of(np.bincount(codes, minlength=len(query_ids)))
    if (codes[1:] >= codes[:-1]).all():
        return Grouping(query_ids, offsets, None)
    return Grouping(query_ids, offsets, np.argsort(codes, kind="stable"))


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _query_weights(sample_weight: Any, grouping: Grouping, n_rows: int) -> FloatArray | None:
    """One weight per query from one per row."""
    if sample_weight is None:
        return None
    n_queries = len(grouping.query_ids)
    given = as_numbers(sample_weight, "sample_weight")
    if given.ndim == 1 and len(given) != n_rows:
        fits = "one per query; " if len(given) == n_queries else ""
        msg = (
            f"sample_weight has {len(given)} weights, {fits}the rows layout takes one per row "
            f"({n_rows}), the same for all rows of a query"
        )
        raise ValueError(msg)
    weights = check_weights(given, n_rows)
    if grouping.order is not None:
        weights = weights[grouping.order]
    firsts = weights[grouping.offsets[:-1]]
    differs = np.flatnonzero(weights != np.repeat(firsts, np.diff(grouping.offsets)))
    if len(differs):
        query = int(np.searchsorted(grouping.offsets, differs[0], side="right")) - 1
        msg = (
            "sample_weight is the weight of a query, so it must be the same for all its rows; "
            f"query {safe_repr(grouping.query_ids[query])} has {firsts[query]:g} "
            f"and {weights[differs[0]]:g}"
        )
        raise ValueError(msg)
    return firsts
