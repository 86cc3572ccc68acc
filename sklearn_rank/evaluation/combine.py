"""Averages of evaluations over data sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from sklearn_rank import exceptions
from sklearn_rank.evaluation.averaging import Average
from sklearn_rank.evaluation.compute import Scored, find_measure
from sklearn_rank.evaluation.result import Evaluation, check_same_measures
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.measures.catalogue import Measure, Metric
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.measures.own import measure_from
from sklearn_rank.support.checks import (
    check_integer,
    check_number,
    check_option,
    check_weights,
    refuse_value,
)
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.tables.formats import Tabular
from sklearn_rank.tables.table import Cell, Column, Table, number_cell, text_cell

__all__ = ["Combination", "combine"]


def combine(
    evaluations: Mapping[str, Evaluation | Mapping[str, Any]],
    *,
    average: Literal["macro", "weighted"] = "macro",
    weights: Mapping[str, float] | None = None,
) -> Combination:
    """Average of evaluations over data sets.

    Parameters
    ----------
    evaluations : mapping of str to Evaluation or to dict
        By data set (project, market, language), of the same measures. A dict is a result of
        :meth:`Evaluation.to_dict`, which may have been stored as JSON.
    average : {"macro", "weighted"}, default="macro"
        Data sets count alike, or by their number of relevant items; of one ground truth that all
        queries share by its size, found or not.
    weights : mapping of str to float, default=None
        Weight of each data set, at least 0, instead of ``average``.

    Returns
    -------
    combination : Combination
        A measure's mean over the data sets for which it is defined; NaN if it is for none.

    Raises
    ------
    InvalidParameterError
        If there is none, they have different measures, or the weights are not those of the data
        sets.

    Warns
    -----
    UndefinedMetricWarning
        If a measure is undefined for a data set, which is left out of the mean.

    References
    ----------
    .. [1] ArDoCo, https://github.com/ArDoCo/Metrics, weighs projects by the size of their gold
       standard. There the average of AUC is not divided by the weights; here every mean is.

    Examples
    --------
    >>> from sklearn_rank import combine, evaluate
    >>> small = evaluate({"q1": {"a"}}, {"q1": ["b", "a"]}, "map")
    >>> large = evaluate({"q1": {"a", "b", "c"}}, {"q1": ["a", "b", "c"]}, "map")
    >>> combine({"small": small, "large": large})["map"]  # (1/2 + 1) / 2
    0.75
    >>> combine({"small": small, "large": large}, average="weighted")["map"]  # (1/2 + 3) / 4
    0.875
    >>> combine({"small": small.to_dict(), "large": large}, weights={"small": 3, "large": 1})["map"]
    0.625
    """
    check_option(average, "average", ("macro", "weighted"), "combine")
    if not isinstance(evaluations, Mapping) or not evaluations:
        kind = "an empty one" if isinstance(evaluations, Mapping) else type(evaluations).__name__
        msg = f"evaluations must be a non-empty {{name: evaluation}}, got {kind}"
        raise InvalidParameterError(msg)
    live = [part for part in evaluations.values() if isinstance(part, Evaluation)]
    known = {str(measure): measure for part in live for measure in part.measures}
    parts = {name: _read(part, known) for name, part in evaluations.items()}
    check_same_measures(list(parts.values()))
    given = None
    if weights is not None:
        names = set(weights) if isinstance(weights, Mapping) else set()
        if average != "macro" or names != set(parts):
            msg = (
                "weights takes the place of average and has the names of evaluations: got "
                f"{safe_repr(weights)} with average={average!r} for {format_list(parts)}"
            )
            raise InvalidParameterError(msg)
        where = [safe_repr(name) for name in parts].__getitem__
        values = check_weights(
            [weights[name] for name in parts], len(parts), "weights", where=where
        )
        given = dict(zip(parts, values.tolist(), strict=True))
    combination = Combination(
        dict(evaluations), average if given is None else "given", parts, given
    )
    left_out = []
    for name in combination:
        labels = [label for label, part in parts.items() if math.isnan(part.scores[name])]
        if labels:
            left_out.append(f"{name} for {format_list(labels)}")
    if left_out:
        empty = [name for name, value in combination.scores.items() if math.isnan(value)]
        end = f"; NaN is the mean of {format_list(empty)}" if empty else ""
        warn(
            f"undefined, and left out of the mean: {'; '.join(left_out)}{end}",
            exceptions.UndefinedMetricWarning,
        )
    return combination


class _Part(NamedTuple):
    """Means of one data set."""

    scored: Mapping[str, Scored]
    """By these names the measures are found; of stored ones without values."""
    scores: Mapping[str, float]
    n_relevant: int

    @property
    def measures(self) -> list[Measure]:
        return [scored.measure for scored in self.scored.values()]


def _named(name: str, known: Mapping[str, Measure]) -> Measure:
    """The measure that a stored name means; any other is one of the caller, and unknown here."""
    try:
        return known.get(name) or read_measure(name)
    except UnknownMeasureError:
        return measure_from(name, range=(-math.inf, math.inf))


def _score(value: Any, name: str, metric: Metric) -> float:
    """A stored score; ValueError where no such measure has it."""
    if value is None:
        return math.nan
    number = check_number(value, name, "combine", at_least=metric.lower)
    if number > metric.upper:
        refuse_value(value, name, "combine", f"at most {metric.upper:g}")
    return float(number)


def _n_relevant(counts: Mapping[str, Any]) -> int:
    """Relevant items of all queries, and unretrieved ones of a shared ground truth."""
    numbers = (counts["relevant"], counts.get("missed", 0))
    named = zip(numbers, ("relevant", "missed"), strict=True)
    return sum(check_integer(number, name, "combine", at_least=0) for number, name in named)


def _read(part: Any, known: Mapping[str, Measure]) -> _Part:
    """An evaluation, or one that was stored; TypeError for anything else."""
    if isinstance(part, Evaluation):
        return _Part(part._scored, part.scores, _n_relevant(part.counts))
    try:
        named = {name: _named(name, known) for name in part["measures"].values()}
        given = [part["scores"][key] for key in part["measures"]]
        pairs = zip(given, named.items(), strict=True)
        values = [_score(one, name, measure.metric) for one, (name, measure) in pairs]
        n_relevant = _n_relevant(part["counts"])
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        msg = (
            "evaluations must hold results of evaluate, or what their to_dict() returned, got "
            f"{safe_repr(part)}"
        )
        raise TypeError(msg) from error
    scores = dict(zip(named, values, strict=True))
    scored = {
        name: Scored(one, None, None, Average(scores[name], 0, 0), math.nan)
        for name, one in named.items()
    }
    return _Part(scored, scores, n_relevant)


@dataclass(frozen=True, repr=False, eq=False)
class Combination(Tabular, Mapping[str, float]):
    """Means of measures over data sets; as a mapping it takes any spelling of a measure.

    Attributes
    ----------
    evaluations : dict of str to Evaluation or to dict
        By data set.
    average : {"macro", "weighted", "given"}
        How data sets count.
    """

    evaluations: dict[str, Evaluation | Mapping[str, Any]]
    average: Literal["macro", "weighted", "given"]
    _parts: Mapping[str, _Part]
    _weights: Mapping[str, float] | None = None
    _ROWS = ("data sets",)

    @cached_property
    def weights(self) -> dict[str, float]:
        """Weight of each data set: 1, its number of relevant items, or as given."""
        if self._weights is not None:
            return dict(self._weights)
        if self.average == "macro":
            return dict.fromkeys(self._parts, 1)
        return {name: part.n_relevant for name, part in self._parts.items()}

    @cached_property
    def scores(self) -> dict[str, float]:
        """Mean of each measure, by its requested spelling."""
        scores = {}
        for name in next(iter(self._parts.values())).scores:
            values = [part.scores[name] for part in self._parts.values()]
            pairs = zip(values, self.weights.values(), strict=True)
            defined = [(value, weight) for value, weight in pairs if not math.isnan(value)]
            # A power of two keeps sums of weights away from the ends of float64.
            power = -math.frexp(max((weight for _, weight in defined), default=0.0))[1]
            defined = [(value, math.ldexp(weight, power)) for value, weight in defined]
            total = sum(weight for _, weight in defined)
            summed = math.fsum(value * weight for value, weight in defined)
            scores[name] = summed / total if total else math.nan
        return scores

    def __getitem__(self, measure: str | Measure) -> float:
        if isinstance(measure, Measure) and measure.metric.is_own and str(measure) in self.scores:
            return self.scores[str(measure)]
        return self.scores[find_measure(measure, next(iter(self._parts.values())).scored)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def _table(self, rows: str) -> Table:  # noqa: ARG002
        numbers = (Column(name, "number") for name in self.scores)
        parts = [
            (
                text_cell(name),
                text_cell(f"{self.weights[name]:,.12g}"),
                *map(number_cell, part.scores.values()),
            )
            for name, part in self._parts.items()
        ]
        label = {"macro": "macro mean", "given": "mean by given weights"}.get(
            self.average, "weighted mean"
        )
        mean = text_cell(label), Cell(""), *map(number_cell, self.scores.values())
        return Table((Column("data set"), Column("weight", "number"), *numbers), (*parts, mean))
