"""How often gates are red for nothing, and how often they see a true drop: a simulation.

``python -m tests.benchmarks.gate_errors [--gates 4000] [--seed 0]`` prints a Markdown table. The
changes per query are drawn and tested in blocks; whether a gate is red is decided, gate by gate,
by the predicate, the correction and the defaults that the plugin uses.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.policy.verdicts import Rule, Verdict, assess_change
from sklearn_rank.statistics import correct_p_values

MAX_DROP = 0.005
MAX_SLICE_DROP = 0.02
SLICES = 5
SIZES = (25, 50, 250, 1000)
SETTINGS = Settings()


@dataclass(frozen=True)
class Noise:
    """How the values of queries change between two systems that are equally good."""

    name: str
    share: float
    """Share of the queries that change at all."""
    deviation: float
    """Standard deviation of the change of a query that changes."""

    def draw(self, rng: np.random.Generator, shape: tuple[int, int], drop: float) -> NDArray:
        """(gates, queries) changes with a mean of ``-drop``."""
        changes = rng.normal(-drop / self.share, self.deviation, shape)
        return np.where(rng.random(shape) < self.share, changes, 0.0)


NOISES = (
    Noise("every query changes, sd 0.15", 1.0, 0.15),
    Noise("30 % of the queries change, sd 0.10", 0.3, 0.10),
)


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gates", type=int, default=4000, help="simulated gates of each cell")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    print(table(options.gates, options.seed))


def table(n_gates: int, seed: int) -> str:
    """Shares of red gates, in percent."""
    lines = [
        "| change per query | queries | true drop | red | red with five slices |",
        "|---|--:|--:|--:|--:|",
    ]
    rng = np.random.default_rng(seed)
    for noise in NOISES:
        for n_queries, drop in [*((n, 0.0) for n in SIZES), (250, 0.04)]:
            overall, with_slices = red_gates(noise, n_queries, drop, n_gates, rng)
            lines.append(
                f"| {noise.name} | {n_queries} | {drop:g} | {overall:.1%} | {with_slices:.1%} |"
            )
    return "\n".join(lines)


def red_gates(
    noise: Noise, n_queries: int, drop: float, n_gates: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Shares of gates that fail by their overall rule, and with slices on top."""
    changes = noise.draw(rng, (n_gates, n_queries), drop)
    means, p_values = _tested(changes)
    size = n_queries // SLICES
    parts = [_tested(changes[:, i * size : (i + 1) * size]) for i in range(SLICES)]
    overall = with_slices = 0
    for gate in range(n_gates):
        red = _overall_is_red(-means[gate], n_queries, p_values[gate])
        slices = [(-mean[gate], p[gate]) for mean, p in parts]
        overall += red
        with_slices += red or _slices_are_red(slices, size)
    return overall / n_gates, with_slices / n_gates


def _tested(changes: NDArray) -> tuple[list[float], list[float]]:
    """Means and one-sided p-values of each row, as ``compare_paired`` computes them."""
    with np.errstate(invalid="ignore", divide="ignore"):
        error = changes.std(axis=1, ddof=1) / math.sqrt(changes.shape[1])
        p_values = stats.t.cdf(changes.mean(axis=1) / error, changes.shape[1] - 1)
    floor = 0.5 ** np.count_nonzero(changes, axis=1)
    return changes.mean(axis=1).tolist(), np.fmax(p_values, floor).tolist()


def _overall_is_red(drop: float, n_queries: int, p_value: float) -> bool:
    rule = Rule(
        MAX_DROP, SETTINGS.hard_drop, SETTINGS.min_queries, SETTINGS.alpha, SETTINGS.confirm
    )
    return assess_change(drop, n_queries, p_value, rule).verdict is Verdict.FAIL


def _slices_are_red(slices: list[tuple[float, float]], size: int) -> bool:
    """Whether any of the slices fails; small ones are not judged."""
    if size < SETTINGS.min_slice_size:
        return False
    rule = Rule(MAX_SLICE_DROP, math.inf, 0, SETTINGS.slice_alpha, SETTINGS.confirm)
    corrected = correct_p_values([p for _, p in slices], "holm")
    return any(
        assess_change(drop, size, p, rule).verdict is Verdict.FAIL
        for (drop, _), p in zip(slices, corrected, strict=True)
    )


if __name__ == "__main__":
    main()
