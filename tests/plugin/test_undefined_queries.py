"""A query that was defined and is not any more, or that found nothing, does not vanish."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_rankmetrics import (
    RankGateFailure,
    assert_lag_at_most,
    assert_metric,
    assert_not_worse,
    expected_failure,
)
from tests.plugin.cases import case, results, truth
from tests.plugin.conftest import Suite, said

MEASURES = ("auc", "gauc", "lauc@5", "lag")
GATE = """
    import math
    from cases import system

    def test_it(rank_gate):
        rank_gate.check(*system(), metrics="{measure}", max_drop=0.005, zero_division={settled}
            , missing="zero", allow={{"unretrieved", "perfect"{allow}}})
"""


@pytest.mark.parametrize("settled", ["math.nan", "1.0", "0.0"])
@pytest.mark.parametrize("measure", MEASURES)
def test_rankings_that_became_empty_do_not_leave_the_mean(
    measure: str, settled: str, suite: Suite
) -> None:
    suite.write(test_it=GATE.format(measure=measure, settled=settled, allow=""))
    suite.system([2] * 40)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.system([2] + [None] * 39)
    result = suite.run("--rank-strict")
    result.assert_outcomes(failed=1)
    if settled == "0.0" and measure != "lag":  # the worst value
        assert f"{measure} 0.8889 -> 0.0222" in said(result)
    else:
        assert "39 queries have relevant items, retrieved none of them and would" in said(result)


def test_a_query_with_a_value_in_the_baseline_and_none_now_fails(suite: Suite) -> None:
    gate = GATE.format(measure="gauc", settled="math.nan", allow="")
    # Where a list ends behind its one relevant item, there is no pair for an AUC.
    suite.write(test_it=gate)
    suite.system([1] * 40)
    suite.run("--rank-update").assert_outcomes(passed=1)
    cut = "(data := system())[0], {q: r[:1] if q < 'q021' else r for q, r in data[1].items()}"
    suite.write(test_it=gate.replace("*system()", cut))
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "20 queries had a value of gauc in the baseline and none now: q001" in said(result)
    assert 'pass allow={"undefined"} if they may be left out' in said(result)


@pytest.mark.parametrize("settled", [math.nan, 0.0, 1.0])
def test_missing_queries_do_not_improve_lag(settled: float) -> None:
    judged, ranked = case([2] * 10)
    del ranked["q003"]
    options: dict[str, Any] = {"missing": "zero", "zero_division": settled}
    with expected_failure(RankGateFailure, match="1 query has relevant items, retrieved none"):
        assert_lag_at_most(judged, ranked, 2, **options)
    allowed = assert_lag_at_most(judged, ranked, 2, allow={"undefined", "unretrieved"}, **options)
    assert allowed.value == (1.0 if math.isnan(settled) else (9 + settled) / 10)


def test_queries_without_relevant_items_are_still_left_out() -> None:
    judged, ranked = case([2] * 10)
    judged["q003"] = set()
    assert assert_metric(judged, ranked, "gauc", at_least=0.5, zero_division=math.nan).passed
    graded = {query: {"good": 2} for query in judged} | {"q003": {"bad1": 1}}
    rated = assert_metric(
        graded, ranked, "lag(min_rel=2)", at_most=2, zero_division=math.nan, allow={"unretrieved"}
    )
    assert rated.passed


def test_a_system_beside_another_keeps_its_queries() -> None:
    judged = truth(10)
    new = results([2] * 10)
    new["q001"] = ["good"]
    options: dict[str, Any] = {"zero_division": math.nan}
    with expected_failure(match="1 query had a value of gauc in the reference and none now: q001"):
        assert_not_worse(judged, new, results([2] * 10), "gauc", **options)
    allow = {"undefined"}
    assert assert_not_worse(judged, new, results([2] * 10), "gauc", allow=allow, **options).passed


@pytest.mark.parametrize("measure", ["auc", "map", "ndcg@5", "lauc@5"])
def test_a_baseline_of_queries_that_are_all_undefined_is_read_back(
    measure: str, suite: Suite
) -> None:
    suite.write(
        test_it=f"""
            def test_it(rank_gate):
                truth = {{f"q{{n}}": {{"a": 0}} for n in range(12)}}
                lists = {{query: ["a", "b"] for query in truth}}
                rank_gate.check(truth, lists, max_drop={{"{measure}": 0.005}}, zero_division=1.0,
                    allow={{"perfect"}})
        """
    )
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)
