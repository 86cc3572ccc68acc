"""Slices: their queries, whether the baseline has the same ones, and how far each may fall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.compare import Slice
from pytest_rankmetrics.assessment.findings import Assessment, Finding
from pytest_rankmetrics.assessment.phrases import slice_text, threshold_phrase
from pytest_rankmetrics.assessment.result import SliceResult
from pytest_rankmetrics.assessment.unjudged import assess_value, undecided_slice
from pytest_rankmetrics.policy.verdicts import Verdict


def find_slices(assessment: Assessment) -> None:
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


def assess_slices_fit(assessment: Assessment) -> None:
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


def _is_empty(queries: Any) -> bool:
    return hasattr(queries, "__len__") and len(queries) == 0


def assess_slices(assessment: Assessment) -> None:
    """Judge every slice by the measures it is compared or limited in, or show it by all."""
    policy = assessment.policy.slices
    for label, part in assessment.slices.items():
        limits = {**policy.at_least.get(label, {}), **policy.at_most.get(label, {})}
        compared = [name for own, name in assessment.slice_changes if own == label]
        names = dict.fromkeys([*compared, *limits]) or dict.fromkeys(assessment.measured.names)
        for name in names:
            _assess_slice(assessment, label, name, part)
    _warn_of_small_slices(assessment)


def _warn_of_small_slices(assessment: Assessment) -> None:
    """Where all slices are too small, the allowed drop limits nothing."""
    changes = assessment.slice_changes.values()
    if not changes or assessment.policy.slices.max_drop is None:
        return
    if all(change.decision.verdict is Verdict.SHOWN for change in changes):
        least = assessment.policy.settings.min_slice_size
        text = f"max_slice_drop judges no slice: none of them has {least} queries"
        severity = Verdict.FAIL if assessment.policy.settings.strict else Verdict.WARN
        assessment.findings.append(Finding(severity, text, text))


def _assess_slice(assessment: Assessment, label: str, name: str, part: Slice) -> None:
    policy = assessment.policy.slices
    at_least = policy.at_least.get(label, {}).get(name)
    at_most = policy.at_most.get(label, {}).get(name)
    change = assessment.slice_changes.get((label, name))
    value = float(part.evaluation[name])
    limited = at_least is not None or at_most is not None
    bounds = assessment.measured.bounds_of(part.evaluation, name) if limited else None
    threshold = assess_value(value, bounds, at_least, at_most)
    decisions = []
    if limited:
        decisions.append(threshold)
        if threshold.verdict is Verdict.FAIL:
            phrase = threshold_phrase(name, value, at_least, at_most)
            assessment.fail(f"slice {formatting.shown(label)}: {phrase}")
        elif threshold.verdict is Verdict.CANNOT_TELL and bounds is not None:
            phrase = threshold_phrase(name, value, at_least, at_most)
            reach = f"{bounds.low:.4f}..{bounds.high:.4f}"
            assessment.undecided(
                f"slice {formatting.shown(label)}: {phrase}, and {reach} is possible"
            )
    if change is not None:
        decisions.append(change.decision)
        if change.decision.verdict is Verdict.FAIL:
            short = f"slice {formatting.shown(label)} {formatting.signed(change.change)}"
            if len(assessment.policy.max_drop) > 1:
                short += f" ({name})"
            assessment.fail(slice_text(assessment, label, name, change), short, of_baseline=True)
        elif change.decision.verdict is Verdict.CANNOT_TELL:
            undecided_slice(assessment, label, name, change)
    decided = max(
        decisions, key=lambda decision: list(Verdict).index(decision.verdict), default=None
    )
    assessment.slice_results.append(
        SliceResult(
            label=formatting.shown(label),
            metric=name,
            queries=len(part.members),
            value=value,
            verdict=Verdict.SHOWN if decided is None else decided.verdict,
            reason="not gated" if decided is None else decided.reason,
            at_least=at_least,
            at_most=at_most,
            baseline=None if change is None else change.was,
            change=None if change is None else change.change,
            allowed=None if change is None else policy.allowed(label),
            p=None if change is None else change.p,
            bounds=None if bounds is None else (bounds.low, bounds.high),
            change_bounds=None if change is None else change.reach,
        )
    )
