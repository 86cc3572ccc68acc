"""Unjudged items: verdicts over all grades of unjudged items, and what is said of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.compare import Change
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.assessment.phrases import allowed_change, short_threshold, threshold_phrase
from pytest_rankmetrics.policy.verdicts import (
    SLACK,
    UNJUDGED,
    UNKNOWN_UNJUDGED,
    Decision,
    assess_ends,
    assess_threshold,
)
from sklearn_rank.bounds.result import Bounds
from sklearn_rank.bounds.to_judge import ToJudge

MOST_NAMED = 3
"""Items to judge in a headline; the command judge-next lists more."""


def assess_value(
    value: float, bounds: Bounds | None, at_least: float | None, at_most: float | None
) -> Decision:
    """Verdict on a value, or on all that it may be."""
    if bounds is None or not math.isfinite(value):
        return assess_threshold(value, at_least, at_most)
    return assess_ends(bounds.low, bounds.high, at_least, at_most)


def assess_new_unjudged(assessment: Assessment) -> None:
    """Say where more of the top is unjudged than before, whatever unjudged items count."""
    measured, reference = assessment.measured, assessment.reference
    was = None if reference is None else reference.unjudged_share
    now = measured.unjudged_share(measured.top) if was is not None else None
    if was is None or now is None:
        return
    if now - was > assessment.policy.settings.max_new_unjudged + SLACK:
        other = "baseline" if assessment.alignment is not None else "reference"
        assessment.new_unjudged = (
            f"{now:.0%} of the new top {measured.top} are unjudged ({other} {was:.0%})"
        )


def note_unused_policy(assessment: Assessment) -> None:
    """Say that a policy for unjudged items does nothing, where nobody said that there are none."""
    measured = assessment.measured
    if measured.unjudged == "irrelevant" or not measured.is_taken_as_complete:
        return
    assessment.notes.append(
        f"unjudged='{measured.unjudged}' changes nothing: the judgements have no grade 0, and so "
        "are taken as complete; pass assume='partial' if they are not"
    )


def undecided_value(assessment: Assessment, name: str, bounds: Bounds) -> None:
    """A threshold that some grades of the unjudged items meet."""
    policy = assessment.policy
    phrase = threshold_phrase(
        name, assessment.measured.value(name), policy.at_least.get(name), policy.at_most.get(name)
    )
    text = f"{phrase}, and {bounds.low:.4f}..{bounds.high:.4f} is possible"
    first = _first(assessment.measured.to_judge(name, MOST_NAMED))
    assessment.undecided(
        f"{text}: {UNJUDGED}{first}", f"{short_threshold(assessment, name)}: {UNJUDGED}"
    )


def undecided_change(assessment: Assessment, name: str, change: Change) -> None:
    """A change that the unjudged items decide, or of a baseline that knows nothing of them."""
    if change.decision.reason == UNKNOWN_UNJUDGED:
        text = f"{name} {formatting.signed(change.change)}: {UNKNOWN_UNJUDGED}"
        assessment.undecided(f"{text}; record it anew with: --rank-update", text, of_baseline=True)
        return
    allowed = allowed_change(assessment, name, change.allowed)
    text = (
        f"{name} {change.was:.4f} -> {change.now:.4f} ({formatting.signed(change.change)}, allowed "
        f"{allowed}), and {_reach(change)} is possible"
    )
    rows = [] if assessment.reference is None else assessment.reference.to_judge(name, MOST_NAMED)
    short = f"{name} {_reach(change)}"
    assessment.undecided(f"{text}: {UNJUDGED}{_first(rows)}", short, of_baseline=True)


def undecided_slice(assessment: Assessment, label: str, name: str, change: Change) -> None:
    """The same of a slice."""
    text = f"slice {formatting.shown(label)} {formatting.signed(change.change)}"
    if change.decision.reason == UNJUDGED:
        allowed = allowed_change(assessment, name, change.allowed)
        text += f" ({name}, allowed {allowed}), and {_reach(change)} is possible"
    assessment.undecided(f"{text}: {change.decision.reason}", text, of_baseline=True)


def _reach(change: Change) -> str:
    return formatting.reach(change.reach or (math.nan, math.nan))


def _first(rows: Sequence[ToJudge]) -> str:
    """``; judge first: q1 d7 (+0.0500), q2 d3 (-0.0200)``."""
    named = [
        f"{formatting.shown(row.query)} {formatting.shown(row.item)} "
        f"({formatting.signed(row.move)})"
        for row in rows
        if abs(row.move) > SLACK
    ]
    return f"; judge first: {', '.join(named)}" if named else ""


def ends_of(assessment: Assessment, name: str) -> tuple[Sequence[float], Sequence[float]] | None:
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
