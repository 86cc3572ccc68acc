"""What `evaluate` returns: scores, values per query, counts, intervals, slices, tables."""

from __future__ import annotations

import copy
import json
import math
import pickle
import time
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning as SklearnWarning

import sklearn_rank
from sklearn_rank import (
    InvalidParameterError,
    ScoresRequiredError,
    SharedTruthWarning,
    UndefinedMetricError,
    UndefinedMetricWarning,
    UnknownMeasureError,
    evaluate,
    mean_reciprocal_rank_score,
    measure,
    ndcg_at_k_score,
)
from sklearn_rank.support import segments as _segments

TRUTH = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}, "q4": {"d", "e"}}
RUN = {"q3": ["x", "y", "z", "c"], "q1": ["a"], "q2": ["x", "b"], "q4": ["d"]}
MRR = [1.0, 1 / 2, 1 / 4, 1.0]


@pytest.fixture
def evaluation():
    return evaluate(TRUTH, RUN, ("mrr", "recall@1", "lag"))


def test_values_are_joined_to_their_queries(evaluation):
    assert list(evaluation.query_ids) == ["q1", "q2", "q3", "q4"]
    assert evaluation.per_query["mrr"].tolist() == MRR
    assert evaluation.per_query["recall@1"].tolist() == [1, 0, 0, 1 / 2]
    # q4: d has none above it, e was not retrieved and there is no irrelevant item to stand below.
    assert evaluation.per_query["lag"].tolist() == [0, 1, 3, 0]
    assert evaluation["mrr"] == (1 + 1 / 2 + 1 / 4 + 1) / 4
    assert type(evaluation["mrr"]) is float
    assert evaluation.per_query["mrr"].dtype == np.float64


def test_scores_are_a_mapping_in_the_order_asked(evaluation):
    assert list(evaluation.scores) == ["mrr", "recall@1", "lag"]
    assert dict(evaluation.scores) == {"mrr": 2.75 / 4, "recall@1": 1.5 / 4, "lag": 1.0}
    assert len(evaluation.scores) == len(evaluation.per_query) == 3
    assert evaluation.measures == (measure("mrr"), measure("recall@1"), measure("lag"))


@pytest.mark.parametrize(
    ("measures", "names"),
    [
        ("mrr", ["mrr"]),
        (measure("mrr"), ["mrr"]),
        (["mrr", measure("P_5")], ["mrr", "precision@5"]),
    ],
)
def test_measures_in_all_forms(measures, names):
    assert list(evaluate(TRUTH, RUN, measures).scores) == names


@pytest.mark.parametrize(
    "pair",
    [
        (measure("ndcg", gain=lambda g: g), measure("ndcg", gain=lambda g: 2 * g)),
        (measure("gauc", n_negatives={"q1": 9}), measure("gauc", n_negatives={"q1": 8})),
    ],
    ids=["functions", "numbers"],
)
def test_measures_that_are_spelled_alike_do_not_replace_each_other(pair):
    with pytest.raises(
        ValueError, match=r"^measures names .*<.*>\) twice, with functions or number"
    ):
        evaluate({"q1": {"a"}}, {"q1": ["x", "a"]}, pair)


def test_default_measures():
    assert list(evaluate(TRUTH, RUN).scores) == ["map", "ndcg@10"]


# Counts -----------------------------------------------------------------------------------------


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
        "tied": 1,
        "ranked": 3 + 0 + 1 + 3,
        "relevant": 1 + 2 + 0 + 3,
        "retrieved": 1 + 0 + 0 + 2,
        "duplicates": 0,
        "missed": 0,
        "unjudged_grades": 0,
        # AUC also needs an irrelevant item, which an empty ranking has not.
        "undefined": {"map": 1, "gauc": 2},
        "averaged": {"map": 3, "gauc": 2},
    }


def test_ties_between_irrelevant_items_are_not_counted():
    counts = evaluate({"q": {"a"}}, {"q": {"a": 2, "x": 1, "y": 1}}, "map").counts
    assert counts["tied"] == 0


def test_duplicates_and_unjudged_grades_are_counted():
    counts = evaluate([{"a"}], [["a", "b", "a", "b", "a"]], "map", duplicates="first").counts
    assert (counts["duplicates"], counts["ranked"]) == (3, 2)
    counts = evaluate([{"a": -1, "b": -2, "c": 1}], [["c"]], "map", convention="trec_eval").counts
    assert counts["unjudged_grades"] == 2


def test_queries_without_weight_in_the_mean_are_counted_as_undefined():
    # AUC per relevant item: the second query has none, so that its AUC is 0/0.
    with pytest.warns(UndefinedMetricWarning, match=r"^auc is undefined for 1 of 2 queries: 1"):
        evaluation = evaluate([{"a"}, set()], [["a", "b"], ["x", "y"]], "auc")
    assert evaluation["auc"] == 1.0
    assert evaluation.counts["undefined"] == {"auc": 1}
    with pytest.raises(UndefinedMetricError, match=r"auc is undefined for 1 of 2 queries: 1"):
        evaluate([{"a"}, set()], [["a", "b"], ["x", "y"]], "auc", zero_division="raise")


# zero_division ----------------------------------------------------------------------------------

HALF = [set(), {"a"}], [["a"], ["x", "a"]]


