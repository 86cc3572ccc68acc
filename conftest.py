"""The light set of tests, which `pytest` runs, and the whole one, which `pytest --all` runs in CI.

Tests of a component that is not installed are skipped, and say which; with `--all` they fail.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

SLOW = ("benchmarks", "displays", "engines", "model_selection", "peers", "plugin", "spark")
"""Directories of tests that are run when they are named, and by `--all`."""
COMPONENTS = frozenset(
    """catboost dask distributed imblearn ir_measures lightgbm mlxtend numpydoc optuna
    pytrec_eval skops statsmodels xgboost yaml""".split()  # noqa: SIM905
)
"""Modules of the extra "dev" that the extra "test" leaves out."""


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="all tests, with all components")


def pytest_collection_modifyitems(config, items):
    named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    if named or config.getoption("--all"):
        return
    slow = [item for item in items if _room(config, item) in SLOW]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if _room(config, item) not in SLOW]


def _room(config, item):
    parts = Path(item.path).relative_to(config.rootpath).parts
    return parts[1] if parts[0] == "tests" else ""


def pytest_terminal_summary(terminalreporter, config):
    if terminalreporter.stats.get("deselected") and not config.getoption("--all"):
        rooms = ", ".join(SLOW)
        terminalreporter.line(f"not run: tests of {rooms}; name them, or pass --all")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    missing = re.search(r"No module named '(\w+)", str(report.longrepr or ""))
    if report.failed and missing and _may_lack(collector.config, missing[1]):
        _skip(report, collector.path, missing[1])
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    error = call.excinfo.value if call.excinfo else None
    failures = getattr(error, "failures", [error])  # of an example in a document
    for failure in failures:
        if isinstance(failure, doctest.UnexpectedException):
            failure = failure.exc_info[1]
        name = (getattr(failure, "name", None) or "").partition(".")[0]
        if isinstance(failure, ModuleNotFoundError) and _may_lack(item.config, name):
            _skip(report, item.path, name)
    return report


def _may_lack(config, module):
    return module in COMPONENTS and not config.getoption("--all")


def _skip(report, path, module):
    report.outcome = "skipped"
    report.longrepr = (str(path), 1, f'Skipped: {module} is not installed (extra "dev")')
