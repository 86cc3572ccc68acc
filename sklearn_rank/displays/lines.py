"""Displays of one line per system: a measure at k, precision against recall, ROC, distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from sklearn_rank.displays.base import (
    FONT_SIZE,
    SIZE,
    Display,
    add_legend,
    check_names,
    measure_of,
    measured_by,
    name_lines,
    read_arrays,
    read_systems,
    series_style,
    set_names,
    text_color,
)
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.metrics.curves import (
    RECALLS,
    interpolated,
    limits_of,
    precision_recall_curves,
    roc_curves,
)
from sklearn_rank.model_selection.options import OPTION_NAMES, ScorerOptions
from sklearn_rank.model_selection.reading import Responses, read_call
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.statistics import mean_confidence_interval
from sklearn_rank.support.checks import check_integer, check_option, check_same_length
from sklearn_rank.support.text import closest, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

__all__ = [
    "MeasureAtKDisplay",
    "RankingPrecisionRecallCurveDisplay",
    "RankingRocCurveDisplay",
]

Styles = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
Average = Literal["pooled", "macro"]
Curve = tuple[Any, Any, Mapping[str, Any]]
"""The x, y and keywords of a line."""


class SystemLines(Display):
    """One line per system, with a band where it has intervals."""

    names: list[str] | None
    intervals: list[FloatArray] | None = None
    lines_: list[Line2D]
    bands_: list[PolyCollection]
    _SIZE: ClassVar[tuple[float, float]] = SIZE

    def _curves(self) -> list[Curve]:
        raise NotImplementedError

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        """Label the axes and name the lines."""
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
            Axes to draw in; None makes a figure.
        names : list of str, default=None
            Names of the systems; None takes the display's.
        curve_kwargs : dict or list of dict, default=None
            Keywords of ``Axes.plot``, for all lines or one for each.

        Returns
        -------
        display : Display
            The display, drawn: with ``ax_``, ``figure_``, ``lines_`` and ``bands_``.
        """
        curves = self._curves()
        shown = self.names if names is None else check_names(names, len(curves))
        given: Any = curve_kwargs or {}
        styles = [given] * len(curves) if isinstance(given, Mapping) else given
        if not isinstance(styles, (list, tuple)) or len(styles) != len(curves):
            msg = (
                f"curve_kwargs must be None, a dictionary or a list of length {len(curves)}. "
                f"Got: {safe_repr(given)}"
            )
            raise ValueError(msg)
        with self._canvas(ax, self._SIZE) as ax:
            self.lines_, self.bands_ = [], []
            for number, (x, y, marks) in enumerate(curves):
                (line,) = ax.plot(x, y, **{**series_style(number), **marks, **styles[number]})
                self.lines_.append(line)
                if self.intervals is not None:
                    look: Any = {"color": line.get_color(), "alpha": 0.16, "linewidth": 0}
                    self.bands_.append(ax.fill_between(x, *self.intervals[number].T, **look))
            self._finish(ax, shown)
        return self