@pytest.mark.parametrize(
    ("zero_division", "expected"),
    [(np.nan, 1 / 2), (0.0, 1 / 4), (0, 1 / 4), (1.0, 3 / 4), (np.float64(1), 3 / 4)],
)
def test_zero_division(zero_division, expected):
    evaluation = evaluate(*HALF, "mrr", zero_division=zero_division)
    assert evaluation["mrr"] == expected
    assert np.isnan(evaluation.per_query["mrr"][0])
    assert evaluation.counts["undefined"] == {"mrr": 1}


def test_values_per_query_stay_undefined_where_the_mean_settles_them():
    evaluation = evaluate(*HALF, "mrr", zero_division=1.0)
    assert evaluation["mrr"] == (1 + 1 / 2) / 2
    assert np.isnan(evaluation.per_query["mrr"]).tolist() == [True, False]


def test_zero_division_raise():
    with pytest.raises(UndefinedMetricError, match=r"^mrr is undefined for 1 of 2 queries: 0$"):
        evaluate(*HALF, "mrr", zero_division="raise")


def test_undefined_warnings_are_scikit_learns_and_one_per_measure():
    assert UndefinedMetricWarning is SklearnWarning
    with pytest.warns(UndefinedMetricWarning) as caught:
        evaluation = evaluate(*HALF, ("mrr", "map"))
    assert [str(one.message).split(" is ")[0] for one in caught] == ["mrr", "map"]
    assert evaluation["mrr"] == 1 / 2


CALLS = {
    "evaluate": lambda: evaluate(*HALF, "mrr"),
    "function": lambda: mean_reciprocal_rank_score(*HALF),
    "pooled": lambda: evaluate({"q": {"x"}}, {"q": {}}, "auc(average=pooled)"),
    "shared": lambda: evaluate({"a"}, [["a"], ["a"]], "mrr"),
}


@pytest.mark.parametrize("name", CALLS)
def test_warnings_point_at_the_caller(name):
    kind = SharedTruthWarning if name == "shared" else UndefinedMetricWarning
    with pytest.warns(kind) as caught:
        CALLS[name]()
    assert caught[0].filename == __file__
    assert caught[0].lineno == CALLS[name].__code__.co_firstlineno


def test_warnings_of_slices_point_at_the_caller():
    evaluation = evaluate(*HALF, "mrr", zero_division=np.nan)
    assert math.isnan(evaluation.by_slice({0: "x"})["x"]["mrr"])
    with pytest.warns(UndefinedMetricWarning):
        evaluation = evaluate(*HALF, "mrr")
    with pytest.warns(UndefinedMetricWarning, match=r"undefined for 1 of 1 queries: 0") as caught:
        evaluation.by_slice({0: "x", 1: "y"})
    assert caught[0].filename == __file__


# Intervals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_t_interval(evaluation, level):
    mean = sum(MRR) / 4
    error = math.sqrt(sum((value - mean) ** 2 for value in MRR) / 3) / math.sqrt(4)
    reach = stats.t.ppf((1 + level) / 2, 3) * error
    low, high = evaluation.confidence_interval("RR", level)
    assert low == pytest.approx(max(mean - reach, 0), abs=1e-14)
    assert high == pytest.approx(min(mean + reach, 1), abs=1e-14)
    assert type(low) is type(high) is float


def test_t_interval_of_a_weighted_mean():
    weights = [1.0, 2.0, 3.0, 4.0]
    evaluation = evaluate(TRUTH, RUN, "mrr", sample_weight=dict(zip(TRUTH, weights, strict=True)))
    mean = sum(w * v for w, v in zip(weights, MRR, strict=True)) / 10
    assert evaluation["mrr"] == pytest.approx(mean, rel=1e-15)
    # Variance of a ratio of means: n / (n - 1) * sum of (w (v - mean) / sum of w)^2.
    squares = sum((w * (v - mean) / 10) ** 2 for w, v in zip(weights, MRR, strict=True))
    reach = stats.t.ppf(0.75, 3) * math.sqrt(squares * 4 / 3)
    interval = evaluation.confidence_interval("mrr", 0.5)
    assert interval == pytest.approx((mean - reach, mean + reach), abs=1e-14)


def test_weights_that_are_all_alike_change_no_interval(evaluation):
    weighted = evaluate(TRUTH, RUN, "mrr", sample_weight=dict.fromkeys(TRUTH, 0.3))
    assert weighted.confidence_interval("mrr", 0.5) == pytest.approx(
        evaluation.confidence_interval("mrr", 0.5), rel=1e-12
    )


def test_bootstrap_interval_is_seeded_and_scipys():
    values = [1 / (1 + number % 7) for number in range(30)]
    truth = [{"a"}] * 30
    rankings = [["x"] * 0 + [f"x{i}" for i in range(number % 7)] + ["a"] for number in range(30)]
    evaluation = evaluate(truth, rankings, "mrr")
    assert evaluation.per_query["mrr"].tolist() == values
    options = {"method": "bootstrap", "n_resamples": 500}
    first = evaluation.confidence_interval("mrr", **options)
    assert evaluation.confidence_interval("mrr", **options) == first
    assert evaluation.confidence_interval("mrr", **options, random_state=1) != first
    assert first[0] < evaluation["mrr"] < first[1]
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, random_state=np.random.default_rng(7)
    ).confidence_interval
    wide = evaluation.confidence_interval("mrr", method="bootstrap", n_resamples=20_000)
    assert wide == pytest.approx((expected.low, expected.high), abs=0.01)


