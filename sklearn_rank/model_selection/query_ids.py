"""Where the query of each row is found: by name, never by guess; and whether splits cut queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.ids import Ids, PlainIds
from sklearn_rank.inputs.roles import role_of
from sklearn_rank.inputs.rows import code_rows, group_rows, listed_ids, read_groups
from sklearn_rank.model_selection.options import ScorerOptions
from sklearn_rank.model_selection.searches import (
    Fold,
    current_fold,
    drawn_from,
    length,
    notes_of_search,
    values_above,
)
from sklearn_rank.support.checks import check_same_order
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, IntArray

DEFAULT_NAME = "qid"
"""Where no column and no index level has it, other names that frames know are taken."""


def carried_query_ids(name: str, X: Any, y: Any = None) -> Any:
    """Query ids from the column ``name`` of X, else its index level, else that of y."""
    if name in _column_names(X):
        return X[name]
    levels = (_index_level(name, carrier) for carrier in (X, y))
    return next((level for level in levels if level is not None), None)


def query_name(name: str, X: Any, y: Any = None) -> str:
    """``name``, or, where neither X nor y has the default name, the one that frames know.

    RankingConfigError if there are several such columns and index levels.
    """
    if name != DEFAULT_NAME:
        return name
    columns = [*_column_names(X), *_level_names(X), *_level_names(y)]
    if name in columns:
        return name
    others = list(dict.fromkeys(filter(_means_query, columns)))
    if len(others) > 1:
        msg = (
            f"X and y have several columns and index levels that may be the query: "
            f"{format_list(others)}; say which one: with_options(groups_from={others[0]!r}), or "
            f"query={others[0]!r} of QueryKFold and QueryRanker"
        )
        raise RankingConfigError(msg)
    return others[0] if others else name


@lru_cache(1 << 12)
def _means_query(column: Any) -> bool:
    return isinstance(column, str) and role_of(column) == "query"


def without_query_ids(name: str, X: Any) -> Any:
    """X without its column of query ids, if it has one."""
    if name not in _column_names(X):
        return X
    return X[[column for column in X.columns if column != name]]


def _column_names(X: Any) -> list[Any]:
    names = getattr(X, "column_names", None)
    if names is None:
        names = getattr(X, "columns", None)
    return [] if names is None or not hasattr(X, "__getitem__") else list(names)


def _level_names(carrier: Any) -> list[Any]:
    return list(carrier.index.names) if hasattr(carrier, "iloc") else []


def _index_level(name: str, carrier: Any) -> Any:
    return carrier.index.get_level_values(name) if name in _level_names(carrier) else None


# Whether queries stay whole ----------------------------------------------------------------------


@dataclass(frozen=True)
class QueryRows:
    """Which rows belong to which query, to look at splits of them."""

    query_ids: Array | list[Any]
    sizes: IntArray
    """(Q,) rows of each query."""
    numbers: IntArray
    """(n_samples,) number of the query of each row."""

    @classmethod
    def of(cls, ids: Ids) -> QueryRows:
        """By the query id of each row."""
        coded = code_rows(ids)
        return cls(
            coded.distinct, np.bincount(coded.codes, minlength=len(coded.distinct)), coded.codes
        )

    def fault(self, train: Any, test: Any, split: str) -> str | None:
        """How the split divides queries, in a sentence that calls it ``split``; None if whole."""
        tested = np.bincount(self.numbers[test], minlength=len(self.sizes))
        trained = np.bincount(self.numbers[train], minlength=len(self.sizes))
        cut = (tested > 0) & (tested < self.sizes)
        shared = np.flatnonzero(cut & (trained > 0))
        if len(shared):
            return (
                f"{len(shared):,} of {len(self.sizes):,} queries are in both train and test of "
                f"{split} ({self._names(shared)}); use GroupKFold or QueryKFold"
            )
        divided = np.flatnonzero(cut)
        if not len(divided):
            return None
        first = divided[:1]
        return (
            f"{len(divided):,} of {len(self.sizes):,} queries are cut in the test part of {split}: "
            f"of query {self._names(first)} only {tested[first[0]]:,} of {self.sizes[first[0]]:,} "
            "rows are there; use GroupKFold or QueryKFold, and no resource='n_samples' in a "
            "halving search"
        )

    def by_query(self) -> dict[Any, int]:
        """Rows of each query by its id."""
        return dict(zip(listed_ids(self.query_ids), self.sizes.tolist(), strict=True))

    def _names(self, queries: IntArray) -> str:
        return format_list([self.query_ids[number] for number in queries.tolist()])


def _first_that_differs(
    here: Mapping[Any, int], there: Mapping[Any, int]
) -> tuple[int, Any, int, int] | None:
    """How many queries have other numbers of rows there; the first one with both numbers."""
    differ = [query for query, rows in here.items() if there.get(query, rows) != rows]
    if not differ:
        return None
    return len(differ), differ[0], here[differ[0]], there[differ[0]]


# Beside the ranker and not in it: query ids may be what users typed, which a stored model must not
# hold. A ranker that came from another process has no entry and is not checked.
_FITTED_ON: WeakKeyDictionary[Any, Mapping[Any, int]] = WeakKeyDictionary()


def remember_sizes(ranker: Any, sizes: Mapping[Any, int]) -> None:
    """Note the number of rows of each query that a ranker was fitted on."""
    _FITTED_ON[ranker] = sizes


def _sizes_fitted_on(estimator: Any) -> Mapping[Any, int]:
    """The noted numbers of a ranker, also inside a search or at the end of a pipeline."""
    for _ in range(5):  # a search of a pipeline of a search: nobody nests deeper
        try:
            if estimator in _FITTED_ON:
                return _FITTED_ON[estimator]
        except TypeError:  # without a hash or weak references
            break
        steps = getattr(estimator, "steps", None)
        estimator = getattr(estimator, "best_estimator_", steps[-1][1] if steps else None)
        if estimator is None:
            break
    return {}


# For scorers -------------------------------------------------------------------------------------


class QueryIds(NamedTuple):
    """Query ids of the rows that are scored."""

    ids: Ids
    fold: Fold | None = None
    name: str = DEFAULT_NAME

    def faults(self, n_queries: int, estimator: Any) -> list[str]:
        """Warnings of queries of one row each and of queries of which only some rows are scored."""
        n_rows = len(self.ids)
        alone = f"{n_rows:,} rows in {n_rows:,} queries; is 'groups' a row id?"
        faults = [alone if 1 < n_queries == n_rows else None]
        if self.fold is None:
            faults.append(self._fault_of_training(estimator))
        elif self.fold.test is None:
            faults.append(self._fault_of_sample(self.fold))
        else:
            # Each candidate of a search meets the same splits.
            known = notes_of_search().setdefault("splits", {})
            key = (self.name, id(self.fold.scored), id(self.fold.test))
            if key not in known:
                fault = self._fault_of_split(self.fold)
                whole = drawn_from(length(self.fold.X))
                if fault is None and whole is not None:
                    fault = self._fault_of_sample(whole)
                known[key] = fault, self.fold.scored, self.fold.test
            faults.append(known[key][0])
        return [fault for fault in faults if fault is not None]

    def _everywhere(self, fold: Fold) -> QueryRows | None:
        try:
            told = told_query_ids(fold.X, fold.y, fold.groups, self.name, fold)
            if told is None or length(told) != length(fold.X):
                return None
            return QueryRows.of(read_groups(told))
        except ValueError as error:  # of rows in other orders, which a fold does not show
            raise RankingConfigError(str(error)) from error

    def _fault_of_split(self, fold: Fold) -> str | None:
        rows = self._everywhere(fold)
        if rows is None or fold.scored is fold.train is not fold.test:
            return None
        here = QueryRows.of(self.ids).by_query()
        if fold.scored is None and _first_that_differs(here, rows.by_query()) is None:
            return None
        return rows.fault(fold.train, fold.test, "the split")

    def _fault_of_sample(self, fold: Fold) -> str | None:
        rows = self._everywhere(fold)
        if rows is None:
            return None
        first = _first_that_differs(QueryRows.of(self.ids).by_query(), rows.by_query())
        if first is None:
            return None
        _, query, here, there = first
        return (
            f"single rows are drawn (max_samples, subsample), which cuts queries: of query "
            f"{safe_repr(query)} only {here:,} of {there:,} rows are scored; score all rows, or "
            "draw queries before"
        )

    def _fault_of_training(self, estimator: Any) -> str | None:
        """Outside of any loop: queries of which the ranker was fitted on more or fewer rows."""
        sizes = _sizes_fitted_on(estimator)
        first = sizes and _first_that_differs(QueryRows.of(self.ids).by_query(), sizes)
        if not first:
            return None
        number, query, here, there = first
        return (
            f"{number:,} queries are both in the rows that are scored and in those the ranker "
            f"was fitted on, in other numbers: {here:,} and {there:,} rows of query "
            f"{safe_repr(query)}; split by queries, with GroupKFold or QueryKFold"
        )


def find_query_ids(
    X: Any, y: Any, groups: Any, bound: Any, options: ScorerOptions, *, passed_as: str, owner: str
) -> QueryIds:
    """Query ids for a scorer: passed, bound, or carried; RankingConfigError without any."""
    n_rows, name = length(y), options.groups_from
    try:
        if bound is not None:
            ids = read_groups(bound, n_rows)
            if groups is not None:
                _check_same_queries("groups", groups, "the ids of bind()", ids)
            return QueryIds(ids)
        fold = current_fold(passed_as, X, n_rows)
        told = told_query_ids(X, y, groups, name, fold, exact=options.one_query)
        if told is not None:
            return QueryIds(read_groups(told, n_rows), fold, name)
    except RankingConfigError:
        raise
    except (TypeError, ValueError) as error:
        # Every fold would fail alike, so the search has to end.
        raise RankingConfigError(str(error)) from error
    if options.one_query:
        return QueryIds(PlainIds(np.zeros(n_rows, dtype=np.int64)))
    msg = (
        f"{_words_of_missing(X, name, owner, 'groups_from')}, or use {owner}.bind(qid) where "
        f"nothing is split; {owner}.with_options(one_query=True) scores all rows as one query."
    )
    raise RankingConfigError(msg)


# For scorers and rankers -------------------------------------------------------------------------


def told_query_ids(
    X: Any, y: Any, groups: Any, name: str, fold: Fold | None, *, exact: bool = False
) -> Any:
    """Query ids that are passed as ``groups``, else those that X carries, else those of y.

    ValueError if two of them disagree, or stand in different orders; RankingConfigError if
    ``permutation_test_score`` moves the ids.
    """
    permuted = fold is not None and fold.permutes_y
    if groups is None and not exact:
        name = query_name(name, X, y)
    rows = {"X": X, "groups": groups} if permuted else {"X": X, "y": y, "groups": groups}
    check_same_order(**rows)
    by_rows = carried_query_ids(name, X)
    moved = permuted and (groups is not None or by_rows is not None)
    by_y = None if moved else _index_level(name, y)
    sources = (("groups", groups), (f"the {name!r} of X", by_rows), (f"the {name!r} of y", by_y))
    told = [(source, ids) for source, ids in sources if ids is not None]
    for other in told[1:]:
        _check_same_queries(*told[0], *other)
    if told and told[0][1] is by_y and fold is not None and fold.shuffles_y:
        msg = (
            f"permutation_test_score moves the index level {name!r} of y along with y; pass "
            "groups= to permute within queries, or let X carry the query ids"
        )
        raise RankingConfigError(msg)
    return told[0][1] if told else None


def _check_same_queries(source: str, ids: Any, other_source: str, other_ids: Any) -> None:
    """ValueError if two sources of query ids put different rows together."""
    if ids is other_ids:
        return
    first, second = read_groups(ids), read_groups(other_ids)
    if len(first) != len(second):
        return  # read_groups(ids, n_rows) says it better
    plain = isinstance(first, PlainIds) and isinstance(second, PlainIds)
    if plain and np.array_equal(first.values, second.values):  # type: ignore[union-attr]
        return
    differs = np.flatnonzero(_numbers(first) != _numbers(second))
    if len(differs):
        row = int(differs[0])
        remedy = " (a scorer ignores groups after set_score_request(groups=False))"
        msg = (
            f"{source} and {other_source} put different rows together, first at row {row}: "
            f"{safe_repr(first[row])} and {safe_repr(second[row])}; leave out the one that is "
            f"not the query{remedy if source == 'groups' else ''}"
        )
        raise ValueError(msg)


def _numbers(ids: Ids) -> Array:
    """(n_samples,) number of each row's query, in order of first appearance."""
    grouping = group_rows(ids)
    sizes = np.diff(grouping.offsets)
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    if grouping.order is None:
        return numbers
    scattered = np.empty_like(numbers)
    scattered[grouping.order] = numbers
    return scattered


