"""What this process collected, which of it is a gate, and whether all of it is left to run."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from inspect import signature
from typing import Any

import pytest

from pytest_rankmetrics.session import current
from pytest_rankmetrics.session.current import own_id
from pytest_rankmetrics.session.required import is_named

FIXTURES = frozenset({"rank_gate", "rank_regression"})
MARKER = "rank_gate"

PROMISE: pytest.StashKey[str] = pytest.StashKey()
"""Why a gate is expected to run in a test."""


class Collection:
    """Marks gates, and notices tests that are taken away.

    With pytest-xdist the workers collect, and send ``as_dict()`` to the controller.
    """

    def __init__(self, required: tuple[str, ...], on_promise: Callable[[], None]) -> None:
        self._required = required
        self._on_promise = on_promise
        self._all: list[pytest.Item] = []
        self.part = False
        """Whether anything that was collected will not run."""
        self.modules: set[str] = set()
        """Node ids of the test modules."""
        self.required: list[str] = []
        """Node ids of the tests that ``rank_required`` names, those that were deselected too."""
        self.ids: set[str] = set()
        """What pytest calls the tests that will run."""

    def as_dict(self) -> dict[str, Any]:
        """Builtin types, for another process."""
        return {
            "part": self.part,
            "modules": sorted(self.modules),
            "required": self.required,
        }

    def update(self, known: dict[str, Any]) -> None:
        """Add what a worker knows; all of them collect the same."""
        self.part = self.part or known["part"]
        self.modules.update(known["modules"])
        self.required = list(dict.fromkeys([*self.required, *known["required"]]))

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
            if not FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
                item.add_marker(MARKER)  # so that "-m rank_gate" selects it
        self.required = list(_named(items, self._required))
        result = yield
        if _promised(items):
            self._on_promise()
        return result

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Plugins that drop tests rarely say so: pytest-shard does not."""
        self.part = self.part or not set(session.items).issuperset(self._all)
        self.ids = {item.nodeid for item in session.items}
        self._all = []


def _named(items: Iterable[pytest.Item], required: tuple[str, ...]) -> Iterable[str]:
    if not required:
        return
    for item in items:
        own = own_id(item)
        if any(is_named(own, wanted) for wanted in required):
            yield own


def _promised(items: Iterable[pytest.Item]) -> bool:
    """Note what promises a gate; whether anything does."""
    marked: dict[pytest.Item | pytest.Collector, bool] = {}
    promises = [(item, _promise(item, marked)) for item in items]
    for item, promise in promises:
        if promise:
            item.stash[PROMISE] = promise
    return any(promise for _, promise in promises)


def _promise(item: pytest.Item, marked: dict[pytest.Item | pytest.Collector, bool]) -> str:
    """Why a gate is expected to run in a test; a fixture counts if the test itself takes it."""
    taken = FIXTURES.intersection(getattr(item, "fixturenames", ()))
    # This module has marked the users of the fixtures itself.
    if not taken and _is_marked(item, marked):
        return "the test is marked rank_gate"
    if taken and sum(1 for _ in item.iter_markers(MARKER)) > 1:
        return "the test is marked rank_gate"
    if taken and isinstance(item, pytest.Function):
        taken = taken.intersection(signature(item.function).parameters)
        return f"the test takes the fixture {min(taken)}" if taken else ""
    return ""


def promise(request: pytest.FixtureRequest) -> None:
    """Note that a running test asks for a fixture; in its setup another fixture may do so."""
    if os.environ.get("PYTEST_CURRENT_TEST", "").endswith(" (call)"):
        current.running()  # starts recording if no gate was in sight
        request.node.stash[PROMISE] = f"the test takes the fixture {request.fixturename}"


def _is_marked(
    node: pytest.Item | pytest.Collector, known: dict[pytest.Item | pytest.Collector, bool]
) -> bool:
    """``get_closest_marker`` for many tests: asks each class and module once."""
    if any(mark.name == MARKER for mark in node.own_markers):
        return True
    parent = node.parent
    if parent is None:
        return False
    if parent not in known:
        known[parent] = _is_marked(parent, known)
    return known[parent]
