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
from sklearn_rank.inputs.rows import GradedQueries, Grouping
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.model_selection.options import as_asked
from sklearn_rank.rankings.data import count_unjudged
from sklearn_rank.rankings.judged import narrow_grades
from sklearn_rank.rankings.ranking import TIE_RULES
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
from sklearn_rank.typing import Array, FloatArray, IntArray, NegativeGrades, Ties

__all__ = ["lightgbm_eval_metric", "xgboost_eval_metric"]

MAX_KEPT = 128
"""Data sets whose truths are kept: training and test rows of all folds of a cross-validation."""


class WatchedRows(NamedTuple):
    """What a booster says of a data set, query after query."""

    grades: Any
    sizes: Any
    """(Q,) rows of each query; None if the library knows no queries."""
    weights: Any = None
    """Weights; None or empty: all alike."""
    weighs_queries: bool = False
    """Whether weights may be those of queries; else they are those of rows."""


@dataclass(eq=False)
class Truth:
    """The ground truth of a data set."""

    rows: WatchedRows
    queries: GradedQueries
    is_told: bool = False
    """Whether it was said which queries are undefined."""


class Watched(NamedTuple):
    """Value of a measure on a data set after a tree."""

    name: str
    value: float
    greater_is_better: bool


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
        self._alike: dict[tuple[Ties, NegativeGrades], list[RankingScorer]] = {}
        for scorer in scorers:
            negative = cast("NegativeGrades", scorer.options.preset.negative_grades)
            self._alike.setdefault((scorer.options.ties, negative), []).append(scorer)
        self._truths: dict[NegativeGrades, list[Truth]] = {}
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

    def __getstate__(self) -> dict[str, Any]:
        """All but the truths: a stored model carries no data."""
        return {"scorers": self.scorers, "prefix": self.prefix}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(*state["scorers"], prefix=state["prefix"])  # type: ignore[misc]

    def watch(self, predictions: Any, rows: WatchedRows) -> list[Watched]:
        """Value of each measure, in the order of the measures."""
        scores = as_numbers(predictions, "predictions")
        if scores.ndim != 1:
            msg = f"predictions should be a 1d array, got an array of shape {scores.shape} instead."
            raise ValueError(msg)
        check_same_length("y_true", len(rows.grades), "predictions", len(scores))
        check_finite(scores, "predictions", where=lambda row: f"row {row}", infinite=True)
        watched: dict[str, Watched] = {}
        averages: dict[str, Average] = {}
        truths = {negative: self.truth_of(rows, negative) for _, negative in self._alike}
        for (ties, negative), scorers in self._alike.items():
            judged = truths[negative].queries.ranked_by(scores, ties)
            policies = [scorer.options.zero_division for scorer in scorers]
            settled = [np.nan if policy == "warn" else policy for policy in policies]
            measures = [scorer.measure for scorer in scorers]
            results = score_measures(measures, judged, settled)
            for name, result, policy in zip(_names(scorers), results, policies, strict=True):
                value = result.average.value
                if np.isnan(value):
                    of_set = "all queries of a data set that is watched"
                    msg = f"{result.measure} is undefined for {of_set}"
                    raise UndefinedMetricError(msg)
                is_gain = result.measure.metric.greater_is_better
                watched[self.prefix + name] = Watched(self.prefix + name, value, is_gain)
                if policy == "warn":
                    averages[str(result.measure)] = result.average
        if not all(truth.is_told for truth in truths.values()):
            # Once for a data set, not after every tree.
            warn_of_undefined(averages)
            for truth in truths.values():
                truth.is_told = True
        return [watched[name] for name in self.names]

    def know(self, rows: WatchedRows, query_ids: Any) -> None:
        """Read the truth of a data set that will be watched, with the ids of its queries."""
        for _, negative in self._alike:
            self.truth_of(rows, negative, query_ids)

    def truth_of(self, rows: WatchedRows, negative: NegativeGrades, query_ids: Any = None) -> Truth:
        """The truth of a data set; without ``query_ids`` queries are numbered.

        It is found by its values, not by the data set's identity: a label that is set anew in the
        same object is another truth, and comparing two columns costs a few microseconds.
        """
        if rows.weights is None or not len(rows.weights):
            rows = WatchedRows(rows.grades, rows.sizes)
        with self._lock:
            kept = self._truths.setdefault(negative, [])
            truth = next((truth for truth in kept if all(map(_same, truth.rows, rows))), None)
            if truth is not None:
                kept.remove(truth)
            else:
                queries = _read(rows, negative)
                if query_ids is not None:
                    grouping = queries.grouping._replace(query_ids=query_ids)
                    queries = queries._replace(grouping=grouping)
                # Copies: whatever becomes of the caller's arrays.
                columns = (None if part is None else np.array(part) for part in rows[:3])
                grades, sizes, weights = columns
                truth = Truth(WatchedRows(grades, sizes, weights, rows.weighs_queries), queries)
            kept.insert(0, truth)
            del kept[MAX_KEPT:]
            return truth


