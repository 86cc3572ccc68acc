"""Differences of two systems, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.evaluation.base import QueryText, text_function
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.checks import check_integer
from sklearn_rank.typing import FloatArray, IntArray
from sklearn_rank.view.lines import Display, shown_name

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.text import Text

_MOST_ROWS = 600
"""More rows than pixels add nothing, and make pictures of megabytes."""


@dataclass(kw_only=True, eq=False, repr=False)
class QueryDifferencesDisplay(Display):
    """Sorted differences between two systems per query; the extremes are named.

    ``differences`` are the second system's values minus the first's, in the order of ``names``; NaN
    (undefined) is left out.

    Attributes
    ----------
    order_ : ndarray of shape (n_defined,)
        Numbers of the queries from bottom to top, after :meth:`plot`.
    better_, worse_ : matplotlib.collections.PolyCollection
        Areas of the queries that got better and worse.
    labels_ : list of matplotlib.text.Text
        Names and differences of the best queries, and of the worst, one query per line.
    """

    differences: Any
    query_ids: Sequence[Any]
    measure: str = "measure"
    greater_is_better: bool = True
    names: tuple[str, str] = ("baseline", "new")
    query_text: QueryText = None

    def plot(self, ax: Axes | None = None, *, n_named: int = 5) -> Self:
        """Draw the differences."""
        n_named = check_integer(n_named, "n_named", type(self).__name__, at_least=0)
        differences = np.asarray(self.differences, dtype=np.float64)
        defined = np.flatnonzero(~np.isnan(differences))
        gains = differences if self.greater_is_better else -differences
        self.order_: IntArray = defined[np.argsort(gains[defined], kind="stable")]
        values, gains = differences[self.order_], gains[self.order_]
        ax = self._axes(ax)
        self.better_: PolyCollection = self._area(ax, values, np.flatnonzero(gains > 0), "C0")
        self.worse_: PolyCollection = self._area(ax, values, np.flatnonzero(gains < 0), "C1")
        ax.axvline(0, color=ax.xaxis.label.get_color(), linewidth=0.8)
        # The bars of the best queries leave the upper corner on the other side of zero free.
        free, other = ("left", "right") if self.greater_is_better else ("right", "left")
        best = np.flatnonzero(gains > 0)[::-1][:n_named].tolist()
        worst = np.flatnonzero(gains < 0)[:n_named][::-1].tolist()
        self.labels_ = [
            self._names(ax, values, best, free, "top"),
            self._names(ax, values, worst, other, "bottom"),
        ]
        counts = {"better": gains > 0, "equal": gains == 0, "worse": gains < 0}
        ax.set_title(", ".join(f"{of.sum():,} {word}" for word, of in counts.items()), loc="left")
        widest = np.abs(values).max(initial=0) or 1.0
        ax.set(xlim=(-1.08 * widest, 1.08 * widest), ylim=(-0.5, max(len(values), 1) - 0.5))
        baseline, new = map(shown_name, self.names)
        ax.set_xlabel(f"{self.measure}: {new} minus {baseline}", parse_math=False)
        ax.set_ylabel(f"{len(values):,} queries, sorted")
        ax.set_yticks([])
        return self

    @staticmethod
    def _area(ax: Axes, values: FloatArray, rows: IntArray, colour: str) -> PolyCollection:
        """A row for each query, or as many rows as can be told apart."""
        if len(rows) > _MOST_ROWS:
            rows = rows[np.linspace(0, len(rows) - 1, _MOST_ROWS).round().astype(np.int64)]
        heights = np.repeat(rows, 2) + np.tile([-0.5, 0.5], len(rows))
        return ax.fill_betweenx(heights, 0, np.repeat(values[rows], 2), color=colour, linewidth=0)

    def _names(
        self, ax: Axes, values: FloatArray, rows: Sequence[int], side: str, height: str
    ) -> Text:
        """Texts of queries with their differences, in a corner of the picture."""
        queries = [self.query_ids[self.order_[row]] for row in rows]
        text_of = text_function(self.query_text)
        names = [shown_name(text_of(query) or query) for query in queries]
        # A minus as long as the plus.
        signed = [f"{values[row]:+.3f}".replace("-", "−") for row in rows]
        return ax.text(
            0.02 if side == "left" else 0.98,
            0.98 if height == "top" else 0.02,
            "\n".join(f"{name}  {value}" for name, value in zip(names, signed, strict=True)),
            transform=ax.transAxes,
            ha=side,
            va=height,
            fontsize="small",
            parse_math=False,
        )

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        measure: str | Measure | None = None,
        *,
        system: str | None = None,
        n_named: int = 5,
        query_text: QueryText = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the differences between a system (None: the first) and the baseline."""
        wanted = comparison.measures[0] if measure is None else measure
        system = comparison[wanted, system or comparison.others[0]].system
        values = comparison.values(wanted)
        display = cls(
            differences=values[system] - values[comparison.baseline],
            query_ids=comparison.query_ids,
            measure=comparison.measure(wanted).title,
            greater_is_better=comparison.greater_is_better(wanted),
            names=(comparison.baseline, system),
            query_text=query_text,
        )
        return display.plot(ax, n_named=n_named)
