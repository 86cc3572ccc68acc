"""One gate, wherever its data and baseline come from: measured, assessed, recorded, raised."""

from __future__ import annotations

import linecache
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, cast

from pytest_rankmetrics._support.records import BY_QUERY
from pytest_rankmetrics._support.typing import DataOptions, refuse_unknown
from pytest_rankmetrics.assessment.assess import assess
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.assessment.phrases import worth_texts
from pytest_rankmetrics.assessment.result import Explanation, GateResult
from pytest_rankmetrics.baseline.record import Recording, Store
from pytest_rankmetrics.failures import RankGateFailure, RankGateWarning
from pytest_rankmetrics.measuring.strict import measure_strictly
from pytest_rankmetrics.policy.policy import GateLimits, Policy
from pytest_rankmetrics.policy.verdicts import UNREMARKABLE, Verdict
from pytest_rankmetrics.report.message import headline, message
from pytest_rankmetrics.report.queries import queries_data, worst_queries
from pytest_rankmetrics.session import current
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import safe_repr, safe_text

# Ids and functions of the caller may be of any length; reports, and what pytest-xdist sends, not.
MOST_TEXT = 20_000
MOST_HEADLINE = 1000


class CheckArguments(GateLimits, DataOptions, total=False):
    """Everything that a gate takes besides its data."""

    store: Literal["ranks", "values"]


def split_arguments(
    arguments: Mapping[str, Any], owner: str
) -> tuple[GateLimits, DataOptions, Store]:
    """Limits, how the data is read, and what is stored; TypeError for any other name."""
    refuse_unknown(arguments, CheckArguments)
    store = arguments.get("store", "ranks")
    check_option(store, "store", ("ranks", "values"), owner)
    limits, reading = (
        {name: arguments[name] for name in kind.__annotations__ if name in arguments}
        for kind in (GateLimits, DataOptions)
    )
    return cast("GateLimits", limits), cast("DataOptions", reading), store


def check_gate(
    data: tuple[Any, Any],
    policy: Policy,
    reading: DataOptions,
    name: str,
    compare: Callable[[Recording], GateResult],
) -> GateResult:
    """Measure y_true and y_score, and assess them: by ``compare`` if there are allowed drops."""
    unjudged, keep = policy.settings.unjudged, bool(policy.max_drop)
    measured = measure_strictly(*data, policy.measures, reading, unjudged=unjudged, keep_items=keep)
    return compare(Recording(measured)) if keep else result_of(assess(policy, measured), name)


def result_of(
    assessment: Assessment,
    name: str,
    *,
    footer: Sequence[str] = (),
    baseline: str = "",
    verdict: Verdict | None = None,
) -> GateResult:
    """An assessment as a result; its long message is made when it is read."""
    measured, allowed = assessment.measured, assessment.undecided_is_allowed
    verdict = assessment.verdict if verdict is None else verdict
    undecided = [own.full for own in assessment.findings if own.verdict is Verdict.CANNOT_TELL]
    warned = [own.full for own in assessment.findings if own.verdict is Verdict.WARN]
    # What is allowed is still said; what fails is in the headline.
    notes = [*assessment.notes, *(undecided if allowed else [])]
    notes += [assessment.new_unjudged] if assessment.new_unjudged else []
    warned += [] if allowed or assessment.undecided_fails else undecided

    def explain() -> Explanation:
        worst = worst_queries(assessment)
        text = message(assessment, worst, list(footer))
        if worst is None or verdict in UNREMARKABLE:
            return Explanation(text)
        return Explanation(text, worst.rows, worst.metric)

    worth, too_tight = worth_texts(assessment)
    columns = {own: measured.per_query(own) for own in measured.names}
    return GateResult(
        name=name,
        verdict=verdict,
        headline=headline(assessment),
        metrics=assessment.metric_results,
        slices=tuple(assessment.slice_results),
        queries=len(measured),
        counts=measured.counts,
        query_ids=tuple(measured.query_ids),
        per_query={
            own: tuple(values.tolist()) for own, values in columns.items() if values is not None
        },
        warnings=tuple(warned),
        notes=tuple(notes),
        worth=worth,
        false_alarm=assessment.false_alarm,
        too_tight=too_tight,
        undecided_fails=assessment.undecided_fails,
        baseline=baseline,
        nodeid=current.running().own,
        explain=explain,
        look_up=partial(queries_data, assessment),
    )


# Running it --------------------------------------------------------------------------------------


