"""P14: exact bounds of nDCG where half of each ranking is unjudged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from sklearn_rank import evaluate
from tests.benchmarks._measure import Contest, Limits, Peer, wall

N_QUERIES = {"small": 200, "full": 10_000}
N_ITEMS, N_JUDGED = 20, 10
MEASURE = "ndcg@10"
MOST_SECONDS = 2.0


def contests(row: str, size: str) -> Iterator[Contest]:
    """Bounds of an evaluation, beside the evaluation itself."""
    truth, rankings = judged_in_part(N_QUERIES[size])
    evaluation = evaluate(truth, rankings, MEASURE, zero_division=0.0)
    bare = partial(evaluate, truth, rankings, MEASURE, zero_division=0.0)
    n_rows = len(truth) * N_ITEMS
    yield Contest(
        row,
        f"bounds of {MEASURE}, {len(truth):,} queries, {N_ITEMS - N_JUDGED} unjudged items each",
        partial(evaluation.bounds, MEASURE),
        (Peer("evaluate of the same", partial(wall, bare)),),
        n_rows=n_rows,
        limits=Limits(ns_row=MOST_SECONDS * 1e9 / n_rows),
    )


def judged_in_part(n_queries: int) -> tuple[dict[int, dict[str, int]], dict[int, Any]]:
    """Judgements of half of the items, and rankings of all."""
    rng = random.Random(0)
    items = [f"d{number}" for number in range(N_ITEMS)]
    truth = {
        query: {item: rng.choice([0, 0, 0, 1, 2]) for item in rng.sample(items, N_JUDGED)}
        for query in range(n_queries)
    }
    return truth, {query: rng.sample(items, N_ITEMS) for query in truth}
