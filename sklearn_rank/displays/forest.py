"""Means with their intervals, a row for each: slices, measures or systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.displays.base import Display
from sklearn_rank.displays.labels import add_legend, set_names, shown_name
from sklearn_rank.displays.style import canvas, ink_of, series_style
from sklearn_rank.displays.systems import (
    check_names,
    measure_of,
    read_systems,
    spelling_in,
    with_measure,
)
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.text import safe_text
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

__all__ = ["ForestDisplay"]

OWNER = "ForestDisplay"
ALL = "all queries"

_ROW, _SERIES, _EDGES = 0.22, 0.14, 1.1
"""Inches of a row, of each further system in it, and of what is above and below the rows."""


class ForestDisplay(Display):
    """Means with their intervals, a row for each slice, measure or system.

    Make one with :meth:`from_evaluation` or :meth:`from_comparison`.

    Parameters
    ----------
    rows : list of str
        Labels of the rows, from the top down.
    values : list of array-like of shape (n_rows,)
        Means, a series (system) per element; NaN where a row has none.
    intervals : list of array-like of shape (n_rows, 2)
        Lower and upper ends; NaN where there is no interval.
    label : str, default="mean"
        What is shown, for the axis.
    reference : float, default=None
        Where a line is drawn to compare with: the mean of all queries, or no difference.
    filled : list of array-like of bool of shape (n_rows,), default=None
        Which means have a filled mark, such as significant differences; None: all.
    names : list of str, default=None
        Names of the series.

    Attributes
    ----------
    bars_ : list of matplotlib.container.ErrorbarContainer
        Intervals of each series, after :meth:`plot`.
    marks_ : list of matplotlib.collections.PathCollection
        Means of each series.
    reference_ : matplotlib.lines.Line2D or None
        The line to compare with.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where they were drawn.

    Raises
    ------
    ValueError
        If a series has not one value, interval and mark for each row.
    ImportError
        If Matplotlib is not installed, when plotting.

    Examples
    --------
    >>> from sklearn_rank import ForestDisplay, evaluate
    >>> ev = evaluate({"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["c", "b"]}, "mrr")
    >>> shown = ForestDisplay.from_evaluation(ev, slices={"q1": "head", "q2": "tail"})
    >>> shown.rows, shown.values[0].tolist()
    (['all queries (2)', 'head (1)', 'tail (1)'], [0.75, 1.0, 0.5])
    """

    def __init__(
        self,
        *,
        rows: Sequence[str],
        values: Sequence[Any],
        intervals: Sequence[Any],
        label: str = "mean",
        reference: float | None = None,
        filled: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        count = len(rows)
        self.rows = [str(row) for row in rows]
        self.values = _read("values", values, (count,))
        self.intervals = _read("intervals", intervals, (count, 2))
        marks = [np.ones(count, dtype=bool)] * len(self.values) if filled is None else filled
        self.filled = [np.asarray(of_series, dtype=bool) for of_series in marks]
        for name, arrays in (("intervals", self.intervals), ("filled", self.filled)):
            if [len(array) for array in arrays] != [count] * len(self.values):
                msg = f"{name} must hold one array of {count} rows for each of the values"
                raise ValueError(msg)
        self.label, self.reference = label, reference
        self.names = check_names(names, len(self.values))

    def plot(self, ax: Axes | None = None, *, names: Sequence[str] | None = None) -> ForestDisplay:
        """Draw the rows.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a figure as high as the rows need.
        names : list of str, default=None
            Names of the series; None takes those of the display.

        Returns
        -------
        display : ForestDisplay
            This object, with ``bars_``, ``marks_``, ``reference_``, ``ax_`` and ``figure_``.
        """
        shown = self.names if names is None else check_names(names, len(self.values))
        row = _ROW + _SERIES * (len(self.values) - 1)
        with canvas(ax, OWNER, (6.4, max(_EDGES + row * len(self.rows), 1.8))) as ax:
            self.bars_: list[ErrorbarContainer] = []
            self.marks_: list[Any] = []
            self.reference_: Line2D | None = None
            if self.reference is not None:
                line = {"color": ink_of(ax), "linewidth": 0.9, "linestyle": "--", "zorder": 1}
                self.reference_ = ax.axvline(self.reference, **line)
            for number in range(len(self.values)):
                self._draw_series(ax, number)
            ax.set_yticks(range(len(self.rows)), [safe_text(row, limit=80) for row in self.rows])
            for text in ax.get_yticklabels():
                text.set_parse_math(False)
            ax.set_ylim(len(self.rows) - 0.5, -0.5)
            ax.grid(visible=False, axis="y")
            ax.set_xlabel(self.label, parse_math=False, loc="right")
            if shown is not None:
                set_names(self.marks_, shown)
                add_legend(ax, self.marks_, "above")
            return self._drawn_on(ax)

    def _draw_series(self, ax: Axes, number: int) -> None:
        values, interval = self.values[number], self.intervals[number]
        style = series_style(number)
        # Side by side within 0.6 of a row, so that rows stay apart.
        shift = (number - (len(self.values) - 1) / 2) * 0.6 / max(len(self.values), 2)
        heights = np.arange(len(values)) + shift
        lengths = np.abs(interval.T - values)
        bars = ax.errorbar(
            values,
            heights,
            xerr=np.where(np.isnan(lengths), 0.0, lengths),
            fmt="none",
            ecolor=style["color"],
            elinewidth=1.6,
        )
        faces = [style["color"] if full else "none" for full in self.filled[number]]
        marks = ax.scatter(
            values,
            heights,
            s=30,
            marker=style["marker"],
            facecolors=faces,
            edgecolors=style["color"],
            linewidths=1.3,
            zorder=3,
        )
        self.bars_.append(bars)
        self.marks_.append(marks)

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        measure: str | Measure | None = None,
        *,
        slices: Any = None,
        level: float = 0.95,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> ForestDisplay:
        """Draw a row for each slice of the queries, or for each measure.

        Parameters
        ----------
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate`.
        measure : str or Measure, default=None
            What to show of each slice, evaluated or not; None takes the first measure. Without
            slices None takes all.
        slices : mapping, callable or str, default=None
            As in :meth:`Evaluation.by_slice`; None makes a row for each measure.
        level : float, default=0.95
            Level of the intervals over queries.
        names : list of str, default=None
            Names of the systems; None takes the keys.
        ax
            As in :meth:`plot`.

        Returns
        -------
        display : ForestDisplay
            With the rows drawn; a line shows the mean of all queries of the first system.
        """
        systems = read_systems(evaluations, names, OWNER)
        first = systems.evaluations[0]
        if slices is None:
            wanted = list(first.measures) if measure is None else [measure_of(first, measure)]
            parts: list[list[Evaluation | None]] = [
                [with_measure(one, wanted)] * len(wanted) for one in systems.evaluations
            ]
            rows, reference = [str(one) for one in wanted], None
            label = f"mean over queries, {level:.0%} interval"
        else:
            one = measure_of(first, measure)
            parts, rows = _slice_parts(systems.evaluations, one, slices)
            wanted, reference = [one] * len(rows), _value(parts[0][0], one)
            label = f"{one}, mean and {level:.0%} interval"
        display = cls(
            rows=rows,
            values=[[_value(*pair) for pair in zip(row, wanted, strict=True)] for row in parts],
            intervals=[
                [_interval(part, one, level) for part, one in zip(row, wanted, strict=True)]
                for row in parts
            ],
            label=label,
            reference=reference,
            names=systems.names,
        )
        return display.plot(ax)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        measure: str | Measure | None = None,
        *,
        slices: Any = None,
        ax: Axes | None = None,
    ) -> ForestDisplay:
        """Draw a row for each difference; marks of those that are not significant are hollow.

        Parameters
        ----------
        comparison : Comparison
            Result of :func:`compare` or :func:`compare_all`.
        measure : str or Measure, default=None
            One of its measures; None takes all, or the first with slices.
        slices : mapping, callable or str, default=None
            As in :meth:`Comparison.by_slice`: a row for each slice.
        ax
            As in :meth:`plot`.

        Returns
        -------
        display : ForestDisplay
            With the rows drawn, and a line at no difference.
        """
        if slices is not None and measure is None:
            measure = comparison.measures[0]
        wanted = None if measure is None else str(comparison.metric(measure))
        whole = {ALL: comparison}
        parts = whole if slices is None else whole | comparison.by_slice(slices)
        drawn = [
            (_row_name(comparison, row, wanted, None if slices is None else label), row)
            for label, part in parts.items()
            for row in part.rows
            if wanted is None or str(part.metric(row.measure)) == wanted
        ]
        told = "difference" if wanted is None else f"{wanted}: difference"
        of = f" from {shown_name(comparison.baseline)}" if not comparison.all_pairs else ""
        hollow = "" if all(row.significant for _, row in drawn) else "\nhollow: not significant"
        display = cls(
            rows=[name for name, _ in drawn],
            values=[[row.difference for _, row in drawn]],
            intervals=[[(row.low, row.high) for _, row in drawn]],
            label=f"{told}{of}, {comparison.level:.0%} interval{hollow}",
            reference=0.0,
            filled=[[row.significant for _, row in drawn]],
        )
        return display.plot(ax)


def _read(name: str, given: Sequence[Any], shape: tuple[int, ...]) -> list[FloatArray]:
    arrays = [np.asarray(of_series, dtype=np.float64) for of_series in given]
    for array in arrays:
        if array.shape != shape:
            msg = f"{name} holds an array of shape {array.shape}; for these rows it is {shape}"
            raise ValueError(msg)
    return arrays


def _slice_parts(
    evaluations: Sequence[Evaluation], measure: Measure, slices: Any
) -> tuple[list[list[Evaluation | None]], list[str]]:
    """For each system the evaluation of each row (None: it has no such queries), and the rows."""
    wholes = [with_measure(evaluation, [measure]) for evaluation in evaluations]
    sliced = [whole.by_slice(slices) for whole in wholes]
    labels = list(dict.fromkeys(label for parts in sliced for label in parts))
    parts: list[list[Evaluation | None]] = [
        [whole, *(of_system.get(label) for label in labels)]
        for whole, of_system in zip(wholes, sliced, strict=True)
    ]
    counts = [
        max(len(part.query_ids) for part in column if part) for column in zip(*parts, strict=True)
    ]
    names = [ALL, *map(str, labels)]
    return parts, [
        f"{shown_name(name)} ({count:,})" for name, count in zip(names, counts, strict=True)
    ]


def _value(part: Evaluation | None, measure: Measure) -> float:
    return np.nan if part is None else part[spelling_in(part, measure)]


def _interval(part: Evaluation | None, measure: Measure, level: float) -> tuple[float, float]:
    if part is None or measure.is_pooled:
        return np.nan, np.nan
    return part.confidence_interval(spelling_in(part, measure), level)


def _row_name(comparison: Comparison, row: Any, measure: str | None, label: Any) -> str:
    """What tells a difference from the others of the picture."""
    told = [] if label is None else [f"{shown_name(label)} ({row.queries:,})"]
    if measure is None and len(comparison.measures) > 1:
        told.append(row.measure)
    if comparison.all_pairs:
        told.append(f"{row.system} - {row.baseline}")
    elif len(comparison.others) > 1 or not told:
        told.append(row.system)
    return ", ".join(told)
