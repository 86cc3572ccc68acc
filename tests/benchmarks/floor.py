"""The floor: what reading costs, what sorting costs, and how far an evaluation is from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks._measure import wall
from tests.benchmarks._memory import Work
from tests.benchmarks._runs import Cost
from tests.benchmarks.rows import CUT, MEASURES, N_QUERIES, Rows, evaluated, ltr_rows

WIDTHS = (16, 64, 256, 512, 1_024, 4_096, 131_072)
"""Up to 256, NumPy's sorts of integers are networks where the processor has wide registers."""
N_KEYS = {"small": 2**17, "full": 2**21}


def costs(size: str, rounds: int) -> list[Cost]:
    """The least of the rounds of each step, in turn."""
    steps = list(_steps(size))
    timers = [wall(work) for _, _, work, _ in steps]
    seconds = [[timer() for timer in timers] for _ in range(rounds + 1)]
    least = map(min, zip(*seconds, strict=True))
    return [
        Cost(step, of, 1e9 * took / count)
        for (step, of, _, count), took in zip(steps, least, strict=True)
    ]


def _steps(size: str) -> Iterator[tuple[str, str, Work, int]]:
    """Name, what its elements are, the work, and how many elements."""
    rows = ltr_rows(N_QUERIES[size])
    n_rows = len(rows["y_true"])
    yield "read ids, grades and scores once", "row", partial(_read, rows), n_rows
    keys = np.random.default_rng(0).integers(0, 2**63, N_KEYS[size], dtype=np.uint64)
    for dtype, values in (("64-bit", keys), ("32-bit", (keys >> 32).astype(np.uint32))):
        for width in WIDTHS:
            pieces = values.reshape(-1, width)
            work = partial(_sort_blocks, pieces)
            yield f"sort {dtype} keys, {width:,} at a time", "key", work, values.size
    yield from _evaluations(rows, n_rows)


def _evaluations(rows: Rows, n_rows: int) -> Iterator[tuple[str, str, Work, int]]:
    measures: dict[str, Any] = {
        "ndcg@10": "ndcg@10",
        "4 measures cut at 10": CUT,
        "4 measures": MEASURES,
    }
    for name, chosen in measures.items():
        yield f"evaluate rows (P1) by {name}", "row", evaluated(rows, chosen, n_jobs=1), n_rows


def _read(rows: Rows) -> None:
    total: Callable[[Any], Any] = np.maximum.reduce
    for column in rows.values():
        total(column)


def _sort_blocks(pieces: Any) -> None:
    """In blocks that stay in the cache, as an evaluation does."""
    step = max(2**17 // pieces.shape[1], 1)
    for start in range(0, len(pieces), step):
        pieces[start : start + step].copy().sort(axis=1)
