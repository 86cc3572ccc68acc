"""Skip the tests of components that are not installed, and say which.

A plugin of the whole suite (`-p tests.components`), since documents and docstrings are tests, too.
With `--every-component`, as in CI, a missing component is a failure. Files that import one are
marked, so that `.ci/run` can run them where all components are.
"""

import doctest
import functools
import re

import pytest

COMPONENTS = frozenset(
    """catboost dask distributed imblearn ir_measures lightgbm mlxtend numpydoc optuna
    pytrec_eval skops statsmodels torch xgboost yaml""".split()  # noqa: SIM905
)
"""Modules of the extra "dev" that the extra "test" leaves out, and those of ``OTHERS``."""
OTHERS = {"torch": "bench"}
"""Large ones and their extras: `.ci/run` installs them, and no other environment has to."""
_MODULES = "|".join((*COMPONENTS, r"tests\.benchmarks", r"tests\.model_selection\.boosting"))
IMPORT = re.compile(
    rf"^\W*(?:import|from) (?:{_MODULES})\b|importorskip\(.(?:{_MODULES})\b", re.MULTILINE
)


def pytest_addoption(parser):
    parser.addoption("--every-component", action="store_true", help="skip no test of a component")


@functools.cache
def _imports_one(path):
    return IMPORT.search(path.read_text(encoding="utf-8")) is not None


def pytest_collection_modifyitems(items):
    for item in items:
        if _imports_one(item.path):
            item.add_marker("component")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    missing = re.search(r"No module named '(\w+)", str(report.longrepr or ""))
    if report.failed and missing and _may_lack(collector, missing[1]):
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
        if isinstance(failure, ModuleNotFoundError) and _may_lack(item, name):
            _skip(report, item.path, name)
    return report


def _may_lack(node, module):
    is_needed = node.config.getoption("--every-component") and module not in OTHERS
    if module not in COMPONENTS or is_needed:
        return False
    return _imports_one(node.path)  # otherwise .ci/run would run it nowhere


def _skip(report, path, module):
    report.outcome, extra = "skipped", OTHERS.get(module, "dev")
    report.longrepr = (str(path), 1, f'Skipped: {module} is not installed (extra "{extra}")')
