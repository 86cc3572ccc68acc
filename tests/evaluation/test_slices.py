"""Slices of an evaluation."""

import math
import pickle
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank import (
    InvalidParameterError,
    RankingDataWarning,
    UndefinedMetricWarning,
    compare,
    evaluate,
)
from tests.numbers.invariants import bits
from tests.strategies import examples

# Slices ------------------------------------------------------------------------------------------

SLICES = {
    "query to labels": {"q1": ["head"], "q2": {"tail"}, "q3": ("tail",), "q4": []},
    "label to queries": {"head": {"q1"}, "tail": ["q2", "q3", "q3"]},
    "series": pd.Series({"q1": ["head"], "q2": {"tail"}, "q3": ("tail",), "q4": []}),
    "label to array": {"head": np.array(["q1"]), "tail": pd.Series(["q2", "q3"])},
}


@pytest.mark.parametrize("slices", SLICES.values(), ids=SLICES)
def test_slices_in_all_forms(evaluation, slices):
    parts = evaluation.by_slice(slices)
    means = {"head": 1.0, "tail": (1 / 2 + 1 / 4) / 2}
    assert {label: part["mrr"] for label, part in parts.items()} == means
    tail = parts["tail"]
    assert sorted(tail.query_ids) == ["q2", "q3"]
    assert (tail.counts["queries"], tail.counts["ranked"]) == (2, 2 + 4)
    assert sorted(tail.per_query["lag"]) == [1.0, 3.0]
    assert pickle.loads(pickle.dumps(tail)).by_slice({"t": ["q3"]})["t"]["mrr"] == 1 / 4


@pytest.mark.parametrize("wrap", [np.array, list])
def test_slices_keep_the_kind_of_the_ids(wrap):
    evaluation = evaluate([1, 0, 1], [3, 2, 1], "map", groups=wrap([7, 7, 9]))
    part = evaluation.by_slice({7: "a", 9: []})["a"]
    assert type(part.query_ids) is type(evaluation.query_ids)
    assert part.query_ids.dtype == evaluation.query_ids.dtype
    assert part.query_ids.tolist() == [7]
    ids = {7: {"a": 1}, "7": {"a": 1}}
    assert evaluate(ids, ids, "map").by_slice({"s": ["7"]})["s"].query_ids == ["7"]


def seen(evaluation):
    """All that is said of queries, and of their mean."""
    names = ("queries", "tied", "ranked", "relevant", "retrieved", "undefined", "averaged")
    return repr(
        (
            bits(evaluation),
            {name: evaluation.confidence_interval(name) for name in evaluation},
            {name: list(evaluation.is_undefined(name)) for name in evaluation},
            {name: evaluation.query_weights(name) for name in evaluation},
            evaluation.clusters,
            [evaluation.counts[name] for name in names],
        )
    )


@pytest.mark.filterwarnings("ignore")
@given(seed=st.integers(0, 2**32 - 1))
@examples(12)
def test_a_part_of_the_queries_counts_as_if_it_were_alone(seed):
    """Weights, clusters, undefined values and ties of a part are those of its queries."""
    rng = random.Random(seed)
    items, queries = "abcdef", [f"q{number}" for number in range(12)]
    truth = {
        q: {i: rng.choice([0, 0, 1, 2]) * (rng.random() < 0.8) for i in items} for q in queries
    }
    truth |= {query: dict.fromkeys(items, 0) for query in rng.sample(queries, 3)}
    old, new = ({q: {i: rng.randint(0, 3) for i in items} for q in queries} for _ in "on")
    part = [query for query in truth if rng.random() < 0.7] or list(truth)
    weights = {query: rng.choice([0.0, 0.5, 1.0, 3.0]) for query in truth} | {part[0]: 1.0}
    clusters = {query: rng.choice("uvw") for query in truth}
    measures = ("mrr", "ndcg@3", "auc", "map(min_rel=2)@3", "lag")
    options = {
        "ties": rng.choice(["average", "stable", "pessimistic"]),
        "zero_division": rng.choice([math.nan, 0.0, 1.0]),
        "clusters": rng.choice([None, clusters.get]),
    }

    def both(queries):
        own = {query: truth[query] for query in queries}
        shares = {query: weights[query] for query in queries}
        return [
            evaluate(own, {q: run[q] for q in own}, measures, sample_weight=shares, **options)
            for run in (old, new)
        ]

    whole, alone = both(truth), both(part)
    for evaluation, expected in zip(whole, alone, strict=True):
        assert seen(evaluation.by_slice({"part": part})["part"]) == seen(expected)
    rows = compare(*alone).rows
    # Slices are a family of their own: of one slice it is as if it were alone.
    assert repr(compare(*whole).by_slice({"part": part})["part"].rows) == repr(rows)
    assert repr(compare(whole[0], alone[1]).rows) == repr(rows)
    assert repr(compare(alone[0], whole[1]).rows) == repr(rows)
    if math.isnan(options["zero_division"]):  # those that are left out may as well not be there
        answerable = [query for query in truth if weights[query] and any(truth[query].values())]
        row = compare(*both(answerable), measures="mrr").rows
        assert repr(compare(*whole, measures="mrr").rows) == repr(row)


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
    assert parts["ab"].by_slice({"part": ["b"]})["part"]["auc(average=pooled)"] == 1.0


