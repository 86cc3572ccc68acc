"""Memory: giving it back before a call, and the most that a call takes."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

Work = Callable[[], Any]

MIB = 2**20
OURS = ("sklearn_rank", "pytest_rankmetrics")


@cache
def _trim() -> Callable[[int], int] | None:
    """glibc's way to return all free memory; other C libraries have none."""
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    return trim


def can_release() -> bool:
    """Whether memory can be returned to the system here, so that the next call finds it cold."""
    return _trim() is not None


def release() -> None:
    """Leave memory as a program finds it that calls once.

    What earlier calls left goes back to the system, which hands it out again page by page, each
    with a fault; and nothing that our package remembers from them is left. Input stays in memory.
    """
    gc.collect()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in OURS:
            _forget(module)
    trim = _trim()
    if trim is not None:
        trim(0)


def _forget(module: ModuleType) -> None:
    for value in vars(module).values():
        clear = getattr(value, "cache_clear", None)
        if callable(clear):
            clear()


def traced_peak(work: Work) -> float:
    """MiB that Python and NumPy allocate at most during one run."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / MIB
    finally:
        tracemalloc.stop()


def resident_growth(work: Work) -> float:
    """MiB by which the largest resident set of one run exceeds what was resident before.

    Memory that was free already is returned first, or it would be taken for nothing. Linux can
    forget the peak that was; elsewhere a run counts only where it exceeds all before it.
    """
    release()
    if not _STATUS.exists():
        highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work()
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - highest) / 1024
    Path("/proc/self/clear_refs").write_text("5")
    resident = _status("VmRSS")
    work()
    return (_status("VmHWM") - resident) / 1024


_STATUS = Path("/proc/self/status")


def _status(field: str) -> float:
    lines = _STATUS.read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(field))
