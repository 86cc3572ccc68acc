"""Calls that cannot mean what was meant: the error says of which system, and what to pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sklearn_rank import compare, compare_all, evaluate
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError

TRUTH = {"q1": {"a"}, "q2": {"b"}}
RUN = {"q1": ["a"], "q2": ["x", "b"]}


@pytest.mark.parametrize("function", [compare, compare_all])
def test_the_rankings_of_one_system_are_no_systems(function: Any) -> None:
    with pytest.raises(TypeError, match=r"a name for each system; the keys of .* queries: 'q1'"):
        function(TRUTH, RUN)
    with pytest.raises(TypeError, match="a name for each system"):
        function(TRUTH, {"q1": {"a": 0.5}, "q2": {"b": 1.0}})


def test_systems_may_be_called_like_queries() -> None:
    assert compare(TRUTH, {"q1": RUN, "q2": RUN}).names == ("q1", "q2")


def test_what_is_wrong_with_a_system_is_told_with_its_name() -> None:
    y_true, groups = np.array([0, 1, 0, 1]), [1, 1, 2, 2]
    runs = {"good": [1.0, 2, 3, 4], "bad": [1.0, np.nan, 3, 4]}
    with pytest.raises(ValueError, match=r"^system 'bad': y_score contains NaN at row 1 of que"):
        compare(y_true, runs, groups=groups)
    with pytest.raises(QueryMismatchError, match=r"^system 'empty': y_true and y_score have no"):
        compare(TRUTH, {"good": RUN, "empty": {}})
    with pytest.raises(TypeError, match=r"^system '\\x1b\[31m': "):
        compare(TRUTH, {"good": RUN, "\x1b[31m": 1})


@pytest.mark.parametrize("function", [compare, compare_all])
def test_unknown_keywords_are_those_of_the_function_called(function: Any) -> None:
    name = function.__name__
    with pytest.raises(TypeError, match=rf"^{name}\(\) got .* 'measure'; did you mean 'measures'"):
        function(TRUTH, {"A": RUN, "B": RUN}, measure="map")
    with pytest.raises(TypeError, match=rf"^{name}\(\) got .* 'tie'; did you mean 'ties'"):
        function(TRUTH, {"A": RUN, "B": RUN}, tie="stable")
    evaluated = evaluate(TRUTH, RUN, "map")
    with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected .* 'nam'; did you mean"):
        function(evaluated, evaluated, nam=("a", "b"))
    with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected .* 'y_score'"):
        function(TRUTH, {"A": RUN, "B": RUN}, y_score=RUN)


def test_queries_that_are_spelled_in_two_ways_are_seen() -> None:
    numbers = evaluate({1: {"a"}, 2: {"b"}}, {1: ["a"], 2: ["b"]}, "mrr")
    texts = evaluate({"1": {"a"}, "2": {"b"}}, {"1": ["a"], "2": ["b"]}, "mrr")
    with pytest.raises(QueryMismatchError, match=r"With str\(\) of one side, 2 of them would meet"):
        compare(numbers, texts)


def test_a_text_is_no_collection_of_queries() -> None:
    compared = compare(TRUTH, {"A": RUN, "B": RUN}, measures="mrr")
    with pytest.raises(InvalidParameterError, match="queries must be a collection of query ids"):
        compared.query_changes("q1")


def test_one_query_is_not_said_to_be_tested() -> None:
    compared = compare({"q1": {"a"}}, {"A": {"q1": ["a"]}, "B": {"q1": ["x", "a"]}}, measures="mrr")
    assert compared.family_text == "paired t-test: nothing could be tested"
