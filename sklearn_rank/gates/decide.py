"""The verdict of a gate: every limit is judged, and every rule that fires is a finding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sklearn_rank.comparison.changes import explain_all
from sklearn_rank.evaluation.averaging import on_scale
from sklearn_rank.evaluation.result import Evaluation, worst_of
from sklearn_rank.gates.baseline import averaged_queries, key_of, rank_of
from sklearn_rank.gates.compare import Beside, Other, Recorded, judge_first, means_of, pairs_of
from sklearn_rank.gates.measure import DECIMALS, Measured
from sklearn_rank.gates.policy import SLACK, Policy, drop_of, in_ci
from sklearn_rank.gates.rule import Pairs, Rule, false_alarm, judge
from sklearn_rank.gates.unjudged import OverGradings, box_of, over_gradings
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
from sklearn_rank.rankings.placements import Hit, Placement
from sklearn_rank.typing import BoolArray

IMPROVEMENT = 1e-6
"""A baseline is raised by no less: it holds six decimals."""
GAIN_ALPHA = 0.01
"""A baseline rises where the p-value of a gain is below this: one that rises with every gain
climbs to the luckiest run, and honest runs then look worse."""
MOST_ALIKE = 1.5
"""Design effect above which a gate says how many independent queries its clusters are worth."""
MOST_TO_JUDGE = 3
"""Items to judge in a headline; the command judge-next lists more."""
_SETS = ("recall", "hit_rate", "all_hit_rate")
"""Metrics that read no order above their cutoff."""

Key = tuple[str | None, str]
"""Label of a slice (None: all queries), and measure."""
Slices = Mapping[str, tuple[Sequence[int], Evaluation]]
Family = tuple[dict[Key, "Pairs | float"], dict[Key, Rule]]


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

    def add(self, rule: str, state: State | None, key: Key = (None, ""), **data: Any) -> None:
        """A finding about the data alone."""
        self.findings.append(Finding(rule, state, key[1], key[0], data))

    def add_change(
        self, rule: str, state: State | None, key: Key = (None, ""), **data: Any
    ) -> None:
        """A finding that a new baseline would resolve."""
        self.findings.append(Finding(rule, state, key[1], key[0], data, of_baseline=True))


def decide(
    policy: Policy,
    measured: Measured,
    other: Other | None = None,
    slices: Slices | None = None,
) -> GateResult:
    """Judge everything that a policy asks for; without an other side no drop is judged."""
    case = _Case(policy, measured, other, measured.slices() if slices is None else slices)
    _judge_values(case)
    _find_missing_slices(case)
    rate = None
    if other is not None:
        if isinstance(other, Recorded):
            _judge_fit(case, other)
        families = _families(case)
        for family in families:
            _judge_changes(case, *family)
        _find_lost_values(case)
        find_vacuous(
            case.findings,
            policy,
            measured,
            {n: row.baseline for (label, n), row in case.rows.items() if label is None},
        )
        _judge_regressed(case)
        if policy.detail or case.state not in UNREMARKABLE:
            rate = false_alarm(*(own for own in families if own[0]))
            for family in families:
                for key, drop in judge(*family).items():
                    case.rows[key] = replace(case.rows[key], drop=drop)
    _judge_each_query(case)
    _note_unjudged(case)
    _note_clusters(case)
    _note_runs(case)
    case.findings += measured.remarks
    return _result(case, rate)


def _result(case: _Case, rate: float | None) -> GateResult:
    """Everything that was found."""
    policy, measured, other, settings = case.policy, case.measured, case.other, case.policy.settings
    where, allowed = settings.cannot_tell, "cannot_tell" in measured.allow
    doubtful = (State.NOT_CONFIRMED,) if allowed else (State.NOT_CONFIRMED, State.CANNOT_TELL)
    findings = [replace(own, warns=own.warns or own.state in doubtful) for own in case.findings]
    if settings.strict:
        findings = [
            replace(own, state=State.FAIL)
            if own.warns and own.state in (None, State.NOT_CONFIRMED)
            else own
            for own in findings
        ]
    state = gravest([case.state, *(own.state for own in findings)])
    undecided_fails = settings.strict or where == "fail" or (where == "ci" and in_ci())
    red = state in BROKEN or (state is State.CANNOT_TELL and undecided_fails and not allowed)
    return GateResult(
        name=policy.name,
        state=state,
        passed=not red,
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
        if used.metric.of_judgements and not measured.is_partial:
            case.add("limits_judgements", State.FAIL, (None, name))
        elif used.metric.name in _SETS and used.k is None and measured.ranks_everything:
            case.add("limits_set", State.FAIL, (None, name))
        if most is not None and most >= greatest and not used.is_pooled:
            case.add("limits_nothing", State.FAIL, (None, name), limit=most, greatest=greatest)
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
    used, bounds, ends = measured.used[name], None, (value, value)
    limited, state = limits != (None, None), None
    if limited and measured.is_bounded:
        part = None if label is None else case.slices[label][1]
        found = measured.bounds(name) if part is None else part.bounds(used)
        if found is not None and math.isfinite(value):
            bounds = ends = found.low, found.high
    if label is None and not math.isfinite(value):
        state = State.FAIL
        case.add("undefined", state, key)
    elif limited:
        states = {state_of(end, *limits) for end in ends}
        state = states.pop() if len(states) == 1 else State.CANNOT_TELL
        if state is State.FAIL:
            case.add("threshold", state, key)
        elif state is State.CANNOT_TELL:
            first = judge_first(measured, name, MOST_TO_JUDGE) if label is None else []
            case.add("threshold_unjudged", state, key, to_judge=first)
    members = None if label is None else case.slices[label][0]
    case.rows[key] = MetricResult(
        name=name,
        title=used.title,
        value=value,
        queries=averaged_queries(measured, name) if members is None else len(members),
        greater_is_better=used.metric.greater_is_better,
        state=state,
        label=label,
        at_least=limits[0],
        at_most=limits[1],
        bounds=bounds,
    )


def _judge_each_query(case: _Case) -> None:
    """Judge single queries."""
    measured = case.measured
    for name, limit in case.policy.per_query_at_least.items():
        values = measured.per_query.get(name)
        if values is None:
            case.add("no_queries", State.FAIL, (None, name))
            continue
        bounds = measured.bounds(name)
        ends = [values, values] if bounds is None else [bounds.per_query_low, bounds.per_query_high]
        low, high = (np.where(np.isnan(end), values, end).tolist() for end in ends)
        out: dict[State, list[tuple[Any, float]]] = {State.FAIL: [], State.CANNOT_TELL: []}
        for query, least, most in zip(measured.query_ids, low, high, strict=True):
            if state_of(most, limit, None) is State.FAIL:
                out[State.FAIL].append((query, most))
            elif state_of(least, limit, None) is State.FAIL:
                out[State.CANNOT_TELL].append((query, least))
        for state, queries in out.items():
            if queries:
                case.add("per_query", state, (None, name), queries=queries, limit=limit)


# Changes -----------------------------------------------------------------------------------------


def _families(case: _Case) -> tuple[Family, Family]:
    """Families of tests: measures over all queries, and in the slices that are judged."""
    policy, measured, other = case.policy, case.measured, case.other
    settings = policy.settings
    whole: Family = ({}, {})
    parts: Family = ({}, {})
    if other is None:
        return whole, parts
    proven = settings.pass_if == "proven"
    identical = proven and other.identical
    for name, drop in policy.max_drop.items():
        if name in other.values:
            pairs = pairs_of(measured, other, name, identical=identical)
            if not len(pairs.drops):
                weights, is_defined = measured.weights(name), math.isfinite(measured.value(name))
                if is_defined and (weights is None or weights.any()):  # else nothing counts
                    case.add_change("not_compared", State.FAIL, (None, name))
                continue
            whole[0][None, name] = pairs
        elif name in other.pooled:
            whole[0][None, name] = _pooled_drop(case, (None, name))
        else:
            continue
        drop, hard = drop_of(drop, _means(case, (None, name))[0]), policy.hard_drop[name]
        whole[1][None, name] = Rule(drop, max(drop, hard), settings.alpha, proven)
        sliced = policy.max_slice_drop is not None and not measured.used[name].metric.is_total
        for label in case.slices if sliced else ():
            own, allowed = whole[0][None, name], policy.allowed_of(label)
            members = case.slices[label][0]
            size, key = len(members), (label, name)
            if isinstance(own, Pairs):
                own = own.take(members)
                size = len(own.drops)
            elif name not in other.pooled_slices.get(label, {}):
                if allowed is not None:
                    case.add_change("no_pooled_slice", State.STALE, key)
                continue
            else:
                own = _pooled_drop(case, key)
            was, now = _means(case, key)
            small = size < settings.min_slice_size
            shown = replace(case.rows[key], baseline=was, now=now, too_small=small)
            case.rows[key] = replace(shown, allowed=allowed)
            if allowed is not None and not small:
                parts[0][key] = own
                parts[1][key] = Rule(allowed, math.inf, settings.slice_alpha, only_losses=False)
    if policy.max_slice_drop is not None and whole[0] and not parts[0]:
        case.findings.append(
            Finding("no_slice_judged", data={"least": settings.min_slice_size}, warns=True)
        )
    return whole, parts


def _means(case: _Case, key: Key) -> tuple[float, float]:
    """Old and new value over the compared queries."""
    (label, name), other, measured = key, case.other, case.measured
    assert other is not None
    part = None if label is None else case.slices[label]
    if name in other.values:
        return means_of(measured, other, name, None if part is None else part[0])
    if label is None or part is None:
        return other.pooled[name], round(measured.value(name), DECIMALS)
    return other.pooled_slices[label][name], round(float(part[1][name]), DECIMALS)


def _pooled_drop(case: _Case, key: Key) -> float:
    was, now = _means(case, key)
    return was - now if case.measured.used[key[1]].metric.greater_is_better else now - was


def _judge_changes(case: _Case, pairs: dict[Key, Pairs | float], rules: dict[Key, Rule]) -> None:
    """Judge the drops of one family by the rule of gates, for every grade of unjudged items."""
    gradings: dict[Key, OverGradings] = {}
    unknown: set[Key] = set()
    if case.measured.is_bounded and case.other is not None:
        boxes = {}
        for key in pairs:
            members = None if key[0] is None else list(case.slices[key[0]][0])
            box = box_of(case.measured, case.other, key[1], members)
            if box is None:
                unknown.add(key)
            else:
                boxes[key] = box
        gradings = over_gradings(boxes, rules)
    for key, drop in judge(pairs, rules, rates=False).items():
        rule, row = rules[key], case.rows[key]
        was, now = _means(case, key)
        contract = rule.hard_drop <= rule.max_drop + SLACK
        better = drop.drop < -IMPROVEMENT
        pooled = not isinstance(pairs[key], Pairs)
        gained = better and (contract or drop.p_of_gain < GAIN_ALPHA)
        improved = gained or (better and (pooled or drop.p_of_gain <= rule.alpha))
        case.rows[key] = replace(
            row, baseline=was, now=now, allowed=rule.max_drop, hard_drop=rule.hard_drop, drop=drop
        )
        if key in unknown:
            state, fired = State.CANNOT_TELL, "unknown_unjudged"
        elif key in gradings:
            state, fired = _over_gradings(case, key, gradings[key], rule)
            state = State.IMPROVED if improved and gradings[key].drop[1] < 0 else state
        elif drop.clauses:
            state, fired = State.FAIL, "drop"
        elif not drop.proven:
            state, fired = State.CANNOT_TELL, "not_proven"
        elif drop.exceeds:
            state, fired = State.NOT_CONFIRMED, "not_confirmed"
        else:
            state, fired = State.IMPROVED if improved else State.PASS, ""
        if fired:
            to_judge = []
            if fired == "drop_unjudged" and key[0] is None and isinstance(case.other, Beside):
                to_judge = judge_first(case.measured, key[1], MOST_TO_JUDGE, case.other.measured)
            case.add_change(fired, state, key, to_judge=to_judge)
        row = case.rows[key]
        case.rows[key] = replace(row, state=gravest([row.state, state]), gained=gained)


def _over_gradings(case: _Case, key: Key, graded: OverGradings, rule: Rule) -> tuple[State, str]:
    """State of a drop whatever the grades of unjudged items, and the rule that fired."""
    row = case.rows[key]
    low, high = graded.drop
    reach = (-high, -low) if row.greater_is_better else (low, high)
    case.rows[key] = replace(row, change_bounds=reach, worse_bounds=graded.worse)
    if graded.always_red:
        return State.FAIL, "drop"
    if graded.may_be_red:
        return State.CANNOT_TELL, "drop_unjudged"
    if high > rule.max_drop + SLACK:
        return State.NOT_CONFIRMED, "not_confirmed"
    return State.PASS, ""


def _judge_regressed(case: _Case) -> None:
    """Judge the number of queries that got worse."""
    allowed = case.policy.max_regressed
    for name in case.policy.max_drop if allowed is not None else ():
        row, key = case.rows[None, name], (None, name)
        if row.drop is None or allowed is None:
            continue
        least, most = row.worse_bounds or (row.drop.lost, row.drop.lost)
        if math.isnan(row.drop.p) and row.drop.n == 0:
            case.add("no_queries", State.FAIL, key)
        elif allowed >= row.drop.n:
            case.add("regressed_nothing", State.FAIL, key, allowed=allowed)
        elif most > allowed:
            state = State.FAIL if least > allowed else State.CANNOT_TELL
            n = least if state is State.FAIL else most
            case.add_change("regressed", state, key, n=n, allowed=allowed)


def _find_lost_values(case: _Case) -> None:
    """Queries that would vanish from both means."""
    measured, other = case.measured, case.other
    if other is None or "undefined" in measured.allow:
        return
    for name, was in other.values.items():
        if name not in case.policy.max_drop:
            continue
        lost = other.queries[~np.isnan(was) & np.isnan(measured.per_query[name][other.queries])]
        if len(lost):
            ids = [measured.query_ids[number] for number in lost.tolist()]
            case.add_change("lost_values", State.FAIL, (None, name), queries=ids)


def find_vacuous(
    findings: list[Finding],
    policy: Policy,
    measured: Measured,
    baselines: Mapping[str, float | None],
) -> None:
    """Allowed drops that mean nothing against a baseline, because no value is so low."""
    for name, allowed in policy.max_drop.items():
        baseline, used = baselines.get(name), measured.used[name]
        if baseline is None:
            continue
        allowed, greatest = drop_of(allowed, baseline), measured.greatest(name)
        greater = used.metric.greater_is_better
        room = baseline - used.metric.lower if greater else greatest - baseline
        if allowed > 0 and allowed >= room:
            data = {"allowed": allowed, "baseline": baseline, "greatest": None}
            data["greatest"] = None if greater else greatest
            findings.append(Finding("vacuous", State.FAIL, name, data=data, of_baseline=True))


# Fit of a baseline -------------------------------------------------------------------------------


def _judge_fit(case: _Case, other: Recorded) -> None:
    """A baseline of other queries, judgements, readings or measures is stale."""
    fit = other.fit
    differing = {kind: ids for kind, ids in fit.queries.items() if ids}
    if differing or fit.readings:
        case.add_change(
            "no_fit",
            State.STALE,
            queries=differing,
            readings=fit.readings,
            no_comparison=fit.no_comparison,
        )
    for name in dict.fromkeys(own[0] for own in fit.definitions):
        changed = [own[1:] for own in fit.definitions if own[0] == name]
        case.add_change("redefined", State.STALE, (None, name), changed=changed)
    for name in fit.gone:
        case.add_change("gone", State.STALE, (None, name))
    for name in fit.added:
        case.add_change("added", State.STALE, (None, name))
    if fit.moved:
        case.add_change("moved", State.STALE, moved=fit.moved)


def _find_missing_slices(case: _Case) -> None:
    """Slices that are limited or recorded, and empty now."""
    policy, slices = case.policy, case.slices
    limited = list(policy.max_slice_drop) if isinstance(policy.max_slice_drop, Mapping) else []
    if isinstance(policy.slices, Mapping):
        queries = set(case.measured.query_ids)
        limited += [
            str(label)
            for label, of in policy.slices.items()
            if label not in queries and hasattr(of, "__len__") and len(of) == 0
        ]
    limited += policy.slice_at_least
    gone = [label for label in dict.fromkeys(limited) if label not in slices]
    if gone:
        case.add("no_slice", State.FAIL, labels=gone)
    if isinstance(case.other, Recorded):
        gone = [label for label in case.other.baseline.slices if label not in slices]
        if gone:
            case.add_change("slice_gone", State.FAIL, labels=gone)


# Remarks -----------------------------------------------------------------------------------------


def _note_unjudged(case: _Case) -> None:
    """Say where more of the top is unjudged than before, and where the policy for it is void."""
    measured, policy = case.measured, case.policy
    was = None if case.other is None else case.other.unjudged
    now = measured.share_unjudged()
    if was is not None and now is not None and now - was > policy.settings.max_new_unjudged + SLACK:
        side = case.other.name if case.other is not None else ""
        case.add("new_unjudged", None, top=measured.top, was=was, now=now, side=side)
    if policy.settings.unjudged != "irrelevant" and measured.is_taken_as_complete:
        case.add("nothing_unjudged", None, unjudged=policy.settings.unjudged)


def _note_runs(case: _Case) -> None:
    """Remark that items belong to one run, where values are means of several."""
    runs = len(case.measured.evaluation.runs)
    if runs > 1 and (case.state not in UNREMARKABLE or case.policy.detail == "page"):
        case.add("one_run", None, runs=runs)


def _note_clusters(case: _Case) -> None:
    """Say how little clusters tell where their queries are much alike."""
    rows = [row for (label, _), row in case.rows.items() if label is None]
    drops = [(row.drop, row.name) for row in rows if row.drop is not None]
    alike = [own for own in drops if own[0].design_effect > MOST_ALIKE]
    if alike:
        drop, name = max(alike, key=lambda own: own[0].design_effect)
        worth = drop.n / drop.design_effect
        data = {"effect": drop.design_effect, "clusters": drop.n_clusters, "worth": worth}
        data["compared"] = drop.n
        case.add("design_effect", None, (None, name), **data)


# The queries behind a verdict --------------------------------------------------------------------

MOST_ITEMS = 60
TOP = 5
_REMARKABLE = (State.FAIL, State.CANNOT_TELL, State.NOT_CONFIRMED)


def worst_queries(case: _Case) -> Worst | None:
    """Queries of the measure that explains the verdict; None without values per query."""
    measured, other = case.measured, case.other
    name, labels = explained(case.measured, case.rows)
    if name is None:
        return None
    chosen = np.full(len(measured), not labels)
    for label in labels:
        chosen[list(case.slices[label][0])] = True
    if other is not None and name in other.values and name in case.policy.max_drop:
        return _losses(case, name, labels, chosen)
    metric, most = measured.used[name].metric, case.policy.settings.worst_queries
    values = np.where(chosen, measured.per_query[name], math.nan)
    rows = [_query_row(case, name, n, None) for n in worst_of(values, metric, most)]
    return Worst(name, tuple(rows), labels=labels, of=int(chosen.sum())) if rows else None


def explained(
    measured: Measured, rows: Mapping[Key, MetricResult]
) -> tuple[str | None, tuple[str, ...]]:
    """The measure with the gravest state, and its slices where nothing else fails."""
    names = [name for name in measured.used if name in measured.per_query]
    for state in _REMARKABLE:
        own = [key for key, row in rows.items() if row.state is state and key[1] in names]
        own.sort(key=lambda key: (key[0] is not None, rows[key].drop is None))
        if own:
            label, name = own[0]
            labels = [] if label is None else [key[0] for key in own if key[1] == name]
            return name, tuple(filter(None, labels))
    compared = (name for name in names if rows[None, name].drop is not None)
    return next(compared, next(iter(names), None)), ()


def _losses(case: _Case, name: str, labels: tuple[str, ...], chosen: BoolArray) -> Worst | None:
    """The queries with the largest losses and gains against the other side."""
    measured, other = case.measured, case.other
    assert other is not None
    old, new = other.values[name], measured.per_query[name][other.queries]
    metric = measured.used[name].metric
    moved = on_scale(new, metric.geometric_from) - on_scale(old, metric.geometric_from)
    counted = chosen[other.queries] & ~np.isnan(moved)
    gain = np.where(counted, moved if metric.greater_is_better else -moved, 0.0)
    order = np.argsort(gain, kind="stable").tolist()
    most, numbers = case.policy.settings.worst_queries, other.queries.tolist()
    lost = [place for place in order if gain[place] < 0][:most]
    best = [place for place in reversed(order) if gain[place] > 0][:most]
    rows = tuple(_query_row(case, name, numbers[place], float(old[place])) for place in lost)
    gains = tuple((measured.query_ids[numbers[n]], float((new - old)[n])) for n in best)
    loss = -math.fsum(gain[gain < 0].tolist())
    share = -math.fsum(gain[lost].tolist()) / loss if loss else None
    return Worst(name, rows, share, gains, labels, int(chosen.sum()))


def _query_row(case: _Case, name: str, number: int, was: float | None) -> QueryRow:
    measured, other = case.measured, case.other
    (place,) = measured.evaluation.placements([number])
    before = None if was is None or other is None else other.placement(number)
    judged = place.judged or {}
    graded = any(grade == 0 for grade in judged.values())
    marks = [
        "*" if judged.get(item, 0) > 0 else "?" * (graded and item not in judged)
        for item in place.ranking[:TOP]
    ]
    slices = case.slices.items()
    return QueryRow(
        query=measured.query_ids[number],
        was=was,
        now=float(measured.per_query[name][number]),
        moves=tuple(_moves(measured, name, before, place)),
        n_ranked=place.n_ranked,
        top=tuple(zip(place.ranking[:TOP], marks, strict=True)),
        missing=tuple(place.not_retrieved),
        slices=tuple(label for label, (members, _) in slices if number in members),
        text=query_text(measured, number),
    )


def query_text(measured: Measured, number: int) -> str:
    """The text of a query; an error in the caller's function hides no failure."""
    try:
        return str(measured.query_text(measured.query_ids[number]) or "")
    except Exception as error:
        return f"(query_text: {type(error).__name__})"


