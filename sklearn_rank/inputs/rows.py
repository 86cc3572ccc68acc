"""Rows: one grade, one score and one query id per (query, item) pair, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.ids import CodedIds, Ids, PlainIds, code_objects, refuse_missing
from sklearn_rank.rankings.data import (
    InputCounts,
    RankingData,
    UnjudgedItems,
    count_unjudged,
    judged_by_scores,
)
from sklearn_rank.rankings.ranking import GradedRows
from sklearn_rank.support.checks import (
    as_numbers,
    as_numpy,
    check_finite,
    check_grades,
    check_same_index,
    check_same_length,
    check_weights,
    to_array,
)
from sklearn_rank.support.segments import offsets_of, sizes_of
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray, NegativeGrades, Ties


class Grouping(NamedTuple):
    """Which rows belong to which query."""

    query_ids: Array | list[Any]
    """In order of first appearance."""
    offsets: IntArray
    order: IntArray | None
    """Rows, query after query; None if they already come so."""


def read_groups(groups: Any, n_rows: int | None = None) -> Ids:
    """Query ids, one per row, none missing, none that equals one of another type."""
    ids = groups if isinstance(groups, (PlainIds, CodedIds)) else _read(groups)
    if n_rows is not None and len(ids) != n_rows:
        _refuse_length(ids, n_rows)
    return ids


def _read(groups: Any) -> Ids:
    if hasattr(groups, "to_pylist"):  # of Arrow
        whole = str(groups.type).startswith(("int", "uint")) and not groups.null_count
        groups = np.asarray(groups) if whole else groups.to_pylist()
    if getattr(getattr(groups, "dtype", None), "tz", None) is not None:
        groups = list(groups)  # named as they are, and compared as instants
    groups = as_numpy(groups)
    if isinstance(groups, (list, tuple)):
        return _from_objects(groups)
    ids = to_array(groups, "groups")
    if ids.ndim != 1:
        msg = f"groups should be a 1d array, got an array of shape {ids.shape} instead."
        raise ValueError(msg)
    if ids.dtype.kind in "OT":
        return _from_objects(ids.tolist())
    if ids.dtype.kind in "fmM":
        refuse_missing(np.isnan(ids) if ids.dtype.kind == "f" else np.isnat(ids))
    return PlainIds(ids)


def _from_objects(values: Sequence[Any]) -> Ids:
    """Ids by their equality as keys; NumPy would make strings of [1, "1"]."""
    if set(map(type, values)) <= {int}:
        with suppress(OverflowError):
            return PlainIds(np.array(values, dtype=np.int64))
    return code_objects(values)


def _refuse_length(ids: Ids, n_rows: int) -> None:
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


def listed_ids(ids: Array | list[Any]) -> list[Any]:
    """Distinct ids as plain Python values."""
    values: list[Any] = ids.tolist() if isinstance(ids, np.ndarray) else ids
    return values


# Rows into queries -------------------------------------------------------------------------------


def group_rows(ids: Ids) -> Grouping:
    """Rows by query, whatever their order."""
    values = ids.codes if isinstance(ids, CodedIds) else ids.values
    borders = np.flatnonzero(values[1:] != values[:-1]) + 1
    offsets = np.concatenate(([0], borders, [len(values)]))
    firsts = values[offsets[:-1]]
    if isinstance(ids, CodedIds):
        if np.bincount(firsts).max() <= 1:
            return Grouping(ids.named(firsts), offsets, None)
        return _group_codes(ids)
    if _rise(firsts):
        return Grouping(firsts, offsets, None)
    coded = _code_firsts(firsts)
    if np.bincount(coded.codes).max() <= 1:
        return Grouping(firsts, offsets, None)
    return _group_codes(CodedIds(coded.distinct, np.repeat(coded.codes, sizes_of(offsets))))


def _code_firsts(firsts: Array) -> CodedIds:
    """Ids of runs, coded; the distinct ones in any order, of which not all need occur."""
    kind = firsts.dtype.kind
    if kind in "iu":
        low, high = firsts.min(), firsts.max()
        if int(high) - int(low) <= 4 * len(firsts):  # a table of all integers between is small
            wide = firsts.astype(np.int64) if kind == "i" else firsts  # int8 would overflow
            codes = (wide - wide.min()).astype(np.int64)
            return CodedIds(np.arange(int(low), int(high) + 1, dtype=firsts.dtype), codes)
    if kind in "SU":  # a dict of text is ten times faster than sorting it
        read = code_objects(firsts.tolist())
        return CodedIds(np.array(read.distinct, dtype=firsts.dtype), read.codes)
    unique, codes = np.unique(firsts, return_inverse=True)
    return CodedIds(unique, codes)


def _group_codes(ids: CodedIds) -> Grouping:
    """Rows of queries that are scattered."""
    appearing, codes = _in_order_of_appearance(ids.codes, len(ids.distinct))
    offsets = offsets_of(np.bincount(codes, minlength=len(appearing)))
    return Grouping(ids.named(appearing), offsets, _stable_order(codes, len(appearing)))


def _stable_order(codes: IntArray, n_codes: int) -> IntArray | None:
    """Rows by code; None if they already come so. NumPy sorts 16-bit numbers by counting."""
    if (codes[1:] >= codes[:-1]).all():
        return None
    order: IntArray = np.argsort(codes.astype(np.uint16), kind="stable")
    if n_codes > 1 << 16:
        high = (codes >> 16)[order]
        narrow = high.astype(np.uint16) if n_codes <= 1 << 32 else high
        order = order[np.argsort(narrow, kind="stable")]
    return order


def code_rows(ids: Ids) -> CodedIds:
    """The same ids, coded."""
    if isinstance(ids, CodedIds):
        return ids
    grouping = group_rows(ids)
    codes = np.repeat(np.arange(len(grouping.query_ids)), sizes_of(grouping.offsets))
    if grouping.order is not None:
        scattered = np.empty_like(codes)
        scattered[grouping.order] = codes
        codes = scattered
    return CodedIds(grouping.query_ids, codes)


def _in_order_of_appearance(codes: IntArray, n_distinct: int) -> tuple[IntArray, IntArray]:
    """Codes that occur, in order of first appearance; (n_samples,) place of each row's there."""
    first_rows = np.full(n_distinct, len(codes))
    first_rows[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last one written stays
    occurring = np.flatnonzero(first_rows < len(codes))
    appearing = occurring[np.argsort(first_rows[occurring], kind="stable")]
    places = np.empty(n_distinct, dtype=np.int64)
    places[appearing] = np.arange(len(appearing))
    return appearing, places[codes]


def _rise(ids: Array) -> bool:
    """Whether each id is greater than the one before, so that none returns; False if unordered."""
    return ids.dtype.kind in "biufmMSU" and bool((ids[1:] > ids[:-1]).all())


class GradedQueries(NamedTuple):
    """Checked grades of rows, query after query: all that stays the same whatever the scores."""

    grades: Array
    grouping: Grouping
    weights: FloatArray | None
    """(Q,) weight of each query; None weighs all alike."""
    counts: InputCounts

    def ranked_by(
        self,
        scores: Array,
        ties: Ties,
        *,
        depth: int | None = None,
        n_jobs: int | None = None,
    ) -> RankingData:
        """Judged rankings by checked scores, which come in the order of the caller's rows."""
        grouping = self.grouping
        if grouping.order is not None:
            scores = scores[grouping.order]
        return judged_by_scores(
            GradedRows(scores, grouping.offsets, self.grades),
            ties,
            query_ids=grouping.query_ids,
            weights=self.weights,
            counts=self.counts,
            depth=depth,
            unjudged=self._unjudged(),
            n_jobs=n_jobs,
        )

    def _unjudged(self) -> UnjudgedItems | None:
        if not self.counts.unjudged_grades:
            return None
        return flagged(self.grades < 0, len(self.grouping.query_ids))


def from_rows(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    ties: Ties = "average",
    negative_grades: NegativeGrades = "raise",
    depth: int | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Judged rankings of 1-D grades and scores with a query id per row."""
    if len(y_true) == 0:
        msg = "no queries to evaluate: y_true is empty"
        raise ValueError(msg)
    if groups is None:
        msg = (
            "the rows layout needs groups: the query id of each row. "
            "Pass groups=qid; for one query with many items pass 2-D arrays of one row"
        )
        raise RankingConfigError(msg)
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
        grades = grades[grouping.order]
    queries = GradedQueries(grades, grouping, weights, count_unjudged(grades, negative_grades))
    return queries.ranked_by(scores, ties, depth=depth, n_jobs=n_jobs)


def _column(array: Array, name: str) -> Array:
    if array.ndim != 1:
        msg = f"{name} should be a 1d array, got an array of shape {array.shape} instead."
        raise ValueError(msg)
    return array


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
    differs = np.flatnonzero(weights != np.repeat(firsts, sizes_of(grouping.offsets)))
    if len(differs):
        query = int(np.searchsorted(grouping.offsets, differs[0], side="right")) - 1
        msg = (
            "sample_weight is the weight of a query, so it must be the same for all its rows; "
            f"query {safe_repr(grouping.query_ids[query])} has {firsts[query]:g} "
            f"and {weights[differs[0]]:g}"
        )
        raise ValueError(msg)
    return firsts


def flagged(are_unjudged: BoolArray, n_queries: int) -> UnjudgedItems:
    """Unjudged items among those of arrays, which leave out no item that could be retrieved."""
    return UnjudgedItems(are_unjudged.view(np.uint8), np.zeros(n_queries, dtype=bool))
