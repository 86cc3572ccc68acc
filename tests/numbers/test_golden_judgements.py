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
)

TRUTHS = [{"a": 2, "b": 0}, {"c": 1}]
RANKINGS = [["a", "x", "b", "y"], ["z", "c"]]
SAME = {"q": {"a": 1, "b": 0}}, {"q": dict.fromkeys("abxy", 1.0)}
TIED = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0, "x": 1.0, "y": 1.0}}
FAR = [{"a", "b", "c", "d"}], [["x", "a", "b", "y", "c"]]
PAIR = [{"a", "b"}, {"a", "b"}, {"c"}], [["a", "b"], ["a", "x", "b"], ["x"]]


@pytest.mark.parametrize(
    ("sides", "options", "expected"),
    [
        (
            (TRUTHS, RANKINGS),
            {},
            {
                "judged@2": (1 / 2 + 1 / 2) / 2,
                "judged@3": (2 / 3 + 1 / 2) / 2,
                "judged": (2 / 4 + 1 / 2) / 2,
                "unjudged@1": (0 + 1) / 2,
                "unjudged@4": (2 + 1) / 2,
                "unjudged": (2 + 1) / 2,
            },
        ),
        # Ties are at their best with the judged items first.
        (SAME, {"ties": "average"}, {"unjudged@2": 1, "judged@2": 1 - 1 / 2}),
        (SAME, {"ties": "optimistic"}, {"unjudged@2": 0, "judged@2": 1}),
        (SAME, {"ties": "pessimistic"}, {"unjudged@2": 2, "judged@2": 0}),
        # Of a tie of three, two unjudged, one stands within the first two: 2/3 are expected.
        (TIED, {}, {"unjudged@2": 2 / 3, "judged@2": 1 - (2 / 3) / 2}),
        # An empty ranking has a number, but no share.
        (
            ({"q": {"a": 1, "b": 0}, "r": {"a": 1}}, {"q": ["a"]}),
            {"zero_division": np.nan},
            {"judged": 1, "unjudged": 0},
        ),
        # So has a query without a relevant item.
        (([{"a": 0}], [["a", "x"]]), {}, {"judged@2": 0.5, "unjudged@2": 1}),
        (([{"a", "b", "c"}], [["a", "x", "b", "c"]]), {}, {"rprec": 2 / 3}),
        (([{"a", "b"}, {"c"}], [["a"], ["x", "c"]]), {}, {"rprec": (1 / 2 + 0) / 2}),
        (PAIR, {}, {"all_hit_rate@2": 1 / 3, "all_hit_rate": 2 / 3}),
        (([{"a", "b", "c"}], [[*"axby"]]), {}, {"set_map": 2 / 4 * 2 / 3, "set_map@1": 1 * 1 / 3}),
        # Precision is 1/2, 2/3 and 3/5 at the hits; d was not retrieved. 0.6 and 0.3 of 4 are 2.4
        # and 1.2: two and one; 0.7 is 2.8, three; 0.9 is 3.6, four.
        (
            FAR,
            {},
            {
                "iprec": (7 * 2 / 3 + 2 * 3 / 5 + 0 + 0) / 11,
                **{f"iprec@{recall}": 2 / 3 for recall in (0, 0.25, 0.5)},
                "iprec@0.75": 3 / 5,
                "iprec@1": 0,
            },
        ),
        # Half of three are one and a half, so two: the second stands fourth.
        (([{"a", "b", "c"}], [[*"axyb"]]), {}, {"iprec@0.5": 2 / 4}),
    ],
)
def test_values(sides: Any, options: dict[str, Any], expected: dict[str, float]) -> None:
    found = evaluate(*sides, [*expected], **options).scores
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-14)


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
