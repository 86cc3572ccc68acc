"""The module that pytest loads: options, fixtures and hooks.

Every pytest run of an environment in which this distribution is installed imports this module, so
it imports pytest and the standard library only; what measures is imported when a gate runs.
"""

from __future__ import annotations

from collections.abc import Generator
from inspect import signature
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rankmetrics.session import current
from pytest_rankmetrics.session.options import OPTIONS, Options, add_options, read_options
from pytest_rankmetrics.session.session import Session
from pytest_rankmetrics.session.test_report import attach

if TYPE_CHECKING:
    from pytest_rankmetrics.gates.gate import RankGate
    from pytest_rankmetrics.gates.regression import RankRegressionFixture

FIXTURES = {"rank_gate", "rank_regression"}
MARKER = "rank_gate(name=None): a ranking quality gate; added to users of the fixtures"

_given: pytest.StashKey[dict[str, str]] = pytest.StashKey()
_promised: pytest.StashKey[str] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options ``--rank-*`` and the keys ``rank_*`` of the ini file."""
    add_options(parser)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Read and check all options, before anything runs."""
    config.addinivalue_line("markers", MARKER)
    options = config.stash[OPTIONS] = read_options(config)
    config.stash[_given] = {}
    if not hasattr(config, "workerinput"):
        session = Session(config, options)
        config.pluginmanager.register(session, "rankmetrics-session")
        if config.pluginmanager.hasplugin("html") and config.getoption("htmlpath", None):
            from pytest_rankmetrics.report.html import HtmlReport

            config.pluginmanager.register(HtmlReport(session.summary), "rankmetrics-html")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use a fixture, so that ``-m rank_gate`` selects them."""
    for item in items:
        item.stash[_promised] = _promise(item)
        if FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("rank_gate")


def _promise(item: pytest.Item) -> str:
    """What of a test means that a gate runs in it; a fixture only if the test itself takes it."""
    if item.get_closest_marker("rank_gate") is not None:
        return "the test is marked rank_gate"
    if isinstance(item, pytest.Function) and FIXTURES.intersection(item.fixturenames):
        taken = FIXTURES.intersection(signature(item.function).parameters)
        return f"the test takes the fixture {min(taken)}" if taken else ""
    return ""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Let gates know which test they run in."""
    options: Options = item.config.stash[OPTIONS]
    given = item.config.stash[_given]
    running = current.Running(
        item.nodeid, _own_id(item), options.settings, given=given, explains=options.explains
    )
    current.push(running)
    try:
        return (yield)
    finally:
        current.pop()


def _own_id(item: pytest.Item) -> str:
    """Node id without the group that ``--dist loadgroup`` appends in a worker."""
    own = item.name if item.parent is None else f"{item.parent.nodeid}::{item.name}"
    return own if item.nodeid.startswith(f"{own}@") else item.nodeid


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup() -> Generator[None, Any, Any]:
    """A second try of a test may use its names again."""
    running = current.running()
    running.names.clear()
    running.ran = False
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Move what gates recorded from the test to its report, which travels to the controller."""
    report = yield
    options: Options = item.config.stash[OPTIONS]
    attach(report, item, call, options, promised=item.stash.get(_promised, ""))
    return report


@pytest.fixture
def rank_gate(request: pytest.FixtureRequest) -> RankGate:
    """Gate of ranking quality: thresholds, allowed drops against a baseline, slices.

    ``rank_gate.check(y_true, y_score, at_least={"map": 0.3}, max_drop={"ndcg@10": 0.005})``
    """
    from pytest_rankmetrics.gates.gate import RankGate

    return RankGate(request)


@pytest.fixture
def rank_regression(request: pytest.FixtureRequest) -> RankRegressionFixture:
    """Member of the pytest-regressions family for rankings: only a drop fails.

    ``rank_regression.check(y_true, y_score, metrics=("map", "ndcg@10"), max_drop=0.005)``
    """
    from pytest_rankmetrics.gates.regression import make_fixture

    return make_fixture(request)
