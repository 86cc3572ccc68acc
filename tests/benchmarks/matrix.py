"""P3: a matrix of queries and items against scikit-learn, one measure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from sklearn_rank import ndcg_at_k_score
from tests.benchmarks._measure import Contest, Limits, Peer, Target, Timer, wall

N_QUERIES = {"small": 300, "full": 30_000}
N_ITEMS = 120


def contests(row: str, size: str) -> Iterator[Contest]:
    """The same matrix for scikit-learn with and without its treatment of ties."""
    rng = np.random.default_rng(0)
    shape = (N_QUERIES[size], N_ITEMS)
    y_true = rng.choice(5, shape, p=[0.5, 0.2, 0.15, 0.1, 0.05])
    y_score = rng.normal(size=shape).astype(np.float32)

    def sklearn(ignore_ties: bool) -> Timer:
        from sklearn.metrics import ndcg_score

        return wall(partial(ndcg_score, y_true, y_score, k=10, ignore_ties=ignore_ties))

    yield Contest(
        row,
        f"matrix of {shape[0]:,} x {shape[1]}: ndcg@10",
        partial(ndcg_at_k_score, y_true, y_score, k=10, gain="linear", zero_division=0.0),
        (
            Peer("scikit-learn, ties ignored", partial(sklearn, True), Target(1 / 4, cold=True)),
            Peer("scikit-learn, ties averaged", partial(sklearn, False), Target(1 / 12, cold=True)),
        ),
        y_true.nbytes + y_score.nbytes,
        y_true.size,
        Limits(of_input=0.5),
    )
