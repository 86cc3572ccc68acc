"""Displays of one line per system: a measure at k, ROC, precision against recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.evaluation.evaluate import evaluate, with_measures
from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.metrics.curves import (
    RECALLS,
    interpolated,
    limits_of,
    precision_recall_curves,
    roc_curves,
    warn_of_cut_curve,
)
from sklearn_rank.model_selection.options import OPTION_NAMES, ScorerOptions
from sklearn_rank.model_selection.query_ids import find_ids
from sklearn_rank.model_selection.reading import Responses, layout_of_y, read_call
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.statistics.means import mean_interval
from sklearn_rank.support.checks import check_integer, check_option, refuse_unordered
from sklearn_rank.support.text import closest, safe_repr, safe_text
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = [
    "MeasureAtKDisplay",
    "RankingPrecisionRecallCurveDisplay",
    "RankingRocCurveDisplay",
]

Styles = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
Average = Literal["pooled", "macro"]
Curve = tuple[Any, Any, Mapping[str, Any]]
"""The x, y and keywords of a line."""
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (7, 1.5, 1.5, 1.5)))
_MARKERS = "os^DvPX"
"""With the four dashes, the first 28 systems also differ in black and white."""
_LONGEST_LABEL = 28
"""Characters of a name: more would leave little room for the picture."""
OF_OTHERS = {
    "pos_label": "pass relevance={label: 1}",
    "sample_weight": "weigh queries in evaluate(..., sample_weight=) and use from_evaluation",
    "plot_chance_level": "the line of a random order is always drawn, as chance_level_",
    "chance_level_kw": "style the line of a random order with display.chance_level_.set(...)",
    "estimator_name": "pass name=",
    "drop_intermediate": "every point is drawn",
    "despine": "hide lines of display.ax_.spines, or use a style of Matplotlib",
    **dict.fromkeys(("color", "linestyle", "linewidth", "alpha"), "pass curve_kwargs={...}"),
    **dict.fromkeys(("c", "linewidths", "lw", "marker", "style"), "pass curve_kwargs={...}"),
    "figsize": "pass ax=plt.subplots(figsize=(6, 4))[1]",
    **dict.fromkeys(
        ("grid", "title", "xlabel", "xlim", "ylabel", "ylim"), "set it on the display's ax_"
    ),
    **dict.fromkeys(("label", "labels", "legend"), "names are the keys of {name: evaluation}"),
}
"""Arguments of other displays, and what to pass instead."""


class Display:
    """The values of a picture; ``plot`` draws it, into ``ax_`` of ``figure_``."""

    ax_: Axes
    figure_: Figure | SubFigure

    def _axes(self, ax: Axes | None) -> Axes:
        """The caller's axes, or those of a new figure."""
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                msg = (
                    f"{type(self).__name__}.plot requires matplotlib. You can install matplotlib "
                    "with `pip install matplotlib`"
                )
                raise ImportError(msg) from error
            ax = plt.subplots()[1]
        self.ax_, self.figure_ = ax, ax.figure
        return ax


def line_style(number: int) -> dict[str, Any]:
    """Dashes and marker of a system; colours come from the user's style."""
    return {
        "linestyle": _DASHES[number % len(_DASHES)],
        "marker": _MARKERS[number % len(_MARKERS)],
        "markersize": 4.0,
    }


# Input -------------------------------------------------------------------------------------------


def read_systems(evaluations: Any, owner: str) -> tuple[list[BaseEvaluation], list[str] | None]:
    """Evaluations and names of their systems; one evaluation needs no name."""
    if isinstance(evaluations, BaseEvaluation):
        return [evaluations], None
    systems = list(evaluations.values()) if isinstance(evaluations, Mapping) else []
    if not systems or not all(isinstance(system, BaseEvaluation) for system in systems):
        msg = (
            f"{owner} takes a result of evaluate, or several as {{name: result}}, got "
            f"{safe_repr(evaluations)}"
        )
        raise TypeError(msg)
    return systems, list(map(str, evaluations))


