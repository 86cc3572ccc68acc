"""Evaluations for displays: of what an estimator ranks, and of rankings as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_rank.evaluation.averaging import average, warn_of_undefined
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.model_selection.options import OPTION_NAMES, ScorerOptions
from sklearn_rank.model_selection.reading import read_call
from sklearn_rank.model_selection.responses import Responses
from sklearn_rank.support.text import closest, safe_repr

Measures = Sequence[str | Measure]


def display_options(given: Mapping[str, Any], owner: str) -> ScorerOptions:
    """Options by name; unknown names are refused with those that there are."""
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
    measures: Measures,
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
    measures: Measures,
    *,
    called: str,
    zero_division: Any = "warn",
    **reading: Any,
) -> Evaluation:
    """Evaluation by measures that are undefined for the same queries.

    One warning speaks for all of them, and of what they are ``called`` together.
    """
    warns = isinstance(zero_division, str) and zero_division == "warn"
    evaluation = evaluate(
        y_true,
        y_score,
        measures,
        zero_division=math.nan if warns else zero_division,
        **reading,
    )
    if warns:
        _warn_of_undefined(evaluation, called)
    return evaluation


def _warn_of_undefined(evaluation: Evaluation, called: str) -> None:
    mean = average(
        np.sum(list(evaluation.per_query.values()), axis=0),
        None,
        zero_division="warn",
        measure=called,
        query_ids=evaluation.query_ids,
    )
    warn_of_undefined({called: mean})
