"""Settings of the whole suite."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]
os.environ.setdefault("MPLBACKEND", "Agg")  # no window for a picture

SLOW = (
    "displays/test_examples.py",
    "evaluation/test_audit_pairs.py",
    "model_selection/test_consumers.py",
    "model_selection/test_early_stopping.py",
    "model_selection/test_eval_metrics.py",
    "model_selection/test_rankers.py",
    "plugin/test_baseline_names.py",
    "plugin/test_loading.py",
    "plugin/test_recipe.py",
    "plugin/test_required.py",
    "plugin/test_unused_baselines.py",
    "plugin/test_updates.py",
    "spark",
)
"""Directories and files whose tests are marked `slow`; each room but Spark keeps quick ones."""

# The same examples in every run, so that a change is judged by what it changed: more of them would
# prove nothing that the first run has not proved. "thorough" looks for new ones, every night.
common = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", common, derandomize=True, max_examples=25)
settings.register_profile("thorough", common, print_blob=True, max_examples=250)
# For older versions of dependencies: the formulas are the same, and so are the first examples.
settings.register_profile("brief", common, derandomize=True, max_examples=10)
settings.load_profile("default")


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if any(item.path.is_relative_to(here / path) for path in SLOW):
            item.add_marker("slow")
        if "numbers" in item.path.parts:
            # Drawn data may look odd, which tests of numbers do not mind.
            item.add_marker(pytest.mark.filterwarnings("ignore::sklearn_rank.RankingDataWarning"))


@pytest.fixture(autouse=True, scope="session")
def uncompiled():
    """Processes that tests start compile no module.

    One that a test writes again within a second, and as long, would be taken for the old one. The
    modules of the project are compiled by the process that runs the tests, also under xdist.
    """
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


@pytest.fixture(autouse=True, scope="session")
def on_a_desk():
    """No test sees the continuous integration that it runs in, where baselines are not written."""
    from sklearn_rank.gates.limits import CI_VARIABLES

    for name in (*CI_VARIABLES, "GITHUB_STEP_SUMMARY"):
        os.environ.pop(name, None)


@pytest.fixture(autouse=True)
def closed_pictures():
    """No picture of a test or docstring stays open: Matplotlib warns of more than twenty."""
    _close_pictures()
    yield
    _close_pictures()


def _close_pictures():
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
