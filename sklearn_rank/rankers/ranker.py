"""Rankers of the boosting libraries as ordinary estimators, with the query ids as ``groups``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import RegressorTags
from sklearn.utils.validation import check_is_fitted

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs.rows import Grouping, group_rows, listed_ids, read_groups
from sklearn_rank.model_selection.query_ids import (
    query_name,
    remember_sizes,
    require_query_ids,
    without_query_ids,
)
from sklearn_rank.rankers.boosters import (
    Booster,
    EvaluationRows,
    booster_of,
    watched_by,
    watching,
)
from sklearn_rank.rankers.eval_metrics import XGBoostEvalMetric
from sklearn_rank.support.checks import as_numbers, check_query_name, check_same_length
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, FloatArray, IntArray

__all__ = ["QueryRanker"]


class QueryRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """XGBRanker, LGBMRanker or CatBoostRanker with scattered rows and any query ids.

    Each library wants rows sorted by query and the queries in a form and keyword of its own, which
    scikit-learn does not split along with the rows. This takes the query id of each row as
    ``groups``, or from the column or index level ``query`` of X, or an index level of y, then
    sorts the rows and hands the queries on in the library's form.

    Parameters
    ----------
    ranker : estimator
        An ``XGBRanker``, ``LGBMRanker`` or ``CatBoostRanker``; its parameters are
        ``ranker__...`` in a search.
    query : str, default="qid"
        Name of the column or index level that holds the query ids; a column of X of that name is
        not a feature.
    eval_metric : str, Measure, scorer or list of these, default=None
        What XGBRanker and LGBMRanker watch on ``eval_set`` instead of their own metrics, once for
        each tree; early stopping goes by the first one, in its own direction, on the last set with
        XGBoost and on any with LightGBM. None leaves it to the ranker.

    Attributes
    ----------
    ranker_ : estimator
        The fitted ranker.
    query_ : str
        Name of the column of X that is no feature, if X has one: ``query``, or the name that told
        the queries where none was called ``"qid"``.

    Raises
    ------
    RankingConfigError
        If there are no query ids, when fitting.
    RankingConfigError
        If the ranker is of no library that is known here, or ``query`` is not a str.
    ValueError
        If what is passed speaks of different rows or queries; see :meth:`fit`.

    Examples
    --------
    ``QueryRanker(XGBRanker()).fit(X, y, groups=qid)`` needs XGBoost installed. Estimators that fit
    without queries need no wrapper:

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import QueryRanker
    >>> QueryRanker(Ridge()).fit([[1.0], [2.0]], [0, 1], groups=["a", "a"])
    Traceback (most recent call last):
    ...
    sklearn_rank.exceptions.RankingConfigError: ranker must be an XGBRanker, LGBMRanker or ...
    """

    __metadata_request__fit = {  # noqa: RUF012 - scikit-learn's spelling
        "groups": True,
        "sample_weight": True,
        "eval_set": True,
        "eval_groups": True,
    }

    def __init__(self, ranker: Any, query: str = "qid", eval_metric: Any = None) -> None:
        self.ranker = ranker
        self.query = query
        self.eval_metric = eval_metric

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_groups: Any = None,
        **fit_params: Any,
    ) -> QueryRanker:
        """Fit the ranker.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, in any order of rows; may carry the query ids.
        y : array-like of shape (n_samples,)
            Grades.
        groups : array-like of shape (n_samples,), default=None
            Query id of each row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; XGBoost and CatBoost weigh queries, so that it has to be the same
            for all rows of a query there.
        eval_set : list of pairs (X, y), default=None
            Data that are watched after each tree, for early stopping; a warning names queries of
            the training data in them.
        eval_groups : list of array-like, default=None
            Query ids of the rows of each pair, unless X or y carries them.
        **fit_params
            Further arguments of the ranker's ``fit``, such as ``callbacks``; none with a value per
            row or query, because rows are sorted.

        Returns
        -------
        self : QueryRanker
            Fitted.

        Raises
        ------
        RankingConfigError
            If there are no query ids.
        RankingConfigError
            If the ranker is unknown, or the query ids are moved by ``permutation_test_score``; if
            ``eval_metric`` is given and the ranker has metrics of its own to stop by, or is a
            CatBoostRanker, which gives custom metrics no queries.
        TypeError
            If an argument of the library is passed that has a value per row or query.
        ValueError
            If lengths differ; if ``groups`` and X, where both tell the queries, disagree or are
            pandas objects whose rows stand in different orders, as may be those of y; if every
            query has a single row;
            if weights differ within a query of a library that weighs queries.
        """
        booster = booster_of(self.ranker)
        booster.refuse_replaced(fit_params)
        watched = watched_by(self.eval_metric, booster, self.ranker, fit_params)
        data = _Sorted.of(X, y, groups, self.query, type(self).__name__)
        self.query_ = data.query
        keywords = {**fit_params, booster.queries: data.queries(booster)}
        if sample_weight is not None:
            keywords[booster.weights] = data.weights(booster, sample_weight)
        sets = []
        if eval_set is not None or eval_groups is not None:
            sets = _evaluation_sets(eval_set, eval_groups, self.query)
            if not isinstance(watched, XGBoostEvalMetric):  # which measures by itself
                keywords.update(booster.evaluation(self.ranker, sets, fit_params))
            for number, rows in enumerate(sets):
                _warn_of_shared(number, rows, data)
        self.ranker_ = clone(self.ranker)
        with watching(self.ranker_, watched, sets) as more:
            self.ranker_.fit(data.X, data.y, **keywords, **more)
        queries = listed_ids(data.grouping.query_ids)
        remember_sizes(self, dict(zip(queries, data.sizes.tolist(), strict=True)))
        return self

    def predict(self, X: Any) -> FloatArray:
        """Scores of rows; greater ranks higher, and rows need no order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features; a column of query ids is left out.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Comparable within a query.
        """
        check_is_fitted(self)
        scores: FloatArray = np.asarray(self.ranker_.predict(without_query_ids(self.query_, X)))
        return scores

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ranker_")

    def __sklearn_tags__(self) -> Any:
        """A regressor: it predicts a number for each row, which voting and stacking may combine."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        return tags


