"""Hits below the largest cutoff are counted and not stored; the numbers do not tell."""

import pickle
import warnings
from math import log2
from typing import Any
from unittest import mock

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given as drawn
from hypothesis import note
from hypothesis import strategies as st

from sklearn_rank import (
    Evaluation,
    evaluate,
    measure,
)
from sklearn_rank.evaluation import compute as _compute
from sklearn_rank.kernels import pairwise
from sklearn_rank.measures.record import deepest
from sklearn_rank.rankings.judged import JudgedRankings
from tests.evaluation.cases import everything
from tests.numbers.invariants import MEASURES
from tests.numbers.test_variants import as_mapping, problems, ties
from tests.strategies import examples

CUT = tuple(chosen for chosen in MEASURES if chosen.depth and chosen.options.get("max_grade") != 4)
DEEPEST = "sklearn_rank.evaluation.evaluate.deepest"
SCORES = [9.0, 8, 8, 8, 7, 6, 5]
"""Seven items, of which the second to fourth are tied."""


def outcome(*args: Any, **options: Any) -> dict[str, Any]:
    """The same, with slices of it and with all warnings."""
    with warnings.catch_warnings(record=True) as given_warnings:
        warnings.simplefilter("always")
        evaluation = evaluate(*args, **options)
        ids = list(evaluation.query_ids)
        parts = evaluation.by_slice(lambda query: ids.index(query) % 2)
    found = everything(evaluation)
    for label, part in parts.items():
        found |= {(label, name): value for name, value in everything(part).items()}
    return found | {"warnings": [str(warning.message) for warning in given_warnings]}


def whole(*args: Any, **options: Any) -> dict[str, Any]:
    """What comes out where every hit is stored."""
    with mock.patch(DEEPEST, return_value=None):
        return outcome(*args, **options)


