"""Ids of items and queries: which types can match, and plain ones, which are read at once."""

import datetime as dt
import math
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank import evaluate, mean_reciprocal_rank_score
from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs import join
from tests.numbers.invariants import MEASURES, bits
from tests.strategies import examples


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


RANKED, TRUE = [[3, 1, 2], [5, 4]], [[1], [4, 9]]
KINDS = {
    "int": int,
    "negative": lambda item: -item,
    "large": lambda item: 2**53 + item,
    "huge": lambda item: 10**30 + item,
    "str": "d{}".format,
    "spaces": lambda item: " " * item,
    "control characters": "a\n\0{}".format,
    "surrogates": "\ud800{}".format,
    "emoji": lambda item: chr(0x1F600 + item),
    "long": lambda item: "x" * 100_000 + str(item),
    "bytes": b"%d".__mod__,
    "fraction": lambda item: Fraction(1, 3 * item),
    "frozenset": lambda item: frozenset({item}),
    "tuple": lambda item: (item, "x"),
    "timestamp": lambda item: pd.Timestamp(item, unit="D"),
    **{kind.__name__: kind for kind in (np.int64, np.uint8, np.int32, np.float64)},
    **{kind.__name__: lambda item, kind=kind: kind(f"d{item}") for kind in (np.str_, np.bytes_)},
    **{
        kind.__name__: lambda item, kind=kind: kind(item, "D")
        for kind in (np.datetime64, np.timedelta64)
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_ids_of_any_type_meet_by_equality(kind):
    def values(*sides):
        return dict(evaluate(*sides, ["map", "ndcg@2", "mrr"]).scores)

    make = KINDS[kind]
    expected = values([set(items) for items in TRUE], RANKED)
    # Equal ids, and never the same object.
    ranked = [[make(item) for item in items] for items in RANKED]
    true = [[make(item) for item in items] for items in TRUE]
    for truths in (true, [set(items) for items in true], [dict.fromkeys(t, 1) for t in true]):
        assert values(truths, ranked) == expected
    scored = [{item: -float(place) for place, item in enumerate(items)} for items in ranked]
    assert values(true, scored) == expected
    if kind in ("int64", "uint8", "str_"):  # scalars of NumPy meet Python's
        assert values([{item.item() for item in items} for items in true], ranked) == expected


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_large_integers_of_numpy_are_exact(kind: type) -> None:
    large = 2**63 - 1
    assert evaluate([{large}], [[kind(large - 1), kind(large)]], "mrr")["mrr"] == 0.5


def test_ids_that_differ_in_a_nul_or_a_normal_form_differ():
    assert mean_reciprocal_rank_score([{"a\0"}], [["a", "a\0"]]) == 1 / 2
    assert mean_reciprocal_rank_score([{"\u00e9"}], [["e\u0301", "\u00e9"]]) == 1 / 2
    assert mean_reciprocal_rank_score([{"A"}], [["a", "A"]]) == 1 / 2


def test_strings_of_numpy_are_made_plain_wherever_they_stand():
    mixed = {"a": 1, np.str_("b"): 2}
    placements = evaluate({"q": mixed}, {"q": mixed}, "map", keep_items=True).placements()
    assert {type(hit.item) for one in placements for hit in one.hits} == {str}


# Plain ids are read at once: bits, errors and counts of reading each with care --------------------


# Plain ids, and all that is not plain: other types that are equal to them, or to nothing.
ids = st.one_of(
    st.sampled_from("abcdef"),
    st.sampled_from([1, 2, 3, True, 1.0, 2.5, None, (1,), np.str_("a"), np.int64(1)]),
)
sides = st.sampled_from([st.sampled_from("abcdef"), st.integers(1, 6), ids])
grades = st.sampled_from([0, 0.0, 1, 2, 0.5, 2.0, True, -1, math.nan, "x"])
scores = st.sampled_from([0.0, 1.0, -0.5, 2, 2.0, 2**53, 2**53 + 1, math.nan, math.inf, "x"])
plain = st.sampled_from("abcdefg")
plain_truths = st.one_of(
    st.sets(plain, max_size=5),
    st.dictionaries(plain, st.sampled_from([0, 1, 2, 0.5, 2.0]), max_size=5),
    st.lists(plain, max_size=5, unique=True),
)
truths = st.one_of(
    plain_truths,
    st.builds(
        lambda items, kind: kind(items),
        sides.flatmap(lambda items: st.lists(items, max_size=4)),
        st.sampled_from([set, frozenset, list, dict.fromkeys]),
    ),
    sides.flatmap(lambda items: st.dictionaries(items, grades, max_size=5)),
)
lists = st.one_of(
    st.lists(plain, unique=True),
    sides.flatmap(lambda items: st.lists(items, max_size=6)),
    sides.flatmap(lambda items: st.lists(items, max_size=6)).map(tuple),
)
dicts = st.one_of(
    st.dictionaries(plain, st.floats(-2, 2), min_size=1, max_size=5),
    sides.flatmap(lambda items: st.dictionaries(items, scores, max_size=5)),
)
ties = st.sampled_from(("average", "stable", "docid", "optimistic", "pessimistic"))


def outcome(*args: Any, **options: Any) -> Any:
    """The bits of all values and what was counted, or the error with its text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankingDataWarning)
            evaluation = evaluate(*args, measures=MEASURES, zero_division=np.nan, **options)
        return bits(evaluation), evaluation.counts
    except (TypeError, ValueError) as error:
        return type(error), str(error)


@given(
    queries=st.one_of(
        st.lists(st.tuples(plain_truths, kind), min_size=1, max_size=4) for kind in (lists, dicts)
    )
    | st.lists(st.tuples(truths, st.one_of(lists, dicts)), min_size=1, max_size=4),
    ties=ties,
    ranked=st.integers(1, 4),
)
@examples(60)
@pytest.mark.parametrize("keyed", [False, True])
def test_plain_ids_change_no_bit_and_no_error(
    keyed: bool, queries: list[tuple[Any, Any]], ties: str, ranked: int
) -> None:
    y_true, y_score = map(list, zip(*queries, strict=True))
    given: Any = (y_true, y_score)
    if keyed:  # some queries may have no ranking, and one no ground truth
        numbered = dict(enumerate(y_score[:ranked]))
        given = (dict(enumerate(y_true)), {**numbered, "unjudged": {"a": 1.0}})
    with mock.patch.object(join, "_look_up", return_value=None):  # as if nothing was plain
        expected = outcome(*given, ties=ties)
    assert outcome(*given, ties=ties) == expected
