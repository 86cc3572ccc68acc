"""Relevance values of ranked items that are refused."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_rank import evaluate, group_auc_score
from sklearn_rank.inputs import RelevanceInput


@pytest.mark.parametrize(
    ("relevance", "error", "message"),
    [
        ([[2, 1]], ValueError, r"relevance\[0\] has 2 scores for 3 ranked results"),
        ([[3, 2, 1], [1]], ValueError, r"relevance has 2 lists for 1 ranked lists"),
        (
            [[1, 2, 3]],
            ValueError,
            r"relevance\[0\] contradicts the order of the ranked results at position 2: 2 > "
            r"1; .*higher_is_better=False",
        ),
        ([[3, 1, 2]], ValueError, r"at position 3: 2 > 1"),
        (
            RelevanceInput([[3, 2, 1]], higher_is_better=False),
            ValueError,
            r"at position 2: 2 < 3; .*higher_is_better=True",
        ),
        ([[3, np.nan, 1]], ValueError, r"relevance\[0\] contains NaN"),
        ([["3", "2", "1"]], TypeError, r"relevance\[0\] has score '3'"),
        ([[3, None, 1]], TypeError, r"relevance\[0\] has score None"),
        (
            RelevanceInput([["x", "2", "1"]]),
            ValueError,
            r"provider of RelevanceInput raised ValueError\(.*\) on score 0 of relevance\[0\]",
        ),
        (
            {"q": [1]},
            TypeError,
            r"relevance is a mapping; for a sequence of ranked lists pass a sequence",
        ),
        ({1, 2}, TypeError, r"relevance is a set, which has no order"),
        ([{3, 2, 1}], TypeError, r"relevance\[0\] is a set, which has no order"),
        ("abc", TypeError, r"relevance is a str; did you mean"),
        (
            ([3, 2, 1] for _ in [1]),
            TypeError,
            r"relevance must be a sequence; got generator\. Use list",
        ),
    ],
)
def test_relevance_that_is_refused(relevance, error, message):
    with pytest.raises(error, match=message):
        group_auc_score([{"b"}], [["a", "b", "c"]], relevance=relevance)


@pytest.mark.parametrize(
    ("relevance", "message"),
    [
        ([[3, np.nan, 1]], r"contains NaN .*at position 2"),
        ([["3", "2", "1"]], r"has score '3' .*at position 1"),
    ],
)
def test_relevance_messages_name_a_position_and_no_item(relevance, message):
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        group_auc_score([{"b"}], [["a", "b", "c"]], relevance=relevance)
    assert "item 'at position" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"provider": "float"}, r"provider must be a function of a score, got 'float'"),
        (
            {"higher_is_better": 1},
            r"The 'higher_is_better' parameter of RelevanceInput must be a bool\. Got 1",
        ),
        ({"higher_is_better": None}, r"must be a bool\. Got None"),
    ],
    ids=["provider", "int for bool", "None for bool"],
)
def test_relevance_input_checks_itself(arguments, message):
    with pytest.raises(TypeError, match=message):
        RelevanceInput([[1]], **arguments)


def test_relevance_of_mappings_is_a_mapping():
    truth, ranking = {"q": {"b"}}, {"q": ["a", "b"]}
    with pytest.raises(
        TypeError, match=r"relevance is a sequence; for mappings pass \{query: scores\}"
    ):
        group_auc_score(truth, ranking, relevance=[[2, 1]])
    with pytest.raises(ValueError, match=r"relevance\['q'\] has 0 scores for 2 ranked results"):
        group_auc_score(truth, ranking, relevance={})


def test_relevance_beside_scores_is_refused():
    with pytest.raises(TypeError, match=r"y_score holds \{item: score\} rankings, which need no"):
        group_auc_score([{"b"}], [{"a": 1, "b": 2}], relevance=[[2, 1]])


@pytest.mark.parametrize("options", [{"ties": "docid"}, {"convention": "trec_eval"}])
def test_relevance_with_ties_by_id_is_refused(options):
    message = r"ties='docid' would reorder tied items, but ranked lists stand as given; pass "
    with pytest.raises(ValueError, match=message):
        evaluate([{"b"}], [["a", "b"]], "mrr", relevance=[[1, 1]], **options)
    with pytest.raises(ValueError, match=message):
        evaluate({"q": {"b"}}, {"q": ["a", "b"]}, "mrr", relevance={"q": [1, 1]}, **options)
    assert evaluate([{"b"}], [["a", "b"]], "gauc", ties="docid")["gauc"] == 0.0
    stable = {**options, "ties": "stable"}
    assert evaluate([{"b"}], [["a", "b"]], "mrr", relevance=[[1, 1]], **stable)["mrr"] == 1 / 2


def test_relevance_beside_dropped_duplicates_is_refused():
    with pytest.raises(ValueError, match=r"duplicates='first' cannot drop items of rankings"):
        evaluate([{"b"}], [["a", "a"]], "gauc", relevance=[[2, 1]], duplicates="first")