def check_names(names: Any, count: int) -> list[str] | None:
    """One name for each line, or None."""
    if names is None:
        return None
    refuse_unordered(names, "names")
    if len(names) != count:
        msg = f"names must hold one label for each curve ({count}), got {len(names)}"
        raise ValueError(msg)
    return [str(name) for name in names]


def measure_of(evaluation: BaseEvaluation, measure: str | Measure) -> Measure:
    """A measure with the parameters of the evaluation, such as a convention's."""
    wanted = read_measure(measure)
    for measured in evaluation.measures:
        if measured.metric is wanted.metric and wanted.agrees_with(measured):
            return replace(measured, k=wanted.k)
    return wanted


# Names in a picture ------------------------------------------------------------------------------


def shown_name(name: object) -> str:
    """A name or id as one printable line; cut in the middle, because the ends of names differ."""
    text = safe_text(str(name), limit=10_000)
    return text if len(text) <= _LONGEST_LABEL else f"{text[:9]}…{text[9 - _LONGEST_LABEL + 1 :]}"


def add_legend(ax: Axes, handles: Sequence[Any], names: Sequence[str], loc: Any = "best") -> None:
    """A legend that does not render names as formulas."""
    for handle, name in zip(handles, names, strict=True):
        text = shown_name(name)
        # A leading underscore would hide the artist from legends.
        handle.set_label(f"\N{ZERO WIDTH SPACE}{text}" if text.startswith("_") else text)
    for label in ax.legend(handles=list(handles), loc=loc).get_texts():
        label.set_parse_math(False)


# Lines -------------------------------------------------------------------------------------------


