"""P5: ranked lists of strings against the bare look at whether each item is relevant."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from sklearn_rank import evaluate
from tests.benchmarks import _rectools
from tests.benchmarks._measure import Contest, Peer, Target, wall

N_USERS = {"small": 1_000, "full": 100_000}
N_ITEMS, N_RANKED, N_RELEVANT = 20_000, 100, 10
MEASURES = ("map", "ndcg@10", "mrr", "precision@10", "recall@100")


def truths_and_rankings(n_users: int) -> tuple[list[set[str]], list[list[str]]]:
    """For each user items that are relevant, half of them among those that were recommended."""
    rng = random.Random(0)
    catalogue = [f"item {number}" for number in range(N_ITEMS)]
    rankings = [rng.sample(catalogue, N_RANKED) for _ in range(n_users)]
    truths = [
        {*rng.sample(ranking, N_RELEVANT // 2), *rng.sample(catalogue, N_RELEVANT // 2)}
        for ranking in rankings
    ]
    return truths, rankings


def membership(truths: list[set[str]], rankings: list[list[str]]) -> list[Any]:
    """Whether each item is relevant, and nothing more."""
    return [
        list(map(truth.__contains__, ranking))
        for truth, ranking in zip(truths, rankings, strict=True)
    ]


def contests(row: str, size: str) -> Iterator[Contest]:
    """Five measures, and the pass that none of them can do without."""
    truths, rankings = truths_and_rankings(N_USERS[size])
    bare = Peer(
        "the bare membership pass",
        lambda: wall(partial(membership, truths, rankings)),
        Target(times=1.5),
    )
    rectools = Peer(
        "RecTools, building included", partial(_rectools.start, truths, rankings), in_process=False
    )
    work = f"{len(rankings):,} users x {N_RANKED} items: {len(MEASURES)} measures"
    yield Contest(row, work, partial(evaluate, truths, rankings, MEASURES), (bare, rectools))
