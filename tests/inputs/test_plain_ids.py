"""Plain ids are read at once: bits, errors and counts are those of reading each with care."""

from __future__ import annotations

import math
import warnings
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank import evaluate
from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs import join
from tests.numbers.invariants import MEASURES, bits
from tests.strategies import examples

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

_join_items = join._join_items


def with_care(*args: Any, are_read: bool = False, **options: Any) -> Any:
    """As if nothing was plain."""
    return _join_items(*args, are_read=True, **options) if are_read else None


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
@examples(400)
@pytest.mark.parametrize("keyed", [False, True])
def test_plain_ids_change_no_bit_and_no_error(
    keyed: bool, queries: list[tuple[Any, Any]], ties: str, ranked: int
) -> None:
    y_true, y_score = map(list, zip(*queries, strict=True))
    given: Any = (y_true, y_score)
    if keyed:  # some queries may have no ranking, and one no ground truth
        numbered = dict(enumerate(y_score[:ranked]))
        given = (dict(enumerate(y_true)), {**numbered, "unjudged": {"a": 1.0}})
    with mock.patch.object(join, "_join_items", with_care):
        expected = outcome(*given, ties=ties)
    assert outcome(*given, ties=ties) == expected
