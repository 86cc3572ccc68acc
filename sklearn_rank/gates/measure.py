"""Strict measuring: whatever ``evaluate`` leaves out or warns about is an error in a gate."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from sklearn_rank.comparison.baseline import key_of
from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.evaluation.evaluate import evaluate, with_measures
from sklearn_rank.evaluation.repeats import Repeats
from sklearn_rank.exceptions import (
    InvalidParameterError,
    RankingDataWarning,
    RankingMatchWarning,
    RankingOrderWarning,
    UndefinedMetricError,
)
from sklearn_rank.gates.limits import Arguments, Limits
from sklearn_rank.gates.verdict import RankGateFailure
from sklearn_rank.inputs.frames import as_tables, is_spark
from sklearn_rank.inputs.hints import swap_suspicion
from sklearn_rank.support.segments import segment_sum
from sklearn_rank.support.text import argument, called, count, format_list, safe_repr

_filters = threading.Lock()
"""``catch_warnings`` replaces filters of the whole process, and gates may run in threads."""


@dataclass
class Measured:
    """An evaluation without omissions, and its slices."""

    evaluation: BaseEvaluation
    slices: Mapping[str, tuple[list[int], BaseEvaluation]]
    """Positions of a slice's queries, and its evaluation, by label."""


def measure(y_true: Any, y_score: Any, arguments: Arguments) -> Measured:
    """Evaluate, or use an evaluation, and fail if anything is left out."""
    limits, reading = arguments.limits, arguments.reading
    if isinstance(y_true, BaseEvaluation):
        evaluation = _given(y_true, y_score, limits, reading)
    else:
        evaluation = _evaluated(y_true, y_score, limits, reading)
    counts = evaluation.counts
    if not counts["ranked"]:
        fail(f"could not measure: {_nothing_retrieved(evaluation)}")
    if counts["unjudged"]:
        have = count(counts["unjudged"], "ranked query has", "ranked queries have")
        names = ""
        if isinstance(y_true, Mapping) and isinstance(y_score, Mapping):
            names = f": {format_list([query for query in y_score if query not in y_true])}"
        text = f"{have} no judgements and would be left out{names}"
        _refuse(text, "unjudged", limits)
    swapped = swap_suspicion(evaluation.runs[0].ranking_data, y_true)
    if swapped:
        _refuse(swapped, "swapped", limits)
    for word, text in _left_out(evaluation, limits):
        _refuse(text, word, limits)
    return Measured(evaluation, slices_of(evaluation, limits.slices))


def _refuse(what: str, word: str, limits: Limits) -> None:
    """RankGateFailure that names the word to allow a problem, unless it is allowed."""
    if word not in limits.allow:
        fail(f"could not measure: {what}; pass {argument('allow', word)} if that is intended")


def fail(msg: str) -> NoReturn:
    """RankGateFailure."""
    raise RankGateFailure(msg)


def _given(
    evaluation: BaseEvaluation, y_score: Any, limits: Limits, reading: Mapping[str, Any]
) -> BaseEvaluation:
    """The caller's evaluation, with the measures of the limits."""
    if y_score is not None or reading:
        msg = "a gate on an Evaluation takes no y_score and no reading options: pass only limits"
        raise TypeError(msg)
    if evaluation.lacks_judgements:
        raise InvalidParameterError(evaluation.lacks_judgements)
    if any(str(measure) not in evaluation for measure in limits.measures):
        evaluation = with_measures(evaluation, limits.measures)
    for word, text in _gaps(evaluation):
        _refuse(text, word, limits)
    return evaluation


