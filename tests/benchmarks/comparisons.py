"""Error rates of tests and intervals of means and of differences: simulations.

``python -m tests.benchmarks.comparisons [--only TABLE] [--runs N] [--seed 0]`` prints Markdown
tables. Values or changes per query are drawn from known distributions, and every p-value and
interval is that of the functions that gates and comparisons call. Chance takes a rate of 5 % to
5 % plus 196 * sqrt(0.0475 / runs) points.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.statistics.means import mean_interval
from sklearn_rank.statistics.paired import PairedDifferences
from sklearn_rank.typing import FloatArray
from tests.benchmarks.gate_rates import OF_RANKS, RANKS, VALUES
from tests.benchmarks.harness import simulate

ALPHA = 0.05


# Clusters ----------------------------------------------------------------------------------------


CLUSTERS: dict[str, tuple[Sequence[int], float]] = {
    "16, one with 24 of 64 queries": ((24, *[3] * 10, *[2] * 5), 0.5),
    "50, one with 100 of 149": ((100, *[1] * 49), 0.3),
    "8, each 1.6 times the one before": ((2, 3, 5, 8, 13, 21, 34, 54), 0.3),
    "200 of 3 queries": ((3,) * 200, 0.6),
}
"""Sizes of clusters of queries, and how alike the changes of a cluster are (ICC)."""


def clusters(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Equal systems that are called worse, by whether the test knows of the clusters."""
    rng = np.random.default_rng(seed)
    kinds = [(*kind, skewed) for skewed in (False, True) for kind in CLUSTERS.items()]
    for name, (sizes, icc), skewed in kinds:
        owners = np.repeat(np.arange(len(sizes)), sizes)
        red = np.zeros(2)
        for _ in range(runs):
            draws = 1 - rng.exponential(1, len(sizes)) if skewed else rng.normal(0, 1, len(sizes))
            own = rng.normal(0, math.sqrt(1 - icc), len(owners))
            change = 0.15 * (own - math.sqrt(icc) * draws[owners])
            pairs = PairedDifferences.of(change), PairedDifferences.of(change, clusters=owners)
            red += [own.p <= 2 * ALPHA and own.drop > 0 for own in pairs]
        title = f"{name}; few large gains" if skewed else name
        yield (title, f"{icc:g}", *(f"{100 * share:.1f} %" for share in red / runs))


# Intervals of differences ------------------------------------------------------------------------

QUERIES = (10, 25, 50, 100, 200)
TRUE = (0.0, 0.002, 0.01, 0.05)
"""True differences."""
SKEWED = "skewed: 95% lose .02, 5% gain .38"


