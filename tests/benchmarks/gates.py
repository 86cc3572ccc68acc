"""P12: gates that pass, and baselines, against the evaluation that they need."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from pytest_rankmetrics import assert_map_at_least
from pytest_rankmetrics.gates.files import FileGate, FileSession, judge_files
from sklearn_rank import evaluate
from tests.benchmarks import _scratch
from tests.benchmarks._measure import Contest, Peer, Target, wall

N_QUERIES = {"small": 500, "full": 10_000}
N_RECORDED = {"small": 500, "full": 100_000}
N_ITEMS, N_RANKED, N_RELEVANT = 20_000, 50, 5
FLOOR = 0.01
"""Met by any ranking of these queries."""


def truths_and_rankings(n_queries: int) -> tuple[dict[str, set[str]], dict[str, list[str]]]:
    """For each query a ranked list, and items of it that are relevant."""
    rng = random.Random(0)
    catalogue = [f"item {number}" for number in range(N_ITEMS)]
    rankings = {f"q{n}": rng.sample(catalogue, N_RANKED) for n in range(n_queries)}
    return {
        query: {*rng.sample(ranked, N_RELEVANT)} for query, ranked in rankings.items()
    }, rankings


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
    yield from recorded(row, *truths_and_rankings(N_RECORDED[size]))


def judge(gate: FileGate, directory: Path, *, update: bool = False) -> None:
    """One gate, which has to pass; in continuous integration too, where gates write nothing."""
    outside = {name: value for name, value in os.environ.items() if name != "CI"}
    with mock.patch.dict(os.environ, outside, clear=True):
        (run,) = judge_files([gate], FileSession(directory, update=update)).gates
    if run.failed:
        raise RuntimeError(run.record["headline"])


def recorded(row: str, truths: dict[str, Any], rankings: dict[str, Any]) -> Iterator[Contest]:
    """A baseline that is written, and one that is compared with."""
    measures = ("map", "ndcg@10")
    gate = FileGate("gate", lambda: (truths, rankings), {"max_drop": dict.fromkeys(measures, 0.01)})

    def record() -> None:
        with tempfile.TemporaryDirectory() as directory:
            judge(gate, Path(directory), update=True)

    bare = partial(wall, partial(evaluate, truths, rankings, measures))
    peer = Peer("evaluate of the same", bare, Target(times=5))
    yield Contest(row, f"recording a gate, {len(truths):,} x {N_RANKED}", record, (peer,))
    kept = _scratch.folder()

    def compare() -> None:
        judge(gate, kept, update=not any(kept.iterdir()))

    yield Contest(row, f"comparing a gate, {len(truths):,} x {N_RANKED}", compare, (peer,))
