"""A measure of the first k ranks, for several k and systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.displays.labels import name_lines
from sklearn_rank.displays.named_curves import NamedCurves
from sklearn_rank.displays.style import series_style
from sklearn_rank.displays.systems import (
    check_cutoffs,
    check_names,
    measure_of,
    read_systems,
    spelling_in,
    with_measure,
)
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.model_selection.estimated import (
    display_options,
    evaluation_of_estimator,
    evaluation_of_rankings,
)
from sklearn_rank.support.arrays import check_same_length
from sklearn_rank.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

__all__ = ["MeasureAtKDisplay"]

OWNER = "MeasureAtKDisplay"


class MeasureAtKDisplay(NamedCurves):
    """A measure of the first k ranks against k, with intervals over queries.

    Make one with :meth:`from_evaluation`, :meth:`from_predictions` or :meth:`from_estimator`.

    Parameters
    ----------
    k : array-like of shape (n_cutoffs,)
        The cutoffs, in ranks, rising.
    values : list of array-like of shape (n_cutoffs,)
        Mean of the measure at each cutoff, a curve per element.
    intervals : list of array-like of shape (n_cutoffs, 2), default=None
        Lower and upper end of the interval at each cutoff; NaN where there is none.
    measure : str, default="measure"
        What is shown, for the axis.
    level : float, default=0.95
        Level of the intervals, for the axis.
    names : list of str, default=None
        Names of the systems.

    Attributes
    ----------
    lines_ : list of matplotlib.lines.Line2D
        A line per curve, after :meth:`plot`.
    bands_ : list of matplotlib.collections.PolyCollection
        A band per curve that has intervals.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where they were drawn.

    Raises
    ------
    ValueError
        If a curve has not one value for each cutoff, or ``names`` not one for each curve.
    ImportError
        If Matplotlib is not installed, when plotting.

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
        self.values = [np.asarray(curve, dtype=np.float64) for curve in values]
        self.intervals: list[FloatArray] | None = None
        self.names = check_names(names, len(self.values))
        self.measure, self.level = measure, level
        for curve in self.values:
            _check_shape("values", curve, self.k.shape)
        if intervals is not None:
            self.intervals = [np.asarray(band, dtype=np.float64) for band in intervals]
            check_same_length("values", len(self.values), "intervals", len(self.intervals))
            for band in self.intervals:
                _check_shape("intervals", band, (*self.k.shape, 2))

    def _count(self) -> int:
        return len(self.values)

    def _draw(self, ax: Axes, styles: Sequence[Mapping[str, Any]]) -> None:
        self.lines_: list[Line2D] = []
        self.bands_: list[PolyCollection] = []
        for number, curve in enumerate(self.values):
            style = {**series_style(number), "markevery": _mark_every(len(self.k))}
            (line,) = ax.plot(self.k, curve, **{**style, **styles[number]})
            self.lines_.append(line)
            if self.intervals is not None:
                self._draw_band(ax, line, self.intervals[number])
        _scale_cutoffs(ax, self.k)
        spoken = "" if self.intervals is None else f"\n(mean, {self.level:.0%} interval)"
        ax.set(xlabel="k, the ranks that are read", ylabel=f"{self.measure}{spoken}")

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        name_lines(ax, self.lines_, names)

    def _draw_band(self, ax: Axes, line: Line2D, band: FloatArray) -> None:
        area = ax.fill_between(
            self.k, band[:, 0], band[:, 1], color=line.get_color(), alpha=0.16, linewidth=0
        )
        self.bands_.append(area)

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
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> MeasureAtKDisplay:
        """Draw the curve of each system.

        Parameters
        ----------
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate`, of whatever measures: the rankings that they hold are
            measured anew.
        measure : str or Measure, default="ndcg"
            Measure that takes a cutoff; its parameters are those of the evaluation where that has
            the same metric.
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
            With the curves drawn.

        Raises
        ------
        InvalidParameterError
            If the measure takes no cutoff, or ``k`` is no rising cutoff.
        """
        systems = read_systems(evaluations, names, OWNER)
        cutoffs = check_cutoffs(k, OWNER)
        values, intervals = [], []
        for evaluation in systems.evaluations:
            at_cutoffs = _at_cutoffs(measure_of(evaluation, measure), cutoffs)
            measured = with_measure(evaluation, at_cutoffs)
            spellings = [spelling_in(measured, one) for one in at_cutoffs]
            values.append([measured[spelling] for spelling in spellings])
            intervals.append([measured.confidence_interval(one, level) for one in spellings])
        display = cls(
            k=cutoffs,
            values=values,
            intervals=intervals,
            measure=f"{replace(read_measure(measure), k=None)}@k",
            level=level,
            names=systems.names,
        )
        return display.plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        measure: str | Measure = "ndcg",
        *,
        k: int | Sequence[int] = 20,
        level: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **reading: Any,
    ) -> MeasureAtKDisplay:
        """Draw the curve of rankings.

        Parameters
        ----------
        y_true, y_score
            Any layout of :func:`evaluate`.
        measure, k, level
            As in :meth:`from_evaluation`.
        name : str, default=None
            Name of the system.
        ax, curve_kwargs
            As in :meth:`plot`.
        **reading
            Further arguments of :func:`evaluate`, such as ``groups``.

        Returns
        -------
        display : MeasureAtKDisplay
            With the curve drawn.
        """
        asked = read_measure(measure)
        evaluation = evaluation_of_rankings(
            y_true,
            y_score,
            _at_cutoffs(asked, check_cutoffs(k, OWNER)),
            called=str(asked.metric.name),
            **reading,
        )
        names = None if name is None else [name]
        return cls.from_evaluation(
            evaluation, asked, k=k, level=level, names=names, ax=ax, curve_kwargs=curve_kwargs
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        measure: str | Measure = "ndcg",
        *,
        groups: Any = None,
        k: int | Sequence[int] = 20,
        level: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> MeasureAtKDisplay:
        """Draw the curve of what a fitted estimator ranks.

        Parameters
        ----------
        estimator : object
            Read as scorers read it.
        X, y : array-like
            What the estimator predicts from, and the ground truth: rows, lists or a matrix.
        measure, k, level
            As in :meth:`from_evaluation`.
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, unless X or y carries it.
        name : str, default=None
            Name of the system; None takes that of the estimator's class.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            How the estimator and the data are read, as in :meth:`RankingScorer.with_options`.

        Returns
        -------
        display : MeasureAtKDisplay
            With the curve drawn.
        """
        read = display_options(options, OWNER)
        asked = read_measure(measure)
        evaluation = evaluation_of_estimator(
            estimator,
            X,
            y,
            groups,
            _at_cutoffs(asked, check_cutoffs(k, OWNER)),
            read,
            owner=OWNER,
            called=asked.metric.name,
        )
        names = [type(estimator).__name__ if name is None else name]
        return cls.from_evaluation(
            evaluation, asked, k=k, level=level, names=names, ax=ax, curve_kwargs=curve_kwargs
        )


def _check_shape(name: str, curve: FloatArray, shape: tuple[int, ...]) -> None:
    if curve.shape != shape:
        msg = f"{name} holds an array of shape {curve.shape}; for these cutoffs it is {shape}"
        raise ValueError(msg)


def _at_cutoffs(measure: Measure, cutoffs: Sequence[int]) -> list[Measure]:
    if not measure.metric.takes_k:
        msg = f"{measure.metric.name} reads the whole ranking, so that there is no curve over k"
        raise InvalidParameterError(msg)
    return [replace(measure, k=cutoff) for cutoff in cutoffs]


def _mark_every(count: int) -> int:
    """Points between markers: beyond some dozens they hide the line."""
    return max(count // 20, 1)


def _scale_cutoffs(ax: Axes, k: IntArray) -> None:
    """The first and the last cutoff are marked, and the few between that are round.

    Cutoffs such as 1, 5, 10, 100 are spread by their logarithms.
    """
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
