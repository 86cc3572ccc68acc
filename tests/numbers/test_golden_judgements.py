"""Worked values: how much is judged, and measures that read as deep as relevant items demand."""

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

from sklearn_rank import (
    InvalidParameterError,
    evaluate,
    interpolated_precision_score,
    measure_from,
    r_precision_score,
)

TRUTHS = [{"a": 2, "b": 0}, {"c": 1}]
RANKINGS = [["a", "x", "b", "y"], ["z", "c"]]


@pytest.mark.parametrize(
    ("ties", "expected"), [("average", 1.0), ("optimistic", 0.0), ("pessimistic", 2.0)]
)
def test_ties_are_at_their_best_with_judged_items_first(ties: str, expected: float) -> None:
    truth, scores = {"q": {"a": 1, "b": 0}}, {"q": dict.fromkeys("abxy", 1.0)}
    values = evaluate(truth, scores, ["unjudged@2", "judged@2"], ties=ties)
    assert values.scores == {"unjudged@2": expected, "judged@2": 1 - expected / 2}


def test_share_and_number_of_what_is_judged() -> None:
    measures = ["judged@2,3", "judged", "unjudged@1,4", "unjudged"]
    assert dict(evaluate(TRUTHS, RANKINGS, measures).scores) == {
        "judged@2": (1 / 2 + 1 / 2) / 2,
        "judged@3": (2 / 3 + 1 / 2) / 2,
        "judged": (2 / 4 + 1 / 2) / 2,
        "unjudged@1": (0 + 1) / 2,
        "unjudged@4": (2 + 1) / 2,
        "unjudged": (2 + 1) / 2,
    }


def test_a_tie_counts_by_expectation() -> None:
    """Of a tie of three, two unjudged, one stands within the first two: 2/3 are expected."""
    truth, ranking = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0, "x": 1.0, "y": 1.0}}
    ev = evaluate(truth, ranking, ("unjudged@2", "judged@2"))
    assert ev["unjudged@2"] == pytest.approx(2 / 3, abs=1e-15)
    assert ev["judged@2"] == pytest.approx(1 - (2 / 3) / 2, abs=1e-15)


def test_an_empty_ranking_has_a_number_but_no_share() -> None:
    ev = evaluate(
        {"q": {"a": 1, "b": 0}, "r": {"a": 1}},
        {"q": ["a"]},
        ("judged", "unjudged"),
        zero_division=np.nan,
    )
    assert ev.per_query["judged"].tolist()[0] == 1.0
    assert np.isnan(ev.per_query["judged"][1])
    assert ev.per_query["unjudged"].tolist() == [0.0, 0.0]


def test_a_query_without_a_relevant_item_has_both() -> None:
    ev = evaluate([{"a": 0}], [["a", "x"]], ("judged@2", "unjudged@2"))
    assert ev.scores == {"judged@2": 0.5, "unjudged@2": 1.0}


@pytest.mark.parametrize("convention", ["trec_eval", "warprec", "spark"])
def test_every_convention_has_both(convention: str) -> None:
    ev = evaluate(
        TRUTHS,
        [dict.fromkeys(r, 1.0) for r in RANKINGS],
        ("judged@2", "unjudged@2"),
        convention=convention,
        ties="stable",
    )
    assert ev["judged@2"] == 0.5


@pytest.mark.parametrize("layout", ["lists", "mapping", "frame", "rows"])
def test_bpref_counts_judged_irrelevant_items_above_relevant_ones(layout: str) -> None:
    # Of c, d and e, judged irrelevant, c stands above a, and c and d above b; x and y are unjudged.
    grades, ranking = {"a": 1, "b": 2, "c": 0, "d": 0, "e": 0}, [*"xcaydb"]
    scores = {item: 9.0 - place for place, item in enumerate(ranking)}
    options: dict[str, Any] = {}
    if layout == "frame":
        truth: Any = pl.DataFrame({"query": "q", "item": [*grades], "grade": [*grades.values()]})
        run: Any = pl.DataFrame({"query": "q", "item": [*scores], "score": [*scores.values()]})
    elif layout == "rows":
        truth = np.array([grades.get(item, -1) for item in [*ranking, "e"]])
        run, options = np.array([*scores.values(), 0.0]), {"groups": ["q"] * 7}
    else:
        truth, run = {"q": grades}, {"q": ranking if layout == "lists" else scores}
    if layout != "rows":
        assert evaluate(truth, run, "bpref")["bpref"] == (1 / 2 + 0) / 2
        graded = evaluate(truth, run, "bpref(min_rel=2)")
        # a is irrelevant now, and R is 1: nothing above b counts more than once.
        assert graded["bpref(min_rel=2)"] == 0.0
    judged = evaluate(truth, run, "bpref", convention="trec_eval", ties="stable", **options)
    assert judged["bpref"] == (1 / 2 + 0) / 2


def test_bpref_of_complete_judgements_and_of_ties() -> None:
    # Without grades of 0 every other item is judged irrelevant, and there are at least R of them.
    assert evaluate({"q": {"a"}}, {"q": ["x", "a"]}, "bpref")["bpref"] == 0.0
    assert evaluate({"q": {"a", "b"}}, {"q": ["x", "a"]}, "bpref")["bpref"] == (1 / 2 + 0) / 2
    assert evaluate({"q": {"a"}}, {"q": ["x", "a"]}, "bpref", assume="partial")["bpref"] == 1.0
    with pytest.raises(InvalidParameterError, match="bpref has no closed form for tied items"):
        evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1}}, "bpref")
    part = evaluate(
        {"q": {"a": 1, "b": 0}, "r": {"c": 1, "d": 0}}, {"q": ["b", "a"], "r": ["c"]}, "bpref"
    )
    assert part.by_slice({"r": "one", "q": "two"})["one"]["bpref"] == 1.0
    assert part.per_query["bpref"].tolist() == [0.0, 1.0]


# As deep as the relevant items demand ------------------------------------------------------------


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
    own = measure_from("own", lambda grades: called.append(grades) or 1.0)
    for other in ("iprec", "hmean(iprec,map)"):
        with pytest.raises(InvalidParameterError, match=r"1 of 2 queries, first in 'q'"):
            evaluate({"p": {"a"}, **truth}, {"p": {"a": 1.0}, **scores}, [own, other])
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
