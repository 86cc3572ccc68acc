"""Measures as the custom evaluation metrics of LightGBM and XGBoost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_rank.evaluation.averaging import Average, warn_of_undefined
from sklearn_rank.evaluation.compute import Scored, score_measures
from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError, UndefinedMetricError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.model_selection.options import as_asked
from sklearn_rank.rankers.stopping import refuse_wrong_direction
from sklearn_rank.rankers.watched_truths import WatchedRows, WatchedTruths
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.scorers import RankingScorer, get_scorer
from sklearn_rank.support.checks import as_numbers, check_finite, check_same_length
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import NegativeGrades, Ties

__all__ = ["lightgbm_eval_metric", "xgboost_eval_metric"]


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
        self.scorers = scorers
        self.prefix = prefix
        self.names = tuple(prefix + name for name in _names(scorers))
        self._alike = _alike(scorers)
        self._truths: dict[str, WatchedTruths] = {}

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
        values: dict[str, Watched] = {}
        averages: dict[str, Average] = {}
        truths = {negative: self._truths_of(negative).of(rows) for _, negative in self._alike}
        for (ties, negative), scorers in self._alike.items():
            judged = truths[negative].queries.ranked_by(scores, ties)
            results = score_measures(
                [scorer.measure for scorer in scorers], judged, [*map(_settled, scorers)]
            )
            names = [self.prefix + name for name in _names(scorers)]
            values.update(zip(names, map(_watched, names, results), strict=True))
            averages |= {
                str(result.measure): result.average
                for scorer, result in zip(scorers, results, strict=True)
                if scorer.options.zero_division == "warn"
            }
        if not all(truth.is_told for truth in truths.values()):
            # Once for a data set, not after every tree.
            warn_of_undefined(averages)
            for truth in truths.values():
                truth.is_told = True
        return [values[name] for name in self.names]

    def know(self, rows: WatchedRows, query_ids: Any) -> None:
        """Read the truth of a data set that will be watched, with the ids of its queries."""
        for _, negative in self._alike:
            self._truths_of(negative).of(rows, query_ids)

    def _truths_of(self, negative: NegativeGrades) -> WatchedTruths:
        return self._truths.setdefault(negative, WatchedTruths(negative))


def _alike(
    scorers: tuple[RankingScorer, ...],
) -> dict[tuple[Ties, NegativeGrades], list[RankingScorer]]:
    """Scorers that can share one ranking, by how they break ties and read negative grades."""
    alike: dict[tuple[Ties, NegativeGrades], list[RankingScorer]] = {}
    for scorer in scorers:
        negative = cast("NegativeGrades", scorer.options.preset.negative_grades)
        alike.setdefault((scorer.options.ties, negative), []).append(scorer)
    return alike


def _names(scorers: Iterable[RankingScorer]) -> tuple[str, ...]:
    """Spellings that can stand in XGBoost's lines of text, which split at blanks and colons."""
    spellings = [str(_spelled(scorer.measure)) for scorer in scorers]
    return tuple(spelling.replace(" ", "").replace(":", "=") for spelling in spellings)


def _spelled(measure: Measure) -> Measure:
    """The measure without what a convention filled in, and functions, which have no text."""
    asked = {key: value for key, value in as_asked(measure).parameters if not callable(value)}
    return Measure.of(measure.metric, measure.k, **asked)


def _settled(scorer: RankingScorer) -> Any:
    policy = scorer.options.zero_division
    return np.nan if policy == "warn" else policy


def _watched(name: str, result: Scored) -> Watched:
    value = result.average.value
    if np.isnan(value):
        msg = f"{result.measure} is undefined for all queries of a data set that is watched"
        raise UndefinedMetricError(msg)
    return Watched(name, value, result.measure.metric.greater_is_better)


def _check_prefix(prefix: Any) -> None:
    if not isinstance(prefix, str) or ":" in prefix or any(map(str.isspace, prefix)):
        msg = f"prefix must be a str without blanks and colons, got {safe_repr(prefix)}"
        raise InvalidParameterError(msg)


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

    References
    ----------
    .. [1] LightGBM, Python API, ``lightgbm.train``, parameter ``feval``.

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
    _check_prefix(prefix)
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
        refuse_wrong_direction({value.name: value.greater_is_better for value in watched})
        return [(value.name, value.value) for value in watched]


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

    References
    ----------
    .. [1] XGBoost, Custom Objective and Evaluation Metric.

    Examples
    --------
    ``xgb.train({"disable_default_eval_metric": 1, ...}, data, evals=[(held_out, "held_out")],
    custom_metric=xgboost_eval_metric("map"), early_stopping_rounds=5, maximize=True)``.

    >>> from sklearn_rank import xgboost_eval_metric
    >>> xgboost_eval_metric("map", "ndcg@10").names
    ('map', 'ndcg@10')
    """
    _check_prefix(prefix)
    return XGBoostEvalMetric(*read_scorers(measures, options, "xgboost_eval_metric"), prefix=prefix)