def _same(read: Array | None, part: Any) -> bool:
    return part is None if read is None else part is not None and np.array_equal(read, part)


def _read(rows: WatchedRows, negative: NegativeGrades) -> GradedQueries:
    grades = as_numbers(rows.grades, "y_true")
    if grades.ndim != 1:
        msg = f"y_true should be a 1d array, got an array of shape {grades.shape} instead."
        raise ValueError(msg)
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
    offsets = offsets_of(sizes)

    def where(row: int) -> str:
        query = int(np.searchsorted(offsets, row, side="right")) - 1
        return f"row {row - offsets[query]} of query {query}"

    grades = narrow_grades(check_grades(grades, "y_true", where=where, negative=negative))
    grouping = Grouping(np.arange(len(sizes)), offsets, None)
    weights = _query_weights(rows, offsets)
    return GradedQueries(grades, grouping, weights, count_unjudged(grades, negative))


def _query_weights(rows: WatchedRows, offsets: IntArray) -> FloatArray | None:
    """Weights of queries: as given, or the mean of their rows', as LightGBM's measures have it."""
    weights, n_rows, n_queries = rows.weights, int(offsets[-1]), len(offsets) - 1
    if weights is None or not len(weights):
        return None
    if rows.weighs_queries and len(weights) == n_queries:
        return check_weights(weights, n_queries)
    by_row = check_weights(weights, n_rows)
    sizes = np.diff(offsets)
    numbers = np.repeat(np.arange(n_queries), sizes)
    sums = np.bincount(numbers, by_row, minlength=n_queries)
    firsts = by_row[np.minimum(offsets[:-1], n_rows - 1)]
    # A sum of equal weights divided by their number can miss them by a rounding.
    alike = np.bincount(numbers, by_row != firsts[numbers], minlength=n_queries) == 0
    means: FloatArray = np.where(alike, firsts, sums / np.maximum(sizes, 1))
    return means


# Measures in any form ----------------------------------------------------------------------------


