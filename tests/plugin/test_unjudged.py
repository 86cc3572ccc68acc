"""Unjudged items in gates: three policies, and a third answer.

One query, judged a = 2, b = 1, c = 0; the old system has a b c, the new one a x b, and nobody
judged x. By nDCG@3 the old one is perfect; the new one has (3 + 1/2) / (3 + 1/log2(3)) = 0.9639 if
x is irrelevant, and with other grades of x the change is between -0.0361 and +0.3267.
"""

from __future__ import annotations

from math import log2
from typing import Any

import pytest

from pytest_rankmetrics import assert_metric, assert_not_worse, expected_failure
from pytest_rankmetrics.assessment.result import GateResult
from pytest_rankmetrics.policy.settings import SettingError, Settings
from pytest_rankmetrics.policy.verdicts import Verdict, assess_ends
from sklearn_rank import InvalidParameterError

TRUTH = {"q": {"a": 2, "b": 1, "c": 0}}
OLD, NEW = {"q": ["a", "b", "c"]}, {"q": ["a", "x", "b"]}
DROP = 1 - (3 + 1 / 2) / (3 + 1 / log2(3))
REACH = (-0.0360596, 0.3267065)
HEADLINE = (
    "cannot tell: ndcg@3 1.0000 -> 0.9639 (-0.0361, allowed -0.0050), and -0.0361..+0.3267 is "
    "possible: unjudged items decide; judge first: q x (+0.3628); 33% of the new top 3 are "
    "unjudged (reference 0%)"
)


@pytest.fixture(autouse=True)
def desk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


def compare(policy: str | None = None, max_drop: float = 0.005, **options: Any) -> GateResult:
    options.setdefault("allow", {"cannot_tell"})
    return assert_not_worse(
        TRUTH, NEW, OLD, "ndcg@3", max_drop=max_drop, unjudged=policy, **options
    )


def test_a_policy_that_has_nothing_to_fill_says_so() -> None:
    """The grades have no 0, so that x counts as irrelevant whatever the policy."""
    truth = {"q": {"a": 2, "b": 1}}

    def notes(policy: str, **options: Any) -> tuple[str, ...]:
        return assert_not_worse(
            truth, NEW, OLD, "ndcg@3", max_drop=0.5, unjudged=policy, hard_drop=0.5, **options
        ).notes

    for policy in ("bounds", "condense"):
        (note,) = notes(policy)
        assert note.startswith(
            f"unjudged='{policy}' changes nothing: the judgements have no grade 0"
        )
        assert notes(policy, assume="complete") == ()
    assert notes("irrelevant") == ()


# The three policies ------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [None, "irrelevant"])
def test_irrelevant_is_the_default(policy: str | None) -> None:
    with expected_failure(match=r"ndcg@3 1\.0000 -> 0\.9639 \(-0\.0361, allowed -0\.0050"):
        compare(policy)


def test_condensed_lists_lose_the_new_item() -> None:
    result = compare("condense")
    assert result.verdict is Verdict.PASS
    assert result.metrics["ndcg@3"].change == 0.0


def test_bounds_cannot_tell_where_grades_decide() -> None:
    result = compare("bounds")
    assert result.verdict is Verdict.CANNOT_TELL
    assert result.passed
    metric = result.metrics["ndcg@3"]
    assert metric.change == pytest.approx(-DROP)
    assert metric.change_bounds == pytest.approx(REACH, abs=1e-7)
    assert metric.reason == "unjudged items decide"
    assert result.headline == HEADLINE


def test_a_doubt_is_red_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with expected_failure(match="^cannot tell: ndcg@3") as info:
        compare("bounds", allow=())
    message = str(info.value)
    assert "CANNOT TELL" in message
    assert 'allow={"cannot_tell"}' in message


def test_bounds_pass_where_no_grading_exceeds_the_margin() -> None:
    result = compare("bounds", max_drop=0.04)
    assert result.verdict is Verdict.PASS
    assert result.metrics["ndcg@3"].change_bounds == pytest.approx(REACH, abs=1e-7)


