"""Displays of one line per system: a measure at k, precision against recall, distributions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sklearn_rank.displays.labels import FONT_SIZE, add_legend, name_lines, set_names
from sklearn_rank.displays.style import SIZE, Display, series_style, text_color
from sklearn_rank.displays.systems import (
    check_names,
    check_styles,
    measure_of,
    read_arrays,
    read_systems,
    values_per_query,
    with_measure,
)
from sklearn_rank.evaluation.averaging import average, warn_of_undefined
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.model_selection.options import OPTION_NAMES, ScorerOptions
from sklearn_rank.model_selection.reading import Responses, read_call
from sklearn_rank.support.checks import check_integer
from sklearn_rank.support.text import closest, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

__all__ = ["MeasureAtKDisplay", "PrecisionRecallAtKDisplay", "QueryDistributionDisplay"]

Styles = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
Curve = tuple[Any, Any, FloatArray | None, Mapping[str, Any]]
"""The x, y, intervals and keywords of a line."""


class SystemLines(Display):
    """One line per system, with a band where it has intervals."""

    names: list[str] | None
    lines_: list[Line2D]
    bands_: list[PolyCollection]
    _SIZE: ClassVar[tuple[float, float]] = SIZE
    _ZERO_DIVISION: ClassVar[Any] = "warn"

    def _curves(self) -> list[Curve]:
        raise NotImplementedError

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        """Label the axes and name the lines."""
        raise NotImplementedError

    @classmethod
    def _measures(cls, *measure: Any, **options: Any) -> tuple[Sequence[str | Measure], str]:
        """Measures that ``from_evaluation`` needs, and their name in a warning."""
        raise NotImplementedError

    @classmethod
    def from_evaluation(cls, *args: Any, **options: Any) -> Self:
        """Draw the line of each system."""
        raise NotImplementedError

    def plot(
        self,
        ax: Axes | None = None,
        *,
        names: Sequence[str] | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the lines."""
        curves = self._curves()
        shown = self.names if names is None else check_names(names, len(curves))
        styles = check_styles(curve_kwargs, len(curves))
        with self._canvas(ax, self._SIZE) as ax:
            self.lines_, self.bands_ = [], []
            for number, (x, y, interval, own) in enumerate(curves):
                (line,) = ax.plot(x, y, **{**series_style(number), **own, **styles[number]})
                self.lines_.append(line)
                if interval is not None:
                    look: Any = {"color": line.get_color(), "alpha": 0.16, "linewidth": 0}
                    self.bands_.append(ax.fill_between(x, *interval.T, **look))
            self._finish(ax, shown)
        return self

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *measure: str | Measure,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the line of the rankings of one system.

        Parameters
        ----------
        *measure : str or Measure
            As in :meth:`from_evaluation`, if it takes a measure.
        name : str, default=None
            Name of the system.
        **options
            Options of :meth:`from_evaluation`; all others are arguments of :func:`evaluate`, such
            as ``groups``.
        """
        shown, reading = cls._split(options)
        evaluation = cls._evaluate(y_true, y_score, *cls._measures(*measure, **shown), **reading)
        shown |= {"names": None if name is None else [name], "ax": ax}
        return cls.from_evaluation(evaluation, *measure, curve_kwargs=curve_kwargs, **shown)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *measure: str | Measure,
        groups: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the line of the rankings of a fitted estimator.

        Parameters
        ----------
        estimator : object
            Read as scorers read it.
        X, y : array-like
            Input of the estimator, and the ground truth: rows, lists or a matrix.
        *measure : str or Measure
            As in :meth:`from_evaluation`, if it takes a measure.
        name : str, default=None
            Name of the system; None takes the class of the estimator.
        **options
            Options of :meth:`from_evaluation`; all others say how to read the estimator and the
            data, as in :meth:`RankingScorer.with_options`.

        Raises
        ------
        InvalidParameterError
            If an option has an unknown name or a wrong value.
        RankingConfigError
            If the query ids are missing, or an option does not apply to the layout of y.
        """
        shown, reading = cls._split(options)
        measures = cls._measures(*measure, **shown)
        evaluation = cls._evaluate_estimator(estimator, X, y, groups, measures, reading)
        shown |= {"names": [type(estimator).__name__ if name is None else name], "ax": ax}
        return cls.from_evaluation(evaluation, *measure, curve_kwargs=curve_kwargs, **shown)

    @classmethod
    def _split(cls, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options of ``from_evaluation``, and all others."""
        own = inspect.signature(cls.from_evaluation).parameters
        shown = {name: value for name, value in options.items() if name in own}
        return shown, {name: value for name, value in options.items() if name not in own}

    @classmethod
    def _evaluate(
        cls,
        y_true: Any,
        y_score: Any,
        measures: Sequence[str | Measure],
        called: str,
        **reading: Any,
    ) -> Evaluation:
        """Evaluation with one warning of undefined queries, under the name ``called``."""
        zero_division = reading.pop("zero_division", cls._ZERO_DIVISION)
        warns = isinstance(zero_division, str) and zero_division == "warn"
        reading["zero_division"] = math.nan if warns else zero_division
        evaluation = evaluate(y_true, y_score, measures, **reading)
        if warns:
            mean = average(
                np.sum(list(evaluation.per_query.values()), axis=0),
                None,
                zero_division="warn",
                measure=called,
                query_ids=evaluation.query_ids,
            )
            warn_of_undefined({called: mean})
        return evaluation

    @classmethod
    def _evaluate_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        groups: Any,
        measures: tuple[Sequence[str | Measure], str],
        given: Mapping[str, Any],
    ) -> Evaluation:
        """The same for a fitted estimator, read as scorers read it."""
        name = cls.__name__
        unknown = [option for option in given if option not in OPTION_NAMES]
        if unknown:
            meant = closest(unknown[0], ("groups", *OPTION_NAMES))
            msg = (
                f"{name} has no option {safe_repr(unknown[0])}{meant}; its options are: "
                f"{', '.join(OPTION_NAMES)}"
            )
            raise InvalidParameterError(msg)
        options = ScorerOptions(**{"zero_division": cls._ZERO_DIVISION, **given})
        read = read_call(Responses(estimator, X), y, groups, options, owner=name)
        reading: dict[str, Any] = {
            option: getattr(options, option)
            for option in ("string_provider", "zero_division", "ties")
        }
        if read.queries is not None:
            reading["groups"] = read.queries.ids
        try:
            return cls._evaluate(read.y, read.scores, *measures, **reading)
        except TypeError as error:
            # The class that scorers raise for objects of the wrong kind.
            raise RankingConfigError(str(error)) from error


class MeasureAtKDisplay(SystemLines):
    """A measure of the first k ranks against k, with intervals over queries.

    Make one with :meth:`from_evaluation`, ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    k : array-like of shape (n_cutoffs,)
        The cutoffs, in ranks, rising.
    values : list of array-like of shape (n_cutoffs,)
        Mean of the measure at each cutoff, a system per element.
    intervals : list of array-like of shape (n_cutoffs, 2), default=None
        Lower and upper end of the interval at each cutoff; NaN where there is none.

    Attributes
    ----------
    lines_, bands_ : list of matplotlib.lines.Line2D, list of PolyCollection
        A line per system, and its band of intervals, after ``plot``.
    """

    def __init__(
        self,
        *,
        k: Any,
        values: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        measure: str = "measure",
        level: float = 0.95,
        names: Sequence[str] | None = None,
    ) -> None:
        self.k: IntArray = np.asarray(k, dtype=np.int64)
        count = len(values)
        self.values = read_arrays("values", values, [self.k.shape] * count)
        self.intervals: list[FloatArray] | None = None
        if intervals is not None:
            self.intervals = read_arrays("intervals", intervals, [(*self.k.shape, 2)] * count)
        self.names = check_names(names, count)
        self.measure, self.level = measure, level

    def _curves(self) -> list[Curve]:
        bands = [None] * len(self.values) if self.intervals is None else self.intervals
        # Beyond some dozens, markers hide the line.
        own = {"markevery": max(len(self.k) // 20, 1)}
        return [(self.k, y, band, own) for y, band in zip(self.values, bands, strict=True)]

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        """Tick the first and last cutoff and a few round ones; distant ones by their logarithms."""
        from matplotlib.ticker import MaxNLocator, NullLocator

        k, steps = self.k, np.diff(self.k)
        if len(steps) and steps.max() > 4 * steps.min():
            ax.set_xscale("log")
            ax.xaxis.set_minor_locator(NullLocator())
            ticks = k if len(k) <= 10 else k[[0, -1]]
        else:
            locator = MaxNLocator(5, steps=[1, 2, 5, 10], integer=True)
            apart = (k[-1] - k[0]) / 12
            between = [
                tick
                for tick in locator.tick_values(0, int(k[-1]))
                if k[0] + apart < tick < k[-1] - apart
            ]
            ticks = np.unique(np.concatenate((k[:1], between, k[-1:])).astype(np.int64))
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        interval = "" if self.intervals is None else f"\n(mean, {self.level:.0%} interval)"
        ax.set(xlabel="cutoff k", ylabel=f"{self.measure}{interval}")
        name_lines(ax, self.lines_, names)

    @classmethod
    def _measures(
        cls, measure: str | Measure = "ndcg", *, k: Any = 20, **_: Any
    ) -> tuple[Sequence[Measure], str]:
        """The measure at each cutoff; a sequence names them, and must rise."""
        read, name = read_measure(measure), cls.__name__
        if isinstance(k, (Sequence, np.ndarray)) and not isinstance(k, str):
            cutoffs = [check_integer(cutoff, "k", name, at_least=1) for cutoff in k]
        else:
            cutoffs = list(range(1, check_integer(k, "k", name, at_least=1) + 1))
        if not cutoffs or sorted(set(cutoffs)) != cutoffs:
            msg = (
                f"k must be a number of ranks, or such numbers in rising order, got {safe_repr(k)}"
            )
            raise InvalidParameterError(msg)
        if not read.metric.takes_k:
            msg = f"{read.metric.name} reads the whole ranking, so that there is no curve over k"
            raise InvalidParameterError(msg)
        return [replace(read, k=cutoff) for cutoff in cutoffs], read.metric.name

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        measure: str | Measure = "ndcg",
        *,
        k: int | Sequence[int] = 20,
        level: float = 0.95,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the line of each system.

        Parameters
        ----------
        measure : str or Measure, default="ndcg"
            Measure that takes a cutoff; with the parameters of the evaluation if it has the metric.
        k : int or sequence of int, default=20
            Last cutoff, or the cutoffs, rising.
        """
        systems, shown = read_systems(evaluations, names, cls.__name__)
        cutoffs = [one.k for one in cls._measures(measure, k=k)[0]]
        values, intervals = [], []
        for system in systems:
            own = measure_of(system, measure)
            measured, spellings = with_measure(system, [replace(own, k=k) for k in cutoffs])
            values.append([measured[spelling] for spelling in spellings])
            intervals.append([measured.confidence_interval(one, level) for one in spellings])
        display = cls(
            k=cutoffs,
            values=values,
            intervals=intervals,
            measure=f"{replace(read_measure(measure), k=None)}@k",
            level=level,
            names=shown,
        )
        return display.plot(ax, curve_kwargs=curve_kwargs)


class PrecisionRecallAtKDisplay(SystemLines):
    """Mean precision against mean recall of the first k ranks, for k = 1, 2, ...

    Make one with :meth:`from_evaluation`, ``from_predictions``, ``from_estimator`` or
    :meth:`from_cv_results`.

    Parameters
    ----------
    precision, recall : list of array-like of shape (n_cutoffs,)
        Mean precision and mean recall at each cutoff in [0, 1], a line per element. Ties count by
        the exact expectation; undefined queries are left out of the means.
    k : array-like of shape (n_cutoffs,)
        The cutoffs, in ranks.

    Attributes
    ----------
    lines_ : list of matplotlib.lines.Line2D
        The lines, after ``plot``.

    References
    ----------
    .. [1] Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, 8.4.

    Examples
    --------
    >>> from sklearn_rank import PrecisionRecallAtKDisplay
    >>> shown = PrecisionRecallAtKDisplay(precision=[[1, 0.5]], recall=[[0.5, 0.5]], k=[1, 2])
    >>> shown.plot().ax_.get_xlabel()
    'Mean recall at k'
    """

    def __init__(
        self,
        *,
        precision: Sequence[Any],
        recall: Sequence[Any],
        k: Any,
        names: Sequence[str] | None = None,
    ) -> None:
        self.k: IntArray = np.asarray(k, dtype=np.int64)
        shapes = [self.k.shape] * len(precision)
        self.precision = read_arrays("precision", precision, shapes)
        self.recall = read_arrays("recall", recall, shapes)
        self.names = check_names(names, len(shapes))

    def _curves(self) -> list[Curve]:
        return [(x, y, None, {}) for x, y in zip(self.recall, self.precision, strict=True)]

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        ax.set(xlabel="Mean recall at k", ylabel="Mean precision at k")
        # From 0 to the highest point, with room for the labels of the cutoffs above and below.
        right, top = (
            max((float(np.nanmax(line, initial=0)) for line in lines), default=0) or 1.0
            for lines in (self.recall, self.precision)
        )
        ax.set(xlim=(0, 1.05 * right), ylim=(-0.12 * top, 1.12 * top))
        # The first cutoff above all lines and the last below them, where no line runs.
        for cutoff, choose, shift in ((0, max, 6), (-1, min, -6)):
            curves = self._curves() if len(self.k) > -cutoff else []
            ends = [(float(x[cutoff]), float(y[cutoff])) for x, y, *_ in curves]
            ends = [end for end in ends if np.isfinite(end).all()]
            if ends:
                ax.annotate(
                    f"k = {self.k[cutoff]:,}",
                    choose(ends, key=lambda end: end[1]),
                    xytext=(0, shift),
                    textcoords="offset points",
                    ha="left" if shift > 0 else "center",
                    va="bottom" if shift > 0 else "top",
                    color=text_color(ax),
                    fontsize=FONT_SIZE,
                )
        name_lines(ax, self.lines_, names)

    @classmethod
    def _measures(cls, *, k: Any = 10, **_: Any) -> tuple[list[str | Measure], str]:
        """Precision at each cutoff, then recall at each."""
        cutoffs = range(1, check_integer(k, "k", cls.__name__, at_least=1) + 1)
        names = ("precision", "recall")
        return [f"{name}@{cutoff}" for name in names for cutoff in cutoffs], "precision or recall"

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        *,
        k: int = 10,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the line of each system.

        Parameters
        ----------
        k : int, default=10
            Last cutoff, in ranks.
        """
        systems, shown = read_systems(evaluations, names, cls.__name__)
        measures = [read_measure(one) for one in cls._measures(k=k)[0]]
        values = []
        for system in systems:
            measured, spellings = with_measure(system, measures)
            values.append([measured[spelling] for spelling in spellings])
        precision, recall = np.split(np.array(values), 2, axis=1)
        cutoffs = np.arange(1, len(measures) // 2 + 1)
        display = cls(precision=list(precision), recall=list(recall), k=cutoffs, names=shown)
        return display.plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        k: int = 10,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        **options: Any,
    ) -> Self:
        """Draw a line for the test part of each fold.

        Parameters
        ----------
        cv_results : dict
            Result of ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y : array-like
            The data of ``cross_validate``.
        k : int, default=10
            Last cutoff, in ranks.
        names : list of str, default=None
            Names of the lines; None numbers the folds.
        **options
            As in ``from_estimator``.
        """
        from sklearn.utils import _safe_indexing

        if "estimator" not in cv_results or "indices" not in cv_results:
            msg = (
                "cv_results must hold estimators and indices: call cross_validate with "
                "return_estimator=True and return_indices=True"
            )
            raise ValueError(msg)
        measures, folds = cls._measures(k=k), {}
        tests = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
        for number, (estimator, test) in enumerate(tests):
            rows, truth, queries = (
                None if part is None else _safe_indexing(part, test) for part in (X, y, groups)
            )
            folds[f"Fold {number}"] = cls._evaluate_estimator(
                estimator, rows, truth, queries, measures, options
            )
        if not folds:
            msg = "cv_results holds no folds, so that there is no curve to draw"
            raise ValueError(msg)
        return cls.from_evaluation(folds, k=k, names=names, ax=ax, curve_kwargs=curve_kwargs)


class QueryDistributionDisplay(SystemLines):
    """Empirical distribution over queries: the share of queries with a value of at most x.

    The height at the left edge is the share of queries with nothing found. Lower lines are better
    where greater values are. Make one with :meth:`from_evaluation`, ``from_predictions`` or
    ``from_estimator``.

    Parameters
    ----------
    values : list of array-like of shape (n_queries,)
        Value of each query, a system per element; NaN (undefined) is left out.

    Attributes
    ----------
    lines_ : list of matplotlib.lines.Line2D
        A step function per system, after ``plot``.

    Examples
    --------
    >>> from sklearn_rank import QueryDistributionDisplay
    >>> shown = QueryDistributionDisplay(values=[[0.0, 1.0, 0.5, 1.0]]).plot()
    >>> [[float(x), float(y)] for x, y in shown.lines_[0].get_xydata()]
    [[0.0, 0.0], [0.0, 0.25], [0.5, 0.5], [1.0, 1.0]]
    """

    def __init__(
        self,
        *,
        values: Sequence[Any],
        measure: str = "measure",
        names: Sequence[str] | None = None,
        greater_is_better: bool = True,
    ) -> None:
        self.values = [np.asarray(of_system, dtype=np.float64) for of_system in values]
        self.names = check_names(names, len(self.values))
        self.measure, self.greater_is_better = measure, greater_is_better

    def _curves(self) -> list[Curve]:
        """Steps from 0 at the least value; of no values, nothing."""
        curves: list[Curve] = []
        for number, of_system in enumerate(self.values):
            values, counts = np.unique(of_system[~np.isnan(of_system)], return_counts=True)
            shares = np.cumsum(counts) / max(counts.sum(), 1)
            # Markers that start at other places stay apart where steps coincide.
            own = {"markevery": (0.03 + 0.05 * (number % 4), 0.2), "drawstyle": "steps-post"}
            x, y = np.append(values[:1], values), np.append(shares[:1] * 0, shares)
            curves.append((x, y, None, own))
        return curves

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        direction = "" if self.greater_is_better else " (less is better)"
        ax.set(xlabel=f"{self.measure} per query{direction}", ylabel="Share of queries at or below")
        ax.set_ylim(-0.01, 1.03)
        if names is not None:
            set_names(self.lines_, names)
            add_legend(ax, self.lines_)

    @classmethod
    def _measures(
        cls, measure: str | Measure = "map", **_: Any
    ) -> tuple[Sequence[str | Measure], str]:
        return [measure], str(measure)

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        measure: str | Measure | None = None,
        *,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the distribution of each system.

        Parameters
        ----------
        measure : str or Measure, default=None
            Any measure but a pooled one; None takes the first of the first evaluation.
        """
        systems, shown = read_systems(evaluations, names, cls.__name__)
        wanted = measure_of(systems[0], measure)
        display = cls(
            values=[values_per_query(one, wanted) for one in systems],
            measure=str(wanted),
            names=shown,
            greater_is_better=wanted.metric.greater_is_better,
        )
        return display.plot(ax, curve_kwargs=curve_kwargs)
