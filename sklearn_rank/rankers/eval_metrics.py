"""Measures as a custom evaluation metric for LightGBM and XGBoost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from sklearn_rank.evaluation.averaging import Average, warn_of_undefined
from sklearn_rank.evaluation.compute import score_measures
from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError, UndefinedMetricError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.model_selection.options import as_asked
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import narrow_grades
from sklearn_rank.rankings.ranking import TIE_RULES, Items
from sklearn_rank.scorers import RankingScorer, get_scorer
from sklearn_rank.support.checks import (
    as_column,
    as_numbers,
    check_finite,
    check_grades,
    check_same_length,
    check_weights,
)
from sklearn_rank.support.insides import callbacks_of_xgboost
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, Ties

__all__ = ["booster_eval_metric"]

MAX_KEPT = 128
"""Checked data sets to keep: training and test rows of all folds of a cross-validation."""


class _DataSet:
    """Checked grades and weights of a data set, query after query."""

    def __init__(self, grades: Any, sizes: Any, weights: Any, query_ids: Any = None) -> None:
        if sizes is None:
            msg = (
                "the data set has no queries: pass group=, the number of rows of each query, to "
                "lgb.Dataset or LGBMRanker.fit, or qid= to xgb.DMatrix; XGBRanker calls a metric "
                "once per query: use QueryRanker(XGBRanker(...), eval_metric=...)"
            )
            raise RankingConfigError(msg)
        # Copies: LightGBM and callers may fill the same arrays again.
        self.columns = [None if one is None else np.array(one) for one in (grades, sizes, weights)]
        self.has_warned = False
        sizes = as_numbers(sizes, "group").astype(np.int64)
        self.query_ids = np.arange(len(sizes)) if query_ids is None else query_ids
        grades = as_column(as_numbers(grades, "y_true"), "y_true")
        checked = check_grades(grades, "y_true", where="row {}".format, negative="raise")
        self.items = Items(offsets_of(sizes), None, narrow_grades(checked))
        self.weights = None
        if weights is not None:
            # The mean of the rows' weights, as in LightGBM's metrics.
            by_row = check_weights(weights, len(checked))
            numbers = np.repeat(np.arange(len(sizes)), sizes)
            sums = np.bincount(numbers, by_row, minlength=len(sizes))
            self.weights = sums / np.maximum(sizes, 1)

    def has(self, *columns: Any) -> bool:
        """Whether it was made from these values: grades, sizes of queries, weights."""
        return all(
            one is other or (one is not None and other is not None and np.array_equal(one, other))
            for one, other in zip(self.columns, columns, strict=True)
        )

    def ranked_by(self, scores: Array, ties: Ties) -> RankingData:
        """Judged rankings by checked scores."""
        items = self.items._replace(scores=scores, ties=ties)
        return RankingData.of(items, items.ranked(self.query_ids, self.weights))


class EvalMetric:
    """Result of :func:`booster_eval_metric`, which both libraries call after each tree."""

    def __init__(self, *scorers: RankingScorer) -> None:
        self.scorers = scorers
        self.names = _names(scorers)
        self.__name__ = ",".join(self.names)
        self._data_sets: list[_DataSet] = []

    def __getstate__(self) -> dict[str, object]:
        """All but the data sets: a stored model carries no data."""
        return {**self.__dict__, "_data_sets": []}

    def __call__(
        self, first: Any, second: Any, weight: object = None, group: object = None
    ) -> list[Any]:
        """Name and value of each measure, and for LightGBM whether higher is better.

        ``xgb.train`` and ``lgb.train`` pass (predictions, data set), ``LGBMRanker.fit`` passes
        (grades, predictions, weights of rows, rows of each query).
        """
        if hasattr(second, "get_uint_info"):
            bounds = second.get_uint_info("group_ptr").astype(np.int64)
            sizes = np.diff(bounds) if len(bounds) > 1 else None
            weights = second.get_weight()  # of queries
            weights = np.repeat(weights, sizes) if len(weights) and sizes is not None else None
            watched = self.watch(first, second.get_label(), sizes, weights)
            _refuse_wrong_direction({name: is_gain for name, _, is_gain in watched})
            return [(name, value) for name, value, _ in watched]
        if hasattr(second, "get_label"):
            columns = second.get_label(), second.get_group(), second.get_weight()
            return self.watch(first, *columns)
        return self.watch(second, first, group, weight)

    def watch(
        self, predictions: object, grades: Any, sizes: Any, weights: Any
    ) -> list[tuple[str, float, bool]]:
        """Name and value of each measure, and whether higher is better."""
        scores = as_column(as_numbers(predictions, "predictions"), "predictions")
        check_same_length("y_true", len(grades), "predictions", len(scores))
        check_finite(scores, "predictions", where="row {}".format, infinite=True)
        data = self.know(grades, sizes, weights)
        ranked: dict[Ties, RankingData] = {}
        watched: list[tuple[str, float, bool]] = []
        averages: dict[str, Average] = {}
        for name, scorer in zip(self.names, self.scorers, strict=True):
            ties, policy = scorer.options.ties, scorer.options.zero_division
            if ties not in ranked:
                ranked[ties] = data.ranked_by(scores, ties)
            counted = np.nan if policy == "warn" else policy
            (scored,) = score_measures([scorer.measure], ranked[ties], counted)
            if np.isnan(scored.average.value):
                msg = f"{scored.measure} is undefined for all queries of an evaluation set"
                raise UndefinedMetricError(msg)
            watched.append((name, scored.average.value, scored.measure.metric.greater_is_better))
            if policy == "warn":
                averages[str(scored.measure)] = scored.average
        if not data.has_warned:  # once for a data set, not after every tree
            warn_of_undefined(averages)
            data.has_warned = True
        return watched

    def know(self, grades: Any, sizes: Any, weights: Any, query_ids: Any = None) -> _DataSet:
        """The data set of these rows, checked now or earlier; queries without ids are numbered.

        It is found by its values: a label set again in the same object is a different truth.
        """
        weights = None if weights is None or not len(weights) else weights
        same = [one for one in self._data_sets if one.has(grades, sizes, weights)]
        data = same[0] if same else _DataSet(grades, sizes, weights, query_ids)
        others = [one for one in self._data_sets if one is not data]
        self._data_sets = [data, *others][:MAX_KEPT]
        return data


# Measures in any form ----------------------------------------------------------------------------


def _names(scorers: Iterable[RankingScorer]) -> tuple[str, ...]:
    """Spellings for XGBoost's log lines, which are split at blanks and colons.

    They leave out parameters of a convention, and functions, which have no text.
    """
    names = []
    for measure in (scorer.measure for scorer in scorers):
        asked = {key: value for key, value in as_asked(measure).parameters if not callable(value)}
        spelling = str(Measure.of(measure.metric, measure.k, **asked))
        names.append(spelling.replace(" ", "").replace(":", "="))
    return tuple(names)


def _scorers(measures: Iterable[Any], owner: str) -> list[RankingScorer]:
    """Scorers for measures in any form, each of which can watch a booster."""
    scorers: list[RankingScorer] = []
    for measure in measures:
        if isinstance(measure, EvalMetric):
            scorers += measure.scorers
        elif isinstance(measure, (list, tuple)):
            scorers += _scorers(measure, owner)
        elif isinstance(measure, (str, Measure, RankingScorer)):
            scorers.append(measure if isinstance(measure, RankingScorer) else get_scorer(measure))
        else:
            kind = type(measure).__name__
            msg = f"{owner} takes str, Measure and scorers, got {kind}: {safe_repr(measure)}"
            raise TypeError(msg)
    names = _names(scorers)
    if not names or len(set(names)) < len(names):
        msg = f"{owner} needs at least one measure and none twice, got {list(names)}"
        raise InvalidParameterError(msg)
    for scorer in scorers:
        options = scorer.options
        if TIE_RULES[options.ties].by_id or (options.pos_label, options.relevance) != (None, None):
            msg = (
                f"{owner}: {scorer!r} reads labels or item ids, but a booster's data set has only "
                "grades; leave out pos_label and relevance, and do not pass ties='docid'"
            )
            raise InvalidParameterError(msg)
    return scorers


def booster_eval_metric(*measures: str | Measure | RankingScorer) -> EvalMetric:
    """Measures as a LightGBM or XGBoost metric, for early stopping by the measure of a search.

    Pass it as ``feval=`` to ``lgb.train`` and ``lgb.cv``, as ``eval_metric=`` to
    ``LGBMRanker.fit``, and as ``custom_metric=`` to ``xgb.train`` and ``xgb.cv``. Switch off the
    library's own metrics (``metric="None"`` in LightGBM, ``disable_default_eval_metric=1`` in
    XGBoost), because values with the same name overwrite each other. For XGBRanker pass the
    measures to :class:`QueryRanker`.

    Parameters
    ----------
    *measures : str, Measure or scorer
        Measures in any spelling, or scorers with options such as ``ties`` and ``zero_division``.

    Returns
    -------
    metric : EvalMetric
        A picklable callable; ``metric.names`` are the names under which values are recorded. Values
        are those of :func:`evaluate`, in the range of each measure; ties get their expectation.
        Queries for which a measure is undefined are left out with one warning for each data set.

    Raises
    ------
    InvalidParameterError
        If there are no measures, or one is repeated or unknown.
    RankingConfigError
        In training, if the data set has no queries, or if XGBoost's early stopping, which infers
        the direction from the name, would look for the worst value: pass ``maximize=``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank import booster_eval_metric
    >>> metric = booster_eval_metric("map", "ndcg@10")
    >>> grades, predictions, group = np.array([0, 1, 1]), np.array([0.9, 0.5, 0.1]), np.array([3])
    >>> [(name, round(value, 3)) for name, value, _ in metric(grades, predictions, None, group)]
    [('map', 0.583), ('ndcg@10', 0.693)]
    """
    return EvalMetric(*_scorers(measures, "booster_eval_metric"))


# In QueryRanker ----------------------------------------------------------------------------------


@contextmanager
def watching(
    ranker: Any, library: str, measures: object, sets: Sequence[Any]
) -> Iterator[dict[str, Any]]:
    """Set up a ranker's evaluation data and return keywords of ``fit``; cleans up afterwards."""
    metric = None if measures is None else EvalMetric(*_scorers([measures], "eval_metric"))
    if metric is None or not sets:
        yield {}
        return
    for rows in sets:
        # With the ids of the queries, which the library does not have.
        metric.know(rows.y, rows.sizes, None, rows.query_ids)
    params = ranker.get_params()
    # The library's metrics are switched off, and the first of ours decides.
    if library == "lightgbm":
        keywords, changed = {"eval_metric": metric}, {"metric": "None", "first_metric_only": True}
    else:
        keywords, changed = {}, {"disable_default_eval_metric": True, "early_stopping_rounds": None}
        changed["callbacks"] = _callbacks(metric, sets, params)
    ranker.set_params(**changed)
    try:
        yield keywords
    finally:
        ranker.set_params(**{name: params.get(name) for name in changed})