def _names(scorers: Iterable[RankingScorer]) -> tuple[str, ...]:
    """Spellings that can stand in XGBoost's lines of text, which split at blanks and colons.

    They tell nothing that a convention filled in, and no functions, which have no text.
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
    scorers = tuple(
        scorer for measure in measures for scorer in _scorers_of(measure, options, owner)
    )
    for scorer in scorers:
        _check_scorer(scorer, owner)
    names = _names(scorers)
    if not names:
        msg = f"{owner} needs at least one measure, such as 'ndcg@10'"
        raise InvalidParameterError(msg)
    repeated = [name for place, name in enumerate(names) if name in names[:place]]
    if repeated:
        msg = f"{owner}: measure {safe_repr(repeated[0])} comes twice"
        raise InvalidParameterError(msg)
    return scorers


def _scorers_of(measure: Any, options: dict[str, Any], owner: str) -> Iterable[RankingScorer]:
    if isinstance(measure, (list, tuple)):
        return read_scorers(measure, options, owner)
    if isinstance(measure, _EvalMetric):
        return read_scorers(measure.scorers, options, owner)
    if isinstance(measure, RankingScorer):
        return [measure.with_options(**options) if options else measure]
    if not isinstance(measure, (str, Measure)):
        kind = type(measure).__name__
        msg = f"{owner} takes str, Measure and scorers, got {kind}: {safe_repr(measure)}"
        raise TypeError(msg)
    return [get_scorer(measure, **options)]


def _check_scorer(scorer: RankingScorer, owner: str) -> None:
    """InvalidParameterError for what a data set of a booster cannot serve."""
    options = scorer.options
    if options.pos_label is not None or options.relevance is not None:
        msg = (
            f"{owner}: {scorer!r} reads labels, and those of a booster's data set are its "
            "grades; leave pos_label and relevance out"
        )
        raise InvalidParameterError(msg)
    if TIE_RULES[options.ties].by_id:
        msg = (
            f"{owner}: ties={options.ties!r} breaks ties by item ids, which rows of a booster do "
            "not have; pass ties='average' or another rule"
        )
        raise InvalidParameterError(msg)


# LightGBM ----------------------------------------------------------------------------------------


class LightGBMEvalMetric(_EvalMetric):
    """What :func:`lightgbm_eval_metric` makes."""

    def __call__(
        self, first: Any, second: Any, weight: Any = None, group: Any = None
    ) -> list[tuple[str, float, bool]]:
        """Values in the form that LightGBM takes, by either of its ways of calling a metric.

        Parameters
        ----------
        first : ndarray of shape (n_samples,)
            Predictions for ``lgb.train`` and ``lgb.cv``; grades for ``LGBMRanker.fit``.
        second : lightgbm.Dataset or ndarray of shape (n_samples,)
            The data set; predictions for ``LGBMRanker.fit``.
        weight : ndarray of shape (n_samples,), default=None
            Weights of rows; that of a query is their mean.
        group : ndarray of shape (n_queries,), default=None
            Number of rows of each query.

        Returns
        -------
        values : list of (str, float, bool)
            Name, value and whether greater is better, for each measure.
        """
        if hasattr(second, "get_uint_info"):
            msg = "lightgbm_eval_metric was handed data of XGBoost; use xgboost_eval_metric"
            raise RankingConfigError(msg)
        if hasattr(second, "get_label"):
            rows = WatchedRows(second.get_label(), second.get_group(), second.get_weight())
            return [*self.watch(first, rows)]
        return [*self.watch(second, WatchedRows(first, group, weight))]


def lightgbm_eval_metric(
    *measures: str | Measure | RankingScorer, prefix: str = "", **options: Any
) -> LightGBMEvalMetric:
    """Measures as a metric of LightGBM, for early stopping by what a search compares.

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
        A callable that can be stored. Values are those of :func:`evaluate` in the range of each
        measure, LAG included, of which LightGBM is told that less is better. Ties count by the
        exact expectation; queries for which a measure is undefined are left out with one warning
        for each data set. Weights of rows count as in LightGBM's own measures: that of a query is
        the mean of its rows'.

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
    """What :func:`xgboost_eval_metric` makes."""

    def __call__(self, predictions: Any, data: Any) -> list[tuple[str, float]]:
        """Values in the form that ``xgb.train`` takes.

        Parameters
        ----------
        predictions : ndarray of shape (n_samples,)
            Scores of the rows.
        data : xgboost.DMatrix
            The data set, with queries.

        Returns
        -------
        values : list of (str, float)
            Name and value of each measure.
        """
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
        _refuse_wrong_direction({value.name: value.greater_is_better for value in watched})
        return [(value.name, value.value) for value in watched]


