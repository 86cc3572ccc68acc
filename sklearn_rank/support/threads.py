"""Work on blocks of queries in threads; NumPy lets them run side by side.

Not ``ThreadPoolExecutor.map``: it goes on with further pieces until the caller's thread wakes up to
an error, and hands out each piece for 20 microseconds instead of 2.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

import numpy as np

_Work = TypeVar("_Work")
_Done = TypeVar("_Done")


def in_threads(
    function: Callable[[_Work], _Done], work: Iterable[_Work], n_jobs: int | None
) -> list[_Done]:
    """Results of a function over all work, in order; -1 jobs are as many as there are cores.

    Of several errors the one of the first piece of work is raised, as without threads.
    """
    pieces = list(work)
    n_threads = min((n_jobs if n_jobs != -1 else os.cpu_count()) or 1, len(pieces))
    if n_threads < 2:
        return [function(piece) for piece in pieces]
    waiting = deque(range(len(pieces)))
    done: dict[int, _Done] = {}
    errors: dict[int, Exception] = {}
    # NumPy 1 has these for each thread, outside of its context.
    reports: dict[str, Any] = {"call": np.geterrcall(), **np.geterr()}

    def run() -> None:
        # A thread that is done takes the next piece, so that none of them waits for another.
        while waiting and not errors:
            try:
                number = waiting.popleft()
            except IndexError:
                return
            try:
                with np.errstate(**reports):
                    done[number] = function(pieces[number])
            except Exception as error:
                errors[number] = error

    with ThreadPoolExecutor(n_threads - 1) as pool:
        try:
            others = [pool.submit(copy_context().run, run) for _ in range(n_threads - 1)]
            run()
        finally:
            waiting.clear()  # after an interrupt too no more work is begun
    for other in others:
        other.result()  # re-raise KeyboardInterrupt and the like
    try:
        if errors:
            raise errors[min(errors)]
    finally:
        errors.clear()  # an error whose traceback holds itself would hold all the work as well
    return [done[number] for number in range(len(pieces))]