@dataclass(frozen=True)
class _Sorted:
    """Rows in the order of their queries, as the libraries want them."""

    X: Any
    y: Array
    order: IntArray
    grouping: Grouping
    query: str
    """The column of X that holds the queries, if one does."""

    @classmethod
    def of(cls, X: Any, y: Any, groups: Any, query: str, owner: str) -> _Sorted:
        """Sort rows by the query ids that are passed or carried."""
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        grades = as_numbers(y, "y")
        if grades.ndim != 1:
            msg = f"y should be a 1d array, got an array of shape {grades.shape} instead."
            raise ValueError(msg)
        check_same_length("X", n_rows, "y", len(grades))
        check_query_name(query, "query")
        query = query_name(query, X, y) if groups is None else query
        ids = require_query_ids(X, y, groups, query, owner)
        grouping = group_rows(read_groups(ids, n_rows))
        if 1 < n_rows == len(grouping.query_ids):
            msg = (
                f"{owner}: {n_rows:,} rows in {n_rows:,} queries leave nothing to rank; "
                "is 'groups' a row id?"
            )
            raise ValueError(msg)
        order = np.arange(n_rows) if grouping.order is None else grouping.order
        features = _take_rows(without_query_ids(query, X), order)
        return cls(features, grades[order], order, grouping, query)

    @property
    def sizes(self) -> IntArray:
        """(Q,) rows of each query."""
        return np.diff(self.grouping.offsets)

    @property
    def numbers(self) -> IntArray:
        """Number of the query of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def queries(self, booster: Booster) -> IntArray:
        """The queries as the library wants them."""
        return self.sizes if booster.counts_rows else self.numbers

    def weights(self, booster: Booster, sample_weight: Any) -> Array:
        """Weights of rows, or of queries where the library weighs those."""
        given = as_numbers(sample_weight, "sample_weight")
        if given.ndim != 1:
            msg = (
                f"sample_weight should be a 1d array, got an array of shape {given.shape} instead."
            )
            raise ValueError(msg)
        check_same_length("X", len(self.order), "sample_weight", len(given))
        by_row = given[self.order]
        if booster.weighs == "row":
            return by_row
        by_query = by_row[self.grouping.offsets[:-1]]
        differs = np.flatnonzero(np.repeat(by_query, self.sizes) != by_row)
        if len(differs):
            query = self.grouping.query_ids[int(self.numbers[differs[0]])]
            msg = (
                f"{booster.ranker} weighs queries: sample_weight must be the same for all rows of "
                f"a query, and is not for query {safe_repr(query)}. (Bagging passes the number of "
                "times that a row is drawn as its weight; "
                "QueryRanker(...).set_fit_request(sample_weight=False) has it pass the rows.)"
            )
            raise ValueError(msg)
        return by_query if booster.weighs == "query" else by_row


def _evaluation_sets(eval_set: Any, eval_groups: Any, query: str) -> list[EvaluationRows]:
    """Evaluation sets, each sorted like the data."""
    if not isinstance(eval_set, list) or any(
        not isinstance(pair, (tuple, list)) or len(pair) != 2 for pair in eval_set
    ):
        msg = f"eval_set must be a list of pairs (X, y), got {safe_repr(eval_set)}"
        raise TypeError(msg)
    ids = [None] * len(eval_set) if eval_groups is None else eval_groups
    check_same_length("eval_set", len(eval_set), "eval_groups", len(ids))
    sets = [
        _Sorted.of(X, y, groups, query, f"eval_set[{number}]")
        for number, ((X, y), groups) in enumerate(zip(eval_set, ids, strict=True))
    ]
    return [
        EvaluationRows(data.X, data.y, data.sizes, data.numbers, data.grouping.query_ids)
        for data in sets
    ]


def _warn_of_shared(number: int, rows: EvaluationRows, data: _Sorted) -> None:
    """RankingDataWarning for an evaluation set with queries that the ranker is fitted on.

    A set of the very queries that are fitted watches the fit itself, as some like to plot.
    """
    fitted = set(listed_ids(data.grouping.query_ids))
    shared = [query for query in listed_ids(rows.query_ids) if query in fitted]
    if shared and not (len(shared) == len(fitted) and len(rows.y) == len(data.y)):
        warn(
            f"{len(shared):,} of {len(rows.sizes):,} queries of eval_set[{number}] are among those "
            f"that the ranker is fitted on: {format_list(shared)}; early stopping "
            "then goes by what it "
            "has seen. Split by query (QueryKFold, GroupShuffleSplit), or give queries that are "
            "not the same ids of their own",
            RankingDataWarning,
        )


def _take_rows(X: Any, order: IntArray) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[order]
    return [X[row] for row in order.tolist()] if isinstance(X, list) else X[order]
