"""Rankers of the boosting libraries as ordinary estimators, with the query ids as ``groups``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._query_ids import carried_query_ids, without_query_ids
from sklearn_rank._text import safe_repr
from sklearn_rank._validation import as_numbers, check_same_length
from sklearn_rank.exceptions import GroupsRequiredError, RankingConfigError
from sklearn_rank.inputs.rows import Grouping, group_rows, read_groups
from sklearn_rank.typing import FloatArray, IntArray

__all__ = ["QueryRanker"]

_QUERY_KEYWORDS = {"xgboost": "qid", "lightgbm": "group", "catboost": "group_id"}
"""What each library calls the queries when fitting."""


class QueryRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """XGBRanker, LGBMRanker or CatBoostRanker with scattered rows and any query ids.

    The libraries want rows sorted by query, queries numbered, counted or named, each in its own
    keyword, and none of them is split along with the rows. This takes the query id of each row as
    ``groups``, or from the column or index level ``query`` of X, or an index level of y, and sorts,
    numbers and counts.

    Parameters
    ----------
    ranker : estimator
        An ``XGBRanker``, ``LGBMRanker`` or ``CatBoostRanker``; its parameters are
        ``ranker__...`` in a search.
    query : str, default="qid"
        Name of the column or index level that holds the query ids; a column of X of that name is
        not a feature.

    Attributes
    ----------
    ranker_ : estimator
        The fitted ranker.

    Raises
    ------
    GroupsRequiredError
        If there are no query ids, when fitting.
    RankingConfigError
        If the ranker is of no library that is known here.

    References
    ----------
    .. [1] XGBoost, Learning to Rank. LightGBM, LGBMRanker. CatBoost, CatBoostRanker.
    """

    __metadata_request__fit = {  # noqa: RUF012 - scikit-learn's spelling
        "groups": True,
        "sample_weight": True,
    }

    def __init__(self, ranker: Any, query: str = "qid") -> None:
        self.ranker = ranker
        self.query = query

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
            Data for early stopping.
        eval_groups : list of array-like, default=None
            Query ids of the rows of each pair, unless X or y carries them.
        **fit_params
            Further arguments of the ranker's ``fit``.

        Returns
        -------
        self : QueryRanker
            Fitted.
        """
        library = self._library()
        data = _Sorted.of(X, y, groups, self.query, type(self).__name__)
        keywords: dict[str, Any] = {**fit_params, **data.queries(library)}
        if sample_weight is not None:
            keywords.update(data.weights(library, sample_weight))
        if eval_set is not None:
            given = eval_groups if eval_groups is not None else [None] * len(eval_set)
            check_same_length("eval_set", len(eval_set), "eval_groups", len(given))
            sets = [
                _Sorted.of(one[0], one[1], ids, self.query, "eval_set")
                for one, ids in zip(eval_set, given, strict=True)
            ]
            keywords.update(_evaluation_keywords(library, sets))
        self.ranker_ = clone(self.ranker)
        self.ranker_.fit(data.X, data.y, **keywords)
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
        scores: FloatArray = np.asarray(self.ranker_.predict(without_query_ids(self.query, X)))
        return scores

    def _library(self) -> str:
        for kind in type(self.ranker).__mro__:
            name = kind.__module__.split(".")[0]
            if name in _QUERY_KEYWORDS:
                return name
        msg = (
            "ranker must be an XGBRanker, LGBMRanker or CatBoostRanker, "
            f"got {safe_repr(self.ranker)}"
        )
        raise RankingConfigError(msg)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ranker_")


@dataclass(frozen=True)
class _Sorted:
    """Rows in the order of their queries, as the libraries want them."""

    X: Any
    y: Any
    order: IntArray
    grouping: Grouping

    @classmethod
    def of(cls, X: Any, y: Any, groups: Any, query: str, owner: str) -> _Sorted:
        """Sort rows by the query ids that are passed or carried."""
        ids = groups if groups is not None else carried_query_ids(query, X, y)
        if ids is None:
            msg = (
                f"{owner} needs the query id of every row and got none: pass groups=qid, or give "
                f"X a column or index level named {query!r}"
            )
            raise GroupsRequiredError(msg)
        ids = read_groups(ids)
        check_same_length("X", X.shape[0] if hasattr(X, "shape") else len(X), "groups", len(ids))
        grouping = group_rows(ids)
        order = np.arange(len(ids)) if grouping.order is None else grouping.order
        features = without_query_ids(query, X)
        return cls(_take_rows(features, order), np.asarray(y)[order], order, grouping)

    @property
    def sizes(self) -> IntArray:
        """(Q,) rows of each query."""
        return np.diff(self.grouping.offsets)

    @property
    def numbers(self) -> IntArray:
        """Number of the query of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def queries(self, library: str) -> dict[str, Any]:
        """The queries in the library's own keyword."""
        value = self.sizes if library == "lightgbm" else self.numbers
        return {_QUERY_KEYWORDS[library]: value}

    def weights(self, library: str, sample_weight: Any) -> dict[str, Any]:
        """Weights of rows, or of queries where the library weighs those."""
        given = as_numbers(sample_weight, "sample_weight")
        check_same_length("X", len(self.order), "sample_weight", len(given))
        by_row = given[self.order]
        if library == "lightgbm":
            return {"sample_weight": by_row}
        by_query = by_row[self.grouping.offsets[:-1]]
        if (np.repeat(by_query, self.sizes) != by_row).any():
            msg = (
                f"{library} weighs queries: sample_weight must be the same for all rows of a query"
            )
            raise ValueError(msg)
        return {"group_weight": by_row} if library == "catboost" else {"sample_weight": by_query}


def _evaluation_keywords(library: str, sets: list[_Sorted]) -> dict[str, Any]:
    """Evaluation sets in the library's own keywords."""
    if library == "catboost":
        from catboost import Pool

        return {"eval_set": [Pool(one.X, one.y, group_id=one.numbers) for one in sets]}
    pairs = [(one.X, one.y) for one in sets]
    if library == "xgboost":
        return {"eval_set": pairs, "eval_qid": [one.numbers for one in sets]}
    return {"eval_set": pairs, "eval_group": [one.sizes for one in sets]}


def _take_rows(X: Any, order: IntArray) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[order]
    return [X[row] for row in order.tolist()] if isinstance(X, list) else X[order]
