"""A limit that limits nothing is refused, and so is one that would silently not be judged."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_rankmetrics import (
    RankGateWarning,
    assert_metric,
    assert_not_worse,
    expected_failure,
)
from pytest_rankmetrics.measuring.strict import measure_strictly
from pytest_rankmetrics.policy.policy import read_policy
from pytest_rankmetrics.policy.settings import Settings
from sklearn_rank import InvalidParameterError, measure
from tests.plugin.cases import case
from tests.plugin.conftest import Suite, said

POOLED = "auc(average=pooled)"
DROP: dict[str, Any] = {"max_drop": {"map": 0.005}}
SLICED: dict[str, Any] = {**DROP, "slices": {"q001": "s"}}

EMPTY: dict[str, tuple[dict[str, Any], str]] = {
    "at_least": ({**DROP, "at_least": {}}, "at_least is empty"),
    "at_most": ({**DROP, "at_most": {}}, "at_most is empty"),
    "max_drop": ({"max_drop": {}}, "max_drop is empty"),
    "hard_drop": ({**DROP, "hard_drop": {}}, "hard_drop is empty"),
    "per_query_at_least": ({**DROP, "per_query_at_least": {}}, "per_query_at_least is empty"),
    "max_slice_drop": ({**SLICED, "max_slice_drop": {}}, "max_slice_drop is empty"),
    "slice_at_least": ({**SLICED, "slice_at_least": {}}, "slice_at_least is empty"),
    "a slice": ({**SLICED, "slice_at_least": {"s": {}}}, "slice_at_least is empty"),
    "hard_drop alone": ({"at_least": {"map": 0.1}, "hard_drop": 0.1}, "hard_drop needs max_drop="),
    "slice_hard_drop alone": ({**SLICED, "slice_hard_drop": 0.1}, "needs max_slice_drop="),
    "hard_drop of 5": ({**DROP, "hard_drop": 5}, r"below 1, or no drop exceeds it; got 5\.0"),
    "slice_hard_drop of 1": (
        {**SLICED, "max_slice_drop": 0.1, "slice_hard_drop": 1},
        r"slice_hard_drop must be below 1, .* \(0 switches it off\)",
    ),
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    limits, complaint = EMPTY[name]
    with pytest.raises(InvalidParameterError, match=complaint):
        read_policy(Settings(), limits)  # type: ignore[arg-type]


@pytest.mark.parametrize("none", [0, 0.0, math.inf])
@pytest.mark.parametrize("setting", [0, 0.05])
def test_a_hard_limit_of_0_is_none_wherever_it_is_said(none: float, setting: float) -> None:
    assert read_policy(Settings(hard_drop=0), DROP).hard_drop == {"map": math.inf}  # type: ignore[arg-type]
    limits = {**SLICED, "max_slice_drop": 0.1, "hard_drop": none, "slice_hard_drop": none}
    policy = read_policy(Settings(hard_drop=setting), limits)  # type: ignore[arg-type]
    assert policy.hard_drop == {"map": math.inf}
    assert policy.slices.hard_drop == math.inf


FORBIDDEN = {
    "a number among names": ("truth, results", "[7]", "7 is int, q001 str"),
    "a tuple among names": ("truth, results", "[('q001',)]", "is tuple, q001 str"),
    "names among positions": (
        "list(truth.values()), list(results.values())",
        "['q001']",
        "q001 is str, 0 int",
    ),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_forbidden_queries_that_can_never_meet_fail(name: str, suite: Suite) -> None:
    data, forbidden, complaint = FORBIDDEN[name]
    suite.write(
        test_it=f"""
            from cases import system

            def test_it(rank_gate):
                truth, results = system()
                rank_gate.check({data}, at_least={{"mrr": 0.1}}, forbidden_queries={forbidden})
        """
    )
    suite.system([2] * 30)
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert f"forbidden_queries can never meet the queries: {complaint}" in said(result).replace(
        "('q001',) ", ""
    )


def test_forbidden_queries_of_the_right_kind_pass(suite: Suite) -> None:
    suite.write(
        test_it="""
            import numpy as np
            from cases import system

            def test_it(rank_gate):
                truth, results = system()
                data = list(truth.values()), list(results.values())
                rank_gate.check(*data, at_least={"mrr": 0.1}, forbidden_queries=[np.int64(70)])
        """
    )
    suite.system([2] * 30)
    suite.run().assert_outcomes(passed=1)


GATE = """
    from cases import system

    def test_it(rank_gate):
        truth, results = system()
        rank_gate.check(truth, results, max_drop={"mrr": 0.005}, LIMITS)
