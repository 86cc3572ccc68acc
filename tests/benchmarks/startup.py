"""P8: what it costs to import the package and to have the plugin installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks import _scratch
from tests.benchmarks._measure import Contest, Peer, Target, Timer, processor_time, wall
from tests.benchmarks._memory import Work

ROOT = Path(__file__).parents[2]


def python(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A whole process, from start to end, that keeps its compiled files as it does for users."""
    command = [sys.executable, *arguments]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True, env=env)


def is_plugin_installed() -> bool:
    """Whether a pytest run of this Python loads the plugin."""
    plugins = entry_points(group="pytest11", name="rankmetrics")
    return bool(plugins) and find_spec("pytest") is not None


N_TESTS = {"small": 50, "full": 5_000}
REPEATS = {"small": 1, "full": 3}


def contests(row: str, size: str) -> Iterator[Contest]:
    """Processes, and imports within them."""
    for ours, target in (
        ("import sklearn_rank", Target(times=1.3)),
        ("from sklearn_rank import evaluate", None),
    ):
        yield Contest(
            row,
            f"a process: {ours}",
            partial(python, "-c", ours),
            (_process("import numpy", target),),
            in_process=False,
            repeats=REPEATS[size],
        )
    empty = "def test_nothing() -> None: ...\n"
    what = "an empty pytest run with the plugin"
    yield _runs(row, what, empty, Target(more_ms=5.0), wall, repeats=REPEATS[size])
    many = f"""\
import pytest

@pytest.mark.parametrize("number", range({N_TESTS[size]}))
def test_number(number: int) -> None:
    assert number >= 0
"""
    what = f"{N_TESTS[size]:,} tests without gates, time of the processor"
    yield _runs(row, what, many, Target(times=1.02), processor_time, repeats=1)


def _runs(
    row: str,
    what: str,
    tests: str,
    target: Target,
    clock: Callable[[Work], Timer],
    repeats: int,
) -> Contest:
    """Runs of pytest with and without the plugin."""
    folder = _scratch.folder()
    (folder / "test_it.py").write_text(tests)
    run = partial(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder=folder)

    def without() -> Timer:
        if not is_plugin_installed():
            raise ModuleNotFoundError(name="pytest")
        return clock(partial(run, "-p", "no:rankmetrics"))

    return Contest(
        row,
        what,
        run if is_plugin_installed() else None,
        (Peer("the same with -p no:rankmetrics", without, target),),
        in_process=False,
        clock=clock,
        by_least=True,
        repeats=repeats,
    )


def _process(statement: str, target: Target | None) -> Peer:
    return Peer(f"a process: {statement}", lambda: wall(partial(python, "-c", statement)), target)
