"""Integers of 128 bits and decimals of Polars, which NumPy has no type for."""

from __future__ import annotations

import warnings
from decimal import Decimal

import numpy as np
import pytest

from sklearn_rank import UndefinedMetricWarning, evaluate

pl = pytest.importorskip("polars")
if not hasattr(pl, "Int128"):  # Polars before 1.18
    pytest.skip("this Polars has no Int128", allow_module_level=True)

GROUPS = ["q", "q", "r", "r"]
ITEMS = ["a", "b", "a", "b"]
TRUTH = [1, 0, 0, 1]
BIG = 2**63
# Relevant first in q and second in r: (1 + 1/2) / 2. In float64 both scores of a query are equal.
LAST_DIGITS = {
    "int64": [BIG - 1, BIG - 2, BIG - 1, BIG - 2],
    "uint64": [BIG + 1, BIG, BIG + 1, BIG],
    "negative": [-BIG + 1, -BIG, -BIG + 1, -BIG],
}


def frame(**columns):
    return pl.DataFrame({"query_id": GROUPS, "item_id": ITEMS, **columns})


def wide(values):
    return pl.Series(values, dtype=pl.Int128)


@pytest.mark.parametrize("scores", LAST_DIGITS.values(), ids=LAST_DIGITS)
def test_scores_are_read_to_the_last_digit(scores):
    column = wide(scores)
    assert evaluate(TRUTH, column, "map", groups=GROUPS).scores == {"map": 0.75}
    assert evaluate(frame(relevance=TRUTH), frame(score=column), "map").scores == {"map": 0.75}
    matrix = pl.DataFrame({"a": column.gather([0, 2]), "b": column.gather([1, 3])})
    assert evaluate(np.array([[1, 0], [0, 1]]), matrix, "map").scores == {"map": 0.75}


def test_grades_weights_and_query_ids():
    # Linear gains: q ranks 1 before 3, r has 2 first and nothing else.
    grades, scores = wide([3, 1, 2, 0]), [1.0, 2.0, 2.0, 1.0]
    half = 1 / np.log2(3)
    q, r = (1 + 3 * half) / (3 + half), 1.0
    options = {"convention": "sklearn"}
    expected = pytest.approx((q + 3 * r) / 4, abs=1e-12)
    of_rows = evaluate(
        grades,
        scores,
        "ndcg",
        groups=wide([7, 7, BIG, BIG]),
        sample_weight=wide([1, 1, 3, 3]),
        **options,
    )
    assert of_rows.scores["ndcg"] == expected
    plain = evaluate(frame(relevance=grades), frame(score=scores), "ndcg", **options)
    assert plain.scores["ndcg"] == pytest.approx((q + r) / 2, abs=1e-12)


def test_ids_beyond_64_bits_are_named_as_they_are():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        evaluate([1, 0], [1.0, 2.0], "map", groups=wide([5, 2**100]))
    assert str(2**100) in str(caught[0].message)


def test_unsigned_integers_of_128_bits():
    if not hasattr(pl, "UInt128"):
        pytest.skip("this Polars has no UInt128")
    column = pl.Series(LAST_DIGITS["uint64"], dtype=pl.UInt128)
    assert evaluate(TRUTH, column, "map", groups=GROUPS).scores == {"map": 0.75}


def test_what_neither_64_bits_nor_float64_hold_is_refused():
    column = wide([1, 2, 3, 2**100 + 1])
    with pytest.raises(ValueError, match="y_score mixes integers that float64 cannot hold"):
        evaluate(TRUTH, column, "map", groups=GROUPS)
    with pytest.raises(ValueError, match="y_true mixes integers that float64 cannot hold"):
        evaluate(column, [1.0, 2.0, 3.0, 4.0], "ndcg", groups=GROUPS)
    with pytest.raises(ValueError, match="column 'score' of y_score mixes integers that float64"):
        evaluate(frame(relevance=TRUTH), frame(score=column), "map")
    with pytest.raises(ValueError, match="y_score mixes integers that float64"):
        evaluate(np.eye(4), pl.DataFrame(dict.fromkeys("abcd", column)), "map")


def test_missing_ones_are_refused_as_in_any_column():
    column = wide([1, None, 3, 4])
    with pytest.raises(ValueError, match=r"y_score contains missing values \(position 1\)"):
        evaluate(TRUTH, column, "map", groups=GROUPS)
    with pytest.raises(ValueError, match=r"column 'score' of y_score contains missing values"):
        evaluate(frame(relevance=TRUTH), frame(score=column), "map")
    with pytest.raises(ValueError, match=r"groups contains missing values \(row 1\)"):
        evaluate(TRUTH, TRUTH, "map", groups=column)


def test_decimals_are_refused_in_our_words():
    column = pl.Series([Decimal("1.5"), Decimal("2.25"), Decimal(3), Decimal(4)])
    for name, arguments in {"y_score": (TRUTH, column), "y_true": (column, TRUTH)}.items():
        with pytest.raises(ValueError, match=f"{name} has dtype object and holds Decimal"):
            evaluate(*arguments, "ndcg", groups=GROUPS)
    with pytest.raises(ValueError, match="column 'score' of y_score has dtype object and holds D"):
        evaluate(frame(relevance=TRUTH), frame(score=column), "map")
