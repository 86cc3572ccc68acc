"""Equal systems seldom differ significantly, in all or in slices; the script simulates more."""

from __future__ import annotations

import math

from tests.benchmarks.false_alarms import WAYS, alarms, table


def test_equal_systems_seldom_differ() -> None:
    n_tables = 40
    shares = alarms(50, n_tables, seed=1, tukey=False)
    # Three standard errors above what was promised.
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_tables)
    assert shares["Holm"] <= limit
    assert shares["Holm over slices"] <= limit
    assert shares["each p-value alone"] > 0.2, "or the simulation could not show an alarm"


def test_the_script_prints_a_row_for_each_way() -> None:
    lines = table(2, 0).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:-2]] == [f"| {way}" for way in WAYS]
