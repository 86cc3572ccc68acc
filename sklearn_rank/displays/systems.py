"""Input of the displays: evaluations of systems, their measures, and arrays of a caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank.evaluation.evaluate import with_measures
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.checks import refuse_unordered
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray


def read_systems(
    evaluations: Any, names: Any, owner: str
) -> tuple[list[Evaluation], list[str] | None]:
    """Evaluations and names of their systems; one evaluation needs no name."""
    if isinstance(evaluations, Evaluation):
        return [evaluations], check_names(names, 1)
    if not isinstance(evaluations, Mapping):
        msg = (
            f"{owner} takes a result of evaluate, or several as {{name: result}}, got "
            f"{safe_repr(evaluations)}"
        )
        raise TypeError(msg)
    if not evaluations:
        msg = f"{owner} needs at least one evaluation, got an empty dictionary"
        raise InvalidParameterError(msg)
    for name, system in evaluations.items():
        if not isinstance(system, Evaluation):
            msg = (
                f"{owner} takes results of evaluate, got {safe_repr(system)} for {safe_repr(name)}"
            )
            raise TypeError(msg)
    keys = [str(name) for name in evaluations] if names is None else names
    return list(evaluations.values()), check_names(keys, len(evaluations))


def check_names(names: Any, count: int) -> list[str] | None:
    """One name for each line, or None."""
    if names is None:
        return None
    refuse_unordered(names, "names")
    if len(names) != count:
        msg = f"names must hold one label for each curve ({count}), got {len(names)}"
        raise ValueError(msg)
    return [str(name) for name in names]


def check_styles(given: Any, count: int) -> list[Mapping[str, Any]]:
    """Keywords of the artists of each line."""
    if given is None or isinstance(given, Mapping):
        return [given or {}] * count
    if not isinstance(given, (list, tuple)) or len(given) != count:
        msg = (
            f"curve_kwargs must be None, a dictionary or a list of length {count}. "
            f"Got: {safe_repr(given)}"
        )
        raise ValueError(msg)
    return list(given)


def read_arrays(
    name: str, given: Sequence[Any], shapes: Sequence[tuple[int, ...]]
) -> list[FloatArray]:
    """One array of each shape."""
    if len(given) != len(shapes):
        msg = f"{name} must hold {len(shapes)} arrays, one for each line, got {len(given)}"
        raise ValueError(msg)
    arrays = [np.asarray(one, dtype=np.float64) for one in given]
    for array, shape in zip(arrays, shapes, strict=True):
        if array.shape != shape:
            msg = f"{name} holds an array of shape {array.shape}; here it has to be {shape}"
            raise ValueError(msg)
    return arrays


def measure_of(evaluation: Evaluation, measure: str | Measure | None) -> Measure:
    """A measure with the parameters by which the evaluation computed its metric.

    These may be those of a convention. None takes the first measure.
    """
    if measure is None:
        return evaluation.measures[0]
    wanted = read_measure(measure)
    for known in evaluation.measures:
        if known.metric is wanted.metric and wanted.agrees_with(known):
            return replace(known, k=wanted.k)
    return wanted


def with_measure(
    evaluation: Evaluation, measures: Sequence[Measure]
) -> tuple[Evaluation, list[str]]:
    """The same rankings by these measures, and the spelling of each in the result."""
    if not all(measure in evaluation.measures for measure in measures):
        evaluation = with_measures(evaluation, measures)
    spellings = list(evaluation)
    return evaluation, [spellings[evaluation.measures.index(measure)] for measure in measures]


def values_per_query(evaluation: Evaluation, measure: Measure) -> FloatArray:
    """Values of a measure, evaluated before or not; InvalidParameterError if it is pooled."""
    measured, (spelling,) = with_measure(evaluation, [measure])
    return measured.per_query[spelling]
