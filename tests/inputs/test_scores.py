"""Numbers of any layout: scores, dtypes, integers beyond float64; grades that are huge or tiny."""

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import (
    dcg_at_k_score,
    evaluate,
    expected_reciprocal_rank_score,
    mean_reciprocal_rank_score,
    ndcg_at_k_score,
)
from sklearn_rank.measures.catalogue import IDCG
from sklearn_rank.metrics.shared import score_of
from tests.inputs.cases import ALL, GRADES, GROUPS, SCORES


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_every_metric_refuses_nan_scores_and_negative_grades(metric):
    with pytest.raises(ValueError, match=r"^y_score contains NaN at row 2 of query 'b'$"):
        metric(GRADES, [1.0, 2.0, np.nan, 3.0], groups=GROUPS)
    message = r"^y_true contains a negative grade \(-1\) at row 1 of query 'a'; evaluate reads it"
    with pytest.raises(ValueError, match=message):
        metric([1, -1, 0, 1], SCORES, groups=GROUPS)


@pytest.mark.parametrize("top", [np.inf, 1e308, 5])
def test_infinite_scores_are_ordered(top):
    # "a": the relevant item first; "b": the relevant item last of two.
    scores = [top, -np.inf, 0.0, -np.inf]
    assert mean_reciprocal_rank_score(GRADES, scores, groups=GROUPS) == (1 + 1 / 2) / 2


DTYPES = [
    "?",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "f2",
    "f4",
    "f8",
    "g",
    ">i2",
    ">i4",
    ">i8",
    ">u2",
    ">u4",
    ">u8",
    ">f2",
    ">f4",
    ">f8",
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_real_dtype_ranks_by_its_extremes(dtype):
    kind = np.dtype(dtype)
    limits = np.iinfo(kind) if kind.kind in "iu" else None if kind.kind == "b" else np.finfo(kind)
    scores = np.array([limits.min, limits.max] if limits else [False, True], dtype=kind)
    for ties in ("average", "stable", "optimistic", "pessimistic"):
        options = {"groups": [7, 7], "ties": ties}
        assert mean_reciprocal_rank_score([0, 1], scores, **options) == 1.0
        assert mean_reciprocal_rank_score([1, 0], scores, **options) == 1 / 2
        assert mean_reciprocal_rank_score(np.array([[0, 1]]), scores[None], ties=ties) == 1.0
    if kind.kind == "f":
        for zeros in ([0.0, -0.0], [-0.0, 0.0]):
            tied = np.array([zeros], dtype=kind)
            assert mean_reciprocal_rank_score(np.array([[1, 0]]), tied) == (1 + 1 / 2) / 2


@pytest.mark.parametrize(
    "scores",
    [
        [2**53 + 1, 2**53],
        np.array([2**53 + 1, 2**53]),
        np.array([-(2**63) + 1, -(2**63)]),
        np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64),
        np.array([2**53 + 1, 2**53], dtype=">i8"),
        np.array([2**53 + 1, 2**53], dtype=object),
        np.array([2**-24, 0.0], dtype="f2"),
        [1.000000001, 1.0],
        [np.inf, 1e308],
        np.array([1, 1], dtype="g") + np.array([np.finfo("g").eps, 0]),
        pd.Series([2**53 + 1, 2**53], dtype="Int64"),
        pl.Series([2**53 + 1, 2**53]),
        pa.array([2**53 + 1, 2**53]),
        [2**63, 2**63 - 1],
    ],
)
def test_neighbouring_scores_are_no_tie(scores):
    run = {"q": dict(zip("ab", scores, strict=True))}
    for relevant, ties, value in (("a", "pessimistic", 1.0), ("b", "optimistic", 1 / 2)):
        grades = [int(relevant == item) for item in "ab"]
        assert mean_reciprocal_rank_score(grades, scores, groups=[0, 0], ties=ties) == value
        if isinstance(scores, list) and max(scores) != 2**63:  # what a mapping cannot mix
            assert mean_reciprocal_rank_score({"q": {relevant}}, run, ties=ties) == value


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
    grades, measures = np.array([[0, 1, 2], [1, 0, 0]]), ("map", "ndcg@2", "mrr")
    objects = np.array([scores, scores[::-1]], dtype=object)
    numbers = evaluate(grades, np.array([expected, expected[::-1]]), measures)
    assert dict(evaluate(grades, objects, measures).scores) == dict(numbers.scores)


