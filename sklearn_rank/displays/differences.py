"""What a change did to each query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.compare import compare
from sklearn_rank.comparison.result import Comparison
from sklearn_rank.displays.base import Display
from sklearn_rank.displays.labels import Side, has_margin, place_labels, shown_name
from sklearn_rank.displays.style import BETTER, WORSE, canvas, ink_of
from sklearn_rank.displays.systems import check_system, measure_of
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.arrays import check_same_length
from sklearn_rank.support.parameters import check_integer
from sklearn_rank.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection

__all__ = ["QueryDifferencesDisplay"]

OWNER = "QueryDifferencesDisplay"

_MOST_ROWS = 600
"""More rows than pixels say nothing, and make pictures of megabytes."""


class QueryDifferencesDisplay(Display):
    """Difference of each query between two systems, sorted, with the extremes by name.

    Make one with :meth:`from_evaluation` or :meth:`from_comparison`.

    Parameters
    ----------
    differences : array-like of shape (n_queries,)
        Value of the system minus that of the baseline; NaN (undefined) is left out.
    query_ids : sequence of shape (n_queries,)
        Names of the queries.
    measure : str, default="measure"
        What is shown, for the axis.
    greater_is_better : bool, default=True
        Direction of the measure.
    names : (str, str), default=("baseline", "new")
        Names of the baseline and of the system.

    Attributes
    ----------
    order_ : ndarray of shape (n_defined,)
        Numbers of the queries from the bottom of the picture to its top, after :meth:`plot`.
    better_, worse_ : matplotlib.collections.PolyCollection
        Areas of the queries that got better and worse.
    labels_ : list of matplotlib.text.Annotation
        Names of the extremes, the best first.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where they were drawn.

    Raises
    ------
    ValueError
        If there are not as many ids as differences.
    ImportError
        If Matplotlib is not installed, when plotting.

    Examples
    --------
    >>> from sklearn_rank import QueryDifferencesDisplay, evaluate
    >>> truth = {"q1": {"a"}, "q2": {"b"}}
    >>> shown = QueryDifferencesDisplay.from_evaluation(
    ...     evaluate(truth, {"q1": ["a", "x"], "q2": ["x", "b"]}, "mrr"),
    ...     evaluate(truth, {"q1": ["x", "a"], "q2": ["x", "b"]}, "mrr"),
    ... )
    >>> [label.get_text() for label in shown.labels_], shown.ax_.get_title(loc="left")
    (['q1  −0.500'], '0 better, 1 equal, 1 worse')
    """

    def __init__(
        self,
        *,
        differences: Any,
        query_ids: Sequence[Any],
        measure: str = "measure",
        greater_is_better: bool = True,
        names: tuple[str, str] = ("baseline", "new"),
    ) -> None:
        self.differences: FloatArray = np.asarray(differences, dtype=np.float64)
        self.query_ids = list(query_ids)
        check_same_length("differences", len(self.differences), "query_ids", len(self.query_ids))
        self.measure, self.greater_is_better = measure, greater_is_better
        self.names = names

    def plot(self, ax: Axes | None = None, *, n_named: int = 5) -> QueryDifferencesDisplay:
        """Draw the differences.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a figure.
        n_named : int, default=5
            Queries that are named at each end; those that did not change never are.

        Returns
        -------
        display : QueryDifferencesDisplay
            This object, with ``order_``, ``better_``, ``worse_``, ``labels_``, ``ax_`` and
            ``figure_``.
        """
        named = check_integer(n_named, "n_named", OWNER, at_least=0)
        with canvas(ax, OWNER) as ax:
            defined = np.flatnonzero(~np.isnan(self.differences))
            gains = self.differences if self.greater_is_better else -self.differences
            self.order_: IntArray = defined[np.argsort(gains[defined], kind="stable")]
            values = self.differences[self.order_]
            self._draw_areas(ax, values, gains[self.order_])
            self._draw_names(ax, values, gains[self.order_], named)
            counts = [(gains > 0).sum(), (gains == 0).sum(), (gains < 0).sum()]
            words = ("better", "equal", "worse")
            title = ", ".join(f"{n:,} {word}" for n, word in zip(counts, words, strict=True))
            ax.set_title(title, loc="left")
            widest = np.abs(values).max(initial=0) or 1.0
            if not has_margin(ax):  # room for names on both sides
                ax.set_xlim(-1.08 * widest, 1.08 * widest)
            ax.set(ylim=(-0.5, max(len(values), 1) - 0.5))
            baseline, new = map(shown_name, self.names)
            ax.set_xlabel(f"{self.measure}: {new} minus {baseline}", parse_math=False)
            ax.set_ylabel(f"{len(values):,} queries, sorted")
            ax.set_yticks([])
            return self._drawn_on(ax)

    def _draw_areas(self, ax: Axes, values: FloatArray, gains: FloatArray) -> None:
        """A row per query, or as many as can be told apart."""
        rows = np.arange(len(values))
        if len(values) > _MOST_ROWS:
            rows = np.linspace(0, len(values) - 1, _MOST_ROWS).round().astype(np.int64)
        areas = []
        for colour, sign in ((BETTER, 1.0), (WORSE, -1.0)):
            changed = rows[gains[rows] * sign > 0]
            heights = np.repeat(changed, 2) + np.tile([-0.5, 0.5], len(changed))
            lengths = np.repeat(values[changed], 2)
            areas.append(ax.fill_betweenx(heights, 0, lengths, color=colour, linewidth=0))
        self.better_: PolyCollection
        self.worse_: PolyCollection
        self.better_, self.worse_ = areas
        ax.axvline(0, color=ink_of(ax), linewidth=0.8)

    def _draw_names(self, ax: Axes, values: FloatArray, gains: FloatArray, named: int) -> None:
        """In the margin; where there is none, on the side of zero where the row has no bar."""
        last = len(values) - 1
        best = [row for row in range(last, last - named, -1) if row >= 0 and gains[row] > 0]
        worst = [row for row in range(named) if row <= last and gains[row] < 0][::-1]
        self.labels_: list[Any] = []
        sides: list[tuple[list[int], Side]] = [(best + worst, "margin")]
        if not has_margin(ax):
            left_is_best: tuple[Side, Side] = ("left", "right")
            free = left_is_best if self.greater_is_better else left_is_best[::-1]
            sides = list(zip((best, worst), free, strict=True))
        for rows, side in sides:
            texts = [
                f"{shown_name(self.query_ids[self.order_[row]])}  {_signed(values[row])}"
                for row in rows
            ]
            # From the end of a bar that points to the margin, else from its foot.
            reach = values if side == "margin" else np.zeros(len(values))
            points = [(max(float(reach[row]), 0.0), float(row)) for row in rows]
            self.labels_ += place_labels(ax, points, texts, side)

    @classmethod
    def from_evaluation(
        cls,
        baseline: Evaluation,
        new: Evaluation,
        measure: str | Measure | None = None,
        *,
        names: tuple[str, str] = ("baseline", "new"),
        n_named: int = 5,
        ax: Axes | None = None,
    ) -> QueryDifferencesDisplay:
        """Draw the differences of two evaluations, joined on the ids of their queries.

        Parameters
        ----------
        baseline, new : Evaluation
            Results of :func:`evaluate`, with common queries.
        measure : str or Measure, default=None
            A measure of both; None takes the first of the baseline.
        names : (str, str), default=("baseline", "new")
            Names of the two.
        n_named, ax
            As in :meth:`plot`.

        Returns
        -------
        display : QueryDifferencesDisplay
            With the differences drawn.

        Raises
        ------
        QueryMismatchError
            If they have no query in common.
        """
        wanted = measure_of(baseline, measure)
        systems = dict(zip(names, (baseline, new), strict=True))
        comparison = compare(systems, measures=[wanted])
        return cls.from_comparison(comparison, n_named=n_named, ax=ax)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        measure: str | Measure | None = None,
        *,
        system: str | None = None,
        n_named: int = 5,
        ax: Axes | None = None,
    ) -> QueryDifferencesDisplay:
        """Draw the differences between a system and the baseline.

        Parameters
        ----------
        comparison : Comparison
            Result of :func:`compare`.
        measure : str or Measure, default=None
            One of its measures; None takes the first.
        system : str, default=None
            One of its systems; None takes the first beside the baseline.
        n_named, ax
            As in :meth:`plot`.

        Returns
        -------
        display : QueryDifferencesDisplay
            With the differences drawn.
        """
        wanted = comparison.measures[0] if measure is None else measure
        system = check_system(comparison, system)
        display = cls(
            differences=comparison.differences(wanted, system),
            query_ids=comparison.query_ids,
            measure=str(wanted),
            greater_is_better=comparison.greater_is_better(wanted),
            names=(comparison.baseline, system),
        )
        return display.plot(ax, n_named=n_named)


def _signed(value: float) -> str:
    """A number with its sign, the minus as long as the plus."""
    return f"{value:+.3f}".replace("-", "−")
