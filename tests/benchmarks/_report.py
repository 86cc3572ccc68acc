"""The figures as JSON and as Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from tests.benchmarks._measure import Result

PEERS = (
    "scikit-learn",
    "xgboost-cpu",
    "torch",
    "torchmetrics",
    "ir_measures",
    "pytrec_eval-terrier",
    "ranx",
)


def machine() -> dict[str, Any]:
    """What the figures were measured on, and how busy it was."""
    simd = np.show_config(mode="dicts") or {}
    return {
        "cores": os.cpu_count(),
        "simd": simd.get("SIMD Extensions", {}).get("found", []),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "peers": {name: _version(name) for name in PEERS},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def heading(facts: dict[str, Any], rounds: int) -> str:
    """One line about the machine."""
    simd = facts["simd"][-1] if facts["simd"] else "no SIMD"
    return (
        f"{facts['cores']} cores, {simd}, load {facts['load']} at the start; Python "
        f"{facts['python']}, NumPy {facts['numpy']}; medians of {rounds} alternating runs"
    )


def table(results: Sequence[Result]) -> str:
    """The figures as a Markdown table; memory is what our call takes beside its input."""
    lines = [
        "| row | work | peer | ours ms | peer ms | ours / peer | target | peak MiB | of input |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [f"| {' | '.join(_cells(one))} |" for one in results]
    return "\n".join(lines)


def _cells(one: Result) -> list[str]:
    memory = one.memory
    peak = f"{memory['traced']:,.0f} / {memory['resident']:,.0f}" if memory else ""
    of_input = f"{memory['times_input']:.2f}" if "times_input" in memory else ""
    missed = " (missed)" if one.reached is False else ""
    ratio = "" if one.ratio is None else f"{one.ratio:.3g}{missed}"
    ours, theirs = _milliseconds(one.ours_ms), _milliseconds(one.peer_ms)
    return [one.row, one.work, one.peer, ours, theirs, ratio, one.target, peak, of_input]


def _milliseconds(value: float | None) -> str:
    return "absent" if value is None else f"{value:,.1f}"
