"""Measures read hits in the order in which they were ranked; nobody can tell."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from sklearn_rank import evaluate, measure
from sklearn_rank.evaluation.evaluate import evaluate_placements
from sklearn_rank.rankings import ranking as _places
from sklearn_rank.rankings.as_ranked import AsRanked
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support import segments as _segments

MEASURES = (
    *("map", "mrr", "ndcg", "ndcg@3", "precision@5", "recall@4", "err", "nerr@3", "gauc", "lag"),
    *("map(min_rel=2)", "dcg@5", "hit_rate@2", "hmean(precision@2,recall@2)", "recall(min_rel=3)"),
)


def problem(n_levels: int) -> dict[str, Any]:
    """Rows of queries of 1 to 12 items, whose scores are tied where there are few levels."""
    rng = np.random.default_rng(n_levels)
    lengths = rng.permutation(1 + np.arange(60) % 12)
    n_rows = int(lengths.sum())
    return {
        "y_true": rng.integers(0, 4, n_rows),
        "y_score": rng.permutation(np.arange(n_rows) % n_levels).astype(np.float32),
        "groups": np.repeat(np.arange(60), lengths),
    }


@pytest.fixture(params=[1, 40, 1 << 17])
def small_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_places, "RANK_BLOCK", request.param)
    monkeypatch.setattr(_segments, "BLOCK", 2 * request.param)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_levels", [2, 5, 10_000])
def test_values_are_those_of_the_rankings_in_order(n_levels: int, n_jobs: int) -> None:
    evaluation = evaluate(
        **problem(n_levels), measures=MEASURES, zero_division=np.nan, n_jobs=n_jobs, keep_items=True
    )
    assert isinstance(evaluation._judged.rankings, AsRanked)
    in_order = evaluate_placements(evaluation.rankings, MEASURES, zero_division=np.nan)
    for name in MEASURES:
        np.testing.assert_array_equal(evaluation.per_query[name], in_order.per_query[name])
        assert repr(evaluation[name]) == repr(in_order[name])
    assert evaluation.counts["tied"] == in_order.counts["tied"]
    evaluation.rankings.check()


def rankings_of(n_levels: int) -> AsRanked:
    rankings = evaluate(**problem(n_levels), measures="map", zero_division=0.0)._judged.rankings
    assert isinstance(rankings, AsRanked)
    return rankings


@pytest.mark.parametrize("n_levels", [2, 10_000])
def test_a_copy_has_its_hits_in_order(n_levels: int) -> None:
    rankings = rankings_of(n_levels)
    ids = [f"q{number}" for number in range(len(rankings))]
    copy = replace(rankings, query_ids=ids, above=rankings.above + 1)
    assert copy.runs() == []
    assert copy.above.tolist() == (rankings.above + 1).tolist()
    assert copy.in_ties.tolist() == rankings.in_ties.tolist()


def test_rankings_are_stored_in_order() -> None:
    rankings = rankings_of(3)
    stored = pickle.loads(pickle.dumps(rankings))
    assert type(stored) is JudgedRankings
    for field in fields(JudgedRankings):
        np.testing.assert_array_equal(getattr(stored, field.name), getattr(rankings, field.name))


@pytest.mark.usefixtures("small_blocks")
def test_an_error_names_the_first_query_whatever_the_order() -> None:
    rows = problem(10_000)
    rows["y_true"] = np.where(rows["y_true"] > 0, 2000.0, 0.0)
    first = int(rows["groups"][np.flatnonzero(rows["y_true"])[0]])
    with pytest.raises(OverflowError, match=f"of query {first};"):
        evaluate(**rows, measures=["map", "dcg"], zero_division=np.nan)


def test_functions_of_the_caller_see_queries_in_order() -> None:
    seen: list[float] = []

    def gain(grades: Any) -> Any:
        seen.extend(np.ravel(grades).tolist())
        return grades

    wanted = measure("dcg", gain=gain)
    evaluation = evaluate(**problem(10_000), measures=wanted, zero_division=np.nan)
    as_ranked = list(seen)
    seen.clear()
    evaluate_placements(evaluation.rankings, wanted, zero_division=np.nan)
    assert as_ranked == seen


@pytest.mark.parametrize("ties", ["average", "pessimistic"])
@pytest.mark.parametrize("scale", [1, 0.3])
@pytest.mark.parametrize("n_levels", [2, 5, 200])
def test_few_ties_are_joined_as_many_are(
    n_levels: int, scale: float, ties: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = problem(n_levels)
    rows["y_true"] = rows["y_true"] * scale
    joined = []
    for few in (0, 1 << 40):
        monkeypatch.setattr(_places, "FEW_TIES", few)
        rankings = evaluate(**rows, measures="map", ties=ties, zero_division=0.0).rankings
        joined.append([rankings.above, rankings.tied, rankings.grades])
    for few, many in zip(*joined, strict=True):
        np.testing.assert_array_equal(few, many)
