"""Phrases of headlines, and remarks on the data."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.compare import Change
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from pytest_rankmetrics.policy.verdicts import SLACK, TOO_FEW, Verdict, assess_threshold
from sklearn_rank.bounds.to_judge import ToJudge


def averaged_queries(measured: StrictEvaluation, name: str) -> int:
    """Number of queries in a mean."""
    if measured.used[name].is_pooled:
        return len(measured)
    return int(measured.counts["averaged"][name])


def interval_of(measured: StrictEvaluation, name: str) -> tuple[float, float]:
    """95% confidence interval of a value; NaN for a pooled measure or a single query."""
    if measured.used[name].is_pooled:
        return math.nan, math.nan
    return measured.evaluation.confidence_interval(name)


def threshold_text(assessment: Assessment, name: str) -> str:
    """``map 0.3938 < 0.4500 required (short by 0.0562; 60 queries, 95% CI 0.3290..0.4585)``."""
    measured, policy = assessment.measured, assessment.policy
    value, at_least = measured.value(name), policy.at_least.get(name)
    limit = policy.at_most[name] if at_least is None else at_least
    _, _, decimals = formatting.apart(value, limit)
    low, high = interval_of(measured, name)
    ci = "" if math.isnan(low) else f", 95% CI {low:.4f}..{high:.4f}"
    distance = f"{'over' if at_least is None else 'short'} by {abs(value - limit):.{decimals}f}"
    n = formatting.queries(averaged_queries(measured, name))
    phrase = threshold_phrase(name, value, at_least, policy.at_most.get(name))
    return f"{phrase} ({distance}; {n}{ci})"


def threshold_phrase(name: str, value: float, at_least: float | None, at_most: float | None) -> str:
    """``map 0.3938 < 0.4500 required``, or with ``>=`` where it is met; at most: ``allowed``.

    A measure has one of the limits, by its direction, or none.
    """
    limit = at_least if at_least is not None else at_most
    if limit is None:
        return f"{name} {formatting.number(value)}"
    shown, bound, _ = formatting.apart(value, limit)
    met = assess_threshold(value, at_least, at_most).verdict is Verdict.PASS
    if at_least is not None:
        return f"{name} {shown} {'>=' if met else '<'} {bound} required"
    return f"{name} {shown} {'<=' if met else '>'} {bound} allowed"


def allowed_change(assessment: Assessment, name: str, allowed: float, decimals: int = 4) -> str:
    """The allowed drop with the sign that a drop of this measure has."""
    greater_is_better = assessment.measured.used[name].metric.greater_is_better
    return formatting.signed(-allowed if greater_is_better else allowed, decimals)


def change_text(assessment: Assessment, name: str, change: Change) -> str:
    """``ndcg@10 0.5642 -> 0.5099 (-0.0542, allowed -0.0050; p=0.0010, 60 queries, ...)``."""
    was, now, decimals = formatting.apart(change.was, change.now)
    parts = []
    if change.decision.reason.startswith("hard limit"):
        parts.append(change.decision.reason)
    if change.n >= assessment.policy.settings.min_queries and formatting.p_phrase(change.p):
        parts.append(formatting.p_phrase(change.p))
    parts.append(_counts(change))
    _, _, decimals = formatting.apart(change.drop, change.allowed, decimals)
    allowed = allowed_change(assessment, name, change.allowed, decimals)
    moved = formatting.signed(change.change, decimals)
    return f"{name} {was} -> {now} ({moved}, allowed {allowed}; {', '.join(parts)})"


def _counts(change: Change) -> str:
    if change.paired is None:
        return "all items ranked together"
    worse, better = change.paired.worse, change.paired.better
    return f"{formatting.queries(change.n)}, {worse:,} worse, {better:,} better"


def unconfirmed_text(assessment: Assessment, name: str, change: Change) -> str:
    """``ndcg@10 -0.0121 exceeds the allowed -0.0050 but is not significant (p=0.19, ...)``."""
    allowed = allowed_change(assessment, name, change.allowed)
    beyond = ""
    if change.paired is not None and change.decision.reason == TOO_FEW:
        changed = formatting.queries(change.paired.worse + change.paired.better)
        beyond = f": {changed} changed, too few to confirm any drop"
    if change.reach is not None:
        return (
            f"{name} {formatting.reach(change.reach)} is possible: some of it exceeds the allowed "
            f"{allowed} but is not significant for any grading ({_counts(change)}){beyond}"
        )
    return (
        f"{name} {formatting.signed(change.change)} exceeds the allowed {allowed} but is not "
        f"significant ({formatting.p_phrase(change.p)}, {_counts(change)}){beyond}"
    )


def unproven_text(name: str, change: Change) -> str:
    """``ndcg@10 +0.0012, but a drop of 0.0210 is not ruled out, allowed 0.0100; about ...``."""
    moved = f"{name} {formatting.signed(change.change)}"
    if math.isnan(change.upper):
        return f"{moved}, and nothing tells how large a drop is possible: no spread over queries"
    text = f"{moved}, but a drop of {change.upper:.4f} is not ruled out, allowed "
    text += f"{change.allowed:.4f}"
    room, worth = change.allowed - max(change.drop, 0.0) - SLACK, change.worth
    needed = math.nan if worth is None else worth.queries_for(room, worth.rule.alpha)
    if math.isnan(needed):
        return f"{text}; if the change is as measured, no number of queries would prove it"
    return f"{text}; about {needed:,} queries would prove it"


def slice_text(assessment: Assessment, label: str, name: str, change: Change) -> str:
    """``slice long-tail -0.2653 (ndcg@10 0.6884 -> 0.4231, allowed -0.0200; p=0.0002, ...)``."""
    parts = filter(None, [formatting.p_phrase(change.p), _counts(change)])
    return (
        f"slice {formatting.shown(label)} {formatting.signed(change.change)} "
        f"({name} {change.was:.4f} -> {change.now:.4f}, allowed "
        f"{allowed_change(assessment, name, change.allowed)}; {', '.join(parts)})"
    )


def first_to_judge(rows: Sequence[ToJudge]) -> str:
    """``; judge first: q1 d7 (+0.0500), q2 d3 (-0.0200)``."""
    named = [
        f"{formatting.shown(row.query)} {formatting.shown(row.item)} "
        f"({formatting.signed(row.move)})"
        for row in rows
        if abs(row.move) > SLACK
    ]
    return f"; judge first: {', '.join(named)}" if named else ""


MOST_FALSE_ALARMS = 0.1
"""A gate that is red for nothing more often teaches people to run it again."""


def worth_texts(assessment: Assessment) -> tuple[str, str]:
    """What a gate finds and how often it errs, in a line; and which limit is too tight, if one is.

    The measure of which least is seen stands for all.
    """
    judged = [
        (own.worth.detectable, name, own, own.worth)
        for name, own in assessment.changes.items()
        if own.worth is not None
    ]
    rate = assessment.false_alarm
    if not judged or rate is None:
        return "", ""
    seen, name, change, worth = max(judged, key=lambda own: (math.isnan(own[0]), own[0]))
    n, several = formatting.queries(change.n), len(judged) + len(assessment.slice_changes) > 1
    finds = "detects no drop, because too few queries changed"
    if not math.isnan(seen):
        finds = f"detects a true drop of {seen:.4f} (80% power)"
    text = f"{name}, {n}: {finds}; {'at most ' * several}{rate:.1%} false alarms"
    if worth.rule.proven:
        text += ", 'cannot tell' not counted"
    if not math.isnan(worth.needed):
        text += f"; detecting {change.allowed:g} (max_drop) takes about {worth.needed:,} queries"
    if rate <= MOST_FALSE_ALARMS:
        return text, ""
    _, name, change, worth = max(judged, key=lambda own: own[3].false_alarm)
    wide = 1.645 * change.error  # exceeded by chance in 5% of runs
    return text, (
        f"{'at most ' * several}{rate:.1%} false alarms: {worth.tight} of {name} is too tight for "
        f"{formatting.queries(change.n)}; raise it to about {wide:.2g}, or add queries"
    )


# Remarks that help to understand a failure; they fail nothing ------------------------------------

_CHANCE = 0.45
"""An AUC below this is further from 1/2 than chance takes a useless system."""


def facts(assessment: Assessment) -> list[str]:
    """Remarks on the data, one per line."""
    measured, counts = assessment.measured, assessment.measured.counts
    empty = np.flatnonzero(measured.evaluation.n_ranked == 0).tolist()
    lost, found = counts["relevant"] - counts["retrieved"], []
    if empty:
        ids = formatting.several([measured.query_ids[number] for number in empty])
        verb = "counts" if len(empty) == 1 else "count"
        found.append(f"{formatting.queries(len(empty))} returned nothing and {verb} as 0 ({ids})")
    if lost:
        are = "relevant item is" if lost == 1 else "relevant items are"
        found.append(f"{lost:,} {are} missing from their query's list")
    left_out = (
        (max(counts["undefined"].values(), default=0), "without a defined value"),
        (counts["missing"], "without a ranking"),
        (counts["unjudged"], "without judgements"),
        (counts["tied"], "with a relevant item in a tie"),
    )
    upside_down = (
        f"{name} is below 0.5: are the scores distances, of which lower is better?"
        for name, used in measured.used.items()
        if used.metric.name in ("auc", "gauc") and measured.value(name) < _CHANCE
    )
    remarks = [f"{formatting.queries(n)} {what}" for n, what in left_out if n]
    return [*(["; ".join(found)] if found else []), *remarks, *upside_down]
