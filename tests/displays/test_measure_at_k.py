"""A measure against k: the curves, their bands, and where the names of the systems stand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import MeasureAtKDisplay, evaluate

TRUTH = {"q1": {"a", "b"}, "q2": {"c"}}
FIRST = {"q1": ["a", "x", "b"], "q2": ["y", "c"]}
SECOND = {"q1": ["x", "a", "b"], "q2": ["c", "y"]}


def test_curves_by_hand():
    evaluations = {
        name: evaluate(TRUTH, run, "map") for name, run in (("first", FIRST), ("second", SECOND))
    }
    shown = MeasureAtKDisplay.from_evaluation(evaluations, "recall", k=3)
    first, second = shown.lines_
    assert first.get_xdata().tolist() == [1, 2, 3]
    assert first.get_ydata() == pytest.approx([(1 / 2 + 0) / 2, (1 / 2 + 1) / 2, (1 + 1) / 2])
    assert second.get_ydata() == pytest.approx([(0 + 1) / 2, (1 / 2 + 1) / 2, (1 + 1) / 2])
    assert [text.get_text() for text in shown.ax_.texts] == ["first", "second"]
    assert shown.ax_.get_ylabel() == "recall@k\n(mean, 95% interval)"
    assert shown.ax_.get_xticks().tolist() == [1, 2, 3]


def test_bands_are_the_intervals_of_evaluations():
    evaluation = evaluate(TRUTH, FIRST, ("recall@1", "recall@2"))
    shown = MeasureAtKDisplay.from_evaluation(evaluation, "recall", k=2, level=0.9)
    expected = [evaluation.confidence_interval(f"recall@{k}", 0.9) for k in (1, 2)]
    assert shown.intervals[0].tolist() == [list(pair) for pair in expected]
    (band,) = shown.bands_
    corners = {tuple(point) for point in band.get_paths()[0].vertices.round(9).tolist()}
    for k, (low, high) in zip((1, 2), expected, strict=True):
        assert {(k, round(low, 9)), (k, round(high, 9))} <= corners
    assert not shown.ax_.texts


def test_cutoffs_below_those_that_were_read():
    """Rankings are read to the largest cutoff alone, and ranked anew where a picture goes on."""
    truth = np.array([[1, 0, 0, 1, 1], [0, 0, 1, 0, 1]])
    scores = np.array([[5, 4, 3, 2, 1], [1, 2, 3, 4, 5]])
    shallow = evaluate(truth, scores, "recall@1")
    shown = MeasureAtKDisplay.from_evaluation(shallow, "recall", k=5)
    whole = evaluate(truth, scores, [f"recall@{k}" for k in range(1, 6)])
    assert shown.values[0].tolist() == list(whole.scores.values())


def test_parameters_are_those_of_the_evaluation():
    truth, run = {"q": {"a": 1, "b": 3}}, {"q": ["a", "x", "b"]}
    convention = evaluate(truth, run, "ndcg_cut_10", convention="trec_eval")
    shown = MeasureAtKDisplay.from_evaluation(convention, "ndcg", k=[10])
    assert shown.values[0].tolist() == [convention["ndcg_cut_10"]]
    assert shown.values[0][0] != evaluate(truth, run, "ndcg@10")["ndcg@10"]


def test_predictions_and_estimators():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(8), 5)
    y = np.tile([1, 0, 2, 0, 0], 8)
    X = rng.normal(size=(40, 2)) + y[:, np.newaxis]
    model = Ridge().fit(X, y)
    drawn = MeasureAtKDisplay.from_estimator(model, X, y, "ndcg(gain=linear)", groups=qid, k=[1, 5])
    given = MeasureAtKDisplay.from_predictions(
        y, model.predict(X), "ndcg(gain=linear)", groups=qid, k=[1, 5], name="Ridge"
    )
    assert drawn.values[0].tolist() == given.values[0].tolist()
    assert [text.get_text() for text in drawn.ax_.texts] == ["Ridge"]
    assert given.ax_.get_ylabel() == "ndcg(gain=linear)@k\n(mean, 95% interval)"


def test_distant_cutoffs_are_spread_by_their_logarithms():
    display = MeasureAtKDisplay(k=[1, 5, 10, 100, 1000], values=[[0.1, 0.2, 0.3, 0.4, 0.5]])
    ax = display.plot().ax_
    assert ax.get_xscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "5", "10", "100", "1,000"]
    assert display.plot().ax_.get_ylabel() == "measure"
