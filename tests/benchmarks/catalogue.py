"""Which file measures which row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from tests.benchmarks import (
    bounds,
    comparing,
    files,
    gates,
    lengths,
    lists,
    mappings,
    matrix,
    rows,
    startup,
)
from tests.benchmarks._measure import Contest, Limits

ROWS = {
    "P1": (rows,),
    "P2": (rows,),
    "P3": (matrix,),
    "P4": (mappings,),
    "P5": (lists,),
    "P6": (files,),
    "P8": (startup,),
    "P9": (rows, mappings),
    "P10": (rows,),
    "P11": (rows,),
    "P12": (gates,),
    "P13": (lengths,),
    "P14": (bounds,),
    "P15": (comparing,),
}


def contests_of(row: str, size: str) -> Iterator[Contest]:
    """All contests of a row."""
    contests = chain.from_iterable(module.contests(row, size) for module in ROWS[row])
    return contests if size == "full" else map(_unjudged, contests)


def _unjudged(contest: Contest) -> Contest:
    """Targets hold for full sizes; with few rows a call costs what its Python costs."""
    peers = tuple(replace(peer, target=None) for peer in contest.peers)
    return replace(contest, peers=peers, limits=Limits())
