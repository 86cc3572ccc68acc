"""The benchmark's arithmetic, with clocks that tell what the test says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest

from tests.benchmarks import _measure, boosters
from tests.benchmarks._figures import Figures, Spread, figures_of, times_of
from tests.benchmarks._measure import (
    Contender,
    Contest,
    Limits,
    Peer,
    Target,
    Timer,
    Turn,
    alternate,
    contend,
    difference,
    least,
    nothing,
    peak,
    processor_time,
    wall,
)
from tests.benchmarks._memory import release, traced_peak
from tests.benchmarks.catalogue import ROWS, contests_of
from tests.benchmarks.startup import python


def turns(*seconds: float) -> list[Turn]:
    """Turns with warm memory alone."""
    return [Turn(each, None) for each in seconds]


NO_LIMITS = Limits()


def contest(*peers: Peer, limits: Limits = NO_LIMITS, by_least: bool = False) -> Contest:
    return Contest(
        "P0", "some work", nothing, peers, n_rows=1_000, limits=limits, by_least=by_least
    )


def absent() -> Timer:
    raise ModuleNotFoundError(name="another")


def peer(target: Target | None = None) -> Peer:
    return Peer("another", absent, target)


OURS = turns(0.002, 0.004, 0.009)


def test_medians_and_the_median_of_ratios() -> None:
    figures = figures_of(
        contest(peer(Target(times=1 / 4))), {"": OURS, "another": turns(0.02, 0.01, 0.03)}, {}
    )
    (against,) = figures.peers
    assert figures.ours is not None
    assert figures.ours.warm.median == pytest.approx(4.0)
    assert against.times is not None
    assert against.times.warm.median == pytest.approx(20.0)
    assert against.ratio is not None
    assert against.ratio.median == pytest.approx(9 / 30)  # the middle of 2/20, 4/10, 9/30
    assert against.ratio.least == pytest.approx(
        2 / 10
    )  # the least of ours over the least of theirs
    assert against.reached is False  # 0.3 of the peer's time, where a quarter is wanted
    assert figures.ns_row == pytest.approx(1e9 * 0.004 / 1_000)


def test_quartiles() -> None:
    assert Spread.of([1.0, 2.0, 3.0, 4.0, 9.0]) == Spread(3.0, 2.0, 4.0, 1.0)
    assert Spread.of([7.0]) == Spread(7.0, 7.0, 7.0, 7.0)


@pytest.mark.parametrize(
    ("target", "reached"),
    [
        (Target(times=0.3), True),
        (Target(times=0.29), False),
        (Target(more_ms=-5.9), True),  # -18, -6 and -21 ms more; the middle counts
        (Target(more_ms=-18.1), False),
        (None, None),
    ],
)
def test_targets_of_medians(target: Target | None, reached: bool | None) -> None:
    theirs = turns(0.02, 0.01, 0.03)
    (against,) = figures_of(contest(peer(target)), {"": OURS, "another": theirs}, {}).peers
    assert against.reached is reached


@pytest.mark.parametrize(
    ("target", "reached"),
    [
        (Target(times=0.2), True),  # 2 / 10
        (Target(times=0.19), False),
        (Target(more_ms=-8.0), True),
        (Target(more_ms=-8.1), False),
    ],
)
def test_targets_of_the_least_times(target: Target, reached: bool) -> None:
    least = contest(peer(target), by_least=True)
    theirs = turns(0.02, 0.01, 0.03)
    (against,) = figures_of(least, {"": OURS, "another": theirs}, {}).peers
    assert against.reached is reached


def test_cold_beside_warm() -> None:
    pairs = [Turn(0.002, 0.003), Turn(0.004, 0.004), Turn(0.010, 0.020)]
    times = times_of(pairs)
    assert times.cold is not None
    assert times.cold.median == pytest.approx(4.0)
    assert times.cold_over_warm is not None
    assert times.cold_over_warm.median == pytest.approx(3 / 2)  # the middle of 3/2, 4/4, 20/10


@pytest.mark.parametrize(("cold", "reached"), [(False, True), (True, False)])
def test_a_target_with_cold_memory(cold: bool, reached: bool) -> None:
    ours, theirs = [Turn(0.002, 0.006)], [Turn(0.010, 0.012)]  # 0.2 warm, 0.5 cold
    wanted = contest(peer(Target(times=0.25, cold=cold)))
    (against,) = figures_of(wanted, {"": ours, "another": theirs}, {}).peers
    assert against.cold_ratio is not None
    assert against.cold_ratio.median == pytest.approx(0.5)
    assert against.reached is reached


def test_limits_of_our_own() -> None:
    strict = Limits(ns_row=3_999.0, cold=1.4, of_input=0.5)
    ours = [Turn(0.004, 0.006)]
    figures = figures_of(contest(limits=strict), {"": ours}, {"times_input": 0.6})
    assert figures.missed == {"ns_row": 3_999.0, "cold": 1.4, "of_input": 0.5}
    met = Limits(ns_row=4_001.0, cold=1.6, of_input=0.7)
    assert figures_of(contest(limits=met), {"": ours}, {"times_input": 0.6}).missed == {}


def test_an_absent_peer_is_named() -> None:
    contender = contest(peer(Target(times=1.0)))
    figures = figures_of(contender, contend(contender, 1, cold=False), {})
    (against,) = figures.peers
    assert (against.peer, against.times, against.ratio, against.reached) == (
        "another",
        None,
        None,
        None,
    )


def test_where_our_side_is_absent_nothing_is_compared() -> None:
    nobody = Contest("P0", "some work", None, (Peer("another", lambda: wall(nothing)),))
    figures = figures_of(nobody, contend(nobody, 1, cold=False), {})
    assert (figures.ours, figures.ns_row, figures.peers[0].ratio) == (None, None, None)
    assert figures.peers[0].times is not None


def recording(calls: list[str], name: str) -> Timer:
    def timer(prepare: Callable[[], None] = nothing) -> float:
        calls.append(f"{name} cold" if prepare is release else name)
        return float(len(calls))

    return timer


def test_programs_take_turns_and_follow_themselves() -> None:
    calls: list[str] = []
    contenders = {name: Contender(recording(calls, name), True) for name in "ab"}
    measured = alternate(contenders, 2)
    assert calls == ["a", "b", "a", "a", "b", "b", "a", "a", "b", "b"]
    assert measured == {"a": turns(4.0, 8.0), "b": turns(6.0, 10.0)}


def test_memory_is_made_cold_before_the_first_of_two_calls() -> None:
    calls: list[str] = []
    measured = alternate({"a": Contender(recording(calls, "a"), True)}, 1, cold=True)
    assert calls == ["a", "a cold", "a"]
    assert measured == {"a": [Turn(3.0, 2.0)]}


def test_whole_processes_run_once_a_turn() -> None:
    calls: list[str] = []
    measured = alternate({"a": Contender(recording(calls, "a"), False)}, 2, cold=True)
    assert calls == ["a", "a", "a"]
    assert measured == {"a": turns(2.0, 3.0)}


def test_no_cold_figures_where_memory_cannot_be_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_measure, "can_release", lambda: False)
    assert contend(contest(), 1, cold=True)[""][0].cold is None


def test_a_call_less_a_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock: Iterator[float] = iter([0.0, 5.0, 10.0, 12.0])  # the whole takes 5 s, the part 2 s
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    assert difference(nothing, nothing)() == 3.0


def test_time_of_the_processor_is_that_of_the_child() -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    assert processor_time(lambda: python("-c", busy))() >= 0.3
    assert processor_time(nothing)() == 0.0


def clock(*seconds: float) -> Iterator[float]:
    """Times at which runs begin and end, one right after the other."""
    now = 0.0
    for each in seconds:
        yield now
        now += each
        yield now


def test_the_least_of_the_rounds_counts() -> None:
    times = clock(9.0, 9.0, 3.0, 2.0, 1.0, 4.0)  # three rounds of two programs
    assert least((list, list), 2, clock=lambda: next(times)) == (1.0, 2.0)


def test_slow_cases_get_no_further_round() -> None:
    times = clock(9.0)
    assert least((list,), 5, 0.0, lambda: next(times)) == (9.0,)


def test_the_peak_of_memory_is_that_of_the_call() -> None:
    assert traced_peak(lambda: bytearray(3 * 2**20)) == pytest.approx(3, rel=0.01)


def test_the_peak_beside_the_input() -> None:
    work = Contest("P0", "work", lambda: bytearray(3 * 2**20), (), input_bytes=6 * 2**20)
    figures = peak(work)
    assert figures["times_input"] == pytest.approx(0.5, rel=0.01)
    assert 2.5 <= figures["resident"] <= 4


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (Target(times=1.5), "1.5"),
        (Target(times=0.4), "0.4"),
        (Target(times=1 / 30), "1/30"),
        (Target(times=1 / 4), "1/4"),
        (Target(more_ms=5.0), "+5 ms"),
    ],
)
def test_targets_as_text(target: Target, text: str) -> None:
    assert str(target) == text


def test_no_two_contests_have_one_name() -> None:
    """Runs of several machines are joined by these names."""
    contests = [each for row in ROWS for each in contests_of(row, "small")]
    names = [(each.row, each.work) for each in contests]
    assert len(names) == len(set(names))
    assert {row for row, _ in names} == set(ROWS)
    for each in contests:
        peers = [peer.name for peer in each.peers]
        assert len(peers) == len(set(peers))


def test_small_sizes_have_no_targets() -> None:
    (contest,) = contests_of("P3", "small")
    assert contest.limits == Limits()
    assert all(peer.target is None for peer in contest.peers)


def test_figures_survive_being_stored() -> None:
    from dataclasses import asdict

    pairs = {"": [Turn(0.004, 0.006)], "another": [Turn(0.002, 0.003)]}
    figures = figures_of(contest(peer(Target(times=2.0))), pairs, {"traced": 1.0})
    assert Figures.read(asdict(figures)) == Figures(
        **{**vars(figures), "peers": tuple(figures.peers)}
    )


def test_watched_boosters_are_measured(monkeypatch, capsys):
    few = ("--queries=20", "--rows=5", "--trees=2", "--rounds=1")
    monkeypatch.setattr(sys, "argv", ["boosters", *few])
    boosters.main()
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in told[1:]] == ["lgb.train", "xgb.train", "XGBRanker"]
