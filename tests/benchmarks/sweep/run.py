"""Go through all cases: each beside its reference, and at a quarter of its rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

from rich.progress import Progress

from tests.benchmarks._measure import least
from tests.benchmarks._memory import MIB, resident_growth
from tests.benchmarks._runs import Swept
from tests.benchmarks.sweep.arrays import MATRIX
from tests.benchmarks.sweep.case import Case, Layout
from tests.benchmarks.sweep.gates import GATES, SCORERS
from tests.benchmarks.sweep.objects import LISTS, MAPPING
from tests.benchmarks.sweep.options import AFTERWARDS, OPTIONS
from tests.benchmarks.sweep.reasons import REASONS
from tests.benchmarks.sweep.rows import ROWS
from tests.benchmarks.sweep.tables import FRAME

LAYOUTS = (ROWS, OPTIONS, AFTERWARDS, MATRIX, LISTS, MAPPING, FRAME, GATES, SCORERS)
N_ROWS = {"small": 1_000, "full": 400_000}
LIMIT = 5.0
"""Times the reference."""
STEP = 4
"""Times the rows."""
SLACK = 1.25
"""More rows fit the caches less well, which is no fault of the method."""
BUDGET = 10.0
"""Seconds after which a case gets no further round."""


def sweep(size: str, rounds: int, progress: Progress) -> list[Swept]:
    """All cases whose libraries are installed."""
    waiting = [(layout, case) for layout in LAYOUTS for case in layout.cases]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is remarked on is told elsewhere
        return [
            swept
            for layout, case in progress.track(waiting, description="sweep")
            for swept in _measured(layout, case, size, rounds)
        ]


def _measured(layout: Layout, case: Case, size: str, rounds: int) -> Iterator[Swept]:
    n_rows = int(N_ROWS[size] * layout.share)
    try:
        few, many = (case.make(int(n_rows * case.share / parts)) for parts in (STEP, 1))
    except ImportError:
        return
    reference = layout.reference(n_rows)
    try:
        slow, quick, base = least((many.work, few.work, reference.work), rounds, BUDGET)
        peak = MIB * resident_growth(many.work) if size == "full" else 0.0
    except Exception as error:
        error.add_note(f"in the case {case.name!r} of {layout.name}")
        raise
    ns_row = 1e9 * slow / many.n_rows
    ratio = ns_row / (1e9 * base / reference.n_rows)
    growth = slow / quick
    judged = size == "full"  # with few rows, calls cost what their Python costs
    yield Swept(
        layout.name,
        case.name,
        many.n_rows,
        ns_row,
        ratio,
        growth,
        peak / many.n_rows,
        judged and ratio > LIMIT,
        judged and growth > most_growth(few.n_rows, many.n_rows),
        REASONS.get((layout.name, case.name), ""),
    )


def most_growth(few: int, many: int) -> float:
    """Of n log n, with some slack."""
    return SLACK * many * math.log(max(many, 2)) / (few * math.log(max(few, 2)))
