"""Bounds are the extremes of all gradings, tried one by one: of values, and of changes."""

import itertools
import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sklearn_rank import Measure, bounds_of_change, evaluate, measure
from sklearn_rank.bounds.gradings import cannot_bound
from sklearn_rank.typing import FloatArray

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.RankingDataWarning")

SPELLINGS = (
    *("map", "map@3", "map(denominator=relevant)@3", "map(denominator=k)@3"),
    *("map(denominator=listed)@4", "map(min_rel=2)@3", "mar", "mar@3", "mar(normalize=true)@3"),
    *("mrr", "mrr@2", "precision", "precision@3", "precision(denominator=retrieved)@4"),
    *("recall", "recall@3", "recall(denominator=min)@2", "fbeta", "fbeta@3", "fbeta(beta=2)@3"),
    *("hit_rate", "hit_rate@2", "all_hit_rate", "all_hit_rate@4"),
    *("set_map", "set_map@3", "gmap", "gmap@3", "dcg", "dcg(gain=linear)@3"),
    *("ndcg", "ndcg@1", "ndcg@3", "ndcg@5", "ndcg(gain=linear)@3", "ndcg(gain=binary)@3"),
    *("rbp", "rbp(min_rel=2)@3", "rbp(gain=linear,max_grade=4)@3"),
)
MEASURES: tuple[Measure, ...] = (
    *map(measure, SPELLINGS),
    measure("ndcg", k=4, gain={0: 0, 1: 1, 2: 5, 3: 2}),
    measure("ndcg", k=3, gain={0: 0, 1: 0, 2: 1, 3: 0.5}),
    measure("ndcg", k=3, gain=lambda grades: grades * grades),
    measure("ndcg", k=4, discount=lambda ranks: ranks),
    measure("dcg", k=3, gain={0: 0, 1: 1, 2: 5, 3: 2}),
    measure("rbp", k=3, gain={0: 0, 1: 1, 2: 5, 3: 6, 4: 7}, max_grade=4),
)


@dataclass
class Problem:
    """One query whose ground truth is partial."""

    truth: dict[str, int]
    ranking: Any
    unjudged: list[str]
    """Ranked items without a judgement."""
    levels: range
    ties: str
    highest: int | None = None
    """Of its grades; None: the highest of the data."""

    def completions(self, *more: str) -> list[dict[str, int]]:
        """The ground truth with every grading of what is unjudged; none if those are too many."""
        items = list(dict.fromkeys([*self.unjudged, *more]))
        if len(self.levels) ** len(items) > 300:
            return []
        return [
            {**self.truth, **dict(zip(items, grades, strict=True))}
            for grades in itertools.product(self.levels, repeat=len(items))
        ]


def problem(rng: random.Random, *, most: int = 4) -> Problem:
    """At most ``most`` unjudged items."""
    items = [f"i{place}" for place in range(rng.randint(1, 6))]
    top = rng.choice([1, 1, 2, 3])
    unjudged: list[str] = []
    truth = {"zero": 0}
    for item in items:
        if rng.random() < 0.45 and len(unjudged) < most:
            unjudged.append(item)
        else:
            truth[item] = rng.choice([0, 0, *range(top + 1)])
    truth |= {f"m{number}": rng.randint(0, top) for number in range(rng.choice([0, 0, 1, 2]))}
    ranking: Any = items
    if rng.random() < 0.7:
        ranking = {item: float(rng.randint(0, 3)) for item in items}
    highest = rng.choice([None, None, 1, 2, 3])
    data_highest = max(truth.values()) or 1
    levels = range((data_highest if highest is None else highest) + 1)
    ties = rng.choice(["average", "average", "stable"])
    return Problem(truth, ranking, unjudged, levels, ties, highest)


def values_of(truths: list[Any], ranking: Any, chosen: Measure, **options: Any) -> FloatArray:
    """Value of a ranking by each of several whole ground truths."""
    ev = evaluate(truths, [ranking] * len(truths), chosen, assume="complete", **options)
    return ev.per_query[chosen]


def extremes(values: FloatArray) -> tuple[float, float]:
    defined = values[~np.isnan(values)]
    return (defined.min(), defined.max()) if len(defined) else (math.nan, math.nan)


def alike(*ends: float) -> Any:
    return pytest.approx(ends, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("chosen", MEASURES, ids=str)
def test_values(chosen: Measure) -> None:
    for seed in range(6):
        given = problem(random.Random(f"{seed} {chosen}"))
        truths = given.completions()
        if not truths:
            continue
        options = {"ties": given.ties, "zero_division": np.nan}
        low, high = extremes(values_of(truths, given.ranking, chosen, **options))
        ev = evaluate([given.truth], [given.ranking], chosen, **options)
        bounds = ev.bounds(chosen, max_grade=given.highest)
        assert (*bounds.per_query_low, *bounds.per_query_high) == alike(low, high), given
        floor = chosen.metric.geometric_from or 0.0
        assert (bounds.low, bounds.high) == alike(max(low, floor), max(high, floor)), given


CHANGES = [chosen for chosen in MEASURES if not cannot_bound(chosen, change=True)]


@pytest.mark.parametrize("chosen", CHANGES, ids=str)
def test_changes(chosen: Measure) -> None:
    for seed in range(3):
        rng = random.Random(f"{seed} {chosen}")
        given = problem(rng, most=3)
        pool = [*given.truth, *(item for item in given.unjudged if item[0] == "i"), "n1", "n2"]
        other: Any = rng.sample(pool, min(rng.randint(0, 5), len(pool)))
        if rng.random() < 0.6:
            other = {item: float(rng.randint(0, 3)) for item in other}
        truths = given.completions(*(item for item in other if item not in given.truth))
        if not truths:
            continue
        options: Any = {"ties": given.ties, "zero_division": np.nan}
        new, old = (values_of(truths, run, chosen, **options) for run in (other, given.ranking))
        pair = (
            evaluate([given.truth], [run], chosen, keep_items=True, **options)
            for run in (other, given.ranking)
        )
        bounds, ends = bounds_of_change(*pair, chosen, max_grade=given.highest), extremes(new - old)
        assert (bounds.low, bounds.high) == alike(*ends), given
        assert (*bounds.per_query_low, *bounds.per_query_high) == alike(*ends), given
