"""How long it takes to compare many systems: processor time of ``compare`` alone.

``python -m tests.benchmarks.comparing [--systems 20] [--queries 10000]`` prints a Markdown table;
ten measures, the least of three turns with "t", one turn with the others.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sklearn_rank import compare, compare_all, evaluate

MEASURES = (
    *("map", "ndcg@10", "mrr", "precision@10", "recall@10"),
    *("err@10", "hit_rate@5", "rprec", "f1@10", "lag"),
)
ITEMS, RELEVANT = 30, 0.15


def systems(n_systems: int, n_queries: int) -> dict[str, Any]:
    """Evaluations of systems that differ by chance."""
    rng = np.random.default_rng(0)
    truth = (rng.random((n_queries, ITEMS)) < RELEVANT).astype(int)
    truth[:, 0] = 1
    common = 0.3 * truth + rng.random(truth.shape)
    return {
        f"system {number}": evaluate(truth, common + rng.random(truth.shape), MEASURES)
        for number in range(n_systems)
    }


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
