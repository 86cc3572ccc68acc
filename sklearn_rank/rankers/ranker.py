"""Rankers of the boosting libraries as ordinary estimators, with the query ids as ``groups``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import RegressorTags
from sklearn.utils.validation import check_is_fitted

from sklearn_rank.exceptions import RankingConfigError, RankingDataWarning
from sklearn_rank.inputs.arrays import group_rows, listed_ids, read_groups
from sklearn_rank.model_selection.query_ids import query_name, require_query_ids, without_query_ids
from sklearn_rank.rankers.eval_metrics import watching
from sklearn_rank.support.checks import as_column, as_numbers, check_query_name, check_same_length
from sklearn_rank.support.insides import length, step_that_changes_x, values_above
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, FloatArray, IntArray

__all__ = ["QueryRanker"]


class QueryRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """XGBRanker, LGBMRanker or CatBoostRanker for rows in any order and query ids of any kind.

    The libraries need rows sorted by query, and each has its own form and keyword for the queries,
    which scikit-learn does not split along with the rows. This class takes the query id of each row
    as ``groups`` or from X or y, as scorers do, sorts the rows and passes the queries on.

    Parameters
    ----------
    ranker : estimator
        An ``XGBRanker``, ``LGBMRanker`` or ``CatBoostRanker``; its parameters are
        ``ranker__...`` in a search.
    query : str, default="qid"
        Name of the column or index level that holds the query ids; a column of X with that name is
        not a feature.
    eval_metric : str, Measure, scorer or list of these, default=None
        Measures that XGBRanker and LGBMRanker evaluate on ``eval_X`` instead of their default
        metrics; early stopping uses the first one, on the last set with XGBoost and on any with
        LightGBM.

    Attributes
    ----------
    ranker_ : estimator
        The fitted ranker.
    query_ : str
        Name of the query id column, which is not used as a feature if X has it.

    Examples
    --------
    >>> from sklearn_rank import QueryRanker, map_scorer
    >>> QueryRanker("LGBMRanker()", eval_metric=map_scorer).get_params()["query"]
    'qid'
    """

    __metadata_request__fit = dict.fromkeys(
        ("groups", "sample_weight", "eval_X", "eval_y", "eval_groups"), True
    )

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
        eval_X: Any = None,  # noqa: N803 - LightGBM's spelling
        eval_y: Any = None,
        eval_groups: Any = None,
        **fit_params: Any,
    ) -> QueryRanker:
        """Fit the ranker.

        Parameters
        ----------
        X, y, groups : array-like of n_samples rows
            Features, grades and query ids, in any order of rows; X or y may carry the query ids.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; the same for all rows of a query with XGBoost and CatBoost.
        eval_X, eval_y, eval_groups : array-like, or tuple of these, default=None
            Features, grades and query ids of held-out rows, evaluated after each tree; a tuple
            holds several sets. In a pipeline with other steps use
            ``Pipeline(..., transform_input=["eval_X"])``.
        **fit_params
            Further arguments of the ranker's ``fit``, such as ``callbacks``.

        Returns
        -------
        self : QueryRanker
            Fitted.

        Raises
        ------
        RankingConfigError
            If there are no query ids, the ranker is unknown, ``eval_metric`` is set for CatBoost,
            a pipeline does not transform ``eval_X``, or a search slices it.
        ValueError or TypeError
            If arguments do not fit together, or one of ``fit_params`` has a value per row.
        """
        library = _library_of(self.ranker, fit_params)
        if library == "catboost" and self.eval_metric is not None:
            msg = (
                "CatBoost passes no queries to custom metrics; use its own: CatBoostRanker("
                "eval_metric='NDCG:top=10') is evaluate(..., 'ndcg@10', convention='catboost')"
            )
            raise RankingConfigError(msg)
        data = SortedRows.of(X, y, groups, self.query, type(self).__name__)
        self.query_ = data.query
        queries = data.sizes if library == "lightgbm" else data.numbers
        keywords = {**fit_params, LIBRARIES[library][1]: queries}
        if sample_weight is not None:
            name = "group_weight" if library == "catboost" else "sample_weight"
            keywords[name] = data.weights(library, sample_weight)
        sets = self._evaluation_sets(eval_X, eval_y, eval_groups)
        for number, held_out in enumerate(sets):
            _warn_of_shared(number, held_out, data)
        self.ranker_ = clone(self.ranker)
        if sets and (self.eval_metric is None or library == "lightgbm"):
            keywords.update(_evaluation(library, self.ranker, sets, fit_params))
        with watching(self.ranker_, library, self.eval_metric, sets) as more:
            self.ranker_.fit(data.X, data.y, **keywords, **more)
        return self

    def _evaluation_sets(self, X: Any, y: Any, groups: Any) -> list[SortedRows]:
        if X is y is groups is None:
            return []
        if X is None or y is None:
            msg = "eval_X, eval_y and eval_groups belong together; eval_X or eval_y is missing"
            raise TypeError(msg)
        several = [one if isinstance(one, tuple) else (one,) for one in (X, y, groups)]
        if groups is None:
            several[2] *= len(several[0])
        check_same_length("eval_X", len(several[0]), "eval_y", len(several[1]))
        check_same_length("eval_X", len(several[0]), "eval_groups", len(several[2]))
        step = step_that_changes_x(self, "eval_X")
        if step is not None:
            msg = (
                f"eval_X would not be transformed, but {step!r} changes X; pass "
                "transform_input=['eval_X'] to the pipeline, which then transforms both"
            )
            raise RankingConfigError(msg)
        if not isinstance(X, tuple) and length(X) in {
            length(rows) for rows in values_above("train")
        }:
            msg = (
                "eval_X has as many rows as a training part, and a search slices every argument "
                "of that length; pass tuples, which stay whole, as in eval_X=(X_held_out,)"
            )
            raise RankingConfigError(msg)
        return [
            SortedRows.of(rows, grades, ids, self.query, f"eval_X[{number}]")
            for number, (rows, grades, ids) in enumerate(zip(*several, strict=True))
        ]

    def __getattr__(self, name: str) -> Any:
        """Fitted attributes of the ranker, such as ``feature_importances_``."""
        # Attributes of this class exist or raise their own error; only classifiers have classes_.
        is_learnt = name.endswith("_") and not name.startswith("_") and name != "classes_"
        if is_learnt and "ranker_" in vars(self) and not hasattr(type(self), name):
            return getattr(self.ranker_, name)
        return object.__getattribute__(self, name)

    def predict(self, X: Any) -> FloatArray:
        """Scores of rows, comparable within a query; X needs no order or query ids."""
        check_is_fitted(self)
        return np.asarray(self.ranker_.predict(without_query_ids(self.query_, X)))

    def __sklearn_tags__(self) -> Any:
        """A regressor: it predicts a number for each row, which voting and stacking can combine."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags


