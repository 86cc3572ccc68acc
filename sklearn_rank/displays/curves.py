"""ROC and precision-recall curves of rankings: pooled, or averaged over queries with a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from sklearn_rank.displays.labels import add_legend, set_names
from sklearn_rank.displays.lines import Styles, SystemLines, draw_band
from sklearn_rank.displays.style import series_style, text_color
from sklearn_rank.displays.systems import check_names, read_systems
from sklearn_rank.evaluation.evaluate import whole_of
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.metrics.curves import (
    RECALLS,
    interpolated,
    limits_of,
    precision_recall_curves,
    roc_curves,
)
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.statistics import mean_confidence_interval
from sklearn_rank.support.checks import check_option, check_same_length
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

__all__ = ["RankingPrecisionRecallCurveDisplay", "RankingRocCurveDisplay"]

Average = Literal["pooled", "macro"]


@dataclass(frozen=True)
class Curve:
    """One curve; the interval is of shape (n_points, 2), or there is none."""

    x: FloatArray
    y: FloatArray
    interval: FloatArray | None = None
    area: float | None = None


def trace_roc(judged: RankingData, average: Average, level: float) -> Curve:
    """True against false positive rate; averaged, the mean height at each false positive rate."""
    from sklearn.metrics import auc

    curves = roc_curves(judged, average)
    areas = np.array([auc(curve.x, curve.y) for curve in curves])
    if average == "pooled":
        return Curve(curves[0].x, curves[0].y, area=float(areas[0]))
    # Where a curve rises straight up, the height that it reaches.
    heights = np.stack([limits_of(RECALLS, curve.x, curve.y)[:, 1] for curve in curves])
    weights = _weights(judged, [curve.query for curve in curves])
    mean, interval = _mean(heights, weights, level)
    interval[-1] = 1.0  # all items are at or above the last threshold: there nothing can vary
    area = float(np.average(areas, weights=weights))
    x = np.append(0.0, RECALLS)
    y, band = np.append(0.0, mean), np.vstack((interval[:1], interval))
    return Curve(x, y, band, area)


def trace_precision_recall(judged: RankingData, average: Average, level: float) -> Curve:
    """Precision against recall; averaged, the mean of the interpolated precisions."""
    curves = precision_recall_curves(judged, average)
    if average == "pooled":
        # Without the point that scikit-learn adds at recall 0, which no threshold gives.
        return Curve(curves[0].x[:-1][::-1], curves[0].y[:-1][::-1])
    heights = np.stack([interpolated(RECALLS[::-1], curve.y, curve.x)[::-1] for curve in curves])
    mean, interval = _mean(heights, _weights(judged, [curve.query for curve in curves]), level)
    return Curve(RECALLS, mean, interval)


def _weights(judged: RankingData, queries: list[int]) -> FloatArray | None:
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
    names: tuple[str, str], x: Sequence[Any], y: Sequence[Any], intervals: Sequence[Any] | None
) -> list[Curve]:
    """Curves from the arrays of a caller."""
    bands: Sequence[Any] = [None] * len(x) if intervals is None else intervals
    check_same_length(names[0], len(x), names[1], len(y))
    check_same_length(names[0], len(x), "intervals", len(bands))
    curves = []
    for first, second, band in zip(x, y, bands, strict=True):
        points = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
        check_same_length(names[0], len(points[0]), names[1], len(points[1]))
        interval = None if band is None else np.asarray(band, dtype=np.float64)
        if interval is not None and interval.shape != (len(points[0]), 2):
            msg = f"intervals holds an array of shape {interval.shape}, not (n_points, 2)"
            raise ValueError(msg)
        curves.append(Curve(*points, interval))
    return curves


class _CurveDisplay(SystemLines):
    """Base of both displays of curves."""

    _SIZE = (4.8, 4.4)  # nearly square: both axes are shares
    _ZERO_DIVISION = np.nan
    _AXES: ClassVar[tuple[str, str]]

    @staticmethod
    def _trace(judged: RankingData, average: Average, level: float) -> Curve:
        """Curve of one system."""
        raise NotImplementedError

    def __init__(self, curves: Sequence[Curve], names: Sequence[str] | None) -> None:
        self._curves = list(curves)
        self.names = check_names(names, len(self._curves))

    def _count(self) -> int:
        return len(self._curves)

    def _draw(self, ax: Axes, styles: Sequence[Mapping[str, Any]]) -> None:
        self.lines_: list[Line2D] = []
        self.bands_: list[PolyCollection] = []
        for number, curve in enumerate(self._curves):
            # Markers that start at other places stay apart where curves meet.
            apart = {"markevery": (0.04 + 0.05 * (number % 4), 0.2)}
            style = {**series_style(number), **apart, **styles[number]}
            (line,) = ax.plot(curve.x, curve.y, **style)
            self.lines_.append(line)
            if curve.interval is not None:
                self.bands_.append(draw_band(ax, line, curve.x, curve.interval))
        ax.set(xlabel=self._AXES[0], ylabel=self._AXES[1])
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.03))

    @classmethod
    def _measures(cls, **_: Any) -> tuple[Sequence[str | Measure], str]:
        return ["map"], "the curve"

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        *,
        average: Average = "pooled",
        level: float = 0.95,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the curve of each system.

        Parameters
        ----------
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate` by any measures.
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
        InvalidParameterError
            If ``average="pooled"`` and scores do not compare across queries.
        UndefinedMetricError
            If no query has a curve.
        """
        check_option(average, "average", ("pooled", "macro"), cls.__name__)
        systems, shown = read_systems(evaluations, names, cls.__name__)
        curves = [cls._trace(whole_of(one), average, level) for one in systems]
        display = cls.__new__(cls)
        _CurveDisplay.__init__(display, curves, shown)
        return display.plot(ax, curve_kwargs=curve_kwargs)


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

    _AXES = ("False positive rate", "True positive rate")
    _trace = staticmethod(trace_roc)

    def __init__(
        self,
        *,
        fpr: Sequence[Any],
        tpr: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        areas: Sequence[float] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        curves = _read_curves(("fpr", "tpr"), fpr, tpr, intervals)
        if areas is not None:
            check_same_length("fpr", len(curves), "areas", len(areas))
            pairs = zip(curves, areas, strict=True)
            curves = [replace(curve, area=area) for curve, area in pairs]
        super().__init__(curves, names)

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

    def _name(self, ax: Axes, names: Sequence[str] | None) -> None:
        """All curves end in one point, so that names stand in the corner below chance."""
        chance = {"color": text_color(ax), "linewidth": 0.8, "linestyle": ":"}
        (self.chance_level_,) = ax.plot([0, 1], [0, 1], label="random order", **chance)
        areas = ["" if area is None else f"AUC {area:.3f}" for area in self.areas]
        if names is None and len(areas) > 1:
            return
        texts = areas
        if names is not None:
            pairs = zip(names, areas, strict=True)
            texts = [f"{name} ({area})" if area else name for name, area in pairs]
        if any(texts):
            set_names(self.lines_, texts)
            add_legend(ax, self.lines_, loc="lower right")


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
    _trace = staticmethod(trace_precision_recall)

    def __init__(
        self,
        *,
        precision: Sequence[Any],
        recall: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(_read_curves(("recall", "precision"), recall, precision, intervals), names)

    @property
    def precision(self) -> list[FloatArray]:
        """Precision of each curve."""
        return [curve.y for curve in self._curves]

    @property
    def recall(self) -> list[FloatArray]:
        """Recall of each curve."""
        return [curve.x for curve in self._curves]
