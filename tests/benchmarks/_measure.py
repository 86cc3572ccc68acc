"""Alternating runs of several programs over the same work, and what they cost."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

Work = Callable[[], Any]
Timer = Callable[[], float]
"""Runs once and tells how many seconds it took."""


@dataclass(frozen=True)
class Target:
    """What is wanted: at most so many times the peer's time, or so many milliseconds more."""

    times: float | None = None
    more_ms: float | None = None

    def __str__(self) -> str:
        if self.times is None:
            return f"+{self.more_ms:g} ms"
        return f"{self.times:.3g}" if self.times >= 0.5 else f"1/{1 / self.times:.3g}"


@dataclass(frozen=True)
class Peer:
    """Another program, or another call of ours, over the same data."""

    name: str
    build: Callable[[], Timer]
    """Imports it and turns the data into its own form; ImportError if it is not installed."""
    target: Target | None = None


@dataclass(frozen=True)
class Contest:
    """Our call and the peers it is compared with."""

    row: str
    work: str
    ours: Work | None
    """None where our side itself is not installed."""
    peers: tuple[Peer, ...]
    input_bytes: int = 0
    """Bytes of the arrays given; 0 where the data are Python's objects."""
    in_process: bool = True
    """Whether our call takes its memory in this process."""


@dataclass(frozen=True)
class Result:
    """Medians in milliseconds and the median over the rounds of ours over the peer's time."""

    row: str
    work: str
    peer: str
    ours_ms: float | None
    peer_ms: float | None
    """None for what is not installed."""
    ratio: float | None
    target: str
    reached: bool | None
    memory: Mapping[str, float] = field(default_factory=dict)


def wall(work: Work) -> Timer:
    """Times a call, without the collector's pauses."""

    def timer() -> float:
        gc.collect()
        gc.disable()
        try:
            start = time.perf_counter()
            work()
            return time.perf_counter() - start
        finally:
            gc.enable()

    return timer


def difference(whole: Work, part: Work) -> Timer:
    """Times a call less the part of it that does not belong to the work."""
    long, short = wall(whole), wall(part)
    return lambda: long() - short()


def alternate(timers: Mapping[Any, Timer], rounds: int) -> dict[Any, list[float]]:
    """Seconds of each program, run in turn, after one run of each to warm up."""
    for timer in timers.values():
        timer()
    times: dict[Any, list[float]] = {name: [] for name in timers}
    for _ in range(rounds):
        for name, timer in timers.items():
            times[name].append(timer())
    return times


def compete(contest: Contest, rounds: int, memory: Mapping[str, float]) -> Iterator[Result]:
    """Our figures beside those of each peer; who is absent is named all the same."""
    timers = {} if contest.ours is None else {_OURS: wall(contest.ours)}
    for peer in contest.peers:
        with suppress(ImportError):
            timers[peer.name] = peer.build()
    # Whole processes differ by little and scatter by much.
    times = alternate(timers, rounds if contest.in_process else 3 * rounds)
    for peer in contest.peers:
        yield _result(contest, peer, times.get(_OURS), times.get(peer.name), memory)


_OURS = ""


def _result(
    contest: Contest,
    peer: Peer,
    ours: list[float] | None,
    theirs: list[float] | None,
    memory: Mapping[str, float],
) -> Result:
    ratio = reached = None
    if ours and theirs:
        pairs = list(zip(ours, theirs, strict=True))
        ratio = statistics.median(one / other for one, other in pairs)
        more_ms = 1e3 * statistics.median(one - other for one, other in pairs)
        reached = _reached(peer.target, ratio, more_ms)
    return Result(
        contest.row,
        contest.work,
        peer.name,
        _median_ms(ours),
        _median_ms(theirs),
        ratio,
        "" if peer.target is None else str(peer.target),
        reached,
        memory,
    )


def _median_ms(seconds: list[float] | None) -> float | None:
    return 1e3 * statistics.median(seconds) if seconds else None


def _reached(target: Target | None, ratio: float, more_ms: float) -> bool | None:
    if target is None:
        return None
    if target.times is not None:
        return ratio <= target.times
    return target.more_ms is not None and more_ms <= target.more_ms
