"""One gate from its call to its end: its outcome is recorded, warned of, and raised."""

from __future__ import annotations

import linecache
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pytest_rankmetrics._support.builtins import plain
from pytest_rankmetrics.assessment.result import GateResult
from pytest_rankmetrics.failures import RankGateFailure, RankGateWarning
from pytest_rankmetrics.policy.verdicts import UNREMARKABLE, Verdict
from pytest_rankmetrics.report.summary import BY_QUERY
from pytest_rankmetrics.session import current
from sklearn_rank.support.text import safe_repr, safe_text

# Ids and functions of the caller may be of any length; reports, and what pytest-xdist sends, not.
MOST_TEXT = 20_000
MOST_HEADLINE = 1000


def hide(excinfo: Any) -> bool:
    """Frames of the plugin are left out of the traceback of a failed gate, not of an error."""
    error = excinfo.value
    return isinstance(error, (RankGateFailure, RankGateWarning)) or _is_refusal(error)


def _is_refusal(error: BaseException) -> bool:
    """Whether a ``raise`` of ours ended the gate: the message says what to do, the source not."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None or not _is_ours(frame.tb_frame.f_globals.get("__name__", "")):
        return False
    line = linecache.getline(frame.tb_frame.f_code.co_filename, frame.tb_lineno)
    return line.lstrip().startswith("raise")


def _without_source(error: BaseException) -> BaseException:
    """A refusal without the frames that led to it; of what caused it the caller's stay."""
    cause = error.__cause__ or error.__context__
    while cause is not None:
        frame = cause.__traceback__
        while frame is not None and _is_ours(frame.tb_frame.f_globals.get("__name__", "")):
            frame = frame.tb_next
        cause.__traceback__ = frame
        cause = cause.__cause__ or cause.__context__
    return error.with_traceback(None)


def run_gate(name: str | None, subject: str, work: Callable[[str], GateResult]) -> GateResult:
    """Do the work of a gate, and record the outcome so that no caller can lose it.

    ``subject`` names a gate that has no name and runs outside of pytest.
    """
    __tracebackhide__ = hide
    running = current.running()
    running.ran = True
    try:
        own = _name(name, subject, running)
        result = work(own)
    except Exception as error:
        _record_error(running, name or running.test or subject, error)
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
    """Name of a gate; RankGateFailure if another test of the session has taken it."""
    if name is None:
        return running.test or subject
    if not isinstance(name, str) or not name.strip():
        msg = f"name of a gate must be a str that is not empty, got {safe_repr(name)}"
        raise TypeError(msg)
    owner = running.given.setdefault(name, running.own)
    if owner != running.own:
        both = f"{safe_text(owner, limit=300)} and {safe_text(running.own, limit=300)}"
        msg = f"two tests use the name {safe_repr(name)}: {both}"
        raise RankGateFailure(msg)
    if name in running.names:
        test = safe_text(running.own, limit=300)
        msg = f"the name {safe_repr(name)} is used twice in {test}"
        raise RankGateFailure(msg)
    if running.nodeid:
        running.names.append(name)
    return name


def _record(running: current.Running, result: GateResult, error: Exception | None = None) -> None:
    if running.recorded:
        explained = running.explains or result.verdict not in UNREMARKABLE
        record = result.as_dict(intervals=not result.passed, explained=explained)
        record["message"] = record["message"][:MOST_TEXT]
        record["name"] = record["name"][:MOST_HEADLINE]
        if running.by_query:
            record[BY_QUERY] = result.by_query()
        running.record(record, error)


def _record_error(running: current.Running, name: str, error: Exception) -> None:
    if not running.recorded:
        return
    text = _headline(error)
    failed = GateResult(str(name), Verdict.FAIL, text, metrics={}, nodeid=running.own)
    running.record(plain(failed.as_dict()), error)


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
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    module = frame.f_globals.get("__name__")
    file = frame.f_code.co_filename
    warnings.warn_explicit(text, RankGateWarning, file, frame.f_lineno, module)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in ("pytest_rankmetrics", "sklearn_rank")
