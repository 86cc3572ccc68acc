"""P13: rows in queries of one length: short, middling, and long with few hits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks._measure import Contest, Limits, Peer, Target, Timer, wall
from tests.benchmarks.rows import Rows, evaluated

SHARE = {"small": 0.001, "full": 1.0}
LENGTHS = {10: 1_000_000, 1_000: 3_000, 100_000: 30}
"""Queries of each length."""
HITS = {10: 1, 1_000: 100, 100_000: 1_000}
PER_ROW = {10: 40.0, 1_000: 20.0}


def contests(row: str, size: str) -> Iterator[Contest]:
    """Each length against the sort of as many keys in as many pieces."""
    for length, n_queries in LENGTHS.items():
        rows = rows_of(max(int(n_queries * SHARE[size]), 1), length, HITS[length])
        n_rows = len(rows["y_true"])
        wanted = Target(1.0) if length == max(LENGTHS) else None
        keys = Peer(
            "numpy.sort of 64-bit keys, query by query", partial(_keys, rows, length), wanted
        )
        scores = Peer("numpy.sort of the scores, query by query", partial(_scores, rows, length))
        yield Contest(
            row,
            f"{n_rows:,} rows, {length:,} a query, {HITS[length]:,} relevant: 4 measures",
            evaluated(rows),
            (keys, scores),
            sum(column.nbytes for column in rows.values()),
            n_rows,
            Limits(ns_row=PER_ROW.get(length)),
        )


def rows_of(n_queries: int, length: int, hits: int) -> Rows:
    """As many hits in each query, at random places."""
    rng = np.random.default_rng(0)
    y_true = np.zeros((n_queries, length), dtype=np.int64)
    y_true[:, :hits] = 1
    return {
        "groups": np.repeat(np.arange(n_queries), length),
        "y_true": rng.permuted(y_true, axis=1).ravel(),
        "y_score": rng.normal(size=n_queries * length).astype(np.float32),
    }


def _keys(rows: Rows, length: int) -> Timer:
    """Scores and places in one integer each, as we sort them."""
    scores = rows["y_score"].reshape(-1, length)
    keys = scores.view(np.uint32).astype(np.uint64) << np.uint64(32)
    keys |= np.arange(length, dtype=np.uint64)
    return wall(partial(_sorted, keys))


def _scores(rows: Rows, length: int) -> Timer:
    return wall(partial(_sorted, rows["y_score"].reshape(-1, length)))


def _sorted(values: Any) -> Any:
    return np.sort(values, axis=1)
