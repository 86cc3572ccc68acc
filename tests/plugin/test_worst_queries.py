"""Which queries a gate lists: those that could be answered better, or got worse."""

from __future__ import annotations

import pytest

from pytest_rankmetrics import GateResult, assert_metric, expected_failure
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
