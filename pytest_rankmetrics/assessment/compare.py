"""A system against a reference, query by query: changes, p-values and verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pytest_rankmetrics.assessment.box import DropBox, assess_boxes
from pytest_rankmetrics.measuring.evaluation import Reference, StrictEvaluation
from pytest_rankmetrics.policy.policy import Policy
from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.policy.verdicts import (
    SLACK,
    Decision,
    Rule,
    Verdict,
    assess_change,
)
from sklearn_rank.evaluation.averaging import mean_over, on_scale
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.measures.record import Measure
from sklearn_rank.statistics.differences import (
    PairedComparison,
    compare_paired,
    correct_p_values,
)
from sklearn_rank.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Change:
    """What became of one measure, over all compared queries or those of a slice."""

    was: float
    now: float
    paired: PairedComparison | None
    """None for a pooled measure, which has no values per query."""
    allowed: float
    drop: float
    """Above 0 is worse, whatever the direction of the measure."""
    p: float
    """Corrected for the number of tests; NaN where there was none."""
    decision: Decision
    detectable: float = math.nan
    """Least true drop that the gate finds with 80 % probability."""
    reach: tuple[float, float] | None = None
    """Least and greatest change over all grades of the unjudged items, where those are asked."""

    worse: tuple[int, int] | None = None
    """Least and greatest number of queries that are worse over these grades."""

    @property
    def change(self) -> float:
        """Now minus was."""
        return self.now - self.was

    @property
    def n(self) -> int:
        """Queries that were compared."""
        return 0 if self.paired is None else self.paired.n


def compare_metrics(
    measured: StrictEvaluation, reference: Reference, policy: Policy
) -> dict[str, Change]:
    """Changes of all measures that have an allowed drop."""
    pairs = {name: _pair(measured, reference, name, policy.settings) for name in policy.max_drop}
    changes = _assess_metrics(pairs, policy)
    if not measured.is_bounded:
        return changes
    settings = policy.settings
    boxes = {name: _box(measured, reference, name) for name in pairs}
    decisions = assess_boxes(
        boxes,
        {name: _rule(name, policy) for name in pairs},
        settings,
        lambda floor, tests: floor * tests <= settings.alpha,
    )
    return {
        name: _over_gradings(change, boxes[name], decisions[name], measured.used[name])
        for name, change in changes.items()
    }


def _over_gradings(
    change: Change, box: DropBox | None, decision: Decision, measure: Measure
) -> Change:
    """A change of which the box of drops is known, if anything is."""
    if box is None:
        return replace(change, decision=decision)
    least, most = box.means
    reach = (-most, -least) if measure.metric.greater_is_better else (least, most)
    worse = int((box.low > 0).sum()), int((box.high > 0).sum())
    return replace(change, decision=decision, reach=reach, worse=worse)


def _assess_metrics(pairs: Mapping[str, _Pair], policy: Policy) -> dict[str, Change]:
    """Decisions on measures over all queries, corrected for their number."""
    settings = policy.settings
    corrected = _corrected([pair.p for pair in pairs.values()], settings)
    tested = sum(not math.isnan(pair.p) for pair in pairs.values())
    tests = 1 if settings.correction == "none" else max(tested, 1)
    changes = {}
    for (name, pair), p in zip(pairs.items(), corrected, strict=True):
        rule = _rule(name, policy)
        provable = pair.paired is not None and pair.paired.p_floor * tests <= settings.alpha
        error = pair.error if provable or not settings.confirm else math.nan
        detectable = detectable_drop(error, pair.n, rule, tests)
        changes[name] = replace(pair.judged(rule, p, can_confirm=provable), detectable=detectable)
    return changes


def _rule(name: str, policy: Policy) -> Rule:
    settings = policy.settings
    return Rule(
        max_drop=policy.max_drop[name],
        hard_drop=policy.hard_drop[name],
        min_queries=settings.min_queries,
        alpha=settings.alpha,
        confirm=settings.confirm,
    )


@dataclass(frozen=True)
class Slice:
    """Some queries, by number, and the measures over them."""

    members: Sequence[int]
    evaluation: Evaluation


def compare_slices(
    measured: StrictEvaluation, reference: Reference, policy: Policy, slices: Mapping[str, Slice]
) -> dict[tuple[str, str], Change]:
    """Changes of all compared measures in all slices, by (label, measure)."""
    settings, places = policy.settings, {q: i for i, q in enumerate(reference.queries.tolist())}
    pairs: dict[tuple[str, str], _Pair] = {}
    boxes: dict[tuple[str, str], DropBox | None] = {}
    for label, part in slices.items():
        chosen = np.array([places[q] for q in part.members if q in places], dtype=np.int64)
        for name in policy.max_drop:
            if name in reference.per_query:
                pairs[label, name] = _pair(measured, reference, name, settings, chosen)
                if measured.is_bounded:
                    boxes[label, name] = _box(measured, reference, name, chosen)
            elif reference.complete and name in reference.slices.get(label, {}):
                pairs[label, name] = _pooled_pair(measured, reference, name, label, part)
    changes = _assess_slices(pairs, policy)
    if not measured.is_bounded:
        return changes
    judged = [key for key, own in changes.items() if own.decision.verdict is not Verdict.SHOWN]
    decisions: dict[tuple[str, str], Decision] = {}
    for small in (False, True):
        own = [key for key in judged if (pairs[key].n < settings.min_slice_size) is small]
        rules = {key: _slice_rule(key[0], policy) for key in own}
        if small:  # the hard limit alone counts
            rules = {
                key: replace(rule, max_drop=rule.hard_drop, confirm=False)
                for key, rule in rules.items()
            }
        known = {key: boxes.get(key) for key in own}
        decisions |= assess_boxes(known, rules, settings, lambda _floor, _tests: True)
    return changes | {
        key: _over_gradings(changes[key], boxes.get(key), decisions[key], measured.used[key[1]])
        for key in judged
    }


def _assess_slices(
    pairs: Mapping[tuple[str, str], _Pair], policy: Policy
) -> dict[tuple[str, str], Change]:
    """Decisions on slices, corrected for the number of those that are judged."""
    settings = policy.settings
    gated = {
        key: pair
        for key, pair in pairs.items()
        if policy.slices.allowed(key[0]) is not None and pair.n >= settings.min_slice_size
    }
    corrected = dict(
        zip(gated, _corrected([pair.p for pair in gated.values()], settings), strict=True)
    )
    return {
        key: _assess_slice(pair, key[0], corrected.get(key), policy) for key, pair in pairs.items()
    }


def _assess_slice(pair: _Pair, label: str, p: float | None, policy: Policy) -> Change:
    allowed = policy.slices.allowed(label)
    if allowed is None or p is None:
        reason = "not gated" if allowed is None else f"n={pair.n}, not gated"
        hard = policy.slices.hard_drop
        if allowed is not None and pair.drop > hard + SLACK:
            return pair.decided(allowed, pair.p, Decision(Verdict.FAIL, f"hard limit {hard:g}"))
        return pair.decided(allowed or 0.0, pair.p, Decision(Verdict.SHOWN, reason))
    return pair.judged(_slice_rule(label, policy), p)


def _slice_rule(label: str, policy: Policy) -> Rule:
    return Rule(
        max_drop=policy.slices.allowed(label) or 0.0,
        hard_drop=policy.slices.hard_drop,
        min_queries=0,
        alpha=policy.settings.slice_alpha,
        confirm=policy.settings.confirm,
    )


@dataclass(frozen=True)
class _Pair:
    """Two values of a measure and the test between them, not judged yet."""

    was: float
    now: float
    paired: PairedComparison | None
    greater_is_better: bool
    error: float = math.nan
    """Standard error of the change."""
    pooled: int = 0
    """Number of queries, where they are ranked together and there are no values to pair."""

    @property
    def p(self) -> float:
        return math.nan if self.paired is None else self.paired.p

    @property
    def n(self) -> int:
        return self.pooled if self.paired is None else self.paired.n

    def judged(self, rule: Rule, p: float, *, can_confirm: bool = True) -> Change:
        decision = assess_change(self.drop, self.n, p, rule, can_confirm=can_confirm)
        return self.decided(rule.max_drop, p, decision)

    def decided(self, allowed: float, p: float, decision: Decision) -> Change:
        return Change(self.was, self.now, self.paired, allowed, self.drop, p, decision)

    @property
    def drop(self) -> float:
        return self.was - self.now if self.greater_is_better else self.now - self.was


def _pair(
    measured: StrictEvaluation,
    reference: Reference,
    name: str,
    settings: Settings,
    chosen: IntArray | None = None,
) -> _Pair:
    """A measure over the compared queries, or over some of them."""
    greater_is_better = measured.used[name].metric.greater_is_better
    values = measured.per_query(name)
    if values is None or name not in reference.per_query:
        return _Pair(reference.values[name], measured.value(name), None, greater_is_better)
    queries, old = reference.queries, reference.per_query[name]
    if chosen is not None:
        queries, old = queries[chosen], old[chosen]
    new = values[queries]
    if reference.decimals is not None:
        new = np.round(new, reference.decimals)
    least, weights = measured.used[name].metric.geometric_from, measured.weights(name)
    shares = None if weights is None else weights[queries]
    scaled_new, scaled_old = on_scale(new, least), on_scale(old, least)
    paired = _tested(scaled_new, scaled_old, shares, settings, greater_is_better=greater_is_better)
    error = paired.error
    if chosen is None and reference.complete:
        was, now = reference.values[name], measured.value(name)
        if reference.decimals is not None:
            now = round(now, reference.decimals)
    else:
        left_out = np.isnan(new) | np.isnan(old)
        was, now = (
            mean_over(np.where(left_out, math.nan, side), shares, least) for side in (old, new)
        )
    if least is not None:
        paired, error = _in_units(paired, was, now), was * error
    return _Pair(was, now, paired, greater_is_better, error)


def _tested(
    new: FloatArray,
    old: FloatArray,
    shares: FloatArray | None,
    settings: Settings,
    *,
    greater_is_better: bool,
) -> PairedComparison:
    return compare_paired(
        new,
        old,
        greater_is_better=greater_is_better,
        weights=shares,
        test=settings.test,
        alpha=settings.alpha,
        random_state=settings.seed,
    )


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


def _in_units(paired: PairedComparison, was: float, now: float) -> PairedComparison:
    """A comparison of logarithms, as one of their geometric means."""
    low, high = (was * math.expm1(end) for end in paired.ci)
    return replace(paired, change=now - was, ci=(low, high))


def _pooled_pair(
    measured: StrictEvaluation, reference: Reference, name: str, label: str, part: Slice
) -> _Pair:
    """A pooled measure over a slice: two values, and nothing to test."""
    now = float(part.evaluation[name])
    if reference.decimals is not None:
        now = round(now, reference.decimals)
    greater_is_better = measured.used[name].metric.greater_is_better
    return _Pair(
        reference.slices[label][name], now, None, greater_is_better, pooled=len(part.members)
    )


def _corrected(p_values: list[float], settings: Settings) -> list[float]:
    return correct_p_values(
        p_values, None if settings.correction == "none" else settings.correction
    )


# Which drops a gate can see: by its whole rule, not the test alone -------------------------------

POWER = 0.8
_SPREADS = 200
"""Points at which the distribution of the deviation is read; more change no printed digit."""


def detectable_drop(error: float, n: int, rule: Rule, tests: int) -> float:
    """Least true drop of one measure for which the gate is red with a probability of ``POWER``.

    A gate of several measures tests at alpha over their number, as Holm's first step does (and that
    of Benjamini and Hochberg): a drop of one measure is not helped by others that stay.

    The observed drop is normal around the true one, and its sampled standard error spreads by the
    chi-squared distribution, independently; the gate is red beyond the margin and beyond the lower
    of what is significant and the hard limit. NaN without a standard error, 0 if nothing changed.
    """
    if math.isnan(error) or error == 0:
        return error
    from scipy import optimize, special, stats

    limits = np.full(_SPREADS, rule.max_drop)
    if rule.confirm and n >= rule.min_queries:
        points = (np.arange(_SPREADS) + 0.5) / _SPREADS
        sampled = error * np.sqrt(stats.chi2.ppf(points, n - 1) / (n - 1))
        significant = stats.t.ppf(1 - rule.alpha / tests, n - 1) * sampled
        limits = np.maximum(rule.max_drop, np.minimum(significant, rule.hard_drop))

    def shortfall(drop: float) -> float:
        return float(special.ndtr((drop - limits) / error).mean()) - POWER

    return float(optimize.brentq(shortfall, 0.0, float(limits.max()) + 5 * error))