def require_query_ids(X: Any, y: Any, groups: Any, name: str, owner: str) -> Any:
    """Query ids to fit with; RankingConfigError without any."""
    told = told_query_ids(X, y, groups, name, current_fold(name, X, length(X)))
    if told is None:
        raise RankingConfigError(_words_of_missing(X, name, owner, "query"))
    return told


def _words_of_missing(X: Any, name: str, owner: str, option: str) -> str:
    """Error text: what is missing, where it was lost, and how to pass it."""
    return (
        f"{owner} needs the query id of every row and got none. {what_became_of_ids(X, name)}"
        "Either run under sklearn.set_config(enable_metadata_routing=True) and pass groups=qid, "
        f"or give X a column or an index level named {name!r} ({option}=), or y such an index level"
    )


def what_became_of_ids(X: Any, name: str) -> str:
    """Why ids that the caller had did not arrive, if the stack shows it; else an empty string."""
    if any(carried_query_ids(name, given) is not None for given in values_above("X")):
        return (
            f"The data carry {name!r}, but a step on the way made a {type(X).__name__} of X and "
            "dropped it; pipeline.set_output(transform='pandas') keeps an index of X, and an index "
            "of y often stays. "
        )
    if any(True for _ in values_above("groups")):
        return "Without metadata routing, scikit-learn hands groups= to the splitter only. "
    return ""