def test_weighted_bootstrap_interval_ignores_queries_without_weight():
    pair = [{"a"}] * 6, [["a"], ["x", "a"], ["a"], ["x", "y", "a"], ["x", "a"], ["a"]]
    options = {"method": "bootstrap", "n_resamples": 200}
    some = evaluate(*[side[:5] for side in pair], "mrr")
    all_ = evaluate(*pair, "mrr", sample_weight=[2, 2, 2, 2, 2, 0])
    assert all_.confidence_interval("mrr", **options) == pytest.approx(
        some.confidence_interval("mrr", **options), rel=1e-12
    )


def test_intervals_leave_undefined_queries_out_or_settle_them():
    truth = [set(), {"a"}, {"a"}]
    rankings = [["a"], ["a"], ["x", "a"]]
    left_out = evaluate(truth, rankings, "mrr", zero_division=np.nan)
    # Two values, 1 and 1/2: mean 3/4, standard error 1/4.
    reach = stats.t.ppf(0.7, 1) / 4
    assert left_out.confidence_interval("mrr", 0.4) == pytest.approx(
        (3 / 4 - reach, 3 / 4 + reach), abs=1e-14
    )
    settled = evaluate(truth, rankings, "mrr", zero_division=0.0)
    error = math.sqrt((0.5**2 + 0.5**2 + 0**2) / 2 / 3)  # of 0, 1 and 1/2
    reach = stats.t.ppf(0.75, 2) * error
    assert settled.confidence_interval("mrr", 0.5) == pytest.approx(
        (1 / 2 - reach, 1 / 2 + reach), abs=1e-14
    )


def test_intervals_of_few_or_equal_values():
    one = evaluate([{"a"}], [["a"]], "mrr")
    assert all(math.isnan(bound) for bound in one.confidence_interval("mrr"))
    equal = evaluate([{"a"}] * 3, [["x", "a"]] * 3, "mrr")
    assert equal.confidence_interval("mrr") == (1 / 2, 1 / 2)


def test_intervals_are_clipped_to_the_range():
    evaluation = evaluate([{"a"}] * 2, [["a"], ["x", "y", "z", "a"]], ("mrr", "lag"))
    assert evaluation.confidence_interval("mrr") == (0.0, 1.0)
    low, high = evaluation.confidence_interval("lag")
    assert low == 0.0
    assert high > 3.0


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, math.nan, True, "0.95", None])
def test_level_lies_between_zero_and_one(evaluation, level):
    with pytest.raises(
        InvalidParameterError, match=r"The 'level' parameter .* must be in \(0, 1\)"
    ):
        evaluation.confidence_interval("mrr", level)


def test_level_may_be_a_number_of_numpy(evaluation):
    assert evaluation.confidence_interval("mrr", np.float32(0.5)) == pytest.approx(
        evaluation.confidence_interval("mrr", 0.5)
    )


def test_other_parameters_of_intervals(evaluation):
    with pytest.raises(InvalidParameterError, match=r"The 'method' parameter .* 't', 'bootstrap'"):
        evaluation.confidence_interval("mrr", method="z")
    with pytest.raises(InvalidParameterError, match="'n_resamples' parameter"):
        evaluation.confidence_interval("mrr", method="bootstrap", n_resamples=0)
    with pytest.raises(UnknownMeasureError, match="'ndcg@10' was not evaluated"):
        evaluation.confidence_interval("ndcg@10")


@pytest.mark.parametrize("method", ["t", "bootstrap"])
@pytest.mark.parametrize("n_resamples", [0, -1, 2.0, 99.5, True, "99", None])
def test_resamples_are_a_number_of_them(evaluation, method, n_resamples):
    with pytest.raises(
        InvalidParameterError,
        match=r"'n_resamples' parameter of a confidence interval must be an int in the range \[1,",
    ):
        evaluation.confidence_interval("mrr", method=method, n_resamples=n_resamples)


@pytest.mark.parametrize("method", ["t", "bootstrap"])
@pytest.mark.parametrize("seed", [-1, 1.5, "0", None, True, [1, 2], np.random.RandomState(0)])
def test_random_state_is_a_seed_or_a_generator(evaluation, method, seed):
    message = (
        r"The 'random_state' parameter of a confidence interval must be an int of at least 0 or a "
        r"numpy\.random\.Generator\. Got "
    )
    with pytest.raises(InvalidParameterError, match=message):
        evaluation.confidence_interval("mrr", method=method, random_state=seed)


def test_random_state_may_be_a_generator_or_an_integer_of_numpy(evaluation):
    bounds = [
        evaluation.confidence_interval("mrr", method="bootstrap", n_resamples=99, random_state=seed)
        for seed in (7, np.int64(7), np.random.default_rng(7))
    ]
    assert bounds[0] == bounds[1] == bounds[2]


# Slices -----------------------------------------------------------------------------------------

SLICES = {
    "query to label": {"q1": "head", "q2": "tail", "q3": "tail"},
    "query to labels": {"q1": ["head"], "q2": {"tail"}, "q3": ("tail",), "q4": []},
    "label to queries": {"head": ["q1"], "tail": {"q2", "q3"}},
    "label to array": {"head": np.array(["q1"]), "tail": pd.Series(["q2", "q3"])},
}


