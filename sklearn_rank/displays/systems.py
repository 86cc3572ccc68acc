"""Input of the displays: evaluations of systems, rankings or estimators, and their measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank.comparison.result import Comparison
from sklearn_rank.evaluation.averaging import average, warn_of_undefined
from sklearn_rank.evaluation.evaluate import evaluate, with_measures
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.model_selection.options import OPTION_NAMES, ScorerOptions
from sklearn_rank.model_selection.reading import Responses, read_call
from sklearn_rank.support.checks import check_cutoff, refuse_unordered
from sklearn_rank.support.text import closest, format_list, safe_repr
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
    for name, evaluation in evaluations.items():
        if not isinstance(evaluation, Evaluation):
            msg = (
                f"{owner} takes results of evaluate, got {safe_repr(evaluation)} for "
                f"{safe_repr(name)}"
            )
            raise TypeError(msg)
    keys = [str(name) for name in evaluations] if names is None else names
    return list(evaluations.values()), check_names(keys, len(evaluations))


def check_names(names: Any, count: int) -> list[str] | None:
    """One name for each curve, or None."""
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


def with_measure(evaluation: Evaluation, measures: Sequence[Measure]) -> Evaluation:
    """The same rankings by these measures; the evaluation itself if it has them."""
    if all(measure in evaluation.measures for measure in measures):
        return evaluation
    return with_measures(evaluation, measures)


def spelling_in(evaluation: Evaluation, measure: Measure) -> str:
    """Spelling of a measure in an evaluation."""
    return list(evaluation)[evaluation.measures.index(measure)]


def values_per_query(evaluation: Evaluation, measure: Measure) -> FloatArray:
    """Values of a measure, evaluated before or not; InvalidParameterError if it is pooled."""
    measured = with_measure(evaluation, [measure])
    return measured.per_query[spelling_in(measured, measure)]


def check_system(comparison: Comparison, system: str | None) -> str:
    """A system other than the baseline; None takes the first."""
    if system is None:
        return comparison.others[0]
    if system not in comparison.others:
        msg = (
            f"the comparison has no system {safe_repr(system)}"
            f"{closest(str(system), comparison.others)}; beside {safe_repr(comparison.baseline)} "
            f"there is: {format_list(comparison.others)}"
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


def display_options(given: Mapping[str, Any], owner: str) -> ScorerOptions:
    """Options of a scorer by name."""
    unknown = [name for name in given if name not in OPTION_NAMES]
    if unknown:
        meant = closest(unknown[0], ("groups", *OPTION_NAMES))
        msg = (
            f"{owner} has no option {safe_repr(unknown[0])}{meant}; its options are: "
            f"{', '.join(OPTION_NAMES)}"
        )
        raise InvalidParameterError(msg)
    return ScorerOptions(**given)


def evaluation_of_estimator(
    estimator: Any,
    X: Any,
    y: Any,
    groups: Any,
    measures: Sequence[str | Measure],
    options: ScorerOptions,
    *,
    owner: str,
    called: str,
) -> Evaluation:
    """Evaluation of what a fitted estimator ranks, read as scorers read it."""
    read = read_call(Responses(estimator, X), y, groups, options, owner=owner)
    try:
        return evaluation_of_rankings(
            read.y,
            read.scores,
            measures,
            called=called,
            groups=None if read.queries is None else read.queries.ids,
            string_provider=options.string_provider,
            zero_division=options.zero_division,
            ties=options.ties,
        )
    except TypeError as error:
        # The class that scorers raise for objects of the wrong kind.
        raise RankingConfigError(str(error)) from error


def evaluation_of_rankings(
    y_true: Any,
    y_score: Any,
    measures: Sequence[str | Measure],
    *,
    called: str,
    zero_division: Any = "warn",
    **reading: Any,
) -> Evaluation:
    """Evaluation by measures with one warning of undefined queries, under the name ``called``."""
    warns = isinstance(zero_division, str) and zero_division == "warn"
    evaluation = evaluate(
        y_true,
        y_score,
        measures,
        zero_division=math.nan if warns else zero_division,
        **reading,
    )
    if warns:
        mean = average(
            np.sum(list(evaluation.per_query.values()), axis=0),
            None,
            zero_division="warn",
            measure=called,
            query_ids=evaluation.query_ids,
        )
        warn_of_undefined({called: mean})
    return evaluation
