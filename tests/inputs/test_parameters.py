"""Cutoffs, options, undefined queries, irrelevant items by query, and functions of callers."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sklearn_rank import (
    InvalidParameterError,
    UndefinedMetricError,
    UndefinedMetricWarning,
    evaluate,
    fbeta_at_k_score,
    group_auc_score,
    harmonic_mean_score,
    lag_error,
    limited_auc_score,
    mean_average_precision_score,
    measure,
    ndcg_at_k_score,
    precision_at_k_score,
    ranking_auc_score,
)
from tests.inputs.cases import ALL, GRADES, GROUPS, SCORES, WITH_K

every_cut_metric = pytest.mark.parametrize("metric", WITH_K, ids=lambda metric: metric.__name__)
every_metric = pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
PAIRS = [ranking_auc_score, group_auc_score, limited_auc_score]

# k -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "shown"),
    [
        (0, "0"),
        (-1, "-1"),
        (2.0, r"2\.0"),
        ("2", "'2'"),
        (True, "True"),
        (np.bool_(True), "True"),
        (np.float64(2), r"2\.0"),
        (math.nan, "nan"),
        ([2], r"\[2\]"),
        (np.array([2]), r"array\(\[2\]\)"),
        (Fraction(2), r"Fraction\(2, 1\)"),
        (-(10**5000), "<int without a representation>"),
    ],
    ids=lambda value: str(value)[:9] if isinstance(value, str) else type(value).__name__,
)
def test_k_is_a_positive_integer(k: Any, shown: str) -> None:
    several = "; evaluate takes several cutoffs, as in 'ndcg@5,10'" if isinstance(k, list) else ""
    rule = rf"must be an int in the range \[1, inf\) or None{several}\. Got {shown} instead\.$"
    for metric in WITH_K:
        with pytest.raises(InvalidParameterError, match=rf"^The 'k' parameter of \w+ {rule}"):
            metric(GRADES, SCORES, groups=GROUPS, k=k)


@pytest.mark.parametrize("k", [10**9, 10**30], ids=["10^9", "10^30"])
@every_cut_metric
def test_huge_k_reads_the_whole_ranking(metric: Any, k: int) -> None:
    divided_by_k = {
        precision_at_k_score: 1 / k,
        # 2 h / (R + k) with one hit of one relevant item.
        fbeta_at_k_score: 2 / (1 + k),
        harmonic_mean_score: 2 / (1 + k),
    }
    expected = divided_by_k.get(metric, metric(GRADES, SCORES, groups=GROUPS))
    assert metric(GRADES, SCORES, groups=GROUPS, k=k) == pytest.approx(expected, rel=1e-12)


# Options and results -----------------------------------------------------------------------------

TIES = "'average', 'stable', 'docid', 'optimistic', 'pessimistic'"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ties", "random", TIES),
        ("ties", ["stable"], TIES),
        ("ties", 1, TIES),
        ("missing", "drop", "'zero', 'skip', 'raise'"),
        ("duplicates", "last", "'raise', 'first'"),
        *(("assume", value, "'complete', 'partial'") for value in ("none", True, ["partial"])),
    ],
)
def test_options_are_words(name: str, value: Any, words: str) -> None:
    message = rf"The '{name}' parameter .* one of {words}\. Got"
    with pytest.raises(InvalidParameterError, match=message):
        evaluate([{"a"}], [["a"]], "map", **{name: value})


@pytest.mark.parametrize(
    ("beta", "expected"),
    # Precision 1/2, recall 1/3: a huge beta leaves the recall alone, a tiny one the precision.
    [*((beta, 1 / 3) for beta in (1e154, 1e308, 10**300)), *((b, 1 / 2) for b in (1e-308, 5e-324))],
)
def test_extreme_betas_leave_one_member_alone(beta: Any, expected: float) -> None:
    pair = [{"a", "y", "z"}], [["x", "a"]]
    assert fbeta_at_k_score(*pair, beta=beta) == pytest.approx(expected, rel=1e-15)
    assert harmonic_mean_score(*pair, beta=beta) == pytest.approx(expected, rel=1e-15)
    assert 0 <= fbeta_at_k_score(*pair, k=10**400, beta=beta) <= 1 / 3
    assert harmonic_mean_score([{"z"}], [["x", "a"]], beta=beta) == 0.0


# Irrelevant items -------------------------------------------------------------------------------


KEYED = {"p": {"a"}}, {"p": ["x", "a"]}
LISTS = [{"a"}, {"b"}], [["x", "a"], ["b", "y"]]


@pytest.mark.parametrize(
    ("sides", "number", "message"),
    [
        (KEYED, 0, "n_negatives is 0, but the ranking of query 'p' already has 1 irrelevant item$"),
        (KEYED, -1, "The 'n_negatives' parameter of gauc must be"),
        (KEYED, {"p": 1}, "The 'n_negatives' parameter of gauc must be"),
        (KEYED, [4], "n_negatives has 1 number by position, but queries are joined by key"),
        (LISTS, [4], "n_negatives has 1 number by position, but there are 2 queries"),
        (
            LISTS,
            [4, 0],
            "n_negatives is 0, but the ranking of query 1 already has 1 irrel",
        ),
    ],
)
def test_n_negatives_that_are_refused(sides: Any, number: Any, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        group_auc_score(*sides, n_negatives=number)


def test_n_negatives_by_position() -> None:
    # a stands below 1 of 4, b above the only one.
    assert group_auc_score(*LISTS, n_negatives=np.array([4, 1])) == (3 / 4 + 1) / 2
    spec = measure("auc(average=pooled)", n_negatives=[4, 1])
    rows = [0, 1, 1, 0], [4, 3, 2, 1]
    with pytest.raises(InvalidParameterError, match="n_negatives has 2 numbers for 1 ranking"):
        evaluate(*rows, spec, groups=[0, 0, 1, 1])


# Gains ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gain": {1: -1.0}}, "The 'gain' parameter of ndcg must be a finite number in the range"),
        ({"gain": {2: 1.0}}, "gain has no entry for grade 1"),
        ({"gain": lambda g: g}, "The 'gain' parameter of ndcg must be one of 'exp2', 'linear'"),
        ({"discount": lambda r: r}, "The 'discount' parameter of ndcg must be one of 'log2'"),
    ],
)
def test_gains_and_discounts_that_are_refused(parameters: Any, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        ndcg_at_k_score([{"a": 1, "b": 1}], [["a", "b"]], **parameters)


def test_a_gain_that_lacks_a_grade_is_told_wherever_that_stands() -> None:
    with pytest.raises(ValueError, match="gain has no entry for grade 2"):
        evaluate(np.array([[1, 0, 2]]), np.array([[3.0, 2, 1]]), measure("dcg@1", gain={1: 1.0}))


# Undefined queries under each zero_division ------------------------------------------------------


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_undefined_queries_under_each_zero_division(metric):
    # The first query has nothing relevant, the second a perfect ranking.
    pair = [set(), {"a"}], [["x", "y"], ["a", "b"]]
    second = metric(*[side[1:] for side in pair])
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"undefined for 1 of 2 queries: 0; they are left out\. Use the zero_division",
    ):
        assert metric(*pair) == second
    assert metric(*pair, zero_division=np.nan) == second
    with pytest.raises(UndefinedMetricError, match=r"undefined for 1 of 2 queries: 0$"):
        metric(*pair, zero_division="raise")
    if metric is ranking_auc_score:
        # Weighed by relevant items, of which the first query has none.
        assert metric(*pair, zero_division=0.0) == second
        return
    assert metric(*pair, zero_division=0.0) == pytest.approx((0 + second) / 2)
    assert metric(*pair, zero_division=1.0) == pytest.approx((1 + second) / 2)


@pytest.mark.parametrize(
    ("average", "weights"),
    [("positives", [0, 1, 2]), ("impressions", [2, 3, 2]), ("macro", [1, 1, 1])],
)
@pytest.mark.parametrize("settled", [0.0, 1.0])
def test_settled_queries_keep_their_weight(average, weights, settled):
    # Undefined without a relevant item; 1/2 of the pairs; undefined without an irrelevant one.
    pair = [set(), {"b"}, {"a", "b"}], [["a", "b"], ["a", "b", "c"], ["a", "b"]]
    value = ranking_auc_score(*pair, average=average, zero_division=settled)
    wins = weights[0] * settled + weights[1] * 1 / 2 + weights[2] * settled
    assert value == pytest.approx(wins / sum(weights), rel=1e-15)
    alone = ranking_auc_score([set()], [["a", "b"]], average=average, zero_division=settled)
    assert alone == settled


def test_settled_queries_keep_their_weight_in_pooled_lag():
    # The first query has nothing relevant and weighs 0, the second lags 1, the third, which has
    # two missed items and an empty ranking, counts 0 twice.
    pair = [set(), {"b"}, {"y", "z"}], [["a"], ["a", "b"], []]
    assert lag_error(*pair, average="pooled", zero_division=0.0) == (1 * 1 + 2 * 0) / 3


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_all_queries_undefined(metric):
    with pytest.warns(
        UndefinedMetricWarning, match=r"undefined for 2 of 2 queries: 0, 1; the result is NaN"
    ):
        assert math.isnan(metric([set(), set()], [["x", "y"], ["x"]]))


@pytest.mark.parametrize(
    "value", [0.5, 2, -1, True, None, "nan", "skip", [0], math.inf, np.bool_(False)], ids=repr
)
def test_zero_division_has_five_values(value):
    with pytest.raises(
        InvalidParameterError,
        match=r"The 'zero_division' parameter of map must be one of 'warn', 'raise', nan, 0\.0, 1",
    ):
        mean_average_precision_score([{"a"}], [["a"]], zero_division=value)
