"""Intervals and tests for means over queries. Imports `support`; SciPy when asked."""

from sklearn_rank.statistics.differences import Correction, correct_p_values
from sklearn_rank.statistics.intervals import IntervalMethod, mean_confidence_interval

__all__ = ["Correction", "IntervalMethod", "correct_p_values", "mean_confidence_interval"]
