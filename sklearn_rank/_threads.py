"""Work on blocks of queries in threads; NumPy lets them run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Work = TypeVar("_Work")
_Done = TypeVar("_Done")


def in_threads(
    function: Callable[[_Work], _Done], work: Iterable[_Work], n_jobs: int | None
) -> list[_Done]:
    """Results of a function over all work, in order; -1 jobs are as many as there are cores."""
    pieces = list(work)
    n_threads = min((n_jobs if n_jobs != -1 else os.cpu_count()) or 1, len(pieces))
    if n_threads < 2:
        return [function(piece) for piece in pieces]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, pieces))
