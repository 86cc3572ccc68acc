"""The module that pytest loads: options, fixtures and hooks.

Every pytest run in an environment with this distribution imports this module, so its imports are
light; modules that measure are imported when a gate runs.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rankmetrics.options import add_options, read_options
from pytest_rankmetrics.session import ATTRIBUTE, RUNS, WORKER, PytestRun, is_named

if TYPE_CHECKING:
    from pytest_rankmetrics.gate import RankGate, RankRegressionFixture

FIXTURES = frozenset({"rank_gate", "rank_regression"})
MARKER = "rank_gate: a ranking quality gate; added to tests that use the fixtures"
MOST_IN_FULL = 3
"""Failures that are shown in full; later ones get a few lines."""
RUN: pytest.StashKey[PytestRun] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options ``--rank-*`` and the keys ``rank_*`` of the ini file."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read and check all options, before anything runs."""
    config.addinivalue_line("markers", MARKER)
    options = read_options(config)
    run = config.stash[RUN] = PytestRun(config, options)
    RUNS.append(run)
    config.add_cleanup(lambda: RUNS.remove(run))


# Collection --------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """A module that cannot be collected may have baselines; its gates are reported with it."""
    report = yield
    run = collector.config.stash[RUN]
    if report.outcome == "skipped" and report.nodeid.endswith(".py"):
        run.session.excuse(report.nodeid)
    else:
        run.session.partial |= report.outcome != "passed"
    if report.outcome == "failed":
        run.take()
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, Any, Any]:
    """Mark gates, and notice tests that other plugins deselect silently."""
    session, before = config.stash[RUN].session, list(items)
    for item in before:
        if FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("rank_gate")  # so that "-m rank_gate" selects it
        if any(is_named(item.nodeid, required) for required in session.options.required):
            session.wanted[item.nodeid] = None
    result = yield
    if config.getoption("markexpr", "") == MARKER.partition(":")[0]:
        before = [item for item in before if item.get_closest_marker("rank_gate")]
    session.partial |= not set(before) <= set(items)
    return result


# Tests -------------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Note that this run executes tests; ``--collect-only`` and ``--setup-only`` do not."""
    session.config.stash[RUN].session.begin()


@pytest.hookimpl(tryfirst=True)
def pytest_keyboard_interrupt() -> None:
    """``pytest.exit()`` ends a run, perhaps before its loop: required gates did not run then."""
    if RUNS:
        RUNS[-1].session.begin()
        RUNS[-1].session.partial = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Forget the test that has ended, so that no later gate belongs to it."""
    try:
        return (yield)
    finally:
        item.config.stash[RUN].start("")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tell gates which test is running; a rerun may use the same names again."""
    item.config.stash[RUN].start(item.nodeid)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the records of a phase on its report, which travels to the controller."""
    run, error = item.config.stash[RUN], None if call.excinfo is None else call.excinfo.value
    headline = getattr(error, "headline", "")
    if error is not None and headline:
        run.failures += 1
        result = getattr(error, "result", None)
        if run.failures > MOST_IN_FULL and result is not None:
            error.args = (result.brief,)
    report = yield
    records = run.take()
    if records is not None:
        setattr(report, ATTRIBUTE, records)
        crash = getattr(report.longrepr, "reprcrash", None)
        if crash is not None and headline:
            # One line in the short summary and in the JUnit attribute.
            crash.message = headline
    return report


@pytest.fixture
def rank_gate(request: pytest.FixtureRequest) -> RankGate:
    """Ranking quality gate: thresholds, allowed drops from a baseline, slices.

    ``rank_gate.check(y_true, y_score, at_least={"map": 0.3}, max_drop={"ndcg@10": 0.02})``
    """
    from pytest_rankmetrics.gate import RankGate

    return RankGate(request)


@pytest.fixture
def rank_regression(request: pytest.FixtureRequest) -> RankRegressionFixture:
    """Regression fixture for rankings, like those of pytest-regressions: only a drop fails.

    ``rank_regression.check(y_true, y_score, measures=("map", "ndcg@10"), max_drop=0.02)``
    """
    if not request.config.pluginmanager.hasplugin("regressions"):
        msg = "rank_regression needs pytest-regressions: pip install 'sklearn-rank[pytest]'"
        raise pytest.UsageError(msg)
    from pytest_rankmetrics.gate import RankRegressionFixture

    return RankRegressionFixture(request, request.getfixturevalue("original_datadir"))


# The end -----------------------------------------------------------------------------------------


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """Take over the records of a worker of pytest-xdist; a dead worker's tests are lost."""
    record = None if error is not None else getattr(node, "workeroutput", {}).get(WORKER)
    node.config.stash[RUN].session.add_worker(record)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Take the records of a report, in the process that reports."""
    if RUNS and not RUNS[-1].is_worker:
        RUNS[-1].session.add(report)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(
    session: pytest.Session, exitstatus: int
) -> Generator[None, object, object]:
    """Judge the run, and again after all other hooks, which may change the exit code.

    A worker sends its records.
    """
    config = session.config
    run = config.stash[RUN]
    gates = run.session
    gates.take_swallowed(run)
    output = getattr(config, "workeroutput", None)
    if output is None:
        gates.finish(session, exitstatus)
    else:
        output[WORKER] = gates.known()
    result = yield
    if output is None:
        for problem in gates.take_swallowed(run):
            config.get_terminal_writer().line(f"ERROR: {problem}")
        gates.end(session)
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each gate, and the remedies."""
    config = terminalreporter.config
    session = config.stash[RUN].session
    if hasattr(config, "workerinput") or not session.has_news:
        return
    from sklearn_rank.view.summary import TITLE, summary_lines

    lines = summary_lines(session.summary())
    if lines:
        red = session.problems or any(run.failed for run in session.runs)
        terminalreporter.section(TITLE, sep="-", red=bool(red), green=not red)
        terminalreporter.write("\n".join([*lines, ""]))
