"""Displays of single queries: differences of two systems, and two measures against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.displays.base import (
    BETTER,
    COLOURS,
    WORSE,
    Display,
    Side,
    has_margin,
    measure_of,
    place_labels,
    shown_name,
    text_color,
    values_per_query,
)
from sklearn_rank.evaluation.result import Evaluation, QueryText, text_function
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.checks import check_integer, check_same_length
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, PolyCollection

__all__ = ["MeasureCorrelationDisplay", "QueryDifferencesDisplay"]

_MOST_ROWS = 600
"""More rows than pixels say nothing, and make pictures of megabytes."""
_POINT = 18.0
"""Area of the mark of one query, in square points."""
_LARGEST = 400.0
"""Area of the mark of the most frequent pair of values: it must not hide its neighbours."""


class QueryDifferencesDisplay(Display):
    """Difference of each query between two systems, sorted, with the extremes by name.

    Make one with :meth:`from_comparison`.

    Parameters
    ----------
    differences : array-like of shape (n_queries,)
        Value of the system minus that of the baseline; NaN (undefined) is left out.
    query_ids : sequence of shape (n_queries,)
        Names of the queries.
    names : (str, str), default=("baseline", "new")
        Names of the baseline and of the system.
    query_text : mapping or callable, default=None
        {query: text}, or a function of the query id: texts in place of ids.

    Attributes
    ----------
    order_ : ndarray of shape (n_defined,)
        Numbers of the queries from the bottom of the picture to its top, after :meth:`plot`.
    better_, worse_ : matplotlib.collections.PolyCollection
        Areas of the queries that got better and worse.
    labels_ : list of matplotlib.text.Annotation
        Names of the extremes, the best first.

    Examples
    --------
    >>> from sklearn_rank import QueryDifferencesDisplay, compare
    >>> runs = {"old": {"q1": ["a", "x"], "q2": ["b"]}, "new": {"q1": ["x", "a"], "q2": ["b"]}}
    >>> compared = compare({"q1": {"a"}, "q2": {"b"}}, runs, measures="mrr")
    >>> shown = QueryDifferencesDisplay.from_comparison(compared)
    >>> [label.get_text() for label in shown.labels_], shown.ax_.get_title(loc="left")
    (['q1  −0.500'], '0 better, 1 equal, 1 worse')
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
        check_same_length("differences", len(self.differences), "query_ids", len(self.query_ids))
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
                own = rows[changed[rows]]
                heights = np.repeat(own, 2) + np.tile([-0.5, 0.5], len(own))
                ends = np.repeat(values[own], 2)
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
        """Draw the differences between a system and the baseline.

        Parameters
        ----------
        measure : str or Measure, default=None
            One of its measures; None takes the first.
        system : str, default=None
            One of its systems; None takes the first beside the baseline.
        """
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


class MeasureCorrelationDisplay(Display):
    r"""Two measures of each query against each other, with their rank correlation.

    Queries of the same two values are one mark, whose area is their number. Make one with
    :meth:`from_evaluation`.

    Parameters
    ----------
    x, y : array-like of shape (n_queries,)
        Values of the two measures; queries with a NaN are left out.
    names : (str, str), default=("x", "y")
        Names of the two measures, for the axes.

    Attributes
    ----------
    tau, r : float
        Kendall's rank correlation (tau-b, which minds ties) and Pearson's correlation in [-1, 1];
        NaN with fewer than two different values.
    points_ : matplotlib.collections.PathCollection
        The marks, after :meth:`plot`.

    References
    ----------
    .. [1] Kendall, The Treatment of Ties in Ranking Problems, 1945.

    Examples
    --------
    >>> from sklearn_rank import MeasureCorrelationDisplay
    >>> shown = MeasureCorrelationDisplay(x=[0.1, 0.2, 0.4], y=[0.5, 0.7, 0.6]).plot()
    >>> round(shown.tau, 3), shown.ax_.get_title(loc="left")
    (0.333, 'Kendall τ 0.33, Pearson r 0.33\n3 queries')
    """

    def __init__(self, *, x: Any, y: Any, names: tuple[str, str] = ("x", "y")) -> None:
        self.x: FloatArray = np.asarray(x, dtype=np.float64)
        self.y: FloatArray = np.asarray(y, dtype=np.float64)
        check_same_length("x", len(self.x), "y", len(self.y))
        self.names = names
        pairs = np.stack((self.x, self.y))
        self._pairs = pairs[:, ~np.isnan(pairs).any(axis=0)]
        self.tau = self.r = np.nan
        if all(len(np.unique(values)) > 1 for values in self._pairs):
            from scipy.stats import kendalltau, pearsonr

            self.tau = float(kendalltau(*self._pairs).statistic)
            self.r = float(pearsonr(*self._pairs).statistic)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the marks."""
        (x, y), counts = np.unique(self._pairs, axis=1, return_counts=True)
        areas = _POINT * counts * min(1.0, _LARGEST / (_POINT * counts.max(initial=1)))
        look: dict[str, Any] = {"alpha": 0.55, "edgecolors": "white", "linewidths": 0.4}
        with self._canvas(ax, (4.8, 4.4)) as ax:
            self.points_: PathCollection = ax.scatter(
                x, y, s=np.maximum(areas, 4.0), color=COLOURS[0], **look
            )
            ax.set(xlabel=f"{self.names[0]} per query", ylabel=f"{self.names[1]} per query")
            correlations = f"Kendall τ {self.tau:.2f}, Pearson r {self.r:.2f}"
            ax.set_title(f"{correlations}\n{counts.sum():,} queries", loc="left")
        return self

    @classmethod
    def from_evaluation(
        cls,
        evaluation: Evaluation,
        x: str | Measure | None = None,
        y: str | Measure | None = None,
        *,
        ax: Axes | None = None,
    ) -> Self:
        """Draw two measures of the queries of an evaluation.

        Parameters
        ----------
        evaluation : Evaluation
            Result of :func:`evaluate`.
        x, y : str or Measure, default=None
            The measures, evaluated or not; None takes the first and the second one.
        """
        if not isinstance(evaluation, Evaluation):
            msg = f"{cls.__name__} takes a result of evaluate, got {safe_repr(evaluation)}"
            raise TypeError(msg)
        if y is None and len(evaluation) < 2:
            (one,) = evaluation
            msg = f"{cls.__name__} needs two measures; the evaluation has {one} alone"
            raise ValueError(msg)
        first = measure_of(evaluation, x)
        second = measure_of(evaluation, evaluation.measures[1] if y is None else y)
        values = [values_per_query(evaluation, measure) for measure in (first, second)]
        return cls(x=values[0], y=values[1], names=(str(first), str(second))).plot(ax)
