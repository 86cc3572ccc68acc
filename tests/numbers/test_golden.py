"""Worked numbers: each expected value is the arithmetic that gives it.

Grades stand in rank order throughout: ``ranked(0, 1)`` is an irrelevant item above a relevant one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import auc

from sklearn_rank import (
    ConventionWarning,
    dcg_at_k_score,
    evaluate,
    expected_reciprocal_rank_score,
    fbeta_at_k_score,
    group_auc_score,
    harmonic_mean_score,
    hit_rate_at_k_score,
    lag_error,
    limited_auc_score,
    mean_average_precision_score,
    mean_average_recall_score,
    mean_reciprocal_rank_score,
    ndcg_at_k_score,
    normalized_expected_reciprocal_rank_score,
    precision_at_k_score,
    ranking_auc_score,
    ranking_roc_curve,
    recall_at_k_score,
)
from sklearn_rank.inputs import RelevanceInput

LOG3 = math.log2(3)
"""Discount of rank 2; that of rank 1 is 1 and of rank 3 is 2."""


def ranked(*grades: float) -> tuple[np.ndarray, np.ndarray]:
    """One query in the matrix layout whose items have these grades in rank order."""
    return np.array([grades], dtype=float), -np.arange(len(grades), dtype=float)[None]


def tied(*grades: float) -> tuple[np.ndarray, np.ndarray]:
    """One query whose items all have the same score."""
    return np.array([grades], dtype=float), np.zeros((1, len(grades)))


def by(convention: str, name: str, y_true: Any, y_score: Any, **options: Any) -> float:
    return evaluate(y_true, y_score, name, convention=convention, **options)[name]


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


# The four inputs of the rank metrics calculator -------------------------------------------------

TRUTH = {"1:a", "1:b", "1:c", "2:a", "3:a"}
LISTS = [
    ["1:x", "1:a", "1:y", "1:b"],
    ["2:x", "2:y", "2:z", "2:a"],
    ["3:x", "3:y", "3:z", "3:v"],
]
TRUTHS = [{"1:a", "1:b", "1:c"}, {"2:a"}, {"3:a"}]


class Link:
    """An item that only a string provider can compare: no two are equal."""

    def __init__(self, query: int, target: str) -> None:
        self.query, self.target = query, target


def spell(link: Link) -> str:
    return f"{link.query}:{link.target}"


def read(text: str) -> Link:
    query, target = text.split(":")
    return Link(int(query), target)


def test_sorted_lists_one_ground_truth_string_provider_and_relevance() -> None:
    """Ranked results, ground truth, string provider and relevance-based input, as documented.

    Lists: x a y b and x y z a, all links of the ground truth retrieved. Their relevances fall
    along the lists: .9 .8 .3 .1 and .7 .6 .5 .4.
    """
    results = [[read(item) for item in items] for items in LISTS[:2]]
    truth = {read("1:a"), read("1:b"), read("2:a")}
    relevance = RelevanceInput([["0.9", "0.8", "0.3", "0.1"], ["0.7", "0.6", "0.5", "0.4"]])
    calls: list[Link] = []

    def provider(link: Link) -> str:
        calls.append(link)
        return spell(link)

    found = evaluate(
        truth,
        results,
        ("map", "lag", "auc(average=pooled)"),
        string_provider=provider,
        relevance=relevance,
    )
    # AP: (1/2 + 2/4) / 2 and 1/4.
    assert found["map"] == close(((1 / 2 + 2 / 4) / 2 + 1 / 4) / 2)
    # One wrong link above a, two above b; three above the second list's a.
    assert found["lag"] == close(((1 + 2) / 2 + 3) / 2)
    # Correct at .8, .1 and .4; wrong at .9, .3, .7, .6, .5. Below .8: four of five; .1: none;
    # .4: one (.3).
    assert found["auc(average=pooled)"] == close((4 + 0 + 1) / (3 * 5))
    # Each of eight results and three links of the ground truth was converted once.
    assert len(calls) == len(set(calls)) == 8 + 3


def test_relevance_of_distances_smaller_is_more_similar() -> None:
    falling = RelevanceInput([[0.1, 0.2, 0.7, 0.9]], higher_is_better=False)
    # a stands above one of two wrong ones, b above none.
    assert ranking_auc_score(
        [{"a", "b"}], [["x", "a", "y", "b"]], relevance=falling, average="pooled"
    ) == close((1 + 0) / (2 * 2))


def test_roc_points_are_rates_of_true_and_false_positives() -> None:
    """Thresholds .9 .8 .3 .1 over x a y b: (0,0) (1/2,0) (1/2,1/2) (1,1/2) (1,1)."""
    fpr, tpr, thresholds = ranking_roc_curve(
        [{"a", "b"}], [["x", "a", "y", "b"]], relevance=[[0.9, 0.8, 0.3, 0.1]]
    )
    points = set(zip(fpr.tolist(), tpr.tolist(), strict=True))
    assert {(0, 0), (1 / 2, 0), (1 / 2, 1 / 2), (1, 1 / 2), (1, 1)} >= points
    assert {(0, 0), (1, 1)} <= points
    assert auc(fpr, tpr) == close(1 / 4)
    assert len(thresholds) == len(fpr)


# Average precision ------------------------------------------------------------------------------


def test_ap_of_relevant_at_ranks_1_and_3() -> None:
    assert mean_average_precision_score(*ranked(1, 0, 1, 0)) == close((1 + 2 / 3) / 2)  # .8333


def test_map_of_the_documented_formula_counts_missed_links_and_queries_without_a_hit() -> None:
    # Query 1 misses one of three links, query 3 its only one.
    expected = ((1 / 2 + 2 / 4) / 3 + (1 / 4) / 1 + 0) / 3
    assert expected == pytest.approx(0.1944, abs=5e-5)
    assert mean_average_precision_score(TRUTHS, LISTS) == close(expected)


def test_ardoco_map_divides_by_what_was_found_and_by_the_queries_that_found_it() -> None:
    expected = ((1 / 2 + 2 / 4) / 2 + (1 / 4) / 1) / 2
    assert expected == 0.375
    assert by("ardoco", "map", TRUTH, LISTS) == close(expected)


def test_missed_links_of_the_one_ground_truth_are_counted() -> None:
    assert evaluate(TRUTH, LISTS, "map", zero_division=np.nan).counts["missed"] == 2  # 1:c and 3:a


def test_graded_ap_is_that_of_relevant_or_not() -> None:
    assert mean_average_precision_score(*ranked(2, 0, 1, 0)) == close((1 + 2 / 3) / 2)  # .8333
    with pytest.warns(ConventionWarning, match="divides by a sum of grades"):
        assert by("ptranking", "map", *ranked(2, 0, 1, 0)) == close((1 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("denominator", "divisor"), [("min", 2), ("relevant", 3), ("retrieved", 1), ("k", 2)]
)
def test_four_divisors_of_ap_at_2(denominator: str, divisor: int) -> None:
    """Three relevant items, one of them within the first two: the sum is 1/2."""
    value = mean_average_precision_score(*ranked(0, 1, 1, 1), k=2, denominator=denominator)
    assert value == close((1 / 2) / divisor)


@pytest.mark.parametrize("denominator", ["min", "retrieved", "k"])
def test_ap_at_1_of_three_relevant_is_perfect(denominator: str) -> None:
    assert mean_average_precision_score(*ranked(1, 1, 1), k=1, denominator=denominator) == 1.0


def test_trec_eval_map_cut_1_of_three_relevant_is_a_third() -> None:
    y_true, y_score = {"q": {"a", "b", "c"}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    assert by("trec_eval", "map@1", y_true, y_score) == close(1 / 3)


def test_xgboost_map_at_1_of_three_relevant_is_1() -> None:
    assert by("xgboost", "map@1", *ranked(1, 1, 1, 0)) == 1.0


def test_lightgbm_map_at_3() -> None:
    assert by("lightgbm", "map@3", *ranked(0, 1, 2)) == close((1 / 2 + 2 / 3) / 2)  # .58333


def test_adding_a_missed_relevant_item_lowers_ap() -> None:
    lists = [["a", "x", "b"]]
    assert mean_average_precision_score([{"a", "b"}], lists) == close((1 + 2 / 3) / 2)
    assert mean_average_precision_score([{"a", "b", "c"}], lists) == close((1 + 2 / 3) / 3)


# LAG --------------------------------------------------------------------------------------------

LAG_TRUTHS, LAG_LISTS = [{"a", "b"}, {"a"}], [["x", "a", "y", "b"], ["x", "y", "z", "a"]]


def test_lag_is_the_mean_of_the_queries_mean_lags() -> None:
    assert lag_error(LAG_TRUTHS, LAG_LISTS) == close(((1 + 2) / 2 + 3) / 2)  # 2.25


def test_ardoco_lag_is_the_mean_over_all_links() -> None:
    assert lag_error(LAG_TRUTHS, LAG_LISTS, average="pooled") == close((1 + 2 + 3) / 3)  # 2.0
    assert by("ardoco", "lag", LAG_TRUTHS, LAG_LISTS) == close((1 + 2 + 3) / 3)


def test_ardoco_lag_ignores_links_that_were_not_retrieved() -> None:
    truths, lists = [{"a", "b"}], [["x", "a", "y"]]
    assert by("ardoco", "lag", truths, lists) == close(1)
    assert lag_error(truths, lists) == close((1 + 2) / 2)  # b stands below x and y


def test_an_item_at_rank_3_that_should_be_first_lags_by_2() -> None:
    assert lag_error(*ranked(0, 0, 1)) == 2.0


# AUC, GAUC, LAUC --------------------------------------------------------------------------------

TWO_OF_SIX = ranked(0, 1, 0, 1, 0, 0)
"""Of four irrelevant items three stand below the first relevant one and two below the second."""


@pytest.mark.parametrize("average", ["positives", "macro", "impressions", "pooled"])
def test_auc_of_one_query_whatever_the_average(average: str) -> None:
    assert ranking_auc_score(*TWO_OF_SIX, average=average) == close((3 + 2) / (2 * 4))  # .625


@pytest.mark.parametrize("grades", [(0, 0, 0, 1), (0, 0, 1, 1)])
def test_the_worst_auc_is_0(grades: tuple[int, ...]) -> None:
    assert group_auc_score(*ranked(*grades)) == 0.0


@pytest.mark.parametrize("name", ["auc", "gauc"])
@pytest.mark.parametrize(
    ("grades", "expected"), [((0, 0, 0, 1), 1 / 4), ((0, 0, 1, 1), 1 / 3), ((1, 1), 1.0)]
)
def test_warprec_auc_counts_an_irrelevant_item_more(
    name: str, grades: tuple[int, ...], expected: float
) -> None:
    """(N + 1 - above) / (N + 1): at worst 1 / (N + 1), and 1 without an irrelevant item."""
    assert by("warprec", name, *ranked(*grades)) == close(expected)


def test_warprec_auc_of_one_positive_last_of_five_sampled_from_a_thousand_items() -> None:
    negatives = 1000 - 1
    expected = (negatives + 1 - 4) / (negatives + 1)
    assert expected == 0.996
    last_of_five = ranked(0, 0, 0, 0, 1)
    assert group_auc_score(*last_of_five, n_negatives=negatives, smoothing=1) == close(expected)
    assert group_auc_score(*last_of_five) == 0.0


def test_four_equal_scores_are_a_coin_toss() -> None:
    """Steps of one item at a time would say 1 or 0, by the order of input."""
    for grades in ((1, 1, 0, 0), (0, 0, 1, 1)):
        assert ranking_auc_score(*tied(*grades), average="pooled") == 0.5


def test_auc_averages_divide_by_their_weights() -> None:
    """AUC 1 with three positives of four items, AUC 0 with one positive of two."""
    y_true, y_score = [1, 1, 1, 0, 0, 1], [4, 3, 2, 1, 2, 1]
    groups = ["a"] * 4 + ["b"] * 2
    expected = {"positives": 3 / 4, "macro": 1 / 2, "impressions": 4 / 6}
    for average, value in expected.items():
        assert ranking_auc_score(y_true, y_score, groups=groups, average=average) == close(value)
    assert group_auc_score(y_true, y_score, groups=groups) == close(1 / 2)
    # All together: positives 4 3 2 and 1, negatives 1 and 2. Above both: 4 and 3. The 2 is above
    # one and tied with the other, the 1 below one and tied with the other.
    assert ranking_auc_score(y_true, y_score, groups=groups, average="pooled") == close(
        (2 + 2 + 1.5 + 0.5) / (4 * 2)
    )


def test_weighted_mean_of_two_aucs_lies_between_them() -> None:
    """AUC .8 and .9 average to .85, not to 1.7."""
    # One relevant item above eight (nine) of ten others.
    y_true = np.zeros((2, 11))
    y_true[0, 2] = y_true[1, 1] = 1
    y_score = np.tile(-np.arange(11), (2, 1))
    assert group_auc_score(y_true, y_score) == close((0.8 + 0.9) / 2)
    assert group_auc_score(y_true, y_score, sample_weight=[3, 1]) == close((3 * 0.8 + 0.9) / 4)


@pytest.mark.parametrize(
    ("k", "expected"),
    [(1, 0), (2, (4 / 5) / 2), (3, (4 / 5) / 2), (4, (4 / 5 + 3 / 5) / 2)],  # 0 .4 .4 .7
)
def test_warprec_lauc(k: int, expected: float) -> None:
    assert limited_auc_score(*TWO_OF_SIX, k=k, smoothing=1) == close(expected)
    assert by("warprec", f"lauc@{k}", *TWO_OF_SIX) == close(expected)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        # A straight line from (1/4, 0): mean height 1/2 over 3/4.
        (1, (3 / 4) * (0 + 1) / 2),  # .375
        # From (1/4, 1/2): mean height 3/4 over 3/4.
        (2, (3 / 4) * (1 / 2 + 1) / 2),  # .5625
        # Height 1/2 over the second quarter, then from (1/2, 1/2).
        (3, (1 / 4) * (1 / 2) + (1 / 2) * (1 / 2 + 1) / 2),  # .5
        # Nothing relevant is left: the area of the whole curve.
        (4, (1 / 4) * (1 / 2) + (1 / 2) * 1),  # .625
    ],
)
def test_implicit_lauc(k: int, expected: float) -> None:
    assert limited_auc_score(*TWO_OF_SIX, k=k, tail="linear") == close(expected)


# Precision, recall, hits, reciprocal rank -------------------------------------------------------


def test_precision_at_5_of_four_documents_three_relevant() -> None:
    """One over k for most, over what was returned for XGBoost."""
    assert precision_at_k_score(*ranked(1, 1, 1, 0), k=5) == close(3 / 5)
    assert by("xgboost", "precision@5", *ranked(1, 1, 1, 0)) == close(3 / 4)


def test_recall_at_2_of_three_relevant() -> None:
    """One over R for most, over the two that fit for LensKit."""
    assert recall_at_k_score(*ranked(1, 1, 1), k=2) == close(2 / 3)
    assert by("lenskit", "recall@2", *ranked(1, 1, 1)) == 1.0


def test_hit_rate_is_the_share_of_queries_with_a_hit() -> None:
    assert hit_rate_at_k_score([{"a"}, {"b"}], [["a", "x"], ["x", "b"]], k=1) == 1 / 2


def test_mrr_of_first_relevant_at_ranks_2_and_3_and_nowhere() -> None:
    truths, lists = [{"a"}] * 3, [["x", "a"], ["x", "y", "a"], ["x"]]
    assert mean_reciprocal_rank_score(truths, lists) == close((1 / 2 + 1 / 3 + 0) / 3)
    assert mean_reciprocal_rank_score(truths, lists, k=2) == close((1 / 2 + 0 + 0) / 3)


@pytest.mark.parametrize("keys", [("q1", "q2"), ("q2", "q1")])
def test_queries_are_joined_by_key_not_by_position(keys: tuple[str, str]) -> None:
    y_score = {"q1": {"a": 2, "b": 1}, "q2": {"b": 2, "a": 1}}
    y_true = {"q1": {"a"}, "q2": {"b"}}
    assert mean_reciprocal_rank_score(y_true, {key: y_score[key] for key in keys}) == 1.0


@pytest.mark.parametrize("pair", [(-1, -2), (2**53, 2**53 + 1)])
def test_ids_that_meet_in_float64_or_in_a_hash_stay_apart(pair: tuple[int, int]) -> None:
    first, second = pair
    assert mean_reciprocal_rank_score({first: {second}}, {first: [first, second]}) == 1 / 2


@pytest.mark.parametrize("shift", [0, 10, -10])
def test_scores_below_0_rank_like_any_others(shift: int) -> None:
    """Relevant items at -1 and -2, the irrelevant one at -3."""
    y_true, y_score = [[1, 0, 1]], np.array([[-1.0, -3.0, -2.0]]) + shift
    assert mean_average_precision_score(np.array(y_true), y_score) == 1.0
    assert precision_at_k_score(np.array(y_true), y_score, k=2) == 1.0


def test_scores_of_uint8_do_not_wrap() -> None:
    scores = np.array([[255, 1, 0]], dtype=np.uint8)
    assert ndcg_at_k_score(np.array([[1, 0, 0]]), scores) == 1.0


# F ----------------------------------------------------------------------------------------------


def test_f_half_of_precision_three_quarters_and_full_recall() -> None:
    expected = (1 + 0.25) * 0.75 * 1 / (0.25 * 0.75 + 1)
    assert expected == pytest.approx(0.7895, abs=5e-5)
    assert fbeta_at_k_score(*ranked(1, 1, 1, 0), k=4, beta=0.5) == close(expected)
    assert harmonic_mean_score(*ranked(1, 1, 1, 0), k=4, beta=0.5) == close(expected)


def test_trec_eval_set_f_takes_the_square_of_beta() -> None:
    """P = 1/2 and R = 1/4: F2 is .2778, trec_eval's set_F of 2 is .3, which is F of root 2."""
    truths, lists = [{"a", "b", "c", "d"}], [["a", "x"]]
    f2 = (1 + 4) * (1 / 2) * (1 / 4) / (4 * (1 / 2) + 1 / 4)
    assert f2 == pytest.approx(0.2778, abs=5e-5)
    assert fbeta_at_k_score(truths, lists, beta=2) == close(f2)
    set_f = (1 + 2) * (1 / 2) * (1 / 4) / (2 * (1 / 2) + 1 / 4)
    assert set_f == pytest.approx(0.3)
    assert fbeta_at_k_score(truths, lists, beta=math.sqrt(2)) == close(set_f)


