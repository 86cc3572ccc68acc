"""Query ids of rows, found by name and never guessed; and checks for splits that cut queries."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs.arrays import Ids, group_rows, listed_ids, read_groups
from sklearn_rank.inputs.roles import names_of
from sklearn_rank.model_selection.options import ScorerOptions
from sklearn_rank.support.checks import check_same_order
from sklearn_rank.support.insides import (
    Fold,
    current_fold,
    drawn_from,
    length,
    notes_of_search,
    values_above,
)
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import IntArray

DEFAULT_NAME = "qid"
"""Default name; if no column or index level has it, other common names are tried."""


# Names -------------------------------------------------------------------------------------------


def carried_query_ids(name: str, X: Any, y: Any = None) -> Any:
    """Query ids from the column ``name`` of X, else its index level, else that of y."""
    if name in _column_names(X):
        return X[name]
    for carrier in (X, y):
        if name in _level_names(carrier):
            return carrier.index.get_level_values(name)
    return None


def query_name(name: str, X: object, y: object = None) -> str:
    """``name``; if it is the default and X and y lack it, the name recognised in data frames."""
    columns = [*_column_names(X), *_level_names(X), *_level_names(y)]
    if name != DEFAULT_NAME or name in columns:
        return name
    others = names_of((column for column in columns if isinstance(column, str)), "query")
    if len(others) > 1:
        msg = (
            f"X and y have several columns or index levels that may hold the query id: "
            f"{format_list(others)}; choose one: with_options(groups_from={others[0]!r}) of a "
            f"scorer, or query={others[0]!r} of QueryKFold and QueryRanker"
        )
        raise RankingConfigError(msg)
    return others[0] if others else name


def without_query_ids(name: str, X: Any) -> Any:
    """X without its column of query ids, if it has one."""
    names = _column_names(X)
    if name not in names:
        return X
    others = [column for column in names if column != name]
    return X.select(others) if hasattr(X, "column_names") else X[others]


def _column_names(X: object) -> list[Any]:
    if not hasattr(X, "__getitem__"):
        return []
    names = getattr(X, "column_names", None)
    return list(getattr(X, "columns", ()) if names is None else names)


def _level_names(carrier: Any) -> list[Any]:
    return list(carrier.index.names) if hasattr(carrier, "iloc") else []


# Whether queries stay whole ----------------------------------------------------------------------


class QueryRows:
    """Which rows belong to which query, to check splits."""

    def __init__(self, ids: Ids) -> None:
        grouping = group_rows(ids)
        self.query_ids, self.numbers = grouping.query_ids, grouping.numbers
        self.sizes: IntArray = np.bincount(self.numbers, minlength=len(self.query_ids))

    def fault(
        self, train: Any, test: Any, split: str, beside: Sequence[tuple[Any, Any]] = ()
    ) -> str | None:
        """Message about queries that the split called ``split`` divides; None if all are whole.

        ``beside``: all splits of the same kind.
        """
        tested = np.bincount(self.numbers[test], minlength=len(self.sizes))
        trained = np.bincount(self.numbers[train], minlength=len(self.sizes))
        cut = (tested > 0) & (tested < self.sizes)
        shared = np.flatnonzero(cut & (trained > 0)).tolist()
        keeps = "use GroupKFold or QueryKFold"
        if cut.any() and self._go_by_time(beside or [(train, test)]):
            keeps = "use QueryTimeSplit (GroupKFold and QueryKFold also train on the future)"
        if shared:
            return (
                f"{len(shared):,} of {len(self.sizes):,} queries are in both train and test of "
                f"{split} ({format_list([self.query_ids[query] for query in shared])}); "
                f"{keeps}"
            )
        divided = np.flatnonzero(cut).tolist()
        if not divided:
            return None
        first = divided[0]
        return (
            f"{len(divided):,} of {len(self.sizes):,} queries are only partly in the test part of "
            f"{split}: query {format_list([self.query_ids[first]])} has {tested[first]:,} of its "
            f"{self.sizes[first]:,} rows there; {keeps}, and in a halving search not "
            "resource='n_samples'"
        )

    def _go_by_time(self, splits: Sequence[tuple[Any, Any]]) -> bool:
        """Whether all rows of each training part come before the tested rows."""
        rows = np.arange(len(self.numbers))
        return all(rows[train].max(initial=-1) < rows[test].min() for train, test in splits)

    def by_query(self) -> dict[Hashable, int]:
        """Number of rows of each query, by its id."""
        return dict(zip(listed_ids(self.query_ids), self.sizes.tolist(), strict=True))


# For scorers -------------------------------------------------------------------------------------


class QueryIds(NamedTuple):
    """Query ids of the rows that are scored."""

    ids: Ids
    fold: Fold | None = None
    name: str = DEFAULT_NAME

    def faults(self, n_queries: int) -> list[str]:
        """Warnings about one-row queries and about queries with rows that are not scored."""
        n_rows = len(self.ids)
        faults: list[str | None] = []
        if 1 < n_queries == n_rows:
            faults = [f"{n_rows:,} rows in {n_rows:,} queries; is 'groups' a row id?"]
        if self.fold is not None and self.fold.test is None:
            faults.append(self._fault_of_sample(self.fold))
        elif self.fold is not None:
            # Splits are the same for each candidate of a search.
            faults_of_splits = notes_of_search().setdefault("splits", {})
            key = (self.name, id(self.fold.scored), id(self.fold.test))
            if key not in faults_of_splits:
                fault = self._fault_of_split(self.fold)
                whole = drawn_from(length(self.fold.X))
                if fault is None and whole is not None:
                    fault = self._fault_of_sample(whole)
                faults_of_splits[key] = fault, self.fold.scored, self.fold.test
            faults.append(faults_of_splits[key][0])
        return [fault for fault in faults if fault is not None]

    def _everywhere(self, fold: Fold) -> QueryRows | None:
        """The queries of all rows of the data, if their ids are found."""
        notes, data = notes_of_search(), (self.name, fold.X, fold.y, fold.groups)
        key, rows, _ = notes.get("everywhere", (None, None, None))
        if key != tuple(map(id, data)):
            rows = self._read_everywhere(fold)
            notes["everywhere"] = tuple(map(id, data)), rows, data
        return cast("QueryRows | None", rows)

    def _read_everywhere(self, fold: Fold) -> QueryRows | None:
        try:
            ids = find_ids(fold.X, fold.y, fold.groups, self.name, fold)
            if ids is None or length(ids) != length(fold.X):
                return None
            return QueryRows(read_groups(ids))
        except ValueError as error:  # of rows in other orders, which a fold does not show
            raise RankingConfigError(str(error)) from error

    def _fault_of_split(self, fold: Fold) -> str | None:
        rows = self._everywhere(fold)
        if rows is None or fold.scored is fold.train is not fold.test:
            return None
        if fold.scored is None and self._first_that_differs(rows.by_query()) is None:
            return None
        return rows.fault(fold.train, fold.test, "the split")

    def _first_that_differs(self, others: Mapping[Hashable, int]) -> tuple[str, int, int] | None:
        """The first query whose number of rows differs in ``others``, and both numbers."""
        scored = QueryRows(self.ids).by_query()
        differ = (query for query, rows in scored.items() if others.get(query, rows) != rows)
        query = next(differ, None)
        return None if query is None else (safe_repr(query), scored[query], others[query])

    def _fault_of_sample(self, fold: Fold) -> str | None:
        rows = self._everywhere(fold)
        first = None if rows is None else self._first_that_differs(rows.by_query())
        return first and (
            f"sampling single rows (max_samples, subsample) divides queries: only {first[1]:,} of "
            f"{first[2]:,} rows of query {first[0]} are scored; score all rows, or sample whole "
            "queries beforehand"
        )


def fault_of_features(estimator: Any) -> str:
    """Warning that an estimator was fitted on query ids; "" if it cannot be told, or was not.

    A composition may drop the column, and so may estimators from elsewhere.
    """
    is_plain = type(estimator).__module__.startswith("sklearn.")
    for name in (DEFAULT_NAME, "query_id") if is_plain else ():
        is_feature = name in list(getattr(estimator, "feature_names_in_", ()))
        if is_feature and not any(hasattr(one, "fit") for one in estimator.get_params().values()):
            return (
                f"{type(estimator).__name__} was fitted on the query ids, the column {name!r}, as "
                f"on a feature; pass X.set_index({name!r}), whose index level is none"
            )
    return ""


def find_query_ids(
    X: Any, y: Any, groups: Any, bound: Any, options: ScorerOptions, *, passed_as: str, owner: str
) -> QueryIds:
    """Query ids for a scorer: passed, bound, or carried; RankingConfigError without any."""
    n_rows, name = length(y), options.groups_from
    try:
        if bound is not None:
            ids = _bound_ids(bound, n_rows, owner)
            if groups is not None:
                _check_same_queries("groups", groups, "the ids of bind()", ids)
            return QueryIds(ids)
        fold = current_fold(passed_as, X, n_rows)
        listed = find_ids(X, y, groups, name, fold, exact=options.one_query)
        if listed is not None:
            return QueryIds(read_groups(listed, n_rows), fold, name)
    except RankingConfigError:
        raise
    except (TypeError, ValueError) as error:
        # Every fold would fail alike, so the search has to end.
        raise RankingConfigError(str(error)) from error
    if options.one_query:
        return QueryIds(np.zeros(n_rows, dtype=np.int64))
    msg = (
        f"{_missing_ids(X, name, owner, 'groups_from')}, or use {owner}.bind(qid) where "
        f"nothing is split; {owner}.with_options(one_query=True) scores all rows as one query."
    )
    raise RankingConfigError(msg)


def _bound_ids(bound: Any, n_rows: int, owner: str) -> Ids:
    ids = read_groups(bound)
    if len(ids) != n_rows:
        msg = (
            f"{owner}.bind(...) got the ids of {len(ids):,} rows, but {n_rows:,} rows are scored; "
            "bind works only without splits: in a search, put the ids into an index of X or y, or "
            "pass them as metadata"
        )
        raise RankingConfigError(msg)
    return ids


# For scorers and rankers -------------------------------------------------------------------------


def find_ids(
    X: object, y: object, groups: object, name: str, fold: Fold | None, *, exact: bool = False
) -> Any:
    """Query ids that are passed as ``groups``, else the ids in X, else in y.

    ValueError if two of them disagree or differ in order; RankingConfigError if
    ``permutation_test_score`` moves the ids.
    """
    permuted = fold is not None and fold.permutes_y
    if groups is None and not exact:
        name = query_name(name, X, y)
    check_same_order(X=X, y=None if permuted else y, groups=groups)
    by_rows, by_y = carried_query_ids(name, X), carried_query_ids(name, None, y)
    sources = {"groups": groups, f"the {name!r} of X": by_rows}
    # Permuted, the index of y moves with it, and the other sources win.
    if not permuted or (groups is None and by_rows is None):
        sources[f"the {name!r} of y"] = by_y
    present = [pair for pair in sources.items() if pair[1] is not None]
    if not present:
        return None
    source, ids = present[0]
    for other in present[1:]:
        _check_same_queries(source, ids, *other)
    if source.endswith(" of y") and fold is not None and fold.shuffles_y:
        msg = (
            f"permutation_test_score moves the index level {name!r} of y along with y; pass "
            "groups= to permute within queries, or let X carry the query ids"
        )
        raise RankingConfigError(msg)
    return ids


def _check_same_queries(source: str, ids: object, other_source: str, other_ids: object) -> None:
    """ValueError if two sources of query ids group rows differently."""
    if ids is other_ids:
        return
    first, second = read_groups(ids), read_groups(other_ids)
    if len(first) != len(second):
        return  # read_groups(ids, n_rows) has the better message
    plain = isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
    if plain and np.array_equal(first, second):  # type: ignore[arg-type]
        return
    differs = np.flatnonzero(group_rows(first).numbers != group_rows(second).numbers)
    if len(differs):
        row = int(differs[0])
        remedy = " (a scorer ignores groups after set_score_request(groups=False))"
        msg = (
            f"{source} and {other_source} group rows differently, first at row {row}: "
            f"{safe_repr(first[row])} and {safe_repr(second[row])}; leave out the one that is "
            f"not the query{remedy if source == 'groups' else ''}"
        )
        raise ValueError(msg)


def require_query_ids(X: object, y: object, groups: object, name: str, owner: str) -> Any:
    """Query ids to fit with; RankingConfigError without any."""
    ids = find_ids(X, y, groups, name, current_fold(name, X, length(X)))
    if ids is None:
        raise RankingConfigError(_missing_ids(X, name, owner, "query"))
    return ids


def _missing_ids(X: object, name: str, owner: str, option: str) -> str:
    """Error text: the missing ids, where they were lost, and how to pass them."""
    how = "Pass eval_groups="
    if not owner.startswith("eval_X"):
        how = (
            f"{reason_for_missing_ids(X, name)}Either run under "
            "sklearn.set_config(enable_metadata_routing=True) and pass groups=qid to fit, "
            "params={'groups': qid} to cross_val_score"
        )
    places = "a column or an index level"
    if option == "groups_from":  # of a scorer, whose estimator sees all columns
        places = "an index level (a column also becomes a feature)"
    return (
        f"{owner} needs the query id of every row and got none. {how}, "
        f"or give X {places} named {name!r} ({option}=), or y such an index level"
    )


def reason_for_missing_ids(X: object, name: str) -> str:
    """Why the caller's ids did not arrive, if the stack shows it; else ""."""
    if any(carried_query_ids(name, given) is not None for given in values_above("X")):
        return (
            f"The data carry {name!r}, but an earlier step turned X into a {type(X).__name__} and "
            "dropped it; pipeline.set_output(transform='pandas') keeps an index of X, and an "
            "index of y is often kept. "
        )
    if any(True for _ in values_above("groups")):
        return "Without metadata routing, scikit-learn passes groups= only to the splitter. "
    return ""
