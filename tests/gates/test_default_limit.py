"""The default of the hard limit, by the simulation that the guide shows."""

import numpy as np

from sklearn_rank.gates.limits import HARD_DROP, Settings
from sklearn_rank.gates.rule import Rule, judge_drops
from tests.benchmarks.gate_rates import HARD_DROPS, changed, is_red, paired


def test_the_default_of_the_hard_limit() -> None:
    assert HARD_DROP in HARD_DROPS
    # Two of 12 hits lost are a drop of 1/6: red at .15 or .16, which 15.5 % of equal systems meet.
    for n, name, most in ((12, "hit_rate@10", 0.15), (12, "mrr", 0.15), (25, "mrr", 0.11)):
        rng, red = np.random.default_rng(0), 0
        for _ in range(1000):
            pair = paired(*changed(rng, n, 0.5), name)
            red += is_red(judge_drops({"": pair}, {"": Rule(0.02, HARD_DROP)}, rates=False))
        assert red / 1000 <= most
    assert Settings().hard_drop == HARD_DROP > 2 / 12
