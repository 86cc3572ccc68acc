"""Where the query of each row is found: by name, never by guess."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._callers import Fold, current_fold
from sklearn_rank._scorer_options import ScorerOptions
from sklearn_rank._splits import QueryRows
from sklearn_rank._validation import check_same_order
from sklearn_rank._warn import warn
from sklearn_rank.exceptions import (
    DegenerateQueriesWarning,
    GroupsRequiredError,
    QuerySplitWarning,
    RankingConfigError,
)
from sklearn_rank.inputs.rows import read_groups
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
    columns = getattr(X, "columns", None)
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

    def warn_of_faults(self, n_queries: int, n_rows: int) -> None:
        """Warn of queries of one row each and of queries that the split has divided."""
        if 1 < n_queries == n_rows:
            message = f"{n_rows:,} rows in {n_queries:,} queries; is 'groups' a row id?"
            warn(message, DegenerateQueriesWarning)
        if self.fold is None or self.everywhere is None:
            return
        fault = QueryRows.of(self.everywhere).fault(self.fold.train, self.fold.test, "the split")
        if fault is not None:
            warn(fault, QuerySplitWarning)


def _check_order(X: Any, groups: Any) -> None:
    try:
        check_same_order(X=X, groups=groups)
    except ValueError as error:
        raise RankingConfigError(str(error)) from error


def find_query_ids(
    X: Any, y: Any, groups: Any, bound: Any, options: ScorerOptions, owner: str
) -> QueryIds:
    """Query ids that were passed, bound, or that X or y carries."""
    name, fold = options.groups_from, current_fold()
    if fold is not None and len(fold.test) != len(y):
        fold = None
    if groups is not None:
        _check_order(X, groups)
        return QueryIds(groups, fold, None if fold is None else fold.groups)
    if bound is not None:
        return QueryIds(bound)
    found = carried_query_ids(name, X)
    if found is not None:
        return QueryIds(found, fold, None if fold is None else carried_query_ids(name, fold.X))
    found = carried_query_ids(name, None, y)
    if found is not None:
        if fold is not None and fold.shuffles_y:
            msg = (
                f"permutation_test_score moves the index level {name!r} of y along with y; pass "
                "groups= to permute within queries, or let X carry the query ids"
            )
            raise RankingConfigError(msg)
        every = None if fold is None else carried_query_ids(name, None, fold.y)
        return QueryIds(found, fold, every)
    if options.one_query:
        return QueryIds(np.zeros(len(y), dtype=np.int64))
    msg = (
        f"{owner} needs the query id of every row and got none. Either run under "
        "sklearn.set_config(enable_metadata_routing=True) and pass groups=qid, or give X a "
        f"column or index level named {name!r} (groups_from=), or use {owner}.bind(qid); "
        f"{owner}.with_options(one_query=True) scores all rows as one query."
    )
    raise GroupsRequiredError(msg)
