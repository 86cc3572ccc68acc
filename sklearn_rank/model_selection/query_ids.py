"""Where the query of each row is found: by name, never by guess."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import (
    RankingConfigError,
    RankingDataWarning,
)
from sklearn_rank.inputs.ids import CodedIds, Ids, PlainIds
from sklearn_rank.inputs.roles import role_of
from sklearn_rank.inputs.rows import (
    code_rows,
    group_rows,
    listed_ids,
    read_groups,
)
from sklearn_rank.model_selection.options import ScorerOptions
from sklearn_rank.model_selection.query_rows import QueryRows, cut_queries
from sklearn_rank.model_selection.shown import sizes_shown
from sklearn_rank.model_selection.sklearn_frames import (
    Fold,
    callers_with,
    current_fold,
    current_sample,
    length,
    notes_of_search,
)
from sklearn_rank.support.checks import check_same_order
from sklearn_rank.support.text import listed, safe_repr
from sklearn_rank.typing import Array

DEFAULT_NAME = "qid"
"""Where no column and no index level has it, other names that frames know are taken."""

_REMEMBERED = 4
"""Data sets whose ids a search keeps: nested loops take turns, and so do scorers that read the
ids from columns of other names."""


def carried_query_ids(name: str, X: Any, y: Any = None) -> Any:
    """Query ids from the column ``name`` of X, else its index level, else that of y."""
    column = _column(name, X)
    if column is not None:
        return column
    for carrier in (X, y):
        level = _index_level(name, carrier)
        if level is not None:
            return level
    return None


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
            f"{listed(others)}; say which one: with_options(groups_from={others[0]!r}), or "
            f"query={others[0]!r} of QueryKFold and QueryRanker"
        )
        raise RankingConfigError(msg)
    return others[0] if others else name


@lru_cache(1 << 12)
def _means_query(column: Any) -> bool:
    return isinstance(column, str) and role_of(column) == "query"


def without_query_ids(name: str, X: Any) -> Any:
    """X without its column of query ids, if it has one."""
    if _column(name, X) is None:
        return X
    return X[[column for column in X.columns if column != name]]


def _column_names(X: Any) -> list[Any]:
    names = getattr(X, "column_names", None)
    if names is None:
        names = getattr(X, "columns", None)
    return [] if names is None or not hasattr(X, "__getitem__") else list(names)


def _column(name: str, X: Any) -> Any:
    return X[name] if name in _column_names(X) else None


def _level_names(carrier: Any) -> list[Any]:
    return list(carrier.index.names) if hasattr(carrier, "iloc") else []


def _index_level(name: str, carrier: Any) -> Any:
    return carrier.index.get_level_values(name) if name in _level_names(carrier) else None


# For scorers -------------------------------------------------------------------------------------


class QueryIds(NamedTuple):
    """Query ids of the rows that are scored."""

    ids: Ids
    fold: Fold | None = None
    """The fold that these rows are, if one is running."""
    everywhere: CodedIds | None = None
    """Query ids of all rows that the fold was cut from, if they are known."""

    def faults(
        self, query_ids: Any, estimator: Any, options: ScorerOptions
    ) -> list[tuple[str, type[Warning]]]:
        """Warnings of queries of one row each and of queries of which only some rows are scored."""
        faults: list[tuple[str, type[Warning]]] = []
        n_rows = len(self.ids)
        if 1 < len(query_ids) == n_rows:
            message = f"{n_rows:,} rows in {n_rows:,} queries; is 'groups' a row id?"
            faults.append((message, RankingDataWarning))
        fault = self._fault_of_fold() or self._fault_of_sample(options.groups_from)
        fault = fault or self._fault_of_training(estimator)
        if fault is not None:
            faults.append((fault, RankingDataWarning))
        return faults

    def _fault_of_fold(self) -> str | None:
        fold, everywhere = self.fold, self.everywhere
        if fold is None or everywhere is None or fold.rows is fold.train is not fold.test:
            return None
        if fold.rows is None and not cut_queries(self.ids, everywhere):
            return None
        return QueryRows.of(everywhere).fault(fold.train, fold.test, "the split")

    def _fault_of_sample(self, name: str) -> str | None:
        sample = current_sample()
        if sample is None:
            return None
        carried = carried_query_ids(query_name(name, sample.X, sample.y), sample.X, sample.y)
        if carried is None or length(carried) != length(sample.X):
            return None
        cut = cut_queries(self.ids, code_rows(read_groups(carried)))
        if not cut:
            return None
        query, here, there = cut[0]
        return (
            f"{sample.argument} draws single rows and cuts queries: of query {safe_repr(query)} "
            f"only {here:,} of {there:,} rows are scored; score all rows, or draw queries before"
        )

    def _fault_of_training(self, estimator: Any) -> str | None:
        """Outside of any loop: queries of which the ranker was fitted on more or fewer rows."""
        sizes = None if self.fold is not None else sizes_shown(estimator)
        if not sizes:
            return None
        coded = code_rows(self.ids)
        counts = np.bincount(coded.codes, minlength=len(coded.distinct)).tolist()
        both = [
            (query, here, sizes[query])
            for query, here in zip(listed_ids(coded.distinct), counts, strict=True)
            if here and sizes.get(query, here) != here
        ]
        if not both:
            return None
        query, here, there = both[0]
        return (
            f"{len(both):,} queries are both in the rows that are scored and in those the ranker "
            f"was fitted on, in other numbers: {here:,} and {there:,} rows of query "
            f"{safe_repr(query)}; split by queries, with GroupKFold or QueryKFold"
        )


def find_query_ids(
    X: Any, y: Any, groups: Any, bound: Any, options: ScorerOptions, *, passed_as: str, owner: str
) -> QueryIds:
    """Query ids for a scorer: passed, bound, or carried; RankingConfigError without any."""
    try:
        if bound is not None:
            ids = read_groups(bound, length(y))
            if groups is not None:
                _check_same_queries("groups", groups, "the ids of bind()", ids)
            return QueryIds(ids)
        return _find(X, y, groups, options, passed_as, owner)
    except RankingConfigError:
        raise
    except (TypeError, ValueError) as error:
        # Every fold would fail alike, so the search has to end.
        raise RankingConfigError(str(error)) from error


def _find(
    X: Any, y: Any, groups: Any, options: ScorerOptions, passed_as: str, owner: str
) -> QueryIds:
    name, n_rows = options.groups_from, length(y)
    fold = current_fold(passed_as, X)
    if fold is not None and fold.rows is None and length(fold.test) != n_rows:
        fold = None
    exact = options.one_query
    everywhere = None if fold is None else _everywhere(fold, groups is not None, name, exact)
    if fold is not None and everywhere is not None and fold.rows is not None:
        return QueryIds(everywhere.take(fold.rows), fold, everywhere)
    told = told_query_ids(X, y, groups, name, fold, exact=exact)
    if told is not None:
        return QueryIds(read_groups(told, n_rows), fold, everywhere)
    if options.one_query:
        return QueryIds(PlainIds(np.zeros(n_rows, dtype=np.int64)))
    raise RankingConfigError(_words_of_missing(X, name, owner, scores=True))


def _everywhere(fold: Fold, passed: bool, name: str, exact: bool) -> CodedIds | None:
    """Query ids of all rows of a loop over folds, read once while it runs."""
    groups = fold.groups if passed else None
    if passed and groups is None:
        return None
    y = None if fold.permutes_y and carried_query_ids(name, fold.X) is not None else fold.y
    key = (name, *map(id, (fold.X, y, groups)))
    notes = notes_of_search()
    known: dict[Any, Any] = {} if notes is None else notes.setdefault("ids", {})
    if key not in known:
        told = told_query_ids(fold.X, fold.y, groups, name, fold, exact=exact)
        ids = None if told is None else code_rows(read_groups(told, length(fold.X)))
        if len(known) >= _REMEMBERED:
            del known[next(iter(known))]
        # The data are kept along with their ids, so that no others take their place in memory.
        known[key] = ids, fold.X, y, groups
    coded: CodedIds | None = known[key][0]
    return coded


# For scorers and rankers -------------------------------------------------------------------------


def told_query_ids(
    X: Any, y: Any, groups: Any, name: str, fold: Fold | None, *, exact: bool = False
) -> Any:
    """Query ids that are passed as ``groups``, else those that X carries, else those of y.

    Raises
    ------
    ValueError
        If two of ``groups``, X and y that tell the queries disagree, or are in different orders.
    RankingConfigError
        If ``permutation_test_score`` moves the ids.
    """
    permuted = fold is not None and fold.permutes_y
    if groups is None and not exact:
        name = query_name(name, X, y)
    rows = {"X": X, "groups": groups} if permuted else {"X": X, "y": y, "groups": groups}
    check_same_order(**rows)
    by_rows = carried_query_ids(name, X)
    moved = permuted and (groups is not None or by_rows is not None)
    by_y = None if moved else _index_level(name, y)
    told = [
        (source, ids)
        for source, ids in (
            ("groups", groups),
            (f"the {name!r} of X", by_rows),
            (f"the {name!r} of y", by_y),
        )
        if ids is not None
    ]
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
    first = read_groups(ids)
    second = read_groups(other_ids)
    if len(first) != len(second):
        return  # read_groups(ids, n_rows) says it better
    if (
        isinstance(first, PlainIds)
        and isinstance(second, PlainIds)
        and np.array_equal(first.values, second.values)
    ):
        return
    differs = np.flatnonzero(_numbers(first) != _numbers(second))
    if len(differs):
        row = int(differs[0])
        remedy = (
            " (a scorer ignores groups after set_score_request(groups=False))"
            if source == "groups"
            else ""
        )
        msg = (
            f"{source} and {other_source} put different rows together, first at row {row}: "
            f"{safe_repr(first[row])} and {safe_repr(second[row])}; leave out the one that is "
            f"not the query{remedy}"
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
    told = told_query_ids(X, y, groups, name, current_fold(name, X))
    if told is None:
        raise RankingConfigError(_words_of_missing(X, name, owner, scores=False))
    return told


def _words_of_missing(X: Any, name: str, owner: str, *, scores: bool) -> str:
    """Error text: what is missing, where it was lost, and how to pass it."""
    named = f"{name!r} (groups_from=)" if scores else f"{name!r} (query=)"
    words = (
        f"{owner} needs the query id of every row and got none. {what_became_of_ids(X, name)}"
        "Either run under sklearn.set_config(enable_metadata_routing=True) and pass groups=qid, "
        f"or give X a column or an index level named {named}, or y such an index level"
    )
    if not scores:
        return words
    return (
        f"{words}, or use {owner}.bind(qid) where nothing is split; "
        f"{owner}.with_options(one_query=True) scores all rows as one query."
    )


def what_became_of_ids(X: Any, name: str) -> str:
    """Why ids that the caller had did not arrive, if the stack shows it; else an empty string."""
    if any(carried_query_ids(name, given) is not None for given in callers_with("X")):
        return (
            f"The data carry {name!r}, but a step on the way made a {type(X).__name__} of X and "
            "dropped it; pipeline.set_output(transform='pandas') keeps an index of X, and an index "
            "of y often stays. "
        )
    if any(True for _ in callers_with("groups")):
        return "Without metadata routing, scikit-learn hands groups= to the splitter only. "
    return ""
