"""Work in threads: the same results and the same errors as one piece after the other."""

import gc
import threading
import weakref
from contextvars import ContextVar

import numpy as np
import pytest

from sklearn_rank.support.runtime import in_threads

CONTEXT: ContextVar[str] = ContextVar("CONTEXT", default="unset")
JOBS = [None, 1, 2, 3, 8, -1]


@pytest.mark.parametrize("n_jobs", JOBS)
def test_results_come_in_the_order_of_the_work(n_jobs: int | None) -> None:
    for n_pieces in (0, 20):
        squares = [one * one for one in range(n_pieces)]
        assert in_threads(lambda one: one * one, range(n_pieces), n_jobs) == squares


@pytest.mark.parametrize("n_jobs", JOBS)
def test_of_several_errors_that_of_the_first_piece_is_raised(n_jobs: int | None) -> None:
    second_failed = threading.Event()

    def work(one: int) -> int:
        if one == 3:
            # In threads another piece fails before this one does.
            second_failed.wait(timeout=0.0 if n_jobs in (None, 1) else 0.2)
            msg = "third"
            raise ValueError(msg)
        if one > 3:
            second_failed.set()
            msg = "later"
            raise ValueError(msg)
        return one

    with pytest.raises(ValueError, match="third"):
        in_threads(work, range(8), n_jobs)


def test_after_an_error_no_more_work_is_begun() -> None:
    begun: list[int] = []

    def work(one: int) -> None:
        begun.append(one)
        msg = "stop"
        raise ValueError(msg)

    with pytest.raises(ValueError, match="stop"):
        in_threads(work, range(1000), 2)
    assert len(begun) <= 2


def test_two_pieces_are_worked_on_at_once() -> None:
    meeting = threading.Barrier(2, timeout=60)
    assert in_threads(lambda _: meeting.wait() >= 0, range(2), 2) == [True, True]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_numpy_reports_errors_in_threads_as_the_caller_wants(n_jobs: int) -> None:
    def divide(one: int) -> float:
        return float(np.float64(one) / np.float64(0))

    kinds: list[str] = []
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        in_threads(divide, range(1, 9), n_jobs)
    with np.errstate(divide="call", call=lambda kind, _: kinds.append(kind)):
        assert in_threads(divide, range(1, 9), n_jobs) == [np.inf] * 8
    assert kinds == ["divide by zero"] * 8


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_see_the_callers_context(n_jobs: int) -> None:
    token = CONTEXT.set("mine")
    try:
        assert in_threads(lambda _: CONTEXT.get(), range(8), n_jobs) == ["mine"] * 8
    finally:
        CONTEXT.reset(token)


@pytest.mark.parametrize("where", ["caller", "other thread"])
def test_an_interrupt_ends_the_work_and_beats_its_errors(where: str) -> None:
    begun: list[int] = []
    meeting = threading.Barrier(2, timeout=60)

    def work(one: int) -> None:
        begun.append(one)
        meeting.wait()
        is_caller = threading.current_thread() is threading.main_thread()
        if is_caller == (where == "caller"):
            raise KeyboardInterrupt
        msg = "an error of the work"
        raise ValueError(msg)

    with pytest.raises(KeyboardInterrupt):
        in_threads(work, range(1000), 2)
    assert len(begun) == 2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_lets_the_work_go(n_jobs: int) -> None:
    """No reference cycle through the error keeps its arrays until the collector runs."""
    arrays = [np.zeros(1) for _ in range(2)]
    gone = weakref.ref(arrays[0])

    def work(one: np.ndarray) -> None:
        raise ValueError(str(one))

    gc.disable()
    try:
        with pytest.raises(ValueError, match="0"):
            in_threads(work, arrays, n_jobs)
        del arrays, work
        assert gone() is None
    finally:
        gc.enable()
