"""Relevance values of ranked items: they break ties and compare rankings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_rank import (
    InvalidParameterError,
    evaluate,
    group_auc_score,
    ranking_auc_score,
)
from sklearn_rank.inputs import RelevanceInput

PAIR = [{"b"}, {"x"}], [["a", "b", "c"], ["x", "y"]]

RELEVANCE = {
    "lists": [[3, 2, 2], [2, 1]],
    "tuples": ((3, 2, 2), (2, 1)),
    "arrays": [np.array([3, 2, 2]), np.array([2.0, 1.0])],
    "series": [pd.Series([3, 2, 2], index=[9, 8, 7]), pl.Series([2, 1])],
    "input": RelevanceInput([[3, 2, 2], [2, 1]]),
    "texts": RelevanceInput([["3", "2", "2e0"], ["2", "1"]]),
    "provider": RelevanceInput(
        [[{"s": 3}, {"s": 2}, {"s": 2}], [{"s": 2}, {"s": 1}]], provider=lambda one: one["s"]
    ),
    "distances": RelevanceInput([[1, 2, 2], [0, 9]], higher_is_better=False),
    "texts of distances": RelevanceInput([["1", "2", "2"], ["0", "9"]], float, False),
    "infinities": [[np.inf, 2, 2], [2, -np.inf]],
}


@pytest.mark.parametrize("relevance", RELEVANCE.values(), ids=RELEVANCE)
def test_relevance_decides_ties_of_measures_that_read_scores(relevance):
    evaluation = evaluate(*PAIR, ("gauc", "mrr"), relevance=relevance)
    # b: below a, tied with c; x above y.
    assert evaluation.per_query["gauc"].tolist() == [(0 + 1 / 2) / 2, 1.0]
    # The order stands as given for measures of ranks.
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0]


def test_without_relevance_the_order_decides():
    assert evaluate(*PAIR, "gauc").per_query["gauc"].tolist() == [(0 + 1) / 2, 1.0]


def test_relevance_of_mappings_is_joined_by_query():
    truth = {"p": {"b"}, "q": {"x"}}
    run = {"q": ["x", "y"], "p": ["a", "b", "c"]}
    relevance = {"q": [2, 1], "p": [3, 2, 2]}
    for given in (relevance, RelevanceInput(relevance)):
        found = evaluate(truth, run, "gauc", relevance=given).per_query["gauc"]
        assert found.tolist() == [1 / 4, 1.0]


def test_relevance_makes_rankings_comparable_across_queries():
    pair = [{"a"}, {"c"}], [["a", "b"], ["d", "c"]]
    # Falling: a, d (no), c, b (no).
    value = ranking_auc_score(*pair, relevance=[[0.9, 0.1], [0.8, 0.5]], average="pooled")
    assert value == (2 + 1) / 4
    with pytest.raises(InvalidParameterError, match="pass relevance="):
        ranking_auc_score(*pair, average="pooled")


def test_relevance_keeps_integers_apart():
    scores = [[2**53 + 1, 2**53]]
    assert group_auc_score([{"a"}], [["a", "b"]], relevance=scores) == 1.0


def test_relevance_input_is_a_value():
    assert RelevanceInput([[1]]) == RelevanceInput([[1]], provider=float, higher_is_better=True)
    with pytest.raises(AttributeError, match="cannot assign to field 'scores'"):
        RelevanceInput([[1]]).scores = []
