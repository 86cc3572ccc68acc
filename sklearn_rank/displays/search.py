"""The table of a search as a picture: a measure against a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.displays.base import (
    Display,
    check_names,
    name_lines,
    read_arrays,
    series_style,
    text_color,
)
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.samples import check_share
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import safe_text
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

__all__ = ["SearchResultsDisplay"]

_MANY_TIMES = 10.0
"""A parameter that grows this many times, by growing steps, has a logarithmic axis."""
_MOST_TICKS = 10
"""Up to this many values, each has a tick."""
_MEAN = "mean_test_"


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
        Label of the axis of scores.
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
        lengths = [len(line) for line in self.values]
        self.scores = read_arrays("scores", scores, [(length,) for length in lengths])
        self.intervals = read_arrays("intervals", intervals, [(length, 2) for length in lengths])
        self.param, self.label = param, label
        self.names = check_names(names, len(lengths))

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the lines; values that are no numbers are categories, which no line joins."""
        with self._canvas(ax) as ax:
            places, is_ordered = self._scale(ax)
            self.lines_: list[Line2D] = []
            self.bars_: list[ErrorbarContainer] = []
            for number, (x, scores) in enumerate(zip(places, self.scores, strict=True)):
                style = series_style(number)
                if not is_ordered:
                    style["linestyle"] = "none"
                self.lines_ += ax.plot(x, scores, **style)
                lengths = np.nan_to_num(np.abs(self.intervals[number].T - scores), posinf=np.inf)
                look = {"fmt": "none", "ecolor": style["color"], "elinewidth": 1.0, "capsize": 2.5}
                self.bars_.append(ax.errorbar(x, scores, yerr=lengths, **look))
            points = np.concatenate([np.asarray(line.get_xydata()) for line in self.lines_])
            self.best_: Line2D
            ring = {"markersize": 11, "markerfacecolor": "none", "markeredgecolor": text_color(ax)}
            (self.best_,) = ax.plot(*points[np.nanargmax(points[:, 1])], marker="o", **ring)
            ax.set_xlabel(self.param, parse_math=False)
            ax.set_ylabel(self.label, parse_math=False)
            name_lines(ax, self.lines_, self.names)
        return self

    def _scale(self, ax: Axes) -> tuple[list[FloatArray], bool]:
        """Set scale and ticks; places of the values, and whether these are numbers."""
        # Side by side, so that intervals do not cover each other.
        shifts = np.arange(len(self.values)) - (len(self.values) - 1) / 2
        values = [value for line in self.values for value in line]
        if not all(map(_is_number, values)):
            words = list(dict.fromkeys(map(_shown, values)))
            ax.set_xticks(range(len(words)), words, parse_math=False)
            ax.set_xlim(-0.5, len(words) - 0.5)
            lines = [np.array([words.index(_shown(one)) for one in own]) for own in self.values]
            return [line + 0.06 * shift for line, shift in zip(lines, shifts, strict=True)], False
        lines = [np.array(line, dtype=np.float64) for line in self.values]
        numbers = np.unique(np.concatenate(lines))
        least, most, steps = numbers[0], numbers[-1], np.diff(numbers)
        grows = len(steps) > 1 and steps.max() > 4 * steps.min()
        is_log = grows and least > 0 and most / least >= _MANY_TIMES
        moves = shifts * 0.015
        if is_log:
            ax.set_xscale("log")
            places = [
                line * (most / least) ** move for line, move in zip(lines, moves, strict=True)
            ]
        else:
            places = [line + move * (most - least) for line, move in zip(lines, moves, strict=True)]
        if len(numbers) <= _MOST_TICKS and (is_log or not grows):
            ax.set_xticks(numbers, [f"{number:g}" for number in numbers])
            ax.set_xticks([], minor=True)
        return places, True

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
    ) -> Self:
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
        """
        level = check_share(level, "level", cls.__name__)
        columns = [name[len(_MEAN) :] for name in cv_results if name.startswith(_MEAN)]
        spread = {f"{name}_{kind}" for name in columns for kind in ("se", "queries")}
        scores = [name for name in columns if name not in spread]
        if "params" not in cv_results or not scores:
            msg = "cv_results has no params and mean_test_ columns; pass cv_results_ of a search"
            raise InvalidParameterError(msg)
        only = scores[0] if measure is None and len(scores) == 1 else measure
        score = check_option(only, "measure", tuple(scores), cls.__name__)
        params = list(cv_results["params"])
        known = tuple(dict.fromkeys(key for one in params for key in one))
        check_option(param, "param", known, cls.__name__)
        check_option(param if lines is None else lines, "lines", known, cls.__name__)
        means = np.asarray(cv_results[f"{_MEAN}{score}"], dtype=np.float64)
        intervals = _intervals(cv_results, score, means, level)
        # Candidates equal to the best but for the two parameters, by their value of ``lines``.
        texts = [{name: _shown(value) for name, value in one.items()} for one in params]
        best = texts[int(np.nanargmax(means))]
        shown: dict[str, list[int]] = {}
        for number, one in enumerate(texts):
            others = {*one, *best} - {param, lines}
            if param in one and all(one.get(name) == best.get(name) for name in others):
                line = "" if lines is None else f"{lines} = {one.get(lines)}"
                shown.setdefault(line, []).append(number)
        for numbers in shown.values():
            if all(_is_number(params[number][param]) for number in numbers):
                numbers.sort(key=lambda number: float(params[number][param]))
        title = "mean over folds" if score == "score" else f"{score}, mean over folds"
        over = "queries" if f"{_MEAN}{score}_se" in cv_results else "folds"
        display = cls(
            values=[[params[number][param] for number in numbers] for numbers in shown.values()],
            scores=[means[numbers] for numbers in shown.values()],
            intervals=[intervals[numbers] for numbers in shown.values()],
            param=param,
            label=f"{title}\n({level:.0%} interval over {over})",
            names=None if lines is None else list(shown),
        )
        return display.plot(ax)


def _intervals(
    results: Mapping[str, Any], score: str, means: FloatArray, level: float
) -> FloatArray:
    """(n_candidates, 2) Student's t, over queries if their spread is known, else over folds."""
    from scipy.special import stdtrit

    def folds(name: str) -> FloatArray:
        """(n_folds, n_candidates) of a score."""
        columns: list[FloatArray] = []
        while (column := f"split{len(columns)}_test_{name}") in results:
            columns.append(np.asarray(results[column], dtype=np.float64))
        return np.array(columns).reshape(len(columns), len(means))

    if f"{_MEAN}{score}_se" in results:
        # Standard error of the mean of the folds, whose queries differ, and Welch's degrees.
        errors, counts = folds(f"{score}_se"), folds(f"{score}_queries")
        variances = (errors / len(errors)) ** 2
        total = variances.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            degrees = total**2 / (variances**2 / (counts - 1)).sum(axis=0)
        error, degrees = np.sqrt(total), np.where(total > 0, degrees, 1.0)
    else:
        scores = folds(score)
        count = len(scores)
        spread = scores.std(axis=0, ddof=1) if count > 1 else np.full(len(means), np.nan)
        error, degrees = spread / np.sqrt(max(count, 1)), np.full(len(means), count - 1.0)
    reach = stdtrit(degrees, (1 + level) / 2) * error
    return np.stack((means - reach, means + reach), axis=1)


def _shown(value: Any) -> str:
    return safe_text(value if isinstance(value, str) else repr(value), limit=40)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
