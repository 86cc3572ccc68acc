"""Guards of gates at their boundaries: equality, weights, and measures of which less is better."""

from __future__ import annotations

import math
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

from pytest_rankmetrics import (
    GateResult,
    RankGateFailure,
    assert_metric,
    assert_mrr_at_least,
    assert_not_worse,
    expected_failure,
)
from pytest_rankmetrics.assessment.compare import compare_metrics
from pytest_rankmetrics.baseline.record import stable_key
from pytest_rankmetrics.measuring.evaluation import beside
from pytest_rankmetrics.measuring.strict import measure_strictly
from pytest_rankmetrics.policy.policy import read_policy
from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.policy.verdicts import Rule, Verdict, assess_change
from sklearn_rank import InvalidParameterError, measure
from sklearn_rank.statistics.differences import compare_paired
from tests.plugin.cases import case, names, results, truth
from tests.plugin.conftest import Suite, said

RULE = Rule(max_drop=0.005, hard_drop=0.05, min_queries=25, alpha=0.05, confirm=True)


@pytest.mark.parametrize(
    ("drop", "n", "p", "verdict"),
    [
        (0.005, 60, 0.001, Verdict.PASS),  # equal to the margin
        (0.005 + 1e-8, 60, 0.001, Verdict.FAIL),
        (0.05, 60, 0.9, Verdict.WARN),  # equal to the hard limit
        (0.05 + 1e-8, 60, 0.9, Verdict.FAIL),
        (0.02, 60, 0.05, Verdict.FAIL),  # equal to alpha
        (0.02, 60, math.nextafter(0.05, 1), Verdict.WARN),
        (0.02, 25, 0.9, Verdict.WARN),  # as many queries as it takes
        (0.02, 24, 0.9, Verdict.FAIL),
        (-1e-6, 60, 0.9, Verdict.PASS),  # rounding of a file
        (-1.1e-6, 60, 0.9, Verdict.IMPROVED),
    ],
)
def test_what_is_equal_to_a_limit_meets_it(drop: float, n: int, p: float, verdict: Verdict) -> None:
    assert assess_change(drop, n, p, RULE).verdict is verdict


@pytest.mark.parametrize(("name", "upper"), [("max_drop", 1.0), ("hard_drop", 1.0)])
def test_a_drop_equal_to_the_greatest_value_limits_nothing(name: str, upper: float) -> None:
    drops: dict[str, Any] = {"max_drop": {"map": 0.1}, name: {"map": upper}}
    with pytest.raises(InvalidParameterError, match=name):
        read_policy(Settings(), drops)  # type: ignore[arg-type]
    below = {**drops, name: {"map": math.nextafter(upper, 0)}}
    assert read_policy(Settings(), below).max_drop  # type: ignore[arg-type]


def test_a_p_value_at_its_floor_can_confirm_at_that_level() -> None:
    # Five of thirty queries fall: no p-value is below 2 ** -5.
    old, new = results([1] * 30), results([2] * 5 + [1] * 25)
    options: dict[str, Any] = {"hard_drop": 0, "test": "permutation"}
    with expected_failure(match="mrr 1.0000 -> 0.9167") as failure:
        assert_not_worse(truth(30), new, old, "mrr", alpha=2**-5, **options)
    assert isinstance(failure.value, RankGateFailure)
    assert failure.value.result.metrics["mrr"].p == 2**-5  # type: ignore[attr-defined]
    below = assert_not_worse(
        truth(30), new, old, "mrr", alpha=2**-5 - 1e-9, allow={"cannot_tell"}, **options
    )
    assert below.metrics["mrr"].reason == "too few queries changed"


def test_weighted_gates_run_the_test_that_they_name() -> None:
    rng = np.random.default_rng(0)
    weights = dict(zip(names(30), rng.integers(1, 9, 30).tolist(), strict=True))
    old, new = results([2] * 30), results([3] * 5 + [1] * 2 + [2] * 23)
    measured, reference = (
        measure_strictly(truth(30), run, [measure("mrr")], {"sample_weight": weights})
        for run in (new, old)
    )
    p = {}
    for test in ("t", "permutation"):
        limits: Any = {"max_drop": {"mrr": 0.005}, "test": test}
        policy = read_policy(Settings(), limits)
        p[test] = compare_metrics(measured, beside(measured, reference), policy)["mrr"].p
        columns = (measured.per_query("mrr"), reference.per_query("mrr"))
        own = compare_paired(*columns, weights=list(weights.values()), test=test)  # type: ignore[arg-type]
        assert p[test] == own.p
    assert p["t"] != p["permutation"]