def test_f_is_averaged_over_queries_not_made_of_averages() -> None:
    """P 1 and R 1/2, then P 1/2 and R 1/2: F1 2/3 and 1/2.

    Of the means, P 3/4 and R 1/2, it would be 3/5.
    """
    truths, lists = [{"a", "b"}, {"a", "b"}], [["a"], ["a", "x"]]
    assert fbeta_at_k_score(truths, lists) == close((2 / 3 + 1 / 2) / 2)


# DCG and nDCG -----------------------------------------------------------------------------------

WRONG_ORDER = ranked(1, 2)


def test_ndcg_of_grades_1_2_with_each_gain() -> None:
    exp2 = (1 + 3 / LOG3) / (3 + 1 / LOG3)
    linear = (1 + 2 / LOG3) / (2 + 1 / LOG3)
    of_next = (3 + 7 / LOG3) / (7 + 3 / LOG3)  # WarpRec: 2^(grade + 1) - 1
    assert (exp2, linear, of_next) == pytest.approx((0.7967, 0.8597, 0.8340), abs=5e-5)
    assert ndcg_at_k_score(*WRONG_ORDER) == close(exp2)
    assert ndcg_at_k_score(*WRONG_ORDER, gain="linear") == close(linear)
    assert ndcg_at_k_score(*WRONG_ORDER, gain="binary") == 1.0
    assert ndcg_at_k_score(*WRONG_ORDER, gain={1: 3, 2: 7}) == close(of_next)
    assert ndcg_at_k_score(*WRONG_ORDER, gain=lambda grade: 2 ** (grade + 1) - 1) == close(of_next)
    for convention, value in {
        "warprec": of_next,
        "ptranking": exp2,
        "xgboost": exp2,
        "lightgbm": exp2,
        "sklearn": linear,
        "ranx": linear,
        "recbole": 1.0,
        "spark": 1.0,
    }.items():
        assert by(convention, "ndcg", *WRONG_ORDER) == close(value)