"""


def limited(limits: str) -> str:
    return GATE.replace("LIMITS", limits)


def test_a_drop_beyond_the_baseline_is_refused_beside_limits_of_slices(suite: Suite) -> None:
    gate = limited("slices=lambda query: 'all', max_slice_drop=0.02").replace("0.005", "0.6")
    suite.write(test_it=gate.replace("0.6", "0.4"))
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=gate)
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "max_drop of mrr is 0.6 and the baseline 0.5000: no value could fail" in said(result)


def test_more_regressed_queries_than_there_are_could_not_fail(suite: Suite) -> None:
    suite.write(test_it=limited("max_regressed_queries=30"))
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "max_regressed_queries is 30, with 30 queries compared by mrr" in said(result)


def test_slices_that_are_all_too_small_are_warned_of(suite: Suite) -> None:
    suite.write(test_it=limited("slices=lambda query: query[:3], max_slice_drop=0.02"))
    suite.system([2] * 9)
    suite.run("--rank-update").assert_outcomes(passed=1)
    result = suite.run()
    result.assert_outcomes(passed=1, warnings=1)
    assert "max_slice_drop judges no slice: none of them has 10 queries" in said(result)
    suite.run("--rank-strict").assert_outcomes(failed=1)


def test_a_misspelt_limit_is_answered_with_the_right_one(suite: Suite) -> None:
    suite.write(test_it=limited("max_slice_drp=0.02"))
    suite.system([2] * 30)
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "'max_slice_drp'; did you mean 'max_slice_drop'?" in said(result)


# Measures that rank all queries together ---------------------------------------------------------


def scored(places: list[int]) -> tuple[dict[str, set[str]], dict[str, dict[str, float]]]:
    """Queries whose relevant item of score 0.5 stands behind so many of 4 others."""
    truth = {f"q{n:03d}": {"good"} for n in range(len(places))}
    results = {
        query: {
            "good": 0.5,
            **{f"bad{n}": 0.9 if n < place else 0.1 for n in range(4)},
        }
        for query, place in zip(truth, places, strict=True)
    }
    return truth, results


def test_slices_of_pooled_measures_are_compared() -> None:
    # In slice b one of four others is above the relevant item in every query: 1 falls to 3/4.
    truth, old = scored([0] * 60)
    _, new = scored([0] * 40 + [1] * 20)
    slices = {query: "a" if query < "q040" else "b" for query in truth}
    with expected_failure(match=r"slice b -0\.2500 .*1\.0000 -> 0\.7500") as info:
        assert_not_worse(
            truth,
            new,
            old,
            POOLED,
            max_drop={POOLED: 0.2},
            confirm=False,
            slices=slices,
            max_slice_drop=0.1,
            allow={"perfect"},
        )
    assert info.value.result is not None
    assert [one.label for one in info.value.result.slices] == ["a", "b"]


POOLED_GATE = f"""
    import json
    from pathlib import Path

    def test_it(rank_gate):
        places = json.loads(Path(__file__).with_name("ranks.json").read_text())
        truth = {{f"q{{n:03d}}": {{"good"}} for n in range(len(places))}}
        results = {{
            query: {{"good": 0.5, **{{f"b{{n}}": 0.9 if n < place else 0.1 for n in range(4)}}}}
            for query, place in zip(truth, places)
        }}
        slices = {{query: "a" if query < "q040" else "b" for query in truth}}
        rank_gate.check(
            truth, results, max_drop={{"{POOLED}": 0.2}}, allow={{"perfect"}}, LIMITS
        )
