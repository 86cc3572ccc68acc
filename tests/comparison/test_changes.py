"""Single queries: which changed most or are worst, and the items that explain it."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank import compare, evaluate
from sklearn_rank.comparison.changes import NO_IDS, cause, query_changes
from sklearn_rank.comparison.result import changes_table
from sklearn_rank.exceptions import InvalidParameterError

TRUTH = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"d": 1}, "q4": {"e": 1}}
RUNS = {
    "old": {"q1": [*"abx"], "q2": [*"cx"], "q3": [*"xyd"], "q4": [*"e"]},
    "new": {"q1": [*"xba"], "q2": [*"xyc"], "q3": [*"dxy"], "q4": [*"e"]},
}
TEXTS = {"q1": "who?", "q2": "what?"}
LOG3 = 1 / math.log2(3)


def compared(measures: Any = ("dcg", "mrr"), **options: Any) -> Any:
    return compare(TRUTH, RUNS, measures=measures, **options)


def change_of(found: Any, query: str) -> Any:
    """The change of one query, also where it is 0."""
    names, number = (found.baseline, found.others[0]), found.query_ids.index(query)
    text_of = lambda query: TEXTS.get(query, "")  # noqa: E731
    return query_changes(found._joined, found.measures[0], names, text_of, [number])[0]


def test_discounted_gains_by_hand() -> None:
    # Gains 1 and 3; a 1 -> 3, b 2 -> 2.
    change = change_of(compared(), "q1")
    assert (change.query, change.text, change.measure) == ("q1", "who?", "dcg")
    assert (change.baseline, change.system) == ("old", "new")
    assert change.baseline_value == pytest.approx(1 + 3 * LOG3)
    assert change.new == pytest.approx(3 * LOG3 + 1 / 2)
    assert [tuple(item)[:6] for item in change.items] == [
        ("a", 1.0, 1, 3, pytest.approx(-1 / 2), ""),
        ("b", 2.0, 2, 2, 0.0, ""),
    ]
    assert change.why() == "a 1→3 -0.50"
    assert (change.before.n_ranked, change.after.n_ranked) == (3, 3)
    assert change.remark == ""


@settings(max_examples=150, deadline=None)
@given(
    st.permutations("abcdef"),
    st.permutations("abcdef"),
    st.integers(0, 6),
    st.sampled_from(["map", "ndcg", "dcg@3", "mrr", "lag", "recall@2", "rbp(p=0.5)"]),
)
def test_a_cause_has_the_sign_of_the_change_and_no_contribution_is_larger(
    old: list[str], new: list[str], n: int, measure: str
) -> None:
    truth = {"q": {"a": 1, "b": 2, "c": 3, "d": 1}}
    found = compare(truth, {"old": {"q": old}, "new": {"q": new[:n] or ["x"]}}, measures=measure)
    change = change_of(found, "q")
    item = cause(change)
    parts = [own.contribution for own in change.items if own.contribution * change.change > 0]
    if parts:
        assert item is not None
        assert abs(item.contribution) == max(map(abs, parts))
        assert change.why().startswith(item.text)
    elif not change.change:
        assert item is None
    else:  # no contributions: the first that moved
        assert item is not None
        assert math.isnan(item.contribution)
        assert item.baseline_rank != item.new_rank


def test_titles_stand_for_ids_and_the_cause_stands_first() -> None:
    truth = {"q": {"a": 1, "b": 1}, "r": {"c": 1}}
    runs = {"old": {"q": [*"abxyz"], "r": ["c"]}, "new": {"q": [*"xyzba"], "r": ["c"]}}
    titles = {"a": {"title": "Item A"}, "b": "Item \x1b B"}
    found = compare(truth, runs, measures="dcg")
    (change,) = found.most_changed(item_text=titles)
    assert change.why() == "Item A 1→5 -0.61; Item \\x1b B 2→4 -0.20"
    table = changes_table([change], "old", "new", most=1)
    assert table.rows[0][-1].text == "Item A 1→5 -0.61; 1 more item"
    assert found.most_changed(item_text={"a": "Other"})[0].why(1) == "Other 1→5 -0.61; 1 more item"
    swapped = {"old": {"q": [*"abx"]}, "new": {"q": [*"bax"]}}
    same = change_of(compare({"q": truth["q"]}, swapped, measures="set_map@2"), "q")
    assert (same.change, cause(same)) == (0, None)
    nothing = change_of(compare(truth, runs | {"new": runs["old"]}, measures="dcg"), "q")
    assert changes_table([nothing], "old", "new", most=1).rows[0][-1].text == ""


def test_the_largest_changes_come_first_and_none_is_0() -> None:
    found = compared()
    # RR: 1 -> 1/2, 1 -> 1/3, 1/3 -> 1, 1 -> 1; of two alike the first in the data.
    by = {
        direction: [
            change.query for change in found.most_changed(measure="mrr", direction=direction)
        ]
        for direction in ("both", "worse", "better")
    }
    assert by == {"both": ["q2", "q3", "q1"], "worse": ["q2", "q1"], "better": ["q3"]}
    assert [change.query for change in found.most_changed(2, measure="mrr")] == ["q2", "q3"]
    assert found.most_changed(0) == []


def test_less_is_better_for_lag() -> None:
    found = compared("lag")
    # Irrelevant items above: q1 0 -> 1, q2 0 -> 2, q3 2 -> 0.
    assert [change.query for change in found.most_changed(direction="worse")] == ["q2", "q1"]
    assert found.most_changed(direction="better")[0].why() == "d 3→1 -2.00"


def test_items_that_come_and_go() -> None:
    truth = {"q": {"a", "b"}}
    found = compare(truth, {"old": {"q": ["a"]}, "new": {"q": ["x", "b"]}}, measures="recall@2")
    assert found.most_changed() == []
    change = change_of(found, "q")
    assert {(item.item, item.baseline_rank, item.new_rank) for item in change.items} == {
        ("a", 1, None),
        ("b", None, 2),
    }
    assert change.why() in ("a 1→out -0.50; b new→2 +0.50", "b new→2 +0.50; a 1→out -0.50")


def test_ties_are_ranks_in_the_mean() -> None:
    truth = {"q": {"a", "b"}}
    runs = {"old": {"q": {"a": 2, "b": 1, "x": 1}}, "new": {"q": {"a": 1, "b": 1, "x": 1}}}
    (change,) = compare(truth, runs, measures="precision@1").most_changed()
    assert [tuple(item)[:6] for item in change.items] == [
        ("a", 1.0, 1, 2, pytest.approx(1 / 3 - 1), ""),
        ("b", 1.0, 2.5, 2, pytest.approx(1 / 3), ""),
    ]
    assert change.why() == "a 1→1-3 (tied) -0.67; b 2-3 (tied)→1-3 (tied) +0.33"


def test_many_items_are_counted() -> None:
    items = [f"d{number}" for number in range(9)]
    runs = {"old": {"q": [*items, "x"]}, "new": {"q": ["x", *items]}}
    (change,) = compare({"q": set(items)}, runs, measures="dcg").most_changed()
    assert change.why(2).endswith("; 7 more items")
    assert change.why(2).count("→") == 2


SUMS = (
    "map",
    "map@2",
    "map@5",
    "ndcg@2",
    "err",
    "hit_rate@2",
    "rprec",
    "fbeta@2",
    "gauc",
    "lag",
)


@pytest.mark.parametrize("layout", ["scores", "lists"])
@pytest.mark.parametrize("measure", SUMS)
def test_contributions_sum_to_the_change(measure: str, layout: str) -> None:
    generator = np.random.default_rng(0)
    items = list("abcdefgh")

    def run() -> Any:
        order = generator.permutation(items)[: generator.integers(2, 8)].tolist()
        if layout == "lists":
            return order
        return dict(zip(order, generator.integers(0, 4, len(order)).tolist(), strict=True))

    truth = {
        query: dict(zip("abdf", generator.integers(1, 4, 1 + query % 4).tolist(), strict=False))
        for query in range(40)
    }
    runs = {name: {query: run() for query in truth} for name in ("old", "new")}
    found = compare(truth, runs, measures=measure, zero_division=np.nan)
    changes = found.most_changed(40)
    assert len(changes) > 10
    for change in changes:
        total = math.fsum(item.contribution for item in change.items)
        assert change.change == pytest.approx(total, abs=1e-12)
        assert len(change.items) == len(truth[change.query])
        assert change == change_of(found, change.query)  # whatever is divided beside it


def test_what_several_queries_lose_is_divided_for_each() -> None:
    runs = {"old": [[*"ab"]] * 2, "new": [[*"xya"]] * 2}
    found = compare([{*"ab"}] * 2, runs, measures="map", keep_items=True)
    # The pair of both is worth 1/2, 1/3 where a alone moved, and nothing without b.
    for change in found.most_changed():
        parts = {item.item: item.contribution for item in change.items}
        assert parts == pytest.approx({"a": (-2 / 3 - 1 / 12) / 2, "b": (-1 / 2 - 5 / 12) / 2})
        assert change == change_of(found, change.query)


def test_only_grades_that_count_are_items() -> None:
    # Of grades 1 and 2, b at rank 2, then 1.
    runs = {"old": {"q": [*"abx"]}, "new": {"q": [*"bax"]}}
    truth = {"q": {"a": 1, "b": 2}}
    (change,) = compare(truth, runs, measures="map(min_rel=2)").most_changed()
    assert [tuple(item)[:6] for item in change.items] == [("b", 2.0, 2, 1, 0.5, "")]


@pytest.mark.parametrize("measure", ["iprec", "mar", "hmean", "all_hit_rate@1", "set_map@2"])
def test_what_is_no_sum_says_so_and_shows_the_ranks(measure: str) -> None:
    change = change_of(compared(measure, ties="stable"), "q1")
    assert change.remark.endswith("has no parts by item: its value is not a sum over items")
    assert all(math.isnan(item.contribution) for item in change.items)
    assert change.why() == "a 1→3"
    moved = cause(change)
    assert (moved and moved[2:4]) == ((1, 3) if change.change else None)


def test_without_ids_there_are_ranks_alone() -> None:
    old, new = (evaluate(TRUTH, run, "mrr") for run in RUNS.values())
    change = compare(old, new).most_changed(1)[0]
    assert change.items == ()
    assert change.remark == NO_IDS
    assert [hit.rank for hit in change.after.hits] == [3]
    assert change.why() == "1 → 3 of 3 results"
    assert replace(change, baseline_value=math.nan).why() == "3 of 3 results"
    kept = [evaluate(TRUTH, run, "mrr", keep_items=True) for run in RUNS.values()]
    assert compare(*kept).most_changed(1)[0].why() == "c 1→3 -0.67"


def test_relevance_scores_are_another_ranking() -> None:
    old, new = (
        evaluate([{"a"}], [["x", "a"]], "gauc", relevance=[scores], keep_items=True)
        for scores in ([0.9, 0.1], [0.9, 0.9])
    )
    (change,) = compare(old, new).most_changed()
    assert (change.change, change.why()) == (0.5, "")
    assert change.remark == (
        "gauc has no parts by item: it reads relevance scores, whose ranking is not stored"
    )


def test_a_given_number_of_irrelevant_items() -> None:
    truth = {"q": {"a"}}
    runs = {"old": {"q": ["a", "x"]}, "new": {"q": ["x", "a"]}}
    (change,) = compare(truth, runs, measures="gauc(n_negatives=4)").most_changed()
    assert change.why() == "a 1→2 -0.25"


def test_an_undefined_query_has_no_change() -> None:
    truth = {"q": {"a"}, "r": set()}
    runs = {"old": {"q": ["a"], "r": ["a"]}, "new": {"q": ["x", "a"], "r": ["a"]}}
    found = compare(truth, runs, measures="map", zero_division=np.nan)
    change = change_of(found, "r")
    assert math.isnan(change.change)
    assert change.remark == "map is undefined for this query"
    assert [change.query for change in found.most_changed()] == ["q"]


def test_text_may_be_a_function() -> None:
    found = compared()
    assert found.most_changed(1, query_text=str.upper)[0].text == "Q1"
    assert found.most_changed(1, query_text={})[0].text == ""
    assert found.most_changed(1, query_text=lambda _query: None)[0].text == ""
    with pytest.raises(InvalidParameterError, match="query_text must be"):
        found.most_changed(query_text="who?")


def test_wrong_questions_are_refused() -> None:
    found = compared()
    with pytest.raises(InvalidParameterError, match="'direction' parameter of most_changed"):
        found.most_changed(direction="up")
    with pytest.raises(InvalidParameterError, match="'n' parameter of "):
        found.most_changed(-1)


def test_hostile_ids_of_items_are_escaped() -> None:
    evil = "\x1b[31m\n"
    runs = {"old": {"q": [evil]}, "new": {"q": ["x", evil]}}
    (change,) = compare({"q": {evil}}, runs, measures="mrr").most_changed()
    assert change.items[0].item == evil
    assert change.why() == "\\x1b[31m\\x0a 1→2 -0.50"
