"""ROC and precision-recall curves of rankings: pooled, or averaged over queries with a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sklearn_rank.displays.labels import add_legend, name_lines, set_names
from sklearn_rank.displays.named_curves import NamedCurves
from sklearn_rank.displays.style import ink_of, series_style
from sklearn_rank.displays.systems import check_names, read_systems
from sklearn_rank.displays.traces import (
    Average,
    Traced,
    read_curves,
    trace_precision_recall,
    trace_roc,
)
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.further import whole_of
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.model_selection.estimated import display_options, evaluation_of_estimator
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.arrays import check_same_length
from sklearn_rank.support.parameters import check_option
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

__all__ = ["RankingPrecisionRecallCurveDisplay", "RankingRocCurveDisplay"]


class _CurveDisplay(NamedCurves):
    """What both displays of curves share."""

    _SIZE = (4.8, 4.4)
    """Nearly square: both axes are shares."""
    _x_name: ClassVar[str]
    _y_name: ClassVar[str]

    @staticmethod
    def _trace(judged: RankingData, average: Average, level: float) -> Traced:
        """The curve of one system."""
        raise NotImplementedError

    def __init__(self, curves: Sequence[Traced], names: Sequence[str] | None) -> None:
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
                band = ax.fill_between(
                    curve.x, *curve.interval.T, color=line.get_color(), alpha=0.16, linewidth=0
                )
                self.bands_.append(band)
        ax.set(xlabel=self._x_name, ylabel=self._y_name)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.03))

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
        InvalidParameterError
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
        curves = read_curves(fpr, tpr, intervals, ("fpr", "tpr"))
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
    _trace = staticmethod(trace_precision_recall)

    def __init__(
        self,
        *,
        precision: Sequence[Any],
        recall: Sequence[Any],
        intervals: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        curves = read_curves(recall, precision, intervals, ("recall", "precision"))
        super().__init__([Traced(*curve) for curve in curves], names)

    @property
    def precision(self) -> list[FloatArray]:
        """Precision of each curve."""
        return [curve.y for curve in self._curves]

    @property
    def recall(self) -> list[FloatArray]:
        """Recall of each curve."""
        return [curve.x for curve in self._curves]
