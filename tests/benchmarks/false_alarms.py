"""How often a comparison of equal systems calls any of them better or worse: a simulation.

``python -m tests.benchmarks.false_alarms [--tables 600] [--seed 0]`` prints a Markdown table. Each
simulated table is one call of ``compare`` on rankings: ten systems that are equally good, by MAP,
nDCG@10 and MRR. A table with at least one significant difference is a false alarm.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from typing import Any

import numpy as np

from sklearn_rank import compare, compare_all, evaluate
from sklearn_rank.comparison.result import Comparison
from sklearn_rank.statistics import correct_p_values

SYSTEMS = 10
MEASURES = ("map", "ndcg@10", "mrr")
SIZES = (25, 50, 200)
SLICES = 10
IN_SLICES = 3
"""Systems that are compared in every slice."""
ITEMS, RELEVANT = 20, 0.15
SHUFFLES = 499
ALPHA = 0.05

WAYS = (
    "each p-value alone",
    "Holm",
    "Benjamini-Hochberg",
    "Holm over slices",
    "Tukey, all pairs",
)


def systems(n_queries: int, rng: np.random.Generator) -> dict[str, Any]:
    """Evaluations of systems that know as much, and go astray each in its own way."""
    truth = (rng.random((n_queries, ITEMS)) < RELEVANT).astype(int)
    truth[:, 0] = 1
    difficulty = rng.random((n_queries, 1))
    common = difficulty * truth + rng.random(truth.shape)
    return {
        f"system {number}": evaluate(truth, common + rng.random(truth.shape), MEASURES)
        for number in range(SYSTEMS)
    }


def alarms(n_queries: int, n_tables: int, seed: int, *, tukey: bool = True) -> dict[str, float]:
    """Share of tables with a false alarm, by the way of correction."""
    rng, count = np.random.default_rng([seed, n_queries]), Counter[str]()
    for _ in range(n_tables):
        evaluations = systems(n_queries, rng)
        found = compare(evaluations)
        alone = [row.p for row in found.rows]
        count["each p-value alone"] += min(alone) <= ALPHA
        count["Holm"] += _alarmed(found)
        count["Benjamini-Hochberg"] += min(correct_p_values(alone, "bh")) <= ALPHA
        few = dict(list(evaluations.items())[:IN_SLICES])
        parts = compare(few).by_slice(lambda query: query % SLICES)
        count["Holm over slices"] += any(map(_alarmed, parts.values()))
        if tukey:
            pairs = compare_all(evaluations, measures="map", n_resamples=SHUFFLES, random_state=rng)
            count["Tukey, all pairs"] += _alarmed(pairs)
    return {way: count[way] / n_tables for way in WAYS}


def _alarmed(found: Comparison) -> bool:
    return any(row.significant for row in found.rows)


def table(n_tables: int, seed: int) -> str:
    """Shares in percent, and how far chance takes 5 %."""
    error = math.sqrt(ALPHA * (1 - ALPHA) / n_tables)
    lines = [
        "| tables with a false alarm | " + " | ".join(f"{n} queries" for n in SIZES) + " |",
        "|---" + "|--:" * len(SIZES) + "|",
    ]
    columns = [alarms(n, n_tables, seed) for n in SIZES]
    lines += [
        f"| {way} | " + " | ".join(f"{column[way]:.1%}" for column in columns) + " |"
        for way in WAYS
    ]
    return "\n".join([*lines, "", f"Standard error of 5 % in {n_tables:,} tables: {error:.1%}"])


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=600, help="simulated tables of each column")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    print(table(options.tables, options.seed))


if __name__ == "__main__":
    main()
