"""Differences of the queries of two systems, and the doors to all displays."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from sklearn_rank import compare, evaluate
from sklearn_rank.view.differences import QueryDifferencesDisplay
from sklearn_rank.view.plot import OF_COMPARISON, OF_EVALUATION

CURVES = ("roc", "precision_recall")
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
    # Names of the best queries stand above, where their bars leave room: left of zero.
    assert [(text.get_ha(), text.get_va()) for text in shown.labels_] == [
        ("left", "top"),
        ("right", "bottom"),
    ]
    assert shown.ax_.get_title(loc="left") == "1 better, 1 equal, 1 worse"
    assert shown.ax_.get_xlabel() == "MRR: new minus old"
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
    assert [text.get_ha() for text in shown.labels_] == ["right", "left"]


def test_many_differences_are_few_rows():
    shown = QueryDifferencesDisplay(
        differences=np.linspace(-1, 1, 20_001), query_ids=range(20_001)
    ).plot(n_named=0)
    assert len(shown.better_.get_paths()[0].vertices) < 5_000
    assert shown.better_.get_paths()[0].get_extents().x1 == 1.0
    assert [label.get_text() for label in shown.labels_] == ["", ""]


def test_the_most_extreme_queries_stand_outermost():
    shown = QueryDifferencesDisplay(differences=[-3, -2, -1, 1, 2, 3], query_ids="abcdef")
    labels = [label.get_text() for label in shown.plot(n_named=2).labels_]
    assert labels == ["f  +3.000\ne  +2.000", "b  −2.000\na  −3.000"]


def test_texts_of_queries_stand_in_place_of_their_ids():
    texts = {"q1": "red shoes", "q2": ""}
    runs = {"old": {"q1": ["a", "x"], "q2": ["x", "b"]}, "new": {"q1": ["x", "a"], "q2": ["b"]}}
    compared = compare({"q1": {"a"}, "q2": {"b"}}, runs, "mrr")
    labels = [label.get_text() for label in compared.plot("changes", query_text=texts).labels_]
    assert labels == ["q2  +0.500", "red shoes  −0.500"]


def test_ids_are_drawn_as_they_are():
    shown = QueryDifferencesDisplay(differences=[1.0], query_ids=["$x$\n<b>"], names=("$a$", "b"))
    shown.plot()
    assert [label.get_text() for label in shown.labels_] == ["$x$\\x0a<b>  +1.000", ""]


@pytest.mark.parametrize("kind", list(OF_COMPARISON))
def test_every_kind_draws_into_the_axes_of_the_caller(kind):
    of_two = evaluations()
    ax = plt.subplots()[1]
    shown = compare(of_two).plot(kind, ax=ax, **{"average": "macro"} if kind in CURVES else {})
    assert (shown.ax_, shown.figure_) == (ax, ax.figure)
    if kind in OF_EVALUATION:
        options = {"average": "macro"} if kind in CURVES else {"k": 3}
        assert isinstance(of_two["old"].plot(kind, **options).ax_, mpl.axes.Axes)
