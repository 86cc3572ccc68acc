"""Weights of queries."""

from __future__ import annotations

import math

import pytest

from sklearn_rank import (
    InvalidParameterError,
    UndefinedMetricWarning,
    mean_reciprocal_rank_score,
    ranking_auc_score,
)
from tests.inputs.cases import GRADES, GROUPS, SCORES


def test_pooled_measures_take_no_weights():
    with pytest.raises(InvalidParameterError, match=r"sample_weight .* pooled measure"):
        ranking_auc_score(
            GRADES, SCORES, groups=GROUPS, average="pooled", sample_weight=[1, 1, 2, 2]
        )


def test_weights_weigh_queries():
    # Reciprocal ranks 1 and 1/2, weights 1 and 3.
    value = mean_reciprocal_rank_score(GRADES, SCORES, groups=GROUPS, sample_weight=[1, 1, 3, 3])
    assert value == (1 * 1 + 3 * 1 / 2) / 4


def test_weight_on_undefined_queries_alone_leaves_nothing():
    with pytest.warns(UndefinedMetricWarning, match="undefined for 1 of 1 queries: 0; .* is NaN"):
        value = mean_reciprocal_rank_score([set(), {"a"}], [["a"], ["a"]], sample_weight=[1, 0])
    assert math.isnan(value)