@pytest.mark.parametrize("slices", SLICES.values(), ids=SLICES)
def test_slices_in_all_forms(evaluation, slices):
    parts = evaluation.by_slice(slices)
    assert {label: part["mrr"] for label, part in parts.items()} == {
        "head": 1.0,
        "tail": (1 / 2 + 1 / 4) / 2,
    }
    assert sorted(parts["tail"].query_ids) == ["q2", "q3"]
    assert parts["tail"].counts["queries"] == 2
    assert parts["tail"].counts["ranked"] == 2 + 4
    assert sorted(parts["tail"].per_query["lag"]) == [1.0, 3.0]


def test_slices_by_function(evaluation):
    parts = evaluation.by_slice(lambda query: query in ("q1", "q4"))
    assert {label: list(part.query_ids) for label, part in parts.items()} == {
        True: ["q1", "q4"],
        False: ["q2", "q3"],
    }
    assert parts[True]["recall@1"] == (1 + 1 / 2) / 2


def test_slices_may_overlap(evaluation):
    parts = evaluation.by_slice({"q1": ["a", "b"], "q2": ["b"]})
    assert parts["a"]["mrr"] == 1.0
    assert parts["b"]["mrr"] == (1 + 1 / 2) / 2


def test_a_query_is_in_a_slice_once(evaluation):
    part = evaluation.by_slice({"s": ["q1", "q2", "q1"]})["s"]
    assert list(part.query_ids) == ["q1", "q2"]
    assert part["mrr"] == (1 + 1 / 2) / 2


def test_slices_of_slices(evaluation):
    part = evaluation.by_slice({"s": ["q1", "q2", "q3"]})["s"]
    assert part.by_slice({"t": ["q3"]})["t"]["mrr"] == 1 / 4


@pytest.mark.parametrize("wrap", [np.array, list])
def test_slices_keep_the_kind_of_the_ids(wrap):
    evaluation = evaluate([1, 0, 1], [3, 2, 1], "map", groups=wrap([7, 7, 9]))
    part = evaluation.by_slice({7: "a"})["a"]
    assert type(part.query_ids) is type(evaluation.query_ids)
    assert part.query_ids.dtype == evaluation.query_ids.dtype
    assert part.query_ids.tolist() == [7]
    mixed = evaluate([1, 1], [2, 1], "map", groups=[7, "7"]).by_slice({"s": ["7"]})["s"]
    assert mixed.query_ids == ["7"]


def test_slices_keep_weights():
    weights = {"q1": 1, "q2": 3, "q3": 1, "q4": 1}
    evaluation = evaluate(TRUTH, RUN, "mrr", sample_weight=weights)
    part = evaluation.by_slice({"s": ["q1", "q2"]})["s"]
    assert part["mrr"] == (1 * 1 + 3 * 1 / 2) / 4


def test_slices_count_what_is_missing_in_them():
    evaluation = evaluate({"p": {"a"}, "q": {"b"}, "r": {"c"}}, {"p": ["a"], "r": ["c"]}, "mrr")
    parts = evaluation.by_slice({"p": "s", "q": "s", "r": "t"})
    assert (parts["s"]["mrr"], parts["t"]["mrr"]) == (1 / 2, 1.0)
    assert (parts["s"].counts["missing"], parts["t"].counts["missing"]) == (1, 0)


def test_pooled_measures_are_ranked_anew_within_slices():
    grades, scores = [1, 0, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]
    evaluation = evaluate(grades, scores, "auc(average=pooled)", groups=list("aabbcc"))
    # Pairs won: 3 by the first, 2 by the second, 0 by the third relevant item.
    assert evaluation["auc(average=pooled)"] == pytest.approx((3 + 2 + 0) / 9)
    parts = evaluation.by_slice({"ab": ["a", "b"], "c": ["c"]})
    assert parts["ab"]["auc(average=pooled)"] == (2 + 1) / 4
    assert parts["c"]["auc(average=pooled)"] == 0.0
    assert parts["ab"].by_slice({"b": ["b"]})["b"]["auc(average=pooled)"] == 1.0


def test_pooled_measures_within_slices_keep_what_was_not_retrieved():
    truth = {"p": {"a", "z"}, "q": {"b"}}
    run = {"p": {"a": 3, "x": 2}, "q": {"b": 1, "y": 4}}
    part = evaluate(truth, run, "auc(average=pooled)").by_slice({"s": ["p"]})["s"]
    # a above x, z below it.
    assert part["auc(average=pooled)"] == 1 / 2


def test_a_slice_of_all_queries_is_the_whole():
    # The items of the one truth that no query found belong to the whole alone.
    truth, rankings = {"1-a", "1-z", "2-b"}, [["1-x", "1-a"], ["2-b", "2-y"]]
    scores = [[0.9, 0.8], [0.7, 0.1]]
    pooled = "auc(average=pooled)"
    whole = evaluate(truth, rankings, ("map", pooled), relevance=scores)
    # Falling: 1-x (no), 1-a, 2-b, 2-y (no), then the missed 1-z.
    assert whole[pooled] == pytest.approx((1 + 1 + 0) / (3 * 2))
    part = whole.by_slice({"all": [0, 1]})["all"]
    assert part.to_dict() == whole.to_dict()
    assert part.counts["missed"] == 1
    assert whole.by_slice(lambda query: "all")["all"].to_dict() == whole.to_dict()
    # In a part of them nothing is missed: 1-x (no), 1-a.
    first = whole.by_slice({"first": [0]})["first"]
    assert (first[pooled], first.counts["missed"]) == (0.0, 0)


