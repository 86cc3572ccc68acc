"""The table of a search as a picture: a measure against a parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank.displays.base import Display
from sklearn_rank.displays.labels import name_lines
from sklearn_rank.displays.style import canvas, ink_of, series_style
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.samples import check_share
from sklearn_rank.support.text import closest, listed, safe_repr, safe_text
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

__all__ = ["SearchResultsDisplay"]

OWNER = "SearchResultsDisplay"

_MANY_TIMES = 10.0
"""Values of a parameter that rise at least so many times, by growing steps, are spread by their
logarithms."""
_MOST_TICKS = 10
"""Values that are all written on the axis."""


class _Line(NamedTuple):
    """Scores of the candidates that differ in one parameter alone."""

    name: str
    values: list[Any]
    scores: FloatArray
    intervals: FloatArray


class SearchResultsDisplay(Display):
    """Score of the candidates of a search against one parameter, with intervals.

    Make one with :meth:`from_cv_results`.

    Parameters
    ----------
    values : list of list
        Values of the parameter, rising or in the order of the search, a line per element.
    scores : list of array-like of shape (n_values,)
        Mean score of each candidate over the folds.
    intervals : list of array-like of shape (n_values, 2)
        Lower and upper ends; NaN where there is none.
    param : str
        Name of the parameter, for the axis.
    label : str, default="score"
        What is shown, for the axis.
    names : list of str, default=None
        Names of the lines.

    Attributes
    ----------
    lines_ : list of matplotlib.lines.Line2D
        A line per element of ``scores``, after :meth:`plot`.
    bars_ : list of matplotlib.container.ErrorbarContainer
        Their intervals.
    best_ : matplotlib.lines.Line2D
        A ring around the best candidate that is shown.
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where they were drawn.

    Raises
    ------
    ImportError
        If Matplotlib is not installed, when plotting.

    Examples
    --------
    >>> from sklearn_rank import SearchResultsDisplay
    >>> results = {
    ...     "params": [{"alpha": 1}, {"alpha": 10}],
    ...     "mean_test_score": [0.5, 0.75],
    ...     "split0_test_score": [0.5, 0.5],
    ...     "split1_test_score": [0.5, 1.0],
    ... }
    >>> shown = SearchResultsDisplay.from_cv_results(results, param="alpha")
    >>> shown.values, shown.lines_[0].get_ydata().tolist()
    ([[1, 10]], [0.5, 0.75])
    """

    def __init__(
        self,
        *,
        values: Sequence[Sequence[Any]],
        scores: Sequence[Any],
        intervals: Sequence[Any],
        param: str,
        label: str = "score",
        names: Sequence[str] | None = None,
    ) -> None:
        self.values = [list(line) for line in values]
        self.scores = [np.asarray(line, dtype=np.float64) for line in scores]
        self.intervals = [np.asarray(line, dtype=np.float64) for line in intervals]
        self.param, self.label = param, label
        self.names = None if names is None else list(names)
        for points, line, band in zip(self.values, self.scores, self.intervals, strict=True):
            if line.shape != (len(points),) or band.shape != (len(points), 2):
                msg = (
                    f"a line of {len(points)} values has scores of shape {line.shape} and "
                    f"intervals of shape {band.shape}"
                )
                raise ValueError(msg)

    def plot(self, ax: Axes | None = None) -> SearchResultsDisplay:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : SearchResultsDisplay
            This object, with ``lines_``, ``bars_``, ``best_``, ``ax_`` and ``figure_``.
        """
        with canvas(ax, OWNER) as ax:
            places = _Places.of(ax, self.values)
            self.lines_: list[Line2D] = []
            self.bars_: list[ErrorbarContainer] = []
            for number, points in enumerate(self.values):
                # Side by side, so that intervals do not cover each other.
                x = places.shifted(points, number - (len(self.values) - 1) / 2)
                self._draw_line(ax, number, x)
            line = int(np.nanargmax([np.nanmax(scores, initial=-np.inf) for scores in self.scores]))
            point = int(np.nanargmax(self.scores[line]))
            (self.best_,) = ax.plot(
                *np.asarray(self.lines_[line].get_xydata())[point],
                marker="o",
                markersize=11,
                markerfacecolor="none",
                markeredgecolor=ink_of(ax),
            )
            ax.set_xlabel(self.param, parse_math=False)
            ax.set_ylabel(self.label, parse_math=False)
            name_lines(ax, self.lines_, self.names)
            return self._drawn_on(ax)

    def _draw_line(self, ax: Axes, number: int, x: FloatArray) -> None:
        style, scores = series_style(number), self.scores[number]
        (line,) = ax.plot(x, scores, **style)
        self.lines_.append(line)
        lengths = np.abs(self.intervals[number].T - scores)
        bars = ax.errorbar(
            x,
            scores,
            yerr=np.where(np.isnan(lengths), 0.0, lengths),
            fmt="none",
            ecolor=style["color"],
            elinewidth=1.0,
            capsize=2.5,
        )
        self.bars_.append(bars)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        *,
        param: str,
        measure: str | None = None,
        lines: str | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
    ) -> SearchResultsDisplay:
        """Draw the scores of a search against one of its parameters.

        Other parameters stay at the values of the best candidate. Folds are few and share their
        training data, so that intervals over folds are wide and only roughly right. Intervals over
        queries need a search with ``scoring=rank_scorers([...], spread=True)``, and are drawn
        where it was; the axis says which they are. Either are of one candidate each: neighbours are
        scored by the same queries, and may differ significantly although their intervals overlap.

        Parameters
        ----------
        cv_results : dict
            ``cv_results_`` of a finished search.
        param : str
            The parameter along the axis.
        measure : str, default=None
            The score, as the search named it; None takes the only one.
        lines : str, default=None
            A second parameter, of which each value has a line.
        level : float, default=0.95
            Level of the intervals.
        ax
            As in :meth:`plot`.

        Returns
        -------
        display : SearchResultsDisplay
            With the lines drawn; a ring marks the best candidate.

        Raises
        ------
        InvalidParameterError
            If there is no such parameter or score.
        """
        level = check_share(level, "level", OWNER)
        table = _Table(cv_results, _score_name(cv_results, measure))
        for name in (param, lines):
            table.check_parameter(name)
        drawn = table.lines(param, lines, level)
        spoken = "mean over folds" if table.name == "score" else f"{table.name}, mean over folds"
        of = "queries" if table.knows_queries else "folds"
        display = cls(
            values=[line.values for line in drawn],
            scores=[line.scores for line in drawn],
            intervals=[line.intervals for line in drawn],
            param=param,
            label=f"{spoken}\n({level:.0%} interval over {of})",
            names=None if lines is None else [line.name for line in drawn],
        )
        return display.plot(ax)


