"""A system against a reference, query by query: changes, p-values and verdicts."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from pytest_rankmetrics.assessment.box import DropBox, assess_boxes
from pytest_rankmetrics.assessment.worth import Worth
from pytest_rankmetrics.measuring.evaluation import Reference, StrictEvaluation
from pytest_rankmetrics.policy.policy import Policy
from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.policy.verdicts import (
    GAIN_ALPHA,
    IMPROVEMENT,
    NOT_GATED,
    SLACK,
    Decision,
    Rule,
    Verdict,
    assess_change,
)
from sklearn_rank.evaluation.averaging import mean_over, on_scale
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.statistics.differences import Alternative, Differences, correct_p_values
from sklearn_rank.typing import IntArray

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Change:
    """Change of one measure, over all compared queries or those of a slice."""

    was: float
    now: float
    greater_is_better: bool
    paired: Differences | None = None
    """None for a pooled measure, which has no values per query."""
    ci: tuple[float, float] = (math.nan, math.nan)
    """95% interval of the change."""
    error: float = math.nan
    """Standard error of the change."""
    pooled: int = 0
    """Number of queries of a slice that are ranked together."""
    allowed: float = 0.0
    p: float = math.nan
    """Corrected for the number of tests; NaN where there was none."""
    decision: Decision = NOT_GATED
    upper: float = math.nan
    """Upper end of the one-sided interval of the drop, at the level of the gate's test."""
    gain_p: float = math.nan
    """The p-value of "not better", corrected like ``p``; NaN where nothing got better."""
    gained: bool = False
    """Whether the gain is more than luck, so that an update of the baseline records it."""
    worth: Worth | None = None
    """What the verdict is worth; None where nothing varies, or nothing is judged."""
    reach: tuple[float, float] | None = None
    """Least and greatest change over all grades of the unjudged items, where those are asked."""
    worse: tuple[int, int] | None = None
    """Least and greatest number of queries that are worse over these grades."""

    @property
    def change(self) -> float:
        """Now minus was."""
        return self.now - self.was

    @property
    def drop(self) -> float:
        """Above 0 is worse, whatever the direction of the measure."""
        return self.was - self.now if self.greater_is_better else self.now - self.was

    @property
    def n(self) -> int:
        """Queries that were compared one by one."""
        return 0 if self.paired is None else len(self.paired)

    @property
    def size(self) -> int:
        """Queries that were compared, one by one or together."""
        return self.pooled if self.paired is None else len(self.paired)

    @property
    def better_and_worse(self) -> tuple[int, int]:
        """Queries that got better, and worse, one by one."""
        if self.paired is None:
            return 0, 0
        return self.paired.better_and_worse(self.greater_is_better)

    def judged(
        self, rule: Rule, p: float, tests: int, *, gained: bool = False, provable: bool = True
    ) -> Change:
        """The same with the verdict of a rule, and what that is worth."""
        pairs, worth, step = self.paired, None, 0.0
        drop, n, upper = self.drop, self.size, self.upper
        decision = assess_change(drop, n, p, rule, can_confirm=provable, upper=upper)
        excludes_0 = self.change != 0 if pairs is None else self.ci[0] > 0 or self.ci[1] < 0
        if decision.verdict is Verdict.IMPROVED and not (gained or excludes_0):
            decision = Decision(Verdict.PASS)
        if pairs is not None and 0 < self.error < math.inf:
            sizes = np.abs(pairs.change[pairs.change != 0])
            if pairs.weights is None and float(np.ptp(sizes)) <= SLACK:
                step = float(sizes[0]) / n * self.error / pairs.error
            worth = Worth(n, self.error, pairs.freedom, rule, tests, provable, step)
        judged = replace(self, allowed=rule.max_drop, p=p, decision=decision)
        return replace(judged, gained=gained, worth=worth)

    def over_gradings(self, box: DropBox | None, decision: Decision) -> Change:
        """The same with the verdict over all grades, and what they may make of it, if known."""
        if box is None:
            return replace(self, decision=decision)
        least, most = box.means
        reach = (-most, -least) if self.greater_is_better else (least, most)
        worse = int((box.low > 0).sum()), int((box.high > 0).sum())
        return replace(self, decision=decision, reach=reach, worse=worse)