class CurveDisplay(SystemLines):
    """Lines that can be drawn of predictions and of estimators, as scikit-learn's displays can."""

    _ZERO_DIVISION: ClassVar[Any] = "warn"
    _OWN: ClassVar[frozenset[str]]
    """Options of ``from_evaluation`` that are not of all lines."""

    @classmethod
    def _deepest(cls, *measure: Any, **_: Any) -> list[str | Measure]:
        """Measures whose evaluation warns as the lines should."""
        return list(measure or ("map",))

    @classmethod
    def from_evaluation(cls, *args: Any, **options: Any) -> Self:
        """Draw the line of each system."""
        raise NotImplementedError

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
            Ground truth and rankings in any layout of :func:`evaluate`.
        *measure : str or Measure
            As in ``from_evaluation``, if it takes a measure.
        name : str, default=None
            Name of the system.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            Options of ``from_evaluation``; all others are arguments of :func:`evaluate`, such
            as ``groups``.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        drawn, reading = cls._split(options)
        reading = {"zero_division": cls._ZERO_DIVISION, **reading}
        evaluation = evaluate(y_true, y_score, cls._deepest(*measure, **drawn), **reading)
        systems = evaluation if name is None else {name: evaluation}
        return cls.from_evaluation(systems, *measure, **drawn, ax=ax, curve_kwargs=curve_kwargs)

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
            As in ``from_evaluation``, if it takes a measure.
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, unless X or y carries it.
        name : str, default=None
            Name of the system; None takes the class of the estimator.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            Options of ``from_evaluation``; all others say how to read the estimator and the
            data, as in :meth:`RankingScorer.with_options`.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        InvalidParameterError
            If an option has an unknown name or a wrong value.
        RankingConfigError
            If the query ids are missing, or an option does not apply to the layout of y.
        """
        drawn, given = cls._split(options)
        for option in given:
            if option not in OPTION_NAMES:
                msg = (
                    f"{cls.__name__} has no option {safe_repr(option)}"
                    f"{closest(option, ('groups', *OPTION_NAMES))}; its options are: "
                    f"{', '.join(OPTION_NAMES)}"
                )
                raise InvalidParameterError(msg)
        settings = ScorerOptions(**{"zero_division": cls._ZERO_DIVISION, **given})
        measures = cls._deepest(*measure, **drawn)
        read = read_call(Responses(estimator, X), y, groups, settings, owner=cls.__name__)
        reading: dict[str, Any] = {
            option: getattr(settings, option)
            for option in ("string_provider", "zero_division", "ties")
        }
        if read.queries is not None:
            reading["groups"] = read.queries.ids
        try:
            evaluation = evaluate(read.y, read.scores, measures, **reading)
        except TypeError as error:
            # The class that scorers raise for objects of the wrong kind.
            raise RankingConfigError(str(error)) from error
        system = {type(estimator).__name__ if name is None else name: evaluation}
        return cls.from_evaluation(system, *measure, **drawn, ax=ax, curve_kwargs=curve_kwargs)

    @classmethod
    def _split(cls, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options of ``from_evaluation``, and options of reading the rankings."""
        drawn = {name: value for name, value in options.items() if name in cls._OWN}
        return drawn, {name: value for name, value in options.items() if name not in cls._OWN}