def test_bounds_fail_where_every_grading_exceeds_the_margin() -> None:
    # P@2: a is gone from the top, and x stands below.
    new = {"q": ["c", "c2", "x", "a"]}
    truth = {"q": {"a": 1, "b": 1, "c": 0, "c2": 0}}
    with expected_failure(match=r"precision@2 1\.0000 -> 0\.0000") as info:
        assert_not_worse(truth, new, OLD, "precision@2", max_drop=0.1, unjudged="bounds")
    assert info.value.result.metrics["precision@2"].change_bounds == (-1.0, -1.0)


def test_a_complete_truth_has_no_bounds() -> None:
    truth = {"q": {"a", "b"}}
    result = assert_not_worse(truth, OLD, OLD, "ndcg@3", unjudged="bounds")
    assert result.metrics["ndcg@3"].change_bounds is None
    assumed = assert_not_worse(truth, OLD, OLD, "ndcg@3", unjudged="bounds", assume="partial")
    # c is in the same place on both sides: whatever its grade, nothing changes.
    assert assumed.metrics["ndcg@3"].change_bounds == pytest.approx((0.0, 0.0), abs=1e-12)
    assert assumed.verdict is Verdict.PASS


# Thresholds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at_least", "verdict"), [(0.3, "pass"), (0.6, "cannot tell"), (0.7, "fail")]
)
def test_a_threshold_is_judged_at_both_ends(at_least: float, verdict: str) -> None:
    # P@3 of a x b: 2/3 with x irrelevant is at least; x relevant makes 1. Without b, 1/3 to 2/3.
    run = {"q": ["a", "x", "c"]}

    def check() -> GateResult:
        allow = {"cannot_tell"}
        return assert_metric(
            TRUTH, run, "precision@3", at_least=at_least, unjudged="bounds", allow=allow
        )

    if verdict == "fail":
        with expected_failure(match=r"precision@3 0\.3333 < 0\.7000 required"):
            check()
        return
    result = check()
    assert result.verdict == verdict
    assert result.metrics["precision@3"].bounds == pytest.approx((1 / 3, 2 / 3))
    if verdict == "cannot tell":
        assert result.headline == (
            "cannot tell: precision@3 0.3333 < 0.6000 required, and 0.3333..0.6667 is possible: "
            "unjudged items decide; judge first: q x (+0.3333)"
        )


def test_single_queries_are_judged_at_both_ends() -> None:
    truth = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}, "q3": {"a": 1, "b": 0}}
    run = {"q1": ["a"], "q2": ["x", "a"], "q3": ["b", "a"]}

    def check(limit: float) -> GateResult:
        limits = {"per_query_at_least": {"mrr": limit}}
        return gate(truth, run, unjudged="bounds", **limits)

    result = check(0.5)
    assert result.verdict is Verdict.PASS
    with expected_failure(
        match=r"1 query out of bounds: q3 mrr 0\.5000 < 0\.6000 required"
    ) as info:
        check(0.6)
    assert info.value.headline.endswith(
        "; 1 query may be out of bounds: q2 mrr 0.5000 < 0.6000 required"
    )


def gate(y_true: Any, y_score: Any, **arguments: Any) -> GateResult:
    """The limits of ``rank_gate.check`` without its baseline."""
    from pytest_rankmetrics.gates.run import check_gate, run_gate, split_arguments
    from pytest_rankmetrics.policy.policy import read_policy

    limits, reading, _ = split_arguments(arguments, "gate")
    policy = read_policy(Settings(), limits)

    def never(_: Any) -> GateResult:
        raise AssertionError

    return run_gate(
        None, "gate", lambda name: check_gate((y_true, y_score), policy, reading, name, never)
    )


# Slices and numbers of queries -------------------------------------------------------------------


def many(n: int, system: dict[str, list[str]]) -> dict[str, list[str]]:
    return {f"q{number:02d}": system["q"] for number in range(n)}