# Rows --------------------------------------------------------------------------------------------


class SortedRows(NamedTuple):
    """Rows in the order of their queries."""

    X: Any
    y: Array
    order: IntArray
    sizes: IntArray
    """(Q,) rows of each query."""
    query_ids: Any
    query: str
    """The column of X with the query ids; None if there is none."""

    @classmethod
    def of(cls, X: Any, y: object, groups: object, query: str, owner: str) -> SortedRows:
        """Sort rows by the query ids that are passed or found in X or y."""
        n_rows, grades = length(X), as_column(as_numbers(y, "y"), "y")
        check_same_length("X", n_rows, "y", len(grades))
        check_query_name(query, "query")
        query = query_name(query, X, y) if groups is None else query
        grouping = group_rows(read_groups(require_query_ids(X, y, groups, query, owner), n_rows))
        if 1 < n_rows == len(grouping.query_ids):
            msg = f"{owner}: {n_rows:,} rows in {n_rows:,} queries; is 'groups' a row id?"
            raise ValueError(msg)
        order = np.arange(n_rows) if grouping.order is None else grouping.order
        X = without_query_ids(query, X)
        X = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X) if isinstance(X, list) else X
        X = X.take(order) if hasattr(X, "column_names") else getattr(X, "iloc", X)[order]
        return cls(X, grades[order], order, np.diff(grouping.offsets), grouping.query_ids, query)

    @property
    def numbers(self) -> IntArray:
        """(n_samples,) number of the query of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def weights(self, library: str, sample_weight: object) -> Array:
        """Weights of rows for LightGBM, of queries for XGBoost, of both for CatBoost."""
        by_row = as_column(as_numbers(sample_weight, "sample_weight"), "sample_weight")
        check_same_length("X", len(self.order), "sample_weight", len(by_row))
        by_row = by_row[self.order]
        if library == "lightgbm":
            return by_row
        by_query = by_row[np.cumsum(self.sizes) - 1]
        differs = np.flatnonzero(by_query[self.numbers] != by_row)
        if len(differs):
            query = self.query_ids[int(self.numbers[differs[0]])]
            msg = (
                "XGBRanker and CatBoostRanker weight queries: sample_weight must be equal in all "
                f"rows of a query, but differs in query {safe_repr(query)} (for bagging: "
                "QueryRanker(...).set_fit_request(sample_weight=False))"
            )
            raise ValueError(msg)
        return by_query if library == "xgboost" else by_row


def _warn_of_shared(number: int, held_out: SortedRows, data: SortedRows) -> None:
    """Warn if held-out queries are fitted, unless all are, or ids only number the queries."""
    ids = [listed_ids(part.query_ids) for part in (held_out, data)]
    counted = [set(one) in ({*range(len(one))}, {*range(1, len(one) + 1)}) for one in ids]
    shared = [query for query in ids[0] if query in set(ids[1])]
    is_fit = len(shared) == len(ids[1]) and len(held_out.y) == len(data.y)
    if shared and not is_fit and not (all(counted) and len(ids[0]) != len(ids[1])):
        warn(
            f"{len(shared):,} of {len(ids[0]):,} queries of eval_X[{number}] are also training "
            f"queries: {format_list(shared)}; early stopping would use training data. Split by "
            "query (QueryKFold, GroupShuffleSplit)",
            RankingDataWarning,
        )


# The words of each library -----------------------------------------------------------------------

LIBRARIES = {
    "xgboost": ("XGBRanker", "qid"),
    "lightgbm": ("LGBMRanker", "group"),
    "catboost": ("CatBoostRanker", "group_id"),
}
"""Names of the class, and of the keyword that takes the queries."""
PER_ROW = """
base_margin base_margin_eval_set baseline eval_group eval_init_score eval_qid eval_sample_weight
eval_set graph group group_id group_weight init_score pairs pairs_weight qid sample_weight_eval_set
subgroup_id
"""
"""Arguments of a library's ``fit`` that have a value per row or query."""


