"""Unjudged items in gates: three policies, and a third answer.

One query, judged a = 2, b = 1, c = 0; the old system has a b c, the new one a x b, and nobody
judged x. By nDCG@3 the old one is perfect; the new one has (3 + 1/2) / (3 + 1/log2(3)) = 0.9639 if
x is irrelevant, and with other grades of x the change is between -0.0361 and +0.3267.
"""

from math import log2
from typing import Any

import pytest

from pytest_rankmetrics import (
    GateResult,
    Verdict,
    assert_metric,
    assert_not_worse,
    expected_failure,
)

TRUTH = {"q": {"a": 2, "b": 1, "c": 0}}
OLD, NEW = {"q": ["a", "b", "c"]}, {"q": ["a", "x", "b"]}
DROP = 1 - (3 + 1 / 2) / (3 + 1 / log2(3))
REACH = (-0.0360596, 0.3267065)
HEADLINE = (
    "Cannot tell: nDCG@3 fell by 0.036 (allowed 0.005), but -0.036..+0.327 is "
    "possible: unjudged items decide; judge first: q x (+0.363); 33% of the new top 3 are "
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


@pytest.mark.parametrize("policy", ["bounds", "condense", "irrelevant"])
def test_a_policy_that_has_nothing_to_fill_says_so(policy):
    """The grades have no 0, so that x counts as irrelevant whatever the policy."""
    pair = {"q": {"a": 2, "b": 1}}, NEW, OLD, "ndcg@3"
    options: dict[str, Any] = {"max_drop": 0.5, "hard_drop": 0.5, "unjudged": policy}
    notes = assert_not_worse(*pair, **options).notes
    void = f"unjudged='{policy}' changes nothing: the judgements have no grade 0"
    assert [note.startswith(void) for note in notes] == [True] * (policy != "irrelevant")
    assert assert_not_worse(*pair, assume="complete", **options).notes == ()


# The three policies ------------------------------------------------------------------------------


def test_irrelevant_is_the_default_and_condensed_lists_lose_the_new_item():
    for policy in (None, "irrelevant"):
        said = r"nDCG@3 fell from 1\.000 to 0\.964 \(-0\.036, allowed -0\.005"
        with expected_failure(match=said):
            compare(policy)
    result = compare("condense")
    assert result.verdict is Verdict.PASS
    assert result.metrics["ndcg@3"].change == 0.0


def test_bounds_cannot_tell_where_grades_decide(monkeypatch):
    result = compare("bounds")
    assert (result.verdict, result.passed) == (Verdict.CANNOT_TELL, True)
    metric = result.metrics["ndcg@3"]
    assert metric.change == pytest.approx(-DROP)
    assert metric.change_bounds == pytest.approx(REACH, abs=1e-7)
    assert metric.reason == "unjudged items decide"
    assert result.headline == HEADLINE
    passed = compare("bounds", max_drop=0.04)
    assert passed.verdict is Verdict.PASS
    assert passed.metrics["ndcg@3"].change_bounds == pytest.approx(REACH, abs=1e-7)
    monkeypatch.setenv("CI", "true")
    with expected_failure(match="^Cannot tell: nDCG@3") as info:
        compare("bounds", allow=())
    assert "CANNOT TELL" in str(info.value)
    assert 'allow={"cannot_tell"}' in str(info.value)


def test_bounds_fail_where_every_grading_exceeds_the_margin():
    # P@2: a is gone from the top, and x stands below.
    new = {"q": ["c", "c2", "x", "a"]}
    truth = {"q": {"a": 1, "b": 1, "c": 0, "c2": 0}}
    with expected_failure(match=r"P@2 fell from 1\.000 to 0\.000") as info:
        assert_not_worse(truth, new, OLD, "precision@2", max_drop=0.1, unjudged="bounds")
    assert info.value.result.metrics["precision@2"].change_bounds == (-1.0, -1.0)


def test_a_complete_truth_has_no_bounds():
    pair = {"q": {"a", "b"}}, OLD, OLD, "ndcg@3"
    result = assert_not_worse(*pair, unjudged="bounds")
    assert result.metrics["ndcg@3"].change_bounds is None
    assumed = assert_not_worse(*pair, unjudged="bounds", assume="partial")
    # c is in the same place on both sides: whatever its grade, nothing changes.
    assert assumed.metrics["ndcg@3"].change_bounds == pytest.approx((0.0, 0.0), abs=1e-12)
    assert assumed.verdict is Verdict.PASS


# Thresholds --------------------------------------------------------------------------------------


def test_a_threshold_is_judged_at_both_ends():
    # P@3 of a x c: 1/3 with x irrelevant, 2/3 with x relevant.
    def check(limit: float) -> GateResult:
        options: dict[str, Any] = {"unjudged": "bounds", "allow": {"cannot_tell"}}
        return assert_metric(
            TRUTH, {"q": ["a", "x", "c"]}, "precision@3", at_least=limit, **options
        )

    assert check(0.3).verdict is Verdict.PASS
    undecided = check(0.6)
    assert undecided.verdict is Verdict.CANNOT_TELL
    assert undecided.metrics["precision@3"].bounds == pytest.approx((1 / 3, 2 / 3))
    assert undecided.headline == (
        "Cannot tell: P@3 is 0.333, below the 0.600 required, but 0.333..0.667 is possible: "
        "unjudged items decide; judge first: q x (+0.333)"
    )
    with expected_failure(match=r"P@3 is 0\.333, below the 0\.700 required"):
        check(0.7)


def test_single_queries_are_judged_at_both_ends(rank_gate):
    truth = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}, "q3": {"a": 1, "b": 0}}
    run = {"q1": ["a"], "q2": ["x", "a"], "q3": ["b", "a"]}

    def check(limit: float) -> GateResult:
        limits: dict[str, Any] = {"per_query_at_least": {"mrr": limit}, "unjudged": "bounds"}
        return rank_gate.check(truth, run, name=f"{limit}", **limits)

    assert check(0.5).verdict is Verdict.PASS
    said = r"1 query out of bounds: q3 mrr 0\.5000 < 0\.6000 required"
    with expected_failure(match=said) as info:
        check(0.6)
    assert info.value.headline.endswith(
        "; 1 query may be out of bounds: q2 mrr 0.5000 < 0.6000 required"
    )


