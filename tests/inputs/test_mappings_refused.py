"""What mappings refuse in grades, scores and weights."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from sklearn_rank import mean_average_precision_score, mean_reciprocal_rank_score, ndcg_at_k_score

# Scores ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        (
            {"a": 1, "b": np.nan},
            ValueError,
            r"y_score\['q'\] contains NaN as the score for item 'b'$",
        ),
        (
            {"a": np.nan, "b": np.nan},
            ValueError,
            r"y_score\['q'\] contains NaN as the score for item 'a'",
        ),
        ({"a": "1"}, TypeError, r"y_score\['q'\] has score '1' for item 'a'; pass a number"),
        ({"a": None}, TypeError, r"y_score\['q'\] has score None for item 'a'; pass a number"),
        ({"a": Decimal(2)}, TypeError, r"has score Decimal\('2'\) for item 'a'; pass a number"),
        (
            {"a": 2**53 + 1, "b": 1.5},
            ValueError,
            r"y_score\['q'\] mixes floats with the integer 9007199254740993, .* item 'a'",
        ),
        ({"a": 2**64 + 1, "b": 1}, ValueError, r"y_score\['q'\].* item 'a'"),
        ({"a": 10**400, "b": 1.5}, ValueError, r"y_score\['q'\].* item 'a'"),
    ],
)
def test_scores_that_mappings_refuse(run, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score({"q": {"a"}}, {"q": run})


@pytest.mark.parametrize(
    "value",
    [True, np.float32(2), np.int8(3), np.bool_(True), 10**18, np.longdouble(2) ** 60],
    ids=repr,
)
def test_scores_that_mappings_accept(value):
    assert mean_reciprocal_rank_score({"q": {"a"}}, {"q": {"b": -1, "a": value}}) == 1.0


# Grades ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grade", "error", "message"),
    [
        (np.nan, ValueError, r"y_true\['q'\] contains NaN as the grade of item 'a'"),
        (np.inf, ValueError, r"y_true\['q'\] contains infinity as the grade of item 'a'"),
        (-1, ValueError, r"y_true\['q'\] contains a negative grade \(-1\) for item 'a'"),
        (None, TypeError, r"y_true\['q'\] has grade None for item 'a'; pass a number"),
        ("1", TypeError, r"y_true\['q'\] has grade '1' for item 'a'; pass a number"),
        (10**400, ValueError, r"y_true\['q'\].* item 'a'"),
    ],
)
def test_grades_that_mappings_refuse(grade, error, message):
    with pytest.raises(error, match=message):
        ndcg_at_k_score({"q": {"a": grade}}, {"q": ["a"]})


# Weights and classes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (
            [1, 2],
            TypeError,
            r"sample_weight for mappings must be \{query: weight\}: queries are joined by key",
        ),
        ({"p": 1}, ValueError, r"sample_weight has no weight for 1 queries: 'q'"),
        (
            {"p": 1, "q": -1},
            ValueError,
            r"sample_weight contains a negative value \(-1\.0\).* query 'q'",
        ),
        ({"p": 1, "q": np.nan}, ValueError, r"sample_weight contains NaN.* query 'q'"),
    ],
)
def test_weights_that_mappings_refuse(weights, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score(
            {"p": {"a"}, "q": {"b"}}, {"q": ["b"], "p": ["a"]}, sample_weight=weights
        )
