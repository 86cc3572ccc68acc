"""Precision against recall of the first k ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import _safe_indexing

from sklearn_rank.displays.labels import FONT_SIZE, name_lines
from sklearn_rank.displays.named_curves import NamedCurves
from sklearn_rank.displays.style import ink_of, series_style
from sklearn_rank.displays.systems import check_last_cutoff, check_names
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.model_selection.estimated import (
    display_options,
    evaluation_of_estimator,
    evaluation_of_rankings,
)
from sklearn_rank.support.arrays import check_same_length
from sklearn_rank.typing import FloatArray, IntArray, StringProvider, ZeroDivision

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["PrecisionRecallAtKDisplay"]


OWNER = "PrecisionRecallAtKDisplay"
_CALLED = "precision or recall"
"""Both, in the one warning of queries for which they are undefined."""


class PrecisionRecallAtKDisplay(NamedCurves):
    """Mean precision against mean recall of the first k ranks, for k = 1, 2, ...

    How much is found by reading on, and at what price. Make one with :meth:`from_predictions`,
    :meth:`from_estimator` or :meth:`from_cv_results`.

    Parameters
    ----------
    precision : list of array-like of shape (n_cutoffs,)
        Mean precision at each cutoff in [0, 1], a curve per element. Ties count by the exact
        expectation; undefined queries are left out of the means.
    recall : list of array-like of shape (n_cutoffs,)
        Mean recall at each cutoff, in [0, 1].
    k : array-like of shape (n_cutoffs,)
        The cutoffs, in ranks.
    names : list of str, default=None
        Labels of the curves.

    Attributes
    ----------
    lines_ : list of matplotlib.lines.Line2D
        A line per curve, after :meth:`plot`.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where they were drawn.

    Raises
    ------
    ValueError
        If the curves have not one value for each cutoff, or ``names`` not one label for each curve.
    ImportError
        If Matplotlib is not installed, when plotting.

    References
    ----------
    .. [1] Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, 8.4.

    Examples
    --------
    >>> from sklearn_rank import PrecisionRecallAtKDisplay
    >>> shown = PrecisionRecallAtKDisplay(precision=[[1, 0.5]], recall=[[0.5, 0.5]], k=[1, 2])
    >>> shown.plot().ax_.get_xlabel()
    'Mean recall at k'
    """

    def __init__(
        self,
        *,
        precision: Sequence[Any],
        recall: Sequence[Any],
        k: Any,
        names: Sequence[str] | None = None,
    ) -> None:
        self.k: IntArray = np.asarray(k, dtype=np.int64)
        self.precision = [np.asarray(curve, dtype=np.float64) for curve in precision]
        self.recall = [np.asarray(curve, dtype=np.float64) for curve in recall]
        check_same_length("precision", len(self.precision), "recall", len(self.recall))
        self.names = check_names(names, len(self.precision))
        for name, curves in (("precision", self.precision), ("recall", self.recall)):
            for curve in curves:
                if curve.shape != self.k.shape:
                    msg = (
                        f"{name} holds a curve of shape {curve.shape}, and k has {self.k.shape}; a "
                        "curve has one value for each cutoff"
                    )
                    raise ValueError(msg)

    def _count(self) -> int:
        return len(self.precision)

    def _draw(self, ax: Axes, styles: Sequence[Mapping[str, Any]]) -> None:
        self.lines_: list[Line2D] = []
        for number, curve in enumerate(zip(self.recall, self.precision, strict=True)):
            self.lines_ += ax.plot(*curve, **{**series_style(number), **styles[number]})
        ax.set(xlabel="Mean recall at k", ylabel="Mean precision at k")
        self._set_limits(ax)
        self._mark_cutoffs(ax)

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        name_lines(ax, self.lines_, names)

    def _set_limits(self, ax: Axes) -> None:
        """From 0 to the highest point, with room for the marks of the cutoffs above and below."""
        highest = [
            max((float(np.nanmax(curve, initial=0)) for curve in curves), default=0) or 1.0
            for curves in (self.recall, self.precision)
        ]
        ax.set_xlim(0, 1.05 * highest[0])
        ax.set_ylim(-0.12 * highest[1], 1.12 * highest[1])

    def _mark_cutoffs(self, ax: Axes) -> None:
        """The first cutoff above all curves, and the last below them, where none of them runs."""
        if not len(self.k):
            return
        starts = _finite_points(self.recall, self.precision, 0)
        ends = _finite_points(self.recall, self.precision, -1)
        if starts:
            self._mark(ax, self.k[0], max(starts, key=itemgetter(1)), upward=True)
        if ends and len(self.k) > 1:
            self._mark(ax, self.k[-1], min(ends, key=itemgetter(1)), upward=False)

    def _mark(self, ax: Axes, cutoff: int, point: tuple[float, float], *, upward: bool) -> None:
        ax.annotate(
            f"k = {cutoff:,}",
            point,
            xytext=(0, 6 if upward else -6),
            textcoords="offset points",
            ha="left" if upward else "center",
            va="bottom" if upward else "top",
            color=ink_of(ax),
            fontsize=FONT_SIZE,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        groups: Any = None,
        k: int = 10,
        string_provider: StringProvider | None = None,
        zero_division: ZeroDivision = "warn",
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> PrecisionRecallAtKDisplay:
        """Draw the curve of rankings.

        Parameters
        ----------
        y_true, y_score, groups, string_provider
            Any layout of :func:`evaluate`.
        k : int, default=10
            Last cutoff, in ranks.
        zero_division : {"warn", "raise"}, 0.0, 1.0 or nan, default="warn"
            How to treat queries without a relevant item, as in :func:`evaluate`; "warn" warns
            once for the curve.
        name : str, default=None
            Label of the curve.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : PrecisionRecallAtKDisplay
            With the curve drawn.
        """
        evaluation = evaluation_of_rankings(
            y_true,
            y_score,
            _measures(k),
            called=_CALLED,
            groups=groups,
            string_provider=string_provider,
            zero_division=zero_division,
        )
        return _drawn(cls, [evaluation], None if name is None else [name], ax, curve_kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        k: int = 10,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> PrecisionRecallAtKDisplay:
        """Draw the curve of what a fitted estimator ranks.

        Parameters
        ----------
        estimator : object
            Read as scorers read it.
        X, y : array-like
            What the estimator predicts from, and the ground truth: rows, lists or a matrix.
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, unless X or y carries it.
        k : int, default=10
            Last cutoff, in ranks.
        name : str, default=None
            Label of the curve; None takes the name of the estimator's class.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            How the estimator and the data are read, as in :meth:`RankingScorer.with_options`.

        Returns
        -------
        display : PrecisionRecallAtKDisplay
            With the curve drawn.

        Raises
        ------
        InvalidParameterError
            If the name or value of an option, or ``k``, is wrong.
        RankingConfigError
            If the query ids are missing, or an option does not apply to the layout of y.
        """
        evaluation = evaluation_of_estimator(
            estimator,
            X,
            y,
            groups,
            _measures(k),
            display_options(options, OWNER),
            owner=OWNER,
            called=_CALLED,
        )
        label = type(estimator).__name__ if name is None else name
        return _drawn(cls, [evaluation], [label], ax, curve_kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        k: int = 10,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> PrecisionRecallAtKDisplay:
        """Draw a curve for the test part of each fold.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate(..., return_estimator=True, return_indices=True)`` returned.
        X, y : array-like
            What was given to ``cross_validate``.
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, unless X or y carries it.
        k : int, default=10
            Last cutoff, in ranks.
        names : list of str, default=None
            Labels of the curves; None numbers the folds.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            How the estimators and the data are read, as in :meth:`RankingScorer.with_options`.

        Returns
        -------
        display : PrecisionRecallAtKDisplay
            With the curves drawn.

        Raises
        ------
        ValueError
            If ``cv_results`` holds no estimators, no indices or no folds.
        InvalidParameterError, RankingConfigError
            As in :meth:`from_estimator`.
        """
        if "estimator" not in cv_results or "indices" not in cv_results:
            msg = (
                "cv_results must hold estimators and indices: call cross_validate with "
                "return_estimator=True and return_indices=True"
            )
            raise ValueError(msg)
        read = display_options(options, OWNER)
        if not len(cv_results["estimator"]):
            msg = "cv_results holds no folds, so that there is no curve to draw"
            raise ValueError(msg)
        measures = _measures(k)
        evaluations = [
            evaluation_of_estimator(
                estimator,
                _safe_indexing(X, test),
                _safe_indexing(y, test),
                None if groups is None else _safe_indexing(groups, test),
                measures,
                read,
                owner=OWNER,
                called=_CALLED,
            )
            for estimator, test in zip(
                cv_results["estimator"], cv_results["indices"]["test"], strict=True
            )
        ]
        labels = (
            [f"Fold {number}" for number in range(len(evaluations))] if names is None else names
        )
        return _drawn(cls, evaluations, labels, ax, curve_kwargs)


def _measures(k: Any) -> list[str]:
    """Precision at each cutoff, then recall at each."""
    last = check_last_cutoff(k, OWNER)
    cutoffs = range(1, last + 1)
    return [f"{name}@{cutoff}" for name in ("precision", "recall") for cutoff in cutoffs]


def _finite_points(
    recall: Sequence[FloatArray], precision: Sequence[FloatArray], place: int
) -> list[tuple[float, float]]:
    """(recall, precision) of each curve at one of the cutoffs, without undefined ones."""
    points = [(float(x[place]), float(y[place])) for x, y in zip(recall, precision, strict=True)]
    return [point for point in points if np.isfinite(point).all()]


def _curve(evaluation: Evaluation) -> tuple[FloatArray, FloatArray]:
    """Mean precision and mean recall at the cutoffs 1, 2, ..., each of shape (n_cutoffs,)."""
    values = np.array(list(evaluation.scores.values()))
    return values[: len(values) // 2], values[len(values) // 2 :]


def _drawn(
    display: type[PrecisionRecallAtKDisplay],
    evaluations: Sequence[Evaluation],
    names: Sequence[str] | None,
    ax: Axes | None,
    curve_kwargs: Any,
) -> PrecisionRecallAtKDisplay:
    curves = [_curve(evaluation) for evaluation in evaluations]
    made = display(
        precision=[precision for precision, _ in curves],
        recall=[recall for _, recall in curves],
        k=np.arange(1, len(curves[0][0]) + 1),
        names=names,
    )
    return made.plot(ax, curve_kwargs=curve_kwargs)
