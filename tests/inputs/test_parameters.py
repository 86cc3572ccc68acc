"""Cutoffs, options, irrelevant items by query, and gains and discounts that callers write."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from sklearn_rank import (
    DuplicateItemError,
    InvalidParameterError,
    QueryMismatchError,
    RankingConfigError,
    UndefinedMetricError,
    dcg_at_k_score,
    evaluate,
    fbeta_at_k_score,
    group_auc_score,
    harmonic_mean_score,
    lag_error,
    limited_auc_score,
    ndcg_at_k_score,
    precision_at_k_score,
    ranking_auc_score,
)
from sklearn_rank.measures.catalogue import IDCG
from sklearn_rank.metrics.shared import score
from tests.inputs.cases import ALL, GRADES, GROUPS, SCORES, WITH_K

# k -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "shown"),
    [
        (0, "0"),
        (-1, "-1"),
        (1.5, r"1\.5"),
        (2.0, r"2\.0"),
        ("2", "'2'"),
        (True, "True"),
        (np.bool_(True), "True"),
        (np.float64(2), r"2\.0"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        ([2], r"\[2\]"),
        (np.array([2]), r"array\(\[2\]\)"),
        (Fraction(2), r"Fraction\(2, 1\)"),
        (-(10**30), "-10{30}"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("metric", WITH_K, ids=lambda metric: metric.__name__)
def test_k_is_a_positive_integer(metric, k, shown):
    with pytest.raises(
        InvalidParameterError,
        match=(
            r"^The 'k' parameter of \w+ must be an int in the range \[1, inf\) or None\. "
            rf"Got {shown} instead\.$"
        ),
    ):
        metric(GRADES, SCORES, groups=GROUPS, k=k)


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint8, np.uint64])
def test_any_integer_is_a_k(kind):
    # "a": hit and miss; "b": miss and hit.
    assert precision_at_k_score(GRADES, SCORES, groups=GROUPS, k=kind(1)) == (1 + 0) / 2


def test_places_beyond_the_ranking_count_as_misses():
    assert precision_at_k_score(GRADES, SCORES, groups=GROUPS, k=10) == 1 / 10


@pytest.mark.parametrize("k", [10**9, 10**30], ids=["10^9", "10^30"])
@pytest.mark.parametrize("metric", WITH_K, ids=lambda metric: metric.__name__)
def test_huge_k_reads_the_whole_ranking(metric, k):
    divided_by_k = {
        precision_at_k_score: 1 / k,
        # 2 h / (R + k) with one hit of one relevant item.
        fbeta_at_k_score: 2 / (1 + k),
        harmonic_mean_score: 2 / (1 + k),
    }
    expected = divided_by_k.get(metric, metric(GRADES, SCORES, groups=GROUPS))
    assert metric(GRADES, SCORES, groups=GROUPS, k=k) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", [lag_error, ranking_auc_score, group_auc_score])
def test_measures_of_the_whole_ranking_take_no_k(metric):
    with pytest.raises(TypeError, match="takes no cutoff, got k=2"):
        metric(GRADES, SCORES, groups=GROUPS, k=2)


# Structure ---------------------------------------------------------------------------------------


# Weights and classes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ties", "random", "'average', 'stable', 'docid', 'optimistic', 'pessimistic'"),
        ("ties", ["stable"], "'average', 'stable', 'docid', 'optimistic', 'pessimistic'"),
        ("ties", 1, "'average', 'stable', 'docid', 'optimistic', 'pessimistic'"),
        ("missing", "drop", "'zero', 'skip', 'raise'"),
        ("duplicates", "last", "'raise', 'first'"),
    ],
)
def test_options_are_words(name, value, words):
    with pytest.raises(
        InvalidParameterError, match=rf"The '{name}' parameter .* one of {words}\. Got"
    ):
        evaluate([{"a"}], [["a"]], "map", **{name: value})


# Messages ----------------------------------------------------------------------------------------


def test_parameter_errors_are_value_and_type_errors():
    assert issubclass(InvalidParameterError, ValueError)
    assert issubclass(InvalidParameterError, TypeError)
    assert issubclass(DuplicateItemError, ValueError)
    assert issubclass(QueryMismatchError, ValueError)
    assert issubclass(UndefinedMetricError, ValueError)
    assert issubclass(RankingConfigError, TypeError)
    assert not issubclass(RankingConfigError, ValueError)


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_results_are_python_floats(metric):
    for layout in (
        metric(GRADES, SCORES, groups=GROUPS),
        metric(np.array([[1, 0]], dtype=np.float32), np.array([[2, 1]], dtype=np.float32)),
        metric([{"a"}], [["a", "b"]]),
        metric({"q": {"a"}}, {"q": {"a": 1, "b": 0}}),
        metric([set()], [["a"]], zero_division=0.0),
    ):
        assert type(layout) is float


@pytest.mark.parametrize("beta", [1e154, 1e200, 1e308, 10**300])
def test_a_huge_beta_leaves_the_second_member_alone(beta):
    # Precision 1/2, recall 1/3; with b in the clouds the mean is the recall.
    pair = [{"a", "y", "z"}], [["x", "a"]]
    assert fbeta_at_k_score(*pair, beta=beta) == pytest.approx(1 / 3, rel=1e-15)
    assert 0 <= fbeta_at_k_score(*pair, k=10**400, beta=beta) <= 1 / 3
    assert harmonic_mean_score(*pair, beta=beta) == pytest.approx(1 / 3, rel=1e-15)
    assert harmonic_mean_score([{"z"}], [["x", "a"]], beta=beta) == 0.0


@pytest.mark.parametrize("beta", [1e-308, 1e-200, 5e-324, 0])
def test_a_tiny_beta_leaves_the_first_member_alone(beta):
    pair = [{"a", "y", "z"}], [["x", "a"]]
    assert fbeta_at_k_score(*pair, beta=beta) == pytest.approx(1 / 2, rel=1e-15)
    assert harmonic_mean_score(*pair, beta=beta) == pytest.approx(1 / 2, rel=1e-15)


# Irrelevant items by query -----------------------------------------------------------------------

TWO = {"p": {"a"}, "q": {"b"}}, {"p": ["x", "a"], "q": ["b", "y"]}


@pytest.mark.parametrize("metric", [ranking_auc_score, group_auc_score, limited_auc_score])
@pytest.mark.parametrize("order", ["pq", "qp"])
def test_n_negatives_of_mappings_are_joined_by_query(metric, order):
    numbers = {"p": 4, "q": 1, "left out": 7}
    truth = {query: TWO[0][query] for query in order}
    # a stands below 1 of 4, b above the only one.
    value = metric(truth, TWO[1], n_negatives={query: numbers[query] for query in sorted(numbers)})
    assert value == (3 / 4 + 1) / 2


def test_n_negatives_by_query_serve_every_layout():
    numbers = {"p": 4, "q": 1}
    value = group_auc_score([0, 1, 1, 0], [2, 1, 2, 1], groups=list("ppqq"), n_negatives=numbers)
    assert value == (3 / 4 + 1) / 2
    lists = [{"a"}, {"b"}], [["x", "a"], ["b", "y"]]
    assert group_auc_score(*lists, n_negatives={0: 4, 1: 1}) == (3 / 4 + 1) / 2
    assert group_auc_score(*lists, n_negatives=[4, 1]) == (3 / 4 + 1) / 2


@pytest.mark.parametrize("numbers", [[4, 1], (4, 1), np.array([4, 1])], ids=repr)
def test_n_negatives_by_position_are_refused_for_mappings(numbers):
    message = (
        r"n_negatives by position is ambiguous for mappings, whose queries are joined by key; "
        r"pass \{query: number\}"
    )
    with pytest.raises(InvalidParameterError, match=message):
        group_auc_score(*TWO, n_negatives=numbers)


def test_n_negatives_by_query_that_do_not_fit():
    with pytest.raises(InvalidParameterError, match=r"n_negatives has no number for query 'q'$"):
        group_auc_score(*TWO, n_negatives={"p": 4})
    with pytest.raises(InvalidParameterError, match=r"n_negatives is 0 for query 'q', whose rank"):
        group_auc_score(*TWO, n_negatives={"p": 4, "q": 0})
    with pytest.raises(InvalidParameterError, match=r"The 'n_negatives' parameter of gauc must be"):
        group_auc_score(*TWO, n_negatives={"p": 4, "q": -1})
    message = r"n_negatives by query says nothing of all queries ranked together; pass one number"
    with pytest.raises(InvalidParameterError, match=message):
        ranking_auc_score([0, 1], [2, 1], groups=["p", "p"], average="pooled", n_negatives={"p": 4})


# Functions as parameters -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gain", "message"),
    [
        (lambda grades: -grades, r"gain must be finite and at least 0, got -1\.0 for grade 1"),
        (lambda grades: grades * np.nan, r"gain must be finite and at least 0, got nan"),
        (lambda grades: 1.0, r"gain must return one number for each grade"),
        (lambda grades: "high", r"gain must return one number for each grade"),
        (lambda grades: ["1"], r"gain must return numbers, got \['1'\]"),
        (lambda grades: [None], r"gain must return numbers, got \[None\]"),
        (lambda grades: grades * 1j, r"gain must return numbers, got array\(\[0\.\+1\.j\]\)"),
        (lambda grades: [[1], [1, 2]], r"gain must return one number for each grade"),
        (lambda grades: [10**400], r"gain must return numbers that float64 can hold"),
        (
            {1: -1.0},
            r"The 'gain' parameter of ndcg must be a finite number in the range \[0, inf\)",
        ),
        ({2: 1.0}, r"gain has no entry for grade 1"),
    ],
    ids=[
        *("negative", "NaN", "scalar", "text", "digits", "None", "complex", "ragged", "huge"),
        *("negative in a table", "missing in a table"),
    ],
)
def test_gains_that_are_refused(gain, message):
    with pytest.raises(InvalidParameterError, match=message):
        ndcg_at_k_score([{"a": 1}], [["a"]], gain=gain)


@pytest.mark.parametrize(
    ("discount", "message"),
    [
        (
            lambda ranks: ranks - 1,
            r"discount must be finite, above 0 and never fall, got 0\.0 at rank 1",
        ),
        (lambda ranks: 1 / ranks, r"discount must be .* never fall, got 0\.5 at rank 2"),
        (lambda ranks: 1.0, r"discount must return one number for each rank"),
        (lambda ranks: ["a", "b"], r"discount must return numbers, got \['a', 'b'\]"),
    ],
    ids=["zero", "falling", "scalar", "text"],
)
def test_discounts_that_are_refused(discount, message):
    with pytest.raises(InvalidParameterError, match=message):
        ndcg_at_k_score([{"a": 1, "b": 1}], [["a", "b"]], discount=discount)


@pytest.mark.parametrize(
    "gain",
    [
        lambda grades: grades / grades.max(),
        lambda grades: grades - grades.min() + 1,
        lambda grades: np.cumsum(grades) + 1,
        lambda grades: grades / grades.sum(),
    ],
    ids=["over the greatest", "above the least", "running sum", "share"],
)
@pytest.mark.parametrize("metric", [ndcg_at_k_score, dcg_at_k_score, partial(score, IDCG)])
def test_gains_that_depend_on_other_grades_are_refused(metric, gain):
    message = r"gain must depend on each grade alone, got .* for grade [13] and .* among others"
    with pytest.raises(InvalidParameterError, match=message):
        metric([{"a": 1, "b": 3}], [["a", "b"]], gain=gain)


def test_functions_are_never_called_with_nothing():
    def of_something(values):
        assert len(values)
        return values + 1.0

    options = {"gain": of_something, "discount": of_something, "zero_division": 0.0}
    # Nothing relevant, nothing ranked, nothing at all.
    assert ndcg_at_k_score([set()], [["a"]], **options) == 0.0
    assert ndcg_at_k_score([{"a"}], [[]], **options) == 0.0
    assert dcg_at_k_score([set()], [[]], **options) == 0.0


def test_functions_may_return_any_numbers():
    pair = [{"a": 1, "b": 3}], [["a", "b"]]
    expected = (1 / 1 + 3 / 2) / (3 / 1 + 1 / 2)
    for wrap in (list, tuple, np.asarray, lambda values: np.asarray(values, dtype=object)):
        value = ndcg_at_k_score(*pair, gain=lambda g, w=wrap: w(g), discount=lambda r, w=wrap: w(r))
        assert value == pytest.approx(expected)
