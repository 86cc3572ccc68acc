"""Items that are compared by a string made of each."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_rank import (
    evaluate,
    group_auc_score,
    mean_reciprocal_rank_score,
    recall_at_k_score,
)
from sklearn_rank.inputs import RelevanceInput

# String provider ---------------------------------------------------------------------------------


class Document:
    """An item that is neither hashable nor equal to its twins."""

    __hash__ = None

    def __init__(self, name):
        self.name = name


@pytest.mark.parametrize("layout", ["lists", "mapping"])
def test_string_provider(layout):
    truth, ranking = [Document("a")], [Document("b"), Document("a")]
    pair = ([truth], [ranking]) if layout == "lists" else ({"q": truth}, {"q": ranking})
    value = mean_reciprocal_rank_score(*pair, string_provider=lambda one: one.name)
    assert value == 1 / 2


def test_string_provider_compares_by_strings_alone():
    value = recall_at_k_score([{"A", "B"}], [["a"]], string_provider=str.casefold)
    assert value == 1 / 2


class Sub(str):
    __slots__ = ()


def test_string_provider_may_return_a_kind_of_str():
    assert mean_reciprocal_rank_score([{"a"}], [["b", "a"]], string_provider=Sub) == 1 / 2


# Relevance ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_provider_of_integers_keeps_them_apart(higher_is_better):
    scores = [[2**53 + 1, 2**53]] if higher_is_better else [[2**53, 2**53 + 1]]
    relevance = RelevanceInput(scores, provider=int, higher_is_better=higher_is_better)
    assert group_auc_score([{"a"}], [["a", "b"]], relevance=relevance) == 1.0


def test_default_provider_keeps_integers_apart():
    relevance = RelevanceInput([[2**53 + 1, 2**53, np.int64(5)]])
    assert group_auc_score([{"a"}], [["a", "b", "c"]], relevance=relevance) == 1.0
    assert group_auc_score([{"b"}], [["a", "b", "c"]], relevance=relevance) == 1 / 2


def test_string_provider_lets_other_types_meet():
    assert mean_reciprocal_rank_score([{"1"}], [[2, 1]], string_provider=str) == 1 / 2
    documents = [[{"id": "x"}, {"id": "y"}]]
    truth = [[{"id": "y"}]]
    assert (
        mean_reciprocal_rank_score(truth, documents, string_provider=lambda one: one["id"]) == 1 / 2
    )


class Counting:
    """A provider that notes each item it is asked for."""

    def __init__(self):
        self.seen = []

    def __call__(self, item):
        self.seen.append(item)
        return f"id {item}"


@pytest.mark.parametrize(
    ("y_true", "y_score", "expected"),
    [
        ([{1}, {2, 3}], [[1, 2], [3]], [1, 1, 2, 2, 3, 3]),
        ({1, 4}, [[1, 2], [3]], [1, 1, 2, 3, 4]),
        ({"p": {1: 2}}, {"p": {1: 0.5, 2: 0.1}}, [1, 1, 2]),
    ],
)
def test_string_provider_is_called_exactly_once_per_item(y_true, y_score, expected):
    provider = Counting()
    evaluate(
        y_true,
        y_score,
        ("map", "ndcg@10", "recall@2", "mrr"),
        string_provider=provider,
        zero_division=0.0,
    )
    assert sorted(provider.seen) == expected
