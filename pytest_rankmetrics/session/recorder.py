"""Records of gates on their way into the report of a test.

Joins a run when its first gate does: tests of a suite without gates never pass through here.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.report.summary import ATTRIBUTE, is_red
from pytest_rankmetrics.session.collection import PROMISE
from pytest_rankmetrics.session.current import Run

PREFIX = "rank."
HINT = (
    "A test that wants to see a gate fail says so, with expected_failure() of pytest_rankmetrics: "
    "pytest.raises, except clauses and the like hide a failure."
)


class Recorder:
    """Moves the records of gates from the test to its report, which travels to the controller."""

    def __init__(self, run: Run, *, junit: bool) -> None:
        self._run = run
        self._junit = junit
        self._called: pytest.Item | None = None
        self._passed: pytest.Item | None = None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A gate that failed while a module was imported is in the report of that module."""
        if report.outcome == "failed":
            self._run.running().take_records()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note the end of the call, before which reports of subtests are made."""
        self._called = None
        try:
            return (yield)
        finally:
            self._called = item

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the records of this phase on its report, and turn it red if it hides a failure."""
        report = yield
        running = self._run.of(item)
        if running is not None:
            records = running.take_records()
            if records:
                _judge(report, records, by_call=_is_xfail_call(item, call))
                self._attach(report, item, call, records)
        promise = item.stash.get(PROMISE, "")
        broken = promise and (running is None or not running.ran)
        if broken and report.outcome == "passed" and self._is_over(item, call.when):
            _turn_red(report, f"{promise}, and no gate has run in it")
        if call.when == "call":
            self._passed = item if report.outcome == "passed" else None
        return report

    def _is_over(self, item: pytest.Item, when: str) -> bool:
        """Whether the test has had its chance; a promise made while it ran is judged later.

        The first such promise lets this object join in the middle of a call, whose end it does not
        see then.
        """
        if when == "call":
            return self._called is item
        return when == "teardown" and self._passed is item

    def _attach(
        self,
        report: pytest.TestReport,
        item: pytest.Item,
        call: pytest.CallInfo[None],
        records: list[dict[str, Any]],
    ) -> None:
        from pytest_rankmetrics._support.builtins import plain

        setattr(report, ATTRIBUTE, plain(records))
        _shorten(report, call)
        if self._junit:
            _add_properties(report, item, records)


def _judge(report: pytest.TestReport, records: list[dict[str, Any]], *, by_call: bool) -> None:
    """Turn a report red if a gate failed and its test does not say so."""
    failed = list(filter(is_red, records))
    expected_to_fail = hasattr(report, "wasxfail") and report.outcome == "skipped" and not by_call
    if failed and report.outcome != "failed" and not expected_to_fail:
        _turn_red(report, swallowed(failed[0]))


def _is_xfail_call(item: pytest.Item, call: pytest.CallInfo[None]) -> bool:
    """Whether ``pytest.xfail()`` ended a test that nobody had marked.

    In an ``except`` clause it hides whatever failed, as ``pytest.skip()`` does; a mark is written
    before anything fails.
    """
    if call.excinfo is None or not isinstance(call.excinfo.value, pytest.xfail.Exception):
        return False
    # pytest reports a failure that unittest expects by the same exception.
    owners = (getattr(item, "obj", None), getattr(item, "cls", None))
    marked = any(getattr(owner, "__unittest_expecting_failure__", False) for owner in owners)
    return not marked and item.get_closest_marker("xfail") is None


def swallowed(record: dict[str, Any]) -> str:
    """What to say of a failure that was swallowed."""
    from pytest_rankmetrics._support import words

    name = words.shown(record["name"], limit=60)
    return f"gate {name} failed, and its failure was swallowed: {record['headline']}\n\n{HINT}"


def _turn_red(report: pytest.TestReport, text: str) -> None:
    report.outcome = "failed"
    report.longrepr = text
    if hasattr(report, "wasxfail"):
        del report.wasxfail


def _shorten(report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    """One line in the short summary and in the JUnit attribute, wherever pytest prints them."""
    crash = getattr(report.longrepr, "reprcrash", None)
    error = None if call.excinfo is None else call.excinfo.value
    if crash is not None and isinstance(error, RankGateFailure):
        crash.message = error.headline


def _add_properties(
    report: pytest.TestReport, item: pytest.Item, records: list[dict[str, Any]]
) -> None:
    """JUnit properties of the gates, those of an earlier try replaced."""
    from pytest_rankmetrics.report.junit import properties

    own: dict[str, object] = dict(properties(records))
    if report.when == "teardown":
        earlier = dict(item.user_properties)
        own = {**{name: earlier[name] for name in earlier if name.startswith(PREFIX)}, **own}
    item.user_properties[:] = [*without_ours(item.user_properties), *own.items()]
    report.user_properties = list(item.user_properties)


def without_ours(pairs: list[tuple[str, object]]) -> list[tuple[str, object]]:
    """Properties that are not of gates."""
    return [pair for pair in pairs if not str(pair[0]).startswith(PREFIX)]
