"""From measured values to a result: every limit is assessed, and every violation reported."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from numbers import Number
from operator import itemgetter
from typing import Any

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics._support.formatting import queries as count_queries
from pytest_rankmetrics.assessment.compare import Change, Slice, compare_metrics, compare_slices
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.assessment.phrases import (
    averaged_queries,
    change_text,
    first_to_judge,
    interval_of,
    moved_by,
    moved_to,
    slice_phrase,
    threshold_phrase,
    threshold_sentence,
    threshold_text,
    unconfirmed_text,
    unjudged_text,
    unproven_text,
)
from pytest_rankmetrics.assessment.result import MetricResult
from pytest_rankmetrics.baseline.align import Alignment
from pytest_rankmetrics.measuring.evaluation import Reference, StrictEvaluation
from pytest_rankmetrics.policy.policy import Policy
from pytest_rankmetrics.policy.verdicts import (
    NOT_GATED,
    SLACK,
    TOO_FEW,
    UNJUDGED,
    UNPROVEN,
    Decision,
    Verdict,
    assess_ends,
    severity,
)

MOST_ALIKE = 1.5
"""Design effect above which a gate says how many independent queries its clusters are worth."""

MOST_NAMED = 3
"""Items to judge, and queries, in a headline; the command judge-next lists more items."""


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
        _compare(assessment, reference)
        _say_clusters(assessment)
    _assess_unjudged(assessment)
    _assess_slices_fit(assessment)
    if alignment is not None:
        assessment.notes += alignment.notes
        _assess_fit(assessment, alignment)
    ordered = [*policy.max_drop, *(name for name in measured.names if name not in policy.max_drop)]
    results = {name: _assess_measure(assessment, name) for name in ordered}
    assessment.metric_results = {name: results[name] for name in measured.names}
    _assess_slices(assessment)
    _assess_each_query(assessment)
    _assess_regressed(assessment)
    for text in measured.warnings:
        assessment.warn(text)
    return assessment


def _kind(query: Any) -> Any:
    """Kind of an id, such that ids of different kinds are never equal."""
    if isinstance(query, tuple):
        return tuple(map(_kind, query))
    return next((kind for kind in (Number, str) if isinstance(query, kind)), type(query))


def _assess_queries(assessment: Assessment) -> None:
    """Query sets that have to be, or must not be, evaluated."""
    policy, ids = assessment.policy, assessment.measured.query_ids
    if not (policy.required or policy.forbidden):
        return
    present, kinds = set(ids), set(map(_kind, ids)) if policy.forbidden else set()
    strangers = [query for query in policy.forbidden if _kind(query) not in kinds]
    if strangers:
        assessment.fail(
            f"forbidden_queries can never match the queries: {formatting.shown(strangers[0])} is "
            f"{type(strangers[0]).__name__}, {formatting.shown(ids[0])} {type(ids[0]).__name__}"
        )
    absent = [query for query in policy.required or () if query not in present]
    unwanted = [query for query in policy.forbidden if query in present]
    found = (("required", "not evaluated", absent), ("forbidden", "evaluated", unwanted))
    for word, verb, queries in found:
        if queries:
            text = formatting.count(len(queries), f"{word} query", f"{word} queries")
            assessment.fail(f"{text} {verb}: {formatting.several(queries)}")


_SETS = ("recall", "hit_rate", "all_hit_rate")
"""Metrics that read no order above their cutoff."""


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
        limit, greatest = assessment.policy.at_most.get(name), _greatest(measured, name)
        if limit is not None and limit >= greatest and not used.is_pooled:
            text = f"at_most of {name} is {limit:g}, and {greatest:g} the greatest value"
            assessment.fail(f"{text} of such rankings: no value could fail")


def _greatest(measured: StrictEvaluation, name: str) -> float:
    """Greatest value of a measure of which less is better, for rankings of these lengths."""
    used, longest = measured.used[name], int(measured.evaluation.n_ranked.max(initial=0))
    if used.metric.is_own:
        return used.metric.upper
    return min(longest if used.k is None else min(used.k, longest), used.metric.upper)


# Changes -----------------------------------------------------------------------------------------


def _compare(assessment: Assessment, reference: Reference) -> None:
    """Compare what can be; say where nothing could fail, and where queries lost their values."""
    policy, measured = assessment.policy, assessment.measured
    comparable = {name: drop for name, drop in policy.max_drop.items() if name in reference.values}
    narrowed = replace(policy, max_drop=comparable)
    assessment.changes = compare_metrics(measured, reference, narrowed)
    assessment.slice_changes = compare_slices(measured, reference, narrowed, assessment.slices)
    for name, change in assessment.changes.items():
        text = vacuous(assessment, name, change.was)
        if text:
            assessment.fail(text, of_baseline=True)
        was, values = reference.per_query.get(name), measured.per_query(name)
        if was is None or values is None or "undefined" in measured.allow:
            continue
        # They would vanish from both means.
        lost = reference.queries[~np.isnan(was) & np.isnan(values[reference.queries])].tolist()
        if lost:
            other = f"had a value of {name} in the {assessment.other} and none now"
            ids = formatting.several([measured.query_ids[number] for number in lost])
            text = f"{count_queries(len(lost))} {other}"
            remedy = 'pass allow={"undefined"} if they may be left out'
            assessment.fail(f"{text}: {ids}; {remedy}", text, of_baseline=True)


def _say_clusters(assessment: Assessment) -> None:
    """Say how little clusters tell where their queries are much alike."""
    pairs = [
        (own.paired.design_effect, name, own.paired)
        for name, own in assessment.changes.items()
        if own.paired is not None and own.paired.design_effect > MOST_ALIKE
    ]
    for _, name, paired in sorted(pairs, key=itemgetter(0))[-1:]:
        effect, n = paired.design_effect, count_queries(len(paired))
        assessment.notes.append(
            f"design effect {effect:.1f}: {n} in {paired.n_clusters:,} clusters count as "
            f"{len(paired) / effect:.0f} independent queries ({name})"
        )


def vacuous(assessment: Assessment, name: str, baseline: float) -> str:
    """Why an allowed drop means nothing against this baseline; "" if it does mean something."""
    measured, allowed = assessment.measured, assessment.policy.max_drop[name]
    room, of = baseline - measured.used[name].metric.lower, ""
    if not measured.used[name].metric.greater_is_better:
        greatest = _greatest(measured, name)
        room, of = greatest - baseline, f", {greatest:g} the greatest value of such rankings"
    if not 0 < allowed >= room:
        return ""
    values = f"max_drop of {name} is {allowed:g} and the baseline {baseline:.4f}"
    return f"{values}{of}: no value could fail"


def _assess_fit(assessment: Assessment, alignment: Alignment) -> None:
    """A baseline of other queries, judgements or measures: what differs, and what is comparable."""
    changes = ", ".join(
        moved_to(assessment.measured.used[name].title, change)
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


# Measures over all queries -----------------------------------------------------------------------


_Limits = tuple[float | None, float | None]


def _assess_measure(
    assessment: Assessment, name: str, label: str = "", part: Slice | None = None
) -> MetricResult:
    """A measure over all queries, or those of a slice: what is wrong, and its row of results."""
    policy, measured, used = assessment.policy, assessment.measured, assessment.measured.used[name]
    row: dict[str, Any]
    if part is None:
        value, n = measured.value(name), averaged_queries(measured, name)
        limits = policy.at_least.get(name), policy.at_most.get(name)
        change, row = (
            assessment.changes.get(name),
            {"interval": partial(interval_of, measured, name)},
        )
    else:
        value, n, own = float(part.evaluation[name]), len(part.members), policy.slices
        limits = own.at_least.get(label, {}).get(name), own.at_most.get(label, {}).get(name)
        change, row = (
            assessment.slice_changes.get((label, name)),
            {"label": formatting.shown(label)},
        )
    decisions: list[Decision] = []
    if part is None and not math.isfinite(value):
        assessment.fail(f"{name} is undefined for all {count_queries(len(measured))}")
        decisions.append(Decision(Verdict.FAIL, "not a number"))
    elif limits != (None, None):
        bounds, ends = measured.bounds(name), (value, value)
        if bounds is not None:
            bounds = bounds if part is None else part.evaluation.bounds(used)
            row["bounds"] = bounds.low, bounds.high
            ends = row["bounds"] if math.isfinite(value) else ends
        decisions.append(assess_ends(*ends, *limits))
        where = "" if part is None else slice_phrase(label)
        phrase = threshold_sentence(f"{used.title}{where}", value, *limits)
        possible = f"{phrase}, but {ends[0]:.3f}..{ends[1]:.3f} is possible"
        if decisions[0].verdict is Verdict.FAIL:
            assessment.fail(threshold_text(assessment, name) if part is None else phrase, phrase)
        elif decisions[0].verdict is Verdict.CANNOT_TELL and part is not None:
            assessment.undecided(possible)
        elif decisions[0].verdict is Verdict.CANNOT_TELL:
            first = first_to_judge(measured.to_judge(name, MOST_NAMED))
            assessment.undecided(f"{possible}: {UNJUDGED}{first}", f"{phrase}: {UNJUDGED}")
    if change is not None:
        decisions.append(change.decision)
        _say_change(assessment, name, change, label, part)
        row |= {"baseline": change.was, "change": change.change, "compared": change.n}
        row |= {"allowed": change.allowed, "p": change.p, "change_bounds": change.reach}
        if part is not None:
            row["allowed"] = policy.slices.allowed(label)
        pairs, worth = change.paired, change.worth
        if pairs is not None:
            better, worse = change.better_and_worse
            row |= {"worse": worse, "better": better, "same": change.n - better - worse}
            row |= {"design_effect": pairs.design_effect, "clusters": pairs.n_clusters}
            row |= {"change_ci": change.ci, "upper": change.upper, "gained": change.gained}
        if worth is not None:
            row |= {"detectable": worth.detectable, "false_alarm": worth.false_alarm}
            row["queries_needed"] = worth.needed
    not_gated = NOT_GATED if part is None else Decision(Verdict.SHOWN, "not gated")
    verdict, row["reason"] = max(decisions, key=severity, default=not_gated)
    row |= {"at_least": limits[0], "at_most": limits[1]}
    return MetricResult(name, value, n, used.metric.greater_is_better, verdict, **row)


def _say_change(
    assessment: Assessment, name: str, change: Change, label: str, part: Slice | None
) -> None:
    """Report a change that fails, or that the data cannot decide."""
    decision, reference = change.decision, assessment.reference
    where = "" if part is None else slice_phrase(label)
    short = f"{moved_by(assessment.measured.used[name].title, change)}{where}"
    if decision.verdict is Verdict.FAIL:
        of = "" if part is None else slice_phrase(label, len(part.members))
        assessment.fail(change_text(assessment, name, change, of), short, of_baseline=True)
    elif decision.verdict is Verdict.WARN and part is None:
        assessment.warn(unconfirmed_text(assessment, name, change), of_baseline=True)
    elif decision.verdict is not Verdict.CANNOT_TELL:
        return
    elif decision.reason == UNPROVEN:
        text = unproven_text(assessment, name, change)
        assessment.undecided(text, short, of_baseline=True)
    elif decision.reason == TOO_FEW:
        assessment.undecided(unconfirmed_text(assessment, name, change), of_baseline=True)
    elif change.reach is None:
        text = f"{short}: {decision.reason}"
        remedy = "; record it anew with: --rank-update" if part is None else ""
        assessment.undecided(f"{text}{remedy}", text if remedy else short, of_baseline=True)
    else:
        text, first = unjudged_text(assessment, name, change, where), ""
        if part is None and reference is not None:
            short, first = text, first_to_judge(reference.to_judge(name, MOST_NAMED))
        assessment.undecided(f"{text}{first}", short, of_baseline=True)


# Slices ------------------------------------------------------------------------------------------


def _find_slices(assessment: Assessment) -> None:
    """Find the slices; those that are limited or recorded, and empty now, fail."""
    policy, measured = assessment.policy.slices, assessment.measured
    reference = assessment.reference if assessment.alignment is not None else None
    recorded = {} if reference is None else reference.slices
    if policy.slices is not None:
        place = {query: number for number, query in enumerate(measured.own_ids)}
        assessment.slices = {
            label: Slice([place[query] for query in part.query_ids], part)
            for label, part in measured.slices(policy.slices).items()
        }
    limited = list(policy.max_drop) if isinstance(policy.max_drop, Mapping) else []
    if isinstance(policy.slices, Mapping):
        queries = set(measured.query_ids)
        limited += [
            str(label)
            for label, of in policy.slices.items()
            if label not in queries and hasattr(of, "__len__") and len(of) == 0
        ]
    wanted = (
        ("there is a limit for the slice", [*limited, *policy.at_least, *policy.at_most], False),
        ("baseline has slice", recorded, True),
    )
    for what, labels, of_baseline in wanted:
        gone = [label for label in dict.fromkeys(labels) if label not in assessment.slices]
        if gone:
            text = f"{what} {formatting.several(gone)} but no query is in it now"
            assessment.fail(text, of_baseline=of_baseline)


def labels_of(assessment: Assessment) -> list[list[str]]:
    """The labels of each query, sorted."""
    labels: list[list[str]] = [[] for _ in assessment.measured.query_ids]
    for label in sorted(assessment.slices):
        for number in assessment.slices[label].members:
            labels[number].append(label)
    return labels


def _assess_slices_fit(assessment: Assessment) -> None:
    """Slices of other queries than those of the baseline: a drop could hide in the move."""
    alignment, reference = assessment.alignment, assessment.reference
    policy, measured = assessment.policy.slices, assessment.measured
    if reference is not None and reference.complete:
        # A pooled measure can only be compared with the recorded value of the slice.
        limited = [label for label in assessment.slices if policy.allowed(label) is not None]
        pooled = [name for name in assessment.changes if measured.used[name].is_pooled]
        for label in limited:
            for name in pooled:
                if (label, name) not in assessment.slice_changes:
                    text = f"it has no {name} of slice {formatting.shown(label)}"
                    text = f"baseline does not fit: {text}"
                    assessment.stale(f"{text}; refresh with: --rank-update", text)
    if alignment is None or not assessment.slices:
        return
    labels, ids = labels_of(assessment), measured.query_ids
    moved = [
        f"{formatting.shown(ids[number])} {formatting.several(then) or 'none'} -> "
        f"{formatting.several(labels[number]) or 'none'}"
        for number, then in alignment.labels.items()
        if set(then) != set(labels[number])
    ]
    if moved:
        queries = formatting.count(len(moved), "query is", "queries are")
        assessment.stale(
            f"baseline does not fit: {queries} in other slices: {formatting.first_of(moved)}"
        )


def _assess_slices(assessment: Assessment) -> None:
    """Assess every slice by the measures it is compared or limited in, or show it by all."""
    policy, changes = assessment.policy.slices, assessment.slice_changes
    for label, part in assessment.slices.items():
        limits = {**policy.at_least.get(label, {}), **policy.at_most.get(label, {})}
        compared = [name for own, name in changes if own == label]
        names = dict.fromkeys([*compared, *limits]) or dict.fromkeys(assessment.measured.names)
        rows = (_assess_measure(assessment, name, label, part) for name in names)
        assessment.slice_results += rows
    # Where all slices are too small, the allowed drop limits nothing.
    verdicts = {change.decision.verdict for change in changes.values()}
    if policy.max_drop is not None and verdicts == {Verdict.SHOWN}:
        least = assessment.policy.settings.min_slice_size
        assessment.warn(f"max_slice_drop judges no slice: none of them has {least} queries")


# Unjudged items ----------------------------------------------------------------------------------


def _assess_unjudged(assessment: Assessment) -> None:
    """Say where more of the top is unjudged than before, and where the policy for it is void."""
    measured, reference = assessment.measured, assessment.reference
    was = None if reference is None else reference.unjudged_share
    now = measured.unjudged_share(measured.top) if was is not None else None
    most = assessment.policy.settings.max_new_unjudged
    if was is not None and now is not None and now - was > most + SLACK:
        top = f"{now:.0%} of the new top {measured.top} are unjudged"
        assessment.new_unjudged = f"{top} ({assessment.other} {was:.0%})"
    if measured.unjudged != "irrelevant" and measured.is_taken_as_complete:
        assessment.notes.append(
            f"unjudged='{measured.unjudged}' changes nothing: the judgements have no grade 0, and "
            "so are taken as complete; pass assume='partial' if they are not"
        )


# Single queries ----------------------------------------------------------------------------------


def _assess_each_query(assessment: Assessment) -> None:
    policy, measured = assessment.policy, assessment.measured
    chosen = None if policy.required is None else set(policy.required)
    limits: list[tuple[str, _Limits]] = [
        *((name, (limit, None)) for name, limit in policy.per_query_at_least.items()),
        *((name, (None, limit)) for name, limit in policy.per_query_at_most.items()),
    ]
    for name, own in limits:
        values = measured.per_query(name)
        if values is None:
            assessment.fail(f"{name} ranks all queries together; it has no values per query")
            continue
        bounds = measured.bounds(name)
        ends = [values, values] if bounds is None else [bounds.per_query_low, bounds.per_query_high]
        low, high = (np.where(np.isnan(end), values, end).tolist() for end in ends)
        out: dict[Verdict, list[str]] = {Verdict.FAIL: [], Verdict.CANNOT_TELL: []}
        for query, least, most in zip(measured.query_ids, low, high, strict=True):
            if chosen is not None and query not in chosen:
                continue
            verdict = assess_ends(least, most, *own).verdict
            if verdict in out:
                phrase = threshold_phrase(name, most if own[0] is None else least, *own)
                out[verdict].append(f"{formatting.shown(query)} {phrase}")
        for verdict, say, may in (
            (Verdict.FAIL, assessment.fail, ""),
            (Verdict.CANNOT_TELL, assessment.undecided, "may be "),
        ):
            if texts := out[verdict]:
                say(f"{count_queries(len(texts))} {may}out of bounds: {formatting.first_of(texts)}")


def _assess_regressed(assessment: Assessment) -> None:
    """Number of worse queries, and their limit."""
    allowed = assessment.policy.max_regressed_queries
    if allowed is None:
        return
    for name, change in assessment.changes.items():
        if change.paired is None:
            assessment.fail(f"{name} ranks all queries together; max_regressed_queries counts none")
            continue
        if allowed >= change.n:
            counted = f"{count_queries(change.n)} compared by {name}"
            text = f"max_regressed_queries is {allowed:,}, with {counted}: it could not fail"
            assessment.fail(text)
            continue
        least, most = change.worse or change.better_and_worse[1:] * 2
        if least > allowed:
            text = f"{count_queries(least)} worse by {name}, allowed {allowed:,}"
            assessment.fail(text, of_baseline=True)
        elif most > allowed:
            text = f"{count_queries(most)} may be worse by {name}, allowed {allowed:,}"
            assessment.undecided(text, of_baseline=True)
