"""Rows of means with intervals: slices, measures, differences; and the doors to all displays."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from sklearn_rank import (
    compare,
    compare_all,
    evaluate,
)
from sklearn_rank.displays import OF_COMPARISON, OF_EVALUATION
from sklearn_rank.displays.forest import ForestDisplay
from sklearn_rank.displays.queries import QueryDifferencesDisplay

RNG = np.random.default_rng(0)
QUERIES = [f"q{number}" for number in range(24)]
TRUTH = {query: {"a", "b"} for query in QUERIES}
SLICES = {query: "even" if number % 2 else "odd" for number, query in enumerate(QUERIES)}


def run(strength):
    items = ("a", "b", "c", "d", "e", "f")
    return {
        query: {item: float(strength * (item in "ab") + RNG.normal()) for item in items}
        for query in QUERIES
    }


EVALUATIONS = {
    name: evaluate(TRUTH, run(strength), ("map", "recall@2"))
    for name, strength in (("old", 0.0), ("new", 0.2), ("best", 4.0))
}


def test_a_row_for_each_slice():
    shown = ForestDisplay.from_evaluation(EVALUATIONS, "map", slices=SLICES, confidence_level=0.9)
    assert shown.rows == ["all queries (24)", "odd (12)", "even (12)"]
    assert [text.get_text() for text in shown.ax_.get_yticklabels()] == shown.rows
    for number, evaluation in enumerate(EVALUATIONS.values()):
        parts = [evaluation, *evaluation.by_slice(SLICES).values()]
        means = [part["map"] for part in parts]
        ends = [part.confidence_interval("map", 0.9) for part in parts]
        assert shown.marks_[number].get_offsets()[:, 0].tolist() == means
        (bars,) = shown.bars_[number].lines[2]
        drawn = [segment[:, 0].tolist() for segment in bars.get_segments()]
        assert drawn == [pytest.approx(end) for end in ends]
    assert list(shown.reference_.get_xdata()) == [EVALUATIONS["old"]["map"]] * 2
    assert [text.get_text() for text in shown.ax_.get_legend().get_texts()] == list(EVALUATIONS)
    # The first row is at the top, and systems stand side by side in a row.
    bottom, top = shown.ax_.get_ylim()
    assert bottom > top
    assert len({mark.get_offsets()[0, 1] for mark in shown.marks_}) == 3


def test_a_row_for_each_measure():
    shown = ForestDisplay.from_evaluation(EVALUATIONS["old"])
    assert shown.rows == ["map", "recall@2"]
    assert shown.values[0].tolist() == list(EVALUATIONS["old"].scores.values())
    assert shown.reference_ is None
    assert shown.ax_.get_legend() is None


def test_a_slice_that_one_system_lacks():
    part = {query: TRUTH[query] for query in QUERIES[:2]}
    fewer = evaluate(part, {query: ["a"] for query in part}, "map")
    labels = dict.fromkeys(QUERIES[:2], "first") | dict.fromkeys(QUERIES[2:], "rest")
    shown = ForestDisplay.from_evaluation(
        {"all": EVALUATIONS["old"], "few": fewer},
        slices=lambda query: labels[query],
    )
    assert shown.rows == ["all queries (24)", "first (2)", "rest (22)"]
    assert np.isnan(shown.values[1]).tolist() == [False, False, True]


def test_pooled_measures_have_no_interval():
    y, score, groups = [1, 0, 0, 1], [4, 3, 2, 1], list("aabb")
    pooled = evaluate(y, score, ("auc(average=pooled)", "map"), groups=groups)
    shown = ForestDisplay.from_evaluation(pooled)
    assert np.isnan(shown.intervals[0][0]).all()
    assert shown.values[0][0] == 1 / 2


def test_differences_of_a_comparison():
    comparison = compare(EVALUATIONS)
    shown = ForestDisplay.from_comparison(comparison, "map")
    rows = [comparison["map", name] for name in ("new", "best")]
    assert shown.rows == ["new", "best"]
    assert shown.values[0].tolist() == [row.difference for row in rows]
    assert shown.intervals[0].tolist() == [[row.low, row.high] for row in rows]
    assert list(shown.reference_.get_xdata()) == [0.0, 0.0]
    # Only what is significant is filled.
    assert [row.significant for row in rows] == [False, True]
    assert [face[3] > 0 for face in shown.marks_[0].get_facecolors()] == [False, True]
    assert shown.ax_.get_xlabel() == (
        "map: difference from old, 95% interval\nhollow: not significant"
    )


def test_rows_of_a_comparison_are_told_apart():
    comparison = compare(EVALUATIONS)
    shown = ForestDisplay.from_comparison(comparison)
    assert (shown.rows, shown.names) == (["map", "recall@2"], ["new", "best"])
    for name, values, marks in zip(shown.names, shown.values, shown.marks_, strict=True):
        assert values.tolist() == [comparison[row, name].difference for row in shown.rows]
        assert marks.get_label() == name
    edges = {tuple(marks.get_edgecolors()[0]) for marks in shown.marks_}
    assert len(edges) == 2, "a colour for each system"
    two = {name: EVALUATIONS[name] for name in ("old", "best")}
    assert ForestDisplay.from_comparison(compare(two)).rows == ["map", "recall@2"]
    assert ForestDisplay.from_comparison(compare(two), slices=SLICES).rows == [
        "all queries (24)",
        "odd (12)",
        "even (12)",
    ]
    pairs = ForestDisplay.from_comparison(compare_all(EVALUATIONS, n_resamples=99), "map")
    assert len(pairs.rows) == 3
    assert "best - old" in pairs.rows or "old - best" in pairs.rows


@pytest.mark.parametrize("size", [(6.4, 3.8), (3.6, 2.6)])
def test_nothing_is_cut_off(size):
    long = {query: f"a slice with a long name {number % 2}" for number, query in enumerate(QUERIES)}
    shown = ForestDisplay.from_evaluation(EVALUATIONS, "map", slices=long)
    figure = shown.figure_
    figure.set_size_inches(size)
    figure.draw_without_rendering()
    texts = [*shown.ax_.get_yticklabels(), shown.ax_.xaxis.label]
    texts += shown.ax_.get_legend().get_texts()
    for text in texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0, text
        assert box.x1 <= figure.bbox.x1, text


@pytest.mark.parametrize("kind", sorted(OF_EVALUATION))
def test_doors_of_evaluations(kind):
    options = {"measure": "ndcg", "k": 3} if kind == "at_k" else {}
    shown = EVALUATIONS["old"].plot(kind, **options)
    assert isinstance(shown.ax_, mpl.axes.Axes)


@pytest.mark.parametrize("kind", sorted(OF_COMPARISON))
def test_doors_of_comparisons(kind):
    shown = compare(EVALUATIONS).plot(kind)
    assert isinstance(shown.ax_, mpl.axes.Axes)


# Pictures of the values per query: distribution and differences ----------------------

THREE_QUERIES = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
OLD = {"q1": ["a"], "q2": ["x", "b"], "q3": ["x", "y", "z", "c"]}
NEW = {"q3": ["c"], "q2": ["x", "b"], "q1": ["x", "a"]}


def evaluations(measure="mrr"):
    return {
        name: evaluate(THREE_QUERIES, run, measure) for name, run in (("old", OLD), ("new", NEW))
    }


def test_differences_are_joined_by_query_sorted_and_named():
    shown = QueryDifferencesDisplay.from_comparison(compare(evaluations()))
    # q1: 1/2 - 1; q2: none; q3: 1 - 1/4.
    assert [shown.query_ids[place] for place in shown.order_] == ["q1", "q2", "q3"]
    assert shown.differences[shown.order_].tolist() == [-1 / 2, 0, 3 / 4]
    assert [text.get_text() for text in shown.labels_] == ["q3  +0.750", "q1  −0.500"]
    assert shown.ax_.get_title(loc="left") == "1 better, 1 equal, 1 worse"
    assert shown.ax_.get_xlabel() == "mrr: new minus old"
    areas = [area.get_paths()[0].get_extents() for area in (shown.worse_, shown.better_)]
    assert [(box.x0, box.x1) for box in areas] == [(-1 / 2, 0), (0, 3 / 4)]
    # The worst query has the lowest row, the best one the highest.
    assert areas[0].y0 == -0.5
    assert areas[1].y1 == 2.5


def test_differences_mind_the_direction():
    comparison = compare(evaluations("lag"))
    shown = QueryDifferencesDisplay.from_comparison(comparison, n_named=1)
    # Irrelevant items above: q1 0 -> 1, q2 1 -> 1, q3 3 -> 0; fewer are better.
    assert shown.differences[shown.order_].tolist() == [1, 0, -3]
    assert [text.get_text() for text in shown.labels_] == ["q3  −3.000", "q1  +1.000"]
    assert shown.ax_.get_title(loc="left") == "1 better, 1 equal, 1 worse"
    _, ax = plt.subplots()
    shown.plot(ax, n_named=1)
    # Without a margin names stand where their rows have no bar: the better row points left.
    assert [text.get_ha() for text in shown.labels_] == ["left", "right"]
    assert [text.xy[0] for text in shown.labels_] == [0, 0]


def test_many_differences_are_few_rows():
    shown = QueryDifferencesDisplay(
        differences=np.linspace(-1, 1, 20_001), query_ids=range(20_001)
    ).plot(n_named=0)
    assert len(shown.better_.get_paths()[0].vertices) < 5_000
    assert shown.better_.get_paths()[0].get_extents().x1 == 1.0
    assert not shown.labels_


def test_texts_of_queries_stand_in_place_of_their_ids():
    texts = {"q1": "red shoes", "q2": ""}
    runs = {"old": {"q1": ["a", "x"], "q2": ["x", "b"]}, "new": {"q1": ["x", "a"], "q2": ["b"]}}
    compared = compare({"q1": {"a"}, "q2": {"b"}}, runs, "mrr", query_text=texts)
    labels = [label.get_text() for label in compared.plot("differences").labels_]
    assert labels == ["q2  +0.500", "red shoes  −0.500"]


def test_ids_are_drawn_as_they_are():
    shown = QueryDifferencesDisplay(differences=[1.0], query_ids=["$x$\n<b>"], names=("$a$", "b"))
    shown.plot()
    assert [label.get_text() for label in shown.labels_] == ["$x$\\x0a<b>  +1.000"]
