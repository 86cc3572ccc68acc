"""An evaluation: values, counts, undefined queries, warnings, pooled measures, and intervals."""

import copy
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning as SklearnWarning

from sklearn_rank import (
    InvalidParameterError,
    RankingDataWarning,
    UndefinedMetricError,
    UndefinedMetricWarning,
    evaluate,
    mean_reciprocal_rank_score,
    measure,
    measure_from,
)
from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.statistics.means import mean_interval
from tests.evaluation.cases import HALF, MRR


def test_scores_and_values_are_dicts(evaluation):
    """Frames, JSON, unions and copies hold numbers; a change stays with whoever made it."""
    scores, values = evaluation.scores, evaluation.per_query
    assert pd.DataFrame({"a": scores})["a"].tolist() == [2.75 / 4, 1.5 / 4, 1.0]
    assert pd.DataFrame(values)["mrr"].tolist() == pd.Series(values)["mrr"].tolist() == MRR
    assert json.loads(json.dumps(scores)) == scores == scores.copy() == {**scores}
    assert (scores | {"ms": 3.0})["ms"] == 3.0
    for twin in (copy.copy(scores), copy.deepcopy(scores), pickle.loads(pickle.dumps(scores))):
        assert twin == scores
        assert twin["R@1"] == 1.5 / 4
    scores["mrr"] = 0.0
    assert evaluation.scores["mrr"] == evaluation["mrr"] == 2.75 / 4


def test_values_are_joined_to_their_queries(evaluation):
    assert list(evaluation.query_ids) == ["q1", "q2", "q3", "q4"]
    assert evaluation.per_query["mrr"].tolist() == MRR
    assert evaluation.per_query["recall@1"].tolist() == [1, 0, 0, 1 / 2]
    # q4: d has none above it, e was not retrieved and there is no irrelevant item to stand below.
    assert evaluation.per_query["lag"].tolist() == [0, 1, 3, 0]
    assert evaluation["mrr"] == (1 + 1 / 2 + 1 / 4 + 1) / 4
    assert type(evaluation["mrr"]) is float
    assert evaluation.per_query["mrr"].dtype == np.float64
    scores = {"mrr": 2.75 / 4, "recall@1": 1.5 / 4, "lag": 1.0}
    assert list(evaluation.scores.items()) == list(scores.items())
    assert len(evaluation.scores) == len(evaluation.per_query) == 3
    assert evaluation.scores.get("MRR") == evaluation.scores["RR"] == 2.75 / 4
    assert evaluation.scores.get("map", 0) == 0
    assert evaluation.measures == (measure("mrr"), measure("recall@1"), measure("lag"))


def test_measures_that_are_spelled_alike_do_not_replace_each_other():
    pair = measure_from("top", lambda grades: 1.0), measure_from("top", lambda grades: 0.5)
    with pytest.raises(ValueError, match="two custom measures named top"):
        evaluate({"q1": {"a"}}, {"q1": ["x", "a"]}, pair)


# Counts ------------------------------------------------------------------------------------------


def test_counts_add_up():
    truth = {
        "plain": {"a": 1, "b": 0},
        "missing": {"a": 1, "b": 2},
        "nothing": {"a": 0},
        "tied": {"a": 1, "b": 1, "z": 1},
    }
    run = {
        "plain": {"a": 3, "b": 2, "x": 1},
        "nothing": {"a": 1},
        "tied": {"a": 1, "x": 1, "b": 0},
        "unjudged": {"a": 1},
    }
    counts = evaluate(truth, run, ("map", "gauc"), zero_division=np.nan).counts
    assert counts == {
        "queries": 4,
        "missing": 1,
        "unjudged": 1,
        "no_relevant": 1,
        "false_answers": 1,
        "tied": 1,
        "ranked": 3 + 0 + 1 + 3,
        "relevant": 1 + 2 + 0 + 3,
        "retrieved": 1 + 0 + 0 + 2,
        "duplicates": 0,
        "missed": 0,
        "unjudged_grades": 0,
        "unjudged_items": 1 + 0 + 0 + 1,
        "assumed": "partial",
        # AUC also needs an irrelevant item, which an empty ranking has not.
        "undefined": {"map": 1, "gauc": 2},
        "averaged": {"map": 3, "gauc": 2},
    }


def test_queries_without_weight_in_the_mean_are_counted_as_undefined():
    # AUC per relevant item: the second query has none, so that its AUC is 0/0.
    with pytest.warns(UndefinedMetricWarning, match=r"^auc is undefined for 1 of 2 queries: 1"):
        evaluation = evaluate([{"a"}, set()], [["a", "b"], ["x", "y"]], "auc")
    assert evaluation["auc"] == 1.0
    assert evaluation.counts["undefined"] == {"auc": 1}
    with pytest.raises(UndefinedMetricError, match=r"auc is undefined for 1 of 2 queries: 1"):
        evaluate([{"a"}, set()], [["a", "b"], ["x", "y"]], "auc", zero_division="raise")


