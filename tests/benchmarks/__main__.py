"""``python -m tests.benchmarks [--only P2,P4] [--cpu all] [--cold] [--sweep] [--json FILE]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.benchmarks._cpu import Setting, all_features, current, settings_of
from tests.benchmarks._memory import can_release
from tests.benchmarks._report import report
from tests.benchmarks._runs import Run, store
from tests.benchmarks._worker import FLOOR, SCALING, SWEEP, Order, run_in_process
from tests.benchmarks.catalogue import ROWS

PARTS = (*ROWS, SCALING, FLOOR)


def main(argv: list[str] | None = None) -> int:
    """Measure, print the tables, and write the figures."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {options.rounds}")
    chosen = _chosen(parser, options)
    runs: list[Run] = []
    for setting in _settings(parser, options.cpu):
        order = Order(
            chosen,
            options.size,
            options.rounds,
            options.cold,
            setting.name,
            setting.disabled,
            memory=not runs,  # what is allocated does not depend on the processor
        )
        runs.append(run_in_process(order))
        _save(options.json, runs)
    print(report(runs))
    if options.cold and not can_release():
        print("\nThis C library cannot return memory (no malloc_trim): no figures for cold memory.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Measure speed as ratios against peers, or against a reference (--sweep).",
    )
    parser.add_argument("--only", help=f"some of {','.join(PARTS)}; all by default")
    parser.add_argument("--size", choices=("small", "full"), default="full")
    parser.add_argument("--rounds", type=int, default=7, help="alternating runs of each program")
    parser.add_argument(
        "--cpu",
        default="",
        help="settings of the processor, as in native,avx2,baseline, or all that it has; "
        "as the environment says by default",
    )
    parser.add_argument(
        "--cold", action="store_true", help="also with memory returned to the system before"
    )
    parser.add_argument(
        "--sweep", action="store_true", help="types, shapes and options instead of the rows"
    )
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser


def _chosen(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[str, ...]:
    if options.only is None:
        return (SWEEP,) if options.sweep else PARTS
    chosen = tuple(options.only.split(","))
    for name in chosen:
        if name not in PARTS:
            parser.error(f"unknown row {name!r}; there is {', '.join(PARTS)}")
    return (*chosen, SWEEP) if options.sweep else chosen


def _settings(parser: argparse.ArgumentParser, asked: str) -> list[Setting]:
    if not asked:
        return [current()]
    known = settings_of(all_features())
    if asked == "all":
        return list(known.values())
    for name in asked.split(","):
        if name not in known:
            parser.error(f"--cpu: no setting {name!r} here; there is {', '.join(known)}")
    return [known[name] for name in asked.split(",")]


def _save(path: Path | None, runs: list[Run]) -> None:
    if path is not None:
        store(path, runs)


if __name__ == "__main__":
    sys.exit(main())
