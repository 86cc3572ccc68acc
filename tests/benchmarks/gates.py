"""P12: a gate that passes against the evaluation that it needs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from pytest_rankmetrics import assert_map_at_least
from sklearn_rank import evaluate
from tests.benchmarks._measure import Contest, Peer, Target, wall

N_QUERIES = {"small": 500, "full": 10_000}
N_ITEMS, N_RANKED, N_RELEVANT = 20_000, 50, 5
FLOOR = 0.01
"""Met by any ranking of these queries."""


def truths_and_rankings(n_queries: int) -> tuple[dict[str, set[str]], dict[str, list[str]]]:
    """For each query a ranked list, and items of it that are relevant."""
    rng = random.Random(0)
    catalogue = [f"item {number}" for number in range(N_ITEMS)]
    rankings = {f"q{n}": rng.sample(catalogue, N_RANKED) for n in range(n_queries)}
    return {query: {*rng.sample(one, N_RELEVANT)} for query, one in rankings.items()}, rankings


def contests(row: str, size: str) -> Iterator[Contest]:
    """The same queries as ranked lists and as {item: score}."""
    truths, rankings = truths_and_rankings(N_QUERIES[size])
    scores = {
        query: {item: 1.0 / place for place, item in enumerate(items, 1)}
        for query, items in rankings.items()
    }
    layouts: dict[str, Any] = {"lists": rankings, "{item: score}": scores}
    for name, results in layouts.items():
        ours = partial(assert_map_at_least, truths, results, FLOOR)
        bare = partial(wall, partial(evaluate, truths, results, "map"))
        peer = Peer("evaluate of the same", bare, Target(times=1.5))
        yield Contest(row, f"a passing gate, {len(truths):,} x {N_RANKED}, {name}", ours, (peer,))