"""


def test_recorded_slices_of_pooled_measures_are_compared(suite: Suite) -> None:
    suite.write(test_it=POOLED_GATE.replace("LIMITS", "slices=slices"))
    suite.system([0] * 60)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=POOLED_GATE.replace("LIMITS", "slices=slices, max_slice_drop=0.1"))
    suite.run().assert_outcomes(passed=1)
    suite.system([0] * 40 + [1] * 20)
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "slice b -0.2500" in said(result)


def test_a_pooled_slice_that_was_never_recorded_is_stale(suite: Suite) -> None:
    suite.write(test_it=POOLED_GATE.replace("LIMITS", ""))
    suite.system([0] * 60)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=POOLED_GATE.replace("LIMITS", "slices=slices, max_slice_drop=0.1"))
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert f"baseline does not fit: it has no {POOLED} of slice a" in said(result)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)


def test_regressed_queries_of_a_pooled_measure_cannot_be_counted() -> None:
    truth, old = scored([0] * 30)
    with expected_failure(match="ranks all queries together; max_regressed_queries"):
        assert_not_worse(
            truth,
            old,
            old,
            POOLED,
            max_drop={POOLED: 0.2},
            max_regressed_queries=2,
            allow={"perfect"},
        )


# Cut lists ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("depths", "warned"),
    [([5] * 12, True), ([5] * 8 + [3] * 4, True), ([3] * 11 + [5], False), ([5] * 9, False)],
)
def test_lists_of_which_most_end_before_the_cutoff_are_remarked_on(
    depths: list[int], *, warned: bool
) -> None:
    truth, results = case([0] + [1] * (len(depths) - 1))
    cut = {query: results[query][:n] for query, n in zip(results, depths, strict=True)}
    measured = measure_strictly(truth, cut, [measure("recall@10")], {})
    assert any("which end at 5 and lack" in text for text in measured.warnings) == warned


def test_a_gate_may_have_its_own_level_for_slices() -> None:
    assert read_policy(Settings(), {**DROP, "slice_alpha": 0.001}).settings.slice_alpha == 0.001  # type: ignore[typeddict-item]
    truth, old = case([2] * 30)
    with pytest.warns(RankGateWarning, match="judges no slice"):
        assert_not_worse(
            truth, old, old, "mrr", slices=lambda q: q, max_slice_drop=0.1, slice_alpha=0.001
        )


# Limits that no ranking of the data could violate -------------------------------------------------

TRUTH = {"q1": {"a"}, "q2": {"b"}}
LISTS = {"q1": ["a", "b", "c"], "q2": ["b", "a", "c"]}
UNVIOLATED: dict[str, tuple[dict[str, Any], str]] = {
    "idcg": ({"at_least": {"idcg@5": 0.1}}, "at_least of idcg@5 limits nothing: it reads the judg"),
    "a drop of idcg": ({"max_drop": {"idcg@5": 0.1}}, "max_drop of idcg@5 limits nothing"),
    "idcg alone": ({"metrics": "idcg@5", "max_drop": 0.1}, "the gate has no limit"),
    "next to 0": ({"at_least": {"map": 1e-300}}, "above 0 by more than the tolerance of 1e-09"),
    "the tolerance": ({"at_least": {"map": 1e-9}}, "above 0 by more than the tolerance of 1e-09"),
    "recall": ({"at_least": {"recall": 0.5}}, "the limit of recall limits nothing: every ranking"),
    "hit rate": ({"at_least": {"hit_rate": 0.5}}, "the limit of hit_rate limits nothing"),
    "of a slice": (
        {"slices": {"q1": "s", "q2": "s"}, "slice_at_least": {"s": {"recall": 0.5}}},
        "the limit of recall limits nothing",
    ),
    "of each query": ({"per_query_at_least": {"recall": 0.5}}, "the limit of recall limits nothi"),
    "judged": (
        {"at_least": {"judged@2": 0.5}},
        "judged@2 limits nothing: the judgements are",
    ),
    "unjudged": ({"at_most": {"unjudged@2": 1}}, "unjudged@2 limits nothing: the judgements are"),
}


@pytest.mark.parametrize("name", UNVIOLATED)
def test_a_limit_that_no_ranking_could_violate_is_refused(name: str, suite: Suite) -> None:
    limits, complaint = UNVIOLATED[name]
    suite.write(
        test_it=f"""
            def test_it(rank_gate):
                rank_gate.check({TRUTH}, {LISTS}, **{limits})
        """
    )
    result = suite.run("--rank-update")
    result.assert_outcomes(failed=1)
    assert complaint in said(result)


def test_recall_of_rankings_that_differ_in_their_items_is_a_limit() -> None:
    lists = {"q1": ["a", "b", "x"], "q2": ["b", "a", "c"]}
    assert assert_metric(TRUTH, lists, "recall", at_least=0.5).value == 1.0
    assert assert_metric(TRUTH, LISTS, "recall@2", at_least=0.5).value == 1.0


def test_a_rise_of_lag_that_no_ranking_reaches_is_refused() -> None:
    new = {"q1": ["b", "a", "c"], "q2": ["b", "a", "c"]}
    refused = "max_drop of lag is 3 and the baseline 0.0000, 3 the greatest value"
    with expected_failure(match=refused):
        assert_not_worse(TRUTH, new, LISTS, "lag", max_drop=3)
    allow = {"unretrieved"}
    assert assert_not_worse(TRUTH, new, LISTS, "lag", max_drop=2.9, allow=allow).value == 0.5


def test_queries_without_a_label_are_in_no_slice(suite: Suite) -> None:
    suite.write(
        test_it="""
            from cases import system

            def test_it(rank_gate):
                labels = {"q001": "head", "q002": "head"}
                result = rank_gate.check(*system(), at_least={"mrr": 0.1}, slices=labels.get)
                assert [part.label for part in result.slices] == ["head"]
        """
    )
    suite.system([2] * 30)
    suite.run().assert_outcomes(passed=1)


def test_slices_without_a_query_are_refused() -> None:
    with expected_failure(InvalidParameterError, match="slices gives none of the queries a label"):
        assert_not_worse(TRUTH, LISTS, LISTS, "map", slices={"q7": "a"}.get, max_slice_drop=0.1)
