"""How often a comparison of equal systems calls any of them better or worse: a simulation.

``python -m tests.benchmarks.false_alarms [--tables 600] [--seed 0]`` prints a Markdown table. Each
simulated table is one call of ``compare`` on rankings: ten systems that are equally good, by MAP,
nDCG@10 and MRR. A table with at least one significant difference is a false alarm.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from sklearn_rank import compare, compare_all, evaluate
from sklearn_rank.comparison.result import Comparison
from sklearn_rank.statistics import correct_p_values
from tests.benchmarks.harness import markdown, numbers_of

SYSTEMS = 10
MEASURES = ("map", "ndcg@10", "mrr")
SIZES = (25, 50, 200)
ALPHA = 0.05
ALONE, HOLM, HOCHBERG = "each p-value alone", "Holm", "Benjamini-Hochberg"
SLICED, TUKEY = "Holm over slices", "Tukey, all pairs"
WAYS = (ALONE, HOLM, HOCHBERG, SLICED, TUKEY)


def alarms(n_queries: int, n_tables: int, seed: int, *, tukey: bool = True) -> dict[str, float]:
    """Share of tables with a false alarm, by the way of correction."""
    rng, count = np.random.default_rng([seed, n_queries]), Counter[str]()
    for _ in range(n_tables):
        # Systems that know as much, and go astray each in its own way.
        truth = (rng.random((n_queries, 20)) < 0.15).astype(int)
        truth[:, 0] = 1
        common = rng.random((n_queries, 1)) * truth + rng.random(truth.shape)
        systems = {
            f"system {number}": evaluate(truth, common + rng.random(truth.shape), MEASURES)
            for number in range(SYSTEMS)
        }
        found = compare(systems)
        alone = [row.p for row in found.rows]
        count[ALONE] += min(alone) <= ALPHA
        count[HOLM] += _alarmed(found)
        count[HOCHBERG] += min(correct_p_values(alone, "bh")) <= ALPHA
        # Three systems in each of ten slices.
        parts = compare(dict(list(systems.items())[:3])).by_slice(lambda query: query % 10)
        count[SLICED] += any(map(_alarmed, parts.values()))
        if tukey:
            pairs = compare_all(
                systems, measures="map", test="tukey", n_resamples=499, random_state=rng
            )
            count[TUKEY] += _alarmed(pairs)
    return {way: count[way] / n_tables for way in WAYS}


def _alarmed(found: Comparison) -> bool:
    return any(row.significant for row in found.rows)


def table(n_tables: int, seed: int) -> str:
    """Shares in percent, and how far chance takes 5 %."""
    columns = [alarms(n, n_tables, seed) for n in SIZES]
    rows = [(way, *(f"{column[way]:.1%}" for column in columns)) for way in WAYS]
    shown = markdown(("tables with a false alarm", *(f"{n} queries" for n in SIZES)), rows)
    error = math.sqrt(ALPHA * (1 - ALPHA) / n_tables)
    return f"{shown}\n\nStandard error of 5 % in {n_tables:,} tables: {error:.1%}"


if __name__ == "__main__":
    given = numbers_of(__doc__, tables=600, seed=0)
    print(table(given.tables, given.seed))