# zero_division -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"zero_division": np.nan}, 1 / 2),
        ({"zero_division": 0.0}, (0 + 1 / 2) / 2),
        ({"zero_division": 0}, (0 + 1 / 2) / 2),
        ({"zero_division": 1.0}, (1 + 1 / 2) / 2),
        ({"zero_division": np.float64(1)}, (1 + 1 / 2) / 2),
        ({"convention": "trec_eval"}, (0 + 1 / 2) / 2),
        ({"convention": "trec_eval", "zero_division": 1.0}, (1 + 1 / 2) / 2),
        ({"convention": "warprec"}, 1 / 2),
    ],
)
def test_zero_division(options, expected):
    """Values per query are those that the mean is of, as the program has them."""
    evaluation = evaluate(*HALF, "mrr", **options)
    assert evaluation["mrr"] == expected
    values = evaluation.per_query["mrr"]
    assert float(np.nanmean(values)) == expected
    for one in (evaluation, evaluation.by_slice({"s": [0, 1]})["s"]):
        np.testing.assert_array_equal(one.per_query["mrr"], values)
        assert one.is_undefined("mrr").tolist() == [True, False]
        assert one.counts["undefined"] == {"mrr": 1}
    pooled = evaluate(np.array([[0, 1]]), np.array([[1, 2]]), "auc(average=pooled)")
    with pytest.raises(InvalidParameterError, match="it has no values per query"):
        pooled.is_undefined("auc(average=pooled)")


END = ". Use the zero_division parameter to control this behavior."
LEFT_OUT = {
    ("map", "mrr", "auc", "p@1"): "map, mrr and precision@1 are undefined for 1 of 3 queries: 1; "
    f"auc is undefined for 2 of 3 queries: 1, 2; they are left out{END}",
    # No ranking of a relevant item has an irrelevant one.
    ("map", "gauc"): "map is undefined for 1 of 3 queries: 1; "
    "gauc is undefined for 3 of 3 queries: 0, 1, 2; they are left out, and the "
    f"result of gauc is NaN{END}",
}


@pytest.mark.parametrize(("measures", "text"), LEFT_OUT.items())
def test_one_warning_lists_measures_with_their_counts(measures, text) -> None:
    run = [["a", "x"] if "auc" in measures else ["a"], ["x"], ["a"]]
    with pytest.warns(UndefinedMetricWarning) as caught:
        evaluate([{"a"}, set(), {"a"}], run, measures)
    assert [str(warning.message) for warning in caught] == [text]
    assert (caught[0].filename, caught[0].category) == (__file__, SklearnWarning)


CALLS = {
    "evaluate": lambda: evaluate(*HALF, "mrr"),
    "function": lambda: mean_reciprocal_rank_score(*HALF),
    "pooled": lambda: evaluate({"q": {"x"}}, {"q": {}}, "auc(average=pooled)"),
    "shared": lambda: evaluate({"a"}, [["a"], ["a"]], "mrr"),
}


@pytest.mark.parametrize("name", CALLS)
def test_warnings_point_at_the_caller(name):
    kind = RankingDataWarning if name == "shared" else UndefinedMetricWarning
    with pytest.warns(kind) as caught:
        CALLS[name]()
    assert caught[0].filename == __file__
    assert caught[0].lineno == CALLS[name].__code__.co_firstlineno


def test_a_convention_that_leaves_out_what_found_nothing_says_so():
    with pytest.warns(RankingDataWarning) as caught:
        evaluate([{"a"}, {"b"}], [["a"], ["x"]], "lag", convention="ardoco")
    text = "is undefined for 1 query without a retrieved relevant item, and convention"
    assert f"{text} 'ardoco' leaves them out" in str(caught[-1].message)


# Pooled measures ---------------------------------------------------------------------------------


def test_pooled_measures_have_no_values_per_query():
    evaluation = evaluate([1, 0], [2, 1], ("auc(average=pooled)", "map"), groups=[1, 1])
    assert list(evaluation.per_query) == ["map"]
    assert "auc(average=pooled)" not in evaluation.per_query
    with pytest.raises(InvalidParameterError, match=r"^auc\(average=pooled\) ranks all queries"):
        evaluation.per_query["auc(average=pooled)"]
    with pytest.raises(InvalidParameterError, match="it has no values per query"):
        evaluation.confidence_interval("auc(average=pooled)")
    assert list(evaluation.to_frame().columns) == ["query", "map"]
    assert set(evaluation.to_dict()["per_query"]) == {"map"}
    assert "auc(average=pooled)" in repr(evaluation)


