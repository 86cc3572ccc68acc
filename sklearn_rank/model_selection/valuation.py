"""What a scorer read, to the value of its measure; and what it warns of on the way."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank.evaluation.compute import Scored, score_measures
from sklearn_rank.evaluation.differences import told_differences
from sklearn_rank.exceptions import (
    ConventionWarning,
    InvalidParameterError,
    RankingConfigError,
    UndefinedMetricError,
    UndefinedMetricWarning,
)
from sklearn_rank.inputs.layouts import read_layout
from sklearn_rank.inputs.matrix import without_lowest
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.model_selection.options import ScorerOptions, as_asked
from sklearn_rank.model_selection.reading import Reading, read_call
from sklearn_rank.model_selection.responses import MethodCaller, Responses
from sklearn_rank.model_selection.shared import Asked, JudgedFold, Told, fold_of, shared_by
from sklearn_rank.model_selection.sklearn_frames import notes_of_search
from sklearn_rank.model_selection.warn_once import warn_once
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.runtime import Give, warnings_given_by
from sklearn_rank.support.text import listed


def scored_of(measure: Measure, asked: Asked, caller: MethodCaller, *, owner: str) -> Scored:
    """The measure of the queries that are asked about, with a mean that is a number."""
    options = asked.options
    policy, give = options.zero_division, partial(warn_once, key=(measure, options))
    shared = shared_by(caller)
    depth = measure.depth if shared is None else None  # the other scorers may read further
    fold = fold_of(shared, asked, partial(_read, asked, caller, owner, depth), give)
    judged = fold.judged
    for told in fold.faults:
        warn_once(*told)
    with warnings_given_by(give):
        scored = score_measures([measure], judged, math.nan if policy == "warn" else policy)[0]
    if math.isnan(scored.average.value):
        msg = f"{measure} is undefined for all {len(judged.query_ids):,} queries"
        raise UndefinedMetricError(msg)
    _warn_of_differences(measure, fold.read, judged, options)
    if policy == "warn" and scored.average.n_undefined:
        _warn_of_undefined(scored, judged, options, owner)
    return scored


def _read(
    asked: Asked, caller: MethodCaller, owner: str, depth: int | None, give: Give
) -> JudgedFold:
    """Ask the estimator, and judge what it answers."""
    read = read_call(
        Responses(asked.estimator, asked.X, caller),
        asked.y,
        asked.groups,
        asked.options,
        owner=owner,
        bound=asked.bound,
        passed_as=asked.passed_as,
    )
    told: list[Told] = []

    def note(message: str, category: type[Warning]) -> None:
        told.append((message, category))
        give(message, category)

    with warnings_given_by(note):
        judged = _judge(read, asked.query_weight, asked.options, depth)
    faults = []
    if read.queries is not None:
        faults = read.queries.faults(judged.query_ids, asked.estimator, asked.options)
    return JudgedFold(read, judged, told, faults)


def _judge(
    read: Reading, query_weight: Any, options: ScorerOptions, depth: int | None
) -> RankingData:
    preset, scores = options.preset, read.scores
    try:
        return read_layout(
            read.layout,
            read.y,
            without_lowest(read.y, scores) if preset.lowest == "masked" else scores,
            groups=None if read.queries is None else read.queries.ids,
            sample_weight=query_weight,
            string_provider=options.string_provider,
            ties=options.ties,
            missing=preset.missing,  # type: ignore[arg-type]
            negative_grades=preset.negative_grades,  # type: ignore[arg-type]
            depth=depth,
        )
    except InvalidParameterError:
        raise
    except TypeError as error:
        # Objects of the wrong kind: no other candidate of a search would fare better.
        raise RankingConfigError(str(error)) from error
    except ValueError as error:
        if "sample_weight" not in str(error):
            raise
        # Weights of the wrong kind likewise, by the name that they have here.
        text = str(error).replace("sample_weight", "query_weight")
        raise RankingConfigError(text) from error


def _warn_of_differences(
    measure: Measure, read: Reading, judged: RankingData, options: ScorerOptions
) -> None:
    """Say where the program of the convention counts these data otherwise."""
    if options.convention == "default":
        return
    for text in told_differences(
        options.preset,
        {str(as_asked(measure)): measure},
        judged,
        (read.y, read.scores),
        ties_are_given="ties" in (options.given or ()),
        # Folds differ in numbers, and one text is enough for all of them.
        numbers=notes_of_search() is None,
    ):
        warn_once(text, ConventionWarning, key=text)


def _warn_of_undefined(
    scored: Scored, judged: RankingData, options: ScorerOptions, owner: str
) -> None:
    """Name the queries that are left out; in a search, where folds differ, that there are."""
    which = "some queries of the folds"
    if notes_of_search() is None and scored.values is not None:
        undefined = np.isnan(scored.values)
        if judged.weights is not None:
            undefined &= judged.weights > 0
        ids = [judged.query_ids[place] for place in np.flatnonzero(undefined).tolist()]
        which = f"{len(ids):,} of {len(judged.query_ids):,} queries: {listed(ids)}"
    warn_once(
        f"{scored.measure} is undefined for {which}; they are left out of the mean. "
        f"{owner}.with_options(zero_division=...) says what they count: 0.0, 1.0, "
        "or np.nan to leave them out without this warning.",
        UndefinedMetricWarning,
        key=(scored.measure, options),
    )