def test_lenskit_discounts_ranks_1_and_2_alike() -> None:
    assert by("lenskit", "ndcg", *WRONG_ORDER) == 1.0
    # Ranks 2 and 3: log2(max(i, 2)) is 1 and log2(3); its gain is binary.
    assert by("lenskit", "ndcg", *ranked(0, 1, 2)) == close((1 + 1 / LOG3) / (1 + 1))


def test_ndcg_of_relevant_at_ranks_1_and_3() -> None:
    assert ndcg_at_k_score(*ranked(1, 0, 1, 0)) == close((1 + 1 / 2) / (1 + 1 / LOG3))  # .9197


def test_rendle_ndcg_equals_warprec_on_binary_grades() -> None:
    """The gain of every relevant item is 3 there, and cancels."""
    expected = (1 + 1 / 2) / (1 + 1 / LOG3)
    assert ndcg_at_k_score(*ranked(1, 0, 1, 0), gain="binary") == close(expected)
    assert by("warprec", "ndcg", *ranked(1, 0, 1, 0)) == close(expected)


def test_xgboost_and_lightgbm_ndcg_of_grades_0_1_2() -> None:
    expected = (0 + 1 / LOG3 + 3 / 2) / (3 + 1 / LOG3)
    assert expected == pytest.approx(0.58688, abs=5e-6)
    assert by("xgboost", "ndcg", *ranked(0, 1, 2)) == close(expected)
    assert by("lightgbm", "ndcg", *ranked(0, 1, 2)) == close(expected)