class MeasureAtKDisplay(CurveDisplay):
    """A measure of the first k ranks against k, with intervals over queries.

    Make one with :meth:`from_evaluation`, ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    k : array-like of shape (n_cutoffs,)
        The cutoffs, in ranks, rising.
    values : list of array-like of shape (n_cutoffs,)
        Mean of the measure at each cutoff, a system per element.
    intervals : list of array-like of shape (n_cutoffs, 2), default=None
        Lower and upper ends of the intervals; NaN where there is none.
    measure : str, default="measure"
        Label of the axis.
    confidence_level : float, default=0.95
        Level of the intervals.
    names : list of str, default=None
        Names of the systems.

    Attributes
    ----------
    lines_, bands_ : list of matplotlib.lines.Line2D, list of PolyCollection
        The line of each system and the band of its intervals, after ``plot``.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        The axes and the figure.
    """

    _OWN = frozenset({"k", "confidence_level"})

    def __init__(
        self,
        *,
        k: Any,
        values: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        measure: str = "measure",
        confidence_level: float = 0.95,
        names: Sequence[str] | None = None,
    ) -> None:
        self.k: IntArray = np.asarray(k, dtype=np.int64)
        shapes = [self.k.shape] * len(values)
        self.values = read_arrays("values", values, shapes)
        self.intervals = _read_bands(intervals, shapes)
        self.names = check_names(names, len(shapes))
        self.measure, self.confidence_level = measure, confidence_level

    def _curves(self) -> list[Curve]:
        # Beyond some dozens, markers hide the line.
        style = {"markevery": max(len(self.k) // 20, 1)}
        return [(self.k, y, style) for y in self.values]

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
            apart, round_ones = (k[-1] - k[0]) / 12, locator.tick_values(0, int(k[-1]))
            between = [one for one in round_ones if k[0] + apart < one < k[-1] - apart]
            ticks = np.unique(np.concatenate((k[:1], between, k[-1:])).astype(np.int64))
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        interval = (
            "" if self.intervals is None else f"\n(mean, {self.confidence_level:.0%} interval)"
        )
        ax.set(xlabel="cutoff k", ylabel=f"{self.measure}{interval}")
        name_lines(ax, self.lines_, names)

    @classmethod
    def _cutoffs(cls, measure: Measure, k: Any) -> list[int]:
        """Cutoffs up to a number, or a sequence of them, which must rise."""
        name = cls.__name__
        if isinstance(k, (Sequence, np.ndarray)) and not isinstance(k, str):
            cutoffs = [check_integer(cutoff, "k", name, at_least=1) for cutoff in k]
        else:
            cutoffs = list(range(1, check_integer(k, "k", name, at_least=1) + 1))
        if not cutoffs or sorted(set(cutoffs)) != cutoffs:
            msg = (
                f"k must be a number of ranks, or such numbers in rising order, got {safe_repr(k)}"
            )
            raise InvalidParameterError(msg)
        if not measure.metric.takes_k:
            msg = f"{measure.metric.name} reads the whole ranking, so that there is no curve over k"
            raise InvalidParameterError(msg)
        return cutoffs

    @classmethod
    def _deepest(cls, measure: Any = "ndcg", *, k: Any = 20, **_: Any) -> list[str | Measure]:
        read = read_measure(measure)
        return [replace(read, k=cls._cutoffs(read, k)[-1])]

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        measure: str | Measure = "ndcg",
        *,
        k: int | Sequence[int] = 20,
        confidence_level: float = 0.95,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the line of each system.

        Parameters
        ----------
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate`, by any measures.
        measure : str or Measure, default="ndcg"
            Measure that takes a cutoff; with the parameters of the evaluation if it has the metric.
        k : int or sequence of int, default=20
            Last cutoff, or the cutoffs, rising.
        confidence_level : float, default=0.95
            Level of the intervals.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        systems, shown = read_systems(evaluations, cls.__name__)
        cutoffs = cls._cutoffs(read_measure(measure), k)
        values, intervals = [], []
        for system in systems:
            read = measure_of(system, measure)
            measures = [replace(read, k=k) for k in cutoffs]
            measured = measured_by(system, measures)
            values.append([measured[one] for one in measures])
            intervals.append(
                [measured.confidence_interval(one, confidence_level) for one in measures]
            )
        display = cls(
            k=cutoffs,
            values=values,
            intervals=intervals,
            measure=f"{replace(read_measure(measure), k=None)}@k",
            confidence_level=confidence_level,
            names=shown,
        )
        return display.plot(ax, curve_kwargs=curve_kwargs)


class PrecisionRecallAtKDisplay(SystemLines):
    """Mean precision against mean recall of the first k ranks, for k = 1, 2, ... [1]_.

    References
    ----------
    .. [1] Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, 8.4.
    """

    def __init__(
        self, precision: Any, recall: Any, k: Any, names: Sequence[str] | None = None
    ) -> None:
        self.precision, self.recall, self.k = np.array(precision), np.array(recall), np.array(k)
        self.names = None if names is None else list(names)

    def _curves(self) -> list[Curve]:
        return [(x, y, {}) for x, y in zip(self.recall, self.precision, strict=True)]

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        """From 0 to the highest point, with room for labels of cutoffs above and below."""
        right, top = (
            max((float(np.nanmax(line, initial=0)) for line in lines), default=0) or 1.0
            for lines in (self.recall, self.precision)
        )
        ax.set(xlabel="Mean recall at k", ylabel="Mean precision at k")
        ax.set(xlim=(0, 1.05 * right), ylim=(-0.12 * top, 1.12 * top))
        # The first cutoff above all lines and the last below them, where no line runs.
        look: Any = {"textcoords": "offset points", "fontsize": FONT_SIZE, "color": text_color(ax)}
        above: Any = {"ha": "left", "va": "bottom"}
        below: Any = {"ha": "center", "va": "top"}
        for at, choose, shift, place in ((0, max, 6, above), (-1, min, -6, below)):
            curves = self._curves() if len(self.k) > -at else []
            ends = [(float(x[at]), float(y[at])) for x, y, *_ in curves]
            ends = [end for end in ends if np.isfinite(end).all()]
            if ends:
                end = choose(ends, key=lambda end: end[1])
                ax.annotate(f"k = {self.k[at]:,}", end, xytext=(0, shift), **look, **place)
        name_lines(ax, self.lines_, names)

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        *,
        k: int = 10,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the line of each system up to the cutoff ``k``."""
        systems, shown = read_systems(evaluations, cls.__name__)
        cutoffs = range(1, check_integer(k, "k", cls.__name__, at_least=1) + 1)
        values = []
        for name in ("precision", "recall"):
            measures = [read_measure(f"{name}@{cutoff}") for cutoff in cutoffs]
            measured = [measured_by(system, measures) for system in systems]
            values.append([[system[one] for one in measures] for system in measured])
        precision, recall = values
        return cls(precision, recall, list(cutoffs), shown).plot(ax, curve_kwargs=curve_kwargs)


class QueryDistributionDisplay(SystemLines):
    """Empirical distribution over queries: the share of queries with a value of at most x.

    The height at the left edge is the share of queries with nothing found. Lower lines are better
    where greater values are.
    """

    def __init__(
        self, values: Sequence[Any], measure: Measure, names: Sequence[str] | None = None
    ) -> None:
        self.values, self.measure = [np.asarray(column) for column in values], measure
        self.names = None if names is None else list(names)

    def _curves(self) -> list[Curve]:
        """Steps from 0 at the least value; of no values, nothing."""
        curves: list[Curve] = []
        for number, of_system in enumerate(self.values):
            values, counts = np.unique(of_system[~np.isnan(of_system)], return_counts=True)
            shares = np.cumsum(counts) / max(counts.sum(), 1)
            # Markers that start at other places stay apart where steps coincide.
            style = {"markevery": (0.03 + 0.05 * (number % 4), 0.2), "drawstyle": "steps-post"}
            x, y = np.append(values[:1], values), np.append(shares[:1] * 0, shares)
            curves.append((x, y, style))
        return curves

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        direction = "" if self.measure.metric.greater_is_better else " (less is better)"
        ax.set(xlabel=f"{self.measure} per query{direction}", ylabel="Share of queries at or below")
        ax.set_ylim(-0.01, 1.03)
        if names is not None:
            set_names(self.lines_, names)
            add_legend(ax, self.lines_)

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        measure: str | Measure | None = None,
        *,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the distribution of each system by any measure but a pooled one."""
        systems, shown = read_systems(evaluations, cls.__name__)
        wanted = measure_of(systems[0], measure)
        measured = [measured_by(system, [wanted]) for system in systems]
        values = [one.per_query[wanted] for one in measured]  # type: ignore[index]
        return cls(values, wanted, shown).plot(ax, curve_kwargs=curve_kwargs)


# Curves over thresholds --------------------------------------------------------------------------


class _ThresholdDisplay(CurveDisplay):
    """Base of both displays of curves, pooled or averaged over queries with a band."""

    _SIZE = (4.8, 4.4)  # nearly square: both axes are shares
    _ZERO_DIVISION = np.nan
    _OWN = frozenset({"average", "confidence_level"})
    _AXES: ClassVar[tuple[str, str]]

    @staticmethod
    def _trace(judged: RankingData, average: Average, confidence_level: float) -> dict[str, Any]:
        """The curve of one system, as parameters of the display."""
        raise NotImplementedError

    @staticmethod
    def _marked(x: Sequence[FloatArray], y: Sequence[FloatArray]) -> list[Curve]:
        """Lines whose markers start at other places, to stay apart where curves meet."""
        return [
            (of_x, of_y, {"markevery": (0.04 + 0.05 * (number % 4), 0.2)})
            for number, (of_x, of_y) in enumerate(zip(x, y, strict=True))
        ]

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        ax.set(xlabel=self._AXES[0], ylabel=self._AXES[1], xlim=(-0.01, 1.01), ylim=(-0.01, 1.03))
        name_lines(ax, self.lines_, names)

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        *,
        average: Average = "pooled",
        confidence_level: float = 0.95,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the curve of each system.

        Parameters
        ----------
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate`, by any measures.
        average : {"pooled", "macro"}, default="pooled"
            All items in one ranking by their scores, which then must compare across queries; or
            the mean of the curves of the queries, with an interval at each point by itself.
        confidence_level : float, default=0.95
            Level of the intervals.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        InvalidParameterError
            If ``average="pooled"`` and scores do not compare across queries.
        UndefinedMetricError
            If no query has a curve.
        """
        check_option(average, "average", ("pooled", "macro"), cls.__name__)
        systems, shown = read_systems(evaluations, cls.__name__)
        traced = [cls._trace(one._judged, average, confidence_level) for one in systems]
        values: dict[str, Any] = {name: [one[name] for one in traced] for name in traced[0]}
        values["names"] = shown
        return cls(**values).plot(ax, curve_kwargs=curve_kwargs)


def _read_bands(
    intervals: Sequence[Any] | None, shapes: Sequence[tuple[int]]
) -> list[FloatArray] | None:
    if intervals is None:
        return None
    return read_arrays("intervals", intervals, [(*shape, 2) for shape in shapes])


def _mean_curve(
    judged: RankingData, queries: list[int], heights: FloatArray, confidence_level: float
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """(n_points,) means over queries, (n_points, 2) intervals, and the weights of the queries."""
    weights = None if judged.weights is None else judged.weights[queries]
    intervals = [
        mean_confidence_interval(
            column, weights=weights, bounds=(0.0, 1.0), confidence_level=confidence_level
        )
        for column in heights.T
    ]
    return np.average(heights, axis=0, weights=weights), np.array(intervals), weights


class RankingRocCurveDisplay(_ThresholdDisplay):
    """Receiver operating characteristic of rankings, pooled or averaged over queries.

    Make one with ``from_evaluation``, ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    fpr, tpr : list of array-like of shape (n_points,)
        False and true positive rates in [0, 1], as of :func:`ranking_roc_curve`.
    intervals : list of array-like of shape (n_points, 2), default=None
        Lower and upper ends of the intervals.
    areas : list of float, default=None
        Areas under the curves, for their names.
    names : list of str, default=None
        Names of the systems.

    Attributes
    ----------
    lines_, bands_ : list of matplotlib.lines.Line2D, list of PolyCollection
        The line of each system, and with ``average="macro"`` the band of its intervals, after
        ``plot``.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        The axes and the figure.
    areas : list of float or None
        Area under each curve; averaged over queries, the mean of theirs.
    chance_level_ : matplotlib.lines.Line2D
        The line of a random order.

    References
    ----------
    .. [1] Fawcett, An Introduction to ROC Analysis, 2006 (vertical averaging).
    """

    _AXES = ("False positive rate", "True positive rate")

    def __init__(
        self,
        *,
        fpr: Sequence[Any],
        tpr: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        areas: Sequence[float] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        shapes = [(len(line),) for line in fpr]
        self.fpr = read_arrays("fpr", fpr, shapes)
        self.tpr = read_arrays("tpr", tpr, shapes)
        self.intervals = _read_bands(intervals, shapes)
        self.names = check_names(names, len(shapes))
        self.areas = None if areas is None else list(areas)
        check_same_length("fpr", len(shapes), "areas", len(shapes if areas is None else areas))

    def _curves(self) -> list[Curve]:
        return self._marked(self.fpr, self.tpr)

    @staticmethod
    def _trace(judged: RankingData, average: Average, confidence_level: float) -> dict[str, Any]:
        """True against false positive rate; averaged, the mean height at each."""
        from sklearn.metrics import auc

        curves = roc_curves(judged, average)
        areas = np.array([auc(curve.x, curve.y) for curve in curves])
        if average == "pooled":
            x, y = curves[0].x, curves[0].y
            return {"fpr": x, "tpr": y, "areas": float(areas[0])}
        # Where a curve rises straight up, the height that it reaches.
        heights = np.stack([limits_of(RECALLS, curve.x, curve.y)[:, 1] for curve in curves])
        mean, band, weights = _mean_curve(
            judged, [c.query for c in curves], heights, confidence_level
        )
        band[-1] = 1.0  # all items are at or above the last threshold: there nothing can vary
        return {
            "fpr": np.append(0.0, RECALLS),
            "tpr": np.append(0.0, mean),
            "intervals": np.vstack((band[:1], band)),
            "areas": float(np.average(areas, weights=weights)),
        }

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        """All curves end in one point, so that names stand in the corner below chance."""
        super()._finish(ax, None)
        look = {"color": text_color(ax), "linewidth": 0.8, "linestyle": ":"}
        self.chance_level_: Line2D
        (self.chance_level_,) = ax.plot([0, 1], [0, 1], label="random order", **look)
        texts = names
        if self.areas is not None and (names is not None or len(self.lines_) == 1):
            texts = [f"AUC {area:.3f}" for area in self.areas]
            if names is not None:
                pairs = zip(names, texts, strict=True)
                texts = [f"{name} ({area})" for name, area in pairs]
        if texts is not None:
            set_names(self.lines_, texts)
            add_legend(ax, self.lines_, loc="lower right")


class RankingPrecisionRecallCurveDisplay(_ThresholdDisplay):
    """Precision against recall of rankings, pooled or interpolated and averaged over queries.

    Make one with ``from_evaluation``, ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    precision, recall : list of array-like of shape (n_points,)
        In [0, 1], as of :func:`ranking_precision_recall_curve`.
    intervals : list of array-like of shape (n_points, 2), default=None
        Lower and upper ends of the intervals.
    names : list of str, default=None
        Names of the systems.

    Attributes
    ----------
    lines_, bands_ : list of matplotlib.lines.Line2D, list of PolyCollection
        The line of each system, and with ``average="macro"`` the band of its intervals, after
        ``plot``.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        The axes and the figure.

    References
    ----------
    .. [1] Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, 8.4.

    Examples
    --------
    >>> from sklearn_rank import RankingPrecisionRecallCurveDisplay
    >>> shown = RankingPrecisionRecallCurveDisplay.from_predictions(
    ...     [{"a", "b"}], [["a", "x", "b"]], average="macro"
    ... )
    >>> shown.precision[0][[0, 50, 51, 100]].round(3).tolist()
    [1.0, 1.0, 0.667, 0.667]
    """

    _AXES = ("Recall", "Precision")

    def __init__(
        self,
        *,
        precision: Sequence[Any],
        recall: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        shapes = [(len(line),) for line in recall]
        self.recall = read_arrays("recall", recall, shapes)
        self.precision = read_arrays("precision", precision, shapes)
        self.intervals = _read_bands(intervals, shapes)
        self.names = check_names(names, len(shapes))

    def _curves(self) -> list[Curve]:
        return self._marked(self.recall, self.precision)

    @staticmethod
    def _trace(judged: RankingData, average: Average, confidence_level: float) -> dict[str, Any]:
        """Precision against recall; averaged, the mean of the interpolated precisions."""
        curves = precision_recall_curves(judged, average)
        if average == "pooled":
            # Without the point that scikit-learn adds at recall 0, which no threshold gives.
            recall, precision = (axis[:-1][::-1] for axis in (curves[0].x, curves[0].y))
            return {"recall": recall, "precision": precision}
        grid = RECALLS[::-1]
        heights = np.stack([interpolated(grid, curve.y, curve.x)[::-1] for curve in curves])
        mean, band, _ = _mean_curve(
            judged, [curve.query for curve in curves], heights, confidence_level
        )
        return {"recall": RECALLS, "precision": mean, "intervals": band}
