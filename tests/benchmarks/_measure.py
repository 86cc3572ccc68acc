"""Programs in turn over the same work, with warm and with cold memory."""

from __future__ import annotations

import gc
import math
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tests.benchmarks._memory import MIB, Work, can_release, release, resident_growth, traced_peak


def nothing() -> None:
    """What is done before a call that finds memory as the last one left it."""


class Timer(Protocol):
    """Runs once, after ``prepare``, and tells how many seconds it took."""

    def __call__(self, prepare: Callable[[], None] = nothing) -> float: ...


@dataclass(frozen=True)
class Target:
    """What is wanted: at most so many times the peer's time, or so many milliseconds more."""

    times: float | None = None
    more_ms: float | None = None
    cold: bool = False
    """Whether the times are wanted with cold memory, too."""

    def __str__(self) -> str:
        if self.times is None:
            return f"+{self.more_ms:g} ms"
        part = 1 / self.times
        return f"1/{part:.3g}" if part >= 2 and round(part, 6) % 1 == 0 else f"{self.times:.3g}"


@dataclass(frozen=True)
class Limits:
    """What is wanted of our call alone."""

    ns_row: float | None = None
    """Nanoseconds a row, warm."""
    cold: float | None = None
    """Times the warm time, with cold memory."""
    of_input: float | None = None
    """Peak of memory over the size of the arrays given."""


@dataclass(frozen=True)
class Peer:
    """Another program, or another call of ours, over the same data."""

    name: str
    build: Callable[[], Timer]
    """Imports it and turns the data into its own form; ImportError if it is not installed."""
    target: Target | None = None
    in_process: bool = True
    """Whether it takes its memory in this process."""


def wall(work: Work) -> Timer:
    """Times a call, without the collector's pauses."""

    def timer(prepare: Callable[[], None] = nothing) -> float:
        gc.collect()
        prepare()
        gc.disable()
        try:
            start = time.perf_counter()
            work()
            return time.perf_counter() - start
        finally:
            gc.enable()

    return timer


def processor_time(work: Work) -> Timer:
    """Times the processes that a call starts and waits for, by the work they do."""

    def timer(prepare: Callable[[], None] = nothing) -> float:
        prepare()
        before = _children()
        work()
        return _children() - before

    return timer


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def difference(whole: Work, part: Work) -> Timer:
    """Times a call less the part of it that does not belong to the work."""
    long, short = wall(whole), wall(part)

    def timer(prepare: Callable[[], None] = nothing) -> float:
        return long(prepare) - short(prepare)

    return timer


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
    n_rows: int = 0
    """Rows given; 0 where there are none to count."""
    limits: Limits = Limits()
    in_process: bool = True
    """Whether our call takes its memory in this process; whole processes have no warm memory."""
    clock: Callable[[Work], Timer] = wall
    by_least: bool = False
    """Whether the least of the rounds counts, where noise is larger than what is sought."""
    repeats: int = 1
    """Times as many rounds: whole processes differ by little and scatter by much."""


class Turn(NamedTuple):
    """Seconds of two calls, one right after the other."""

    warm: float
    cold: float | None


class Contender(NamedTuple):
    """A program in a contest."""

    timer: Timer
    in_process: bool

    def turn(self, cold: bool) -> Turn:
        """A call that finds memory cold, and one that finds what this one left."""
        if not self.in_process:
            return Turn(self.timer(), None)
        first = self.timer(release if cold else nothing)
        return Turn(self.timer(), first if cold else None)


def alternate(
    contenders: Mapping[str, Contender], rounds: int, cold: bool = False
) -> dict[str, list[Turn]]:
    """Turns of each program, one after the other, after one run of each to get started."""
    for contender in contenders.values():
        contender.timer()
    turns: dict[str, list[Turn]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            turns[name].append(contender.turn(cold))
    return turns


def least(
    works: Sequence[Work],
    rounds: int,
    budget: float = math.inf,
    clock: Callable[[], float] = time.process_time,
) -> tuple[float, ...]:
    """Least seconds of the processor of each, in turn, after one run of each to get started.

    No further round is begun once the budget of seconds is spent.
    """
    begin = time.perf_counter()
    turns = [_clocked(works, clock)]
    while len(turns) <= rounds and time.perf_counter() - begin < budget:
        turns.append(_clocked(works, clock))
    return tuple(map(min, zip(*turns, strict=True)))


def _clocked(works: Sequence[Work], clock: Callable[[], float]) -> tuple[float, ...]:
    seconds = []
    for work in works:
        start = clock()
        work()
        seconds.append(clock() - start)
    return tuple(seconds)


OURS = ""
"""Our name among the contenders."""


def contend(contest: Contest, rounds: int, cold: bool) -> dict[str, list[Turn]]:
    """Turns of ours and of each peer that is installed."""
    contenders = {}
    if contest.ours is not None:
        contenders[OURS] = Contender(contest.clock(contest.ours), contest.in_process)
    for peer in contest.peers:
        with suppress(ImportError):
            in_process = peer.in_process and contest.in_process
            contenders[peer.name] = Contender(peer.build(), in_process)
    return alternate(contenders, rounds * contest.repeats, cold and can_release())


def peak(contest: Contest) -> dict[str, float]:
    """MiB that one call of ours takes at most beside its input: allocated, and resident."""
    if contest.ours is None or not contest.in_process:
        return {}
    figures = {"resident": resident_growth(contest.ours), "traced": traced_peak(contest.ours)}
    if contest.input_bytes:
        figures["times_input"] = figures["traced"] * MIB / contest.input_bytes
    return figures
