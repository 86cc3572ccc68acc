"""Records of gates on their way into the report of a test."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.report.summary import ATTRIBUTE, FAILED
from pytest_rankmetrics.session import current
from pytest_rankmetrics.session.options import Options

PREFIX = "rank."
HINT = "A test that wants to see a gate fail says: with pytest.raises(RankGateFailure): ..."


def attach(
    report: pytest.TestReport,
    item: pytest.Item,
    call: pytest.CallInfo[None],
    options: Options,
    *,
    promised: str,
) -> None:
    """Put the records of this phase on its report, and turn it red if it hides a failure.

    ``promised`` says what of the test means that a gate runs in it; "" if nothing does.
    """
    running = current.running()
    if running.nodeid != item.nodeid:
        return
    records, running.records = running.records, []
    failed = [record for record in records if record["verdict"] in FAILED]
    expected_to_fail = hasattr(report, "wasxfail") and report.outcome == "skipped"
    if failed and report.outcome != "failed" and not expected_to_fail:
        from pytest_rankmetrics._support import words

        _turn_red(
            report,
            f"gate {words.shown(failed[0]['name'])} failed, and the test swallowed its failure: "
            f"{failed[0]['headline']}\n\n{HINT}",
        )
    if promised and call.when == "call" and report.outcome == "passed" and not running.ran:
        _turn_red(report, f"{promised}, and no gate has run in it")
    if not records:
        return
    from pytest_rankmetrics._support.builtins import plain

    setattr(report, ATTRIBUTE, plain(records))
    _shorten(report, call)
    if options.junit:
        _add_properties(report, item, records)


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
