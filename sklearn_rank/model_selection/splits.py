"""Splits that keep queries whole."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Set
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import GroupKFold, TimeSeriesSplit, check_cv
from sklearn.utils import check_random_state

from sklearn_rank.exceptions import QuerySplitError, RankingConfigError
from sklearn_rank.inputs.arrays import group_rows, read_groups
from sklearn_rank.model_selection.options import ScorerOptions
from sklearn_rank.model_selection.query_ids import (
    QueryRows,
    carried_query_ids,
    query_name,
    reason_for_missing_ids,
)
from sklearn_rank.model_selection.reading import layout_of_y
from sklearn_rank.support.checks import (
    check_flag,
    check_integer,
    check_option,
    check_query_name,
    is_missing,
)
from sklearn_rank.typing import IntArray

__all__ = ["QueryKFold", "QueryTimeSplit", "check_query_splits"]

_OWNER = "QueryKFold"


class QueryKFold(GroupKFold):  # type: ignore[misc]
    """K folds of whole queries; finds the query ids where scorers do.

    Query ids come from ``groups``, else from the column or index level ``query`` of X, else from an
    index level of y, so that ``search.fit(X, y)`` needs no further argument, even in nested
    searches. If y holds one ground truth per element (sets, lists, mappings, the rows of a matrix),
    each element is a query. Folds are the same on every version of scikit-learn.

    Parameters
    ----------
    n_splits : int, default=5
        Folds; at least 2.
    query : str, default="qid"
        Name of the column or index level that holds the query ids; scorers call it
        ``groups_from``.
    balance : {"rows", "queries"}, default="rows"
        What to balance between folds.
    shuffle : bool, default=False
        Assign queries to folds at random.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffle.

    Raises
    ------
    RankingConfigError
        In ``split``, if there are no query ids, or scorers do not support y.
    InvalidParameterError
        If ``balance`` or ``shuffle`` is wrong.
    ValueError
        If there are fewer queries than folds.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank import QueryKFold
    >>> X = pd.DataFrame({"x": range(6)}, index=pd.Index(list("aabbcc"), name="qid"))
    >>> [test.tolist() for _, test in QueryKFold(3).split(X)]
    [[0, 1], [2, 3], [4, 5]]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        query: str = "qid",
        balance: Literal["rows", "queries"] = "rows",
        shuffle: bool = False,
        random_state: Any = None,
    ) -> None:
        shuffle = check_flag(shuffle, "shuffle", _OWNER)
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)
        self.query = query
        self.balance = check_option(balance, "balance", ("rows", "queries"), _OWNER)

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Indices of training and test rows of each fold; parameters as in GroupKFold.

        X and y may carry the query ids. Each query is in train or in test, with all its rows.
        """
        yield from super().split(X, y, query_ids_of(X, y, groups, self.query))

    def _iter_test_indices(
        self,
        X: Any,  # noqa: ARG002 - scikit-learn's signature
        y: Any,  # noqa: ARG002
        groups: Any,
    ) -> Iterator[IntArray]:
        grouping = group_rows(read_groups(groups))
        sizes = np.diff(grouping.offsets)
        if len(sizes) < self.n_splits:
            msg = f"cannot make {self.n_splits} folds from {len(sizes)} queries"
            raise ValueError(msg)
        n_rows = int(grouping.offsets[-1])
        order = np.arange(n_rows) if grouping.order is None else grouping.order
        keys = np.arange(len(sizes))
        if self.shuffle:
            keys = check_random_state(self.random_state).permutation(len(sizes))
        weights = sizes if self.balance == "rows" else np.ones(len(sizes), dtype=np.int64)
        folds = np.empty(len(sizes), dtype=np.int64)
        load = np.zeros(self.n_splits, dtype=np.int64)
        # The largest query first, to the lightest fold.
        for query in np.lexsort((keys, -weights)).tolist():
            folds[query] = np.argmin(load)
            load[folds[query]] += weights[query]
        fold_of_row = np.empty(n_rows, dtype=np.int64)
        fold_of_row[order] = np.repeat(folds, sizes)
        for number in range(self.n_splits):
            yield np.flatnonzero(fold_of_row == number)


class QueryTimeSplit(TimeSeriesSplit):  # type: ignore[misc]
    """Folds of whole queries for rows in time order: each is predicted only from the past.

    Queries are ordered by their first rows and split like the samples of ``TimeSeriesSplit``. A
    query that begins before a test part and ends within it is left out of that fold, so that every
    training row precedes every test row.

    Parameters
    ----------
    n_splits : int, default=5
        Folds; at least 2.
    gap : int, default=0
        Queries to leave out directly before each test part.
    query : str, default="qid"
        Name of the column or index level that holds the query ids, which are found as in
        :class:`QueryKFold`.

    Raises
    ------
    RankingConfigError
        In ``split``, if there are no query ids.
    InvalidParameterError
        If ``gap`` is not an int of at least 0.
    ValueError
        If there are too few queries, or none ends before a test part begins.

    Examples
    --------
    >>> from sklearn_rank import QueryTimeSplit
    >>> for train, test in QueryTimeSplit(2).split(range(6), groups=list("aabbcc")):
    ...     print(train, test)
    [0 1] [2 3]
    [0 1 2 3] [4 5]
    """

    __metadata_request__split = {"groups": True}  # noqa: RUF012 - scikit-learn's protocol

    def __init__(self, n_splits: int = 5, *, gap: int = 0, query: str = "qid") -> None:
        super().__init__(n_splits, gap=check_integer(gap, "gap", "QueryTimeSplit", at_least=0))
        self.query = query

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Indices of training and test rows of each fold; parameters as in QueryKFold."""
        # Queries are numbered in the order of their first rows.
        numbers = group_rows(read_groups(query_ids_of(X, y, groups, self.query))).numbers
        _, first = np.unique(numbers, return_index=True)
        last = len(numbers) - 1 - np.unique(numbers[::-1], return_index=True)[1]
        n_tested = len(first) // (self.n_splits + 1)
        if n_tested == 0 or len(first) <= self.n_splits * n_tested + self.gap:
            msg = (
                f"cannot make {self.n_splits} time-ordered folds from {len(first)} queries "
                f"with gap={self.gap}"
            )
            raise ValueError(msg)
        for number, (past, tested) in enumerate(super().split(first)):
            start = first[tested[0]]
            past = past[last[past] < start]
            if not len(past):
                msg = (
                    f"no query ends before row {start}, where the test part of split {number} "
                    "begins: QueryTimeSplit needs rows in time order, and queries that end, such "
                    "as requests or sessions, not users"
                )
                raise ValueError(msg)
            yield (
                np.flatnonzero(np.isin(numbers, past)),
                np.flatnonzero(np.isin(numbers, tested)),
            )


