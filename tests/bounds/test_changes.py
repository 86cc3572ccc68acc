"""Bounds of the change between two systems that share the unknown grades."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest

from sklearn_rank import Bounds, UndefinedMetricError, bounds_of_change, evaluate
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.RankingDataWarning")
TRUTH = {"a": 2, "b": 1, "c": 0}


def change(
    new: Any, old: Any, chosen: Any, truth: Any = None, *, options: Any = None, **told: Any
) -> Bounds:
    pair = (
        evaluate([truth or TRUTH], [ranking], chosen, keep_items=True, **(options or {}))
        for ranking in (new, old)
    )
    return bounds_of_change(*pair, chosen, **told)


def test_a_new_item_between_known_ones() -> None:
    """Old [a, b, c], new [a, x, b]: x irrelevant moves b down; x of 2 takes the second rank."""
    second, third = 1 / log2(3), 1 / 2
    bounds = change(["a", "x", "b"], ["a", "b", "c"], "ndcg@3")
    low = (third - second) / (3 + second)
    high = (3 * second + third - second) / (3 + 3 * second + third)
    assert (bounds.low, bounds.high) == pytest.approx((low, high), abs=1e-12)
    assert (low, high) == pytest.approx((-0.0360596, 0.3267065), abs=5e-8)


def test_an_item_that_both_retrieve_alike_changes_nothing_but_the_ideal() -> None:
    """x is second in both, b third or fourth: x of 2 makes the ideal greater, the drop smaller."""
    second, third, fourth = 1 / log2(3), 1 / 2, 1 / log2(5)
    bounds = change(["a", "x", "c", "b"], ["a", "x", "b", "c"], "ndcg@4")
    low, high = (fourth - third) / (3 + second), (fourth - third) / (3 + 3 * second + third)
    assert (bounds.low, bounds.high) == pytest.approx((low, high), abs=1e-12)


def test_no_change_without_a_difference() -> None:
    bounds = change(["x", "a", "y"], ["x", "a", "y"], "map")
    assert (bounds.low, bounds.high) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("chosen", "truth", "new", "old", "told", "ends"),
    [
        # Absent items of two grades: one of 3 sets the scale and raises the ideal least.
        (
            "nerr@3",
            {"d0": 2, "d3": 2, "d4": 2, "d6": 1},
            ["d4", "d3", "d6", "d1", "d5", "d0"],
            ["d3", "d0", "d4", "d6"],
            {"max_grade": 3},
            (-0.0358423, -0.0121212),
        ),
        # Each absent item moves the steps of recall.
        (
            "iprec",
            {"d1": 1, "d2": 1},
            ["d2", "d1"],
            ["d1"],
            {"scope": "all", "unretrieved": 2},
            (3 / 11, 4 / 11),
        ),
        # -1/2 and -3/8 with none and all absent ones, -1/4 with one.
        (
            "map(denominator=listed)@4",
            {"a": 1, "b": 0, "c": 0, "d": 0},
            ["b", "a", "c", "d"],
            ["a", "b"],
            {"scope": "all", "unretrieved": 3},
            (-1 / 2, -1 / 4),
        ),
    ],
)
def test_numbers_and_grades_of_absent_items_are_tried(
    chosen: str,
    truth: dict[str, int],
    new: list[str],
    old: list[str],
    told: dict[str, Any],
    ends: tuple[float, float],
) -> None:
    bounds = change(new, old, chosen, truth, options={"assume": "partial"}, **told)
    assert (bounds.low, bounds.high) == pytest.approx(ends, abs=1e-7)


def test_queries_are_joined_by_id_and_weighed() -> None:
    truth = {"q": {"a": 1, "b": 0}, "r": {"c": 1}, "s": {"d": 1}}
    weights = {"q": 3.0, "r": 1.0, "s": 5.0}
    new = evaluate(
        truth,
        {"q": ["a"], "r": ["x", "c"], "s": ["d"]},
        "mrr",
        keep_items=True,
        sample_weight=weights,
    )
    old = evaluate(
        {q: truth[q] for q in ("r", "q")},
        {"r": ["c"], "q": ["b", "a"]},
        "mrr",
        keep_items=True,
        assume="partial",
    )
    bounds = bounds_of_change(new, old, "mrr")
    assert list(bounds.query_ids) == ["q", "r"]
    # r falls from 1 to 1/2 unless x is relevant.
    assert bounds.per_query_low.tolist() == [1 / 2, -1 / 2]
    assert bounds.per_query_high.tolist() == [1 / 2, 0.0]
    assert bounds.low == pytest.approx((3 / 2 - 1 / 2) / 4)
    assert bounds.high == pytest.approx((3 / 2) / 4)


# Refused -----------------------------------------------------------------------------------------


def test_what_is_refused() -> None:
    new, old = ["a", "x", "b"], ["a", "b", "c"]
    with pytest.raises(UndefinedMetricError, match="geometric means"):
        change(new, old, "gmap")
    with pytest.raises(UndefinedMetricError, match="queries weigh by their relevant items"):
        change(new, old, "auc")
    with pytest.raises(UndefinedMetricError, match="says how much is judged"):
        change(new, old, "judged@3")
    with pytest.raises(UndefinedMetricError, match="relevance= ranks items in a second way"):
        change(new, old, "gauc", options={"relevance": [[3, 2, 1]]})
    with pytest.raises(TypeError, match="takes results of evaluate, got 1"):
        bounds_of_change(1, 2, "map")  # type: ignore[arg-type]


def test_too_many_gradings_are_refused_by_name() -> None:
    unjudged = [f"u{number}" for number in range(30)]
    with pytest.raises(
        UndefinedMetricError,
        match=r"change of map .* query 0 has 30 unjudged items, and 2\.1e\+09 ways",
    ):
        change([*unjudged, "a"], ["a", *unjudged], "map")
    bounds = change([*unjudged, "a"], ["a", *unjudged], "ndcg")  # by its programme, in no time
    assert bounds.low < bounds.high


def test_evaluations_must_fit() -> None:
    kept = {"keep_items": True}
    first = evaluate({"q": TRUTH}, {"q": ["a", "x"]}, ("map", "mrr"), **kept)
    with pytest.raises(QueryMismatchError, match="no query in common: 'q' against 'r'"):
        bounds_of_change(first, evaluate({"r": TRUTH}, {"r": ["a"]}, "map", **kept), "map")
    other = evaluate({"q": {"a": 1, "b": 1, "c": 0}}, {"q": ["a"]}, "map", **kept)
    with pytest.raises(InvalidParameterError, match="query 'q' has other judgements"):
        bounds_of_change(first, other, "map")
    with pytest.raises(InvalidParameterError, match="ids of items were not kept"):
        bounds_of_change(first, evaluate({"q": TRUTH}, {"q": ["x"]}, "map"), "map")
    relevant = evaluate({"q": TRUTH}, {"q": ["a"]}, "map", convention="trec_eval", **kept)
    with pytest.raises(InvalidParameterError, match="count one measure in two ways"):
        bounds_of_change(first, relevant, "map")
