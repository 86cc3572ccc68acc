"""ROC and precision-recall curves: points by hand, bands, areas, names."""

import numpy as np
import pytest

from sklearn_rank import (
    RankingPrecisionRecallCurveDisplay,
    RankingRocCurveDisplay,
    evaluate,
    ranking_precision_recall_curve,
    ranking_roc_curve,
)
from sklearn_rank.statistics import mean_confidence_interval

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
    (text,) = shown.ax_.get_legend().get_texts()
    assert text.get_text() == "seed (AUC 0.556)"
    assert shown.chance_level_.get_xydata().tolist() == [[0, 0], [1, 1]]


def test_averaged_roc_by_hand():
    evaluation = evaluate(Y, SCORE, "map", groups=QID)
    shown = RankingRocCurveDisplay.from_evaluation(evaluation, average="macro", level=0.9)
    # a: 1/2 at rate 0, up to 1 at rate 1; b: 0 until rate 1.
    assert shown.fpr[0][:2].tolist() == [0, 0]
    heights = dict(zip(shown.fpr[0][1:].tolist(), shown.tpr[0][1:].tolist(), strict=True))
    assert heights[0.0] == (1 / 2 + 0) / 2
    assert heights[0.5] == (1 / 2 + 0) / 2
    assert heights[1.0] == 1.0
    # One of two pairs is right in a, none in b.
    assert shown.areas == [(1 / 2 + 0) / 2]
    (band,) = shown.bands_
    low, high = mean_confidence_interval([1 / 2, 0], bounds=(0, 1), level=0.9)
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
    assert [text.get_text() for text in shown.ax_.texts] == ["seed"]
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


def test_curves_read_below_the_cutoff_of_the_evaluation():
    shallow = evaluate(Y, SCORE, "precision@1", groups=QID)
    deep = evaluate(Y, SCORE, "map", groups=QID)
    for display in (RankingRocCurveDisplay, RankingPrecisionRecallCurveDisplay):
        pictures = [display.from_evaluation(one, average="macro") for one in (shallow, deep)]
        drawn = [picture.lines_[0].get_xydata().tolist() for picture in pictures]
        assert drawn[0] == drawn[1]


def test_weights_of_queries_count():
    weighted = evaluate(Y, SCORE, "map", groups=QID, sample_weight=[3] * 3 + [1] * 3)
    shown = RankingRocCurveDisplay.from_evaluation(weighted, average="macro")
    assert shown.areas == [pytest.approx((3 * 1 / 2 + 1 * 0) / 4)]
