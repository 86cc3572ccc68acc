"""Mappings by query: joined, missing, weighted, and read by their own methods."""

import math
import sys
from collections import OrderedDict, UserDict
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from scipy import sparse

import sklearn_rank
from sklearn_rank import (
    QueryMismatchError,
    UndefinedMetricWarning,
    evaluate,
    group_auc_score,
    lag_error,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ranking_auc_score,
)

# Mapping -----------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("ranking", [["a", "b"], {"a": 2.0, "b": 1.0}])
def test_each_ranking_of_a_mapping_is_read_once(ranking):
    reads = []

    class Counting(UserDict):
        def __getitem__(self, key):
            reads.append(key)
            return super().__getitem__(key)

    y_score = Counting({"q": ranking, "r": ranking})
    assert evaluate({"q": {"a"}, "r": {"b"}}, y_score, "mrr")["mrr"] == 0.75
    assert sorted(reads) == ["q", "r"]


# Queries without a ranking, without judgements, without items; nothing at all ---------------------


@pytest.mark.parametrize(
    ("judged", "ranked"),
    [("1", 1), ("q1 ", "q1"), ("Q1", "q1"), (1.0, "1"), ("007", "7"), ("\u00e9", "e\u0301")],
)
def test_no_common_query_is_an_error_with_a_hint(judged, ranked):
    message = "y_true and y_score have no query in common.* 1 of them differ only in type, case"
    with pytest.raises(QueryMismatchError, match=message):
        evaluate({judged: {"a"}}, {ranked: ["a"]}, "map")
    with pytest.raises(QueryMismatchError, match=r"in common: 'x' against 'y'$"):
        evaluate({"x": {"a"}}, {"y": ["a"]}, "map")
    with pytest.raises(QueryMismatchError, match=r"no query in common: .+ against none"):
        evaluate({judged: {"a"}}, {}, "map")


@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        ([], []),
        (np.zeros(0), np.zeros(0)),
        ({"a"}, []),
        (set(), []),
        ({}, {}),
        ({}, {"q": ["a"]}),
        (np.zeros((0, 2)), np.zeros((0, 2))),
        (np.zeros((2, 0)), np.zeros((2, 0))),
        (sparse.csr_array((0, 2)), np.zeros((0, 2))),
    ],
)
def test_nothing_to_evaluate_is_an_error(y_true, y_score):
    with pytest.raises(ValueError, match="no queries to evaluate"):
        mean_average_precision_score(y_true, y_score)


@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        ({"q": {1}}, {"q": {}}),
        ({"q": {1: 2}}, {"q": []}),
        ({"q": {}}, {"q": [1]}),
        ({"q": {}}, {"q": {1: 0.5}}),
        ([{1: 2}], [[]]),
        ([{}], [[1]]),
    ],
)
def test_nothing_has_no_type_that_ids_could_differ_from(y_true, y_score):
    assert evaluate(y_true, y_score, "mrr", zero_division=0.0)["mrr"] == 0.0


@pytest.mark.parametrize("metric", [ranking_auc_score, group_auc_score, lag_error])
def test_empty_ranking_is_undefined_for_pairs(metric):
    with pytest.warns(UndefinedMetricWarning, match=r"undefined for 1 of 1 queries: 0; .* is NaN"):
        assert math.isnan(metric([{"a"}], [[]]))


def test_empty_rankings_count_zero_for_measures_of_ranks():
    for sides in (([{"a"}], [[]]), ({"q": {"a"}}, {"q": []}), ({"q": {"a"}}, {"q": {}})):
        assert set(evaluate(*sides, ["map", "ndcg", "mrr", "recall"]).scores.values()) == {0.0}


def test_a_reader_of_the_code_follows_few_moves_between_files():
    """Calls in which ``evaluate`` of two dicts goes from one file of the package to another."""
    root, moves = str(Path(sklearn_rank.__file__).parent), []

    def note(frame, event, _):
        there, here = frame.f_code.co_filename, frame.f_back
        while here is not None and not here.f_code.co_filename.startswith(root):
            here = here.f_back
        if event == "call" and there.startswith(root) and here is not None:
            moves.extend([there] * (there != here.f_code.co_filename))

    truth = {query: {item: item % 3 for item in range(5)} for query in range(5)}
    sides = truth, {query: {item: 9.5 - item for item in range(8)} for query in truth}
    evaluate(*sides)  # imports are not counted
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        evaluate(*sides)
    finally:
        sys.setprofile(before)
    assert 0 < len(moves) <= 90
