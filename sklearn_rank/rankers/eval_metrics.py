"""Measures as the custom evaluation metrics of LightGBM and XGBoost."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_rank.evaluation.averaging import Average, warn_of_undefined
from sklearn_rank.evaluation.compute import score_measures
from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError, UndefinedMetricError
from sklearn_rank.inputs.arrays import count_unjudged, graded_rows
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.model_selection.options import as_asked
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import narrow_grades
from sklearn_rank.rankings.ranking import TIE_RULES, Items
from sklearn_rank.scorers import RankingScorer, get_scorer
from sklearn_rank.support.checks import (
    as_numbers,
    check_finite,
    check_grades,
    check_same_length,
    check_weights,
)
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, FloatArray, NegativeGrades, Ties

__all__ = ["lightgbm_eval_metric", "xgboost_eval_metric"]

MAX_KEPT = 128
"""Data sets whose truths are kept: training and test rows of all folds of a cross-validation."""


class WatchedRows(NamedTuple):
    """Grades, predictions and weights of a data set, query after query."""

    grades: Any
    sizes: Any
    """(Q,) rows of each query; None if the library knows no queries."""
    weights: Any = None
    """Weights; None or empty: all alike."""
    weighs_queries: bool = False
    """Whether weights may belong to queries; else they belong to rows."""


class _Queries(NamedTuple):
    """Checked grades of rows: all that stays the same whatever the scores."""

    items: Items
    query_ids: Any
    weights: FloatArray | None

    def ranked_by(self, scores: Array, ties: Ties) -> RankingData:
        """Judged rankings by checked scores."""
        items = self.items._replace(scores=scores, ties=ties)
        return RankingData.of(items, self.query_ids, self.weights, counts=count_unjudged(items))


@dataclass(eq=False)
class _Truth:
    """The ground truth of a data set, by each policy for negative grades."""

    rows: WatchedRows
    queries: dict[NegativeGrades, _Queries]
    has_warned: bool = False
    """Whether it was said which queries are undefined."""


class _EvalMetric:
    """Some measures of a data set by the predictions of an unfinished model.

    The ground truth is read and checked once for each data set; the measures share one ranking of
    each new column of predictions.
    """

    def __init__(self, *scorers: RankingScorer, prefix: str = "") -> None:
        if not isinstance(prefix, str) or ":" in prefix or any(map(str.isspace, prefix)):
            msg = f"prefix must be a str without blanks and colons, got {safe_repr(prefix)}"
            raise InvalidParameterError(msg)
        self.scorers = scorers
        self.prefix = prefix
        self.names = tuple(prefix + name for name in _names(scorers))
        # Scorers that can share one ranking, by how they break ties and read negative grades.
        self._alike: dict[tuple[Ties, NegativeGrades], dict[str, RankingScorer]] = {}
        for name, scorer in zip(self.names, scorers, strict=True):
            negative = cast("NegativeGrades", scorer.options.preset.negative_grades)
            self._alike.setdefault((scorer.options.ties, negative), {})[name] = scorer
        self._truths: list[_Truth] = []
        self._lock = Lock()

    @property
    def __name__(self) -> str:
        return ",".join(self.names)

    def __repr__(self) -> str:
        prefix = f", prefix={safe_repr(self.prefix)}" if self.prefix else ""
        return f"{type(self).__name__}({', '.join(map(repr, self.scorers))}{prefix})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return (self.scorers, self.prefix) == (other.scorers, other.prefix)

    def __hash__(self) -> int:
        return hash((type(self), self.scorers, self.prefix))

    def __getstate__(self) -> dict[str, object]:
        """All but the truths: a stored model carries no data."""
        return {"scorers": self.scorers, "prefix": self.prefix}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(*state["scorers"], prefix=state["prefix"])  # type: ignore[misc]

    def watch(self, predictions: object, rows: WatchedRows) -> list[tuple[str, float, bool]]:
        """Name and value of each measure, and whether greater is better."""
        scores = column_of(predictions, "predictions")
        check_same_length("y_true", len(rows.grades), "predictions", len(scores))
        check_finite(scores, "predictions", where=lambda row: f"row {row}", infinite=True)
        watched: dict[str, tuple[str, float, bool]] = {}
        averages: dict[str, Average] = {}
        truth = self.know(rows)
        for (ties, negative), scorers in self._alike.items():
            policies = [scorer.options.zero_division for scorer in scorers.values()]
            results = score_measures(
                [scorer.measure for scorer in scorers.values()],
                truth.queries[negative].ranked_by(scores, ties=ties),
                [np.nan if policy == "warn" else policy for policy in policies],
            )
            for name, result, policy in zip(scorers, results, policies, strict=True):
                value = result.average.value
                if np.isnan(value):
                    of_set = "all queries of a data set that is watched"
                    msg = f"{result.measure} is undefined for {of_set}"
                    raise UndefinedMetricError(msg)
                watched[name] = (name, value, result.measure.metric.greater_is_better)
                if policy == "warn":
                    averages[str(result.measure)] = result.average
        if not truth.has_warned:  # once for a data set, not after every tree
            warn_of_undefined(averages)
            truth.has_warned = True
        return [watched[name] for name in self.names]

    def know(self, rows: WatchedRows, query_ids: object = None) -> _Truth:
        """The truth of a data set, read now or before.

        It is found by its values, not by the data set's identity: a label that is set anew in the
        same object is another truth, and comparing two columns costs a few microseconds. Without
        ``query_ids`` queries are numbered.
        """
        if rows.weights is None or not len(rows.weights):
            rows = WatchedRows(rows.grades, rows.sizes)
        with self._lock:
            truth = next((truth for truth in self._truths if _are_same(truth.rows, rows)), None)
            if truth is not None:
                self._truths.remove(truth)
            else:
                policies = dict.fromkeys(negative for _, negative in self._alike)
                queries = {negative: _read(rows, negative, query_ids) for negative in policies}
                # Copies: whatever becomes of the caller's arrays.
                weights = None if rows.weights is None else np.array(rows.weights)
                copied = (np.array(rows.grades), np.array(rows.sizes), weights)
                truth = _Truth(WatchedRows(*copied, rows.weighs_queries), queries)
            self._truths = [truth, *self._truths][:MAX_KEPT]
            return truth


def _are_same(read: WatchedRows, rows: WatchedRows) -> bool:
    return all(
        one is other is None
        or (one is not None and other is not None and np.array_equal(one, other))
        for one, other in zip(read, rows, strict=True)
    )


def column_of(values: object, name: str) -> Array:
    """One number per row; ValueError for arrays of other shapes."""
    array = as_numbers(values, name)
    if array.ndim != 1:
        msg = f"{name} should be a 1d array, got an array of shape {array.shape} instead."
        raise ValueError(msg)
    return array


def _read(rows: WatchedRows, negative: NegativeGrades, query_ids: object) -> _Queries:
    grades = column_of(rows.grades, "y_true")
    if rows.sizes is None or not len(rows.sizes):
        msg = (
            "the data set has no queries: pass group=, the rows of each query, to lgb.Dataset or "
            "LGBMRanker.fit, or qid= to xgb.DMatrix; XGBRanker calls a metric once for each query, "
            "so pass its measures to QueryRanker(XGBRanker(...), eval_metric=...)"
        )
        raise RankingConfigError(msg)
    sizes = as_numbers(rows.sizes, "group").astype(np.int64)
    if sizes.min() < 0 or sizes.sum() != len(grades):
        msg = (
            f"group holds the rows of each query, which are {len(grades):,} in all; got sizes from "
            f"{sizes.min():,} that add up to {sizes.sum():,}"
        )
        raise ValueError(msg)
    offsets, n_queries = offsets_of(sizes), len(sizes)

    def where(row: int) -> str:
        query = int(np.searchsorted(offsets, row, side="right")) - 1
        return f"row {row - offsets[query]} of query {query}"

    grades = narrow_grades(check_grades(grades, "y_true", where=where, negative=negative))
    weights = None
    if rows.weights is not None and rows.weighs_queries and len(rows.weights) == n_queries:
        weights = check_weights(rows.weights, n_queries)
    elif rows.weights is not None:
        # The mean of their rows', as LightGBM's measures have it.
        by_row = check_weights(rows.weights, len(grades))
        numbers = np.repeat(np.arange(n_queries), sizes)
        sums = np.bincount(numbers, by_row, minlength=n_queries)
        firsts = by_row[np.minimum(offsets[:-1], len(grades) - 1)]
        # A sum of equal weights divided by their number can miss them by a rounding.
        alike = np.bincount(numbers, by_row != firsts[numbers], minlength=n_queries) == 0
        weights = np.where(alike, firsts, sums / np.maximum(sizes, 1))
    ids = np.arange(n_queries) if query_ids is None else query_ids
    return _Queries(graded_rows(grades, offsets, negative), ids, weights)


# Measures in any form ----------------------------------------------------------------------------


def _names(scorers: Iterable[RankingScorer]) -> tuple[str, ...]:
    """Spellings that can stand in XGBoost's lines of text, which split at blanks and colons.

    They leave out parameters of a convention, and functions, which have no text.
    """
    names = []
    for measure in (scorer.measure for scorer in scorers):
        asked = {key: value for key, value in as_asked(measure).parameters if not callable(value)}
        spelling = str(Measure.of(measure.metric, measure.k, **asked))
        names.append(spelling.replace(" ", "").replace(":", "="))
    return tuple(names)


def read_scorers(
    measures: Iterable[Any], options: dict[str, Any], owner: str
) -> tuple[RankingScorer, ...]:
    """Scorers of measures in any form; InvalidParameterError if a name comes twice or none does."""
    scorers: list[RankingScorer] = []
    for measure in measures:
        if isinstance(measure, _EvalMetric):
            measure = measure.scorers
        if isinstance(measure, (list, tuple)):
            scorers += read_scorers(measure, options, owner)
        elif isinstance(measure, RankingScorer):
            scorers.append(measure.with_options(**options) if options else measure)
        elif isinstance(measure, (str, Measure)):
            scorers.append(get_scorer(measure, **options))
        else:
            kind = type(measure).__name__
            msg = f"{owner} takes str, Measure and scorers, got {kind}: {safe_repr(measure)}"
            raise TypeError(msg)
    names = _names(scorers)
    msg = "" if names else f"{owner} needs at least one measure, such as 'ndcg@10'"
    for place, (name, scorer) in enumerate(zip(names, scorers, strict=True)):
        ties, read = scorer.options.ties, (scorer.options.pos_label, scorer.options.relevance)
        if read != (None, None):
            msg = (
                f"{owner}: {scorer!r} reads labels, and those of a booster's data set are its "
                "grades; leave pos_label and relevance out"
            )
        elif TIE_RULES[ties].by_id:
            msg = (
                f"{owner}: ties={ties!r} breaks ties by item ids, which rows of a booster do "
                "not have; pass ties='average' or another rule"
            )
        elif name in names[:place]:
            msg = f"{owner}: measure {safe_repr(name)} comes twice"
    if msg:
        raise InvalidParameterError(msg)
    return tuple(scorers)


# LightGBM ----------------------------------------------------------------------------------------


class LightGBMEvalMetric(_EvalMetric):
    """Result of :func:`lightgbm_eval_metric`."""

    def __call__(
        self, first: object, second: Any, weight: object = None, group: object = None
    ) -> list[tuple[str, float, bool]]:
        """Name, value and direction of each measure, by either of LightGBM's ways of calling.

        They are (predictions, data set), as ``lgb.train`` calls, and (grades, predictions, weights
        of rows, rows of each query), as ``LGBMRanker.fit`` does.
        """
        if hasattr(second, "get_uint_info"):
            msg = "lightgbm_eval_metric was handed data of XGBoost; use xgboost_eval_metric"
            raise RankingConfigError(msg)
        if hasattr(second, "get_label"):
            rows = WatchedRows(second.get_label(), second.get_group(), second.get_weight())
            return self.watch(first, rows)
        return self.watch(second, WatchedRows(first, group, weight))


def lightgbm_eval_metric(
    *measures: str | Measure | RankingScorer, prefix: str = "", **options: Any
) -> LightGBMEvalMetric:
    """Measures as a metric of LightGBM, for early stopping by the measure of a search.

    Goes to ``lgb.train(feval=...)``, ``lgb.cv(feval=...)`` and ``LGBMRanker.fit(eval_metric=...)``.
    Several measures share one ranking; the ground truth of a data set is read once.

    Parameters
    ----------
    *measures : str, Measure or scorer
        Measures in any spelling, or scorers with their options; noted under ``metric.names``.
    prefix : str, default=""
        Start of the names that LightGBM notes; where its own metrics are not switched off
        (``metric="None"``), equal names would be noted as one.
    **options
        As in :meth:`RankingScorer.with_options`: ``ties``, ``zero_division``, ``convention``.

    Returns
    -------
    metric : LightGBMEvalMetric
        A callable that can be stored. Values are the same as of :func:`evaluate`, in the range of
        each measure; LightGBM is told that less is better for LAG. Ties count by the exact
        expectation; queries for which a measure is undefined are left out with one warning for each
        data set. Weights of rows count as in LightGBM's own measures: that of a query is the mean
        of its rows'.

    Raises
    ------
    InvalidParameterError
        If there is no measure, or one comes twice.
    UnknownMeasureError
        If a measure is unknown.
    RankingConfigError
        In training, if the data set has no queries.
    UndefinedMetricError
        In training, if a measure is undefined for all queries.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank import lightgbm_eval_metric
    >>> metric = lightgbm_eval_metric("map", "ndcg@10")
    >>> grades, predictions, group = np.array([0, 1, 1]), np.array([0.9, 0.5, 0.1]), np.array([3])
    >>> [
    ...     (name, round(value, 3), up)
    ...     for name, value, up in metric(grades, predictions, None, group)
    ... ]
    [('map', 0.583, True), ('ndcg@10', 0.693, True)]
    """
    return LightGBMEvalMetric(
        *read_scorers(measures, options, "lightgbm_eval_metric"), prefix=prefix
    )


# XGBoost -----------------------------------------------------------------------------------------


class XGBoostEvalMetric(_EvalMetric):
    """Result of :func:`xgboost_eval_metric`."""

    def __call__(self, predictions: object, data: Any) -> list[tuple[str, float]]:
        """Name and value of each measure, for the predictions of a DMatrix with queries."""
        if not hasattr(data, "get_uint_info"):
            msg = (
                "xgboost_eval_metric is for xgb.train and xgb.cv; XGBRanker, which calls a metric "
                "once for each query, takes the measures through the adapter: "
                f"QueryRanker(XGBRanker(...), eval_metric={list(self.names)!r}); for LightGBM use "
                "lightgbm_eval_metric"
            )
            raise RankingConfigError(msg)
        bounds = data.get_uint_info("group_ptr")
        sizes = np.diff(bounds.astype(np.int64)) if len(bounds) > 1 else None
        rows = WatchedRows(data.get_label(), sizes, data.get_weight(), weighs_queries=True)
        watched = self.watch(predictions, rows)
        _refuse_wrong_direction({name: is_gain for name, _, is_gain in watched})
        return [(name, value) for name, value, _ in watched]


def stops(callback: object) -> bool:
    """Whether a callback is XGBoost's early stopping, or made of it."""
    return any(kind.__name__ == "EarlyStopping" for kind in type(callback).__mro__)


