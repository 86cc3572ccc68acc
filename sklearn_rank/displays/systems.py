"""What the displays read: evaluations of systems, and the measures that they show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.evaluation.further import with_measures
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.arrays import refuse_unordered
from sklearn_rank.support.parameters import check_cutoff
from sklearn_rank.support.text import closest, listed, safe_repr
from sklearn_rank.typing import FloatArray


class Systems(NamedTuple):
    """Evaluations with the names of their systems; None where there is nothing to tell apart."""

    evaluations: list[Evaluation]
    names: list[str] | None


def read_systems(evaluations: Any, names: Any, owner: str) -> Systems:
    """One evaluation, or several by name."""
    if isinstance(evaluations, Evaluation):
        return Systems([evaluations], check_names(names, 1))
    if not isinstance(evaluations, Mapping):
        msg = (
            f"{owner} takes a result of evaluate, or several as {{name: result}}, got "
            f"{safe_repr(evaluations)}"
        )
        raise TypeError(msg)
    if not evaluations:
        msg = f"{owner} needs at least one evaluation, got an empty dictionary"
        raise InvalidParameterError(msg)
    for name, evaluation in evaluations.items():
        if not isinstance(evaluation, Evaluation):
            msg = (
                f"{owner} takes results of evaluate, got {safe_repr(evaluation)} for "
                f"{safe_repr(name)}"
            )
            raise TypeError(msg)
    listed = list(evaluations.values())
    keys = [str(name) for name in evaluations]
    return Systems(listed, keys if names is None else check_names(names, len(listed)))


def check_names(names: Any, count: int) -> list[str] | None:
    """A name for each curve, if there are any."""
    if names is None:
        return None
    refuse_unordered(names, "names")
    if len(names) != count:
        msg = f"names must hold one label for each curve ({count}), got {len(names)}"
        raise ValueError(msg)
    return [str(name) for name in names]


def check_styles(given: Any, count: int) -> list[Mapping[str, Any]]:
    """Keywords of the artists of each curve."""
    if given is None or isinstance(given, Mapping):
        return [given or {}] * count
    if not isinstance(given, (list, tuple)) or len(given) != count:
        msg = (
            f"curve_kwargs must be None, a dictionary or a list of length {count}. "
            f"Got: {safe_repr(given)}"
        )
        raise ValueError(msg)
    return list(given)


def measure_of(evaluation: Evaluation, measure: str | Measure | None) -> Measure:
    """The measure that is meant, as the evaluation computed it; None is its first.

    Where the evaluation has the metric with another cutoff, its parameters are taken: they may be
    those of a convention.
    """
    if measure is None:
        return evaluation.measures[0]
    wanted = read_measure(measure)
    for known in evaluation.measures:
        if known.metric is wanted.metric and wanted.agrees_with(known):
            return replace(known, k=wanted.k)
    return wanted


def with_measure(evaluation: Evaluation, measures: Sequence[Measure]) -> Evaluation:
    """The evaluation itself if it has the measures, else one of the same rankings that has."""
    if all(measure in evaluation.measures for measure in measures):
        return evaluation
    return with_measures(evaluation, measures)


def spelling_in(evaluation: Evaluation, measure: Measure) -> str:
    """Name under which an evaluation has a measure."""
    return list(evaluation)[evaluation.measures.index(measure)]


def values_per_query(evaluation: Evaluation, measure: Measure) -> FloatArray:
    """Values of a measure, evaluated or not; InvalidParameterError for a pooled one."""
    measured = with_measure(evaluation, [measure])
    return measured.per_query[spelling_in(measured, measure)]


def check_system(comparison: Comparison, system: str | None) -> str:
    """Name of a system beside the baseline; None is the first."""
    if system is None:
        return comparison.others[0]
    if system not in comparison.others:
        msg = (
            f"the comparison has no system {safe_repr(system)}"
            f"{closest(str(system), comparison.others)}; beside {safe_repr(comparison.baseline)} "
            f"there is: {listed(comparison.others)}"
        )
        raise InvalidParameterError(msg)
    return system


def check_last_cutoff(k: Any, owner: str) -> int:
    """A number of ranks."""
    last = check_cutoff(k, owner)
    if last is None:
        msg = f"The 'k' parameter of {owner} must be an int of at least 1. Got None instead."
        raise InvalidParameterError(msg)
    return last


def check_cutoffs(k: Any, owner: str) -> list[int]:
    """Cutoffs 1, 2, ..., k of a number; rising ones as given."""
    if not isinstance(k, Iterable) or isinstance(k, str):
        return list(range(1, check_last_cutoff(k, owner) + 1))
    cutoffs = [check_last_cutoff(cutoff, owner) for cutoff in k]
    if not cutoffs or sorted(set(cutoffs)) != cutoffs:
        msg = f"k must be a number of ranks, or such numbers in rising order, got {safe_repr(k)}"
        raise InvalidParameterError(msg)
    return cutoffs
