"""One gate from its data to its verdict, and its baseline on the way.

An update writes missing baselines, raises and refreshes; it lowers none. Only accepting lowers,
with a reason that is stored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sklearn_rank.gates.baseline import Accepted, Baseline, load, record, write
from sklearn_rank.gates.compare import Beside, Recorded, means_of
from sklearn_rank.gates.decide import (
    GAIN_ALPHA,
    IMPROVEMENT,
    Slices,
    decide,
    find_vacuous,
    state_of,
)
from sklearn_rank.gates.measure import DECIMALS, Measured, measure, refuse, refuse_unbounded
from sklearn_rank.gates.names import EXTENSION, name_of
from sklearn_rank.gates.policy import SLACK, Policy, drop_of, looser_limits
from sklearn_rank.gates.rule import Rule, outlook
from sklearn_rank.gates.verdict import (
    BROKEN,
    Finding,
    GateResult,
    MetricResult,
    RankGateFailure,
    State,
    gravest,
)
from sklearn_rank.support.text import safe_text

Moves = Mapping[str, tuple[float, float]]
"""Recorded and present value of each measure that moves."""


@dataclass(frozen=True)
class Place:
    """Place of the baseline of a gate, and remarks on it."""

    gate: str
    """Node id of the test; the name of a gate over files."""
    path: Path
    root: Path
    """Nothing is written outside of it."""
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
    obtained: Path | None = None
    """Where the present values go for inspection."""

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
    reason: str = ""
    """Why; stored in the file."""


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
    _refuse_unrecordable(policy, measured)
    loaded, slices = load(place.path, place.file), measured.slices()
    other = None if loaded is None else Recorded(measured, loaded[0], slices)
    result = decide(policy, measured, other, slices)
    writing = writing or Writing()
    result = _about_baseline(result, policy, other, place, writing)
    return _update(result, measured, other, slices, place, writing, loaded and loaded[1])


def judge_beside(
    y_true: Any, y_score: Any, y_reference: Any, policy: Policy, reference: Policy
) -> GateResult:
    """Compare with another system, measured in the same run by a policy of its own."""
    measured = measure(y_true, y_score, policy)
    return decide(policy, measured, Beside(measured, measure(y_true, y_reference, reference)))


def failed(name: str, error: Exception) -> GateResult:
    """The verdict on a gate that could not be measured."""
    first = str(error).partition("\n")[0]
    text = first if isinstance(error, RankGateFailure) else f"{type(error).__name__}: {first}"
    finding = Finding("failed", State.FAIL, data={"text": text[:1000]})
    return GateResult(name, State.FAIL, passed=False, findings=(finding,))


def _refuse_unrecordable(policy: Policy, measured: Measured) -> None:
    """RankGateFailure where a baseline could never say what unjudged items may change."""
    if not measured.is_bounded:
        return
    if policy.settings.store == "values":
        refuse("unjudged='bounds' needs to know where unjudged items stood: rank_store = ranks")
    for name in policy.max_drop:
        refuse_unbounded(measured.used[name], change=True)
    unjudged = measured.evaluation.rankings.unjudged
    if unjudged is not None and unjudged.grade_order:
        refuse(
            "unjudged='bounds' has no bounds with ties='optimistic' or 'pessimistic', which go by "
            "the grades of items; pass ties='average', 'stable' or 'docid'"
        )


def _about_baseline(
    result: GateResult,
    policy: Policy,
    other: Recorded | None,
    place: Place,
    writing: Writing,
) -> GateResult:
    """Findings about the file and its place."""
    found: list[Finding] = []
    if other is None:
        data: dict[str, Any] = {"measures": list(policy.max_drop)}
        found.append(Finding("no_baseline", State.FAIL, data=data, of_baseline=True))
    else:
        baseline = other.baseline
        if not baseline.matches(place.gate, policy.name):
            # Another gate's file may have been copied here because it asks for less.
            data = {
                "gate": baseline.gate,
                "name": baseline.name,
                "own_name": name_of(baseline.gate),
            }
            found.append(Finding("renamed", State.FAIL, data=data, of_baseline=True))
        looser = looser_limits(baseline.limits, policy.recorded_limits())
        if looser:
            warns, data = bool(place.elsewhere), {"limits": looser}
            found.append(Finding("looser", None, data=data, of_baseline=True, warns=warns))
    state = State.PASS
    if place.without_gates and other is not None:
        state, data = State.NEW, {"directory": place.without_gates}
        found.append(Finding("first", data=data))
    if policy.settings.ratchet == "require" and not (writing.update or writing.accept):
        found += [
            Finding("ratchet", State.FAIL, row.name, of_baseline=True)
            for row in result.metrics.values()
            if row.state is State.IMPROVED and row.gained
        ]
    if policy.settings.strict:
        found = [replace(own, state=State.FAIL) if own.warns else own for own in found]
    broken = any(own.state in BROKEN for own in found)
    findings = (*found, *result.findings)
    return replace(
        result,
        findings=findings,
        state=gravest([result.state, state, *(own.state for own in found)]),
        passed=result.passed and not broken,
        baseline=place.shown,
        obtained="" if place.obtained is None else f"<tmp_path>/{place.obtained.name}",
        update=place.update,
        accept=place.accept,
        elsewhere=place.elsewhere,
        updating=writing.update or writing.accept,
        other="baseline" if other is not None else "",
    )


# Updating ----------------------------------------------------------------------------------------


def _update(
    result: GateResult,
    measured: Measured,
    other: Recorded | None,
    slices: Slices,
    place: Place,
    writing: Writing,
    read: bytes | None,
) -> GateResult:
    """Write the baseline if the run asks for it and the rules allow it."""
    if place.obtained is not None and other is not None:
        content = record(measured, place.gate, result.name, slices=slices)
        from sklearn_rank.gates.baseline import as_text

        place.obtained.write_text(as_text(content), encoding="utf-8")
    if not (writing.update or writing.accept):
        return result
    settled = _settled(result, measured)
    moves = _moves(measured, other)
    lowered = {
        name: move
        for name, move in moves.items()
        if (move[1] < move[0]) is measured.used[name].metric.greater_is_better
    }
    why = _why_not(result, other, lowered, measured.policy, writing)
    if settled.state in BROKEN or (why is not None and result.state in BROKEN):
        note = why if settled.state not in BROKEN else None
        return _with(result if why is not None else settled, note or Finding("not_written"))
    if why is not None:
        return _with(result, why)
    accepted = [] if other is None else other.baseline.accepted
    if lowered:
        own = {name: (round(old, 6), round(new, 6)) for name, (old, new) in lowered.items()}
        accepted = [*accepted, Accepted(reason=writing.reason, moves=own)]
    content = record(measured, place.gate, result.name, accepted, slices)
    if other is not None and _is_same(content, other.baseline, place.gate):
        return settled
    write(place.path, content, place.root, place.file, read)
    gone = other is not None and bool(other.fit.gone)
    is_lower = bool(lowered) or (gone and writing.accept)
    kind = "new" if other is None else "lowered" if is_lower else "raised" if moves else ""
    state = {"new": State.NEW, "raised": State.IMPROVED}.get(kind, settled.state)
    settled = replace(settled, written=kind or "refreshed", state=state, moves=moves)
    settled = replace(settled, reason=writing.reason if kind == "lowered" else "")
    return _with(settled, *_what_it_will_see(measured))


def _with(result: GateResult, *findings: Finding) -> GateResult:
    return replace(result, findings=(*result.findings, *findings))


def _is_same(content: Baseline, baseline: Baseline, gate: str) -> bool:
    """Whether a file has nothing to say anew; the root of the project does not count."""
    import msgspec

    owner = {"gate": baseline.gate} if baseline.matches(gate, content.name) else {}
    return msgspec.structs.replace(content, seal=baseline.seal, **owner) == baseline


def _settled(result: GateResult, measured: Measured) -> GateResult:
    """The verdict if the measured values were the baseline."""

    def by_value(row: MetricResult) -> MetricResult:
        if row.at_least is None and row.at_most is None:
            return row if row.drop is None else replace(row, state=State.PASS)
        ends = row.bounds or (row.value, row.value)
        states = {state_of(end, row.at_least, row.at_most) for end in ends}
        return replace(row, state=states.pop() if len(states) == 1 else State.CANNOT_TELL)

    findings = [own for own in result.findings if not own.of_baseline]
    values = {name: measured.value(name) for name in measured.policy.max_drop}
    find_vacuous(findings, measured.policy, measured, values)
    metrics = {name: by_value(row) for name, row in result.metrics.items()}
    rows = [by_value(row) for row in result.slices]
    state = gravest(
        [*(own.state for own in findings), *(row.state for row in [*metrics.values(), *rows])]
    )
    return replace(
        result,
        findings=tuple(findings),
        metrics=metrics,
        slices=tuple(rows),
        state=state,
        passed=state not in BROKEN and (state is not State.CANNOT_TELL or result.passed),
        worst=None,
    )


def _moves(measured: Measured, other: Recorded | None) -> Moves:
    """The measures that move, over the common queries."""
    moves: dict[str, tuple[float, float]] = {}
    for name in measured.used if other is not None else ():
        if other is not None and name in other.values:
            moves[name] = means_of(measured, other, name)
        elif other is not None and name in other.pooled:
            moves[name] = other.pooled[name], round(measured.value(name), DECIMALS)
    return {name: own for name, own in moves.items() if abs(own[0] - own[1]) > IMPROVEMENT}


def _why_not(
    result: GateResult,
    other: Recorded | None,
    lowered: Moves,
    policy: Policy,
    writing: Writing,
) -> Finding | None:
    """Why an update leaves a baseline alone; None where it records."""
    if other is None or writing.accept:
        return None
    fit = other.fit
    rows = [*result.metrics.values(), *result.slices]
    lower = [f"{name} {was:.4f} -> {now:.4f}" for name, (was, now) in lowered.items()]
    lower += [
        f"slice {row.label} {row.name} {row.change:+.4f}"
        for row in result.slices
        if row.drop is not None and row.drop.drop > IMPROVEMENT
    ]
    if lower:
        return Finding("not_recorded", data={"lower": lower})
    fails = [own for own in result.findings if own.state is State.FAIL and own.rule != "renamed"]
    if fails:
        return Finding("not_written")
    nothing = all(row.drop is None for row in result.metrics.values())
    if fit.readings or fit.definitions or fit.no_comparison or nothing:
        return Finding("not_recorded", data={"why": "nothing says that it is not lower"})
    renamed = any(own.rule == "renamed" for own in result.findings)
    differs = renamed or not fit.is_perfect or other.baseline.limits != policy.recorded_limits()
    lacks = any(own.rule == "unknown_unjudged" for own in result.findings)
    lacks |= bool(result.slices) and not other.baseline.slices
    if differs or lacks or any(row.gained for row in rows if row.label is None):
        return None
    gains = [
        row
        for row in result.metrics.values()
        if row.drop is not None and row.drop.drop < -IMPROVEMENT
    ]
    if gains:
        return Finding("not_recorded", data={"gains": gains, "alpha": GAIN_ALPHA})
    return Finding("unchanged")


def _what_it_will_see(measured: Measured) -> Sequence[Finding]:
    """Power of the next run, as a help for choosing limits."""
    policy = measured.policy
    names = [name for name in policy.max_drop if name in measured.per_query]
    if not names:
        return ()
    name, n = names[0], len(measured)
    drop = drop_of(policy.max_drop[name], measured.value(name))
    hard = max(drop, policy.hard_drop[name])
    metric = measured.used[name].metric
    if hard <= drop + SLACK:
        return (Finding("contract", measure=name, data={"allowed": drop}),)
    if metric.upper != 1 or n < 2:
        return ()
    seen = outlook(n, Rule(drop, hard, policy.settings.alpha), tests=len(names))
    data: dict[str, Any] = {"seen": seen.detectable, "rate": seen.false_alarm, "allowed": drop}
    data["needed"] = None if math.isnan(seen.needed) else seen.needed
    return (Finding("sample", measure=name, data=data),)