@dataclass(frozen=True)
class _Table:
    """One score of a search."""

    results: Mapping[str, Any]
    name: str

    @property
    def params(self) -> list[Mapping[str, Any]]:
        return list(self.results["params"])

    @property
    def means(self) -> FloatArray:
        return np.asarray(self.results[f"mean_test_{self.name}"], dtype=np.float64)

    @property
    def knows_queries(self) -> bool:
        """Whether the search noted how the queries of each fold vary."""
        return f"mean_test_{self.name}_se" in self.results

    def folds(self, name: str) -> FloatArray:
        """(n_folds, n_candidates) of a score."""
        columns: list[FloatArray] = []
        while f"split{len(columns)}_test_{name}" in self.results:
            column = self.results[f"split{len(columns)}_test_{name}"]
            columns.append(np.asarray(column, dtype=np.float64))
        return np.array(columns).reshape(len(columns), len(self.params))

    def check_parameter(self, name: str | None) -> None:
        known = list(dict.fromkeys(key for params in self.params for key in params))
        if name is not None and name not in known:
            meant = closest(str(name), known)
            msg = f"the search has no parameter {safe_repr(name)}{meant}; it has: {listed(known)}"
            raise InvalidParameterError(msg)

    def lines(self, param: str, lines: str | None, level: float) -> list[_Line]:
        """Candidates that are the best one but for ``param`` and ``lines``."""
        best = self.params[int(np.nanargmax(self.means))]
        shown: dict[str, list[int]] = {}
        for number, params in enumerate(self.params):
            others = {*params, *best} - {param, lines}
            if param in params and all(_same(params, best, name) for name in others):
                of = "" if lines is None else f"{lines} = {_text(params.get(lines))}"
                shown.setdefault(of, []).append(number)
        ends = self._intervals(level)
        return [
            self._line(name, _in_order(numbers, self.params, param), param, ends)
            for name, numbers in shown.items()
        ]

    def _line(self, name: str, numbers: list[int], param: str, ends: FloatArray) -> _Line:
        values = [self.params[number][param] for number in numbers]
        return _Line(name, values, self.means[numbers], ends[numbers])

    def _intervals(self, level: float) -> FloatArray:
        """(n_candidates, 2) Student's t, over queries if their spread is known, else over folds."""
        from scipy.special import stdtrit

        scores = self.folds(self.name)
        if self.knows_queries:
            error, degrees = _of_queries(
                self.folds(f"{self.name}_se"), self.folds(f"{self.name}_queries")
            )
        else:
            count = len(scores)
            spread = scores.std(axis=0, ddof=1) if count > 1 else np.full(scores.shape[1], np.nan)
            error, degrees = spread / math.sqrt(max(count, 1)), np.full(len(spread), count - 1.0)
        reach = stdtrit(degrees, (1 + level) / 2) * error
        return np.stack((self.means - reach, self.means + reach), axis=1)


