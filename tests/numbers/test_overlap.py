"""Rank-biased overlap: published numbers, enumerated orders of ties, and what is refused."""

import itertools
import math

import numpy as np
import pytest

from sklearn_rank import rank_biased_overlap_score
from sklearn_rank.exceptions import DuplicateItemError, InvalidParameterError, QueryMismatchError


def overlap(old: object, new: object, p: float = 0.9) -> float:
    return rank_biased_overlap_score([old], [new], p=p)


@pytest.mark.parametrize(
    ("old", "new", "p", "expected"),
    [
        ([*range(1, 9), 0, 9], [*range(1, 9), 9, 0], 0.9, 0.9952170310),
        ([*"NHMACFL"], [*"CGNA"], 0.9, 0.4903836),
        ([*"abcde"], [*"edcba"], 0.9, 0.7377750),
        ([1, 2, 3], [1], 0.4, 1.0),
        ([*"ab"], [*"cd"], 0.9, 0.0),
        ([], [], 0.9, 1.0),
        ([], ["a"], 0.9, 0.0),
    ],
)
def test_golden_values(old: list[object], new: list[object], p: float, expected: float) -> None:
    assert overlap(old, new, p) == pytest.approx(expected, abs=5e-8)
    assert overlap(new, old, p) == overlap(old, new, p)


def test_a_swap_by_hand() -> None:
    # Agreement 0 at depth 1 and 1 at depth 2: (1 - p) / p * p^2 + p^2 = p.
    assert overlap([*"ab"], [*"ba"], 0.7) == pytest.approx(0.7)


@pytest.mark.parametrize("seed", range(4))
def test_ties_are_the_mean_over_all_orders(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sides = [
        {item: float(generator.integers(0, 3)) for item in generator.permutation(7)[:size].tolist()}
        for size in (4, 5)
    ]
    orders = [
        [
            items
            for items in itertools.permutations(side)
            if all(side[a] >= side[b] for a, b in itertools.pairwise(items))
        ]
        for side in sides
    ]
    values = [overlap(list(old), list(new), 0.8) for old in orders[0] for new in orders[1]]
    assert overlap(*sides, 0.8) == pytest.approx(math.fsum(values) / len(values), rel=1e-12)


def test_queries_are_joined_and_averaged() -> None:
    old, new = {"q1": [*"ab"], "q2": [*"cd"]}, {"q2": {"c": 2, "d": 1}, "q1": [*"ba"]}
    assert rank_biased_overlap_score(old, new, per_query=True) == pytest.approx([0.9, 1.0])
    assert rank_biased_overlap_score(old, new) == pytest.approx(0.95)
    scores = np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
    assert rank_biased_overlap_score(scores, scores * 2) == pytest.approx(1.0)
    assert rank_biased_overlap_score(scores, scores[::-1]) == overlap([0, 1, 2], [2, 1, 0])


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ({"q1": ["a"]}, {"q2": ["a"]}, QueryMismatchError, "one lacks 'q1', 'q2'"),
        ([["a"]], [["a"], ["b"]], QueryMismatchError, "one lacks 1"),
        ([["a", "a"]], [["a"]], DuplicateItemError, "query 0 ranks items twice: 'a'"),
        ({"q": "abc"}, {"q": ["a"]}, InvalidParameterError, "query 'q' must be a sequence of ids"),
        ("abc", [["a"]], InvalidParameterError, "y_baseline must be"),
        (
            [{"a": math.nan}],
            [["a"]],
            InvalidParameterError,
            "query 0 has a score that is not a number",
        ),
        ([{"a": "x"}], [["a"]], InvalidParameterError, "query 0 has a score that is not a number"),
        ([[["a"]]], [["a"]], InvalidParameterError, "query 0 ranks items that are not hashable"),
        ([], [], InvalidParameterError, "have no queries"),
    ],
)
def test_wrong_rankings_are_refused(
    old: object, new: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rank_biased_overlap_score(old, new)
    with pytest.raises(InvalidParameterError, match="'p' parameter of rank_biased_overlap_score"):
        rank_biased_overlap_score([["a"]], [["a"]], p=1)
