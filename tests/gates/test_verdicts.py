"""Verdicts: each rule that fires, by data of which every number can be computed in the head."""

import json
import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank import Repeats
from sklearn_rank.gates.gate import judge_beside, judge_gate
from sklearn_rank.gates.limits import Settings, read_arguments
from sklearn_rank.gates.verdict import RankGateFailure, State
from sklearn_rank.support.text import for_log
from sklearn_rank.view.gate_page import section_of
from sklearn_rank.view.words import MESSAGE_WIDTH
from tests.gates.conftest import beside, rules
from tests.plugin.cases import case, names, ranking, results, truth

DROP: dict[str, Any] = {"max_drop": {"mrr": 0.02}}


def judged(y_true: Any, y_score: Any, **arguments: Any) -> Any:
    return judge_gate(y_true, y_score, read_arguments({"name": "x", **arguments}, Settings()))


def compared(new: Any, old: Any, **arguments: Any) -> Any:
    """Two systems of ``cases`` by the reciprocal rank."""
    return beside(truth(len(new)), results(new), results(old), **{**DROP, **arguments})


# 2 -> 3 costs 1/6 = .167, 1 -> 2 costs .5 of a query.
VERDICTS: dict[str, tuple[list[int], list[int], dict[str, Any], str]] = {
    "nothing changed": ([2] * 30, [2] * 30, {}, "pass"),
    "better": ([1] * 10 + [2] * 20, [2] * 30, {}, "improved"),
    "two gained": ([1] * 2 + [2] * 28, [2] * 30, {}, "pass"),  # 2 of 2 coins: p = .25
    "within max_drop": ([3] * 3 + [2] * 27, [2] * 30, {}, "pass"),  # .0167
    "only losses": ([3] * 4 + [2] * 26, [2] * 30, {}, "fail"),  # .022
    "one lost": ([0] + [1] * 29, [1] * 30, {}, "not confirmed"),  # .033
    "one lost, a contract": ([0] + [1] * 29, [1] * 30, {"hard_drop": 0.02}, "fail"),
    "won and lost": ([5] * 4 + [1] + [2] * 25, [2] * 30, {}, "not confirmed"),  # .023
    "hard": ([0] * 6 + [1] * 6 + [2] * 8, [2] * 20, {"hard_drop": 0.02}, "pass"),  # 0
    "beyond hard": ([0] * 10 + [1] * 3 + [2] * 7, [2] * 20, {"hard_drop": 0.1}, "fail"),
    "three queries": ([0, 1, 1], [1, 1, 1], {"hard_drop": 0.9}, "not confirmed"),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_on_a_drop(name):
    new, old, limits, state = VERDICTS[name]
    result = compared(new, old, **limits)
    assert result.state == state, result.headline
    assert result.passed is (state != "fail")
    row = result.measures["mrr"]
    change = sum(1 / n if n else 0 for n in new) - sum(1 / n if n else 0 for n in old)
    assert row.change == pytest.approx(change / len(new), abs=1e-6)


@pytest.mark.parametrize("pair", [(2, 4), (4, 2)])
def test_of_lag_a_rise_is_the_drop(pair):
    new, old = ([rank] * 30 for rank in pair)
    result = compared(new, old, max_drop={"lag": 0.5})
    assert result.state == ("fail" if pair[0] > pair[1] else "improved")
    assert result.measures["lag"].change == pair[0] - pair[1]


def test_the_first_line_says_everything():
    # (16/3 + 1 + 2/4 + 41/2) / 60 = .4556; (16/4 + 1/9 + 2/3 + 41/2) / 60 = .4213
    old, new = [3] * 16 + [1] + [4] * 2 + [2] * 41, [4] * 16 + [9] + [3] * 2 + [2] * 41
    text = compared(new, old, query_text=lambda query: f"what is {query}?").message
    said = "MRR fell from 0.456 to 0.421 (-0.034, allowed -0.020): 17 of 60 queries got worse, 2 "
    assert text.startswith(said)
    words = " ".join(text.split())
    assert " -0.0200 " in words, "the limit in the table"
    for part in ("(q017) 1.0000 0.1111 -0.8889 good 1→9 -0.89", "what is q017?"):
        assert part in words
    for part in ("Fisher's randomization, two-sided level 0.1", "an unchanged system fails it"):
        assert part in words
    assert max(map(len, text.split("\n")[2:-1])) <= 110


def test_digits_are_added_until_two_numbers_differ_and_no_further():
    # Weights 349 999 and 650 001 of a query found first and one not found: 0.349999.
    weights = {"q001": 349_999, "q002": 650_001}
    result = judged(*case([1, 0]), at_least={"map": 0.35}, sample_weight=weights)
    assert result.headline.startswith("MAP is 0.349999, below the 0.350000 required")
    assert judged(*case([1, 2]), at_least={"mrr": 0.75 + 5e-10}).passed
    assert not judged(*case([1, 2]), at_least={"mrr": 0.75 + 2e-9}).passed
    # .0200000000000000004 and the like are rounding.
    result = compared([2] * 25, [1] + [2] * 24, max_drop={"mrr": 0.02}, hard_drop=0.02)
    assert result.state == "pass"
    result = compared([2] * 24, [1] + [2] * 23, max_drop={"mrr": 0.0208}, hard_drop=0.0208)
    assert "0.02083" in result.headline
    assert "below the 0.7525 required" in judged(*case([1, 2]), at_least={"mrr": 0.7525}).headline


# Values ------------------------------------------------------------------------------------------

FAILING: dict[str, tuple[Any, dict[str, Any], str]] = {
    "threshold": (case([1, 2]), {"at_least": {"mrr": 0.8}}, "MRR is 0.750, below the 0.800 req"),
    "from above": (
        case([2, 4]),
        {"at_most": {"lag": 1.9}},
        "LAG is 2.000, above the 1.900 allowed",
    ),
    "a slice": (
        case([1] * 20 + [0]),
        {"slices": {"money": ["q021"]}, "slice_at_least": {"money": {"mrr": 0.2}}},
        'MRR is 0.000, below the 0.200 required for "money"',
    ),
    "no slice": (
        case([1, 2]),
        {"slices": {"a": ["q001"]}, "slice_at_least": {"b": {"mrr": 0.2}}},
        "a limit is set for slice b, which has no queries",
    ),
    "undefined": (
        ({"q": {"a"}}, {"q": ["a"]}),
        {"at_least": {"auc": 0.5}, "zero_division": math.nan},
        "auc is undefined for all 1 query",
    ),
    "a set": (
        ({"q": {"a"}, "r": {"b"}}, {"q": ["a", "b"], "r": ["b", "a"]}),
        {"at_least": {"recall": 0.5}},
        "the limit of recall has no effect: every ranking holds all candidates",
    ),
    "judged": (case([1, 2]), {"at_least": {"judged@2": 0.5}}, "judged@2 has no effect"),
    "the longest list": (
        case([1, 2]),
        {"at_most": {"lag": 10}},
        "at_most of lag is 10: no ranking of these lengths could exceed it",
    ),
    "an empty slice": (
        case([1, 2]),
        {"at_least": {"mrr": 0.1}, "slices": {"a": ["q001"], "b": []}},
        "a limit is set for slice b, which has no queries",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_value_that_misses_its_limit_fails(name):
    data, limits, said = FAILING[name]
    result = judged(*data, **limits)
    assert result.state == "fail"
    assert said in result.headline
    json.dumps(result.as_dict(), allow_nan=False)


def test_each_limit_has_a_line_that_says_whether_it_is_met():
    text = judged(*case([1, 2]), at_least={"mrr": 0.8, "hit_rate@2": 0.9}).message
    lines = [" ".join(own.split()) for own in text.split("\n")]
    assert "FAIL mrr 0.7500 >= 0.8000" in lines
    assert "ok 1 more row" in lines
    assert max(map(len, text.split("\n")[1:])) <= MESSAGE_WIDTH


@pytest.mark.parametrize(
    ("drop", "cell"), [(0.02, "-0.0200, >= 0.3000"), (0.0, "0.0000, >= 0.3000")]
)
def test_two_limits_of_a_measure_are_told_apart(drop, cell):
    result = compared([2] * 30, [1] * 30, max_drop={"mrr": drop}, at_least={"mrr": 0.3})
    assert f" {cell} " in result.message


@pytest.mark.parametrize(
    ("hard", "has_test"), [({"mrr": 0.0}, False), ({"mrr": 0.03}, False), ({}, True)]
)
def test_a_drop_that_no_test_decided_has_no_p_and_no_rate(hard, has_test):
    """One query of 30 lost: p = 1. Beside it stands a measure that is tested."""
    limits = {"max_drop": {"mrr": 0.0, "hit_rate@1": 0.5}, "hard_drop": hard or None}
    new = [0] * (10 if has_test else 1)
    result = compared(new + [1] * (30 - len(new)), [1] * 30, **limits)
    assert result.state == "fail"
    assert ("p (Holm)" in result.headline) is has_test
    assert ("of the time" in result.message) is has_test


def test_the_page_opens_with_the_measure_that_failed():
    # 1 -> 2 costs .5 of a query by MRR and nothing of the hits at 2.
    limits = {"max_drop": {"hit_rate@2": 0.02, "mrr": 0.02}}
    policy = replace(read_arguments({"name": "x", **limits}, Settings()), detail="page")
    page = section_of(judge_beside(truth(30), results([2] * 30), results([1] * 30), policy, policy))
    assert page.queries["measures"][page.queries["show"]["measure"]] == "MRR"


def test_limits_that_mean_nothing_against_a_baseline_fail():
    result = compared([2] * 30, [2] * 30, max_drop={"mrr": 0.6})
    assert "max_drop of mrr is 0.6 but the baseline 0.5000: no value could fail" in result.headline
    # A rise of LAG by 3 in lists of 10, where it is 7, reaches what is possible.
    result = compared([8] * 12, [8] * 12, max_drop={"lag": 3})
    assert "max_drop of lag is 3 but the baseline 7.0000: no value could fail" in result.headline
    assert compared([7] * 12, [7] * 12, max_drop={"lag": 3}).passed


def test_what_warns_fails_where_strict():
    doubtful = read_arguments({**DROP, "name": "x"}, Settings(strict=True))
    lost = judge_beside(truth(30), results([0] + [1] * 29), results([1] * 30), doubtful, doubtful)
    assert lost.state == "fail"


# Slices, weights and clusters --------------------------------------------------------------------


def test_a_slice_that_drops_fails_although_the_mean_hardly_moves():
    # Seven of the twelve in the tail fall from first to second, two others rise.
    old = [1] * 30 + [2] * 30
    new = [2] * 7 + old[7:30] + [1, 1] + old[32:]
    labels = {
        q: "tail" if n < 12 else "tiny" if n < 16 else "head" for n, q in enumerate(names(60))
    }
    limits = {"max_drop": {"mrr": 0.05}, "slices": labels, "max_slice_drop": 0.02}
    result = compared(new, old, **limits)
    assert 'MRR fell from 1.000 to 0.708 for the 12 "tail" queries (-0.292, al' in result.headline
    by_label = {row.label: row for row in result.slices}
    assert {label: row.state for label, row in by_label.items()} == {
        "tail": State.FAIL,
        "tiny": None,
        "head": State.PASS,
    }
    assert by_label["tiny"].too_small
    assert result.worst is not None
    assert result.worst.labels == ("tail",)
    assert [row.query for row in result.worst.rows] == ["q001", "q002", "q003", "q004", "q005"]
    with pytest.raises(ValueError, match="the same as text"):
        compared(new, old, **{**limits, "slices": {q: 1 if q < "q030" else "1" for q in labels}})


@pytest.mark.parametrize(
    ("lost", "state"), [(3, "not confirmed"), (5, "not confirmed"), (6, "fail")]
)
def test_a_slice_is_red_by_the_test_at_its_own_level_alone(lost, state):
    # p is 2 ** -lost: 1/32 is above the .02 of slices, and losses without a win are not enough.
    limits = {"max_drop": {"mrr": 0.9}, "hard_drop": 0.9, "max_slice_drop": 0.02}
    new = [3] * lost + [2] * 37
    labels = {"part": names(20)}
    result = compared(new, [2] * len(new), slices=labels, **limits)
    assert result.slices[0].state == state


def test_a_measure_without_a_query_that_has_a_value_on_both_sides_fails():
    """The answered query has no relevant item, or has no irrelevant one, on one side each."""
    y_true = {"q1": {"a"}, "q2": {"a"}}
    old, new = {"q1": ["a", "x"], "q2": ["a"]}, {"q1": ["a"], "q2": ["a", "x"]}
    limits = {"max_drop": {"gauc": 0.02}, "zero_division": math.nan}
    result = beside(y_true, new, old, allow={"undefined"}, **limits)
    assert result.state == "fail"
    assert result.headline.startswith("no query has a value of gauc in both systems")
    # Nothing else is judged of it, and it makes no family of tests larger.
    assert [finding.rule for finding in result.findings] == ["not_compared"]
    measure = result.measures["gauc"]
    assert (measure.state, measure.allowed, measure.drop) == (None, None, None)


def test_slices_that_are_all_too_small_are_remarked_on():
    result = compared([2] * 30, [2] * 30, slices={"a": names(9)}, max_slice_drop=0.02)
    assert result.passed
    assert rules(result) == ["no_slice_judged"]
    ten = compared([2] * 30, [2] * 30, slices={"a": names(10)}, max_slice_drop=0.02)
    assert rules(ten) == []
    assert not ten.slices[0].too_small


WEIGHTS = {query: 1 + n % 3 for n, query in enumerate(names(40))}
CLUSTERS = {query: f"c{n // 2}" for n, query in enumerate(names(40))}


RANKS = st.lists(st.integers(1, 5), min_size=40, max_size=40)


@pytest.mark.parametrize("reading", [{}, {"sample_weight": WEIGHTS}, {"clusters": CLUSTERS}])
@settings(max_examples=30)
@given(old=RANKS, new=RANKS, part=st.sets(st.integers(0, 39), min_size=10))
def test_the_gate_of_a_slice_is_the_gate_of_its_queries_alone(reading, old, new, part):
    chosen = sorted(part)
    members = [names(40)[n] for n in chosen]
    limits = {**DROP, "max_drop": {"mrr": 0.9}, "max_slice_drop": 0.02, "measures": ("mrr",)}
    whole = compared(new, old, slices={"part": members}, **reading, **limits)
    (row,) = whole.slices
    alike = {name: {q: own[q] for q in members} for name, own in reading.items()}
    sides = [{q: results(ranks)[q] for q in members} for ranks in (new, old)]
    judgements = {q: {"good"} for q in members}
    alone = beside(judgements, *sides, **alike, max_drop={"mrr": 0.02}, hard_drop=0.9)
    own = alone.measures["mrr"]
    assert (row.baseline_value, row.new, row.value) == (own.baseline_value, own.new, own.value)
    assert row.drop is not None
    assert own.drop is not None
    for name in ("queries", "losses", "wins"):
        assert getattr(row.drop, name) == getattr(own.drop, name)
    assert row.drop.p == pytest.approx(own.drop.p)
    assert row.drop.design_effect == pytest.approx(own.drop.design_effect, nan_ok=True)


def test_queries_of_one_cluster_are_no_further_evidence():
    # Thirty queries of three clusters fall alike: three coins, p = 1/8.
    clusters = {query: f"c{n // 10}" for n, query in enumerate(names(60))}
    new, old = [3] * 30 + [1] * 3 + [2] * 27, [2] * 60
    alone, together = (compared(new, old, clusters=own, hard_drop=0.9) for own in (None, clusters))
    assert alone.measures["mrr"].drop.p < 0.05 < together.measures["mrr"].drop.p
    said = "clusters: design effect 7.3 (mrr): 60 queries count as 8"
    assert said in together.as_dict()["notes"]


def test_pooled_measures_are_compared_without_a_test():
    def scored(places: list[int]) -> Any:
        """A relevant item of score .5 behind so many of four others, in each query."""
        return {
            f"q{n:03d}": {"good": 0.5, **{f"bad{i}": 0.9 if i < place else 0.1 for i in range(4)}}
            for n, place in enumerate(places)
        }

    old, new = scored([0] * 60), scored([0] * 40 + [1] * 20)
    judgements = {query: {"good"} for query in old}
    limits = {"slices": {query: "a" if query < "q040" else "b" for query in judgements}}
    for limit, state in ((0.09, "pass"), (0.08, "fail")):
        result = beside(judgements, new, old, max_drop={"auc(average=pooled)": limit}, **limits)
        assert result.state == state
    said = "AUC(average=pooled) fell from 1.000 to 0.917 (-0.083, allowed -0.080): one value"
    assert said in result.headline
    assert {row.label: row.value for row in result.slices} == {"a": 1.0, "b": 0.75}
    with pytest.raises(ValueError, match=r"auc\(average=pooled\) ranks all queries together"):
        beside(
            judgements,
            new,
            old,
            max_drop=0.1,
            max_slice_drop=0.1,
            measures="auc(average=pooled)",
            **limits,
        )


def test_no_id_starts_a_line_that_a_job_on_github_reads(monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "1")
    queries = [f"::error::{query}" for query in names(12)]
    sides = ({query: ranking(n, item="::stop::x") for query in queries} for n in (3, 2))
    text = beside(truth(queries, item="::stop::x"), *sides, **DROP).message
    assert "error" in text
    assert not any(own.lstrip().startswith("::") for own in for_log(text).split("\n"))


# Unjudged items ----------------------------------------------------------------------------------


def test_more_unjudged_items_on_top_are_in_the_headline():
    judgements = {q: {"a": 1, "b": 0, "c": 0} for q in names(20)}
    old = {q: ["b", "a", "c"] for q in judgements}
    new = {q: ["a", "u", "v"] for q in judgements}
    result = beside(judgements, new, old, max_drop={"mrr@3": 0.02})
    assert result.headline.endswith("67% of the new top 3 are unjudged (baseline: 0%)")
    # As many as before are no news.
    same = beside(judgements, new, new | {}, max_drop={"mrr@3": 0.02})
    assert "unjudged" not in same.headline


# Data that cannot be measured --------------------------------------------------------------------

RANKED = results([2] * 10)
JUDGED = {query: {"good": 1} for query in RANKED}
POINTS = {
    query: {item: 99.5 - 1.01 * n - int(query[1:]) / 77 for n, item in enumerate(items)}
    for query, items in RANKED.items()
}
UNMEASURED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "empty lists": (case([None, None]), {}, "rankings of all 2 queries are empty"),
    "found nothing": (case([0, 0]), {}, "no relevant item was retrieved for any of 2 queries"),
    "more rankings": ((truth(2), results([1, 2, 3])), {}, "1 ranked query has no judgements"),
    "undefined": (
        ({"q": {"a"}, "r": {"b"}}, {"q": ["a", "x"], "r": []}),
        {"at_least": {"gauc": 0.1}, "zero_division": math.nan, "missing": "zero"},
        "1 query has relevant items, retrieved none",
    ),
    "one row each": (
        ([1, 0], [0.5, 0.4]),
        {"groups": [1, 2], "zero_division": 0.0},
        "each of 2 queries has a single row",
    ),
    "shared": (({"a"}, [["a", "b"], ["a", "c"]]), {}, "retrieved for several queries"),
    "ascending": (({"q": {"a"}}, {"q": [("a", 0.1), ("b", 0.4)]}), {}, "could not measure"),
    "lists as judgements": ((RANKED, JUDGED), {}, r"are they swapped\? .*allow=\{.swapped.\}"),
    "scores as judgements": (
        (POINTS, JUDGED),
        {"at_least": {"ndcg": 0.1}},
        r"are they swapped\? .*allow=\{.swapped.\}",
    ),
}


@pytest.mark.parametrize("name", UNMEASURED)
def test_data_that_would_be_left_out_fail(name):
    data, more, said = UNMEASURED[name]
    with pytest.raises(RankGateFailure, match=said):
        judged(*data, **{"at_least": {"mrr": 0.1}, **more})


# Repeated runs, and cost -------------------------------------------------------------------------


def noisy(rng: np.random.Generator, worse: int = 0) -> Repeats:
    """Three runs of an engine that answers differently each time."""
    return Repeats([results((rng.integers(1, 5, 50) + worse).tolist()) for _ in range(3)])


def test_a_baseline_keeps_the_noise_between_runs(gate):
    rng = np.random.default_rng(0)
    old, new = noisy(rng), noisy(rng)
    gate.record(truth(50), old, **DROP)
    recorded, own = gate(truth(50), new, **DROP), beside(truth(50), new, old, **DROP)
    for result in (recorded, own):
        assert result.state != "fail"
        drop = result.measures["mrr"].drop
        assert drop.noise > 0.9, "nothing else changed"
        assert drop.noise == pytest.approx(own.measures["mrr"].drop.noise, abs=1e-4)
    worse = gate(truth(50), noisy(rng, worse=1), **DROP)
    assert worse.state == "fail"
    noise = "of the change's variance is noise between runs, which p accounts for."
    assert noise in " ".join(worse.message.split())
    assert "items, ranks and contributions come from the first of 3 runs" in worse.message
    same = beside(
        truth(50), Repeats([results([4] * 50)] * 2), Repeats([results([2] * 50)] * 3), **DROP
    )
    assert "come from the first of 2 runs" in same.message
    assert f"0% {noise}" in " ".join(same.message.split())
    assert "more often (pass Repeats to measure it)" not in same.message
    assert "more often (pass Repeats to measure it)" in " ".join(
        beside(*case([4] * 9), case([2] * 9)[1], **DROP).message.split()
    )


def test_what_other_runs_would_change_enters_the_printed_rate(gate):
    """Retrainings that move many queries alike: MRR is .95, .8 and .65."""
    runs = [results([1] * (90 - 30 * n) + [2] * (10 + 30 * n)) for n in range(3)]
    gate.record(truth(100), Repeats(runs), **DROP)
    new = Repeats([*runs[1:], results([1] * 25 + [2] * 75)])
    many, one = gate(truth(100), new, **DROP), beside(truth(100), runs[2], runs[1], **DROP)
    assert many.false_alarm > 0.3 > one.false_alarm
    beside_each_other = beside(truth(100), new, Repeats(runs), **DROP)
    assert beside_each_other.false_alarm == pytest.approx(many.false_alarm, abs=0.01)


def test_a_failing_check_is_few_calls_in_few_files(gate):
    gate.record(*case([2] * 30), **DROP)
    calls: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if event == "call" and "/sklearn_rank/gates/" in file and not name.startswith("<"):
            calls.append(file)

    gate(*case([3] * 15 + [2] * 15), **DROP)  # imports
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        result = gate(*case([3] * 15 + [2] * 15), **DROP)
        assert "MRR fell" in result.message
        result.as_dict()
    finally:
        sys.setprofile(before)
    assert len(calls) <= 350
    assert len(set(calls)) <= 9