@dataclass(frozen=True)
class Slice:
    """Some queries, by number, and the measures over them."""

    members: Sequence[int]
    evaluation: Evaluation


def compare_metrics(
    measured: StrictEvaluation, reference: Reference, policy: Policy
) -> dict[str, Change]:
    """Changes of all measures that have an allowed drop."""
    settings, names = policy.settings, list(policy.max_drop)
    changes = {name: _change(measured, reference, name, settings) for name in names}
    rules = {name: policy.rule(name) for name in names}
    tested = sum(not math.isnan(change.p) for change in changes.values())
    tests = 1 if settings.correction == "none" else max(tested, 1)
    gains = _corrected(changes, settings, "gain_p")
    for name, p in _corrected(changes, settings).items():
        change, rule = changes[name], rules[name]
        floor = math.nan if change.paired is None else change.paired.p_floor("less")
        provable = floor * tests <= settings.alpha
        gained = change.drop < -IMPROVEMENT and (gains[name] < GAIN_ALPHA or not rule.confirm)
        judged = change.judged(rule, p, tests, gained=gained, provable=provable)
        changes[name] = replace(judged, gain_p=gains[name])
    if measured.is_bounded:
        boxes = {name: _box(measured, reference, name) for name in names}
        decisions = assess_boxes(
            boxes, rules, settings, lambda floor, tests: floor * tests <= settings.alpha
        )
        for name in names:
            changes[name] = changes[name].over_gradings(boxes[name], decisions[name])
    return changes


def compare_slices(
    measured: StrictEvaluation, reference: Reference, policy: Policy, slices: Mapping[str, Slice]
) -> dict[tuple[str, str], Change]:
    """Changes of all compared measures in all slices, by (label, measure)."""
    settings, own, hard = policy.settings, policy.slices, policy.slices.hard_drop
    places = {query: place for place, query in enumerate(reference.queries.tolist())}
    changes: dict[tuple[str, str], Change] = {}
    boxes: dict[tuple[str, str], DropBox | None] = {}
    for label, part in slices.items():
        chosen = np.array([places[q] for q in part.members if q in places], dtype=np.int64)
        for name in policy.max_drop:
            if name in reference.per_query:
                changes[label, name] = _change(measured, reference, name, settings, chosen)
                if measured.is_bounded:
                    boxes[label, name] = _box(measured, reference, name, chosen)
            elif reference.complete and name in reference.slices.get(label, {}):
                # A pooled measure has two values over a slice, and nothing to test.
                was, now = reference.slices[label][name], float(part.evaluation[name])
                now = now if reference.decimals is None else round(now, reference.decimals)
                greater = measured.used[name].metric.greater_is_better
                changes[label, name] = Change(was, now, greater, pooled=len(part.members))
    large = {
        key: change
        for key, change in changes.items()
        if own.allowed(key[0]) is not None and change.size >= settings.min_slice_size
    }
    corrected = _corrected(large, settings)
    tests = 1 if settings.correction == "none" else max(len(large), 1)
    for key, change in changes.items():
        allowed = own.allowed(key[0])
        if key in large:
            changes[key] = change.judged(policy.slice_rule(key[0]), corrected[key], tests)
        elif allowed is not None and change.drop > hard + SLACK:
            decision = Decision(Verdict.FAIL, f"hard limit {hard:g}")
            changes[key] = replace(change, allowed=allowed, decision=decision)
        else:
            reason = "not gated" if allowed is None else f"n={change.size}, not gated"
            decision = Decision(Verdict.SHOWN, reason)
            changes[key] = replace(change, allowed=allowed or 0.0, decision=decision)
    if not measured.is_bounded:
        return changes
    rules = {key: policy.slice_rule(key[0]) for key in large}
    small = [key for key, own in changes.items() if own.decision.verdict is Verdict.FAIL]
    # In a slice that is too small the hard limit alone counts.
    limits = {
        key: replace(policy.slice_rule(key[0]), max_drop=hard, confirm=False)
        for key in small
        if key not in large
    }
    for group in (rules, limits):
        known = {key: boxes.get(key) for key in group}
        decisions = assess_boxes(known, group, settings, lambda _floor, _tests: True)
        for key, decision in decisions.items():
            changes[key] = changes[key].over_gradings(known[key], decision)
    return changes


