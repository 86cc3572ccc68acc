"""Limits: those that everything or nothing meets are refused, and equality meets a limit."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pytest_rankmetrics import (
    RankGateWarning,
    Verdict,
    assert_lag_at_most,
    assert_metric,
    assert_mrr_at_least,
    assert_not_worse,
    expected_failure,
)
from pytest_rankmetrics.measuring.strict import measure_strictly
from pytest_rankmetrics.policy.policy import read_policy
from pytest_rankmetrics.policy.settings import SettingError, Settings
from pytest_rankmetrics.policy.verdicts import Rule, assess_change, assess_ends
from sklearn_rank import InvalidParameterError, RankingDataWarning, measure
from tests.plugin.cases import case, names
from tests.plugin.one_gate import gate_of, not_worse

POOLED = "auc(average=pooled)"
DROP: dict[str, Any] = {"max_drop": {"map": 0.005}}
SLICED: dict[str, Any] = {**DROP, "slices": {"q001": "s"}}
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
        (math.nan, 60, 0.9, Verdict.FAIL),
    ],
)
def test_what_is_equal_to_a_limit_meets_it(drop, n, p, verdict):
    assert assess_change(drop, n, p, RULE).verdict is verdict


def test_a_change_that_no_test_could_confirm_cannot_be_told():
    # Within the margin, beyond the hard limit and with few queries nothing needs a test.
    cases = {(0.005, 30): "pass", (0.006, 30): "cannot tell", (0.051, 30): "fail"}
    for (drop, n), verdict in {**cases, (0.006, 24): "fail"}.items():
        assert assess_change(drop, n, 0.5, RULE, can_confirm=False).verdict == verdict


@pytest.mark.parametrize(
    ("ends", "at_least", "at_most", "verdict"),
    [
        ((0.2, 0.4), 0.3, None, Verdict.CANNOT_TELL),
        ((0.3, 0.4), 0.3, None, Verdict.PASS),
        ((0.2, 0.4), None, 0.3, Verdict.CANNOT_TELL),
        ((0.2, 0.3), None, 0.3, Verdict.PASS),
        ((0.31, 0.4), None, 0.3, Verdict.FAIL),
        ((math.nan, math.nan), 0.3, None, Verdict.FAIL),
    ],
)
def test_a_value_between_two_ends(ends, at_least, at_most, verdict):
    assert assess_ends(*ends, at_least, at_most).verdict is verdict


# What is refused when a gate is defined -----------------------------------------------------------

ONE = {"q001": "a"}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    # limits of nothing
    "nothing": ({}, "the gate has no limit"),
    "shown": ({"metrics": ("mrr",)}, "the gate has no limit"),
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
    "slices alone": ({**DROP, "max_slice_drop": 0.1}, "limits of slices need slices="),
    "no drop": ({"slices": ONE, "max_slice_drop": 0.1}, "need max_drop="),
    # percent, and what every value or none meets
    "percent": ({"at_least": {"mrr": 93}}, "must be at most 1.*for 93 % write 0.93"),
    "above": ({"at_least": {"mrr": 1.0001}}, "must be at most 1, its greatest value"),
    "zero": ({"at_least": {"mrr": 0}}, "above 0 by more than the tolerance of 1e-09"),
    "the tolerance": ({"at_least": {"map": 1e-9}}, "above 0 by more than the tolerance of 1e-09"),
    "dcg": ({"at_least": {"dcg@10": 0}}, "at_least of dcg@10 must be above 0"),
    "lag below 0": ({"at_most": {"lag": -1}}, "at_most of lag must be at least 0"),
    "query": ({"per_query_at_least": {"mrr": 0}}, "per_query_at_least of mrr must be above 0"),
    "of a slice": ({**SLICED, "slice_at_least": {"s": {"mrr": 75}}}, "slice_at_least of mrr must"),
    "idcg": ({"at_least": {"idcg@5": 0.1}}, "at_least of idcg@5 limits nothing: it reads the judg"),
    "a drop of idcg": ({"max_drop": {"idcg@5": 0.1}}, "max_drop of idcg@5 limits nothing"),
    "idcg alone": ({"metrics": "idcg@5", "max_drop": 0.1}, "the gate has no limit"),
    # the wrong direction
    "lag": ({"at_least": {"lag": 0.1}}, "less is better for lag: limit it by at_most, not by"),
    "map": ({"at_most": {"map": 0.9}}, "greater is better for map: limit it by at_least, not by"),
    # tolerances that are none
    "a negative drop": ({"max_drop": {"mrr": -0.005}}, r"max_drop of mrr must be in \[0, 1\)"),
    "a drop of 5": ({"max_drop": {"mrr": 5}}, "in units of the measure, 0.05 for 5 points"),
    "a drop of 1": ({"max_drop": {"mrr": 1}}, r"max_drop of mrr must be in \[0, 1\)"),
    "NaN": ({"max_drop": {"mrr": math.nan}}, "max_drop of mrr must be finite"),
    "hard_drop below 0": ({**DROP, "hard_drop": -0.1}, "hard_drop of map must be at least 0"),
    "hard_drop of 1": ({**DROP, "hard_drop": {"map": 1}}, r"below 1, or no drop .*; got 1\.0"),
    "hard_drop of NaN": ({**DROP, "hard_drop": math.nan}, "hard_drop of map must be finite"),
    "slice drop of 5": ({**SLICED, "max_slice_drop": 5}, r"max_slice_drop must be in \[0, 1\)"),
    "slice_hard_drop of 1": (
        {**SLICED, "max_slice_drop": 0.1, "slice_hard_drop": 1},
        r"slice_hard_drop must be below 1, .* \(0 switches it off\)",
    ),
    "alpha": ({**DROP, "alpha": 5}, r"alpha must be a number in \(0, 1\)"),
    "alpha of 0": ({**DROP, "alpha": 0}, r"alpha must be a number in \(0, 1\)"),
    "alpha of NaN": ({**DROP, "alpha": math.nan}, r"alpha must be a number in \(0, 1\)"),
    "min_queries": ({**DROP, "min_queries": -1}, "min_queries must be an int of at least 0"),
    "regressed": ({**DROP, "max_regressed_queries": -1}, "max_regressed_queries must be an int"),
    "unjudged": ({**DROP, "unjudged": "guess"}, "unjudged must be one of irrelevant"),
    "new unjudged": ({**DROP, "max_new_unjudged": 2}, r"max_new_unjudged must be a number in \[0"),
    # names
    "a measure": ({"at_least": {"nrr": 0.5}}, "nrr"),
    "twice": ({"at_least": {"mrr": 0.5, "RR": 0.5}}, "at_least names mrr twice"),
    "hard_drop of another": ({**DROP, "hard_drop": {"mrr": 0.1}}, "mrr, which has no max_drop"),
    "no queries": ({**DROP, "required_queries": []}, "required_queries is empty"),
    "a query": ({**DROP, "forbidden_queries": "q1"}, "must be a collection of query ids"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_limit_that_cannot_be_meant_is_refused(name):
    limits, complaint = REFUSED[name]
    with pytest.raises(ValueError, match=complaint):
        read_policy(Settings(), limits)  # type: ignore[arg-type]


def test_limits_just_within_their_range_are_taken():
    below = math.nextafter(1, 0)
    limits: Any = {"max_drop": {"map": below}, "hard_drop": {"map": below}, "slice_alpha": 0.001}
    policy = read_policy(Settings(), {**limits, "at_least": {"map": 1}, "at_most": {"lag": 0}})
    assert policy.max_drop == policy.hard_drop == {"map": below}
    assert policy.settings.slice_alpha == 0.001
    with pytest.raises(SettingError, match="max_new_unjudged must be a number in"):
        Settings(max_new_unjudged=-0.1)


@pytest.mark.parametrize("none", [0, 0.0, math.inf])
@pytest.mark.parametrize("setting", [0, 0.05])
def test_a_hard_limit_of_0_is_none_wherever_it_is_said(none, setting):
    assert read_policy(Settings(hard_drop=0), DROP).hard_drop == {"map": math.inf}  # type: ignore[arg-type]
    limits = {**SLICED, "max_slice_drop": 0.1, "hard_drop": none, "slice_hard_drop": none}
    policy = read_policy(Settings(hard_drop=setting), limits)  # type: ignore[arg-type]
    assert policy.hard_drop == {"map": math.inf}
    assert policy.slices.hard_drop == math.inf


NUMBERS = ["1e-3", "95%", True, None, np.array([0.5]), [0.5], pd.NA, pd.NaT, 0.5j, b"0.5"]


@pytest.mark.parametrize("value", [*NUMBERS, np.True_, 10**400, math.nan], ids=lambda own: None)
def test_a_threshold_is_a_number(value):
    with expected_failure((InvalidParameterError, TypeError), match="threshold|at_least"):
        assert_mrr_at_least(*case([1, 2]), value)
    with pytest.raises(InvalidParameterError, match="at_least"):
        read_policy(Settings(), {"at_least": {"mrr": value}})
    for kind in (np.float64, np.float32, np.float16):
        result = assert_mrr_at_least(*case([1, 2]), kind(0.75))
        assert type(result.metrics["mrr"].at_least) is float


def test_an_assertion_has_a_limit_and_no_unknown_option(suite):
    data = case([1, 2])
    with expected_failure(InvalidParameterError, match="no limit"):
        assert_metric(*data, "mrr")
    for value in (math.nan, math.inf):
        with expected_failure(InvalidParameterError, match="at_most of lag must be finite"):
            assert_lag_at_most(*data, value)
    with expected_failure(TypeError, match="unexpected keyword argument 'max_drp'"):
        assert_mrr_at_least(*data, 0.5, max_drp=0.1)
    with expected_failure(InvalidParameterError, match="unknown word 'everything'"):
        assert_mrr_at_least(*data, 0.5, allow={"everything"})
    with expected_failure(InvalidParameterError, match="name different measures"):
        assert_not_worse(*data, data[1], "mrr", max_drop={"map": 0.1})
    with expected_failure(match="there is a limit for the slice b but no query is in it"):
        assert_not_worse(*data, data[1], "mrr", slices={"a": names(2)}, max_slice_drop={"b": 0.1})
    suite.write(test_it=limited("max_slice_drp=0.02"))
    suite.system([2] * 30)
    assert "'max_slice_drp'; did you mean 'max_slice_drop'?" in suite.fails()


# Limits that no ranking of the data could violate -------------------------------------------------

TRUTH = {"q1": {"a"}, "q2": {"b"}}
LISTS = {"q1": ["a", "b", "c"], "q2": ["b", "a", "c"]}
UNVIOLATED: dict[str, tuple[dict[str, Any], str]] = {
    "recall": ({"at_least": {"recall": 0.5}}, "the limit of recall limits nothing: every ranking"),
    "hit rate": ({"at_least": {"hit_rate": 0.5}}, "the limit of hit_rate limits nothing"),
    "a drop": ({"max_drop": {"recall": 0.5}}, "the limit of recall limits nothing"),
    "of a slice": (
        {"slices": {"q1": "s", "q2": "s"}, "slice_at_least": {"s": {"recall": 0.5}}},
        "the limit of recall limits nothing",
    ),
    "of each query": ({"per_query_at_least": {"recall": 0.5}}, "the limit of recall limits nothi"),
    "judged": ({"at_least": {"judged@2": 0.5}}, "judged@2 limits nothing: the judgements are"),
    "unjudged": ({"at_most": {"unjudged@2": 1}}, "unjudged@2 limits nothing: the judgements are"),
    "the length of the lists": ({"at_most": {"lag": 3}}, "lag is 3, and 3 the greatest value of"),
    "ids of another kind": (
        {"at_least": {"mrr": 0.1}, "forbidden_queries": [7]},
        "forbidden_queries can never match the queries: 7 is int, q1 str",
    ),
    "tuples": (
        {"at_least": {"mrr": 0.1}, "forbidden_queries": [("q1",)]},
        "forbidden_queries can never match the queries: ('q1',) is tuple, q1 str",
    ),
}


@pytest.mark.parametrize("name", UNVIOLATED)
def test_a_limit_that_no_ranking_could_violate_is_refused(name, suite):
    limits, complaint = UNVIOLATED[name]
    suite.write(
        test_it=f"""
            def test_it(rank_gate):
                rank_gate.check({TRUTH}, {LISTS}, **{limits})
        """
    )
    assert complaint in suite.fails(arguments=("--rank-update",))


def test_limits_that_some_ranking_violates_are_taken(rank_gate):
    lists = {"q1": ["a", "b", "x"], "q2": ["b", "a", "c"]}
    assert assert_metric(TRUTH, lists, "recall", at_least=0.5).value == 1.0
    assert assert_metric(TRUTH, LISTS, "recall@2", at_least=0.5).value == 1.0
    data = list(TRUTH.values()), list(LISTS.values())
    assert rank_gate.check(*data, at_least={"mrr": 0.1}, forbidden_queries=[np.int64(70)]).passed


def test_a_rise_of_lag_that_no_ranking_reaches_is_refused():
    new = {"q1": ["b", "a", "c"], "q2": ["b", "a", "c"]}
    refused = "max_drop of lag is 3 and the baseline 0.0000, 3 the greatest value"
    with expected_failure(match=refused):
        assert_not_worse(TRUTH, new, LISTS, "lag", max_drop=3)
    allow = {"unretrieved"}
    assert assert_not_worse(TRUTH, new, LISTS, "lag", max_drop=2.9, allow=allow).value == 0.5


def limited(limits: str) -> str:
    return gate_of(f'max_drop={{"mrr": 0.005}}, {limits}')


def test_a_drop_beyond_the_baseline_is_refused_beside_limits_of_slices(suite):
    gate = limited("slices=lambda query: 'all', max_slice_drop=0.02")
    suite.write(test_it=gate.replace("0.005", "0.4"))
    suite.record([2] * 30)
    suite.write(test_it=gate.replace("0.005", "0.6"))
    assert "max_drop of mrr is 0.6 and the baseline 0.5000: no value could fail" in suite.fails()


def test_more_regressed_queries_than_there_are_could_not_fail(suite):
    suite.write(test_it=limited("max_regressed_queries=30"))
    suite.record([2] * 30)
    assert "max_regressed_queries is 30, with 30 queries compared by mrr" in suite.fails()


# Slices ------------------------------------------------------------------------------------------


def test_slices_that_are_all_too_small_are_warned_of(suite):
    suite.write(test_it=limited("slices=lambda query: query[:3], max_slice_drop=0.02"))
    suite.record([2] * 9)
    text = suite.passes(warnings=1)
    assert "max_slice_drop judges no slice: none of them has 10 queries" in text
    suite.fails(arguments=("--rank-strict",))


def test_a_slice_beyond_its_hard_limit_fails_however_small_it_is():
    # Nine queries fall from 1 to 1/3.
    new, old = [3] * 9 + [1] * 31, [1] * 40
    labels = {query: "rare" if query <= "q009" else "rest" for query in names(40)}
    options = {"slices": labels, "max_drop": 0.5, "hard_drop": 0.9, "max_slice_drop": 0.02}
    for hard in (0, 2 / 3 + 1e-6):
        assert not_worse(new, old, slice_hard_drop=hard, **options).passed
    with expected_failure(
        match=r"MRR fell from 1.000 to 0.333 for the . \"rare\" queries \(-0.667, hard limit -0.600"
    ):
        not_worse(new, old, slice_hard_drop=0.6, **options)


def test_failing_slices_stand_first_where_only_20_are_shown():
    labels = {query: f"s{n // 10:02}" for n, query in enumerate(names(250))}
    options = {"max_drop": 0.1, "slices": labels, "max_slice_drop": 0.02, "confirm": False}
    with expected_failure() as failure:
        not_worse([1] * 240 + [3] * 10, [1] * 250, **options)
    lines = str(failure.value).splitlines()
    assert any("s24" in line and "FAIL" in line for line in lines)
    assert any(line.endswith("and 5 more") for line in lines)


def test_queries_without_a_label_are_in_no_slice(rank_gate):
    labels = {"q001": "head", "q002": "head"}.get
    with pytest.warns(RankingDataWarning, match="28 of 30 queries have no label"):
        result = rank_gate.check(*case([2] * 30), at_least={"mrr": 0.1}, slices=labels)
    assert [(part.label, part.queries) for part in result.slices] == [("head", 2)]
    with expected_failure(InvalidParameterError, match="slices gives none of the queries a label"):
        assert_not_worse(TRUTH, LISTS, LISTS, "map", slices={"q7": "a"}.get, max_slice_drop=0.1)


# Measures that rank all queries together ---------------------------------------------------------


def scored(places: list[int]) -> tuple[dict[str, set[str]], dict[str, dict[str, float]]]:
    """Queries whose relevant item of score 0.5 stands behind so many of 4 others."""
    judged = {f"q{n:03d}": {"good"} for n in range(len(places))}
    run = {
        query: {"good": 0.5, **{f"bad{n}": 0.9 if n < place else 0.1 for n in range(4)}}
        for query, place in zip(judged, places, strict=True)
    }
    return judged, run


def test_slices_of_pooled_measures_are_compared_and_their_queries_not_counted():
    # In slice b one of four others is above the relevant item in every query: 1 falls to 3/4.
    judged, old = scored([0] * 60)
    _, new = scored([0] * 40 + [1] * 20)
    options: dict[str, Any] = {"max_drop": {POOLED: 0.2}, "allow": {"perfect"}, "confirm": False}
    slices = {query: "a" if query < "q040" else "b" for query in judged}
    with expected_failure(match=r"fell from 1\.000 to 0\.750 for the 20 \"b\" queries") as info:
        assert_not_worse(judged, new, old, POOLED, slices=slices, max_slice_drop=0.1, **options)
    assert [one.label for one in info.value.result.slices] == ["a", "b"]
    with expected_failure(match="ranks all queries together; max_regressed_queries"):
        assert_not_worse(judged, old, old, POOLED, max_regressed_queries=2, **options)


POOLED_GATE = f"""
    from tests.plugin.test_limits import scored

    def test_it(rank_gate):
        truth, results = scored(PLACES)
        slices = {{query: "a" if query < "q040" else "b" for query in truth}}
        rank_gate.check(truth, results, max_drop={{"{POOLED}": 0.2}}, allow={{"perfect"}}, LIMITS)
