"""Wrong calls of the displays: the error names the argument, before anything is computed."""

import re

import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import (
    MeasureAtKDisplay,
    RankingRocCurveDisplay,
    compare,
    evaluate,
)

TRUTH, LISTS = {"q1": {"a"}, "q2": {"b"}}, {"q1": ["a", "x"], "q2": ["x", "b"]}
EV = evaluate(TRUTH, LISTS, "mrr")
PAIR = compare(EV, EV)
ROWS = {"X": [[1.0], [2.0]], "y": [0, 1], "groups": ["a", "a"]}
MODEL = Ridge().fit(ROWS["X"], ROWS["y"])

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
    (MeasureAtKDisplay, EV, {"k": [2, 1]}, "k must be a cutoff, or cutoffs in increasing"),
    (MeasureAtKDisplay, EV, {"k": []}, "k must be a cutoff"),
    (MeasureAtKDisplay, EV, {"k": 0}, "The 'k' parameter of MeasureAtKDisplay must be an int"),
    (MeasureAtKDisplay, EV, {"k": [1, 2.5]}, "The 'k' parameter of MeasureAtKDisplay"),
    (MeasureAtKDisplay, EV, {"k": 1, "level": 0.9}, "unexpected keyword argument 'level'"),
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
    with pytest.raises(ValueError, match=r"no system 'neww'; did you mean 'new'\?"):
        PAIR.plot("changes", system="neww")
    with pytest.raises(ValueError, match="The 'n_named' parameter of QueryDifferencesDisplay"):
        PAIR.plot("changes", n_named=-1)
    for names, message in (("ab", "did you mean ['ab']?"), (["a", "b"], "for each curve (1), got")):
        with pytest.raises((TypeError, ValueError), match=re.escape(message)):
            MeasureAtKDisplay(k=[1], values=[[1]]).plot(names=names)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"gruops": [1]},
            "has no option 'gruops'; did you mean 'groups'?; its options are: gro",
        ),
        ({"tie": "stable"}, "has no option 'tie'; did you mean 'ties'?"),
        ({"k": 0}, "The 'k' parameter of MeasureAtKDisplay must be an int"),
        (
            {"string_provider": str},
            "string_provider is only for the lists and mapping layouts, but y_true",
        ),
        (
            {"groups": None},
            "MeasureAtKDisplay.from_estimator needs the query id of every row, but got none: pass "
            "groups=qid, give X a column or an index level named 'qid'",
        ),
    ],
)
def test_options_of_estimators(options, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        MeasureAtKDisplay.from_estimator(MODEL, **{**ROWS, **options})


@pytest.mark.parametrize(
    ("option", "answer"),
    [
        ("plot_chance_level", "the line of a random order is always drawn, as chance_level_"),
        ("estimator_name", "pass name="),
        ("sample_weight", "evaluate(..., sample_weight=) and use from_evaluation"),
        ("color", "pass curve_kwargs={...}"),
    ],
)
def test_arguments_of_scikit_learn_are_answered(option, answer):
    with pytest.raises(ValueError, match=re.escape(f"has no option {option}: ") + ".*") as caught:
        RankingRocCurveDisplay.from_estimator(MODEL, **ROWS, **{option: "red"})
    assert answer in str(caught.value)
    with pytest.raises(ValueError, match=r"has no option pos_label: pass relevance=\{label: 1\}"):
        RankingRocCurveDisplay.from_predictions([0, 1], [1, 2], groups=["a", "a"], pos_label=1)


def test_pos_label_of_an_estimator_is_known():
    labels = {**ROWS, "y": ["no", "yes"]}
    shown = RankingRocCurveDisplay.from_estimator(MODEL, **labels, pos_label="yes")
    assert shown.areas == [1.0]
