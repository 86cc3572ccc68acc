"""Arrays: rows with a query id each, in any order, and matrices with a row per query."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count, pairwise
from numbers import Integral, Number
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.exceptions import RankingConfigError, RankingDataWarning
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.rankings.data import InputCounts, RankingData
from sklearn_rank.rankings.ranking import Items
from sklearn_rank.support.checks import (
    as_column,
    as_native,
    as_numbers,
    as_numpy,
    check_finite,
    check_grades,
    check_same_index,
    check_same_length,
    check_weights,
    is_missing,
    refuse_shuffled,
    to_array,
    without_arrays,
)
from sklearn_rank.support.constants import SURELY
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import offsets_of, segment_index, segment_sum, sizes_of
from sklearn_rank.support.text import called, safe_repr
from sklearn_rank.typing import (
    Array,
    BoolArray,
    FloatArray,
    IntArray,
    NegativeGrades,
)

# Query ids ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CodedIds:
    """Ids coded by distinct id, so that text and objects are compared only once."""

    distinct: list[Any]
    codes: IntArray
    """(n_samples,) positions of the rows' ids among the distinct ones."""

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Any:
        codes = self.codes[rows]
        return CodedIds(self.distinct, codes) if isinstance(rows, slice) else self.distinct[codes]

    def __iter__(self) -> Iterator[Any]:
        return map(self.distinct.__getitem__, self.codes.tolist())

    @classmethod
    def of(cls, values: Sequence[Hashable]) -> CodedIds:
        """Ids of any kind."""
        try:
            return cls(*numbered(values, len(values)))
        except TypeError:
            row, value = next((n, v) for n, v in enumerate(values) if not is_hashable(v))
            kind = type(value).__name__
            msg = f"row {row} has the id {safe_repr(value)}, a {kind}; pass strings or numbers"
            raise TypeError(msg) from None

    def take(self, rows: IntArray | slice) -> CodedIds:
        """The ids of some rows, without unused ids if the rows are few."""
        codes = self.codes[rows]
        if 2 * len(codes) >= len(self.distinct):
            return CodedIds(self.distinct, codes)
        used, codes = np.unique(codes, return_inverse=True)
        return CodedIds([self.distinct[code] for code in used.tolist()], codes)

    def to_list(self) -> list[Any]:
        """The ids as Python objects."""
        return list(self)

    def equals(self, other: CodedIds) -> bool:
        """Whether the rows have the same ids."""
        if self.distinct is other.distinct or self.distinct == other.distinct:
            return np.array_equal(self.codes, other.codes)
        return self.to_list() == other.to_list()

    def in_codes_of(self, other: CodedIds) -> IntArray:
        """The rows' ids as codes of other ids, -1 if these lack one."""
        if self.distinct is other.distinct:
            return self.codes
        numbers = {value: number for number, value in enumerate(other.distinct)}
        codes = [numbers.get(value, -1) for value in self.distinct]
        return np.array(codes, dtype=np.int64)[self.codes] if codes else self.codes


@dataclass(frozen=True, eq=False)
class IntegerIds:
    """Integer ids, which are their own codes."""

    codes: Array
    """(n_samples,) the ids."""

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Any:
        return IntegerIds(self.codes[rows]) if isinstance(rows, slice) else int(self.codes[rows])

    def __iter__(self) -> Iterator[int]:
        return iter(self.to_list())

    def take(self, rows: IntArray) -> IntegerIds:
        """The ids of some rows."""
        return IntegerIds(self.codes[rows])

    def to_list(self) -> list[int]:
        """The ids as Python objects."""
        ids: list[int] = self.codes.tolist()
        return ids

    def equals(self, other: IntegerIds) -> bool:
        """Whether the rows have the same ids."""
        return np.array_equal(self.codes, other.codes)


Ids: TypeAlias = Array | CodedIds
"""Query ids, one per row: an array if NumPy can compare them."""