def _of_queries(errors: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard error of the mean of the folds, whose queries differ, and Welch's degrees."""
    variances = (errors / len(errors)) ** 2
    total = variances.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        degrees = total**2 / (variances**2 / (counts - 1)).sum(axis=0)
    return np.sqrt(total), np.where(total > 0, degrees, 1.0)


def _score_name(results: Mapping[str, Any], measure: str | None) -> str:
    prefix = "mean_test_"
    columns = [name.removeprefix(prefix) for name in results if name.startswith(prefix)]
    spread = {f"{name}_{what}" for name in columns for what in ("se", "queries")}
    known = [name for name in columns if name not in spread]
    if "params" not in results or not known:
        msg = "cv_results has no params and mean_test_ columns; pass cv_results_ of a fitted search"
        raise InvalidParameterError(msg)
    if measure is None and len(known) == 1:
        return known[0]
    if measure is None:
        msg = f"the search has several scores: {listed(known)}; name one of them by measure="
        raise InvalidParameterError(msg)
    if measure not in known:
        meant = closest(str(measure), known)
        msg = f"the search has no score {safe_repr(measure)}{meant}; it has: {listed(known)}"
        raise InvalidParameterError(msg)
    return measure


def _same(params: Mapping[str, Any], best: Mapping[str, Any], name: str) -> bool:
    if (name in params) != (name in best):
        return False
    first, second = params[name], best[name]
    return first is second or _text(first) == _text(second)


def _text(value: Any) -> str:
    return safe_text(value if isinstance(value, str) else repr(value), limit=40)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _in_order(numbers: list[int], params: list[Mapping[str, Any]], param: str) -> list[int]:
    """Rising, where the values are numbers."""
    if all(_is_number(params[number][param]) for number in numbers):
        return sorted(numbers, key=lambda number: float(params[number][param]))
    return numbers


@dataclass(frozen=True)
class _Places:
    """Where values of a parameter stand on the axis."""

    words: list[str] | None
    """Values that are no numbers, each with a place of its own; None: numbers."""
    logarithmic: bool
    step: float

    @classmethod
    def of(cls, ax: Axes, lines: Sequence[Sequence[Any]]) -> _Places:
        """Read the values, and set the ticks."""
        values = [value for line in lines for value in line]
        if not all(map(_is_number, values)):
            words = list(dict.fromkeys(map(_text, values)))
            ax.set_xticks(range(len(words)), words)
            for label in ax.get_xticklabels():
                label.set_parse_math(False)
            ax.set_xlim(-0.5, len(words) - 0.5)
            return cls(words, logarithmic=False, step=0.06)
        numbers = np.unique(np.array(values, dtype=np.float64))
        least, most = float(numbers[0]), float(numbers[-1])
        steps = np.diff(numbers)
        grows = len(steps) > 1 and steps.max() > 4 * steps.min()
        logarithmic = bool(grows and least > 0 and most / least >= _MANY_TIMES)
        if logarithmic:
            ax.set_xscale("log")
            if len(numbers) <= _MOST_TICKS:
                ax.set_xticks(numbers, [f"{number:g}" for number in numbers])
                ax.set_xticks([], minor=True)
        width = math.log(most / least) if logarithmic else most - least
        return cls(None, logarithmic=logarithmic, step=0.015 * width)

    def shifted(self, values: Sequence[Any], by: float) -> FloatArray:
        """(n_values,) places, ``by`` so many steps to the right."""
        if self.words is not None:
            return np.array([self.words.index(_text(value)) + by * self.step for value in values])
        numbers = np.array(values, dtype=np.float64)
        return numbers * math.exp(by * self.step) if self.logarithmic else numbers + by * self.step
