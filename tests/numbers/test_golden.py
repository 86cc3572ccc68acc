"""Worked numbers, each with the arithmetic that gives it; what docstrings state beside formulas.

Grades stand in rank order throughout: ``ranked(0, 1)`` is an irrelevant item above a relevant one.
"""

import math
from typing import Any

import numpy as np
import pytest

from sklearn_rank import (
    InvalidParameterError,
    UndefinedMetricError,
    evaluate,
    group_auc_score,
    limited_auc_score,
    measure,
    rank_biased_precision_score,
    ranking_auc_score,
)
from sklearn_rank.inputs import RelevanceInput

LOG3 = math.log2(3)
"""Discount of rank 2; that of rank 1 is 1 and of rank 3 is 2."""


def ranked(*grades: float) -> tuple[np.ndarray, np.ndarray]:
    """One query in the matrix layout whose items have these grades in rank order."""
    return np.array([grades], dtype=float), -np.arange(len(grades), dtype=float)[None]


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


# The four inputs of the rank metrics calculator -------------------------------------------------

LISTS = [["1:x", "1:a", "1:y", "1:b"], ["2:x", "2:y", "2:z", "2:a"], ["3:x", "3:y", "3:z", "3:v"]]
TRUTHS = [{"1:a", "1:b", "1:c"}, {"2:a"}, {"3:a"}]


class Link:
    """An item that only a string provider can compare: no two are equal."""

    def __init__(self, text: str) -> None:
        self.text = text


