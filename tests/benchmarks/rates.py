"""Error rates of tests and intervals of differences between two systems: a simulation.

``python -m tests.benchmarks.rates [--runs 2000] [--seed 0]`` prints the Markdown tables of
docs/comparing.md. Changes per query are drawn, and every p-value and interval is that of the
functions that gates and comparisons call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sklearn_rank.statistics import correct_p_values, queries_needed
from sklearn_rank.statistics.differences import Differences, PairedComparison, compare_paired
from sklearn_rank.statistics.resampling import randomised_tukey
from sklearn_rank.typing import FloatArray, IntArray
from tests.benchmarks.harness import markdown, numbers_of

ALPHA = 0.05
HARD_LIMIT = 0.05
"""Drop at which a gate is red whatever the test says."""
MAX_DROP = 0.005


def _compared(change: FloatArray, clusters: IntArray | None = None) -> PairedComparison:
    return compare_paired(change, np.zeros(len(change)), clusters=clusters, alpha=ALPHA)


# Clusters ----------------------------------------------------------------------------------------


class Clustering(NamedTuple):
    """Clusters of queries, and how alike the changes of a cluster are (ICC)."""

    name: str
    sizes: Sequence[int]
    icc: float


CLUSTERS = (
    Clustering(
        "16, one with 24 of 64 queries", (24, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2), 0.5
    ),
    Clustering("50, one with 100 of 149", (100, *[1] * 49), 0.3),
    Clustering("8, each 1.6 times the one before", (2, 3, 5, 8, 13, 21, 34, 54), 0.3),
    Clustering("200 of 3 queries", (3,) * 200, 0.6),
)


def clusters(runs: int, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Equal systems that are called worse, by whether the test knows of the clusters."""
    for name, sizes, icc in CLUSTERS:
        owners = np.repeat(np.arange(len(sizes)), sizes)
        red = np.zeros(3)
        for _ in range(runs):
            shared = rng.normal(0, math.sqrt(icc), len(sizes))[owners]
            change = 0.15 * (shared + rng.normal(0, math.sqrt(1 - icc), len(owners)))
            known = Differences(change, clusters=owners)
            p_values = (
                Differences(change).p("t", "less"),
                known.p("t", "less"),
                known.p("permutation", "less", n_resamples=499),
            )
            red += np.array(p_values) <= ALPHA
        yield (name, f"{icc:g}", *(f"{100 * share:.1f} %" for share in red / runs))


# Differences of which few are not 0 --------------------------------------------------------------

SIZES = (25, 50, 200)
SIZES_OF_CHANGES: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "hits": lambda rng, n: np.ones(n),
    "reciprocal ranks": lambda rng, n: np.abs(
        1 / rng.integers(1, 6, n) - 1 / rng.integers(1, 6, n)
    ),
    "Beta(1, 4), as of nDCG": lambda rng, n: rng.beta(1, 4, n),
}
RECIPROCALS = [abs(1 / old - 1 / new) for old in range(1, 6) for new in range(1, 6)]
MEANS = (1.0, sum(RECIPROCALS) / 25, 0.2)


def coverage(runs: int, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Intervals that hold the true mean, of those samples in which any query changed."""
    for (name, draw), size in zip(SIZES_OF_CHANGES.items(), MEANS, strict=True):
        for share, falling in ((0.1, 0.5), (0.1, 0.75), (0.1, 1.0), (0.3, 0.75)):
            row = []
            for n in SIZES:
                held = held_by_t = narrow = drawn = 0
                while drawn < runs:
                    change = draw(rng, n) * np.where(rng.random(n) < falling, -1, 1)
                    change[rng.random(n) >= share] = 0
                    found = Differences(change)
                    if not found.n_changed:
                        continue
                    drawn += 1
                    true = share * size * (1 - 2 * falling)
                    low, high = found.interval(0.95)
                    held += low <= true <= high
                    narrow += not high > low
                    held_by_t += abs(found.mean - true) <= 2.0 * found.error
                assert not narrow
                row.append(f"{100 * held / runs:.1f} % ({100 * held_by_t / runs:.1f} %)")
            yield (name, f"{100 * share:g} %", f"{100 * falling:g} %", *row)


# All pairs ---------------------------------------------------------------------------------------


def pairs(runs: int, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Any of nine equal variants called different, beside one system that is spread otherwise."""
    for n in SIZES[:2]:
        alarms = np.zeros(2)
        for _ in range(runs):
            common = rng.random((n, 1))
            variants = common + rng.normal(0, 0.02, (n, 9))
            values = np.column_stack([variants, rng.random(n)])
            tested = [(i, j) for j in range(10) for i in range(j)]
            p = correct_p_values(
                [Differences(values[:, j] - values[:, i]).p() for i, j in tested], "holm"
            )
            alarms[0] += min(p) <= ALPHA
            alarms[1] += randomised_tukey(values, None, 199, 0).p_corrected.min() <= ALPHA
        yield (str(n), *(f"{100 * share:.1f} %" for share in alarms / runs))


# Skewed changes, and drops that are there --------------------------------------------------------


def skewed(runs: int, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Equal systems of which 95% of the queries lose .02 and 5 % gain .38."""
    row = []
    for n in (25, 50, 100, 200):
        changes = np.where(rng.random((runs, n)) < 0.05, 0.38, -0.02)
        row.append(sum(_compared(change).p <= ALPHA for change in changes) / runs)
    yield ("95% lose .02, 5 % gain .38", *(f"{100 * share:.1f} %" for share in row))


def seen(runs: int, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """True drops that a gate sees; sd .15."""
    for drop, n in (
        (0.04, 250),
        *((drop, queries_needed(drop, 0.15)) for drop in (0.02, 0.03, 0.05)),
    ):
        red = 0
        for change in rng.normal(-drop, 0.15, (runs, n)):
            found = _compared(change)
            red += -found.change > HARD_LIMIT or (-found.change > MAX_DROP and found.p <= ALPHA)
        yield (f"{drop:g}", f"{n:,}", f"{100 * red / runs:.1f} %")


TABLES = {
    "Equal systems called worse, level 5 %": (
        clusters,
        ("clusters", "ICC", "t of queries", "t of clusters", "sign flips of clusters"),
    ),
    "Coverage of 95% intervals (mean plus and minus two errors)": (
        coverage,
        ("changes", "changed", "of these worse", *(f"n = {n}" for n in SIZES)),
    ),
    "Any significant pair of nine equal variants and one other system": (
        pairs,
        ("queries", "t, Holm", "Tukey"),
    ),
    "Equal systems of skewed changes called worse": (
        skewed,
        ("changes", *(f"n = {n}" for n in (25, 50, 100, 200))),
    ),
    "Red where there is a drop": (seen, ("drop", "queries", "red")),
}


def main() -> None:
    """Print the tables."""
    given = numbers_of(__doc__, runs=2000, seed=0)
    runs, seed = given.runs, given.seed
    most = 5 + 196 * math.sqrt(0.0475 / runs)
    print(f"{runs:,} runs in each cell; chance takes 5 % to {most:.1f} %")
    for title, (rows, columns) in TABLES.items():
        print(f"\n{title}\n", flush=True)
        print(markdown(columns, list(rows(runs, np.random.default_rng(seed)))), flush=True)


if __name__ == "__main__":
    main()
