"""Collected tests of this process, its gates, and deselected ones."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from inspect import signature
from types import FrameType
from typing import Any

import pytest

from pytest_rankmetrics._support.naming import name_of
from pytest_rankmetrics.session import current
from pytest_rankmetrics.session.current import Run, own_id

FIXTURES = frozenset({"rank_gate", "rank_regression"})
MARKER = "rank_gate"
WORKER = "rankmetrics"
"""Key under which a worker of pytest-xdist sends what it knows."""

EXPECTS_GATE: pytest.StashKey[str] = pytest.StashKey()
"""Why a gate is expected to run in a test."""
HELPER: pytest.StashKey[str] = pytest.StashKey()
"""Node id of the fixture, of a conftest module say, that took the gate for a test."""


def is_named(own: str, wanted: str) -> bool:
    """Whether a node id or name, with or without parameters, means this test."""
    return any(name == wanted or name.startswith(f"{wanted}[") for name in (own, name_of(own)))


class Collection:
    """Marks gates, and notices tests that are taken away.

    With pytest-xdist the workers collect, and send what they know to the controller.
    """

    def __init__(self, run: Run, required: tuple[str, ...], on_gate: Callable[[], None]) -> None:
        self._run = run
        self._required = required
        self._on_gate = on_gate
        self._all: list[pytest.Item] = []
        self.part = False
        """Whether anything that was collected will not run."""
        self.modules: set[str] = set()
        """Node ids of the test modules."""
        self.required: list[str] = []
        """Node ids of the tests that ``rank_required`` names, those that were deselected too."""
        self.ids: set[str] = set()
        """Node ids of the tests that will run."""
        self.left_out: set[str] = set()
        """Fixtures of the tests that will not run."""
        self.helpers: dict[str, str] = {}
        """Fixtures that take a gate, with a test that did nothing with it; "" if any checked."""

    def update(self, known: dict[str, Any]) -> None:
        """Add what a worker knows; all of them collect the same."""
        self.part = self.part or known["part"]
        self.modules.update(known["modules"])
        self.left_out.update(known["left_out"])
        self.required = list(dict.fromkeys([*self.required, *known["required"]]))
        for helper, test in known["helpers"].items():
            self.note_helper(helper, test)

    def note_helper(self, helper: str, test: str) -> None:
        """A test has used a fixture that takes a gate; "" for one that has checked, or failed."""
        self.helpers[helper] = test and self.helpers.get(helper, test)

    # Hooks ---------------------------------------------------------------------------------------

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Remember test modules; those that are read for doctests hold no gates with baselines."""
        if isinstance(collector, pytest.Module) and type(collector).__name__ != "DoctestModule":
            self.modules.add(collector.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be collected may own baselines."""
        self.part = self.part or report.outcome != "passed"

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, Any, Any]:
        """See the tests before and after other plugins, which may reorder and drop them."""
        self._all = list(items)
        for item in items:
            if _taken(item):
                item.add_marker(MARKER)  # so that "-m rank_gate" selects it
            if self._required and any(is_named(own_id(item), own) for own in self._required):
                self.required.append(own_id(item))
        result = yield
        any_gate = False
        marked: dict[Any, bool] = {}
        for item in items:
            taken = _taken(item)
            any_gate = any_gate or bool(taken)
            # This module has marked the users of the fixtures itself.
            if sum(1 for _ in item.iter_markers(MARKER)) > 1 if taken else _is_marked(item, marked):
                item.stash[EXPECTS_GATE] = "the test is marked rank_gate"
                any_gate = True
            elif taken and isinstance(item, pytest.Function):
                own = taken.intersection(signature(item.function).parameters)
                if own:  # a fixture counts if the test itself takes it
                    item.stash[EXPECTS_GATE] = f"the test takes the fixture {min(own)}"
        if any_gate:
            self._on_gate()
        return result

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Plugins that drop tests rarely say so: pytest-shard does not."""
        for item in set(self._all).difference(session.items):
            self.part = True
            self.left_out.update(getattr(item, "fixturenames", ()))
        self.ids = {item.nodeid for item in session.items}
        self._all = []

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A worker sends at the last moment; one that dies sends nothing."""
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[WORKER] = {
                "part": self.part,
                "modules": sorted(self.modules),
                "required": self.required,
                "left_out": sorted(self.left_out),
                "helpers": self.helpers,
                "lost": self._run.lost(),
            }


def _taken(item: pytest.Item) -> frozenset[str]:
    return FIXTURES.intersection(getattr(item, "fixturenames", ()))


def _is_marked(node: pytest.Item | pytest.Collector, known: dict[Any, bool]) -> bool:
    """``get_closest_marker`` for many tests: asks each class and module once."""
    if any(mark.name == MARKER for mark in node.own_markers):
        return True
    parent = node.parent
    if parent is None:
        return False
    if parent not in known:
        known[parent] = _is_marked(parent, known)
    return known[parent]


def expects_gate(request: pytest.FixtureRequest) -> None:
    """Note the user of a fixture: the running test, or a fixture that hands it on."""
    current.running()  # starts recording if no gate was in sight
    helper = _asking_fixture()
    if helper:
        request.node.stash[HELPER] = helper
    else:
        request.node.stash[EXPECTS_GATE] = f"the test takes the fixture {request.fixturename}"


def _asking_fixture() -> str:
    """Node id of the fixture that requests one of ours; "" for the test itself."""
    if os.environ.get("PYTEST_CURRENT_TEST", "").endswith(" (call)"):
        return ""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        # No API of pytest names the requesting fixture.
        owner = frame.f_locals.get("self") if frame.f_code.co_name == "execute" else None
        if isinstance(owner, pytest.FixtureDef) and owner.argname not in FIXTURES:
            return f"{owner.baseid}::{owner.argname}"
        frame = frame.f_back
    return ""