def test_sorted_lists_one_ground_truth_string_provider_and_relevance() -> None:
    """Lists: x a y b and x y z a, all links retrieved; relevances .9 .8 .3 .1 and .7 .6 .5 .4."""
    calls: list[Link] = []
    found = evaluate(
        {Link("1:a"), Link("1:b"), Link("2:a")},
        [list(map(Link, items)) for items in LISTS[:2]],
        ("map", "lag", "auc(average=pooled)"),
        string_provider=lambda link: calls.append(link) or link.text,
        relevance=RelevanceInput([["0.9", "0.8", "0.3", "0.1"], ["0.7", "0.6", "0.5", "0.4"]]),
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


# One query, the grades of its items in rank order ------------------------------------------------

TWO_OF_SIX = (0, 1, 0, 1, 0, 0)
"""Of four irrelevant items three stand below the first relevant one and two below the second."""
EXP2, LINEAR = (1 + 3 / LOG3) / (3 + 1 / LOG3), (1 + 2 / LOG3) / (2 + 1 / LOG3)
"""nDCG of grades 1 and 2 in the wrong order."""
OF_NEXT = (3 + 7 / LOG3) / (7 + 3 / LOG3)
"""The same with WarpRec's gain 2^(grade + 1) - 1."""


@pytest.mark.parametrize(
    ("spec", "grades", "expected"),
    [
        ("map", (1, 0, 1, 0), (1 + 2 / 3) / 2),  # .8333
        ("map", (2, 0, 1, 0), (1 + 2 / 3) / 2),  # relevant or not
        # Three relevant items, one of them within the first two: the sum is 1/2.
        *((f"map(denominator={of})@2", (0, 1, 1, 1), (1 / 2) / by) for of, by in (
            ("min", 2), ("relevant", 3), ("retrieved", 1), ("k", 2))),
        *((f"map(denominator={of})@1", (1, 1, 1), 1.0) for of in ("min", "retrieved", "k")),
        ("lag", (0, 0, 1), 2.0),
        *((f"auc(average={of})", TWO_OF_SIX, (3 + 2) / (2 * 4)) for of in (
            "positives", "macro", "impressions", "pooled")),
        ("gauc", (0, 0, 0, 1), 0.0),
        ("gauc", (0, 0, 1, 1), 0.0),
        # One relevant item last of five, sampled from a thousand items.
        ("gauc(n_negatives=999,smoothing=1)", (0, 0, 0, 0, 1), (999 + 1 - 4) / (999 + 1)),
        ("lauc(smoothing=1)@1", TWO_OF_SIX, 0.0),
        ("lauc(smoothing=1)@2", TWO_OF_SIX, (4 / 5) / 2),
        ("lauc(smoothing=1)@3", TWO_OF_SIX, (4 / 5) / 2),
        ("lauc(smoothing=1)@4", TWO_OF_SIX, (4 / 5 + 3 / 5) / 2),
        # A straight line from (1/4, 0): mean height 1/2 over 3/4.
        ("lauc(tail=linear)@1", TWO_OF_SIX, (3 / 4) * (0 + 1) / 2),
        # From (1/4, 1/2): mean height 3/4 over 3/4.
        ("lauc(tail=linear)@2", TWO_OF_SIX, (3 / 4) * (1 / 2 + 1) / 2),
        # Height 1/2 over the second quarter, then from (1/2, 1/2).
        ("lauc(tail=linear)@3", TWO_OF_SIX, (1 / 4) * (1 / 2) + (1 / 2) * (1 / 2 + 1) / 2),
        # Nothing relevant is left: the area of the whole curve.
        ("lauc(tail=linear)@4", TWO_OF_SIX, (1 / 4) * (1 / 2) + (1 / 2) * 1),
        ("precision@5", (1, 1, 1, 0), 3 / 5),
        ("recall@2", (1, 1, 1), 2 / 3),
        ("fbeta(beta=0.5)@4", (1, 1, 1, 0), 1.25 * 0.75 * 1 / (0.25 * 0.75 + 1)),  # .7895
        ("hmean(precision,recall,beta=0.5)@4", (1, 1, 1, 0), 1.25 * 0.75 / (0.25 * 0.75 + 1)),
        ("ndcg", (1, 2), EXP2),  # .7967
        ("ndcg(gain=linear)", (1, 2), LINEAR),  # .8597
        ("ndcg(gain=binary)", (1, 2), 1.0),
        (measure("ndcg", gain={1: 3, 2: 7}), (1, 2), OF_NEXT),  # .8340
        ("ndcg(gain=exp2_next)", (1, 2), OF_NEXT),
        ("ndcg", (1, 0, 1, 0), (1 + 1 / 2) / (1 + 1 / LOG3)),  # .9197
        ("ndcg", (3, 2), 1.0),  # over ideal ones it would be 5.45
        ("ndcg", (1,), 1.0),
        ("dcg", (3, 2), 7 + 3 / LOG3),
        ("idcg", (2, 3), 7 + 3 / LOG3),
        ("err", (1, 0), (2**1 - 1) / 2**1),
        ("err(max_grade=4)", (1, 0), 1 / 2**4),
        # Probability of a grade 1 on each scale: found over ideal; ptranking takes the batch's.
        *((f"nerr(max_grade={top})", (0, 1, 1), (p / 2 + (1 - p) * p / 3) / (p + (1 - p) * p / 2))
            for top, p in (("query", 1 / 2), (4, 1 / 16), (2, 1 / 4))),
        # Relevant at ranks 2 and 4 with p = 1/2.
        *((f"rbp(persistence=0.5{more}", grades, (1 - 1 / 2) * expected)
            for more, grades, expected in (
                (")", (0, 1, 0, 1), 1 / 2 + 1 / 8),
                (")", (0, 3, 0, 1), 1 / 2 + 1 / 8),
                (")@3", (0, 1, 0, 1), 1 / 2),
                (",min_rel=2)", (0, 3, 0, 1), 1 / 2),
                (",gain=linear)", (0, 4, 0, 1), 1 / 2 + 1 / 8 / 4),
                (",gain=linear,max_grade=8)", (0, 4, 0, 1), 1 / 2 * 4 / 8 + 1 / 8 / 8),
                (",gain=exp2)", (0, 2, 0, 1), 1 / 2 + 1 / 8 / 3),
                (",gain={1:0,2:0})", (2, 1), 0))),
        ("mar@5", (1, 1, 0, 0, 0, 0, 0), (1 / 2 + 2 / 2) / min(2, 5)),
        ("mar@2", (1, 1, 1, 0, 0, 0, 0, 0), (1 / 3 + 2 / 3) / min(3, 2)),
    ],
)  # fmt: skip
def test_one_query(spec: Any, grades: tuple[float, ...], expected: float) -> None:
    assert evaluate(*ranked(*grades), spec)[spec] == close(expected)


@pytest.mark.parametrize(
    ("spec", "grades", "ties", "expected"),
    [
        # Steps of one item at a time would say 1 or 0, by the order of input.
        *(("auc(average=pooled)", grades, "average", 0.5) for grades in (
            (1, 1, 0, 0), (0, 0, 1, 1))),
        *((spec, grades, ties, value) for grades in ((1, 0, 0), (0, 0, 1))
            for spec, ties, value in (
                ("ndcg", "average", (1 + 1 / LOG3 + 1 / 2) / 3),  # .7103
                ("ndcg@1", "average", 1 / 3),
                ("mrr", "pessimistic", 1 / 3),  # as CatBoost
                ("ndcg@1", "pessimistic", 0.0))),
    ],
)  # fmt: skip
def test_equal_scores(spec: str, grades: tuple[float, ...], ties: str, expected: float) -> None:
    y_score = np.zeros((1, len(grades)))
    assert evaluate(np.array([grades]), y_score, spec, ties=ties)[spec] == close(expected)


# Several queries, items with ids -----------------------------------------------------------------

AB, LAGS = {"a", "b"}, ([{"a", "b"}, {"a"}], [["x", "a", "y", "b"], ["x", "y", "z", "a"]])
FIRST = [{"a"}] * 3, [["x", "a"], ["x", "y", "a"], ["x"]]


@pytest.mark.parametrize(
    ("spec", "sides", "expected"),
    [
        # Query 1 misses one of three links, query 3 its only one: .1944.
        ("map", (TRUTHS, LISTS), ((1 / 2 + 2 / 4) / 3 + (1 / 4) / 1 + 0) / 3),
        ("map", ([{"a", "b", "c"}], [["a", "x", "b"]]), (1 + 2 / 3) / 3),
        ("map(denominator=listed)", ([{"a", "b", "c"}], [["x", "a"]]), (1 / 2) / 2),
        ("map(denominator=listed)@1", ([{"a", "b", "c"}], [["x", "a"]]), 0),
        ("map(denominator=listed)", ([{"a"}], [[]]), 0),
        ("ndcg", ([{"a": 1, "b": 1}], [["a", "x"]]), 1 / (1 + 1 / LOG3)),
        ("lag", LAGS, ((1 + 2) / 2 + 3) / 2),  # the mean of the queries' mean lags
        ("lag(average=pooled)", LAGS, (1 + 2 + 3) / 3),  # over all links
        ("lag", ([AB], [["x", "a", "y"]]), (1 + 2) / 2),  # b stands below x and y
        ("lag(unretrieved=ignore)", ([AB], [["x", "a", "y"]]), 1),
        # Retrieving less can lower the lag where the unretrieved do not count.
        ("lag(unretrieved=ignore)", ([AB], [["a", "x", "b"]]), (0 + 1) / 2),
        ("lag(unretrieved=ignore)", ([AB], [["a", "x"]]), 0),
        ("lag", ([AB], [["a", "x"]]), (0 + 1) / 2),
        ("hit_rate@1", ([{"a"}, {"b"}], [["a", "x"], ["x", "b"]]), 1 / 2),
        ("mrr", FIRST, (1 / 2 + 1 / 3 + 0) / 3),
        ("mrr@2", FIRST, (1 / 2 + 0 + 0) / 3),
        # P 1 and R 1/2, then P 1/2 and R 1/2; of the means, P 3/4 and R 1/2, it would be 3/5.
        ("f1", ([AB, AB], [["a"], ["a", "x"]]), (2 / 3 + 1 / 2) / 2),
        # All tied: each of three places is as likely.
        ("rbp(persistence=0.5)", ([{"a"}], [dict.fromkeys("abc", 1)]), (1 / 2 + 1 / 4 + 1 / 8) / 3),
    ],
)
def test_several_queries(spec: str, sides: Any, expected: float) -> None:
    assert evaluate(*sides, spec)[spec] == close(expected)


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


# What docstrings of the metrics state beyond their formulas --------------------------------------


def random_lists(n_items: int, k: int, n_queries: int = 3000) -> list[list[int]]:
    rng = np.random.default_rng(7)
    return [rng.permutation(n_items)[:k].tolist() for _ in range(n_queries)]


AREAS = pytest.mark.parametrize("area", [ranking_auc_score, group_auc_score])


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingDataWarning")
@AREAS
def test_chance_is_a_half_for_complete_rankings_alone(area) -> None:
    complete, top = random_lists(20, 20), random_lists(100, 10)
    truth = [set(range(5)) for _ in top]
    assert area(truth, complete) == pytest.approx(1 / 2, abs=0.01)
    # A relevant item is in a random tenth with probability 1/10, and half of the pairs are right.
    assert area(truth, top, zero_division=0.0) == pytest.approx(1 / 10 * 1 / 2, abs=0.01)
    # With all 95 irrelevant items counted, nearly all of them stand below one that is retrieved.
    assert area(truth, top, n_negatives=95) == pytest.approx(1 / 10 * (1 - 5 / 95), abs=0.01)


def test_areas_ignoring_what_was_not_retrieved_are_undefined_where_nothing_was() -> None:
    for area in (ranking_auc_score, group_auc_score, limited_auc_score):
        with pytest.raises(UndefinedMetricError, match="undefined for 1 of 1 queries"):
            area([{"z"}], [["a", "b"]], unretrieved="ignore", zero_division="raise")


def test_what_rbp_refuses() -> None:
    for table in ({1: 5, 2: 1}, {1: 5, 2: 0}):
        with pytest.raises(InvalidParameterError, match="highest for the highest grade"):
            rank_biased_precision_score(*ranked(2, 1), gain=table)
    for wrong in (1, -0.1, math.nan, "0.5", True):
        with pytest.raises(InvalidParameterError, match=r"a number in \[0, 1\)"):
            measure("rbp", persistence=wrong)
