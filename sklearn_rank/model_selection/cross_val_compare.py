"""Compare estimators on queries that they were not fitted on."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import get_routing_for_object

from sklearn_rank.comparison.compare import evaluated
from sklearn_rank.comparison.differences import Change
from sklearn_rank.comparison.join import join
from sklearn_rank.comparison.result import Comparison, comparisons_of
from sklearn_rank.evaluation.evaluate import evaluate, refuse_option
from sklearn_rank.evaluation.repeats import Repeats
from sklearn_rank.exceptions import InvalidParameterError, QuerySplitError
from sklearn_rank.inputs.arrays import listed_ids, read_groups
from sklearn_rank.inputs.roles import names_of
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import Measure
from sklearn_rank.model_selection.options import ScorerOptions
from sklearn_rank.model_selection.query_ids import QueryRows, carried_query_ids, query_name
from sklearn_rank.model_selection.reading import Responses, ScorerInput, layout_of_y, read_call
from sklearn_rank.model_selection.splits import QueryKFold, query_ids_of
from sklearn_rank.statistics.means import check_share
from sklearn_rank.support.checks import check_same_length
from sklearn_rank.support.constants import DEFAULT_MEASURES
from sklearn_rank.support.insides import length
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import IntArray

__all__ = ["cross_val_compare"]

_COMPARES = "cross_val_compare"
_OF_SCORERS = ("groups_from", "pos_label", "relevance", "response_method")
_NOT_HERE = {
    "y_true",
    "y_score",
    "measures",
    "groups",
    "relevance",
    "candidates",
    "columns",
    "values",
    "unknown",
}
"""Parameters of ``evaluate`` that have no meaning, or a different one, for estimators."""


def cross_val_compare(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    cv: Any = None,
    items: Any = None,
    alpha: float = 0.05,
    **reading: Any,
) -> Comparison:
    """Compare estimators, each query ranked by a model that was not fitted on it.

    The best value of a search is optimistic: it was chosen among many on the same queries. Pass the
    search as an estimator (nested cross-validation), and the comparison shows whether its choice is
    better on unseen queries.

    Parameters
    ----------
    estimators : mapping of str to estimator
        Two or more by name; the first is the baseline. Clones are fitted and rank as in scorers:
        rows by ``decision_function``, ``predict_proba`` or ``predict``, and queries by the rankings
        that ``predict`` returns.
    X, y : array-like, sequence or data frame
        As for scorers: a grade per row, or a set, list or {item: grade} per query, or 2-D grades.
        For lists, the elements of X name the queries, if they are distinct ids or texts.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, unless X or y carry it. It is passed to the splitter and to estimators
        that request it, such as searches and :class:`QueryRanker`, without a global setting.
    measures : str, Measure, or sequence of them, default=("map", "ndcg@10")
        Measures with a value per query.
    cv : int, splitter or iterable, default=None
        Number of folds of :class:`QueryKFold` (None: 5), or anything that a search takes. Each
        repetition of repeated folds becomes a run of :class:`Repeats`.
    items : array-like of shape (n_samples,), default=None
        Item of each row, which reports then show. None looks for a column or index level of X with
        the name of an item, such as "doc_id".
    alpha : float, default=0.05
        See :func:`compare`.
    **reading
        Options of :func:`evaluate` (``ties``, ``convention``, ``clusters`` and so on), and of
        scorers: ``groups_from``, ``pos_label``, ``relevance``, ``response_method``.

    Returns
    -------
    comparison : Comparison
        Comparison on the tested queries; ``notes`` count the others. A gain is significant only if
        a wider interval also excludes 0 (1.22 times as wide for five folds), because the folds'
        models were chosen on each other's queries.

    Raises
    ------
    QuerySplitError
        If a fold divides a query, or is fitted on queries that it tests.
    RankingConfigError
        If there are no query ids, or an estimator returns no rankings.
    InvalidParameterError
        If a measure is pooled, folds test some queries more often, or an option is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_rank import QueryKFold, cross_val_compare, map_scorer
    >>> qid = np.repeat(np.arange(40), 5)
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> y[::5] = 1
    >>> search = GridSearchCV(Ridge(), {"alpha": [1, 10]}, scoring=map_scorer, cv=QueryKFold(3))
    >>> models = {"default": Ridge(), "tuned": search}
    >>> row = cross_val_compare(models, X, y, groups=qid, measures="map")["map"]
    >>> row.queries, row.significant
    (40, False)
    """
    alpha = check_share(alpha, "alpha", _COMPARES)
    options, reading = _read_options(reading)
    wanted = _checked(estimators, measures)
    data = _Data.of(X, y, groups, options)
    folds = _folds(cv, data)
    n_runs = 1 + max(int(fold.runs.max()) for fold in folds)
    truth, rankings = None, dict[str, list[Any]]()
    for name, estimator in estimators.items():
        parts = _out_of_fold(name, estimator, data, folds)
        rankings[name] = [_in_order([p.scores for p in parts], folds, n) for n in range(n_runs)]
        truth = _in_order([part.y for part in parts], folds, 0) if truth is None else truth
    tested = np.unique(np.concatenate([fold.test for fold in folds]))
    for name in ("sample_weight", "query_ids"):
        if hasattr(reading.get(name), "__len__") and len(reading[name]) == data.n_rows:
            reading[name] = _safe_indexing(reading[name], tested)
    if not data.is_rows:
        reading.setdefault("query_ids", _names_of(X, options.groups_from, tested))
    elif (named := _items_of(data, items)) is None:
        reading["groups"] = data.queries_of(tested)
    else:
        queries, named = data.queries_of(tested), _safe_indexing(named, tested)
        truth = Qrels.from_columns(queries, named, grades=truth)
        reading.setdefault("assume", "complete")
        for name, runs in rankings.items():
            rankings[name] = [Run.from_columns(queries, named, scores=one) for one in runs]
    systems = {name: runs[0] if n_runs == 1 else Repeats(runs) for name, runs in rankings.items()}
    joined, omissions = join(evaluated(truth, systems, wanted, reading), None)
    plain = comparisons_of([joined], alpha)[0]
    rows = tuple(confirmed(row, len(folds) // n_runs) for row in plain.rows)
    notes = (*_notes(folds, data, n_runs), *omissions)
    return Comparison(joined, alpha, rows, plain.family_text, notes)


def widening(n_folds: int) -> float:
    """Factor by which the interval is widened; a gain has to exclude 0 even then.

    Each fold's model was chosen on the queries of the others, so their changes are correlated: for
    a search over 20 settings that do nothing, the variance of the mean change is 1.1, 1.5 and 1.9
    times that of independent queries with 2, 5 and 10 folds (docs/_tuning.py).
    """
    return math.sqrt(min(1 + (n_folds - 1) / 8, 2.25))


def confirmed(row: Change, n_folds: int) -> Change:
    """The change, significant as a gain only if the wider interval also excludes 0."""
    if not (row.significant and row.better):
        return row
    is_clear = abs(row.change) > widening(n_folds) * (row.high - row.low) / 2
    return replace(row, significant=is_clear)


# Arguments ----------------------------------------------------------------------------------------


def _read_options(reading: Mapping[str, Any]) -> tuple[ScorerOptions, dict[str, Any]]:
    """Options of scorers and those of ``evaluate``; TypeError for others."""
    of_evaluate = inspect.signature(evaluate).parameters.keys() - _NOT_HERE
    own = inspect.signature(cross_val_compare).parameters.keys() - {"reading"}
    for name in reading:
        if name not in (*of_evaluate, *_OF_SCORERS):
            refuse_option(_COMPARES, name, [*of_evaluate, *_OF_SCORERS, *own])
    options = ScorerOptions(**{name: reading[name] for name in _OF_SCORERS if name in reading})
    return options, {name: one for name, one in reading.items() if name not in _OF_SCORERS}


def _checked(estimators: Any, measures: Any) -> tuple[Measure, ...]:
    """The measures; raises errors in them or the estimators before anything is fitted."""
    if not isinstance(estimators, Mapping) or len(estimators) < 2:
        msg = (
            "estimators must be {name: estimator} with at least two, the baseline first, got "
            f"{safe_repr(estimators)}"
        )
        raise InvalidParameterError(msg)
    for name, estimator in estimators.items():
        if not isinstance(name, str) or not hasattr(estimator, "fit"):
            msg = f"estimators[{safe_repr(name)}] must map a str to an estimator, got "
            raise InvalidParameterError(msg + safe_repr(estimator))
    wanted = parse_measures(measures)
    pooled = [str(measure) for measure in wanted if measure.is_pooled]
    if pooled:
        msg = (
            f"{format_list(pooled)} ranks all queries together, but scores from models of "
            "different folds are not comparable; use a measure with values per query"
        )
        raise InvalidParameterError(msg)
    return wanted


class _Data(NamedTuple):
    """Rows, or one element per query."""

    X: Any
    y: Any
    groups: Any
    options: ScorerOptions
    rows: QueryRows
    is_rows: bool

    @classmethod
    def of(cls, X: Any, y: Any, groups: Any, options: ScorerOptions) -> _Data:
        y = y.to_pylist() if hasattr(y, "to_pylist") else y  # of Arrow
        is_rows = layout_of_y(y, options, _COMPARES) == "rows"
        check_same_length("X", length(X), "y", length(y))
        # Functions that slice rows do not slice an index.
        groups = groups.to_numpy() if hasattr(groups, "get_level_values") else groups
        ids = query_ids_of(X, y, groups, options.groups_from) if is_rows else np.arange(length(y))
        return cls(X, y, groups, options, QueryRows(read_groups(ids, length(y))), is_rows)

    @property
    def n_rows(self) -> int:
        return len(self.rows.numbers)

    def queries_of(self, rows: IntArray) -> list[Any]:
        """Query id of each row."""
        ids = listed_ids(self.rows.query_ids)
        return [ids[number] for number in self.rows.numbers[rows].tolist()]

    def groups_of(self, rows: IntArray) -> Any:
        return None if self.groups is None else _safe_indexing(self.groups, rows)


# Folds --------------------------------------------------------------------------------------------


class _Fold(NamedTuple):
    train: IntArray
    test: IntArray
    runs: IntArray
    """How many earlier folds have tested each row of ``test``."""


def _folds(cv: Any, data: _Data) -> list[_Fold]:
    """Folds of whole queries, fitted on others, each query tested equally often or never."""
    if cv is None or isinstance(cv, int):
        cv = QueryKFold(5 if cv is None else cv, query=data.options.groups_from)
    times: IntArray = np.zeros(len(data.rows.sizes), dtype=np.int64)
    numbers, folds = data.rows.numbers, list[_Fold]()
    with warnings.catch_warnings():
        # KFold and the like warn that they ignore groups; whether they divide queries is checked.
        warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
        splits = list(check_cv(cv).split(data.X, data.y, groups=data.groups))
    for number, (train, test) in enumerate(splits):
        train, test = (np.arange(data.n_rows)[part] for part in (train, test))
        fault = data.rows.fault(train, test, f"split {number}", beside=splits)
        shared = np.intersect1d(numbers[train], numbers[test])
        if fault is None and len(shared):
            named = format_list([listed_ids(data.rows.query_ids)[query] for query in shared])
            fault = f"split {number} trains on {len(shared):,} queries that it also tests: {named}"
        if fault is not None:
            raise QuerySplitError(fault)
        folds.append(_Fold(train, test, times[numbers[test]]))
        times[np.unique(numbers[test])] += 1
    if not times.any():
        msg = "cv gives no splits, or tests no query"
        raise ValueError(msg)
    often = np.unique(times[times > 0]).tolist()
    if len(often) > 1:
        msg = (
            f"cv tests some queries {often[0]} and others {often[-1]} times; use folds, or "
            "repeated folds, that test all queries equally often"
        )
        raise InvalidParameterError(msg)
    return folds


def _out_of_fold(
    name: str, estimator: Any, data: _Data, folds: Sequence[_Fold]
) -> list[ScorerInput]:
    """Truths and scores of the test part of each fold, read as scorers read them."""
    try:
        # Routing brings the query ids to searches and rankers inside of an estimator.
        with sklearn.config_context(enable_metadata_routing=True):
            return [_fitted_on(estimator, data, fold) for fold in folds]
    except (TypeError, ValueError) as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (f"system {safe_repr(name)}: {error.args[0]}",)
        raise


def _fitted_on(estimator: Any, data: _Data, fold: _Fold) -> ScorerInput:
    model = clone(estimator)
    X, y = (_safe_indexing(side, fold.train) for side in (data.X, data.y))
    takes_groups = data.groups is not None and _takes_groups(model)
    model.fit(X, y, **({"groups": data.groups_of(fold.train)} if takes_groups else {}))
    X, y = (_safe_indexing(side, fold.test) for side in (data.X, data.y))
    groups = data.groups_of(fold.test) if data.is_rows else None
    return read_call(Responses(model, X), y, groups, data.options, owner=_COMPARES)


def _takes_groups(model: Any) -> bool:
    """Whether ``fit`` takes ``groups`` for the model or for an estimator inside it."""
    try:
        return bool(get_routing_for_object(model).consumes("fit", ["groups"]))
    except NotImplementedError:  # a meta-estimator that routes nothing
        return False


def _in_order(parts: Sequence[Any], folds: Sequence[_Fold], run: int) -> Any:
    """Values of each fold's test rows, in the order of all rows; for one repetition."""
    chosen = [np.flatnonzero(fold.runs == run) for fold in folds]
    rows = np.concatenate([fold.test[of] for fold, of in zip(folds, chosen, strict=True)])
    order = np.argsort(rows, kind="stable")
    taken = [_safe_indexing(part, of) for part, of in zip(parts, chosen, strict=True) if len(of)]
    if isinstance(taken[0], list):
        listed = list(chain.from_iterable(taken))
        return [listed[row] for row in order.tolist()]
    if hasattr(taken[0], "tocsr"):
        return sparse.vstack(taken).tocsr()[order]
    is_masked = any(isinstance(part, np.ma.MaskedArray) for part in taken)
    return (np.ma if is_masked else np).concatenate(taken)[order]


