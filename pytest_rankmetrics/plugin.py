"""The module that pytest loads: options, fixtures and hooks.

Every pytest run of an environment in which this distribution is installed imports this module, so
it imports pytest and the standard library only; what measures is imported when a gate runs.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from pytest_rankmetrics.session.collection import Collection, expects_gate
from pytest_rankmetrics.session.current import RUNS, Run
from pytest_rankmetrics.session.options import OPTIONS, add_options, prepare, read_options
from pytest_rankmetrics.session.session import (
    RUN,
    SESSION,
    Session,
    assess_exit,
    note_exit,
)

if TYPE_CHECKING:
    from pytest_rankmetrics.gates.gate import RankGate, RankRegressionFixture

MARKER = "rank_gate(name=None): a ranking quality gate; added to users of the fixtures"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options ``--rank-*`` and the keys ``rank_*`` of the ini file."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin the run, so that no gate of a conftest module fails unseen; end it after all hooks."""
    prepare(early_config)
    begin(early_config)


def begin(config: pytest.Config) -> Run:
    """The run of a configuration; where the plugin is loaded late, it begins late."""
    if RUN not in config.stash:
        run = config.stash[RUN] = Run()
        RUNS.append(run)
        config.add_cleanup(lambda: RUNS.remove(run))
    return config.stash[RUN]


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Read and check all options, before anything runs."""
    config.addinivalue_line("markers", MARKER)
    options = config.stash[OPTIONS] = read_options(config)
    register, run, has_joined = config.pluginmanager.register, begin(config), False

    def join() -> None:
        """Start to record where a gate runs, or should: suites without gates pay nothing."""
        from pytest_rankmetrics.session.recorder import Recorder

        nonlocal has_joined
        if not has_joined:
            has_joined = True
            register(Recorder(run, collection, junit=options.junit))

    collection = Collection(run, options.required, on_gate=join)
    # Without names: "-p no:NAME" would switch off a part of the checks, and nobody would see it.
    register(collection)
    if not hasattr(config, "workerinput"):
        session = config.stash[SESSION] = Session(config, options, run, collection)
        register(session)
        if config.pluginmanager.hasplugin("html") and options.html:
            from pytest_rankmetrics.session.recorder import HtmlReport

            register(HtmlReport(session.summary))
    run.start(None)
    run.settings, run.by_query, run.on_first_gate = options.settings, bool(options.page), join
    run.explains = any((options.json, options.html, options.page))


def pytest_keyboard_interrupt() -> None:
    """``pytest.exit()`` ends a run; where it does so early, this hook alone tells."""
    note_exit()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, int | None, int | None]:
    """Judge the exit code, whatever hook was the last to set it."""
    return (yield from assess_exit(config))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let gates know which test they run in; a second try may use its names again."""
    item.config.stash[RUN].start(item)


@pytest.fixture
def rank_gate(request: pytest.FixtureRequest) -> RankGate:
    """Gate of ranking quality: thresholds, allowed drops against a baseline, slices.

    ``rank_gate.check(y_true, y_score, at_least={"map": 0.3}, max_drop={"ndcg@10": 0.005})``
    """
    from pytest_rankmetrics.gates.gate import RankGate

    expects_gate(request)
    return RankGate(request)


@pytest.fixture
def rank_regression(request: pytest.FixtureRequest) -> RankRegressionFixture:
    """Member of the pytest-regressions family for rankings: only a drop fails.

    ``rank_regression.check(y_true, y_score, metrics=("map", "ndcg@10"), max_drop=0.005)``
    """
    from pytest_rankmetrics.gates.gate import make_fixture

    expects_gate(request)
    return make_fixture(request)