def test_a_slice_of_all_queries_keeps_what_was_left_out():
    truth, run = {"p": {"a"}, "q": {"b"}}, {"p": ["a"], "q": ["x", "b"], "r": ["c"]}
    whole = evaluate(truth, run, "mrr")
    part = whole.by_slice({"all": ["q", "p"]})["all"]
    assert part.counts == whole.counts
    assert part.counts["unjudged"] == 1


@pytest.mark.parametrize(
    ("slices", "message"),
    [
        ({}, r"slices must be a non-empty mapping or a function, got \{\}"),
        (3, r"slices must be a non-empty mapping or a function, got 3"),
        (None, r"slices must be a non-empty mapping or a function, got None"),
        ({"q9": "a"}, r"slices names queries that were not evaluated: 'q9'"),
        ({"q1": "a", "q9": "b"}, r"slices names queries that were not evaluated: 'q9'"),
        ({"head": "q1"}, r"slices names queries that were not evaluated: 'head'"),
        (lambda query: {"a": 1}, r"label"),
        ({"q1": np.array(["x"])}, r"label"),
        ({"head": [["q1"]]}, r"quer(y|ies)"),
    ],
    ids=[
        "empty",
        "number",
        "None",
        "unknown query",
        "one unknown query",
        "str for queries",
        "function to a dict",
        "array of labels",
        "unhashable query",
    ],
)
def test_slices_that_mean_nothing(evaluation, slices, message):
    with pytest.raises(InvalidParameterError, match=message):
        evaluation.by_slice(slices)


def test_slices_pass_over_queries_that_were_left_out():
    truth = {"q1": {"a"}, "q2": {"a"}}
    run = {"q1": ["a"], "q3": ["a"]}
    evaluation = evaluate(truth, run, "map", missing="skip")
    by_query = evaluation.by_slice({"q1": "head", "q2": "tail", "q3": "tail"})
    by_label = evaluation.by_slice({"head": ["q1", "q3"], "tail": ["q2"]})
    assert {label: part["map"] for label, part in by_query.items()} == {"head": 1.0}
    assert {label: part["map"] for label, part in by_label.items()} == {"head": 1.0}
    with pytest.raises(InvalidParameterError, match="leaves every query without a label"):
        evaluation.by_slice({"q2": "tail"})
    with pytest.raises(InvalidParameterError, match="not evaluated: 'q9'"):
        evaluation.by_slice({"head": ["q1", "q9"]})


def test_a_label_may_be_the_id_of_a_query():
    evaluation = evaluate({"a": {1}, "b": {1}}, {"a": [1], "b": [2]}, "map")
    parts = evaluation.by_slice({"a": ["a", "b"], "new": ["b"]})
    assert {label: part["map"] for label, part in parts.items()} == {"a": 1 / 2, "new": 0.0}


# Pooled measures --------------------------------------------------------------------------------


def test_pooled_measures_have_no_values_per_query():
    evaluation = evaluate([1, 0], [2, 1], ("auc(average=pooled)", "map"), groups=[1, 1])
    assert list(evaluation.per_query) == ["map"]
    assert "auc(average=pooled)" not in evaluation.per_query
    with pytest.raises(ScoresRequiredError, match=r"^auc\(average=pooled\) ranks all queries tog"):
        evaluation.per_query["auc(average=pooled)"]
    with pytest.raises(ScoresRequiredError, match="it has no values to resample"):
        evaluation.confidence_interval("auc(average=pooled)")
    assert list(evaluation.to_frame().columns) == ["query", "map"]
    assert set(evaluation.to_dict()["per_query"]) == {"map"}
    assert "auc(average=pooled)" in repr(evaluation)


def test_pooled_lag_weighs_by_relevant_items():
    # Lags 0, then 1 and 2.
    pair = [{"a"}, {"b", "c"}], [["a", "x"], ["x", "b", "y", "c"]]
    evaluation = evaluate(*pair, ("lag", "lag(average=pooled)"))
    assert evaluation["lag"] == (0 + (1 + 2) / 2) / 2
    assert evaluation["lag(average=pooled)"] == (0 + 1 + 2) / 3


# Export -----------------------------------------------------------------------------------------


def plain(value):
    """Whether a value is made of JSON's types alone."""
    if type(value) is dict:
        return all(type(key) is str and plain(one) for key, one in value.items())
    if type(value) is list:
        return all(map(plain, value))
    return type(value) in (str, int, float, bool, type(None)) and value == value


IDS = {
    "str": ["a", "b"],
    "int": [1, 2],
    "int array": np.array([1, 2], dtype=np.int32),
    "numpy ints in a list": [np.int64(1), np.int64(2)],
    "numpy ints in an object array": np.array([np.int64(1), "b"], dtype=object),
    "numpy strings": [np.str_("a"), np.str_("b")],
    "float array": np.array([0.5, 1.5]),
    "bool array": np.array([True, False]),
    "tuples": [("a", 1), ("a", 2)],
    "numpy in tuples": [("a", np.int64(1)), ("a", np.int64(2))],
    "datetimes": pd.to_datetime(["2020-01-01", "2021-01-01"]),
    "datetime64": np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]"),
    "timestamps": [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")],
    "lone surrogate": ["\ud800", "b"],
}


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
def test_to_dict_is_json_of_any_ids(ids):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = evaluate([1, 0], [2.0, 1.0], ("map", "ndcg@10", "auc"), groups=ids).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False))["per_query"]["map"] == [1.0, None]
    assert len({json.dumps(one) for one in found["query_ids"]}) == 2
    assert plain({**found, "query_ids": []})


