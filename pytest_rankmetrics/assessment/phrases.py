"""Phrases of headlines, and remarks on the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.compare import Change
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from pytest_rankmetrics.policy.verdicts import SLACK, TOO_FEW, UNJUDGED, Verdict, assess_threshold
from sklearn_rank.bounds.to_judge import ToJudge

DECIMALS = 3
"""Of a headline; tables have more."""
MOST_TO_CHECK = 5


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
    """``MAP is 0.394, below the required 0.450 (60 queries, 95% CI 0.329 to 0.459)``."""
    measured, policy = assessment.measured, assessment.policy
    value, limits = measured.value(name), (policy.at_least.get(name), policy.at_most.get(name))
    low, high = interval_of(measured, name)
    ci = "" if math.isnan(low) else f", 95% CI {low:.3f} to {high:.3f}"
    n = formatting.queries(averaged_queries(measured, name))
    return f"{threshold_sentence(measured.used[name].title, value, *limits)} ({n}{ci})"


def threshold_sentence(
    title: str, value: float, at_least: float | None, at_most: float | None
) -> str:
    """``MAP is 0.394, below the required 0.450``; at most: ``above the allowed``.

    A measure has one of the limits, by its direction, or none.
    """
    limit = at_least if at_least is not None else at_most
    if limit is None:
        return f"{title} is {formatting.number(value, DECIMALS)}"
    shown, bound, _ = formatting.apart(value, limit, _decimals(limit))
    met = assess_threshold(value, at_least, at_most).verdict is Verdict.PASS
    if at_least is not None:
        return (
            f"{title} is {shown}, {f'at least {bound}' if met else f'below the {bound}'} required"
        )
    return f"{title} is {shown}, {f'at most {bound}' if met else f'above the {bound}'} allowed"


def threshold_phrase(name: str, value: float, at_least: float | None, at_most: float | None) -> str:
    """``map 0.3938 < 0.4500 required``, or with ``>=`` where it is met; at most: ``allowed``."""
    limit = at_least if at_least is not None else at_most
    if limit is None:
        return f"{name} {formatting.number(value)}"
    shown, bound, _ = formatting.apart(value, limit)
    met = assess_threshold(value, at_least, at_most).verdict is Verdict.PASS
    if at_least is not None:
        return f"{name} {shown} {'>=' if met else '<'} {bound} required"
    return f"{name} {shown} {'<=' if met else '>'} {bound} allowed"


def _decimals(limit: float) -> int:
    """Decimals of a headline: three, or four or five if a limit was given with as many."""
    given = len(f"{limit:.6f}".rstrip("0").partition(".")[2])
    return given if DECIMALS < given < 6 else DECIMALS


def allowed_change(assessment: Assessment, name: str, allowed: float, decimals: int = 4) -> str:
    """The allowed drop with the sign that a drop of this measure has."""
    greater_is_better = assessment.measured.used[name].metric.greater_is_better
    return formatting.signed(-allowed if greater_is_better else allowed, decimals)


def moved_to(title: str, change: Change) -> str:
    """``nDCG@10 fell from 0.554 to 0.515``."""
    if abs(change.change) <= SLACK:
        return f"{title} is unchanged at {change.now:.{DECIMALS}f}"
    was, now, _ = formatting.apart(change.was, change.now, DECIMALS)
    return f"{title} {'fell' if change.change < 0 else 'rose'} from {was} to {now}"


def moved_by(title: str, change: Change) -> str:
    """``nDCG@10 fell by 0.040``, with enough decimals to tell the drop from the allowed one."""
    if abs(change.change) <= SLACK:
        return f"{title} is unchanged"
    decimals = _decimals(change.allowed)
    _, _, decimals = formatting.apart(0.0, change.change, decimals)
    _, _, decimals = formatting.apart(change.drop, change.allowed, decimals)
    return f"{title} {'fell' if change.change < 0 else 'rose'} by {abs(change.change):.{decimals}f}"


def change_text(assessment: Assessment, name: str, change: Change, where: str = "") -> str:
    """``nDCG@10 fell from 0.554 to 0.515 (-0.040, allowed -0.005): 173 of 300 queries got ...``."""
    title, limit = assessment.measured.used[name].title, change.allowed
    word, _, hard = change.decision.reason.rpartition(" ")
    if word != "hard limit":
        word = "allowed"
    else:
        limit = float(hard)
    _, _, decimals = formatting.apart(change.drop, limit, _decimals(limit))
    moved = formatting.signed(change.change, decimals)
    shown = f"{word} {allowed_change(assessment, name, limit, decimals)}"
    shown = shown if limit else "no drop allowed"
    is_tested = where or change.n >= assessment.policy.settings.min_queries
    p = formatting.p_phrase(change.p) if is_tested else ""
    counts = (
        f"{change.better_and_worse[1]:,} got worse" if where and change.paired else _counts(change)
    )
    counts = ", ".join(filter(None, [counts, p]))
    return f"{moved_to(title, change)}{where} ({moved}, {shown}): {counts}"


def _counts(change: Change) -> str:
    if change.paired is None:
        return "all items ranked together"
    return f"{change.better_and_worse[1]:,} of {formatting.queries(change.n)} got worse"


def unconfirmed_text(assessment: Assessment, name: str, change: Change) -> str:
    """``nDCG@10 fell by 0.012 (allowed 0.005), which may be chance: 9 of 60 queries got ...``."""
    title, allowed = assessment.measured.used[name].title, f"(allowed {change.allowed:g})"
    if change.reach is not None:
        return (
            f"{title} may have changed by {formatting.reach(change.reach, DECIMALS)} {allowed}: "
            f"not significant for any grading of the unjudged items ({_counts(change)})"
        )
    moved = f"{moved_by(title, change)} {allowed}"
    if change.paired is None or change.decision.reason != TOO_FEW:
        return f"{moved}, which may be chance: {_counts(change)}, {formatting.p_phrase(change.p)}"
    changed = change.paired.n_changed
    ids = _changed_most(assessment, name, min(changed, MOST_TO_CHECK))
    text = f"{moved}, but only {changed:,} of {formatting.queries(change.n)} changed"
    return f"{text}: check {', '.join(map(formatting.shown, ids))}"


def _changed_most(assessment: Assessment, name: str, n: int) -> list[Any]:
    """Ids of the queries that changed most."""
    measured, reference = assessment.measured, assessment.reference
    values = measured.per_query(name)
    if reference is None or values is None:
        return []
    change = np.abs(np.nan_to_num(values[reference.queries] - reference.per_query[name]))
    most = reference.queries[np.argsort(-change, kind="stable")[:n]]
    return [measured.query_ids[number] for number in most.tolist()]


def unproven_text(assessment: Assessment, name: str, change: Change) -> str:
    """``nDCG@10 rose by 0.001, but a drop of 0.021 is not ruled out (allowed 0.01); about ...``."""
    moved = moved_by(assessment.measured.used[name].title, change)
    if math.isnan(change.upper):
        return f"{moved}, and no spread over queries tells how large a drop is possible"
    room, worth = change.allowed - max(change.drop, 0.0) - SLACK, change.worth
    needed = math.nan if worth is None else worth.queries_for(room, worth.rule.alpha)
    upper, _, _ = formatting.apart(change.upper, change.allowed, _decimals(change.allowed))
    text = f"{moved}, but a drop of {upper} is not ruled out (allowed {change.allowed:g})"
    if math.isnan(needed):
        return f"{text}; if the change is as measured, no number of queries would prove it"
    return f"{text}; about {needed:,} queries would prove it"


def unjudged_text(assessment: Assessment, name: str, change: Change, where: str = "") -> str:
    """``nDCG@3 fell by 0.036 (allowed 0.005), but -0.036..+0.327 is possible: ...``."""
    moved = moved_by(assessment.measured.used[name].title, change)
    reach = formatting.reach(change.reach or (), DECIMALS)
    return f"{moved}{where} (allowed {change.allowed:g}), but {reach} is possible: {UNJUDGED}"


def slice_phrase(label: str, queries: int | None = None) -> str:
    """`` for the 86 "brand" queries``, or `` for "brand"``."""
    name = f'"{formatting.line(label, formatting.LONGEST_NAME)}"'
    if queries is None:
        return f" for {name}"
    return f" for the {queries:,} {name} {'query' if queries == 1 else 'queries'}"


def first_to_judge(rows: Sequence[ToJudge]) -> str:
    """``; judge first: q1 d7 (+0.050), q2 d3 (-0.020)``."""
    named = [
        f"{formatting.shown(row.query)} {formatting.shown(row.item)} "
        f"({formatting.signed(row.move, DECIMALS)})"
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
