"""``python -m tests.benchmarks [--only P2,P4] [--size small|full] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from tests.benchmarks._measure import Result, compete
from tests.benchmarks._memory import peaks_of
from tests.benchmarks._report import heading, machine, table
from tests.benchmarks.catalogue import ROWS, contests_of
from tests.benchmarks.scaling import series_of

SCALING = "scaling"


def main(argv: list[str] | None = None) -> int:
    """Measure, print the table, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", default=",".join((*ROWS, SCALING)), help="rows, as in P2,P4")
    parser.add_argument("--size", choices=("small", "full"), default="full")
    parser.add_argument("--rounds", type=int, default=7, help="alternating runs of each program")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args(argv)
    chosen = options.only.split(",")
    unknown = [name for name in chosen if name not in (*ROWS, SCALING)]
    if unknown:
        parser.error(f"unknown row {unknown[0]!r}; there is {', '.join((*ROWS, SCALING))}")
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {options.rounds}")
    facts = machine()
    report = measure(chosen, options.size, options.rounds)
    print(heading(facts, options.rounds), table(report["results"]), sep="\n\n")
    if options.json:
        report["results"] = [asdict(one) for one in report["results"]]
        report |= {"machine": facts, "size": options.size, "rounds": options.rounds}
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def measure(chosen: list[str], size: str, rounds: int) -> dict[str, Any]:
    """Run the contests and the series, with progress on a terminal."""
    results: list[Result] = []
    series: list[dict[str, Any]] = []
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("", total=len(chosen))
        for name in chosen:
            progress.update(task, description=name)
            if name == SCALING:
                for measured in progress.track(list(series_of(size, rounds)), description=name):
                    series += map(asdict, measured())
            else:
                contests = list(zip(contests_of(name, size), peaks_of(name, size), strict=True))
                for contest, peak in progress.track(contests, description=name):
                    results += compete(contest, rounds, peak)
            progress.advance(task)
    return {"results": results, "series": series}


if __name__ == "__main__":
    sys.exit(main())
