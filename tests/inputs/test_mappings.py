"""Mappings by query: joined, missing, weighted, and read by their own methods."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from types import MappingProxyType

import pytest

from sklearn_rank import evaluate, mean_reciprocal_rank_score

# Mapping -----------------------------------------------------------------------------------------


def test_mappings_are_joined_by_query():
    truth = {"p": {"a"}, "q": {"b"}, "r": {"c"}}
    run = {"r": ["x", "y", "c"], "q": ["x", "b"], "p": ["a"]}
    evaluation = evaluate(truth, run, "mrr")
    assert list(evaluation.query_ids) == ["p", "q", "r"]
    assert evaluation.per_query["mrr"].tolist() == [1, 1 / 2, 1 / 3]
    flipped = evaluate(dict(reversed(truth.items())), run, "mrr")
    assert list(flipped.query_ids) == ["r", "q", "p"]
    assert flipped["mrr"] == evaluation["mrr"]


@pytest.mark.parametrize("kind", [dict, OrderedDict, UserDict, MappingProxyType])
def test_any_mapping(kind):
    value = mean_reciprocal_rank_score(kind({1: {"a"}}), kind({1: ["x", "a"]}))
    assert value == 1 / 2


@pytest.mark.parametrize(
    ("missing", "expected", "queries"),
    [("zero", (1 + 0 + 1 / 2) / 3, ["p", "q", "r"]), ("skip", (1 + 1 / 2) / 2, ["p", "r"])],
)
@pytest.mark.parametrize("scored", [False, True], ids=["lists", "scores"])
def test_missing_queries(missing, expected, queries, scored):
    truth = {"p": {"a"}, "q": {"b"}, "r": {"c"}}
    run = {"p": ["a"], "r": ["x", "c"], "z": ["w"]}
    if scored:
        run = {query: {item: -i for i, item in enumerate(run[query])} for query in run}
    evaluation = evaluate(truth, run, "mrr", missing=missing)
    assert evaluation["mrr"] == pytest.approx(expected, rel=1e-15)
    assert list(evaluation.query_ids) == queries
    assert evaluation.counts["missing"] == 1
    assert evaluation.counts["unjudged"] == 1
    assert evaluation.counts["queries"] == len(queries)


def test_queries_meet_by_equality_alone():
    # 1 and "1" are two queries; only one of them is ranked.
    evaluation = evaluate({1: {"a"}, "1": {"a"}}, {"1": ["a"]}, "mrr")
    assert evaluation.per_query["mrr"].tolist() == [0.0, 1.0]


def test_weights_of_mappings_are_joined_by_query():
    value = mean_reciprocal_rank_score(
        {"p": {"a"}, "q": {"b"}},
        {"q": ["b"], "p": ["x", "a"]},
        sample_weight={"q": 3, "p": 1, "other": 9},
    )
    assert value == (1 * 1 / 2 + 3 * 1) / 4


# Subclasses that change how they are read --------------------------------------------------------


class Reversed(dict):
    """Gives each ranking from its end."""

    def __getitem__(self, query):
        return list(reversed(super().__getitem__(query)))


class OnceOnly(dict):
    """Gives its values as a generator."""

    def values(self):
        return (value for value in super().values())


@pytest.mark.parametrize(
    ("y_true", "y_score", "expected"),
    [
        ({"q": {"a"}}, Reversed({"q": ["a", "b", "c"]}), 1 / 3),
        ({"q": {"a"}}, {"q": OnceOnly(a=2.0, b=3.0)}, 1 / 2),
        ({"q": OnceOnly(a=1, b=0)}, {"q": ["b", "a"]}, 1 / 2),
    ],
)
def test_subclasses_of_dict_are_read_by_their_own_methods(y_true, y_score, expected):
    assert evaluate(y_true, y_score, "mrr")["mrr"] == expected


class CountingMapping(UserDict):
    """Counts how often each of its values is read."""

    def __init__(self, *args):
        super().__init__(*args)
        self.reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("ranking", [["a", "b"], {"a": 2.0, "b": 1.0}])
def test_each_ranking_of_a_mapping_is_read_once(ranking):
    y_score = CountingMapping({"q": ranking, "r": ranking})
    assert evaluate({"q": {"a"}, "r": {"b"}}, y_score, "mrr")["mrr"] == 0.75
    assert y_score.reads == 2
