"""The running test: gates take their settings from it and leave their records there.

A stack instead of a context variable: pytest runs one test at a time, event loops keep the context
in which they were made (of another test, then), and threads of a test have none of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from pytest_rankmetrics._support.naming import name_of
from pytest_rankmetrics._support.records import is_red
from pytest_rankmetrics.policy.settings import Settings

if TYPE_CHECKING:
    import pytest


class Running:
    """One try of one test; what runs outside of any test has no node id."""

    def __init__(self, run: Run, item: pytest.Item | None = None, *, recorded: bool = True) -> None:
        self.run = run
        self.item = item
        self.recorded = recorded
        """Whether somebody reads the records: in a pytest run, not in a plain script."""
        self.records: list[dict[str, Any]] = []
        """Gates that ran and were not reported yet."""
        self.taken: list[dict[str, Any]] = []
        """Reported gates of this try."""
        self.raised: list[tuple[BaseException, dict[str, Any], bool]] = []
        """Errors of failed gates, their record, and whether the test was marked xfail by then."""
        self.names: list[tuple[str, str]] = []
        """Names and baselines of all gates of this try of the test."""
        self.ran = False
        """Whether any gate was called in this try of the test."""

    @property
    def own(self) -> str:
        """Node id of the test, the same in every run; "" outside of any test."""
        return "" if self.item is None else own_id(self.item)

    @property
    def test(self) -> str:
        """Name of the test within its module, its classes included."""
        return name_of(self.own)

    @property
    def settings(self) -> Settings:
        """Settings of the run."""
        return self.run.settings

    def record(self, record: dict[str, Any], error: BaseException | None) -> None:
        """Keep what a gate found, until the report of the test takes it."""
        own = {**record, "fixture": _wide_fixture()}
        self.records.append(own)
        if error is None:
            return
        # A mark that comes after the failure hides it.
        item = self.item
        marked = item is not None and item.get_closest_marker("xfail") is not None
        for owner in (getattr(item, "obj", None), getattr(item, "cls", None)):
            marked = marked or bool(getattr(owner, "__unittest_expecting_failure__", False))
        self.raised.append((error, own, marked))

    @property
    def all_expected(self) -> bool:
        """Whether the test was marked xfail before any of its gates failed."""
        return all(marked for _, _, marked in self.raised)

    def expected(self, error: BaseException) -> bool:
        """Drop the record of a failure that was expected; whether there was one."""
        for number, (raised, record, _) in enumerate(self.raised):
            if raised is error:
                del self.raised[number]
                self.records = [other for other in self.records if other is not record]
                return True
        return False

    def take_records(self) -> list[dict[str, Any]]:
        """The records since the last time."""
        records, self.records, self.raised = self.records, [], []
        self.taken += records
        return records


def _wide_fixture() -> str:
    """Node id of the fixture that calls the gate, if several tests share it; "" otherwise."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        # No API of pytest names the fixture in setup.
        if frame.f_code.co_name == "pytest_fixture_setup" and "fixturedef" in frame.f_locals:
            fixture = frame.f_locals["fixturedef"]
            return "" if fixture.scope == "function" else f"{fixture.baseid}::{fixture.argname}"
        frame = frame.f_back
    return ""


class Run:
    """A pytest run in this process, and the test that is running in it.

    It begins before the first conftest module is imported, with the settings that gates have
    outside of a run; when the options are read it gets those of the project.
    """

    def __init__(self) -> None:
        self.settings = Settings()
        self.explains = False
        """Whether a report needs the whole message of passing gates."""
        self.by_query = False
        """Whether a report shows the queries of every gate."""
        self.on_first_gate: Callable[[], None] | None = None
        self.owners: dict[tuple[str, str], str] = {}
        """The test that took each name and each baseline of the session."""
        self._item: pytest.Item | None = None
        self._running: Running | None = None
        # A run within a test of another run inherits the variable until its own first test.
        self._outer = os.environ.get("PYTEST_CURRENT_TEST")
        self._lost: list[dict[str, Any]] = []

    def start(self, item: pytest.Item | None) -> None:
        """A test starts, or its next try does; None after the last one."""
        if self._running is not None:
            self._lost += filter(is_red, self._running.take_records())
        self._item, self._running = item, None

    def of(self, item: pytest.Item) -> Running | None:
        """The running test if it is this one and has called a gate."""
        return self._running if self._item is item else None

    def running(self) -> Running:
        """The running test; a session within this one may run other tests without the plugin."""
        current = os.environ.get("PYTEST_CURRENT_TEST")
        if self._item is None:
            is_current = current is None or current == self._outer
        else:
            # This is how pytest writes the variable, which is unset between the phases of a test.
            named = self._item.nodeid.replace("\x00", "(null)")
            is_current = current is None or current.rpartition(" (")[0] == named
        if not is_current:
            return Running(Run(), recorded=False)
        if self._running is None:
            self._running = Running(self, self._item)
            if self.on_first_gate is not None:
                self.on_first_gate()
                self.on_first_gate = None
        return self._running

    def lost(self) -> list[dict[str, Any]]:
        """Records of failed gates without a report of a test, each returned once."""
        self.start(None)
        records, self._lost = self._lost, []
        return records


def own_id(item: pytest.Item) -> str:
    """Node id without the group that ``--dist loadgroup`` appends in a worker."""
    own = item.name if item.parent is None else f"{item.parent.nodeid}::{item.name}"
    return own if item.nodeid.startswith(f"{own}@") else item.nodeid


RUNS: list[Run] = []
"""Runs in progress; a test may run pytest, too."""


def running() -> Running:
    """The test that is running; outside of pytest one without name whose records nobody reads."""
    return RUNS[-1].running() if RUNS else Running(Run(), recorded=False)
