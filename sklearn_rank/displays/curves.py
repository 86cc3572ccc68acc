"""ROC and precision-recall curves of rankings: pooled, or averaged over queries with a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from sklearn_rank.displays.base import Display
from sklearn_rank.displays.labels import add_legend, name_lines, set_names
from sklearn_rank.displays.style import canvas, ink_of, series_style
from sklearn_rank.displays.systems import check_names, check_styles, read_systems
from sklearn_rank.evaluation.curves import (
    RECALLS,
    interpolated,
    limits_of,
    precision_recall_curves,
    roc_curves,
)
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.further import whole_of
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.model_selection.estimated import display_options, evaluation_of_estimator
from sklearn_rank.rankings.source import Judged
from sklearn_rank.statistics import mean_confidence_interval
from sklearn_rank.support.arrays import check_same_length
from sklearn_rank.support.parameters import check_option
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

__all__ = ["RankingPrecisionRecallCurveDisplay", "RankingRocCurveDisplay"]

Average = Literal["pooled", "macro"]

SIZE = (4.8, 4.4)
"""Nearly square: both axes are shares."""


@dataclass(frozen=True)
class Traced:
    """One curve as it is drawn; the interval is of shape (n_points, 2), or there is none."""

    x: FloatArray
    y: FloatArray
    interval: FloatArray | None = None
    area: float | None = None


class _CurveDisplay(Display):
    """What both displays of curves share."""

    _x_name: ClassVar[str]
    _y_name: ClassVar[str]

    @staticmethod
    def _trace(judged: Judged, average: Average, level: float) -> Traced:
        """The curve of one system."""
        raise NotImplementedError

    def __init__(self, curves: Sequence[Traced], names: Sequence[str] | None) -> None:
        self._curves = list(curves)
        self.names = check_names(names, len(self._curves))

    def plot(
        self,
        ax: Axes | None = None,
        *,
        names: Sequence[str] | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a figure.
        names : list of str, default=None
            Names of the systems; None takes those of the display.
        curve_kwargs : dict or list of dict, default=None
            Keywords of ``Axes.plot``, for all curves or one for each.

        Returns
        -------
        display : object
            This object, with ``lines_``, ``bands_``, ``ax_`` and ``figure_``.
        """
        shown = self.names if names is None else check_names(names, len(self._curves))
        styles = check_styles(curve_kwargs, len(self._curves))
        with canvas(ax, type(self).__name__, SIZE) as ax:
            self.lines_: list[Line2D] = []
            self.bands_: list[PolyCollection] = []
            for number, curve in enumerate(self._curves):
                # Markers that start at other places stay apart where curves meet.
                apart = {"markevery": (0.04 + 0.05 * (number % 4), 0.2)}
                style = {**series_style(number), **apart, **styles[number]}
                (line,) = ax.plot(curve.x, curve.y, **style)
                self.lines_.append(line)
                if curve.interval is not None:
                    band = ax.fill_between(
                        curve.x, *curve.interval.T, color=line.get_color(), alpha=0.16, linewidth=0
                    )
                    self.bands_.append(band)
            ax.set(xlabel=self._x_name, ylabel=self._y_name)
            ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.03))
            self._finish(ax, shown)
            return self._drawn_on(ax)

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        name_lines(ax, self.lines_, names)

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        *,
        average: Average = "pooled",
        level: float = 0.95,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> Self:
        """Draw the curve of each system.

        Parameters
        ----------
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate`, of whatever measures.
        average : {"pooled", "macro"}, default="pooled"
            All items in one ranking by their scores, which then must compare across queries; or
            the mean of the curves of the queries, with an interval.
        level : float, default=0.95
            Level of the intervals over queries, at each point by itself.
        names : list of str, default=None
            Names of the systems; None takes the keys.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : object
            With the curves drawn.

        Raises
        ------
        ScoresRequiredError
            If ``average="pooled"`` and scores do not compare across queries.
        UndefinedMetricError
            If no query has what the curve needs.
        """
        owner = cls.__name__
        check_option(average, "average", ("pooled", "macro"), owner)
        systems = read_systems(evaluations, names, owner)
        curves = [cls._trace(whole_of(one), average, level) for one in systems.evaluations]
        display = cls.__new__(cls)
        _CurveDisplay.__init__(display, curves, systems.names)
        return display.plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        average: Average = "pooled",
        level: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **reading: Any,
    ) -> Self:
        """Draw the curve of rankings.

        Parameters
        ----------
        y_true, y_score
            Any layout of :func:`evaluate`.
        average, level
            As in :meth:`from_evaluation`.
        name : str, default=None
            Name of the system.
        ax, curve_kwargs
            As in :meth:`plot`.
        **reading
            Further arguments of :func:`evaluate`, such as ``groups``.

        Returns
        -------
        display : object
            With the curve drawn.
        """
        evaluation = evaluate(y_true, y_score, "map", **{"zero_division": np.nan, **reading})
        names = None if name is None else [name]
        return cls.from_evaluation(
            evaluation, average=average, level=level, names=names, ax=ax, curve_kwargs=curve_kwargs
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        average: Average = "pooled",
        level: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of what a fitted estimator ranks.

        Parameters
        ----------
        estimator : object
            Read as scorers read it.
        X, y : array-like
            What the estimator predicts from, and the ground truth: rows, lists or a matrix.
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, unless X or y carries it.
        average, level
            As in :meth:`from_evaluation`.
        name : str, default=None
            Name of the system; None takes that of the estimator's class.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            How the estimator and the data are read, as in :meth:`RankingScorer.with_options`.

        Returns
        -------
        display : object
            With the curve drawn.
        """
        read = display_options({"zero_division": np.nan, **options}, cls.__name__)
        evaluation = evaluation_of_estimator(
            estimator, X, y, groups, ["map"], read, owner=cls.__name__, called="the curve"
        )
        names = [type(estimator).__name__ if name is None else name]
        return cls.from_evaluation(
            evaluation, average=average, level=level, names=names, ax=ax, curve_kwargs=curve_kwargs
        )


def _trace_roc(judged: Judged, average: Average, level: float) -> Traced:
    from sklearn.metrics import auc

    curves = roc_curves(judged, average)
    areas = np.array([auc(curve.x, curve.y) for curve in curves])
    if average == "pooled":
        return Traced(curves[0].x, curves[0].y, area=float(areas[0]))
    # Where a curve rises straight up, the height that it reaches.
    heights = np.stack([limits_of(RECALLS, curve.x, curve.y)[:, 1] for curve in curves])
    weights = _weights(judged, [curve.query for curve in curves])
    mean, interval = _mean(heights, weights, level)
    interval[-1] = 1.0  # all items are at or above the last threshold: there nothing can vary
    area = float(np.average(areas, weights=weights))
    x = np.append(0.0, RECALLS)
    y, band = np.append(0.0, mean), np.vstack((interval[:1], interval))
    return Traced(x, y, band, area)


def _trace_precision_recall(judged: Judged, average: Average, level: float) -> Traced:
    curves = precision_recall_curves(judged, average)
    if average == "pooled":
        # Without the point that scikit-learn adds at recall 0, which no threshold gives.
        return Traced(curves[0].x[:-1][::-1], curves[0].y[:-1][::-1])
    heights = np.stack([interpolated(RECALLS[::-1], curve.y, curve.x)[::-1] for curve in curves])
    mean, interval = _mean(heights, _weights(judged, [curve.query for curve in curves]), level)
    return Traced(RECALLS, mean, interval)


def _weights(judged: Judged, queries: list[int]) -> FloatArray | None:
    return None if judged.weights is None else judged.weights[queries]


def _mean(
    heights: FloatArray, weights: FloatArray | None, level: float
) -> tuple[FloatArray, FloatArray]:
    """(n_points,) means over queries, and (n_points, 2) intervals."""
    intervals = [
        mean_confidence_interval(column, weights=weights, bounds=(0.0, 1.0), level=level)
        for column in heights.T
    ]
    return np.average(heights, axis=0, weights=weights), np.array(intervals)


def _read_curves(
    x: Sequence[Any], y: Sequence[Any], intervals: Sequence[Any] | None, names: tuple[str, str]
) -> list[tuple[FloatArray, FloatArray, FloatArray | None]]:
    check_same_length(names[0], len(x), names[1], len(y))
    bands: Sequence[Any] = [None] * len(x) if intervals is None else intervals
    check_same_length(names[0], len(x), "intervals", len(bands))
    curves = []
    for first, second, band in zip(x, y, bands, strict=True):
        points = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
        check_same_length(names[0], len(points[0]), names[1], len(points[1]))
        interval = None if band is None else np.asarray(band, dtype=np.float64)
        if interval is not None and interval.shape != (len(points[0]), 2):
            msg = f"intervals holds an array of shape {interval.shape}, not (n_points, 2)"
            raise ValueError(msg)
        curves.append((*points, interval))
    return curves


class RankingRocCurveDisplay(_CurveDisplay):
    """Receiver operating characteristic of rankings, pooled or averaged over queries.

    Make one with ``from_evaluation``, ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    fpr, tpr : list of array-like of shape (n_points,)
        False and true positive rates in [0, 1], as of :func:`ranking_roc_curve`.
    intervals : list of array-like of shape (n_points, 2), default=None
        Lower and upper ends of the intervals of the true positive rates.
    areas : list of float, default=None
        Areas under the curves, for their names.
    names : list of str, default=None
        Names of the systems.

    Attributes
    ----------
    lines_, bands_ : list of matplotlib.lines.Line2D, list of PolyCollection
        A line per curve, and a band per curve that has an interval, after ``plot``.
    chance_level_ : matplotlib.lines.Line2D
        What a random order gives.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where they were drawn.

    References
    ----------
    .. [1] Fawcett, An Introduction to ROC Analysis, 2006 (vertical averaging).

    Examples
    --------
    >>> from sklearn_rank import RankingRocCurveDisplay
    >>> shown = RankingRocCurveDisplay.from_predictions(
    ...     [1, 0, 1, 0], [4, 3, 2, 1], groups=[0, 0, 1, 1]
    ... )
    >>> shown.areas
    [0.75]
    """

    _x_name = "False positive rate"
    _y_name = "True positive rate"
    _trace = staticmethod(_trace_roc)

    def __init__(
        self,
        *,
        fpr: Sequence[Any],
        tpr: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        areas: Sequence[float] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        curves = _read_curves(fpr, tpr, intervals, ("fpr", "tpr"))
        known: Sequence[float | None] = [None] * len(curves) if areas is None else areas
        check_same_length("fpr", len(curves), "areas", len(known))
        traced = [Traced(*curve, area) for curve, area in zip(curves, known, strict=True)]
        super().__init__(traced, names)

    @property
    def fpr(self) -> list[FloatArray]:
        """False positive rates of each curve."""
        return [curve.x for curve in self._curves]

    @property
    def tpr(self) -> list[FloatArray]:
        """True positive rates of each curve."""
        return [curve.y for curve in self._curves]

    @property
    def areas(self) -> list[float | None]:
        """Area under each curve; averaged over queries, the mean of theirs."""
        return [curve.area for curve in self._curves]

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        """All curves end in one point, so that names stand in the corner below chance."""
        chance = {"color": ink_of(ax), "linewidth": 0.8, "linestyle": ":"}
        (self.chance_level_,) = ax.plot([0, 1], [0, 1], label="random order", **chance)
        known = [] if names is None else list(names)
        set_names(self.lines_, [self._named(*pair) for pair in enumerate(known)])
        handles = self.lines_[: len(known)]
        if handles:
            add_legend(ax, handles, loc="lower right")

    def _named(self, number: int, name: str) -> str:
        area = self._curves[number].area
        return name if area is None else f"{name} (AUC {area:.3f})"


class RankingPrecisionRecallCurveDisplay(_CurveDisplay):
    """Precision against recall of rankings, pooled or interpolated and averaged over queries.

    Make one with ``from_evaluation``, ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    precision, recall : list of array-like of shape (n_points,)
        In [0, 1], as of :func:`ranking_precision_recall_curve`.
    intervals : list of array-like of shape (n_points, 2), default=None
        Lower and upper ends of the intervals of the precision.
    names : list of str, default=None
        Names of the systems.

    Attributes
    ----------
    lines_, bands_ : list of matplotlib.lines.Line2D, list of PolyCollection
        A line per curve, and a band per curve that has an interval, after ``plot``.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where they were drawn.

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

    _x_name = "Recall"
    _y_name = "Precision"
    _trace = staticmethod(_trace_precision_recall)

    def __init__(
        self,
        *,
        precision: Sequence[Any],
        recall: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        curves = _read_curves(recall, precision, intervals, ("recall", "precision"))
        super().__init__([Traced(*curve) for curve in curves], names)

    @property
    def precision(self) -> list[FloatArray]:
        """Precision of each curve."""
        return [curve.y for curve in self._curves]

    @property
    def recall(self) -> list[FloatArray]:
        """Recall of each curve."""
        return [curve.x for curve in self._curves]