def test_to_dict_of_mapping_keys_of_numpy():
    found = evaluate({np.int64(1): {"a"}}, {np.int64(1): ["a"]}, "map").to_dict()
    assert json.loads(json.dumps(found))["query_ids"] == [1]


def test_to_dict_keeps_datetimes_readable():
    ids = np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]")
    found = evaluate([1, 1], [2, 1], "map", groups=ids).to_dict()
    assert "2020-01-01" in str(found["query_ids"][0])


def test_to_dict():
    found = evaluate([{"a"}, set()], [["x", "a"], ["a"]], "RR", zero_division=np.nan).to_dict()
    assert found == {
        "scores": {"mrr": 1 / 2},
        "measures": {"mrr": "mrr"},
        "counts": {
            "queries": 2,
            "missing": 0,
            "unjudged": 0,
            "no_relevant": 1,
            "tied": 0,
            "ranked": 3,
            "relevant": 1,
            "retrieved": 1,
            "duplicates": 0,
            "missed": 0,
            "unjudged_grades": 0,
            "undefined": {"mrr": 1},
            "averaged": {"mrr": 1},
        },
        "query_ids": [0, 1],
        "per_query": {"mrr": [1 / 2, None]},
    }
    assert plain(found)


def test_changing_an_export_changes_no_evaluation(evaluation):
    evaluation.to_dict()["counts"]["queries"] = 99
    evaluation.to_dict()["counts"]["undefined"]["mrr"] = 99
    assert evaluation.counts["queries"] == 4
    assert evaluation.counts["undefined"]["mrr"] == 0


SPECIAL = {
    "function": measure("ndcg", gain=np.sqrt),
    "lambda": measure("ndcg", gain=lambda grades: grades),
    "long numbers": measure("ndcg", gain={1: 0.123456789, 2: 1.0}),
    "negatives per query": measure("gauc", n_negatives=[5, 5]),
}


@pytest.mark.parametrize("one", SPECIAL.values(), ids=SPECIAL)
def test_measures_with_any_parameter_are_shown(one):
    evaluation = evaluate([{"a": 1}, {"a": 1}], [["a", "b"], ["a", "b"]], one)
    assert evaluation[one] == 1.0
    assert list(evaluation.scores.items()) == [(str(one), 1.0)]
    assert str(one) in repr(evaluation)
    assert evaluation.to_dict()["scores"] == {str(one): 1.0}
    assert list(evaluation.to_frame().columns) == ["query", str(one)]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_to_frame(backend):
    evaluation = evaluate(TRUTH, RUN, ("mrr", "P_1"))
    frame = evaluation.to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    columns = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert columns == ["query", "mrr", "precision@1"]
    rows = {
        name: list(map(str, frame[name].to_pylist() if backend == "pyarrow" else frame[name]))
        for name in columns
    }
    assert rows["query"] == ["q1", "q2", "q3", "q4"]
    assert rows["mrr"] == [str(value) for value in MRR]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_to_frame_writes_undefined_as_nan(backend):
    frame = evaluate(*HALF, "mrr", zero_division=0.0).to_frame(backend)
    values = frame["mrr"].to_pylist() if backend == "pyarrow" else list(frame["mrr"])
    assert math.isnan(values[0])
    assert values[1] == 1 / 2


def test_to_frame_keeps_ids_apart():
    frame = evaluate([1, 1], [2, 1], "map", groups=[1, "1"]).to_frame()
    assert frame["query"].nunique() == 2


def test_to_frame_keeps_integers():
    frame = evaluate([1, 1], [2, 1], "map", groups=[7, 9]).to_frame()
    assert frame["query"].tolist() == [7, 9]
    assert frame["query"].dtype.kind == "i"


def test_values_per_query_cannot_be_changed(evaluation):
    for one in (evaluation, evaluation.by_slice({"s": ["q1", "q2"]})["s"]):
        for values in one.per_query.values():
            with pytest.raises(ValueError, match="read-only"):
                values[0] = 0.0
        with pytest.raises(ValueError, match="read-only"):
            copy.deepcopy(one).per_query["mrr"][0] = 0.0


LONG = "x" * 200


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_to_frame_cuts_no_ids(backend):
    ids = [(LONG, 1), (LONG, 2), LONG]
    frame = evaluate([1, 1, 1], [2, 1, 1], "map", groups=ids).to_frame(backend)
    column = frame["query"].to_pylist() if backend == "pyarrow" else list(frame["query"])
    assert column == [f"('{LONG}', 1)", f"('{LONG}', 2)", f"'{LONG}'"]


def test_to_dict_cuts_no_ids():
    ids = [frozenset([LONG + "1"]), frozenset([LONG + "2"]), b"x" * 200]
    written = evaluate([1, 1, 1], [2, 1, 1], "map", groups=ids).to_dict()["query_ids"]
    assert written == [repr(one) for one in ids]


def test_to_frame_of_other_libraries(evaluation):
    with pytest.raises(InvalidParameterError, match=r"The 'backend' parameter of to_frame must be"):
        evaluation.to_frame("spark")


# Display ----------------------------------------------------------------------------------------


