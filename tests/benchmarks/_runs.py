"""A run of the benchmark: what it measured, and on what."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

import numpy as np

from tests.benchmarks._cpu import Setting, features, processor
from tests.benchmarks._figures import Figures

PEERS = (
    "scikit-learn",
    "xgboost-cpu",
    "torch",
    "torchmetrics",
    "ir_measures",
    "pytrec_eval-terrier",
    "ranx",
)
READ = "read ids, grades and scores of P1 once"
SORT = "sort 64-bit keys of P1, queries of one length together"
EVALUATE = "evaluate P1 by"
"""Steps of the floor that its table compares."""
IDENTITY = ("processor", "cores", "setting", "python", "numpy", "size")
"""Facts by which two runs belong together."""


@dataclass(frozen=True)
class Cost:
    """Nanoseconds that a step takes for each element."""

    step: str
    of: str
    """What the elements are."""
    ns: float


@dataclass(frozen=True)
class Series:
    """Medians in milliseconds over the values of one quantity, all else equal."""

    name: str
    quantity: str
    """What the values count."""
    line: str
    """Which line of the plot this is."""
    values: list[float]
    ms: list[float]
    rows: list[int]
    """Rows behind each value."""


@dataclass(frozen=True)
class Swept:
    """Cost of a type, shape or option beside the reference of its layout."""

    layout: str
    case: str
    n_rows: int
    ns_row: float
    ratio: float
    """Times the reference, for each row."""
    growth: float
    """Times the time, for four times the rows."""
    bytes_row: float
    """Peak of resident memory beside the input, for each row."""
    too_much: bool
    too_fast: bool
    reason: str
    """Why it is so, where that is known."""


@dataclass
class Run:
    """Everything that was measured on one machine under one setting."""

    facts: dict[str, Any]
    results: list[Figures] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    floor: list[Cost] = field(default_factory=list)
    sweep: list[Swept] = field(default_factory=list)

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """From what ``asdict`` made of it."""
        return cls(
            dict(stored["facts"]),
            [Figures.read(figures) for figures in stored["results"]],
            [Series(**series) for series in stored["series"]],
            [Cost(**cost) for cost in stored["floor"]],
            [Swept(**swept) for swept in stored["sweep"]],
        )

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for runs whose figures may stand in one column."""
        return tuple(self.facts[name] for name in IDENTITY)

    def update(self, later: Self) -> None:
        """Take over what a later run measured again; the rest stays."""
        rows = {figures.row for figures in later.results}
        kept = [figures for figures in self.results if figures.row not in rows]
        self.results = sorted([*kept, *later.results], key=lambda figures: _place(figures.row))
        self.series, self.floor = later.series or self.series, later.floor or self.floor
        self.sweep = later.sweep or self.sweep
        self.facts = {**later.facts, "load": max(self.facts["load"], later.facts["load"])}


def _place(row: str) -> int:
    return int(row.removeprefix("P"))


def facts(setting: Setting, size: str, rounds: int) -> dict[str, Any]:
    """What the figures are measured on, and how busy it is."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "setting": setting.name,
        "disabled": setting.disabled,
        "features": features(),
        "load": round(os.getloadavg()[0], 2),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "peers": {name: _version(name) for name in PEERS},
        "date": datetime.now(tz=UTC).date().isoformat(),
        "size": size,
        "rounds": rounds,
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def merged(runs: Iterable[Run]) -> list[Run]:
    """One run for each machine and setting; what was measured twice counts as it was last."""
    known: dict[tuple[Any, ...], Run] = {}
    for run in runs:
        if run.identity in known:
            known[run.identity].update(run)
        else:
            known[run.identity] = run
    return list(known.values())


def load(path: Path) -> list[Run]:
    """The runs of a file."""
    return [Run.read(run) for run in json.loads(path.read_text(encoding="utf-8"))["runs"]]


def store(path: Path, runs: Sequence[Run]) -> None:
    """Write runs to a file."""
    text = json.dumps({"runs": [asdict(run) for run in runs]}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")
