"""When does a gate fail? One predicate, for every change and every threshold.

A drop fails if it exceeds the margin **and** is significant. Two guards: with few queries
significance excuses nothing, and a drop beyond the hard limit is never excused. Where the data
cannot decide, a gate says so: "cannot tell" is neither passed nor failed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

SLACK = 1e-9
"""Rounding of a mean of floats: a value this close to its limit meets it."""

IMPROVEMENT = 1e-6
"""A baseline is raised by no less: it holds six decimals."""


GAIN_ALPHA = 0.01
"""A baseline rises where the p-value of a gain is below this: one that rises with every gain
climbs to the luckiest run, and honest runs then look worse."""


class Verdict(StrEnum):
    """Verdict on a gate, a measure or a slice, in rising order of severity."""

    PASS = "pass"
    IMPROVED = "improved"
    NEW = "new"
    """A baseline was written."""
    SHOWN = "not gated"
    """Shown, not judged: a slice that is too small, a measure without a limit."""
    WARN = "warn"
    """A drop that exceeds the margin and is not confirmed."""
    CANNOT_TELL = "cannot tell"
    """Data that cannot decide: too few queries changed to confirm any drop, or judgements lack."""
    STALE = "stale"
    """The baseline does not fit the data."""
    FAIL = "fail"


@dataclass(frozen=True)
class Rule:
    """Limits of the fall of one measure."""

    max_drop: float
    hard_drop: float
    min_queries: int
    alpha: float
    confirm: bool
    proven: bool = False
    """Whether only a drop that is shown not to exceed ``max_drop`` passes."""


class Decision(NamedTuple):
    """A verdict and its reason, in a few words."""

    verdict: Verdict
    reason: str = ""


NOT_GATED = Decision(Verdict.SHOWN)


def assess_change(
    drop: float,
    n_queries: int,
    p_value: float,
    rule: Rule,
    *,
    can_confirm: bool = True,
    upper: float = math.nan,
) -> Decision:
    """Verdict on a drop (above 0 is worse) of a mean over paired queries.

    ``p_value`` is one-sided towards "worse" and corrected for multiple testing; NaN where there
    is none. ``can_confirm`` says whether any drop of the queries that changed could be significant;
    ``upper`` is the upper end of the one-sided interval of the drop.
    """
    if not math.isfinite(drop):
        return Decision(Verdict.FAIL, "change is not a number")
    unproven = rule.proven and not upper <= rule.max_drop + SLACK
    if drop <= rule.max_drop + SLACK:
        if unproven:
            return Decision(Verdict.CANNOT_TELL, UNPROVEN)
        return Decision(Verdict.IMPROVED if drop < -IMPROVEMENT else Verdict.PASS)
    if not rule.confirm:
        return Decision(Verdict.FAIL, "regression")
    if drop > rule.hard_drop + SLACK:
        return Decision(Verdict.FAIL, f"hard limit {rule.hard_drop:g}")
    if n_queries < rule.min_queries:
        return Decision(
            Verdict.FAIL, f"regression (significance is not used below {rule.min_queries} queries)"
        )
    if math.isnan(p_value):
        return Decision(Verdict.FAIL, "regression (no test possible)")
    if p_value <= rule.alpha:
        return Decision(Verdict.FAIL, "regression")
    if not can_confirm:
        return Decision(Verdict.CANNOT_TELL, TOO_FEW)
    if unproven:
        return Decision(Verdict.CANNOT_TELL, UNPROVEN)
    return Decision(Verdict.WARN, "not confirmed")


def assess_threshold(value: float, at_least: float | None, at_most: float | None) -> Decision:
    """Verdict on a value; only a finite one can pass."""
    if not math.isfinite(value):
        return Decision(Verdict.FAIL, "not a number")
    if at_least is not None and not value >= at_least - SLACK:
        return Decision(Verdict.FAIL, "below the threshold")
    if at_most is not None and not value <= at_most + SLACK:
        return Decision(Verdict.FAIL, "above the threshold")
    return Decision(Verdict.PASS)


def assess_ends(low: float, high: float, at_least: float | None, at_most: float | None) -> Decision:
    """Verdict on a value that is known to be between two others."""
    first, second = (assess_threshold(end, at_least, at_most) for end in (low, high))
    return first if first.verdict is second.verdict else Decision(Verdict.CANNOT_TELL, UNJUDGED)


TOO_FEW = "too few queries changed"
"""Reason of a change that no test could confirm."""

UNPROVEN = "a larger drop is not ruled out"
"""Reason where a gate asks for a proof, and the interval of the drop exceeds ``max_drop``."""

UNJUDGED = "unjudged items decide"
"""Reason where one grading of the unjudged items passes, and another does not."""
UNKNOWN_UNJUDGED = "the baseline does not say where unjudged items stood"
"""Reason where a baseline was written under another policy, or by an older version."""

UNREMARKABLE = (Verdict.PASS, Verdict.IMPROVED, Verdict.NEW)
"""Gates with these verdicts are worth a line."""

_SEVERITY = list(Verdict)


def severity(decision: Decision) -> int:
    """Severity of a decision."""
    return _SEVERITY.index(decision.verdict)


def worst(verdicts: list[Verdict]) -> Verdict:
    """The most severe of some verdicts; PASS if there is none."""
    judged = [verdict for verdict in verdicts if verdict is not Verdict.SHOWN]
    return max(judged, key=_SEVERITY.index, default=Verdict.PASS)