class SystemLines(Display):
    """One line per system, with a band where it has intervals."""

    names: Sequence[str] | None
    intervals: Sequence[Any] | None
    lines_: list[Line2D]
    bands_: list[PolyCollection]
    _ZERO_DIVISION: ClassVar[Any] = "warn"
    _DRAWN: ClassVar[frozenset[str]]
    """Options of ``from_evaluation`` that not all displays have."""

    def _curves(self) -> list[Curve]:
        raise NotImplementedError

    def _label(self, ax: Axes) -> None:
        """Label the axes."""
        raise NotImplementedError

    def plot(
        self,
        ax: Axes | None = None,
        *,
        names: Sequence[str] | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Axes to draw in; None makes a figure.
        names : list of str, default=None
            Names of the systems; by default those of the display.
        curve_kwargs : dict or list of dict, default=None
            Keywords of ``Axes.plot``, for all lines or one for each.

        Returns
        -------
        display : Display
            The drawn display, with ``ax_``, ``figure_``, ``lines_`` and ``bands_``.
        """
        curves = self._curves()
        shown = check_names(self.names if names is None else names, len(curves))
        given: Any = curve_kwargs or {}
        styles = [given] * len(curves) if isinstance(given, Mapping) else given
        if not isinstance(styles, (list, tuple)) or len(styles) != len(curves):
            msg = (
                f"curve_kwargs must be None, a dictionary or a list of length {len(curves)}. "
                f"Got: {safe_repr(given)}"
            )
            raise ValueError(msg)
        ax = self._axes(ax)
        self.lines_, self.bands_ = [], []
        for number, (x, y, marks) in enumerate(curves):
            (line,) = ax.plot(x, y, **{**line_style(number), **marks, **styles[number]})
            self.lines_.append(line)
            if self.intervals:
                look: Any = {"color": line.get_color(), "alpha": 0.16, "linewidth": 0}
                self.bands_.append(
                    ax.fill_between(x, *np.transpose(self.intervals[number]), **look)
                )
        self._label(ax)
        self._name(ax, shown)
        return self

    def _name(self, ax: Axes, names: Sequence[str] | None) -> None:
        if names is not None:
            add_legend(ax, self.lines_, names)

    @classmethod
    def _deepest(cls, *measure: Any, **_: Any) -> list[str | Measure]:
        """Measures that warn about the data as the lines should."""
        return list(measure or ("map",))

    @classmethod
    def from_evaluation(cls, *args: Any, **options: Any) -> Self:
        """Draw the line of each system."""
        raise NotImplementedError

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *measure: str | Measure,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the line of the rankings of one system.

        Parameters
        ----------
        y_true, y_score
            Ground truth and rankings in any layout of :func:`evaluate`.
        *measure : str or Measure
            As in ``from_evaluation``, if it takes a measure.
        name : str, default=None
            Name of the system.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            Options of ``from_evaluation``, or arguments of :func:`evaluate`, such as ``groups``.

        Returns
        -------
        display : Display
            The drawn display.
        """
        drawn, reading = cls._split(options, tuple(signature(evaluate).parameters)[3:])
        reading = {"zero_division": cls._ZERO_DIVISION, **reading}
        evaluation = evaluate(y_true, y_score, cls._deepest(*measure, **drawn), **reading)
        systems = evaluation if name is None else {name: evaluation}
        return cls.from_evaluation(systems, *measure, **drawn, ax=ax, curve_kwargs=curve_kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *measure: str | Measure,
        groups: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the line of the rankings of a fitted estimator.

        Parameters
        ----------
        estimator : object
            Fitted estimator, read in the same way as by scorers.
        X, y : array-like
            Input of the estimator, and the ground truth: rows, lists or a matrix.
        *measure : str or Measure
            As in ``from_evaluation``, if it takes a measure.
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, unless X or y carries it.
        name : str, default=None
            Name of the system; None takes the name of the estimator's class.
        ax, curve_kwargs
            As in :meth:`plot`.
        **options
            Options of ``from_evaluation``, or options for reading the estimator and the data, as in
            :meth:`RankingScorer.with_options`.

        Returns
        -------
        display : Display
            The drawn display.
        """
        drawn, given = cls._split(options, OPTION_NAMES)
        settings = ScorerOptions(**{"zero_division": cls._ZERO_DIVISION, **given})
        measures = cls._deepest(*measure, **drawn)
        owner, query = f"{cls.__name__}.from_estimator", settings.groups_from
        if groups is None and not settings.one_query and layout_of_y(y, settings, owner) == "rows":
            groups = find_ids(X, y, None, query, None)
            if groups is None:
                msg = (
                    f"{owner} needs the query id of every row, but got none: pass groups=qid, give "
                    f"X a column or an index level named {query!r} (groups_from=), or pass "
                    "one_query=True to rank all rows as one query"
                )
                raise RankingConfigError(msg)
        read = read_call(Responses(estimator, X), y, groups, settings, owner=owner)
        options = {
            key: getattr(settings, key) for key in ("string_provider", "zero_division", "ties")
        }
        if read.queries is not None:
            options["groups"] = read.queries.ids
        evaluation = evaluate(read.y, read.scores, measures, **options)
        system = {type(estimator).__name__ if name is None else name: evaluation}
        return cls.from_evaluation(system, *measure, **drawn, ax=ax, curve_kwargs=curve_kwargs)

    @classmethod
    def _split(
        cls, options: Mapping[str, Any], readers: Sequence[str]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options of ``from_evaluation``, and options of reading the rankings."""
        names = ("groups", "name", *sorted(cls._DRAWN), *readers)
        for option in set(options).difference(names):
            msg = f"{cls.__name__} has no option {safe_repr(option)}{closest(option, names)}; "
            if option in OF_OTHERS:
                msg = f"{cls.__name__} has no option {option}: {OF_OTHERS[option]}; "
            raise InvalidParameterError(msg + f"its options are: {', '.join(dict.fromkeys(names))}")
        drawn = {name: options[name] for name in cls._DRAWN if name in options}
        return drawn, {name: options[name] for name in options if name not in drawn}


@dataclass(kw_only=True, eq=False, repr=False)
class MeasureAtKDisplay(SystemLines):
    """A measure at cutoff k against k, with intervals over queries.

    Create one with :meth:`from_evaluation`, ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    k : array-like of shape (n_cutoffs,)
        The cutoffs (ranks), in increasing order.
    values : list of array-like of shape (n_cutoffs,)
        Mean of the measure at each cutoff, one array per system.
    intervals : list of array-like of shape (n_cutoffs, 2), default=None
        Lower and upper ends of the intervals, one array per system; NaN if there is none.
    measure : str, default="measure"
        Label of the axis.
    confidence_level : float, default=0.95
        Level of the intervals.
    names : list of str, default=None
        Names of the systems.
    """

    k: Any
    values: Sequence[Any]
    intervals: Sequence[Any] | None = None
    measure: str = "measure"
    confidence_level: float = 0.95
    names: Sequence[str] | None = None

    _DRAWN = frozenset({"k", "confidence_level", "measure"})

    def _curves(self) -> list[Curve]:
        # More than a few dozen markers would hide the line.
        style = {"markevery": max(len(self.k) // 20, 1)}
        return [(self.k, y, style) for y in self.values]

    def _label(self, ax: Axes) -> None:
        """Integer ticks; a logarithmic axis for distant cutoffs."""
        from matplotlib.ticker import MaxNLocator, NullLocator

        k = np.asarray(self.k)
        steps = np.diff(k)
        if len(steps) and steps.max() > 4 * steps.min():
            ax.set_xscale("log")
            ax.xaxis.set_minor_locator(NullLocator())
            ticks = k if len(k) <= 10 else k[[0, -1]]
            ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        else:
            ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        interval = "" if not self.intervals else f"\n(mean, {self.confidence_level:.0%} interval)"
        ax.set(xlabel="cutoff k", ylabel=f"{self.measure}{interval}")

    @classmethod
    def _cutoffs(cls, measure: Measure, k: Any) -> list[int]:
        """All cutoffs up to a number, or the given ones, which must increase."""
        name, is_one = cls.__name__, isinstance(k, str) or not isinstance(k, (Sequence, np.ndarray))
        given = range(1, check_integer(k, "k", name, at_least=1) + 1) if is_one else k
        cutoffs = [check_integer(cutoff, "k", name, at_least=1) for cutoff in given]
        if not cutoffs or sorted(set(cutoffs)) != cutoffs:
            msg = f"k must be a cutoff, or cutoffs in increasing order, got {safe_repr(k)}"
            raise InvalidParameterError(msg)
        if not measure.metric.takes_k:
            msg = f"{measure.metric.name} reads the whole ranking, so it has no curve over k"
            raise InvalidParameterError(msg)
        return cutoffs

    @classmethod
    def _deepest(cls, measure: Any = "ndcg", *, k: Any = 20, **_: Any) -> list[str | Measure]:
        read = read_measure(measure)
        return [replace(read, k=cls._cutoffs(read, k)[-1])]

    @classmethod
    def from_evaluation(
        cls,
        evaluations: BaseEvaluation | Mapping[str, BaseEvaluation],
        measure: str | Measure = "ndcg",
        *,
        k: int | Sequence[int] = 20,
        confidence_level: float = 0.95,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the line of each system.

        Parameters
        ----------
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate`, by any measures.
        measure : str or Measure, default="ndcg"
            Measure that takes a cutoff; if it was evaluated, its parameters apply.
        k : int or sequence of int, default=20
            Last cutoff, or all cutoffs in increasing order.
        confidence_level : float, default=0.95
            Level of the intervals.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : Display
            The drawn display.
        """
        systems, shown = read_systems(evaluations, cls.__name__)
        cutoffs = cls._cutoffs(read_measure(measure), k)
        values, intervals = [], []
        for system in systems:
            read = measure_of(system, measure)
            measures = [replace(read, k=k) for k in cutoffs]
            measured = with_measures(system, measures)
            values.append(np.array([measured[one] for one in measures]))
            ends = [measured.confidence_interval(one, confidence_level) for one in measures]
            intervals.append(np.array(ends))
        display = cls(
            k=cutoffs,
            values=values,
            intervals=intervals,
            measure=f"{replace(read_measure(measure), k=None).title}@k",
            confidence_level=confidence_level,
            names=shown,
        )
        return display.plot(ax, curve_kwargs=curve_kwargs)


# Curves over thresholds --------------------------------------------------------------------------


class _ThresholdDisplay(SystemLines):
    """Base of both displays of curves, which are pooled, or averaged over queries with a band."""

    _ZERO_DIVISION = np.nan
    _DRAWN = frozenset({"average", "confidence_level"})
    _AXES: ClassVar[tuple[str, str]]
    _LINES: ClassVar[tuple[str, str]]

    @staticmethod
    def _trace(judged: RankingData, average: Average, confidence_level: float) -> dict[str, Any]:
        """The curve of one system, as parameters of the display."""
        raise NotImplementedError

    def _curves(self) -> list[Curve]:
        """Lines with shifted markers, so that they stay apart where curves meet."""
        x, y = (getattr(self, name) for name in self._LINES)
        starts = [{"markevery": (0.04 + 0.05 * (number % 4), 0.2)} for number in range(len(x))]
        return list(zip(x, y, starts, strict=True))

    def _label(self, ax: Axes) -> None:
        ax.set(xlabel=self._AXES[0], ylabel=self._AXES[1], xlim=(-0.01, 1.01), ylim=(-0.01, 1.03))

    @staticmethod
    def _warn(sides: Sequence[RankingData]) -> None:
        """Warn about rankings that these curves would show wrongly."""

    @classmethod
    def from_evaluation(
        cls,
        evaluations: BaseEvaluation | Mapping[str, BaseEvaluation],
        *,
        average: Average = "pooled",
        confidence_level: float = 0.95,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
    ) -> Self:
        """Draw the curve of each system.

        Parameters
        ----------
        evaluations : Evaluation or {name: Evaluation}
            Results of :func:`evaluate`, by any measures.
        average : {"pooled", "macro"}, default="pooled"
            "pooled" ranks all items together by their scores, which must be comparable across
            queries; "macro" averages the curves of the queries, with an interval at each point.
        confidence_level : float, default=0.95
            Level of the intervals.
        ax, curve_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : Display
            The drawn display.

        Raises
        ------
        InvalidParameterError
            If ``average="pooled"`` and scores are not comparable across queries.
        UndefinedMetricError
            If no query has a curve.
        """
        check_option(average, "average", ("pooled", "macro"), cls.__name__)
        systems, shown = read_systems(evaluations, cls.__name__)
        cls._warn([one.ranking_data for one in systems])
        traced = [cls._trace(one.ranking_data, average, confidence_level) for one in systems]
        values: dict[str, Any] = {name: [one[name] for one in traced] for name in traced[0]}
        return cls(**{**values, "names": shown}).plot(ax, curve_kwargs=curve_kwargs)


def _mean_curve(
    judged: RankingData, queries: list[int], heights: FloatArray, confidence_level: float
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """(n_points,) means over queries, (n_points, 2) intervals, and the weights of the queries."""
    weights = None if judged.weights is None else judged.weights[queries]
    intervals = [
        mean_interval(column, weights, (0.0, 1.0), confidence_level) for column in heights.T
    ]
    return np.average(heights, axis=0, weights=weights), np.array(intervals), weights


@dataclass(kw_only=True, eq=False, repr=False)
class RankingRocCurveDisplay(_ThresholdDisplay):
    """Receiver operating characteristic of rankings, pooled or averaged over queries.

    Create one with ``from_evaluation``, ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    fpr, tpr : list of array-like of shape (n_points,)
        False and true positive rates in [0, 1], as in :func:`ranking_roc_curve`.
    intervals : list of array-like of shape (n_points, 2), default=None
        Lower and upper ends of the intervals.
    areas : list of float, default=None
        Areas under the curves, or their means over queries, shown next to the names.
    names : list of str, default=None
        Names of the systems.

    Attributes
    ----------
    chance_level_ : matplotlib.lines.Line2D
        The line of a random order.

    References
    ----------
    .. [1] Fawcett, An Introduction to ROC Analysis, 2006 (vertical averaging).
    """

    fpr: Sequence[Any]
    tpr: Sequence[Any]
    intervals: Sequence[Any] | None = None
    areas: Sequence[float] | None = None
    names: Sequence[str] | None = None

    _AXES = ("False positive rate", "True positive rate")
    _LINES = ("fpr", "tpr")

    @staticmethod
    def _trace(judged: RankingData, average: Average, confidence_level: float) -> dict[str, Any]:
        """True against false positive rate; averaged, the mean height at each."""
        from sklearn.metrics import auc

        curves = roc_curves(judged, average)
        areas = np.array([auc(curve.x, curve.y) for curve in curves])
        if average == "pooled":
            x, y = curves[0].x, curves[0].y
            return {"fpr": x, "tpr": y, "areas": float(areas[0])}
        # Where a curve rises vertically, take the height that it reaches.
        heights = np.stack([limits_of(RECALLS, curve.x, curve.y)[:, 1] for curve in curves])
        mean, band, weights = _mean_curve(
            judged, [c.query for c in curves], heights, confidence_level
        )
        band[-1] = 1.0  # all items are at or above the last threshold: there nothing can vary
        return {
            "fpr": np.append(0.0, RECALLS),
            "tpr": np.append(0.0, mean),
            "intervals": np.vstack((band[:1], band)),
            "areas": float(np.average(areas, weights=weights)),
        }

    @staticmethod
    def _warn(sides: Sequence[RankingData]) -> None:
        warn_of_cut_curve(sides)

    def _label(self, ax: Axes) -> None:
        super()._label(ax)
        look: Any = {"color": ax.xaxis.label.get_color(), "linewidth": 0.8, "linestyle": ":"}
        self.chance_level_: Line2D
        (self.chance_level_,) = ax.plot([0, 1], [0, 1], label="random order", **look)

    def _name(self, ax: Axes, names: Sequence[str] | None) -> None:
        """All curves end in one point, so the legend is in the corner below chance."""
        texts = names
        if self.areas is not None and (names is not None or len(self.lines_) == 1):
            kind = "pooled" if self.intervals is None else "mean"
            areas = [f"{kind} AUC {area:.3f}" for area in self.areas]
            pairs = zip(names or areas, areas, strict=True)
            texts = [f"{name} ({area})" if names else area for name, area in pairs]
        if texts is not None:
            add_legend(ax, self.lines_, texts, "lower right")


@dataclass(kw_only=True, eq=False, repr=False)
class RankingPrecisionRecallCurveDisplay(_ThresholdDisplay):
    """Precision against recall of rankings, pooled or interpolated and averaged over queries.

    Create one with ``from_evaluation``, ``from_predictions`` or ``from_estimator``.

    Parameters
    ----------
    precision, recall : list of array-like of shape (n_points,)
        Precision and recall in [0, 1], as in :func:`ranking_precision_recall_curve`.
    intervals : list of array-like of shape (n_points, 2), default=None
        Lower and upper ends of the intervals.
    names : list of str, default=None
        Names of the systems.

    References
    ----------
    .. [1] Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, 8.4.

    Examples
    --------
    >>> from sklearn_rank import RankingPrecisionRecallCurveDisplay
    >>> shown = RankingPrecisionRecallCurveDisplay.from_predictions(
    ...     [{"a", "b"}], [["a", "x", "b"]], average="macro"
    ... )
    >>> shown.precision[0][[0, 50, 51, 100]].round(3).tolist()
    [1.0, 1.0, 0.667, 0.667]
    """

    precision: Sequence[Any]
    recall: Sequence[Any]
    intervals: Sequence[Any] | None = None
    names: Sequence[str] | None = None

    _AXES = ("Recall", "Precision")
    _LINES = ("recall", "precision")

    @staticmethod
    def _trace(judged: RankingData, average: Average, confidence_level: float) -> dict[str, Any]:
        """Precision against recall; averaged, the mean of the interpolated precisions."""
        curves = precision_recall_curves(judged, average)
        if average == "pooled":
            # Without the point that scikit-learn adds at recall 0, which no threshold gives.
            recall, precision = (axis[:-1][::-1] for axis in (curves[0].x, curves[0].y))
            return {"recall": recall, "precision": precision}
        grid = RECALLS[::-1]
        heights = np.stack([interpolated(grid, curve.y, curve.x)[::-1] for curve in curves])
        mean, band, _ = _mean_curve(
            judged, [curve.query for curve in curves], heights, confidence_level
        )
        return {"recall": RECALLS, "precision": mean, "intervals": band}
