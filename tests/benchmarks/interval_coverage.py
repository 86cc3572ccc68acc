"""How often printed intervals hold the truth, and how wide they are: a simulation.

``python -m tests.benchmarks.interval_coverage [--samples 2000] [--seed 0]`` prints the Markdown
table of docs/evaluation.md: samples of queries are drawn from known distributions, and
``mean_confidence_interval`` is asked for its 95% interval of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.statistics import mean_confidence_interval
from sklearn_rank.typing import FloatArray
from tests.benchmarks.harness import markdown, numbers_of

SIZES = (10, 25, 50, 250)
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


def coverage(
    cell: Cell, n: int, method: Any, *, samples: int, seed: int
) -> tuple[float, float, float]:
    """Shares of intervals that hold the mean and that have no width, and the mean width."""
    rng = np.random.default_rng([seed, n])
    draws = (cell.draw(rng, n) for _ in range(samples))
    bounds = [mean_confidence_interval(draw, bounds=(0, 1), method=method) for draw in draws]
    low, high = np.array(bounds).T
    held = (low <= cell.mean) & (cell.mean <= high)
    return float(held.mean()), float((high - low).mean()), float((high - low < 1e-12).mean())


if __name__ == "__main__":
    given = numbers_of(__doc__, samples=2000, seed=0)
    rows = []
    for cell in CELLS:
        found = [coverage(cell, n, "auto", samples=given.samples, seed=given.seed) for n in SIZES]
        rows.append((cell.name, *(f"{held:.1%} ({width:.2f})" for held, width, _ in found)))
    print(markdown(("values per query", *(f"{n} queries" for n in SIZES)), rows))
