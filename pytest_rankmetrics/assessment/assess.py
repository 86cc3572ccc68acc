"""From measured values to a result: every limit is assessed, and every violation reported."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Number
from typing import Any

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.compare import Change, Slice, compare_metrics, compare_slices
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.assessment.phrases import (
    allowed_change,
    averaged_queries,
    change_text,
    first_to_judge,
    interval_of,
    reach_of,
    short_threshold,
    slice_text,
    threshold_phrase,
    threshold_text,
    unconfirmed_text,
)
from pytest_rankmetrics.assessment.result import MetricResult
from pytest_rankmetrics.baseline.align import Alignment
from pytest_rankmetrics.measuring.evaluation import Reference, StrictEvaluation
from pytest_rankmetrics.policy.policy import Policy
from pytest_rankmetrics.policy.verdicts import (
    SLACK,
    TOO_FEW,
    UNJUDGED,
    UNKNOWN_UNJUDGED,
    Decision,
    Verdict,
    assess_ends,
    assess_threshold,
    severity,
)
from sklearn_rank.bounds.unjudged import Bounds

MOST_NAMED = 3
"""Items to judge in a headline; the command judge-next lists more."""


def assess(
    policy: Policy,
    measured: StrictEvaluation,
    reference: Reference | None = None,
    alignment: Alignment | None = None,
) -> Assessment:
    """Assess everything that a policy asks for."""
    assessment = Assessment(policy, measured, reference, alignment)
    _assess_queries(assessment)
    assess_limits(assessment, policy.limited)
    _find_slices(assessment)
    if reference is not None and len(reference.queries):
        _compare(assessment)
    _assess_unjudged(assessment)
    _assess_slices_fit(assessment)
    if alignment is not None:
        assessment.notes += alignment.notes
    if alignment is not None and alignment.stale:
        _assess_fit(assessment, alignment)
    _assess_metrics(assessment)
    _assess_slices(assessment)
    _assess_each_query(assessment)
    for text in measured.warnings:
        assessment.warn(text)
    return assessment


def _kind(query: Any) -> Any:
    """Kind of an id, such that ids of different kinds are never equal."""
    if isinstance(query, Number):
        return Number
    if isinstance(query, tuple):
        return tuple(map(_kind, query))
    return str if isinstance(query, str) else type(query)


def _assess_queries(assessment: Assessment) -> None:
    """Query sets that have to be, or must not be, evaluated."""
    present = set(assessment.measured.query_ids)
    absent = [query for query in assessment.policy.required or () if query not in present]
    if absent:
        assessment.fail(
            f"{formatting.count(len(absent), 'required query', 'required queries')} "
            f"not evaluated: {formatting.several(absent)}"
        )
    forbidden = assessment.policy.forbidden
    kinds = {_kind(query) for query in present} if forbidden else set()
    strangers = [query for query in forbidden if _kind(query) not in kinds]
    if strangers:
        example = next(iter(assessment.measured.query_ids), None)
        assessment.fail(
            f"forbidden_queries can never meet the queries: {formatting.shown(strangers[0])} is "
            f"{type(strangers[0]).__name__}, {formatting.shown(example)} {type(example).__name__}"
        )
    unwanted = [query for query in forbidden if query in present]
    if unwanted:
        assessment.fail(
            f"{formatting.count(len(unwanted), 'forbidden query', 'forbidden queries')} "
            f"evaluated: {formatting.several(unwanted)}"
        )


def assess_limits(assessment: Assessment, names: Iterable[str]) -> None:
    """Fail for limits that no ranking of this data could violate."""
    measured = assessment.measured
    for name in names:
        used = measured.used[name]
        if used.metric.of_judgements and not measured.is_partial:
            assessment.fail(
                f"the limit of {name} limits nothing: the judgements are taken as complete; pass "
                "assume='partial' if they are not"
            )
        elif used.metric.name in _SETS and used.k is None and measured.ranks_everything:
            assessment.fail(
                f"the limit of {name} limits nothing: every ranking holds all candidates, and no "
                "order of them could fail; give it a cutoff"
            )


_SETS = ("recall", "hit_rate", "all_hit_rate")
"""Metrics that read no order above their cutoff."""


# Changes -----------------------------------------------------------------------------------------


def _compare(assessment: Assessment) -> None:
    policy, reference = assessment.policy, assessment.reference
    if reference is None:
        return
    comparable = {name: drop for name, drop in policy.max_drop.items() if name in reference.values}
    narrowed = replace(policy, max_drop=comparable)
    assessment.changes = compare_metrics(assessment.measured, reference, narrowed)
    assessment.slice_changes = compare_slices(
        assessment.measured, reference, narrowed, assessment.slices
    )
    for name, change in assessment.changes.items():
        text = vacuous(assessment, name, change.was)
        if text:
            assessment.fail(text, of_baseline=True)
        _assess_undefined(assessment, name, reference)


def vacuous(assessment: Assessment, name: str, baseline: float) -> str:
    """Why an allowed drop means nothing against this baseline; "" if it does mean something."""
    allowed, greatest = assessment.policy.max_drop[name], assessment.measured.greatest(name)
    room = baseline if greatest is None else greatest - baseline
    if not 0 < allowed >= room:
        return ""
    of = "" if greatest is None else f", {greatest:g} the greatest value of such rankings"
    return (
        f"max_drop of {name} is {allowed:g} and the baseline {baseline:.4f}{of}: no value could "
        "fail"
    )


def _assess_undefined(assessment: Assessment, name: str, reference: Reference) -> None:
    """Queries that had a value, and have none now: they would vanish from both means."""
    measured, was = assessment.measured, reference.per_query.get(name)
    values = measured.per_query(name)
    if was is None or values is None or "undefined" in measured.allow:
        return
    lost = reference.queries[~np.isnan(was) & np.isnan(values[reference.queries])].tolist()
    if lost:
        other = "baseline" if assessment.alignment is not None else "reference"
        ids = formatting.several([measured.query_ids[number] for number in lost])
        text = f"{formatting.queries(len(lost))} had a value of {name} in the {other} and none now"
        remedy = 'pass allow={"undefined"} if they may be left out'
        assessment.fail(f"{text}: {ids}; {remedy}", text, of_baseline=True)


def _assess_fit(assessment: Assessment, alignment: Alignment) -> None:
    """A baseline of other queries, judgements or measures: what differs, and what is comparable."""
    changes = ", ".join(
        f"{name} {change.was:.4f} -> {change.now:.4f} ({formatting.signed(change.change)})"
        for name, change in assessment.changes.items()
    )
    n = 0 if assessment.reference is None else len(assessment.reference.queries)
    if alignment.queries:
        on_common = f"compare on {n:,} common queries: {changes}" if n else "no query in common"
        full = f"baseline does not fit: {', '.join(alignment.queries)} - {on_common}"
        assessment.stale(f"{full}; refresh with: --rank-update", full)
    for problem in alignment.measures:
        assessment.stale(problem)
    for problem in alignment.not_comparable:
        assessment.stale(f"baseline does not fit: {problem}")


# Measures, over all queries and over slices ------------------------------------------------------


def _assess_metrics(assessment: Assessment) -> None:
    policy, measured = assessment.policy, assessment.measured
    ordered = [*policy.max_drop, *(name for name in measured.names if name not in policy.max_drop)]
    results = {name: _metric(assessment, name) for name in ordered}
    assessment.metric_results = {name: results[name] for name in measured.names}


def _metric(assessment: Assessment, name: str) -> MetricResult:
    policy, measured = assessment.policy, assessment.measured
    at_least, at_most = policy.at_least.get(name), policy.at_most.get(name)
    value, limited = measured.value(name), at_least is not None or at_most is not None
    bounds = measured.bounds(name) if limited else None
    threshold = _assess_value(value, bounds, at_least, at_most)
    decisions = [threshold] if limited else []
    if not math.isfinite(value):
        assessment.fail(f"{name} is undefined for all {formatting.queries(len(measured))}")
        decisions.append(Decision(Verdict.FAIL, "not a number"))
    elif threshold.verdict is Verdict.FAIL:
        assessment.fail(threshold_text(assessment, name), short_threshold(assessment, name))
    elif threshold.verdict is Verdict.CANNOT_TELL and bounds is not None:
        phrase = short_threshold(assessment, name)
        first = first_to_judge(measured.to_judge(name, MOST_NAMED))
        text = f"{phrase}, and {bounds.low:.4f}..{bounds.high:.4f} is possible: {UNJUDGED}{first}"
        assessment.undecided(text, f"{phrase}: {UNJUDGED}")
    change = assessment.changes.get(name)
    if change is not None:
        decisions.append(change.decision)
        _say_change(assessment, name, change)
    result = _result(assessment, name, value, bounds, change, decisions)
    return replace(
        result,
        queries=averaged_queries(measured, name),
        at_least=at_least,
        at_most=at_most,
        interval=partial(interval_of, measured, name),
    )


def _result(
    assessment: Assessment,
    name: str,
    value: float,
    bounds: Bounds | None,
    change: Change | None,
    decisions: Sequence[Decision],
) -> MetricResult:
    """A row of results, with its change if there is one."""
    verdict, reason = max(decisions, key=severity, default=Decision(Verdict.SHOWN))
    result = MetricResult(
        name=name,
        value=value,
        queries=0,
        greater_is_better=assessment.measured.used[name].metric.greater_is_better,
        verdict=verdict,
        reason=reason,
        bounds=None if bounds is None else (bounds.low, bounds.high),
    )
    if change is None:
        return result
    compared = replace(
        result,
        baseline=change.was,
        change=change.change,
        compared=change.n,
        allowed=change.allowed,
        p=change.p,
        change_bounds=change.reach,
    )
    if change.paired is None:
        return compared
    return replace(
        compared,
        change_ci=change.paired.ci,
        worse=change.paired.worse,
        better=change.paired.better,
        same=change.paired.same,
        detectable=change.detectable,
    )


def _say_change(assessment: Assessment, name: str, change: Change) -> None:
    verdict = change.decision.verdict
    if verdict is Verdict.FAIL:
        short = f"{name} {formatting.signed(change.change)}"
        assessment.fail(change_text(assessment, name, change), short, of_baseline=True)
    elif verdict is Verdict.CANNOT_TELL:
        if change.decision.reason == TOO_FEW:
            assessment.undecided(unconfirmed_text(assessment, name, change), of_baseline=True)
        else:
            _say_undecided(assessment, name, change)
    elif verdict is Verdict.WARN:
        assessment.warn(unconfirmed_text(assessment, name, change), of_baseline=True)


def _say_undecided(assessment: Assessment, name: str, change: Change) -> None:
    """A change that the unjudged items decide, or of a baseline that knows nothing of them."""
    if change.decision.reason == UNKNOWN_UNJUDGED:
        text = f"{name} {formatting.signed(change.change)}: {UNKNOWN_UNJUDGED}"
        assessment.undecided(f"{text}; record it anew with: --rank-update", text, of_baseline=True)
        return
    allowed = allowed_change(assessment, name, change.allowed)
    text = (
        f"{name} {change.was:.4f} -> {change.now:.4f} ({formatting.signed(change.change)}, allowed "
        f"{allowed}), and {reach_of(change)} is possible"
    )
    rows = [] if assessment.reference is None else assessment.reference.to_judge(name, MOST_NAMED)
    short = f"{name} {reach_of(change)}"
    assessment.undecided(f"{text}: {UNJUDGED}{first_to_judge(rows)}", short, of_baseline=True)


def _find_slices(assessment: Assessment) -> None:
    """Find the slices; those that are limited or recorded, and empty now, fail."""
    policy, alignment = assessment.policy.slices, assessment.alignment
    recorded = {} if alignment is None else alignment.slices
    if policy.slices is not None:
        place = {query: number for number, query in enumerate(assessment.measured.own_ids)}
        assessment.slices = {
            label: Slice([place[query] for query in part.query_ids], part)
            for label, part in assessment.measured.slices(policy.slices).items()
        }
    drops = list(policy.max_drop) if isinstance(policy.max_drop, Mapping) else []
    if isinstance(policy.slices, Mapping):
        queries = set(assessment.measured.query_ids)
        empty = [
            label for label, of in policy.slices.items() if label not in queries and _is_empty(of)
        ]
        drops += [str(label) for label in empty]
    wanted = {"limit": [*drops, *policy.at_least, *policy.at_most], "baseline": recorded}
    for what, labels in wanted.items():
        gone = [label for label in dict.fromkeys(labels) if label not in assessment.slices]
        if gone:
            verb = "there is a limit for" if what == "limit" else "baseline has"
            name = "the slice" if what == "limit" else "slice"
            text = f"{verb} {name} {formatting.several(gone)} but no query is in it now"
            assessment.fail(text, of_baseline=what == "baseline")


def _is_empty(queries: Any) -> bool:
    return hasattr(queries, "__len__") and len(queries) == 0


def _assess_slices_fit(assessment: Assessment) -> None:
    """Slices of other queries than those of the baseline: a drop could hide in the move."""
    alignment, reference = assessment.alignment, assessment.reference
    if reference is not None and reference.complete:
        for label in assessment.slices:
            _assess_pooled_slice(assessment, label)
    if alignment is None or not assessment.slices:
        return
    labels = labels_of(assessment)
    moved = [
        f"{formatting.shown(assessment.measured.query_ids[number])} "
        f"{formatting.several(then) or 'none'} -> {formatting.several(labels[number]) or 'none'}"
        for number, then in alignment.labels.items()
        if set(then) != set(labels[number])
    ]
    if moved:
        more = f" and {len(moved) - 3:,} more" if len(moved) > 3 else ""
        queries = formatting.count(len(moved), "query is", "queries are")
        assessment.stale(
            f"baseline does not fit: {queries} in other slices: {'; '.join(moved[:3])}{more}"
        )


def labels_of(assessment: Assessment) -> list[list[str]]:
    """The labels of each query, sorted."""
    labels: list[list[str]] = [[] for _ in assessment.measured.query_ids]
    for label in sorted(assessment.slices):
        for number in assessment.slices[label].members:
            labels[number].append(label)
    return labels


def _assess_pooled_slice(assessment: Assessment, label: str) -> None:
    """A pooled measure can only be compared with the recorded value of the slice."""
    if assessment.policy.slices.allowed(label) is None or assessment.reference is None:
        return
    for name in assessment.changes:
        if (
            assessment.measured.used[name].is_pooled
            and (label, name) not in assessment.slice_changes
        ):
            text = f"baseline does not fit: it has no {name} of slice {formatting.shown(label)}"
            assessment.stale(f"{text}; refresh with: --rank-update", text)


def _assess_slices(assessment: Assessment) -> None:
    """Assess every slice by the measures it is compared or limited in, or show it by all."""
    policy, changes = assessment.policy.slices, assessment.slice_changes
    for label, part in assessment.slices.items():
        limits = {**policy.at_least.get(label, {}), **policy.at_most.get(label, {})}
        compared = [name for own, name in changes if own == label]
        names = dict.fromkeys([*compared, *limits]) or dict.fromkeys(assessment.measured.names)
        assessment.slice_results += [_slice(assessment, label, name, part) for name in names]
    # Where all slices are too small, the allowed drop limits nothing.
    verdicts = {change.decision.verdict for change in changes.values()}
    if policy.max_drop is not None and verdicts == {Verdict.SHOWN}:
        least = assessment.policy.settings.min_slice_size
        assessment.warn(f"max_slice_drop judges no slice: none of them has {least} queries")


def _slice(assessment: Assessment, label: str, name: str, part: Slice) -> MetricResult:
    policy, measured = assessment.policy.slices, assessment.measured
    at_least = policy.at_least.get(label, {}).get(name)
    at_most = policy.at_most.get(label, {}).get(name)
    change, value = assessment.slice_changes.get((label, name)), float(part.evaluation[name])
    limited = at_least is not None or at_most is not None
    bounds = measured.bounds_of(part.evaluation, name) if limited else None
    decisions = [_assess_value(value, bounds, at_least, at_most)] if limited else []
    shown = f"slice {formatting.shown(label)}"
    for threshold in decisions:
        phrase = f"{shown}: {threshold_phrase(name, value, at_least, at_most)}"
        if threshold.verdict is Verdict.FAIL:
            assessment.fail(phrase)
        elif threshold.verdict is Verdict.CANNOT_TELL and bounds is not None:
            reach = f"{bounds.low:.4f}..{bounds.high:.4f}"
            assessment.undecided(f"{phrase}, and {reach} is possible")
    if change is not None:
        decisions.append(change.decision)
        short = f"{shown} {formatting.signed(change.change)}"
        if change.decision.verdict is Verdict.FAIL:
            of = f" ({name})" if len(assessment.policy.max_drop) > 1 else ""
            text = slice_text(assessment, label, name, change)
            assessment.fail(text, short + of, of_baseline=True)
        elif change.decision.verdict is Verdict.CANNOT_TELL:
            text = f"{short}: {change.decision.reason}"
            if change.decision.reason == UNJUDGED:
                allowed = allowed_change(assessment, name, change.allowed)
                reach = f"{name}, allowed {allowed}), and {reach_of(change)} is possible"
                text = f"{short} ({reach}: {UNJUDGED}"
            assessment.undecided(text, text.partition(f": {UNJUDGED}")[0], of_baseline=True)
    result = _result(assessment, name, value, bounds, change, decisions)
    return replace(
        result,
        label=formatting.shown(label),
        queries=len(part.members),
        reason=result.reason if decisions else "not gated",
        at_least=at_least,
        at_most=at_most,
        allowed=None if change is None else policy.allowed(label),
    )


# Unjudged items ----------------------------------------------------------------------------------


def _assess_value(
    value: float, bounds: Bounds | None, at_least: float | None, at_most: float | None
) -> Decision:
    """Verdict on a value, or on all that it may be."""
    if bounds is None or not math.isfinite(value):
        return assess_threshold(value, at_least, at_most)
    return assess_ends(bounds.low, bounds.high, at_least, at_most)


def _assess_unjudged(assessment: Assessment) -> None:
    """Say where more of the top is unjudged than before, and where the policy for it is void."""
    measured, reference = assessment.measured, assessment.reference
    was = None if reference is None else reference.unjudged_share
    now = measured.unjudged_share(measured.top) if was is not None else None
    most = assessment.policy.settings.max_new_unjudged
    if was is not None and now is not None and now - was > most + SLACK:
        other = "baseline" if assessment.alignment is not None else "reference"
        assessment.new_unjudged = (
            f"{now:.0%} of the new top {measured.top} are unjudged ({other} {was:.0%})"
        )
    if measured.unjudged != "irrelevant" and measured.is_taken_as_complete:
        assessment.notes.append(
            f"unjudged='{measured.unjudged}' changes nothing: the judgements have no grade 0, and "
            "so are taken as complete; pass assume='partial' if they are not"
        )


def _ends_of(assessment: Assessment, name: str) -> tuple[Sequence[float], Sequence[float]] | None:
    """Least and greatest value of each query; None for a pooled measure."""
    values = assessment.measured.per_query(name)
    if values is None:
        return None
    bounds = assessment.measured.bounds(name)
    if bounds is None:
        return values.tolist(), values.tolist()
    ends = (bounds.per_query_low, bounds.per_query_high)
    low, high = (np.where(np.isnan(end), values, end) for end in ends)
    return low.tolist(), high.tolist()


# Single queries ----------------------------------------------------------------------------------


def _assess_each_query(assessment: Assessment) -> None:
    policy, measured = assessment.policy, assessment.measured
    chosen = None if policy.required is None else set(policy.required)
    said = {
        Verdict.FAIL: (assessment.fail, ""),
        Verdict.CANNOT_TELL: (assessment.undecided, "may be "),
    }
    limits = [(name, limit, None) for name, limit in policy.per_query_at_least.items()]
    limits += [(name, None, limit) for name, limit in policy.per_query_at_most.items()]  # type: ignore[misc]
    for name, at_least, at_most in limits:
        ends = _ends_of(assessment, name)
        if ends is None:
            assessment.fail(f"{name} ranks all queries together; it has no values per query")
            continue
        out: dict[Verdict, list[str]] = {Verdict.FAIL: [], Verdict.CANNOT_TELL: []}
        for query, low, high in zip(measured.query_ids, *ends, strict=True):
            if chosen is not None and query not in chosen:
                continue
            verdict = assess_ends(low, high, at_least, at_most).verdict
            if verdict in out:
                value = low if at_least is not None else high
                phrase = threshold_phrase(name, value, at_least, at_most)
                out[verdict].append(f"{formatting.shown(query)} {phrase}")
        for verdict, (say, may) in said.items():
            texts = out[verdict]
            if texts:
                more = f" and {len(texts) - 3:,} more" if len(texts) > 3 else ""
                queries = f"{formatting.queries(len(texts))} {may}out of bounds"
                say(f"{queries}: {'; '.join(texts[:3])}{more}")
    _assess_regressed(assessment)


def _assess_regressed(assessment: Assessment) -> None:
    most = assessment.policy.max_regressed_queries
    if most is None:
        return
    for name, change in assessment.changes.items():
        if change.paired is None:
            assessment.fail(f"{name} ranks all queries together; max_regressed_queries counts none")
        elif most >= change.n:
            counted = f"{formatting.queries(change.n)} compared by {name}"
            assessment.fail(f"max_regressed_queries is {most:,}, with {counted}: it could not fail")
        else:
            _assess_number(assessment, name, change.worse or (change.paired.worse,) * 2)


def _assess_number(assessment: Assessment, name: str, worse: tuple[int, int]) -> None:
    """How many queries are worse, and may be."""
    most = assessment.policy.max_regressed_queries or 0
    least_worse, most_worse = worse
    if least_worse > most:
        text = f"{formatting.queries(least_worse)} worse by {name}, allowed {most:,}"
        assessment.fail(text, of_baseline=True)
    elif most_worse > most:
        text = f"{formatting.queries(most_worse)} may be worse by {name}, allowed {most:,}"
        assessment.undecided(text, of_baseline=True)
