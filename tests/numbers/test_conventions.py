"""Presets fill in parameters that were left open, and nothing else.

Of the table of presets that the project started from, these cells are not offered here:

| preset | cell | here |
|---|---|---|
| ptranking | err max_grade=batch | "query": a value must not depend on the batch |
| lenskit | AP divided by min(R, n) | the default: a shorter list must not score better |
| any | missing "n/a" | the default, "zero" |
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from sklearn_rank import (
    CONVENTIONS,
    Convention,
    InvalidParameterError,
    QueryMismatchError,
    UndefinedMetricError,
    UnknownMeasureError,
    evaluate,
    measure,
)
from sklearn_rank.measures.conventions import find_convention

# name: ties, zero_division, missing, divisor of AP, gain of grade 2, discount of ranks 1 2 3
LOG2 = [1.0, math.log2(3), 2.0]
TABLE = {
    "default": ("average", "warn", "zero", "min", 3, LOG2),
    "trec_eval": ("docid", 0.0, "skip", "relevant", 2, LOG2),
    "sklearn": ("average", 0.0, "zero", "min", 2, LOG2),
    "warprec": ("stable", math.nan, "zero", "min", 7, LOG2),
    "ardoco": ("stable", math.nan, "zero", "retrieved", 3, LOG2),
    "ptranking": ("stable", "raise", "zero", "min", 3, LOG2),
    "xgboost": ("stable", 1.0, "zero", "min", 3, LOG2),
    "lightgbm": ("stable", 1.0, "zero", "min", 3, LOG2),
    "recbole": ("stable", 0.0, "zero", "min", 1, LOG2),
    "spark": ("stable", 0.0, "zero", "min", 1, LOG2),
    "ranx": ("stable", 0.0, "raise", "relevant", 2, LOG2),
    "lenskit": ("stable", math.nan, "zero", "min", 2, [1.0, 1.0, math.log2(3)]),
}
OTHERS = {
    "warprec": {name: {"smoothing": 1} for name in ("auc", "gauc", "lauc")},
    "ardoco": {
        "lag": {"average": "pooled", "unretrieved": "ignore"},
        "auc": {"average": "pooled", "unretrieved": "ignore"},
    },
    "xgboost": {"precision": {"denominator": "retrieved"}},
    "lightgbm": {"precision": {"denominator": "retrieved"}},
    "lenskit": {"recall": {"denominator": "min"}},
}


def test_the_table_is_whole():
    assert set(TABLE) == set(CONVENTIONS)


@pytest.mark.parametrize("name", TABLE)
def test_preset_is_its_row_of_the_table(name):
    preset = CONVENTIONS[name]
    ties, zero_division, missing, divisor, gain, discount = TABLE[name]
    assert preset.name == name
    assert (preset.ties, preset.missing) == (ties, missing)
    assert preset.zero_division == pytest.approx(zero_division, nan_ok=True)
    assert preset.negative_grades == ("unjudged" if name == "trec_eval" else "raise")
    assert preset.apply(measure("map")).options["denominator"] == divisor
    # One item of grade 2 alone at rank 1, 2, 3.
    for rank, share in enumerate(discount):
        ranking = [[*"xyz"[:rank], "a"]]
        value = evaluate([{"a": 2}], ranking, "dcg", convention=name)["dcg"]
        assert value == pytest.approx(gain / share, rel=1e-15)


@pytest.mark.parametrize("name", TABLE)
def test_preset_sets_nothing_else(name):
    parameters = {metric: dict(own) for metric, own in CONVENTIONS[name].parameters.items()}
    for metric, own in OTHERS.get(name, {}).items():
        assert parameters.pop(metric) == own
    assert set(parameters) <= {"map", "dcg", "idcg", "ndcg"}
    for metric, own in parameters.items():
        assert set(own) <= ({"denominator"} if metric == "map" else {"gain", "discount"})
    for metric in ("mar", "mrr", "fbeta", "hit_rate", "err", "nerr"):
        assert CONVENTIONS[name].apply(measure(metric)) == measure(metric)


RANKING = [["a", "x", "b", "y"]], [{"a": 1, "b": 2, "z": 1}]


@pytest.mark.parametrize(
    ("name", "spec", "expected"),
    [
        ("trec_eval", "map@3", (1 + 2 / 3) / 3),
        ("trec_eval", "ndcg@2", 1 / (2 + 1 / math.log2(3))),
        ("ardoco", "map", (1 + 2 / 3) / 2),
        ("ardoco", "lag", (0 + 1) / 2),
        # Relevant items above 2, 1 and 0 of 2 irrelevant ones; one more negative is added.
        ("warprec", "gauc", ((3 - 0) + (3 - 1) + (3 - 2)) / (3 * 3)),
        ("warprec", "ndcg@1", (2**2 - 1) / (2**3 - 1)),
        ("xgboost", "precision@8", 2 / 4),
        ("lightgbm", "precision@8", 2 / 4),
        ("lenskit", "recall@2", 1 / 2),
        ("lenskit", "ndcg@2", 1 / (2 + 1)),
        ("spark", "ndcg@2", 1 / (1 + 1 / math.log2(3))),
        ("recbole", "map@2", 1 / 2),
        ("ranx", "map@2", 1 / 3),
        ("sklearn", "ndcg@1", 1 / 2),
    ],
)
def test_values_by_hand(name, spec, expected):
    ranking, truth = RANKING
    evaluation = evaluate(truth, ranking, spec, convention=name)
    assert evaluation[spec] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("spec", "used"),
    [
        ("ndcg", "ndcg(gain=linear)"),
        ("ndcg@5", "ndcg(gain=linear)@5"),
        ("ndcg(gain=exp2)", "ndcg"),
        ("ndcg(gain=binary)", "ndcg(gain=binary)"),
        ("ndcg_burges", "ndcg"),
        ("nDCG(dcg='exp-log2')", "ndcg"),
        ("map(denominator=min)@5", "map@5"),
        ("map(rel=2)", "map(denominator=relevant,min_rel=2)"),
        (
            "hmean(ndcg,map,beta=0.5)@5",
            "hmean(ndcg(gain=linear),map(denominator=relevant),beta=0.5)@5",
        ),
        ("hmean(ndcg(gain=exp2),map)", "hmean(ndcg,map(denominator=relevant))"),
        ("mrr", "mrr"),
    ],
)
def test_explicit_parameters_of_measures_win(spec, used):
    assert str(CONVENTIONS["trec_eval"].apply(measure(spec))) == used


def test_explicit_arguments_of_functions_count_as_explicit():
    preset = CONVENTIONS["trec_eval"]
    assert preset.apply(measure("ndcg", gain="exp2")) == measure("ndcg")
    assert preset.apply(measure("map", denominator="min")) == measure("map")


def test_results_are_found_as_asked_and_as_used():
    ranking, truth = RANKING
    evaluation = evaluate(truth, ranking, "ndcg@1", convention="trec_eval")
    assert list(evaluation.scores) == ["ndcg@1"]
    assert evaluation["ndcg@1"] == evaluation["ndcg(gain=linear)@1"] == 1 / 2
    assert [str(one) for one in evaluation.measures] == ["ndcg(gain=linear)@1"]
    assert evaluation.to_dict()["measures"] == {"ndcg@1": "ndcg(gain=linear)@1"}


def test_a_result_is_not_found_under_an_explicit_parameter_that_it_did_not_use():
    ranking, truth = RANKING
    evaluation = evaluate(truth, ranking, "ndcg@1", convention="trec_eval")
    with pytest.raises(UnknownMeasureError, match="was not evaluated"):
        evaluation["ndcg(gain=exp2)@1"]


def test_a_measure_can_be_asked_for_with_and_without_the_convention():
    ranking, truth = RANKING
    both = (measure("ndcg@1"), measure("ndcg(gain=exp2)@1"))
    evaluation = evaluate(truth, ranking, both, convention="trec_eval")
    assert list(evaluation.scores.values()) == pytest.approx([1 / 2, 1 / 3])


def test_ardoco_leaves_out_queries_without_a_hit_in_its_own_form():
    truth = {"q1a", "q1b", "q1c", "q2a", "q3a"}
    rankings = [["x1", "q1a", "y1", "q1b"], ["x2", "y2", "z2", "q2a"], ["x3", "y3"]]
    # Per hit: (1/2 + 2/4) / 2 and 1/4; the third query found nothing of the one truth.
    shared = evaluate(truth, rankings, "map", convention="ardoco")
    assert shared["map"] == (1 / 2 + 1 / 4) / 2
    # With a truth of its own it has something to find, and counts.
    truths = [{"q1a", "q1b", "q1c"}, {"q2a"}, {"q3a"}]
    own = evaluate(truths, rankings, "map", convention="ardoco")
    assert own["map"] == (1 / 2 + 1 / 4 + 0) / 3


def test_xgboost_counts_one_for_every_measure_unless_told():
    pair = [set(), {"a"}], [["x"], ["a"]]
    evaluation = evaluate(*pair, ("map", "ndcg@5", "precision@1"), convention="xgboost")
    assert list(evaluation.scores.values()) == [1.0, 1.0, 1.0]
    settled = evaluate(*pair, "precision@1", convention="xgboost", zero_division=0.0)
    assert settled["precision@1"] == 1 / 2


def test_explicit_ties_win():
    truth, run = {"q": {"a"}}, {"q": {"a": 1, "b": 1}}
    assert evaluate(truth, run, "mrr")["mrr"] == (1 + 1 / 2) / 2
    # Falling ids: b above a.
    assert evaluate(truth, run, "mrr", convention="trec_eval")["mrr"] == 1 / 2
    assert evaluate(truth, run, "mrr", convention="trec_eval", ties="optimistic")["mrr"] == 1.0
    assert evaluate(truth, run, "mrr", convention="warprec")["mrr"] == 1.0
    assert evaluate(truth, run, "mrr", convention="warprec", ties="pessimistic")["mrr"] == 1 / 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [("trec_eval", 1 / 2), ("xgboost", 1.0), ("warprec", 1.0), ("ranx", 1 / 2), ("ardoco", 1.0)],
)
def test_explicit_zero_division_wins(name, expected):
    pair = [set(), {"a"}], [["a"], ["a"]]
    assert evaluate(*pair, "mrr", convention=name)["mrr"] == expected
    for value, mean in ((0.0, 1 / 2), (1.0, 1.0), (np.nan, 1.0)):
        assert evaluate(*pair, "mrr", convention=name, zero_division=value)["mrr"] == mean
    with pytest.raises(UndefinedMetricError, match="mrr is undefined for 1 of 2 queries: 0"):
        evaluate(*pair, "mrr", convention=name, zero_division="raise")


def test_ptranking_raises_and_can_be_told_not_to():
    pair = [set(), {"a"}], [["a"], ["a"]]
    with pytest.raises(UndefinedMetricError, match="map is undefined for 1 of 2 queries: 0"):
        evaluate(*pair, "map", convention="ptranking")
    assert evaluate(*pair, "map", convention="ptranking", zero_division=0.0)["map"] == 1 / 2


def test_explicit_missing_wins():
    pair = {"p": {"a"}, "q": {"b"}}, {"p": ["a"]}
    assert evaluate(*pair, "map", convention="trec_eval")["map"] == 1.0
    assert evaluate(*pair, "map", convention="trec_eval", missing="zero")["map"] == 1 / 2
    with pytest.raises(QueryMismatchError, match="1 of 2 judged queries have no ranking: 'q'"):
        evaluate(*pair, "map", convention="ranx")
    assert evaluate(*pair, "map", convention="ranx", missing="skip")["map"] == 1.0


def test_a_convention_of_ones_own():
    own = Convention("house", ties="pessimistic", parameters={"ndcg": {"gain": "linear"}})
    evaluation = evaluate({"q": {"a": 1}}, {"q": {"a": 1, "b": 1}}, "ndcg", convention=own)
    assert evaluation["ndcg"] == pytest.approx(1 / math.log2(3))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trec", r"^unknown convention 'trec'; did you mean 'trec_eval'\?; known conventions: def"),
        ("warprek", r"unknown convention 'warprek'; did you mean 'warprec'\?"),
        ("scikit-learn", r"unknown convention 'scikit-learn'.*; known conventions: default, trec_"),
        (None, r"^unknown convention None; known conventions: default"),
        (["trec_eval"], r"unknown convention \['trec_eval'\]; known conventions"),
        ("\x1b", r"unknown convention '\\x1b'"),
    ],
)
def test_unknown_conventions(name, message):
    with pytest.raises(InvalidParameterError, match=message):
        find_convention(name)
    with pytest.raises(InvalidParameterError, match=message):
        evaluate([{"a"}], [["a"]], convention=name)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"ties": "random"}, "The 'ties' parameter of evaluate must be one of"),
        ({"missing": "drop"}, "The 'missing' parameter of evaluate must be one of"),
        ({"zero_division": 0.5}, "The 'zero_division' parameter of evaluate must be one of"),
    ],
)
def test_conventions_are_checked_where_they_are_used(own, message):
    with pytest.raises(InvalidParameterError, match=message):
        evaluate([{"a"}], [["a"]], "map", convention=Convention("house", **own))


def test_presets_cannot_be_changed():
    with pytest.raises(TypeError, match="does not support item assignment"):
        CONVENTIONS["default"] = Convention("other")
    with pytest.raises(AttributeError, match="cannot assign to field 'ties'"):
        CONVENTIONS["default"].ties = "stable"
