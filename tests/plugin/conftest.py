"""A small suite in a directory of its own, and what all its tests need."""

from __future__ import annotations

import json
import pkgutil
import sys
import warnings
from importlib import import_module, metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

import pytest_rankmetrics
from tests.plugin.cases import Ranks
from tests.plugin.one_gate import GATE

# Imported here, so that the suites that run inside this process find them loaded: pytester forgets
# what a suite imported, and an extension module cannot be loaded twice.
for name in ("pandas", "scipy.stats", "sklearn.metrics", "sklearn_rank.scorers"):
    import_module(name)
for module in pkgutil.walk_packages(pytest_rankmetrics.__path__, "pytest_rankmetrics."):
    import_module(module.name)

CASES = (Path(__file__).parent / "cases.py").read_text(encoding="utf-8")
ENVIRONMENT = ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "PYTEST_XDIST_AUTO")
# Other plugins are loaded by the tests that are about them.
LEAN = "-p no:asyncio -p no:hypothesispytest -p no:html -p no:metadata -p no:cacheprovider"

# What is installed, read once: pytest looks for plugins in the files of every distribution, a third
# of the cost of each of thousands of starts.
INSTALLED = [
    SimpleNamespace(
        name=distribution.name,
        version=distribution.version,
        metadata=distribution.metadata,
        entry_points=distribution.entry_points,
        files=distribution.files,
        read_text=distribution.read_text,
    )
    for distribution in metadata.distributions()
]


class Suite:
    """A directory of tests that can be run again and again, as a team does over months."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path

    def write(self, **modules: str) -> None:
        """Write test modules, by name."""
        for name, text in modules.items():
            self.file(f"{name}.py", text)

    def file(self, name: str, text: str) -> Path:
        """Write one file."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = text.lstrip("\n")
        margin = len(lines) - len(lines.lstrip(" "))
        path.write_text(
            "\n".join(line.removeprefix(" " * margin) for line in lines.rstrip().split("\n"))
            + "\n",
            encoding="utf-8",
        )
        return path

    def system(self, ranks: Ranks) -> None:
        """The system under test: what ``cases.system()`` returns in the suite from now on."""
        (self.path / "ranks.json").write_text(json.dumps(list(ranks)), encoding="utf-8")

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run the suite in this process, with warnings as they are in a new one."""
        with warnings.catch_warnings():
            warnings.resetwarnings()
            return self.pytester.runpytest_inprocess(*arguments)

    def spawn(self, *arguments: str) -> pytest.RunResult:
        """Run the suite in a process of its own."""
        return self.pytester.runpytest_subprocess(*arguments)

    def record(self, ranks: Ranks | None = None, passed: int = 1) -> dict[str, bytes]:
        """Let a system, or the present one, have new baselines, and read them."""
        if ranks is not None:
            self.system(ranks)
        self.run("--rank-update").assert_outcomes(passed=passed)
        return self.baselines()

    def passes(self, *arguments: str, warnings: int = 0) -> str:
        """What a run prints of which the one test passes."""
        result = self.run(*arguments)
        result.assert_outcomes(passed=1, warnings=warnings)
        assert result.ret == 0
        return said(result)

    def fails(self, *lines: str, arguments: tuple[str, ...] = ()) -> str:
        """What a run prints of which the one test fails; some lines match patterns, in order."""
        result = self.run(*arguments)
        result.assert_outcomes(failed=1)
        assert result.ret == 1
        result.stdout.fnmatch_lines(list(lines))
        return said(result)

    def baselines(self) -> dict[str, bytes]:
        """Every baseline below the suite."""
        found = sorted(self.path.rglob("*.rank.json"))
        return {path.relative_to(self.path).as_posix(): path.read_bytes() for path in found}

    def files(self) -> set[str]:
        """Every file of the suite but what Python, pytest and pytester keep for themselves."""
        kept = {"__pycache__", ".pytest_cache", "stdout", "stderr"}
        parts = [path.relative_to(self.path).parts for path in self.path.rglob("*")]
        return {
            "/".join(one)
            for one in parts
            if not kept & set(one) and not one[0].startswith("runpytest-")
        }


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """An empty suite next to ``cases``, away from the continuous integration this may run in."""
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(metadata, "distributions", lambda: INSTALLED)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN)
    # A module that is written anew within a second, and as long, would be taken for the old one.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (pytester.path / "cases.py").write_text(CASES, encoding="utf-8")
    return Suite(pytester)


@pytest.fixture
def gate(suite: Suite) -> Suite:
    """A suite with one gate and no baseline yet."""
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    return suite


@pytest.fixture
def recorded(gate: Suite) -> Suite:
    """A suite with one gate and its baseline: 0.5."""
    gate.run("--rank-update").assert_outcomes(passed=1)
    return gate


def said(result: pytest.RunResult) -> str:
    """All that a run printed."""
    return result.stdout.str() + "\n" + result.stderr.str()
