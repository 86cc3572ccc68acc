"""Which file measures which row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tests.benchmarks import gates, lists, mappings, matrix, rows, startup
from tests.benchmarks._measure import Contest

ROWS = {
    "P1": (rows,),
    "P2": (rows,),
    "P3": (matrix,),
    "P4": (mappings,),
    "P5": (lists,),
    "P8": (startup,),
    "P9": (rows, mappings),
    "P10": (rows,),
    "P11": (rows,),
    "P12": (gates,),
}


def contests_of(row: str, size: str) -> Iterator[Contest]:
    """All contests of a row."""
    return chain.from_iterable(module.contests(row, size) for module in ROWS[row])