# Names and notes ----------------------------------------------------------------------------------


def _names_of(X: Any, name: str, tested: IntArray) -> list[Any] | None:
    """The queries of lists and matrices, if X has them."""
    ids = carried_query_ids(query_name(name, X), X)
    ids = X if ids is None and len(getattr(X, "shape", (0,))) == 1 else ids
    if ids is None or not hasattr(ids, "__len__"):
        return None
    listed = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    if not all(isinstance(one, (str, int)) for one in listed) or len(set(listed)) < len(listed):
        return None
    return [listed[row] for row in tested.tolist()]


def _items_of(data: _Data, items: Any) -> Any:
    """The item of each row, if given, or if found in X and different in each row of a query."""
    if items is not None:
        check_same_length("X", data.n_rows, "items", len(items))
        return items
    names = [*getattr(data.X, "columns", ()), *getattr(getattr(data.X, "index", 0), "names", ())]
    found = names_of((name for name in names if isinstance(name, str)), "item")
    if len(found) != 1:
        return None
    ids = carried_query_ids(found[0], data.X)
    listed = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    pairs = set(zip(data.rows.numbers.tolist(), listed, strict=True))
    return listed if len(pairs) == data.n_rows else None


def _notes(folds: Sequence[_Fold], data: _Data, n_runs: int) -> list[str]:
    """How the rankings came about, and what was left out."""
    repeated = f", {n_runs} times" if n_runs > 1 else ""
    notes = [
        f"each query is ranked by a model that was not fitted on it ({len(folds)} folds{repeated})"
    ]
    wider = widening(len(folds) // n_runs) - 1
    if wider:
        notes.append(
            f"a gain is significant only if its interval, made {wider:.0%} wider, excludes 0, "
            "because the folds' models were chosen on each other's queries"
        )
    n_queries = len(data.rows.sizes)
    n_tested = len(np.unique(data.rows.numbers[np.concatenate([fold.test for fold in folds])]))
    if n_tested < n_queries:
        left_out = f"{n_queries - n_tested:,} of {n_queries:,} queries"
        notes.append(f"{left_out} are in no fold's test part and are left out")
    return notes