_INSTEAD = {
    "qid": "; pass groups=qid",
    "group_id": "; pass groups=group_id",
    "group": "; for group sizes pass groups=np.repeat(np.arange(len(group)), group)",
}


def _library_of(ranker: object, fit_params: Iterable[str]) -> str:
    classes = {(kind.__module__.split(".")[0], kind.__name__) for kind in type(ranker).__mro__}
    names = [name for name, (ranks, _) in LIBRARIES.items() if (name, ranks) in classes]
    if not names:
        msg = f"ranker must be an XGBRanker, LGBMRanker or CatBoostRanker, got {safe_repr(ranker)}"
        raise RankingConfigError(msg)
    for name in set(fit_params).intersection(PER_ROW.split()):
        msg = (
            f"{name} cannot be passed: QueryRanker sorts rows by query, and can reorder only "
            "groups, sample_weight, eval_X, eval_y and eval_groups"
            f"{_INSTEAD.get(name, '')}"
        )
        raise TypeError(msg)
    return names[0]


def _evaluation(
    library: str, ranker: Any, sets: Sequence[SortedRows], fit_params: Mapping[str, object]
) -> dict[str, Any]:
    pairs = [(rows.X, rows.y) for rows in sets]
    if library == "xgboost":
        return {"eval_set": pairs, "eval_qid": [rows.numbers for rows in sets]}
    if library == "lightgbm":
        sizes = {"eval_group": [rows.sizes for rows in sets]}
        if "eval_X" not in signature(ranker.fit).parameters:  # before 4.7
            return {"eval_set": pairs, **sizes}
        X, y = zip(*pairs, strict=True)
        return {"eval_X": X, "eval_y": y, **sizes}
    from catboost import Pool

    # Queries and kinds of columns go into pools only.
    given = {**ranker.get_params(), **fit_params}
    kinds = ("cat_features", "text_features", "embedding_features")
    columns = {kind: given.get(kind) for kind in kinds}
    return {"eval_set": [Pool(rows.X, rows.y, group_id=rows.numbers, **columns) for rows in sets]}
