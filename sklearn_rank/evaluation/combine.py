"""Averages of evaluations over data sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sklearn_rank import exceptions
from sklearn_rank.evaluation.compute import find_measure
from sklearn_rank.evaluation.result import Evaluation, check_same_measures
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.tables.formats import Tabular
from sklearn_rank.tables.table import Cell, Column, Table, count_cell, number_cell, text_cell

__all__ = ["Combination", "combine"]


def combine(
    evaluations: Mapping[str, Evaluation], *, average: Literal["macro", "weighted"] = "macro"
) -> Combination:
    """Average of evaluations over data sets.

    Parameters
    ----------
    evaluations : mapping of str to Evaluation
        By data set (project, market, language), of the same measures.
    average : {"macro", "weighted"}, default="macro"
        Data sets count alike, or by their number of relevant items.

    Returns
    -------
    combination : Combination
        A measure's mean over the data sets for which it is defined; NaN if it is for none.

    Raises
    ------
    InvalidParameterError
        If there is none, or they have different measures.

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
    """
    check_option(average, "average", ("macro", "weighted"), "combine")
    if not isinstance(evaluations, Mapping) or not evaluations:
        msg = f"evaluations must be a non-empty {{name: evaluation}}, got {safe_repr(evaluations)}"
        raise InvalidParameterError(msg)
    check_same_measures(list(evaluations.values()), "evaluations must hold")
    combination = Combination(dict(evaluations), average)
    left_out = []
    for name in combination:
        labels = [label for label, part in evaluations.items() if math.isnan(part.scores[name])]
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


@dataclass(frozen=True, repr=False, eq=False)
class Combination(Tabular, Mapping[str, float]):
    """Means of measures over data sets; as a mapping it takes any spelling of a measure.

    Attributes
    ----------
    evaluations : dict of str to Evaluation
        By data set.
    average : {"macro", "weighted"}
        How data sets count.
    """

    evaluations: dict[str, Evaluation]
    average: Literal["macro", "weighted"]
    _ROWS = ("data sets",)

    @cached_property
    def weights(self) -> dict[str, int]:
        """Weight of each data set: 1, or its number of relevant items."""
        if self.average == "macro":
            return dict.fromkeys(self.evaluations, 1)
        return {name: part.counts["relevant"] for name, part in self.evaluations.items()}

    @cached_property
    def scores(self) -> dict[str, float]:
        """Mean of each measure, by its requested spelling."""
        scores = {}
        for name in next(iter(self.evaluations.values())).scores:
            values = [part.scores[name] for part in self.evaluations.values()]
            pairs = zip(values, self.weights.values(), strict=True)
            defined = [(value, weight) for value, weight in pairs if not math.isnan(value)]
            total = sum(weight for _, weight in defined)
            summed = math.fsum(value * weight for value, weight in defined)
            scores[name] = summed / total if total else math.nan
        return scores

    def __getitem__(self, measure: str | Measure) -> float:
        first = next(iter(self.evaluations.values()))
        return self.scores[find_measure(measure, first._scored)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def _table(self, rows: str) -> Table:  # noqa: ARG002
        numbers = (Column(name, "number") for name in self.scores)
        parts = [
            (
                text_cell(name),
                count_cell(self.weights[name]),
                *map(number_cell, part.scores.values()),
            )
            for name, part in self.evaluations.items()
        ]
        mean = text_cell(f"{self.average} mean"), Cell(""), *map(number_cell, self.scores.values())
        return Table((Column("data set"), Column("weight", "number"), *numbers), (*parts, mean))
