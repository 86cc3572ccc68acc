"""Whether two measures agree on the queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.displays.base import Display
from sklearn_rank.displays.style import COLOURS, canvas
from sklearn_rank.displays.systems import measure_of, values_per_query
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.arrays import check_same_length
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

__all__ = ["MeasureCorrelationDisplay"]

OWNER = "MeasureCorrelationDisplay"

_POINT = 18.0
"""Area of the mark of one query, in square points."""
_LARGEST = 400.0
"""Area of the mark of the most frequent pair of values: it must not hide its neighbours."""


class MeasureCorrelationDisplay(Display):
    r"""Two measures of each query against each other, with their rank correlation.

    Queries of the same two values are one mark, whose area is their number. Make one with
    :meth:`from_evaluation` or :meth:`from_predictions`.

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
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where they were drawn.

    Raises
    ------
    ValueError
        If x and y have different lengths.
    ImportError
        If Matplotlib is not installed, when plotting.

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
        self.tau, self.r = _correlations(*self._pairs)

    @property
    def _pairs(self) -> FloatArray:
        """(2, n_defined) values of the queries for which both measures are defined."""
        pairs = np.stack((self.x, self.y))
        return pairs[:, ~np.isnan(pairs).any(axis=0)]

    def plot(self, ax: Axes | None = None) -> MeasureCorrelationDisplay:
        """Draw the marks.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : MeasureCorrelationDisplay
            This object, with ``points_``, ``ax_`` and ``figure_``.
        """
        places, counts = np.unique(self._pairs, axis=1, return_counts=True)
        areas = _POINT * counts * min(1.0, _LARGEST / (_POINT * counts.max(initial=1)))
        with canvas(ax, OWNER, (4.8, 4.4)) as ax:
            self.points_: PathCollection = ax.scatter(
                places[0],
                places[1],
                s=np.maximum(areas, 4.0),
                color=COLOURS[0],
                alpha=0.55,
                edgecolors="white",
                linewidths=0.4,
            )
            ax.set(xlabel=f"{self.names[0]} of a query", ylabel=f"{self.names[1]} of a query")
            ax.set_title(
                f"Kendall τ {self.tau:.2f}, Pearson r {self.r:.2f}\n{counts.sum():,} queries",
                loc="left",
            )
            return self._drawn_on(ax)

    @classmethod
    def from_evaluation(
        cls,
        evaluation: Evaluation,
        x: str | Measure | None = None,
        y: str | Measure | None = None,
        *,
        ax: Axes | None = None,
    ) -> MeasureCorrelationDisplay:
        """Draw two measures of the queries of an evaluation.

        Parameters
        ----------
        evaluation : Evaluation
            Result of :func:`evaluate`.
        x, y : str or Measure, default=None
            The measures, evaluated or not; None takes the first and the second one.
        ax
            As in :meth:`plot`.

        Returns
        -------
        display : MeasureCorrelationDisplay
            With the marks drawn.

        Raises
        ------
        ValueError
            If a measure is not named and the evaluation has only one.
        """
        if not isinstance(evaluation, Evaluation):
            msg = f"{OWNER} takes a result of evaluate, got {safe_repr(evaluation)}"
            raise TypeError(msg)
        if y is None and len(evaluation) < 2:
            msg = f"{OWNER} needs two measures; the evaluation has {next(iter(evaluation))} alone"
            raise ValueError(msg)
        measures = [
            measure_of(evaluation, x),
            measure_of(evaluation, evaluation.measures[1] if y is None else y),
        ]
        values = [values_per_query(evaluation, measure) for measure in measures]
        names = (str(measures[0]), str(measures[1]))
        return cls(x=values[0], y=values[1], names=names).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        x: str | Measure = "map",
        y: str | Measure = "ndcg@10",
        *,
        ax: Axes | None = None,
        **reading: Any,
    ) -> MeasureCorrelationDisplay:
        """Draw two measures of the queries of rankings.

        Parameters
        ----------
        y_true, y_score
            Any layout of :func:`evaluate`.
        x, y : str or Measure, default="map" and "ndcg@10"
            The measures.
        ax
            As in :meth:`plot`.
        **reading
            Further arguments of :func:`evaluate`, such as ``groups``.

        Returns
        -------
        display : MeasureCorrelationDisplay
            With the marks drawn.
        """
        return cls.from_evaluation(evaluate(y_true, y_score, [x, y], **reading), ax=ax)


def _correlations(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Kendall's tau-b and Pearson's r; NaN where a side is constant."""
    from scipy.stats import kendalltau, pearsonr

    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return np.nan, np.nan
    return float(kendalltau(x, y).statistic), float(pearsonr(x, y).statistic)
