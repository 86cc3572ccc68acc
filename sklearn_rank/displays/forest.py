"""Means with their intervals, a row for each: slices, measures or systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.displays.labels import add_legend, set_names, shown_name
from sklearn_rank.displays.style import Display, canvas, series_style, text_color
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
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

__all__ = ["ForestDisplay"]

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

    Raises
    ------
    ValueError
        If a series has not one value, interval and mark for each row.

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

    def plot(self, ax: Axes | None = None, *, names: Sequence[str] | None = None) -> Self:
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
        size = (6.4, max(_EDGES + row * len(self.rows), 1.8))
        with canvas(ax, type(self).__name__, size) as ax:
            self.bars_: list[ErrorbarContainer] = []
            self.marks_: list[Any] = []
            self.reference_: Line2D | None = None
            if self.reference is not None:
                line = {"color": text_color(ax), "linewidth": 0.9, "linestyle": "--", "zorder": 1}
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
        values, style = self.values[number], series_style(number)
        # Side by side within 0.6 of a row, so that rows stay apart.
        shift = (number - (len(self.values) - 1) / 2) * 0.6 / max(len(self.values), 2)
        heights, color = np.arange(len(values)) + shift, style["color"]
        lengths = np.nan_to_num(np.abs(self.intervals[number].T - values), posinf=np.inf)
        bars = ax.errorbar(values, heights, xerr=lengths, fmt="none", ecolor=color, elinewidth=1.6)
        marks = ax.scatter(
            values,
            heights,
            s=30,
            marker=style["marker"],
            facecolors=[color if full else "none" for full in self.filled[number]],
            edgecolors=color,
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
    ) -> Self:
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
        systems, shown = read_systems(evaluations, names, cls.__name__)
        reference = None
        if slices is None:
            wanted = [measure_of(systems[0], measure)] if measure else list(systems[0].measures)
            rows = [str(one) for one in wanted]
            parts: list[list[Evaluation | None]]
            parts = [[with_measure(one, wanted)] * len(wanted) for one in systems]
            label = f"mean over queries, {level:.0%} interval"
        else:
            one = measure_of(systems[0], measure)
            rows, parts = _slice_rows([with_measure(system, [one]) for system in systems], slices)
            wanted = [one] * len(rows)
            reference = _mean(parts[0][0], one, level)[0]
            label = f"{one}, mean and {level:.0%} interval"
        means = [
            np.array([_mean(*pair, level) for pair in zip(row, wanted, strict=True)])
            for row in parts
        ]
        display = cls(
            rows=rows,
            values=[of_system[:, 0] for of_system in means],
            intervals=[of_system[:, 1:] for of_system in means],
            label=label,
            reference=reference,
            names=shown,
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
    ) -> Self:
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


def _slice_rows(
    systems: Sequence[Evaluation], slices: Any
) -> tuple[list[str], list[list[Evaluation | None]]]:
    """Labels of the rows, and per system an evaluation for each row; None without such queries."""
    sliced = [{ALL: system, **system.by_slice(slices)} for system in systems]
    labels = list(dict.fromkeys(label for parts in sliced for label in parts))
    rows = []
    for label in labels:
        count = max(len(parts[label].query_ids) for parts in sliced if label in parts)
        rows.append(f"{shown_name(label)} ({count:,})")
    return rows, [[parts.get(label) for label in labels] for parts in sliced]


def _mean(part: Evaluation | None, measure: Measure, level: float) -> tuple[float, float, float]:
    """Mean and interval of a measure; a pooled one has no interval."""
    if part is None:
        return np.nan, np.nan, np.nan
    spelling = spelling_in(part, measure)
    ends = (np.nan, np.nan) if measure.is_pooled else part.confidence_interval(spelling, level)
    return (part[spelling], *ends)


def _row_name(comparison: Comparison, row: Any, measure: str | None, label: Any) -> str:
    """Label of a difference: what differs between the rows."""
    told = [] if label is None else [f"{shown_name(label)} ({row.queries:,})"]
    if measure is None and len(comparison.measures) > 1:
        told.append(row.measure)
    if comparison.all_pairs:
        told.append(f"{row.system} - {row.baseline}")
    elif len(comparison.others) > 1 or not told:
        told.append(row.system)
    return ", ".join(told)