# Slices and numbers of queries -------------------------------------------------------------------


def many(n: int, system: dict[str, list[str]]) -> dict[str, list[str]]:
    return {f"q{number:02d}": system["q"] for number in range(n)}


def test_slices_are_judged_at_both_ends():
    truth = dict.fromkeys(many(24, OLD), TRUTH["q"])
    new = {**many(24, OLD), **many(12, NEW)}
    result = assert_not_worse(
        *(truth, new, many(24, OLD), "ndcg@3"),
        max_drop=0.5,
        hard_drop=0.6,
        slices={query: "changed" if query < "q12" else "same" for query in truth},
        max_slice_drop=0.01,
        unjudged="bounds",
        allow={"cannot_tell"},
    )
    assert result.verdict is Verdict.CANNOT_TELL
    parts = {part.label: part for part in result.slices}
    assert parts["changed"].verdict is Verdict.CANNOT_TELL
    assert parts["changed"].change_bounds == pytest.approx(REACH, abs=1e-7)
    assert parts["same"].verdict is Verdict.PASS
    assert result.headline.startswith(
        'Cannot tell: nDCG@3 fell by 0.036 for "changed" (allowed 0.01), but -0.036..+0.327 is'
    )


def test_queries_that_may_be_worse_are_counted():
    truth = dict.fromkeys(many(4, OLD), TRUTH["q"])
    pair = truth, {**many(4, OLD), **many(2, NEW)}, many(4, OLD), "ndcg@3"
    options = {"max_drop": 0.04, "unjudged": "bounds", "allow": {"cannot_tell"}}
    result = assert_not_worse(*pair, max_regressed_queries=1, **options)
    assert result.verdict is Verdict.CANNOT_TELL
    assert "2 queries may be worse by ndcg@3, allowed 1" in result.headline
    assert assert_not_worse(*pair, max_regressed_queries=2, **options).verdict is Verdict.PASS


# More unjudged than before -----------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["irrelevant", "condense", "bounds"])
def test_a_headline_says_that_more_is_unjudged(policy):
    result = compare(policy, max_drop=0.04)
    assert result.passed
    assert result.headline.endswith("; 33% of the new top 3 are unjudged (reference 0%)")
    assert "33% of the new top 3 are unjudged (reference 0%)" in result.notes
    for most in (1 / 3, 0.34):
        quiet = compare(policy, max_drop=0.04, max_new_unjudged=most)
        assert "unjudged (" not in quiet.headline
        assert quiet.notes == ()
    # Without a cutoff it is the first ten.
    uncut = assert_not_worse(TRUTH, NEW, OLD, "map", max_drop=0.2)
    assert uncut.headline.endswith("; 33% of the new top 10 are unjudged (reference 0%)")
    with expected_failure(match=r"1 of 1 query got worse; 33% of the new top 3 are unjudged"):
        compare("irrelevant")


def test_a_measure_without_bounds_is_refused_where_something_is_unjudged():
    data = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "x": 1.0, "b": 0.5}}, "auc(average=pooled)"
    said = r"could not measure: unjudged='bounds' cannot bound auc\(average=pooled\): "
    with expected_failure(match=said):
        assert_metric(*data, at_least=0.1, unjudged="bounds")
    assert assert_metric(*data, at_least=0.1, unjudged="bounds", assume="complete").passed
