"""Warnings that point at the caller's line, however deep they are given."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Give = Callable[[str, type[Warning]], None]
"""(message, category) -> None."""


def warn(message: str, category: type[Warning]) -> None:
    """Give a warning at the first frame outside of the package."""
    give = _GIVE.get()
    if give is not None:
        give(message, category)
        return
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


# Warnings about data arise where it is read, far below the scorer, which alone knows that a search
# is running and wants them once.
_GIVE: ContextVar[Give | None] = ContextVar("give", default=None)


@contextmanager
def warnings_given_by(give: Give) -> Iterator[None]:
    """Hand the warnings of this block to ``give``; what it warns of itself goes out as usual."""

    def outside(message: str, category: type[Warning]) -> None:
        inner = _GIVE.set(None)
        try:
            give(message, category)
        finally:
            _GIVE.reset(inner)

    token = _GIVE.set(outside)
    try:
        yield
    finally:
        _GIVE.reset(token)


def _is_ours(module: str) -> bool:
    return module == "sklearn_rank" or module.startswith("sklearn_rank.")