def test_ideal_takes_the_grades_and_not_ones() -> None:
    """Grades 3 and 2 in perfect order: over ones the quotient would be 5.45."""
    gained = 7 + 3 / LOG3
    assert gained / (1 + 1 / LOG3) == pytest.approx(5.45, abs=5e-3)
    assert dcg_at_k_score(*ranked(3, 2)) == close(gained)
    assert evaluate(*ranked(2, 3), "idcg")["idcg"] == close(gained)
    assert ndcg_at_k_score(*ranked(3, 2)) == 1.0


def test_ideal_knows_what_was_not_retrieved() -> None:
    value = ndcg_at_k_score([{"a": 1, "b": 1}], [["a", "x"]])
    assert value == close(1 / (1 + 1 / LOG3))


def test_ndcg_of_one_relevant_among_three_equal_scores() -> None:
    expected = (1 + 1 / LOG3 + 1 / 2) / 3
    assert expected == pytest.approx(0.7103, abs=5e-5)
    for grades in ((1, 0, 0), (0, 0, 1)):
        assert ndcg_at_k_score(*tied(*grades)) == close(expected)
        assert ndcg_at_k_score(*tied(*grades), k=1) == close(1 / 3)  # .3333


def test_catboost_takes_the_worst_order_of_three_equal_scores() -> None:
    for grades in ((1, 0, 0), (0, 0, 1)):
        assert mean_reciprocal_rank_score(*tied(*grades), ties="pessimistic") == close(1 / 3)
        assert ndcg_at_k_score(*tied(*grades), k=1, ties="pessimistic") == 0.0


