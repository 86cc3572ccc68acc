"""Pictures of the values per query: distribution, differences and correlation."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import kendalltau

from sklearn_rank import (
    MeasureCorrelationDisplay,
    QueryDifferencesDisplay,
    compare,
    evaluate,
)

TRUTH = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
OLD = {"q1": ["a"], "q2": ["x", "b"], "q3": ["x", "y", "z", "c"]}
NEW = {"q3": ["c"], "q2": ["x", "b"], "q1": ["x", "a"]}


def evaluations(measure="mrr"):
    return {name: evaluate(TRUTH, run, measure) for name, run in (("old", OLD), ("new", NEW))}


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


def test_many_differences_are_few_rows():
    shown = QueryDifferencesDisplay(
        differences=np.linspace(-1, 1, 20_001), query_ids=range(20_001)
    ).plot(n_named=0)
    assert len(shown.better_.get_paths()[0].vertices) < 5_000
    assert shown.better_.get_paths()[0].get_extents().x1 == 1.0
    assert len(shown.to_svg()) < 200_000
    assert not shown.labels_


def test_texts_of_queries_stand_in_place_of_their_ids():
    texts = {"q1": "red shoes", "q2": ""}
    runs = {"old": {"q1": ["a", "x"], "q2": ["x", "b"]}, "new": {"q1": ["x", "a"], "q2": ["b"]}}
    compared = compare({"q1": {"a"}, "q2": {"b"}}, runs, "mrr", query_text=texts)
    labels = [label.get_text() for label in compared.plot("differences").labels_]
    assert labels == ["q2  +0.500", "red shoes  −0.500"]


def test_ids_are_drawn_as_they_are():
    shown = QueryDifferencesDisplay(differences=[1.0], query_ids=["$x$\n<b>"], names=("$a$", "b"))
    svg = shown.to_svg()
    assert "$x$\\x0a&lt;b&gt;  +1.000" in svg
    assert "measure: b minus $a$" in svg


def test_correlation_by_hand():
    shown = MeasureCorrelationDisplay(x=[0, 0, 1, 1, np.nan], y=[0, 0, 1, 0, 1]).plot()
    places = shown.points_.get_offsets().tolist()
    assert places == [[0, 0], [1, 0], [1, 1]]
    sizes = shown.points_.get_sizes()
    assert sizes[0] == 2 * sizes[1] == 2 * sizes[2]
    assert shown.tau == pytest.approx(kendalltau([0, 0, 1, 1], [0, 0, 1, 0]).statistic)
    assert shown.r == pytest.approx((1 / 4 - 1 / 2 * 1 / 4) / np.sqrt(1 / 4 * 3 / 16))
    assert shown.ax_.get_title(loc="left").endswith("\n4 queries")


def test_correlation_of_measures():
    evaluation = evaluate(TRUTH, OLD, ("mrr", "recall@2"))
    shown = MeasureCorrelationDisplay.from_evaluation(evaluation)
    assert shown.x.tolist() == [1, 1 / 2, 1 / 4]
    assert shown.y.tolist() == [1, 1, 0]
    assert shown.names == ("mrr", "recall@2")
    other = MeasureCorrelationDisplay.from_evaluation(evaluation, "mrr", "precision@1")
    assert other.y.tolist() == [1, 0, 0]
    constant = MeasureCorrelationDisplay(x=[1, 1], y=[0, 1])
    assert np.isnan([constant.tau, constant.r]).all()
