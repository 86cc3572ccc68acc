"""Wrong calls of the displays: the error names the argument, before anything is computed."""

import re

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import (
    ForestDisplay,
    MeasureAtKDisplay,
    PrecisionRecallAtKDisplay,
    QueryDifferencesDisplay,
    RankingConfigError,
    RankingPrecisionRecallCurveDisplay,
    RankingRocCurveDisplay,
    compare,
    evaluate,
)

TRUTH, LISTS = {"q1": {"a"}, "q2": {"b"}}, {"q1": ["a", "x"], "q2": ["x", "b"]}
EV = evaluate(TRUTH, LISTS, "mrr")
PAIR = compare(EV, EV)
ROWS = {"X": [[1.0], [2.0]], "y": [0, 1], "groups": ["a", "a"]}
MODEL = Ridge().fit(ROWS["X"], ROWS["y"])
FOLDS = {"estimator": [MODEL], "indices": {"test": [np.array([0, 1])]}}

ARRAYS = [
    (MeasureAtKDisplay, {"k": [1, 2], "values": [[1]]}, "values holds an array of shape (1,)"),
    (MeasureAtKDisplay, {"k": [1], "values": [[1]], "intervals": [[1]]}, "intervals holds an arr"),
    (MeasureAtKDisplay, {"k": [1], "values": [[1]], "intervals": []}, "intervals must hold 1 arr"),
    (PrecisionRecallAtKDisplay, {"k": [1], "precision": [[1]], "recall": []}, "recall must hold"),
    (
        PrecisionRecallAtKDisplay,
        {"k": [1], "precision": [[1]], "recall": [[1]], "names": "ab"},
        "names is a str; did you mean ['ab']?",
    ),
    (
        PrecisionRecallAtKDisplay,
        {"k": [1], "precision": [[1]], "recall": [[1]], "names": ["a", "b"]},
        "names must hold one label for each curve (1), got 2",
    ),
    (RankingRocCurveDisplay, {"fpr": [[0, 1]], "tpr": [[0]]}, "tpr holds an array of shape (1,)"),
    (RankingRocCurveDisplay, {"fpr": [[0]], "tpr": [[0]], "intervals": [[0]]}, "intervals holds"),
    (RankingRocCurveDisplay, {"fpr": [[0]], "tpr": [[0]], "areas": [1, 2]}, "inconsistent numbers"),
    (
        RankingPrecisionRecallCurveDisplay,
        {"precision": [[0]], "recall": [[0]], "intervals": []},
        "intervals must hold 1 arr",
    ),
    (ForestDisplay, {"rows": ["a"], "values": [[1, 2]], "intervals": [[[0, 1]]]}, "values holds"),
    (ForestDisplay, {"rows": ["a"], "values": [[1]], "intervals": []}, "intervals must hold 1 ar"),
    (QueryDifferencesDisplay, {"differences": [1], "query_ids": []}, "inconsistent numbers"),
]


@pytest.mark.parametrize(("display", "arrays", "message"), ARRAYS)
def test_arrays_of_other_shapes(display, arrays, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        display(**arrays)


EVALUATIONS = [
    (
        MeasureAtKDisplay,
        [1],
        {},
        "takes a result of evaluate, or several as {name: result}, got [1",
    ),
    (MeasureAtKDisplay, {"a": 1}, {}, "or several as {name: result}, got {'a': 1}"),
    (MeasureAtKDisplay, {}, {}, "or several as {name: result}, got {}"),
    (MeasureAtKDisplay, EV, {"measure": "lag"}, "lag reads the whole ranking"),
    (MeasureAtKDisplay, EV, {"k": [2, 1]}, "k must be a number of ranks, or such numbers in risin"),
    (MeasureAtKDisplay, EV, {"k": []}, "k must be a number of ranks"),
    (MeasureAtKDisplay, EV, {"k": 0}, "The 'k' parameter of MeasureAtKDisplay must be an int"),
    (MeasureAtKDisplay, EV, {"k": [1, 2.5]}, "The 'k' parameter of MeasureAtKDisplay"),
    (PrecisionRecallAtKDisplay, EV, {"k": None}, "The 'k' parameter of PrecisionRecallAtKDisplay"),
    (PrecisionRecallAtKDisplay, EV, {"curve_kwargs": [{}, {}]}, "or a list of length 1. Got: [{}"),
    (RankingRocCurveDisplay, EV, {}, "ranks the items of all queries together"),
    (
        RankingRocCurveDisplay,
        EV,
        {"average": "micro"},
        "The 'average' parameter of RankingRocCurve",
    ),
    (ForestDisplay, EV, {"slices": {}}, "slices must be a non-empty mapping or a function"),
]


@pytest.mark.parametrize(("display", "evaluation", "options", "message"), EVALUATIONS)
def test_evaluations_and_options(display, evaluation, options, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        display.from_evaluation(evaluation, **options)


def test_all_queries_lack_a_curve():
    with pytest.raises(ValueError, match="needs a relevant and an irrelevant item"):
        RankingRocCurveDisplay.from_predictions([{"a"}], [["a"]], average="macro")


def test_kinds_systems_and_numbers_of_names():
    with pytest.raises(ValueError, match="The 'kind' parameter of Evaluation"):
        EV.plot("pie")
    with pytest.raises(ValueError, match="The 'kind' parameter of Comparison"):
        PAIR.plot("pie")
    with pytest.raises(ValueError, match=r"no system 'systm'; did you mean 'system'\?"):
        PAIR.plot("differences", system="systm")
    with pytest.raises(ValueError, match="The 'n_named' parameter of QueryDifferencesDisplay"):
        PAIR.plot("differences", n_named=-1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gruops": [1]}, "has no option 'gruops'; did you mean 'groups'?; its options are: grou"),
        ({"tie": "stable"}, "has no option 'tie'; did you mean 'ties'?"),
        ({"k": 0}, "The 'k' parameter of PrecisionRecallAtKDisplay must be an int"),
        (
            {"string_provider": str},
            "string_provider applies to ranked lists and mappings; y_true is",
        ),
        ({"groups": None}, "PrecisionRecallAtKDisplay needs the query id"),
    ],
)
def test_options_of_estimators_and_folds(options, message):
    for make, first in (
        (PrecisionRecallAtKDisplay.from_estimator, MODEL),
        (PrecisionRecallAtKDisplay.from_cv_results, FOLDS),
    ):
        with pytest.raises((ValueError, RankingConfigError), match=re.escape(message)):
            make(first, **{**ROWS, **options})


@pytest.mark.parametrize("results", [{"test_score": [1]}, {"estimator": [], "indices": {}}])
def test_results_of_cross_validation(results):
    with pytest.raises(ValueError, match="return_estimator=True and return_indices=True"):
        PrecisionRecallAtKDisplay.from_cv_results(results, **ROWS)
