"""How much of a ranking is judged, worked out by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sklearn_rank import evaluate

TRUTHS = [{"a": 2, "b": 0}, {"c": 1}]
RANKINGS = [["a", "x", "b", "y"], ["z", "c"]]


@pytest.mark.parametrize(
    ("ties", "expected"), [("average", 1.0), ("optimistic", 0.0), ("pessimistic", 2.0)]
)
def test_ties_are_at_their_best_with_judged_items_first(ties: str, expected: float) -> None:
    truth, scores = {"q": {"a": 1, "b": 0}}, {"q": dict.fromkeys("abxy", 1.0)}
    values = evaluate(truth, scores, ["unjudged@2", "judged@2"], ties=ties)
    assert values.scores == {"unjudged@2": expected, "judged@2": 1 - expected / 2}
    lazy = [
        pl.DataFrame(
            {"query_id": ["q"] * len(side), "item_id": list(side), name: [*side.values()]}
        ).lazy()
        for name, side in (("relevance", truth["q"]), ("score", scores["q"]))
    ]
    assert evaluate(*lazy, ["unjudged@2", "judged@2"], ties=ties).scores == values.scores


def test_share_and_number_of_what_is_judged() -> None:
    measures = ["judged@2,3", "judged", "unjudged@1,4", "unjudged"]
    assert dict(evaluate(TRUTHS, RANKINGS, measures).scores) == {
        "judged@2": (1 / 2 + 1 / 2) / 2,
        "judged@3": (2 / 3 + 1 / 2) / 2,
        "judged": (2 / 4 + 1 / 2) / 2,
        "unjudged@1": (0 + 1) / 2,
        "unjudged@4": (2 + 1) / 2,
        "unjudged": (2 + 1) / 2,
    }


def test_a_tie_counts_by_expectation() -> None:
    """Of a tie of three, two unjudged, one stands within the first two: 2/3 are expected."""
    truth, ranking = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0, "x": 1.0, "y": 1.0}}
    ev = evaluate(truth, ranking, ("unjudged@2", "judged@2"))
    assert ev["unjudged@2"] == pytest.approx(2 / 3, abs=1e-15)
    assert ev["judged@2"] == pytest.approx(1 - (2 / 3) / 2, abs=1e-15)


def test_an_empty_ranking_has_a_number_but_no_share() -> None:
    ev = evaluate(
        {"q": {"a": 1, "b": 0}, "r": {"a": 1}},
        {"q": ["a"]},
        ("judged", "unjudged"),
        zero_division=np.nan,
    )
    assert ev.per_query["judged"].tolist()[0] == 1.0
    assert np.isnan(ev.per_query["judged"][1])
    assert ev.per_query["unjudged"].tolist() == [0.0, 0.0]


def test_a_query_without_a_relevant_item_has_both() -> None:
    ev = evaluate([{"a": 0}], [["a", "x"]], ("judged@2", "unjudged@2"))
    assert ev.scores == {"judged@2": 0.5, "unjudged@2": 1.0}


@pytest.mark.parametrize("convention", ["trec_eval", "warprec", "spark"])
def test_every_convention_has_both(convention: str) -> None:
    ev = evaluate(
        TRUTHS,
        [dict.fromkeys(r, 1.0) for r in RANKINGS],
        ("judged@2", "unjudged@2"),
        convention=convention,
        ties="stable",
    )
    assert ev["judged@2"] == 0.5
