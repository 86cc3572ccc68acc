"""Short {item: score} rankings read at once: bits, errors and counts as if one by one."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank import evaluate
from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs import lists, mappings
from sklearn_rank.inputs.plain_scores import find_scored
from tests.numbers.invariants import MEASURES, bits

ids = st.one_of(
    st.sampled_from("abcdef"),
    st.sampled_from([1, 2, 3, 4, True, 1.0, 2.5, None, (1,), np.str_("a"), np.int64(1)]),
)
sides = st.sampled_from([st.sampled_from("abcdef"), st.integers(1, 6), ids])
truths = st.one_of(
    sides.flatmap(lambda items: st.lists(items, max_size=4)).map(lambda items: set(items)),
    sides.flatmap(lambda items: st.lists(items, max_size=4)),
    sides.flatmap(
        lambda items: st.dictionaries(
            items, st.sampled_from([0, 0.0, 1, 2, 0.5, 2.0, True, -1, math.nan, "x"]), max_size=5
        )
    ),
)
plain_truths = st.one_of(
    st.sets(st.sampled_from("abcdefg"), max_size=5),
    st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from([0, 1, 2, 0.5, 2.0]), max_size=5),
    st.lists(st.sampled_from("abcdefg"), max_size=5, unique=True),
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


scored_rankings = sides.flatmap(
    lambda items: st.dictionaries(
        items,
        st.sampled_from([0.0, 1.0, -0.5, 2, 2.0, 2**53, 2**53 + 1, math.nan, math.inf, "x"]),
        max_size=5,
    )
)
plain_scores = st.dictionaries(st.sampled_from("abcdef"), st.floats(-2, 2), min_size=1, max_size=5)


@given(
    queries=st.lists(
        st.one_of(
            st.tuples(plain_truths, plain_scores),
            st.tuples(truths, st.one_of(plain_scores, scored_rankings)),
        ),
        min_size=1,
        max_size=4,
    ),
    ties=ties,
    ranked=st.integers(1, 4),
)
@settings(max_examples=400)
@pytest.mark.parametrize("layout", [lists, mappings])
def test_short_dicts_read_at_once_change_no_bit_and_no_error(
    layout: Any, queries: list[tuple[Any, Any]], ties: str, ranked: int
) -> None:
    y_true, y_score = map(list, zip(*queries, strict=True))
    given: Any = (y_true, y_score)
    if layout is mappings:
        numbered = dict(enumerate(y_score[:ranked]))
        given = (dict(enumerate(y_true)), {**numbered, "unjudged": {"a": 1.0}})
    with mock.patch.object(layout, "find_scored", return_value=None):
        expected = outcome(*given, ties=ties)
    assert outcome(*given, ties=ties) == expected


@pytest.mark.parametrize(
    ("truth", "ranking", "is_plain"),
    [
        ({"a"}, {"a": 1.0}, True),
        ({"a": 2, "b": 0}, {"a": 1.0, "c": 2}, True),
        (["a"], {"a": 1.0}, True),
        ({"a"}, {"a": 1}, False),
        ({"a"}, {"a": 1.0, "b": math.nan}, False),
        ({"a"}, {"a": 1.0, "b": 2**53}, False),
        ({1}, {"a": 1.0}, False),
        ({"a"}, dict.fromkeys(map(str, range(99)), 0.5), False),
        ({"a"}, ["a"], False),
        ({"a"}, Counter({"a": 1.0}), False),
    ],
)
def test_short_plain_dicts_are_read_at_once(truth: Any, ranking: Any, is_plain: bool) -> None:
    assert (find_scored([ranking], [truth]) is not None) == is_plain