def test_a_slice_beyond_its_hard_limit_fails_however_small_it_is() -> None:
    old, new = results([1] * 40), results([3] * 9 + [1] * 31)
    labels = {query: "rare" if query <= "q009" else "rest" for query in names(40)}
    options: dict[str, Any] = {"slices": labels, "max_drop": 0.5, "hard_drop": 0.9}
    # Nine queries fall from 1 to 1/3.
    options |= {"max_slice_drop": 0.02}
    assert assert_not_worse(truth(40), new, old, "mrr", **options).passed
    assert assert_not_worse(
        truth(40), new, old, "mrr", slice_hard_drop=2 / 3 + 1e-6, **options
    ).passed
    with expected_failure(match=r"slice rare -0.6667 \(mrr 1.0000 -> 0.3333, allowed -0.0200"):
        assert_not_worse(truth(40), new, old, "mrr", slice_hard_drop=0.6, **options)


def test_the_gains_of_lag_are_its_falls(suite: Suite) -> None:
    suite.write(
        test_it="""
            from cases import results, truth
            from pytest_rankmetrics import assert_not_worse

            def test_it():
                old, new = results([3] * 20), results([9] * 10 + [1] + [3] * 9)
                assert_not_worse(truth(20), new, old, "lag", max_drop=0.1)
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *biggest gains: q011 -2.0000"])


def test_what_perfect_lists_would_give_is_said_without_weights_alone(suite: Suite) -> None:
    suite.write(
        test_it="""
            from cases import case
            from pytest_rankmetrics import assert_mrr_at_least

            def test_plain():
                assert_mrr_at_least(*case([2, 1, 1]), 0.9)

            def test_weighted():
                weights = {"q001": 3.0, "q002": 1.0, "q003": 4.0}
                assert_mrr_at_least(*case([2, 1, 1]), 0.9, sample_weight=weights)
        """
    )
    result = suite.run()
    assert "mrr 0.8125 < 0.9000" in said(result)  # (3 / 2 + 1 + 4) / 8
    assert said(result).count("a perfect list for this query alone would give mrr 1.0000") == 1


def test_failing_slices_stand_first_where_only_20_are_shown(suite: Suite) -> None:
    suite.write(
        test_it="""
            from cases import names, results, truth
            from pytest_rankmetrics import assert_not_worse

            def test_it():
                old, new = results([1] * 250), results([1] * 240 + [3] * 10)
                labels = {query: f"s{n // 10:02}" for n, query in enumerate(names(250))}
                options = {"max_drop": 0.1, "slices": labels, "max_slice_drop": 0.02}
                options["confirm"] = False
                assert_not_worse(truth(250), new, old, "mrr", **options)
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    rows = [line for line in result.outlines if line.startswith("E ") and " s2" in line]
    assert any("s24" in line and "FAIL" in line for line in rows)
    result.stdout.fnmatch_lines(["E *and 5 more"])


def test_weights_count_in_measures_that_have_no_limit(suite: Suite) -> None:
    gate = """
        from cases import case

        def test_it(rank_gate):
            rank_gate.check(*case({ranks}), max_drop={{"recall@5": 0.005}}, metrics=("mrr",),
                sample_weight={weights}, allow={{"perfect"}})
    """
    suite.write(test_it=gate.format(ranks=[1, 2], weights={"q001": 9.0, "q002": 1.0}))
    suite.run("--rank-update").assert_outcomes(passed=1)
    before = suite.baselines()
    # By these weights the reciprocal ranks of the common queries fall from 0.95 to 0.55, without
    # them they stay at 0.75: another query makes the baseline stale, and nothing else.
    weights = {"q001": 9.0, "q002": 1.0, "q003": 1.0}
    suite.write(test_it=gate.format(ranks=[2, 1, 1], weights=weights))
    suite.run("--rank-update").assert_outcomes(failed=1)
    assert suite.baselines() == before
    suite.write(test_it=gate.format(ranks=[1, 2, 1], weights=weights))
    suite.run("--rank-update").assert_outcomes(passed=1)
    assert suite.baselines() != before


@pytest.mark.parametrize("value", [frozenset({1, 2}), (frozenset({"a"}),), object()])
def test_ids_that_read_differently_in_every_run_are_refused(value: Any) -> None:
    with pytest.raises(RankGateFailure, match="reads differently in every run"):
        stable_key(value, "items")


def gate(threshold: float) -> GateResult:
    judged, ranked = case([1, 2, 4, 5])
    return assert_mrr_at_least(judged, ranked, threshold)


def test_results_and_failures_travel_between_processes() -> None:
    with ProcessPoolExecutor(1) as pool:
        result = pool.submit(gate, 0.2).result()
        with pytest.raises(RankGateFailure, match=r"mrr 0\.4875 < 0\.9000") as info:
            pool.submit(gate, 0.9).result()
    own = gate(0.2)
    assert result.as_dict() == own.as_dict()
    assert (result.ci, result.message, result.per_query) == (own.ci, own.message, own.per_query)
    failed = info.value.result
    assert isinstance(failed, GateResult)
    assert [row.query for row in failed.worst] == ["q004", "q003", "q002"]
    assert pickle.loads(pickle.dumps(failed)) == failed
    assert assert_metric(*case([1, 2]), "mrr", at_least=0.5).passed