def _callbacks(metric: EvalMetric, sets: Sequence[Any], params: Mapping[str, Any]) -> list[Any]:
    """XGBoost callbacks that record a metric on evaluation sets, and stop by its first measure.

    XGBRanker itself would call a metric once for each query. The sets are our own matrices, for
    which XGBoost keeps the predictions of earlier trees.
    """
    from xgboost import DMatrix
    from xgboost.callback import EarlyStopping, TrainingCallback

    names = ("missing", "enable_categorical", "feature_types")
    kinds = {name: params[name] for name in names if params.get(name) is not None}
    kinds["nthread"] = params.get("n_jobs")
    matrices = [DMatrix(rows.X, rows.y, qid=rows.numbers, **kinds) for rows in sets]

    class Watching(TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:  # noqa: ARG002
            for number, data in enumerate(matrices):
                noted = evals_log.setdefault(f"validation_{number}", {})
                for name, value in metric(model.predict(data), data):
                    noted.setdefault(name, []).append(value)
            return False

    callbacks = [Watching(), *(params.get("callbacks") or ())]
    if params.get("early_stopping_rounds"):
        is_gain = metric.scorers[0].measure.metric.greater_is_better
        stopping = {"metric_name": metric.names[0], "maximize": is_gain}
        callbacks.append(EarlyStopping(rounds=params["early_stopping_rounds"], **stopping))
    return callbacks


def _refuse_wrong_direction(directions: Mapping[str, bool]) -> None:
    """RankingConfigError if XGBoost's early stopping would keep the worst value of a metric.

    XGBoost guesses from the name whether higher is better, and takes unknown names for losses.
    """
    for callback in callbacks_of_xgboost():
        if not any(kind.__name__ == "EarlyStopping" for kind in type(callback).__mro__):
            continue
        name, taken = callback.metric_name or list(directions)[-1], callback.maximize
        if taken is None:  # by the beginnings that XGBoost knows
            taken = name != "mape" and name.startswith(("auc", "pre", "map", "ndcg"))
        if name in directions and taken != directions[name]:
            msg = (
                f"early stopping would keep the worst {safe_repr(name)}: pass "
                f"maximize={directions[name]} to xgboost.train or EarlyStopping"
            )
            raise RankingConfigError(msg)
