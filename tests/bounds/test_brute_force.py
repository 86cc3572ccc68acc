"""Bounds are the extremes of all gradings, tried one by one."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from sklearn_rank import Measure, evaluate
from tests.bounds.problems import MEASURES, UNTIED, every_value, problem

SEEDS = range(6)
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.RankingDataWarning"),
    pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.RankingDataWarning"),
]


def check(chosen: Measure, seed: int, *, tied: bool) -> None:
    given = problem(random.Random(f"{seed} {chosen}"), tied=tied)
    if len(given.levels) ** len(given.unjudged) > 300:
        return
    values = every_value(given, chosen)
    ev = evaluate([given.truth], [given.ranking], chosen, ties=given.ties, zero_division=np.nan)
    bounds = ev.bounds(chosen, **given.told)
    defined = values[~np.isnan(values)]
    low, high = (defined.min(), defined.max()) if len(defined) else (math.nan, math.nan)
    assert bounds.per_query_low.tolist() == pytest.approx([low], abs=1e-12, nan_ok=True), given
    assert bounds.per_query_high.tolist() == pytest.approx([high], abs=1e-12, nan_ok=True), given
    floor = chosen.metric.geometric_from or 0.0
    low, high = max(low, floor), max(high, floor)
    assert (bounds.low, bounds.high) == pytest.approx((low, high), abs=1e-12, nan_ok=True), given


@pytest.mark.parametrize("chosen", MEASURES, ids=str)
def test_bounds_are_the_extremes_of_all_gradings(chosen: Measure) -> None:
    for seed in SEEDS:
        check(chosen, seed, tied=True)


@pytest.mark.parametrize("chosen", UNTIED, ids=str)
def test_so_are_those_of_measures_that_take_no_ties(chosen: Measure) -> None:
    for seed in SEEDS:
        check(chosen, seed, tied=False)
