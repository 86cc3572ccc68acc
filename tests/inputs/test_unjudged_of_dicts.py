"""Unjudged items of {item: score} rankings: counted alike wherever the first grade 0 stands."""

from __future__ import annotations

from itertools import permutations

import pytest

from sklearn_rank import evaluate

LONG = {f"d{number}": 1.0 / number for number in range(1, 41)}
"""More items than are read for all queries at once."""
TRUTHS = {
    "no zero": {"d1": 1, "d2": 2, "away": 1},
    "a zero": {"d3": 1, "d4": 0},
    "only zeros": {"d5": 0},
    "nothing ranked": {"away": 0, "far": 1},
}
UNJUDGED = {"no zero": 38, "a zero": 38, "only zeros": 39, "nothing ranked": 40}


@pytest.mark.parametrize("order", list(permutations(TRUTHS)))
@pytest.mark.parametrize("n_items", [40, 4])
def test_unjudged_items_do_not_depend_on_the_order_of_queries(order, n_items):
    ranking = dict(list(LONG.items())[:n_items])
    truths = {query: TRUTHS[query] for query in order}
    evaluation = evaluate(truths, dict.fromkeys(order, ranking), "map", zero_division=0.0)
    assert evaluation.assumed == "partial"
    retrieved = {query: len(ranking.keys() & truth.keys()) for query, truth in TRUTHS.items()}
    assert evaluation.rankings.unjudged.counts.tolist() == [
        n_items - retrieved[query] for query in order
    ]
    if n_items == 40:
        assert evaluation.counts["unjudged_items"] == sum(UNJUDGED.values())


@pytest.mark.parametrize("ties", ["docid", "stable", "average"])
def test_flags_stand_in_the_order_in_which_ties_are_broken(ties):
    tied = dict.fromkeys(LONG, 0.5)
    evaluation = evaluate(
        {"p": {"d1": 1, "d2": 0}, "q": {"d40": 1, "d39": 0}},
        {"p": tied, "q": tied},
        "map",
        ties=ties,
        keep_items=True,
    )
    for query, unjudged in zip("pq", evaluation.unjudged_items(), strict=True):
        named = {"p": {"d1", "d2"}, "q": {"d40", "d39"}}[query]
        assert {item.item for item in unjudged} == tied.keys() - named


def test_without_a_grade_0_the_truth_is_complete():
    evaluation = evaluate({"p": {"d1": 1}, "q": {"d2": 3}}, {"p": LONG, "q": LONG}, "map")
    assert evaluation.assumed == "complete"
    assert evaluation.rankings.unjudged is None
    told = evaluate(
        {"p": {"d1": 1}, "q": {"d2": 3}}, {"p": LONG, "q": LONG}, "map", assume="partial"
    )
    assert told.rankings.unjudged.counts.tolist() == [39, 39]
