"""Every way from scores to values leads to the same bits: ways differ in cost alone."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from sklearn_rank import Evaluation, evaluate, ranking_precision_recall_curve, ranking_roc_curve
from sklearn_rank.rankings import judged as _judged
from sklearn_rank.rankings import ranking
from sklearn_rank.rankings import ranking as _ranks
from sklearn_rank.support import segments as _segments
from sklearn_rank.support import sorting as _order
from sklearn_rank.support.segments import EMPTY, offsets_of
from sklearn_rank.support.sorting import by_narrow_keys, by_wide_keys, falling_codes, order_segments
from tests.numbers.invariants import MEASURES, POOLED, bits, places
from tests.strategies import examples

ALWAYS = mock.Mock(return_value=True)
NEVER = mock.Mock(return_value=False)

WAYS: dict[str, tuple[tuple[Any, str, Any], ...]] = {
    "order all": ((_ranks, "_are_few", NEVER),),
    "order all by narrow keys": ((_ranks, "_are_few", NEVER), (_order, "_KEY_BITS", 20)),
    "order all by keys of 64 bits": (
        (_ranks, "_are_few", NEVER),
        (_ranks, "by_narrow_keys", mock.Mock(return_value=None)),
    ),
    "order all by narrowest keys, doubtful rows again": (
        (_ranks, "_are_few", NEVER),
        (_order, "_NARROW_BITS", 8),
        (_order, "_CLOSE", dict.fromkeys((1, 2, 4, 8), 1 << 62)),
        (_order, "_FEW_ROWS", 1),
    ),
    "order all by narrowest keys, then by codes alone": (
        (_ranks, "_are_few", NEVER),
        (_order, "_NARROW_BITS", 8),
        (_order, "_CLOSE", dict.fromkeys((1, 2, 4, 8), 1 << 62)),
        (_order, "_FEW_ROWS", 1 << 40),
    ),
    "order all and look grades up": (
        (_ranks, "_are_few", NEVER),
        (_ranks, "by_narrow_keys", mock.Mock(return_value=None)),
        (_ranks, "by_wide_keys", mock.Mock(return_value=None)),
    ),
    "order queries of one length together": (
        (_ranks, "_are_few", NEVER),
        (_segments, "_PADDING", 1 << 62),
        (_segments, "_FEW_CELLS", 0),
    ),
    "order all queries as one padded matrix": (
        (_ranks, "_are_few", NEVER),
        (_segments, "_FEW_CELLS", 1 << 62),
    ),
    "look up by sorting": (
        (_ranks, "_are_few", ALWAYS),
        (_ranks, "_is_cheaper_to_count", NEVER),
        (_ranks, "PAIRS", 0),
    ),
    "look up by pairs": ((_ranks, "_are_few", ALWAYS), (_ranks, "PAIRS", 1 << 60)),
    "look up by counting": (
        (_ranks, "_are_few", ALWAYS),
        (_ranks, "_is_cheaper_to_count", ALWAYS),
        (_ranks, "PAIRS", 0),
    ),
    "blocks of one query": ((_segments, "BLOCK", 1), (_ranks, "RANK_BLOCK", 1)),
    "blocks of few queries": ((_segments, "BLOCK", 9), (_ranks, "RANK_BLOCK", 13)),
}


NO_FEW = ((_ranks, "FEW_ITEMS", 0), (_ranks, "FEW_PAIRS", -1), (_judged, "FEW_GRADES", 0))
"""Without a way of few items, which the unforced calls take."""


@contextmanager
def forced(way: str) -> Iterator[None]:
    with ExitStack() as stack:
        for module, name, value in (*NO_FEW, *WAYS[way]):
            stack.enter_context(mock.patch.object(module, name, value))
        yield


def rows_of(seed: int, dtype: str, n_levels: int, grades: str) -> dict[str, np.ndarray]:
    """Ragged queries whose scores repeat, differ in their last bit, or spread over all sizes."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 12, rng.integers(1, 7))
    n_rows = int(lengths.sum())
    if np.dtype(dtype).kind == "f":
        spread = 30 if dtype != "float16" else 4
        values = (rng.normal(size=n_levels) * 10.0 ** rng.integers(-spread, spread)).astype(dtype)
        values = np.concatenate((values, np.nextafter(values, values.dtype.type(0)), [-0.0, 0.0]))
    else:
        limits = np.iinfo(dtype)
        values = rng.integers(limits.min, limits.max, n_levels, dtype=dtype, endpoint=True)
        ends = np.array([limits.min, limits.max], dtype=dtype)
        values = np.concatenate((values, values // 2 * 2, ends))
    levels = [0, 0, 1, 2, 3] if grades == "whole" else [0, 0, 0.25, 2, 2, 40.0]
    return {
        "y_true": rng.choice(levels, n_rows),
        "y_score": rng.choice(values.astype(dtype), n_rows),
        "groups": np.repeat(np.arange(len(lengths)), lengths),
    }


def as_mapping(rows: dict[str, np.ndarray]) -> tuple[dict[int, Any], dict[int, Any]]:
    """The same as dicts, with one more relevant item per query that was not retrieved."""
    truth: dict[int, Any] = {}
    run: dict[int, Any] = {}
    columns = (column.tolist() for column in rows.values())
    for number, (grade, score, query) in enumerate(zip(*columns, strict=True)):
        truth.setdefault(query, {"missed": 1.0})[f"item {number}"] = grade
        run.setdefault(query, {})[f"item {number}"] = score
    return truth, run


def measured(*args: Any, **options: Any) -> Evaluation:
    # With a grade that is no whole number the maximum must be given once for all queries.
    measures = [one for one in (*MEASURES, POOLED) if one.options.get("max_grade") != 4]
    options = {"measures": measures, "zero_division": np.nan, **options}
    return evaluate(*args, **options)


dtypes = st.sampled_from(
    ("float64", "float32", "float16", "longdouble", "int64", "uint64", "int32", "int8", "uint8")
)
problems = st.builds(
    rows_of, st.integers(0, 2**32 - 1), dtypes, st.integers(1, 8), st.sampled_from(("whole", "any"))
)
ties = st.sampled_from(("average", "stable", "optimistic", "pessimistic"))


VALUED = [way for way in WAYS if "blocks" in way or "of one length" in way or "padded" in way]
"""Ways by which kernels count, too: all values are compared. Others end in judged rankings, and of
equal ones kernels make equal values, in whatever way they came about."""


def assert_same_places(*args: Any, ways: Any = WAYS, **options: Any) -> None:
    expected = places(*args, **options)
    for way in ways:
        note(way)
        with forced(way):
            assert places(*args, **options) == expected


def assert_same_values(*args: Any, **options: Any) -> None:
    expected = bits(measured(*args, **options))
    for way in VALUED:
        note(way)
        with forced(way):
            assert bits(measured(*args, **options)) == expected


@given(rows=problems, ties=ties)
@examples(20)
def test_the_way_of_rows_changes_no_place(rows: dict[str, np.ndarray], ties: str) -> None:
    assert_same_places(**rows, ties=ties)


@given(rows=problems, ties=ties)
@examples(10)
def test_the_way_of_rows_changes_no_bit(rows: dict[str, np.ndarray], ties: str) -> None:
    assert_same_values(**rows, ties=ties)


# Scores of dicts are Python's numbers; integers of all sizes are refused among them.
@given(rows=problems.filter(lambda rows: rows["y_score"].dtype.char not in "gL"), ties=ties)
@examples(20)
def test_the_way_of_dicts_changes_no_place(rows: dict[str, np.ndarray], ties: str) -> None:
    ways = [way for way in WAYS if "order all" not in way]
    assert_same_places(*as_mapping(rows), ways=ways, ties=ties)


@given(n_items=st.integers(1, 12), rows=problems, ties=ties)
@examples(20)
def test_the_way_of_matrices_changes_no_place(
    n_items: int, rows: dict[str, np.ndarray], ties: str
) -> None:
    n_queries = len(rows["y_true"]) // n_items
    truth, scores = (
        rows[name][: n_queries * n_items].reshape(n_queries, n_items)
        for name in ("y_true", "y_score")
    )
    assume(n_queries)
    assert_same_places(truth, scores, ties=ties)
    as_rows = {"groups": np.repeat(np.arange(n_queries), n_items)}
    by_rows = places(truth.ravel(), scores.ravel(), ties=ties, **as_rows)
    assert by_rows == places(truth, scores, ties=ties)


@pytest.mark.parametrize(
    ("way", "used", "unused"),
    [
        ("order all", {"_by_order"}, {"rank_by_counting"}),
        ("order all by narrow keys", {"_by_order"}, {"rank_by_counting"}),
        ("look up by sorting", {"rank_by_counting", "_searched"}, {"_by_order", "_counted"}),
        ("look up by counting", {"rank_by_counting", "_counted"}, {"_by_order", "_searched"}),
    ],
)
def test_a_forced_way_is_taken(way: str, used: set[str], unused: set[str]) -> None:
    rows = rows_of(0, "float64", 3, "whole")
    with ExitStack() as stack:
        calls = {
            name: stack.enter_context(mock.patch.object(_ranks, name, wraps=getattr(_ranks, name)))
            for name in used | unused
        }
        stack.enter_context(forced(way))
        evaluate(**rows, zero_division=np.nan)
    assert {name for name, one in calls.items() if one.called} == used


@given(rows=problems, key_bits=st.sampled_from((64, 20)))
def test_one_sort_orders_segments_as_a_sort_of_each_does(
    rows: dict[str, np.ndarray], key_bits: int
) -> None:
    scores, sizes = rows["y_score"], np.bincount(rows["groups"])
    with mock.patch.object(_order, "_KEY_BITS", key_bits):
        order, same = order_segments(falling_codes(scores), offsets_of(sizes))
    expected: list[int] = []
    for start, stop in pairwise(offsets_of(sizes).tolist()):
        place = range(start, stop)
        expected += sorted(place, key=lambda item: scores[item], reverse=True)
    assert order.tolist() == expected
    query = rows["groups"]
    equal = [
        query[item] == query[next_] and scores[item] == scores[next_]
        for item, next_ in pairwise(expected)
    ]
    assert (same is not None) == any(equal)
    assert same is None or same.tolist() == equal


FLOATS = ["float16", "float32", "float64", "longdouble"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_codes_fall_where_numbers_rise(dtype: str) -> None:
    if dtype in FLOATS:
        limits = np.finfo(dtype)
        tiny, large = limits.smallest_subnormal, limits.max
        rising = [-np.inf, -large, -1.0, -tiny, 0.0, tiny, limits.tiny, 1.0, large, np.inf]
        zeros = falling_codes(np.array([-0.0, 0.0], dtype=dtype))
        assert zeros[0] == zeros[1]
    else:
        ends = np.iinfo(dtype).min, np.iinfo(dtype).max
        rising = sorted({ends[0], ends[0] + 1, 0, 1, ends[1] - 1, ends[1]})
    codes = falling_codes(np.array(rising, dtype=dtype)).tolist()
    assert sorted(set(codes), reverse=True) == codes


# Keys of 32 bits: rows whose order they leave in doubt are ordered again ------------------------


def placed(scores: Any, tags: list[int], width: int, dtype: str) -> tuple[list[int], list[bool]]:
    codes = falling_codes(np.array(scores, dtype))
    rows = codes, np.array(tags, np.uint8), width, EMPTY
    tagged = by_narrow_keys(*rows) or by_wide_keys(*rows)
    assert tagged is not None
    same = [False] * (len(tags) - 1) if tagged.same is None else tagged.same.tolist()
    return tagged.tags.tolist(), same


def test_neighbours_that_differ_in_their_last_bit_alone_are_told_apart() -> None:
    # Three bits go to the tags, so that two of the scores near 1 look alike at first.
    close = np.nextafter(np.float32(1), np.float32(2)) - 1
    scores = [[-2, 1, 1 + close, 1 + 2 * close], *[[7, 0, 5, 3]] * 15]
    with mock.patch.object(_order, "by_wide_keys", wraps=by_wide_keys) as wide:
        tags, same = placed(np.ravel(scores), [248, 249, 250, 255] * 16, 4, "float32")
    assert tags == [255, 250, 249, 248] + [248, 250, 255, 249] * 15
    assert not any(same)
    assert [len(call.args[0]) for call in wide.call_args_list] == [4]  # one row of sixteen


# Rounded scores repeat to the last bit, and are ordered by one sort all the same -----------------

N_ITEMS = 5000
OFFSETS = np.array([0, 100, 1000, N_ITEMS])
ROUNDED = np.round(np.random.default_rng(3).standard_normal(N_ITEMS), 2)


@pytest.mark.parametrize("next_bits", [False, True])
def test_ties_are_sorted_again_only_if_their_last_bits_differ(*, next_bits: bool) -> None:
    values = ROUNDED.copy()
    if next_bits:
        # Too near for a key of 64 bits, of which the item's number takes 13.
        values[::2] = np.nextafter(values[::2], np.inf)
    with mock.patch.object(_order, "_sort_rising", wraps=_order._sort_rising) as sort:
        ordered = order_segments(falling_codes(values), OFFSETS)
    assert sort.call_count == (2 if next_bits else 1)
    segment = np.repeat(np.arange(3), np.diff(OFFSETS))
    expected = np.lexsort((-values, segment))
    np.testing.assert_array_equal(ordered.order, expected)
    same = (values[expected][1:] == values[expected][:-1]) & (segment[1:] == segment[:-1])
    np.testing.assert_array_equal(ordered.same, same)


# Scores in half precision rank as the same numbers do in a wider type ----------------------------


FOUR = ("map", "ndcg", "mrr", "gauc")


def negative_levels(n_items: int) -> tuple[np.ndarray, np.ndarray]:
    """A few relevant items among many whose scores are five negative neighbours."""
    rng = np.random.default_rng(5)
    scores = (-0.6025 + 5e-4 * rng.integers(0, 5, (1, n_items))).astype(np.float16)
    assert len(np.unique(scores.astype(np.float32))) == 5
    return (rng.random((1, n_items)) < 0.005).astype(int), scores


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("n_items", [4096, 1 << 17])
@pytest.mark.parametrize("by_search", [False, True])
def test_half_precision_ranks_as_single_precision_does(
    ties: str, n_items: int, by_search: bool
) -> None:
    grades, scores = negative_levels(n_items)
    with mock.patch.object(ranking, "_are_few", return_value=by_search):
        half, single = (
            evaluate(grades, values, FOUR, ties=ties)
            for values in (scores, scores.astype(np.float32))
        )
    assert half.scores == single.scores


@pytest.mark.parametrize("n_items", [4096, 1 << 17])
def test_numbers_in_half_precision_are_never_sorted(n_items: int) -> None:
    # NumPy sorts them wrongly, but on some processors alone, where the test above would see it.
    grades, scores = negative_levels(n_items)
    with (
        mock.patch.object(np, "sort", wraps=np.sort) as sort,
        mock.patch.object(ranking, "_are_few", return_value=True),
        mock.patch.object(ranking, "_is_cheaper_to_count", return_value=False),
    ):
        evaluate(grades, scores, FOUR)
    assert {call.args[0].dtype for call in sort.call_args_list} == {np.dtype("float32")}


@pytest.mark.parametrize("curve", [ranking_roc_curve, ranking_precision_recall_curve])
def test_curves_of_all_items_sort_no_half_precision(curve: Callable[..., Any]) -> None:
    grades, scores = negative_levels(1 << 16)
    with mock.patch.object(np, "unique", wraps=np.unique) as unique:
        half = curve(grades, scores)
    assert np.dtype("float16") not in {
        np.asarray(call.args[0]).dtype for call in unique.call_args_list
    }
    single = curve(grades, scores.astype(np.float32))
    for values, expected in zip(half, single, strict=True):
        np.testing.assert_array_equal(values, expected)
