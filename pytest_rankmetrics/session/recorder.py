"""Records of gates on their way into the report of a test.

Joins a run when its first gate does: tests of a suite without gates never pass through here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest

from pytest_rankmetrics._support.records import ATTRIBUTE, is_red, plain
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.report.summary import Summary
from pytest_rankmetrics.session.collection import EXPECTS_GATE, HELPER, Collection
from pytest_rankmetrics.session.current import Run

PREFIX = "rank."
HINT = (
    "A test that wants to see a gate fail says so, with expected_failure() of pytest_rankmetrics: "
    "pytest.raises, except clauses and the like hide a failure."
)


class Recorder:
    """Moves the records of gates from the test to its report, which travels to the controller."""

    def __init__(self, run: Run, collection: Collection, *, junit: bool) -> None:
        self._run = run
        self._collection = collection
        self._junit = junit
        self._called: pytest.Item | None = None
        """The test whose call has ended, rather than one of its subtests."""
        self._passed: pytest.Item | None = None
        """The test whose call has passed."""

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
        """Put the records of this phase on its report; a hidden failure turns it red."""
        report = yield
        self._attach(report, item, call)
        running = self._run.of(item)
        has_run = running is not None and running.ran
        reason = item.stash.get(EXPECTS_GATE, "")
        # Where this object joined in the middle of a call, the test is judged at its teardown.
        is_over = self._called is item if call.when == "call" else self._passed is item
        if reason and not has_run and report.outcome == "passed" and is_over:
            _turn_red(report, f"{reason}, and no gate has run in it")
        if call.when == "call":
            self._passed = item if report.outcome == "passed" else None
        helper = item.stash.get(HELPER, "") if call.when == "teardown" else ""
        if helper:
            idle = not has_run and self._passed is item and report.outcome == "passed"
            self._collection.note_helper(helper, item.nodeid if idle else "")
        return report

    def _attach(
        self, report: pytest.TestReport, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> None:
        """Move the records of a phase to its report, red if a failed gate was not expected."""
        running = self._run.of(item)
        if running is None or not running.records:
            return
        expected = running.all_expected and hasattr(report, "wasxfail")
        records = running.take_records()
        failed = list(filter(is_red, records))
        if failed and report.outcome != "failed" and not (expected and report.outcome == "skipped"):
            _turn_red(report, swallowed(failed[0]))
        setattr(report, ATTRIBUTE, plain(records))
        crash = getattr(report.longrepr, "reprcrash", None)
        error = None if call.excinfo is None else call.excinfo.value
        if crash is not None and isinstance(error, RankGateFailure):
            # One line in the short summary and in the JUnit attribute.
            crash.message = error.headline
        if self._junit:
            from pytest_rankmetrics.report.files import properties

            own = properties(running.taken)
            item.user_properties[:] = [*without_ours(item.user_properties), *own.items()]
            report.user_properties = list(item.user_properties)


def swallowed(record: dict[str, Any]) -> str:
    """Message of a swallowed failure."""
    from pytest_rankmetrics._support import formatting

    name = formatting.shown(record["name"], limit=60)
    return f"gate {name} failed, and its failure was swallowed: {record['headline']}\n\n{HINT}"


def _turn_red(report: pytest.TestReport, text: str) -> None:
    report.outcome = "failed"
    report.longrepr = text
    if hasattr(report, "wasxfail"):
        del report.wasxfail


def without_ours(pairs: list[tuple[str, object]]) -> list[tuple[str, object]]:
    """Properties that are not of gates."""
    return [pair for pair in pairs if not str(pair[0]).startswith(PREFIX)]


class HtmlReport:
    """Puts the gates into the report of pytest-html: a table, and their messages at their tests."""

    def __init__(self, summary: Callable[[], Summary]) -> None:
        self._summary = summary

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Put the messages of gates beside their test, those that passed too."""
        for record in getattr(report, ATTRIBUTE, ()):
            from pytest_html import extras

            from sklearn_rank.tables.formats import escape_html

            lines = "\n".join(map(escape_html, record["message"].split("\n")))
            report.extras = [*getattr(report, "extras", ()), extras.html(f"<pre>{lines}</pre>")]

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Put the table in front of the results, if any gate ran or should have."""
        summary = self._summary()
        if summary:
            from pytest_rankmetrics.report.files import html_table

            prefix.append(html_table(summary))
