"""The verdict of a gate: every limit is judged, and every rule that fires becomes a finding."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sklearn_rank.comparison.baseline import averaged_queries, labels_of
from sklearn_rank.comparison.changes import lowest_queries, query_changes, title_function
from sklearn_rank.comparison.differences import unjudged_shares
from sklearn_rank.comparison.join import Joined
from sklearn_rank.evaluation.base import BaseEvaluation, text_function
from sklearn_rank.evaluation.tables import design_notes, doubts_of
from sklearn_rank.gates.fit import BASELINE, NEW, Fit, Slices
from sklearn_rank.gates.limits import Arguments, Limits, drop_of
from sklearn_rank.gates.measure import Measured, greatest, ranks_everything
from sklearn_rank.gates.rule import Rule, detectable_drops, false_alarm, judge_drops
from sklearn_rank.gates.sentences import (
    counts_of,
    drop_sentence,
    moved_by,
    moved_to,
    of_slice,
    over_all,
    value_sentence,
)
from sklearn_rank.gates.verdict import (
    BROKEN,
    UNREMARKABLE,
    Finding,
    GateResult,
    MeasureResult,
    State,
    Worst,
    gravest,
)
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import UNLISTED_UNJUDGED
from sklearn_rank.statistics.paired import PairedDifferences
from sklearn_rank.support.constants import LEAST, RECORDED_DECIMALS
from sklearn_rank.support.text import argument, queries_text, several
from sklearn_rank.tables.table import p_text

MOST_LOSERS = 5
"""Queries in the table of a failure."""
MAX_NEW_UNJUDGED = 0.05
"""Largest rise in the share of unjudged top items that headlines do not mention."""
_READ_NO_ORDER = ("recall", "hit_rate", "all_hit_rate")
"""Metrics that ignore the order above their cutoff."""

RowKey = tuple[str | None, str]
"""Label of a slice (None: all queries), and measure."""
Family = tuple[dict[RowKey, "PairedDifferences | float"], dict[RowKey, Rule]]


@dataclass
class _Judging:
    """One gate while it is judged."""

    arguments: Arguments
    new: BaseEvaluation
    slices: Slices
    joined: Joined | None
    """Both systems, if there are two that can be compared."""
    fit: Fit | None
    """None without a baseline."""
    rows: dict[RowKey, MeasureResult] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def limits(self) -> Limits:
        """The limits of the gate."""
        return self.arguments.limits

    @property
    def state(self) -> State:
        """The gravest state so far."""
        states = [finding.state for finding in self.findings]
        return gravest([*states, *(row.state for row in self.rows.values())])

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """Measures by name."""
        return dict(zip(self.new, self.new.measures, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """The old system and the new one; empty if nothing is compared."""
        if self.joined is not None:
            return tuple(self.joined.systems)
        return () if self.fit is None else (BASELINE, NEW)

    @cached_property
    def pairs(self) -> dict[str, PairedDifferences]:
        """Paired values of each measure that can be compared query by query."""
        if self.joined is None:
            return {}
        old, new = self.joined.systems
        found = {name: self.joined.pairs(name, (old, new)) for name in self.joined.measures}
        return {name: pairs for name, pairs in found.items() if not isinstance(pairs, str)}

    def add(self, rule: str, state: State | None, text: str, short: str = "", **more: bool) -> None:
        """A rule that fired, or a remark."""
        self.findings.append(Finding(rule, state, text, short, **more))


def judge(
    measured: Measured, arguments: Arguments, joined: Joined | None = None, fit: Fit | None = None
) -> GateResult:
    """Judge everything that has a limit; drops only if there is a baseline."""
    case = _Judging(arguments, measured.evaluation, measured.slices, joined, fit)
    _judge_values(case)
    _find_missing_slices(case)
    rate = None
    if fit is not None or joined is not None:
        families = [family for family in _families(case) if family[0]]
        for family in families:
            _judge_changes(case, *family)
        _judge_fit(case)
        _find_lost_values(case)
        if arguments.detail or case.state not in UNREMARKABLE:
            rate = false_alarm(*families)
            for family in families:
                _add_power(case, *family)
    _remark(case)
    return _result(case, rate)


def _result(case: _Judging, rate: float | None) -> GateResult:
    """Everything that was found."""
    arguments, new, settings = case.arguments, case.new, case.arguments.settings
    doubt = State.NOT_CONFIRMED
    findings = [
        replace(finding, warns=finding.warns or finding.state is doubt) for finding in case.findings
    ]
    if settings.strict:
        findings = [
            replace(finding, state=State.FAIL) if finding.warns else finding for finding in findings
        ]
    state = gravest([case.state, *(finding.state for finding in findings)])
    explains = state not in UNREMARKABLE
    if case.joined is not None and (explains or arguments.detail == "page"):
        case.joined = case.joined.with_ranks()
    return GateResult(
        name=arguments.name,
        state=state,
        passed=state not in BROKEN,
        findings=tuple(findings),
        measures={name: case.rows[None, name] for name in new},
        slices=tuple(row for (label, _), row in case.rows.items() if label is not None),
        queries=len(new.query_ids),
        counts=new.counts,
        worst=_worst(case) if explains else None,
        systems=case.names,
        false_alarm=rate,
        alpha=settings.alpha,
        slice_alpha=settings.slice_alpha,
        evaluation=new,
        joined=case.joined,
        labels=labels_of(case.slices, len(new.query_ids)) if case.slices else [],
    )


# Values ------------------------------------------------------------------------------------------


def _judge_values(case: _Judging) -> None:
    """Judge the values of all measures, over all queries and in the slices that limit them."""
    limits, new = case.limits, case.new
    for name in limits.limited:
        used, most = case.measures[name], limits.at_most.get(name)
        nothing = f"the limit of {name} has no effect"
        if used.metric.of_judgements and new.assumed not in UNLISTED_UNJUDGED:
            text = f"{nothing}: the judgements count as complete; give the grade 0 to items that"
            case.add("limits_judgements", State.FAIL, f"{text} were judged irrelevant")
        elif used.metric.name in _READ_NO_ORDER and used.k is None and ranks_everything(new):
            text = f"{nothing}: every ranking holds all candidates, so no order of them could fail"
            case.add("limits_set", State.FAIL, f"{text}; give it a cutoff")
        if most is not None and most >= greatest(new, name) and not used.is_pooled:
            text = f"at_most of {name} is {most:g}: no ranking of these lengths could exceed it"
            case.add("limits_nothing", State.FAIL, text)
    # What is compared comes first in tables and headlines.
    for name in dict.fromkeys([*limits.max_drop, *new]):
        ends = limits.at_least.get(name), limits.at_most.get(name)
        _judge_value(case, (None, name), float(new[name]), ends)
    compared = limits.max_drop if limits.max_slice_drop is not None and case.names else ()
    for label, (_, part) in case.slices.items():
        thresholds = limits.slice_at_least.get(label, {})
        for name in dict.fromkeys([*compared, *thresholds]) or new:
            _judge_value(case, (label, name), float(part[name]), (thresholds.get(name), None))


def _judge_value(
    case: _Judging, key: RowKey, value: float, ends: tuple[float | None, float | None]
) -> None:
    new, (label, name) = case.new, key
    used, state = case.measures[name], None
    row = MeasureResult(
        name=name,
        title=used.title,
        value=value,
        queries=averaged_queries(new, name) if label is None else len(case.slices[label][0]),
        greater_is_better=used.metric.greater_is_better,
        label=label,
        at_least=ends[0],
        at_most=ends[1],
    )
    if label is None and not math.isfinite(value):
        state = State.FAIL
        n = queries_text(len(new.query_ids))
        case.add("undefined", state, f"{name} is undefined for all {n}")
    elif row.is_limited:
        state = State.PASS if row.is_met else State.FAIL
        if state is State.FAIL:
            full = short = f"{value_sentence(row)}{of_slice(label)}"
            if label is None:
                low, high = math.nan, math.nan
                if name in new.per_query:
                    low, high = new.confidence_interval(name)
                ci = "" if math.isnan(low) else f", 95% CI {low:.3f} to {high:.3f}"
                full = f"{short} ({queries_text(row.queries)}{ci})"
            case.add("threshold", state, full, short)
    case.rows[key] = row if state is None else replace(row, state=state)


# Changes -----------------------------------------------------------------------------------------


def _families(case: _Judging) -> tuple[Family, Family]:
    """Families of tests: measures over all queries, and in the slices that are judged."""
    limits, settings = case.limits, case.arguments.settings
    whole: Family = ({}, {})
    parts: Family = ({}, {})
    for name in case.new:
        if name not in limits.max_drop:
            _compare(case, (None, name))  # only shown
    for name, allowed in limits.max_drop.items():
        key: RowKey = (None, name)
        pairs = _compare(case, key)
        if pairs is None:
            continue
        if isinstance(pairs, PairedDifferences) and not len(pairs):
            weights = case.new.query_weights(name)
            is_defined = math.isfinite(float(case.new[name]))
            if is_defined and (weights is None or weights.any()):  # else nothing counts
                text = f"no query has a value of {name} in both systems"
                case.add("not_compared", State.FAIL, text)
            continue
        was, metric = case.rows[key].baseline_value or 0.0, case.measures[name].metric
        drop = drop_of(allowed, was)
        room = was - metric.lower if metric.greater_is_better else greatest(case.new, name) - was
        if 0 < drop >= room:
            text = f"max_drop of {name} is {drop:g} but the baseline {was:.4f}: no value could fail"
            case.add("vacuous", State.FAIL, text)
        whole[0][key] = pairs
        whole[1][key] = Rule(drop, max(drop, limits.hard_drop[name]), settings.alpha)
    for key in [key for key in case.rows if key[0] is not None]:
        judged = (None, key[1]) in whole[0]
        pairs, most = _compare(case, key), limits.max_slice_drop if judged else None
        if not isinstance(pairs, PairedDifferences):
            continue
        small = len(pairs) < settings.min_slice_size
        case.rows[key] = replace(case.rows[key], too_small=small, allowed=most)
        if most is not None and not small:
            parts[0][key] = pairs
            parts[1][key] = Rule(most, math.inf, settings.slice_alpha, only_losses=False)
    if limits.max_slice_drop is not None and whole[0] and not parts[0]:
        text = f"max_slice_drop has no effect: no slice has {settings.min_slice_size} queries"
        case.add("no_slice_judged", None, f"{text} to compare", warns=True)
    return whole, parts


def _compare(case: _Judging, key: RowKey) -> PairedDifferences | float | None:
    """Pairs of values, or the drop of a measure that has none; None: nothing to compare.

    Both values are in the row afterwards.
    """
    (label, name), joined, row, pairs = key, case.joined, case.rows[key], case.pairs.get(key[1])
    if pairs is not None:
        pairs = pairs if label is None else pairs.take(case.slices[label][0])
        if not len(pairs):
            return pairs
        was, now = pairs.means
    elif joined is None or name not in joined.measures or label is not None:
        return None
    else:
        was, now = (
            round(joined.value(system, name), RECORDED_DECIMALS) for system in joined.systems
        )
        if math.isnan(was):
            return None
    row = case.rows[key] = replace(row, baseline_value=was, new=now)
    return row.fall if pairs is None else pairs


def _judge_changes(
    case: _Judging, pairs: dict[RowKey, PairedDifferences | float], rules: dict[RowKey, Rule]
) -> None:
    """Judge the drops of one family by the rule of gates."""
    for key, drop in judge_drops(pairs, rules).items():
        rule, row = rules[key], case.rows[key]
        row = replace(row, allowed=rule.max_drop, hard_drop=rule.hard_drop, drop=drop)
        tested = isinstance(pairs[key], PairedDifferences) and not row.is_contract
        improved = drop.improved if tested else row.fall < -LEAST
        state, moved = State.PASS, f"{moved_by(row)}{of_slice(row.label)}"
        if drop.clauses:
            state = State.FAIL
            case.add("drop", state, drop_sentence(row), moved)
        elif drop.exceeds:
            state = State.NOT_CONFIRMED
            said = ", ".join(filter(None, [counts_of(row), p_text(drop.p_holm)]))
            text = f"{moved} (allowed {row.allowed:g}), which may be chance: {said}"
            case.add("not_confirmed", state, text, moved)
        elif improved:
            state = State.IMPROVED
        case.rows[key] = replace(row, state=gravest([row.state, state]))


def _add_power(
    case: _Judging, pairs: dict[RowKey, PairedDifferences | float], rules: dict[RowKey, Rule]
) -> None:
    """The smallest drops that the tests of one family would find."""
    for key, least in detectable_drops(pairs, rules).items():
        row = case.rows[key]
        drop = None if row.drop is None else replace(row.drop, detectable=least)
        case.rows[key] = replace(row, drop=drop)


def _find_lost_values(case: _Judging) -> None:
    """Queries that would vanish from both means."""
    joined = case.joined
    if joined is None or "undefined" in case.limits.allow:
        return
    for name in case.limits.max_drop:
        if name not in case.pairs:
            continue
        old, new = (joined.values_per_query(system, name) for system in joined.systems)
        lost = np.flatnonzero(~np.isnan(old) & np.isnan(new)).tolist()
        if lost:
            ids = several([joined.query_ids[number] for number in lost])
            had = f"had a value of {name} in the {case.names[0]} but none now: {ids}"
            text = f"{queries_text(len(lost))} {had}"
            advice = f"pass {argument('allow', 'undefined')} if they may be left out"
            case.add("lost_values", State.FAIL, f"{text}; {advice}")


# Fit of a baseline -------------------------------------------------------------------------------


def _judge_fit(case: _Judging) -> None:
    """A baseline with other queries, judgements, reading options or measures is stale."""
    fit = case.fit or Fit()
    if fit.data:
        full = f"{fit.data} - too few queries in common to compare" if fit.is_few else fit.data
        rows = [row for (label, _), row in case.rows.items() if label is None]
        rows = [row for row in rows if row.baseline_value is not None]
        if rows:
            changes = ", ".join(f"{moved_to(row)}{over_all(row)}" for row in rows)
            n = queries_text(0 if case.joined is None else len(case.joined.query_ids))
            full = f"{fit.data} - on the {n} in common, {changes}"
        case.add("no_fit", State.STALE, full, fit.data)
    for rule, text in fit.others:
        case.add(rule, State.STALE, text)


def _find_missing_slices(case: _Judging) -> None:
    """Slices that have a limit but no queries."""
    limits = case.limits
    labels = dict.fromkeys(limits.slice_at_least)
    if isinstance(limits.slices, Mapping):
        empty = (str(label) for label, of in limits.slices.items() if of in ([], (), set()))
        labels |= dict.fromkeys(empty)
    gone = [label for label in labels if label not in case.slices]
    if gone:
        text = f"a limit is set for slice {several(gone)}, which has no queries"
        case.add("no_slice", State.FAIL, f"{text}; check that slices labels all queries")


# Remarks -----------------------------------------------------------------------------------------


def _remark(case: _Judging) -> None:
    """Remarks that decide nothing: unjudged items, clusters much alike, repeated runs."""
    new = case.new
    if case.joined is not None:
        top, shares = unjudged_shares(case.joined)
        was, now = (shares.get(name) for name in case.names)
        metrics = [case.measures[name].metric for name in case.limits.limited]
        reads_ranks = any(not (metric.is_given or metric.is_total) for metric in metrics)
        if reads_ranks and was is not None and now is not None and now - was > MAX_NEW_UNJUDGED:
            text = f"{now:.0%} of the new top {top} are unjudged ({case.names[0]}: {was:.0%})"
            case.add("new_unjudged", None, text)
    effects = {
        row.name: (row.drop.design_effect, row.drop.queries)
        for (label, _), row in case.rows.items()
        if label is None and row.drop is not None
    }
    for text in doubts_of(new.ranking_data):
        case.add("doubt", None, text)
    for text in design_notes(effects):
        case.add("design_effect", None, text)
    runs = len(new.runs)
    if runs > 1 and (case.state not in UNREMARKABLE or case.arguments.detail == "page"):
        text = f"items, ranks and contributions come from the first of {runs} runs"
        case.add("one_run", None, text)


# The queries behind a verdict --------------------------------------------------------------------


def explained(case: _Judging) -> tuple[str | None, tuple[str, ...]]:
    """The measure with the most severe state, and its slices if nothing else fails."""
    names = [name for name in case.new if name in case.new.per_query]
    for state in (State.FAIL, State.NOT_CONFIRMED):
        keys = [key for key, row in case.rows.items() if row.state is state and key[1] in names]
        if keys:
            label, name = keys[0]
            labels = [] if label is None else [key[0] for key in keys if key[1] == name]
            return name, tuple(filter(None, labels))
    compared = (name for name in names if case.rows[None, name].drop is not None)
    return next(compared, next(iter(names), None)), ()


def _worst(case: _Judging) -> Worst | None:
    """Queries of the measure that explains the verdict; None without values per query."""
    (name, labels), joined, arguments = explained(case), case.joined, case.arguments
    if name is None:
        return None
    text_of = text_function(arguments.query_text)
    title_of = title_function(arguments.item_text)
    chosen = np.full(len(case.new.query_ids), not labels)
    for label in labels:
        chosen[list(case.slices[label][0])] = True
    pairs = case.pairs.get(name) if name in case.limits.max_drop else None
    if joined is None or pairs is None:
        values = np.where(chosen, case.new.per_query[name], math.nan)
        texts = text_of, title_of
        rows = lowest_queries(case.new, name, values, MOST_LOSERS, texts, NEW)
        return Worst(name, tuple(rows), labels=labels, of=int(chosen.sum())) if rows else None
    pairs = pairs.take(np.flatnonzero(chosen))
    drops, (before, after) = pairs.drops, joined.systems
    number_of = {number: n for n, number in enumerate(joined.positions[after].tolist())}
    order = np.argsort(-drops, kind="stable")[:MOST_LOSERS].tolist()
    lost = [n for n in order if drops[n] > 0]
    losers = [number_of[pairs.queries[n]] for n in lost]
    changes = query_changes(joined, name, (before, after), text_of, losers, title_of)
    loss = math.fsum(drops[drops > 0].tolist())
    share = math.fsum(drops[lost].tolist()) / loss if loss else None
    return Worst(name, tuple(changes), share, labels, len(pairs))