# Decimals of Polars, which NumPy has no type for -------------------------------------------------


# Grades: negative, fractional, huge and tiny -----------------------------------------------------


@pytest.mark.parametrize("grade", [2000, 2**70], ids=["2000", "2^70"])
def test_err_of_any_grade_is_exact(grade):
    # Stops at once with probability (2^g - 1) / 2^g = 1, or goes on after a grade of 1.
    first = expected_reciprocal_rank_score([{"a": grade, "b": 1}], [["a", "b"]])
    second = expected_reciprocal_rank_score([{"a": grade, "b": 1}], [["b", "a"]])
    assert first == pytest.approx(1.0)
    assert second == pytest.approx(1 / 2)
    assert expected_reciprocal_rank_score([{"a": 53}], [["a"]]) == 1 - 2.0**-53


@pytest.mark.parametrize("grade", ["1e400", "1e-400", "-1e400"])
@pytest.mark.parametrize("convention", ["default", "sklearn"])
def test_grades_that_float64_cannot_hold_are_refused(grade, convention):
    grades = np.array([np.longdouble(text) for text in ("0", grade, "1")])
    if not np.isfinite(grades).all() or not grades[1]:
        pytest.skip("longdouble is float64 on this machine")
    options = {"convention": convention}
    message = (
        r"y_true contains a (grade that float64 cannot hold|negative grade) \(-?1e[+-]400\) at "
    )
    with pytest.raises(ValueError, match=message + "row 1 of query 7"):
        evaluate(grades, [3, 2, 1], "map", groups=[7, 7, 7], **options)
    with pytest.raises(ValueError, match=message + "row 0, column 1"):
        evaluate(grades[np.newaxis], np.array([[3, 2, 1]]), "map", **options)


METRICS = [dcg_at_k_score, partial(score_of, IDCG), ndcg_at_k_score]


@pytest.mark.parametrize("metric", METRICS)
def test_gains_that_overflow_are_refused_by_their_grade(metric):
    assert metric([{"a": 1023}], [["a"]]) in (2.0**1023, 1.0)
    message = r"^gains overflow float64 at grade {} of query 0; use gain='linear' or smaller grades"
    for grade in (1024, 2000):
        with pytest.raises(OverflowError, match=message.format(grade)):
            metric([{"a": grade, "b": 1}], [["a", "b"]])
    with pytest.raises(OverflowError, match=r"at grade 1e\+308"):
        metric(np.full((1, 5), 1e308), np.arange(5.0)[np.newaxis], gain="linear")


def test_huge_grades_are_summed_in_float64():
    # 10^9 + 1 stays apart from 10^9, which float32 could not tell.
    value = ndcg_at_k_score([{"a": 10**9, "b": 10**9 + 1}], [["a", "b"]], gain="linear")
    worst, best = 10**9 + (10**9 + 1) / math.log2(3), (10**9 + 1) + 10**9 / math.log2(3)
    assert value == pytest.approx(worst / best, rel=1e-15)
    assert value < 1.0


def test_fractional_grades_gain_by_their_value():
    # 2^0.5 - 1 for the first, 1 for the second.
    half = 2**0.5 - 1
    value = ndcg_at_k_score([{"a": 0.5, "b": 1}], [["a", "b"]])
    assert value == pytest.approx((half + 1 / math.log2(3)) / (1 + half / math.log2(3)))
