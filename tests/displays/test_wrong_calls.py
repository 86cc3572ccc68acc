"""Wrong calls of the displays: the error names the argument, before anything is computed."""

import re

import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import (
    MeasureAtKDisplay,
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

ARRAYS = [
    (MeasureAtKDisplay, {"k": [1, 2], "values": [[1]]}, "values holds an array of shape (1,)"),
    (MeasureAtKDisplay, {"k": [1], "values": [[1]], "intervals": [[1]]}, "intervals holds an arr"),
    (MeasureAtKDisplay, {"k": [1], "values": [[1]], "intervals": []}, "intervals must hold 1 arr"),
    (MeasureAtKDisplay, {"k": [1], "values": [[1]], "names": "ab"}, "a str; did you mean ['ab']?"),
    (
        MeasureAtKDisplay,
        {"k": [1], "values": [[1]], "names": ["a", "b"]},
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
    (MeasureAtKDisplay, EV, {"k": 1, "curve_kwargs": [{}, {}]}, "or a list of length 1. Got: [{}"),
    (RankingRocCurveDisplay, EV, {}, "ranks the items of all queries together"),
    (
        RankingRocCurveDisplay,
        EV,
        {"average": "micro"},
        "The 'average' parameter of RankingRocCurve",
    ),
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
    with pytest.raises(ValueError, match="slices must be a non-empty mapping or a function"):
        EV.plot("forest", slices={})
    with pytest.raises(ValueError, match="The 'k' parameter of PrecisionRecallAtKDisplay must"):
        EV.plot("precision_recall_at_k", k=None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gruops": [1]}, "has no option 'gruops'; did you mean 'groups'?; its options are: grou"),
        ({"tie": "stable"}, "has no option 'tie'; did you mean 'ties'?"),
        ({"k": 0}, "The 'k' parameter of MeasureAtKDisplay must be an int"),
        (
            {"string_provider": str},
            "string_provider applies to ranked lists and mappings; y_true is",
        ),
        ({"groups": None}, "MeasureAtKDisplay needs the query id"),
    ],
)
def test_options_of_estimators(options, message):
    with pytest.raises((ValueError, RankingConfigError), match=re.escape(message)):
        MeasureAtKDisplay.from_estimator(MODEL, **{**ROWS, **options})
