"""Ids of items and queries: which types can meet, and which cannot."""

from __future__ import annotations

import copy
import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import evaluate, mean_reciprocal_rank_score


class Id(str):
    """A kind of text that calls itself by another name."""


class Point(NamedTuple):
    x: int
    y: int


def other_point():
    """Another class of the same name, whose objects are equal all the same."""
    return NamedTuple("Point", [("x", int), ("y", int)])(1, 2)


@pytest.mark.parametrize(
    ("truth", "ranking"),
    [
        ({"a"}, [Id("b"), Id("a")]),
        ({Id("a")}, ["b", "a"]),
        ({(1, 2)}, [Point(0, 0), Point(1, 2)]),
        ({Point(1, 2)}, [(0, 0), (1, 2)]),
        ({other_point()}, [Point(0, 0), Point(1, 2)]),
        ({pd.Timestamp("2020-01-02")}, [dt.datetime(2020, 1, n) for n in (1, 2)]),
        ({1}, [Fraction(1, 2), Fraction(1)]),
        ({Decimal(1)}, [2, 1]),
    ],
)
def test_ids_of_types_that_can_be_equal_meet(truth, ranking):
    assert mean_reciprocal_rank_score([truth], [ranking]) == 1 / 2


def test_types_are_compared_over_all_queries():
    # The first query alone would look fine: neither side holds anything.
    with pytest.raises(TypeError, match="items of y_score are int, items of y_true are str"):
        mean_reciprocal_rank_score([set(), {"1"}], [[], [1]])


@pytest.mark.parametrize(
    "item",
    [
        7,
        -1,
        2**53 + 1,
        10**30,
        "d1",
        "",
        " d 1 ",
        "a\nb",
        "a\0",
        "\ud800",
        "\U0001f600",
        b"d1",
        ("doc", 1),
        frozenset({1}),
        Fraction(1, 3),
        0.25,
        np.int32(7),
        np.str_("d1"),
        pd.Timestamp("2020-01-01"),
        "x" * 100_000,
    ],
)
def test_hashable_ids_are_compared_as_they_are(item):
    # A fresh but equal item on the other side, at the second place.
    other = (type(item) if not isinstance(item, (Fraction, pd.Timestamp)) else copy.copy)(item)
    neighbours = {str: "zz", np.str_: "zz", bytes: b"zz", float: 0.75}
    before = neighbours.get(type(item), ("zz",) if isinstance(item, tuple) else None)
    ranking = [other] if before is None else [before, other]
    assert mean_reciprocal_rank_score([{item}], [ranking]) == 1 / len(ranking)


def test_ids_that_differ_in_a_nul_or_a_normal_form_differ():
    assert mean_reciprocal_rank_score([{"a\0"}], [["a", "a\0"]]) == 1 / 2
    assert mean_reciprocal_rank_score([{"\u00e9"}], [["e\u0301", "\u00e9"]]) == 1 / 2
    assert mean_reciprocal_rank_score([{"A"}], [["a", "A"]]) == 1 / 2


@pytest.mark.parametrize("query", ["no query", "", " ", "x-1", "a\0", "\ud800", 0, -1, (1, "a")])
def test_any_hashable_is_a_query(query):
    evaluation = evaluate(
        {query: {"a"}, "other": {"b"}}, {"other": ["b"], query: ["c", "a"]}, "mrr"
    )
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0]
    assert list(evaluation.query_ids) == [query, "other"]
