"""Differences of any size: their unit changes no p-value, and nothing overflows."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_rank.statistics import mean_confidence_interval
from sklearn_rank.statistics.differences import Differences, PairedTest
from sklearn_rank.statistics.samples import error_of_mean, mean_of
from sklearn_rank.typing import FloatArray

SAMPLE = np.array([0.5, 1.0, -0.75, 0.25, 1.5, 0.125])
WEIGHTS = np.array([1.0, 2, 1, 4, 1, 2])
LARGE = 2.0**1023
"""Six such numbers have no sum in float64."""


@pytest.mark.parametrize("unit", [2.0**-900, LARGE])
@pytest.mark.parametrize("weights", [None, WEIGHTS, WEIGHTS * 2.0**1020])
def test_means_and_errors_scale(unit: float, weights: FloatArray | None) -> None:
    own = None if weights is None else WEIGHTS
    assert mean_of(SAMPLE * unit, weights) == mean_of(SAMPLE, own) * unit
    assert error_of_mean(SAMPLE * unit, weights) == error_of_mean(SAMPLE, own) * unit


@pytest.mark.parametrize("test", ["t", "permutation", "wilcoxon", "bootstrap"])
def test_no_p_value_depends_on_the_unit(test: PairedTest) -> None:
    assert Differences(SAMPLE * LARGE, None, LARGE).p(test) == Differences(SAMPLE).p(test)


def test_intervals_scale() -> None:
    large, small = Differences(SAMPLE * LARGE / 4, None, LARGE), Differences(SAMPLE)
    low, high = small.bootstrap_interval(0.95, 999, 0)
    assert large.bootstrap_interval(0.95, 999, 0) == (low * LARGE / 4, high * LARGE / 4)
    low, high = small.t_interval(0.95)
    assert large.t_interval(0.95) == (low * LARGE / 4, high * LARGE / 4)
    assert all(np.isfinite(mean_confidence_interval(SAMPLE * LARGE / 4, method="bootstrap")))