def _moves(
    measured: Measured, name: str, before: Placement | None, now: Placement
) -> Iterator[ItemMove]:
    """Relevant items, where they were and are, and what that changed."""
    used = measured.used[name]
    if used.metric.is_given:
        return
    new = {key_of(hit.item): hit for hit in now.hits}
    if before is None:
        for hit in now.hits[:MOST_ITEMS]:
            yield ItemMove(hit.item, "", _rank(hit))
        return
    if now.judged is None:  # items without ids
        sides = [[_rank(hit) for hit in own.hits[:MOST_ITEMS]] for own in (before, now)]
        yield ItemMove(None, ", ".join(sides[0]) or "-", ", ".join(sides[1]) or "-")
        return
    was = {key_of(hit.item): hit for hit in before.hits}
    # By relevance scores the places are those of another ranking, and cost nothing.
    adds = not (used.metric.by_score and measured.policy.reading.get("relevance") is not None)
    for change in explain_all(used, [(before, now)], key=key_of)[0].items[:MOST_ITEMS]:
        key = key_of(change.item)
        part = change.contribution if adds and not math.isnan(change.contribution) else None
        ranks = _rank(was.get(key)), _rank(new.get(key))
        yield ItemMove(change.item, *ranks, part, _title(measured, change.item))


def _title(measured: Measured, item: Any) -> str:
    """Title of an item; an error of the caller's function is none of the gate."""
    try:
        known = measured.item_text(item) or ""
        return str(known.get("title") or "" if isinstance(known, Mapping) else known)
    except Exception as error:
        return f"(item_text: {type(error).__name__})"


def _rank(hit: Hit | None) -> str:
    return "-" if hit is None else str(rank_of(hit.above, hit.tied))
