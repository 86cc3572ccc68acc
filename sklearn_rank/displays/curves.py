"""ROC and precision-recall curves of rankings: pooled, or averaged over queries with a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from sklearn_rank.displays.labels import add_legend, name_lines, set_names
from sklearn_rank.displays.lines import Curve, Styles, SystemLines
from sklearn_rank.displays.style import text_color
from sklearn_rank.displays.systems import check_names, read_arrays, read_systems
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
    from matplotlib.lines import Line2D

__all__ = ["RankingPrecisionRecallCurveDisplay", "RankingRocCurveDisplay"]

Average = Literal["pooled", "macro"]


class _CurveDisplay(SystemLines):
    """Base of both displays of curves."""

    _SIZE = (4.8, 4.4)  # nearly square: both axes are shares
    _ZERO_DIVISION = np.nan
    _NAMES: ClassVar[tuple[str, str]]
    """Parameters of x and y."""
    _AXES: ClassVar[tuple[str, str]]

    @staticmethod
    def _trace(judged: RankingData, average: Average, level: float) -> dict[str, Any]:
        """The curve of one system, as parameters of the display."""
        raise NotImplementedError

    def _read(
        self, x: Sequence[Any], y: Sequence[Any], intervals: Sequence[Any] | None, names: Any
    ) -> tuple[list[FloatArray], list[FloatArray]]:
        """Checked points of the curves; each has intervals or None."""
        shapes = [(len(one),) for one in x]
        first, second = (
            read_arrays(name, given, shapes)
            for name, given in zip(self._NAMES, (x, y), strict=True)
        )
        bands = [None] * len(x) if intervals is None else list(intervals)
        check_same_length(self._NAMES[0], len(x), "intervals", len(bands))
        self.intervals: list[FloatArray | None] = [
            None if band is None else read_arrays("intervals", [band], [(*shape, 2)])[0]
            for band, shape in zip(bands, shapes, strict=True)
        ]
        self.names = check_names(names, len(x))
        return first, second

    def _curves(self) -> list[Curve]:
        x, y = (getattr(self, name) for name in self._NAMES)
        # Markers that start at other places stay apart where curves meet.
        styles = [{"markevery": (0.04 + 0.05 * (number % 4), 0.2)} for number in range(len(x))]
        return list(zip(x, y, self.intervals, styles, strict=True))

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        ax.set(xlabel=self._AXES[0], ylabel=self._AXES[1], xlim=(-0.01, 1.01), ylim=(-0.01, 1.03))
        name_lines(ax, self.lines_, names)

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
        average : {"pooled", "macro"}, default="pooled"
            All items in one ranking by their scores, which then must compare across queries; or
            the mean of the curves of the queries, with an interval.
        level : float, default=0.95
            Level of the intervals over queries, at each point by itself.

        Raises
        ------
        InvalidParameterError
            If ``average="pooled"`` and scores do not compare across queries.
        UndefinedMetricError
            If no query has a curve.
        """
        check_option(average, "average", ("pooled", "macro"), cls.__name__)
        systems, shown = read_systems(evaluations, names, cls.__name__)
        traced = [cls._trace(whole_of(one), average, level) for one in systems]
        values: dict[str, Any] = {name: [one[name] for one in traced] for name in traced[0]}
        values["names"] = shown
        return cls(**values).plot(ax, curve_kwargs=curve_kwargs)


def _mean_curve(
    judged: RankingData, queries: list[int], heights: FloatArray, level: float
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """(n_points,) means over queries, (n_points, 2) intervals, and the weights of the queries."""
    weights = None if judged.weights is None else judged.weights[queries]
    intervals = [
        mean_confidence_interval(column, weights=weights, bounds=(0.0, 1.0), level=level)
        for column in heights.T
    ]
    return np.average(heights, axis=0, weights=weights), np.array(intervals), weights


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

    Attributes
    ----------
    lines_, bands_ : list of matplotlib.lines.Line2D, list of PolyCollection
        A line per curve, and a band per curve that has an interval, after ``plot``.
    areas : list of float or None
        Area under each curve; averaged over queries, the mean of theirs.
    chance_level_ : matplotlib.lines.Line2D
        The line of a random order.

    References
    ----------
    .. [1] Fawcett, An Introduction to ROC Analysis, 2006 (vertical averaging).
    """

    _NAMES = ("fpr", "tpr")
    _AXES = ("False positive rate", "True positive rate")

    def __init__(
        self,
        *,
        fpr: Sequence[Any],
        tpr: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        areas: Sequence[float | None] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.fpr, self.tpr = self._read(fpr, tpr, intervals, names)
        self.areas = [None] * len(fpr) if areas is None else list(areas)
        check_same_length("fpr", len(self.fpr), "areas", len(self.areas))

    @staticmethod
    def _trace(judged: RankingData, average: Average, level: float) -> dict[str, Any]:
        """True against false positive rate; averaged, the mean height at each."""
        from sklearn.metrics import auc

        curves = roc_curves(judged, average)
        areas = np.array([auc(curve.x, curve.y) for curve in curves])
        if average == "pooled":
            x, y = curves[0].x, curves[0].y
            return {"fpr": x, "tpr": y, "intervals": None, "areas": float(areas[0])}
        # Where a curve rises straight up, the height that it reaches.
        heights = np.stack([limits_of(RECALLS, curve.x, curve.y)[:, 1] for curve in curves])
        mean, band, weights = _mean_curve(judged, [c.query for c in curves], heights, level)
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
        texts = ["" if area is None else f"AUC {area:.3f}" for area in self.areas]
        if names is not None:
            pairs = zip(names, texts, strict=True)
            texts = [f"{name} ({area})" if area else name for name, area in pairs]
        elif len(texts) > 1:
            return
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

    _NAMES = ("recall", "precision")
    _AXES = ("Recall", "Precision")

    def __init__(
        self,
        *,
        precision: Sequence[Any],
        recall: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.recall, self.precision = self._read(recall, precision, intervals, names)

    @staticmethod
    def _trace(judged: RankingData, average: Average, level: float) -> dict[str, Any]:
        """Precision against recall; averaged, the mean of the interpolated precisions."""
        curves = precision_recall_curves(judged, average)
        if average == "pooled":
            # Without the point that scikit-learn adds at recall 0, which no threshold gives.
            recall, precision = (axis[:-1][::-1] for axis in (curves[0].x, curves[0].y))
            return {"recall": recall, "precision": precision, "intervals": None}
        grid = RECALLS[::-1]
        heights = np.stack([interpolated(grid, curve.y, curve.x)[::-1] for curve in curves])
        mean, band, _ = _mean_curve(judged, [curve.query for curve in curves], heights, level)
        return {"recall": RECALLS, "precision": mean, "intervals": band}