def _change(
    measured: StrictEvaluation,
    reference: Reference,
    name: str,
    settings: Settings,
    chosen: IntArray | None = None,
) -> Change:
    """A measure over the compared queries, or over some of them: tested, and not judged yet."""
    metric, values = measured.used[name].metric, measured.per_query(name)
    greater, least = metric.greater_is_better, metric.geometric_from
    if values is None or name not in reference.per_query:
        return Change(reference.values[name], measured.value(name), greater)
    queries, old = reference.queries, reference.per_query[name]
    if chosen is not None:
        queries, old = queries[chosen], old[chosen]
    new = values[queries]
    if reference.decimals is not None:
        new = np.round(new, reference.decimals)
    weights = measured.weights(name)
    shares = None if weights is None else weights[queries]
    clusters = None if measured.clusters is None else measured.clusters[queries]
    sides = on_scale(new, least), on_scale(old, least)
    paired, turned = (
        Differences.of(*pair, weights=shares, clusters=clusters) for pair in (sides, sides[::-1])
    )
    as_worse: Alternative = "less" if greater else "greater"
    p, ci = paired.p(settings.test, as_worse, seed=settings.seed), paired.interval(0.95)
    gains = paired.mean > 0 if greater else paired.mean < 0
    gain_p = turned.p(settings.test, as_worse, seed=settings.seed) if gains else math.nan
    if chosen is None and reference.complete:
        was, now = reference.values[name], measured.value(name)
        if reference.decimals is not None:
            now = round(now, reference.decimals)
    else:
        left_out = np.isnan(new) | np.isnan(old)
        was, now = (
            mean_over(np.where(left_out, math.nan, side), shares, least) for side in (old, new)
        )
    error, upper = paired.error, paired.drop_at_most(settings.alpha, as_worse)
    if least is not None:  # a comparison of logarithms, in units of their geometric means
        ci = was * math.expm1(ci[0]), was * math.expm1(ci[1])
        error, upper = was * error, -was * math.expm1(-upper)
    return Change(was, now, greater, paired, ci, error, p=p, gain_p=gain_p, upper=upper)


def _box(
    measured: StrictEvaluation, reference: Reference, name: str, chosen: IntArray | None = None
) -> DropBox | None:
    """Drops that are possible for the compared queries; None if nothing is known of them."""
    bounds = reference.bounds(name)
    if bounds is None:
        return None
    weights, queries = measured.weights(name), reference.queries
    ends = bounds.per_query_low, bounds.per_query_high
    if measured.used[name].metric.greater_is_better:
        ends = -ends[1], -ends[0]
    shares = None if weights is None else weights[queries]
    return DropBox.of(ends, shares, bounds.may_be_undefined, chosen)


def _corrected(
    changes: Mapping[Key, Change], settings: Settings, which: Literal["p", "gain_p"] = "p"
) -> dict[Key, float]:
    """P-values, corrected for the number of those that there are."""
    correction = None if settings.correction == "none" else settings.correction
    p_values: list[float] = [getattr(change, which) for change in changes.values()]
    return dict(zip(changes, correct_p_values(p_values, correction), strict=True))