def _refuse_wrong_direction(directions: Mapping[str, bool]) -> None:
    """RankingConfigError if early stopping by one of these metrics would look for the worst value.

    XGBoost guesses from a metric's name whether greater is better, and takes what it does not know
    for a loss: a training that is stopped by ``mrr`` keeps its worst tree without a word.
    ``directions`` tells of each name whether greater is better; the last one is watched where
    nothing else is said.
    """
    # A metric is handed predictions and data alone. Who called it is told by the frames of
    # CallbackContainer; if a version calls otherwise, nothing is found.
    callbacks: list[Any] = []
    frame = sys._getframe(1)
    while frame.f_back is not None and not callbacks:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == "xgboost.callback":
            callbacks = list(getattr(frame.f_locals.get("self"), "callbacks", None) or ())
    for callback in filter(stops, callbacks):
        name = getattr(callback, "metric_name", None) or list(directions)[-1]
        taken = callback.maximize
        if taken is None:  # by the beginnings that XGBoost knows
            taken = name != "mape" and name.startswith(("auc", "pre", "map", "ndcg"))
        if name in directions and taken != directions[name]:
            msg = (
                f"early stopping would keep the worst {safe_repr(name)}: pass "
                f"maximize={directions[name]} to xgboost.train or EarlyStopping"
            )
            raise RankingConfigError(msg)


