"""The benchmark's arithmetic, with clocks that tell what the test says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.benchmarks import _measure
from tests.benchmarks._measure import Contest, Peer, Result, Target, Timer, alternate, compete
from tests.benchmarks._memory import traced_peak
from tests.benchmarks._report import table


def told(*seconds: float) -> Timer:
    """A clock; its first time is that of the run to warm up."""
    left: Iterator[float] = iter(seconds)
    return lambda: next(left)


def contest(*peers: Peer) -> Contest:
    return Contest("P0", "some work", lambda: None, peers)


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our call takes 2, 4 and 9 ms, after a first run of 50."""
    monkeypatch.setattr(_measure, "wall", lambda work: told(0.050, 0.002, 0.004, 0.009))


def absent() -> Timer:
    raise ModuleNotFoundError(name="another")


@pytest.mark.usefixtures("ours")
def test_medians_and_the_median_of_ratios() -> None:
    peer = Peer("another", lambda: told(0.1, 0.020, 0.010, 0.030), Target(times=1 / 4))
    (found,) = compete(contest(peer), 3, {})
    assert (found.ours_ms, found.peer_ms) == pytest.approx((4.0, 20.0))
    assert found.ratio == pytest.approx(sorted((2 / 20, 4 / 10, 9 / 30))[1])
    assert found.reached is False  # 0.3 of the peer's time, where a quarter is wanted


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize(("target", "reached"), [(Target(times=0.3), True), (None, None)])
def test_a_target_of_ratios(target: Target | None, reached: bool | None) -> None:
    peer = Peer("another", lambda: told(0.1, 0.020, 0.020, 0.030), target)
    (found,) = compete(contest(peer), 3, {})  # 2 / 20, 4 / 20, 9 / 30
    assert found.reached is reached


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize(("more_ms", "reached"), [(1.5, True), (0.5, False)])
def test_a_target_of_milliseconds(more_ms: float, reached: bool) -> None:
    peer = Peer("another", lambda: told(0.1, 0.001, 0.003, 0.009), Target(more_ms=more_ms))
    (found,) = compete(contest(peer), 3, {})  # 1, 1 and 0 ms more
    assert found.reached is reached


@pytest.mark.usefixtures("ours")
def test_an_absent_peer_is_named() -> None:
    (found,) = compete(contest(Peer("another", absent, Target(times=1.0))), 3, {})
    assert (found.peer, found.peer_ms, found.ratio, found.reached) == ("another", None, None, None)
    assert "| another | 4.0 | absent |  | 1 |" in table([found])


def test_where_our_side_is_absent_nothing_is_measured() -> None:
    nobody = Contest("P0", "some work", None, (Peer("another", lambda: told(0.1, 0.2)),))
    (found,) = compete(nobody, 1, {})
    assert (found.ours_ms, found.peer_ms, found.ratio) == (None, pytest.approx(200.0), None)


def test_programs_take_turns() -> None:
    calls: list[str] = []

    def timer(name: str) -> Timer:
        return lambda: calls.append(name) or float(len(calls))

    times = alternate({"a": timer("a"), "b": timer("b")}, 2)
    assert calls == ["a", "b", "a", "b", "a", "b"]
    assert times == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


def test_the_peak_of_memory_is_that_of_the_call() -> None:
    assert traced_peak(lambda: bytearray(3 * 2**20)) == pytest.approx(3, rel=0.01)


def test_the_table_has_all_figures() -> None:
    memory = {"traced": 77.2, "resident": 60.3, "times_input": 1.234}
    one = Result("P1", "rows", "XGBoost", 1234.56, 12.3, 100.4, "1", False, memory)
    assert table([one]).splitlines()[-1] == (
        "| P1 | rows | XGBoost | 1,234.6 | 12.3 | 100 (missed) | 1 | 77 / 60 | 1.23 |"
    )


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (Target(times=1.5), "1.5"),
        (Target(times=1 / 30), "1/30"),
        (Target(times=1 / 4), "1/4"),
        (Target(more_ms=5.0), "+5 ms"),
    ],
)
def test_targets_as_text(target: Target, text: str) -> None:
    assert str(target) == text
