"""Ours beside its peers in one process, by processor time, the least of the rounds.

    python -m tests.benchmarks [--only P2,P4] [--cpu avx2] [--cold] [--json FILE]

--cpu hides features of this processor from NumPy, by NPY_DISABLE_CPU_FEATURES, so that one machine
shows three: its own, one without AVX-512 (avx2), and one without AVX2, too (baseline). What is
hidden is printed with the name of the processor.
"""

import argparse
import json
import os
import platform
import re
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from tests.benchmarks.commands import ROWS
from tests.benchmarks.harness import Figures, measure, table

CPU = {
    "native": (),
    "avx2": ("AVX512", "X86_V4"),
    "baseline": ("AVX512", "X86_V4", "AVX2", "X86_V3"),
}
"""Prefixes of the features of the processor that NumPy must not use."""
VARIABLE = "NPY_DISABLE_CPU_FEATURES"


def main(argv: list[str] | None = None) -> int:
    """Measure, print the table, and write the figures."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("tests.benchmarks", description=__doc__, formatter_class=raw)
    parser.add_argument("--only", help=f"some of {','.join(ROWS)}; default: all")
    parser.add_argument("--size", choices=("small", "full"), default="full")
    parser.add_argument("--rounds", type=int, default=7, help="alternating runs of each program")
    parser.add_argument("--cpu", choices=tuple(CPU), help="features of the processor NumPy may use")
    parser.add_argument("--cold", action="store_true", help="also with memory returned before")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args(argv)
    chosen = list(ROWS) if options.only is None else options.only.split(",")
    unknown = [name for name in chosen if name not in ROWS]
    if unknown:
        parser.error(f"unknown row {unknown[0]!r}; there is {', '.join(ROWS)}")
    if options.cpu and options.cpu != os.environ.get("BENCHMARK_CPU"):
        return _restart(options.cpu, sys.argv[1:] if argv is None else argv)
    results: list[Figures] = []
    console = Console(stderr=True)
    for name in track(chosen, "rows", console=console, disable=not sys.stderr.isatty()):
        for row in ROWS[name](options.size == "full"):
            results += measure(row, options.rounds, cold=options.cold)
    facts = {"processor": processor(), "hidden": os.environ.get(VARIABLE) or "nothing"}
    facts |= {"python": platform.python_version(), "numpy": version("numpy")}
    print(", ".join(f"{key}: {value}" for key, value in facts.items()))
    print(table(results))
    if options.json is not None:
        figures = [one._asdict() for one in results]
        options.json.write_text(json.dumps({**facts, "figures": figures}, indent=1))
    return 0


def _restart(cpu: str, argv: list[str]) -> int:
    """Run in a process whose NumPy does without some features, and whose OpenMP does not spin."""
    found = (np.show_config(mode="dicts") or {}).get("SIMD Extensions", {}).get("found", [])
    hidden = " ".join(name for name in found if name.startswith(CPU[cpu]))
    environment = {**os.environ, "BENCHMARK_CPU": cpu, "OMP_WAIT_POLICY": "passive"}
    environment.pop(VARIABLE, None)
    if hidden:
        environment[VARIABLE] = hidden
    os.execve(sys.executable, [sys.executable, "-m", "tests.benchmarks", *argv], environment)


def processor() -> str:
    """Name of the processor; virtual machines hide it, but not family and model."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return platform.processor() or platform.machine()
    first = path.read_text(errors="replace").split("\n\n")[0]
    facts = dict(re.findall(r"^([\w ]+?)\s*:\s*(.+)$", first, re.MULTILINE))
    family, model = facts.get("cpu family", "?"), facts.get("model", "?")
    return f"{facts.get('model name', platform.machine())} (family {family}, model {model})"


if __name__ == "__main__":
    sys.exit(main())
