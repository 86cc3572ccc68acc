"""Whole processes: imports and the plugin, P8 and P17."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

from tests.benchmarks.harness import Row, Timed

ROOT = Path(__file__).parents[2]


def python(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A process from start to end, which keeps its compiled files."""
    command = [sys.executable, *arguments]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True, env=env)


def processor_time(*arguments: str, folder: Path = ROOT) -> Any:
    """Processor time of such a process, which other work on the machine hardly changes."""

    def timer() -> float:
        before = getrusage(RUSAGE_CHILDREN)
        python(*arguments, folder=folder)
        after = getrusage(RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return Timed(timer)


def p8(size: str) -> Iterator[Row]:
    """An import, and pytest with the plugin and without it."""
    bare = {"import numpy": partial(processor_time, "-c", "import numpy")}
    for name, statement, at_most in (
        ("P8", "import sklearn_rank", 1.3),
        ("P17", "from sklearn_rank import evaluate", 1.3),
    ):
        ours = processor_time("-c", statement)
        targets = dict.fromkeys(bare, at_most)
        yield Row(name, statement, ours, bare, targets, is_process=True)
    if not entry_points(group="pytest11", name="rankmetrics") or find_spec("pytest") is None:
        return
    count = 5_000 if size == "full" else 50
    suites = {
        "an empty pytest run": "def test_nothing() -> None: ...\n",
        f"{count:,} tests without gates": f"""\
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_number(number: int) -> None:
    assert number >= 0
""",
    }
    for work, text in suites.items():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "test_it.py").write_text(text)
            run = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
            here = partial(processor_time, *run, folder=Path(folder))
            without = {"without the plugin": partial(here, "-p", "no:rankmetrics")}
            yield Row("P8", work, here(), without, is_process=True)


ROWS = {"P8": p8}
