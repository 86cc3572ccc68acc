"""Condensed lists and ids of unjudged items: equal to lists from which the caller took them."""

import random
from typing import Any

import numpy as np
import pytest

from sklearn_rank import InvalidParameterError, evaluate
from sklearn_rank.inputs import RelevanceInput

MEASURES = ("map", "ndcg@3", "mrr", "precision@2", "recall@4", "err", "lag", "gauc", "rprec")
RULES = ("average", "stable", "docid", "optimistic", "pessimistic")


def problem(seed: int, *, scored: bool) -> tuple[dict[str, dict[str, int]], dict[str, Any]]:
    """Queries of which some items are unjudged, scores with ties; one truth is complete."""
    rng = random.Random(seed)
    truth: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for query in ("q1", "q2", "q3"):
        items = list("abcdefgh")[: rng.randint(1, 8)]
        rng.shuffle(items)
        truth[query] = {item: rng.choice((0, 0, 1, 2)) for item in items if rng.random() < 0.6}
        truth[query] |= {"z": 0, "a": 1}
        run[query] = {item: float(rng.randint(0, 3)) for item in items} if scored else items
    return truth, run


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("scored", [True, False], ids=["scores", "lists"])
def test_values_are_those_of_lists_without_unjudged_items(ties: str, scored: bool) -> None:
    for seed in range(40):
        truth, run = problem(seed, scored=scored)
        alone = {
            query: {item: score for item, score in items.items() if item in truth[query]}
            if scored
            else [item for item in items if item in truth[query]]
            for query, items in run.items()
        }
        options = {"ties": ties, "zero_division": np.nan, "keep_items": True}
        whole = evaluate(truth, run, MEASURES, **options)
        lists = evaluate(truth, alone, MEASURES, **options)
        short = whole.condensed()
        for name in MEASURES:
            np.testing.assert_allclose(short.per_query[name], lists.per_query[name], atol=1e-14)
        assert short.counts == {**lists.counts, "unjudged_items": 0}
        assert short.placements() == lists.placements()
        assert short.condensed()["map"] == pytest.approx(short["map"], nan_ok=True)


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("scored", [True, False], ids=["scores", "lists"])
def test_unjudged_items_are_named_in_the_order_of_their_places(ties: str, scored: bool) -> None:
    for seed in range(40):
        truth, run = problem(seed, scored=scored)
        ev = evaluate(truth, run, "map", ties=ties, keep_items=True)
        placements = ev.placements()
        places = ev.rankings.unjudged.places.above.tolist()
        assert [item.above for own in ev.unjudged_items() for item in own] == places
        for placement, own in zip(placements, ev.unjudged_items(), strict=True):
            assert {item.item for item in own} == set(run[placement.query]) - set(
                truth[placement.query]
            )
            for item in own:
                # Its id stands where its place says.
                tie = placement.ranking[item.above : item.above + item.tied]
                assert item.item in tie
        within = [[item for item in own if item.above < 2] for own in ev.unjudged_items()]
        assert ev.unjudged_items(2) == within


def test_a_complete_truth_is_left_alone() -> None:
    ev = evaluate({"q": {"a"}}, {"q": ["x", "a"]}, "mrr")
    assert ev.condensed() is ev
    assert ev.unjudged_items() == [[]]


def test_sets_beside_mappings_stay_complete() -> None:
    truth = {"q1": {"a"}, "q2": {"b": 1, "c": 0}}
    ev = evaluate(truth, {"q1": ["x", "a"], "q2": ["x", "b"]}, "mrr", keep_items=True)
    assert ev.condensed().per_query["mrr"].tolist() == [0.5, 1.0]


def test_what_is_not_known_is_refused() -> None:
    truth, run = {"q": {"a": 1, "b": 0}}, {"q": {"x": 2.0, "a": 1.0}}
    with pytest.raises(
        InvalidParameterError, match=r"condensed lists need all items .* keep_items"
    ):
        evaluate(truth, run, "mrr@1").condensed()
    with pytest.raises(InvalidParameterError, match="ids of items were not kept; pass keep_items"):
        evaluate(truth, run, "mrr@1").unjudged_items()


def test_pooled_measures_are_refused_by_name() -> None:
    truth, run = {"q": {"a": 1, "b": 0}}, {"q": {"x": 2.0, "a": 1.0, "b": 0.5}}
    ev = evaluate(truth, run, "auc(average=pooled)", keep_items=True)
    with pytest.raises(InvalidParameterError, match="condensed lists have no scores"):
        ev.condensed()


def test_relevance_scores() -> None:
    truth, run = {"q": {"a": 1, "b": 0}}, {"q": ["x", "a", "b"]}
    relevance = RelevanceInput({"q": [3.0, 2.0, 1.0]})
    ev = evaluate(truth, run, ("mrr", "gauc"), relevance=relevance, keep_items=True)
    assert ev["mrr"] == 0.5
    assert ev.condensed().scores == {"mrr": 1.0, "gauc": 1.0}