def xgboost_eval_metric(
    *measures: str | Measure | RankingScorer, prefix: str = "", **options: Any
) -> XGBoostEvalMetric:
    """Measures as a metric of XGBoost, for early stopping by the measure of a search.

    Goes to ``xgb.train(custom_metric=...)`` and ``xgb.cv(custom_metric=...)``; for XGBRanker pass
    the measures to :class:`QueryRanker`. Several measures share one ranking; the ground truth of a
    data set is read once.

    Parameters
    ----------
    *measures, prefix, **options
        As in :func:`lightgbm_eval_metric`. Early stopping watches the last measure unless told
        otherwise; XGBoost's own metrics are switched off by ``disable_default_eval_metric=1``.

    Returns
    -------
    metric : XGBoostEvalMetric
        As there; XGBoost notes values with six decimals, and weights belong to queries.

    Raises
    ------
    RankingConfigError
        In training, if early stopping would look for the worst value: XGBoost infers the direction
        from the name, and takes unknown names for losses. Pass ``maximize=True``. Otherwise as
        there.

    Examples
    --------
    ``xgb.train({"disable_default_eval_metric": 1, ...}, data, evals=[(held_out, "held_out")],
    custom_metric=xgboost_eval_metric("map"), early_stopping_rounds=5, maximize=True)``.

    >>> from sklearn_rank import xgboost_eval_metric
    >>> xgboost_eval_metric("map", "ndcg@10").names
    ('map', 'ndcg@10')
    """
    return XGBoostEvalMetric(*read_scorers(measures, options, "xgboost_eval_metric"), prefix=prefix)
