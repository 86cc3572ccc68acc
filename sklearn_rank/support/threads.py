"""Work on blocks of queries in threads; NumPy lets them run side by side.

Not ``ThreadPoolExecutor.map``: after an error it starts further pieces until the caller's thread
wakes up, and handing out a piece costs 20 microseconds instead of 2.
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
    """Results of a function over all work, in order; ``n_jobs=-1`` takes all cores.

    Of several errors, that of the first piece is raised, as it would be without threads.
    """
    pieces = list(work)
    n_threads = min((n_jobs if n_jobs != -1 else os.cpu_count()) or 1, len(pieces))
    if n_threads < 2:
        return [function(piece) for piece in pieces]
    waiting = deque(range(len(pieces)))
    done: dict[int, _Done] = {}
    errors: dict[int, Exception] = {}
    # NumPy 1 keeps the error state per thread, outside of its context.
    reports: dict[str, Any] = {"call": np.geterrcall(), **np.geterr()}

    def run() -> None:
        # Threads take the next piece as they become free, so that none waits for another.
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
            waiting.clear()  # no more work is begun, after an interrupt either
    for other in others:
        other.result()  # re-raise KeyboardInterrupt and the like
    try:
        if errors:
            raise errors[min(errors)]
    finally:
        # Breaks the cycle error -> traceback -> this frame, which would keep all the work alive.
        errors.clear()
    return [done[number] for number in range(len(pieces))]
