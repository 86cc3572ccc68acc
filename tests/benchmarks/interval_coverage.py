"""How often printed intervals hold the truth, and how wide they are: a simulation.

``python -m tests.benchmarks.interval_coverage [--samples 2000] [--seed 0]`` prints the Markdown
table of docs/evaluation.md: samples of queries are drawn from known distributions, and
``mean_confidence_interval`` is asked for its 95 % interval of each.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sklearn_rank.statistics import mean_confidence_interval
from sklearn_rank.typing import FloatArray

SIZES = (10, 25, 50, 250)
_STOP = 0.4
"""Chance that a user's item stands on the next rank, for reciprocal ranks."""


@dataclass(frozen=True)
class Cell:
    """A distribution of values per query, all in [0, 1], with its mean."""

    name: str
    draw: Callable[[np.random.Generator, int], FloatArray]
    mean: float


def _hits(rate: float) -> Cell:
    return Cell(f"hits, rate {rate:g}", lambda rng, n: (rng.random(n) < rate) * 1.0, rate)


def _beta(a: float, b: float) -> Cell:
    return Cell(f"Beta({a:g}, {b:g})", lambda rng, n: rng.beta(a, b, n), a / (a + b))


CELLS = (
    _hits(0.5),
    _hits(0.9),
    _hits(0.98),
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
    cell: Cell, n: int, method: str, *, samples: int, seed: int
) -> tuple[float, float, float]:
    """Shares of intervals that hold the mean and that have no width, and the mean width."""
    rng = np.random.default_rng([seed, n])
    bounds = np.array(
        [
            mean_confidence_interval(cell.draw(rng, n), bounds=(0, 1), method=method)  # type: ignore[arg-type]
            for _ in range(samples)
        ]
    )
    low, high = bounds.T
    held = (low <= cell.mean) & (cell.mean <= high)
    return float(held.mean()), float((high - low).mean()), float((high - low < 1e-12).mean())


def table(samples: int, seed: int) -> str:
    """Coverage in percent and mean width of each cell."""
    lines = [
        "| values per query | " + " | ".join(f"{n} queries" for n in SIZES) + " |",
        "|---" + "|--:" * len(SIZES) + "|",
    ]
    for cell in CELLS:
        cells = []
        for n in SIZES:
            held, width, _ = coverage(cell, n, "auto", samples=samples, seed=seed)
            cells.append(f"{held:.1%} ({width:.2f})")
        lines.append(f"| {cell.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000, help="simulated samples of each cell")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    print(table(options.samples, options.seed))


if __name__ == "__main__":
    main()
