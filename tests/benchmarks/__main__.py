"""``python -m tests.benchmarks [--only P2,P4] [--size small|full] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np

from tests.benchmarks import mappings, rows
from tests.benchmarks._measure import Contest, Result, compete

MODULES = {"P2": rows, "P4": mappings}


def main(argv: list[str] | None = None) -> int:
    """Measure, print the table, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", default=",".join(MODULES), help="rows, as in P2,P4")
    parser.add_argument("--size", choices=("small", "full"), default="full")
    parser.add_argument("--rounds", type=int, default=7, help="alternating runs of each program")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args(argv)
    chosen = options.only.split(",")
    unknown = [name for name in chosen if name not in MODULES]
    if unknown:
        parser.error(f"unknown row {unknown[0]!r}; there is {', '.join(MODULES)}")
    results = measure(chosen, options.size, options.rounds)
    print(table(results))
    if options.json:
        report = {"machine": machine(), "size": options.size, "rounds": options.rounds}
        report["results"] = [asdict(result) for result in results]
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0


def measure(chosen: list[str], size: str, rounds: int) -> list[Result]:
    """Run the contests, with progress on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    results: list[Result] = []
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("contests", total=len(chosen))
        for name in chosen:
            progress.update(task, description=name)
            for contest in MODULES[name].contests(size):
                _say_without_peers(contest)
                results += compete(contest, rounds)
            progress.advance(task)
    return results


def _say_without_peers(contest: Contest) -> None:
    if not contest.peers:
        print(f"{contest.row}: no peer is installed ({contest.work}); install the extra 'bench'")


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    simd = np.show_config(mode="dicts") or {}
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "simd": simd.get("SIMD Extensions", {}).get("found", []),
    }


def table(results: list[Result]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| row | work | peer | ours ms | peer ms | times faster | target | peak MiB |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {one.row} | {one.work} | {one.peer} | {one.ours_ms:,.1f} | {one.peer_ms:,.1f} | "
        f"{one.ratio:,.1f} | {one.target or ''} | {one.peak_mib:,.0f} |"
        for one in results
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