def _is_text(y: Any) -> bool:
    """Whether y holds labels that are text."""
    if isinstance(y, (Mapping, Set)) or len(getattr(y, "shape", ())) > 1:
        return False
    return isinstance(next((label for label in y if not is_missing(label)), None), (str, bytes))


def query_ids_of(X: object, y: Any, groups: object, query: str) -> Any:
    """Query ids from ``groups``, or else from where scorers find them."""
    if groups is not None:
        return groups
    carried = carried_query_ids(query_name(check_query_name(query, "query"), X, y), X, y)
    if carried is not None:
        return carried
    if y is not None and not _is_text(y) and layout_of_y(y, ScorerOptions(), _OWNER) != "rows":
        return np.arange(y.shape[0] if hasattr(y, "shape") else len(y))
    msg = (
        "the query id of every row is needed, but there is none. "
        f"{reason_for_missing_ids(X, query)}Pass groups=qid, or give X a column or an index level "
        f"named {query!r} (query={query!r}; scorers call it groups_from), or y such an index level"
    )
    raise RankingConfigError(msg)


def check_query_splits(
    cv: Any, X: Any, y: Any = None, groups: Any = None, *, query: str = "qid"
) -> None:
    """Refuse splits that divide a query.

    The error suggests a splitter that keeps queries whole: one in time order, if each split trains
    only on rows before those that it tests.

    Parameters
    ----------
    cv : int, cross-validation generator, iterable or None
        What ``GridSearchCV(cv=...)`` takes: the number of folds of ``KFold``, anything with
        ``split(X, y, groups)``, pairs of (train, test), or None for five folds. A generator of
        pairs is consumed.
    X, y, groups, query
        As in :class:`QueryKFold`: the data, where X or y may carry the query ids; the query id of
        each row; and the name of the column or index level that carries them.

    Raises
    ------
    QuerySplitError
        If a query is in both train and test of a split, or only partly in test.
    RankingConfigError
        If there are no query ids.
    ValueError
        If ``cv`` is none of these or gives no splits.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GroupKFold, KFold
    >>> from sklearn_rank import check_query_splits
    >>> qid = np.repeat(["a", "b", "c"], 4)
    >>> check_query_splits(GroupKFold(3), np.zeros((12, 1)), groups=qid)
    >>> check_query_splits(KFold(2), np.zeros((12, 1)), groups=qid)
    Traceback (most recent call last):
    ...
    sklearn_rank.exceptions.QuerySplitError: 1 of 3 queries are in both train and test of ...
    """
    ids = query_ids_of(X, y, groups, query)
    rows = QueryRows(read_groups(ids))
    with warnings.catch_warnings():
        # KFold and the like warn that they ignore groups, which is what is checked here.
        warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
        splits = list(check_cv(cv).split(X, y, groups=ids))
    if not splits:
        msg = "cv gives no splits, so there is nothing to check"
        raise ValueError(msg)
    for number, (train, test) in enumerate(splits):
        fault = rows.fault(train, test, f"split {number}", beside=splits)
        if fault is not None:
            raise QuerySplitError(fault)
