"""P15: many systems compared in many measures, evaluation included, against ranx.

By itself, how long each test takes: processor time of ``compare`` alone.

``python -m tests.benchmarks.comparing [--systems 20] [--queries 10000]`` prints a Markdown table;
ten measures, the least of three turns with "t", one turn with the others.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank import compare, compare_all, evaluate
from tests.benchmarks._measure import Contest, Limits, Peer, Target, Timer, wall

MEASURES = (
    *("map", "ndcg@10", "mrr", "precision@10", "recall@10"),
    *("err@10", "hit_rate@5", "rprec", "f1@10", "lag"),
)
RANX_MEASURES = (
    *("map", "ndcg@10", "mrr", "precision@10", "recall@10"),
    *("dcg@10", "hit_rate@5", "r-precision", "f1@10", "ndcg_burges@10"),
)
"""ERR and LAG are none of its measures; those in their places cost it as much."""
ITEMS, RELEVANT = 30, 0.15
SIZES = {"small": (3, 100), "full": (20, 10_000)}
"""Systems and queries."""
MOST_SECONDS = 3.0


def contests(row: str, size: str) -> Iterator[Contest]:
    """Both from data in their own form: arrays, and what ranx makes of dictionaries."""
    n_systems, n_queries = SIZES[size]
    truth, runs = matrices(n_systems, n_queries)
    n_rows = n_systems * truth.size
    yield Contest(
        row,
        f"{n_systems} systems, {n_queries:,} queries of {ITEMS}, {len(MEASURES)} measures",
        partial(compare, truth, runs, measures=MEASURES),
        (Peer("ranx.compare", partial(_ranx, truth, runs), Target(times=1 / 3)),),
        n_rows=n_rows,
        limits=Limits(ns_row=MOST_SECONDS * 1e9 / n_rows),
    )


def matrices(n_systems: int, n_queries: int) -> tuple[Any, dict[str, Any]]:
    """Ground truth, and scores of systems that differ by chance."""
    rng = np.random.default_rng(0)
    truth = (rng.random((n_queries, ITEMS)) < RELEVANT).astype(int)
    truth[:, 0] = 1
    common = 0.3 * truth + rng.random(truth.shape)
    scores = (common + rng.random(truth.shape) for _ in range(n_systems))
    return truth, {f"system {number}": matrix for number, matrix in enumerate(scores)}


def _ranx(truth: Any, runs: dict[str, Any]) -> Timer:
    import ranx

    items = [f"d{number}" for number in range(ITEMS)]

    def by_query(rows: Any) -> dict[str, dict[str, Any]]:
        return {f"q{n}": dict(zip(items, row, strict=True)) for n, row in enumerate(rows.tolist())}

    qrels = ranx.Qrels(
        {
            query: {item: grade for item, grade in judged.items() if grade}
            for query, judged in by_query(truth).items()
        }
    )
    own = [ranx.Run(by_query(scores), name=name) for name, scores in runs.items()]
    return wall(lambda: ranx.compare(qrels, own, list(RANX_MEASURES), stat_test="student"))


def systems(n_systems: int, n_queries: int) -> dict[str, Any]:
    """Evaluations of systems that differ by chance."""
    truth, runs = matrices(n_systems, n_queries)
    return {name: evaluate(truth, scores, MEASURES) for name, scores in runs.items()}


def seconds(call: Callable[[], Any], turns: int) -> float:
    """The least processor time of some turns."""
    taken = []
    for _ in range(turns):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return min(taken)


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--only", choices=("t", "wilcoxon", "permutation", "bootstrap", "tukey"))
    options = parser.parse_args(argv)
    evaluations = systems(options.systems, options.queries)
    print("| call | seconds |\n|---|--:|")
    for test in ("t", "wilcoxon", "permutation", "bootstrap", "tukey"):
        if options.only not in (None, test):
            continue
        if test == "tukey":
            taken = seconds(lambda: compare_all(evaluations, measures="map"), 1)
            print(f"| compare_all, {test}, one measure | {taken:.2f} |", flush=True)
        else:
            turns = 3 if test == "t" else 1
            taken = seconds(lambda test=test: compare(evaluations, test=test), turns)
            print(f"| compare, {test} | {taken:.2f} |", flush=True)


if __name__ == "__main__":
    main()