_KNOWN = ("auc", "pre", "map", "ndcg")
"""What XGBoost's ``EarlyStopping`` takes the names of metrics to begin with that are no losses."""


def stops(callback: Any) -> bool:
    """Whether a callback is XGBoost's early stopping, or made of it."""
    return any(kind.__name__ == "EarlyStopping" for kind in type(callback).__mro__)


def _refuse_wrong_direction(directions: Mapping[str, bool]) -> None:
    """RankingConfigError if early stopping by one of these metrics would look for the worst value.

    XGBoost guesses from a metric's name whether greater is better, and takes what it does not know
    for a loss: a training that is stopped by ``mrr`` keeps its worst tree without a word.
    ``directions`` tells of each name whether greater is better; the last one is watched where
    nothing else is said.
    """
    for callback in _running_callbacks():
        if not stops(callback):
            continue
        name = getattr(callback, "metric_name", None) or list(directions)[-1]
        if name not in directions:
            continue
        told = callback.maximize
        if told is None:
            told = name != "mape" and name.startswith(_KNOWN)
        if told != directions[name]:
            msg = (
                f"early stopping would keep the worst {safe_repr(name)}: pass "
                f"maximize={directions[name]} to xgboost.train or EarlyStopping"
            )
            raise RankingConfigError(msg)


def _running_callbacks() -> list[Any]:
    """Callbacks of the training that asks for a metric; nothing if a version calls otherwise.

    A metric is handed predictions and data alone. Who called it is told by the frames of
    ``CallbackContainer``.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == "xgboost.callback":
            container = frame.f_locals.get("self")
            callbacks = getattr(container, "callbacks", None)
            if callbacks is not None:
                return list(callbacks)
    return []


def xgboost_eval_metric(
    *measures: str | Measure | RankingScorer, prefix: str = "", **options: Any
) -> XGBoostEvalMetric:
    """Measures as a metric of XGBoost, for early stopping by what a search compares.

    Goes to ``xgb.train(custom_metric=...)`` and ``xgb.cv(custom_metric=...)``; for XGBRanker pass
    the measures to :class:`QueryRanker`. Several measures share one ranking; the ground truth of a
    data set is read once.

    Parameters
    ----------
    *measures : str, Measure or scorer
        Measures in any spelling, or scorers with their options; noted under ``metric.names``.
        Early stopping watches the last one unless told otherwise.
    prefix : str, default=""
        Start of the names that XGBoost notes; where its own metrics are not switched off
        (``disable_default_eval_metric=1``), equal names would be noted as one.
    **options
        As in :meth:`RankingScorer.with_options`: ``ties``, ``zero_division``, ``convention``.

    Returns
    -------
    metric : XGBoostEvalMetric
        A callable that can be stored. Values are those of :func:`evaluate` in the range of each
        measure; XGBoost notes them with six decimals. Ties count by the exact expectation; queries
        for which a measure is undefined are left out with one warning for each data set. Weights
        are those of the queries.

    Raises
    ------
    InvalidParameterError
        If there is no measure, or one comes twice.
    UnknownMeasureError
        If a measure is unknown.
    RankingConfigError
        In training, if the data set has no queries.
    RankingConfigError
        In training, if early stopping would look for the worst value: XGBoost tells the direction
        from the name, and takes what it does not know for a loss. Pass ``maximize=True``.
    UndefinedMetricError
        In training, if a measure is undefined for all queries.

    Examples
    --------
    ``xgb.train({"disable_default_eval_metric": 1, ...}, data, evals=[(held_out, "held_out")],
    custom_metric=xgboost_eval_metric("map"), early_stopping_rounds=5, maximize=True)``.

    >>> from sklearn_rank import xgboost_eval_metric
    >>> xgboost_eval_metric("map", "ndcg@10").names
    ('map', 'ndcg@10')
    """
    return XGBoostEvalMetric(*read_scorers(measures, options, "xgboost_eval_metric"), prefix=prefix)
