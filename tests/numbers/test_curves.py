"""Curves over all thresholds, against scikit-learn's on the flattened data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_curve

from sklearn_rank import (
    InvalidParameterError,
    RankingConfigError,
    UndefinedMetricError,
    UndefinedMetricWarning,
    group_auc_score,
    ranking_auc_score,
    ranking_precision_recall_curve,
    ranking_roc_curve,
)

CURVES = [ranking_roc_curve, ranking_precision_recall_curve]


def drawn(seed, *, ties, infinities):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 12, 200)
    scores = rng.integers(0, 15, 200).astype(float) if ties else rng.normal(size=200)
    if infinities:
        scores[rng.integers(0, 200, 20)] = np.inf
        scores[rng.integers(0, 200, 20)] = -np.inf
    grades = np.maximum(rng.integers(-3, 3, 200), 0)
    return grades, scores, groups


DATA = pytest.mark.parametrize(
    ("seed", "ties", "infinities"),
    [(0, False, False), (1, True, False), (2, False, True), (3, True, True)],
    ids=["plain", "ties", "infinities", "ties and infinities"],
)


def finite(scores):
    """The same order without infinities, which scikit-learn refuses; and the way back."""
    levels = np.unique(scores)
    codes = np.searchsorted(levels, scores).astype(float)
    return codes, lambda found: np.append(levels, np.inf)[
        np.where(np.isinf(found), len(levels), found).astype(int)
    ]


@DATA
def test_pooled_roc_curve_is_scikit_learns(seed, ties, infinities):
    grades, scores, groups = drawn(seed, ties=ties, infinities=infinities)
    codes, back = finite(scores)
    fpr, tpr, thresholds = roc_curve(grades > 0, codes, drop_intermediate=False)
    found = ranking_roc_curve(grades, scores, groups=groups)
    np.testing.assert_allclose(found[0], fpr, rtol=1e-15)
    np.testing.assert_allclose(found[1], tpr, rtol=1e-15)
    np.testing.assert_array_equal(found[2], back(thresholds))


@DATA
def test_pooled_precision_recall_curve_is_scikit_learns(seed, ties, infinities):
    grades, scores, groups = drawn(seed, ties=ties, infinities=infinities)
    codes, back = finite(scores)
    precision, recall, thresholds = precision_recall_curve(grades > 0, codes)
    found = ranking_precision_recall_curve(grades, scores, groups=groups)
    np.testing.assert_allclose(found[0], precision, rtol=1e-15)
    np.testing.assert_allclose(found[1], recall, rtol=1e-15)
    np.testing.assert_array_equal(found[2], back(thresholds))


@DATA
def test_area_under_the_macro_curve_is_the_group_auc(seed, ties, infinities):
    grades, scores, groups = drawn(seed, ties=ties, infinities=infinities)
    fpr, tpr, thresholds = ranking_roc_curve(grades, scores, groups=groups, average="macro")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        macro = group_auc_score(grades, scores, groups=groups)
    assert auc(fpr, tpr) == pytest.approx(macro, rel=1e-13)
    assert np.isnan(thresholds).all()
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, pytest.approx(tpr[0]), 1, 1)


def test_curves_by_hand():
    # Falling scores: relevant (a), irrelevant (b), relevant (a); the last two are tied.
    grades, scores, groups = [1, 0, 1], [2, 1, 1], ["a", "b", "a"]
    fpr, tpr, thresholds = ranking_roc_curve(grades, scores, groups=groups)
    assert fpr.tolist() == [0, 0, 1]
    assert tpr.tolist() == [0, 1 / 2, 1]
    assert thresholds.tolist() == [np.inf, 2, 1]
    precision, recall, thresholds = ranking_precision_recall_curve(grades, scores, groups=groups)
    assert precision.tolist() == [2 / 3, 1, 1]
    assert recall.tolist() == [1, 1 / 2, 0]
    assert thresholds.tolist() == [1, 2]


def test_macro_roc_curve_by_hand():
    # One query perfect, one reversed: the mean jumps to 1/2 at 0 and to 1 at 1.
    pair = np.array([[1, 0], [0, 1]]), np.array([[2, 1], [2, 1]])
    fpr, tpr, _ = ranking_roc_curve(*pair, average="macro")
    assert fpr.tolist() == [0, 0, 1, 1]
    assert tpr.tolist() == [0, 1 / 2, 1 / 2, 1]


def test_macro_precision_recall_curve_by_hand():
    # Perfect: precision 1 at every recall. Reversed: 1/2 at every recall.
    pair = np.array([[1, 0], [0, 1]]), np.array([[2, 1], [2, 1]])
    precision, recall, thresholds = ranking_precision_recall_curve(*pair, average="macro")
    np.testing.assert_allclose(precision, [3 / 4] * 101 + [1], rtol=1e-15)
    np.testing.assert_allclose(recall, [*np.linspace(1, 0, 101), 0], atol=1e-15)
    assert len(thresholds) == len(precision) - 1
    assert np.isnan(thresholds).all()


def test_relevant_items_that_were_not_retrieved_stand_below_all():
    truth, run = [{"a", "z"}], [{"a": 2, "b": 1}]
    fpr, tpr, thresholds = ranking_roc_curve(truth, run)
    assert fpr.tolist() == [0, 0, 1, 1]
    assert tpr.tolist() == [0, 1 / 2, 1 / 2, 1]
    assert thresholds.tolist() == [np.inf, 2, 1, -np.inf]
    assert auc(fpr, tpr) == ranking_auc_score(truth, run, average="pooled") == 1 / 2


def test_recall_never_reaches_what_was_not_retrieved():
    precision, recall, thresholds = ranking_precision_recall_curve([{"a", "z"}], [{"a": 2, "b": 1}])
    assert precision.tolist() == [1 / 2, 1, 1]
    assert recall.tolist() == [1 / 2, 1 / 2, 0]
    assert thresholds.tolist() == [1, 2]


def test_nothing_retrieved_below_infinity_is_told_from_what_was_not():
    fpr, tpr, thresholds = ranking_roc_curve([{"a", "z"}], [{"a": 2, "b": -np.inf}])
    assert fpr.tolist() == [0, 0, 1, 1]
    assert tpr.tolist() == [0, 1 / 2, 1 / 2, 1]
    assert thresholds.tolist() == [np.inf, 2, -np.inf, -np.inf]
    precision, _, thresholds = ranking_precision_recall_curve(
        [{"a", "z"}], [{"a": 2, "b": -np.inf}]
    )
    assert precision.tolist() == [1 / 2, 1, 1]
    assert thresholds.tolist() == [-np.inf, 2]


def test_only_items_that_were_not_retrieved():
    fpr, tpr, _ = ranking_roc_curve([{"z"}], [{"a": 2, "b": 1}])
    assert fpr.tolist() == [0, 1 / 2, 1, 1]
    assert tpr.tolist() == [0, 0, 0, 1]
    precision, recall, _ = ranking_precision_recall_curve([{"z"}], [{"a": 2, "b": 1}])
    assert precision.tolist() == [0, 0, 1]
    assert recall.tolist() == [0, 0, 0]


@pytest.mark.parametrize("average", ["pooled", "macro"])
def test_empty_ranking_has_no_precision(average):
    precision, recall, _ = ranking_precision_recall_curve([{"z"}], [{}], average=average)
    assert recall[-1] == 0
    assert precision[-1] == 1
    assert not precision[:-1].any()


def test_missed_items_of_one_shared_truth_stand_below_all():
    truth, rankings, scores = {"1-a", "2-z"}, [["1-a", "1-b"], ["2-c"]], [[3, 2], [1]]
    fpr, tpr, _ = ranking_roc_curve(truth, rankings, relevance=scores)
    assert fpr.tolist() == [0, 0, 1 / 2, 1, 1]
    assert tpr.tolist() == [0, 1 / 2, 1 / 2, 1 / 2, 1]
    pooled = ranking_auc_score(truth, rankings, relevance=scores, average="pooled")
    assert auc(fpr, tpr) == pooled == 1 / 2


def test_relevance_gives_the_thresholds():
    pair = [{"a"}, {"c"}], [["a", "b"], ["d", "c"]]
    fpr, tpr, thresholds = ranking_roc_curve(*pair, relevance=[[0.9, 0.1], [0.8, 0.5]])
    assert fpr.tolist() == [0, 0, 1 / 2, 1 / 2, 1]
    assert tpr.tolist() == [0, 1 / 2, 1 / 2, 1, 1]
    assert thresholds.tolist() == [np.inf, 0.9, 0.8, 0.5, 0.1]


def test_area_of_precision_recall_is_average_precision():
    grades, scores, groups = drawn(4, ties=True, infinities=False)
    precision, recall, _ = ranking_precision_recall_curve(grades, scores, groups=groups)
    area = -(np.diff(recall) * precision[:-1]).sum()
    assert area == pytest.approx(average_precision_score(grades > 0, scores), rel=1e-13)


@pytest.mark.parametrize("curve", CURVES)
def test_layouts_agree(curve):
    grades = np.array([[1, 0, 0], [0, 0, 1]])
    scores = np.array([[0.9, 0.5, 0.5], [0.8, 0.5, 0.1]])
    names = "abc"
    truth = [{name for name, grade in zip(names, row, strict=True) if grade} for row in grades]
    run = [dict(zip(names, row, strict=True)) for row in scores.tolist()]
    wanted = curve(grades, scores)
    found = [
        curve(grades.ravel(), scores.ravel(), groups=[0, 0, 0, 1, 1, 1]),
        curve(truth, run),
        curve(dict(enumerate(truth)), dict(enumerate(run))),
        curve(truth, [list(one) for one in run], relevance=scores.tolist()),
    ]
    for one in found:
        for left, right in zip(wanted, one, strict=True):
            np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("average", ["pooled", "macro"])
def test_nothing_relevant_is_an_error(curve, average):
    with pytest.raises(UndefinedMetricError, match=r"curve needs a relevant"):
        curve([0, 0], [1, 2], groups=[1, 1], average=average)


@pytest.mark.parametrize("average", ["pooled", "macro"])
def test_nothing_irrelevant_is_an_error_of_the_roc_curve_alone(average):
    with pytest.raises(
        UndefinedMetricError, match=r"^the ROC curve needs a relevant and an irrelevant item$"
    ):
        ranking_roc_curve([1, 1], [1, 2], groups=[1, 1], average=average)
    precision, _, _ = ranking_precision_recall_curve([1, 1], [1, 2], groups=[1, 1], average=average)
    assert (precision == 1).all()


@pytest.mark.parametrize("curve", CURVES)
def test_refusals(curve):
    with pytest.raises(
        InvalidParameterError,
        match=rf"The 'average' parameter of {curve.__name__} must be one of 'pooled', 'macro'",
    ):
        curve([1, 0], [1, 2], groups=[1, 1], average="micro")
    with pytest.raises(InvalidParameterError, match=r"ranked lists carry no scores that compare"):
        curve([{"a"}], [["a", "b"]])
    with pytest.raises(RankingConfigError, match="the rows layout needs groups"):
        curve([1, 0], [1, 2])
    with pytest.raises(ValueError, match="y_score contains NaN at row 1 of query 1"):
        curve([1, 0], [1, np.nan], groups=[1, 1])
    with pytest.raises(ValueError, match="y_true contains a negative grade"):
        curve([1, -1], [1, 2], groups=[1, 1])
    with pytest.raises(TypeError, match=r"are y_true and y_score swapped\?"):
        curve([["a", "b"]], [{"a"}])


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("average", ["pooled", "macro"])
def test_curves_are_arrays_of_float64_and_leave_inputs_alone(curve, average):
    grades, scores, groups = drawn(6, ties=True, infinities=True)
    before = grades.tobytes(), scores.tobytes(), groups.tobytes()
    for array in (grades, scores, groups):
        array.setflags(write=False)
    found = curve(grades, scores, groups=groups, average=average)
    assert all(type(one) is np.ndarray and one.dtype == np.float64 for one in found)
    assert (grades.tobytes(), scores.tobytes(), groups.tobytes()) == before
