"""Rankers of the boosting libraries as ordinary estimators, with the query ids as ``groups``."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import RegressorTags
from sklearn.utils.validation import check_is_fitted

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs.arrays import listed_ids
from sklearn_rank.model_selection.query_ids import without_query_ids
from sklearn_rank.rankers.boosters import (
    SortedRows,
    booster_of,
    evaluation_of,
    watched_by,
    watching,
)
from sklearn_rank.rankers.eval_metrics import XGBoostEvalMetric
from sklearn_rank.support.checks import check_same_length
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import FloatArray

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
        Name of the column of X that is no feature, if X has one: ``query``, or another common
        name of query ids where none is called ``"qid"``.

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
            If there are no query ids, or ``permutation_test_score`` moves them; if the ranker is
            unknown; if ``eval_metric`` is given and the ranker has metrics of its own to stop by,
            or is a CatBoostRanker, which gives custom metrics no queries.
        TypeError
            If an argument of the library is passed that has a value per row or query.
        ValueError
            If lengths or orders of rows differ, ``groups`` and the data tell other queries, every
            query has a single row, or weights differ within a query of a library that weighs those.
        """
        booster = booster_of(self.ranker, fit_params)
        watched = watched_by(self.eval_metric, booster, self.ranker, fit_params)
        data = SortedRows.of(X, y, groups, self.query, type(self).__name__)
        self.query_ = data.query
        queries = data.sizes if booster.library == "lightgbm" else data.numbers
        keywords = {**fit_params, booster.queries: queries}
        if sample_weight is not None:
            keywords[booster.weights] = data.weights(booster, sample_weight)
        sets = []
        if eval_set is not None or eval_groups is not None:
            if not isinstance(eval_set, list) or any(
                not isinstance(pair, (tuple, list)) or len(pair) != 2 for pair in eval_set
            ):
                msg = f"eval_set must be a list of pairs (X, y), got {safe_repr(eval_set)}"
                raise TypeError(msg)
            ids = [None] * len(eval_set) if eval_groups is None else eval_groups
            check_same_length("eval_set", len(eval_set), "eval_groups", len(ids))
            sets = [
                SortedRows.of(rows, grades, ids[number], self.query, f"eval_set[{number}]")
                for number, (rows, grades) in enumerate(eval_set)
            ]
            if not isinstance(watched, XGBoostEvalMetric):  # which measures by itself
                keywords.update(evaluation_of(booster, self.ranker, sets, fit_params))
            for number, rows in enumerate(sets):
                _warn_of_shared(number, rows, data)
        self.ranker_ = clone(self.ranker)
        with watching(self.ranker_, watched, sets) as more:
            self.ranker_.fit(data.X, data.y, **keywords, **more)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Scores of rows, comparable within a query; X needs no order, and no query ids."""
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


def _warn_of_shared(number: int, rows: SortedRows, data: SortedRows) -> None:
    """RankingDataWarning for an evaluation set with queries that the ranker is fitted on.

    A set of the very queries that are fitted watches the fit itself, as some like to plot. Sets of
    other sizes whose queries are numbered from 0 or 1 without a gap have been numbered each on its
    own, and equal numbers mean nothing; rows that a split has cut leave gaps, or all queries.
    """
    watched, fitted = (listed_ids(part.grouping.query_ids) for part in (rows, data))
    seen = set(fitted)
    shared = [query for query in watched if query in seen]
    if not shared or (len(shared) == len(fitted) and len(rows.y) == len(data.y)):
        return
    if len(watched) != len(fitted) and any(
        set(watched) == set(range(first, first + len(watched)))
        and seen == set(range(first, first + len(fitted)))
        for first in (0, 1)
    ):
        return
    warn(
        f"{len(shared):,} of {len(watched):,} queries of eval_set[{number}] are among those "
        f"that the ranker is fitted on: {format_list(shared)}; early stopping then goes by what "
        "it has seen. Split by query (QueryKFold, GroupShuffleSplit), or give queries that are "
        "not the same ids of their own",
        RankingDataWarning,
    )