def test_ndcg_of_grades_1999_and_2000_does_not_overflow() -> None:
    """2^2000 is beyond float64; over it, the gains are 1/2 and 1."""
    assert ndcg_at_k_score(*ranked(1999, 2000)) == close((1 / 2 + 1 / LOG3) / (1 + 1 / 2 / LOG3))


def test_one_relevant_document_alone_is_perfect() -> None:
    assert ndcg_at_k_score(*ranked(1)) == 1.0


# ERR and nERR -----------------------------------------------------------------------------------


def test_err_of_one_relevant_item_on_the_query_and_on_a_fixed_scale() -> None:
    assert expected_reciprocal_rank_score(*ranked(1, 0)) == close((2**1 - 1) / 2**1)  # .5
    assert expected_reciprocal_rank_score(*ranked(1, 0), max_grade=4) == close(1 / 2**4)  # .0625


@pytest.mark.parametrize(
    ("max_grade", "stops", "rounded"),
    [("query", 1 / 2, 0.5333), (4, 1 / 16, 0.5532), (2, 1 / 4, 0.5455)],
)
def test_nerr_of_0_1_1(max_grade: Any, stops: float, rounded: float) -> None:
    """``stops``: the probability of a grade 1 on each scale; ptranking takes the batch's."""
    found = stops / 2 + (1 - stops) * stops / 3
    ideal = stops / 1 + (1 - stops) * stops / 2
    assert found / ideal == pytest.approx(rounded, abs=5e-5)
    value = normalized_expected_reciprocal_rank_score(*ranked(0, 1, 1), max_grade=max_grade)
    assert value == close(found / ideal)


