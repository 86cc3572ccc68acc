"""Grades of any layout: negative, fractional, huge and tiny."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import (
    dcg_at_k_score,
    evaluate,
    expected_reciprocal_rank_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    measure,
    ndcg_at_k_score,
    precision_at_k_score,
)
from sklearn_rank.measures.catalogue import IDCG
from sklearn_rank.metrics.shared import score


def test_negative_grades_are_unjudged_under_trec_eval():
    evaluation = evaluate([{"a": -1, "b": 1}], [["a", "b"]], "map", convention="trec_eval")
    assert evaluation["map"] == 1 / 2
    assert evaluation.counts["unjudged_grades"] == 1


@pytest.mark.parametrize("grade", [2000, 2**70, 1e308], ids=["2000", "2^70", "1e308"])
def test_ndcg_of_any_grade_is_exact(grade):
    # One item of this grade and one of grade 1, swapped: the gain 2^g - 1 of the latter vanishes.
    value = ndcg_at_k_score(np.array([[float(grade), 1.0]]), np.array([[1, 2]]))
    assert value == pytest.approx(1 / math.log2(3), rel=1e-15)


@pytest.mark.parametrize("grade", [2000, 2**70], ids=["2000", "2^70"])
def test_err_of_any_grade_is_exact(grade):
    # Stops at once with probability (2^g - 1) / 2^g = 1, or goes on after a grade of 1.
    first = expected_reciprocal_rank_score([{"a": grade, "b": 1}], [["a", "b"]])
    second = expected_reciprocal_rank_score([{"a": grade, "b": 1}], [["b", "a"]])
    assert first == pytest.approx(1.0)
    assert second == pytest.approx(1 / 2)
    assert expected_reciprocal_rank_score([{"a": 53}], [["a"]]) == 1 - 2.0**-53


@pytest.mark.parametrize("gain", ["exp2", "linear", {5e-324: 5e-324, 1.5e-323: 1.5e-323}])
@pytest.mark.parametrize("measured", ["ndcg", "ndcg@1"])
def test_ndcg_of_the_smallest_gains_is_exact(gain, measured):
    # The gains are as 1 to 3: 2^g - 1 is g ln 2 down there, and the factor cancels.
    value = evaluate(
        [{"a": 5e-324, "b": 1.5e-323}], [["a", "b"]], measure(measured, gain=gain)
    ).scores[measure(measured, gain=gain)]
    expected = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert value == pytest.approx(1 / 3 if "@" in measured else expected, rel=1e-15)


def test_ndcg_of_gains_far_apart_in_other_queries():
    truth = [{"a": 5e-324, "b": 1e-323}, {"a": 1.0, "b": 2.0}, {"a": 1e308, "b": 5e307}]
    rankings = [["a", "b"], ["a", "b"], ["b", "a"]]
    discount = math.log2(3)
    expected = (1 + 2 / discount) / (2 + 1 / discount)
    values = evaluate(truth, rankings, "ndcg(gain=linear)").per_query["ndcg(gain=linear)"]
    assert values == pytest.approx([expected] * 3, rel=1e-15)


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


def test_longdouble_grades_that_float64_holds_are_read():
    grades = np.array([0, 2, 1], dtype=np.longdouble)
    assert mean_reciprocal_rank_score(grades, [3, 2, 1], groups=[7, 7, 7]) == 1 / 2


@pytest.mark.parametrize("wrap", [np.array, sparse.csr_array])
def test_negative_grades_of_arrays_are_counted_under_trec_eval(wrap):
    options = {"convention": "trec_eval", "ties": "stable"}
    rows = evaluate([1, -1, 0, -2], [4, 3, 2, 1], "map", groups=[0, 0, 1, 1], **options)
    assert rows.counts["unjudged_grades"] == 2
    assert rows.per_query["map"].tolist()[:1] == [1.0]
    matrix = wrap(np.array([[0, -1, 1], [1, 0, 0]]))
    cells = evaluate(matrix, np.array([[3, 2, 1], [3, 2, 1]]), "mrr", **options)
    assert cells.counts["unjudged_grades"] == 1
    assert cells["mrr"] == (1 / 3 + 1) / 2


@pytest.mark.parametrize("metric", [dcg_at_k_score, partial(score, IDCG)])
def test_dcg_that_overflows_says_so_and_names_the_grade(metric):
    assert metric([{"a": 1023}], [["a"]]) == 2.0**1023
    message = r"DCG with gain='exp2' overflows float64 at grade {}.*; use ndcg or gain='linear'"
    for grade in (1024, 2000):
        with pytest.raises(OverflowError, match=message.format(grade)):
            metric([{"a": grade, "b": 1}], [["a", "b"]])


def test_linear_dcg_that_overflows_does_not_blame_the_gain():
    with pytest.raises(OverflowError, match=r"^DCG with gain='linear' overflows float64"):
        dcg_at_k_score(np.full((1, 5), 1e308), np.arange(5.0)[np.newaxis], gain="linear")


def test_huge_grades_are_summed_in_float64():
    # 10^9 + 1 stays apart from 10^9, which float32 could not tell.
    value = ndcg_at_k_score([{"a": 10**9, "b": 10**9 + 1}], [["a", "b"]], gain="linear")
    worst, best = 10**9 + (10**9 + 1) / math.log2(3), (10**9 + 1) + 10**9 / math.log2(3)
    assert value == pytest.approx(worst / best, rel=1e-15)
    assert value < 1.0


@pytest.mark.parametrize("metric", [precision_at_k_score, mean_average_precision_score])
@pytest.mark.parametrize("grade", [0.5, 1, 1.9, True, np.int64(3), np.bool_(True), 2000])
def test_any_grade_above_zero_is_relevant_once(metric, grade):
    assert metric([{"a": grade, "b": 0}], [["a"]]) == 1.0
    assert metric(np.array([[grade, 0]], dtype=object), np.array([[2, 1]]), k=1) == 1.0


def test_fractional_grades_gain_by_their_value():
    # 2^0.5 - 1 for the first, 1 for the second.
    half = 2**0.5 - 1
    value = ndcg_at_k_score([{"a": 0.5, "b": 1}], [["a", "b"]])
    assert value == pytest.approx((half + 1 / math.log2(3)) / (1 + half / math.log2(3)))
