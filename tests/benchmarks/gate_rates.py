"""Whether gates are red for nothing as often as they say, and how far baselines climb by luck.

``python -m tests.benchmarks.gate_rates [--runs 2000] [--seed 0]`` prints two Markdown tables. Both
systems of a simulated gate are equally good: their rankings are drawn independently.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from pytest_rankmetrics.assessment.assess import assess
from pytest_rankmetrics.measuring.evaluation import beside
from pytest_rankmetrics.measuring.strict import measure_strictly
from pytest_rankmetrics.policy.policy import read_policy
from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.policy.verdicts import GAIN_ALPHA, Verdict
from sklearn_rank.typing import FloatArray
from tests.benchmarks.harness import markdown, numbers_of

MEASURES = ("hit_rate@1", "mrr", "ndcg@10")
SIZES = (25, 50, 200)
SETTINGS = Settings()
ITEMS = [f"d{number}" for number in range(10)]
TRUTH = {"hit_rate@1": {"d0"}, "mrr": {"d0"}, "ndcg@10": {"d0", "d1", "d2", "d3"}}


# Printed and simulated rates of one gate ----------------------------------------------------------


def false_alarms(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Share of red gates beside the rate that the gates print, in percent."""
    rng = np.random.default_rng(seed)
    for measure in MEASURES:
        for n in SIZES:
            red, printed = rates(measure, n, runs, rng)
            yield measure, str(n), f"{red:.1%}", f"{printed:.1%}"


def rates(measure: str, n: int, runs: int, rng: np.random.Generator) -> tuple[float, float]:
    """Share of red gates over equally good systems, and mean of the printed rates."""
    truth = dict.fromkeys(map(str, range(n)), TRUTH[measure])
    # As assert_not_worse does it, which a test that calls this would have to expect to fail.
    policy = read_policy(SETTINGS, {"metrics": measure, "max_drop": 0.005})
    red, printed = 0, []
    for _ in range(runs):
        new, old = (measure_strictly(truth, _system(n, rng), policy.measures, {}) for _ in range(2))
        assessment = assess(policy, new, beside(new, old))
        red += assessment.verdict is Verdict.FAIL
        printed.append(assessment.false_alarm or 0.0)
    return red / runs, float(np.mean(printed))


def _system(n: int, rng: np.random.Generator) -> dict[str, list[str]]:
    """Rankings of which about every other one has ``d0`` first."""
    keys = rng.random((n, len(ITEMS))) / np.linspace(8.0, 1.0, len(ITEMS))
    return {str(query): [ITEMS[item] for item in row] for query, row in enumerate(keys.argsort(1))}


# Baselines that climb -----------------------------------------------------------------------------

COMMITS = (1, 20, 40)
QUERIES = 50
DEVIATION = 0.15
RULES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "fixed": lambda p: np.zeros(len(p), dtype=bool),
    "any gain": lambda p: p < 0.5,
    "p < .05": lambda p: p < 0.05,
    f"p < {GAIN_ALPHA:g}".replace("0.", "."): lambda p: p < GAIN_ALPHA,
}


def climbs(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Share of red gates at some commits, by which gains raise the baseline."""
    for name, rises in RULES.items():
        red = climb(rises, runs, np.random.default_rng(seed))
        yield name, *(f"{red[own - 1]:.0%}" for own in COMMITS)


def climb(
    rises: Callable[[FloatArray], FloatArray], runs: int, rng: np.random.Generator
) -> list[float]:
    """Share of red gates at each commit; all systems are equally good.

    The values of the queries are drawn anew at each commit, such that a change has ``DEVIATION``.
    """
    shape, shares = (runs, QUERIES), []
    baseline = rng.normal(0.0, DEVIATION / math.sqrt(2), shape)
    for _ in range(max(COMMITS)):
        now = rng.normal(0.0, DEVIATION / math.sqrt(2), shape)
        drops = baseline - now
        mean, error = drops.mean(axis=1), drops.std(axis=1, ddof=1) / math.sqrt(QUERIES)
        p_gain = stats.t.cdf(mean / error, QUERIES - 1)
        significant = 1 - p_gain <= SETTINGS.alpha
        red = (mean > SETTINGS.hard_drop) | ((mean > 0.005) & significant)
        shares.append(float(red.mean()))
        baseline = np.where(rises(p_gain)[:, None], now, baseline)
    return shares


if __name__ == "__main__":
    given = numbers_of(__doc__, runs=2000, seed=0)
    print(markdown(("measure", "queries", "red", "printed"), false_alarms(given.runs, given.seed)))
    titles = ("the baseline rises", *(f"red at commit {own}" for own in COMMITS))
    print("", markdown(titles, climbs(given.runs, given.seed)), sep="\n")
