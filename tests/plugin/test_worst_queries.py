"""Which queries a gate lists: those that could be answered better, or got worse."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_rankmetrics import GateResult, assert_metric, assert_not_worse, expected_failure
from tests.plugin.cases import case
from tests.plugin.conftest import Suite

WORST: dict[str, tuple[list[int], dict[str, float], list[str]]] = {
    "mrr": ([1, 2, 1, 4], {"at_least": 0.9}, ["q004", "q002"]),  # none that has the maximum
    "lag": ([1, 3, 1, 2], {"at_most": 0.5}, ["q002", "q004"]),  # nor the minimum of an error
    "dcg": ([1, 2], {"at_least": 5.0}, ["q002", "q001"]),  # which has no maximum
}


@pytest.mark.parametrize("measure", WORST)
def test_queries_that_could_be_better_are_listed(measure: str) -> None:
    ranks, limits, worst = WORST[measure]
    with expected_failure() as failure:
        assert_metric(*case(ranks), measure, **limits)
    assert [row.query for row in failure.value.result.worst] == worst


@pytest.mark.parametrize("ranks", [[1] * 30, [1] * 29 + [2]])
def test_a_gate_without_a_baseline_lists_no_perfect_query(ranks: list[int], suite: Suite) -> None:
    suite.write(
        test_it="""
            from cases import system

            def test_it(rank_gate):
                rank_gate.check(*system(), max_drop={"map": 0.005}, allow={"perfect"})
        """
    )
    suite.system(ranks)
    text = suite.fails("*no baseline for gate*")
    assert "q001" not in text
    assert ("q030" in text) == (2 in ranks)


# What explains a loss ----------------------------------------------------------------------------

JUDGED = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
OLD = {"q1": [*"abx"], "q2": [*"cxy"]}
BY_SCORES: dict[str, Any] = {
    "relevance": {"q1": [0.9, 0.8, 0.7], "q2": [0.9, 0.9, 0.9]},
    "reference_relevance": {"q1": [0.9, 0.8, 0.7], "q2": [0.9, 0.8, 0.7]},
}
LOSSES: dict[str, tuple[str, str, dict[str, Any], list[str]]] = {
    # Gain 3 over log2(3) and log2(4), and 1 over log2(2) and log2(3); then rank 1 to none.
    "dcg": ("xab", "xyz", {}, ["c 1->- -1.00", "b 2->3 -0.39, a 1->2 -0.37"]),
    # An item that did not move costs no average precision.
    "map": ("xba", "cxy", {}, ["a 1->3 -0.42, b 2->2"]),
    # What is no sum is told by ranks alone, and so are places by relevance scores.
    "mar@2": ("xab", "cxy", {}, ["a 1->2, b 2->3"]),
    "gauc": ("abx", "cxy", BY_SCORES, ["c 1->1"]),
}


@pytest.mark.parametrize("measure", LOSSES)
def test_items_are_listed_with_what_they_cost(measure: str) -> None:
    first, second, reading, places = LOSSES[measure]
    new = {"q1": [*first], "q2": [*second]}
    with expected_failure() as failure:
        assert_not_worse(JUDGED, new, OLD, measure, max_drop=0, confirm=False, **reading)
    result = failure.value.result
    assert isinstance(result, GateResult)
    assert [row.places for row in result.worst] == places
