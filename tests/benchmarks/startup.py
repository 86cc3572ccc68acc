"""P8: what it costs to import the package and to have the plugin installed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks._measure import Contest, Peer, Target, Timer, Work, wall

ROOT = Path(__file__).parents[2]
SITE = "from sklearn_rank import evaluate"


def python(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A whole process, from start to end."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)


def importtime(statement: str, module: str) -> float:
    """Seconds that ``-X importtime`` counts for a module and all that it imports."""
    lines = python("-X", "importtime", "-c", statement).stderr.splitlines()
    found = [line for line in lines if line.split("|")[-1].strip() == module]
    return int(found[-1].split("|")[1]) / 1e6


def contests(row: str, size: str) -> Iterator[Contest]:
    """Processes, and imports within them."""
    yield Contest(
        row,
        "a process that imports sklearn_rank",
        partial(python, "-c", "import sklearn_rank"),
        (_process("import numpy", Target(times=1.3)),),
        in_process=False,
    )
    yield Contest(
        row,
        "a process that imports sklearn_rank.evaluate",
        partial(python, "-c", SITE),
        (_process("import numpy", Target(times=1.3)),),
        in_process=False,
    )
    folder = Path(tempfile.mkdtemp())
    (folder / "test_empty.py").write_text("def test_nothing() -> None: ...\n")
    run = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    without: Work = partial(python, *run, "-p", "no:rankmetrics", folder=folder)
    yield Contest(
        row,
        "an empty pytest run with the plugin",
        partial(python, *run, folder=folder),
        (Peer("the same with -p no:rankmetrics", _timer(without), Target(more_ms=5.0)),),
        in_process=False,
    )


def _process(statement: str, target: Target) -> Peer:
    return Peer(f"a process: {statement}", _timer(partial(python, "-c", statement)), target)


def _timer(work: Work) -> Callable[[], Timer]:
    return lambda: wall(work)