def test_text():
    text = repr(evaluate([{"a"}, {"b"}], [["a", "b"], ["a", "b"]], ("mrr", "f1@1")))
    lines = text.splitlines()
    assert lines[0].split() == ["measure", "score", "95", "%", "interval", "queries"]
    assert lines[1].split() == ["mrr", "0.7500", "0.0000..1.0000", "2"]
    assert lines[2].split() == ["fbeta@1", "0.5000", "0.0000..1.0000", "2"]
    assert lines[3] == "2 queries"


def test_text_tells_what_was_left_out():
    text = repr(
        evaluate(
            {"p": {"a"}, "q": {"b"}, "r": set()},
            {"p": {"a": 1, "x": 1}, "r": ["a"], "z": ["b"]},
            "mrr",
            zero_division=np.nan,
        )
    )
    assert text.splitlines()[-1] == (
        "3 queries; 1 judged but without a ranking; 1 ranked but without judgements, left out; "
        "1 without a relevant item; 1 with ties at a relevant item"
    )
    assert text.splitlines()[1].split()[-1] == "2"


def test_text_lines_up():
    measures = (
        "mrr",
        "ndcg(gain={1:1000000,2:2000000,3:3000000,4:4000000})@10",
        "dcg(gain=linear)",
        "lag",
    )
    text = repr(evaluate([{"a": 4}] * 3, [["x", "a"], ["a"], ["a", "b"]], measures))
    lines = text.splitlines()[:-1]
    assert len({len(line) for line in lines}) == 1
    ends = [line.index("score") + len("score") for line in lines[:1]]
    assert all(line[end - 1] != " " and line[end] == " " for line in lines for end in ends)


def test_text_of_huge_scores_is_short():
    evaluation = evaluate([{"a": 1.5e300}, {"a": 1.0e300}], [["a"], ["a"]], "dcg(gain=linear)")
    lines = repr(evaluation).splitlines()
    assert lines[1].split()[:2] == ["dcg(gain=linear)", "1.25e+300"]
    assert len({len(line) for line in lines[:-1]}) == 1
    assert len(lines[0]) < 80


def test_text_of_nothing_defined():
    text = repr(evaluate([set()], [["a"]], "mrr", zero_division=np.nan))
    assert text.splitlines()[1].split() == ["mrr", "nan", "0"]


def test_html_is_escaped():
    def gain(grades):
        return grades

    gain.__name__ = "<script>alert('x')</script>"
    page = evaluate(TRUTH, RUN, (measure("ndcg", gain=gain), "mrr"))._repr_html_()
    assert page.startswith("<table>")
    assert page.endswith("</table>")
    assert "<script>" not in page
    assert "<td>mrr</td><td>0.6875</td>" in page
    assert "<caption>4 queries</caption>" in page


def test_html_shows_what_text_shows(evaluation):
    page = evaluation._repr_html_()
    for line in repr(evaluation).splitlines()[1:-1]:
        for cell in line.split():
            assert f"<td>{cell}</td>" in page


# Extreme values ---------------------------------------------------------------------------------


def gains(*values):
    """One query for each value, whose DCG is the value, to the last digit at rank 1."""
    return [{"a": value} for value in values], [["a"]] * len(values)


@pytest.mark.parametrize("order", [1, -1])
def test_means_of_huge_values(order):
    values = [1.5e308, 1.0e308, 1.7e308][::order]
    evaluation = evaluate(*gains(*values), "dcg(gain=linear)")
    assert evaluation["dcg(gain=linear)"] == 1.4e308
    truth, rankings = [{"a", "c"}, {"b"}], [["a", "x", "c"], ["x", "b"]]
    # Of the pairs of the first 1 of 2, of the second 0 of 1.
    auc = evaluate(truth, rankings, "auc", sample_weight=[1.5e308, 1.5e308])["auc"]
    assert auc == pytest.approx((2 * 1 / 2 + 1 * 0) / 3, rel=1e-15)
    weighted = evaluate(*gains(1.5e308, 1.0e308), "dcg(gain=linear)", sample_weight=[1e300, 1e300])
    assert weighted["dcg(gain=linear)"] == 1.25e308


@pytest.mark.parametrize("order", [1, -1])
def test_means_of_tiny_values_and_weights(order):
    values = [5e-324, 1.5e-323][::order]
    assert evaluate(*gains(*values), "dcg(gain=linear)")["dcg(gain=linear)"] == 1e-323
    truth, rankings = [{"a"}, {"b"}, {"c"}][::order], [["a"], ["x", "b"], ["x", "y", "c"]][::order]
    weights = [5e-324, 1e-323, 5e-324][::order]
    value = evaluate(truth, rankings, "mrr", sample_weight=weights)["mrr"]
    assert value == pytest.approx((1 * 1 + 2 * 1 / 2 + 1 * 1 / 3) / 4, rel=1e-15)
    # 5e-324 is lost beside 1, and no query weighs on another.
    mixed = evaluate(truth, rankings, "mrr", sample_weight=[5e-324, 1.0, 5e-324])["mrr"]
    assert mixed == 1 / 2


def test_means_of_values_far_apart():
    values = gains(1e308, 5e-324, 1.0)
    assert evaluate(*values, "dcg(gain=linear)")["dcg(gain=linear)"] == 1e308 / 3


