"""Pictures of rankings, in the manner of scikit-learn's displays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from sklearn_rank.model_selection.curve_at_k import (
    OWNER,
    Curve,
    curve_of_estimator,
    curve_of_rankings,
    curve_options,
)
from sklearn_rank.support.arrays import check_same_length, refuse_unordered
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import IntArray, StringProvider, ZeroDivision

__all__ = ["PrecisionRecallAtKDisplay"]


class PrecisionRecallAtKDisplay:
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
        self.names = _labels(names, len(self.precision))
        for name, curves in (("precision", self.precision), ("recall", self.recall)):
            for curve in curves:
                if curve.shape != self.k.shape:
                    msg = (
                        f"{name} holds a curve of shape {curve.shape}, and k has {self.k.shape}; a "
                        "curve has one value for each cutoff"
                    )
                    raise ValueError(msg)

    def plot(
        self,
        ax: Any = None,
        *,
        names: Sequence[str] | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> PrecisionRecallAtKDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a figure.
        names : list of str, default=None
            Labels of the curves; None takes those of the display.
        curve_kwargs : dict or list of dict, default=None
            Keywords of ``Axes.plot``, for all curves or one for each.

        Returns
        -------
        display : PrecisionRecallAtKDisplay
            This object, with ``lines_``, ``ax_`` and ``figure_``.

        Raises
        ------
        ValueError
            If ``names`` or ``curve_kwargs`` has another length than the curves.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            msg = (
                f"{OWNER}.plot requires matplotlib. You can install matplotlib with "
                "`pip install matplotlib`"
            )
            raise ImportError(msg) from error
        labels = self.names if names is None else _labels(names, len(self.precision))
        if ax is None:
            _, ax = plt.subplots()
        self.lines_ = []
        styles = _styles(curve_kwargs, len(self.precision))
        for number, (precision, recall) in enumerate(zip(self.precision, self.recall, strict=True)):
            label = None if labels is None else labels[number]
            style = {"marker": "o", "markersize": 4, "label": label, **styles[number]}
            self.lines_ += ax.plot(recall, precision, **style)
        for place in {0, len(self.k) - 1} if self.precision else ():
            point = (self.recall[0][place], self.precision[0][place])
            ax.annotate(f"k = {self.k[place]}", point, textcoords="offset points", **_inward(point))
        ax.set(xlabel="Mean recall at k", ylabel="Mean precision at k")
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        if labels is not None:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

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
        ax: Any = None,
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
        curve = curve_of_rankings(y_true, y_score, groups, k, string_provider, zero_division)
        return _drawn(cls, [curve], None if name is None else [name], ax, curve_kwargs)

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
        ax: Any = None,
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
        read = curve_options(options)
        curve = curve_of_estimator(estimator, X, y, groups, k, read)
        label = type(estimator).__name__ if name is None else name
        return _drawn(cls, [curve], [label], ax, curve_kwargs)

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
        ax: Any = None,
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
        read = curve_options(options)
        if not len(cv_results["estimator"]):
            msg = "cv_results holds no folds, so that there is no curve to draw"
            raise ValueError(msg)
        curves = [
            curve_of_estimator(
                estimator,
                _safe_indexing(X, test),
                _safe_indexing(y, test),
                None if groups is None else _safe_indexing(groups, test),
                k,
                read,
            )
            for estimator, test in zip(
                cv_results["estimator"], cv_results["indices"]["test"], strict=True
            )
        ]
        labels = [f"Fold {number}" for number in range(len(curves))] if names is None else names
        return _drawn(cls, curves, labels, ax, curve_kwargs)


def _inward(point: tuple[float, float]) -> dict[str, Any]:
    """Where a label stands beside a point so that it stays within the axes."""
    right, up = point[0] > 0.5, point[1] > 0.5
    return {
        "xytext": (-6 if right else 6, -6 if up else 6),
        "ha": "right" if right else "left",
        "va": "top" if up else "bottom",
    }


def _drawn(
    display: type[PrecisionRecallAtKDisplay],
    curves: Sequence[Curve],
    names: Sequence[str] | None,
    ax: Any,
    curve_kwargs: Any,
) -> PrecisionRecallAtKDisplay:
    made = display(
        precision=[precision for precision, _ in curves],
        recall=[recall for _, recall in curves],
        k=np.arange(1, len(curves[0][0]) + 1),
        names=names,
    )
    return made.plot(ax, curve_kwargs=curve_kwargs)


def _labels(names: Any, n_curves: int) -> list[str] | None:
    """A label for each curve, if there are any."""
    if names is None:
        return None
    refuse_unordered(names, "names")
    if len(names) != n_curves:
        msg = f"names must hold one label for each curve ({n_curves}), got {len(names)}"
        raise ValueError(msg)
    return list(names)


def _styles(given: Any, n_curves: int) -> list[Mapping[str, Any]]:
    if given is None or isinstance(given, Mapping):
        return [given or {}] * n_curves
    if not isinstance(given, (list, tuple)) or len(given) != n_curves:
        msg = (
            f"curve_kwargs must be None, a dictionary or a list of length {n_curves}. "
            f"Got: {safe_repr(given)}"
        )
        raise ValueError(msg)
    return list(given)
