"""Curves over all thresholds, against scikit-learn's on the flattened data."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.metrics import auc, precision_recall_curve, roc_curve

from sklearn_rank import (
    InvalidParameterError,
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


@DATA
@pytest.mark.parametrize(
    ("curve", "theirs"),
    [
        (ranking_roc_curve, partial(roc_curve, drop_intermediate=False)),
        (ranking_precision_recall_curve, precision_recall_curve),
    ],
)
def test_pooled_curves_are_those_of_scikit_learn(curve, theirs, seed, ties, infinities):
    grades, scores, groups = drawn(seed, ties=ties, infinities=infinities)
    # The same order without infinities, which scikit-learn refuses; and the way back.
    levels, codes = np.unique(scores, return_inverse=True)
    first, second, thresholds = theirs(grades > 0, codes.astype(float))
    found = curve(grades, scores, groups=groups)
    np.testing.assert_allclose(found[0], first, rtol=1e-15)
    np.testing.assert_allclose(found[1], second, rtol=1e-15)
    places = np.where(np.isinf(thresholds), len(levels), thresholds).astype(int)
    np.testing.assert_array_equal(found[2], np.append(levels, np.inf)[places])


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


# By hand -----------------------------------------------------------------------------------------

# Falling scores: relevant (a), irrelevant (b), relevant (a); the last two are tied.
TIED = ([1, 0, 1], [2, 1, 1]), {"groups": ["a", "b", "a"]}
# One query perfect, one reversed.
TURNED = (np.array([[1, 0], [0, 1]]), np.array([[2, 1], [2, 1]])), {"average": "macro"}
# z was not retrieved.
MISSED = ([{"a", "z"}], [{"a": 2, "b": 1}]), {}
# Nothing retrieved below infinity is told from what was not retrieved.
LOWEST = ([{"a", "z"}], [{"a": 2, "b": -np.inf}]), {}
ONLY_MISSED = ([{"z"}], [{"a": 2, "b": 1}]), {}
RANKINGS, SCORES = [["1-a", "1-b"], ["2-c"]], [[3, 2], [1]]
SHARED = ({"1-a", "2-z"}, RANKINGS), {"relevance": SCORES}
LISTS = ([{"a"}, {"c"}], [["a", "b"], ["d", "c"]]), {"relevance": [[0.9, 0.1], [0.8, 0.5]]}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (TIED, ([0, 0, 1], [0, 1 / 2, 1], [np.inf, 2, 1])),
        # The mean jumps to 1/2 at 0 and to 1 at 1.
        (TURNED, ([0, 0, 1, 1], [0, 1 / 2, 1 / 2, 1], [np.nan] * 4)),
        (MISSED, ([0, 0, 1, 1], [0, 1 / 2, 1 / 2, 1], [np.inf, 2, 1, -np.inf])),
        (LOWEST, ([0, 0, 1, 1], [0, 1 / 2, 1 / 2, 1], [np.inf, 2, -np.inf, -np.inf])),
        (ONLY_MISSED, ([0, 1 / 2, 1, 1], [0, 0, 0, 1], [np.inf, 2, 1, -np.inf])),
        (SHARED, ([0, 0, 1 / 2, 1, 1], [0, *[1 / 2] * 3, 1], [np.inf, 3, 2, 1, -np.inf])),
        (LISTS, ([0, 0, 1 / 2, 1 / 2, 1], [0, 1 / 2, 1 / 2, 1, 1], [np.inf, 0.9, 0.8, 0.5, 0.1])),
    ],
)
def test_roc_curves(given, expected):
    sides, options = given
    found = ranking_roc_curve(*sides, **options)
    for values, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(values, wanted)
    if "average" not in options:
        pooled = ranking_auc_score(*sides, **options, average="pooled")
        assert auc(found[0], found[1]) == pytest.approx(pooled, rel=1e-15)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (TIED, ([2 / 3, 1, 1], [1, 1 / 2, 0], [1, 2])),
        # Perfect: precision 1 at every recall. Reversed: 1/2 at every recall.
        (TURNED, ([*[3 / 4] * 101, 1], [*np.linspace(1, 0, 101), 0], [np.nan] * 101)),
        # Recall never reaches what was not retrieved.
        (MISSED, ([1 / 2, 1, 1], [1 / 2, 1 / 2, 0], [1, 2])),
        (LOWEST, ([1 / 2, 1, 1], [1 / 2, 1 / 2, 0], [-np.inf, 2])),
        (ONLY_MISSED, ([0, 0, 1], [0, 0, 0], [1, 2])),
    ],
)
def test_precision_recall_curves(given, expected):
    found = ranking_precision_recall_curve(*given[0], **given[1])
    for values, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(values, wanted, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("average", ["pooled", "macro"])
def test_empty_ranking_has_no_precision(average):
    precision, recall, _ = ranking_precision_recall_curve([{"z"}], [{}], average=average)
    assert recall[-1] == 0
    assert precision[-1] == 1
    assert not precision[:-1].any()


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


@pytest.mark.parametrize("average", ["pooled", "macro"])
def test_one_class_has_no_curve(average):
    of_one, options = ([1, 1], [1, 2]), {"groups": [1, 1], "average": average}
    for curve in CURVES:
        with pytest.raises(UndefinedMetricError, match=r"curve needs a relevant"):
            curve([0, 0], [1, 2], **options)
    with pytest.raises(
        UndefinedMetricError, match=r"^the ROC curve needs a relevant and an irrelevant item$"
    ):
        ranking_roc_curve(*of_one, **options)
    assert (ranking_precision_recall_curve(*of_one, **options)[0] == 1).all()


@pytest.mark.parametrize("curve", CURVES)
def test_refusals(curve):
    with pytest.raises(
        InvalidParameterError,
        match=rf"The 'average' parameter of {curve.__name__} must be one of 'pooled', 'macro'",
    ):
        curve([1, 0], [1, 2], groups=[1, 1], average="micro")
    with pytest.raises(InvalidParameterError, match=r"ranked lists have no scores comparable"):
        curve([{"a"}], [["a", "b"]])


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
