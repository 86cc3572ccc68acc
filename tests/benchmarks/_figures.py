"""From the seconds of single rounds to the figures of a contest."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from tests.benchmarks._measure import OURS, Contest, Peer, Target, Turn


@dataclass(frozen=True)
class Spread:
    """Median, quartiles and least of the rounds."""

    median: float
    low: float
    high: float
    least: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Of at least one value."""
        pair = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else None
        low, high = (pair[0], pair[2]) if pair else (values[0], values[0])
        return cls(statistics.median(values), low, high, min(values))


@dataclass(frozen=True)
class Times:
    """Milliseconds of a program."""

    warm: Spread
    cold: Spread | None
    """None where memory was not made cold."""
    cold_over_warm: Spread | None


@dataclass(frozen=True)
class Against:
    """Ours beside a peer: ratios of single rounds."""

    peer: str
    times: Times | None
    """None for what is not installed."""
    ratio: Spread | None
    """Ours over the peer's. ``least`` is the ratio of the two least times."""
    cold_ratio: Spread | None
    target: str
    reached: bool | None


@dataclass(frozen=True)
class Figures:
    """All figures of a contest."""

    row: str
    work: str
    n_rows: int
    by_least: bool
    ours: Times | None
    peers: tuple[Against, ...]
    memory: Mapping[str, float]
    ns_row: float | None
    missed: Mapping[str, float]
    """Limits of our own call that it does not keep."""

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """From what ``dataclasses.asdict`` made of it."""
        peers = tuple(
            Against(**peer | {"times": _times(peer["times"])} | _spreads(peer, "ratio"))
            for peer in stored["peers"]
        )
        return cls(**{**stored, "ours": _times(stored["ours"]), "peers": peers})


def _times(stored: Mapping[str, Any] | None) -> Times | None:
    if stored is None:
        return None
    return Times(**{name: value and Spread(**value) for name, value in stored.items()})


def _spreads(peer: Mapping[str, Any], *suffixes: str) -> dict[str, Spread | None]:
    names = [name for name in peer if name.endswith(suffixes)]
    return {name: peer[name] and Spread(**peer[name]) for name in names}


def figures_of(
    contest: Contest, turns: Mapping[str, Sequence[Turn]], memory: Mapping[str, float]
) -> Figures:
    """The figures; programs that are absent are named all the same."""
    ours = turns.get(OURS)
    times = None if ours is None else times_of(ours)
    per_row = None
    if times is not None and contest.n_rows:
        per_row = 1e6 * _typical(times.warm, contest.by_least) / contest.n_rows
    return Figures(
        contest.row,
        contest.work,
        contest.n_rows,
        contest.by_least,
        times,
        tuple(_against(contest, peer, ours, turns.get(peer.name)) for peer in contest.peers),
        memory,
        per_row,
        _missed(contest, times, per_row, memory),
    )


def times_of(turns: Sequence[Turn]) -> Times:
    """Spread of the turns of one program."""
    warm = Spread.of([1e3 * turn.warm for turn in turns])
    cold = [turn.cold for turn in turns if turn.cold is not None]
    if not cold:
        return Times(warm, None, None)
    slower = [turn.cold / turn.warm for turn in turns if turn.cold is not None]
    return Times(warm, Spread.of([1e3 * seconds for seconds in cold]), Spread.of(slower))


def _typical(spread: Spread, by_least: bool) -> float:
    return spread.least if by_least else spread.median


def _missed(
    contest: Contest, times: Times | None, per_row: float | None, memory: Mapping[str, float]
) -> dict[str, float]:
    if times is None:
        return {}
    slower = times.cold_over_warm
    values = {
        "ns_row": per_row,
        "cold": None if slower is None else slower.median,
        "of_input": memory.get("times_input"),
    }
    limits = vars(contest.limits)
    return {
        name: limits[name]
        for name, value in values.items()
        if value is not None and limits[name] is not None and value > limits[name]
    }


def _against(
    contest: Contest, peer: Peer, ours: Sequence[Turn] | None, theirs: Sequence[Turn] | None
) -> Against:
    target = "" if peer.target is None else str(peer.target)
    times = None if theirs is None else times_of(theirs)
    if ours is None or theirs is None:
        return Against(peer.name, times, None, None, target, None)
    ratio, more_ms = _compared(ours, theirs, lambda turn: turn.warm, contest.by_least)
    cold = None
    if ours[0].cold is not None and theirs[0].cold is not None:
        cold, _ = _compared(ours, theirs, lambda turn: turn.cold or 0.0, contest.by_least)
    return Against(
        peer.name,
        times,
        ratio,
        cold,
        target,
        _reached(peer.target, contest.by_least, more_ms, ratio, cold),
    )


def _reached(
    target: Target | None, by_least: bool, more_ms: float, warm: Spread, cold: Spread | None
) -> bool | None:
    if target is None:
        return None
    if target.times is None:
        return target.more_ms is not None and more_ms <= target.more_ms
    ratios = [warm] if cold is None or not target.cold else [warm, cold]
    return all(_typical(ratio, by_least) <= target.times for ratio in ratios)


def _compared(
    ours: Sequence[Turn],
    theirs: Sequence[Turn],
    seconds: Callable[[Turn], float],
    by_least: bool,
) -> tuple[Spread, float]:
    """Ratios of the rounds, and how many milliseconds more ours takes."""
    pairs = [(seconds(mine), seconds(other)) for mine, other in zip(ours, theirs, strict=True)]
    best_ours, best_theirs = (min(column) for column in zip(*pairs, strict=True))
    spread = Spread.of([mine / other for mine, other in pairs])
    spread = Spread(spread.median, spread.low, spread.high, best_ours / best_theirs)
    more = best_ours - best_theirs
    if not by_least:
        more = statistics.median(mine - other for mine, other in pairs)
    return spread, 1e3 * more
