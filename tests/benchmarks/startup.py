"""P8: what it costs to import the package and to have the plugin installed."""

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

from tests.benchmarks._measure import Contest, Peer, Target, Timer, wall

ROOT = Path(__file__).parents[2]


def python(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A whole process, from start to end, that keeps its compiled files as it does for users."""
    command = [sys.executable, *arguments]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True, env=env)


def is_plugin_installed() -> bool:
    """Whether a pytest run of this Python loads the plugin."""
    found = entry_points(group="pytest11", name="rankmetrics")
    return bool(found) and find_spec("pytest") is not None


def contests(row: str, size: str) -> Iterator[Contest]:
    """Processes, and imports within them."""
    yield Contest(
        row,
        "a process: import sklearn_rank",
        partial(python, "-c", "import sklearn_rank"),
        (_process("import numpy", Target(times=1.3)),),
        in_process=False,
    )
    yield Contest(
        row,
        "a process: from sklearn_rank import evaluate",
        partial(python, "-c", "from sklearn_rank import evaluate"),
        (_process("import numpy", None),),
        in_process=False,
    )
    folder = Path(tempfile.mkdtemp())
    (folder / "test_empty.py").write_text("def test_nothing() -> None: ...\n")
    run = ("-m", "pytest", "-q", "-p", "no:cacheprovider")

    def without() -> Timer:
        if not is_plugin_installed():
            raise ModuleNotFoundError(name="pytest")
        return wall(partial(python, *run, "-p", "no:rankmetrics", folder=folder))

    yield Contest(
        row,
        "an empty pytest run with the plugin",
        partial(python, *run, folder=folder) if is_plugin_installed() else None,
        (Peer("the same with -p no:rankmetrics", without, Target(more_ms=5.0)),),
        in_process=False,
    )


def _process(statement: str, target: Target | None) -> Peer:
    return Peer(f"a process: {statement}", lambda: wall(partial(python, "-c", statement)), target)