def changes(name: str, true: float, shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """(runs, n) changes of a mean; half of the queries are ranked anew, of the rank model."""
    if name == SKEWED:
        return np.where(rng.random(shape) < 0.05, 0.38, -0.02) + true
    values = VALUES[name]
    old, new = rng.choice(len(RANKS), (2, *shape), p=OF_RANKS)
    sizes = np.abs(values[old] - values[new]) * (rng.random(shape) < 0.5)
    mean = 0.5 * float(OF_RANKS @ np.abs(values - values[:, None]) @ OF_RANKS)
    return np.where(rng.random(shape) < (1 + true / mean) / 2, sizes, -sizes)


def differences(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """95% intervals that hold the true difference, of the samples in which any query changed."""
    rng = np.random.default_rng(seed)
    for name in (*VALUES, SKEWED):
        for true in TRUE:
            row = []
            for n in QUERIES:
                samples = changes(name, true, (runs, n), rng)
                ends = [PairedDifferences.of(own).interval() for own in samples if own.any()]
                held = np.mean([low <= true <= high for low, high in ends])
                row.append(f"{held:.1%}")
            yield name, f"{true:g}", *row


# Gains -------------------------------------------------------------------------------------------

LOST = 0.05
OF_GAINS = (20, 30, 60, 100, 300)


def shrunk(n: int, rng: np.random.Generator) -> PairedDifferences:
    """Reciprocal ranks after an index has lost documents, so that what is left stands higher."""
    old = rng.choice(RANKS, n, p=OF_RANKS)
    new = 1 + rng.binomial(old - 1, 1 - LOST)
    return PairedDifferences.of(np.where(rng.random(n) < LOST, 0.0, 1 / new), 1 / old)


def gains(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Worse systems, and truly better ones, that are called better.

    The interval takes up to 7 points of the true gains of 20 queries, and at most 5 from 30 on.
    """
    rng = np.random.default_rng(seed)

    def better(n: int) -> PairedDifferences:
        old, drawn = rng.choice(RANKS, (2, n), p=OF_RANKS)
        new = np.where(rng.random(n) < 0.5, np.minimum(old, drawn), drawn)
        return PairedDifferences.of(1 / new, 1 / old)

    for name, draw in (("worse", lambda n: shrunk(n, rng)), ("better", better)):
        ways = [(alpha, by_p) for alpha in (0.1, 0.02) for by_p in (True, False)]
        counts = np.zeros((len(ways), len(OF_GAINS)))
        for column, n in enumerate(OF_GAINS):
            for own in (draw(n) for _ in range(runs)):
                counts[:, column] += [
                    own.drop < 0 and (own.p <= alpha if by_p else own.is_significant(alpha))
                    for alpha, by_p in ways
                ]
        for (alpha, by_p), row in zip(ways, counts / runs, strict=True):
            by = "p alone" if by_p else "p and interval"
            yield name, f"{alpha:g}", by, *(f"{100 * share:.1f} %" for share in row)


# Intervals of means ------------------------------------------------------------------------------

SAMPLES = (10, 25, 50, 250)
_STOP = 0.4
"""Chance that a user's item stands on the next rank, for reciprocal ranks."""


class Cell(NamedTuple):
    """A distribution of values per query, all in [0, 1], with its mean."""

    name: str
    draw: Callable[[np.random.Generator, int], FloatArray]
    mean: float


def _hits(rate: float) -> Cell:
    return Cell(f"hits, rate {rate:g}", lambda rng, n: (rng.random(n) < rate) * 1.0, rate)


def _beta(a: float, b: float) -> Cell:
    return Cell(f"Beta({a:g}, {b:g})", lambda rng, n: rng.beta(a, b, n), a / (a + b))


CELLS = (
    *map(_hits, (0.5, 0.9, 0.98)),
    # The sum of p (1 - p)^(r - 1) / r over all ranks r is -p ln(p) / (1 - p).
    Cell(
        "reciprocal ranks",
        lambda rng, n: 1.0 / rng.geometric(_STOP, n),
        -_STOP * math.log(_STOP) / (1 - _STOP),
    ),
    _beta(8, 1),
    _beta(0.5, 0.5),
)
LAGS = (
    Cell("LAG, geometric", lambda rng, n: rng.geometric(0.2, n) - 1.0, 4.0),
    Cell("LAG, lognormal", lambda rng, n: rng.lognormal(1.0, 1.0, n), math.exp(1.5)),
)
"""Without an upper bound."""


def coverage(
    cell: Cell, n: int, *, samples: int, seed: int, greatest: float = 1.0
) -> tuple[float, float, float]:
    """Shares of intervals that hold the mean and that have no width, and the mean width."""
    rng = np.random.default_rng([seed, n])
    draws = (cell.draw(rng, n) for _ in range(samples))
    bounds = [mean_interval(draw, None, (0, greatest), 0.95) for draw in draws]
    low, high = np.array(bounds).T
    held = (low <= cell.mean) & (cell.mean <= high)
    return float(held.mean()), float((high - low).mean()), float((high - low < 1e-12).mean())


def intervals(samples: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Shares of 95% intervals that hold the mean, and their mean widths."""
    for cell in (*CELLS, *LAGS):
        options: Any = {
            "samples": samples,
            "seed": seed,
            "greatest": math.inf if cell in LAGS else 1,
        }
        found = [coverage(cell, n, **options) for n in SAMPLES]
        yield cell.name, *(f"{held:.1%} ({width:.2f})" for held, width, _ in found)


TABLES = {
    # Equal systems called worse, level 5 %.
    "clusters": (
        clusters,
        ("clusters", "ICC", "signs of queries", "signs of clusters"),
        2000,
    ),
    # Coverage of 95% intervals.
    "differences": (differences, ("changes", "true", *(f"n = {n}" for n in QUERIES)), 2000),
    # Systems called better.
    "gains": (gains, ("system", "level", "by", *(f"n = {n}" for n in OF_GAINS)), 2000),
    "intervals": (intervals, ("values per query", *(f"n = {n}" for n in SAMPLES)), 2000),
}

if __name__ == "__main__":
    simulate(__doc__, TABLES)
