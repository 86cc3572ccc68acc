"""Which item stands where, and values of positions alone."""

import math
from typing import Any

import numpy as np
import pytest

from sklearn_rank import InvalidParameterError, evaluate
from sklearn_rank.evaluation.compute import score_measures
from sklearn_rank.inputs import RelevanceInput
from sklearn_rank.kernels import pairwise
from sklearn_rank.measures import METRICS
from sklearn_rank.rankings.data import RankingData, no_items
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import Hit, Placement, judged_from

# "c" stands alone at the top; "x", "a" and "b" share the ranks 2 to 4; "n" is last.
TRUTH = {"q": {"a": 1, "b": 2, "z": 1, "n": 0}}
SCORES = {"q": {"x": 1.0, "b": 1.0, "a": 1.0, "c": 5.0, "n": 0.0}}


def placed(*args: Any, **options: Any) -> list[Placement]:
    return evaluate(*args, keep_items=True, **options).placements()


@pytest.mark.parametrize(
    ("ties", "hits"),
    [
        # Both share the three places; the higher grade is named first.
        ("average", [("b", 3), ("a", 3)]),
        # x, b, a as they come.
        ("stable", [("b", 3), ("a", 4)]),
        # Falling ids: x, b, a.
        ("docid", [("b", 3), ("a", 4)]),
        ("optimistic", [("b", 2), ("a", 3)]),
        ("pessimistic", [("a", 3), ("b", 4)]),
    ],
)
def test_hits_of_scored_rankings_by_tie_rule(ties: Any, hits: list[tuple[str, int]]) -> None:
    (placement,) = placed(TRUTH, SCORES, "map", ties=ties)
    assert [(hit.item, hit.rank) for hit in placement.hits] == hits
    assert placement.not_retrieved == ["z"]
    assert placement.n_ranked == 5
    assert placement.grades == [2.0, 1.0, 1.0]
    assert placement.judged == {"a": 1, "b": 2, "z": 1, "n": 0}
    assert placement.ranking[0] == "c"
    assert placement.ranking[-1] == "n"


def test_tied_items_of_one_grade_are_named_in_the_order_of_the_input() -> None:
    tied = {"q": dict.fromkeys("xba", 1.0)}
    (placement,) = placed({"q": {"a": 1, "b": 1}}, tied, "map", ties="stable")
    assert [(hit.item, hit.rank) for hit in placement.hits] == [("b", 2), ("a", 3)]


def test_the_rank_within_a_tie_is_the_mean_of_its_ranks() -> None:
    assert Hit("a", 1.0, above=1, tied=1).rank == 2
    assert Hit("a", 1.0, above=1, tied=2).rank == 2.5  # ranks 2 and 3


def test_lists_with_a_provider_are_named_by_its_strings() -> None:
    first, second = placed(
        [{1, 2}, {3}],
        [[9, 2], [8, 7]],
        "map",
        string_provider=lambda item: f"d{item}",
        relevance=RelevanceInput([[2.0, 1.0], [2.0, 1.0]]),
    )
    assert [(hit.item, hit.rank) for hit in first.hits] == [("d2", 2)]
    assert first.not_retrieved == ["d1"]
    assert (second.hits, second.not_retrieved) == ([], ["d3"])
    assert list(second.ranking) == ["d8", "d7"]


def test_one_ground_truth_belongs_to_the_queries_that_found_it() -> None:
    first, second = placed({"a", "b"}, [["x", "a"], ["b"]], "map")
    assert (first.judged, second.judged) == ({"a": 1}, {"b": 1})
    assert [hit.item for hit in second.hits] == ["b"]


def test_arrays_have_places_without_names() -> None:
    (placement,) = placed(np.array([[0, 1, 2]]), np.array([[3.0, 2.0, 1.0]]), "map")
    assert [(hit.item, hit.grade, hit.rank) for hit in placement.hits] == [
        (None, 1.0, 2),
        (None, 2.0, 3),
    ]
    assert placement.judged is None
    assert placement.not_retrieved == []


def test_names_are_kept_only_when_asked_for() -> None:
    (placement,) = evaluate(TRUTH, SCORES, "map").placements()
    assert {hit.item for hit in placement.hits} == {None}
    with pytest.raises(InvalidParameterError, match="'keep_items' parameter of evaluate"):
        evaluate(TRUTH, SCORES, "map", keep_items=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_places_alone_give_the_same_values(metric: Any) -> None:
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 4, (20, 12)), rng.integers(0, 6, (20, 12)).astype(float)
    grades[:, 0], grades[:, 1] = 0, 1
    # Interpolated precision has no closed form for ties, and refuses them.
    whole = evaluate(grades, scores, metric.name, ties=None if metric.takes_ties else "stable")
    again = RankingData(judged_from(whole.placements()), no_items("placements have no scores"))
    (found,) = score_measures(whole.measures, again, math.nan)
    np.testing.assert_array_equal(found.values, whole.scored[metric.name].values)


def test_weights_of_queries_are_those_of_the_mean() -> None:
    truth, lists = [{"a", "b"}, {"c"}], [["a", "b", "x"], ["x", "c"]]
    assert evaluate(truth, lists, "map").query_weights("map") is None
    weighted = evaluate(truth, lists, ("map", "auc"), sample_weight=[1.0, 3.0])
    assert weighted.query_weights("map").tolist() == [1.0, 3.0]  # type: ignore[union-attr]
    # AUC weighs by relevant items: 2 times 1 and 1 times 3.
    assert weighted.query_weights("auc").tolist() == [2.0, 3.0]  # type: ignore[union-attr]
    # Of grade 2 there is one in each, the first above x and the second below it.
    graded = evaluate([{"a": 2, "b": 1}, {"c": 2}], [["a", "x"], ["x", "c"]], "auc(min_rel=2)")
    assert graded["auc(min_rel=2)"] == 1 / 2


# Positions stored as int32 and whole grades as uint8 do not overflow ------------------------------


def test_ends_of_ties_beyond_the_range_of_int32():
    last, one = 2**31 - 1, np.array([1], np.uint8)
    rankings = JudgedRankings(
        query_ids=["q"],
        offsets=np.array([0, 1]),
        above=np.array([last - 5], np.int32),
        tied=np.array([100], np.int32),
        grades=one,
        n_ranked=np.array([last + 95]),
        relevant_offsets=np.array([0, 1]),
        relevant_grades=one,
    )
    # Half of the 99 other items of the tie stand above, on average.
    assert pairwise.lag(rankings.widened(), k=None).tolist() == [last - 5 + 99 / 2]