def test_pooled_measures_within_slices_keep_what_was_not_retrieved():
    truth = {"p": {"a", "z"}, "q": {"b"}}
    run = {"p": {"a": 3, "x": 2}, "q": {"b": 1, "y": 4}}
    part = evaluate(truth, run, "auc(average=pooled)").by_slice({"s": ["p"]})["s"]
    # a above x, z below it.
    assert part["auc(average=pooled)"] == 1 / 2


@pytest.mark.filterwarnings("ignore:1 of 3 items of the shared ground truth")
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


@pytest.mark.parametrize(
    ("slices", "message"),
    [
        ({}, r"slices must be a non-empty mapping, a Series by query id, or .*; got \{\}$"),
        (3, r"a Series by query id, or a function; got 3$"),
        (pd.DataFrame({"query": ["q1"], "slice": ["a"]}), r"; got DataFrame$"),
        ({"q1": "a", "q9": "b"}, r"slices names queries that were not evaluated: 'q9'"),
        ({"head": "q1"}, r"slices names queries that were not evaluated: 'head'"),
        (lambda query: {"a": 1}, r"label"),
        ({"q1": np.array(["x"])}, r"label"),
        ({"head": [["q1"]]}, r"quer(y|ies)"),
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
    with pytest.raises(InvalidParameterError, match="slices gives no query a label"):
        evaluation.by_slice({"q2": "tail"})
    with pytest.raises(InvalidParameterError, match="not evaluated: 'q9'"):
        evaluation.by_slice({"head": ["q1", "q9"]})


# Labels by query ---------------------------------------------------------------------------------

VALUES = [1.0, 0.5, 0.25, 1.0, 0.5]
"""Reciprocal ranks of the queries 0 to 4."""


@pytest.fixture
def five():
    rankings = [["a"], ["x", "a"], ["x", "y", "z", "a"], ["a"], ["x", "a"]]
    return evaluate([{"a"}] * 5, rankings, ("mrr", "map"))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["b", "a", "b", "a", "c"], {"b": [0, 2], "a": [1, 3], "c": [4]}),
        ([1, True, 1.0, 2, "1"], {1: [0, 1, 2], 2: [3], "1": [4]}),
        ([7, (1, 2, None), 7, math.inf, 7], {7: [0, 2, 4], 1: [1], 2: [1], math.inf: [3]}),
        ([["a", "b", "a"], "a", [], {"b"}, "b"], {"a": [0, 1], "b": [0, 3, 4]}),
    ],
)
@pytest.mark.parametrize("form", ["mapping", "function"])
def test_labels_by_query(five, labels, expected, form):
    slices = dict(enumerate(labels)) if form == "mapping" else lambda query: labels[query]
    parts = five.by_slice(slices)
    assert {label: part.query_ids.tolist() for label, part in parts.items()} == expected
    for label, numbers in expected.items():
        assert parts[label]["mrr"] == np.mean([VALUES[number] for number in numbers])


def test_some_queries_have_no_label(five):
    labels = {0: None, 1: float("nan"), 2: [np.float32("nan")], 3: ["a", math.nan]}
    with pytest.warns(RankingDataWarning, match=r"^4 of 5 queries have no label .*: 0, 1, 2, 4$"):
        assert five.by_slice(labels)["a"].query_ids.tolist() == [3]
    labels = {3: "a", 1: "a", 0: [], 2: [], 4: []}
    assert five.by_slice(labels)["a"].query_ids.tolist() == [1, 3]


def test_slices_with_undefined_queries_warn_once() -> None:
    truth = {"p": set(), "q": {"a"}, "r": set(), "s": {"a"}, "t": set()}
    with pytest.warns(UndefinedMetricWarning):
        whole = evaluate(truth, {query: ["a"] for query in truth}, ["map", "mrr"])
    with pytest.warns(UndefinedMetricWarning) as caught:
        whole.by_slice({"p": 1, "q": 1, "r": 2, "s": 3, "t": 2})
    assert [str(warning.message) for warning in caught] == [
        "slice 1 (and slices 2): map and mrr are undefined for 1 of 2 queries: 'p'; they are left "
        "out. Use the zero_division parameter to control this behavior."
    ]
    assert caught[0].filename == __file__
