"""The floor: what reading costs, what sorting costs, and how far an evaluation is from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks._measure import least
from tests.benchmarks._memory import Work
from tests.benchmarks._runs import EVALUATE, READ, SORT, Cost
from tests.benchmarks.rows import CUT, MEASURES, N_QUERIES, Rows, evaluated, ltr_rows

WIDTHS = (16, 64, 256, 512, 1_024, 4_096, 131_072)
"""Up to 256, NumPy's sorts of integers are networks where the processor has wide registers."""
N_KEYS = {"small": 2**17, "full": 2**21}


def costs(size: str, rounds: int) -> list[Cost]:
    """The least of the rounds of each step, in turn."""
    steps = list(_steps(size))
    seconds = least([work for _, _, work, _ in steps], rounds)
    return [
        Cost(step, of, 1e9 * took / count)
        for (step, of, _, count), took in zip(steps, seconds, strict=True)
    ]


def _steps(size: str) -> Iterator[tuple[str, str, Work, int]]:
    """Name, what its elements are, the work, and how many elements."""
    rows = ltr_rows(N_QUERIES[size])
    n_rows = len(rows["y_true"])
    yield READ, "row", partial(_read, rows), n_rows
    keys = np.random.default_rng(0).integers(0, 2**63, N_KEYS[size], dtype=np.uint64)
    for dtype, values in (("64-bit", keys), ("32-bit", (keys >> 32).astype(np.uint32))):
        for width in WIDTHS:
            pieces = values.reshape(-1, width)
            work = partial(_sort_blocks, pieces)
            yield f"sort {dtype} keys, {width:,} at a time", "key", work, values.size
    yield SORT, "row", partial(_sort_lengths, _keys_by_length(rows)), n_rows
    yield from _evaluations(rows, n_rows)


def _evaluations(rows: Rows, n_rows: int) -> Iterator[tuple[str, str, Work, int]]:
    measures: dict[str, Any] = {
        "ndcg@10": "ndcg@10",
        "4 measures cut at 10": CUT,
        "4 measures": MEASURES,
    }
    for name, chosen in measures.items():
        yield f"{EVALUATE} {name}", "row", evaluated(rows, chosen, n_jobs=1), n_rows


def _read(rows: Rows) -> None:
    total: Callable[[Any], Any] = np.maximum.reduce
    for column in rows.values():
        total(column)


def _keys_by_length(rows: Rows) -> list[Any]:
    """A matrix for each length of a query."""
    lengths, counts = np.unique(np.bincount(rows["groups"]), return_counts=True)
    rng = np.random.default_rng(0)
    pairs = zip(lengths.tolist(), counts.tolist(), strict=True)
    return [rng.integers(0, 2**63, (n, length), dtype=np.uint64) for length, n in pairs]


def _sort_lengths(matrices: list[Any]) -> None:
    for matrix in matrices:
        _sort_blocks(matrix)


def _sort_blocks(pieces: Any) -> None:
    """In blocks that stay in the cache, as an evaluation does."""
    step = max(2**17 // pieces.shape[1], 1)
    for start in range(0, len(pieces), step):
        pieces[start : start + step].copy().sort(axis=1)
