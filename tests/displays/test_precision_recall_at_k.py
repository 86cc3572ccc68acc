"""Pictures: what is drawn, and what is refused. Needs Matplotlib, which the extra ``test`` has."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GroupKFold,
    cross_validate,
)

from sklearn_rank import (
    PrecisionRecallAtKDisplay,
    RankingConfigError,
    UndefinedMetricError,
    UndefinedMetricWarning,
)

TRUTH = [{"a", "b"}, {"c"}]
LISTS = [["a", "x", "b"], ["y", "c"]]


def rows():
    rng = np.random.default_rng(0)
    qid = np.repeat([f"q{number}" for number in range(9)], 5)
    y = np.tile([1, 0, 1, 0, 0], 9)
    X = rng.normal(size=(45, 2)) + y[:, np.newaxis]
    mixed = rng.permutation(45)
    return X[mixed], y[mixed], qid[mixed]


def test_curve_by_hand():
    shown = PrecisionRecallAtKDisplay.from_predictions(TRUTH, LISTS, k=3, name="seed")
    # Hits at 1 and 3 of two relevant items; a hit at 2 of one.
    precision = [(1 + 0) / 2, (1 / 2 + 1 / 2) / 2, (2 / 3 + 1 / 3) / 2]
    recall = [(1 / 2 + 0) / 2, (1 / 2 + 1) / 2, (1 + 1) / 2]
    (line,) = shown.lines_
    assert line.get_ydata() == pytest.approx(precision)
    assert line.get_xdata() == pytest.approx(recall)
    assert shown.k.tolist() == [1, 2, 3]
    assert shown.ax_.get_xlabel() == "Mean recall at k"
    assert shown.ax_.get_ylabel() == "Mean precision at k"
    assert sorted(text.get_text() for text in shown.ax_.texts) == ["k = 1", "k = 3", "seed"]
    assert shown.figure_ is shown.ax_.figure


def test_curves_of_folds():
    X, y, qid = rows()
    found = cross_validate(
        Ridge(),
        X,
        y,
        cv=GroupKFold(3),
        groups=qid,
        scoring="r2",
        return_estimator=True,
        return_indices=True,
    )
    shown = PrecisionRecallAtKDisplay.from_cv_results(found, X, y, groups=qid, k=4)
    assert len(shown.lines_) == 3
    assert [line.get_label() for line in shown.lines_] == ["Fold 0", "Fold 1", "Fold 2"]
    for fold, (estimator, test) in enumerate(
        zip(found["estimator"], found["indices"]["test"], strict=True)
    ):
        one = PrecisionRecallAtKDisplay.from_estimator(
            estimator, X[test], y[test], groups=qid[test], k=4
        )
        assert one.precision[0].tolist() == shown.precision[fold].tolist()
        assert one.recall[0].tolist() == shown.recall[fold].tolist()
        assert [line.get_label() for line in one.lines_] == ["Ridge"]


def test_query_ids_may_travel_in_the_data():
    X, y, qid = rows()
    frame = pd.DataFrame(X, columns=["a", "b"], index=pd.Index(qid, name="qid"))
    model = Ridge().fit(X, y)
    plain = PrecisionRecallAtKDisplay.from_estimator(model, X, y, groups=qid)
    carried = PrecisionRecallAtKDisplay.from_estimator(Ridge().fit(frame, y), frame, y)
    assert carried.precision[0] == pytest.approx(plain.precision[0], abs=1e-12)
    with pytest.raises(RankingConfigError, match="PrecisionRecallAtKDisplay needs the query id"):
        PrecisionRecallAtKDisplay.from_estimator(model, X, y)


def test_rankings_of_retrievers():
    class Retriever(BaseEstimator):
        def predict(self, queries):
            return [LISTS[query] for query in queries]

    shown = PrecisionRecallAtKDisplay.from_estimator(Retriever(), [0, 1], TRUTH, k=1)
    assert shown.precision[0].tolist() == [1 / 2]
    upper = PrecisionRecallAtKDisplay.from_estimator(
        Retriever(), [0, 1], [{"A", "B"}, {"C"}], k=1, string_provider=str.upper
    )
    assert upper.precision[0].tolist() == [1 / 2]


def fold_without_relevant():
    """Results of two folds of four queries; two and one of which have nothing relevant."""
    y = np.array([1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1])
    qid = np.repeat(list("abcdefgh"), 2)
    X = np.arange(16.0)[:, np.newaxis]
    halves = np.arange(8), np.arange(8, 16)
    models = [Ridge().fit(X[one], y[one]) for one in halves[::-1]]
    return {"estimator": models, "indices": {"test": list(halves)}}, X, y, qid


def test_undefined_queries_give_one_warning_per_curve():
    with pytest.warns(UndefinedMetricWarning) as caught:
        shown = PrecisionRecallAtKDisplay.from_predictions([{"a"}, set()], [["a"], ["b"]], k=10)
    assert [str(one.message) for one in caught] == [
        "precision or recall is undefined for 1 of 2 queries: 1; they are left out. "
        "Use the zero_division parameter to control this behavior."
    ]
    assert caught[0].filename == __file__
    assert shown.recall[0].tolist() == [1.0] * 10
    results, X, y, qid = fold_without_relevant()
    with pytest.warns(UndefinedMetricWarning) as caught:
        PrecisionRecallAtKDisplay.from_cv_results(results, X, y, groups=qid, k=3)
    assert [str(one.message).partition(";")[0] for one in caught] == [
        "precision or recall is undefined for 2 of 4 queries: 'b', 'c'",
        "precision or recall is undefined for 1 of 4 queries: 'g'",
    ]


def test_undefined_queries_count_as_told():
    truth, lists = [{"a"}, set()], [["a"], ["b"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        left_out, as_zero = (
            PrecisionRecallAtKDisplay.from_predictions(truth, lists, k=1, zero_division=value)
            for value in (np.nan, 0.0)
        )
    assert left_out.recall[0].tolist() == [1.0]
    assert as_zero.recall[0].tolist() == [(1 + 0) / 2]
    with pytest.raises(UndefinedMetricError, match="is undefined for 1 of 2 queries"):
        PrecisionRecallAtKDisplay.from_predictions(truth, lists, k=1, zero_division="raise")


def test_styles():
    display = PrecisionRecallAtKDisplay(precision=[[1], [0.5]], recall=[[1], [0.5]], k=[1])
    shown = display.plot(curve_kwargs={"color": "red"})
    assert [line.get_color() for line in shown.lines_] == ["red", "red"]
    assert shown.ax_.get_legend() is None
    again = display.plot(
        shown.ax_, names=["p", "q"], curve_kwargs=[{"color": "green"}, {"color": "blue"}]
    )
    assert [line.get_color() for line in again.lines_] == ["green", "blue"]
    assert again.ax_ is shown.ax_
    with pytest.raises(
        ValueError, match="curve_kwargs must be None, a dictionary or a list of length 2"
    ):
        display.plot(curve_kwargs=[{"color": "green"}])


def test_matplotlib_is_asked_for_when_plotting():
    code = """
import sys
sys.modules["matplotlib"] = sys.modules["matplotlib.pyplot"] = None
from sklearn_rank import PrecisionRecallAtKDisplay
display = PrecisionRecallAtKDisplay(precision=[[1]], recall=[[1]], k=[1])
try:
    display.plot()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "PrecisionRecallAtKDisplay.plot requires matplotlib. You can install matplotlib with "
        "`pip install matplotlib`"
    )


@pytest.mark.parametrize(("precision", "recall"), [((1, 0.9), (0.5, 1)), ((0, 0), (0, 0))])
def test_no_label_of_a_curve_is_cut_off(precision: tuple, recall: tuple) -> None:
    shown = PrecisionRecallAtKDisplay(precision=[precision], recall=[recall], k=[1, 20]).plot()
    shown.figure_.canvas.draw()
    frame = shown.figure_.bbox
    for text in shown.ax_.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
