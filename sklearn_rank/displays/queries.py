"""Differences of two systems, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.displays.base import (
    BETTER,
    WORSE,
    Display,
    Side,
    has_margin,
    place_labels,
    shown_name,
    text_color,
)
from sklearn_rank.evaluation.result import QueryText, text_function
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.checks import check_integer
from sklearn_rank.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection

_MOST_ROWS = 600
"""More rows than pixels say nothing, and make pictures of megabytes."""


class QueryDifferencesDisplay(Display):
    """Difference of each query between two systems, sorted, with the extremes by name.

    ``differences`` are values of the second of ``names`` minus the first; NaN (undefined) is left
    out.

    Attributes
    ----------
    order_ : ndarray of shape (n_defined,)
        Numbers of the queries from the bottom of the picture to its top, after :meth:`plot`.
    better_, worse_ : matplotlib.collections.PolyCollection
        Areas of the queries that got better and worse.
    labels_ : list of matplotlib.text.Annotation
        Names of the extremes, the best first.
    """

    better_: PolyCollection
    worse_: PolyCollection

    def __init__(
        self,
        *,
        differences: Any,
        query_ids: Sequence[Any],
        measure: str = "measure",
        greater_is_better: bool = True,
        names: tuple[str, str] = ("baseline", "new"),
        query_text: QueryText = None,
    ) -> None:
        self.differences: FloatArray = np.asarray(differences, dtype=np.float64)
        self.query_ids = list(query_ids)
        self.measure, self.greater_is_better = measure, greater_is_better
        self.names = names
        self._text = text_function(query_text)

    def plot(self, ax: Axes | None = None, *, n_named: int = 5) -> Self:
        """Draw the differences."""
        n_named = check_integer(n_named, "n_named", type(self).__name__, at_least=0)
        defined = np.flatnonzero(~np.isnan(self.differences))
        gains = self.differences if self.greater_is_better else -self.differences
        self.order_: IntArray = defined[np.argsort(gains[defined], kind="stable")]
        values, gains = self.differences[self.order_], gains[self.order_]
        # A row for each query, or as many as can be told apart.
        rows = np.arange(len(values))
        if len(rows) > _MOST_ROWS:
            rows = np.linspace(0, len(rows) - 1, _MOST_ROWS).round().astype(np.int64)
        with self._canvas(ax) as ax:
            areas = []
            for changed, colour in ((gains > 0, BETTER), (gains < 0, WORSE)):
                places = rows[changed[rows]]
                heights = np.repeat(places, 2) + np.tile([-0.5, 0.5], len(places))
                ends = np.repeat(values[places], 2)
                areas.append(ax.fill_betweenx(heights, 0, ends, color=colour, linewidth=0))
            self.better_, self.worse_ = areas
            ax.axvline(0, color=text_color(ax), linewidth=0.8)
            best = np.flatnonzero(gains > 0)[::-1][:n_named].tolist()
            worst = np.flatnonzero(gains < 0)[:n_named][::-1].tolist()
            # Names stand in the margin; else on the side of zero where their row has no bar.
            sides: list[tuple[list[int], Side]] = [(best + worst, "margin")]
            if not has_margin(ax):
                sides = [(best, "left"), (worst, "right")]
                if not self.greater_is_better:
                    sides = [(best, "right"), (worst, "left")]
            self.labels_: list[Any] = []
            for named, side in sides:
                # From the end of a bar that points to the margin, else from its foot.
                reach = values if side == "margin" else values * 0
                points = [(max(float(reach[row]), 0.0), float(row)) for row in named]
                queries = [self.query_ids[self.order_[row]] for row in named]
                ids = [shown_name(self._text(query) or query) for query in queries]
                # A minus as long as the plus.
                signed = [f"{values[row]:+.3f}".replace("-", "−") for row in named]
                texts = [f"{name}  {value}" for name, value in zip(ids, signed, strict=True)]
                self.labels_ += place_labels(ax, points, texts, side)
            counts = {"better": gains > 0, "equal": gains == 0, "worse": gains < 0}
            title = ", ".join(f"{of.sum():,} {word}" for word, of in counts.items())
            ax.set_title(title, loc="left")
            if not has_margin(ax):  # room for names on both sides
                widest = np.abs(values).max(initial=0) or 1.0
                ax.set_xlim(-1.08 * widest, 1.08 * widest)
            ax.set_ylim(-0.5, max(len(values), 1) - 0.5)
            baseline, new = map(shown_name, self.names)
            ax.set_xlabel(f"{self.measure}: {new} minus {baseline}", parse_math=False)
            ax.set_ylabel(f"{len(values):,} queries, sorted")
            ax.set_yticks([])
        return self

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        measure: str | Measure | None = None,
        *,
        system: str | None = None,
        n_named: int = 5,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the differences between a system (None: the first) and the baseline."""
        wanted = comparison.measures[0] if measure is None else measure
        system = comparison.others[0] if system is None else system
        display = cls(
            differences=comparison.differences(wanted, system),
            query_ids=comparison.query_ids,
            measure=str(wanted),
            greater_is_better=comparison.greater_is_better(wanted),
            names=(comparison.baseline, system),
            query_text=comparison._query_text,
        )
        return display.plot(ax, n_named=n_named)
