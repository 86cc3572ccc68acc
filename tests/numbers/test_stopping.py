"""ERR of ties: tiny chances, large ties, and what they cost."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sklearn_rank import evaluate


def one_query(grades, scores, measure: str) -> float:
    return evaluate(np.array(grades), np.array(scores), measure, groups=np.zeros(len(grades)))[
        measure
    ]


@pytest.mark.parametrize("max_grade", [1, 4, 30, 54, 60, 300])
def test_a_tie_of_relevant_items_has_the_best_order_whatever_the_scale(max_grade: int) -> None:
    # All orders of two items of grade 1 are alike, and the best; 1 - 2 ** -54 is 1 in float64.
    measure = f"nerr(max_grade={max_grade})"
    assert one_query([1, 1], [0, 0], measure) == pytest.approx(1.0, rel=1e-12)


def test_tiny_chances_of_a_tie_by_arithmetic() -> None:
    # One item of chance s = 2 ** -80 among four: s (1 + 1/2 + 1/3 + 1/4) / 4 at any place.
    expected = 2.0**-80 * (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
    assert one_query([1, 0, 0, 0], [0] * 4, "err(max_grade=80)") == pytest.approx(
        expected, rel=1e-14
    )
    # Below two others that nobody may choose, at rank 3 to 6.
    expected = 2.0**-80 * (1 / 3 + 1 / 4 + 1 / 5 + 1 / 6) / 4
    scores = [0, 0, 0, 0, 2, 1]
    assert one_query([1, 0, 0, 0, 0, 0], scores, "err(max_grade=80)") == pytest.approx(
        expected, rel=1e-14
    )


@pytest.mark.parametrize("k", [1, 3, 7, None])
def test_equal_items_of_a_tie_by_arithmetic(k: int | None) -> None:
    # m items of chance s and no others: rank i with probability s (1 - s) ** (i - 1).
    stop, m = Fraction(1, 2), 40
    last = m if k is None else k
    expected = sum(stop * (1 - stop) ** (rank - 1) / rank for rank in range(1, last + 1))
    measure = "err" if k is None else f"err@{k}"
    assert one_query([1] * m, [0] * m, measure) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("measure", ["err", "err@10", "err(max_grade=7)@200"])
def test_a_large_tie_is_the_mean_of_its_orders(measure: str) -> None:
    rng = np.random.default_rng(1)
    grades = np.repeat([0, 1, 2, 3], [1500, 300, 150, 50])
    tied = one_query(grades, np.zeros(2000), measure)
    orders = [one_query(grades, rng.permutation(2000), measure) for _ in range(400)]
    error = np.std(orders, ddof=1) / np.sqrt(400)
    assert abs(np.mean(orders) - tied) < 4 * error


def test_what_nobody_reaches_is_not_looked_at() -> None:
    # After a hundred items of chance 1/2 nobody reads on: the large tie below changes nothing.
    grades, scores = [1] * 100, list(range(200, 100, -1))
    below = [1, 0] * 50
    assert one_query(grades + below, scores + [0] * 100, "err") == pytest.approx(
        one_query(grades, scores, "err"), rel=1e-15
    )
