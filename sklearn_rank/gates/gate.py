"""One gate from its data to its verdict, and its baseline on the way.

An update writes missing baselines, and raises or refreshes others. Only accepting lowers one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.baseline import (
    Baseline,
    BaselineError,
    as_text,
    keys_of,
    load,
    record,
    write,
)
from sklearn_rank.comparison.join import join
from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.evaluation.compute import score_measures
from sklearn_rank.gates.fit import BASELINE, NEW, Fit, recorded
from sklearn_rank.gates.judge import judge
from sklearn_rank.gates.limits import (
    DEFAULT_DROP,
    Arguments,
    Settings,
    drop_of,
    file_name,
    read_arguments,
)
from sklearn_rank.gates.measure import Measured, measure, refusals, slices_of
from sklearn_rank.gates.rule import GAIN_ALPHA
from sklearn_rank.gates.sentences import fall_of, power_sentence
from sklearn_rank.gates.verdict import (
    BROKEN,
    REFUSED,
    BaselineFile,
    Finding,
    GateResult,
    RankGateFailure,
    State,
    gravest,
)
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.statistics.means import cluster_codes, cluster_means
from sklearn_rank.statistics.paired import FEWEST, POWER
from sklearn_rank.statistics.student import least_found
from sklearn_rank.support.constants import LEAST, RECORDED_DECIMALS, SLACK
from sklearn_rank.support.text import line, listed, safe_repr, safe_text

if TYPE_CHECKING:
    from sklearn_rank.comparison.result import Comparison

OF_VALUES = 0.45
"""Standard deviation of queries' changes as a share of that of their values: among 1,500 pairs of
engines, the median was .27 to .36, and one pair in ten had .54 to .82."""


def judge_gate(
    y_true: Any, y_score: Any, arguments: Arguments, file: BaselineFile | None = None
) -> GateResult:
    """Measure, compare with the baseline if drops are limited, and update it if requested."""
    measured = measure(y_true, y_score, arguments)
    if file is None or not arguments.limits.max_drop:
        result = judge(measured, arguments)
        if file is None or not file.elsewhere or not file.path.is_file():
            return result
        text = f"{line(file.elsewhere)} has a baseline for this gate, which has no max_drop here"
        finding = Finding(
            "no_drop", State.FAIL if arguments.settings.strict else None, text, warns=True
        )
        return _with(replace(result, file=file), finding)
    loaded = load(file.path, safe_text(file.shown, limit=300))
    joined, fit, old, read = None, None, None, b""
    if loaded is not None:
        _check_name(loaded[0].name, arguments.name, file)
        old, read = loaded
        joined, fit = recorded(measured.evaluation, old, measured.slices)
    result = replace(judge(measured, arguments, joined, fit), file=file)
    if fit is None:
        result = _with(result, _no_baseline(result, arguments, file))
    if not file.writes:
        return result
    wholes = {} if old is None else _wholes(old, measured.evaluation)
    lowered = "" if old is None else _lowered(old, wholes, measured, arguments)
    return _update(result, measured, arguments, fit, file, read, wholes, lowered)


def _check_name(recorded: str, name: str, file: BaselineFile) -> None:
    """Refuse the baseline of another gate with the same file name; a file may be moved."""
    # Some file systems ignore case.
    if recorded != name and file_name(recorded).casefold() == file.path.name.casefold():
        msg = (
            f"{line(file.shown)} is the baseline of gate {safe_repr(recorded)}, and would also be "
            f"that of {safe_repr(name)}: rename this gate, or remove the file if the other gate "
            "is gone"
        )
        raise BaselineError(msg)


def _with(result: GateResult, *findings: Finding) -> GateResult:
    """Add findings: before the others if they fail, else after them."""
    state = gravest([result.state, *(finding.state for finding in findings)])
    ordered = (*findings, *result.findings) if state in BROKEN else (*result.findings, *findings)
    return replace(
        result, findings=ordered, state=state, passed=result.passed and state not in BROKEN
    )


def _no_baseline(result: GateResult, arguments: Arguments, file: BaselineFile) -> Finding:
    values = ", ".join(f"{n} is {result.measures[n].value:.4f}" for n in arguments.limits.max_drop)
    remedy = f"write it with: {file.update}"
    if file.elsewhere:
        remedy = (
            f"a new or renamed gate is red until {line(file.elsewhere)} has its baseline; "
            "write it in the working copy, commit it and merge: " + file.update
        )
    text = f"no baseline for gate {safe_repr(result.name)} ({line(file.shown)})"
    return Finding("no_baseline", State.FAIL, f"{text}; {values} now - {remedy}")


def judge_beside(
    y_true: Any, y_score: Any, y_baseline: Any, arguments: Arguments, of_reference: Arguments
) -> GateResult:
    """Compare with another system, measured in the same run and read with separate limits."""
    measured = measure(y_true, y_score, arguments)
    truth, ranking = (y_baseline, None) if y_score is None else (y_true, y_baseline)
    limits = replace(of_reference.limits, slices=None)
    old = measure(truth, ranking, replace(of_reference, limits=limits)).evaluation
    joined, _ = join({BASELINE: old, NEW: measured.evaluation}, None, same_queries=True)
    return judge(measured, arguments, replace(joined, decimals=RECORDED_DECIMALS))


def verdict_on(
    comparison: Comparison, system: str | None = None, *, slices: Any = None, **limits: Any
) -> GateResult:
    """The verdict of a gate on a comparison of two systems; ``max_drop`` is 0.02 by default.

    ``limits`` are those of ``rank_gate.check``.
    """
    joined = comparison._joined
    names = (comparison.baseline, comparison.others[0] if system is None else system)
    pair = {name: joined.systems[name] for name in names}
    joined = replace(
        joined,
        systems=pair,
        positions={name: joined.positions[name] for name in names},
        decimals=RECORDED_DECIMALS,
    )
    if not any(name in limits for name in ("max_drop", "at_least", "at_most")):
        limits["max_drop"] = DEFAULT_DROP
    by_name = {name: joined.measure(name) for name in joined.measures}
    measures = [measure if measure.metric.is_custom else name for name, measure in by_name.items()]
    limits = {"measures": measures, "slices": slices, **limits}
    checked = read_arguments(limits, Settings())
    new = pair[names[1]]
    measured = Measured(new, slices_of(new, slices))
    result = judge(measured, checked, joined)
    refused = refusals(new, checked.limits)
    if not refused:
        return result
    refusal = Finding(REFUSED, State.FAIL, f"could not measure: {refused[0]}")
    return _with(replace(result, findings=()), refusal)


def failed(name: str, error: Exception) -> GateResult:
    """The verdict of a gate that could not be measured."""
    first = str(error).partition("\n")[0]
    text = first if isinstance(error, RankGateFailure) else f"{type(error).__name__}: {first}"
    finding = Finding("failed", State.FAIL, line(text, 1000))
    return GateResult(name, State.FAIL, passed=False, findings=(finding,))


# Updating ----------------------------------------------------------------------------------------


def _update(
    result: GateResult,
    measured: Measured,
    arguments: Arguments,
    fit: Fit | None,
    file: BaselineFile,
    read: bytes,
    wholes: Mapping[str, tuple[float, float]],
    lowered: str,
) -> GateResult:
    """Write the baseline unless something forbids it; the verdict is then on the new one."""
    new = measured.evaluation
    moves = {
        row.name: row.ends for row in result.measures.values() if abs(row.change or 0.0) > LEAST
    }
    content = record(new, result.name, measured.slices)
    settled = judge(measured, arguments, *recorded(new, content, measured.slices))
    settled, accepts = replace(settled, file=file), file.writes == "accept"
    why = "" if fit is None or accepts else _why_not(result, fit, moves)
    why = why or ("" if accepts else lowered)
    if settled.state in BROKEN:
        text = "baseline not written because the gate fails; fix that first"
        return _with(settled if not why else result, Finding("not_written", None, text))
    if why:
        text = f"not recorded: {why}; to record it: {file.accept}"
        return _with(result, Finding("not_recorded", None, text))
    if as_text(content).encode() == read:
        return settled
    if (file.path.read_bytes() if file.path.is_file() else b"") != read:
        text = "not recorded: another run wrote the baseline after this one read it; run again"
        return _with(result, Finding("not_recorded", State.FAIL, text))
    write(file.path, content, safe_text(file.shown, limit=300))
    is_lower = any(row.label is None for row in result.lower) or (
        fit is not None and fit.has_more and accepts
    )
    kind = "new" if fit is None else "lowered" if is_lower else "raised" if moves else "refreshed"
    state = {"new": State.NEW, "raised": State.IMPROVED}.get(kind, settled.state)
    settled = replace(settled, written=kind, state=state, recorded_changes=moves)
    remarks = _what_it_will_see(measured, arguments)
    moved = {name: ends for name, ends in wholes.items() if abs(ends[1] - ends[0]) > LEAST}
    if moved and kind == "refreshed":
        text = f"over all queries {_arrows(moved)}"
        remarks = (Finding("refreshed", None, text), *remarks)
    return _with(settled, *remarks)


def _wholes(baseline: Baseline, new: BaseEvaluation) -> dict[str, tuple[float, float]]:
    """Values over all queries, recorded and now; NaN for what cannot be measured now."""
    ends = {}
    for name, old in baseline.measures.items():
        value = math.nan
        if name in new:
            value = float(new[name])
        else:
            with suppress(ValueError, TypeError):  # measured elsewhere
                scored = score_measures([read_measure(name)], new.ranking_data, math.nan)
                value = scored[0].average.value
        ends[name] = old.value, value
    return ends


def _lowered(
    baseline: Baseline,
    wholes: Mapping[str, tuple[float, float]],
    measured: Measured,
    arguments: Arguments,
) -> str:
    """Values that a refresh would lower too far, over all queries or in slices that are gone."""
    new, limits, lower = measured.evaluation, arguments.limits, {}
    for name, (was, now) in wholes.items():
        if math.isnan(now):
            lower[f"over all queries {name}"] = was, now
        elif name not in new or name in limits.max_drop:
            used = new.scored[name].measure if name in new else read_measure(name)
            fall = was - now if used.metric.greater_is_better else now - was
            if fall > drop_of(limits.max_drop.get(name, DEFAULT_DROP), was) + SLACK:
                lower[f"over all queries {name}"] = was, now
    for label, part in _slices_that_leave(baseline, measured).items():
        for name in limits.max_drop:
            was, now = baseline.slices[label].get(name, math.nan), float(part[name])
            fall = was - now if new.scored[name].measure.metric.greater_is_better else now - was
            if limits.max_slice_drop is not None and fall > limits.max_slice_drop + SLACK:
                lower[f"slice {label} {name}"] = was, now
    return _arrows(lower)


def _slices_that_leave(baseline: Baseline, measured: Measured) -> dict[str, BaseEvaluation]:
    """The queries of recorded slices that are gone, as evaluated now."""
    gone, new = baseline.slices.keys() - measured.slices.keys(), measured.evaluation
    recorded_labels = {row.id: gone.intersection(row.slices or ()) for row in baseline.queries}
    keys = keys_of(new.query_ids, "queries")
    labels = {
        query: sorted(recorded_labels.get(key, ()))
        for query, key in zip(new.query_ids, keys, strict=True)
    }
    if not any(labels.values()):
        return {}
    return {label: part for label, (_, part) in slices_of(new, labels).items()}


def _arrows(moves: Mapping[str, tuple[float, float]]) -> str:
    return ", ".join(f"{name} {was:.4f} -> {now:.4f}" for name, (was, now) in moves.items())


def _why_not(result: GateResult, fit: Fit, moves: Mapping[str, tuple[float, float]]) -> str:
    """Why an update leaves a baseline alone; empty if it records."""
    if result.lower:
        return ", ".join(
            f"{row.name} {row.ends[0]:.4f} -> {row.ends[1]:.4f}"
            if row.label is None
            else f"slice {row.label} {row.name} {row.change:+.4f}"
            for row in result.lower
        )
    if any(finding.state is State.FAIL for finding in result.findings):
        return "the gate fails"
    rows = result.measures.values()
    redefined = any(rule == "redefined" for rule, _ in fit.others)
    if redefined or not fit.compares or all(row.drop is None for row in rows):
        return "the values cannot be compared and may be lower"
    if fit.data or fit.others:
        return ""
    if result.lucky:
        tested = [row for row in result.lucky if row.compared and not row.is_contract]
        rule = f"significant at {GAIN_ALPHA:g}" if tested else "beyond max_drop"
        what = _arrows({row.name: row.ends for row in tested or result.lucky})
        return f"the gain is not {rule} ({what})"
    if moves and not any(row.is_gain for row in rows):
        return f"no measure with a limit gained enough ({_arrows(moves)})"
    return ""


def _what_it_will_see(measured: Measured, arguments: Arguments) -> tuple[Finding, ...]:
    """What the next run will detect in each measure, to help choose limits."""
    new, limits = measured.evaluation, arguments.limits
    records = dict(zip(new, new.measures, strict=True))
    tested = [name for name in limits.max_drop if name in new.per_query]
    found, contracts, untested, alike = list[str](), list[str](), list[str](), list[str]()
    for name, allowed in limits.max_drop.items():
        used, drop = records[name], drop_of(allowed, float(new[name]))
        hard = max(drop, limits.hard_drop[name])
        fall = fall_of(used.metric.greater_is_better)
        every = f"every {fall} of {used.title} beyond {drop:g}"
        if name not in tested:
            untested.append(every)
        elif hard <= drop + SLACK:
            contracts.append(every)
        else:
            values = new.per_query[name]
            defined = ~np.isnan(values)
            values = values[defined]
            if new.clusters is not None:  # the unit is then a cluster
                values, _ = cluster_means(values, None, cluster_codes(new.clusters)[defined])
            n, error = len(values), 0.0
            if n >= FEWEST:
                error = OF_VALUES * float(values.std(ddof=1)) / math.sqrt(n)
            if not 0 < error < math.inf:  # few values may be alike by chance
                alike.append(used.title)
                continue
            alpha = arguments.settings.alpha / len(tested)
            seen = least_found(error, n - 1.0, alpha, POWER, least=drop, most=hard)
            found.append(f"{used.title} {fall}s of {seen:.3f}")
    findings = []
    if found:
        unknown = f"; its power for {listed(alike)} is not known yet" if alike else ""
        text = (
            f"{power_sentence(len(new.query_ids), found)}, if queries change as usual{unknown}. If "
            "these queries are a contract rather than a sample, pass hard_drop equal to max_drop"
        )
        findings.append(Finding("sample", None, text))
    for kind, reason in ((contracts, "a contract"), (untested, "without a test")):
        if kind:
            findings.append(Finding("contract", None, f"{reason}: {listed(kind)} is red"))
    return tuple(findings)
