"""Which queries a gate lists: those that could be answered better, or got worse."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_rankmetrics import GateResult, assert_metric, assert_not_worse, expected_failure
from sklearn_rank import Measure
from tests.plugin.cases import case
from tests.plugin.conftest import Suite, said


def failed(ranks: list[int], measure: str | Measure, **limits: float) -> GateResult:
    with expected_failure() as failure:
        assert_metric(*case(ranks), measure, **limits)
    result = failure.value.result
    assert isinstance(result, GateResult)
    return result


def test_queries_at_the_maximum_are_not_listed() -> None:
    assert [row.query for row in failed([1, 2, 1, 4], "mrr", at_least=0.9).worst] == [
        "q004",
        "q002",
    ]


def test_queries_at_the_minimum_of_an_error_are_not_listed() -> None:
    assert [row.query for row in failed([1, 3, 1, 2], "lag", at_most=0.5).worst] == ["q002", "q004"]


def test_all_queries_of_a_measure_without_a_maximum_may_be_worst() -> None:
    assert len(failed([1, 2], "dcg", at_least=5.0).worst) == 2


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
    text = said(suite.run())
    assert "no baseline for gate" in text
    assert "q001" not in text
    assert ("q030" in text) == (2 in ranks)


# What explains a loss ----------------------------------------------------------------------------

JUDGED = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
OLD = {"q1": [*"abx"], "q2": [*"cxy"]}


def losses(new: dict[str, Any], measure: str = "dcg", **reading: Any) -> list[str]:
    with expected_failure() as failure:
        assert_not_worse(JUDGED, new, OLD, measure, max_drop=0, confirm=False, **reading)
    result = failure.value.result
    assert isinstance(result, GateResult)
    return [row.places for row in result.worst]


def test_items_are_listed_with_what_they_cost() -> None:
    # Gain 3 over log2(3) and log2(4), and 1 over log2(2) and log2(3); then rank 1 to none.
    assert losses({"q1": [*"xab"], "q2": [*"xyz"]}) == [
        "c 1->- -1.00",
        "b 2->3 -0.39, a 1->2 -0.37",
    ]


def test_an_item_that_did_not_move_costs_no_average_precision() -> None:
    assert losses({"q1": [*"xba"], "q2": [*"cxy"]}, "map") == ["a 1->3 -0.42, b 2->2"]


def test_what_is_no_sum_is_told_by_ranks_alone() -> None:
    assert losses({"q1": [*"xab"], "q2": [*"cxy"]}, "mar@2") == ["a 1->2, b 2->3"]


def test_relevance_scores_rank_otherwise() -> None:
    lists = {"q1": [*"abx"], "q2": [*"cxy"]}
    places = losses(
        lists,
        "gauc",
        relevance={"q1": [0.9, 0.8, 0.7], "q2": [0.9, 0.9, 0.9]},
        reference_relevance={"q1": [0.9, 0.8, 0.7], "q2": [0.9, 0.8, 0.7]},
    )
    assert places == ["c 1->1"]
