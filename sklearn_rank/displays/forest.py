"""Means with their intervals, a row for each: slices, measures or systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.differences import Difference
from sklearn_rank.comparison.result import Comparison
from sklearn_rank.displays.base import (
    Display,
    add_legend,
    measure_of,
    measured_by,
    read_systems,
    series_style,
    set_names,
    shown_name,
    text_color,
)
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.text import safe_text

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

_ALL = "all queries"
_ROW, _SERIES, _EDGES = 0.22, 0.14, 1.1
"""Inches of a row, of each further system in it, and of the space above and below the rows."""


class ForestDisplay(Display):
    """Means with their intervals, a row for each slice, measure or system.

    A series (system) is an element of ``values`` (means, NaN where a row has none), ``intervals``
    and ``filled``, whose marks are hollow where it is False.

    Attributes
    ----------
    bars_ : list of matplotlib.container.ErrorbarContainer
        Intervals of each series, after :meth:`plot`.
    marks_ : list of matplotlib.collections.PathCollection
        Means of each series.
    reference_ : matplotlib.lines.Line2D or None
        The line to compare with.
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
        self.rows, self.label, self.reference = list(rows), label, reference
        self.values = [np.asarray(means, dtype=np.float64) for means in values]
        self.intervals = [np.asarray(ends, dtype=np.float64) for ends in intervals]
        self.filled = [[True] * len(rows)] * len(values) if filled is None else filled
        self.names = None if names is None else list(names)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the rows; a new figure is as high as they need."""
        count = len(self.values)
        height = max(_EDGES + (_ROW + _SERIES * (count - 1)) * len(self.rows), 1.8)
        with self._canvas(ax, (6.4, height)) as ax:
            self.bars_: list[ErrorbarContainer] = []
            self.marks_: list[Any] = []
            self.reference_: Line2D | None = None
            if self.reference is not None:
                line = {"color": text_color(ax), "linewidth": 0.9, "linestyle": "--", "zorder": 1}
                self.reference_ = ax.axvline(self.reference, **line)
            for number, values in enumerate(self.values):
                # Side by side within 0.6 of a row, so that rows stay apart.
                heights = np.arange(len(values)) + (number - (count - 1) / 2) * 0.6 / max(count, 2)
                style = series_style(number)
                color = style["color"]
                lengths = np.nan_to_num(np.abs(self.intervals[number].T - values), posinf=np.inf)
                look = {"fmt": "none", "ecolor": color, "elinewidth": 1.6}
                self.bars_.append(ax.errorbar(values, heights, xerr=lengths, **look))
                faces = [color if full else "none" for full in self.filled[number]]
                mark: Any = {"s": 30, "marker": style["marker"], "linewidths": 1.3, "zorder": 3}
                self.marks_.append(
                    ax.scatter(values, heights, facecolors=faces, edgecolors=color, **mark)
                )
            ax.set_yticks(range(len(self.rows)), [safe_text(row, limit=80) for row in self.rows])
            for text in ax.get_yticklabels():
                text.set_parse_math(False)
            ax.set_ylim(len(self.rows) - 0.5, -0.5)
            ax.grid(visible=False, axis="y")
            ax.set_xlabel(self.label, parse_math=False, loc="right")
            if self.names is not None:
                set_names(self.marks_, self.names)
                add_legend(ax, self.marks_, "above")
        return self

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        measure: str | Measure | None = None,
        *,
        slices: Any = None,
        confidence_level: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a row for each slice of the queries, or for each measure.

        A line shows the mean of all queries of the first system.
        """
        systems, shown = read_systems(evaluations, cls.__name__)
        wanted = list(systems[0].measures)
        if slices is not None or measure is not None:
            wanted = [measure_of(systems[0], measure)]
        measured = [measured_by(system, wanted) for system in systems]
        if slices is None:
            rows = [str(one) for one in wanted]
            cells = [
                [_mean(system, one, confidence_level) for one in wanted] for system in measured
            ]
            label = f"mean over queries, {confidence_level:.0%} interval"
        else:
            parts = [{_ALL: system, **system.by_slice(slices)} for system in measured]
            labels = list(dict.fromkeys(label for group in parts for label in group))
            counts = [
                max(len(group[at].query_ids) for group in parts if at in group) for at in labels
            ]
            rows = [f"{shown_name(at)} ({n:,})" for at, n in zip(labels, counts, strict=True)]
            cells = [
                [_mean(group.get(at), wanted[0], confidence_level) for at in labels]
                for group in parts
            ]
            label = f"{wanted[0]}, mean and {confidence_level:.0%} interval"
        means = np.array(cells)
        reference = None if slices is None else cells[0][0][0]
        data: Any = {"values": list(means[..., 0]), "intervals": list(means[..., 1:])}
        return cls(rows=rows, **data, label=label, reference=reference, names=shown).plot(ax)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        measure: str | Measure | None = None,
        *,
        slices: Any = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a row for each difference, and a line at none; hollow marks are not significant."""
        if slices is not None and measure is None:
            measure = comparison.measures[0]
        wanted = None if measure is None else str(comparison.metric(measure))
        parts: dict[Any, Comparison] = {_ALL: comparison}
        if slices is not None:  # one family of tests
            whole, by_label = comparison._sliced(slices)
            parts = {_ALL: whole, **by_label}
        has_rows = slices is not None or (measure is None and len(comparison.measures) > 1)
        systems = [*comparison.others] if has_rows and not comparison.all_pairs else [""]
        cells: dict[str, dict[str, Difference]] = {}
        for label, part in parts.items():
            for row in part.rows:
                if wanted is not None and str(part.metric(row.measure)) != wanted:
                    continue
                # What differs between the rows; systems differ in colour if something else does.
                name = [] if slices is None else [f"{shown_name(label)} ({row.queries:,})"]
                if measure is None and len(comparison.measures) > 1:
                    name.append(row.measure)
                if comparison.all_pairs:
                    name.append(f"{row.system} - {row.baseline}")
                elif not has_rows:
                    name.append(row.system)
                cells.setdefault(", ".join(name), {})[row.system if systems[0] else ""] = row
        what = "difference" if wanted is None else f"{wanted}: difference"
        of = "" if comparison.all_pairs else f" from {shown_name(comparison.baseline)}"
        series = [[group[system] for group in cells.values()] for system in systems]
        all_filled = all(row.significant for rows in series for row in rows)
        display = cls(
            rows=list(cells),
            values=[[row.difference for row in rows] for rows in series],
            intervals=[[(row.low, row.high) for row in rows] for rows in series],
            label=f"{what}{of}, {comparison.level:.0%} interval"
            + ("" if all_filled else "\nhollow: not significant"),
            reference=0.0,
            filled=[[row.significant for row in rows] for rows in series],
            names=systems if len(systems) > 1 else None,
        )
        return display.plot(ax)


def _mean(
    part: Evaluation | None, measure: Measure, confidence_level: float
) -> tuple[float, float, float]:
    """Mean and interval of a measure; a pooled one has no interval."""
    if part is None:
        return np.nan, np.nan, np.nan
    ends = (
        (np.nan, np.nan)
        if measure.is_pooled
        else part.confidence_interval(measure, confidence_level)
    )
    return (part[measure], *ends)