def read_groups(groups: Any, n_rows: int | None = None) -> Ids:
    """Query ids, one per row, none missing, all of one type."""
    if isinstance(groups, str):
        column = f"frame[{safe_repr(groups)}]"
        msg = f"groups must hold the query id of each row, such as {column}; got a str"
        raise TypeError(msg)
    ids = groups if isinstance(groups, CodedIds) else _read_groups(groups)
    if n_rows is None or len(ids) == n_rows:
        return ids
    msg = (
        f"Found input variables with inconsistent numbers of samples: "
        f"[{n_rows}, {len(ids)}] (y_true, groups)"
    )
    with suppress(TypeError, ValueError):
        if sum(int(size) for size in ids) == n_rows:
            msg += " - groups must hold one id per row, not group sizes; pass "
            msg += "np.repeat(np.arange(len(sizes)), sizes)"
    raise ValueError(msg)


def _read_groups(groups: Any) -> Ids:
    if hasattr(groups, "to_pylist"):  # of Arrow
        whole = (
            str(getattr(groups, "type", "")).startswith(("int", "uint")) and not groups.null_count
        )
        groups = np.asarray(groups) if whole else groups.to_pylist()
    if type(getattr(groups, "dtype", None)).__name__ in _FACTORIZED:
        codes, distinct = groups.factorize()
        _refuse_missing(codes < 0, "groups")
        coded = code_objects(distinct.tolist(), "groups")
        return CodedIds(coded.distinct, coded.codes[codes])
    groups = as_native(as_numpy(groups), "groups")
    if isinstance(groups, (list, tuple)):
        groups = without_arrays(groups)
    else:
        ids = as_column(to_array(groups, "groups"), "groups")
        kind = ids.dtype.kind
        if kind in "fmM":
            _refuse_missing(np.isnan(ids) if kind == "f" else np.isnat(ids), "groups")
        if kind not in "OTV":  # a row of fields is a tuple
            return ids
        groups = ids.tolist()
    # By their equality as keys: NumPy would make strings of [1, "1"].
    if set(map(type, groups)) <= {int}:
        with suppress(OverflowError):
            return np.array(groups, dtype=np.int64)
    return code_objects(groups, "groups")


_FACTORIZED = ("DatetimeTZDtype", "CategoricalDtype", "StringDtype")
"""Types whose values pandas codes itself, in a tenth of the time that Python objects take."""


def _refuse_missing(missing: BoolArray, name: str) -> None:
    if missing.any():
        msg = f"{name} contains missing values (row {int(np.flatnonzero(missing)[0])})"
        raise ValueError(msg)


_NUMBER_KINDS: dict[str, Any] = {
    "bool": (bool, np.bool_),
    "int": Integral,
    "float": (float, np.floating),
    "number": Number,
    "str": str,
    "bytes": bytes,
}
"""Types of ids; all ids of a data set have the same one."""


def code_objects(values: Sequence[Any], name: str) -> CodedIds:
    """Ids of any kind, coded in order of first appearance."""
    try:
        distinct, codes = numbered(values, len(values))
    except TypeError as error:
        row = next(row for row, value in enumerate(values) if not is_hashable(value))
        msg = f"{name} holds an unhashable {type(values[row]).__name__} at row {row}"
        raise TypeError(msg) from error
    kinds = set(map(type, values))
    if not kinds <= {str, int}:
        missing = np.array([is_missing(value) for value in distinct], dtype=bool)
        _refuse_missing(missing[codes], name)
    # 1, 1.0 and True, which are equal keys, could become one query, and 1 and "1" would be two.
    firsts: dict[str, int] = {}
    for kind in kinds:
        what = next(
            (what for what, kinds in _NUMBER_KINDS.items() if issubclass(kind, kinds)), None
        )
        if what is not None:
            row = next(row for row, value in enumerate(values) if type(value) is kind)
            firsts[what] = min(row, firsts.get(what, row))
    if len(firsts) > 1:
        (row, first), (other, second) = sorted((row, what) for what, row in firsts.items())[:2]
        msg = (
            f"{name} mixes ids of several types, {first} (row {row}) and {second} (row {other}): "
            "1, 1.0 and True would be the same query, '1' another one; use one type"
        )
        raise ValueError(msg)
    return CodedIds(distinct, codes)


