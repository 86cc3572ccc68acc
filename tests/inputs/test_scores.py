"""Scores of any layout: infinities, zeros, dtypes, neighbours and integers beyond float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import evaluate, mean_reciprocal_rank_score
from tests.inputs.cases import ALL, GRADES, GROUPS


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_every_metric_refuses_nan_scores(metric):
    with pytest.raises(ValueError, match=r"^y_score contains NaN at row 2 of query 'b'$"):
        metric(GRADES, [1.0, 2.0, np.nan, 3.0], groups=GROUPS)


@pytest.mark.parametrize("top", [np.inf, 1e308, 5])
def test_infinite_scores_are_ordered(top):
    # "a": the relevant item first; "b": the relevant item last of two.
    scores = [top, -np.inf, 0.0, -np.inf]
    assert mean_reciprocal_rank_score(GRADES, scores, groups=GROUPS) == (1 + 1 / 2) / 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_zeros_of_both_signs_are_a_tie(dtype):
    for scores in ([0.0, -0.0], [-0.0, 0.0]):
        value = mean_reciprocal_rank_score(
            np.array([[1, 0]]), np.array([scores], dtype=dtype), ties="average"
        )
        assert value == (1 + 1 / 2) / 2


DTYPES = [
    *("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g"),
    *(">i2", ">i4", ">i8", ">u2", ">u4", ">u8", ">f2", ">f4", ">f8"),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
def test_every_real_dtype_ranks_by_its_extremes(dtype, ties):
    kind = np.dtype(dtype)
    if kind.kind == "b":
        low, high = False, True
    elif kind.kind in "iu":
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
    else:
        low, high = np.finfo(kind).min, np.finfo(kind).max
    scores = np.array([low, high], dtype=kind)
    assert mean_reciprocal_rank_score([0, 1], scores, groups=[7, 7], ties=ties) == 1.0
    assert mean_reciprocal_rank_score([1, 0], scores, groups=[7, 7], ties=ties) == 1 / 2
    grades = np.array([[0, 1]])
    assert mean_reciprocal_rank_score(grades, scores[np.newaxis], ties=ties) == 1.0


@pytest.mark.parametrize(
    "scores",
    [
        [2**53 + 1, 2**53],
        np.array([2**53 + 1, 2**53]),
        np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64),
        np.array([2**53 + 1, 2**53], dtype=">i8"),
        np.array([2**53 + 1, 2**53], dtype=object),
        [1.000000001, 1.0],
        np.array([1, 1], dtype="g") + np.array([np.finfo("g").eps, 0]),
        pd.Series([2**53 + 1, 2**53], dtype="Int64"),
        pl.Series([2**53 + 1, 2**53]),
        pa.array([2**53 + 1, 2**53]),
        [2**63, 2**63 - 1],
    ],
)
def test_neighbouring_scores_are_no_tie(scores):
    assert mean_reciprocal_rank_score([1, 0], scores, groups=[0, 0], ties="pessimistic") == 1.0
    assert mean_reciprocal_rank_score([0, 1], scores, groups=[0, 0], ties="optimistic") == 1 / 2


def test_neighbouring_integer_scores_of_a_mapping_are_no_tie():
    run = {"q": {"a": 2**53 + 1, "b": 2**53}}
    assert mean_reciprocal_rank_score({"q": {"a"}}, run, ties="pessimistic") == 1.0
    assert mean_reciprocal_rank_score({"q": {"b"}}, run, ties="optimistic") == 1 / 2


def test_a_series_of_narrow_floats_is_read_without_a_warning() -> None:
    """The bound of exact integers, 2^53, is beyond float16."""
    scores = pd.Series([2.0, 1.0, 3.0], dtype="float16")
    grades = pd.Series([0.0, 1.0, 0.0], dtype="float16")
    assert evaluate(grades, scores, "mrr", groups=[0, 0, 0])["mrr"] == 1 / 3
    run = {"q": dict(zip("abc", np.array([2, 1, 3], np.float16), strict=True)), "r": {"b": 0.5}}
    assert evaluate({"q": {"b"}, "r": {"b"}}, run, "mrr")["mrr"] == (1 / 3 + 1) / 2


def test_large_integers_that_float64_holds_mix_with_floats() -> None:
    run = {"q": {"a": 1, "b": 2**60}, "r": {"a": 1.5, "b": 0.5}}
    assert evaluate({"q": {"b"}, "r": {"b"}}, run, "mrr")["mrr"] == 3 / 4


@pytest.mark.parametrize(
    "value",
    [True, np.float32(2), np.int8(3), np.bool_(True), 10**18, np.longdouble(2) ** 60],
    ids=repr,
)
def test_scores_that_mappings_accept(value):
    assert mean_reciprocal_rank_score({"q": {"a"}}, {"q": {"b": -1, "a": value}}) == 1.0


# Ids and numbers of other types than Python's own -------------------------------------------------


RANKED = [[3, 1, 2], [5, 4]]
TRUE = [[1], [4, 9]]
THREE = ["map", "ndcg@2", "mrr"]


def values(*args: Any) -> dict[str, float]:
    evaluation = evaluate(*args, THREE)
    return {measure: evaluation[measure] for measure in THREE}


VALUES = values([set(items) for items in TRUE], RANKED)

KINDS = {
    "int64": np.int64,
    "uint8": np.uint8,
    "int32": np.int32,
    "str_": lambda item: np.str_(f"item {item}"),
    "bytes_": lambda item: np.bytes_(f"item {item}"),
    "float64": np.float64,
    "datetime64": lambda item: np.datetime64(item, "D"),
    "timedelta64": lambda item: np.timedelta64(item, "D"),
    "tuple": lambda item: (item, "x"),
    "mixed tuple": lambda item: ("a", np.int64(item)),
    "timestamp": lambda item: pd.Timestamp(item, unit="D"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_ids_of_any_type_meet_by_equality(kind: str) -> None:
    make = KINDS[kind]
    ranked = [[make(item) for item in items] for items in RANKED]
    true = [[make(item) for item in items] for items in TRUE]
    for truths in (true, [set(items) for items in true], [dict.fromkeys(t, 1) for t in true]):
        assert values(truths, ranked) == VALUES
    scored = [{item: -float(place) for place, item in enumerate(items)} for items in ranked]
    assert values(true, scored) == VALUES


@pytest.mark.parametrize("kind", ["int64", "uint8", "str_"])
def test_scalars_of_numpy_meet_pythons(kind: str) -> None:
    ranked = [[KINDS[kind](item) for item in items] for items in RANKED]
    plain = [{item.item() for item in map(KINDS[kind], items)} for items in TRUE]
    assert values(plain, ranked) == VALUES


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_large_integers_of_numpy_are_exact(kind: type) -> None:
    large = 2**63 - 1
    assert evaluate([{large}], [[kind(large - 1), kind(large)]], "mrr")["mrr"] == 0.5


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.5, 2, 1], [0.5, 2.0, 1.0]),
        ([2**53 + 1, 2**53, 5], [2**53 + 1, 2**53, 5]),
        ([2**64 - 1, 2**64 - 2, 1], np.array([2**64 - 1, 2**64 - 2, 1], np.uint64)),
        ([True, False, 0.5], [1.0, 0.0, 0.5]),
        ([np.float32(0.5), 2, np.int64(1)], [0.5, 2.0, 1.0]),
        ([float("inf"), 2, 1], [np.inf, 2.0, 1.0]),
    ],
)
def test_arrays_of_objects_are_arrays_of_their_numbers(scores: Any, expected: Any) -> None:
    grades = np.array([[0, 1, 2], [1, 0, 0]])
    objects = np.array([scores, scores[::-1]], dtype=object)
    numbers = np.array([expected, expected[::-1]])
    assert values(grades, objects) == values(grades, numbers)
