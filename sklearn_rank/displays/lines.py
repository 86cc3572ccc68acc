"""Displays of one line per system: a measure at k, precision against recall, distributions."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sklearn_rank.displays.labels import FONT_SIZE, add_legend, name_lines, set_names
from sklearn_rank.displays.style import SIZE, Display, canvas, series_style, text_color
from sklearn_rank.displays.systems import (
    check_cutoffs,
    check_last_cutoff,
    check_names,
    check_styles,
    display_options,
    evaluation_of_estimator,
    evaluation_of_rankings,
    measure_of,
    read_systems,
    spelling_in,
    values_per_query,
    with_measure,
)
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.checks import check_same_length
from sklearn_rank.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

__all__ = ["MeasureAtKDisplay", "PrecisionRecallAtKDisplay", "QueryDistributionDisplay"]

Styles = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


class SystemLines(Display):
    """One line per system; subclasses draw them and read evaluations."""

    names: list[str] | None
    lines_: list[Line2D]
    _SIZE: ClassVar[tuple[float, float]] = SIZE
    _ZERO_DIVISION: ClassVar[Any] = "warn"

    def _count(self) -> int:
        raise NotImplementedError

    def _draw(self, ax: Axes, styles: Sequence[Mapping[str, Any]]) -> None:
        """Draw ``lines_``, and label the axes."""
        raise NotImplementedError

    def _name(self, ax: Axes, names: Sequence[str] | None) -> None:
        name_lines(ax, self.lines_, names)

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
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a figure.
        names : list of str, default=None
            Names of the systems; None takes those of the display.
        curve_kwargs : dict or list of dict, default=None
            Keywords of ``Axes.plot``, for all lines or one for each.

        Returns
        -------
        display : object
            This object, with ``lines_``, ``ax_`` and ``figure_``, and ``bands_`` of intervals.

        Raises
        ------
        ValueError
            If ``names`` or ``curve_kwargs`` has another length than the lines.
        """
        count = self._count()
        shown = self.names if names is None else check_names(names, count)
        styles = check_styles(curve_kwargs, count)
        with canvas(ax, type(self).__name__, self._SIZE) as ax:
            self._draw(ax, styles)
            self._name(ax, shown)
            return self._drawn_on(ax)

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
        y_true, y_score
            Any layout of :func:`evaluate`.
        *measure : str or Measure
            As in :meth:`from_evaluation`, if it takes a measure.
        name : str, default=None
            Name of the system.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            Options of :meth:`from_evaluation`; all others are arguments of :func:`evaluate`, such
            as ``groups``.

        Returns
        -------
        display : object
            With the line drawn.
        """
        shown, reading = cls._split(options)
        measures, called = cls._measures(*measure, **shown)
        reading = {"zero_division": cls._ZERO_DIVISION, **reading}
        evaluation = evaluation_of_rankings(y_true, y_score, measures, called=called, **reading)
        names = None if name is None else [name]
        return cls.from_evaluation(
            evaluation, *measure, names=names, ax=ax, curve_kwargs=curve_kwargs, **shown
        )

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
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, unless X or y carries it.
        name : str, default=None
            Name of the system; None takes the class of the estimator.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            Options of :meth:`from_evaluation`; all others say how to read the estimator and the
            data, as in :meth:`RankingScorer.with_options`.

        Returns
        -------
        display : object
            With the line drawn.

        Raises
        ------
        InvalidParameterError
            If an option has an unknown name or a wrong value.
        RankingConfigError
            If the query ids are missing, or an option does not apply to the layout of y.
        """
        shown, reading = cls._split(options)
        evaluation = cls._of_estimator(estimator, X, y, groups, measure, shown, reading)
        names = [type(estimator).__name__ if name is None else name]
        return cls.from_evaluation(
            evaluation, *measure, names=names, ax=ax, curve_kwargs=curve_kwargs, **shown
        )

    @classmethod
    def _of_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        groups: Any,
        measure: tuple[str | Measure, ...],
        shown: Mapping[str, Any],
        reading: Mapping[str, Any],
    ) -> Evaluation:
        owner = cls.__name__
        read = display_options({"zero_division": cls._ZERO_DIVISION, **reading}, owner)
        measures, called = cls._measures(*measure, **shown)
        return evaluation_of_estimator(
            estimator, X, y, groups, measures, read, owner=owner, called=called
        )

    @classmethod
    def _split(cls, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options of ``from_evaluation``, and all others."""
        own = inspect.signature(cls.from_evaluation).parameters
        shown = {name: value for name, value in options.items() if name in own}
        return shown, {name: value for name, value in options.items() if name not in own}


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
    measure : str, default="measure"
        Label of the axis.
    level : float, default=0.95
        Level of the intervals, for the label.
    names : list of str, default=None
        Names of the systems.

    Attributes
    ----------
    lines_, bands_ : list of matplotlib.lines.Line2D, list of PolyCollection
        A line per system, and its band of intervals, after ``plot``.

    Raises
    ------
    ValueError
        If a system has not one value for each cutoff, or ``names`` not one for each system.

    Examples
    --------
    >>> from sklearn_rank import MeasureAtKDisplay, evaluate
    >>> ev = evaluate([{"a"}, {"b"}], [["a", "c"], ["c", "b"]], "map")
    >>> shown = MeasureAtKDisplay.from_evaluation(ev, "recall", k=2)
    >>> shown.values[0].tolist()
    [0.5, 1.0]
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
        self.values = _arrays("values", values, self.k.shape)
        self.intervals: list[FloatArray] | None = None
        if intervals is not None:
            self.intervals = _arrays("intervals", intervals, (*self.k.shape, 2))
            check_same_length("values", len(self.values), "intervals", len(self.intervals))
        self.names = check_names(names, len(self.values))
        self.measure, self.level = measure, level

    def _count(self) -> int:
        return len(self.values)

    def _draw(self, ax: Axes, styles: Sequence[Mapping[str, Any]]) -> None:
        self.lines_: list[Line2D] = []
        self.bands_: list[PolyCollection] = []
        for number, curve in enumerate(self.values):
            # Beyond some dozens, markers hide the line.
            style = {**series_style(number), "markevery": max(len(self.k) // 20, 1)}
            (line,) = ax.plot(self.k, curve, **{**style, **styles[number]})
            self.lines_.append(line)
            if self.intervals is not None:
                self.bands_.append(draw_band(ax, line, self.k, self.intervals[number]))
        _scale_cutoffs(ax, self.k)
        interval = "" if self.intervals is None else f"\n(mean, {self.level:.0%} interval)"
        ax.set(xlabel="cutoff k", ylabel=f"{self.measure}{interval}")

    @classmethod
    def _measures(
        cls, measure: str | Measure = "ndcg", *, k: Any = 20, **_: Any
    ) -> tuple[Sequence[str | Measure], str]:
        read = read_measure(measure)
        return _at_cutoffs(read, check_cutoffs(k, cls.__name__)), read.metric.name

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
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate` by any measures; their rankings are measured anew.
        measure : str or Measure, default="ndcg"
            Measure that takes a cutoff; with the parameters of the evaluation if it has the metric.
        k : int or sequence of int, default=20
            Last cutoff, or the cutoffs.
        level : float, default=0.95
            Level of the intervals over queries.
        names : list of str, default=None
            Names of the systems; None takes the keys.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : MeasureAtKDisplay
            With the lines drawn.

        Raises
        ------
        InvalidParameterError
            If the measure takes no cutoff, or ``k`` is no rising cutoff.
        """
        systems, shown = read_systems(evaluations, names, cls.__name__)
        cutoffs = check_cutoffs(k, cls.__name__)
        values, intervals = [], []
        for evaluation in systems:
            at_cutoffs = _at_cutoffs(measure_of(evaluation, measure), cutoffs)
            measured = with_measure(evaluation, at_cutoffs)
            spellings = [spelling_in(measured, one) for one in at_cutoffs]
            values.append([measured[spelling] for spelling in spellings])
            intervals.append([measured.confidence_interval(one, level) for one in spellings])
        label = f"{replace(read_measure(measure), k=None)}@k"
        display = cls(
            k=cutoffs, values=values, intervals=intervals, measure=label, level=level, names=shown
        )
        return display.plot(ax, curve_kwargs=curve_kwargs)


class PrecisionRecallAtKDisplay(SystemLines):
    """Mean precision against mean recall of the first k ranks, for k = 1, 2, ...

    Make one with :meth:`from_evaluation`, ``from_predictions``, ``from_estimator`` or
    :meth:`from_cv_results`.

    Parameters
    ----------
    precision : list of array-like of shape (n_cutoffs,)
        Mean precision at each cutoff in [0, 1], a line per element. Ties count by the exact
        expectation; undefined queries are left out of the means.
    recall : list of array-like of shape (n_cutoffs,)
        Mean recall at each cutoff, in [0, 1].
    k : array-like of shape (n_cutoffs,)
        The cutoffs, in ranks.
    names : list of str, default=None
        Names of the lines.

    Attributes
    ----------
    lines_ : list of matplotlib.lines.Line2D
        The lines, after ``plot``.

    Raises
    ------
    ValueError
        If a line has not one value for each cutoff, or ``names`` not one name for each line.

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
        self.precision = _arrays("precision", precision, self.k.shape)
        self.recall = _arrays("recall", recall, self.k.shape)
        check_same_length("precision", len(self.precision), "recall", len(self.recall))
        self.names = check_names(names, len(self.precision))

    def _count(self) -> int:
        return len(self.precision)

    def _draw(self, ax: Axes, styles: Sequence[Mapping[str, Any]]) -> None:
        self.lines_: list[Line2D] = []
        for number, line in enumerate(zip(self.recall, self.precision, strict=True)):
            self.lines_ += ax.plot(*line, **{**series_style(number), **styles[number]})
        ax.set(xlabel="Mean recall at k", ylabel="Mean precision at k")
        # From 0 to the highest point, with room for the labels of the cutoffs above and below.
        right, top = (
            max((float(np.nanmax(line, initial=0)) for line in lines), default=0) or 1.0
            for lines in (self.recall, self.precision)
        )
        ax.set(xlim=(0, 1.05 * right), ylim=(-0.12 * top, 1.12 * top))
        # The first cutoff above all lines and the last below them, where no line runs.
        starts, ends = self._points(0), self._points(-1)
        if starts:
            self._label_cutoff(ax, self.k[0], max(starts, key=lambda point: point[1]), above=True)
        if ends and len(self.k) > 1:
            self._label_cutoff(ax, self.k[-1], min(ends, key=lambda point: point[1]), above=False)

    def _points(self, cutoff: int) -> list[tuple[float, float]]:
        """(recall, precision) of each line at one of the cutoffs, without undefined ones."""
        lines = zip(self.recall, self.precision, strict=True)
        points = [(float(x[cutoff]), float(y[cutoff])) for x, y in lines if len(self.k)]
        return [point for point in points if np.isfinite(point).all()]

    def _label_cutoff(
        self, ax: Axes, cutoff: int, point: tuple[float, float], *, above: bool
    ) -> None:
        ax.annotate(
            f"k = {cutoff:,}",
            point,
            xytext=(0, 6 if above else -6),
            textcoords="offset points",
            ha="left" if above else "center",
            va="bottom" if above else "top",
            color=text_color(ax),
            fontsize=FONT_SIZE,
        )

    @classmethod
    def _measures(cls, *, k: Any = 10, **_: Any) -> tuple[list[str | Measure], str]:
        """Precision at each cutoff, then recall at each."""
        cutoffs = range(1, check_last_cutoff(k, cls.__name__) + 1)
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
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate` by any measures; their rankings are measured anew.
        k : int, default=10
            Last cutoff, in ranks.
        names : list of str, default=None
            Names of the systems; None takes the keys.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : PrecisionRecallAtKDisplay
            With the lines drawn.
        """
        systems, shown = read_systems(evaluations, names, cls.__name__)
        return cls._drawn(systems, k, shown, ax, curve_kwargs)

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
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, unless X or y carries it.
        k : int, default=10
            Last cutoff, in ranks.
        names : list of str, default=None
            Names of the lines; None numbers the folds.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            As in ``from_estimator``.

        Returns
        -------
        display : PrecisionRecallAtKDisplay
            With the lines drawn.

        Raises
        ------
        ValueError
            If ``cv_results`` holds no estimators, no indices or no folds.
        """
        from sklearn.utils import _safe_indexing

        if "estimator" not in cv_results or "indices" not in cv_results:
            msg = (
                "cv_results must hold estimators and indices: call cross_validate with "
                "return_estimator=True and return_indices=True"
            )
            raise ValueError(msg)
        display_options(options, cls.__name__)
        folds = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
        evaluations = []
        for estimator, test in folds:
            fold_X, fold_y = _safe_indexing(X, test), _safe_indexing(y, test)  # noqa: N806
            ids = None if groups is None else _safe_indexing(groups, test)
            evaluations.append(
                cls._of_estimator(estimator, fold_X, fold_y, ids, (), {"k": k}, options)
            )
        if not evaluations:
            msg = "cv_results holds no folds, so that there is no curve to draw"
            raise ValueError(msg)
        numbered = [f"Fold {number}" for number in range(len(evaluations))]
        return cls._drawn(evaluations, k, numbered if names is None else names, ax, curve_kwargs)

    @classmethod
    def _drawn(
        cls,
        evaluations: Sequence[Evaluation],
        k: Any,
        names: Sequence[str] | None,
        ax: Axes | None,
        curve_kwargs: Styles,
    ) -> Self:
        measures = [read_measure(one) for one in cls._measures(k=k)[0]]
        values = []
        for evaluation in evaluations:
            measured = with_measure(evaluation, measures)
            values.append([measured[spelling_in(measured, one)] for one in measures])
        precision, recall = np.split(np.array(values), 2, axis=1)
        cutoffs = np.arange(1, len(precision[0]) + 1)
        display = cls(precision=list(precision), recall=list(recall), k=cutoffs, names=names)
        return display.plot(ax, curve_kwargs=curve_kwargs)


class QueryDistributionDisplay(SystemLines):
    """Empirical distribution over queries: the share of queries with a value of at most x.

    The height at the left edge is the share of queries with nothing found. Lower lines are better
    where greater values are. Make one with :meth:`from_evaluation`, ``from_predictions`` or
    ``from_estimator``.

    Parameters
    ----------
    values : list of array-like of shape (n_queries,)
        Value of each query, a system per element; NaN (undefined) is left out.
    measure : str, default="measure"
        Label of the axis.
    names : list of str, default=None
        Names of the systems.
    greater_is_better : bool, default=True
        Direction of the measure; the axis says so where less is better.

    Attributes
    ----------
    lines_ : list of matplotlib.lines.Line2D
        A step function per system, after ``plot``.

    Raises
    ------
    ValueError
        If ``names`` has not one name for each system.

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

    def _count(self) -> int:
        return len(self.values)

    def _draw(self, ax: Axes, styles: Sequence[Mapping[str, Any]]) -> None:
        self.lines_: list[Line2D] = []
        for number, of_system in enumerate(self.values):
            values, counts = np.unique(of_system[~np.isnan(of_system)], return_counts=True)
            shares = np.cumsum(counts) / max(counts.sum(), 1)
            # Markers that start at other places stay apart where steps coincide.
            apart = {"markevery": (0.03 + 0.05 * (number % 4), 0.2)}
            style = {**series_style(number), **apart, "drawstyle": "steps-post"}
            # From 0 at the least value; of no values, nothing.
            steps = np.append(values[:1], values), np.append(shares[:1] * 0, shares)
            self.lines_ += ax.plot(*steps, **{**style, **styles[number]})
        direction = "" if self.greater_is_better else " (less is better)"
        ax.set(xlabel=f"{self.measure} per query{direction}", ylabel="Share of queries at or below")
        ax.set_ylim(-0.01, 1.03)

    def _name(self, ax: Axes, names: Sequence[str] | None) -> None:
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
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate`.
        measure : str or Measure, default=None
            Any measure; None takes the first of the first evaluation.
        names : list of str, default=None
            Names of the systems; None takes the keys.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : QueryDistributionDisplay
            With the distributions drawn.

        Raises
        ------
        InvalidParameterError
            If the measure is pooled, so that no query has a value.
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


def draw_band(ax: Axes, line: Line2D, x: Any, interval: FloatArray) -> PolyCollection:
    """Intervals as a band in the colour of their line."""
    return ax.fill_between(x, *interval.T, color=line.get_color(), alpha=0.16, linewidth=0)


def _arrays(name: str, given: Sequence[Any], shape: tuple[int, ...]) -> list[FloatArray]:
    arrays = [np.asarray(one, dtype=np.float64) for one in given]
    for array in arrays:
        if array.shape != shape:
            msg = f"{name} holds an array of shape {array.shape}; for these cutoffs it is {shape}"
            raise ValueError(msg)
    return arrays


def _at_cutoffs(measure: Measure, cutoffs: Sequence[int]) -> list[Measure]:
    if not measure.metric.takes_k:
        msg = f"{measure.metric.name} reads the whole ranking, so that there is no curve over k"
        raise InvalidParameterError(msg)
    return [replace(measure, k=cutoff) for cutoff in cutoffs]


def _scale_cutoffs(ax: Axes, k: IntArray) -> None:
    """Tick the first and last cutoff and a few round ones; 1, 5, 10, 100 on a logarithmic axis."""
    from matplotlib.ticker import MaxNLocator, NullLocator

    steps = np.diff(k)
    if len(steps) and steps.max() > 4 * steps.min():
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())
        ticks = k if len(k) <= 10 else k[[0, -1]]
    else:
        round_ones = MaxNLocator(5, steps=[1, 2, 5, 10], integer=True).tick_values(0, int(k[-1]))
        apart = (k[-1] - k[0]) / 12
        between = [tick for tick in round_ones if k[0] + apart < tick < k[-1] - apart]
        ticks = np.unique(np.concatenate((k[:1], between, k[-1:])).astype(np.int64))
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
