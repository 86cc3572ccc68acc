"""Slices: their queries, whether the baseline has the same ones, and how far each may fall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_rankmetrics._support import words
from pytest_rankmetrics.judging.compare import Slice
from pytest_rankmetrics.judging.findings import Finding, Judgement
from pytest_rankmetrics.judging.holes import doubt_slice, judge_value
from pytest_rankmetrics.judging.phrases import slice_text, threshold_phrase
from pytest_rankmetrics.judging.result import SliceResult
from pytest_rankmetrics.policy.verdicts import Verdict


def find_slices(judgement: Judgement) -> None:
    """Find the slices; those that are limited or recorded, and empty now, fail."""
    policy, alignment = judgement.policy.slices, judgement.alignment
    recorded = {} if alignment is None else alignment.slices
    if policy.slices is not None:
        place = {query: number for number, query in enumerate(judgement.measured.own_ids)}
        judgement.slices = {
            label: Slice([place[query] for query in part.query_ids], part)
            for label, part in judgement.measured.slices(policy.slices).items()
        }
    drops = list(policy.max_drop) if isinstance(policy.max_drop, Mapping) else []
    if isinstance(policy.slices, Mapping):
        queries = set(judgement.measured.query_ids)
        empty = [
            label for label, of in policy.slices.items() if label not in queries and _is_empty(of)
        ]
        drops += [str(label) for label in empty]
    wanted = {"limit": [*drops, *policy.at_least, *policy.at_most], "baseline": recorded}
    for what, labels in wanted.items():
        gone = [label for label in dict.fromkeys(labels) if label not in judgement.slices]
        if gone:
            verb = "there is a limit for" if what == "limit" else "baseline has"
            name = "the slice" if what == "limit" else "slice"
            text = f"{verb} {name} {words.several(gone)} but no query is in it now"
            judgement.fail(text, of_baseline=what == "baseline")


def judge_slices_fit(judgement: Judgement) -> None:
    """Slices of other queries than those of the baseline: a drop could hide in the move."""
    alignment, reference = judgement.alignment, judgement.reference
    if reference is not None and reference.complete:
        for label in judgement.slices:
            _judge_pooled_slice(judgement, label)
    if alignment is None or not judgement.slices:
        return
    labels = labels_of(judgement)
    moved = [
        f"{words.shown(judgement.measured.query_ids[number])} "
        f"{words.several(then) or 'none'} -> {words.several(labels[number]) or 'none'}"
        for number, then in alignment.labels.items()
        if set(then) != set(labels[number])
    ]
    if moved:
        more = f" and {len(moved) - 3:,} more" if len(moved) > 3 else ""
        queries = words.count(len(moved), "query is", "queries are")
        judgement.stale(
            f"baseline does not fit: {queries} in other slices: {'; '.join(moved[:3])}{more}"
        )


def labels_of(judgement: Judgement) -> list[list[str]]:
    """The labels of each query, sorted."""
    labels: list[list[str]] = [[] for _ in judgement.measured.query_ids]
    for label in sorted(judgement.slices):
        for number in judgement.slices[label].members:
            labels[number].append(label)
    return labels


def _judge_pooled_slice(judgement: Judgement, label: str) -> None:
    """A pooled measure can only be compared with the recorded value of the slice."""
    if judgement.policy.slices.allowed(label) is None or judgement.reference is None:
        return
    for name in judgement.changes:
        if judgement.measured.used[name].is_pooled and (label, name) not in judgement.slice_changes:
            text = f"baseline does not fit: it has no {name} of slice {words.shown(label)}"
            judgement.stale(f"{text}; refresh with: --rank-update", text)


def _is_empty(queries: Any) -> bool:
    return hasattr(queries, "__len__") and len(queries) == 0


def judge_slices(judgement: Judgement) -> None:
    """Judge every slice by the measures it is compared or limited in, or show it by all."""
    policy = judgement.policy.slices
    for label, part in judgement.slices.items():
        limits = {**policy.at_least.get(label, {}), **policy.at_most.get(label, {})}
        compared = [name for own, name in judgement.slice_changes if own == label]
        names = dict.fromkeys([*compared, *limits]) or dict.fromkeys(judgement.measured.names)
        for name in names:
            _judge_slice(judgement, label, name, part)
    _warn_of_small_slices(judgement)


def _warn_of_small_slices(judgement: Judgement) -> None:
    """Where all slices are too small, the allowed drop limits nothing."""
    changes = judgement.slice_changes.values()
    if not changes or judgement.policy.slices.max_drop is None:
        return
    if all(change.decision.verdict is Verdict.SHOWN for change in changes):
        least = judgement.policy.settings.min_slice_size
        text = f"max_slice_drop judges no slice: none of them has {least} queries"
        severity = Verdict.FAIL if judgement.policy.settings.strict else Verdict.WARN
        judgement.findings.append(Finding(severity, text, text))


def _judge_slice(judgement: Judgement, label: str, name: str, part: Slice) -> None:
    policy = judgement.policy.slices
    at_least = policy.at_least.get(label, {}).get(name)
    at_most = policy.at_most.get(label, {}).get(name)
    change = judgement.slice_changes.get((label, name))
    value = float(part.evaluation[name])
    limited = at_least is not None or at_most is not None
    bounds = judgement.measured.bounds_of(part.evaluation, name) if limited else None
    threshold = judge_value(value, bounds, at_least, at_most)
    decisions = []
    if limited:
        decisions.append(threshold)
        if threshold.verdict is Verdict.FAIL:
            phrase = threshold_phrase(name, value, at_least, at_most)
            judgement.fail(f"slice {words.shown(label)}: {phrase}")
        elif threshold.verdict is Verdict.CANNOT_TELL and bounds is not None:
            phrase = threshold_phrase(name, value, at_least, at_most)
            reach = f"{bounds.low:.4f}..{bounds.high:.4f}"
            judgement.doubt(f"slice {words.shown(label)}: {phrase}, and {reach} is possible")
    if change is not None:
        decisions.append(change.decision)
        if change.decision.verdict is Verdict.FAIL:
            short = f"slice {words.shown(label)} {words.signed(change.change)}"
            if len(judgement.policy.max_drop) > 1:
                short += f" ({name})"
            judgement.fail(slice_text(judgement, label, name, change), short, of_baseline=True)
        elif change.decision.verdict is Verdict.CANNOT_TELL:
            doubt_slice(judgement, label, name, change)
    decided = max(
        decisions, key=lambda decision: list(Verdict).index(decision.verdict), default=None
    )
    judgement.slice_results.append(
        SliceResult(
            label=words.shown(label),
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