def is_hashable(value: Any) -> bool:
    """Whether a value can be a key."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def numbered(keys: Iterable[Hashable], n_keys: int) -> tuple[list[Any], IntArray]:
    """Distinct keys in order of first appearance, and the position of each key among them."""
    numbers: defaultdict[Hashable, int] = defaultdict(count().__next__)
    # A key that is missing gets the next number, so that a loop in C hashes each key once.
    codes = np.fromiter(map(numbers.__getitem__, keys), np.int64, n_keys)
    return list(numbers), codes


def listed_ids(ids: Array | list[Any]) -> list[Any]:
    """Distinct ids as plain Python values."""
    values: list[Any] = ids.tolist() if isinstance(ids, np.ndarray) else ids
    return values


# Rows into queries -------------------------------------------------------------------------------


class Grouping(NamedTuple):
    """Which rows belong to which query."""

    query_ids: Array | list[Any]
    """In order of first appearance."""
    offsets: IntArray
    order: IntArray | None
    """Rows in the order of their queries; None if they already are."""

    @property
    def numbers(self) -> IntArray:
        """(n_samples,) position of each row's query."""
        numbers = segment_index(self.offsets)
        if self.order is not None:
            numbers[self.order] = numbers.copy()
        return numbers


def group_rows(ids: Ids) -> Grouping:
    """Rows by query, in any order."""
    values = ids.codes if isinstance(ids, CodedIds) else ids
    if not len(values):
        msg = "there are no rows: nothing to group by query"
        raise ValueError(msg)
    borders = (values[1:] != values[:-1]).nonzero()[0] + 1
    offsets = np.zeros(len(borders) + 2, np.int64)
    offsets[1:-1], offsets[-1] = borders, len(values)
    runs, order = values[offsets[:-1]], None  # the id of each run of rows
    kind = runs.dtype.kind
    if kind not in "biufmMSU" or np.count_nonzero(runs[1:] > runs[:-1]) < len(runs) - 1:
        low, high = (int(runs.min()), int(runs.max())) if kind in "iu" else (0, len(runs) * 5)
        if high - low <= 4 * len(runs):  # a table of all integers between is small
            wide = runs.astype(np.int64) if kind == "i" else runs  # int8 would overflow
            n_codes, codes = high - low + 1, (wide - wide.min()).astype(np.int64)
        elif kind in "SU":  # a dict of text is ten times faster than sorting it
            distinct, codes = numbered(runs.tolist(), len(runs))
            n_codes = len(distinct)
        else:
            values, codes = np.unique(runs, return_inverse=True)
            n_codes = len(values)
        times = np.bincount(codes)
        if times.max() > 1:  # the rows of some query are scattered
            first_runs = np.full(n_codes, len(runs))
            first_runs[codes[::-1]] = np.arange(len(runs) - 1, -1, -1)  # the last one written stays
            first_runs = np.sort(first_runs)[: np.count_nonzero(times)]
            numbers = np.empty(n_codes, dtype=np.int64)
            numbers[codes[first_runs]] = np.arange(len(first_runs))
            rows = np.repeat(numbers[codes], sizes_of(offsets))
            runs, offsets = runs[first_runs], offsets_of(np.bincount(rows))
            # NumPy sorts 16-bit numbers by counting; the low bits first, then stably the high ones.
            order = np.argsort(rows.astype(np.uint16), kind="stable")
            if len(runs) > 1 << 16:
                order = order[np.argsort((rows >> 16).astype(np.uint16)[order], kind="stable")]
    if isinstance(ids, CodedIds):
        return Grouping([ids.distinct[code] for code in runs.tolist()], offsets, order)
    return Grouping(runs, offsets, order)