def run_gate(name: str | None, subject: str, work: Callable[[str], GateResult]) -> GateResult:
    """Run a gate, and record the outcome so that no caller can lose it.

    ``subject`` names a gate that has no name and runs outside of pytest.
    """
    __tracebackhide__ = hide
    running = current.running()
    running.ran = True
    try:
        result = work(_name(name, subject, running))
    except Exception as error:
        own = str(name or running.test or subject)
        failed = GateResult(own, Verdict.FAIL, _headline(error), metrics={}, nodeid=running.own)
        _record(running, failed, error)
        if not _is_refusal(error):
            raise
        raise _without_source(error)  # noqa: B904
    if not result.passed:
        failure = RankGateFailure(result.message, result)
        _record(running, result, failure)
        raise failure
    try:
        for text in result.warnings:
            warn_user(text)
    except Exception as error:
        # "-W error" turns a warning into a failure, which can be swallowed like any other.
        failed = replace(result, verdict=Verdict.FAIL, headline=_headline(error))
        _record(running, failed, error)
        raise
    _record(running, result)
    return result


def _name(name: str | None, subject: str, running: current.Running) -> str:
    """Name of a gate, taken for its test where it is given."""
    if name is None:
        return running.test or subject
    if not isinstance(name, str) or not name.strip():
        msg = f"name of a gate must be a str that is not empty, got {safe_repr(name)}"
        raise TypeError(msg)
    claim(running, "name", name)
    return name


def claim(running: current.Running, kind: str, name: str) -> None:
    """RankGateFailure if another gate of the session has the name or the baseline."""
    owner = running.run.owners.setdefault((kind, name), running.own)
    own, what = safe_text(running.own, limit=300), f"the {kind} {safe_repr(name, limit=300)}"
    if owner != running.own:
        msg = f"two tests use {what}: {safe_text(owner, limit=300)} and {own}"
        raise RankGateFailure(msg)
    if (kind, name) in running.names:
        msg = f"two gates of {own} use {what}; give each a name of its own"
        raise RankGateFailure(msg)
    if running.own:
        running.names.append((kind, name))


def _record(running: current.Running, result: GateResult, error: Exception | None = None) -> None:
    if running.recorded:
        explained = running.run.explains or result.verdict not in UNREMARKABLE
        record = result.as_dict(intervals=not result.passed, explained=explained)
        record["message"] = record["message"][:MOST_TEXT]
        record["name"] = record["name"][:MOST_HEADLINE]
        if running.run.by_query:
            record[BY_QUERY] = result.by_query()
        running.record(record, error)


def _headline(error: Exception) -> str:
    first = str(error).partition("\n")[0]
    of_gate = isinstance(error, (RankGateFailure, RankGateWarning))
    return safe_text(first if of_gate else f"{type(error).__name__}: {first}", limit=MOST_HEADLINE)


def warn_user(text: str) -> None:
    """Give a warning at the first frame outside of the plugin, even if it was given there before.

    Python forgets to make an error of a warning that it has given at the same place.
    """
    __tracebackhide__ = hide
    frame = sys._getframe(0)
    while frame.f_back is not None and _is_ours(frame.f_globals):
        frame = frame.f_back
    file, module = frame.f_code.co_filename, frame.f_globals.get("__name__")
    warnings.warn_explicit(text, RankGateWarning, file, frame.f_lineno, module)


# What a traceback shows --------------------------------------------------------------------------


def hide(excinfo: Any) -> bool:
    """Frames of the plugin are left out of the traceback of a failed gate, not of an error."""
    error = excinfo.value
    return isinstance(error, (RankGateFailure, RankGateWarning)) or _is_refusal(error)


def _is_refusal(error: BaseException) -> bool:
    """Whether a ``raise`` of ours ended the gate: the message says what to do, the source not."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None or not _is_ours(frame.tb_frame.f_globals):
        return False
    line = linecache.getline(frame.tb_frame.f_code.co_filename, frame.tb_lineno)
    return line.lstrip().startswith("raise")


def _without_source(error: BaseException) -> BaseException:
    """A refusal without the frames that led to it; of what caused it the caller's stay."""
    cause = error.__cause__ or error.__context__
    while cause is not None:
        frame = cause.__traceback__
        while frame is not None and _is_ours(frame.tb_frame.f_globals):
            frame = frame.tb_next
        cause.__traceback__ = frame
        cause = cause.__cause__ or cause.__context__
    return error.with_traceback(None)


def _is_ours(namespace: Mapping[str, Any]) -> bool:
    package = namespace.get("__name__", "").partition(".")[0]
    return package in ("pytest_rankmetrics", "sklearn_rank")