def test_nerr_of_a_query_does_not_depend_on_the_others() -> None:
    alone = (1 / 4 + 1 / 12) / (1 / 2 + 1 / 8)
    found = evaluate([{"a": 1, "b": 1}, {"c": 2}], [["x", "a", "b"], ["c"]], "nerr")
    assert found.per_query["nerr"].tolist() == [close(alone), close(1.0)]


# MAR --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_relevant", "k", "expected"),
    [
        (2, 5, (1 / 2 + 2 / 2) / min(2, 5)),  # .75
        (3, 2, (1 / 3 + 2 / 3) / min(3, 2)),  # .5
    ],
)
def test_mar_of_a_perfect_ranking_is_below_1(n_relevant: int, k: int, expected: float) -> None:
    ranking = ranked(*[1] * n_relevant, *[0] * 5)
    assert mean_average_recall_score(*ranking, k=k) == close(expected)
    assert mean_average_recall_score(*ranking, k=k, normalize=True) == 1.0


# Queries without a relevant item ----------------------------------------------------------------

HALF_JUDGED = (np.array([[0, 1], [0, 0]]), np.array([[2, 1], [2, 1]]))
"""A relevant item at rank 2, and a query without any."""


@pytest.mark.parametrize(
    ("convention", "name", "expected"),
    [
        ("sklearn", "ndcg", (1 / LOG3 + 0) / 2),
        ("recbole", "map", (1 / 2 + 0) / 2),
        ("spark", "map", (1 / 2 + 0) / 2),
        ("ranx", "map", (1 / 2 + 0) / 2),
        ("warprec", "map", 1 / 2),
        ("warprec", "recall@1", 0.0),
        ("ardoco", "map", 1 / 2),
        ("lenskit", "mrr", 1 / 2),
        ("xgboost", "ndcg", (1 / LOG3 + 1) / 2),
        ("xgboost", "map", (1 / 2 + 1) / 2),
        ("lightgbm", "ndcg", (1 / LOG3 + 1) / 2),
        ("lightgbm", "map", (1 / 2 + 1) / 2),
    ],
)
def test_what_a_query_without_a_relevant_item_counts(
    convention: str, name: str, expected: float
) -> None:
    assert by(convention, name, *HALF_JUDGED) == close(expected)


def test_trec_eval_counts_it_0() -> None:
    y_true = {"q1": {"b": 1}, "q2": {"a": 0, "b": -1}}
    y_score = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    assert by("trec_eval", "map", y_true, y_score) == close((1 / 2 + 0) / 2)


def test_ptranking_has_no_value_for_it() -> None:
    with pytest.raises(ValueError, match="ndcg is undefined for 1 of 2 queries"):
        by("ptranking", "ndcg", *HALF_JUDGED)


@pytest.mark.parametrize(
    ("convention", "expected"), [("trec_eval", 1.0), ("default", (1 + 0) / 2), ("lenskit", 1 / 2)]
)
def test_what_a_judged_query_without_a_ranking_counts(convention: str, expected: float) -> None:
    y_true, y_score = {"q1": {"a"}, "q2": {"b"}}, {"q1": {"a": 1.0}}
    assert by(convention, "map", y_true, y_score) == close(expected)


def test_ranx_refuses_a_judged_query_without_a_ranking() -> None:
    with pytest.raises(ValueError, match="1 of 2 judged queries have no ranking: 'q2'"):
        by("ranx", "map", {"q1": {"a"}, "q2": {"b"}}, {"q1": {"a": 1.0}})