def _evaluated(
    y_true: Any, y_score: Any, limits: Limits, reading: Mapping[str, Any]
) -> BaseEvaluation:
    """The evaluation of data that is read strictly."""
    if y_score is None:
        msg = "y_score is missing; pass y_true and y_score, or only an Evaluation"
        raise TypeError(msg)
    # One word lets queries without a value be left out.
    undefined: Any = float("nan") if "undefined" in limits.allow else "raise"
    missing = "zero" if "missing" in limits.allow else "raise"
    options = {"zero_division": undefined, "missing": missing, **reading}
    in_spark = is_spark(y_true) or is_spark(y_score)
    if not in_spark and not isinstance(y_score, Repeats):
        labels = [
            option for option in (limits.slices, options.get("clusters")) if isinstance(option, str)
        ]
        y_true, y_score = as_tables(y_true, y_score, options.pop("columns", None), labels)
    # Only a baseline needs ids to leave Spark.
    options["keep_items"] = not in_spark or bool(limits.max_drop)
    try:
        with _filters, warnings.catch_warnings():
            # A doubt is shown and decides nothing, whatever filters are set; ids that match nothing
            # are refused below, in the words of a gate.
            warnings.simplefilter("default", RankingDataWarning)
            warnings.simplefilter("ignore", RankingMatchWarning)
            warnings.simplefilter("error", RankingOrderWarning)
            return evaluate(y_true, y_score, limits.measures, **options)
    except RankingOrderWarning as doubt:
        fail(f"could not measure: {doubt}")
    except UndefinedMetricError as error:
        hint = f"pass {argument('allow', 'undefined')} to leave such queries out of the mean"
        error.args = (f"{error}; {hint}",)
        raise


# Facts of an evaluation --------------------------------------------------------------------------


def slices_of(
    evaluation: BaseEvaluation, slices: Any
) -> dict[str, tuple[list[int], BaseEvaluation]]:
    """Positions of a slice's queries, and its evaluation, by label."""
    if slices is None:
        return {}
    parts = evaluation.by_slice(slices)
    if not parts:
        msg = "slices has no label for any of the queries; check that their ids match"
        raise InvalidParameterError(msg)
    named = {key_of(label): part for label, part in parts.items()}
    if len(named) < len(parts):
        msg = f"slices has labels that are the same as text: {format_list(parts)}; rename one"
        raise InvalidParameterError(msg)
    number_of = {query: number for number, query in enumerate(evaluation.query_ids)}
    return {
        label: ([number_of[query] for query in part.query_ids], part)
        for label, part in sorted(named.items())
    }


def has_ids(evaluation: BaseEvaluation) -> bool:
    """Whether items have ids; arrays grade and score every candidate."""
    return evaluation.reading.judgements is not None


def ranks_everything(evaluation: BaseEvaluation) -> bool:
    """Whether every ranking contains all items that any of them has, if that can be determined."""
    lengths, ids = evaluation.n_ranked, evaluation.item_ids
    if not has_ids(evaluation):
        return bool(evaluation.counts["retrieved"] == evaluation.counts["relevant"])
    if len(lengths) < 2 or int(lengths.min()) < int(lengths.max()) or ids is None:
        return False
    return len({item for items, _ in ids.rankings.values() for item in items}) == int(lengths[0])


def greatest(evaluation: BaseEvaluation, name: str) -> float:
    """Maximum of a measure for rankings of these lengths."""
    used, longest = evaluation.scored[name].measure, int(evaluation.n_ranked.max(initial=0))
    if used.metric.is_custom or used.metric.greater_is_better:
        return used.metric.upper
    return min(longest if used.k is None else min(used.k, longest), used.metric.upper)


# Gaps --------------------------------------------------------------------------------------------


def _nothing_retrieved(evaluation: BaseEvaluation) -> str:
    n = evaluation.counts["queries"]
    return f"nothing was retrieved: the rankings of all {n:,} queries are empty"


def refusals(evaluation: BaseEvaluation, limits: Limits) -> list[str]:
    """Why a gate would not measure these data; each reason names the word to allow it, if any."""
    if not evaluation.counts["ranked"]:
        return [_nothing_retrieved(evaluation)]
    unjudged, found = evaluation.counts["unjudged"], [*_gaps(evaluation)]
    if unjudged:
        have = count(unjudged, "ranked query has", "ranked queries have")
        found.append(("unjudged", f"{have} no judgements"))
    found += [pair for pair in _left_out(evaluation, limits) if pair[0] != "undefined"]
    return [
        f"{text}; pass {argument('allow', word)} if that is intended"
        for word, text in found
        if word not in limits.allow
    ]


