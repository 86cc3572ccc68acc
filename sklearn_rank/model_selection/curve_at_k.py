"""Precision and recall at each cutoff: of rankings, and of what an estimator ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sklearn_rank.evaluation.averaging import average, warn_of_undefined
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError
from sklearn_rank.model_selection.options import OPTION_NAMES, ScorerOptions
from sklearn_rank.model_selection.reading import read_call
from sklearn_rank.model_selection.responses import Responses
from sklearn_rank.support.parameters import check_cutoff
from sklearn_rank.support.text import closest, safe_repr
from sklearn_rank.typing import FloatArray, StringProvider, ZeroDivision

OWNER = "PrecisionRecallAtKDisplay"
"""Name in errors: callers know the display, not this module."""

Curve = tuple[FloatArray, FloatArray]
"""Mean precision and mean recall at the cutoffs 1, 2, ..., each of shape (n_cutoffs,)."""


def curve_options(given: Mapping[str, Any]) -> ScorerOptions:
    """Options by name; unknown names are refused with those that there are."""
    unknown = [name for name in given if name not in OPTION_NAMES]
    if unknown:
        meant = closest(unknown[0], ("groups", *OPTION_NAMES))
        msg = (
            f"{OWNER} has no option {safe_repr(unknown[0])}{meant}; its options are: "
            f"{', '.join(OPTION_NAMES)}"
        )
        raise InvalidParameterError(msg)
    return ScorerOptions(**given)


def curve_of_estimator(
    estimator: Any, X: Any, y: Any, groups: Any, k: int, options: ScorerOptions
) -> Curve:
    """The curve of what a fitted estimator ranks, read as scorers read it."""
    last = _last_cutoff(k)
    read = read_call(Responses(estimator, X), y, groups, options, owner=OWNER)
    try:
        return curve_of_rankings(
            read.y,
            read.scores,
            None if read.queries is None else read.queries.ids,
            last,
            options.string_provider,
            options.zero_division,
            options.ties,
        )
    except TypeError as error:
        # The class that scorers raise for objects of the wrong kind.
        raise RankingConfigError(str(error)) from error


def _last_cutoff(k: Any) -> int:
    last = check_cutoff(k, OWNER)
    if last is None:
        msg = f"The 'k' parameter of {OWNER} must be an int of at least 1. Got None instead."
        raise InvalidParameterError(msg)
    return last


def curve_of_rankings(
    y_true: Any,
    y_score: Any,
    groups: Any,
    k: int,
    string_provider: StringProvider | None,
    zero_division: ZeroDivision,
    ties: Any = None,
) -> Curve:
    """Mean precision and recall at the cutoffs 1, 2, ..., k."""
    last = _last_cutoff(k)
    names = [
        f"{measure}@{cutoff}"
        for measure in ("precision", "recall")
        for cutoff in range(1, last + 1)
    ]
    warns = isinstance(zero_division, str) and zero_division == "warn"
    evaluation = evaluate(
        y_true,
        y_score,
        names,
        groups=groups,
        string_provider=string_provider,
        zero_division=math.nan if warns else zero_division,
        ties=ties,
    )
    if warns:
        _warn_of_undefined(evaluation)
    values = np.array([evaluation[name] for name in names])
    return values[:last], values[last:]


def _warn_of_undefined(evaluation: Evaluation) -> None:
    """One warning for all measures of a curve, in the words of a single measure."""
    measure = "precision or recall"
    mean = average(
        np.sum(list(evaluation.per_query.values()), axis=0),
        None,
        zero_division="warn",
        measure=measure,
        query_ids=evaluation.query_ids,
    )
    warn_of_undefined({measure: mean})