"""


def pooled_gate(places: list[int], limits: str) -> str:
    return POOLED_GATE.replace("PLACES", str(places)).replace("LIMITS", limits)


def test_recorded_slices_of_pooled_measures_are_compared(suite):
    limit = "slices=slices, max_slice_drop=0.1"
    suite.write(test_it=pooled_gate([0] * 60, ""))
    suite.record()
    suite.write(test_it=pooled_gate([0] * 60, limit))
    assert f"baseline does not fit: it has no {POOLED} of slice a" in suite.fails()
    suite.record()
    suite.passes()
    suite.write(test_it=pooled_gate([0] * 40 + [1] * 20, limit))
    assert 'for the 20 "b" queries (-0.250, allowed -0.100)' in suite.fails()


# Cut lists ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("depths", "warned"),
    [([5] * 12, True), ([5] * 8 + [3] * 4, True), ([3] * 11 + [5], False), ([5] * 9, False)],
)
def test_lists_of_which_most_end_before_the_cutoff_are_remarked_on(depths, warned):
    judged, run = case([0] + [1] * (len(depths) - 1))
    cut = {query: run[query][:n] for query, n in zip(run, depths, strict=True)}
    measured = measure_strictly(judged, cut, [measure("recall@10")], {})
    assert any("which end at 5 and lack" in text for text in measured.warnings) == warned
    if warned:
        with pytest.warns(RankGateWarning, match="which end at 5 and lack"):
            assert_metric(judged, cut, "recall@10", at_least=0.1)
    assert assert_metric(judged, cut, "recall@5", at_least=0.1, allow={"truncated"}).passed
