"""Worked values of the measures that read as deep as the relevant items demand."""

from __future__ import annotations

import math

import pytest

from sklearn_rank import (
    InvalidParameterError,
    evaluate,
    interpolated_precision_score,
    measure,
    r_precision_score,
)


def test_r_precision_reads_as_deep_as_there_are_relevant_items():
    assert r_precision_score([{"a", "b", "c"}], [["a", "x", "b", "c"]]) == 2 / 3
    assert r_precision_score([{"a", "b"}, {"c"}], [["a"], ["x", "c"]]) == (1 / 2 + 0) / 2


def test_all_hit_rate_asks_for_every_relevant_item():
    truth, rankings = [{"a", "b"}, {"a", "b"}, {"c"}], [["a", "b"], ["a", "x", "b"], ["x"]]
    assert evaluate(truth, rankings, "all_hit@2")["all_hit_rate@2"] == 1 / 3
    assert evaluate(truth, rankings, "all_hit_rate")["all_hit_rate"] == 2 / 3


def test_interpolated_precision_looks_ahead():
    truth, rankings = [{"a", "b", "c", "d"}], [["x", "a", "b", "y", "c"]]
    # Precision is 1/2, 2/3 and 3/5 at the hits; d was not retrieved.
    for recall, expected in ((0, 2 / 3), (0.25, 2 / 3), (0.5, 2 / 3), (0.75, 3 / 5), (1, 0)):
        assert interpolated_precision_score(truth, rankings, recall=recall) == expected
    # 0.6 and 0.3 of 4 are 2.4 and 1.2: two and one; 0.7 is 2.8, three; 0.9 is 3.6, four.
    eleven = [2 / 3] * 7 + [3 / 5] * 2 + [0, 0]
    assert interpolated_precision_score(truth, rankings) == pytest.approx(
        sum(eleven) / 11, abs=1e-15
    )


def test_half_a_relevant_item_is_a_whole_one():
    # Half of three are one and a half, so two: the second stands fourth.
    assert interpolated_precision_score([{"a", "b", "c"}], [list("axyb")], recall=0.5) == 2 / 4


def test_interpolated_precision_of_ties_has_to_be_asked_for():
    truth, scores = {"q": {"a"}}, {"q": {"a": 1.0, "b": 1.0}}
    with pytest.raises(
        InvalidParameterError, match="iprec has no closed form for tied items; pass"
    ):
        interpolated_precision_score(truth, scores)
    called = []
    gain = measure("dcg", gain=lambda grades: called.append(grades) or grades)
    for other in ("iprec", "hmean(iprec,map)"):
        with pytest.raises(InvalidParameterError, match=r"1 of 2 queries, first in 'q'"):
            evaluate({"p": {"a"}, **truth}, {"p": {"a": 1.0}, **scores}, [gain, other])
    assert not called  # refused before anything is computed
    assert evaluate(truth, {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, "iprec")["iprec"] == 1
    assert interpolated_precision_score(truth, scores, ties="docid", recall=1) == 1 / 2
    assert interpolated_precision_score(truth, scores, ties="stable", recall=1) == 1
    assert interpolated_precision_score({"q": {"b"}}, {"q": {"a": 2, "b": 1}}, recall=0) == 1 / 2


@pytest.mark.parametrize("recall", [-0.1, 1.1, math.nan, "12pt", None])
def test_a_recall_that_is_none_is_refused(recall):
    with pytest.raises(InvalidParameterError, match="'recall' parameter of iprec"):
        interpolated_precision_score([{"a"}], [["a"]], recall=recall)


def test_set_average_precision_is_precision_times_recall():
    values = evaluate([{"a", "b", "c"}], [["a", "x", "b", "y"]], ["set_map", "set_map@1"])
    assert dict(values.scores) == {"set_map": 2 / 4 * (2 / 3), "set_map@1": 1 * (1 / 3)}


def test_the_geometric_mean_counts_a_failure_as_a_hundred_thousandth():
    truth, ranked = [{"a"}, {"b"}], [["a"], ["x", "y", "z", "b"]]
    assert evaluate(truth, [["a"], ["x"]], "gmap")["gmap"] == close(math.sqrt(1e-5))
    assert evaluate(truth, ranked, "gmap")["gmap"] == close(0.5)
    counted = evaluate([{"a"}, set()], [["a"], []], "gmap", zero_division=0.0)
    assert counted["gmap"] == close(math.sqrt(1e-5))


def close(value):
    return pytest.approx(value, rel=1e-14)


def test_the_interval_of_a_geometric_mean_surrounds_it():
    truth = [{"a"}] * 6
    rankings = [["a"], ["x", "a"], ["a"], ["x", "y", "a"], ["a"], ["x", "a"]]
    evaluation = evaluate(truth, rankings, ["gmap", "map"])
    low, high = evaluation.confidence_interval("gmap")
    assert 0 < low < evaluation["gmap"] < high <= 1
    assert evaluation["gmap"] < evaluation["map"]


@pytest.mark.parametrize(
    ("spelling", "meaning"),
    [
        ("Rprec", "rprec"),
        ("gm_map", "gmap"),
        ("11pt_avg", "iprec"),
        ("all_hit@5", "all_hit_rate@5"),
        ("iprec(recall=11pt)", "iprec"),
        ("IPrec@0.1", "iprec(recall=0.1)"),
        ("iprec_at_recall_0.10", "iprec(recall=0.1)"),
        ("iprec_at_recall.0.25", "iprec(recall=0.25)"),
    ],
)
def test_spellings(spelling, meaning):
    assert measure(spelling) == measure(meaning)
    assert measure(str(measure(spelling))) == measure(meaning)