def test_slices_are_judged_at_both_ends() -> None:
    truth = dict.fromkeys(many(24, OLD), TRUTH["q"])
    new = {**many(24, OLD), **many(12, NEW)}
    slices = {query: "changed" if query < "q12" else "same" for query in truth}
    options = {"slices": slices, "max_slice_drop": 0.01, "unjudged": "bounds"}
    result = assert_not_worse(
        truth,
        new,
        many(24, OLD),
        "ndcg@3",
        max_drop=0.5,
        hard_drop=0.6,
        **options,
        allow={"cannot_tell"},
    )
    assert result.verdict is Verdict.CANNOT_TELL
    parts = {part.label: part for part in result.slices}
    assert parts["changed"].verdict is Verdict.CANNOT_TELL
    assert parts["changed"].change_bounds == pytest.approx(REACH, abs=1e-7)
    assert parts["same"].verdict is Verdict.PASS
    assert result.headline.startswith(
        "cannot tell: slice changed -0.0361 (ndcg@3, allowed -0.0100), and -0.0361..+0.3267 is"
    )


def test_queries_that_may_be_worse_are_counted() -> None:
    truth = dict.fromkeys(many(4, OLD), TRUTH["q"])
    new = {**many(4, OLD), **many(2, NEW)}
    options = {"max_drop": 0.04, "unjudged": "bounds", "allow": {"cannot_tell"}}
    result = assert_not_worse(
        truth, new, many(4, OLD), "ndcg@3", max_regressed_queries=1, **options
    )
    assert result.verdict is Verdict.CANNOT_TELL
    assert "2 queries may be worse by ndcg@3, allowed 1" in result.headline
    assert (
        assert_not_worse(
            truth, new, many(4, OLD), "ndcg@3", max_regressed_queries=2, **options
        ).verdict
        is Verdict.PASS
    )


# More unjudged than before -----------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["irrelevant", "condense", "bounds"])
def test_a_headline_says_that_more_is_unjudged(policy: str) -> None:
    result = compare(policy, max_drop=0.04)
    assert result.passed
    assert result.headline.endswith("; 33% of the new top 3 are unjudged (reference 0%)")
    assert "33% of the new top 3 are unjudged (reference 0%)" in result.notes
    quiet = compare(policy, max_drop=0.04, max_new_unjudged=0.34)
    assert "unjudged (" not in quiet.headline
    assert quiet.notes == ()


def test_a_failure_says_it_too() -> None:
    with expected_failure(match=r"1 worse, 0 better\); 33% of the new top 3 are unjudged"):
        compare("irrelevant")


def test_without_a_cutoff_it_is_the_first_ten() -> None:
    result = assert_not_worse(TRUTH, NEW, OLD, "map", max_drop=0.2, unjudged="irrelevant")
    assert result.headline.endswith("; 33% of the new top 10 are unjudged (reference 0%)")


# What is refused ---------------------------------------------------------------------------------


def test_other_words_are_refused() -> None:
    with expected_failure(InvalidParameterError, match="unjudged must be one of irrelevant"):
        compare("guess")
    with expected_failure(InvalidParameterError, match="max_new_unjudged must be a number in"):
        compare("bounds", max_new_unjudged=2)
    with pytest.raises(SettingError, match="max_new_unjudged must be a number in"):
        Settings(max_new_unjudged=-0.1)


def test_a_measure_without_bounds_is_refused_where_something_is_unjudged() -> None:
    truth, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "x": 1.0, "b": 0.5}}
    said = r"could not measure: unjudged='bounds' cannot bound auc\(average=pooled\): "
    with expected_failure(match=said):
        assert_metric(truth, run, "auc(average=pooled)", at_least=0.1, unjudged="bounds")
    complete = assert_metric(
        truth, run, "auc(average=pooled)", at_least=0.1, unjudged="bounds", assume="complete"
    )
    assert complete.passed


# The rule ----------------------------------------------------------------------------------------


def test_the_worse_end_depends_on_the_limit() -> None:
    assert assess_ends(0.2, 0.4, 0.3, None).verdict is Verdict.CANNOT_TELL
    assert assess_ends(0.3, 0.4, 0.3, None).verdict is Verdict.PASS
    assert assess_ends(0.2, 0.4, None, 0.3).verdict is Verdict.CANNOT_TELL
    assert assess_ends(0.2, 0.3, None, 0.3).verdict is Verdict.PASS
    assert assess_ends(0.31, 0.4, None, 0.3).verdict is Verdict.FAIL
