"""Judgements with holes: verdicts over all grades of unjudged items, and what is said of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pytest_rankmetrics._support import words
from pytest_rankmetrics.judging.compare import Change
from pytest_rankmetrics.judging.findings import Judgement
from pytest_rankmetrics.judging.phrases import allowed_change, short_threshold, threshold_phrase
from pytest_rankmetrics.policy.verdicts import (
    HOLES,
    NO_HOLES,
    SLACK,
    Decision,
    judge_ends,
    judge_threshold,
)
from sklearn_rank.bounds.result import Bounds
from sklearn_rank.bounds.to_judge import ToJudge

MOST_NAMED = 3
"""Items to judge in a headline; the command judge-next lists more."""


def judge_value(
    value: float, bounds: Bounds | None, at_least: float | None, at_most: float | None
) -> Decision:
    """Verdict on a value, or on all that it may be."""
    if bounds is None or not math.isfinite(value):
        return judge_threshold(value, at_least, at_most)
    return judge_ends(bounds.low, bounds.high, at_least, at_most)


def judge_new_holes(judgement: Judgement) -> None:
    """Say where more of the top is unjudged than before, whatever unjudged items count."""
    measured, reference = judgement.measured, judgement.reference
    was = None if reference is None else reference.unjudged_share
    now = measured.unjudged_share(measured.top) if was is not None else None
    if was is None or now is None:
        return
    if now - was > judgement.policy.settings.max_new_unjudged + SLACK:
        other = "baseline" if judgement.alignment is not None else "reference"
        judgement.new_holes = (
            f"{now:.0%} of the new top {measured.top} are unjudged ({other} {was:.0%})"
        )


def note_no_holes(judgement: Judgement) -> None:
    """Say that a policy for unjudged items does nothing, where nobody said that there are none."""
    measured = judgement.measured
    if measured.holes == "irrelevant" or not measured.is_taken_as_complete:
        return
    judgement.notes.append(
        f"holes='{measured.holes}' changes nothing: the judgements have no grade 0, and so are "
        "taken as complete; pass assume='partial' if they are not"
    )


def doubt_value(judgement: Judgement, name: str, bounds: Bounds) -> None:
    """A threshold that some grades of the unjudged items meet."""
    policy = judgement.policy
    phrase = threshold_phrase(
        name, judgement.measured.value(name), policy.at_least.get(name), policy.at_most.get(name)
    )
    text = f"{phrase}, and {bounds.low:.4f}..{bounds.high:.4f} is possible"
    first = _first(judgement.measured.to_judge(name, MOST_NAMED))
    judgement.doubt(f"{text}: {HOLES}{first}", f"{short_threshold(judgement, name)}: {HOLES}")


def doubt_change(judgement: Judgement, name: str, change: Change) -> None:
    """A change that the unjudged items decide, or of a baseline that knows nothing of them."""
    if change.decision.reason == NO_HOLES:
        text = f"{name} {words.signed(change.change)}: {NO_HOLES}"
        judgement.doubt(f"{text}; record it anew with: --rank-update", text, of_baseline=True)
        return
    allowed = allowed_change(judgement, name, change.allowed)
    text = (
        f"{name} {change.was:.4f} -> {change.now:.4f} ({words.signed(change.change)}, allowed "
        f"{allowed}), and {_reach(change)} is possible"
    )
    rows = [] if judgement.reference is None else judgement.reference.to_judge(name, MOST_NAMED)
    short = f"{name} {_reach(change)}"
    judgement.doubt(f"{text}: {HOLES}{_first(rows)}", short, of_baseline=True)


def doubt_slice(judgement: Judgement, label: str, name: str, change: Change) -> None:
    """The same of a slice."""
    text = f"slice {words.shown(label)} {words.signed(change.change)}"
    if change.decision.reason == HOLES:
        allowed = allowed_change(judgement, name, change.allowed)
        text += f" ({name}, allowed {allowed}), and {_reach(change)} is possible"
    judgement.doubt(f"{text}: {change.decision.reason}", text, of_baseline=True)


def _reach(change: Change) -> str:
    return words.reach(change.reach or (math.nan, math.nan))


def _first(rows: Sequence[ToJudge]) -> str:
    """``; judge first: q1 d7 (+0.0500), q2 d3 (-0.0200)``."""
    named = [
        f"{words.shown(row.query)} {words.shown(row.item)} ({words.signed(row.move)})"
        for row in rows
        if abs(row.move) > SLACK
    ]
    return f"; judge first: {', '.join(named)}" if named else ""


def ends_of(judgement: Judgement, name: str) -> tuple[Sequence[float], Sequence[float]] | None:
    """Least and greatest value of each query; None for a pooled measure."""
    values = judgement.measured.per_query(name)
    if values is None:
        return None
    bounds = judgement.measured.bounds(name)
    if bounds is None:
        return values.tolist(), values.tolist()
    ends = (bounds.per_query_low, bounds.per_query_high)
    low, high = (np.where(np.isnan(end), values, end) for end in ends)
    return low.tolist(), high.tolist()
