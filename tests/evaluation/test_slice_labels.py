"""Labels of queries, told by query: read at once where each query has one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sklearn_rank import (
    InvalidParameterError,
    RankingDataWarning,
    UndefinedMetricWarning,
    evaluate,
)

VALUES = [1.0, 0.5, 0.25, 1.0, 0.5]
"""Reciprocal ranks of the queries 0 to 4."""


@pytest.fixture
def evaluation():
    rankings = [["a"], ["x", "a"], ["x", "y", "z", "a"], ["a"], ["x", "a"]]
    return evaluate([{"a"}] * 5, rankings, ("mrr", "map"))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["b", "a", "b", "a", "c"], {"b": [0, 2], "a": [1, 3], "c": [4]}),
        ([1, True, 1.0, 2, "1"], {1: [0, 1, 2], 2: [3], "1": [4]}),
        ([None, (1, 2), None, math.inf, None], {None: [0, 2, 4], 1: [1], 2: [1], math.inf: [3]}),
        ([["a", "b", "a"], "a", [], {"b"}, "b"], {"a": [0, 1], "b": [0, 3, 4]}),
    ],
)
@pytest.mark.parametrize("form", ["mapping", "function"])
def test_labels_by_query(evaluation, labels, expected, form):
    slices = dict(enumerate(labels)) if form == "mapping" else lambda query: labels[query]
    parts = evaluation.by_slice(slices)
    assert {label: part.query_ids.tolist() for label, part in parts.items()} == expected
    for label, numbers in expected.items():
        assert parts[label]["mrr"] == np.mean([VALUES[number] for number in numbers])


def test_some_queries_have_no_label(evaluation):
    with pytest.warns(RankingDataWarning, match=r"^3 of 5 queries have no label .*: 0, 2, 4; "):
        parts = evaluation.by_slice({3: "a", 1: "a"})
    assert parts["a"].query_ids.tolist() == [1, 3]
    told = {3: "a", 1: "a", 0: [], 2: [], 4: []}
    assert evaluation.by_slice(told)["a"].query_ids.tolist() == [1, 3]
    assert evaluation.by_slice({"a": [1, 3]})["a"].query_ids.tolist() == [1, 3]


def test_labels_that_are_no_keys_are_refused(evaluation):
    with pytest.raises(InvalidParameterError, match="not hashable"):
        evaluation.by_slice({0: "a", 1: {}})


@pytest.mark.parametrize("n", [3, 400, 401, 2_000])
def test_means_of_slices_are_rounded_once(n):
    """Few values are summed by ``math.fsum``, many by its faster spelling."""
    rng = np.random.default_rng(n)
    y_true, y_score = rng.integers(0, 5, (2 * n, 4)), rng.normal(size=(2 * n, 4))
    y_true[:, 0] = 1
    whole = evaluate(y_true, y_score, "ndcg")
    for label, part in whole.by_slice(lambda query: query % 2).items():
        assert part["ndcg"] == math.fsum(whole.per_query["ndcg"][label::2]) / n


def test_a_slice_tells_of_undefined_queries_only_where_they_are_left_out():
    truths, rankings = [{"a"}, set(), set(), {"b"}], [["a"]] * 4
    with pytest.warns(UndefinedMetricWarning, match="mrr is undefined for 2 of 4"):
        whole = evaluate(truths, rankings, "mrr")
    with pytest.warns(UndefinedMetricWarning, match=r"slice 0 \(and slices 1\): mrr is undefined"):
        whole.by_slice(lambda query: query % 2)
    settled = evaluate(truths, rankings, "mrr", zero_division=0.0)
    parts = settled.by_slice(lambda query: query % 2)
    assert {label: part["mrr"] for label, part in parts.items()} == {0: 0.5, 1: 0.0}
    assert parts[0].counts["undefined"] == {"mrr": 1}