def from_rows(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings from 1-D grades and scores with a query id per row."""
    if len(y_true) == 0:
        msg = "no queries to evaluate: y_true is empty"
        raise ValueError(msg)
    groups, sample_weight = options.groups, options.sample_weight
    if groups is None:
        raise RankingConfigError(_why_groups(y_true, y_score))
    candidates = options.candidates
    check_same_index(
        y_true=y_true,
        y_score=y_score,
        groups=groups,
        sample_weight=sample_weight,
        candidates=candidates,
    )
    grades = as_column(as_numbers(y_true, "y_true"), "y_true")
    scores = as_column(_unmasked_scores(y_score), "y_score")
    check_same_length("y_true", len(grades), "y_score", len(scores))
    ids = read_groups(groups, len(grades))
    cells = _read_candidates(candidates, y_score, scores.shape)

    def where(position: int) -> str:
        return f"row {position} of query {safe_repr(ids[position])}"

    def ranked_where(position: int) -> str:
        return where(position if cells is None else int(cells[position]))

    ranked = scores if cells is None else scores[cells]
    check_finite(ranked, "y_score", where=ranked_where, infinite=True)
    rule = options.negative_grades
    grades = _without_padding(grades, None, cells, len(grades))
    advice = _masks_padding(options)
    grades = check_grades(grades, "y_true", where=where, negative=rule, advice=advice)
    grouping = group_rows(ids)
    _doubt_groups(ids, grades, is_scattered=grouping.order is not None)
    weights = None if sample_weight is None else _query_weights(sample_weight, grouping)
    if grouping.order is not None:
        grades, scores = grades[grouping.order], scores[grouping.order]
        if cells is not None:
            is_ranked = np.zeros(len(grades), bool)
            is_ranked[cells] = True
            cells = np.flatnonzero(is_ranked[grouping.order])
    if cells is None:
        _refuse_argsort(scores, grades, grouping.offsets)
    else:
        _doubt_candidates(grades, cells, len(grouping.query_ids))
    scores = scores if cells is None else scores[cells]
    items = _items_of(grades, scores, grouping.offsets, cells, options)
    counts = count_unjudged(items)
    return RankingData.of(items, items.ranked(grouping.query_ids, weights), counts=counts)


def _why_groups(y_true: Any, y_score: Any) -> str:
    """What to pass instead of rows without query ids."""
    msg = (
        "the rows layout needs groups: the query id of each row. "
        "Pass groups=qid; for one query with many items pass 2-D arrays with one row"
    )
    has_items = getattr(y_score, "ndim", hasattr(y_score, "__len__")) and not is_sparse(y_score)
    first = next(iter(y_score), None) if has_items else None
    if isinstance(first, (list, tuple)) or getattr(first, "ndim", 0) == 1:
        msg = (
            "y_true holds one number per query, but y_score holds lists; if the numbers are ids of "
            "relevant items, pass [{item} for item in y_true]; for grades, pass 2-D arrays"
        )
    elif getattr(getattr(y_true, "index", None), "nlevels", 1) > 1:
        msg = "y_true is a Series indexed by query and item; pass data frames: y_true.reset_index()"
    return msg


def _doubt_groups(ids: Ids, grades: Array, *, is_scattered: bool) -> None:
    """RankingDataWarning for query ids that are the grades, or repeated group sizes."""
    if isinstance(ids, CodedIds) or ids.dtype.kind not in "biuf":
        return
    first, n_rows = slice(2 * _FEWEST), len(ids)
    are_grades = n_rows >= 2 * _FEWEST and np.array_equal(ids[first], grades[first])
    if are_grades and np.array_equal(ids, grades) and ids.min() < ids.max():
        msg = "groups equals y_true, so all items of a query have the same grade"
        warn(f"{msg}; pass the query id of each row", RankingDataWarning)
    elif is_scattered and ids.dtype.kind in "iu" and _comes_as_often(ids):
        warn(
            "groups look like repeated group sizes (each number occurs that many times), so "
            "queries of equal size are read as one; pass the query id of each row: "
            "np.repeat(np.arange(len(sizes)), sizes)",
            RankingDataWarning,
        )


def _comes_as_often(ids: Array) -> bool:
    """Whether each run of a positive number is as long as the number says, or a multiple of it."""
    first = int(ids[0])
    if first < 1 or (ids[:first] != first).any() or ids.min() < 1:
        return False  # most other ids are told by the first run
    borders = (ids[1:] != ids[:-1]).nonzero()[0] + 1
    sizes = np.diff(borders, prepend=0, append=len(ids))
    runs = ids[np.append(0, borders)]
    if (sizes % runs).any() or 2 * np.count_nonzero(sizes == runs) < len(runs):
        return False
    return len(runs) >= _FEWEST and bool(runs.max() > 2)


def _masks_padding(options: ReadOptions) -> str:
    if options.owner != "evaluate":  # it takes no candidates
        return "; evaluate(..., candidates=y_true >= 0) leaves out padding"
    return "; to leave out padding, pass candidates=y_true >= 0"


def _without_padding(
    grades: Array, stored: IntArray | None, cells: IntArray | None, size: int
) -> Array:
    """Grades, with 0 for non-candidates that have no valid grade, such as -1 for padding.

    ``stored`` are the positions of the grades among ``size`` cells; None means all.
    """
    if cells is None or grades.dtype.kind not in "if":
        return grades
    is_other = np.ones(size, bool)
    is_other[cells] = False
    is_padding = is_other if stored is None else is_other[stored]
    with np.errstate(invalid="ignore"):
        is_padding = is_padding & ~((grades >= 0) & np.isfinite(grades))
    return np.where(is_padding, grades.dtype.type(0), grades) if is_padding.any() else grades


def _items_of(
    grades: Array, scores: Array, offsets: IntArray, cells: IntArray | None, options: ReadOptions
) -> Items:
    """The items at the positions that are ranked; relevant ones elsewhere were not retrieved."""
    judged, rows = None, offsets
    if cells is not None:
        hits = np.flatnonzero(grades > 0)
        judged = np.searchsorted(hits, offsets), grades[hits].astype(np.float64)
        grades, rows = grades[cells], np.searchsorted(cells, offsets)
    items = graded_rows(grades, rows, options.negative_grades)
    return items._replace(scores=scores, judged=judged, ties=options.ties)


def graded_rows(grades: Array, offsets: IntArray, negative: NegativeGrades) -> Items:
    """Items with checked grades, grouped by query, without scores yet."""
    n_judged = None
    if negative == "unjudged" and grades.dtype.kind != "u" and (grades < 0).any():
        n_judged = segment_sum((grades >= 0).astype(np.int32), offsets).astype(np.int64)
    return Items(offsets, None, grades, n_judged=n_judged)


def count_unjudged(items: Items) -> InputCounts:
    """Negative grades, which mean "not judged"."""
    if items.n_judged is None:
        return InputCounts()
    return InputCounts(unjudged_grades=int(np.count_nonzero(items.is_unjudged)))


def _query_weights(sample_weight: Any, grouping: Grouping) -> FloatArray:
    """One weight per query from one per row."""
    n_rows, n_queries = int(grouping.offsets[-1]), len(grouping.query_ids)
    name = called("sample_weight")
    given = as_numbers(sample_weight, name)
    if given.ndim == 1 and len(given) != n_rows:
        fits = " (one per query)" if len(given) == n_queries else ""
        msg = (
            f"{name} has {len(given)} weights{fits}, but the rows layout takes one per row "
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
            f"{name} must be the same for all rows of a query, but "
            f"query {safe_repr(grouping.query_ids[query])} has {firsts[query]:g} "
            f"and {weights[differs[0]]:g}"
        )
        raise ValueError(msg)
    return firsts


_FEWEST = 5
"""The fewest queries that show whether scores agree with the judgements."""


def rank_relevant_first(
    scores: Array, grades: Array, offsets: IntArray, *, errors: float = 0.0
) -> bool:
    """Whether scores rank relevant items above the others, and so are not distances.

    ``errors`` is the margin in standard errors. If no query can show it, True for a few queries.
    """
    areas: list[float] = []
    for first, last in pairwise(offsets.tolist()):
        is_relevant = grades[first:last] > 0
        others = np.sort(scores[first:last][~is_relevant])
        hits = scores[first:last][is_relevant]
        if len(hits) and len(others):
            below = others.searchsorted(hits) + others.searchsorted(hits, side="right")
            areas.append(float(below.mean()) / 2 / len(others))
    if not areas:
        return len(offsets) <= _FEWEST
    margin = errors * float(np.std(areas)) / math.sqrt(len(areas))
    return float(np.mean(areas)) - margin > 0.5


# Matrices -----------------------------------------------------------------------------------------


def is_sparse(values: Any) -> bool:
    """Whether this is a SciPy sparse matrix or array, without importing SciPy."""
    return type(values).__module__.startswith("scipy.sparse")


def from_matrix(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings from (n_queries, n_items) grades and scores."""
    doubt = _doubt_of_ids(y_true, y_score)
    scores = _scores(y_true, y_score)
    n_queries, n_items = scores.shape
    flat, offsets = np.ascontiguousarray(scores).ravel(), np.arange(n_queries + 1) * n_items
    cells = _read_candidates(options.candidates, y_score, scores.shape)
    flat = flat if cells is None else flat[cells]
    grades, stored = _stored_grades(y_true)

    def cell(positions: IntArray | None, number: int) -> str:
        row, column = divmod(number if positions is None else positions[number], n_items)
        return f"row {row}, column {column}"

    has_lowest = check_finite(flat, "y_score", where=partial(cell, cells), infinite=True)
    rule, sample_weight = options.negative_grades, options.sample_weight
    grades = _without_padding(grades, stored, cells, scores.size)
    advice = f". {doubt}" if doubt else _masks_padding(options)
    grades = check_grades(
        grades, "y_true", where=partial(cell, stored), negative=rule, advice=advice
    )
    if doubt:
        warn(doubt, RankingDataWarning)
    n_negative = int(np.count_nonzero(grades < 0)) if rule == "unjudged" else 0
    if stored is not None:
        grades, entries = np.zeros(scores.size, grades.dtype), grades
        grades[stored] = entries
    if cells is None:
        _refuse_argsort(flat, grades, offsets)
    items = _items_of(grades, flat, offsets, cells, options)
    counts = InputCounts(unjudged_grades=n_negative)
    refuse_shuffled(sample_weight, called("sample_weight"))
    weights = None if sample_weight is None else check_weights(sample_weight, n_queries)
    about = {"positional": True, "masks_by_score": has_lowest and options.candidates is None}
    if cells is not None:
        _doubt_candidates(grades, cells, n_queries)
    rankings = items.ranked(np.arange(n_queries), weights)
    return RankingData.of(items, rankings, counts=counts, **about)


_LARGE_GRADE = 30
_GRADES_UP_TO = 10
_LOOKED_ROWS, _SURELY_BITS = 100, 10


def _doubt_of_ids(y_true: Any, y_score: Any) -> str:
    """Doubt that small whole numbers are grades, since they seem to be ids; or "".

    TypeError for large ones. Ids of a row differ, apart from padding with 0 or -1 at its end.
    """
    sides = (y_true, y_score)
    if any(getattr(getattr(side, "dtype", None), "kind", "O") not in "iu" for side in sides):
        return ""
    if any(is_sparse(side) or getattr(side, "ndim", 0) != 2 or not side.size for side in sides):
        return ""
    given, ranked = map(np.asarray, sides)
    if given.max() <= _GRADES_UP_TO or given.min() < -1:
        return ""
    is_id, advice = np.ones(given.shape, bool), "pass .tolist() of both"
    is_padded = np.count_nonzero(given[:, -1] <= 0) > 1 or not _all_differ(given, is_id)
    if is_padded:
        has_zero = bool(given.min() < 0)
        is_id = given >= 0 if has_zero else given > 0
        if (is_id[:, 1:] & ~is_id[:, :-1]).any() or not _all_differ(given, is_id):
            return ""
        kept = "i >= 0" if has_zero else "i > 0"
        advice = f"pass lists without padding, [[i for i in row if {kept}] for row in y_true]"
    judged = given[is_id]
    ids, is_large = np.unique(judged), 2 * np.count_nonzero(judged > _LARGE_GRADE) > judged.size
    differ = _all_differ(ranked, ranked > 0)
    is_doubtful = differ and 2 * np.isin(ids, ranked).sum() >= len(ids)
    if is_padded:
        # Grades are few, counts may be sorted, and lists of both and of scores are padded alike.
        are_several = bool(is_id[:, 1:].any())
        falls = are_several and (given[:, 1:] <= given[:, :-1]).all()
        are_few = len(ids) <= min(_GRADES_UP_TO, len(judged) / 2)
        is_other = np.resize(ranked <= 0, given.shape)
        are_alike = not (is_id & is_other).any() and 2 * is_other.sum() >= (~is_id).sum() > 0
        if falls or are_few or (given.shape == ranked.shape and are_alike):
            return ""
        is_large &= is_doubtful or (differ and are_several and _ends_surely(is_id))
    are_ids = f"If they are ids, {advice}; if grades, pass y_score as floats"
    if is_large:
        msg = (
            "y_true and y_score are 2-D arrays of whole numbers, and the rows of y_true look like "
            f"ids: all differ, and most exceed {_LARGE_GRADE}. {are_ids}"
        )
        raise TypeError(msg)
    if not is_doubtful:
        return ""
    return (
        "y_true and y_score are 2-D arrays of whole numbers, all different in each row, and are "
        f"read as grades and scores of items in columns. {are_ids}"
    )


def _ends_surely(is_id: BoolArray) -> bool:
    """Whether padding in any columns would not come to be at the end of all rows."""
    width, sizes = is_id.shape[1], is_id[:_LOOKED_ROWS].sum(axis=1).tolist()
    return sum(math.log2(math.comb(width, size)) for size in sizes) >= _SURELY_BITS


def _all_differ(values: Array, is_id: BoolArray) -> bool:
    """Whether the ids of each row differ."""
    rows = np.broadcast_to(np.arange(len(values))[:, None], values.shape)[is_id]
    ids = values[is_id]
    order = np.lexsort((ids, rows))
    ids, rows = ids[order], rows[order]
    return not ((ids[1:] == ids[:-1]) & (rows[1:] == rows[:-1])).any()


def _refuse_argsort(scores: Array, grades: Array, offsets: IntArray) -> None:
    """ValueError if each query has 0 to n - 1 in some order, no better than chance."""
    sizes = sizes_of(offsets)
    too_few = len(sizes) < _FEWEST or len(scores) < _FEWEST * len(sizes)
    if scores.dtype.kind not in "iu" or too_few:
        return
    if not np.array_equal(np.sort(scores[: sizes[0]]), np.arange(sizes[0])):
        return
    queries = segment_index(offsets)
    in_order = scores[np.lexsort((scores, queries))]
    is_order = np.array_equal(in_order, np.arange(len(scores)) - offsets[queries])
    if is_order and not rank_relevant_first(scores, grades, offsets, errors=2):
        msg = (
            f"y_score has the numbers 0 to {sizes.max() - 1} once for each query, like the output "
            "of argsort, but as scores they do not rank relevant items first; pass the scores "
            "themselves, or ranked ids as lists"
        )
        raise ValueError(msg)


def _stored_grades(y_true: Any) -> tuple[Array, IntArray | None]:
    """Grades of a matrix, and their flat positions unless all are stored."""
    if not is_sparse(y_true):
        return np.ascontiguousarray(as_numbers(y_true, "y_true")).ravel(), None
    entries = y_true.tocsr(copy=True)
    entries.sum_duplicates()
    entries = entries.tocoo()
    positions = entries.row.astype(np.int64) * y_true.shape[1] + entries.col
    return as_numbers(entries.data, "y_true"), positions


_OF_IDS = "pass ids.tolist() and a set of relevant ids for each query"
OF_PAIR = f"; if it is a pair (ids, scores), as from implicit's recommend, {_OF_IDS}"


def is_pair_of_matrices(y_score: Any) -> bool:
    """Whether this is a tuple of ids and scores, both with a row per query."""
    is_pair = isinstance(y_score, tuple) and len(y_score) == 2
    return is_pair and all(getattr(side, "ndim", 0) == 2 for side in y_score)


def _scores(y_true: Any, y_score: Any) -> Array:
    """Scores in the shape of the ground truth."""
    if is_sparse(y_score):
        msg = "y_score is sparse, but every item needs a score; pass y_score.toarray()"
        raise TypeError(msg)
    scores = _unmasked_scores(y_score)
    shape = tuple(np.shape(y_true))
    if len(shape) != 2 or scores.ndim != 2 or shape != scores.shape:
        msg = (
            f"y_true has shape {shape} and y_score {scores.shape}; "
            "the matrix layout takes two arrays of shape (n_queries, n_items)"
        )
        if isinstance(y_score, tuple) and len(y_score) == 2:
            msg += OF_PAIR
        elif scores.dtype.kind in "iu":
            msg += f"; if y_score holds ids, {_OF_IDS}"
        elif scores.shape == (*shape, 1):
            msg += "; pass y_score[:, :, 0]"
        elif scores.shape == (*shape, 2) and not isinstance(y_score, (list, tuple)):
            msg += "; pass y_score[:, :, 1], the scores of the second class"
        elif scores.ndim == 3:
            msg += "; from predict_proba, pass np.column_stack([p[:, 1] for p in y_score])"
        raise ValueError(msg)
    if not scores.size:
        msg = f"no queries to evaluate: y_true has shape {shape}"
        raise ValueError(msg)
    return scores


def _unmasked_scores(y_score: Any) -> Array:
    """Scores without their mask, which says what is ranked."""
    is_masked = isinstance(y_score, np.ma.MaskedArray)
    return as_numbers(np.ma.getdata(y_score) if is_masked else y_score, "y_score")


def _read_candidates(candidates: Any, y_score: Any, shape: tuple[int, ...]) -> IntArray | None:
    """Flat positions of the scores that are ranked, by the argument and the mask of ``y_score``.

    None for all.
    """
    is_masked = isinstance(y_score, np.ma.MaskedArray)
    if candidates is None and not is_masked:
        return None
    chosen = ~np.ma.getmaskarray(y_score) if is_masked else np.True_
    if candidates is not None:
        cells = (
            candidates.toarray() if is_sparse(candidates) else to_array(candidates, "candidates")
        )
        if cells.dtype != bool:
            msg = f"candidates has dtype {cells.dtype}; pass booleans, True for ranked cells"
            raise TypeError(msg)
        if cells.shape != shape:
            msg = (
                f"candidates has shape {cells.shape} and y_score {shape}; "
                "pass a boolean for every score"
            )
            raise ValueError(msg)
        chosen = chosen & cells
    if not chosen.any():
        msg = "no item is a candidate: candidates or the mask of y_score excludes every cell"
        raise ValueError(msg)
    return None if chosen.all() else np.flatnonzero(chosen)


def _doubt_candidates(grades: Array, cells: IntArray, n_queries: int) -> None:
    """RankingDataWarning for candidates that leave out relevant items rather than others."""
    is_relevant = grades > 0
    n_relevant = int(np.count_nonzero(is_relevant))
    n_inside = int(np.count_nonzero(is_relevant[cells]))
    n_others, others_inside = len(grades) - n_relevant, len(cells) - n_inside
    if n_queries < _FEWEST or not n_relevant:
        return
    share = others_inside / max(n_others, 1)
    # As few relevant items as in one of many random choices of as many items.
    error = math.sqrt(share * (1 - share) / n_relevant)
    is_less = n_inside / n_relevant < min(0.5, share / 2, share - SURELY * error)
    if n_inside and not is_less:
        return
    what = "no relevant item of any query is a candidate, so most measures are 0"
    if n_inside:
        what = f"only {n_inside:,} of {n_relevant:,} relevant items are candidates"
        what += f", but {share:.0%} of the others"
    warn(
        f"{what}; candidates= is True for ranked items, and masked cells of y_score are not ranked",
        RankingDataWarning,
    )


def without_lowest(y_true: Any, y_score: Any) -> Any:
    """``y_score`` with -inf masked if it is a matrix; anything else as it is."""
    y_true, y_score = as_native(y_true, "y_true"), as_native(y_score, "y_score")
    is_matrix = is_sparse(y_true) or getattr(y_true, "ndim", 0) == 2
    if not is_matrix or getattr(y_score, "ndim", 0) != 2 or is_sparse(y_score):
        return y_score
    scores = np.ma.asarray(y_score)
    return np.ma.masked_where(scores == -np.inf, scores) if scores.dtype.kind == "f" else y_score