# Copies -------------------------------------------------------------------------------------------


def test_evaluations_are_frozen_and_copy(evaluation):
    with pytest.raises(AttributeError, match="cannot assign to field"):
        evaluation._zero_division = 1.0
    for twin in (pickle.loads(pickle.dumps(evaluation)), copy.deepcopy(evaluation)):
        assert dict(twin.scores) == dict(evaluation.scores)
        assert twin.counts == evaluation.counts
    evaluation.counts["undefined"]["mrr"] = evaluation.counts["queries"] = 9
    assert (evaluation.counts["undefined"]["mrr"], evaluation.counts["queries"]) == (0, 4)


@pytest.mark.parametrize("n", [400, 401, 20_000])
def test_means_of_many_queries_are_sums_without_rounding(n):
    rng = np.random.default_rng(n)
    values = rng.random(n) * rng.choice([1.0, 1e-9, 1e-200], n)
    weights = rng.random(n)
    assert mean_over(values, None) == math.fsum(values.tolist()) / n
    products = math.fsum((weights * values).tolist())
    assert mean_over(values, weights) == pytest.approx(
        products / math.fsum(weights.tolist()), rel=1e-15
    )
    assert mean_over(values[::-1], weights[::-1]) == mean_over(values, weights)
    assert mean_over(np.array([0.25, 0.75, np.nan]), None) == 0.5


# Intervals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("settled", "values"), [(np.nan, [1, 1 / 2]), (0.0, [0, 1, 1 / 2])])
def test_intervals_leave_undefined_queries_out_or_settle_them(settled, values):
    truth, rankings = [set(), {"a"}, {"a"}], [["a"], ["a"], ["x", "a"]]
    evaluation = evaluate(truth, rankings, "mrr", zero_division=settled)
    expected = mean_interval(np.array(values), None, (0.0, 1.0), 0.4)
    assert evaluation.confidence_interval("mrr", 0.4) == expected


def test_intervals_are_clipped_to_the_range():
    evaluation = evaluate([{"a"}] * 2, [["a"], ["x", "y", "z", "a"]], ("mrr", "lag"))
    assert evaluation.confidence_interval("mrr") == (0.0, 1.0)
    low, high = evaluation.confidence_interval("lag")
    assert low == 0.0
    assert high > 3.0


# Extreme values ----------------------------------------------------------------------------------


def gains(*values):
    """One query for each value, whose DCG is the value, to the last digit at rank 1."""
    return [{"a": value} for value in values], [["a"]] * len(values)


@pytest.mark.parametrize("order", [1, -1])
def test_means_of_huge_and_tiny_values_and_weights(order):
    dcg = "dcg(gain=linear)"
    assert evaluate(*gains(*[1.5e308, 1.0e308, 1.7e308][::order]), dcg)[dcg] == 1.4e308
    assert evaluate(*gains(*[5e-324, 1.5e-323][::order]), dcg)[dcg] == 1e-323
    weighted = evaluate(*gains(1.5e308, 1.0e308), dcg, sample_weight=[1e300, 1e300])
    assert weighted[dcg] == 1.25e308
    # Of the pairs of the first 1 of 2, of the second 0 of 1.
    truth, rankings = [{"a", "c"}, {"b"}], [["a", "x", "c"], ["x", "b"]]
    auc = evaluate(truth, rankings, "auc", sample_weight=[1.5e308, 1.5e308])["auc"]
    assert auc == pytest.approx((2 * 1 / 2 + 1 * 0) / 3, rel=1e-15)
    truth, rankings = [{"a"}, {"b"}, {"c"}][::order], [["a"], ["x", "b"], ["x", "y", "c"]][::order]
    weights = [5e-324, 1e-323, 5e-324][::order]
    value = evaluate(truth, rankings, "mrr", sample_weight=weights)["mrr"]
    assert value == pytest.approx((1 * 1 + 2 * 1 / 2 + 1 * 1 / 3) / 4, rel=1e-15)
    # 5e-324 is lost beside 1, and no query weighs on another.
    mixed = evaluate(truth, rankings, "mrr", sample_weight=[5e-324, 1.0, 5e-324])["mrr"]
    assert mixed == 1 / 2


def test_an_undefined_query_weighs_nothing():
    truth, run = {"a": {"x"}, "b": set()}, {"a": ["x"], "b": ["x"]}
    ev = evaluate(truth, run, "map", sample_weight={"a": 1, "b": 3}, zero_division=np.nan)
    assert ev["map"] == 1.0