def _gaps(evaluation: BaseEvaluation) -> Iterator[tuple[str, str]]:
    """Queries that an evaluation counts as empty or leaves out, each with the word to allow it."""
    counts = evaluation.counts
    if counts["missing"]:
        text = f"{counts['missing']:,} of {counts['queries']:,} judged queries have no ranking"
        yield "missing", text
    for name, n in counts["undefined"].items():
        if n:
            yield "undefined", f"{name} is undefined for {n:,} of {counts['queries']:,} queries"


_FOUND_BY = (
    "item of the shared ground truth was retrieved for",
    "items of the shared ground truth were retrieved for",
)


def _left_out(evaluation: BaseEvaluation, limits: Limits) -> Iterator[tuple[str, str]]:
    """Gaps in the measured data, each with the word that allows it."""
    counts, ids = evaluation.counts, evaluation.item_ids
    if counts["missed"]:
        yield "missed", f"{count(counts['missed'], *_FOUND_BY)} no query and would not count"
    if ids is not None and isinstance(ids.shared, (Mapping, Set)):
        n_rankings = Counter(
            item for items, _ in ids.rankings.values() for item in items if item in ids.shared
        )
        shared = [item for item, times in n_rankings.items() if times > 1]
        if shared:
            text = f"{count(len(shared), *_FOUND_BY)} several queries"
            yield "shared", f"{text} ({format_list(shared)}) and would count for each"
    n = counts["queries"]
    if not has_ids(evaluation) and counts["ranked"] == n:
        yield "single_rows", f"each of {n:,} queries has a single row: nothing is ranked"
    if counts["relevant"] and not counts["retrieved"]:
        queries = f"any of {n:,} queries" if n > 1 else "the only query"
        text = f"no relevant item was retrieved for {queries}"
        sides = f"{called('y_true')} and {called('y_score')}"
        yield "no_hits", f"{text}: do the ids of {sides} match?{_cause(evaluation)}"
    for text in _lost(evaluation) if "undefined" not in limits.allow else ():
        yield "undefined", text


def _cause(evaluation: BaseEvaluation) -> str:
    """Apparent difference between the ids of both sides, or an example of each."""
    if evaluation.hint:
        return f" ({evaluation.hint})"
    for placement in evaluation.placements():
        if placement.ranking and placement.not_retrieved:
            wanted, ranked = placement.not_retrieved[0], placement.ranking[0]
            return f" (such as {safe_repr(wanted)} and {safe_repr(ranked)})"
    return ""


def _lost(evaluation: BaseEvaluation) -> Iterator[str]:
    """Queries that retrieved nothing relevant, but would not count as failures in a measure."""
    for name, scored in evaluation.scored.items():
        used, settled = scored.measure, scored.zero_division
        metric = used.metric
        if used.is_pooled or metric.of_judgements or metric.of_results or metric.is_given:
            continue
        if settled == 0 and metric.greater_is_better:
            continue  # the worst value
        undefined = evaluation.is_undefined(name)
        if not undefined.any():
            continue
        rankings = evaluation.ranking_data.rankings.widened()
        least = used.options.get("min_rel") or 0.0
        wanted = segment_sum(rankings.relevant_grades >= least, rankings.relevant_offsets)
        n_hits = segment_sum(rankings.grades >= least, rankings.offsets)
        numbers = np.flatnonzero(undefined & (wanted > 0) & (n_hits == 0)).tolist()
        if numbers:
            ids = [evaluation.query_ids[number] for number in numbers]
            then = "count as perfect" if settled in (0, 1) else "be left out"
            have = "query has" if len(ids) == 1 else "queries have"
            yield (
                f"{len(ids):,} {have} relevant items, retrieved none of them and would {then}, "
                f"because {name} is undefined there ({format_list(ids)})"
            )
