"""Intervals and tests for means over queries. Imports `support`; SciPy when asked."""

from sklearn_rank.statistics.differences import (
    Correction,
    correct_p_values,
    detectable_drop,
    queries_needed,
)
from sklearn_rank.statistics.intervals import IntervalMethod, mean_confidence_interval

__all__ = [
    "Correction",
    "IntervalMethod",
    "correct_p_values",
    "detectable_drop",
    "mean_confidence_interval",
    "queries_needed",
]
