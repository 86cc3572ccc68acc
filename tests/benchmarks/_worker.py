"""A process that measures under one setting.

The environment must be right before NumPy and the peers are imported, so that each setting takes a
process of its own. ``python -m tests.benchmarks._worker ORDER FILE`` measures what the order says
(JSON) and writes a run to the file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from tests.benchmarks._cpu import Setting
from tests.benchmarks._figures import Figures, figures_of
from tests.benchmarks._measure import contend, peak
from tests.benchmarks._runs import Cost, Run, Series, Swept, facts, load, store

ROOT = Path(__file__).parents[2]
SCALING, FLOOR, SWEEP = "scaling", "floor", "sweep"


@dataclass(frozen=True)
class Order:
    """What a worker is to measure."""

    chosen: tuple[str, ...]
    """Rows, "scaling", "floor", "sweep"."""
    size: str
    rounds: int
    cold: bool
    setting: str
    disabled: str
    memory: bool = True
    """Whether peaks of memory are wanted, too."""


def run_in_process(order: Order) -> Run:
    """The run of a worker with the right environment."""
    setting = Setting(order.setting, order.disabled)
    # Threads of OpenMP would spin on after a peer's turn and take the cores from ours.
    environment = {**setting.environment(), "OMP_WAIT_POLICY": "passive"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        command = [sys.executable, "-m", __name__, json.dumps(asdict(order)), str(path)]
        status = subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode
        if status:
            msg = f"the process under the setting {order.setting!r} ended with status {status}"
            raise SystemExit(msg)
        return load(path)[0]


def measure(order: Order) -> Run:
    """Measure in this process, with progress on a terminal."""
    run = Run(facts(Setting(order.setting, order.disabled), order.size, order.rounds))
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("", total=len(order.chosen))
        for name in order.chosen:
            progress.update(task, description=f"{order.setting}: {name}")
            if name == SCALING:
                run.series = _series(order, progress)
            elif name == FLOOR:
                run.floor = _floor(order)
            elif name == SWEEP:
                run.sweep = _sweep(order, progress)
            else:
                run.results += _row(name, order, progress)
            progress.advance(task)
    return run


def _row(name: str, order: Order, progress: Progress) -> Sequence[Figures]:
    from tests.benchmarks.catalogue import contests_of

    results = []
    for contest in progress.track(list(contests_of(name, order.size)), description=name):
        turns = contend(contest, order.rounds, order.cold)
        results.append(figures_of(contest, turns, peak(contest) if order.memory else {}))
    return results


def _series(order: Order, progress: Progress) -> list[Series]:
    from tests.benchmarks.scaling import series_of

    waiting = list(series_of(order.size, order.rounds))
    return [measured() for measured in progress.track(waiting, description=SCALING)]


def _floor(order: Order) -> list[Cost]:
    from tests.benchmarks.floor import costs

    return costs(order.size, order.rounds)


def _sweep(order: Order, progress: Progress) -> list[Swept]:
    from tests.benchmarks.sweep.run import sweep

    return sweep(order.size, order.rounds, progress)


def main() -> None:
    order, path = sys.argv[1:]
    options = json.loads(order)
    store(Path(path), [measure(Order(**{**options, "chosen": tuple(options["chosen"])}))])


if __name__ == "__main__":
    main()