def test_intervals_of_huge_and_tiny_values():
    for unit in (1.0, 2.0**1000, 2.0**-1060):
        evaluation = evaluate(*gains(8 * unit, 16 * unit, 12 * unit), "dcg(gain=linear)")
        low, high = evaluation.confidence_interval("dcg(gain=linear)", 0.5)
        reach = stats.t.ppf(0.75, 2) * math.sqrt((16 + 16 + 0) / 2 / 3)
        assert low / unit == pytest.approx(12 - reach, rel=1e-3)
        assert high / unit == pytest.approx(12 + reach, rel=1e-3)
        low, high = evaluation.confidence_interval("dcg(gain=linear)", method="bootstrap")
        assert 8 <= low / unit < 12 < high / unit <= 16
    # The upper bound lies beyond float64.
    wide = evaluate(*gains(1.7e308, 1.7e308, 0.5e308), "dcg(gain=linear)")
    assert wide.confidence_interval("dcg(gain=linear)") == (0.0, math.inf)


# n_jobs, copies ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2, 4, -1])
@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
def test_threads_change_no_bit(n_jobs, ties):
    rng = np.random.default_rng(5)
    n_rows = 300_000
    groups, scores = rng.integers(0, 2000, n_rows), rng.integers(0, 50, n_rows)
    grades = rng.integers(0, 40, n_rows) // 38
    measures = ("map", "ndcg@10", "mrr", "auc")
    options = {"groups": groups, "ties": ties, "zero_division": np.nan}
    one = evaluate(grades, scores, measures, **options)
    many = evaluate(grades, scores, measures, **options, n_jobs=n_jobs)
    assert dict(many.scores) == dict(one.scores)
    for name in measures:
        assert many.per_query[name].tobytes() == one.per_query[name].tobytes()


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, "2", True])
def test_n_jobs_is_a_number_of_threads(n_jobs):
    with pytest.raises(InvalidParameterError, match="The 'n_jobs' parameter of evaluate must be"):
        evaluate(TRUTH, RUN, n_jobs=n_jobs)


def test_n_jobs_may_be_an_integer_of_numpy():
    assert evaluate(TRUTH, RUN, "mrr", n_jobs=np.int64(2))["mrr"] == sum(MRR) / 4


def test_evaluations_are_frozen_and_copy(evaluation):
    with pytest.raises(AttributeError, match="cannot assign to field"):
        evaluation._zero_division = 1.0
    for twin in (pickle.loads(pickle.dumps(evaluation)), copy.deepcopy(evaluation)):
        assert dict(twin.scores) == dict(evaluation.scores)
        assert twin.counts == evaluation.counts


def test_slices_copy_too(evaluation):
    part = evaluation.by_slice({"s": ["q1", "q2"]})["s"]
    assert pickle.loads(pickle.dumps(part))["mrr"] == part["mrr"]


@pytest.mark.parametrize("seed", range(3))
def test_order_of_queries_and_rows_changes_no_bit(seed):
    rng = np.random.default_rng(seed)
    groups, scores = rng.integers(0, 40, 600), rng.normal(size=600)
    grades = rng.integers(0, 3, 600)
    order = rng.permutation(600)
    measures = ("map", "ndcg", "err", "auc", "auc(average=pooled)", "lag")
    one = evaluate(grades, scores, measures, groups=groups, zero_division=np.nan)
    other = evaluate(
        grades[order], scores[order], measures, groups=groups[order], zero_division=np.nan
    )
    assert dict(one.scores) == dict(other.scores)
    by_id = dict(zip(other.query_ids.tolist(), other.per_query["ndcg"], strict=True))
    assert [by_id[query] for query in one.query_ids.tolist()] == one.per_query["ndcg"].tolist()


def test_evaluate_is_public():
    assert sklearn_rank.evaluate is evaluate
    assert isinstance(evaluate(TRUTH, RUN), sklearn_rank.Evaluation)


@dataclass
class Gain:
    """A gain that has no hash, as data classes have none."""

    base: float = 3.0
    inside: int = 0
    most: int = 0

    def __call__(self, grade: float) -> float:
        self.inside += 1
        self.most = max(self.most, self.inside)
        time.sleep(0.001)
        self.inside -= 1
        return self.base**grade - 1


def test_a_gain_needs_no_hash():
    y_true, y_score = [{"a": 1}], [["b", "a"]]
    expected = 1 / np.log2(3)
    used = measure("ndcg", gain=Gain())
    assert ndcg_at_k_score(y_true, y_score, gain=Gain()) == pytest.approx(expected, abs=1e-15)
    assert list(evaluate(y_true, y_score, [used, "mrr"]).scores.values()) == [
        pytest.approx(expected, abs=1e-15),
        0.5,
    ]


def test_functions_of_the_caller_are_not_called_side_by_side(monkeypatch):
    monkeypatch.setattr(_segments, "BLOCK", 8)
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 9, (40, 12)), rng.random((40, 12))
    gain = Gain(1.5)
    members = (measure("ndcg", gain=gain), measure("map"))
    for used in (members[0], measure("hmean", measures=members)):
        evaluate(grades, scores, [used, "mrr"], n_jobs=4)
        assert gain.most == 1


def test_what_cannot_be_pooled_is_refused_before_anything_is_computed():
    measures = [measure("err", max_grade=1), "auc(average=pooled)"]
    with pytest.raises(ScoresRequiredError):
        evaluate([{"a": 2}], [["a", "b"]], measures)
