"""The table of a search as a picture: a measure against a parameter."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.displays.labels import name_lines
from sklearn_rank.displays.style import Display, series_style, text_color
from sklearn_rank.displays.systems import check_names, read_arrays
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.samples import check_share
from sklearn_rank.support.text import closest, format_list, safe_repr, safe_text
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
        """Draw the lines."""
        with self._canvas(ax) as ax:
            self.lines_: list[Line2D] = []
            self.bars_: list[ErrorbarContainer] = []
            for number, x in enumerate(_places(ax, self.values)):
                style, scores = series_style(number), self.scores[number]
                self.lines_ += ax.plot(x, scores, **style)
                lengths = np.nan_to_num(np.abs(self.intervals[number].T - scores), posinf=np.inf)
                look = {"fmt": "none", "ecolor": style["color"], "elinewidth": 1.0, "capsize": 2.5}
                self.bars_.append(ax.errorbar(x, scores, yerr=lengths, **look))
            points = np.concatenate([np.asarray(line.get_xydata()) for line in self.lines_])
            self.best_: Line2D
            (self.best_,) = ax.plot(
                *points[np.nanargmax(points[:, 1])],
                marker="o",
                markersize=11,
                markerfacecolor="none",
                markeredgecolor=text_color(ax),
            )
            ax.set_xlabel(self.param, parse_math=False)
            ax.set_ylabel(self.label, parse_math=False)
            name_lines(ax, self.lines_, self.names)
        return self

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
        score = _score_name(cv_results, measure)
        params = list(cv_results["params"])
        for name in (param, *([] if lines is None else [lines])):
            _check_known(name, dict.fromkeys(key for one in params for key in one), "parameter")
        means = np.asarray(cv_results[f"mean_test_{score}"], dtype=np.float64)
        intervals = _intervals(cv_results, score, means, level)
        # Candidates equal to the best but for the two parameters, by their value of ``lines``.
        best = params[int(np.nanargmax(means))]
        shown: dict[str, list[int]] = {}
        for number, one in enumerate(params):
            others = {*one, *best} - {param, lines}
            if param in one and all(_text(one, name) == _text(best, name) for name in others):
                line = "" if lines is None else f"{lines} = {_shown(one.get(lines))}"
                shown.setdefault(line, []).append(number)
        for numbers in shown.values():
            if all(_is_number(params[number][param]) for number in numbers):
                numbers.sort(key=lambda number: float(params[number][param]))
        title = "mean over folds" if score == "score" else f"{score}, mean over folds"
        over = "queries" if f"mean_test_{score}_se" in cv_results else "folds"
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

    if f"mean_test_{score}_se" in results:
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
        error, degrees = spread / math.sqrt(max(count, 1)), np.full(len(means), count - 1.0)
    reach = stdtrit(degrees, (1 + level) / 2) * error
    return np.stack((means - reach, means + reach), axis=1)


def _score_name(results: Mapping[str, Any], measure: str | None) -> str:
    prefix = "mean_test_"
    columns = [name.removeprefix(prefix) for name in results if name.startswith(prefix)]
    spread = {f"{name}_{what}" for name in columns for what in ("se", "queries")}
    known = [name for name in columns if name not in spread]
    if "params" not in results or not known:
        msg = "cv_results has no params and mean_test_ columns; pass cv_results_ of a fitted search"
        raise InvalidParameterError(msg)
    if measure is None and len(known) > 1:
        msg = f"the search has several scores: {format_list(known)}; name one of them by measure="
        raise InvalidParameterError(msg)
    if measure is not None:
        _check_known(measure, known, "score")
    return known[0] if measure is None else measure


def _check_known(name: Any, known: Collection[str], what: str) -> None:
    if name not in known:
        meant = closest(str(name), known)
        msg = f"the search has no {what} {safe_repr(name)}{meant}; it has: {format_list(known)}"
        raise InvalidParameterError(msg)


def _text(params: Mapping[str, Any], name: str) -> str | None:
    return _shown(params[name]) if name in params else None


def _shown(value: Any) -> str:
    return safe_text(value if isinstance(value, str) else repr(value), limit=40)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _places(ax: Axes, lines: Sequence[Sequence[Any]]) -> list[FloatArray]:
    """Places of the values on the axis, lines side by side; sets the ticks and the scale."""
    # Side by side, so that intervals do not cover each other.
    shifts = np.arange(len(lines)) - (len(lines) - 1) / 2
    values = [value for line in lines for value in line]
    if not all(map(_is_number, values)):
        words = list(dict.fromkeys(map(_shown, values)))
        ax.set_xticks(range(len(words)), words)
        for label in ax.get_xticklabels():
            label.set_parse_math(False)
        ax.set_xlim(-0.5, len(words) - 0.5)
        places = [np.array([words.index(_shown(value)) for value in line]) for line in lines]
        return [place + 0.06 * shift for place, shift in zip(places, shifts, strict=True)]
    places = [np.array(line, dtype=np.float64) for line in lines]
    numbers = np.unique(np.array(values, dtype=np.float64))
    least, most, steps = float(numbers[0]), float(numbers[-1]), np.diff(numbers)
    grows = len(steps) > 1 and steps.max() > 4 * steps.min()
    if not (grows and least > 0 and most / least >= _MANY_TIMES):
        apart = 0.015 * (most - least)
        return [place + apart * shift for place, shift in zip(places, shifts, strict=True)]
    ax.set_xscale("log")
    if len(numbers) <= _MOST_TICKS:
        ax.set_xticks(numbers, [f"{number:g}" for number in numbers])
        ax.set_xticks([], minor=True)
    factors = np.exp(shifts * 0.015 * math.log(most / least))
    return [place * factor for place, factor in zip(places, factors, strict=True)]
