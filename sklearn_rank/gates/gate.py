"""One gate from its data to its verdict, and its baseline on the way.

An update writes missing baselines, raises and refreshes; it lowers none. Only accepting lowers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sklearn_rank.comparison.baseline import as_text, load, record, write
from sklearn_rank.gates.compare import Other, beside, recorded
from sklearn_rank.gates.decide import IMPROVEMENT, Slices, decide, find_vacuous, state_of
from sklearn_rank.gates.measure import DECIMALS, Measured, measure
from sklearn_rank.gates.names import EXTENSION
from sklearn_rank.gates.policy import SLACK, Policy, drop_of
from sklearn_rank.gates.rule import Rule, outlook
from sklearn_rank.gates.sentences import line, queries_text
from sklearn_rank.gates.verdict import (
    BROKEN,
    Finding,
    GateResult,
    MetricResult,
    RankGateFailure,
    State,
    gravest,
)
from sklearn_rank.support.text import safe_repr, safe_text

Moves = Mapping[str, tuple[float, float]]
"""Recorded and present value of each measure that moves."""


@dataclass(frozen=True)
class Place:
    """Place of the baseline of a gate, and remarks on it."""

    path: Path
    shown: str
    """Name of the baseline in messages."""
    update: str
    """The command that writes the baseline, and raises it."""
    accept: str
    """The command that lowers it."""
    elsewhere: str = ""
    """Directory of the baseline in another checkout, that of the target branch."""
    without_gates: str = ""
    """Directory of the target branch where it has no gate at all: the gate is judged by the
    baseline of the working copy."""

    @property
    def file(self) -> str:
        """The path of the baseline, safe to print."""
        return safe_text(self.shown, limit=300)


@dataclass(frozen=True)
class Writing:
    """Permission of this run to write."""

    update: bool = False
    """Missing baselines are written, and exceeded ones raised; none is lowered."""
    accept: bool = False
    """This one may be lowered, too."""


def has_no_gate(directory: Path) -> bool:
    """Whether a checkout holds no baseline, so that gates are not red for being new."""
    return next(directory.rglob(f"*{EXTENSION}"), None) is None


def judge_gate(
    y_true: Any,
    y_score: Any,
    policy: Policy,
    place: Place | None = None,
    writing: Writing | None = None,
) -> GateResult:
    """Measure, compare with the baseline if there are allowed drops, and record as asked."""
    measured = measure(y_true, y_score, policy)
    if place is None or not policy.max_drop:
        return decide(policy, measured)
    loaded, slices = load(place.path, place.file), measured.slices()
    other = None if loaded is None else recorded(measured, loaded[0], slices)
    writing = writing or Writing()
    result = _about_baseline(decide(policy, measured, other, slices), policy, other, place, writing)
    if not (writing.update or writing.accept):
        return result
    return _update(result, measured, other, slices, place, writing, loaded and loaded[1])


def judge_beside(
    y_true: Any, y_score: Any, y_reference: Any, policy: Policy, reference: Policy
) -> GateResult:
    """Compare with another system, measured in the same run by a policy of its own."""
    measured = measure(y_true, y_score, policy)
    return decide(policy, measured, beside(measured, measure(y_true, y_reference, reference)))


def failed(name: str, error: Exception) -> GateResult:
    """The verdict on a gate that could not be measured."""
    first = str(error).partition("\n")[0]
    text = first if isinstance(error, RankGateFailure) else f"{type(error).__name__}: {first}"
    finding = Finding("failed", State.FAIL, line(text, 1000))
    return GateResult(name, State.FAIL, passed=False, findings=(finding,))


def _about_baseline(
    result: GateResult, policy: Policy, other: Other | None, place: Place, writing: Writing
) -> GateResult:
    """Findings about the file and its place."""
    found: list[Finding] = []

    def add(rule: str, text: str) -> None:
        found.append(Finding(rule, State.FAIL, text, of_baseline=True))

    baseline = None if other is None else other.baseline
    if baseline is None:
        values = ", ".join(f"{n} is {result.metrics[n].value:.4f}" for n in policy.max_drop)
        remedy = f"write it with: {place.update}"
        if place.elsewhere:
            remedy = (
                f"it is not below {line(place.elsewhere)}: a gate that is new or renamed is red "
                "until it is; write it in the working copy, commit it and merge: " + place.update
            )
        text = f"no baseline for gate {safe_repr(result.name)} ({line(place.shown)})"
        add("no_baseline", f"{text}; {values} now - {remedy}")
    states = [result.state, *(own.state for own in found)]
    if place.without_gates and baseline is not None:
        text = f"new, recorded here: {line(place.without_gates)} has no gate yet"
        found.append(Finding("first", None, text))
        states.append(State.NEW)
    return replace(
        result,
        findings=(*found, *result.findings),
        state=gravest(states),
        passed=result.passed and not any(own.state in BROKEN for own in found),
        baseline=place.shown,
        update=place.update,
        accept=place.accept,
        elsewhere=place.elsewhere,
        updating=writing.update or writing.accept,
        other="baseline" if baseline is not None else "",
    )


# Updating ----------------------------------------------------------------------------------------


def _update(
    result: GateResult,
    measured: Measured,
    other: Other | None,
    slices: Slices,
    place: Place,
    writing: Writing,
    read: bytes | None,
) -> GateResult:
    """Write the baseline if nothing forbids it: then the verdict is that on the new one."""
    moves = _moves(measured, other)
    lowered = {
        name: move
        for name, move in moves.items()
        if (move[1] < move[0]) is measured.used[name].metric.greater_is_better
    }
    settled = _settled(result, measured)
    why = "" if other is None or writing.accept else _why_not(result, other, lowered)
    if settled.state in BROKEN:
        text = "baseline not written because the gate fails; fix that first"
        return _with(settled if not why else result, Finding("not_written", None, text))
    if why:
        text = f"not recorded: {why}; to record it: {place.accept}"
        return _with(result, Finding("not_recorded", None, text))
    content = record(measured, result.name, slices)
    if read is not None and as_text(content).encode() == read:
        return settled
    write(place.path, content, place.file)
    is_lower = bool(lowered) or (other is not None and bool(other.fit.gone) and writing.accept)
    kind = "new" if other is None else "lowered" if is_lower else "raised" if moves else "refreshed"
    state = {"new": State.NEW, "raised": State.IMPROVED}.get(kind, settled.state)
    settled = replace(settled, written=kind, state=state, moves=moves)
    return _with(settled, *_what_it_will_see(measured))


def _with(result: GateResult, *findings: Finding) -> GateResult:
    return replace(result, findings=(*result.findings, *findings))


def _settled(result: GateResult, measured: Measured) -> GateResult:
    """The verdict if the measured values were the baseline."""

    def by_value(row: MetricResult) -> MetricResult:
        if row.is_limited:
            return replace(row, state=state_of(row.value, row.at_least, row.at_most))
        return row if row.drop is None else replace(row, state=State.PASS)

    values = {name: measured.value(name) for name in measured.policy.max_drop}
    findings = [own for own in result.findings if not own.of_baseline]
    findings += find_vacuous(measured.policy, measured, values)
    metrics = {name: by_value(row) for name, row in result.metrics.items()}
    slices = tuple(map(by_value, result.slices))
    rows = [*metrics.values(), *slices]
    state = gravest([*(own.state for own in findings), *(row.state for row in rows)])
    return replace(
        result,
        findings=tuple(findings),
        metrics=metrics,
        slices=slices,
        state=state,
        passed=state not in BROKEN,
        worst=None,
    )


def _moves(measured: Measured, other: Other | None) -> Moves:
    """The measures that move, over the common queries."""
    moves: dict[str, tuple[float, float]] = {}
    for name in measured.used if other is not None else ():
        pairs = None if other is None else other.pairs(name)
        if pairs is not None:
            moves[name] = pairs.means
        elif other is not None and name in other.pooled:
            moves[name] = other.pooled[name], round(measured.value(name), DECIMALS)
    return {name: own for name, own in moves.items() if abs(own[0] - own[1]) > IMPROVEMENT}


def _why_not(result: GateResult, other: Other, lowered: Moves) -> str:
    """Why an update leaves a baseline alone; empty where it records."""
    lower = [f"{name} {was:.4f} -> {now:.4f}" for name, (was, now) in lowered.items()]
    lower += [
        f"slice {row.label} {row.name} {row.change:+.4f}"
        for row in result.slices
        if row.drop is not None and row.drop.drop > IMPROVEMENT
    ]
    if lower:
        return ", ".join(lower)
    if any(own.state is State.FAIL for own in result.findings):
        return "the gate fails"
    fit, nothing = other.fit, all(row.drop is None for row in result.metrics.values())
    if fit.readings or fit.definitions or fit.no_comparison or nothing:
        return "nothing says that it is not lower"
    return ""


def _what_it_will_see(measured: Measured) -> tuple[Finding, ...]:
    """Power of the next run, as a help for choosing limits."""
    policy, n = measured.policy, len(measured)
    names = [name for name in policy.max_drop if name in measured.per_query]
    if not names:
        return ()
    name = names[0]
    drop = drop_of(policy.max_drop[name], measured.value(name))
    hard = max(drop, policy.hard_drop[name])
    if hard <= drop + SLACK:
        text = f"a contract: every drop of {name} beyond {drop:g} is red"
        return (Finding("contract", None, text),)
    if measured.used[name].metric.upper != 1 or n < 2:
        return ()
    seen = outlook(n, Rule(drop, hard, policy.settings.alpha), tests=len(names))
    text = (
        f"{queries_text(n)}: drops from {seen.detectable:.2g} on are seen (80% power), "
        f"{seen.false_alarm:.0%} false alarms. If these queries are a contract and no "
        "sample, pass hard_drop equal to max_drop"
    )
    return (Finding("sample", None, text),)
