"""How the cost grows with rows, queries, hits, measures and cores."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank import evaluate
from tests.benchmarks._measure import Contender, alternate, wall
from tests.benchmarks._memory import Work
from tests.benchmarks._runs import Series
from tests.benchmarks.rows import MEASURES, TWENTY, evaluated, ltr_rows

MILLION = 1_000_000
SHARE = {"small": 0.001, "full": 1.0}
"""Part of the largest sizes that is measured."""


Make = Callable[[Any], tuple[Work, int]]


def series_of(size: str, rounds: int) -> Iterator[Callable[[], Series]]:
    """Measurements still to be made; those of one are made in turn."""
    share = SHARE[size]
    # Rows: queries of lognormal length have 110 rows on average.
    n_rows = [int(millions * MILLION * share) for millions in (0.3, 1, 3, 10, 30)]
    yield partial(_measured, "rows", "rows", "", n_rows, _by_rows, rounds)
    total = int(3 * MILLION * share)
    lengths = (10, 30, 100, 300, 1_000, 3_000) if size == "small" else (10, 100, 1_000, 10_000)
    queries = [max(total // length, 1) for length in lengths]
    for hits in (1, 10):
        make = partial(_by_queries, total, hits)
        yield partial(_measured, "queries", "queries", f"{hits} hits each", queries, make, rounds)
    hits_each = [1, 3, 10, 30, 100, 300]
    yield partial(
        _measured, "hits", "hits per query", "", hits_each, partial(_by_hits, total), rounds
    )
    counts = [1, 2, 4, 8, 12, 16, 20]
    make = partial(_by_measures, int(30_000 * share) or 1)
    yield partial(_measured, "measures", "measures", "", counts, make, rounds)
    cores = list(range(1, (os.cpu_count() or 1) + 1))
    for dtype in ("float32", "float64"):
        make = partial(_by_cores, int(30_000 * share) or 1, dtype)
        yield partial(_measured, "cores", "threads (n_jobs)", dtype, cores, make, rounds)


def _measured(
    name: str, quantity: str, line: str, values: list[Any], make: Make, rounds: int
) -> Series:
    works = {value: make(value) for value in values}
    contenders = {str(value): Contender(wall(work), True) for value, (work, _) in works.items()}
    turns = alternate(contenders, rounds)
    ms = [1e3 * statistics.median(turn.warm for turn in turns[name]) for name in contenders]
    return Series(name, quantity, line, list(works), ms, [rows for _, rows in works.values()])


def _by_rows(n_rows: int) -> tuple[Work, int]:
    rows = ltr_rows(max(n_rows // 110, 1))
    return evaluated(rows), len(rows["y_true"])


def _matrix(n_queries: int, length: int, hits: int) -> tuple[Work, int]:
    """As many hits in each query, at random places."""
    rng = np.random.default_rng(0)
    y_true = np.zeros((n_queries, length), dtype=np.int8)
    y_true[:, : min(hits, length)] = 1
    y_true = rng.permuted(y_true, axis=1)
    y_score = rng.normal(size=y_true.shape).astype(np.float32)
    return partial(evaluate, y_true, y_score, MEASURES, zero_division=np.nan), y_true.size


def _by_queries(total: int, hits: int, n_queries: int) -> tuple[Work, int]:
    return _matrix(n_queries, max(total // n_queries, 1), hits)


def _by_hits(total: int, hits: int) -> tuple[Work, int]:
    return _matrix(max(total // 1_000, 1), 1_000, hits)


def _by_measures(n_queries: int, count: int) -> tuple[Work, int]:
    rows = ltr_rows(n_queries)
    return evaluated(rows, TWENTY[:count]), len(rows["y_true"])


def _by_cores(n_queries: int, dtype: str, n_jobs: int) -> tuple[Work, int]:
    rows = ltr_rows(n_queries, dtype)
    return evaluated(rows, n_jobs=n_jobs), len(rows["y_true"])
