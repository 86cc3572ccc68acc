"""How often gates are red for nothing, and how often they see a true drop: a simulation.

``python -m tests.benchmarks.gate_errors [--gates 4000] [--seed 0]`` prints a Markdown table. The
changes per query are drawn and tested in blocks; whether a gate is red is decided, gate by gate,
by the predicate, the correction and the defaults that the plugin uses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.policy.verdicts import Rule, Verdict, assess_change
from sklearn_rank.statistics import correct_p_values
from tests.benchmarks.harness import markdown, numbers_of

SLICES = 5
NOISES = {
    "every query changes, sd 0.15": (1.0, 0.15),
    "30 % of the queries change, sd 0.10": (0.3, 0.10),
}
"""Share of the queries that change at all, and standard deviation of their change."""
CELLS = ((25, 0.0), (50, 0.0), (250, 0.0), (1000, 0.0), (250, 0.04))
"""Queries, and true drop."""
S = Settings()
OVERALL = Rule(0.005, S.hard_drop, S.min_queries, S.alpha, S.confirm)
OF_SLICES = Rule(0.02, math.inf, 0, S.slice_alpha, S.confirm)


def rows(n_gates: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Shares of gates that fail by their overall rule, and with slices on top."""
    rng = np.random.default_rng(seed)
    for noise, (share, deviation) in NOISES.items():
        for n_queries, drop in CELLS:
            shape, size = (n_gates, n_queries), n_queries // SLICES
            changes = rng.normal(-drop / share, deviation, shape)
            changes = np.where(rng.random(shape) < share, changes, 0.0)
            means, p_values = _tested(changes)
            parts = [_tested(changes[:, i * size : (i + 1) * size]) for i in range(SLICES)]
            red = [
                _is_red(-mean, n_queries, p, OVERALL)
                for mean, p in zip(means, p_values, strict=True)
            ]
            either = list(red)
            for gate in range(n_gates if size >= S.min_slice_size else 0):
                corrected = correct_p_values([p[gate] for _, p in parts], "holm")
                either[gate] |= any(
                    _is_red(-mean[gate], size, p, OF_SLICES)
                    for (mean, _), p in zip(parts, corrected, strict=True)
                )
            shares = (f"{sum(failed) / n_gates:.1%}" for failed in (red, either))
            yield (noise, str(n_queries), f"{drop:g}", *shares)


def _tested(changes: NDArray) -> tuple[list[float], list[float]]:
    """Means and one-sided p-values of each row, as ``compare_paired`` computes them."""
    with np.errstate(invalid="ignore", divide="ignore"):
        error = changes.std(axis=1, ddof=1) / math.sqrt(changes.shape[1])
        p_values = stats.t.cdf(changes.mean(axis=1) / error, changes.shape[1] - 1)
    floor = 0.5 ** np.count_nonzero(changes, axis=1)
    return changes.mean(axis=1).tolist(), np.fmax(p_values, floor).tolist()


def _is_red(drop: float, n_queries: int, p_value: float, rule: Rule) -> bool:
    return assess_change(drop, n_queries, p_value, rule).verdict is Verdict.FAIL


if __name__ == "__main__":
    given = numbers_of(__doc__, gates=4000, seed=0)
    titles = ("change per query", "queries", "true drop", "red", "red with five slices")
    print(markdown(titles, rows(given.gates, given.seed)))
