"""From measured values to a result: every limit is judged, and every violation reported."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from numbers import Number
from typing import Any

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.compare import Change, compare_metrics, compare_slices
from pytest_rankmetrics.assessment.findings import Assessment, Finding
from pytest_rankmetrics.assessment.phrases import (
    averaged_queries,
    change_text,
    interval_of,
    short_threshold,
    threshold_phrase,
    threshold_text,
    unconfirmed_text,
)
from pytest_rankmetrics.assessment.result import MetricResult
from pytest_rankmetrics.assessment.slices import assess_slices, assess_slices_fit, find_slices
from pytest_rankmetrics.assessment.unjudged import (
    assess_new_unjudged,
    assess_value,
    ends_of,
    note_unused_policy,
    undecided_change,
    undecided_value,
)
from pytest_rankmetrics.baseline.align import Alignment
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from pytest_rankmetrics.measuring.reference import Reference
from pytest_rankmetrics.policy.policy import Policy
from pytest_rankmetrics.policy.verdicts import (
    TOO_FEW,
    Decision,
    Verdict,
    assess_ends,
    worst,
)


def assess(
    policy: Policy,
    measured: StrictEvaluation,
    reference: Reference | None = None,
    alignment: Alignment | None = None,
) -> Assessment:
    """Judge everything that a policy asks for."""
    assessment = Assessment(policy, measured, reference, alignment)
    _assess_queries(assessment)
    assess_limits(assessment, policy.limited)
    find_slices(assessment)
    if reference is not None and len(reference.queries):
        _compare(assessment)
    assess_new_unjudged(assessment)
    note_unused_policy(assessment)
    assess_slices_fit(assessment)
    if alignment is not None and alignment.stale:
        _assess_fit(assessment, alignment)
    _assess_metrics(assessment)
    assess_slices(assessment)
    _assess_each_query(assessment)
    severity = Verdict.FAIL if policy.settings.strict else Verdict.WARN
    assessment.findings += [Finding(severity, text, text) for text in measured.warnings]
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


# Measures ----------------------------------------------------------------------------------------


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


def _assess_fit(assessment: Assessment, alignment: Alignment) -> None:
    """A baseline of other queries, judgements or measures: what differs, and what is comparable."""
    parts = []
    if alignment.added:
        parts.append(f"{formatting.queries(len(alignment.added))} added {_named(alignment.added)}")
    if alignment.gone:
        parts.append(f"{len(alignment.gone):,} gone {_named(alignment.gone)}")
    if alignment.changed:
        named = _named(alignment.changed)
        parts.append(f"judgments changed for {len(alignment.changed):,} {named}")
    if alignment.reweighed:
        named = _named(alignment.reweighed)
        parts.append(f"weights changed for {len(alignment.reweighed):,} {named}")
    changes = ", ".join(
        f"{name} {change.was:.4f} -> {change.now:.4f} ({formatting.signed(change.change)})"
        for name, change in assessment.changes.items()
    )
    n = 0 if assessment.reference is None else len(assessment.reference.queries)
    if parts:
        on_common = f"compare on {n:,} common queries: {changes}" if n else "no query in common"
        full = f"baseline does not fit: {', '.join(parts)} - {on_common}"
        assessment.stale(f"{full}; refresh with: --rank-update", full)
    for problem in alignment.problems:
        assessment.stale(
            problem if problem.startswith("baseline has") else f"baseline does not fit: {problem}"
        )
    assessment.notes.extend(alignment.notes)


def _named(keys: tuple[str, ...]) -> str:
    return f"({formatting.several(keys)})"


def _assess_metrics(assessment: Assessment) -> None:
    policy, measured = assessment.policy, assessment.measured
    ordered = [*policy.max_drop, *(name for name in measured.names if name not in policy.max_drop)]
    results = {name: _metric(assessment, name) for name in ordered}
    assessment.metric_results = {name: results[name] for name in measured.names}
    if assessment.alignment is not None:
        assessment.notes.extend(
            note for note in assessment.alignment.notes if note not in assessment.notes
        )


def _metric(assessment: Assessment, name: str) -> MetricResult:
    policy, measured = assessment.policy, assessment.measured
    at_least, at_most = policy.at_least.get(name), policy.at_most.get(name)
    value = measured.value(name)
    bounds = measured.bounds(name) if at_least is not None or at_most is not None else None
    threshold = assess_value(value, bounds, at_least, at_most)
    decisions = [threshold] if at_least is not None or at_most is not None else []
    if not math.isfinite(value):
        assessment.fail(f"{name} is undefined for all {formatting.queries(len(measured))}")
        decisions.append(Decision(Verdict.FAIL, "not a number"))
    elif threshold.verdict is Verdict.FAIL:
        assessment.fail(threshold_text(assessment, name), short_threshold(assessment, name))
    elif threshold.verdict is Verdict.CANNOT_TELL and bounds is not None:
        undecided_value(assessment, name, bounds)
    change = assessment.changes.get(name)
    if change is not None:
        decisions.append(change.decision)
        _say_change(assessment, name, change)
    decided = worst([decision.verdict for decision in decisions]) if decisions else Verdict.SHOWN
    reason = next((decision.reason for decision in decisions if decision.verdict is decided), "")
    paired = None if change is None else change.paired
    return MetricResult(
        name=name,
        value=value,
        queries=averaged_queries(measured, name),
        greater_is_better=measured.used[name].metric.greater_is_better,
        verdict=decided,
        reason=reason,
        at_least=at_least,
        at_most=at_most,
        baseline=None if change is None else change.was,
        change=None if change is None else change.change,
        change_ci=None if paired is None else paired.ci,
        compared=None if change is None else change.n,
        allowed=None if change is None else change.allowed,
        p=None if change is None else change.p,
        worse=None if paired is None else paired.worse,
        better=None if paired is None else paired.better,
        same=None if paired is None else paired.same,
        detectable=None if change is None or paired is None else change.detectable,
        bounds=None if bounds is None else (bounds.low, bounds.high),
        change_bounds=None if change is None else change.reach,
        interval=partial(interval_of, measured, name),
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
            undecided_change(assessment, name, change)
    elif verdict is Verdict.WARN:
        text = unconfirmed_text(assessment, name, change)
        severity = Verdict.FAIL if assessment.policy.settings.strict else Verdict.WARN
        assessment.findings.append(Finding(severity, text, text, of_baseline=True))


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
        ends = ends_of(assessment, name)
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
