"""Lines of systems: a measure at k, ROC, precision against recall; names and styles."""

import io
import subprocess
import sys
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge

from sklearn_rank import (
    MeasureAtKDisplay,
    RankingDataWarning,
    RankingPrecisionRecallCurveDisplay,
    RankingRocCurveDisplay,
    UndefinedMetricError,
    UndefinedMetricWarning,
    compare,
    evaluate,
    ranking_precision_recall_curve,
    ranking_roc_curve,
)
from sklearn_rank.statistics.means import mean_interval
from sklearn_rank.view.lines import line_style, shown_name

HOSTILE = "</svg><script>$a_1$ & 'b'\x1b[31m\u202e"
TRUTH = [{"a", "b"}, {"c"}]
LISTS = [["a", "x", "b"], ["y", "c"]]


def named(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_undefined_queries_count_as_told():
    truth, lists = [{"a"}, set()], [["a"], ["b"]]
    with pytest.warns(UndefinedMetricWarning) as caught:
        shown = MeasureAtKDisplay.from_predictions(truth, lists, "recall", k=10)
    assert [str(one.message) for one in caught] == [
        "recall@10 is undefined for 1 of 2 queries: 1; they are left out. "
        "Use the zero_division parameter to control this behavior."
    ]
    assert caught[0].filename == __file__
    assert shown.values[0].tolist() == [1.0] * 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        left_out, as_zero = (
            MeasureAtKDisplay.from_predictions(truth, lists, "recall", k=1, zero_division=value)
            for value in (np.nan, 0.0)
        )
    assert left_out.values[0].tolist() == [1.0]
    assert as_zero.values[0].tolist() == [(1 + 0) / 2]
    with pytest.raises(UndefinedMetricError, match="is undefined for 1 of 2 queries"):
        MeasureAtKDisplay.from_predictions(truth, lists, "recall", k=1, zero_division="raise")


def test_styles():
    display = MeasureAtKDisplay(k=[1], values=[[1], [0.5]])
    shown = display.plot(curve_kwargs={"color": "red"})
    assert [line.get_color() for line in shown.lines_] == ["red", "red"]
    assert shown.ax_.get_legend() is None
    again = display.plot(
        shown.ax_, names=["p", "q"], curve_kwargs=[{"color": "green"}, {"color": "blue"}]
    )
    assert [line.get_color() for line in again.lines_] == ["green", "blue"]
    assert again.ax_ is shown.ax_


def test_colours_and_settings_are_those_of_the_user():
    display = RankingRocCurveDisplay(fpr=[[0, 1]] * 2, tpr=[[0, 1]] * 2, names=["a", "_b"])
    for style in ("dark_background", "ggplot"):
        with plt.style.context(style):
            before = dict(mpl.rcParams)
            shown = display.plot()
            assert dict(mpl.rcParams) == before
            colours = [of["color"] for of in mpl.rcParams["axes.prop_cycle"]]
            assert [line.get_color() for line in shown.lines_] == colours[:2]
            assert shown.figure_.get_facecolor() == mpl.colors.to_rgba(before["figure.facecolor"])
            assert shown.chance_level_.get_color() == before["axes.labelcolor"]
    assert [name[-2:] for name in named(shown)] == ["a", "_b"]
    looks = [(str(style["linestyle"]), style["marker"]) for style in map(line_style, range(28))]
    assert len(set(looks)) == 28, "systems differ without colour"


def test_names_are_printable_and_short():
    assert shown_name("a\nb\x1b") == "a\\x0ab\\x1b"
    assert shown_name(17) == "17"
    assert len(shown_name("x" * 200)) == 28
    assert shown_name("x" * 28) == "x" * 28
    # Models of one maker differ at their ends.
    assert shown_name("sentence-transformers/all-MiniLM-L6-v2") == "sentence-…s/all-MiniLM-L6-v2"
    stream = io.BytesIO()
    shown = MeasureAtKDisplay(k=[1], values=[[1]], names=[HOSTILE]).plot()
    shown.figure_.savefig(stream, format="svg")
    assert b"<script" not in stream.getvalue()


def test_matplotlib_is_asked_for_when_plotting():
    code = """
import sys
sys.modules["matplotlib"] = sys.modules["matplotlib.pyplot"] = None
from sklearn_rank import MeasureAtKDisplay
display = MeasureAtKDisplay(values=[[1]], k=[1])
try:
    display.plot()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "MeasureAtKDisplay.plot requires matplotlib. You can install matplotlib with "
        "`pip install matplotlib`"
    )


# A measure at k ----------------------------------------------------------------------------------

JUDGED = {"q1": {"a", "b"}, "q2": {"c"}}
FIRST_RUN = {"q1": ["a", "x", "b"], "q2": ["y", "c"]}
SECOND_RUN = {"q1": ["x", "a", "b"], "q2": ["c", "y"]}


def test_curves_by_hand():
    evaluations = {
        name: evaluate(JUDGED, run, "map")
        for name, run in (("first", FIRST_RUN), ("second", SECOND_RUN))
    }
    shown = MeasureAtKDisplay.from_evaluation(evaluations, "recall", k=3)
    first, second = shown.lines_
    assert first.get_xdata().tolist() == [1, 2, 3]
    assert first.get_ydata() == pytest.approx([(1 / 2 + 0) / 2, (1 / 2 + 1) / 2, (1 + 1) / 2])
    assert second.get_ydata() == pytest.approx([(0 + 1) / 2, (1 / 2 + 1) / 2, (1 + 1) / 2])
    assert named(shown) == ["first", "second"]
    assert shown.ax_.get_ylabel() == "R@k\n(mean, 95% interval)"
    assert all(tick == int(tick) for tick in shown.ax_.get_xticks())


def test_bands_are_the_intervals_of_evaluations():
    evaluation = evaluate(JUDGED, FIRST_RUN, ("recall@1", "recall@2"))
    shown = MeasureAtKDisplay.from_evaluation(evaluation, "recall", k=2, confidence_level=0.9)
    expected = [evaluation.confidence_interval(f"recall@{k}", 0.9) for k in (1, 2)]
    assert shown.intervals[0].tolist() == [list(pair) for pair in expected]
    (band,) = shown.bands_
    corners = {tuple(point) for point in band.get_paths()[0].vertices.round(9).tolist()}
    for k, (low, high) in zip((1, 2), expected, strict=True):
        assert {(k, round(low, 9)), (k, round(high, 9))} <= corners
    assert shown.ax_.get_legend() is None


def test_parameters_are_those_of_the_evaluation():
    truth, run = {"q": {"a": 1, "b": 3}}, {"q": ["a", "x", "b"]}
    convention = evaluate(truth, run, "ndcg_cut_10", convention="trec_eval")
    shown = MeasureAtKDisplay.from_evaluation(convention, "ndcg", k=[10])
    assert shown.values[0].tolist() == [convention["ndcg_cut_10"]]
    assert shown.values[0][0] != evaluate(truth, run, "ndcg@10")["ndcg@10"]


def test_predictions_and_estimators():
    class Retriever(BaseEstimator):
        def predict(self, queries):
            return [LISTS[query] for query in queries]

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
    assert named(drawn) == ["Ridge"]
    assert given.ax_.get_ylabel() == "nDCG(gain=linear)@k\n(mean, 95% interval)"
    for truth, options in ((TRUTH, {}), ([{"A", "B"}, {"C"}], {"string_provider": str.upper})):
        shown = MeasureAtKDisplay.from_estimator(
            Retriever(), [0, 1], truth, "precision", k=1, **options
        )
        assert shown.values[0].tolist() == [1 / 2]


@pytest.mark.parametrize(
    ("k", "scale", "ticks"),
    [
        ([1, 5, 10, 100, 1000], "log", ["1", "5", "10", "100", "1,000"]),
        ([2**power for power in range(12)], "log", ["1", "2,048"]),
    ],
)
def test_few_cutoffs_are_ticked_and_distant_ones_by_their_logarithms(k, scale, ticks):
    ax = MeasureAtKDisplay(k=k, values=[np.linspace(0, 1, len(k))]).plot().ax_
    assert ax.get_xscale() == scale
    assert [label.get_text() for label in ax.get_xticklabels()] == ticks
    assert ax.get_ylabel() == "measure"


# ROC and precision-recall curves: points by hand, bands, areas, names -----------------------------

Y, SCORE, QID = [1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1], list("aaabbb")
# By query: relevant, irrelevant, relevant; irrelevant, irrelevant, relevant.


def test_pooled_roc_is_the_curve_of_the_function():
    shown = RankingRocCurveDisplay.from_predictions(Y, SCORE, groups=QID, name="seed")
    fpr, tpr, _ = ranking_roc_curve(Y, SCORE, groups=QID)
    (line,) = shown.lines_
    assert line.get_xydata().tolist() == np.stack((fpr, tpr), axis=1).tolist()
    # Of 3 x 3 pairs: a1 above all 3, a3 above 2, b3 above none.
    assert shown.areas == [pytest.approx((3 + 2 + 0) / 9)]
    assert not shown.bands_
    assert named(shown) == ["seed (pooled AUC 0.556)"]
    assert shown.chance_level_.get_xydata().tolist() == [[0, 0], [1, 1]]
    both = {"up": SCORE, "down": SCORE[::-1]}
    two = RankingRocCurveDisplay.from_evaluation(
        {name: evaluate(Y, scores, "map", groups=QID) for name, scores in both.items()}
    )
    assert named(two) == ["up (pooled AUC 0.556)", "down (pooled AUC 0.444)"]


@pytest.mark.parametrize("average", ["pooled", "macro"])
def test_the_roc_curve_of_cut_rankings_is_doubted_once(average):
    truth = {query: {"a", "b"} for query in range(12)}
    runs = {name: {query: {"a": 3, "x": 2, "y": 1} for query in truth} for name in ("old", "new")}
    compared = compare(truth, runs, "map")
    with pytest.warns(RankingDataWarning, match="stops at 3 items .* the ROC curve") as caught:
        compared.plot("roc", average=average)
    assert len(caught) == 1
    with pytest.warns(RankingDataWarning, match="stops at 3 items .* the ROC curve"):
        ranking_roc_curve(truth, runs["old"], average=average)
    whole = {query: {"a": 3, "x": 2, "b": 1} for query in truth}
    RankingRocCurveDisplay.from_predictions(truth, whole, average=average)
    compared.plot("precision_recall", average=average)


def test_averaged_roc_by_hand():
    evaluation = evaluate(Y, SCORE, "map", groups=QID)
    shown = RankingRocCurveDisplay.from_evaluation(
        evaluation, average="macro", confidence_level=0.9
    )
    # a: 1/2 at rate 0, up to 1 at rate 1; b: 0 until rate 1.
    assert shown.fpr[0][:2].tolist() == [0, 0]
    heights = dict(zip(shown.fpr[0][1:].tolist(), shown.tpr[0][1:].tolist(), strict=True))
    assert heights[0.0] == (1 / 2 + 0) / 2
    assert heights[0.5] == (1 / 2 + 0) / 2
    assert heights[1.0] == 1.0
    # One of two pairs is right in a, none in b.
    assert shown.areas == [(1 / 2 + 0) / 2]
    (band,) = shown.bands_
    low, high = mean_interval(np.array([1 / 2, 0]), None, (0, 1), 0.9)
    corners = {tuple(point) for point in band.get_paths()[0].vertices.tolist()}
    assert {(0.5, low), (0.5, high), (1.0, 1.0)} <= corners


def test_averaged_precision_by_hand():
    shown = RankingPrecisionRecallCurveDisplay.from_predictions(
        Y, SCORE, groups=QID, average="macro", name="seed"
    )
    # a: 1 to recall 1/2, then 2/3; b: 1/3.
    at = dict(zip(shown.recall[0].tolist(), shown.precision[0].tolist(), strict=True))
    assert at[0.5] == pytest.approx((1 + 1 / 3) / 2)
    assert at[0.51] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert named(shown) == ["seed"]
    precision, recall, _ = ranking_precision_recall_curve(Y, SCORE, groups=QID, average="macro")
    assert shown.recall[0].tolist() == recall[:-1][::-1].tolist()
    assert shown.precision[0].tolist() == pytest.approx(precision[:-1][::-1].tolist())


def test_pooled_precision_ends_where_all_items_are_read():
    shown = RankingPrecisionRecallCurveDisplay.from_predictions(Y, SCORE, groups=QID)
    # Ranks: relevant, no, relevant, no, no, relevant.
    assert shown.recall[0].tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 1])
    assert shown.precision[0].tolist() == pytest.approx([1, 1 / 2, 2 / 3, 2 / 4, 2 / 5, 3 / 6])


def test_recalls_of_hundredths_are_met():
    """3 of 20 relevant items are a recall of 0.15, at which precision counts and above not."""
    lists = [[f"r{n}" for n in range(3)] + [f"x{n}" for n in range(97)]]
    truth = [{f"r{n}" for n in range(20)}]
    shown = RankingPrecisionRecallCurveDisplay.from_predictions(truth, lists, average="macro")
    at = dict(zip(shown.recall[0].round(2).tolist(), shown.precision[0].tolist(), strict=True))
    assert at[0.15] == 1.0
    assert at[0.16] == 0.0


def test_weights_of_queries_count():
    weighted = evaluate(Y, SCORE, "map", groups=QID, sample_weight=[3] * 3 + [1] * 3)
    shown = RankingRocCurveDisplay.from_evaluation(weighted, average="macro")
    assert shown.areas == [pytest.approx((3 * 1 / 2 + 1 * 0) / 4)]