def layouts(rows: dict[str, np.ndarray]) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    """The same problem in the layouts that have scores."""
    truth, run = as_mapping(rows)
    matrix = [rows[name][: len(rows["y_true"]) // 4 * 4].reshape(-1, 4) for name in rows]
    grades, scores = matrix[:2]
    given: dict[str, Any] = {"rows": (rows["y_true"], rows["y_score"], {"groups": rows["groups"]})}
    if rows["y_score"].dtype.char not in "gL":  # whose numbers no dict holds
        given["mapping"] = (truth, run, {})
    if len(grades):
        masked = {"candidates": np.arange(scores.size).reshape(scores.shape) % 3 < 2}
        given["matrix"] = (grades, scores, {})
        given["sparse"] = (scipy.sparse.csr_array(grades), scores, {})
        given["candidates"] = (grades, scores, masked)
    return given


measures = st.lists(st.sampled_from(CUT), min_size=1, max_size=6, unique_by=str)


@drawn(rows=problems, ties=ties, measures=measures)
@examples(10)
def test_no_number_depends_on_what_is_stored(rows: Any, ties: str, measures: Any) -> None:
    options = {"measures": measures, "ties": ties, "zero_division": np.nan}
    for layout, (y_true, y_score, own) in layouts(rows).items():
        note(layout)
        expected = whole(y_true, y_score, **own, **options)
        assert outcome(y_true, y_score, **own, **options) == expected
        assert outcome(y_true, y_score, **own, **options, n_jobs=2) == expected


def test_of_the_tie_that_the_cutoff_divides_all_hits_are_stored() -> None:
    grades = [0, 1, 0, 1, 0, 1, 1]
    evaluation = evaluate(
        np.array([grades]), np.array([SCORES]), ["ndcg@2", "precision@2", "all_hit_rate@2"]
    )
    # Two of three tied items are relevant, and one of the three stands second.
    assert evaluation["precision@2"] == pytest.approx(2 / 3 / 2)
    assert evaluation["ndcg@2"] == pytest.approx((2 / 3) / log2(3) / (1 + 1 / log2(3)))
    assert evaluation["all_hit_rate@2"] == 0.0
    stored = evaluation._judged.rankings
    assert (stored.above.tolist(), stored.tied.tolist()) == ([1, 1], [3, 3])
    assert (stored.n_hits.tolist(), stored.n_retrieved.tolist()) == ([2], [4])
    assert evaluation.counts["retrieved"] == 4
    assert evaluation.rankings.above.tolist() == [1, 1, 5, 6]
    assert [hit.rank for hit in evaluation.placements()[0].hits] == [3, 3, 6, 7]


@pytest.mark.parametrize("grades", [1, 0.25])
def test_what_is_kept_grows_with_the_cutoff_alone(grades: float) -> None:
    y_score = np.random.default_rng(0).permuted(np.tile(np.arange(50.0), (40, 1)), axis=1)
    y_true = np.full(y_score.shape, grades)
    y_true[:, 0] = 0
    stored = evaluate(y_true, y_score, ["ndcg@3", "mrr@5"])._judged.rankings
    n_stored = 40 * 5 - int((y_score[:, 0] >= 45).sum())
    assert len(stored.above) == len(stored.tied) == len(stored.grades) == n_stored
    assert stored.n_retrieved.tolist() == stored.n_relevant.tolist() == [49] * 40
    for asks_for_all in ("map", "auc", "lauc@3"):
        judged = evaluate(y_true, y_score, ["ndcg@3", asks_for_all])._judged
        assert judged.rankings.cutoff is None
    assert evaluate(y_true, y_score, "ndcg@3", keep_items=True)._judged.rankings.cutoff is None
    assert evaluate(y_true, y_score, "ndcg@50")._judged.rankings.cutoff is None
    assert evaluate(y_true, y_score, f"ndcg@{10**400}")._judged.rankings.cutoff is None


DEPTHS = {
    "map": None,
    "map@7": 7,
    "rprec": None,
    "auc": None,
    "lauc@7": None,
    "dcg@7": 7,
    "dcg(gain=linear)@7": 7,
    "hmean(ndcg,map)@7": 7,
    "hmean(ndcg@9,map@2)": 9,
    "hmean(ndcg@9,map)": None,
}


@pytest.mark.parametrize(("name", "depth"), DEPTHS.items())
def test_how_deep_a_measure_reads(name: str, depth: int | None) -> None:
    assert measure(name).depth == depth
    assert deepest([measure("mrr@3"), measure(name)]) == depth


def test_a_gain_that_lacks_a_grade_is_told_wherever_that_stands() -> None:
    dcg = measure("dcg", k=1, gain={1: 1.0})
    assert dcg.depth is None
    with pytest.raises(ValueError, match="gain has no entry for grade 2"):
        evaluate(np.array([[1, 0, 2]]), np.array([[3.0, 2, 1]]), dcg)


def test_parts_of_different_depth_are_merged() -> None:
    """A short ranking is stored whole, and a ranked list always is."""
    rng = np.random.default_rng(0)
    parts = [
        evaluate(
            rng.integers(0, 3, (2, n)), rng.integers(0, n, (2, n)), "ndcg@4", zero_division=0.0
        )
        for n in (3, 9)
    ]
    assert parts[1].counts["tied"] > 0
    assert [part._judged.rankings.cutoff is None for part in parts] == [True, False]
    merged = Evaluation.merge(*parts)
    for name in ("above", "tied", "grades", "n_ranked"):
        expected = np.concatenate([getattr(part.rankings, name) for part in parts])
        np.testing.assert_array_equal(getattr(merged.rankings, name), expected)
    for name in ("retrieved", "tied"):
        assert merged.counts[name] == sum(part.counts[name] for part in parts)
    again = pickle.loads(pickle.dumps(merged))
    assert everything(again) == everything(merged)


def test_places_below_the_cutoff_of_changed_scores_are_refused() -> None:
    y_true, y_score = np.eye(2, 9), -np.arange(18.0).reshape(2, 9)
    evaluation = evaluate(y_true, y_score, "ndcg@3")
    y_score[:] = -y_score
    with pytest.raises(ValueError, match=r"have changed since.* keep_items=True"):
        evaluation.placements()
    with pytest.raises(ValueError, match="have changed since"):
        _ = evaluation.rankings
    first = evaluation.by_slice({"s": [0]})["s"]
    assert first["ndcg@3"] == evaluation.per_query["ndcg@3"][0]
    assert evaluation.n_ranked.tolist() == [9, 9]


def test_rankings_say_what_they_do_not_know() -> None:
    rankings = evaluate(np.ones((2, 9), int), np.arange(18.0).reshape(2, 9), "ndcg@3")
    stored = rankings._judged.rankings
    with pytest.raises(ValueError, match="hits below rank 3 are not stored"):
        stored.within(4)
    with pytest.raises(ValueError, match="hits below rank 3 are not stored"):
        _compute._values(measure("map"), stored, None)
    with pytest.raises(ValueError, match="how many relevant items stand below"):
        _ = stored.at_least(1.0).n_retrieved
    assert stored.within(2).n_hits.tolist() == [2, 2]
    assert stored.within(3) is stored


# Places stored as int32 and whole grades as uint8 do not overflow ---------------------------------


def rankings_of(
    above: list[int], tied: list[int], grades: list[int], n_ranked: int
) -> JudgedRankings:
    n_hits = len(above)
    return JudgedRankings(
        query_ids=["q"],
        offsets=np.array([0, n_hits]),
        above=np.array(above, np.int32),
        tied=np.array(tied, np.int32),
        grades=np.array(grades, np.uint8),
        n_ranked=np.array([n_ranked]),
        judged_offsets=np.array([0, n_hits]),
        judged_grades=np.array(grades, np.uint8),
    )


def test_ends_of_ties_beyond_the_range_of_int32():
    last = 2**31 - 1
    rankings = rankings_of([last - 5], [100], [1], last + 95)
    rankings.check()
    with pytest.raises(ValueError, match="ties fit the ranking"):
        rankings_of([last - 5], [100], [1], last + 94).check()
    # Half of the 99 other items of the tie stand above, on average.
    lag = pairwise.lag(rankings.widened(), k=None)
    assert lag.tolist() == [last - 5 + 99 / 2]


def test_grades_that_rise_within_a_tie_are_refused():
    rankings_of([0, 0], [2, 2], [3, 2], 4).check()
    # As uint8, 2 - 3 is 255 and 3 - 2 is 1: both would look like a rise.
    with pytest.raises(ValueError, match="hits lie in rank order"):
        rankings_of([0, 0], [2, 2], [2, 3], 4).check()
