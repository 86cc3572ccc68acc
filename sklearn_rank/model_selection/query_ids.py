"""Where the query of each row is found: by name, never by guess."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_rank.exceptions import (
    DegenerateQueriesWarning,
    GroupsRequiredError,
    QuerySplitWarning,
    RankingConfigError,
)
from sklearn_rank.inputs.rows import read_groups
from sklearn_rank.model_selection.options import ScorerOptions
from sklearn_rank.model_selection.query_rows import QueryRows, are_whole
from sklearn_rank.model_selection.sklearn_frames import Fold, current_fold
from sklearn_rank.support.arrays import check_same_order
from sklearn_rank.support.text import safe_repr
from sklearn_rank.support.warn import warn
from sklearn_rank.typing import Array


def carried_query_ids(name: str, X: Any, y: Any = None) -> Array | None:
    """Query ids from the column ``name`` of X, else its index level, else that of y."""
    column = _column(name, X)
    if column is not None:
        return column
    for carrier in (X, y):
        level = _index_level(name, carrier)
        if level is not None:
            return level
    return None


def without_query_ids(name: str, X: Any) -> Any:
    """X without its column of query ids, if it has one."""
    if _column(name, X) is None:
        return X
    return X[[column for column in X.columns if column != name]]


def _column(name: str, X: Any) -> Array | None:
    columns = getattr(X, "column_names", None) or getattr(X, "columns", None)
    if columns is None or not hasattr(X, "__getitem__") or name not in list(columns):
        return None
    column = X[name]
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def _index_level(name: str, carrier: Any) -> Array | None:
    index = getattr(carrier, "index", None)
    if not hasattr(carrier, "iloc") or name not in list(getattr(index, "names", ())):
        return None
    values: Array = index.get_level_values(name).to_numpy()  # type: ignore[union-attr]
    return values


class QueryIds(NamedTuple):
    """Query ids of the rows that are scored."""

    ids: Any
    fold: Fold | None = None
    """The fold that these rows are, if one is running."""
    everywhere: Any = None
    """Query ids of all rows that the fold was cut from, if they are known."""

    def read(self, n_rows: int) -> Array | list[Any]:
        """Checked ids, one per row."""
        try:
            return read_groups(self.ids, n_rows)
        except ValueError as error:
            # All folds of a search are handed the same: it has to end.
            raise RankingConfigError(str(error)) from error

    def warn_of_faults(self, query_ids: Any, n_rows: int) -> None:
        """Warn of queries of one row each and of queries that the split has divided."""
        if 1 < len(query_ids) == n_rows:
            message = f"{n_rows:,} rows in {n_rows:,} queries; is 'groups' a row id?"
            warn(message, DegenerateQueriesWarning)
        if self.fold is None or self.everywhere is None:
            return
        if not are_whole(query_ids, n_rows, self.everywhere):
            rows = QueryRows.of(self.everywhere)
            fault = rows.fault(self.fold.train, self.fold.test, "the split")
            if fault is not None:
                warn(fault, QuerySplitWarning)


def told_query_ids(X: Any, y: Any, groups: Any, name: str, fold: Fold | None) -> Array | None:
    """Query ids that are passed as ``groups``, else those that X carries, else those of y.

    Raises
    ------
    ValueError
        If ``groups`` and X, where both tell the queries, disagree, or are in different orders.
    RankingConfigError
        If ``permutation_test_score`` moves the ids.
    """
    carried = carried_query_ids(name, X)
    if groups is not None:
        # Not compared with y: permutation_test_score moves it, and its index with it.
        check_same_order(X=X, groups=groups)
        if fold is not None:
            check_same_order(X=fold.X, groups=fold.groups)
        if carried is not None:
            _check_same_queries(groups, carried, name)
        return cast("Array", groups)
    if carried is not None:
        return carried
    carried = carried_query_ids(name, None, y)
    if carried is not None and fold is not None and fold.shuffles_y:
        msg = (
            f"permutation_test_score moves the index level {name!r} of y along with y; pass "
            "groups= to permute within queries, or let X carry the query ids"
        )
        raise RankingConfigError(msg)
    return carried


def _check_same_queries(groups: Any, carried: Array, name: str) -> None:
    """ValueError if the passed ids and those of X put different rows together."""
    passed = read_groups(groups, len(carried))
    if np.array_equal(passed, carried):
        return
    differs = np.flatnonzero(QueryRows.of(passed).numbers != QueryRows.of(carried).numbers)
    if len(differs):
        row = int(differs[0])
        msg = (
            f"groups and the {name!r} of X put different rows together, first at row {row}: "
            f"{safe_repr(passed[row])} and {safe_repr(carried[row])}; leave out the one that is "
            "not the query (a scorer ignores groups after set_score_request(groups=False))"
        )
        raise ValueError(msg)


def find_query_ids(
    X: Any, y: Any, groups: Any, bound: Any, options: ScorerOptions, *, passed_as: str, owner: str
) -> QueryIds:
    """Query ids for a scorer: passed, bound, or carried; GroupsRequiredError without any."""
    name, fold = options.groups_from, current_fold(passed_as)
    if fold is not None and len(fold.test) != len(y):
        fold = None
    if groups is None and bound is not None:
        return QueryIds(bound)
    try:
        found = told_query_ids(X, y, groups, name, fold)
    except ValueError as error:
        raise RankingConfigError(str(error)) from error
    if found is not None and fold is not None:
        every = fold.groups if groups is not None else carried_query_ids(name, fold.X, fold.y)
        return QueryIds(found, fold, every)
    if found is not None:
        return QueryIds(found)
    if options.one_query:
        return QueryIds(np.zeros(len(y), dtype=np.int64))
    msg = (
        f"{owner} needs the query id of every row and got none. Either run under "
        "sklearn.set_config(enable_metadata_routing=True) and pass groups=qid, or give X a "
        f"column or index level named {name!r} (groups_from=), or use {owner}.bind(qid); "
        f"{owner}.with_options(one_query=True) scores all rows as one query."
    )
    raise GroupsRequiredError(msg)
