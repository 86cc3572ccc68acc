"""Alternating runs of several programs over the same work, and what they cost."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Work = Callable[[], Any]


@dataclass(frozen=True)
class Contest:
    """One row of the table: our call and those of the peers, over the same data."""

    row: str
    work: str
    ours: Work
    peers: dict[str, Work]
    targets: dict[str, float] = field(default_factory=dict)
    """How many times faster than each peer we want to be."""


@dataclass(frozen=True)
class Result:
    """Medians in milliseconds, and our peak of traced memory in MiB."""

    row: str
    work: str
    peer: str
    ours_ms: float
    peer_ms: float
    ratio: float
    """Median over the rounds of the peer's time over ours in the same round."""
    target: float | None
    peak_mib: float


def timed(work: Work) -> float:
    """Seconds of one run, without the collector's pauses."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    finally:
        gc.enable()


def compete(contest: Contest, rounds: int) -> Iterator[Result]:
    """Run ours and the peers in turn, after one run of each to warm up."""
    everyone = {"ours": contest.ours, **contest.peers}
    for work in everyone.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in everyone}
    for _ in range(rounds):
        for name, work in everyone.items():
            times[name].append(timed(work))
    peak = peak_memory(contest.ours)
    for name in contest.peers:
        ratios = [peer / ours for peer, ours in zip(times[name], times["ours"], strict=True)]
        yield Result(
            contest.row,
            contest.work,
            name,
            1e3 * statistics.median(times["ours"]),
            1e3 * statistics.median(times[name]),
            statistics.median(ratios),
            contest.targets.get(name),
            peak,
        )


def peak_memory(work: Work) -> float:
    """Peak of memory that Python and NumPy allocate during one run, in MiB."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
