"""How the values of the queries are distributed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.displays.labels import add_legend, set_names
from sklearn_rank.displays.named_curves import NamedCurves
from sklearn_rank.displays.style import series_style
from sklearn_rank.displays.systems import (
    check_names,
    measure_of,
    read_systems,
    values_per_query,
)
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.model_selection.estimated import display_options, evaluation_of_estimator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["QueryDistributionDisplay"]

OWNER = "QueryDistributionDisplay"


class QueryDistributionDisplay(NamedCurves):
    """Share of the queries whose value is at most x: the empirical distribution.

    A mean hides whether all queries are middling, or half of them perfect and half worthless; the
    height of a curve at the left edge is the share of queries that find nothing. Lower curves are
    better (of measures of which greater is better). Make one with :meth:`from_evaluation`,
    :meth:`from_predictions` or :meth:`from_estimator`.

    Parameters
    ----------
    values : list of array-like of shape (n_queries,)
        Value of each query, a system per element; NaN (undefined) is left out.
    measure : str, default="measure"
        What is shown, for the axis.
    names : list of str, default=None
        Names of the systems.

    Attributes
    ----------
    lines_ : list of matplotlib.lines.Line2D
        A step function per system, after :meth:`plot`.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where they were drawn.

    Raises
    ------
    ValueError
        If ``names`` has not one name for each system.
    ImportError
        If Matplotlib is not installed, when plotting.

    Examples
    --------
    >>> from sklearn_rank import QueryDistributionDisplay
    >>> shown = QueryDistributionDisplay(values=[[0.0, 1.0, 0.5, 1.0]]).plot()
    >>> [[float(x), float(y)] for x, y in shown.lines_[0].get_xydata()]
    [[0.0, 0.0], [0.0, 0.25], [0.5, 0.5], [1.0, 1.0]]
    """

    def __init__(
        self,
        *,
        values: Sequence[Any],
        measure: str = "measure",
        names: Sequence[str] | None = None,
    ) -> None:
        self.values = [np.asarray(of_system, dtype=np.float64) for of_system in values]
        self.names = check_names(names, len(self.values))
        self.measure = measure

    def _count(self) -> int:
        return len(self.values)

    def _draw(self, ax: Axes, styles: Sequence[Mapping[str, Any]]) -> None:
        self.lines_: list[Line2D] = []
        for number, of_system in enumerate(self.values):
            values, counts = np.unique(of_system[~np.isnan(of_system)], return_counts=True)
            shares = np.cumsum(counts) / max(counts.sum(), 1)
            # Markers that start at other places stay apart where steps coincide.
            apart = {"markevery": (0.03 + 0.05 * (number % 4), 0.2)}
            style = {**series_style(number), **apart, "drawstyle": "steps-post"}
            # From 0 at the least value; of no values, nothing.
            steps = np.append(values[:1], values), np.append(shares[:1] * 0, shares)
            self.lines_ += ax.plot(*steps, **{**style, **styles[number]})
        ax.set(xlabel=f"{self.measure} of a query", ylabel="Share of queries at or below")
        ax.set_ylim(-0.01, 1.03)

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        if names is not None:
            set_names(self.lines_, names)
            add_legend(ax, self.lines_)

    @classmethod
    def from_evaluation(
        cls,
        evaluations: Evaluation | Mapping[str, Evaluation],
        measure: str | Measure | None = None,
        *,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> QueryDistributionDisplay:
        """Draw the distribution of each system.

        Parameters
        ----------
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate`.
        measure : str or Measure, default=None
            What to show, evaluated or not; None takes the first measure of the first evaluation.
        names : list of str, default=None
            Names of the systems; None takes the keys.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : QueryDistributionDisplay
            With the distributions drawn.

        Raises
        ------
        InvalidParameterError
            If the measure is pooled, so that no query has a value.
        """
        systems = read_systems(evaluations, names, OWNER)
        wanted = measure_of(systems.evaluations[0], measure)
        values = [values_per_query(one, wanted) for one in systems.evaluations]
        display = cls(values=values, measure=str(wanted), names=systems.names)
        return display.plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        measure: str | Measure = "map",
        *,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **reading: Any,
    ) -> QueryDistributionDisplay:
        """Draw the distribution of rankings.

        Parameters
        ----------
        y_true, y_score
            Any layout of :func:`evaluate`.
        measure : str or Measure, default="map"
            What to show.
        name : str, default=None
            Name of the system.
        ax, curve_kwargs
            As in :meth:`plot`.
        **reading
            Further arguments of :func:`evaluate`, such as ``groups``.

        Returns
        -------
        display : QueryDistributionDisplay
            With the distribution drawn.
        """
        evaluation = evaluate(y_true, y_score, measure, **reading)
        names = None if name is None else [name]
        return cls.from_evaluation(evaluation, names=names, ax=ax, curve_kwargs=curve_kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        measure: str | Measure = "map",
        *,
        groups: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> QueryDistributionDisplay:
        """Draw the distribution of what a fitted estimator ranks.

        Parameters
        ----------
        estimator : object
            Read as scorers read it.
        X, y : array-like
            What the estimator predicts from, and the ground truth: rows, lists or a matrix.
        measure : str or Measure, default="map"
            What to show.
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
        display : QueryDistributionDisplay
            With the distribution drawn.
        """
        evaluation = evaluation_of_estimator(
            estimator,
            X,
            y,
            groups,
            [measure],
            display_options(options, OWNER),
            owner=OWNER,
            called=str(measure),
        )
        names = [type(estimator).__name__ if name is None else name]
        return cls.from_evaluation(evaluation, names=names, ax=ax, curve_kwargs=curve_kwargs)
