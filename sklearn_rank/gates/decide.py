"""The verdict of a gate: every limit is judged, and every rule that fires is a finding in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank.comparison.baseline import averaged_queries, key_of
from sklearn_rank.comparison.changes import QueryChange, query_changes
from sklearn_rank.evaluation.result import Evaluation, worst_of
from sklearn_rank.gates.compare import NOW, Other
from sklearn_rank.gates.measure import DECIMALS, Measured
from sklearn_rank.gates.policy import SLACK, Policy, drop_of
from sklearn_rank.gates.rule import Rule, false_alarm, judge
from sklearn_rank.gates.sentences import (
    apart,
    count,
    counts_of,
    drop_sentence,
    first_of,
    line,
    moved_by,
    moved_to,
    of_slice,
    over_all,
    p_phrase,
    queries_text,
    several,
    shown,
    value_sentence,
)
from sklearn_rank.gates.verdict import (
    BROKEN,
    UNREMARKABLE,
    Finding,
    GateResult,
    ItemMove,
    MetricResult,
    QueryRow,
    State,
    Worst,
    gravest,
)
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.statistics.paired import PairedDifferences

IMPROVEMENT = 1e-6
"""A baseline is raised by no less: it holds six decimals."""
MOST_ALIKE = 1.5
"""Design effect above which a gate says how many independent queries its clusters are worth."""
MAX_NEW_UNJUDGED = 0.05
"""Rise of the share of unjudged items on top that a headline need not name."""
_SETS = ("recall", "hit_rate", "all_hit_rate")
"""Metrics that read no order above their cutoff."""

Key = tuple[str | None, str]
"""Label of a slice (None: all queries), and measure."""
Slices = Mapping[str, tuple[Sequence[int], Evaluation]]
Pairs = dict[Key, PairedDifferences | float]
Family = tuple[Pairs, dict[Key, Rule]]


@dataclass
class _Case:
    """One gate while it is judged."""

    policy: Policy
    measured: Measured
    other: Other | None
    slices: Slices
    rows: dict[Key, MetricResult] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def state(self) -> State:
        """The gravest so far."""
        found = [own.state for own in self.findings]
        return gravest([*found, *(row.state for row in self.rows.values())])

    def add(self, rule: str, state: State | None, text: str, short: str = "", **more: bool) -> None:
        """A rule that fired, or a remark."""
        self.findings.append(Finding(rule, state, text, short, **more))


def decide(
    policy: Policy, measured: Measured, other: Other | None = None, slices: Slices | None = None
) -> GateResult:
    """Judge everything that a policy asks for; without an other side no drop is judged."""
    case = _Case(policy, measured, other, measured.slices() if slices is None else slices)
    _judge_values(case)
    _find_missing_slices(case)
    rate = None
    if other is not None:
        families = _families(case)
        for family in families:
            _judge_changes(case, *family)
        _judge_fit(case, other)
        _find_lost_values(case, other)
        was = {name: row.baseline for (label, name), row in case.rows.items() if label is None}
        case.findings += find_vacuous(policy, measured, was)
        _judge_regressed(case)
        if policy.detail or case.state not in UNREMARKABLE:
            rate = false_alarm(*(own for own in families if own[0]))
            for family in families:
                for key, drop in judge(*family).items():
                    case.rows[key] = replace(case.rows[key], drop=drop)
    _judge_each_query(case)
    _remark(case)
    case.findings += measured.remarks
    return _result(case, rate)


def _result(case: _Case, rate: float | None) -> GateResult:
    """Everything that was found."""
    policy, measured, other, settings = case.policy, case.measured, case.other, case.policy.settings
    doubt = State.NOT_CONFIRMED
    findings = [replace(own, warns=own.warns or own.state is doubt) for own in case.findings]
    if settings.strict:
        findings = [replace(own, state=State.FAIL) if own.warns else own for own in findings]
    state = gravest([case.state, *(own.state for own in findings)])
    return GateResult(
        name=policy.name,
        state=state,
        passed=state not in BROKEN,
        findings=tuple(findings),
        metrics={name: case.rows[None, name] for name in measured.used},
        slices=tuple(row for (label, _), row in case.rows.items() if label is not None),
        queries=len(measured),
        common=None if other is None else len(other.queries),
        counts=measured.counts,
        worst=None if state in UNREMARKABLE else worst_queries(case),
        other="" if other is None else other.name,
        false_alarm=rate,
        alpha=settings.alpha,
        slice_alpha=settings.slice_alpha,
        is_command=policy.is_command,
        evaluation=measured.evaluation,
        page=_page(case) if policy.detail == "page" else None,
    )


def _page(case: _Case) -> Mapping[str, Any] | None:
    """The queries for an HTML report, as it opens with them."""
    from sklearn_rank.gates.page import queries_data

    name, labels = explained(case.measured, case.rows)
    falls = case.other is not None and case.state not in UNREMARKABLE
    show = (labels[0] if labels else "", "worse" if falls else "all")
    return queries_data(case.measured, case.other, case.slices, name or "", show)


# Values ------------------------------------------------------------------------------------------


def state_of(value: float, at_least: float | None, at_most: float | None) -> State:
    """State of a value; only a finite one can pass."""
    low = at_least is None or value >= at_least - SLACK
    high = at_most is None or value <= at_most + SLACK
    return State.PASS if math.isfinite(value) and low and high else State.FAIL


def _judge_values(case: _Case) -> None:
    """Judge the values of all measures, over all queries and in the slices that limit them."""
    policy, measured = case.policy, case.measured
    for name in policy.limited:
        used, greatest = measured.used[name], measured.greatest(name)
        most = policy.at_most.get(name)
        nothing = f"the limit of {name} limits nothing"
        if used.metric.of_judgements and not measured.is_partial:
            text = f"{nothing}: the judgements are taken as complete; give items that were judged"
            case.add("limits_judgements", State.FAIL, f"{text} irrelevant the grade 0")
        elif used.metric.name in _SETS and used.k is None and measured.ranks_everything:
            text = f"{nothing}: every ranking holds all candidates, and no order of them could fail"
            case.add("limits_set", State.FAIL, f"{text}; give it a cutoff")
        if most is not None and most >= greatest and not used.is_pooled:
            text = f"at_most of {name} is {most:g}, and {greatest:g} the greatest value of such"
            case.add("limits_nothing", State.FAIL, f"{text} rankings: no value could fail")
    # What is compared comes first in tables and headlines.
    for name in dict.fromkeys([*policy.max_drop, *measured.used]):
        limits = policy.at_least.get(name), policy.at_most.get(name)
        _judge_value(case, (None, name), measured.value(name), limits)
    has_drops = policy.max_slice_drop is not None and case.other is not None
    for label, (_, part) in case.slices.items():
        own = policy.slice_at_least.get(label, {})
        compared = policy.max_drop if has_drops else ()
        for name in dict.fromkeys([*compared, *own]) or measured.used:
            _judge_value(case, (label, name), float(part[name]), (own.get(name), None))


def _judge_value(
    case: _Case, key: Key, value: float, limits: tuple[float | None, float | None]
) -> None:
    measured, (label, name) = case.measured, key
    used, state = measured.used[name], None
    members = None if label is None else case.slices[label][0]
    row = MetricResult(
        name=name,
        title=used.title,
        value=value,
        queries=averaged_queries(measured, name) if members is None else len(members),
        greater_is_better=used.metric.greater_is_better,
        label=label,
        at_least=limits[0],
        at_most=limits[1],
    )
    if label is None and not math.isfinite(value):
        state = State.FAIL
        n = queries_text(len(measured))
        case.add("undefined", state, f"{name} is undefined for all {n}")
    elif row.is_limited:
        state = state_of(value, *limits)
        if state is State.FAIL:
            full = short = f"{value_sentence(row)}{of_slice(label)}"
            if label is None:
                ends = (math.nan, math.nan)
                if name in measured.evaluation.per_query:
                    ends = measured.evaluation.confidence_interval(name)
                ci = "" if math.isnan(ends[0]) else f", 95% CI {ends[0]:.3f} to {ends[1]:.3f}"
                full = f"{short} ({queries_text(row.queries)}{ci})"
            case.add("threshold", state, full, short)
    case.rows[key] = replace(row, state=state)


def _judge_each_query(case: _Case) -> None:
    """Judge single queries."""
    measured = case.measured
    for name, limit in case.policy.per_query_at_least.items():
        values = measured.per_query.get(name)
        if values is None:
            case.add("no_queries", State.FAIL, _no_queries(name))
            continue
        found = [
            (query, value)
            for query, value in zip(measured.query_ids, values.tolist(), strict=True)
            if state_of(value, limit, None) is State.FAIL
        ]
        texts = []
        for query, value in found:
            low, bound, _ = apart(value, limit)
            texts.append(f"{shown(query)} {name} {low} < {bound} required")
        if found:
            text = f"{queries_text(len(found))} below the limit: {first_of(texts)}"
            case.add("per_query", State.FAIL, text)


def _no_queries(name: str) -> str:
    return f"{name} ranks all queries together and has no values per query"


# Changes -----------------------------------------------------------------------------------------


def _families(case: _Case) -> tuple[Family, Family]:
    """Families of tests: measures over all queries, and in the slices that are judged."""
    policy, measured, other = case.policy, case.measured, case.other
    assert other is not None
    settings = policy.settings
    whole: Family = ({}, {})
    parts: Family = ({}, {})
    for name, drop in policy.max_drop.items():
        own = _change_of(case, (None, name))
        if own is None:
            continue
        if isinstance(own, PairedDifferences) and not len(own):
            weights, is_defined = measured.weights(name), math.isfinite(measured.value(name))
            if is_defined and (weights is None or weights.any()):  # else nothing counts
                text = f"no query has a value of {name} on both sides"
                case.add("not_compared", State.FAIL, text, of_baseline=True)
            continue
        was = _compared(case, (None, name), own, whole[0])
        drop, hard = drop_of(drop, was), policy.hard_drop[name]
        whole[1][None, name] = Rule(drop, max(drop, hard), settings.alpha)
        sliced = policy.max_slice_drop is not None and not measured.used[name].metric.is_total
        for label in case.slices if sliced else ():
            key, allowed = (label, name), policy.allowed_of(label)
            part = _change_of(case, key)
            if part is None:
                if allowed is not None:
                    text = f"baseline does not fit: it has no {name} of slice {shown(label)}"
                    case.add("no_pooled_slice", State.STALE, text, of_baseline=True)
                continue
            size = len(part) if isinstance(part, PairedDifferences) else len(case.slices[label][0])
            small = size < settings.min_slice_size
            judged = allowed is not None and not small
            _compared(case, key, part, parts[0] if judged else {})
            case.rows[key] = replace(case.rows[key], too_small=small, allowed=allowed)
            if allowed is not None and judged:
                parts[1][key] = Rule(allowed, math.inf, settings.slice_alpha, only_losses=False)
    if policy.max_slice_drop is not None and whole[0] and not parts[0]:
        text = f"max_slice_drop judges no slice: none of them has {settings.min_slice_size} queries"
        case.add("no_slice_judged", None, f"{text} to compare", warns=True)
    return whole, parts


def _compared(
    case: _Case,
    key: Key,
    own: PairedDifferences | tuple[float, float],
    family: Pairs,
) -> float:
    """The old value, after both are in the row, and their change in the family of its test."""
    was, now = own.means if isinstance(own, PairedDifferences) else own
    row = case.rows[key] = replace(case.rows[key], baseline=was, now=now)
    drop = was - now if row.greater_is_better else now - was
    family[key] = own if isinstance(own, PairedDifferences) else drop
    return was


def _change_of(case: _Case, key: Key) -> PairedDifferences | tuple[float, float] | None:
    """Pairs of values, or the two values of a measure without any per query; None: unknown."""
    (label, name), other, measured = key, case.other, case.measured
    assert other is not None
    pairs = other.pairs(name)
    if pairs is not None:
        return pairs if label is None else pairs.take(case.slices[label][0])
    old = other.pooled if label is None else other.pooled_slices.get(label, {})
    part = measured.evaluation if label is None else case.slices[label][1]
    return (old[name], round(float(part[name]), DECIMALS)) if name in old else None


def _judge_changes(case: _Case, pairs: Pairs, rules: dict[Key, Rule]) -> None:
    """Judge the drops of one family by the rule of gates."""
    for key, drop in judge(pairs, rules, rates=False).items():
        rule, row = rules[key], case.rows[key]
        better = drop.drop < -IMPROVEMENT
        is_contract = rule.hard_drop <= rule.max_drop + SLACK
        tested = isinstance(pairs[key], PairedDifferences) and not is_contract
        improved = better and (not tested or drop.improved)
        row = replace(row, allowed=rule.max_drop, hard_drop=rule.hard_drop, drop=drop)
        state, moved = State.PASS, f"{moved_by(row)}{of_slice(row.label)}"
        if drop.clauses:
            state = State.FAIL
            full = drop_sentence(row, None if row.label is None else row.queries)
            case.add("drop", state, full, moved, of_baseline=True)
        elif drop.exceeds:
            state = State.NOT_CONFIRMED
            said = ", ".join(filter(None, [counts_of(row), p_phrase(drop.p_holm)]))
            text = f"{moved} (allowed {row.allowed:g}), which may be chance: {said}"
            case.add("not_confirmed", state, f"{text}{_losers(case, key)}", moved, of_baseline=True)
        elif improved:
            state = State.IMPROVED
        case.rows[key] = replace(row, state=gravest([row.state, state]))


def _losers(case: _Case, key: Key) -> str:
    """``; lost most: q1 q2``, of all queries."""
    pairs = None if key[0] is not None else _change_of(case, key)
    if not isinstance(pairs, PairedDifferences):
        return ""
    order = np.argsort(-pairs.drops, kind="stable")[: case.policy.settings.worst_queries]
    lost = [pairs.queries[n] for n in order.tolist() if pairs.drops[n] > 0]
    ids = [case.measured.query_ids[n] for n in lost]
    return f"; lost most: {several(ids)}" if ids else ""


def _judge_regressed(case: _Case) -> None:
    """Judge the number of queries that got worse."""
    allowed = case.policy.max_regressed
    for name in case.policy.max_drop if allowed is not None else ():
        drop = case.rows[None, name].drop
        if drop is None or allowed is None:
            continue
        if math.isnan(drop.p) and drop.n == 0:
            case.add("no_queries", State.FAIL, _no_queries(name))
        elif allowed >= drop.n:
            text = f"max_regressed_queries is {allowed:,}, and no more queries are compared by"
            case.add("regressed_nothing", State.FAIL, f"{text} {name}: it could not fail")
        elif drop.lost > allowed:
            text = f"{queries_text(drop.lost)} worse by {name}, allowed {allowed:,}"
            case.add("regressed", State.FAIL, text, of_baseline=True)


def _find_lost_values(case: _Case, other: Other) -> None:
    """Queries that would vanish from both means."""
    measured, joined = case.measured, other.joined
    names = [name for name in case.policy.max_drop if name in other.by_query]
    for name in names if "undefined" not in measured.allow else ():
        old, new = (joined.values_per_query(system, name) for system in joined.systems)
        lost = np.flatnonzero(~np.isnan(old) & np.isnan(new)).tolist()
        if lost:
            ids = several([joined.query_ids[number] for number in lost])
            had = f"had a value of {name} in the {other.name} and none now: {ids}"
            text = f'{queries_text(len(lost))} {had}; pass allow={{"undefined"}} if they may be'
            case.add("lost_values", State.FAIL, f"{text} left out", of_baseline=True)


def find_vacuous(
    policy: Policy, measured: Measured, baselines: Mapping[str, float | None]
) -> Iterator[Finding]:
    """Allowed drops that mean nothing against a baseline, because no value is so low."""
    for name, limit in policy.max_drop.items():
        baseline, used = baselines.get(name), measured.used[name]
        if baseline is None:
            continue
        allowed, greatest = drop_of(limit, baseline), measured.greatest(name)
        greater = used.metric.greater_is_better
        room = baseline - used.metric.lower if greater else greatest - baseline
        if allowed > 0 and allowed >= room:
            of = "" if greater else f", {greatest:g} the greatest value of such rankings"
            text = f"max_drop of {name} is {allowed:g} and the baseline {baseline:.4f}{of}"
            yield Finding("vacuous", State.FAIL, f"{text}: no value could fail", of_baseline=True)


# Fit of a baseline -------------------------------------------------------------------------------

_OPTIONS = {"True": "yes", "False": "no"}


def _judge_fit(case: _Case, other: Other) -> None:
    """A baseline of other queries, judgements, readings or measures is stale."""
    fit, misfit = other.fit, "baseline does not fit:"

    def stale(rule: str, text: str, short: str = "") -> None:
        case.add(rule, State.STALE, text, short, of_baseline=True)

    parts = [
        f"{queries_text(len(ids))} {kind} ({several(ids)})"
        for kind, ids in fit.queries.items()
        if ids
    ]
    parts += [
        f"read with {name}={_OPTIONS.get(now, now)}, recorded with {_OPTIONS.get(then, then)}"
        for name, then, now in fit.readings
    ]
    if parts:
        short = full = f"{misfit} {', '.join(map(line, parts))}"
        rows = [row for (label, _), row in case.rows.items() if label is None]
        rows = [row for row in rows if row.baseline is not None]
        if rows:
            changes = ", ".join(f"{moved_to(row)}{over_all(row)}" for row in rows)
            full = f"{short} - on the {queries_text(len(other.queries))} in common {changes}"
        elif fit.no_comparison:
            full = f"{short} - too few queries in common to compare"
        stale("no_fit", full, short)
    for name, changed in fit.definitions.items():
        changes = ", ".join(f"{key}={now}, recorded with {then}" for key, then, now in changed)
        stale("redefined", f"{misfit} {name} is counted with {line(changes)}")
    for name in fit.gone:
        stale("gone", f"baseline has {name!r} but the test did not compute it")
    for name in fit.added:
        stale("added", f"{misfit} it does not have {name!r}")
    if fit.moved:
        moved = [
            f"{shown(query)} {several(then) or 'none'} -> {several(now) or 'none'}"
            for query, then, now in fit.moved
        ]
        are = count(len(moved), "query is", "queries are")
        ask = "; check that slices names all queries" * any(not now for *_, now in fit.moved)
        stale("moved", f"{misfit} {are} in other slices: {first_of(moved)}{ask}")


def _find_missing_slices(case: _Case) -> None:
    """Slices that are limited or recorded, and empty now."""
    policy, slices, other = case.policy, case.slices, case.other
    limited = list(policy.max_slice_drop) if isinstance(policy.max_slice_drop, Mapping) else []
    if isinstance(policy.slices, Mapping):
        queries = set(case.measured.query_ids)
        limited += [
            str(label)
            for label, of in policy.slices.items()
            if label not in queries and hasattr(of, "__len__") and len(of) == 0
        ]
    limited += policy.slice_at_least
    had = () if other is None or other.baseline is None else other.baseline.slices
    for rule, labels, what in (
        ("no_slice", dict.fromkeys(limited), "a limit is set for"),
        ("slice_gone", had, "the baseline has"),
    ):
        gone = [label for label in labels if label not in slices]
        if gone:
            text = f"{what} slice {several(gone)}, which has no queries"
            text = f"{text}; check that slices names all queries"
            case.add(rule, State.FAIL, text, of_baseline=rule == "slice_gone")


# Remarks -----------------------------------------------------------------------------------------


def _remark(case: _Case) -> None:
    """What decides nothing: unjudged items, clusters that are much alike, repeated runs."""
    measured, policy, other = case.measured, case.policy, case.other
    was, now = None if other is None else other.unjudged, measured.share_unjudged()
    if other is not None and was is not None and now is not None and now - was > MAX_NEW_UNJUDGED:
        text = f"{now:.0%} of the new top {measured.top} are unjudged ({other.name} {was:.0%})"
        case.add("new_unjudged", None, text)
    drops = [
        (row.drop.design_effect, row.name, row.drop)
        for (label, _), row in case.rows.items()
        if label is None and row.drop is not None and row.drop.design_effect > MOST_ALIKE
    ]
    if drops:
        effect, name, drop = max(drops, key=lambda own: own[0])
        text = f"design effect {effect:.1f}: {drop.n:,} queries in {drop.n_units:,} clusters"
        text = f"{text} count as {drop.n / effect:.0f} independent queries ({name})"
        case.add("design_effect", None, text)
    runs = len(measured.evaluation.runs)
    if runs > 1 and (case.state not in UNREMARKABLE or policy.detail == "page"):
        text = f"items, ranks and parts of changes are those of the first of {runs} runs"
        case.add("one_run", None, text)


# The queries behind a verdict --------------------------------------------------------------------

MOST_ITEMS = 60
TOP = 5


def worst_queries(case: _Case) -> Worst | None:
    """Queries of the measure that explains the verdict; None without values per query."""
    measured, other = case.measured, case.other
    name, labels = explained(case.measured, case.rows)
    if name is None:
        return None
    chosen = np.full(len(measured), not labels)
    for label in labels:
        chosen[list(case.slices[label][0])] = True
    pairs = None if other is None or name not in case.policy.max_drop else other.pairs(name)
    if other is not None and pairs is not None:
        return _losses(case, other, pairs.take(np.flatnonzero(chosen)), name, labels)
    metric, most = measured.used[name].metric, case.policy.settings.worst_queries
    values = np.where(chosen, measured.per_query[name], math.nan)
    numbers = worst_of(values, metric, most)
    places = measured.evaluation.placements(numbers)
    rows = [_alone(case, name, *own) for own in zip(numbers, places, strict=True)]
    return Worst(name, tuple(rows), labels=labels, of=int(chosen.sum())) if rows else None


def explained(
    measured: Measured, rows: Mapping[Key, MetricResult]
) -> tuple[str | None, tuple[str, ...]]:
    """The measure with the gravest state, and its slices where nothing else fails."""
    names = [name for name in measured.used if name in measured.per_query]
    for state in (State.FAIL, State.NOT_CONFIRMED):
        own = [key for key, row in rows.items() if row.state is state and key[1] in names]
        own.sort(key=lambda key: (key[0] is not None, rows[key].drop is None))
        if own:
            label, name = own[0]
            labels = [] if label is None else [key[0] for key in own if key[1] == name]
            return name, tuple(filter(None, labels))
    compared = (name for name in names if rows[None, name].drop is not None)
    return next(compared, next(iter(names), None)), ()


def _losses(
    case: _Case, other: Other, pairs: PairedDifferences, name: str, labels: tuple[str, ...]
) -> Worst | None:
    """The queries with the largest losses and gains against the other side."""
    joined, most = other.joined, case.policy.settings.worst_queries
    place = {number: n for n, number in enumerate(joined.places[NOW].tolist())}
    order = np.argsort(-pairs.drops, kind="stable").tolist()
    numbers = [place[number] for number in pairs.queries.tolist()]
    lost = [n for n in order if pairs.drops[n] > 0][:most]
    best = [n for n in reversed(order) if pairs.drops[n] < 0][:most]
    told, names = partial(_told, case.measured.query_text), (other.name, NOW)
    changes = query_changes(joined, name, names, told, [numbers[n] for n in lost], key=key_of)
    gained = [numbers[n] for n in best]
    old, new = (joined.values_per_query(system, name) for system in names)
    gains = tuple((joined.query_ids[n], float((new - old)[n])) for n in gained)
    loss = math.fsum(pairs.drops[pairs.drops > 0].tolist())
    share = math.fsum(pairs.drops[lost].tolist()) / loss if loss else None
    rows = tuple(_row(case, own) for own in changes)
    return Worst(name, rows, share, gains, labels, len(pairs))


def _row(case: _Case, change: QueryChange) -> QueryRow:
    """A query with what explains its change."""
    own = case.measured
    title = partial(_told, own.item_text)

    def titled(item: Any) -> str:
        found = title(item)
        return str(found.get("title") or "" if isinstance(found, Mapping) else found)

    moves = [
        ItemMove(
            item.item,
            _rank(item.old_rank),
            _rank(item.new_rank),
            None if math.isnan(item.contribution) else item.contribution,
            titled(item.item),
        )
        for item in change.items[:MOST_ITEMS]
    ]
    if not moves and change.after.judged is None:  # items without ids
        sides = [[_rank(hit.rank) for hit in s.hits] for s in (change.before, change.after)]
        old, new = (", ".join(side[:MOST_ITEMS]) or "-" for side in sides)
        moves = [ItemMove(None, old, new)]
    number = own.query_ids.index(change.query)
    return replace(
        _alone(case, change.measure, number, change.after), was=change.old, moves=(*moves,)
    )


def _alone(case: _Case, name: str, number: int, place: Placement) -> QueryRow:
    """A query of the present system alone."""
    measured, judged = case.measured, place.judged or {}
    graded = any(grade == 0 for grade in judged.values())
    marks = [
        "*" if judged.get(item, 0) > 0 else "?" * (graded and item not in judged)
        for item in place.ranking[:TOP]
    ]
    query = measured.query_ids[number]
    return QueryRow(
        query=query,
        was=None,
        now=float(measured.per_query[name][number]),
        moves=tuple(ItemMove(hit.item, "", _rank(hit.rank)) for hit in place.hits[:MOST_ITEMS]),
        n_ranked=place.n_ranked,
        top=tuple(zip(place.ranking[:TOP], marks, strict=True)),
        missing=tuple(place.not_retrieved),
        slices=tuple(label for label, (members, _) in case.slices.items() if number in members),
        text=str(_told(measured.query_text, query)),
    )


def _told(function: Any, key: Any) -> Any:
    """What the caller's function says; an error in it hides no failure."""
    try:
        return function(key) or ""
    except Exception as error:
        return f"({type(error).__name__})"


def _rank(rank: float | None) -> str:
    return "-" if rank is None else f"{rank:g}"
