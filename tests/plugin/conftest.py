"""A small suite in a directory of its own, and what all its tests need."""

import json
import pkgutil
import re
import sys
import textwrap
import warnings
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import pytest

import pytest_rankmetrics
import sklearn_rank.gates
from sklearn_rank.gates.limits import CI_VARIABLES
from tests.plugin.cases import Ranks
from tests.plugin.one_gate import GATE

# Imported here, so that the suites that run inside this process find them loaded: pytester forgets
# what a suite imported, and an extension module cannot be loaded twice.
for name in ("pandas", "scipy.stats", "sklearn.metrics", "sklearn_rank.scorers"):
    import_module(name)
for package in (pytest_rankmetrics, sklearn_rank.gates):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)

CASES = (Path(__file__).parent / "cases.py").read_text(encoding="utf-8")
ENVIRONMENT = (*CI_VARIABLES, "GITHUB_STEP_SUMMARY", "PYTEST_XDIST_AUTO")
# Other plugins are loaded by the tests that are about them.
LEAN = (
    "-p no:asyncio -p no:hypothesispytest -p no:html -p no:metadata -p no:randomly "
    "-p no:cacheprovider"
)


class Installed:
    """A distribution whose files are read once, and which is itself in all else."""

    def __init__(self, distribution: metadata.Distribution) -> None:
        self._distribution = distribution

    @cached_property
    def metadata(self) -> Any:
        return self._distribution.metadata

    @cached_property
    def entry_points(self) -> Any:
        return self._distribution.entry_points

    @cached_property
    def files(self) -> Any:
        return self._distribution.files

    def __getattr__(self, name: str) -> Any:
        return getattr(self._distribution, name)


# pytest looks for plugins in the files of every distribution, a third of the cost of each of
# thousands of starts.
INSTALLED = [Installed(distribution) for distribution in metadata.distributions()]

HEAD = """
import asyncio
import contextlib
import math
import threading
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cases import case, names, ranking, results, system, truth
from pytest_rankmetrics import (
    RankGateFailure, RankGateWarning, assert_auc_at_least, assert_lag_at_most, assert_map_at_least,
    assert_metric, assert_mrr_at_least, assert_ndcg_at_least, assert_not_worse,
    assert_recall_at_least, expected_failure,
)
from sklearn_rank import InvalidParameterError

def fails():
    assert_mrr_at_least(*case([1, 2]), 0.8)

async def fails_later():
    await asyncio.sleep(0)
    fails()

def lost():
    with contextlib.suppress(AssertionError):
        fails()

"""
"""What the tests of a suite may want to use."""


class Suite:
    """A directory of tests that can be run again and again, as a team does over months."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path

    def write(self, **modules: str) -> None:
        """Write test modules, by name."""
        for name, text in modules.items():
            self.file(f"{name}.py", text)

    def tests(self, text: str, name: str = "test_it.py") -> None:
        """Write a module that has ``HEAD``."""
        self.file(name, HEAD + textwrap.dedent(text))

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

    def run(self, *arguments: str, now: Ranks | None = None, **expected: Any) -> pytest.RunResult:
        """Run the suite in this process, with warnings as they are in a new one, and check it.

        ``now`` is the system under test; see ``check`` for what may be expected.
        """
        if now is not None:
            self.system(now)
        with warnings.catch_warnings():
            warnings.resetwarnings()
            result = self.pytester.runpytest_inprocess(*arguments)
        return check(result, **expected)

    def spawn(self, *arguments: str, now: Ranks | None = None, **expected: Any) -> pytest.RunResult:
        """Run the suite in a process of its own."""
        if now is not None:
            self.system(now)
        return check(self.pytester.runpytest_subprocess(*arguments), **expected)

    def record(self, ranks: Ranks | None = None, passed: int = 1) -> dict[str, bytes]:
        """Let a system, or the present one, have new baselines, and read them."""
        self.run("--rank-update", now=ranks, passed=passed)
        return self.baselines()

    def passes(self, *arguments: str, now: Ranks | None = None, warnings: int = 0) -> str:
        """What a run prints of which the one test passes."""
        return said(self.run(*arguments, now=now, ret=0, passed=1, warnings=warnings))

    def fails(self, *lines: str, arguments: tuple[str, ...] = (), now: Ranks | None = None) -> str:
        """What a run prints of which the one test fails; some lines match patterns, in order."""
        return said(self.run(*arguments, now=now, ret=1, failed=1, lines=lines))

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
    # In this process too: see ``uncompiled``.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
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


def check(
    result: pytest.RunResult,
    *,
    ret: int | None = None,
    says: str | Sequence[str] = (),
    lines: Sequence[str] = (),
    **outcomes: int,
) -> pytest.RunResult:
    """A result that has an exit code, texts, lines that match patterns in order, and outcomes."""
    __tracebackhide__ = True
    text = said(result)
    assert "INTERNALERROR" not in text
    if outcomes:
        result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(list(lines))
    assert ret is None or result.ret == ret, text
    for part in [says] if isinstance(says, str) else says:
        assert part in text
    return result


def failures(result: pytest.RunResult) -> dict[str, str]:
    """What a run prints of each test that failed, by the name of the test."""
    parts = re.split(r"^_{3,} (test_\S+) _{3,}$", said(result), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def said(result: pytest.RunResult) -> str:
    """All that a run printed."""
    return result.stdout.str() + "\n" + result.stderr.str()
